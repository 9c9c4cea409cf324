// What a joint is made of.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        body a[3]: PlanarBody;
        joint chain[3]: revolute(a[0], a[1]);
        joint first = revolute(ground, a[0]);
        joint second: revolute;
        joint third: mbd::planar::revolute(ground, a[0]);
        joint fourth: (revolute)(ground, a[0]);
    }
}

fn main() {}
