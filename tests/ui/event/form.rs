use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        event a x > 1.0 { der(x) = 0.0; }
        event b when { der(x) = 0.0; }
        event c when x > 1.0 { }
        event d when x > 1.0 { der(x) == 0.0; }
        event e when x > 1.0 { stop; }
        event f when x > 1.0 { impulse = 3.0; }
        event g when x > 1.0 { 2.0*x; }
        event h when x > 1.0 { der(x) = 0.0 }
        mode k;
    }
}

fn main() {}
