use mbd::prelude::*;

mechanism! {
    pub mechanism Broken {
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        scale der(x) = 1.0;
    }
}

fn main() {}
