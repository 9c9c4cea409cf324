use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        coord y;
        mode unset = false;
        mode unread = 1.0;
        mode on = false;
        mode late = x > 1.0;
        kinetic energy = 0.5*(1.0 + on)*(sq(der(x)) + sq(der(y)));
        holonomic wire: x == on*y;
        force push along on*x = if unset { 1.0 } else { 0.0 };
        init x = on;
        event hit when x > 1.0 { on = true; unread = 2.0; late = !late; }
    }
}

fn main() {}
