use super::*;
use crate::ad::{Instances, Kernel};
use crate::assembly::{Residual, SlotKind, SlotKind::*, Want};
use crate::components::planar::{PlanarFrame, ground, revolute};
use crate::model::{Keep, Model, ModelBuilder, Reaction};
use crate::scalar::{Num, Scalar, num};

/// A kernel from an expression of the scalars `z` and the loop indices `at`.
macro_rules! kernel {
    ($name:ident<$k:literal, $r:literal> |$z:ident, $at:ident| $body:expr) => {
        struct $name;
        impl Kernel<$k, 0, $r> for $name {
            fn eval<D: Scalar>(
                &self,
                $at: &[usize],
                $z: &[Num<D>; $k],
                _: &[Num<D>; 0],
            ) -> [Num<D>; $r] {
                let _ = $at;
                $body
            }
        }
    };
}

fn once<const K: usize>(slots: [(SlotKind, usize); K]) -> Instances<K, 0> {
    let mut instances = Instances::new(slots.map(|s| s.0));
    instances.push(&[], slots.map(|s| s.1), []);
    instances
}

fn coords(b: &mut ModelBuilder, names: &[&str], masses: &[f64], guesses: &[f64]) {
    for (i, (name, guess)) in names.iter().zip(guesses).enumerate() {
        b.coord(name, "", "");
        b.init_q(i, *guess, Keep::Guess);
        b.kinetic(name, Half(masses[i]), once([(V, i)]));
    }
}

struct Half(f64);
impl Kernel<1, 0, 1> for Half {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 1], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [z[0] * z[0] * (0.5 * self.0)]
    }
}

/// A constant force.
struct Constant(f64);
impl Kernel<0, 0, 1> for Constant {
    fn eval<D: Scalar>(&self, _: &[usize], _: &[Num<D>; 0], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [num(self.0)]
    }
}

fn load(b: &mut ModelBuilder, coordinate: usize, force: f64) {
    b.force("load", Constant(force), once([]), vec![[coordinate]]);
}

/// The system of a finished model, started; panics with the error's text.
fn started(model: Model) -> (System, Point, StartReport) {
    let mut system = System::new(model);
    let mut point = system.initial_point();
    match start(&mut system, &mut point) {
        Ok(report) => (system, point, report),
        Err(error) => panic!("{error}"),
    }
}

fn failed(model: Model) -> StartError {
    let mut system = System::new(model);
    let mut point = system.initial_point();
    match start(&mut system, &mut point) {
        Ok(report) => panic!("{report}"),
        Err(error) => error,
    }
}

kernel!(Circle < 2, 1 > |z, _at| [z[0].sq() + z[1].sq() - 1.0]);

fn pendulum(guess: [f64; 2], keep: [Keep; 2]) -> ModelBuilder {
    let mut b = ModelBuilder::new("Pendulum", "");
    coords(&mut b, &["x", "y"], &[2.0, 2.0], &guess);
    for i in 0..2 {
        b.init_q(i, guess[i], keep[i]);
    }
    let row = b.rows_holonomic("rod", 1, 1);
    b.holonomic("rod", Circle, once([(Q, 0), (Q, 1)]), row, Reaction::Standard);
    load(&mut b, 1, -2.0 * 9.81);
    b
}

#[test]
fn guesses_move_along_the_shortest_way() {
    let (_, point, report) = started(pendulum([0.9, 1.2], [Keep::Guess; 2]).finish().unwrap());
    assert!((point.q()[0] - 0.6).abs() < 1e-15 && (point.q()[1] - 0.8).abs() < 1e-15);
    assert_eq!(report.moved[0].name, "y");
    assert!((report.moved[0].to - 0.8).abs() < 1e-15 && !report.moved[0].kept);
    assert_eq!((report.dof, report.rank, report.coordinates), (1, 1, 2));
    assert!(report.position_residual < 1e-15, "{report}");
    // At rest: 2a + 2xλ = 0, 2a_y + 2yλ = −2g, x a_x + y a_y = 0.
    let lambda = -9.81 * 0.8;
    assert!((point.lambda()[0] - lambda).abs() < 1e-13, "{:?}", point.lambda());
    assert!((point.a()[0] + 0.6 * lambda).abs() < 1e-13);
    assert!(report.acceleration_residual < 1e-13, "{report}");
}

