use mbd::prelude::*;

mechanism! {
    pub mechanism Model {
        body arm: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body ball: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint base: fixed(ground, arm);
        joint rod: revolute_spherical(arm.at([0, 0, 0], [0, 1, 0]), ball.at([0, 0, 0.1]), 0.5);
        init rod.angle = 0.4;
        joint slot: point_on_line(ground, ball);
        guess slot.position = 0.2;
    }
}

fn main() {}
