use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param x = 1.0;
        coord x;
        coord q;
        mass[q, q] = x;
        holonomic h: q == 0.0;
        holonomic h: q == 1.0;
        output o = q;
        output o = 2.0*q;
        kinetic k = sq(der(q));
        kinetic k = sq(der(q));
    }
}

fn main() {}
