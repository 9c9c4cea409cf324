use mbd::mechanism;

mechanism! {
    pub mechanism Entries {
        body top: SpatialBody;
        let v = [1.0, 2.0];
        let turned = top.frame.rotation;
        output beyond: [rad/s] = top.omega[3];
        output second = (2*v)[2];
        output third = cross(top.omega, top.position)[7];
        output row = turned[3][0];
        output within = top.omega[2] + v[1] + turned[2][2];
    }
}

fn main() {}
