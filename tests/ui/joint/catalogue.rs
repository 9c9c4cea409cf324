use mbd::mechanism;

mechanism! {
    pub mechanism Kinds {
        body a: SpatialBody;
        body b: SpatialBody;
        body flat: PlanarBody;
        body flap: PlanarBody;
        coord x; kinetic k = sq(der(x));
        joint one: revolut(a, b);
        joint two: revolute(a, flat);
        joint three: revolute(a);
        joint four: screw(a, b);
        joint five: universal(flat, flap);
        joint six: revolute(x, x);
        joint seven: planar::revolute(a, b);
        joint eight: revolute(flat.at([0, 0], [1, 0], [0, 1]), flap);
        joint nine: revolute(ground, b);
        joint ten: hinge(a, b);
        joint eleven: ball(flat, flap);
        output o = nine.angl;
        output p = nine;
    }
}

mechanism! {
    pub mechanism Turns {
        body a: SpatialBody;
        body b: SpatialBody;
        joint hinge: revolute(ground, a);
        joint slide: prismatic(a, b);
        joint closing: revolute(ground, b);
        potential spring = 0.5*sq(hinge.angle);
        drive hinge.rate == 1.0;
        drive a.x == 1.0;
        init hinge.angle = 0.3;
        init hinge.angle = 0.4;
        init slide.position = 0.1;
        init closing.angle = 0.1;
        drive slide.position = 0.1;
        drive slide.position == 0.2;
    }
}

mechanism! {
    pub mechanism Free {
        body a: SpatialBody;
        body b: SpatialBody;
        joint hinge: revolute(a, b);
        init hinge.angle = 0.3;
        for i in 0..2 {
            joint each: revolute(ground, a);
            output angle[i] = each.angle;
        }
    }
}

fn main() {}
