//! Comparisons that what holds the motion keeps at their boundaries: friction between bodies that others hold, and
//! conditions of events about what a constraint determines.

use super::Integrator;
use super::carried::Kept;
use super::sliding::AT_REST;
use crate::assembly::{Point, Residual, SlotKind, System, Want, Weights};
use crate::integrate::scheme::Accuracy;
use crate::scalar::SLIDES;
use crate::start::{dependent_surfaces, is_determined};

/// Parts of the run after which it is looked whether a row depends on time; in no ratio that a period may have.
const LATER: [f64; 3] = [1.3e-4, 0.0173, 0.3719];

impl Integrator<'_> {
    /// Whether a surface with this σ̇ cannot be left while the rows hold that are in a system's equations: bodies that are
    /// tied to others at rest do not move, though friction on them be at its limit.
    pub(super) fn is_tied(&self, system: &System, surface: usize, rate: f64, at: &Point) -> bool {
        if self.is_plane(surface)
            || self.is_of_states(surface)
            || rate.abs() > AT_REST * self.size_of_rate(Kept::Surface(surface))
        {
            return false;
        }
        let mut slides = system.slides().to_vec();
        slides[surface] = true;
        let mut system = system.clone();
        system.set_slides(&slides);
        !dependent_surfaces(&system, at).is_empty()
    }

    /// Whether a guard is that of a surface which constraints keep at rest where it is; it keeps its side then.
    pub(super) fn comes_to_rest_tied(&mut self, index: usize) -> bool {
        let held = self.events.guards[index];
        let Some((surface, _)) = self.surface_of(&held) else { return false };
        let at = self.to.clone();
        let values = self.guards.values(&at).to_vec();
        let rests = !self.is_plane(surface) && self.rests_on(surface, values[held.guard]) && {
            let rate = self.rate_along(surface, &at);
            self.is_tied(&self.system, surface, rate, &at)
        };
        self.events.guards[index].rests |= rests;
        rests
    }

    /// Surfaces at rest by others that hold what they are tied to keep their sides: σ is rounding there, and crosses
    /// nothing.
    pub(super) fn rest_on_tied(&mut self) {
        let at = self.to.clone();
        let values = self.guards.values(&at).to_vec();
        for index in 0..self.events.guards.len() {
            let held = self.events.guards[index];
            let Some((surface, _)) = self.surface_of(&held) else { continue };
            if self.is_plane(surface) {
                continue;
            }
            let leaves = ![0.0, SLIDES].contains(&at.sides()[held.side]);
            let here = leaves && self.rests_on(surface, values[held.guard]);
            let rests = here && {
                let rate = self.rate_along(surface, &at);
                self.is_tied(&self.system, surface, rate, &at)
            };
            self.events.guards[index].rests = rests;
        }
        self.rest_on_held();
    }

    /// Comparisons of stated events that the constraints in the equations hold at their boundary keep their sides, until
    /// other rows hold: σ is rounding there, and crosses nothing.
    fn rest_on_held(&mut self) {
        if self.events.jumps.is_empty() {
            return;
        }
        let guards = self.events.guards.iter().enumerate();
        let asked = guards.filter(|(_, held)| held.stated && held.contact.is_none());
        let asked: Vec<(usize, usize)> = asked.map(|(index, held)| (index, held.guard)).collect();
        let dims = self.system.dims();
        if asked.is_empty() || dims.m + dims.p == 0 {
            return;
        }
        let driven = self.driven_rows();
        let guards = asked.iter().map(|&(_, guard)| guard);
        let gradients = self.guards.gradients(&self.system, guards, &self.to);
        for ((index, guard), gradient) in asked.into_iter().zip(gradients) {
            let now =
                gradient.is_some_and(|slopes| self.is_held_at_boundary(guard, &slopes, &driven));
            let held = &mut self.events.guards[index];
            // What is let go begins at its boundary.
            held.fresh |= held.rests && !now;
            held.rests = now;
        }
    }

    /// The rows of G over K that depend on time: what they determine moves, though it be at rest for an instant.
    fn driven_rows(&self) -> Vec<usize> {
        let rows = |at: &Point| {
            let mut out = Residual::new(&self.system.dims());
            self.system.eval_all(at, &Weights::of(at), Want::G | Want::K, &mut out);
            [out.g, out.k].concat()
        };
        let span = self.whole();
        let now = rows(&self.to);
        let mut driven = vec![false; now.len()];
        for later in LATER {
            let mut at = self.to.clone();
            at.set_t(at.t() + later * span);
            self.system.feed(&mut at);
            let changed = rows(&at).into_iter().zip(&now).map(|(then, now)| then != *now);
            driven.iter_mut().zip(changed).for_each(|(driven, changed)| *driven |= changed);
        }
        (0..driven.len()).filter(|&row| driven[row]).collect()
    }

    /// Whether a guard with this gradient is at its boundary, and stays there by the rows that hold, whatever the
    /// forces are.
    fn is_held_at_boundary(
        &mut self,
        guard: usize,
        slopes: &[(usize, f64)],
        driven: &[usize],
    ) -> bool {
        let (sigma, rate) =
            (self.guards.values(&self.to)[guard], self.guards.rates(&self.to)[guard]);
        let allowed = match self.step.accuracy() {
            Accuracy::Tolerance(eps) => eps.max(AT_REST),
            Accuracy::RoundOff => AT_REST,
        };
        let layout = self.system.layout();
        let of = |kind: SlotKind| -> Vec<(usize, f64)> {
            let range = layout.range(kind);
            let here = slopes.iter().filter(|(flat, slope)| range.contains(flat) && *slope != 0.0);
            here.map(|&(flat, slope)| (flat - range.start, slope)).collect()
        };
        let [q, v, x] = [SlotKind::Q, SlotKind::V, SlotKind::X].map(of);
        let speed = !v.is_empty();
        let factors = if speed { v } else { q };
        if factors.is_empty() || !x.is_empty() {
            return false;
        }
        let scale = if speed { self.scales.v() } else { self.scales.q() };
        let size: f64 = factors.iter().map(|&(k, slope)| slope.abs() * scale.weights()[k]).sum();
        sigma.abs() <= allowed * size
            && rate.abs() <= allowed * size * self.scales.rate()
            && is_determined(&self.system, &self.to, &factors, driven)
    }

    /// Lets go of surfaces at rest by others that move all the same.
    pub(super) fn forget_tied(&mut self, values: &[f64]) {
        for index in 0..self.events.guards.len() {
            let held = self.events.guards[index];
            if held.rests
                && let Some((surface, _)) = self.surface_of(&held)
                && !self.rests_on(surface, values[held.guard])
            {
                self.events.guards[index].rests = false;
            }
        }
    }
}
