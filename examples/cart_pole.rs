//! A pole on a cart, swung up and balanced by a controller outside the model, which reads the motion 50 times a
//! second and sets the force on the cart. `cargo run --release --example cart_pole -- cart_pole.html` shows it.
//!
//! Reference: the pole is caught 2 s after the start and stands upright at the end, within 0.02 rad.

use mbd::animate::Animation;
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};

mechanism! {
    /// A pole on a cart.
    pub mechanism CartPole {
        /// Mass of the cart.
        param m_cart: [kg] = 1.0;
        /// Mass at the end of the pole.
        param m_ball: [kg] = 0.1;
        /// Length of the pole.
        param length: [m] = 0.5;
        /// Force on the cart.
        input push: [N] = 0.0;

        coord x: [m];
        /// Of the pole from upright, to the right.
        coord theta: [rad];
        let at = [x + length*sin(theta), length*cos(theta)];

        kinetic cart = 0.5*m_cart*sq(der(x));
        kinetic ball = 0.5*m_ball*dot(der(at), der(at));
        potential weight = m_ball*GRAVITY*at[1];
        force motor along x = push - 0.1*der(x);
        force joint along theta = -0.001*der(theta);

        init theta = PI;
        until 10.0;
        draw cart: box([x, 0.0], [0.3, 0.15]) color teal;
        draw pole: line([x, 0.0], at);
        draw ball: circle(at, 0.05) color orange;
    }
}

/// The controller: pumps energy into the pole, catches it near the top, and balances it.
fn controller(cart: &CartPole, t: f64, [x, theta]: [f64; 2], [v, omega]: [f64; 2]) -> f64 {
    let tilt = (theta + PI).rem_euclid(TAU) - PI;
    let u = if tilt.abs() < 0.4 && omega.abs() < 5.0 {
        2.5 * x + 45.0 * tilt + 5.0 * v + 10.0 * omega
    } else {
        let (m, l) = (cart.m_ball, cart.length);
        let energy = 0.5 * m * l * l * omega * omega + m * GRAVITY * l * (tilt.cos() - 1.0);
        80.0 * energy * omega * tilt.cos() - 2.0 * x - v + if t < 0.1 { 1.0 } else { 0.0 }
    };
    u.clamp(-15.0, 15.0)
}

/// Drives the cart for 10 s: the motion, a point for each decision; the force that it took, and (x, θ, ẋ, θ̇) at the end.
pub fn swing_up(
    cart: &CartPole,
) -> Result<(Solution, Signal, [f64; 4]), Box<dyn std::error::Error>> {
    let mut plant = Simulation::new(cart).stepper()?;
    let force = plant.input("push")?;
    plant.record();
    let (mut times, mut forces) = (Vec::new(), Vec::new());
    for n in 0..500 {
        let now = plant.state();
        let u = controller(cart, now.t(), [now.q()[0], now.q()[1]], [now.v()[0], now.v()[1]]);
        times.push(now.t());
        forces.push(u);
        plant.set(force, u)?;
        plant.step_to(0.02 * f64::from(n + 1))?;
        plant.record();
    }
    let motion = plant.solution();
    let end = plant.state();
    let end = [end.q()[0], end.q()[1], end.v()[0], end.v()[1]];
    Ok((motion, Signal::table(times, forces, Interpolation::Steps)?.held_beyond(), end))
}

#[allow(dead_code)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = CartPole::default();
    let (motion, _, [x, theta, ..]) = swing_up(&cart)?;
    println!("after 10 s the cart is at {x:.3} m, the pole {:.4} rad from upright", theta.sin());
    if let Some(page) = std::env::args().nth(1) {
        println!("{}", Animation::new(&cart)?.save(&motion, page)?);
    }
    Ok(())
}
