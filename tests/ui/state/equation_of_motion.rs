use mbd::mechanism;

mechanism! {
    pub mechanism Stated {
        param m = 2.0;
        coord x;
        equation newton: m*der(der(x)) == -3.0*x;
    }
}

mechanism! {
    pub mechanism Bare {
        coord x;
        use mbd::components::rod;
        kinetic body = sq(der(x));
        x*der(der(x)) = -3.0*x;
    }
}

fn main() {}
