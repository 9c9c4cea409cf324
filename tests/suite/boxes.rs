//! Bodies at rest on more friction than it takes to hold them: a box on four corners, a stool on three feet.

use crate::support::{assert_near, last, run};
use mbd::components::force;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};

/// Of the box, in kg, and g in m/s².
const MASS: f64 = 2.0;
const G: f64 = 9.81;

mechanism! {
    /// A box on a table with friction at its four corners. It is thrown, pulled at a point of its bottom, or tilted along with
    /// the table.
    mechanism OnCorners {
        param mu = 0.4;
        param vx: [m/s] = 0.0;
        param vy: [m/s] = 0.0;
        /// Growth of the pull along x, where it pulls, and how fast the table tilts.
        param pull: [N/s] = 0.0;
        param aside: [m] = 0.0;
        param tilt: [rad/s] = 0.0;
        body case: SpatialBody { mass: 2.0, jx: 0.02, jy: 0.03, jz: 0.04 };
        let a = case.point([0.2, 0.15, -0.1]);
        let b = case.point([-0.2, 0.15, -0.1]);
        let c = case.point([-0.2, -0.15, -0.1]);
        let d = case.point([0.2, -0.15, -0.1]);
        unilateral at_a: a[2];
        unilateral at_b: b[2];
        unilateral at_c: c[2];
        unilateral at_d: d[2];
        force rub_a along [a[0], a[1]] = force::plane_friction([der(a[0]), der(a[1])], mu*lambda(at_a), mu*lambda(at_a));
        force rub_b along [b[0], b[1]] = force::plane_friction([der(b[0]), der(b[1])], mu*lambda(at_b), mu*lambda(at_b));
        force rub_c along [c[0], c[1]] = force::plane_friction([der(c[0]), der(c[1])], mu*lambda(at_c), mu*lambda(at_c));
        force rub_d along [d[0], d[1]] = force::plane_friction([der(d[0]), der(d[1])], mu*lambda(at_d), mu*lambda(at_d));
        param weight: [N] = 2.0*9.81;
        force weighs along [case.x, case.z] = [weight*sin(tilt*t), -weight*cos(tilt*t)];
        let handle = case.point([0.2, aside, -0.1]);
        force rope along handle[0] = pull*t;
        init case.z = 0.1;
        init der(case.x) = vx;
        init der(case.y) = vy;
        output carried: [N] = lambda(at_a) + lambda(at_b) + lambda(at_c) + lambda(at_d);
    }
}

mechanism! {
    /// A stool that spins and slides on three feet with friction to rest.
    mechanism Stool {
        param mu = 0.3;
        body seat: SpatialBody { mass: 3.0, jx: 0.1, jy: 0.1, jz: 0.15 };
        gravity [0, 0, -9.81];
        let a = seat.point([0.25, 0.0, -0.2]);
        let b = seat.point([-0.15, 0.2, -0.2]);
        let c = seat.point([-0.15, -0.25, -0.2]);
        unilateral at_a: a[2];
        unilateral at_b: b[2];
        unilateral at_c: c[2];
        force rub_a along [a[0], a[1]] = force::plane_friction([der(a[0]), der(a[1])], mu*lambda(at_a), mu*lambda(at_a));
        force rub_b along [b[0], b[1]] = force::plane_friction([der(b[0]), der(b[1])], mu*lambda(at_b), mu*lambda(at_b));
        force rub_c along [c[0], c[1]] = force::plane_friction([der(c[0]), der(c[1])], mu*lambda(at_c), mu*lambda(at_c));
        init seat.z = 0.2;
        init der(seat.x) = 0.8;
        init der(seat.y) = -0.3;
        init seat.omega = [0.0, 0.0, 9.0];
    }
}

/// To rounding; a method without equations for velocities leaves what its iteration has left, which fades.
fn at_rest(end: &Solution, name: &str) -> bool {
    let least = if name == "hht-i3" { 1e-10 } else { 1e-13 };
    end.final_v().iter().all(|v| v.abs() < least)
}

fn times(end: &Solution, kind: EventKind) -> Vec<f64> {
    end.events.iter().filter(|event| event.kind == kind).map(|event| event.t).collect()
}

