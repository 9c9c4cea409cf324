use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param p = 1.0;
        coord x;
        coord y;
        mode locked = false;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        holonomic a: x == y while x > 1.0;
        holonomic b: x == y while p > 1.0;
        holonomic c: x == y while locked + 1.0;
        nonholonomic e: der(x) == der(y) while locked;
        event lock when x == y { locked = true; }
    }
}

fn main() {}
