use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param r: [m] = 1.0
        coord x;
        mass[x, x] = r
        potential p = 2.0 x;
        output o = x
    }
}

fn main() {}