#[test]
fn kept_coordinates_stay_and_the_others_follow() {
    let (_, point, report) =
        started(pendulum([0.6, 1.2], [Keep::Kept, Keep::Guess]).finish().unwrap());
    assert_eq!(point.q()[0], 0.6);
    assert!((point.q()[1] - 0.8).abs() < 1e-15);
    assert_eq!(report.moved.len(), 1);
}

#[test]
fn kept_coordinates_that_cannot_stay_are_named() {
    let error = failed(pendulum([0.6, 1.2], [Keep::Kept; 2]).finish().unwrap());
    let StartError::KeptConflict { kept, constraints, needed, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (kept.as_slice(), constraints.as_slice()),
        (&["x".into(), "y".into()][..], &["rod".into()][..])
    );
    assert_eq!(needed.len(), 2);
    assert!(error.is_assembly());
    let text = error.to_string();
    assert!(text.contains("x, y cannot all be kept") && text.contains("rod"), "{text}");

    // x = 2 is beyond the rod, whatever y is.
    let error = failed(pendulum([2.0, 0.3], [Keep::Kept, Keep::Guess]).finish().unwrap());
    assert!(matches!(&error, StartError::KeptConflict { kept, .. } if kept == &["x"]), "{error}");
}

#[test]
fn digits_that_are_too_few_are_mended() {
    let (_, point, report) =
        started(pendulum([0.6, 0.800_000_01], [Keep::Kept; 2]).finish().unwrap());
    assert!((point.q()[0].hypot(point.q()[1]) - 1.0).abs() < 1e-15);
    assert!(report.moved.iter().all(|m| m.kept), "{report}");
}

#[test]
fn a_guess_at_a_singular_point_is_left() {
    // The gradient of the circle vanishes at its centre.
    let (_, point, _) = started(pendulum([0.0, 0.0], [Keep::Guess; 2]).finish().unwrap());
    assert!((point.q()[0].hypot(point.q()[1]) - 1.0).abs() < 1e-15);
}

kernel!(Never < 1, 1 > |z, _at| [0.0 * z[0] + 1.0]);
kernel!(Far < 2, 1 > |z, _at| [z[0].sq() + z[1].sq() + 1.0]);

#[test]
fn a_mechanism_that_cannot_be_assembled_says_which_rows_remain() {
    let mut b = pendulum([0.9, 1.2], [Keep::Guess; 2]);
    let row = b.rows_holonomic("far", 1, 1);
    b.holonomic("far", Far, once([(Q, 0), (Q, 1)]), row, Reaction::Standard);
    let error = failed(b.finish().unwrap());
    // x² + y² = 1 and x² + y² = −1 constrain the same motion.
    assert!(
        matches!(&error, StartError::Inconsistent { row, with, .. } if row == "far" && with == &["rod"]),
        "{error}"
    );

    let mut b = ModelBuilder::new("Short", "");
    coords(&mut b, &["x", "y"], &[1.0, 1.0], &[0.5, 0.5]);
    let row = b.rows_holonomic("far", 1, 1);
    b.holonomic("far", Far, once([(Q, 0), (Q, 1)]), row, Reaction::Standard);
    let error = failed(b.finish().unwrap());
    let StartError::CannotAssemble { violated, .. } = &error else { panic!("{error}") };
    assert_eq!(violated[0].0, "far");
    assert!((violated[0].1 - 1.0).abs() < 1e-3, "{error}");

    // It reads x and is 1 whatever x is.
    let mut b = pendulum([0.9, 1.2], [Keep::Guess; 2]);
    let row = b.rows_holonomic("never", 1, 1);
    b.holonomic("never", Never, once([(Q, 0)]), row, Reaction::Standard);
    let error = failed(b.finish().unwrap());
    assert!(
        matches!(&error, StartError::Inconsistent { row, with, .. } if row == "never" && with.is_empty()),
        "{error}"
    );
    assert!(error.to_string().contains("no coordinate has a part in it"), "{error}");
}

/// Four bars: a crank, a coupler and a rocker by their angles.
struct Loop {
    lengths: [f64; 3],
    ground: f64,
}
impl Kernel<3, 0, 2> for Loop {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 3], _: &[Num<D>; 0]) -> [Num<D>; 2] {
        let [a, b, c] = self.lengths;
        [
            z[0].cos() * a + z[1].cos() * b - z[2].cos() * c - self.ground,
            z[0].sin() * a + z[1].sin() * b - z[2].sin() * c,
        ]
    }
}

