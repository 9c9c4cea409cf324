use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        state e;
        mass[x, x] = 1.0;
        force added along x = -0.1*der(der(x));
        force rate along x = -der(e);
        force ahead along der(x) = 1.0;
        der(e) = -e + der(der(x));
        kinetic k = sq(der(x))*e;
        holonomic h: x == e;
    }
}

fn main() {}
