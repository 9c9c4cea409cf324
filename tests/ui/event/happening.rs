use mbd::prelude::*;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        event a when x > 1.0;
        sample b every 0.1;
        event c when x > 1.0 { impulse x = 3.0; }
        event d when x > 1.0 { impulse along x; }
    }
}

fn main() {}
