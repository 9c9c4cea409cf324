use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        holonomic close: x == y;
        output a = lambda(closs);
        output b = psi(close);
        output c = lambda(x);
        output d = close;
    }
}

fn main() {}
