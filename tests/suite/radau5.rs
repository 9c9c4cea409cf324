//! `radau5`: orders, published solutions, constraints, and every example by both forms of it.

use crate::models::*;
use crate::support::*;
use mbd::Simulation;
use mbd::integrate::{Method, Radau5, Step, radau5::Form};
use mbd::model::Mechanism;
use mbd::verify::Convergence;

const FORMS: [Form; 2] = [Form::Acceleration, Form::Velocity];

fn method(form: Form) -> Method {
    Radau5::new(form).into()
}

/// Orders with fixed steps, one per quantity (columns with their exact values at `t_end`).
fn orders(
    mechanism: &impl Mechanism,
    form: Form,
    t_end: f64,
    steps: &[f64],
    should: &[(&'static str, Vec<(&str, f64)>)],
) -> Vec<f64> {
    let quantities: Vec<&str> = should.iter().map(|(quantity, _)| *quantity).collect();
    let study = Convergence::measure(&quantities, steps.iter().copied(), |h| {
        let solution = run(mechanism, method(form), Step::fixed(h), t_end);
        let error = |columns: &Vec<(&str, f64)>| {
            columns.iter().map(|(n, x)| (last(&solution, n) - x).powi(2)).sum::<f64>().sqrt()
        };
        Ok::<_, std::convert::Infallible>(should.iter().map(|(_, c)| error(c)).collect())
    });
    let Ok(study) = study;
    let mut table =
        Table::new(&format!("{} {form:?}, t = {t_end}", mechanism.model().unwrap().name()));
    for quantity in &quantities {
        let list: Vec<String> =
            study.of(quantity).iter().map(|(h, e)| format!("{h:.2e}: {e:.2e}")).collect();
        let order = study.order(quantity, 2);
        table.row(format!("{quantity:<3} order {order:.2}: {}", list.join(", ")));
    }
    // The coarse steps are there to be seen: the order is that of the two finest.
    quantities.iter().map(|q| study.order(q, 2)).collect()
}

/// C2 against its reference, good to 1e-13.
#[test]
fn order_five_on_a_holonomic_constraint() {
    let at = &references()["P16_reference"]["1.0"];
    let (y, z, l) = (numbers(&at["y"]), numbers(&at["z"]), numbers(&at["lam"]));
    let should = [
        ("q", vec![("x", y[0]), ("y", y[1]), ("theta", y[2])]),
        ("v", vec![("der(x)", z[0]), ("der(y)", z[1]), ("der(theta)", z[2])]),
        ("λ", vec![("lambda(pin[0])", l[0]), ("lambda(pin[1])", l[1])]),
    ];
    let steps = [1.0 / 64.0, 1.0 / 128.0, 1.0 / 256.0];
    let pendulum = BushingPendulum::default();
    let of = orders(&pendulum, Form::Acceleration, 1.0, &steps, &should);
    for (name, order) in ["q", "v", "λ"].iter().zip(&of) {
        assert_near(&format!("order of {name}"), *order, 5.0, 0.3);
    }
    let of = orders(&pendulum, Form::Velocity, 1.0, &steps, &should[..2]);
    for (name, order) in ["q", "v"].iter().zip(&of) {
        assert_near(&format!("order of {name}, index 2"), *order, 5.0, 0.3);
    }
    // Its λ takes smaller steps to show its order.
    let steps = [1.0 / 512.0, 1.0 / 1024.0, 1.0 / 2048.0];
    let of = orders(&pendulum, Form::Velocity, 1.0, &steps, &should[2..]);
    assert_near("order of λ, index 2", of[0], 3.0, 0.3);
}

/// C4: closed form.
#[test]
fn order_five_on_a_nonholonomic_constraint() {
    let (omega, t): (f64, f64) = (1.3, 2.0);
    let c = 4.0 / (2.0 * omega * omega);
    let (s, x) = ((omega * t).sin(), omega * t);
    let should = [
        ("q", vec![("x", c * s * s), ("y", c * (x - 0.5 * (2.0 * x).sin())), ("phi", x)]),
        ("v", vec![("der(x)", c * omega * (2.0 * x).sin())]),
    ];
    for form in FORMS {
        for order in orders(&Skate::default(), form, t, &[0.2, 0.1, 0.05], &should) {
            assert_near(&format!("order, {form:?}"), order, 5.0, 0.4);
        }
    }
}

/// D1: a state by an implicit equation, algebraic variables, a force that changes with time.
#[test]
fn order_five_with_states_and_variables() {
    let exact = numbers(&references()["M3_fixed"]["pendulum_actuator_reference"]["1.0"]);
    let should = [
        ("q", vec![("theta", exact[0])]),
        ("v", vec![("der(theta)", exact[1])]),
        ("X", vec![("X", exact[2])]),
    ];
    for form in FORMS {
        let steps = [1.0 / 128.0, 1.0 / 256.0, 1.0 / 512.0];
        for order in orders(&ActuatorPendulum::default(), form, 1.0, &steps, &should) {
            assert_near(&format!("order, {form:?}"), order, 5.0, 0.4);
        }
    }
}

/// Published solutions, to the digits they are given in.
#[test]
fn published_solutions() {
    let andrews: &[(&str, f64)] = &[
        ("beta", 15.81077119629904),
        ("Theta", -15.75637105984298),
        ("gamma", 0.04082224013073101),
        ("Phi", -0.5347301163226948),
        ("delta", 0.5244099658805304),
        ("Omega", 0.5347301163226948),
        ("epsilon", 1.048080741042263),
    ];
    let axis: &[(&str, f64)] = &[
        ("xl", 0.493455784275402809122e-1),
        ("yl", 0.496989460230171153861),
        ("xr", 0.104174252488542151681e1),
        ("yr", 0.373911027265361256927),
        ("der(xl)", -0.770583684040972357970e-1),
        ("der(yr)", 0.770341043779251976443),
    ];
    let crank: &[(&str, f64)] = &[
        ("phi2", -0.3311734988256260),
        ("x3", 0.1697373328427860),
        ("q1", 1.893192899613509e-4),
        ("q2", 2.375751249879174e-5),
        ("q3", -5.323896770569702e-6),
        ("q4", -8.363313279112129e-6),
    ];
    let top: &[(&str, f64)] = &[("x", 0.1733439641), ("y", 0.6400885921), ("z", -0.7484907911)];
    let ida: &[(&str, f64)] =
        &[("q", 1.275675848650), ("x", 1.023578558980), ("p", -0.498813049182)];
    let mut table = Table::new("radau5 against published solutions");
    let mut check = |m: &dyn Mechanism, t: f64, tol: f64, should: &[(&str, f64)], allowed: f64| {
        for form in FORMS {
            let run = Simulation::new(m)
                .method(method(form))
                .step(Step::adaptive(tol))
                .until(t)
                .run()
                .unwrap_or_else(|e| panic!("{e}"));
            let worst = should.iter().map(|(n, x)| (last(&run, n) - x).abs()).fold(0.0, f64::max);
            let scale = should.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max).max(1.0);
            table.row(format!(
                "{} {form:?}, tol {tol:e}: {worst:.1e}, {} steps",
                run.model, run.stats.steps
            ));
            for (name, x) in should {
                assert_near(name, last(&run, name), *x, allowed);
            }
            assert!(run.drift.position <= 1e-13 * scale, "{}: {:e}", run.model, run.drift.position);
        }
    };
    check(&Andrews::default(), 0.03, 1e-10, andrews, 2e-8);
    check(&CarAxis::default(), 3.0, 1e-13, axis, 1e-9);
    // Its rod stretches and shortens with 1e5 rad/s, which these steps do not resolve.
    check(&CrankModal::default(), 0.1, 1e-11, crank, 5e-9);
    check(&HeavyTop::default(), 1.0, 1e-9, top, 1e-6);
    check(&IdaSliderCrank::default(), 10.0, 1e-11, ida, 1e-10);
}

/// The two forms of the method agree on every example, whatever it consists of.
#[test]
fn both_forms_agree_on_every_example() {
    let mut table = Table::new("radau5 against radau5-index2, tol 1e-8");
    let mut check = |m: &dyn Mechanism, t_end: Option<f64>, allowed: f64| {
        let run = |form| {
            let run = Simulation::new(m).method(method(form)).step(Step::adaptive(1e-8));
            let run = if let Some(t) = t_end { run.until(t) } else { run };
            run.run().unwrap_or_else(|e| panic!("{:?}: {e}", m.model().unwrap().name()))
        };
        let (one, two) = (run(FORMS[0]), run(FORMS[1]));
        let scale = largest(one.final_q()).max(1.0);
        let off = distance(one.final_q(), two.final_q()) / scale;
        table.row(format!(
            "{}: {off:.1e}, {} and {} steps",
            one.model, one.stats.steps, two.stats.steps
        ));
        assert!(off <= allowed, "{}: {off:e}", one.model);
    };
    check(&Andrews::default(), None, 1e-6);
    check(&AndrewsBodies::default(), None, 1e-6);
    check(&Chain { n: 8, ..Default::default() }, Some(0.5), 1e-6);
    check(&DoublePendulum::default(), None, 1e-6);
    check(&DriftSliderCrank::default(), None, 1e-6);
    check(&FourBar::default(), None, 1e-6);
    check(&JayNegrut::default(), None, 1e-6);
    check(&MassPi::default(), None, 1e-6);
    check(&Pendulum::default(), None, 1e-6);
    check(&PointMassSpring::default(), None, 1e-6);
    check(&RollingDisc::default(), None, 1e-6);
    check(&SevenBody::default(), None, 1e-6);
    check(&SliderCrank::default(), None, 1e-6);
    check(&SliderCrankHaug::default(), None, 1e-6);
    check(&StiffPendulum::default(), Some(1.0), 1e-5);
    check(&TwoBodyBushing::default(), Some(0.05), 1e-6);
}

/// Between steps: output times do not restrict the step, and are as accurate.
#[test]
fn values_between_steps() {
    let pendulum = Pendulum::default();
    let simulation =
        |step| Simulation::new(&pendulum).method(Radau5::default()).step(step).until(2.0);
    let fine = simulation(Step::adaptive(1e-12)).every(0.01).run().unwrap();
    let coarse = simulation(Step::adaptive(1e-8)).every(0.01).run().unwrap();
    assert!(coarse.stats.steps < 200, "{}", coarse.stats.steps);
    for (name, allowed) in [("x", 1e-7), ("y", 1e-7), ("der(x)", 1e-5)] {
        let (is, should) = (coarse.series(name).unwrap(), fine.series(name).unwrap());
        assert!(distance(&is, &should) <= allowed, "{name}: {:e}", distance(&is, &should));
    }
}

/// What a step costs: iterations, matrices, steps tried in vain.
#[test]
fn steps_take_few_iterations_and_matrices() {
    let mut table = Table::new("radau5: iterations and matrices");
    let mut check =
        |m: &dyn Mechanism, tol: f64, iterations: f64, matrices: f64, rejected: usize| {
            let run = Simulation::new(m).method(Radau5::default()).step(Step::adaptive(tol));
            let stats = run.run().unwrap().stats;
            let tried = (stats.steps + stats.rejected) as f64;
            let per_step =
                [stats.newton_iterations, stats.jacobians].map(|count| count as f64 / tried);
            table.row(format!(
                "{} {tol:e}: {per_step:.2?} per step, {} of {} steps in vain",
                m.model().unwrap().name(),
                stats.rejected + stats.newton_failures,
                stats.steps
            ));
            assert!(per_step[0] <= iterations && per_step[1] <= matrices, "{per_step:?}");
            assert!(stats.rejected + stats.newton_failures <= rejected, "{}", stats.rejected);
        };
    check(&Andrews::default(), 1e-5, 3.0, 0.9, 3);
    check(&Andrews::default(), 1e-7, 2.8, 0.7, 1);
    check(&HeavyTop::default(), 1e-7, 2.3, 1.0, 1);
    check(&CarAxis::default(), 1e-6, 2.4, 0.5, 2);
    check(&Chain { n: 32, ..Default::default() }, 1e-6, 3.6, 1.0, 2);
}
