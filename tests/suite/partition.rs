//! Changes of the independent coordinates, by mechanisms that cannot do without.

use crate::models::*;
use crate::state_space::{errors, halvings, show, started};
use crate::support::*;
use mbd::assembly::{Point, SlotKind};
use mbd::integrate::{Explicit, Formula, Integrator, Method, StateSpace, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::verify::convergence_order;

// In coordinates of points no independent one can be kept over a turn: each has an extreme.
mechanism! {
    /// A slider-crank of two masses and two rods.
    pub mechanism PointCrank {
        param r: [m] = 0.1;
        param l: [m] = 0.3;
        param speed: [m/s] = 0.6;
        body pin: PlanarMass { mass: 1.0 };
        coord x: [m];
        kinetic piston = 0.5*sq(der(x));
        holonomic crank: sq(pin.x) + sq(pin.y) == sq(r);
        holonomic rod: sq(x - pin.x) + sq(pin.y) == sq(l);
        guess pin.x = r;
        init pin.y = 0.0;
        init der(pin.y) = speed;
        guess x = r + l;
    }
}

mechanism! {
    /// The same in the angle of its crank.
    pub mechanism AngleCrank {
        param r: [m] = 0.1;
        param l: [m] = 0.3;
        param speed: [m/s] = 0.6;
        coord theta: [rad];
        let pin = [r*cos(theta), r*sin(theta)];
        let x = pin[0] + sqrt(sq(l) - sq(pin[1]));
        kinetic pin = 0.5*sq(r*der(theta));
        kinetic piston = 0.5*sq(der(x));
        init der(theta) = speed/r;
        output pin_x: [m] = pin[0];
        output pin_y: [m] = pin[1];
        output piston_x: [m] = x;
    }
}

mechanism! {
    /// A crank-and-rocker linkage of two masses and three rods.
    pub mechanism PointFourBar {
        param a: [m] = 0.12;
        param b: [m] = 0.36;
        param c: [m] = 0.28;
        param d: [m] = 0.40;
        param speed: [m/s] = 0.96;
        body A: PlanarMass { mass: 3.0 };
        body B: PlanarMass { mass: 1.0 };
        holonomic crank: sq(A.x) + sq(A.y) == sq(a);
        holonomic coupler: sq(B.x - A.x) + sq(B.y - A.y) == sq(b);
        holonomic rocker: sq(B.x - d) + sq(B.y) == sq(c);
        guess A.x = a;
        init A.y = 0.0;
        init der(A.y) = speed;
        guess B.x = 0.38;
        guess B.y = 0.28;
    }
}

mechanism! {
    /// The same in the angle of its crank.
    pub mechanism AngleFourBar {
        param a: [m] = 0.12;
        param b: [m] = 0.36;
        param c: [m] = 0.28;
        param d: [m] = 0.40;
        param speed: [m/s] = 0.96;
        coord theta: [rad];
        let A = [a*cos(theta), a*sin(theta)];
        let to_d = [d - A[0], -A[1]];
        let s = hypot(to_d[0], to_d[1]);
        let along = (sq(b) - sq(c) + sq(s))/(2.0*s);
        let across = sqrt(sq(b) - sq(along));
        let B = [
            A[0] + (along*to_d[0] - across*to_d[1])/s,
            A[1] + (along*to_d[1] + across*to_d[0])/s,
        ];
        let v = der(B);
        kinetic crank = 0.5*3.0*sq(a*der(theta));
        kinetic rocker = 0.5*(sq(v[0]) + sq(v[1]));
        init der(theta) = speed/a;
        output A_x: [m] = A[0];
        output A_y: [m] = A[1];
        output B_x: [m] = B[0];
        output B_y: [m] = B[1];
    }
}

/// Runs over many turns: drift; returns how often the independent coordinates changed (which only the
/// implicit method tells), and by how much the angle of a point turned.
fn turns(
    mechanism: &impl Mechanism,
    method: &Method,
    step: Step,
    t_end: f64,
    angle: impl Fn(&Point) -> f64,
) -> (usize, f64) {
    let started = started(mechanism);
    let mut integrator = Integrator::new(&started.system, method, step, &started.point).unwrap();
    let independent = |integrator: &Integrator<'_>| -> Vec<usize> {
        let blocks = integrator.stepper().blocks();
        blocks
            .iter()
            .filter(|b| b.kind == SlotKind::A && b.range.len() == 1)
            .map(|b| b.first)
            .collect()
    };
    let (mut changes, mut turned) = (0, 0.0);
    let (mut before, mut last) = (independent(&integrator), angle(integrator.point()));
    while integrator.point().t() < t_end {
        integrator.step_once(t_end).unwrap_or_else(|error| panic!("{error}"));
        let (now, next) = (independent(&integrator), angle(integrator.point()));
        changes += usize::from(now != before);
        let by: f64 = next - last;
        turned += by - std::f64::consts::TAU * (by / std::f64::consts::TAU).round();
        (before, last) = (now, next);
    }
    let drift = integrator.drift();
    let mut table = Table::new("a hundred turns");
    table.row(format!(
        "{} on {}: {changes} changes of the partition, drift {:.1e} and {:.1e}; {}",
        method.name(),
        started.system.model().name(),
        drift.position,
        drift.velocity,
        integrator.stats()
    ));
    // What an angle of many turns is rounded to moves its bar's end by so much.
    let rounding = f64::EPSILON * largest(integrator.point().q()).max(4.0);
    assert!(drift.position < rounding && drift.velocity < 1e-13, "{drift:?}");
    (changes, turned)
}

