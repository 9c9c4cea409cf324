//! The examples, and small models that no example has.

#![allow(dead_code, missing_docs)]

macro_rules! examples {
    ($($name:ident $path:literal;)*) => { $(
        #[path = $path]
        pub mod $name;
    )* };
}
examples! {
    actuator_pendulum "../../examples/actuator_pendulum.rs";
    andrews "../../examples/andrews.rs";
    andrews_bodies "../../examples/andrews_bodies.rs";
    arm "../../examples/arm.rs";
    bouncing "../../examples/bouncing.rs";
    bricard "../../examples/bricard.rs";
    bushing "../../examples/bushing.rs";
    bushing_pendulum "../../examples/bushing_pendulum.rs";
    car_axis "../../examples/car_axis.rs";
    chain "../../examples/chain.rs";
    closed_pendulum "../../examples/closed_pendulum.rs";
    clutch "../../examples/clutch.rs";
    crank_modal "../../examples/crank_modal.rs";
    crank_with_friction "../../examples/crank_with_friction.rs";
    double_pendulum "../../examples/double_pendulum.rs";
    drift_slider_crank "../../examples/drift_slider_crank.rs";
    fekete "../../examples/fekete.rs";
    flexible_slider_crank "../../examples/flexible_slider_crank.rs";
    four_bar "../../examples/four_bar.rs";
    four_bars "../../examples/four_bars.rs";
    heavy_top "../../examples/heavy_top.rs";
    ida_slider_crank "../../examples/ida_slider_crank.rs";
    jay_negrut "../../examples/jay_negrut.rs";
    mass_pi "../../examples/mass_pi.rs";
    pendulum "../../examples/pendulum.rs";
    point_mass_oscillation "../../examples/point_mass_oscillation.rs";
    point_mass_spring "../../examples/point_mass_spring.rs";
    rolling_disc "../../examples/rolling_disc.rs";
    seven_body "../../examples/seven_body.rs";
    skate "../../examples/skate.rs";
    slider_crank "../../examples/slider_crank.rs";
    slider_crank_haug "../../examples/slider_crank_haug.rs";
    slack_rope "../../examples/slack_rope.rs";
    stick_slip "../../examples/stick_slip.rs";
    stiff_pendulum "../../examples/stiff_pendulum.rs";
    two_body_bushing "../../examples/two_body_bushing.rs";
}

pub use actuator_pendulum::ActuatorPendulum;
pub use andrews::Andrews;
pub use andrews_bodies::AndrewsBodies;
pub use arm::Arm;
pub use bouncing::Bouncing;
pub use bricard::Bricard;
pub use bushing::Bushing;
pub use bushing_pendulum::BushingPendulum;
pub use car_axis::CarAxis;
pub use chain::Chain;
pub use closed_pendulum::ClosedPendulum;
pub use clutch::Clutch;
pub use crank_modal::CrankModal;
pub use crank_with_friction::CrankWithFriction;
pub use double_pendulum::DoublePendulum;
pub use drift_slider_crank::DriftSliderCrank;
pub use fekete::Fekete;
pub use flexible_slider_crank::FlexibleSliderCrank;
pub use four_bar::FourBar;
pub use four_bars::FourBars;
pub use heavy_top::HeavyTop;
pub use ida_slider_crank::IdaSliderCrank;
pub use jay_negrut::JayNegrut;
pub use mass_pi::MassPi;
pub use pendulum::Pendulum;
pub use point_mass_oscillation::PointMassOscillation;
pub use point_mass_spring::PointMassSpring;
pub use rolling_disc::RollingDisc;
pub use seven_body::SevenBody;
pub use skate::Skate;
pub use slack_rope::SlackRope;
pub use slider_crank::SliderCrank;
pub use slider_crank_haug::SliderCrankHaug;
pub use stick_slip::StickSlip;
pub use stiff_pendulum::StiffPendulum;
pub use two_body_bushing::TwoBodyBushing;

pub mod two_bodies {
    use mbd::components::{PlanarFrame, ground, revolute};
    use mbd::prelude::*;

