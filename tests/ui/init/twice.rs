use mbd::mechanism;

mechanism! {
    pub mechanism Twice {
        coord x: [m];
        mass[x, x] = 1.0;
        init x = 1.0;
        guess x = 2.0;
    }
}

fn main() {}
