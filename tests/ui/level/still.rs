use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        kinetic k = 0.5*sq(x);
        dissipation d = 0.5*sq(x);
        holonomic h: 1.0 == 2.0;
    }
}

fn main() {}