/// It is slowed down by μg straight ahead, whichever three corners carry it; the fourth keeps its gap closed by the others.
#[test]
fn a_box_slides_on_four_corners() {
    let model = OnCorners { vx: 2.0, vy: 0.5, ..OnCorners::default() };
    let (speed, slowed) = (f64::hypot(2.0, 0.5), 0.4 * G);
    let way = speed * 0.4 - 0.5 * slowed * 0.16;
    for method in ["radau5", "hht-i3", "gen-alpha-soi2", "bdf-ggl", "explicit-rk"] {
        let end = run(&model, Method::from_name(method).unwrap(), Step::adaptive(1e-5), 0.4);
        let off =
            (end.final_q()[0] - way * 2.0 / speed).hypot(end.final_q()[1] - way * 0.5 / speed);
        assert!(off < 1e-4, "{method}: {off:.1e} m");
        let carried = crate::support::last(&end, "carried");
        assert!((carried - MASS * G).abs() < 1e-3, "{method}: {carried}");
        assert!(end.events.len() <= 8, "{method}: {:?}", end.events);
    }
}

/// Thrown, it comes to rest after v²/2μg, straight ahead, at all corners at once, and stays there. It was an untrue
/// contradiction of contacts, or minutes.
#[test]
fn a_box_that_is_thrown_comes_to_rest_by_all_methods() {
    let model = OnCorners { vx: 2.0, vy: 0.5, ..OnCorners::default() };
    let (speed, slowed) = (f64::hypot(2.0, 0.5), 0.4 * G);
    let way = speed * speed / (2.0 * slowed);
    let knows = |name: &str| {
        let model = OnCorners::default();
        Simulation::new(&model).method(Method::from_name(name).unwrap()).until(1e-3).run().is_ok()
    };
    let mut runs = 0;
    let names = METHODS.iter().map(|method| method.name);
    for name in names.filter(|name| !INCONSISTENT.contains(name) && knows(name)) {
        for tol in [1e-2, 1e-3, 1e-4, 1e-6] {
            let method = Method::from_name(name).unwrap();
            let end = run(&model, method, Step::adaptive(tol), 1.0);
            let q = end.final_q();
            let off = (q[0] - way * 2.0 / speed).hypot(q[1] - way * 0.5 / speed);
            assert!(off < 1e-4, "{name} {tol:.0e}: {off:.1e} m");
            assert!(at_rest(&end, name), "{name} {tol:.0e}: {:?}", end.final_v());
            let carried = crate::support::last(&end, "carried");
            assert!((carried - MASS * G).abs() < 1e-6, "{name} {tol:.0e}: {carried}");
            assert_eq!(end.events.len(), 4, "{name} {tol:.0e}: {:?}", end.events);
            for t in times(&end, EventKind::Stick) {
                // The instant is as exact as the square root of the steps.
                assert!(
                    (t - speed / slowed).abs() < 2e-2 * tol.sqrt().max(1e-2),
                    "{name} {tol:.0e}: {t}"
                );
            }
            // How four corners share the weight is open.
            let open = |column: &str| end.is_undetermined(end.find(column).unwrap());
            assert!(open("lambda(at_a)") && open("lambda(at_d)") && !open("carried"), "{name}");
            runs += 1;
        }
    }
    assert!(runs >= 28, "{runs}");
}

/// All corners together hold what they can hold together, μmg, whichever of them the equations of motion determine; then all slip at
/// once, and the box moves on by the cube of the time.
#[test]
fn a_box_that_is_pulled_lets_go_at_the_limit() {
    let model = OnCorners { pull: 2.0, ..OnCorners::default() };
    let limit = 0.4 * MASS * G / 2.0;
    for name in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk"] {
        let end = run(&model, Method::from_name(name).unwrap(), Step::adaptive(1e-6), 5.0);
        let slips = times(&end, EventKind::Slip);
        assert_eq!(slips.len(), 4, "{name}: {:?}", end.events);
        assert!(slips.iter().all(|t| (t - limit).abs() < 1e-8), "{name}: {slips:?} for {limit}");
        let way = (5.0 - limit).powi(3) / 6.0;
        let off = (end.final_q()[0] - way).abs();
        assert!(off < 1e-4, "{name}: {off:.1e} of {way}");
    }
}

