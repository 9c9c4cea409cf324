use mbd::prelude::*;
use mbd::components::spatial::SpatialFrame;

mechanism! {
    pub mechanism Ball {
        body a: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body b: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint ball: spherical(ground, a);
        joint hinge: revolute(a.at([0.1, 0, 0]), b.at([-0.1, 0, 0]));
        init ball.e = axis_angle([0, 0, 1], 0.3);
        guess ball.omega = [0, 0, 1];
        init hinge.angle = 0.3;
    }
}

mechanism! {
    pub mechanism Chain {
        body a: PlanarBody { mass: 1.0, inertia: 0.1 };
        body b: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint first: revolute(ground, a.at([-0.1, 0]));
        joint second: revolute(a.at([0.1, 0]), b.at([-0.1, 0]));
        init second.angle = 0.3;
    }
}

mechanism! {
    pub mechanism Flown {
        body a: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body b: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint hinge: revolute(a.at([0.1, 0, 0]), b.at([-0.1, 0, 0]));
        init a.position = [0, 0, 1];
        init a.e = axis_angle([0, 0, 1], 0.3);
        init hinge.rate = 0.3;
    }
}

mechanism! {
    pub mechanism Adrift {
        body a: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body b: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint hinge: revolute(a.at([0.1, 0, 0]), b.at([-0.1, 0, 0]));
        init hinge.angle = 0.3;
    }
}

fn two<D: Scalar>(frame: SpatialFrame<D>) -> [Num<D>; 2] {
    [frame.origin[0], frame.origin[1]]
}

mechanism! {
    pub mechanism Along {
        gravity [0, 0, -9.81];
        body a: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        let s = vector(two(a.frame));
        force spring along s = -5.0*s;
    }
}

mechanism! {
    pub mechanism Misspelt {
        gravity [0, 0, -9.81];
        body a: SpatialBdy { mass: 1.0 };
    }
}

fn main() {}
