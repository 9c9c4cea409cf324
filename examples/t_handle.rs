//! A T-shaped handle that is let go spinning about its stem, in orbit: it turns over, again and again, for its moment of
//! inertia about the stem lies between the other two. It is drawn from a file of its own, as CAD writes them.
//!
//! Reference: Euler's equations, solved by Jacobi's elliptic functions (Landau, Lifshitz, Mechanics, § 37; tests/animate).
//! Shape, mass and moments of inertia: `python3 examples/meshes/t_handle.py`.

use mbd::prelude::*;

mechanism! {
    /// A handle of aluminium that spins about the axis in the middle.
    pub mechanism THandle {
        /// Mass.
        param m: [kg] = 0.0818937;
        /// Moment of inertia about the stem.
        param Jx: [kg*m^2] = 4.16046e-5;
        /// Moment of inertia about the bar.
        param Jy: [kg*m^2] = 3.60266e-5;
        /// Moment of inertia about the normal of both.
        param Jz: [kg*m^2] = 7.49559e-5;
        /// Spin about the stem at the start.
        param spin: [rad/s] = 12.0;
        /// Rate about the bar at the start: the disturbance.
        param wobble: [rad/s] = 0.1;

        body handle: SpatialBody { mass: m, jx: Jx, jy: Jy, jz: Jz };
        init handle.omega = [spin, wobble, 0.0];

        // The file is in millimetres; its origin is on the axis of the bar, 13.6 mm from the centre of mass.
        draw handle: mesh(handle.frame.at([-0.0136074, 0.0, 0.0]), "meshes/t_handle.stl", 0.001) color orange;
        draw tip: trace(handle.frame.point([0.053, 0.0, 0.0]));

        /// Angular velocity about the stem, in the axes of the body: its sign changes with each turn.
        output about_stem: [rad/s] = handle.omega[0];
        output about_bar: [rad/s] = handle.omega[1];
        output across: [rad/s] = handle.omega[2];
        until 10.0;
    }
}

mbd::main!(THandle);