    mechanism! {
        /// Two bars: the first pinned to the ground, the second held to the first by a bushing in
        /// the ground's directions and in rotation. The kind of paper 003, problem (5.1).
        pub mechanism TwoBodies {
            param m1: [kg] = 1.3;
            param m2: [kg] = 0.8;
            param J1: [kg*m^2] = 0.21;
            param J2: [kg*m^2] = 0.13;
            /// Half-length of the bars.
            param h: [m] = 0.5;
            param k: [N/m] = 900.0;
            param c: [N*s/m] = 10.0;
            param k_theta: [N*m/rad] = 70.0;
            param c_theta: [N*m*s/rad] = 2.0;
            param g: [m/s^2] = 9.81;

            coord x1: [m];
            coord y1: [m];
            coord theta1: [rad];
            coord x2: [m];
            coord y2: [m];
            coord theta2: [rad];

            let bar1 = PlanarFrame::new(x1, y1, theta1);
            let bar2 = PlanarFrame::new(x2, y2, theta2);
            let end = bar1.point([h, 0.0]);
            let start = bar2.point([-h, 0.0]);
            let gap = [start[0] - end[0], start[1] - end[1]];
            let opening = der(gap);

            kinetic first = 0.5*m1*(sq(der(x1)) + sq(der(y1))) + 0.5*J1*sq(der(theta1));
            kinetic second = 0.5*m2*(sq(der(x2)) + sq(der(y2))) + 0.5*J2*sq(der(theta2));
            potential weight = g*(m1*y1 + m2*y2);
            force bushing along [gap[0], gap[1]] = [-k*gap[0] - c*opening[0], -k*gap[1] - c*opening[1]];
            force torsion along theta2 - theta1 =
                -k_theta*(theta2 - theta1) - c_theta*(der(theta2) - der(theta1));

            holonomic pin[2]: revolute(ground(), [0.0, 0.0], bar1, [-h, 0.0]);

            init theta1 = 0.1;
            init theta2 = -0.2;
            guess x1 = h;
            guess x2 = 3.0*h;
            until 1.0;
        }
    }
}
pub use two_bodies::TwoBodies;

pub mod free_pair {
    use mbd::components::revolute;
    use mbd::prelude::*;

    mechanism! {
        /// Two bars joined by a pin and a torsion spring, floating freely: nothing acts from
        /// outside.
        pub mechanism FreePair {
            param k: [N*m/rad] = 12.0;
            body a: PlanarBody { mass: 1.5, inertia: 0.2 };
            body b: PlanarBody { mass: 0.7, inertia: 0.09 };
            holonomic pin[2]: revolute(a.frame, [0.5, 0.1], b.frame, [-0.4, 0.0]);
            potential spring = 0.5*k*sq(b.theta - a.theta - 0.3);
            init a.x = 0.0;
            init a.y = 0.0;
            init a.theta = 0.2;
            init b.theta = 1.1;
            guess b.x = 1.0;
            guess b.y = 0.3;
            init der(a.x) = 0.7;
            init der(a.y) = -0.4;
            init der(a.theta) = 3.0;
            init der(b.theta) = -5.0;
            until 2.0;
        }
    }
}
pub use free_pair::FreePair;

pub mod tilted_pendulum {
    use mbd::prelude::*;
    use std::f64::consts::PI;

    mechanism! {
        /// The bushing pendulum as a whole turned by `tilt` about the origin and moved to (u, v).
        pub mechanism TiltedPendulum {
            param m: [kg] = 5.0;
            param L: [m] = 2.0;
            param k: [N*m/rad] = 3000.0;
            param c: [N*m*s/rad] = 100.0;
            param g: [m/s^2] = 9.81;
            param tilt: [rad] = 0.0;
            param u: [m] = 0.0;
            param v: [m] = 0.0;

            coord x: [m];
            coord y: [m];
            coord theta: [rad];

            kinetic translation = 0.5*m*(sq(der(x)) + sq(der(y)));
            kinetic rotation = 0.5*(m*sq(L)/3.0)*sq(der(theta));
            potential weight = m*g*(y*cos(tilt) - x*sin(tilt));
            force bushing along theta = -k*(theta - tilt - 1.5*PI) - c*der(theta);
            holonomic pin: [x, y] == [u + L*cos(theta), v + L*sin(theta)];

            init theta = 1.5*PI + tilt;
            init der(theta) = 10.0;
            guess x = u + L*cos(theta);
            guess y = v + L*sin(theta);
            until 2.0;
        }
    }
}
pub use tilted_pendulum::TiltedPendulum;

pub mod renumbered_pendulum {
    use mbd::prelude::*;
    use std::f64::consts::PI;

