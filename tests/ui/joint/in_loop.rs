// What is said of joints of a loop stands in that loop.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 3;
        body arm[n]: PlanarBody;
        for i in 0..n {
            joint hinge: revolute(ground, arm[i]);
        }
        limit hinge.angle in 0.0..1.0;
        init hinge.angle = 0.5;
        init hing.angle = 0.5;
        joint pair: gear(hinge, hinge, 2.0);
    }
}

mechanism! {
    pub mechanism Arrays {
        component Leg {
            body foot: PlanarBody;
            joint hip: revolute(ground, foot);
        }
        body leg[2]: Leg;
        init leg[0].hip.angle = 0.5;
    }
}

mechanism! {
    pub mechanism Around {
        size n = 3;
        body arm: PlanarBody;
        body wheel: PlanarBody;
        joint hinge: revolute(ground, arm);
        joint axle: revolute(ground, wheel);
        for i in 0..n {
            drive hinge.angle == 0.5;
            friction hinge.angle = 0.5;
            init hinge.angle = 0.5;
            joint pair: gear(hinge, axle, 2.0);
        }
    }
}

fn main() {}
