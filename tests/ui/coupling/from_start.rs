use mbd::mechanism;

mechanism! {
    pub mechanism Coupled {
        body a: PlanarBody;
        body b: PlanarBody;
        joint left: revolute(ground, a);
        joint right: revolute(ground, b);
        holonomic mesh: left.angle == 2.0*right.angle from beginning;
        nonholonomic rates: left.rate == 2.0*right.rate from start;
        holonomic other: left.angle == 2.0*right.angle since start;
        joint gears: gear(left, right, 2.0);
        output torque = psi(gears);
    }
}

fn main() {}
