use mbd::mechanism;

mechanism! {
    pub mechanism Model {}
}

fn main() {}
