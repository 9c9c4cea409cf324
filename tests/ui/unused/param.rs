use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param used = 1.0;
        param twice = 2.0*used;
        param spare: [m] = 3.0;
        param _kept = 4.0;
        coord x;
        mass[x, x] = twice;
    }
}

fn main() {}
