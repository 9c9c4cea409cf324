use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param a = 2.0*b;
        param b = 1.0;
        coord x;
        mass[x, x] = a*b*x;
        param c = x;
    }
}

fn main() {}
