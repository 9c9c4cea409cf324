use mbd::mechanism;

mechanism! {
    pub mechanizm Model {
        coord y;
    }
}

mechanism! {}

fn main() {}
