//! On a massless node forces act, that depend on where it is.
use mbd::components::distance;
use mbd::mechanism;

mechanism! {
    pub mechanism Strung {
        param k: [N/m] = 10.0;
        body ball: PlanarMass;
        body knot: PlanarNode;
        let length = distance(knot.position, ball.position);
        joint pin: revolute(ball, knot);
        potential spring = 0.5*k*length*length;
        force damper along length = -k*der(length);
        force drag along ball.x = -k*der(knot.x);
        holonomic tied: knot.x == ball.x;
        torque twist = 1.0 on knot;
        init knot.position = [0, 1];
    }
}

fn main() {}
