use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        mode k = 0.5;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        event a when x < 0.0 { impulse along [x, y] = restitution(k); }
        event b when x < 0.0 { impulse along x = restitution(0.5).friction(0.1); }
        event c when x < 0.0 { impulse along x = restitution(0.5).damping(0.1); }
        event d when x < 0.0 { impulse along der(x) = restitution(0.5); }
        event e when x < 0.0 { impulse along k*x = 1.0; }
        event f when x < 0.0 { impulse along [x, y] = [1.0, 2.0, 3.0]; k = 0.0; }
    }
}

fn main() {}
