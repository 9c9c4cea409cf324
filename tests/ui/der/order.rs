use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        state e;
        mode locked = false;
        mass[x, x] = 1.0;
        der(e) = -e;
        event lock when x > 1.0 { locked = true; }
        output a = der(x, e);
        output b = der(der(e));
        output c = der(locked);
        output d = der(der(der(x)));
    }
}

fn main() {}