#[test]
fn a_four_bar_linkage_keeps_its_crank_and_its_speed() {
    let mut b = ModelBuilder::new("FourBar", "");
    coords(&mut b, &["crank", "coupler", "rocker"], &[0.1, 0.3, 0.2], &[0.7, 0.4, 1.3]);
    b.init_q(0, 0.7, Keep::Kept);
    b.init_v(0, 3.0, Keep::Kept);
    let bars = Loop { lengths: [0.2, 0.6, 0.5], ground: 0.55 };
    let row = b.rows_holonomic("close", 2, 1);
    b.holonomic("close", bars, once([(Q, 0), (Q, 1), (Q, 2)]), row, Reaction::Standard);
    let (_, point, report) = started(b.finish().unwrap());
    assert_eq!((point.q()[0], point.v()[0], report.dof), (0.7, 3.0, 1));
    assert!(report.position_residual < 1e-15 && report.velocity_residual < 1e-15, "{report}");
    assert!(report.acceleration_residual < 1e-13 && report.redundant.is_empty(), "{report}");
    assert_eq!(report.moved_velocities.len(), 2);
}

/// Where the uprights stand.
const PLACES: [f64; 3] = [0.0, 2.0, 1.0];

/// A parallelogram of two upright bars and a platform, all as bodies, with a third upright.
fn parallelogram(third: bool, length_of_third: f64, angle: f64) -> Model {
    let bars = if third { 3 } else { 2 };
    let mut b = ModelBuilder::new("Parallelogram", "");
    let mut names = vec!["X".to_string(), "Y".into(), "tilt".into()];
    let mut guesses = vec![1.0 + angle.cos(), angle.sin() + 0.02, 0.01];
    for (i, place) in PLACES.iter().enumerate().take(bars) {
        names.extend([format!("x{i}"), format!("y{i}"), format!("theta{i}")]);
        guesses.extend([place + 0.5 * angle.cos(), 0.5 * angle.sin(), angle + 0.03 * i as f64]);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    coords(&mut b, &names, &vec![1.0; names.len()], &guesses);
    if third || angle == 0.0 {
        b.init_q(5, angle, Keep::Kept);
    }
    struct Foot(f64, f64);
    impl Kernel<3, 0, 2> for Foot {
        fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 3], _: &[Num<D>; 0]) -> [Num<D>; 2] {
            let bar = PlanarFrame::new(z[0], z[1], z[2]);
            revolute(ground(), [num(self.0), num(0.0)], bar, [num(-0.5 * self.1), num(0.0)])
        }
    }
    struct Head(f64, f64);
    impl Kernel<6, 0, 2> for Head {
        fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 6], _: &[Num<D>; 0]) -> [Num<D>; 2] {
            let platform = PlanarFrame::new(z[0], z[1], z[2]);
            let bar = PlanarFrame::new(z[3], z[4], z[5]);
            revolute(platform, [num(self.0 - 1.0), num(0.0)], bar, [num(0.5 * self.1), num(0.0)])
        }
    }
    for (i, place) in PLACES.into_iter().enumerate().take(bars) {
        let length = if i == 2 { length_of_third } else { 1.0 };
        let at = 3 + 3 * i;
        let foot = b.rows_holonomic(&format!("foot{i}"), 2, 1);
        b.holonomic(
            "foot",
            Foot(place, length),
            once([(Q, at), (Q, at + 1), (Q, at + 2)]),
            foot,
            Reaction::Standard,
        );
        let head = b.rows_holonomic(&format!("head{i}"), 2, 1);
        let slots = once([(Q, 0), (Q, 1), (Q, 2), (Q, at), (Q, at + 1), (Q, at + 2)]);
        b.holonomic("head", Head(place, length), slots, head, Reaction::Standard);
    }
    load(&mut b, 1, -9.81);
    b.finish().unwrap()
}