fn coordinate(mechanism: &impl Mechanism, name: &str) -> usize {
    let started = started(mechanism);
    let coords = started.system.model().coords();
    coords.iter().position(|label| label.name == name).expect("a coordinate")
}

/// The slider-crank of C3 turning freely: no spring, no damper.
fn free_crank() -> DriftSliderCrank {
    DriftSliderCrank { k: 0.0, c: 0.0, ..Default::default() }
}

/// The angle of the point that comes first.
fn of_first(point: &Point) -> f64 {
    point.q()[1].atan2(point.q()[0])
}

fn explicit() -> Method {
    Explicit::new(Formula::DormandPrince).into()
}

const HUNDRED: f64 = 200.0 * std::f64::consts::PI;

#[test]
fn a_hundred_turns_of_the_slider_crank_change_the_partition_without_drift() {
    let theta = coordinate(&free_crank(), "crank.theta");
    // Fisette and Vaneghem's iteration is too slow to go on to round-off.
    let methods = [
        (StateSpace::default().into(), Step::fixed(0.01)),
        (StateSpace::fisette_vaneghem().into(), Step::fixed(0.01).newton_tolerance(1e-8)),
        (explicit(), Step::fixed(0.01)),
    ];
    for (method, step) in &methods {
        let (_, turned) = turns(&free_crank(), method, step.clone(), 120.0, |p| p.q()[theta]);
        assert!(turned > HUNDRED, "{turned}");
        let (changes, turned) =
            turns(&PointCrank::default(), method, step.clone(), 140.0, of_first);
        assert!(turned > HUNDRED, "{turned}");
        let told = method.name() != "explicit-rk";
        assert!(!told || changes >= 200, "{changes} changes");
    }
}

#[test]
fn a_hundred_turns_of_the_four_bar_change_the_partition_without_drift() {
    let theta = coordinate(&FourBar::default(), "crank.theta");
    let implicit = || Method::from(StateSpace::default());
    for (method, step) in [
        (implicit(), Step::fixed(0.005)),
        (explicit(), Step::fixed(0.005)),
        (implicit(), Step::adaptive(1e-4)),
    ] {
        let (_, turned) = turns(&FourBar::default(), &method, step.clone(), 90.0, |p| p.q()[theta]);
        assert!(turned > HUNDRED, "{turned}");
        let (changes, turned) = turns(&PointFourBar::default(), &method, step, 110.0, of_first);
        assert!(turned > HUNDRED, "{turned}");
        let told = method.name() != "explicit-rk";
        assert!(!told || changes >= 200, "{changes} changes");
    }
}

#[test]
fn changes_of_the_partition_cost_no_order() {
    // A crank angle after two and a half turns, from the energy integral (`four_bar`).
    const TURNED: [(&str, f64); 1] = [("crank_angle", 16.22607152)];
    let method = Method::from(StateSpace::default());
    let runs = errors(&FourBar::default(), &method, 2.0, &halvings(0.01, 4), &TURNED);
    show("state-space on four_bar, t = 2", &runs);
    let order = convergence_order(&runs);
    assert!((order - 2.0).abs() < 0.1, "order {order}");

    // Those whose partition changes, against themselves in a coordinate of their own.
    fn check(of_points: &impl Mechanism, of_angle: &impl Mechanism, names: &[[&str; 2]]) {
        let exact = run(of_angle, explicit(), Step::adaptive(1e-12), 2.0);
        let should: Vec<_> = names.iter().map(|[q, y]| (*q, last(&exact, y))).collect();
        for (method, h, order) in
            [(Method::from(StateSpace::default()), 0.0025, 1.9), (explicit(), 0.02, 4.6)]
        {
            let (changes, _) = turns(of_points, &method, Step::fixed(h), 2.0, of_first);
            assert!(method.name() == "explicit-rk" || changes >= 5, "{changes} changes");
            let runs = errors(of_points, &method, 2.0, &halvings(h, 4), &should);
            show(&format!("{} in points, t = 2", method.name()), &runs);
            let is = convergence_order(&runs);
            assert!(is > order, "order {is}");
        }
    }
    let names = [["pin.x", "pin_x"], ["pin.y", "pin_y"], ["x", "piston_x"]];
    check(&PointCrank::default(), &AngleCrank::default(), &names);
    let names = [["A.x", "A_x"], ["A.y", "A_y"], ["B.x", "B_x"], ["B.y", "B_y"]];
    check(&PointFourBar::default(), &AngleFourBar::default(), &names);
}

/// Scales of the coordinates decide, not the units they are written in.
#[test]
fn a_partition_is_the_same_in_every_unit() {
    let chosen = |scale: f64| {
        let p = FourBar::default();
        let p = FourBar { a: scale * p.a, b: scale * p.b, c: scale * p.c, d: scale * p.d, ..p };
        let started = started(&p);
        let method = Method::from(StateSpace::default());
        let integrator =
            Integrator::new(&started.system, &method, Step::fixed(0.01), &started.point).unwrap();
        let blocks = integrator.stepper().blocks();
        blocks.iter().filter(|b| b.kind == SlotKind::A).map(|b| b.first).collect::<Vec<_>>()
    };
    let theta = coordinate(&FourBar::default(), "crank.theta");
    assert!(chosen(1.0).contains(&theta), "{:?}", chosen(1.0));
    for scale in [1e-6, 1e-3, 30.0, 1e6] {
        assert_eq!(chosen(scale), chosen(1.0), "lengths times {scale:e}");
    }
}
