use mbd::prelude::*;

mechanism! {
    pub mechanism Broken {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        draw a: lien([0.0, 0.0], [x, y]);
        draw b: line([0.0, 0.0]);
        draw c: line([0.0, 0.0], [x, y]) color crimsn;
        draw d: line([0.0, 0.0], [x, y]) colour red;
        draw e: polyline([x, y]);
        draw f: polyline([[0.0, 0.0]]);
        draw g: circle([x, y], [0.1, 0.1]);
        draw h: line([0.0, 0.0], [x, y, 0.0, 0.0]);
        draw i: line([0.0, 0.0], [x, z]);
        draw j: gear([x, y], 0.1);
        draw k: line([0.0, 0.0], [x, y]) color "blue-ish";
        draw a: line([0.0, 0.0], [x, y]);
        draw: line([0.0, 0.0], [x, y]);
    }
}

fn main() {}
