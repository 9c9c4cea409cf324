use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        holonomic close: x;
        equation d: x;
        force f along x;
    }
}

fn main() {}
