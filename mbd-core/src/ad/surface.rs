//! Surfaces that the motion can slide along: the zeros of comparisons σ(t, q, v) at which a force jumps.
//!
//! Where the forces on both sides of σ = 0 push the motion onto it, it stays there (Filippov:
//! Differential Equations with Discontinuous Righthand Sides, 1988): friction sticks. Then σ = 0 is a
//! nonholonomic row, and what the statement chooses is
//!
//! ```text
//! f = f⁻ + (½ + ψ) (f⁺ − f⁻),    −½ ≤ ψ ≤ ½,
//! ```
//!
//! with f⁺ that of the side σ > 0 and ψ the row's multiplier: a constraint whose reaction the force
//! states itself. Where it has no row, ψ = 0, neither side has more than the other. A surface has its row and its multiplier in every model that compares so; while the
//! motion is on one of the sides both are left out of the equations
//! ([`System::slides`](crate::assembly::System::slides)).
//!
//! A comparison σ(t, q, v, x) that reads states holds the motion where their rates jump, or forces that act on them. No method has
//! rows for x alone. So ψ is a variable w there, behind those of the model, defined by σ̇ = 0 while the motion is on the
//! surface, and by w = 0 while it is on a side: an equation like all definitions, which every method solves. σ stays what it is
//! where the motion comes to it, to rounding where it is linear in what it reads, else to the tolerance.

use super::constraint::{Nonholonomic, Reaction};
use super::equation::{Equation, EquationKind};
use crate::equation::{Layout, SlotKind};
use crate::scalar::{EQUALS, Num, Rated, Tape, Trace};
use crate::statement::Surfaces;
use crate::statement::{Body, Element, Jumps, NO_SIDE, OnSurface, Rows, ShareOf};
use std::collections::HashMap;
use std::sync::Arc;

/// Jump relative to the larger side that is no rounding.
const JUMP: f64 = 1e-9;

/// Tells the surfaces of planes from those of lines.
const OF_PLANE: u64 = 0x5851_f42d_4c95_7f2d;

/// How far beside a boundary a gradient is looked at, relative to the coordinates, at which part of that once more, and by
/// which part of it it jumps there.
const BESIDE: f64 = 1e-9;
const NEARER: f64 = 0.25;
const KINK: f64 = 1e-3;

/// Points at which sides are compared.
const POINTS: usize = 3;

/// What a guard that nothing moves is held on to look at every choice, and how many such choices are looked at.
const OUTCOMES: [f64; 3] = [1.0, -1.0, EQUALS];
const MOST_OUTCOMES: usize = 81;

/// Numbers between −1 and 1, the same in each run.
fn drawn() -> impl FnMut() -> f64 {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

/// The value of one of the guards that a kernel meets, by the number that follows its loop indices.
struct Guard(Arc<dyn Body>);

impl Body for Guard {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let Some((&number, at)) = at.split_last() else { return };
        let mut inner = vec![Num::from(0.0); MOST_ROWS];
        self.0.run(at, z, p, &mut inner);
        if let (Some(row), Some(guard)) = (rows.first_mut(), Tape::keep_guard(number)) {
            *row = guard;
        }
    }
}

/// What defines the share of a surface of states: the rate of one of the guards that a kernel meets while the motion slides
/// along its zero, else the share itself, which is the last of the locals. Between them and the kernel's own are the rates of these.
struct Defines {
    body: Arc<dyn Body>,
    /// Of each of the kernel's locals the local that is its rate, or 1 of time.
    rates: Vec<RateOf>,
}

#[derive(Clone, Copy)]
enum RateOf {
    Time,
    Local(usize),
    Nothing,
}

