//! A component that draws itself from a file beside this one, for mechanisms that are written elsewhere.

use mbd::prelude::*;

component! {
    /// A weight with a knob on it.
    pub component Knob {
        pub param m: [kg] = 1.0;
        pub body weight: PlanarBody { mass: m, inertia: 1e-3*m };
        draw knob: mesh(weight.frame, "pyramid.stl", 0.01);
    }
}
