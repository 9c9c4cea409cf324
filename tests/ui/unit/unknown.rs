use mbd::mechanism;

mechanism! {
    pub mechanism Units {
        param k: [Nm/rad] = 1.0;
        param m: [furlong] = 1.0;
        coord a: [deg];
        mass[a, a] = m;
        force[a] = -k*a;
    }
}

fn main() {}
