use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        holonomic h: x == y;
        init x = y;
        init y = lambda(h);
        init der(x) = t;
        until x;
    }
}

fn main() {}
