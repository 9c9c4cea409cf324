use mbd::mechanism;

fn far<D>(_: D) -> bool {
    true
}

mechanism! {
    pub mechanism Model {
        param p = 1.0;
        coord x;
        coord y;
        mode on = false;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        holonomic wire: x + y == p;
        event a when far(x) { on = true; }
        event b when x + 1.0 { on = true; }
        event c when x == 1.0 && y == 1.0 { on = false; }
        event d when x != 1.0 { on = true; }
        event e when x > 1.0 || y == 2.0 { on = true; }
        event f when on == true { on = false; }
        event g when lambda(wire) > 1.0 { on = true; }
        event h when p > 2.0 { on = true; }
        output is_on = on;
    }
}

fn main() {}
