//! `dae-alpha` and its relatives: matrices, orders, equality of the forms, spectral radii, options.

use super::models::*;
use super::newton::matrix_is_the_derivative;
use crate::assembly::{Point, SlotKind::*, System};
use crate::error::OptionError;
use crate::integrate::coordinate_split::SplitScheme;
use crate::integrate::dae_alpha::DaeScheme;
use crate::integrate::projected_ode::ProjectedScheme;
use crate::integrate::{
    Accuracy, Choice, DaeAlpha, Form, Integrator, Method, Partition, Pivoting, Scheme, Step,
    StepSpan,
};
use crate::model::{Keep, ModelBuilder, Reaction};
use crate::nonlinear::MatrixPolicy;
use crate::start;
use nalgebra::{DMatrix, DVector, Matrix3};

kernel! { Lift: 2 -> 1, |[q, x]| [2.0 + q.sin() * x.cos()] }
kernel! { Circle: 4 -> 2, |[a, b, c, t]| [
    *a * *a + *b * *b + 0.2 * c.sq() + 0.1 * a.sin() * b.exp() - 1.3 - 0.1 * t.sin(),
    a.sin() * *c + *b - 1.2
] }
kernel! { Most: 7 -> 1, |[q, v, a, x, xd, w, t]| {
    [q.sin() * *v - 0.1 * *a * *v + *t + *x * *q + 0.2 * *xd + *w * q.cos()]
} }
kernel! { OfX: 5 -> 1, |[q, v, x, xd, w]| [2.0 * *xd + xd.powi(3) + *x * *q + v.sin() + *w] }
kernel! { OfW: 5 -> 1, |[q, v, x, xd, w]| [0.2 * w.sin() + x.cos() + 0.1 * *xd + *q * *v] }
kernel! { Level: 2 -> 1, |[a, l]| [0.1 * a.sin() + 0.05 * *l] }

/// Everything the method treats: configuration-dependent mass, rheonomic rows, forces, state
/// equations and variables that depend on all but accelerations and multipliers; on those too for
/// `level_two`.
pub(super) fn most(level_two: bool) -> System {
    let mut b = ModelBuilder::new("Most", "");
    for (i, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        b.coord(name, "", "");
        b.init_q(i, 0.8 - 0.1 * i as f64, Keep::Guess);
        b.init_v(i, 0.4 - 0.3 * i as f64, Keep::Guess);
    }
    b.state("x", "", "");
    b.variable("w", "", "");
    for i in 0..4 {
        b.mass("m", Lift, one([(Q, i), (Q, (i + 1) % 4)]), vec![(i, i)]);
    }
    b.mass("coupling", Lift, one([(Q, 1), (Q, 2)]), vec![(0, 1)]);
    let row = b.rows_holonomic("circle", 2, 1);
    b.holonomic("circle", Circle, one([(Q, 0), (Q, 1), (Q, 2), (T, 0)]), row, Reaction::Standard);
    let all = [(Q, 2), (V, 1), (Q, 3), (X, 0), (Xd, 0), (W, 0), (T, 0)];
    b.force("most", Most, one(all), vec![[2]]);
    let all = [(Q, 2), (V, 1), (X, 0), (Xd, 0), (W, 0)];
    b.equation("x", OfX, one(all));
    b.define("w", OfW, one(all), vec![0]);
    if level_two {
        b.force("level two", Level, one([(A, 3), (Lambda, 1)]), vec![[3]]);
    }
    System::new(b.finish().unwrap())
}

/// The same with a consistent start: four coordinates, of which the circle leaves two.
pub(super) fn sliding(level_two: bool) -> (System, Point) {
    let mut system = most(level_two);
    let mut point = system.initial_point();
    start::start(&mut system, &mut point).unwrap();
    (system, point)
}

kernel! { Hanger: 3 -> 1, |[x, y, t]| [
    (*x - 0.3 * (3.0 * *t).sin()).sq() + y.sq() - 1.0
] }

const G: f64 = 9.81;

/// A pendulum of unit mass and length on a hanger that moves by 0.3 sin 3t.
pub(super) fn driven() -> System {
    driven_by(1)
}

