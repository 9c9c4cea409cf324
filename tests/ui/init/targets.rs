// What has an initial value, or a scale, or inertia.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 2;
        param r = 1.0;
        coord x;
        mode locked = false;
        input u = 0.0;
        mass[x, x] = r;
        mass[locked, x] = 0.0;
        mass[u, x] = 0.0;
        mass[n, x] = 0.0;
        event lock when x > 1.0 { locked = true; }
        force f along x = u;
        init sin(x) = 1.0;
        init der(x, x) = 1.0;
        scale r = 1.0;
        for i in 0..n { init i = 1.0; }
    }
}

fn main() {}