impl Body for Defines {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let Some((&number, at)) = at.split_last() else { return };
        let mut inner = vec![Num::from(0.0); MOST_ROWS];
        let own = z.len();
        let guard = Tape::guard_alone(number, || self.body.run(at, z, p, &mut inner));
        let (Some(row), Some(guard)) = (rows.first_mut(), guard) else { return };
        let inputs = |k: usize| {
            let value = if k < own { z[k] } else { p[k - own] };
            let rate = match self.rates.get(k) {
                Some(RateOf::Time) => Num::from(1.0),
                Some(&RateOf::Local(rate)) => z[rate],
                _ => Num::from(0.0),
            };
            Rated::new(value, rate)
        };
        let rate = Tape::rate_of(guard, &inputs);
        let share = z.last().copied().unwrap_or_default();
        *row = guard.above(0.0).sticks().choose(rate, share);
    }
}

/// Rows of a statement: room for what a kernel computes besides its guards.
const MOST_ROWS: usize = 64;

/// A guard of an instance that a surface belongs to.
#[derive(Clone, Copy)]
struct Found {
    instance: usize,
    guard: usize,
    surface: ShareOf,
    turned: bool,
}

impl Element {
    /// Looks for the surfaces at which the statement jumps, at the flat point `y` of a layout without them,
    /// and makes their multipliers locals of the instances concerned: it has to be bound anew then.
    pub(crate) fn find_surfaces(
        &mut self,
        statement: &str,
        y: &[f64],
        jumps: Jumps,
        out: &mut Surfaces,
    ) {
        if !self.compares || self.rows() > MOST_ROWS {
            return;
        }
        // With sides beyond the point, to look at both.
        let mut length = y.len();
        self.hold(y, &mut length);
        if length == y.len() {
            return;
        }
        let mut y = y.to_vec();
        y.resize(length, 0.0);
        let in_plane: Vec<_> = (0..self.len()).map(|i| self.parts(i, &y)).collect();
        let keys: Vec<_> = (0..self.len()).map(|i| self.keys(i, &y, &in_plane[i])).collect();
        let moved = length as u32;
        self.hold_every(&mut length);
        y.resize(length, 0.0);
        let mut row = self.guard_rows();
        let mut defines = self.definitions();
        let (first, first_state) = (out.first() + out.count, out.first_state() + out.states);
        let mut all = Vec::new();
        for (i, keys) in keys.into_iter().enumerate() {
            for (guard, keys) in keys.into_iter().enumerate() {
                let Some([key, negative]) = keys else { continue };
                let known = [(key, false), (negative, true)]
                    .into_iter()
                    .find_map(|(key, turned)| Some((*out.known.get(&key)?, turned)));
                // What holds in a plane jumps at its speed of 0 alone.
                let jumps = in_plane[i][guard].is_some()
                    || self.jumps(i, guard, &y, moved, jumps, &out.layout);
                if !jumps {
                    continue;
                }
                let (surface, turned) = known.unwrap_or_else(|| {
                    let new = if self.guard_reads_states(i, guard, &y) {
                        let rates = self.rate_slots(i);
                        defines.list.push_with(&self.list, i, guard, &rates);
                        out.states += 1;
                        ShareOf::States(out.first_state() + out.states - 1)
                    } else {
                        row.list.push_of(&self.list, i, guard);
                        out.count += 1;
                        ShareOf::Speeds(out.first() + out.count - 1)
                    };
                    out.known.insert(key, new);
                    (new, false)
                });
                all.push(Found { instance: i, guard, surface, turned });
            }
        }
        self.sides = Default::default();
        let end = out.first() + out.count;
        if end > first {
            let (name, element, reaction) = (statement.to_owned(), row, Reaction::Stated);
            let rows = Nonholonomic { name: name.clone(), element, first_row: first, reaction };
            out.groups.push(Box::new(rows));
            out.blocks.push((name, first..end));
        }
        let variables: Vec<usize> = (first_state..out.first_state() + out.states).collect();
        if !variables.is_empty() && defines.bind(statement, &out.layout, &y).is_ok() {
            let found = variables.iter().enumerate().map(|(instance, &variable)| Found {
                instance,
                guard: 0,
                surface: ShareOf::States(variable),
                turned: false,
            });
            defines.share(&found.collect::<Vec<_>>(), &y);
            out.state_blocks.push((statement.to_owned(), variables.clone()));
            let name = statement.to_owned();
            let kind = EquationKind::Surface;
            let rows = Equation { name, element: defines, kind, rows: variables, layout: None };
            out.groups.push(Box::new(rows));
        }
        self.share(&all, &y);
    }

