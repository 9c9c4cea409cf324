use mbd::prelude::*;

mechanism! {
    mechanism Lift {
        coord x: [m];
        coord type: [m];
        kinetic box = 0.5*sq(der(x));
    }
}

fn main() {}