#[test]
fn a_redundant_upright_is_reported_by_name_and_handled() {
    let (system, point, report) = started(parallelogram(true, 1.0, 1.1));
    assert_eq!((report.coordinates, report.rank, report.dof), (12, 11, 1), "{report}");
    let [redundant] = &report.redundant[..] else { panic!("{report}") };
    assert!(redundant.row.starts_with("head2"), "{report}");
    assert!(redundant.depends_on.contains(&"head0[0]".to_string()), "{report}");
    assert_eq!(system.inactive_rows(Lambda).count(), 1);
    let row = system.inactive_rows(Lambda).next().unwrap();
    assert_eq!(point.lambda()[row], 0.0);
    assert!(report.position_residual < 1e-14 && report.acceleration_residual < 1e-12, "{report}");
    // The equations of motion hold with the multipliers of the other rows alone.
    let mut out = Residual::new(&system.dims());
    system.eval_at(&point, Want::MU | Want::F | Want::REACTION, &mut out);
    for i in 0..12 {
        assert!((out.mu[i] + out.reaction[i] - out.f[i]).abs() < 1e-12, "{out:?}");
    }
}

#[test]
fn more_rows_than_coordinates_are_redundant() {
    let mut b = pendulum([0.6, 0.8], [Keep::Guess; 2]);
    for name in ["again", "and again"] {
        let row = b.rows_holonomic(name, 1, 1);
        b.holonomic(name, Circle, once([(Q, 0), (Q, 1)]), row, Reaction::Standard);
    }
    let (_, _, report) = started(b.finish().unwrap());
    assert_eq!((report.coordinates, report.rank, report.dof), (2, 1, 1), "{report}");
    let rows: Vec<&str> = report.redundant.iter().map(|redundant| &*redundant.row).collect();
    assert_eq!(rows, ["again", "and again"]);
}

#[test]
fn an_upright_of_another_length_cannot_be_assembled() {
    let error = failed(parallelogram(true, 1.3, 1.1));
    assert!(
        matches!(error, StartError::KeptConflict { .. } | StartError::CannotAssemble { .. }),
        "{error}"
    );
}

#[test]
fn a_flat_parallelogram_is_a_singular_position() {
    let error = failed(parallelogram(false, 1.0, 0.0));
    let StartError::SingularPosition { rows, .. } = &error else { panic!("{error}") };
    assert!(rows[0].starts_with("head1"), "{error}");
    assert!(!error.is_assembly());
}

kernel!(Drive < 2, 1 > |z, _at| [z[0] - z[1] * 2.0]);
kernel!(Faster < 2, 1 > |z, _at| [z[0] - z[1] * 3.0]);
kernel!(Bent < 2, 1 > |z, _at| [z[0] - z[1] * 2.0 - z[1].sq() * 5.0]);

fn driven(twice: Option<bool>) -> ModelBuilder {
    let mut b = ModelBuilder::new("Driven", "");
    coords(&mut b, &["theta"], &[1.0], &[0.4]);
    let row = b.rows_holonomic("drive", 1, 1);
    b.holonomic("drive", Drive, once([(Q, 0), (T, 0)]), row, Reaction::Standard);
    match twice {
        Some(true) => {
            let row = b.rows_holonomic("faster", 1, 1);
            b.holonomic("faster", Faster, once([(Q, 0), (T, 0)]), row, Reaction::Standard);
        }
        Some(false) => {
            let row = b.rows_holonomic("bent", 1, 1);
            b.holonomic("bent", Bent, once([(Q, 0), (T, 0)]), row, Reaction::Standard);
        }
        None => {}
    }
    b
}

#[test]
fn drives_set_position_and_velocity_and_contradictions_are_told_at_every_level() {
    let (_, point, report) = started(driven(None).finish().unwrap());
    assert!(point.q()[0].abs() < 1e-20);
    assert_eq!((point.v()[0], report.dof), (2.0, 0));
    // Both drives agree at t = 0 in position; the velocities differ.
    let error = failed(driven(Some(true)).finish().unwrap());
    assert!(
        matches!(&error, StartError::Inconsistent { row, with, .. } if row == "faster" && with == &["drive"]),
        "{error}"
    );
    // Here only the accelerations differ, by 10.
    let error = failed(driven(Some(false)).finish().unwrap());
    let StartError::Inconsistent { row, residual, .. } = &error else { panic!("{error}") };
    assert_eq!(row, "bent");
    assert!((residual.abs() - 10.0).abs() < 1e-12, "{error}");
}

