//! The methods on independent coordinates, on models with everything they treat.

use super::dae_alpha::{distance, driven, driven_exactly, driven_twice, run, sliding};
use super::models::*;
use super::newton::matrix_is_the_derivative;
use crate::assembly::SlotKind::{A, Lambda, Q, V, W, X, Xd};
use crate::error::OptionError;
use crate::integrate::{Explicit, Formula, Integrator, Method, StateSpace, Step};

fn all() -> [Method; 3] {
    [
        StateSpace::default().into(),
        Explicit::new(Formula::AdamsBashforthMoulton).into(),
        Explicit::new(Formula::DormandPrince).into(),
    ]
}

#[test]
fn the_matrix_is_the_derivative_with_nonconstant_mass_driven_constraints_and_states() {
    for h in [0.01, 0.05] {
        for (beta, gamma) in [(0.25, 0.5), (0.36, 0.7)] {
            let method = StateSpace::default().newmark(beta, gamma).unwrap().into();
            for system in [bushing_pendulum(), actuator_pendulum(), mass_pi(), driven()] {
                matrix_is_the_derivative(&system, &consistent(&system), &method, h);
            }
            let (system, start) = sliding(false);
            matrix_is_the_derivative(&system, &start, &method, h);
        }
    }
}

#[test]
fn orders_on_driven_constraints() {
    let exact = driven_exactly(1.5);
    let system = driven();
    let start = consistent(&system);
    for (method, order, k) in
        all().into_iter().zip([2.0, 2.0, 5.0]).zip([9, 9, 5]).map(|((m, o), k)| (m, o, k))
    {
        let errors = [k, k + 1].map(|k| {
            let p = run(&system, &method, Step::fixed(1.5 * 0.5f64.powi(k)), 1.5, &start);
            [
                distance(p.q(), &exact[..2]),
                distance(p.v(), &exact[2..4]),
                distance(p.lambda(), &exact[4..]),
            ]
        });
        let orders = [0, 1, 2].map(|i| (errors[0][i] / errors[1][i]).log2());
        println!("{:14} q v λ: {orders:.3?}", method.name());
        assert!(orders.iter().all(|p| (p - order).abs() < 0.1 * order), "{orders:?}");
    }
}

#[test]
fn orders_with_nonconstant_mass_states_and_variables() {
    let (system, start) = sliding(false);
    for (method, order, k) in
        all().into_iter().zip([2.0, 2.0, 5.0]).zip([8, 8, 6]).map(|((m, o), k)| (m, o, k))
    {
        let points = [k, k + 1, k + 2]
            .map(|k| run(&system, &method, Step::fixed(0.5f64.powi(k)), 1.0, &start));
        let change = |i: usize, kind| distance(points[i].get(kind), points[i + 1].get(kind));
        let orders =
            [Q, V, A, Lambda, X, Xd, W].map(|kind| (change(0, kind) / change(1, kind)).log2());
        println!("{:14} q v a λ x ẋ w: {orders:.3?}", method.name());
        // The state's error happens to be of a higher order by explicit-rk.
        assert!(orders.iter().all(|p| *p > 0.94 * order), "{orders:?}");
        assert!(order == 5.0 || orders.iter().all(|p| *p < 1.06 * order), "{orders:?}");
    }
}

/// Forces that depend on accelerations and multipliers: the explicit methods solve for them, the
/// implicit one says that it does not.
#[test]
fn forces_of_level_two() {
    let (system, start) = sliding(true);
    let [implicit, abm, rk] = all();
    let refused = Integrator::new(&system, &implicit, Step::fixed(0.01), &start).err();
    assert!(
        matches!(refused, Some(OptionError::NotForModel { ref statement, .. }) if statement == "level two"),
        "{refused:?}"
    );
    let fine = run(&system, &rk, Step::fixed(0.5f64.powi(9)), 1.0, &start);
    let errors = [7, 8].map(|k| {
        distance(run(&system, &abm, Step::fixed(0.5f64.powi(k)), 1.0, &start).q(), fine.q())
    });
    let order = (errors[0] / errors[1]).log2();
    println!("explicit-abm against explicit-rk: order {order:.3}");
    assert!((order - 2.0).abs() < 0.2, "{order}");
}

#[test]
fn redundant_rows_change_nothing() {
    let (once, (twice, start)) = (driven(), driven_twice());
    for method in all() {
        let step = || Step::fixed(0.01);
        let one = run(&once, &method, step(), 1.0, &consistent(&once));
        let two = run(&twice, &method, step(), 1.0, &start);
        let differences = [Q, V, A].map(|kind| distance(one.get(kind), two.get(kind)));
        println!("{:14}: {differences:?}", method.name());
        assert!(differences.iter().all(|d| *d < 1e-11), "{differences:?}");
    }
}
