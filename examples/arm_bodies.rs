//! An arm of six hinges put together from bodies and joints, started by its angles. `examples/arm.rs` is one in
//! joint angles.

use mbd::prelude::*;

mechanism! {
    /// An arm of six axes that dampers lower gently.
    pub mechanism ArmBodies {
        param c: [N*m*s/rad] = 4.0;
        gravity [0, 0, -9.81];
        body turret: SpatialBody { mass: 20.0, jx: 0.3, jy: 0.3, jz: 0.2 };
        body upper: SpatialBody { mass: 12.0, jx: 0.05, jy: 0.4, jz: 0.4 };
        body fore: SpatialBody { mass: 6.0, jx: 0.02, jy: 0.1, jz: 0.1 };
        body cuff: SpatialBody { mass: 3.0, jx: 0.01, jy: 0.03, jz: 0.03 };
        body wrist: SpatialBody { mass: 1.5, jx: 0.004, jy: 0.006, jz: 0.006 };
        body flange: SpatialBody { mass: 0.5, jx: 0.001, jy: 0.001, jz: 0.001 };
        joint a1: revolute(ground, turret.at([0, 0, -0.2]));
        joint a2: revolute(turret.at([0.1, 0, 0.2], [0, 1, 0]), upper.at([-0.3, 0, 0], [0, 1, 0]));
        joint a3: revolute(upper.at([0.3, 0, 0], [0, 1, 0]), fore.at([-0.2, 0, 0], [0, 1, 0]));
        joint a4: revolute(fore.at([0.2, 0, 0], [1, 0, 0]), cuff.at([-0.15, 0, 0], [1, 0, 0]));
        joint a5: revolute(cuff.at([0.15, 0, 0], [0, 1, 0]), wrist.at([-0.06, 0, 0], [0, 1, 0]));
        joint a6: revolute(wrist.at([0.06, 0, 0], [1, 0, 0]), flange.at([-0.03, 0, 0], [1, 0, 0]));
        dissipation oil = 0.5*c*(sq(a1.rate) + 10*sq(a2.rate) + 4*sq(a3.rate) + 0.2*sq(a5.rate));
        init a1.angle = 0.4;    init a2.angle = -0.9;   init a3.angle = 1.2;    init a4.angle = 0.3;
        init a5.angle = 0.5;    init a6.angle = -0.2;   init a1.rate = 1.5;
        output tip: [m] = flange.point([0.05, 0, 0]);
        output base_load: [N] = a1.force;
        until 1.0;
    }
}

mbd::main!(ArmBodies);
