use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        coord z;
        size n = 2;
        coord q[n];
        mass[x, x] = 1.0;
        potential p = x*y;
        init z = 1.0;
    }
}

fn main() {}
