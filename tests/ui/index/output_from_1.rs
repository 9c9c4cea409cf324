use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 3;
        coord x[n];
        for i in 0..n { kinetic body = 0.5*sq(der(x[i])); }
        for i in 1..n { output gap[i] = x[i] - x[i - 1]; }
    }
}

fn main() {}
