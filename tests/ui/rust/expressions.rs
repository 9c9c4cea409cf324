// Rust that a model cannot hold.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        potential a = x?;
        potential b = unsafe { x };
        potential c = const { 1.0 };
        potential d = async { x };
    }
}

fn main() {}
