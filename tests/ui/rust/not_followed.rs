use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        potential a = { println!("{}", x); x };
        potential b = { return x; };
        potential c = { fn f() {} x };
        potential d = { x = 2.0; x };
        potential e = self.x;
    }
}

fn main() {}
