//! Bricard's mechanism: six hinges along edges of a cube in one spatial loop. A count of its constraints leaves it no
//! motion, its geometry leaves it one: one of the thirty rows says what the others say, and which one that is for the numbers
//! changes along the motion.
//!
//! Source: problem A04 of the library of benchmarks for multibody systems of IFToMM, M. González and others,
//! 2006: five rods of 1 m and 1 kg with a square section of 0.1 m, from rest, 10 s. Reference: an implementation
//! in two angles, which share no code with this one (tests/references).

use mbd::prelude::*;

mechanism! {
    /// Five rods in a loop of six hinges.
    pub mechanism Bricard {
        /// Mass of a rod.
        param m: [kg] = 1.0;
        /// Length of a rod.
        param l: [m] = 1.0;
        /// Edge of its square section.
        param a: [m] = 0.1;

        gravity [0.0, -9.81, 0.0];
        let h = 0.5*l;
        let along = m*sq(a)/6.0;
        let across = m*(sq(l) + sq(a))/12.0;

        // Rods along x, y, z, x and y at the start: the axes of the bodies are those of the ground.
        body first: SpatialBody { mass: m, jx: along, jy: across, jz: across };
        body second: SpatialBody { mass: m, jx: across, jy: along, jz: across };
        body third: SpatialBody { mass: m, jx: across, jy: across, jz: along };
        body fourth: SpatialBody { mass: m, jx: along, jy: across, jz: across };
        body fifth: SpatialBody { mass: m, jx: across, jy: along, jz: across };

        joint hinge1: revolute(ground.at([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]), first.at([-h, 0.0, 0.0], [0.0, 1.0, 0.0]));
        joint hinge2: revolute(first.at([h, 0.0, 0.0], [0.0, 0.0, 1.0]), second.at([0.0, -h, 0.0], [0.0, 0.0, 1.0]));
        joint hinge3: revolute(second.at([0.0, h, 0.0], [1.0, 0.0, 0.0]), third.at([0.0, 0.0, -h], [1.0, 0.0, 0.0]));
        joint hinge4: revolute(third.at([0.0, 0.0, h], [0.0, 1.0, 0.0]), fourth.at([h, 0.0, 0.0], [0.0, 1.0, 0.0]));
        joint hinge5: revolute(fourth.at([-h, 0.0, 0.0], [0.0, 0.0, 1.0]), fifth.at([0.0, h, 0.0], [0.0, 0.0, 1.0]));
        joint hinge6: revolute(fifth.at([0.0, -h, 0.0], [1.0, 0.0, 0.0]), ground.at([0.0, 0.0, l], [1.0, 0.0, 0.0]));

        guess first.x = h;
        guess second.x = l;
        guess second.y = h;
        guess third.x = l;
        guess third.y = l;
        guess third.z = h;
        guess fourth.x = h;
        guess fourth.y = l;
        guess fourth.z = l;
        guess fifth.y = h;
        guess fifth.z = l;

        let corner = third.point([0.0, 0.0, -h]);
        /// Where the second rod and the third meet.
        output x: [m] = corner[0];
        output y: [m] = corner[1];
        output z: [m] = corner[2];
        draw path: trace(corner);
        until 10.0;
    }
}

mbd::main!(Bricard);
