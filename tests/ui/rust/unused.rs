//! An error in the block is the only message: what the block imports and calls is used by it.
#![deny(warnings)]

use mbd::components::{force, ground, revolute, rod, spatial::distance};
use mbd::prelude::*;

mechanism! {
    pub mechanism Model {
        body arm: PlanarBody { mass: 1.0, inertia: 1.0 };
        body ball: SpatialBody { mass: 1.0, jx: 1.0, jy: 1.0, jz: 1.0 };
        holonomic hinge[2]: revolute(ground(), [0, 0], arm.frame, [0, 0]);
        holonomic wire[1]: rod([0, 0], arm.position, 1.0);
        let s = distance([0, 0, 0], ball.position);
        force spring along s = force::one_sided(s, der(s), STIFF, 0.1);
        output wrong = lenght;
    }
}

const STIFF: f64 = 2.0;

fn main() {
    let model = Model::default();
    println!("{model:?} {:?}", Model::wrong);
}