    /// Makes the multipliers of surfaces at which the model jumps locals of the instances that compare the same: what shows
    /// a force shows what holds the motion where it is on one. Like [`find_surfaces`](Self::find_surfaces) otherwise; planes
    /// are left out.
    pub(crate) fn follow_surfaces(&mut self, y: &[f64], known: &HashMap<u64, ShareOf>) {
        if !self.compares || self.rows() > MOST_ROWS || known.is_empty() {
            return;
        }
        let mut length = y.len();
        self.hold(y, &mut length);
        let mut y = y.to_vec();
        y.resize(length, 0.0);
        let mut all = Vec::new();
        for instance in 0..self.len() {
            let in_plane = self.parts(instance, &y);
            let keys = self.keys(instance, &y, &in_plane).into_iter().enumerate();
            all.extend(keys.filter(|(guard, _)| in_plane[*guard].is_none()).filter_map(
                |(guard, keys)| {
                    let keys = keys?.into_iter().zip([false, true]);
                    let of = |(key, turned)| Some((*known.get(&key)?, turned));
                    let (surface, turned) = keys.into_iter().find_map(of)?;
                    Some(Found { instance, guard, surface, turned })
                },
            ));
        }
        self.sides = Default::default();
        self.share(&all, &y);
    }

    /// Holds the guards of surfaces on the sides of those that the motion switches.
    pub(crate) fn hold_as(&mut self, y: &[f64], held: &[OnSurface]) {
        if self.shares.is_empty() {
            return;
        }
        let mut next = y.len();
        self.hold(y, &mut next);
        let sides: Vec<u32> = (0..self.len())
            .flat_map(|i| self.surfaces(i).collect::<Vec<_>>())
            .map(|of| {
                let of = of.and_then(|(surface, turned)| {
                    held.iter().find(|held| (held.surface, held.turned) == (surface, turned))
                });
                of.map_or(NO_SIDE, |held| held.side)
            })
            .collect();
        if !self.sides.replace(sides) {
            self.sides = Default::default();
        }
    }

    /// Appends the guards that surfaces belong to.
    pub(crate) fn on_surfaces(&self, out: &mut Vec<OnSurface>) {
        for i in 0..self.len() {
            let of = self.surfaces(i).zip(self.sides.of(i));
            out.extend(of.filter(|(_, side)| **side != NO_SIDE).filter_map(|(of, &side)| {
                let (surface, turned) = of?;
                Some(OnSurface { surface, turned, side })
            }));
        }
    }

    /// An element whose rows define the shares of surfaces of states; without instances, and without these shares.
    fn definitions(&self) -> Element {
        let mut list = self.list.like();
        let mut rates = Vec::new();
        for kind in self.list.kinds.iter() {
            rates.push(match rate_kind(*kind) {
                Some(rate) => {
                    list.kinds.push(rate);
                    RateOf::Local(list.kinds.len() - 1)
                }
                None if *kind == SlotKind::T => RateOf::Time,
                None => RateOf::Nothing,
            });
        }
        Element::of(Arc::new(Defines { body: self.body.clone(), rates }), list, 1)
    }

    /// Where the rates of an instance's locals are.
    fn rate_slots(&self, i: usize) -> Vec<u32> {
        let slots = self.list.kinds.iter().zip(self.list.slots(i));
        slots.filter(|(kind, _)| rate_kind(**kind).is_some()).map(|(_, slot)| *slot).collect()
    }

