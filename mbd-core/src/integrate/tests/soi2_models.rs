//! Mechanisms that the tests of `gen-alpha-soi2` and `hht-soi2` share, and where references end.

use super::models::*;
use crate::assembly::{Point, SlotKind::*, System};
use crate::model::{Keep, ModelBuilder, Reaction};

kernel! { Mass11: 1 -> 1, |[y1]| [*y1] }
kernel! { Mass12: 2 -> 1, |[t, y2]| [*y2 - (-2.0 * *t).exp()] }
kernel! { Mass21: 2 -> 1, |[t, y1]| [(*y1 - t.exp()).sin()] }
kernel! { Mass22: 2 -> 1, |[y1, y2]| [*y1 * *y2] }
kernel! { Force15: 7 -> 2, |[t, y1, y2, z1, z2, l, p]| {
    let (e, e2, e3) = (t.exp(), (2.0 * *t).exp(), (3.0 * *t).exp());
    let (y1, y2, z1, z2, l, p) = (*y1, *y2, *z1, *z2, *l, *p);
    [
        e * (y1 * z2 + 2.0 * y2 * z1) + e2 * y1 * l - y1 * z2 * p - 2.0,
        (0.5 * y2 * z2 - 2.0 * y1 * z1 * y2 * z2 + y2 * l.powi(2)) / e
            - y1 * y2 * z1 * p.powi(3)
            + e3,
    ]
} }
kernel! { G15: 2 -> 1, |[y1, y2]| [*y1 * *y1 * *y2 - 1.0] }
kernel! { K15: 3 -> 1, |[y1, z1, z2]| [*y1 * *z1 * *z2 + 2.0] }

/// C1, problem (15): f nonlinear in λ and ψ, a mass matrix that is neither constant nor symmetric.
pub(super) fn problem15() -> System {
    let mut b = ModelBuilder::new("Problem15", "");
    for (i, (y, z)) in [(1.0, 1.0), (1.0, -2.0)].into_iter().enumerate() {
        b.coord(["y1", "y2"][i], "", "");
        b.init_q(i, y, Keep::Kept);
        b.init_v(i, z, Keep::Kept);
    }
    b.mass_one_sided("M11", Mass11, one([(Q, 0)]), vec![(0, 0)]);
    b.mass_one_sided("M12", Mass12, one([(T, 0), (Q, 1)]), vec![(0, 1)]);
    b.mass_one_sided("M21", Mass21, one([(T, 0), (Q, 0)]), vec![(1, 0)]);
    b.mass_one_sided("M22", Mass22, one([(Q, 0), (Q, 1)]), vec![(1, 1)]);
    let reads = [(T, 0), (Q, 0), (Q, 1), (V, 0), (V, 1), (Lambda, 0), (Psi, 0)];
    b.force("f", Force15, one(reads), vec![[0, 1]]);
    let row = b.rows_holonomic("g", 1, 1);
    b.holonomic("g", G15, one([(Q, 0), (Q, 1)]), row, Reaction::Stated);
    let row = b.rows_nonholonomic("k", 1, 1);
    b.nonholonomic("k", K15, one([(Q, 0), (V, 0), (V, 1)]), row, Reaction::Stated);
    System::new(b.finish().unwrap())
}

/// Its consistent start, λ = ψ = 1.
pub(super) fn start15(system: &System) -> Point {
    let mut point = system.initial_point();
    point.a_mut().copy_from_slice(&[1.0, 4.0]);
    point.lambda_mut().fill(1.0);
    point.psi_mut().fill(1.0);
    point
}

kernel! { Blade: 3 -> 1, |[phi, vx, vy]| [phi.cos() * *vy - phi.sin() * *vx] }

pub(super) const OMEGA: f64 = 1.3;

/// C4: skate on an inclined plane.
pub(super) fn skate() -> System {
    let mut b = ModelBuilder::new("Skate", "");
    for (i, name) in ["x", "y", "phi"].into_iter().enumerate() {
        b.coord(name, "", "");
        b.mass("m", Constant([2.0, 2.0, 0.3][i]), one([]), vec![(i, i)]);
    }
    b.init_v(2, OMEGA, Keep::Kept);
    b.force("slope", Constant(8.0), one([]), vec![[0]]);
    let row = b.rows_nonholonomic("blade", 1, 1);
    b.nonholonomic("blade", Blade, one([(Q, 2), (V, 0), (V, 1)]), row, Reaction::Standard);
    System::new(b.finish().unwrap())
}

