//! What a node is called, and what it has not.
use mbd::mechanism;

mechanism! {
    pub mechanism Named {
        body ball: PlanarMass;
        body knot: PlanarNod;
        force spring along ball.x = -1.0*ball.x;
    }
}

mechanism! {
    pub mechanism Heavy {
        body ball: PlanarMass;
        body knot: PlanarNode { mass: 1.0 };
        force spring along ball.x - knot.x = -1.0*(ball.x - knot.x);
    }
}

fn main() {}
