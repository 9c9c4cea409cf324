use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param r = 1.0;
        coord x;
        state e;
        variable V == x;
        mass[x, x] = r;
        der(e) = -e;
        init r = 2.0;
        init der(e) = 1.0;
        init V = 1.0;
        init der(r) = 1.0;
        init 2.0*x = 1.0;
    }
}

fn main() {}
