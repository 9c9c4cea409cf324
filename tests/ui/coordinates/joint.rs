use mbd::mechanism;

mechanism! {
    pub mechanism Words {
        coordinates joints;
        coordinates joint;
        coordinates absolute;
        body arm: PlanarBody;
        joint hinge: revolute(ground, arm);
    }
}

mechanism! {
    component Part {
        coordinates joint;
        body arm: PlanarBody;
    }
    pub mechanism Inside {
        coordinates joint;
        body part: Part;
        body free: PlanarBody;
    }
}

mechanism! {
    pub mechanism FreeArray {
        coordinates joint;
        size n = 3;
        body bar[n]: PlanarBody;
        for i in 1..n {
            joint link: revolute(bar[i - 1], bar[i]);
        }
    }
}

mechanism! {
    pub mechanism Reads {
        coordinates joint;
        body arm: SpatialBody;
        body hand: SpatialBody;
        joint hinge: revolute(ground, arm);
        joint ball: spherical(arm, hand);
        joint stop: revolute(ground, hand);
        init arm.e = [1.0, 0.0, 0.0, 0.0];
        init hand.omega = [0.0, 0.0, 1.0];
        output fine = hinge.force;
    }
}

fn main() {}
