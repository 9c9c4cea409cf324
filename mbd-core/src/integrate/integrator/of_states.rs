//! Surfaces of states beside those of speeds: where their shares are, how large what they compare is, and that a state is on the
//! surface where it comes to be held.

use super::Integrator;
use crate::assembly::{Point, SlotKind};
use crate::statement::ShareOf;

/// How often states are moved onto surfaces that they are held on at most.
const MOST_MOVES: usize = 20;

impl Integrator<'_> {
    /// The share of a surface's positive side at a point, less a half.
    pub(super) fn share(&self, at: &Point, surface: usize) -> f64 {
        let (kind, index) = self.system.share_of(surface).slot();
        at.get(kind)[index]
    }

    /// The same, to be changed.
    pub(super) fn share_mut<'p>(&self, at: &'p mut Point, surface: usize) -> &'p mut f64 {
        let (kind, index) = self.system.share_of(surface).slot();
        &mut at.get_mut(kind)[index]
    }

    /// Whether a surface compares states.
    pub(super) fn is_of_states(&self, surface: usize) -> bool {
        surface >= self.system.surfaces_of_speeds()
    }

    /// What σ of a surface is measured against.
    pub(super) fn size_of_sigma(&self, surface: usize) -> f64 {
        let rate = self.scales.rate();
        let (q, v, x) = (self.scales.q(), self.scales.v(), self.scales.x());
        let size = |&(kind, k, slope): &(SlotKind, usize, f64)| {
            let scale = match kind {
                SlotKind::V => v.weights()[k].max(q.weights()[k] * rate),
                SlotKind::X => x.weights()[k],
                _ => q.weights()[k],
            };
            (slope * scale).abs()
        };
        match self.system.share_of(surface) {
            ShareOf::Speeds(row) => self.scales.nonholonomic()[row] * rate,
            ShareOf::States(_) => {
                let of = surface - self.system.surfaces_of_speeds();
                let slopes = self.sliding.slopes.get(of);
                slopes.map_or(1.0, |slopes| slopes.iter().map(size).sum())
            }
        }
    }

    /// Finds out how much the surfaces of states change by what they read, at the point reached.
    pub(super) fn note_slopes(&mut self) {
        let speeds = self.system.surfaces_of_speeds();
        self.sliding.slopes = vec![Vec::new(); self.system.slides().len() - speeds];
        if self.sliding.slopes.is_empty() {
            return;
        }
        let of: Vec<(usize, usize)> = self
            .events
            .guards
            .iter()
            .filter_map(|held| Some((held.guard, self.surface_of(held)?.0)))
            .filter(|(_, surface)| *surface >= speeds)
            .collect();
        let guards = of.iter().map(|(guard, _)| *guard);
        let gradients = self.guards.gradients(&self.system, guards, &self.to);
        let layout = self.system.layout();
        let place = |(flat, slope): (usize, f64)| {
            let kinds = [SlotKind::Q, SlotKind::V, SlotKind::X].into_iter();
            let mut of = kinds.filter(|kind| layout.range(*kind).contains(&flat));
            of.next().map(|kind| (kind, flat - layout.range(kind).start, slope))
        };
        for ((_, surface), gradient) in of.into_iter().zip(gradients) {
            let slopes: Vec<_> = gradient.into_iter().flatten().filter_map(place).collect();
            // Where it is flat at the start it is not everywhere.
            let flat = slopes.iter().all(|(.., slope)| *slope == 0.0);
            self.sliding.slopes[surface - speeds] =
                slopes.into_iter().map(|(k, i, s)| (k, i, if flat { 1.0 } else { s })).collect();
        }
    }

    /// Moves states onto the surfaces on which they are held: a crossing is met to a part of the tolerance.
    pub(super) fn put_states_on(&mut self, slides: &[bool], at: &mut Point) {
        let speeds = self.system.surfaces_of_speeds();
        let mut of: Vec<usize> = Vec::new();
        let mut known = Vec::new();
        for held in &self.events.guards {
            let Some((surface, _)) = self.surface_of(held) else { continue };
            if surface >= speeds && slides[surface] && !known.contains(&surface) {
                known.push(surface);
                of.push(held.guard);
            }
        }
        let x = self.system.layout().range(SlotKind::X);
        // One after the other: where they share states, again.
        for _ in 0..if of.is_empty() { 0 } else { MOST_MOVES } {
            let mut moved = false;
            for &guard in &of {
                let off = self.guards.values(at)[guard];
                let slopes = self.guards.gradients(&self.system, std::iter::once(guard), at);
                let weights = self.scales.x().weights();
                let of_x =
                    slopes.into_iter().flatten().flatten().filter(|(flat, _)| x.contains(flat));
                let of_x: Vec<(usize, f64)> =
                    of_x.map(|(flat, slope)| (flat - x.start, slope)).collect();
                let square: f64 = of_x.iter().map(|&(k, s)| (s * weights[k]).powi(2)).sum();
                for (k, slope) in of_x {
                    let before = at.x()[k];
                    let by = off * slope * weights[k].powi(2) / square;
                    if by.is_finite() {
                        at.x_mut()[k] -= by;
                        moved |= (at.x()[k] - before).abs() > 2.0 * f64::EPSILON * before.abs();
                    }
                }
            }
            if !moved {
                break;
            }
        }
    }
}
