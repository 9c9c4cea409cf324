use mbd::prelude::*;

mechanism! {
    pub mechanism Model {
        body arm: PlanarBody { mass: 1.0, inertia: 1.0 };
        body ball: SpatialBody { solid: solid::sphere(7850.0, 0.1) };
        holonomic hinge[2]: revolute(ground(), [0, 0], arm.frame, [0, 0]);
        holonomic wire[1]: rod([0, 0], arm.position, 1.0);
        let s = distance([0, 0, 0], ball.position);
        force spring along s = force::spring_damper(s, der(s), 1.0, 0.1, 0.0);
        force damper along s = -spring_damper(s, der(s), 1.0, 0.1, 0.0);
    }
}

fn main() {}
