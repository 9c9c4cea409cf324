//! The test problems of paper 002 as hand-built models, and a small consistent start.

use crate::ad::{Instances, Kernel};
use crate::assembly::{Point, SlotKind, SlotKind::*, System};
use crate::model::{Keep, Model, ModelBuilder, Reaction};
use crate::scalar::{Num, Scalar};
use crate::start;
use std::f64::consts::PI;

/// A kernel from an expression.
macro_rules! kernel {
    ($name:ident: $k:literal -> $r:literal, |$z:pat_param| $body:expr) => {
        pub struct $name;
        impl crate::ad::Kernel<$k, 0, $r> for $name {
            fn eval<D: crate::scalar::Scalar>(
                &self,
                _: &[usize],
                $z: &[crate::scalar::Num<D>; $k],
                _: &[crate::scalar::Num<D>; 0],
            ) -> [crate::scalar::Num<D>; $r] {
                $body
            }
        }
    };
}
pub(super) use kernel;

/// The one instance of a statement outside loops.
pub fn one<const K: usize>(slots: [(SlotKind, usize); K]) -> Instances<K, 0> {
    let mut instances = Instances::new(slots.map(|s| s.0));
    instances.push(&[], slots.map(|s| s.1), []);
    instances
}

const THETA0: f64 = 1.5 * PI;

pub struct Constant(pub f64);
impl Kernel<0, 0, 1> for Constant {
    fn eval<D: Scalar>(&self, _: &[usize], _: &[Num<D>; 0], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [Num::from(self.0)]
    }
}
kernel! { Pin: 3 -> 2, |[x, y, theta]| [*x - 2.0 * theta.cos(), *y - 2.0 * theta.sin()] }
kernel! { Bushing: 2 -> 1, |[theta, w]| [-100.0 * *w - 3000.0 * (*theta - THETA0)] }
kernel! { Sum: 2 -> 1, |[a, b]| [*a + *b] }
kernel! { Lag: 3 -> 1, |[rate, x, v]| [0.05 * *rate + *x - *v] }
kernel! { Drive: 3 -> 1, |[t, theta, w]| [
    2000.0 * (THETA0 + 0.3 * (4.0 * *t).sin() - *theta) - 50.0 * *w
] }
kernel! { Same: 1 -> 1, |[x]| [*x] }

fn pendulum(b: &mut ModelBuilder) {
    for name in ["x", "y", "theta"] {
        b.coord(name, "", "");
    }
    for (i, q) in [0.0, -2.0, THETA0].into_iter().enumerate() {
        b.init_q(i, q, Keep::Guess);
    }
    for (i, v) in [20.0, 0.0, 10.0].into_iter().enumerate() {
        b.init_v(i, v, Keep::Guess);
    }
    for (i, m) in [5.0, 5.0, 20.0 / 3.0].into_iter().enumerate() {
        b.mass("inertia", Constant(m), one([]), vec![(i, i)]);
    }
    b.force("weight", Constant(-5.0 * 9.81), one([]), vec![[1]]);
    let row = b.rows_holonomic("pin", 2, 1);
    b.holonomic("pin", Pin, one([(Q, 0), (Q, 1), (Q, 2)]), row, Reaction::Standard);
}

/// C2: pendulum with a torsional spring and damper.
pub fn bushing_pendulum() -> System {
    System::new(bushing_pendulum_model())
}

/// C2.
pub fn bushing_pendulum_model() -> Model {
    let mut b = ModelBuilder::new("BushingPendulum", "");
    pendulum(&mut b);
    b.force("bushing", Bushing, one([(Q, 2), (V, 2)]), vec![[2]]);
    b.finish().unwrap()
}

/// D1: the same, driven by an actuator with a first-order lag; V, F1, F2 are variables.
pub fn actuator_pendulum() -> System {
    let mut b = ModelBuilder::new("ActuatorPendulum", "");
    pendulum(&mut b);
    b.state("X", "", "");
    for name in ["V", "F1", "F2"] {
        b.variable(name, "", "");
    }
    b.force("actuator", Sum, one([(W, 1), (W, 2)]), vec![[2]]);
    b.equation("lag", Lag, one([(Xd, 0), (X, 0), (W, 0)]));
    b.define("V", Drive, one([(T, 0), (Q, 2), (V, 2)]), vec![0]);
    b.define("F1", Same, one([(X, 0)]), vec![1]);
    b.define("F2", Bushing, one([(Q, 2), (V, 2)]), vec![2]);
    System::new(b.finish().unwrap())
}

kernel! { Elastic: 2 -> 1, |[q, v]| [-1.0 * *v - 50.0 * *q] }
kernel! { Deviation: 1 -> 1, |[q]| [1.0 - *q] }
kernel! { Controller: 2 -> 1, |[q, x]| [30.0 * (1.0 - *q) + 40.0 * *x] }

/// D2: mass on a spring with a PI controller.
pub fn mass_pi() -> System {
    System::new(mass_pi_model())
}

