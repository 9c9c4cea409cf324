//! Parallelograms of equal bars in a row, which share their rockers, pushed from the upright position: at every
//! swing all bars come to lie in one line, where n + 1 motions are possible for an instant.
//!
//! Source: problem A02 (N-four-bar mechanism) of the library of benchmarks for multibody systems of IFToMM,
//! M. González and others, 2006. Reference: the rockers turn like one physical pendulum that carries the rungs as point masses.

use mbd::components::{ground, revolute};
use mbd::prelude::*;

mechanism! {
    /// n parallelograms of equal bars, pushed from the upright position.
    pub mechanism FourBars {
        /// Number of parallelograms.
        size n = 2;
        /// Length of a bar.
        param l: [m] = 1.0;
        /// Mass of a bar.
        param m: [kg] = 1.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;
        /// Speed of the rockers' upper ends, along x.
        param speed: [m/s] = 1.0;

        body rocker[n + 1]: PlanarBody { mass: m, inertia: m*sq(l)/12.0 };
        body rung[n]: PlanarBody { mass: m, inertia: m*sq(l)/12.0 };
        let half = 0.5*l;
        for k in 0..n + 1 {
            potential weight = m*g*rocker[k].y;
            holonomic anchor[2]: revolute(ground(), [k*l, 0.0], rocker[k].frame, [-half, 0.0]);
            guess rocker[k].theta = 0.5*PI;
            guess rocker[k].x = k*l;
            guess rocker[k].y = half;
        }
        for k in 0..n {
            potential weight_of_rung = m*g*rung[k].y;
            holonomic left[2]: revolute(rocker[k].frame, [half, 0.0], rung[k].frame, [-half, 0.0]);
            holonomic right[2]: revolute(rocker[k + 1].frame, [half, 0.0], rung[k].frame, [half, 0.0]);
            guess rung[k].x = (k + 0.5)*l;
            guess rung[k].y = l;
        }
        init der(rocker[0].theta) = -speed/l;
        /// Angle of the first rocker.
        output angle: [rad] = rocker[0].theta;
        until 10.0;
    }
}

mbd::main!(FourBars);
