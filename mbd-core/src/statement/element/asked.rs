//! What can be asked of a statement beside its values: what it compares, what of it depends on time
//! alone, what rounding makes of it, its units, and the places that it notes to be drawn.

use super::element::{Element, NO_SIDE};
use crate::equation::SlotKind;
use crate::scalar::{Notes, Owner, Path, Quantity, Reading, listen};
use crate::statement::units::Units;
use crate::statement::watch::{Seen, Watch, Watched};

impl Element {
    /// Whether the rows compare values, and whether they read time.
    pub(crate) fn sees(&self) -> Watch {
        let comparisons = self.compares;
        let time = self.reads(SlotKind::T);
        Watch { comparisons, expressions: comparisons, time, paths: false }
    }

    /// Whether a scalar is a number of an input's course: what that is at other times nobody knows before.
    pub(super) fn is_of_input(&self, flat: u32) -> bool {
        self.layout.is_some_and(|layout| layout.inputs().contains(&(flat as usize)))
    }

    /// Appends the decisions of instance `i` at a point, or what of it depends on time alone.
    pub(crate) fn watch(&self, i: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        if ask.paths {
            let flats: Vec<u32> = self.flats(i).collect();
            let path = if self.compares {
                self.recorded(i, y, |work| {
                    work.tape.prune();
                    if let Some((kernel, key)) = out.wanted
                        && kernel == out.seen.len()
                    {
                        out.sides = work.tape.sides(key);
                    }
                    work.tape.path()
                })
            } else {
                Path { needed: (0..flats.len()).collect(), ..Path::default() }
            };
            out.seen.push(Seen { path, flats });
            return;
        }
        let sees = self.sees();
        let (comparisons, time) = (ask.comparisons && sees.comparisons, ask.time && sees.time);
        let expressions = ask.expressions && sees.expressions;
        if !comparisons && !time && !expressions {
            return;
        }
        self.recorded(i, y, |work| {
            if expressions {
                let written = out.graph.write_guards(&work.tape, self.source(i), self.rests(i));
                if let Some(guards) = &written {
                    let mut seeds = self.moving(i, &mut out.graph);
                    for rate in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
                        seeds.extend(self.rates(i, rate, &mut out.graph));
                    }
                    out.rates.extend(out.graph.along(guards, &seeds));
                }
                out.expressions = out.expressions.take().zip(written).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
            if comparisons {
                out.decisions.extend(work.tape.decisions());
                let sides = self.sides.of(i).iter().map(|&flat| (flat != NO_SIDE).then_some(flat));
                out.held.extend(sides);
                out.held.resize(out.decisions.len(), None);
                out.surfaces.extend(self.surfaces(i));
                out.surfaces.resize(out.decisions.len(), None);
                out.parts.extend(work.tape.parts());
            }
            if time {
                let reading = |k: usize| match self.list.kinds.get(k) {
                    Some(SlotKind::T) => Reading::Time,
                    Some(_) => Reading::Motion,
                    None => {
                        let param = self.list.params(i)[k - self.locals()];
                        if self.is_of_input(param) {
                            Reading::Motion
                        } else {
                            Reading::Fixed(y[param as usize])
                        }
                    }
                };
                out.clocks.push(work.tape.clock(reading));
            }
        });
    }

    /// Of each row of instance `i` a bound of what rounding makes of it at a point.
    pub(crate) fn roundings(&self, i: usize, y: &[f64]) -> Vec<f64> {
        self.recorded(i, y, |work| work.tape.roundings())
    }

    /// Appends the places that instance `i` notes at a point.
    pub(crate) fn note(&self, i: usize, y: &[f64], notes: &mut Notes) {
        let listener = listen();
        let owners = self
            .recorded(i, y, |work| work.tape.owners(self.owner(i, notes), &listener.owned(notes)));
        listener.hear(&owners, &mut notes.noted);
    }

    /// Values of the rows of instance `i`, with what each is made of.
    pub(crate) fn owned_rows(&self, i: usize, y: &[f64], notes: &Notes) -> Vec<(f64, Owner)> {
        let listener = listen();
        self.recorded(i, y, |work| {
            let owners = work.tape.owners(self.owner(i, notes), &listener.owned(notes));
            let owner = |place: Option<u32>| place.map_or(Owner::Ground, |k| owners[k as usize]);
            work.tape.rows_seen().map(|(value, place)| (value, owner(place))).collect()
        })
    }

    /// Who owns input `k` of instance `i`.
    fn owner(&self, i: usize, notes: &Notes) -> impl Fn(usize) -> Owner {
        let owners: Vec<Owner> = self.flats(i).map(|flat| notes.owner(flat as usize)).collect();
        move |k| owners.get(k).copied().unwrap_or(Owner::Moving)
    }

    /// Units of the rows of instance `i`; parts of them that do not fit together are told.
    pub(crate) fn quantities(
        &self,
        i: usize,
        y: &[f64],
        statement: &str,
        units: &mut Units<'_>,
    ) -> Vec<Quantity> {
        let flat = |k: usize| self.flats(i).nth(k).map(|flat| flat as usize);
        let mut found = Vec::new();
        let rows = self.recorded(i, y, |work| {
            work.tape.prune();
            let input = |k: usize| flat(k).map_or(Quantity::ANY, |flat| units.quantity(flat));
            work.tape.quantities(input, &mut found)
        });
        for mismatch in found {
            units.mismatch(statement, mismatch, &flat);
        }
        rows
    }
}
