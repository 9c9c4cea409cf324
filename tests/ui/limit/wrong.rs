use mbd::mechanism;

mechanism! {
    pub mechanism Limits {
        body a: SpatialBody;
        body b: PlanarBody;
        joint hinge: revolute(ground, a);
        joint rail: prismatic(ground, b);
        limit hinge.angle in 0.0..;
        limit rail.speed in 0.0..1.0;
        limit rail.position in ..;
        limit rail.position in 0.0..=1.0;
        limit rail.position == 1.0;
        limit rail.position in -1.0..1.0, bounce(0.5);
        friction rail.speed = 1.0;
        friction rail.position == 1.0;
        friction rail.position = 1.0, sticks(2.0);
    }
}

fn main() {}
