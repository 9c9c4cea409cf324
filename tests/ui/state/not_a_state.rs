use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        der(x) = 1.0;
        variable w == x;
        variable w == 2.0*x;
        der(w) = 1.0;
        der(a) = 1.0;
    }
}

fn main() {}
