use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        state a;
        state b;
        state c;
        der(a) = x;
        equation one: der(b) + b == x;
    }
}

fn main() {}
