use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        unilateral a: x == y;
        unilateral b[2]: x;
        unilateral c: [x, y];
        unilateral d: der(x);
        unilateral e: x, 0.5;
        unilateral f: x, restitution(0.5).friction(0.2);
        unilateral g: [x, y], restitution(0.5);
        unilateral h: [x, y, x], restitution(0.5).friction(0.2);
        unilateral i: x, restitution(0.5, 0.2);
        unilateral: x;
        unilateral j: x >= 0.0;
        unilateral k: x <= y, restitution(0.5);
    }
}

fn main() {}
