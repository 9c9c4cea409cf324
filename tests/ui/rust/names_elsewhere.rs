use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        kinetic body = 0.5*pow(der(x), 2);
        force friction along x = -2.0*sign(der(x));
    }
}

fn main() {}