/// The same with the rod stated twice, at its start.
pub(super) fn driven_twice() -> (System, Point) {
    let mut system = driven_by(2);
    let mut point = system.initial_point();
    start::start(&mut system, &mut point).unwrap();
    (system, point)
}

fn driven_by(rods: usize) -> System {
    let mut b = ModelBuilder::new("Driven", "");
    for (i, (name, q, v)) in [("x", 0.6, 0.9 + 0.4), ("y", -0.8, 0.3)].into_iter().enumerate() {
        b.coord(name, "", "");
        b.init_q(i, q, Keep::Guess);
        b.init_v(i, v, Keep::Guess);
        b.mass("m", Constant(1.0), one([]), vec![(i, i)]);
    }
    b.force("weight", Constant(-G), one([]), vec![[1]]);
    for name in ["rod", "rod again"].into_iter().take(rods) {
        let row = b.rows_holonomic(name, 1, 1);
        b.holonomic(name, Hanger, one([(Q, 0), (Q, 1), (T, 0)]), row, Reaction::Standard);
    }
    System::new(b.finish().unwrap())
}

/// Its motion by the angle: x, y, their rates and λ at `t_end`, by RK4.
pub(super) fn driven_exactly(t_end: f64) -> [f64; 5] {
    let drive = |t: f64| {
        let (s, c) = (3.0 * t).sin_cos();
        [0.3 * s, 0.9 * c, -2.7 * s]
    };
    let rate = |t: f64, y: [f64; 2]| {
        let (s, c) = y[0].sin_cos();
        [y[1], -G * s - drive(t)[2] * c]
    };
    let steps = 20_000;
    let h = t_end / f64::from(steps);
    // x = 0.6 + …, y = −0.8: sin θ = 0.6; the rates relative to the hanger are 0.5 along the circle.
    let mut y = [0.6f64.asin(), 0.5];
    let add = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for i in 0..steps {
        let t = f64::from(i) * h;
        let k1 = rate(t, y);
        let k2 = rate(t + h / 2.0, add(y, k1, h / 2.0));
        let k3 = rate(t + h / 2.0, add(y, k2, h / 2.0));
        let k4 = rate(t + h, add(y, k3, h));
        for j in 0..2 {
            y[j] += h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]);
        }
    }
    let (s, c) = y[0].sin_cos();
    let ([at, at_v, at_a], [_, angular]) = (drive(t_end), rate(t_end, y));
    let a = [at_a + angular * c - y[1] * y[1] * s, angular * s + y[1] * y[1] * c];
    // r·(a + g e_y) = −2λ with r = (s, −c).
    let lambda = -0.5 * (s * a[0] - c * (a[1] + G));
    [at + s, -c, at_v + y[1] * c, y[1] * s, lambda]
}

fn method(form: Form, rho: f64) -> Method {
    DaeAlpha::new(form).rho(rho).unwrap().into()
}

pub(super) fn run(
    system: &System,
    method: &Method,
    step: Step,
    t_end: f64,
    start: &Point,
) -> Point {
    let mut integrator = Integrator::new(system, method, step, start).unwrap();
    while integrator.point().t() < t_end {
        integrator.step_once(t_end).unwrap();
    }
    integrator.point().clone()
}

