use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param r = lambda(rope);
        coord x;
        coord y;
        mass[x, x] = r;
        mass[y, y] = 1.0;
        holonomic rope: x == y;
        force a along x = lambda();
        force b along x = lambda(rope, 0);
        force c along x = lambda(2.0*x);
        force d along x = lambda(x.rope);
    }
}

fn main() {}
