use mbd::components::PlanarFrame;
use mbd::prelude::*;

mechanism! {
    pub mechanism Broken {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        let frame = PlanarFrame::new(x, y, 0.1*x);
        draw a: line(frame, [x, y]);
    }
}

fn main() {}