kernel! { CrankPin: 3 -> 2, |[x, y, th]| [*x - 0.2 * th.cos(), *y - 0.2 * th.sin()] }
kernel! { RodPin: 6 -> 2, |[x1, y1, th1, x2, y2, th2]| [
    *x1 + 0.2 * th1.cos() - (*x2 - 0.4 * th2.cos()),
    *y1 + 0.2 * th1.sin() - (*y2 - 0.4 * th2.sin())
] }
kernel! { SliderPin: 5 -> 2, |[x2, y2, th2, x3, y3]| [
    *x2 + 0.4 * th2.cos() - *x3,
    *y2 + 0.4 * th2.sin() - *y3
] }
kernel! { Guide: 2 -> 2, |[y3, th3]| [*y3, *th3] }
kernel! { SliderSpring: 2 -> 1, |[x, v]| [-200.0 * (*x - 0.9) - 2.0 * *v] }

/// C3: rigid slider-crank, three planar bodies.
pub(super) fn drift_slider_crank() -> System {
    let mut b = ModelBuilder::new("DriftSliderCrank", "");
    // drift_slider_crank.init
    let q = [
        0.17551651237807456,
        0.0958851077208406,
        0.5,
        0.7393705662292377,
        0.0958851077208406,
        -0.2420699834873062,
        1.1277081077023263,
        0.0,
        0.0,
    ];
    let v = [
        -0.5753106463250437,
        1.0530990742684474,
        6.0,
        -1.4106438436347575,
        1.0530990742684474,
        -2.7118137233750454,
        -1.6706663946194276,
        0.0,
        0.0,
    ];
    let mass = [1.0, 1.0, 0.16 / 12.0, 2.0, 2.0, 1.28 / 12.0, 1.5, 1.5, 0.01];
    for i in 0..9 {
        b.coord(&format!("q{i}"), "", "");
        b.init_q(i, q[i], Keep::Kept);
        b.init_v(i, v[i], Keep::Kept);
        b.mass("m", Constant(mass[i]), one([]), vec![(i, i)]);
    }
    for (body, m) in [1.0, 2.0, 1.5].into_iter().enumerate() {
        b.force("weight", Constant(-9.81 * m), one([]), vec![[3 * body + 1]]);
    }
    b.force("spring", SliderSpring, one([(Q, 6), (V, 6)]), vec![[6]]);
    let row = b.rows_holonomic("crank", 2, 1);
    b.holonomic("crank", CrankPin, one([(Q, 0), (Q, 1), (Q, 2)]), row, Reaction::Standard);
    let row = b.rows_holonomic("rod", 2, 1);
    let slots = [0, 1, 2, 3, 4, 5].map(|i| (Q, i));
    b.holonomic("rod", RodPin, one(slots), row, Reaction::Standard);
    let row = b.rows_holonomic("slider", 2, 1);
    let slots = [3, 4, 5, 6, 7].map(|i| (Q, i));
    b.holonomic("slider", SliderPin, one(slots), row, Reaction::Standard);
    let row = b.rows_holonomic("guide", 2, 1);
    b.holonomic("guide", Guide, one([(Q, 7), (Q, 8)]), row, Reaction::Standard);
    System::new(b.finish().unwrap())
}

/// [P16_reference] at t = 2: q, v, a, λ.
#[rustfmt::skip]
pub(super) const PENDULUM_2: [&[f64]; 4] = [
    &[0.030778224027276747, -1.9997631612082785, 4.727778699883553],
    &[-0.39632193164575336, -0.006099764930035937, -0.19818443470390332],
    &[-2.0904904563057203, 0.046388841860908574, -1.0447645093026257],
    &[10.4524522815286, -49.28194420930454],
];

/// drift_slider_crank.reference at t = 1: q, v.
#[rustfmt::skip]
pub(super) const CRANK_1: ([f64; 9], [f64; 9]) = (
    [0.051041274496197934, -0.1933773210534363, -1.312735189387182, 0.45223281916535496, -0.1933773210534363, 0.5045839734324129, 0.802383089338314, 0.0, 0.0],
    [-1.2177391623083018, -0.32141803655958584, -6.297218079527545, -2.6129877088516817, -0.32141803655958584, 0.9179431345314092, -2.7904970930867594, 0.0, 0.0],
);
