use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        state e;
        mass[x, x] = 1.0;
        mass[y, y] == 1.0;
        let w == der(x);
        holonomic close: x = y;
        potential p == x;
        force f along x == 1.0;
        force g[y] == 1.0;
        variable V = x;
        der(e) == x;
        init x == 0.1;
        output o == x;
    }
}

fn main() {}
