use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord t;
        param time = 1.0;
    }
}

fn main() {}
