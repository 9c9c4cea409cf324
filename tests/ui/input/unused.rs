use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        input torque: [N*m] = 0.0;
        input _spare: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
    }
}

fn main() {}
