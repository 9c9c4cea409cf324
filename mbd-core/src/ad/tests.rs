//! The engine against difference quotients and hand-written Jacobians, on a model with every kind
//! of statement.

use super::{Instances, Kernel};
use crate::assembly::System;
use crate::equation::{SlotKind, SlotKind::*, Term};
use crate::model::{Mechanism, Model, ModelBuilder, ParamInfo, Reaction};
use crate::scalar::{Num, Scalar};
use crate::statement::ModelError;
use crate::verify::{self, Noise};
use nalgebra::DMatrix;

macro_rules! kernel {
    ($name:ident<$k:literal, $p:literal, $r:literal> |$z:ident, $par:ident| $body:expr) => {
        struct $name;
        impl Kernel<$k, $p, $r> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                $z: &[Num<D>; $k],
                $par: &[Num<D>; $p],
            ) -> [Num<D>; $r] {
                $body
            }
        }
    };
}

// q0, q1, v0, v1, t
kernel!(
    Energy < 5,
    1,
    1 > |z, p| {
        let [a, b, va, vb, t] = *z;
        [0.5 * p[0]
            * (va * va
                + (va + vb) * (va + vb) * (2.0 + b.cos())
                + a.sin().sq() * vb * vb * t.exp())
            + va * a.cos() * t]
    }
);
kernel!(Weight < 3, 1, 1 > |z, p| [p[0] * (z[0].sin() * z[1] + z[2] * z[1].sq())]);
kernel!(Damping < 3, 1, 1 > |z, p| [0.5 * p[0] * z[0].exp() * z[1].sq() + z[2] * z[1]]);
kernel!(
    Row < 4,
    1,
    2 > |z, p| {
        let [a, b, c, t] = *z;
        [a.sin() * b.exp() + c.powi(3) * t - p[0] * t.sin(), a * b * c * p[0] - t.sq()]
    }
);
kernel!(Roll < 4, 1, 1 > |z, p| [z[1] * z[0].cos() - p[0] * z[2] * z[2] * z[0] + z[3] * z[1]]);
kernel!(Entry < 1, 1, 1 > |z, p| [p[0] * (2.0 + z[0].sin())]);
kernel!(Along < 3, 1, 2 > |z, p| [(z[0] * z[0] + p[0] * z[1]).sqrt(), z[0].sin() * z[2]]);
kernel!(
    Push < 6,
    1,
    2 > |z, p| [p[0] * z[0] * z[1] + z[2].sq() * z[3], z[4].tanh() * z[5] + z[0] * z[3]]
);
kernel!(Direct < 2, 1, 1 > |z, p| [p[0] * z[0] * z[1].sin()]);
kernel!(Rate < 3, 1, 1 > |z, p| [-p[0] * z[0] + z[1].sin() * z[2]]);
kernel!(Implicit < 3, 1, 1 > |z, p| [z[0] + 0.1 * z[0].powi(3) + p[0] * z[1] - z[2].cos()]);
kernel!(Define < 4, 1, 1 > |z, p| [p[0] * z[0].sin() + z[1] * z[2] - 0.3 * z[3].powi(2)]);

// Two expressions of two coordinates and of a massless node, and what acts along them.
kernel!(
    Strut < 4,
    1,
    2 > |z, p| [(z[0] - z[2]).exp() * z[1] + p[0] * z[2].sin() * z[3], z[1] * z[2]]
);
kernel!(Pull < 4, 1, 2 > |z, p| [p[0] * z[0] * z[1] + z[2].sq(), z[1].sin() * z[3] + z[0].tanh()]);

struct Everything;

fn one<const K: usize>(slots: [(SlotKind, usize); K]) -> Instances<K, 1> {
    let mut instances = Instances::new(slots.map(|s| s.0));
    instances.push(&[], slots.map(|s| s.1), [0]);
    instances
}

