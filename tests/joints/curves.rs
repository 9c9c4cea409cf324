//! Cams and tracks through points, and forces along vectors.

use crate::{Outputs, last, near, started};
use mbd::components::curve::{periodic_spline, spline};
use mbd::components::{force, spatial};
use mbd::integrate::{Method, Radau5};
use mbd::prelude::*;
use mbd::verify::assert_all_derivatives;

const N: usize = 48;

/// Points of the outline 0.02 + 0.004 cos 2φ.
fn outline<D: Scalar>(angle: Num<D>) -> Num<D> {
    let points: [[f64; 2]; N + 1] = std::array::from_fn(|k| {
        let at = TAU * k as f64 / N as f64;
        [at, 0.02 + 0.004 * (2.0 * at).cos()]
    });
    periodic_spline(angle, &points)
}

macro_rules! valve {
    ($name:ident, |$angle:ident| $outline:expr) => {
        mechanism! {
            pub mechanism $name {
                param w: [rad/s] = 20.0;
                body shaft: PlanarBody { mass: 1.0, inertia: 1e-3 };
                body valve: PlanarBody { mass: 0.1, inertia: 1e-4 };
                joint bearing: revolute(ground, shaft);
                joint guide: prismatic(ground.at([0, 0], [0, 1]), valve.at([0, 0], [0, 1]));
                joint lift: cam(shaft, valve, |$angle| $outline);
                force motor along bearing.angle = 0.2 - 0.01*(bearing.rate - w);
                force spring along guide.position = -2e3*guide.position - 20.0;
                init bearing.rate = w;
                guess guide.position = 0.024;
                output lifted: [m] = guide.position;
                output contact: [N] = norm(lift.force);
                output angle: [rad] = bearing.angle;
                until 0.4;
            }
        }
    };
}
valve!(Points, |angle| outline(angle));
valve!(Formula, |angle| 0.02 + 0.004 * cos(2.0 * angle));

/// As far as 48 points tell the outline: its fourth derivative times (h/2)⁴/24 and less.
#[test]
fn a_cam_of_points_is_that_of_its_formula() {
    assert_all_derivatives(&Points::default());
    for (method, tol, good) in [
        ("radau5", 1e-9, 1e-3),
        ("hht-i3", 1e-7, 5e-3),
        ("bdf-ggl", 1e-7, 5e-3),
        ("state-space", 1e-7, 5e-3),
    ] {
        let run = |m: &dyn Mechanism| {
            let method = Method::from_name(method).expect("a method");
            let run = Simulation::new(m).method(method).step(Step::adaptive(tol)).run();
            run.unwrap_or_else(|failed| panic!("{failed}"))
        };
        let (points, formula) = (run(&Points::default()), run(&Formula::default()));
        assert!(points.events.is_empty(), "{:?}", points.events);
        let turned = last(&formula, "angle");
        assert!(turned > 7.0, "{turned}");
        near(method, last(&points, "angle"), turned, good);
        near(method, last(&points, "lifted"), last(&formula, "lifted"), 0.01 * good);
        near(method, last(&points, "contact"), last(&formula, "contact"), 100.0 * good);
    }
}

const TRACK: [[f64; 2]; 6] =
    [[-0.5, 0.3], [-0.2, 0.05], [0.0, 0.0], [0.3, 0.1], [0.6, 0.3], [1.0, 0.7]];

mechanism! {
    /// A bead on a wire through points: its energy stays.
    pub mechanism Bead {
        gravity [0, -9.81];
        body bead: PlanarMass { mass: 0.5 };
        joint wire: point_on_curve(ground, bead, |x| spline(x, &TRACK));
        guess bead.position = [-0.4, 0.2];
        output height: [m] = bead.y - spline(bead.x, &TRACK);
        output x: [m] = bead.x;
        output force: [N] = wire.force;
        until 2.0;
    }
}

#[test]
fn a_bead_goes_along_a_wire_through_points() {
    assert_all_derivatives(&Bead::default());
    let run = Simulation::new(&Bead::default())
        .method(Radau5::default())
        .step(Step::adaptive(1e-10))
        .run()
        .expect("a run");
    assert!(run.events.is_empty());
    near("on the wire", last(&run, "height"), 0.0, 1e-12);
    let balance = run.balance.as_ref().expect("a balance");
    assert!(balance.closes < 1e-8, "{}", balance.closes);
    assert!(last(&run, "x").is_finite());
}

macro_rules! mounted {
    ($name:ident { $($rubber:tt)* }) => {
        mechanism! {
            /// An engine on rubber, fixed in six directions.
            pub mechanism $name {
                param k[6] = [2e5, 3e5, 1e5, 300.0, 200.0, 100.0];
                param c[6] = [20.0, 30.0, 40.0, 1.0, 2.0, 3.0];
                gravity [0, 0, -9.81];
                body engine: SpatialBody { mass: 80.0, jx: 2.0, jy: 3.0, jz: 2.5 };
                init engine.position = [0.21, 0.02, -0.1];
                init engine.e = axis_angle([1, 2, -1], 0.1);
                init engine.velocity = [0.3, -0.2, 0.1];
                init engine.omega = [1, -2, 0.5];
                let mount = spatial::offset(spatial::ground(), engine.frame.at([-0.2, 0, 0.1]));
                $($rubber)*
                output acceleration: [m/s^2] = der(engine.velocity);
                output alpha: [rad/s^2] = der(engine.omega);
                until 0.1;
            }
        }
    };
}
mounted!(Vector { force rubber along mount = force::bushing(mount, der(mount), k, c); });
mounted!(Entries {
    let rate = der(mount);
    force x along mount[0] = -k[0]*mount[0] - c[0]*rate[0];
    force y along mount[1] = -k[1]*mount[1] - c[1]*rate[1];
    force z along mount[2] = -k[2]*mount[2] - c[2]*rate[2];
    force u along mount[3] = -k[3]*mount[3] - c[3]*rate[3];
    force v along mount[4] = -k[4]*mount[4] - c[4]*rate[4];
    force w along mount[5] = -k[5]*mount[5] - c[5]*rate[5];
});

#[test]
fn a_bushing_acts_along_its_offset() {
    assert_all_derivatives(&Vector::default());
    let (whole, parts) =
        (Outputs::of(&started(&Vector::default())), Outputs::of(&started(&Entries::default())));
    for name in ["acceleration", "alpha"] {
        let (is, should) = (whole.vector::<3>(name), parts.vector::<3>(name));
        crate::close(name, is, should, 1e-12 * should.norm());
        assert!(should.norm() > 1.0);
    }
}