    /// Whether a guard of an instance reads states.
    fn guard_reads_states(&self, i: usize, guard: usize, y: &[f64]) -> bool {
        let reads = self.recorded(i, y, |work| work.tape.read_by_guard(guard));
        reads.iter().any(|&k| self.list.kinds.get(k) == Some(&SlotKind::X))
    }

    /// Which of the three comparisons of a plane each of an instance's guards is.
    pub(crate) fn parts(&self, i: usize, y: &[f64]) -> Vec<Option<u8>> {
        self.recorded(i, y, |work| work.tape.parts())
    }

    /// What tells the surfaces of an instance's guards apart; `None` of those without.
    fn keys(&self, i: usize, y: &[f64], in_plane: &[Option<u8>]) -> Vec<Option<[u64; 2]>> {
        let flats: Vec<u32> = self.flats(i).collect();
        let kinds = &self.list.kinds;
        let name = |k: usize| match kinds.get(k) {
            Some(SlotKind::T | SlotKind::Q | SlotKind::V | SlotKind::X) | None => {
                Some(u64::from(flats[k]))
            }
            Some(_) => None,
        };
        let moves = |k: usize| matches!(kinds.get(k), Some(SlotKind::V | SlotKind::X));
        let stays = |k: usize| matches!(kinds.get(k), Some(SlotKind::T) | None);
        let mut keys = self.recorded(i, y, |work| work.tape.surfaces(name, moves, stays));
        for (key, &side) in keys.iter_mut().zip(self.sides.of(i)) {
            *key = key.filter(|_| side != NO_SIDE);
        }
        // The bounds of a plane are not those of a line.
        for (key, part) in keys.iter_mut().zip(in_plane) {
            *key = key.filter(|_| *part != Some(2));
            if let (Some(key), Some(part)) = (key, part) {
                key.iter_mut().for_each(|key| *key ^= OF_PLANE << part);
            }
        }
        // Both, or none.
        for k in 0..keys.len().saturating_sub(1) {
            if in_plane[k] == Some(0) && (keys[k].is_none() || keys[k + 1].is_none()) {
                (keys[k], keys[k + 1]) = (None, None);
            }
        }
        keys
    }

    /// An element whose rows are guards of this one; without instances.
    fn guard_rows(&self) -> Element {
        Element::of(Arc::new(Guard(self.body.clone())), self.list.like(), 1)
    }

