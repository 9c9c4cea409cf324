use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        cord x;
        coord y;
        mass[y, y] = 1.0;
        potencial p = y;
        frobnicate y;
    }
}

fn main() {}
