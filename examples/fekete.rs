//! Fekete's points: twenty particles on the unit sphere repel each other with the force 1/r, in a medium that
//! drags them, until they rest where the product of all distances is largest. Index 3, to t = 1000.
//!
//! The motion passes by equilibria that are saddles. An error there decides on which side it leaves them, and so in which of
//! the minima, or at which of the equal arrangements, it ends.
//!
//! Source: F. Mazzia, C. Magherini, Test Set for IVP Solvers, problem `fekete`, by P. M. van Hemert, after W. H. M. Hulsbergen;
//! published positions at t = 1000 in tests/references. Its multipliers are −λ of ours.

use mbd::prelude::*;

mechanism! {
    /// Twenty particles that repel each other on a sphere.
    pub mechanism Fekete {
        /// Drag: force over speed.
        param alpha = 0.5;

        coord x[20];
        coord y[20];
        coord z[20];

        for i in 0..20 {
            kinetic particle = 0.5*(sq(der(x[i])) + sq(der(y[i])) + sq(der(z[i])));
            dissipation medium = 0.5*alpha*(sq(der(x[i])) + sq(der(y[i])) + sq(der(z[i])));
            holonomic sphere: sq(x[i]) + sq(y[i]) + sq(z[i]) == 1.0;
            for j in i + 1..20 {
                potential repulsion = -0.5*ln(sq(x[i] - x[j]) + sq(y[i] - y[j]) + sq(z[i] - z[j]));
            }
            draw particle: sphere([x[i], y[i], z[i]], 0.06) color orange;
            draw path: trace([x[i], y[i], z[i]]);
        }

        // Four rings of three, seven, six and four, each turned by an odd angle.
        for i in 0..3 {
            let w = TAU*(i + 1)/3.0 + PI/13.0;
            let b = 3.0*PI/8.0;
            init x[i] = cos(w)*cos(b);
            init y[i] = sin(w)*cos(b);
            init z[i] = sin(b);
        }
        for i in 3..10 {
            let w = TAU*(i - 2)/7.0 + PI/29.0;
            let b = PI/8.0;
            init x[i] = cos(w)*cos(b);
            init y[i] = sin(w)*cos(b);
            init z[i] = sin(b);
        }
        for i in 10..16 {
            let w = TAU*(i - 9)/6.0 + PI/7.0;
            let b = -2.0*PI/15.0;
            init x[i] = cos(w)*cos(b);
            init y[i] = sin(w)*cos(b);
            init z[i] = sin(b);
        }
        for i in 16..20 {
            let w = TAU*(i - 16)/4.0 + PI/17.0;
            let b = -3.0*PI/10.0;
            init x[i] = cos(w)*cos(b);
            init y[i] = sin(w)*cos(b);
            init z[i] = sin(b);
        }
        for i in 0..20 {
            init der(x[i]) = 0.0;
            init der(y[i]) = 0.0;
            init der(z[i]) = 0.0;
        }
        until 1000.0;
    }
}

mbd::main!(Fekete);
