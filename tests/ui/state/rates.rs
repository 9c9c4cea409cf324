use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        state a;
        state b;
        state c[2];
        der(b) = x;
        der(b) = -x;
        variable v;
        variable w[2];
    }
}

fn main() {}
