//! Accelerations where a motion begins at rest with friction that reads what its own force changes.
//!
//! A comparison at its boundary is on neither side, and decides as if the motion were on the one that is not above it: friction
//! pushes along a motion that does not exist. Where it grows with a reaction that it adds to, as in a wedge, that may have no solution
//! though friction holds all at rest. Which of the surfaces hold is decided where the run begins, from any point that is
//! consistent; here is one.

use super::accelerations::solve_accelerations;
use super::rank::dependent_surfaces;
use crate::assembly::{Point, Residual, System, Want, Weights};
use crate::scalar::SLIDES;

/// Solves for a, λ, ψ, ẋ and w of a point while the motion stays on all surfaces of speeds that it is at, as far as their rows do
/// not depend on others. Returns the iterations; `None` where it is at none, or the equations have no solution with them
/// either.
pub(super) fn solve_at_rest(system: &System, point: &mut Point) -> Option<usize> {
    let mut held = system.clone();
    let of_speeds = system.surfaces_of_speeds();
    let mut slides: Vec<bool> = (0..system.slides().len()).map(|k| k < of_speeds).collect();
    held.set_slides(&slides);
    let mut out = Residual::new(&system.dims());
    held.eval_all(point, &Weights::of(point), Want::K, &mut out);
    let speeds = &out.k[system.model().stated_nonholonomic()..];
    slides.iter_mut().zip(speeds).for_each(|(slides, speed)| *slides &= *speed == 0.0);
    if !slides.contains(&true) {
        return None;
    }
    held.set_slides(&slides);
    let mut at = point.clone();
    for (side, surface) in system.sides_of_surfaces(point.flat()) {
        if slides[surface] {
            at.flat_mut()[side] = SLIDES;
        }
    }
    for surface in dependent_surfaces(&held, &at) {
        slides[surface] = false;
    }
    held.set_slides(&slides);
    let iterations = solve_accelerations(&held, &mut at).ok()?;
    // Nothing is decided yet.
    at.sides_mut().copy_from_slice(point.sides());
    let stated = system.model().stated_nonholonomic();
    at.psi_mut()[stated..].fill(0.0);
    point.copy_from(&at);
    Some(iterations)
}
