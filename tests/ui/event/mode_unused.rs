use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mode unset = false;
        mode unread = 1.0;
        mass[x, x] = 1.0;
        force push along x = if unset { 1.0 } else { 0.0 };
        event hit when x > 1.0 { unread = 2.0; }
    }
}

fn main() {}
