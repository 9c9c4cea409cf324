use mbd::mechanism;

mechanism! {
    pub mechanism Couplings {
        body a: PlanarBody;
        body b: PlanarBody;
        body c: SpatialBody;
        joint hinge: revolute(ground, a);
        joint rail: prismatic(ground, b);
        joint ball: spherical(ground, c);
        joint few: gear(hinge, rail);
        joint slides: gear(hinge, rail, 2.0);
        joint turns: rack_and_pinion(hinge, hinge, 0.1);
        joint bodies: belt(a, hinge, 0.1, 0.2);
        joint free: differential(hinge, ball, hinge);
        joint space: spatial::gear(hinge, hinge, 2.0);
    }
}

fn main() {}
