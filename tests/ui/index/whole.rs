// An array where one entry is meant, and an array inside one.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        component Chain {
            coord x[3];
            for i in 0..3 { mass[x[i], x[i]] = 1.0; }
        }
        body chain[2]: Chain;
        coord p[3];
        mass[p, p] = 1.0;
        event stop when p[0] > 1.0 { der(p) = 0.0; }
    }
}

fn main() {}
