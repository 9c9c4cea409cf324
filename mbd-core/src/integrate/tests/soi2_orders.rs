//! `gen-alpha-soi2` and `hht-soi2` are of order two at equal and at alternating steps, with the errors of an
//! independent implementation.

use super::models::*;
use super::soi2::{a_of, alternating, deviation, run};
use super::soi2_models::*;
use crate::integrate::soi2::Start;
use crate::integrate::{Method, Soi2, Step};

/// Errors of y, z, a_{n+α} at t + α h_last, λ, ψ.
fn errors15(method: Soi2, step: impl Fn(f64) -> Step, h: f64, last: f64) -> Vec<f64> {
    let system = problem15();
    let (integrator, violation) = run(&system, &start15(&system), method, step(h), 1.0);
    assert!(violation < 1e-12, "{violation}");
    let p = integrator.point();
    let (e, ta) = ((1f64).exp(), 1.0 + method.family().alpha() * last);
    vec![
        deviation(p.q(), &[e, (-2f64).exp()]),
        deviation(p.v(), &[e, -2.0 * (-2f64).exp()]),
        deviation(a_of(&integrator), &[ta.exp(), 4.0 * (-2.0 * ta).exp()]),
        deviation(p.lambda(), &[(-1f64).exp()]),
        deviation(p.psi(), &[e]),
    ]
}

/// Errors for halved steps, and the last observed orders.
fn orders(
    what: &str,
    first: i32,
    count: i32,
    errors: impl Fn(f64) -> Vec<f64>,
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let all: Vec<Vec<f64>> = (first..first + count).map(|k| errors(2f64.powi(-k))).collect();
    let [.., before, last] = &all[..] else { unreachable!() };
    let orders: Vec<f64> = before.iter().zip(last).map(|(b, l)| (b / l).log2()).collect();
    println!("{what}: orders {orders:.3?}, errors at h = 2^-{} {last:?}", first + count - 1);
    (all, orders)
}

#[test]
fn problem_15_is_of_order_two_with_the_adjustment_and_of_order_one_without() {
    let method = Soi2::rho(0.2).unwrap();
    let alternate = |method: Soi2| move |h: f64| errors15(method, alternating, h, 2.0 * h / 3.0);
    let (errors, with) = orders("(15) alternating, adjusted", 3, 7, alternate(method));
    assert!(with.iter().all(|p| (p - 2.0).abs() < 0.1), "{with:?}");
    // [M1_problem15] adj_prev, h = 2⁻³ and 2⁻⁹.
    let published = [
        [
            0.007358856713436953,
            0.007465590416638295,
            0.017786052605942206,
            0.0014606439579631925,
            0.00036909118174177635,
        ],
        [
            1.6899389377664312e-06,
            1.7146451799504584e-06,
            4.40507527907744e-06,
            4.776497532499313e-07,
            1.0328380595225894e-07,
        ],
    ];
    for (errors, published) in [&errors[0], &errors[6]].into_iter().zip(published) {
        for (e, p) in errors.iter().zip(published) {
            assert!((e / p - 1.0).abs() < 1e-4, "{errors:?} instead of {published:?}");
        }
    }
    let (_, without) =
        orders("(15) alternating, not adjusted", 3, 7, alternate(method.adjust(false)));
    assert!(without[2..].iter().all(|p| *p <= 1.3), "{without:?}");
    let (_, shifted) = orders(
        "(15) alternating, eq. 8 at the start",
        3,
        7,
        alternate(method.start(Start::Shifted)),
    );
    assert!(shifted.iter().all(|p| (p - 2.0).abs() < 0.1), "{shifted:?}");
}

#[test]
fn every_member_of_the_family_is_of_order_two() {
    // [M1_problem15] const_…, h = 2⁻⁷.
    let published = [
        (
            Soi2::rho(0.0),
            [
                0.00013978396191090232,
                0.0001418272437476472,
                0.00034527365709734325,
                3.617157050195274e-05,
                1.2952118067843799e-05,
            ],
        ),
        (
            Soi2::rho(0.2),
            [
                8.14398485647545e-05,
                8.263036457539726e-05,
                0.00018394793068855412,
                1.2798073867004156e-05,
                6.715524375699999e-06,
            ],
        ),
        (
            Soi2::rho(0.8),
            [
                3.615057899648336e-05,
                3.6679066562925553e-05,
                6.158175949135844e-05,
                1.291790635848944e-06,
                4.9448034076249314e-06,
            ],
        ),
        (
            Soi2::rho(1.0),
            [
                3.4859014369925686e-05,
                3.5368621183640425e-05,
                4.945843891499991e-05,
                4.2528610864622785e-06,
                6.9595556051460505e-06,
            ],
        ),
        (
            Soi2::hht(-0.3),
            [
                4.4280253978241666e-05,
                4.4927584088322134e-05,
                8.268856160685751e-05,
                2.6090319629190617e-06,
                8.771214274894135e-07,
            ],
        ),
    ];
    for (method, published) in published {
        let method = method.unwrap();
        let name =
            format!("(15) constant steps, {} {:?}", Method::from(method).name(), method.family());
        let (errors, p) = orders(&name, 5, 3, |h| errors15(method, Step::fixed, h, h));
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.1), "{p:?}");
        for (e, p) in errors[2].iter().zip(published) {
            assert!((e / p - 1.0).abs() < 1e-4, "{errors:?} instead of {published:?}");
        }
    }
}