    /// Whether the statement jumps where a guard is zero, as far as some points on that surface show: with every outcome
    /// of the guards whose sides are `fixed` and beyond, and with other times, modes and inputs, since these are others
    /// later.
    fn jumps(
        &self,
        i: usize,
        guard: usize,
        y: &[f64],
        fixed: u32,
        jumps: Jumps,
        layout: &Layout,
    ) -> bool {
        let mut row = self.guard_rows();
        row.list.push_of(&self.list, i, guard);
        if row.bind("", layout, y).is_err() {
            return false;
        }
        let mut draw = drawn();
        let side = self.sides.of(i)[guard] as usize;
        let locals = || (0..self.locals()).zip(self.flats(i));
        let others: Vec<u32> =
            self.sides.of(i).iter().copied().filter(|&other| other >= fixed).collect();
        let outcomes = OUTCOMES.len().saturating_pow(others.len() as u32).min(MOST_OUTCOMES);
        let changing = layout.modes().start..layout.inputs().end;
        let given = |flat: usize| flat == 0 || changing.contains(&flat);
        let given: Vec<usize> =
            self.flats(i).map(|flat| flat as usize).filter(|&flat| given(flat)).collect();
        let with_outcomes = POINTS + if others.is_empty() { 0 } else { outcomes };
        let points = with_outcomes + if given.is_empty() { 0 } else { POINTS };
        (0..points).any(|point| {
            let mut y = y.to_vec();
            // As they are first, then one by one.
            let mut word = point.saturating_sub(POINTS);
            for &other in others.iter().filter(|_| point >= POINTS) {
                y[other as usize] = OUTCOMES[word % OUTCOMES.len()];
                word /= OUTCOMES.len();
            }
            for &flat in given.iter().filter(|_| point >= with_outcomes) {
                y[flat] += (1.0 + y[flat].abs()) * draw().abs();
            }
            for (k, flat) in locals() {
                let y = &mut y[flat as usize];
                *y = if self.kind(k) == SlotKind::T { *y } else { *y + (1.0 + y.abs()) * draw() };
            }
            // Onto the surface by the velocities and states.
            let mut rows = Rows::default();
            for _ in 0..20 {
                row.gradients(0, &y, &mut rows);
                let slopes = rows.gradient(0);
                let moves = |k: usize| matches!(self.kind(k), SlotKind::V | SlotKind::X);
                let of_v = || locals().filter(|&(k, _)| moves(k));
                let square: f64 = of_v().map(|(k, _)| slopes[k] * slopes[k]).sum();
                let by = rows.value(0) / square;
                if !by.is_finite() || by == 0.0 {
                    break;
                }
                of_v().for_each(|(k, flat)| y[flat as usize] -= by * slopes[k]);
            }
            let mut at = |value: f64| {
                y[side] = value;
                let mut values = Vec::new();
                match jumps {
                    Jumps::Rows => self.values(i, &y, &mut values),
                    Jumps::Slopes => {
                        self.gradients(i, &y, &mut rows);
                        let of_v = |k: &usize| self.kind(*k) == SlotKind::V;
                        let slopes = (0..self.locals()).filter(of_v).map(|k| rows.gradient(0)[k]);
                        values.extend(slopes);
                    }
                }
                values
            };
            let (above, below) = (at(1.0), at(-1.0));
            // Written so that what is no number counts.
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= JUMP * a.abs().max(b.abs());
            !above.iter().zip(&below).all(same)
        })
    }

    /// Whether the gradient of the first row by coordinates jumps where something that it compares is equal, as far as
    /// some points there show: it has a kink.
    pub(crate) fn has_kink(&self, i: usize, y: &[f64], layout: &Layout) -> bool {
        let guards = match self.compares {
            true => self.recorded(i, y, |work| work.tape.decisions().count()),
            false => 0,
        };
        (0..guards).any(|guard| self.has_kink_at(i, guard, y, layout))
    }

    fn has_kink_at(&self, i: usize, guard: usize, y: &[f64], layout: &Layout) -> bool {
        let mut row = self.guard_rows();
        row.list.push_of(&self.list, i, guard);
        if row.bind("", layout, y).is_err() {
            return false;
        }
        let mut draw = drawn();
        let coordinates: Vec<(usize, usize)> = (0..self.locals())
            .zip(self.flats(i))
            .filter(|&(k, _)| self.kind(k) == SlotKind::Q)
            .map(|(k, flat)| (k, flat as usize))
            .collect();
        (0..POINTS).any(|_| {
            let mut y = y.to_vec();
            for &(_, flat) in &coordinates {
                y[flat] += (1.0 + y[flat].abs()) * draw();
            }
            // Onto the boundary, and to both sides of it.
            let mut rows = Rows::default();
            for _ in 0..50 {
                row.gradients(0, &y, &mut rows);
                let slopes = rows.gradient(0);
                let square: f64 = coordinates.iter().map(|&(k, _)| slopes[k] * slopes[k]).sum();
                let by = rows.value(0) / square;
                if !by.is_finite() || by == 0.0 {
                    break;
                }
                coordinates.iter().for_each(|&(k, flat)| y[flat] -= by * slopes[k]);
            }
            row.gradients(0, &y, &mut rows);
            let slopes: Vec<f64> = coordinates.iter().map(|&(k, _)| rows.gradient(0)[k]).collect();
            let length = slopes.iter().map(|slope| slope * slope).sum::<f64>().sqrt();
            let size = coordinates.iter().fold(1.0f64, |size, &(_, flat)| size.max(y[flat].abs()));
            let beside = BESIDE * size;
            // Written so that NaN is no boundary.
            if !(rows.value(0).abs() < 0.1 * beside * length) {
                return false;
            }
            let mut gradient = |aside: f64| -> Vec<f64> {
                let mut y = y.clone();
                for (&(_, flat), slope) in coordinates.iter().zip(&slopes) {
                    y[flat] += aside * slope / length;
                }
                self.gradients(i, &y, &mut rows);
                coordinates.iter().map(|&(k, _)| rows.gradient(0)[k]).collect()
            };
            // What a curve turns by is less from nearer, whatever its radius; a kink is not.
            let mut turns = |aside: f64| -> Vec<f64> {
                let (above, below) = (gradient(aside), gradient(-aside));
                let slopes = above.iter().chain(&below);
                let most = slopes.fold(0.0f64, |most, slope| most.max(slope.abs()));
                above.iter().zip(&below).map(|(a, b)| (a - b).abs() / most).collect()
            };
            let [far, near] = [beside, NEARER * beside].map(&mut turns);
            far.iter().zip(&near).any(|(far, near)| *near > KINK && *near > 0.5 * far)
        })
    }

