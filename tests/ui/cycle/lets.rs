use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        let a = b + x;
        let b = 2.0*c;
        let c = a;
        let d = d + 1.0;
        mass[x, x] = 1.0;
        potential p = a + d;
    }
}

fn main() {}
