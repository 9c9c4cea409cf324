use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        potential p = 0.5*x**2;
        dissipation d = 0.5*der(x)**2;
    }
}

fn main() {}
