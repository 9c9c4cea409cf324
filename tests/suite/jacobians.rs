//! Every derivative of every example by a second way: difference quotients of the quantity one
//! derivative below, and formulas derived by hand.

use crate::andrews_by_hand::ByHand;
use crate::models::*;
use crate::support::{assert_close, pieces, system};
use mbd::assembly::{Point, SlotKind, System, Term};
use mbd::model::Mechanism;
use mbd::verify::{assert_all_derivatives, assert_jacobian, generic_point, program_error};
use mbd::{Check, CheckOptions};
use nalgebra::{DMatrix, dmatrix, dvector};

/// The programs made of a model against plain dual numbers, to round-off.
#[track_caller]
fn assert_programs(mechanism: &impl Mechanism) {
    let mut system = System::new(mechanism.model().unwrap());
    for seed in 0..3 {
        let error = program_error(&mut system, seed);
        assert!(error < 1e-12, "programs and dual numbers differ by {error:e}");
    }
}

macro_rules! all_derivatives {
    ($($test:ident $model:expr;)*) => { $(
        #[test]
        fn $test() {
            let report = $model.check(&CheckOptions::default()).unwrap();
            assert!(report.passed() && report.derivatives.is_complete(), "{report}");
            assert_programs(&$model);
        }
    )* };
}
all_derivatives! {
    actuator_pendulum ActuatorPendulum::default();
    andrews Andrews::default();
    andrews_bodies AndrewsBodies::default();
    arm Arm::default();
    bricard Bricard::default();
    bushing Bushing::default();
    bushing_pendulum BushingPendulum::default();
    car_axis CarAxis::default();
    chain Chain { n: 3, ..Default::default() };
    closed_pendulum ClosedPendulum::default();
    crank_modal CrankModal::default();
    double_pendulum DoublePendulum::default();
    drift_slider_crank DriftSliderCrank::default();
    fekete Fekete::default();
    flexible_slider_crank FlexibleSliderCrank::default();
    four_bar FourBar::default();
    four_bars FourBars::default();
    heavy_top HeavyTop::default();
    ida_slider_crank IdaSliderCrank::default();
    jay_negrut JayNegrut::default();
    mass_pi MassPi::default();
    pendulum Pendulum::default();
    point_mass_oscillation PointMassOscillation::default();
    point_mass_spring PointMassSpring::default();
    rolling_disc RollingDisc::default();
    seven_body SevenBody::default();
    skate Skate::default();
    slider_crank SliderCrank::default();
    slider_crank_haug SliderCrankHaug::default();
    stiff_pendulum StiffPendulum::default();
    two_body_bushing TwoBodyBushing::default();
    two_bodies TwoBodies::default();
    free_pair FreePair::default();
}

/// A long chain is checked along random directions.
#[test]
fn long_chain() {
    assert_all_derivatives(&Chain { n: 30, ..Default::default() });
    assert_programs(&Chain { n: 30, ..Default::default() });
}

