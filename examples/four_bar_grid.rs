//! A grid of four-bar linkages hung from a beam, in absolute coordinates: the scaling benchmark in
//! two dimensions. Neighbouring cells share bars and pins.
//!
//! ```text
//!   ground o-----------o-----------o      pins at a distance `width`
//!          |   hanger  |           |
//!          o-----------o-----------o      rungs of length `width`
//!          |           |           |
//!          o-----------o-----------o      `rows` × `columns` cells, here 2 × 2
//! ```
//!
//! Every cell is a parallelogram, so the rungs only translate and the hangers of a row turn alike: a
//! mobility of one per row, with no constraint redundant as long as no hanger is parallel to its
//! rungs. `--set rows=90 --set columns=90` (16 290 bars) changes the size without recompiling.
//!
//! Reference: as the columns move alike, the hangers' angles of one of them are coordinates of the
//! whole, a multiple pendulum that carries the rungs as point masses. With one row it is a
//! mathematical pendulum of length (m (columns + 1)/3 + M columns)/(m (columns + 1)/2 + M columns)
//! hangers, m and M the masses of hanger and rung.

use mbd::components::{ground, revolute};
use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A grid of parallelogram linkages that share bars and pins.
    pub mechanism FourBarGrid {
        /// Cells below one another.
        size rows = 5;
        /// Cells beside one another.
        size columns = 5;
        /// Length of a hanger.
        param length: [m] = 1.0;
        /// Length of a rung.
        param width: [m] = 1.0;
        /// Mass of a hanger.
        param mass: [kg] = 1.0;
        /// Mass of a rung.
        param rung_mass: [kg] = 1.0;
        /// Angle of the hangers from the vertical at first.
        param tilt: [rad] = 0.5;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        // Both row by row; a hanger's axis points down, a rung's to the right.
        body hanger[rows*(columns + 1)]: PlanarBody { mass: mass, inertia: mass*sq(length)/12.0 };
        body rung[rows*columns]: PlanarBody { mass: rung_mass, inertia: rung_mass*sq(width)/12.0 };

        let half = 0.5*length;
        let side = 0.5*width;

        for k in 0..rows*(columns + 1) {
            potential weight = mass*g*hanger[k].y;
        }
        for k in 0..rows*columns {
            potential weight_of_rung = rung_mass*g*rung[k].y;
        }

        for j in 0..columns + 1 {
            holonomic anchor[2]: revolute(
                ground(), [j*width, 0.0],
                hanger[j].frame, [-half, 0.0],
            );
        }
        for i in 1..rows {
            for j in 0..columns + 1 {
                holonomic knee[2]: revolute(
                    hanger[(i - 1)*(columns + 1) + j].frame, [half, 0.0],
                    hanger[i*(columns + 1) + j].frame, [-half, 0.0],
                );
            }
        }
        for i in 0..rows {
            for j in 0..columns {
                holonomic left[2]: revolute(
                    hanger[i*(columns + 1) + j].frame, [half, 0.0],
                    rung[i*columns + j].frame, [-side, 0.0],
                );
                holonomic right[2]: revolute(
                    hanger[i*(columns + 1) + j + 1].frame, [half, 0.0],
                    rung[i*columns + j].frame, [side, 0.0],
                );
            }
        }

        for i in 0..rows {
            init hanger[i*(columns + 1)].theta = tilt - 0.5*PI;
            for j in 0..columns + 1 {
                guess hanger[i*(columns + 1) + j].x = j*width + (i + 0.5)*length*sin(tilt);
                guess hanger[i*(columns + 1) + j].y = -(i + 0.5)*length*cos(tilt);
            }
            for j in 1..columns + 1 {
                guess hanger[i*(columns + 1) + j].theta = tilt - 0.5*PI;
            }
            for j in 0..columns {
                guess rung[i*columns + j].x = (j + 0.5)*width + (i + 1)*length*sin(tilt);
                guess rung[i*columns + j].y = -(i + 1)*length*cos(tilt);
            }
        }

        for i in 0..rows {
            /// Angle of a row's hangers from the vertical.
            output angle[i]: [rad] = hanger[i*(columns + 1)].theta + 0.5*PI;
        }
        until 2.0;
    }
}

mbd::main!(FourBarGrid);
