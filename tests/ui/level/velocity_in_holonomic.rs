use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param R = 0.3;
        coord x;
        coord phi;
        mass[x, x] = 1.0;
        mass[phi, phi] = 1.0;
        let w = der(phi);
        holonomic roll: der(x) == R*w;
        nonholonomic close: x == R*phi;
        potential damper = sq(der(x));
        mass[x, phi] = der(x);
    }
}

fn main() {}
