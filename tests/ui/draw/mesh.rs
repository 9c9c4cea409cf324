use mbd::prelude::*;

const PART: &str = "part.stl";

mechanism! {
    pub mechanism Broken {
        body part: PlanarBody { mass: 1.0, inertia: 0.1 };
        draw a: mesh(part.frame, "part.stl", 0.001);
        draw b: mesh(part.frame, "mesh.rs");
        draw c: mesh(part.frame, PART, 0.001);
        draw d: mesh("mesh.rs", part.frame, 0.001);
        draw e: mesh(part.frame, "../draw", 0.001);
    }
}

fn main() {}