kernel!(Skate < 3, 1 > |z, _at| [-z[0].sin() * z[1] + z[0].cos() * z[2]]);

#[test]
fn a_skate_starts_along_its_blade() {
    let mut b = ModelBuilder::new("Skate", "");
    coords(&mut b, &["x", "y", "phi"], &[2.0, 2.0, 0.3], &[0.0, 0.0, 0.0]);
    b.init_q(2, 0.5, Keep::Kept);
    b.init_v(0, 1.0, Keep::Kept);
    b.init_v(2, 1.3, Keep::Kept);
    let row = b.rows_nonholonomic("blade", 1, 1);
    b.nonholonomic("blade", Skate, once([(Q, 2), (V, 0), (V, 1)]), row, Reaction::Standard);
    load(&mut b, 0, 8.0);
    let (_, point, report) = started(b.finish().unwrap());
    assert!((point.v()[1] - 0.5f64.tan()).abs() < 1e-15, "{:?}", point.v());
    assert_eq!((report.dof, report.rank), (2, 1));
    // 2 a − (−sin, cos) ψ·(−1) = f and K a + ζ = 0 with ζ = −ω (cos ẋ + sin ẏ).
    let (s, c) = 0.5f64.sin_cos();
    let psi = (-s * 8.0 / 2.0 - 1.3 * (c + s * 0.5f64.tan())) * 2.0;
    assert!((point.psi()[0] - psi).abs() < 1e-12, "{} {psi}", point.psi()[0]);
}

kernel!(Friction < 2, 1 > |z, _at| [-(z[0].sq() + 1e-8).sqrt() * 0.3 * z[1].tanh()]);
kernel!(LowPass < 3, 1 > |z, _at| [z[0] * 0.05 + z[0].powi(3) * 0.01 + z[1] - z[2]]);
kernel!(Command < 2, 1 > |z, _at| [z[0].cos() * 0.7 + z[1] * 0.01]);

/// Forces that depend on multipliers, an implicit state and an algebraic loop, all coupled.
#[test]
fn all_level_two_unknowns_are_solved_together() {
    let mut b = pendulum([0.6, 0.8], [Keep::Guess; 2]);
    b.init_v(0, 0.8, Keep::Guess);
    b.init_v(1, -0.6, Keep::Guess);
    b.force("friction", Friction, once([(Lambda, 0), (V, 0)]), vec![[0]]);
    b.state("s", "", "");
    b.variable("u", "", "");
    b.init_x(0, 0.2);
    b.equation("s", LowPass, once([(Xd, 0), (X, 0), (W, 0)]));
    // u = 0.7 cos u + 0.01 a_y.
    b.define("u", Command, once([(W, 0), (A, 1)]), vec![0]);
    b.force("push", Push, once([(W, 0)]), vec![[1]]);
    let (system, point, report) = started(b.finish().unwrap());
    let want = Want::MU | Want::F | Want::REACTION | Want::D | Want::W | Want::GU | Want::GAMMA;
    let mut out = Residual::new(&system.dims());
    system.eval_at(&point, want, &mut out);
    for i in 0..2 {
        assert!((out.mu[i] + out.reaction[i] - out.f[i]).abs() < 1e-13, "{out:?}");
    }
    assert!(out.d[0].abs() < 1e-14 && out.w[0].abs() < 1e-14, "{out:?}");
    assert!((out.gu[0] + out.gamma[0]).abs() < 1e-13);
    assert!(report.iterations <= 12, "{report:?}");
}
kernel!(Push < 1, 1 > |z, _at| [z[0] * 3.0]);

kernel!(Root < 1, 1 > |z, _at| [(z[0] - 1.0).sqrt()]);

#[test]
fn a_force_without_a_value_is_named_with_its_statement() {
    let mut b = pendulum([0.6, 0.8], [Keep::Guess; 2]);
    b.force("strange", Root, once([(Q, 0)]), vec![[0]]);
    let error = failed(b.finish().unwrap());
    let StartError::NotFinite { statement, reads, .. } = &error else { panic!("{error}") };
    assert_eq!(statement, "strange");
    assert!(reads.contains("x = "), "{error}");
}

kernel!(Heavy < 3, 1 > |z, _at| [(z[0] + z[1]).sq() * 0.5 + z[2] * 0.0]);

