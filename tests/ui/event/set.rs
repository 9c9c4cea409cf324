use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param p = 1.0;
        coord x;
        state e;
        variable V == x;
        mode on = false;
        mass[x, x] = p;
        der(e) = V;
        event hit when x > 1.0 {
            x = 0.0;
            der(e) = 0.0;
            V = 1.0;
            p = 2.0;
            der(on) = 1.0;
            der(x) = 1.0;
            der(x) = 2.0;
            on = 3.0*x;
            off = true;
        }
        output is_on = on;
    }
}

fn main() {}
