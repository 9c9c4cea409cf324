//! Force laws: what an element answers to a length (or angle), its rate and its parameters.
//!
//! Each returns the force *along* that quantity, positive when it drives the quantity up, as
//! `force … along s = …` expects.

use crate::math::sq;
use crate::scalar::{Decision, Num, Scalar};

/// Spring and damper in parallel (TSDA along a length, RSDA along an angle):
/// −k (s − s₀) − c ṡ \[N\] or \[N·m\].
pub fn spring_damper<D: Scalar>(
    s: Num<D>,
    rate: Num<D>,
    stiffness: Num<D>,
    damping: Num<D>,
    free: Num<D>,
) -> Num<D> {
    -stiffness * (s - free) - damping * rate
}

/// Bushing: a spring and damper along each component of an offset ([`super::offset`],
/// [`super::spatial::offset`]), −kᵢ uᵢ − cᵢ u̇ᵢ.
///
/// Applied along the offset it acts in the axes of the first frame, at the second body's point,
/// with the opposite wrench on the first body: no momentum is made.
pub fn bushing<D: Scalar, const N: usize>(
    offset: [Num<D>; N],
    rate: [Num<D>; N],
    stiffness: [Num<D>; N],
    damping: [Num<D>; N],
) -> [Num<D>; N] {
    std::array::from_fn(|i| -stiffness[i] * offset[i] - damping[i] * rate[i])
}

/// Smooth ramp: 0 below −`width`, x above `width`, twice continuously differentiable.
///
/// (x + w)³(3w − x)/(16w³) between: a one-sided spring that Newton's method and the error
/// estimate can follow.
pub fn ramp<D: Scalar>(x: Num<D>, width: Num<D>) -> Num<D> {
    let s = x + width;
    let between = s * s * s * (3.0 * width - x) / (16.0 * width * width * width);
    let upper: Num<D> = x.at_least(width).choose(x, between);
    x.at_most(-width).choose(0.0, upper)
}

/// One-sided spring, F = −k r with r the [`ramp`] of the depth: pushes the depth down \[N\].
pub fn stop<D: Scalar>(depth: Num<D>, stiffness: Num<D>, width: Num<D>) -> Num<D> {
    -stiffness * ramp(depth, width)
}

/// Contact by Hunt and Crossley: −k δⁿ (1 + d δ̇) for a depth δ > 0, else 0; never pulls \[N\].
///
/// With n > 1 the force starts with slope zero, and the damping with it.
pub fn contact<D: Scalar>(
    depth: Num<D>,
    rate: Num<D>,
    stiffness: Num<D>,
    exponent: Num<D>,
    damping: Num<D>,
) -> Num<D> {
    let force = -stiffness * depth.powf(exponent) * (1.0 + damping * rate).max(0.0);
    depth.above(0.0).choose(force, 0.0)
}

/// Coulomb friction, smoothed: −μ N v/√(v² + v₀²) \[N\], with the full slope −μN/v₀ at rest.
pub fn friction<D: Scalar>(speed: Num<D>, normal: Num<D>, mu: Num<D>, v0: Num<D>) -> Num<D> {
    -mu * normal * speed / (sq(speed) + sq(v0)).sqrt()
}

/// Dry friction that truly sticks: against a speed it is −`kinetic`, forward and backward; at rest it is
/// whatever holds the motion, up to ±`breakaway` \[N\] or \[N·m\].
///
/// Both limits are not negative and may depend on the motion, as μ|λ| of a joint. A motion that it holds is
/// at rest to rounding, and breaks away where more than `breakaway` would be needed. With `breakaway` the
/// same as `kinetic` it is Coulomb's.
pub fn dry_friction<D: Scalar>(speed: Num<D>, kinetic: Num<D>, breakaway: Num<D>) -> Num<D> {
    let forward = speed.above(0.0);
    let limit: Num<D> = forward.sticks().choose(breakaway, kinetic);
    forward.choose(-limit, limit)
}

/// What is added to squares of speeds, so that a direction without a speed is none, and a number: far below rounding.
const NOTHING: f64 = 1e-60;

/// Dry friction in a plane, the same in all directions, which truly sticks: against the velocity of two components it
/// is of size `kinetic`; at rest it is whatever holds the motion, up to `breakaway` in size \[N\].
///
/// The components are those along two directions that are perpendicular to each other; the result does not depend on
/// which. Both limits are not negative and may depend on the motion, as μ times the force of a contact.
pub fn plane_friction<D: Scalar>(
    velocity: [Num<D>; 2],
    kinetic: Num<D>,
    breakaway: Num<D>,
) -> [Num<D>; 2] {
    let forward = velocity.map(|speed| speed.above(0.0));
    // Along the quadrant of the velocity, which it leaves where it passes 0: there it turns about, and the direction
    // goes on smoothly.
    let [x, y]: [Num<D>; 2] = std::array::from_fn(|i| forward[i].choose(velocity[i], -velocity[i]));
    let along = x + y;
    let moves = along.above(0.0);
    Decision::of_plane([forward[0], forward[1], moves]);
    let square = sq(velocity[0]) + sq(velocity[1]) + NOTHING;
    let signed = along / (square * (sq(along) + NOTHING)).sqrt();
    std::array::from_fn(|i| {
        let slips = kinetic * signed * velocity[i];
        let slips: Num<D> = moves.choose(-slips, slips);
        let holds: Num<D> = forward[i].choose(-breakaway, breakaway);
        forward[i].sticks().choose(holds, slips)
    })
}

/// Stribeck's friction: [`dry_friction`] whose kinetic limit falls from `breakaway` to `kinetic` as the speed
/// grows beyond `decay`: F = −sgn v (Fk + (Fb − Fk) exp(−(v/v_d)²)) \[N\] or \[N·m\].
pub fn stribeck<D: Scalar>(
    speed: Num<D>,
    kinetic: Num<D>,
    breakaway: Num<D>,
    decay: Num<D>,
) -> Num<D> {
    let more = (breakaway - kinetic) * (-sq(speed / decay)).exp();
    dry_friction(speed, kinetic + more, breakaway)
}

/// Spring and damper of one side: −k δ − c δ̇ while the depth δ > 0 and as far as it pushes, else 0 \[N\].
///
/// It never pulls: a body that leaves faster than the damper allows leaves without a force.
pub fn one_sided<D: Scalar>(
    depth: Num<D>,
    rate: Num<D>,
    stiffness: Num<D>,
    damping: Num<D>,
) -> Num<D> {
    let push = (stiffness * depth + damping * rate).max(0.0);
    depth.above(0.0).choose(-push, 0.0)
}

/// What is left of `x` beyond a dead band of half the width `half` on both sides of 0: backlash of a spring.
pub fn dead_band<D: Scalar>(x: Num<D>, half: Num<D>) -> Num<D> {
    let above: Num<D> = x.above(half).choose(x - half, 0.0);
    x.below(-half).choose(x + half, above)
}