/// At the angle of friction.
#[test]
fn a_box_on_a_table_that_tilts_lets_go_at_the_angle_of_friction() {
    let model = OnCorners { tilt: 0.1, ..OnCorners::default() };
    let limit = 0.4f64.atan() / 0.1;
    for name in ["radau5", "gen-alpha-soi2", "bdf-ggl"] {
        let end = run(&model, Method::from_name(name).unwrap(), Step::adaptive(1e-6), 5.0);
        let slips = times(&end, EventKind::Slip);
        assert!(
            slips.len() == 4 && slips.iter().all(|t| (t - limit).abs() < 1e-7),
            "{name}: {slips:?}"
        );
        // ∫∫ g (sin − μ cos) from the limit on.
        let (w, mu) = (0.1, 0.4);
        let v0 = (-(w * limit).cos() - mu * (w * limit).sin()) / w;
        let s = |t: f64| (-(w * t).sin() + mu * (w * t).cos()) / (w * w);
        let way = G * (s(5.0) - s(limit) - v0 * (5.0 - limit));
        let off = (end.final_q()[0] - way).abs();
        assert!(off < 1e-4, "{name}: {off:.1e} of {way}");
    }
}

/// Pulled beside its middle it would turn. Two corners on a diagonal carry it, each half of the weight; with forces ½F ± ¼F
/// across, which the moment of the pull needs, they hold 2μ(½mg)/√5 ∙ 2.
#[test]
fn a_box_that_is_pulled_aside_lets_go_where_two_corners_do() {
    let model = OnCorners { pull: 2.0, aside: 0.1, ..OnCorners::default() };
    let limit = 0.4 * 0.5 * MASS * G / f64::hypot(0.5, 0.25) / 2.0;
    let way = |name: &str, tol: f64| {
        let end = run(&model, Method::from_name(name).unwrap(), Step::adaptive(tol), 4.2);
        let slips = times(&end, EventKind::Slip);
        assert!(slips.iter().all(|t| (t - limit).abs() < 1e-7), "{name}: {slips:?} for {limit}");
        assert_eq!(slips.len(), 4, "{name}");
        [end.final_q()[0], end.final_q()[1], end.final_q()[6]]
    };
    let exact = way("radau5", 1e-9);
    // At prescribed steps the direction of the slip is told by parts of the first.
    for name in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk"] {
        let end = run(&model, Method::from_name(name).unwrap(), Step::fixed(2e-3), 4.2);
        let q = [end.final_q()[0], end.final_q()[1], end.final_q()[6]];
        let off = crate::support::distance(&q, &exact);
        assert!(off < 2e-5, "{name}: {off:.1e}");
    }
    // As slow as it slips at first, and two corners take over from each other: explicit methods ended there.
    for name in ["gen-alpha-soi2", "bdf-ggl", "explicit-rk", "explicit-abm"] {
        for tol in [1e-4, 1e-6] {
            let off = crate::support::distance(&way(name, tol), &exact);
            assert!(off < 10.0 * tol.max(1e-5), "{name} {tol:.0e}: {off:.1e}");
        }
    }
}

/// While four corners hold more than the equations say, what was saved goes on to the last bit, in another run too.
#[test]
fn a_box_that_four_corners_hold_goes_on_from_what_was_saved() {
    for model in [
        OnCorners { pull: 2.0, ..OnCorners::default() },
        OnCorners { pull: 2.0, aside: 0.1, ..OnCorners::default() },
    ] {
        let begin = || Simulation::new(&model).step(Step::adaptive(1e-5)).stepper().unwrap();
        let mut stepper = begin();
        for k in 1..=9 {
            let saved = stepper.save().unwrap();
            stepper.step_to(0.5 * f64::from(k)).unwrap();
            let mut other = begin();
            other.restore(&saved).unwrap();
            other.step_to(0.5 * f64::from(k)).unwrap();
            assert_eq!(stepper.state().q(), other.state().q(), "{k}");
            assert_eq!(stepper.state().v(), other.state().v(), "{k}");
        }
    }
}