impl Mechanism for Everything {
    fn model(&self) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Everything", "");
        b.param("p", "", "", 1.3);
        for name in ["a", "b", "c"] {
            b.coord(name, "m", "");
        }
        for i in 0..3 {
            b.init_q(i, 0.5 + 0.2 * i as f64, crate::model::Keep::Guess);
        }
        b.state("e", "", "");
        b.state("s", "", "");
        b.variable("V", "", "");
        b.variable("node", "m", "");
        b.balanced(&[1]);
        b.force_along(
            "strut",
            Strut,
            one([(Q, 0), (Q, 1), (W, 1), (T, 0)]),
            Pull,
            one([(W, 1), (Q, 0), (V, 2), (X, 0)]),
        );
        let row = b.rows_holonomic("row", 2, 1);
        let roll = b.rows_nonholonomic("roll", 1, 1);
        let stated = b.rows_nonholonomic("stated", 1, 1);
        b.kinetic("energy", Energy, one([(Q, 0), (Q, 1), (V, 0), (V, 1), (T, 0)]));
        b.potential("weight", Weight, one([(Q, 0), (Q, 2), (T, 0)]));
        b.dissipation("damping", Damping, one([(Q, 1), (V, 2), (X, 0)]));
        b.holonomic("row", Row, one([(Q, 0), (Q, 1), (Q, 2), (T, 0)]), row, Reaction::Standard);
        let slots = [(Q, 0), (V, 1), (V, 2), (T, 0)];
        b.nonholonomic("roll", Roll, one(slots), roll, Reaction::Standard);
        b.nonholonomic("stated", Roll, one(slots), stated, Reaction::Stated);
        b.mass("", Entry, one([(Q, 1)]), vec![(2, 2)]);
        b.mass("", Entry, one([(Q, 0)]), vec![(1, 2)]);
        b.mass_one_sided("", Entry, one([(Q, 2)]), vec![(0, 2)]);
        b.force_along(
            "push",
            Along,
            one([(Q, 0), (Q, 1), (T, 0)]),
            Push,
            one([(Q, 0), (V, 1), (Lambda, 0), (X, 0), (Psi, 1), (W, 0)]),
        );
        b.force("direct", Direct, one([(Q, 1), (Lambda, 1)]), vec![[2]]);
        b.rate("e", Rate, one([(X, 0), (Q, 1), (V, 0)]), vec![0]);
        b.equation("s", Implicit, one([(Xd, 1), (X, 1), (A, 0)]));
        b.define("V", Define, one([(W, 0), (A, 1), (Lambda, 0), (Xd, 0)]), vec![0]);
        b.finish()
    }

    fn set(&mut self, _: &str, _: f64) -> Result<(), ModelError> {
        Ok(())
    }

    fn params(&self) -> Vec<ParamInfo> {
        Vec::new()
    }
}

#[test]
fn every_derivative_of_every_statement_agrees_with_differences() {
    let report = verify::check_mechanism(&Everything).unwrap();
    println!("{report}");
    assert!(report.passes(1e-8), "{report}");
    // Nothing was skipped: all terms of constraints, inertia and forces are there.
    for quantity in [
        "M",
        "(M u)_q",
        "γ_q",
        "γ_v",
        "ζ_q",
        "ζ_v",
        "f_λ",
        "f_ψ",
        "f_w",
        "f_x",
        "d_ẋ",
        "d_a",
        "(w−φ)_q",
        "(w−φ)_v",
        "(w−φ)_w",
    ] {
        assert!(report.checks.iter().any(|c| c.quantity == quantity), "{quantity} not checked");
    }
}

#[test]
fn programs_agree_with_dual_numbers() {
    let mut system = System::new(Everything.model().unwrap());
    for seed in 0..5 {
        let error = verify::program_error(&mut system, seed);
        assert!(error < 1e-13, "{error:e}");
    }
}

#[test]
fn constraint_jacobian_is_the_hand_written_one() {
    verify::assert_jacobian(&Everything, Term::G, |y| {
        let (q, t, p) = (y.q(), y.t(), y.params()[0]);
        DMatrix::from_row_slice(
            2,
            3,
            &[
                q[0].cos() * q[1].exp(),
                q[0].sin() * q[1].exp(),
                3.0 * q[2] * q[2] * t,
                q[1] * q[2] * p,
                q[0] * q[2] * p,
                q[0] * q[1] * p,
            ],
        )
    });
    verify::assert_jacobian(&Everything, Term::GtsQ, |y| {
        let (q, t, s, p) = (y.q(), y.t(), y.lambda(), y.params()[0]);
        let (sa, ca, eb) = (q[0].sin(), q[0].cos(), q[1].exp());
        let h = |a: f64, b: f64| s[0] * a + s[1] * b;
        DMatrix::from_row_slice(
            3,
            3,
            &[
                h(-sa * eb, 0.0),
                h(ca * eb, q[2] * p),
                h(0.0, q[1] * p),
                h(ca * eb, q[2] * p),
                h(sa * eb, 0.0),
                h(0.0, q[0] * p),
                h(0.0, q[1] * p),
                h(0.0, q[0] * p),
                h(6.0 * q[2] * t, 0.0),
            ],
        )
    });
}

#[test]
fn a_wrong_derivative_is_seen() {
    // The report's own sensitivity: a matrix entry off by 1e-6 must not pass.
    let system = System::new(Everything.model().unwrap());
    let point = verify::generic_point(&system, 1);
    let g = verify::dense(&system, &point, Term::G);
    let mut wrong = g.clone();
    wrong[(0, 1)] *= 1.0 + 1e-6;
    let caught = std::panic::catch_unwind(|| {
        verify::assert_jacobian(&Everything, Term::G, |_| wrong.clone());
    });
    assert!(caught.is_err());
    assert!(Noise::new(1).sample() != Noise::new(2).sample());
}
