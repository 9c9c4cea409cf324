use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param r;
        param c[2] = [1.0, 2.0, 3.0];
        param d = [1.0, 2.0];
        coord x = 1.0;
        coord y;
        mass[y, y] = r*c[0]*d;
    }
}

fn main() {}
