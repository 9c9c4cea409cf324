//! The scales at the start of a run.

use super::scale::{Scales, Weighting};
use super::size::{self, Sizes};
use crate::assembly::{Point, System};

impl Scales {
    /// Scales at a point; consistent, or else to be made so when `gaps` count as lengths too.
    fn build(system: &System, at: &Point, weighting: Weighting, gaps: bool) -> Self {
        let model = system.model();
        let mut scales = Scales::ones(system);
        let sizes = Sizes::of_constraints(system, at, &scales, gaps);
        let Scales { kinds, of_q, of_x, .. } = &mut scales;
        for (track, stated) in [(of_q, model.scale_q()), (of_x, model.scale_x())] {
            for (base, &group) in track.base.iter_mut().zip(&track.group) {
                *base = sizes.known(group).unwrap_or(1.0);
            }
            track.stated = stated.iter().map(Option::is_some).collect();
        }
        scales.assumed = (0..kinds.len() as u32).map(|g| sizes.known(g).is_none()).collect();
        scales.weighting = weighting;
        scales.state(model);
        scales
    }

    /// Scales of the geometry at a point that need not be consistent, for assembly.
    /// With `gaps` what the constraints lack counts as a length too.
    pub(crate) fn rough(system: &System, at: &Point, gaps: bool) -> Self {
        Scales::build(system, at, Weighting::Model, gaps)
    }

    /// Scales for a run from the consistent point `at` to `t_end`, in s.
    pub fn new(system: &System, at: &Point, t_end: f64, weighting: Weighting) -> Self {
        Scales::until(system, at, t_end, weighting, f64::INFINITY, &mut |[_, longest]| longest)
    }

    /// The same with `undisturbed`, which says for how long, between two times in s, nothing that the model
    /// compares turns, asked where nothing else tells a length; and the part `eps` of scales to which errors will be held.
    pub(crate) fn until(
        system: &System,
        at: &Point,
        t_end: f64,
        weighting: Weighting,
        eps: f64,
        undisturbed: &mut dyn FnMut([f64; 2]) -> f64,
    ) -> Self {
        let mut scales = Scales::build(system, at, weighting, false);
        if weighting == Weighting::Published {
            scales.of_q.base.fill(1.0);
            scales.of_x.base.fill(1.0);
            scales.assumed.fill(false);
        }
        let told = scales.assumed.iter().all(|assumed| !assumed);
        let found = size::of_motion(system, at, t_end, &scales, eps, undisturbed);
        scales.rate = found.rate;
        scales.by_span = !told || found.by_span;
        scales.rows = found.rows;
        scales.slips = found.slips;
        if weighting == Weighting::Model {
            scales.untold = found.untold;
            for (track, found) in [(&mut scales.of_q, found.q), (&mut scales.of_x, found.x)] {
                for ((base, &group), found) in track.base.iter_mut().zip(&track.group).zip(found) {
                    if let Some(found) = found {
                        *base = found;
                        scales.assumed[group as usize] = false;
                    }
                }
            }
        }
        // What has been stated lacks nothing.
        for (g, assumed) in scales.assumed.iter_mut().enumerate() {
            let mut members = [&scales.of_q, &scales.of_x].into_iter().flat_map(|track| {
                let of = track.group.iter().zip(&track.stated);
                of.filter(|(group, _)| **group as usize == g).map(|(_, stated)| *stated)
            });
            *assumed &= !members.all(|stated| stated);
        }
        scales.state(system.model());
        for (i, (&rate, scale)) in found.v.iter().zip(&scales.of_q.base).enumerate() {
            scales.v.weights[i] = match weighting {
                Weighting::Model => rate.max(scale * found.rate),
                Weighting::Published => 1.0,
            };
        }
        scales.v.magnitude.copy_from_slice(&scales.v.weights);
        scales.of_variables(system, at);
        scales.vectors.norms(at.v(), &mut scales.norms);
        let moving = found.inertia.iter().zip(&scales.norms).map(|(m, v)| m * v * v);
        scales.acted = moving.fold(0.0, f64::max);
        // Before there are forces, those that the inertias need.
        let inertial = found.inertia.iter().zip(&scales.of_q.base).map(|(m, s)| m * s * s);
        scales.strengthen(inertial.fold(0.0, f64::max) * found.rate * found.rate);
        scales
    }
}
