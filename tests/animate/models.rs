//! Mechanisms with everything that can be drawn.

use mbd::components::{distance, ground, revolute, spatial};
use mbd::prelude::*;

mechanism! {
    /// Two bars, the second on a spring.
    pub mechanism Bars {
        param l: [m] = 1.0;
        param g: [m/s^2] = 9.81;
        body upper: PlanarBody { mass: 2.0, inertia: 2.0*sq(l)/12.0 };
        body lower: PlanarBody { mass: 1.0, inertia: sq(l)/12.0 };
        potential weight = g*(2.0*upper.y + lower.y);
        holonomic shoulder[2]: revolute(ground(), [0.0, 0.0], upper.frame, [-0.5*l, 0.0]);
        holonomic elbow[2]: revolute(upper.frame, [0.5*l, 0.0], lower.frame, [-0.5*l, 0.0]);
        let length = distance(lower.frame.point([0.5*l, 0.0]), [2.0, 1.0]);
        potential spring = 0.5*30.0*sq(length - 0.5);
        force damper along length = -0.1*der(length);
        guess upper.x = 0.5*l;
        guess lower.x = 1.5*l;
        output tip: [m] = lower.y + 0.5*l*sin(lower.theta);
        until 1.0;
    }
}

mechanism! {
    /// The README's slider-crank, drawn in three lines.
    pub mechanism Drawn {
        param r: [m] = 0.10;
        param l: [m] = 0.30;
        coord theta: [rad];
        coord phi: [rad];
        coord x: [m];
        kinetic crank = 0.5*1e-3*sq(der(theta));
        kinetic rod = 0.5*1.5e-3*sq(der(phi));
        kinetic piston = 0.5*0.5*sq(der(x));
        holonomic close_x: r*cos(theta) + l*cos(phi) == x;
        holonomic close_y: r*sin(theta) == l*sin(phi);
        init theta = 0.3;
        init der(theta) = 20.0;
        guess phi = 0.1;
        guess x = 0.39;
        draw crank: line([0, 0], [r*cos(theta), r*sin(theta)]);
        draw rod: line([r*cos(theta), r*sin(theta)], [x, 0]);
        draw piston: box([x, 0], [0.06, 0.05]) color orange;
        until 1.0;
    }
}

mechanism! {
    /// Every shape, on bodies and off.
    pub mechanism Shapes {
        param r: [m] = 0.2;
        size n = 3;
        body block: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.2, jz: 0.25 };
        body bead[n]: PointMass { mass: 0.1 };
        potential weight = 9.81*(1.0*block.z);
        holonomic hook[3]: spatial::spherical(spatial::ground(), block.frame.at([0.0, 0.0, 0.5]));
        for i in 0..n {
            potential tether = 0.5*4.0*(sq(bead[i].x - i*1.0) + sq(bead[i].y) + sq(bead[i].z + 1.0));
            draw thread: line([i*1.0, 0.0, 0.0], bead[i].position);
        }
        init bead[1].x = 1.4;
        guess block.z = -0.5;
        init der(block.e1) = 0.5;
        draw block: box(block.frame, [0.1, 2.0*r, 0.3]) color "#c0392b";
        draw corner: sphere(block.frame.point([0.05, r, 0.15]), 0.02);
        draw shaft: cylinder(block.frame.point([0.0, 0.0, 0.5]), block.frame.origin, 0.1*r);
        draw wheel: circle(block.frame, r);
        draw shadow: polyline([[0.0, 0.0, -1.0], [block.x, block.y, -1.0], block.position]);
        draw pull: spring([0.0, 0.0, 1.0], block.position);
        draw path: trace(block.frame.point([0.0, r, 0.0]));
        draw pulse: circle([1.0, 1.0, 0.0], 0.1 + 0.05*sin(t));
        until 1.0;
    }
}

mechanism! {
    /// Nothing of it is known but coordinates.
    pub mechanism Abstract {
        coord a: [rad];
        coord b: [m];
        kinetic all = 0.5*1.0*sq(der(a)) + 0.5*1.0*sq(der(b));
        potential well = 0.5*4.0*sq(a) + 0.5*9.0*sq(b);
        init a = 1.0;
        init b = 0.1;
        until 2.0;
    }
}

mechanism! {
    /// A chain of many links.
    pub mechanism Chain {
        size n = 1000;
        param l: [m] = 0.01;
        body link[n]: PlanarBody { mass: 0.01, inertia: 0.01*sq(l)/12.0 };
        holonomic first[2]: revolute(ground(), [0.0, 0.0], link[0].frame, [-0.5*l, 0.0]);
        for i in 1..n {
            holonomic pin[2]: revolute(link[i - 1].frame, [0.5*l, 0.0], link[i].frame, [-0.5*l, 0.0]);
        }
        for i in 0..n {
            potential weight = 9.81*0.01*link[i].y;
            guess link[i].x = (i + 0.5)*l;
        }
        until 0.05;
    }
}

mechanism! {
    /// A mass between a floor and a ceiling: events.
    pub mechanism Bouncer {
        body ball: PlanarMass { mass: 1.0 };
        potential weight = 9.81*ball.y;
        force floor along ball.y = if ball.y < 0.0 { -1e5*ball.y } else { 0.0 };
        init ball.y = 0.3;
        init der(ball.x) = 0.2;
        until 1.0;
    }
}
