//! The plan of a Newton matrix: which [`Term`] stands where. Built once per method and model, with
//! every scatter position precomputed; filled at each evaluation with one coefficient per term.

use super::system::{Request, System};
use crate::equation::{Point, SlotKind};
use crate::equation::{Residual, Term, Want, Weights};
use crate::linear::Pattern;
use crate::program::{Cached, Compiled, Factors, NOWHERE, Placement};
use crate::statement::ElementGroup;
use crate::statement::{Target, add_matrix, add_residual};
use std::sync::{Arc, OnceLock};

/// States the blocks of a matrix. The returned indices are those of the coefficients in
/// [`Plan::fill`], in the order of the calls to [`term`](Self::term) and [`unit`](Self::unit).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanBuilder {
    size: usize,
    terms: Vec<(Term, usize, usize)>,
    units: Vec<(usize, usize, usize, usize)>,
    inactive: Vec<(SlotKind, usize, usize)>,
    coefficients: usize,
}

/// A plan, what it was built from, and the rows that were not in the equations then.
#[derive(Clone)]
struct Kept {
    builder: PlanBuilder,
    inactive: [Vec<bool>; 2],
    groups: usize,
    plan: Plan,
}

/// Size of a matrix up to which a plan is kept: those of a large system would take memory that its steps need.
const KEPT_UP_TO: usize = 20_000;

impl PlanBuilder {
    /// An empty matrix of the given size.
    pub fn new(size: usize) -> Self {
        PlanBuilder { size, ..Default::default() }
    }

    /// Places a term's block with its first entry at (row, col); returns its coefficient's index.
    pub fn term(&mut self, term: Term, row: usize, col: usize) -> usize {
        self.terms.push((term, row, col));
        self.coefficients += 1;
        self.coefficients - 1
    }

    /// Places an identity block; returns its coefficient's index.
    pub fn unit(&mut self, len: usize, row: usize, col: usize) -> usize {
        self.units.push((self.coefficients, len, row, col));
        self.coefficients += 1;
        self.coefficients - 1
    }

    /// Says that the rows from `row` on are those of the holonomic (`Lambda`) or nonholonomic
    /// (`Psi`) constraints with their multipliers in the columns from `col` on: a redundant row
    /// becomes the equation "multiplier = 0" there.
    pub fn constraints(&mut self, kind: SlotKind, row: usize, col: usize) {
        self.inactive.push((kind, row, col));
    }

    /// The same as [`build`](Self::build), for what is solved for anew at one instant after another, as accelerations where
    /// an input jumps: the system keeps the plan with its programs for the next time.
    pub(crate) fn build_once(self, system: &System) -> Plan {
        if self.size > KEPT_UP_TO {
            return self.build(system);
        }
        let rows = [&system.inactive_lambda, &system.inactive_psi];
        let groups = system.groups_in_use().count();
        let same = |kept: &Kept| {
            kept.builder == self && kept.groups == groups && kept.inactive.iter().eq(rows)
        };
        let make = || {
            let plan = self.clone().build(system);
            Kept { builder: self.clone(), inactive: rows.map(Vec::clone), groups, plan }
        };
        system.kept(same, make).plan
    }

