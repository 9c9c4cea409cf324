use mbd::mechanism;

mechanism! {
    pub mechanism Case {
        param k: [N/m] = 1.0;
        coord x: [m];
        mass[x, x] = 1.0;
        potential = 0.5*K*sq(x);
    }
}

fn main() {}
