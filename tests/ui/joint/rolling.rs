//! A joint with a coordinate of its own.
use mbd::mechanism;

mechanism! {
    pub mechanism Rolls {
        size n = 2;
        body disc[n]: PlanarBody;
        for i in 0..n {
            joint wheel: rolling_on_curve(ground, disc[i], 0.1, |x| 0.1*x*x);
        }
    }
}

mechanism! {
    pub mechanism Short {
        body disc: PlanarBody;
        joint wheel: rolling_on_curve(ground, disc, 0.1);
    }
}

fn main() {}
