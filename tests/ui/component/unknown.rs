use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        body a: Turbine;
    }
}

fn main() {}