/// D2.
pub fn mass_pi_model() -> Model {
    let mut b = ModelBuilder::new("MassPi", "");
    b.coord("q", "m", "");
    b.state("X", "", "");
    b.variable("V", "", "");
    b.variable("F", "", "");
    b.mass("m", Constant(2.0), one([]), vec![(0, 0)]);
    b.force("spring", Elastic, one([(Q, 0), (V, 0)]), vec![[0]]);
    b.force("control", Same, one([(W, 1)]), vec![[0]]);
    b.rate("X", Deviation, one([(Q, 0)]), vec![0]);
    b.define("V", Controller, one([(Q, 0), (X, 0)]), vec![0]);
    b.define("F", Same, one([(W, 0)]), vec![1]);
    b.finish().unwrap()
}

kernel! { Rod: 2 -> 1, |[x, y]| [x.sq() + y.sq() - 1.0] }
kernel! { Height: 1 -> 1, |[y]| [*y] }

/// F5: pendulum of unit mass and length (g = 1 m/s² here), from horizontal.
pub fn pendulum_model() -> Model {
    let mut b = ModelBuilder::new("Pendulum", "");
    for (i, name) in ["x", "y"].into_iter().enumerate() {
        b.coord(name, "m", "");
        b.mass("m", Constant(1.0), one([]), vec![(i, i)]);
    }
    b.init_q(0, 1.0, Keep::Kept);
    b.potential("weight", Height, one([(Q, 1)]));
    let row = b.rows_holonomic("rod", 1, 1);
    b.holonomic("rod", Rod, one([(Q, 0), (Q, 1)]), row, Reaction::Standard);
    b.t_end(2.0);
    b.finish().unwrap()
}

kernel! { Lift: 2 -> 1, |[q, x]| [2.0 + q.sin() * x.cos()] }
kernel! { Circle: 3 -> 2, |[a, b, t]| [
    *a * *a + *b * *b + 0.1 * a.sin() * b.exp() - 2.0 - 0.1 * t.sin(),
    a.sin() + *b - 1.5
] }
kernel! { Skate: 4 -> 1, |[a, va, vb, vc]| [a.cos() * *vb - *vc + 0.1 * *va * *va] }
kernel! { Everything: 9 -> 1, |[q, v, a, x, xd, l, p, w, t]| {
    let motion = q.sin() * *v - 0.1 * *a + *t;
    let states = *x * *q + 0.2 * *xd + *w * q.cos();
    [motion + states + 0.3 * *l * *v + 0.1 * p.powi(2)]
} }
kernel! { AllOfX: 8 -> 1, |[q, v, a, x, xd, l, p, w]| {
    let states = 2.0 * *xd + xd.powi(3) + *x * *q;
    [states + v.sin() - 0.1 * *a + 0.01 * *l * *p + *w]
} }
kernel! { AllOfW: 8 -> 1, |[q, v, a, x, xd, l, p, w]| {
    let states = 0.2 * w.sin() + x.cos() + 0.1 * *xd;
    [states + *q * *v + 0.05 * *a + 0.01 * *l - 0.02 * p.powi(2)]
} }

/// Every block of the Newton matrix at once: configuration-dependent mass, rheonomic holonomic and
/// nonlinear nonholonomic rows, forces, state equations and variables that depend on everything.
pub fn everything() -> System {
    let mut b = ModelBuilder::new("Everything", "");
    for (i, name) in ["a", "b", "c", "d"].into_iter().enumerate() {
        b.coord(name, "", "");
        b.init_q(i, 0.3 + 0.2 * i as f64, Keep::Guess);
        b.init_v(i, 0.4 - 0.3 * i as f64, Keep::Guess);
    }
    b.state("x", "", "");
    b.variable("w", "", "");
    for i in 0..4 {
        b.mass("m", Lift, one([(Q, i), (Q, (i + 1) % 4)]), vec![(i, i)]);
    }
    b.mass("coupling", Lift, one([(Q, 1), (Q, 2)]), vec![(0, 1)]);
    let row = b.rows_holonomic("circle", 2, 1);
    b.holonomic("circle", Circle, one([(Q, 0), (Q, 1), (T, 0)]), row, Reaction::Standard);
    let row = b.rows_nonholonomic("skate", 1, 1);
    let slots = [(Q, 0), (V, 1), (V, 2), (V, 3)];
    b.nonholonomic("skate", Skate, one(slots), row, Reaction::Standard);
    let all = [(Q, 2), (V, 1), (A, 3), (X, 0), (Xd, 0), (Lambda, 1), (Psi, 0), (W, 0), (T, 0)];
    b.force("everything", Everything, one(all), vec![[2]]);
    let all: [(SlotKind, usize); 8] = std::array::from_fn(|i| all[i]);
    b.equation("x", AllOfX, one(all));
    b.define("w", AllOfW, one(all), vec![0]);
    System::new(b.finish().unwrap())
}

/// The model's initial values, which must be consistent in q and v, with a, λ, ψ, ẋ, w solving the
/// equations of motion.
pub fn consistent(system: &System) -> Point {
    let mut point = system.initial_point();
    start::solve_accelerations(system, &mut point).unwrap();
    point
}

/// C2 with its pin stated twice.
pub fn doubled_pendulum() -> System {
    let mut b = ModelBuilder::new("DoubledPendulum", "");
    pendulum(&mut b);
    b.force("bushing", Bushing, one([(Q, 2), (V, 2)]), vec![[2]]);
    let row = b.rows_holonomic("again", 2, 1);
    b.holonomic("again", Pin, one([(Q, 0), (Q, 1), (Q, 2)]), row, Reaction::Standard);
    System::new(b.finish().unwrap())
}