/// Errors of q, v, reported a, λ of C2 at t = 2.
fn errors16(method: Soi2, step: Step) -> Vec<f64> {
    let system = bushing_pendulum();
    let (integrator, violation) = run(&system, &consistent(&system), method, step, 2.0);
    assert!(violation < 1e-12, "{violation}");
    let p = integrator.point();
    [p.q(), p.v(), p.a(), p.lambda()]
        .iter()
        .zip(PENDULUM_2)
        .map(|(values, exact)| deviation(values, exact))
        .collect()
}

#[test]
fn the_pendulum_is_of_order_two() {
    for (name, method) in [
        ("rho 0.2", Soi2::rho(0.2)),
        ("hht -0.3", Soi2::hht(-0.3)),
        ("rho 0.8", Soi2::rho(0.8)),
        ("rho 0", Soi2::rho(0.0)),
    ] {
        let method = method.unwrap();
        let (_, p) =
            orders(&format!("(16) {name}, adjusted"), 7, 5, |h| errors16(method, alternating(h)));
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.1), "{p:?}");
        let (_, without) = orders(&format!("(16) {name}, not adjusted"), 7, 5, |h| {
            errors16(method.adjust(false), alternating(h))
        });
        assert!(without[1] < 1.3, "{without:?}");
        let (_, p) = orders(&format!("(16) {name}, equal steps"), 7, 5, |h| {
            errors16(method, Step::fixed(h))
        });
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.2), "{p:?}");
    }
}

/// Errors of q, v, reported a, ψ at t.
fn errors_skate(method: Soi2, step: Step, t: f64) -> Vec<f64> {
    let system = skate();
    let (integrator, violation) = run(&system, &consistent(&system), method, step, t);
    assert!(violation < 1e-12, "{violation}");
    let p = integrator.point();
    let s = (OMEGA * t).sin();
    let (s2, c2) = (2.0 * OMEGA * t).sin_cos();
    let r = 4.0 / (2.0 * OMEGA * OMEGA);
    let q = [r * s * s, r * (OMEGA * t - 0.5 * s2), OMEGA * t];
    let v = [r * OMEGA * s2, r * OMEGA * (1.0 - c2), OMEGA];
    let a = [r * OMEGA * OMEGA * 2.0 * c2, r * OMEGA * OMEGA * 2.0 * s2, 0.0];
    vec![
        deviation(p.q(), &q),
        deviation(p.v(), &v),
        deviation(p.a(), &a),
        deviation(p.psi(), &[-16.0 * s]),
    ]
}

#[test]
fn the_skate_is_of_order_two() {
    let method = Soi2::rho(0.2).unwrap();
    let alternate = |method: Soi2| move |h| errors_skate(method, alternating(h), 1.0);
    let (errors, p) = orders("skate, adjusted", 4, 5, alternate(method));
    // z goes through smaller terms of higher order first.
    assert!(p.iter().all(|p| (p - 2.0).abs() < 0.1), "{p:?}");
    // [skate_nonholonomic] alt_adj at h = 2⁻⁸: y, z, ψ.
    let published = [1.9681591355243003e-05, 2.717675974084271e-05, 4.149511056361632e-05];
    for (i, published) in [0, 1, 3].into_iter().zip(published) {
        assert!((errors[4][i] / published - 1.0).abs() < 1e-6, "{errors:?}");
    }
    let (_, p) = orders("skate, not adjusted", 4, 5, alternate(method.adjust(false)));
    assert!(p[1..].iter().all(|p| *p < 1.3), "{p:?}");
}

#[test]
fn states_are_of_order_two() {
    let (theta, x) = (4.7949339869245, -429.542945786);
    let system = actuator_pendulum();
    for method in [Soi2::rho(0.8), Soi2::rho(0.2), Soi2::hht(-0.3)].map(Result::unwrap) {
        let (_, p) = orders("actuator: θ, X", 7, 4, |h| {
            let (integrator, _) = run(&system, &consistent(&system), method, Step::fixed(h), 1.0);
            let p = integrator.point();
            vec![(p.q()[2] - theta).abs(), (p.x()[0] - x).abs()]
        });
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.15), "{p:?}");
    }
}