/// Numbers in scientific notation.
pub(super) fn e(values: &[f64]) -> String {
    values.iter().map(|v| format!("{v:.1e}")).collect::<Vec<_>>().join(" ")
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn the_newton_matrix_is_the_derivative_of_the_residual() {
    for h in [0.05, 0.5] {
        for form in [Form::ProjectedOde, Form::Stabilized] {
            let rho = method(form, 0.6);
            let system = bushing_pendulum();
            matrix_is_the_derivative(&system, &consistent(&system), &rho, h);
            let system = actuator_pendulum();
            matrix_is_the_derivative(&system, &consistent(&system), &rho, h);
            let (system, start) = sliding(form == Form::ProjectedOde);
            matrix_is_the_derivative(&system, &start, &rho, h);
            let hht = DaeAlpha::new(form).alpha(-0.2).unwrap().into();
            matrix_is_the_derivative(&system, &start, &hht, h);
        }
    }
}

#[test]
fn the_split_iteration_is_newtons() {
    let system = bushing_pendulum();
    let mut counts = Vec::new();
    for form in [Form::CoordinateSplit, Form::Frozen, Form::Modified] {
        let method = method(form, 0.4).matrix_policy(MatrixPolicy::EveryIteration);
        let method = method.predictor_degree(0);
        let start = consistent(&system);
        let mut integrator = Integrator::new(&system, &method, Step::fixed(0.03), &start).unwrap();
        integrator.step_once(10.0).unwrap();
        // In units of rounding.
        let norms: Vec<f64> =
            integrator.stepper().newton_norms().iter().map(|n| n * 8.0 * f64::EPSILON).collect();
        println!("{form:?}: {}", e(&norms));
        let pairs = norms.windows(2).filter(|p| p[0] < 0.2 && p[1] > 1e-13);
        let quadratic = pairs.clone().all(|p| p[1] < 5.0 * p[0] * p[0]) && pairs.count() > 0;
        assert_eq!(quadratic, form != Form::Modified, "{form:?}");
        counts.push(norms.len());
    }
    assert!(counts[2] > counts[0], "{counts:?}");
}

/// Errors of q, v and λ along a run, as roots of the mean squares over the instants.
fn errors_along(
    system: &System,
    method: &Method,
    step: Step,
    exact: &[(f64, Vec<f64>, Vec<f64>, Vec<f64>)],
) -> [f64; 3] {
    let mut integrator = Integrator::new(system, method, step, &consistent(system)).unwrap();
    let mut squares = [0.0; 3];
    for (t, q, v, lambda) in exact {
        while integrator.point().t() < t - 1e-12 {
            integrator.step_once(1e9).unwrap();
        }
        let p = integrator.point();
        assert!((p.t() - t).abs() < 1e-12);
        for (sum, (ours, exact)) in
            squares.iter_mut().zip([(p.q(), q), (p.v(), v), (p.lambda(), lambda)])
        {
            *sum += distance(ours, exact).powi(2);
        }
    }
    squares.map(|sum| (sum / exact.len() as f64).sqrt())
}

/// Orders between the two finer of three step sizes, and the errors at the finest.
fn orders(
    system: &System,
    method: &Method,
    exact: &[(f64, Vec<f64>, Vec<f64>, Vec<f64>)],
    step: impl Fn(i32) -> Step,
) -> ([f64; 3], [f64; 3]) {
    let [coarse, fine] = [0, 1].map(|k| errors_along(system, method, step(k), exact));
    ([0, 1, 2].map(|i| (coarse[i] / fine[i]).log2()), fine)
}

#[test]
fn orders_on_the_bushing_pendulum() {
    // C2: [P16_reference].
    let system = bushing_pendulum();
    let exact = [
        (
            0.5,
            vec![-0.6036496779991647, -1.9067267938148624, 4.405782798390703],
            vec![5.255477664913522, -1.663829034368144, 2.756282484707043],
            vec![-263.82076526335186, -45.21439160849752],
        ),
        (
            1.0,
            vec![-0.2670153275114048, -1.9820955614888949, 4.578481487894024],
            vec![-0.6472261274474814, 0.08719019393016068, -0.32653628817033586],
            vec![-166.44260249903067, -27.70380060863172],
        ),
        (
            2.0,
            vec![0.030778224027276747, -1.9997631612082785, 4.727778699883553],
            vec![-0.39632193164575336, -0.006099764930035937, -0.19818443470390332],
            vec![10.4524522815286, -49.28194420930454],
        ),
    ];
    for form in Form::ALL {
        for parameters in [Some(0.0), Some(0.5), Some(0.75), Some(1.0), None] {
            let options = DaeAlpha::new(form);
            let method: Method = match parameters {
                Some(rho) => options.rho(rho).unwrap().into(),
                None => options.alpha(-0.3).unwrap().into(),
            };
            let step = |k| Step::fixed(0.5f64.powi(10 + k));
            let (orders, errors) = orders(&system, &method, &exact, step);
            println!("{:20} {parameters:?}: {orders:.3?} {}", form.name(), e(&errors));
            assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{form:?} {orders:?}");
        }
    }
}

#[test]
fn orders_on_a_rheonomic_model_with_fixed_and_alternating_steps() {
    let system = driven();
    let exact = [0.375, 0.75, 1.125, 1.5].map(|t| {
        let y = driven_exactly(t);
        (t, y[..2].to_vec(), y[2..4].to_vec(), y[4..].to_vec())
    });
    for form in Form::ALL {
        for (rho, alternating, adjust) in [
            (0.0, false, true),
            (0.75, false, true),
            (0.0, true, true),
            (0.75, true, true),
            (0.75, true, false),
        ] {
            let method: Method = DaeAlpha::new(form).rho(rho).unwrap().adjust(adjust).into();
            let step = |k| {
                let h = 1.5 * 0.5f64.powi(10 + k);
                if alternating {
                    Step::cycle([2.0 * h / 3.0, 4.0 * h / 3.0])
                } else {
                    Step::fixed(h)
                }
            };
            let (orders, errors) = orders(&system, &method, &exact, step);
            println!(
                "{:20} ρ {rho} alternating {alternating} adjusted {adjust}: {orders:.3?} {}",
                form.name(),
                e(&errors)
            );
            if adjust {
                assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{form:?} {orders:?}");
            } else {
                assert!(orders[1] < 1.3, "{form:?} {orders:?}");
            }
        }
    }
}

#[test]
fn orders_with_nonconstant_mass_states_and_variables() {
    let (system, start) = sliding(false);
    for form in Form::ALL {
        let method = method(form, 0.75);
        let at = |k: i32| run(&system, &method, Step::fixed(0.5f64.powi(k)), 1.0, &start);
        let points = [8, 9, 10, 11].map(at);
        let change = |i: usize, kind| distance(points[i].get(kind), points[i + 1].get(kind));
        let orders =
            [Q, V, A, Lambda, X, Xd, W].map(|kind| (change(1, kind) / change(2, kind)).log2());
        println!("{:20} q v a λ x ẋ w: {orders:.3?}", form.name());
        assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{form:?} {orders:?}");
    }
}

#[test]
fn the_forms_agree() {
    for (system, start) in [
        {
            let system = bushing_pendulum();
            let start = consistent(&system);
            (system, start)
        },
        {
            let system = driven();
            let start = consistent(&system);
            (system, start)
        },
        sliding(false),
    ] {
        let end = |form| run(&system, &method(form, 0.5), Step::fixed(0.01), 1.0, &start);
        let stabilized = end(Form::Stabilized);
        for form in Form::ALL {
            let p = end(form);
            let difference =
                [Q, V, A, Lambda].map(|kind| distance(p.get(kind), stabilized.get(kind)));
            let name = system.model().name();
            println!("{name} {:20} differs from dae-alpha by {}", form.name(), e(&difference));
            if matches!(form, Form::CoordinateSplit | Form::Modified) {
                assert!(difference[0] < 1e-11 && difference[1] < 1e-9, "{difference:?}");
            }
        }
    }
}

#[test]
fn multipliers_of_the_formulas_have_the_orders_they_are_said_to_have() {
    // ν/(β̂h²) and μ/(γ̂h), the step's own unknowns, against λ.
    let system = driven();
    let exact = driven_exactly(1.5)[4];
    let mut errors = Vec::new();
    for k in [7, 8, 9] {
        let h = 1.5 * 0.5f64.powi(k);
        let mut integrator = Integrator::new(
            &system,
            &method(Form::Stabilized, 0.5),
            Step::fixed(h),
            &consistent(&system),
        )
        .unwrap();
        while integrator.point().t() < 1.5 {
            integrator.step_once(1.5).unwrap();
        }
        let u = integrator.stepper().unknowns().to_vec();
        errors.push([0, 1].map(|i| (u[4 + i] - exact).abs()));
    }
    let orders = [0, 1].map(|i| (errors[1][i] / errors[2][i]).log2());
    println!("orders of ν/(β̂h²), μ/(γ̂h): {orders:.3?} {}", e(&errors[2]));
    assert!((orders[0] - 1.0).abs() < 0.1 && (orders[1] - 2.0).abs() < 0.1, "{orders:?}");
}

#[test]
fn constraints_hold_to_rounding_whatever_the_tolerance() {
    let system = bushing_pendulum();
    for form in Form::ALL {
        let method = method(form, 0.75);
        let mut integrator =
            Integrator::new(&system, &method, Step::local_error(1e-4), &consistent(&system))
                .unwrap();
        while integrator.point().t() < 2.0 {
            integrator.step_once(2.0).unwrap();
        }
        let drift = integrator.drift();
        println!("{:20} {drift:?}\n{}", form.name(), integrator.stats());
        assert!(drift.position < 1e-14 && drift.velocity < 1e-13, "{drift:?}");
    }
}

kernel! { Spring: 1 -> 1, |[q]| [-1.0 * *q] }

fn oscillator() -> System {
    let mut b = ModelBuilder::new("Oscillator", "");
    b.coord("q", "", "");
    b.init_q(0, 1.0, Keep::Kept);
    b.mass("m", Constant(1.0), one([]), vec![(0, 0)]);
    b.force("spring", Spring, one([(Q, 0)]), vec![[0]]);
    System::new(b.finish().unwrap())
}

/// Spectral radius of the step (q, hv, h²a) → (q', hv', h²a') on q̈ = −q, by unit perturbations.
fn radius<S: Scheme>(system: &System, mut scheme: S, h: f64, set: impl Fn(&mut S, f64)) -> f64 {
    let mut matrix = Matrix3::zeros();
    for column in 0..3 {
        let mut from = system.initial_point();
        let unit = |i: usize| if i == column { 1.0 } else { 0.0 };
        from.q_mut()[0] = unit(0);
        from.v_mut()[0] = unit(1) / h;
        from.a_mut()[0] = -unit(0);
        scheme.start(system, &from);
        set(&mut scheme, unit(2) / (h * h));
        scheme.begin(&from, StepSpan { t: 0.0, t_next: h, h }, Accuracy::RoundOff);
        let size = scheme.plan().pattern().size();
        let (mut u, mut r) = (vec![0.0; size], vec![0.0; size]);
        let mut to = from.clone();
        scheme.update(&from, &u, &mut to);
        scheme.residual(system, &to, &u, &mut r);
        let mut values = scheme.plan().values();
        scheme.matrix(system, &to, &u, &mut values);
        let mut jacobian = DMatrix::zeros(size, size);
        for ((i, j), value) in scheme.plan().pattern().entries().zip(&values) {
            jacobian[(i, j)] = *value;
        }
        let du = jacobian.lu().solve(&DVector::from_vec(r)).unwrap();
        u.iter_mut().zip(du.iter()).for_each(|(u, du)| *u = -du);
        scheme.update(&from, &u, &mut to);
        scheme.complete(system, &mut to, &u).unwrap();
        let pieces = crate::assembly::Residual::new(&system.dims());
        scheme.accept(system, &from, &to, &u, &pieces);
        let a = scheme.algorithmic().unwrap()[0];
        matrix.set_column(column, &nalgebra::Vector3::new(to.q()[0], h * to.v()[0], h * h * a));
    }
    matrix.complex_eigenvalues().iter().map(|z| z.norm()).fold(0.0, f64::max)
}

#[test]
fn the_spectral_radius_at_infinity_is_the_designed_one() {
    let system = oscillator();
    let at = system.initial_point();
    let all = |options: DaeAlpha, h: f64| match options.form() {
        Form::Stabilized => radius(&system, DaeScheme::new(&options, &system), h, |s, a| {
            s.history.a[0] = a;
        }),
        Form::ProjectedOde => {
            radius(&system, ProjectedScheme::new(&options, &system, &at), h, |s, a| {
                s.history.a[0] = a;
            })
        }
        _ => radius(&system, SplitScheme::new(&options, &system, &at).unwrap(), h, |s, a| {
            s.base.history.a[0] = a;
        }),
    };
    for form in Form::ALL {
        for rho in [0.0, 0.2, 0.5, 0.75, 0.9, 1.0] {
            let options = DaeAlpha::new(form).rho(rho).unwrap();
            let [at_ten, at_infinity] = [10.0, 1e6].map(|h| all(options.clone(), h));
            println!(
                "{:20} ρ {rho}: {at_infinity:.5} at infinity, {at_ten:.5} at hω = 10",
                form.name()
            );
            assert!((at_infinity - rho).abs() < 3e-3, "{form:?} {rho}: {at_infinity}");
            assert!(at_ten <= 1.0 + 1e-12, "{form:?} {rho}: {at_ten}");
        }
        for alpha in [-1.0 / 3.0, -0.3, -0.1, 0.0] {
            let options = DaeAlpha::new(form).alpha(alpha).unwrap();
            let measured = all(options, 1e6);
            let designed = (1.0 + alpha) / (1.0 - alpha);
            println!("{:20} α {alpha:.3}: {measured:.5}, designed {designed:.5}", form.name());
            assert!((measured - designed).abs() < 3e-3, "{form:?} {alpha}: {measured}");
        }
    }
}

#[test]
fn adaptive_steps_are_controlled() {
    let system = bushing_pendulum();
    let exact = [0.030778224027276747, -1.9997631612082785, 4.727778699883553];
    for form in Form::ALL {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for eps in [1e-3, 1e-4, 1e-5, 1e-6] {
            let method = method(form, 0.75);
            let step = Step::local_error(eps);
            let mut integrator =
                Integrator::new(&system, &method, step, &consistent(&system)).unwrap();
            let mut thetas = Vec::new();
            while integrator.point().t() < 2.0 {
                thetas.push(integrator.step_once(2.0).unwrap().theta);
            }
            thetas.sort_by(f64::total_cmp);
            let theta = thetas[thetas.len() / 2];
            let error = distance(integrator.point().q(), &exact);
            let s = integrator.stats();
            println!(
                "{:20} ε {eps:.0e}: {:5} steps, {:3} rejected, {:4} matrices, {:5} iterations, error {error:.2e}, median Θ {theta:.3}",
                form.name(),
                s.steps,
                s.rejected,
                s.jacobians,
                s.newton_iterations
            );
            assert!((0.35..0.65).contains(&theta), "{form:?} {eps}: {theta}");
            points.push((eps.ln(), error.ln()));
        }
        let slope = (points[3].1 - points[0].1) / (points[3].0 - points[0].0);
        println!("{:20} slope {slope:.3}", form.name());
        assert!((0.55..0.75).contains(&slope), "{form:?} {slope}");
    }
}

#[test]
fn states_and_redundant_rows() {
    // D1 at t = 1.
    let system = actuator_pendulum();
    for form in Form::ALL {
        let method = method(form, 0.75);
        let errors = [10, 11].map(|k| {
            let step = Step::fixed(0.5f64.powi(k));
            let p = run(&system, &method, step, 1.0, &consistent(&system));
            [(p.q()[2] - 4.7949339869245).abs(), (p.x()[0] + 429.542945786).abs()]
        });
        let orders = [0, 1].map(|i| (errors[0][i] / errors[1][i]).log2());
        println!("{:20} orders of θ, X {orders:.3?}", form.name());
        assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{form:?} {orders:?}");
        // The pin stated twice.
        let mut doubled = doubled_pendulum();
        let mut at = doubled.initial_point();
        start::start(&mut doubled, &mut at).unwrap();
        let plain = bushing_pendulum();
        let [a, b] = [(&plain, consistent(&plain)), (&doubled, at)]
            .map(|(system, start)| run(system, &method, Step::fixed(0.01), 0.2, &start));
        assert!(distance(a.q(), b.q()) < 1e-12 && distance(a.v(), b.v()) < 1e-10);
        assert_eq!(b.lambda()[2..], [0.0, 0.0]);
    }
}

#[test]
fn what_it_cannot_treat_is_refused_by_name() {
    let refused = |system: &System, form| {
        let start = system.initial_point();
        Integrator::new(system, &method(form, 0.5), Step::fixed(0.01), &start)
            .map(|_| ())
            .unwrap_err()
    };
    for form in Form::ALL {
        let error = refused(&everything(), form);
        println!("{error}");
        assert!(error.to_string().contains("gen-alpha-soi2"));
        assert!(matches!(error, OptionError::NotForModel { .. }));
        let level_two = sliding(true).0;
        if form != Form::ProjectedOde {
            let error = refused(&level_two, form);
            println!("{error}");
            assert!(error.to_string().contains("`level two` depends on"));
        }
    }
    assert!(DaeAlpha::new(Form::Stabilized).rho(1.1).is_err());
    assert!(DaeAlpha::new(Form::Stabilized).alpha(0.1).is_err());
    for form in Form::ALL {
        assert_eq!(Method::from_name(form.name()).unwrap().name(), form.name());
    }
}

fn named(system: &System, names: &[&str]) -> Result<Point, OptionError> {
    let names = names.iter().map(|n| n.to_string()).collect();
    let method = Method::from_name("dae-alpha-cm").unwrap().independent(names)?;
    let mut integrator = Integrator::new(system, &method, Step::fixed(0.01), &consistent(system))?;
    for _ in 0..20 {
        integrator.step_once(10.0).unwrap();
    }
    Ok(integrator.point().clone())
}

#[test]
fn independent_coordinates_by_name() {
    let system = bushing_pendulum();
    let automatic = named(&system, &[]).unwrap();
    let theta = named(&system, &["theta"]).unwrap();
    assert!(distance(automatic.q(), theta.q()) < 1e-12);
    for (names, message) in [
        (&["thet"][..], "did you mean `theta`"),
        (&["x", "theta"], "2 named, but the model has 1"),
        (&["x", "x"], "`x` is named twice"),
        // At the bottom y does not move to first order, and x moves θ: y cannot lead.
        (&["y"], "do not determine"),
    ] {
        let error = named(&system, names).unwrap_err().to_string();
        println!("{error}");
        assert!(error.contains(message), "{error}");
    }
    let error = Method::from_name("hht-i3").unwrap().independent(vec!["x".into()]).unwrap_err();
    println!("{error}");
    assert!(matches!(error, OptionError::NotOfMethod { .. }));
}

#[test]
fn partitions_annihilate_reactions_and_are_renewed() {
    let (system, at) = sliding(false);
    for pivoting in [Pivoting::Coordinates, Pivoting::Full] {
        let mut partition = Partition::new(&system, &at, Choice::Automatic(pivoting)).unwrap();
        assert_eq!(partition.dependent().len() + partition.independent().len(), 4);
        // P Gᵀ = 0: project Gᵀ e_i.
        for row in 0..2 {
            let mut unit = [0.0; 2];
            unit[row] = 1.0;
            let weights = crate::assembly::Weights { u: at.a(), s: &unit, r: &[] };
            let mut pieces = crate::assembly::Residual::new(&system.dims());
            system.eval(&at, &weights, crate::assembly::Want::GTS, &mut pieces);
            let mut s = [0.0; 2];
            partition.multiplier(&pieces.gts, &mut s);
            assert!((s[row] + 1.0).abs() < 1e-14 && s[1 - row].abs() < 1e-14, "{s:?}");
            let mut r = pieces.gts.clone();
            partition.project(&s, &mut r);
            assert!(r.iter().all(|r| r.abs() < 1e-14), "{r:?}");
        }
        // G u = b.
        let mut u = [0.3, -0.2, 0.7, 0.1];
        let kept = partition.independent().to_vec();
        let before = u;
        partition.complete(&[0.4, -0.6], &mut u);
        let weights = crate::assembly::Weights { u: &u, s: at.lambda(), r: &[] };
        let mut pieces = crate::assembly::Residual::new(&system.dims());
        system.eval(&at, &weights, crate::assembly::Want::GU, &mut pieces);
        assert!(distance(&pieces.gu, &[0.4, -0.6]) < 1e-14);
        assert!(kept.iter().all(|&j| u[j] == before[j]));
    }
    // A full turn of the driven pendulum: x leads at the top and bottom, y at the sides.
    let system = driven();
    let mut at = consistent(&system);
    let mut partition = Partition::new(&system, &at, Choice::default()).unwrap();
    let mut changes = 0;
    for k in 0..100 {
        let (s, c) = (0.0628 * f64::from(k)).sin_cos();
        at.q_mut().copy_from_slice(&[s, -c]);
        changes += usize::from(partition.renew(&system, &at).unwrap());
        let slope = [s, -c][partition.independent()[0]] / [s, -c][partition.dependent()[0]];
        assert!(slope.abs() < 11.0);
    }
    println!("{changes} changes in a turn");
    assert!((2..=5).contains(&changes));
}