    /// Computes the pattern and all positions.
    pub fn build(self, system: &System) -> Plan {
        let placements: Vec<Placement> = self
            .terms_with_index()
            .map(|(coefficient, &(term, row, col))| Placement { term, row, col, coefficient })
            .collect();
        let mut all: Vec<(u32, u32)> = Vec::new();
        for (index, group) in system.groups().enumerate() {
            // What is known to be zero takes no place.
            for placement in offered(group, &placements) {
                match system.recorded_entries(index, placement.term) {
                    Some(recorded) => all.extend(
                        recorded
                            .into_iter()
                            .filter(|&(r, c)| system.places(placement.term, r, c))
                            .map(|(r, c)| (placement.row as u32 + r, placement.col as u32 + c)),
                    ),
                    None => all.extend(placed(system, group, placement).into_iter().flatten()),
                }
            }
        }
        let unit_entries: Vec<(usize, u32, u32)> = self
            .units
            .iter()
            .flat_map(|&(c, len, row, col)| {
                (0..len).map(move |i| (c, (row + i) as u32, (col + i) as u32))
            })
            .collect();
        let inactive_entries: Vec<(u32, u32)> = self
            .inactive
            .iter()
            .flat_map(|&(kind, row, col)| {
                system
                    .trivial_rows(kind)
                    .map(move |i| ((row + i) as u32, (col + i) as u32))
                    .collect::<Vec<_>>()
            })
            .collect();
        all.extend(unit_entries.iter().map(|&(_, r, c)| (r, c)));
        all.extend(&inactive_entries);
        let pattern = system.patterns().share(Pattern::from_entries(self.size, &all));
        let at = |r: u32, c: u32| pattern.position(r as usize, c as usize) as u32;
        let programs = Arc::default();
        system.register(&programs);
        Plan {
            units: unit_entries.iter().map(|&(k, r, c)| (k, at(r, c))).collect(),
            inactive: inactive_entries.iter().map(|&(r, c)| at(r, c)).collect(),
            placements,
            programs,
            coefficients: self.coefficients,
            targets: system.groups().map(|_| OnceLock::new()).collect(),
            pattern,
        }
    }

    /// Terms with the index of their coefficient (units take indices of their own in between).
    fn terms_with_index(&self) -> impl Iterator<Item = (usize, &(Term, usize, usize))> {
        let taken: Vec<usize> = self.units.iter().map(|u| u.0).collect();
        (0..self.coefficients).filter(move |i| !taken.contains(i)).zip(&self.terms)
    }
}

/// The placements of terms that a group offers.
fn offered<'a>(
    group: &dyn ElementGroup,
    placements: &'a [Placement],
) -> impl Iterator<Item = &'a Placement> {
    let offered = group.terms();
    placements.iter().filter(move |p| offered.contains(&p.term))
}

/// What a group has at a placement: the row and column of every local entry of every instance, `None` for those
/// outside.
fn placed(
    system: &System,
    group: &dyn ElementGroup,
    placement: &Placement,
) -> Vec<Option<(u32, u32)>> {
    let mut entries = Vec::new();
    for i in 0..group.instances() {
        group.entries(placement.term, i, &mut entries);
    }
    for entry in &mut entries {
        *entry = entry
            .filter(|&(r, c)| system.places(placement.term, r, c))
            .map(|(r, c)| (placement.row as u32 + r, placement.col as u32 + c));
    }
    entries
}

/// The precomputed scatter maps of a matrix.
#[derive(Clone, Debug)]
pub struct Plan {
    pattern: Pattern,
    /// By group, for what is evaluated on dual numbers: made when first asked for.
    targets: Vec<OnceLock<Vec<Target>>>,
    units: Vec<(usize, u32)>,
    inactive: Vec<u32>,
    coefficients: usize,
    placements: Vec<Placement>,
    /// By what is known of the coefficients.
    programs: Arc<Cached<Request>>,
}

/// Requests after which nothing more is assumed of coefficients than which are zero.
const FEW: usize = 8;

impl Plan {
    /// The pattern the values belong to.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// A value array of the right length (one more than the pattern's, as a bin).
    pub fn values(&self) -> Vec<f64> {
        vec![0.0; self.pattern.value_len() + 1]
    }

    /// Number of coefficients.
    pub fn coefficients(&self) -> usize {
        self.coefficients
    }

    /// The programs for these coefficients and residual pieces.
    fn compiled(
        &self,
        system: &System,
        coefficients: &[f64],
        (want, fresh): (Want, bool),
    ) -> Option<&Compiled> {
        if !system.has_programs() {
            return None;
        }
        let is =
            |known: &Request| known.0 == want && known.1 == fresh && known.2.hold(coefficients);
        self.programs.get(is, |count| {
            let factors = Factors::new(coefficients, count >= FEW);
            let used = |p: &&Placement| coefficients[p.coefficient] != 0.0;
            let placements: Vec<Placement> = self.placements.iter().filter(used).copied().collect();
            let bin = self.pattern.value_len();
            let compiled = system.compile(want, fresh, &placements, &factors, |p, row, col| {
                let at = self.pattern.position(p.row + row as usize, p.col + col as usize);
                match (system.places(p.term, row, col), at == bin) {
                    (false, _) => Some(NOWHERE),
                    (true, true) => None,
                    (true, false) => Some(at as u32),
                }
            });
            ((want, fresh, factors), compiled)
        })
    }

