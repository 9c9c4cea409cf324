use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        state e;
        mode locked = false;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0 + sq(e);
        der(e) = -e;
        holonomic h: x == der(der(y));
        nonholonomic g: der(x) == e;
        scale x = y;
        dissipation d = e*sq(der(x));
    }
}

mechanism! {
    pub mechanism Held {
        coord x;
        mass[x, x] = 1.0;
        body p: PlanarNode;
        force spring along p.x = x - p.x;
        init x = p.x;
    }
}

mechanism! {
    pub mechanism Carried {
        coordinates joint;
        gravity [0, -9.81];
        state e;
        der(e) = -e;
        body arm: PlanarBody;
        joint hinge: revolute(ground, arm.at([e, 0]));
    }
}

mechanism! {
    pub mechanism Told {
        coordinates joint;
        state e;
        der(e) = -e;
        body arm[2]: PlanarBody;
        for i in 0..2 {
            joint hinge: revolute(ground, arm[i].at([e, 0]));
        }
    }
}

fn main() {}
