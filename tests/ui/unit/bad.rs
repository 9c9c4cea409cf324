use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x: [m];
        param a: [2*m] = 1.0;
        param b: [kg m] = 1.0;
        param c: [m^x] = 1.0;
        param d: m = 1.0;
        mass[x, x] = a*b*c;
    }
}

fn main() {}