    /// Where the entries of a group go that is evaluated on dual numbers.
    fn targets(&self, system: &System, group: &dyn ElementGroup) -> Vec<Target> {
        let bin = self.pattern.value_len() as u32;
        let position = |entry: Option<(u32, u32)>| {
            entry.map_or(bin, |(r, c)| self.pattern.position(r as usize, c as usize) as u32)
        };
        let target = |placement: &Placement| {
            let entries = placed(system, group, placement);
            Target {
                term: placement.term,
                coefficient: placement.coefficient,
                entries: entries.len() / group.instances().max(1),
                positions: entries.into_iter().map(position).collect(),
            }
        };
        offered(group, &self.placements).map(target).collect()
    }

    /// Fills `values` with Σ coefficient·term at a point. Terms with coefficient 0 are not
    /// evaluated.
    pub fn fill(
        &self,
        system: &System,
        point: &Point,
        weights: &Weights<'_>,
        coefficients: &[f64],
        values: &mut [f64],
    ) {
        let filled = Filled { values, fresh: true, residual: None };
        self.write(system, point, weights, coefficients, filled);
    }

    /// The same, and residual pieces at the same point: what both need is computed once.
    pub fn fill_with(
        &self,
        system: &System,
        point: &Point,
        weights: &Weights<'_>,
        coefficients: &[f64],
        values: &mut [f64],
        residual: (Want, &mut Residual),
    ) {
        let filled = Filled { values, fresh: true, residual: Some(residual) };
        self.write(system, point, weights, coefficients, filled);
    }

    /// Adds Σ coefficient·term to `values`: for methods whose matrix mixes evaluation points.
    pub fn accumulate(
        &self,
        system: &System,
        point: &Point,
        weights: &Weights<'_>,
        coefficients: &[f64],
        values: &mut [f64],
    ) {
        let filled = Filled { values, fresh: false, residual: None };
        self.write(system, point, weights, coefficients, filled);
    }

    fn write(
        &self,
        system: &System,
        point: &Point,
        weights: &Weights<'_>,
        coefficients: &[f64],
        filled: Filled<'_>,
    ) {
        let Filled { values, fresh, mut residual } = filled;
        let want = residual.as_ref().map_or(Want::NONE, |residual| residual.0);
        let by_duals =
            |index: usize, values: &mut [f64], out: &mut Option<(Want, &mut Residual)>| {
                let group = system.group(index);
                if let Some((_, out)) = out {
                    add_residual(group, point.flat(), weights, want, out);
                }
                let targets = self.targets[index].get_or_init(|| self.targets(system, group));
                if !targets.is_empty() {
                    add_matrix(group, point.flat(), weights, (targets, coefficients), values);
                }
            };
        if let Some(compiled) = self.compiled(system, coefficients, (want, fresh)) {
            let sources = [point.flat(), weights.u, weights.s, weights.r, coefficients];
            let pieces = residual.as_mut().map(|(want, out)| (*want, &mut **out));
            compiled.evaluate(&sources, pieces, values, fresh);
            if compiled.is_due() {
                compiled.make();
            }
            for &group in &compiled.plain {
                system.timed(group, |_| by_duals(group, values, &mut residual));
            }
        } else {
            if let Some((want, out)) = &mut residual {
                out.clear(*want);
            }
            if fresh {
                values.fill(0.0);
            }
            for group in 0..system.groups_in_use().count() {
                system.timed(group, |_| by_duals(group, values, &mut residual));
            }
        }
        for &(k, position) in &self.units {
            values[position as usize] += coefficients[k];
        }
        if fresh {
            for &position in &self.inactive {
                values[position as usize] = 1.0;
            }
        }
        if let Some((_, out)) = residual {
            system.silence(out);
        }
    }
}

/// What an evaluation writes to.
struct Filled<'a> {
    values: &'a mut [f64],
    /// Whether earlier values are forgotten.
    fresh: bool,
    residual: Option<(Want, &'a mut Residual)>,
}
