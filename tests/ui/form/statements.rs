// What statements are made of.
use mbd::prelude::*;

mechanism! {
    pub mechanism Model {
        param r = ;
        param p[2, 3] = 1.0;
        coord x: [m];
        mass x = 1.0;
        mass[x] = 1.0;
        mass[x, x, x] = 1.0;
        der e = -e;
        der() = 1.0;
        der(e, x) = -e;
        force f = 3.0;
        stated force g along x = 1.0;
        holonomic x == 1.0;
        unilateral x >= 0.0;
        body a = PlanarBody;
        body b: 3;
        draw c = line([0, 0], [x, 0]);
        draw d: 3.0;
        draw g: line color red;
    }
}

mechanism! {
    pub component Part {
        connector hull = PlanarBody;
        coord x: [m];
        mass[x, x] = 1.0;
    }
}

fn main() {}
