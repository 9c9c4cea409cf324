//! Whether a force along the line between two points is that of a spring, or of something that pushes as it is told: an
//! actuator, a damper.

use crate::assembly::{ElementGroup, Point, Residual, RowSink, SlotKind, System, Want, Weights};

/// Step by which the change of a length is found, relative to the size of positions.
const STEP: f64 = 1e-6;
/// Relative change up to which a force is the same.
const SAME: f64 = 1e-6;

/// Whether the force of an instance of a statement along a length changes with the positions, velocities apart. `tried`
/// are flat points with bodies in several positions; `length` is the length at one. The force at rest is f·u over what u
/// makes the length change by, whatever the direction u.
pub(super) fn is_spring(
    system: &System,
    group: &dyn ElementGroup,
    instance: usize,
    tried: &[&[f64]],
    length: impl Fn(&[f64]) -> f64,
) -> bool {
    let layout = system.layout();
    let (q, v) = (layout.range(SlotKind::Q), layout.range(SlotKind::V));
    let u: Vec<f64> =
        (0..q.len()).map(|k| ((k + 1) as f64 * 0.754_877_666).fract() - 0.4).collect();
    let mut at = Point::new(*layout, system.model().param_values());
    let mut pieces = Residual::new(&system.dims());
    let mut force = |y: &[f64], moves: bool| {
        let shifted = |h: f64| {
            let mut y = y.to_vec();
            y[q.clone()].iter_mut().zip(&u).for_each(|(y, u)| *y += h * u);
            length(&y)
        };
        let rate = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
        at.flat_mut().copy_from_slice(y);
        let speed = if moves { 1.0 } else { 0.0 };
        at.flat_mut()[v.clone()].iter_mut().zip(&u).for_each(|(v, u)| *v = speed * u);
        pieces.clear(Want::F);
        let (weights, mut sink) = (Weights::of(&at), RowSink::of(&mut pieces));
        group.residual(instance..instance + 1, at.flat(), &weights, Want::F, &mut sink);
        pieces.f.iter().zip(&u).map(|(f, u)| f * u).sum::<f64>() / rate
    };
    let still: Vec<f64> = tried.iter().map(|y| force(y, false)).collect();
    let (low, high) =
        still.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    let largest = low.abs().max(high.abs());
    if largest > 0.0 {
        // Written so that what is no number is a spring.
        return !(high - low <= SAME * largest);
    }
    // One that takes force in motion only is a damper.
    !tried.iter().any(|y| force(y, true) != 0.0)
}
