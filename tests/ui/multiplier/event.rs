use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        kinetic ball = sq(der(x)) + sq(der(y));
        potential weight = 9.81*y;
        event hit when y <= 0.0 { impulse along y = restitution(0.5); }
        force rub along x = -0.3*lambda(hit);
    }
}

fn main() {}
