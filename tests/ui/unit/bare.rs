use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x: m;
        param v: m/s = 1.0;
        coord y: ;
        kinetic body = 0.5*sq(der(x) - v);
    }
}

fn main() {}