/// Compares the residual pieces of a model with hand-written ones at generic points, to round-off.
#[track_caller]
fn assert_pieces(
    mechanism: &impl Mechanism,
    by_hand: impl Fn(&Point) -> Vec<(&'static str, Vec<f64>)>,
) {
    let system: System = system(mechanism);
    for seed in 1..=3 {
        let point = generic_point(&system, seed);
        let model = pieces(&system, &point);
        for (name, should) in by_hand(&point) {
            let found = model.pieces().into_iter().find(|(_, n, _)| *n == name);
            let (_, _, is) = found.unwrap_or_else(|| panic!("no piece `{name}`"));
            assert_close(name, is, &should, 1e-12);
        }
    }
}

fn vec(values: nalgebra::DVector<f64>) -> Vec<f64> {
    values.as_slice().to_vec()
}

// ---------------------------------------------------------------------------------------------
// The README's slider-crank. With μ = m_r r l/2 the rod's kinetic energy is
// m_r/2 (r² θ̇² + l²/4 φ̇²) − μ θ̇ φ̇ cos(θ+φ) + J/2 φ̇².

mod slider_crank_by_hand {
    use super::*;

    struct At {
        p: SliderCrank,
        mu: f64,
        q: [f64; 3],
        v: [f64; 3],
    }

    fn at(point: &Point) -> At {
        let p = SliderCrank::default();
        let three = |values: &[f64]| [values[0], values[1], values[2]];
        At { mu: 0.5 * p.m_r * p.r * p.l, q: three(point.q()), v: three(point.v()), p }
    }

    /// Inertia of crank and rod as they stand in the example.
    const J_CRANK: f64 = 1e-3;
    const J_ROD: f64 = 1.5e-3;

    fn mass(s: &At) -> DMatrix<f64> {
        let c = -s.mu * (s.q[0] + s.q[1]).cos();
        dmatrix![
            J_CRANK + s.p.m_r * s.p.r * s.p.r, c, 0.0;
            c, J_ROD + 0.25 * s.p.m_r * s.p.l * s.p.l, 0.0;
            0.0, 0.0, s.p.m_p
        ]
    }

    fn jacobian(s: &At) -> DMatrix<f64> {
        let ([th, ph, _], r, l) = (s.q, s.p.r, s.p.l);
        dmatrix![
            -r * th.sin(), -l * ph.sin(), -1.0;
            r * th.cos(), -l * ph.cos(), 0.0
        ]
    }

    /// (G u)_q for u = (u1, u2, ·).
    fn g_u_q(s: &At, u: &[f64]) -> DMatrix<f64> {
        let ([th, ph, _], r, l) = (s.q, s.p.r, s.p.l);
        dmatrix![
            -r * th.cos() * u[0], -l * ph.cos() * u[1], 0.0;
            -r * th.sin() * u[0], l * ph.sin() * u[1], 0.0
        ]
    }

    fn gas(x: f64) -> (f64, f64) {
        let z = (0.42 - x) / 0.05;
        (-40.0 / (1.0 + z * z), 80.0 * z / (1.0 + z * z).powi(2) * (-1.0 / 0.05))
    }

    #[test]
    fn values() {
        assert_pieces(&SliderCrank::default(), |point| {
            let s = at(point);
            let ([th, ph, x], [w, n, _], r, l) = (s.q, s.v, s.p.r, s.p.l);
            let coriolis = s.mu * (th + ph).sin();
            let weight = 9.81 * s.p.m_r;
            let e = point.x()[0];
            let f = vec![
                -coriolis * n * n - weight * r * th.cos() - 0.005 * w
                    + 2.0 * (s.p.w_ref - w)
                    + 5.0 * e,
                -coriolis * w * w + weight * 0.5 * l * ph.cos(),
                gas(x).0,
            ];
            let g = vec![r * th.cos() + l * ph.cos() - x, r * th.sin() - l * ph.sin()];
            let gamma = vec![
                -r * th.cos() * w * w - l * ph.cos() * n * n,
                -r * th.sin() * w * w + l * ph.sin() * n * n,
            ];
            let u = dvector![point.a()[0], point.a()[1], point.a()[2]];
            let v = dvector![w, n, s.v[2]];
            let lambda = dvector![point.lambda()[0], point.lambda()[1]];
            vec![
                ("M u", vec(mass(&s) * &u)),
                ("f", f),
                ("g", g),
                ("G v + g_t", vec(jacobian(&s) * v)),
                ("γ", gamma),
                ("G u", vec(jacobian(&s) * u)),
                ("Gᵀs", vec(jacobian(&s).transpose() * &lambda)),
                ("reaction", vec(jacobian(&s).transpose() * lambda)),
                ("d", vec![point.xd()[0] - (s.p.w_ref - w)]),
            ]
        });
    }

    /// As `check` does.
    #[test]
    #[should_panic(expected = "f_x[1, 0], row phi, by e: the model gives 0e0, by hand 1e0")]
    fn what_differs_is_told_by_its_names() {
        let wrong = dmatrix![5.0; 1.0; 0.0];
        assert_jacobian(&SliderCrank::default(), Term::F(SlotKind::X), |_| wrong.clone());
    }

    #[test]
    fn derivatives() {
        let model = SliderCrank::default();
        assert_jacobian(&model, Term::M, |p| mass(&at(p)));
        assert_jacobian(&model, Term::MuQ, |p| {
            let s = at(p);
            let k = s.mu * (s.q[0] + s.q[1]).sin();
            let a = p.a();
            dmatrix![k * a[1], k * a[1], 0.0; k * a[0], k * a[0], 0.0; 0.0, 0.0, 0.0]
        });
        assert_jacobian(&model, Term::F(SlotKind::Q), |p| {
            let s = at(p);
            let ([th, ph, x], [w, n, _]) = (s.q, s.v);
            let k = s.mu * (th + ph).cos();
            let weight = 9.81 * s.p.m_r;
            dmatrix![
                -k * n * n + weight * s.p.r * th.sin(), -k * n * n, 0.0;
                -k * w * w, -k * w * w - weight * 0.5 * s.p.l * ph.sin(), 0.0;
                0.0, 0.0, gas(x).1
            ]
        });
        assert_jacobian(&model, Term::F(SlotKind::V), |p| {
            let s = at(p);
            let k = 2.0 * s.mu * (s.q[0] + s.q[1]).sin();
            dmatrix![-0.005 - 2.0, -k * s.v[1], 0.0; -k * s.v[0], 0.0, 0.0; 0.0, 0.0, 0.0]
        });
        assert_jacobian(&model, Term::F(SlotKind::X), |_| dmatrix![5.0; 0.0; 0.0]);
        assert_jacobian(&model, Term::D(SlotKind::V), |_| dmatrix![1.0, 0.0, 0.0]);
        assert_jacobian(&model, Term::D(SlotKind::Xd), |_| dmatrix![1.0]);
        assert_jacobian(&model, Term::G, |p| jacobian(&at(p)));
        assert_jacobian(&model, Term::Gt, |p| jacobian(&at(p)).transpose());
        assert_jacobian(&model, Term::React, |p| jacobian(&at(p)).transpose());
        let curvature = |p: &Point| {
            let (s, l) = (at(p), p.lambda());
            let (th, ph) = (s.q[0], s.q[1]);
            DMatrix::from_diagonal(&dvector![
                -s.p.r * (th.cos() * l[0] + th.sin() * l[1]),
                -s.p.l * (ph.cos() * l[0] - ph.sin() * l[1]),
                0.0
            ])
        };
        assert_jacobian(&model, Term::GtsQ, curvature);
        assert_jacobian(&model, Term::ReactQ, curvature);
        assert_jacobian(&model, Term::GuQ, |p| g_u_q(&at(p), p.a()));
        assert_jacobian(&model, Term::GdotQ, |p| g_u_q(&at(p), p.v()));
        assert_jacobian(&model, Term::GammaV, |p| 2.0 * g_u_q(&at(p), p.v()));
        assert_jacobian(&model, Term::GammaQ, |p| {
            let s = at(p);
            let ([th, ph, _], [w, n, _], r, l) = (s.q, s.v, s.p.r, s.p.l);
            dmatrix![
                r * th.sin() * w * w, l * ph.sin() * n * n, 0.0;
                -r * th.cos() * w * w, l * ph.cos() * n * n, 0.0
            ]
        });
    }
}

// ---------------------------------------------------------------------------------------------
// Two bars with a bushing. The gap of the bushing is d(q), its Jacobian D; Q = Dᵀ(−k d − c D v).

mod two_bodies_by_hand {
    use super::*;

    struct At {
        p: TwoBodies,
        q: Vec<f64>,
        v: Vec<f64>,
    }

    fn at(point: &Point) -> At {
        At { p: TwoBodies::default(), q: point.q().to_vec(), v: point.v().to_vec() }
    }

    /// h cos and h sin of both angles.
    fn arms(s: &At) -> [f64; 4] {
        let h = s.p.h;
        [h * s.q[2].cos(), h * s.q[2].sin(), h * s.q[5].cos(), h * s.q[5].sin()]
    }

    fn gap(s: &At) -> nalgebra::DVector<f64> {
        let ([c1, s1, c2, s2], q) = (arms(s), &s.q);
        dvector![q[3] - c2 - q[0] - c1, q[4] - s2 - q[1] - s1]
    }

    fn gap_q(s: &At) -> DMatrix<f64> {
        let [c1, s1, c2, s2] = arms(s);
        dmatrix![-1.0, 0.0, s1, 1.0, 0.0, s2; 0.0, -1.0, -c1, 0.0, 1.0, -c2]
    }

    /// (D v)_q.
    fn opening_q(s: &At) -> DMatrix<f64> {
        let ([c1, s1, c2, s2], v) = (arms(s), &s.v);
        dmatrix![
            0.0, 0.0, c1 * v[2], 0.0, 0.0, c2 * v[5];
            0.0, 0.0, s1 * v[2], 0.0, 0.0, s2 * v[5]
        ]
    }

    fn tension(s: &At) -> nalgebra::DVector<f64> {
        let v = nalgebra::DVector::from_column_slice(&s.v);
        -s.p.k * gap(s) - s.p.c * gap_q(s) * v
    }

    /// The torsion's matrix: its angle is θ2 − θ1.
    fn torsion() -> DMatrix<f64> {
        let along = dvector![0.0, 0.0, -1.0, 0.0, 0.0, 1.0];
        &along * along.transpose()
    }

    #[test]
    fn values() {
        assert_pieces(&TwoBodies::default(), |point| {
            let s = at(point);
            let ([c1, s1, ..], v) = (arms(&s), nalgebra::DVector::from_column_slice(&s.v));
            let q = nalgebra::DVector::from_column_slice(&s.q);
            let (w1, w2) = (s.p.m1 * s.p.g, s.p.m2 * s.p.g);
            let f = gap_q(&s).transpose() * tension(&s)
                - s.p.k_theta * torsion() * q
                - s.p.c_theta * torsion() * v
                - dvector![0.0, w1, 0.0, 0.0, w2, 0.0];
            let rate = s.v[2] * s.v[2];
            vec![
                ("f", vec(f)),
                ("g", vec![c1 - s.q[0], s1 - s.q[1]]),
                ("γ", vec![-c1 * rate, -s1 * rate]),
            ]
        });
    }

    #[test]
    fn derivatives() {
        let model = TwoBodies::default();
        let p = TwoBodies::default();
        let masses = dvector![p.m1, p.m1, p.J1, p.m2, p.m2, p.J2];
        assert_jacobian(&model, Term::M, |_| DMatrix::from_diagonal(&masses));
        assert_jacobian(&model, Term::F(SlotKind::Q), |point| {
            let s = at(point);
            let ([c1, s1, c2, s2], d, f) = (arms(&s), gap_q(&s), tension(&s));
            // (DᵀF)_q for constant F.
            let geometric = DMatrix::from_diagonal(&dvector![
                0.0,
                0.0,
                c1 * f[0] + s1 * f[1],
                0.0,
                0.0,
                c2 * f[0] + s2 * f[1]
            ]);
            -s.p.k * d.transpose() * &d - s.p.c * d.transpose() * opening_q(&s) + geometric
                - s.p.k_theta * torsion()
        });
        assert_jacobian(&model, Term::F(SlotKind::V), |point| {
            let s = at(point);
            let d = gap_q(&s);
            -s.p.c * d.transpose() * &d - s.p.c_theta * torsion()
        });
        assert_jacobian(&model, Term::G, |point| {
            let [c1, s1, ..] = arms(&at(point));
            dmatrix![-1.0, 0.0, -s1, 0.0, 0.0, 0.0; 0.0, -1.0, c1, 0.0, 0.0, 0.0]
        });
        let only_theta1 = |x: f64, y: f64| {
            let mut out = DMatrix::zeros(2, 6);
            out[(0, 2)] = x;
            out[(1, 2)] = y;
            out
        };
        assert_jacobian(&model, Term::GuQ, |point| {
            let ([c1, s1, ..], u) = (arms(&at(point)), point.a()[2]);
            only_theta1(-c1 * u, -s1 * u)
        });
        assert_jacobian(&model, Term::GammaQ, |point| {
            let ([c1, s1, ..], w) = (arms(&at(point)), point.v()[2]);
            only_theta1(s1 * w * w, -c1 * w * w)
        });
        assert_jacobian(&model, Term::GammaV, |point| {
            let ([c1, s1, ..], w) = (arms(&at(point)), point.v()[2]);
            only_theta1(-2.0 * c1 * w, -2.0 * s1 * w)
        });
        assert_jacobian(&model, Term::ReactQ, |point| {
            let ([c1, s1, ..], l) = (arms(&at(point)), point.lambda());
            let mut out = DMatrix::zeros(6, 6);
            out[(2, 2)] = -c1 * l[0] - s1 * l[1];
            out
        });
    }
}

// ---------------------------------------------------------------------------------------------
// Andrews' mechanism in seven angles; the formulas stand in `andrews_by_hand`.

mod andrews_formulas {
    use super::*;

    #[test]
    fn values() {
        let p = Andrews::default();
        assert_pieces(&p, |point| {
            let hand = ByHand::at(&p, point.q());
            let vector = |v: &[f64]| nalgebra::DVector::from_column_slice(v);
            let reaction = vec(hand.jacobian().transpose() * vector(point.lambda()));
            vec![
                ("M u", vec(hand.mass() * vector(point.a()))),
                ("f", vec(hand.force(point.v()))),
                ("g", vec(hand.g())),
                ("G v + g_t", vec(hand.jacobian() * vector(point.v()))),
                ("γ", vec(hand.gamma(point.v()))),
                ("Gᵀs", reaction.clone()),
                ("reaction", reaction),
            ]
        });
    }

    #[test]
    fn derivatives() {
        let p = Andrews::default();
        assert_jacobian(&p, Term::M, |x| ByHand::at(&p, x.q()).mass());
        assert_jacobian(&p, Term::MuQ, |x| ByHand::at(&p, x.q()).mass_u_q(x.a()));
        assert_jacobian(&p, Term::F(SlotKind::Q), |x| ByHand::at(&p, x.q()).force_q(x.v()));
        assert_jacobian(&p, Term::F(SlotKind::V), |x| ByHand::at(&p, x.q()).force_v(x.v()));
        assert_jacobian(&p, Term::G, |x| ByHand::at(&p, x.q()).jacobian());
        assert_jacobian(&p, Term::React, |x| ByHand::at(&p, x.q()).jacobian().transpose());
        assert_jacobian(&p, Term::GuQ, |x| ByHand::at(&p, x.q()).g_u_q(x.a()));
        assert_jacobian(&p, Term::GdotQ, |x| ByHand::at(&p, x.q()).g_u_q(x.v()));
        assert_jacobian(&p, Term::GammaQ, |x| ByHand::at(&p, x.q()).gamma_q(x.v()));
        assert_jacobian(&p, Term::GammaV, |x| ByHand::at(&p, x.q()).gamma_v(x.v()));
        assert_jacobian(&p, Term::GtsQ, |x| ByHand::at(&p, x.q()).gts_q(x.lambda()));
        assert_jacobian(&p, Term::ReactQ, |x| ByHand::at(&p, x.q()).gts_q(x.lambda()));
    }
}

// ---------------------------------------------------------------------------------------------
// The car axis: time in a constraint. The road y(t) = r sin ωt, x(t) = √(L² − y²).

mod car_axis_by_hand {
    use super::*;

    /// x, ẋ, ẍ and y, ẏ, ÿ of the right wheel's foot.
    fn road(t: f64) -> ([f64; 3], [f64; 3]) {
        let p = CarAxis::default();
        let (s, c) = (p.omega * t).sin_cos();
        let y = [p.r * s, p.r * p.omega * c, -p.r * p.omega * p.omega * s];
        let x = (p.L * p.L - y[0] * y[0]).sqrt();
        let xd = -y[0] * y[1] / x;
        // From x² + y² = L² twice differentiated.
        ([x, xd, -(xd * xd + y[1] * y[1] + y[0] * y[2]) / x], y)
    }

    #[test]
    fn values() {
        assert_pieces(&CarAxis::default(), |point| {
            let ([xb, xbd, xbdd], [yb, ybd, ybdd]) = road(point.t());
            let (q, v, a) = (point.q(), point.v(), point.a());
            let p = CarAxis::default();
            let [dx, dy, ddx, ddy] = [q[0] - q[2], q[1] - q[3], v[0] - v[2], v[1] - v[3]];
            let k = 0.5 * p.M * p.eps * p.eps;
            let spring = |x: f64, y: f64| {
                let l = x.hypot(y);
                [(p.L0 - l) * x / l, (p.L0 - l) * y / l - k * p.g]
            };
            let (left, right) = (spring(q[0], q[1]), spring(q[2] - xb, q[3] - yb));
            vec![
                ("M u", a.iter().map(|a| k * a).collect()),
                ("f", vec![left[0], left[1], right[0], right[1]]),
                ("g", vec![q[0] * xb + q[1] * yb, dx * dx + dy * dy - p.L * p.L]),
                (
                    "G v + g_t",
                    vec![
                        v[0] * xb + v[1] * yb + q[0] * xbd + q[1] * ybd,
                        2.0 * (dx * ddx + dy * ddy),
                    ],
                ),
                (
                    "γ",
                    vec![
                        2.0 * (v[0] * xbd + v[1] * ybd) + q[0] * xbdd + q[1] * ybdd,
                        2.0 * (ddx * ddx + ddy * ddy),
                    ],
                ),
            ]
        });
    }

    #[test]
    fn derivatives() {
        let model = CarAxis::default();
        // γ_q of the road's row is (ẍ, ÿ), γ_v is 2 (ẋ, ẏ): the rheonomic parts alone.
        assert_jacobian(&model, Term::GammaQ, |point| {
            let ([.., xbdd], [.., ybdd]) = road(point.t());
            dmatrix![xbdd, ybdd, 0.0, 0.0; 0.0, 0.0, 0.0, 0.0]
        });
        assert_jacobian(&model, Term::GammaV, |point| {
            let ([_, xbd, _], [_, ybd, _]) = road(point.t());
            let v = point.v();
            let [x, y] = [4.0 * (v[0] - v[2]), 4.0 * (v[1] - v[3])];
            dmatrix![2.0 * xbd, 2.0 * ybd, 0.0, 0.0; x, y, -x, -y]
        });
        assert_jacobian(&model, Term::GdotQ, |point| {
            let ([_, xbd, _], [_, ybd, _]) = road(point.t());
            let v = point.v();
            let [x, y] = [2.0 * (v[0] - v[2]), 2.0 * (v[1] - v[3])];
            dmatrix![xbd, ybd, 0.0, 0.0; x, y, -x, -y]
        });
    }
}