/// x, y, the angle about the vertical, and their speeds, of the stool, by a second algorithm: plane motion on three feet, whose
/// loads follow from the balance of moments; classical Runge-Kutta, in steps that shrink with the speed.
fn stool_to_rest() -> [f64; 3] {
    let feet = [[0.25, 0.0], [-0.15, 0.2], [-0.15, -0.25]];
    let (m, j, height, mu) = (3.0, 0.15, 0.2, 0.3);
    let rate = |y: &[f64; 6]| -> [f64; 6] {
        let (s, c) = y[2].sin_cos();
        let arms = feet.map(|[x, y]| [c * x - s * y, s * x + c * y]);
        let directions = arms.map(|[x, z]| {
            let v = [y[3] - y[5] * z, y[4] + y[5] * x];
            let size = v[0].hypot(v[1]);
            [-v[0] / size, -v[1] / size]
        });
        // Σ N = mg and Σ r × F = 0 about the horizontal axes: arms up by −height.
        let mut a = nalgebra::Matrix3::zeros();
        for k in 0..3 {
            a[(0, k)] = 1.0;
            a[(1, k)] = arms[k][1] + height * mu * directions[k][1];
            a[(2, k)] = -arms[k][0] - height * mu * directions[k][0];
        }
        let n = a.lu().solve(&nalgebra::Vector3::new(m * G, 0.0, 0.0)).unwrap();
        let mut d = [y[3], y[4], y[5], 0.0, 0.0, 0.0];
        for k in 0..3 {
            let f = directions[k].map(|e| mu * n[k] * e);
            d[3] += f[0] / m;
            d[4] += f[1] / m;
            d[5] += (arms[k][0] * f[1] - arms[k][1] * f[0]) / j;
        }
        d
    };
    let mut y = [0.0f64, 0.0, 0.0, 0.8, -0.3, 9.0];
    loop {
        let speed = y[3].hypot(y[4]).max(0.2 * y[5].abs());
        if speed < 1e-9 {
            return [y[0], y[1], y[2]];
        }
        let h = (1e-3 * speed / (mu * G)).min(1e-5);
        let along = |d: &[f64; 6], h: f64| std::array::from_fn(|i| y[i] + h * d[i]);
        let k1 = rate(&y);
        let k2 = rate(&along(&k1, 0.5 * h));
        let k3 = rate(&along(&k2, 0.5 * h));
        let k4 = rate(&along(&k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
    }
}

/// Whatever the last step before it has left of the constraints.
#[test]
fn a_stool_stays_at_rest_by_the_method_without_equations_of_velocities() {
    for k in 0..13 {
        let tolerance = 1e-6 * 10.0f64.powf(f64::from(k) / 6.0);
        let method = Method::from_name("hht-i3").unwrap();
        let end = run(&Stool::default(), method, Step::adaptive(tolerance), 2.0);
        let fastest = end.final_v().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(fastest < 1e-11, "{tolerance:.1e}: {fastest:.1e}");
    }
}

/// Its feet come to rest at one instant, though their speeds differ until then.
#[test]
fn a_stool_that_spins_comes_to_rest() {
    let [x, y, angle] = stool_to_rest();
    for (name, tol, allowed) in [
        ("radau5", 1e-6, 1e-5),
        ("radau5", 1e-8, 1e-6),
        ("explicit-rk", 1e-6, 1e-5),
        ("gen-alpha-soi2", 1e-6, 2e-4),
        ("hht-i3", 1e-6, 2e-4),
        ("hht-i3", 1e-4, 3e-3),
        ("bdf-ggl", 1e-6, 1e-4),
    ] {
        let method = Method::from_name(name).unwrap();
        let end = run(&Stool::default(), method, Step::adaptive(tol), 2.0);
        assert!(at_rest(&end, name), "{name} {tol:.0e}");
        let q = end.final_q();
        let turned = 2.0 * q[6].atan2(q[3]);
        let turns = std::f64::consts::TAU;
        let off = (turned - angle + 0.5 * turns).rem_euclid(turns) - 0.5 * turns;
        let worst = (q[0] - x).abs().max((q[1] - y).abs()).max(0.2 * off.abs());
        assert!(worst < allowed, "{name} {tol:.0e}: {worst:.1e}");
    }
}

mechanism! {
    /// A block on two feet with friction, on a tray that tilts more and more.
    mechanism OnTray {
        param mu = 0.4;
        gravity [0, -9.81];
        body tray: PlanarBody { mass: 5.0, inertia: 0.5 };
        body block: PlanarBody { mass: 1.0, inertia: 0.002 };
        joint hinge: revolute(ground, tray.frame);
        holonomic drive: tray.theta == 0.5*sin(2.0*t);
        let p = block.point([-0.05, -0.05]);
        let q = block.point([0.05, -0.05]);
        let on_p = tray.frame.to_local([p[0] - tray.x, p[1] - tray.y]);
        let on_q = tray.frame.to_local([q[0] - tray.x, q[1] - tray.y]);
        unilateral at_p: on_p[1];
        unilateral at_q: on_q[1];
        force rub_p along on_p[0] = force::dry_friction(der(on_p[0]), mu*lambda(at_p), mu*lambda(at_p));
        force rub_q along on_q[0] = force::dry_friction(der(on_q[0]), mu*lambda(at_q), mu*lambda(at_q));
        init block.x = 0.3;
        init block.y = 0.05;
        output way: [m] = on_p[0];
    }
}

/// How much more than friction holds, μN − |T| of a block that stands still at a way of its middle from the hinge of
/// the tray, 5 cm above it.
fn left_to_hold(t: f64, way: f64) -> f64 {
    let (theta, rate, growth) = (0.5 * (2.0 * t).sin(), (2.0 * t).cos(), -2.0 * (2.0 * t).sin());
    let along = G * theta.sin() - way * rate * rate - 0.05 * growth;
    let across = G * theta.cos() + way * growth - 0.05 * rate * rate;
    0.4 * across - along.abs()
}

/// It stands until friction holds no more, and slides from then on. The feet share the load and let go together; they were
/// chosen anew ten times on the way, by a third of what was left each time, and by `hht-i3` the last steps, of 1e-10 s, made
/// reactions of 3000 N from the rounding of positions: it ended at a singular position that is none, at every tolerance.
#[test]
fn a_block_slides_off_a_tray_that_tilts() {
    let radau5 = Method::from_name("radau5").unwrap();
    let exact = run(&OnTray::default(), radau5, Step::adaptive(1e-10), 0.6);
    let slid = crate::support::last(&exact, "way");
    for name in ["radau5", "gen-alpha-soi2", "hht-i3", "explicit-rk", "bdf-ggl"] {
        for tol in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7] {
            let method = Method::from_name(name).unwrap();
            let end = run(&OnTray::default(), method, Step::adaptive(tol), 0.6);
            // It has slid a little when it was set down.
            let set_down = end.times().iter().position(|t| *t > 0.3).unwrap();
            let way = end.series("way").unwrap()[set_down] + 0.05;
            let (mut holds, mut slips) = (0.3, 0.5);
            for _ in 0..60 {
                let t = 0.5 * (holds + slips);
                *(if left_to_hold(t, way) > 0.0 { &mut holds } else { &mut slips }) = t;
            }
            let later: Vec<f64> = end.events.iter().map(|e| e.t).filter(|t| *t > 0.1).collect();
            let [p, q] = later[..] else { panic!("{name} {tol:.0e}: {:?}", end.events) };
            let off = (p - holds).abs().max((q - holds).abs());
            let apart = (crate::support::last(&end, "way") - slid).abs();
            let exactly = ["radau5", "explicit-rk"].contains(&name);
            assert!(off < if exactly { 1e-11 } else { 1e-6 }, "{name} {tol:.0e}: {off:.1e} s");
            assert!(apart < 5e-3 * tol.powf(2.0 / 3.0), "{name} {tol:.0e}: {apart:.1e} m");
        }
    }
}

mechanism! {
    /// A puck on a puck, of which the lower is pulled more and more.
    mechanism Stacked {
        param lower = 0.3;
        param upper = 0.2;
        gravity [0, 0, -9.81];
        body a: PointMass { mass: 2.0 };
        body b: PointMass { mass: 1.0 };
        unilateral floor: a.z;
        unilateral top: b.z - a.z - 0.1;
        force rub_a along [a.x, a.y] = force::plane_friction([der(a.x), der(a.y)], lower*lambda(floor), lower*lambda(floor));
        force rub_b along [b.x - a.x, b.y - a.y] =
            force::plane_friction([der(b.x) - der(a.x), der(b.y) - der(a.y)], upper*lambda(top), upper*lambda(top));
        force pull along [a.x, a.y] = [20.0*sin(3.0*t), 14.0*sin(5.0*t)];
        init b.z = 0.1;
    }
}

/// The upper goes along with the lower, which slides, until it slides too. What it moves by beside the lower is 0 to the last bit
/// until then: its direction would be one otherwise, and forces change with that beyond all bounds.
#[test]
fn what_lies_on_what_slides_goes_along() {
    let by = |name: &str, tol: f64| {
        let method = Method::from_name(name).unwrap();
        run(&Stacked::default(), method, Step::adaptive(tol), 0.5)
    };
    let exact = by("radau5", 1e-9);
    let pull = |t: f64| f64::hypot(20.0 * (3.0 * t).sin(), 14.0 * (5.0 * t).sin());
    let (mut holds, mut slips) = (0.0, 0.3);
    for _ in 0..60 {
        let t = 0.5 * (holds + slips);
        *(if pull(t) < 0.3 * 3.0 * G { &mut holds } else { &mut slips }) = t;
    }
    let [_, slides] = times(&exact, EventKind::Slip)[..] else { panic!("{:?}", exact.events) };
    for name in ["radau5", "gen-alpha-soi2", "hht-i3", "explicit-rk", "bdf-ggl"] {
        for tol in [1e-3, 1e-5] {
            let end = by(name, tol);
            let [first, second] = times(&end, EventKind::Slip)[..] else {
                panic!("{name} {tol:.0e}: {:?}", end.events)
            };
            assert!((first - holds).abs() < 1e-12, "{name} {tol:.0e}: {first} for {holds}");
            assert!((second - slides).abs() < 2e-6, "{name} {tol:.0e}: {second} for {slides}");
            let off = end.final_q().iter().zip(exact.final_q()).map(|(q, exact)| (q - exact).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-2 * tol.sqrt(), "{name} {tol:.0e}: {off:.1e} m");
        }
    }
}

mechanism! {
    /// A stool on three legs with friction, which a growing force draws beside its centre.
    mechanism Drawn {
        size legs = 3;
        param aside: [m] = 0.03;
        param height: [m] = 0.05;
        gravity [0, 0, -9.81];
        body seat: SpatialBody { mass: 2.0, jx: 0.02, jy: 0.03, jz: 0.04 };
        init seat.position = [0.0, 0.0, 0.05];
        for i in 0..legs {
            let a = 2.0*PI/3.0*i + 0.2;
            let foot = seat.point([0.1*cos(a), 0.1*sin(a), -height]);
            unilateral ground: foot[2];
            force rub along [foot[0], foot[1]] = force::plane_friction([der(foot[0]), der(foot[1])], 0.4*lambda(ground[i]), 0.4*lambda(ground[i]));
        }
        force pull = [5.0*t, 0, 0] on seat at [0, aside, 0];
        until 3.0;
    }
}

/// Where speeds have just left 0 no friction is found that would hold the feet again. All three were let go then, and runs at
/// some tolerances ended with words of contacts that contradict each other.
#[test]
fn a_stool_that_is_drawn_aside_goes_on_sliding() {
    for (aside, should) in [(0.01, 1.23821), (0.03, 1.3725974), (0.05, 1.57231)] {
        for method in ["radau5", "explicit-rk"] {
            for tolerance in [1e-6, 1e-7, 1e-8, 1e-9] {
                let stool = Drawn { aside, ..Drawn::default() };
                let method_of = Method::from_name(method).unwrap();
                let run = run(&stool, method_of, Step::adaptive(tolerance), 3.0);
                let what = format!("{aside} m aside by {method} at {tolerance:e}");
                assert_near(&what, last(&run, "seat.x"), should, 2e-4);
                assert_eq!(run.events.len(), 3, "{what}: {:?}", run.events);
            }
        }
    }
}
