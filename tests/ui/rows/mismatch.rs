use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        holonomic a: [x, y] == [1.0];
        holonomic b[3]: [x, y] == [0.0, 0.0];
        holonomic c[x]: [x, y];
        force f[x, y] = [1.0];
        force g along [x, y] = [1.0, 2.0, 3.0];
    }
}

fn main() {}
