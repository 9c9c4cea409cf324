use mbd::prelude::*;

fn gas(x: f64, area: f64) -> f64 {
    3.0 * area * (0.2 - x)
}

fn length(p: [f64; 2]) -> f64 {
    p[0].hypot(p[1])
}

mechanism! {
    pub mechanism Model {
        param stiffness: [N/m] = gas(2.0, 1.0);
        coord x: [m];
        coord p[2]: [m];
        kinetic body = 0.5*sq(der(x)) + 0.5*dot(der(p), der(p));
        // Of numbers alone it is as good as any.
        force pull along x = gas(0.1, 2.0) - stiffness*x;
        force push along x = gas(x, 2.0);
        force damper along x = gas(0.1, -2.0*der(x));
        potential spring = sq(length(p));
        force stop along x = f64::max(x, 0.0);
    }
}

fn main() {}