    mechanism! {
        /// The bushing pendulum with its coordinates and rows in another order.
        pub mechanism RenumberedPendulum {
            param g: [m/s^2] = 9.81;
            param c: [N*m*s/rad] = 100.0;
            param k: [N*m/rad] = 3000.0;
            param L: [m] = 2.0;
            param m: [kg] = 5.0;

            coord theta: [rad];
            coord y: [m];
            coord x: [m];

            holonomic pin_y: y == L*sin(theta);
            holonomic pin_x: x == L*cos(theta);

            force bushing along theta = -k*(theta - 1.5*PI) - c*der(theta);
            potential weight = m*g*y;
            kinetic rotation = 0.5*(m*sq(L)/3.0)*sq(der(theta));
            kinetic translation = 0.5*m*(sq(der(x)) + sq(der(y)));

            init theta = 1.5*PI;
            init der(theta) = 10.0;
            guess y = L*sin(theta);
            guess x = L*cos(theta);
            until 2.0;
        }
    }
}
pub use renumbered_pendulum::RenumberedPendulum;

pub mod doubled_pendulum {
    use mbd::prelude::*;
    use std::f64::consts::PI;

    mechanism! {
        /// The bushing pendulum with a rod beside its pin: redundant when the rod's length is L,
        /// impossible otherwise.
        pub mechanism DoubledPendulum {
            param m: [kg] = 5.0;
            param L: [m] = 2.0;
            param k: [N*m/rad] = 3000.0;
            param c: [N*m*s/rad] = 100.0;
            param g: [m/s^2] = 9.81;
            /// How much too long the rod is.
            param excess: [m] = 0.0;

            coord x: [m];
            coord y: [m];
            coord theta: [rad];

            kinetic translation = 0.5*m*(sq(der(x)) + sq(der(y)));
            kinetic rotation = 0.5*(m*sq(L)/3.0)*sq(der(theta));
            potential weight = m*g*y;
            force bushing along theta = -k*(theta - 1.5*PI) - c*der(theta);
            holonomic pin: [x, y] == [L*cos(theta), L*sin(theta)];
            holonomic rod: sq(x) + sq(y) == sq(L + excess);

            init theta = 1.5*PI;
            init der(theta) = 10.0;
            guess x = 0.1;
            guess y = -1.8;
            until 2.0;
        }
    }
}
pub use doubled_pendulum::DoubledPendulum;

pub mod troubles {
    use mbd::prelude::*;

    mechanism! {
        /// A force law that has no value after 0.5 s.
        pub mechanism NoValue {
            coord x: [m];
            kinetic = 0.5*sq(der(x));
            force odd along x = sqrt(0.5 - t);
            force even along x = -x;
            init x = 1.0;
            until 1.0;
        }
    }

    mechanism! {
        /// A state that is infinite at t = 1.
        pub mechanism BlowUp {
            coord x: [m];
            state s;
            kinetic = 0.5*sq(der(x));
            force pull along x = s;
            der(s) = sq(s);
            init x = 0.0;
            init s = 1.0;
            until 2.0;
        }
    }

    mechanism! {
        /// Two constraints whose gradients vanish where the mechanism starts, though not nearby.
        pub mechanism Singular {
            coord x: [m];
            coord y: [m];
            kinetic = 0.5*(sq(der(x)) + sq(der(y)));
            holonomic cross: x*y == 0.0;
            init x = 0.0;
            init y = 0.0;
            until 1.0;
        }
    }

    mechanism! {
        /// No position meets the constraint.
        pub mechanism Impossible {
            coord x: [m];
            coord y: [m];
            kinetic = 0.5*(sq(der(x)) + sq(der(y)));
            holonomic sphere: sq(x) + sq(y) == -1.0;
            guess x = 0.5;
            until 1.0;
        }
    }

    mechanism! {
        /// A force law without a value at the start.
        pub mechanism BadLog {
            coord x: [m];
            kinetic = 0.5*sq(der(x));
            force logarithm along x = ln(x);
            init x = -1.0;
            until 1.0;
        }
    }

    mechanism! {
        /// A massless coordinate: its kinetic energy has a factor that a parameter makes zero.
        pub mechanism Massless {
            param m: [kg] = 0.0;
            coord x: [m];
            coord y: [m];
            kinetic = 0.5*sq(der(x)) + 0.5*m*sq(der(y));
            force along y = 1.0;
            init x = 0.0;
            init y = 0.0;
            until 1.0;
        }
    }

    mechanism! {
        /// Two rows that constrain the same coordinate to different values.
        pub mechanism Contradiction {
            coord x: [m];
            coord y: [m];
            kinetic = 0.5*(sq(der(x)) + sq(der(y)));
            holonomic first: x == 1.0;
            holonomic also: 2.0*x == 2.5;
            guess x = 0.9;
            until 1.0;
        }
    }
}
