use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        component Snake { body tail: Snake; coord x; mass[x, x] = 1.0; }
        body s: Snake;
    }
}

fn main() {}