    /// Gives every instance the shares of its surfaces as locals behind its own.
    fn share(&mut self, found: &[Found], y: &[f64]) {
        if found.is_empty() {
            return;
        }
        // The guards that an instance meets, whether they are held or not.
        let met: Vec<usize> = (0..self.len())
            .map(|i| self.recorded(i, y, |work| work.tape.decisions().count()))
            .collect();
        self.shares = met.iter().flat_map(|&met| vec![None; met]).collect();
        let mut begins = vec![0; met.len()];
        (1..met.len()).for_each(|i| begins[i] = begins[i - 1] + met[i - 1]);
        for kind in [SlotKind::Psi, SlotKind::W] {
            let of_kind = found.iter().filter(|f| f.surface.slot().0 == kind);
            self.share_kind(&of_kind.copied().collect::<Vec<_>>(), kind, &begins);
        }
    }

    /// The same of those whose shares are of a kind.
    fn share_kind(&mut self, found: &[Found], kind: SlotKind, begins: &[usize]) {
        if found.is_empty() {
            return;
        }
        let of = |i: usize| {
            let own = found.iter().filter(|f| f.instance == i);
            let mut own: Vec<usize> = own.map(|f| f.surface.slot().1).collect();
            own.sort_unstable();
            own.dedup();
            own
        };
        let of: Vec<Vec<usize>> = (0..self.len()).map(of).collect();
        let more = of.iter().map(Vec::len).max().unwrap_or(0);
        let before = self.locals();
        let mut slots = Vec::with_capacity(self.len() * (before + more));
        for (i, own) in of.iter().enumerate() {
            slots.extend(self.list.slots(i));
            // Instances with fewer surfaces than others have one that nothing of them depends on.
            let own = own.iter().copied().chain(std::iter::repeat(found[0].surface.slot().1));
            slots.extend(own.take(more).map(|slot| slot as u32));
        }
        for &Found { instance, guard, surface, turned } in found {
            let place = of[instance].iter().position(|&own| own == surface.slot().1).unwrap_or(0);
            self.shares[begins[instance] + guard] = Some(((before + place) as u32, turned));
        }
        self.list.slots = slots;
        self.list.kinds.extend(std::iter::repeat_n(kind, more));
        self.nonlinear.resize(before + more, true);
        self.share_count += more;
    }
}

/// The kind of the rate of what is of a kind.
fn rate_kind(kind: SlotKind) -> Option<SlotKind> {
    match kind {
        SlotKind::Q => Some(SlotKind::V),
        SlotKind::V => Some(SlotKind::A),
        SlotKind::X => Some(SlotKind::Xd),
        _ => None,
    }
}