#[test]
fn a_combination_without_inertia_is_named() {
    let mut b = ModelBuilder::new("Light", "");
    b.coord("p", "", "");
    b.coord("q", "", "");
    b.init_q(0, 0.0, Keep::Guess);
    b.init_q(1, 0.0, Keep::Guess);
    b.kinetic("sum", Heavy, once([(V, 0), (V, 1), (Q, 0)]));
    let error = failed(b.finish().unwrap());
    assert!(
        matches!(&error, StartError::Singular { unknown } if unknown == "der(der(q))"),
        "{error}"
    );
}

#[test]
fn at_rest_accelerations_are_zero_to_rounding_of_the_forces() {
    // Hanging: all force goes into the rod, the accelerations are nothing.
    let (_, point, report) = started(pendulum([0.0, -1.0], [Keep::Kept; 2]).finish().unwrap());
    assert!(point.a().iter().all(|a| a.abs() < 1e-14), "{:?}", point.a());
    assert!((point.lambda()[0] - 9.81).abs() < 1e-13, "{:?}", point.lambda());
    assert!(report.iterations <= 4, "{report:?}");
}

/// Pins of a chain: link i's tail to link i − 1's head, or to the ground.
struct Pin;
impl Kernel<6, 0, 2> for Pin {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 6], _: &[Num<D>; 0]) -> [Num<D>; 2] {
        let before = PlanarFrame::new(z[0], z[1], z[2]);
        let link = PlanarFrame::new(z[3], z[4], z[5]);
        revolute(before, [num(0.5), num(0.0)], link, [num(-0.5), num(0.0)])
    }
}
struct FirstPin;
impl Kernel<3, 0, 2> for FirstPin {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 3], _: &[Num<D>; 0]) -> [Num<D>; 2] {
        let link = PlanarFrame::new(z[0], z[1], z[2]);
        revolute(ground(), [num(0.0); 2], link, [num(-0.5), num(0.0)])
    }
}

/// A hanging-to-be chain of unit links, its guesses wrong by `noise`; every link's angle is kept.
fn chain(links: usize, noise: f64) -> Model {
    let mut b = ModelBuilder::new("Chain", "");
    let mut kinetic = Instances::new([V]);
    let mut inertia = Instances::new([V]);
    let mut pins = Instances::new([Q; 6]);
    let [mut x, mut y] = [0.0f64; 2];
    for i in 0..links {
        let angle = 0.3 * (i as f64 * 0.1).sin();
        let (s, c) = angle.sin_cos();
        let wrong = noise * (i as f64 * 7.3).sin();
        for (k, (name, value)) in
            [("x", x + 0.5 * c + wrong), ("y", y + 0.5 * s - wrong), ("theta", angle)]
                .into_iter()
                .enumerate()
        {
            b.coord(&format!("{name}{i}"), "", "");
            let keep = if k == 2 { Keep::Kept } else { Keep::Guess };
            b.init_q(3 * i + k, value, keep);
        }
        (x, y) = (x + c, y + s);
        kinetic.push(&[i], [3 * i], []);
        kinetic.push(&[i], [3 * i + 1], []);
        inertia.push(&[i], [3 * i + 2], []);
        if i > 0 {
            pins.push(&[i], std::array::from_fn(|k| 3 * (i - 1) + k), []);
        }
    }
    b.kinetic("links", Half(1.0), kinetic);
    b.kinetic("turning", Half(1.0 / 12.0), inertia);
    let first = b.rows_holonomic("first", 2, 1);
    b.holonomic("first", FirstPin, once([(Q, 0), (Q, 1), (Q, 2)]), first, Reaction::Standard);
    let pin = b.rows_holonomic("pin", 2, links - 1);
    b.holonomic("pin", Pin, pins, pin, Reaction::Standard);
    load(&mut b, 1, -9.81);
    b.finish().unwrap()
}

#[test]
fn a_chain_of_hundred_links_is_assembled_from_its_angles() {
    let (_, point, report) = started(chain(100, 0.2));
    assert_eq!((report.dof, report.redundant.len()), (100, 0));
    assert!(report.position_residual < 1e-13 && report.acceleration_residual < 1e-11, "{report}");
    assert_eq!(point.q()[3 * 99 + 2], 0.3 * (9.9f64).sin());
}
