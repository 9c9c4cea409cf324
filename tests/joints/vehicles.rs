//! The bicycle against its published eigenvalues, the wishbones against plane geometry.

#[path = "../../examples/arm_bodies.rs"]
#[allow(dead_code)]
mod arm_bodies;
#[path = "../../examples/bicycle.rs"]
#[allow(dead_code)]
mod bicycle;
#[path = "../../examples/double_wishbone.rs"]
#[allow(dead_code)]
mod double_wishbone;

use crate::{Outputs, last, near, started};
use bicycle::Bicycle;
use double_wishbone::DoubleWishbone;
use mbd::Simulation;
use mbd::integrate::{Radau5, Step};
use mbd::verify::assert_all_derivatives;
use nalgebra::Matrix4;

const STATE: [&str; 4] = ["leaning", "steering", "leaning_rate", "steering_rate"];

/// What small leans and steering angles become after a time `t`, as a matrix.
fn transition(v: f64, t: f64) -> Matrix4<f64> {
    let small = 1e-5;
    let (mut before, mut after) = (Matrix4::zeros(), Matrix4::zeros());
    for k in 0..4 {
        let mut bicycle = Bicycle { v, lean: 0.0, ..Default::default() };
        let starts = [
            &mut bicycle.lean,
            &mut bicycle.steered,
            &mut bicycle.lean_rate,
            &mut bicycle.steered_rate,
        ];
        for (i, start) in starts.into_iter().enumerate() {
            *start = if i == k { small } else { 0.0 };
        }
        let first = Outputs::of(&started(&bicycle));
        let run = Simulation::new(&bicycle)
            .method(Radau5::default())
            .step(Step::adaptive(1e-11))
            .until(t)
            .run()
            .expect("the bicycle rolls");
        for (i, name) in STATE.iter().enumerate() {
            before[(i, k)] = first.number(name) / small;
            after[(i, k)] = last(&run, name) / small;
        }
    }
    after * before.try_inverse().expect("four motions are independent")
}

/// Source: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955,
/// table 2: the eigenvalues of the linearized equations, to 14 digits there.
#[test]
fn the_bicycle_has_its_published_eigenvalues() {
    type Root = (f64, f64);
    let cases: [(f64, [Root; 4]); 2] = [
        (
            5.0,
            [
                (-14.07838969279822, 0.0),
                (-0.32286642900409, 0.0),
                (-0.77534188219585, 4.46486771378823),
                (-0.77534188219585, -4.46486771378823),
            ],
        ),
        (
            10.0,
            [
                (-24.62459635017404, 0.0),
                (0.16105338653172, 0.0),
                (-3.72016840437287, 10.90681139476287),
                (-3.72016840437287, -10.90681139476287),
            ],
        ),
    ];
    let t = 0.1;
    for (v, roots) in cases {
        let found = transition(v, t).complex_eigenvalues();
        for (re, im) in roots {
            let wanted = nalgebra::Complex::new(re * t, im * t).exp();
            let off = found.iter().map(|x| (x - wanted).norm()).fold(f64::INFINITY, f64::min);
            assert!(off < 1e-10, "at {v} m/s, {re} + {im}i: off by {off:.1e}");
        }
    }
}

/// What a mechanism is written in reads like what it is, and is no longer: lines of its block, as rustfmt leaves it.
#[test]
fn mechanisms_are_short() {
    let examples = [
        (include_str!("../../examples/bicycle.rs"), 60),
        (include_str!("../../examples/double_wishbone.rs"), 60),
        (include_str!("../../examples/arm_bodies.rs"), 25),
        (include_str!("../../examples/arm_angles.rs"), 25),
    ];
    for (text, most) in examples {
        let block = text.lines().skip_while(|line| *line != "mechanism! {");
        let lines = 1 + block.take_while(|line| *line != "}").count();
        assert!(lines > 20 && lines <= most, "{lines} lines:\n{text}");
        assert!(text.lines().all(|line| line.len() <= 130));
    }
}

#[test]
fn derivatives() {
    assert_all_derivatives(&arm_bodies::ArmBodies::default());
    assert_all_derivatives(&Bicycle::default());
    assert_all_derivatives(&DoubleWishbone::default());
}

/// The balls lie where circles about the pivots and the length of the carrier put them.
#[test]
fn wishbones_are_where_plane_geometry_puts_them() {
    for ride in [-0.3f64, -0.05, 0.2] {
        let started = started(&DoubleWishbone { ride, ..Default::default() });
        assert_eq!(started.report.dof, 2);
        let out = |name: &str| {
            let coords = started.system.model().coords();
            let at = coords.iter().position(|label| label.name == name).expect("a coordinate");
            started.point.q()[at]
        };
        // Lower ball P, upper ball Q: |Q − (0.4, 0.15)| = 0.3, |Q − P| = |(0.05, −0.3)|.
        let p = nalgebra::Vector2::new(0.35 + 0.4 * ride.cos(), -0.15 + 0.4 * ride.sin());
        let (c, r, l) = (nalgebra::Vector2::new(0.4, 0.15), 0.3, 0.05f64.hypot(0.3));
        let d = p - c;
        let along = (r * r - l * l + d.norm_squared()) / (2.0 * d.norm());
        let across = (r * r - along * along).sqrt();
        let q =
            c + d * (along / d.norm()) + nalgebra::Vector2::new(-d[1], d[0]) * (across / d.norm());
        // The centre of the upper wishbone is half way from its pivot.
        near("y", out("upper.y"), 0.5 * (c[0] + q[0]), 1e-12);
        near("z", out("upper.z"), 0.5 * (c[1] + q[1]), 1e-12);
    }
}

/// The tip where the angles put it, by turns one after the other.
#[test]
fn the_arm_is_where_its_angles_put_it() {
    use nalgebra::{Rotation3, Vector3};
    let started = started(&arm_bodies::ArmBodies::default());
    assert_eq!((started.report.dof, started.report.moved.len()), (6, 0));
    let out = Outputs::of(&started);
    let (y, x) = (Vector3::y_axis(), Vector3::x_axis());
    let links = [
        (Vector3::z_axis(), 0.4, Vector3::new(0.1, 0.0, 0.4)),
        (y, -0.9, Vector3::new(0.6, 0.0, 0.0)),
        (y, 1.2, Vector3::new(0.4, 0.0, 0.0)),
        (x, 0.3, Vector3::new(0.3, 0.0, 0.0)),
        (y, 0.5, Vector3::new(0.12, 0.0, 0.0)),
        (x, -0.2, Vector3::new(0.08, 0.0, 0.0)),
    ];
    let (mut turn, mut tip) = (Rotation3::identity(), Vector3::zeros());
    for (axis, angle, length) in links {
        turn *= Rotation3::from_axis_angle(&axis, angle);
        tip += turn * length;
    }
    crate::close("tip", out.vector("tip"), tip, 1e-14);
}
