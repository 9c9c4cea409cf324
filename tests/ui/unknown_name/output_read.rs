use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        output speed = der(x);
        force drag along x = -speed;
    }
}

fn main() {}
