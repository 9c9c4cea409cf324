//! Every kind of statement of the language against values written by hand.

use crate::support::*;
use mbd::assembly::{Point, Residual, SlotKind, System, Term};
use mbd::model::{Keep, Mechanism, ModelError};
use mbd::verify::{assert_all_derivatives, dense, generic_point};

/// A model at a generic point, its scalars and pieces by name.
struct At {
    system: System,
    point: Point,
    pieces: Residual,
}

impl At {
    fn generic(mechanism: &impl Mechanism, seed: u64) -> Self {
        let system = system(mechanism);
        let point = generic_point(&system, seed);
        let pieces = pieces(&system, &point);
        At { system, point, pieces }
    }

    #[track_caller]
    fn place(&self, name: &str) -> (SlotKind, usize) {
        for kind in SlotKind::ALL {
            for i in 0..self.system.layout().range(kind).len() {
                if self.system.scalar_name(kind, i) == name {
                    return (kind, i);
                }
            }
        }
        panic!("no scalar `{name}`")
    }

    /// A scalar of the point: `q`, `der(q)`, `lambda(rail)`, `V`, …
    #[track_caller]
    fn z(&self, name: &str) -> f64 {
        let (kind, i) = self.place(name);
        self.point.get(kind)[i]
    }

    /// A row of a piece, by the scalar it belongs to.
    #[track_caller]
    fn row(&self, piece: &[f64], scalar: &str) -> f64 {
        piece[self.place(scalar).1]
    }

    #[track_caller]
    fn f(&self, coordinate: &str) -> f64 {
        self.row(&self.pieces.f, coordinate)
    }

    #[track_caller]
    fn g(&self, constraint: &str) -> f64 {
        self.row(&self.pieces.g, &format!("lambda({constraint})"))
    }

    #[track_caller]
    fn output(&self, name: &str) -> f64 {
        let mut values = Vec::new();
        self.system.outputs(&self.point, &mut values);
        let at = self.system.model().outputs().iter().position(|o| o.name == name);
        values[at.unwrap_or_else(|| panic!("no output `{name}`"))]
    }
}

/// To round-off of quantities of size 1 to 10.
const ROUND_OFF: f64 = 1e-13;

#[track_caller]
fn same(what: &str, is: f64, should: f64) {
    assert_near(what, is, should, ROUND_OFF * should.abs().max(1.0) * 10.0);
}

mod forces {
    use super::*;
    use mbd::prelude::*;

    /// A stiffening spring.
    #[differentiable]
    fn stiffening(x: f64, k: f64) -> f64 {
        if x > 0.0 { -k * x - 2.0 * x.powi(3) } else { -k * x }
    }

    mechanism! {
        /// Energies and forces in every form.
        pub mechanism Forces {
            /// A length.
            param a: [m] = 0.7;
            param b: [m] = 2.0*a;
            param c[3]: [N/m] = [1.0, 2.0, 3.0];

            coord q: [m];
            coord p: [rad];
            state e: [N];

            // In any order; a block with a shadowing let; a tuple.
            let late = early + a;
            let early = {
                let q = q + 1.0;
                sin(q)*der(p)
            };
            let near_far = (q - b, q + b);

            kinetic = 0.5*2.0*sq(der(q)) + 0.3*sq(q)*sq(der(p));
            mass[p, p] = 1.5 + q*q;
            mass[q, p] = 0.3*cos(p);
            potential spring = 0.5*c[1]*sq(near_far.0) + 0.1*near_far.1;
            dissipation drag = 0.25*c[2]*powi(der(q), 4);
            force plain along p = 4.0*e + late;
            force tip along q*cos(p) = 7*sin(t);
            force pair along [q + p, q*p] = [early, stiffening(q, c[0])];
            force direct[p] = -0.2*der(p)*abs(der(p));
            force[q] = if der(q) > 0.1 { -1 } else { e };
            force rheonomic along q*t = 3.0;
            der(e) = late - 2.0*e;

            init q = 0.4;
            init p = 0.3*a;
            init der(q) = 2.0*q;
            guess der(p) = der(q) + 1.0;
            init e = 0.25;
            until 3.0;
        }
    }

    #[test]
    fn forces_and_energies() {
        for seed in 1..=3 {
            let at = At::generic(&Forces::default(), seed);
            let [t, q, p, v, w, e] = ["t", "q", "p", "der(q)", "der(p)", "e"].map(|n| at.z(n));
            let (a, b) = (0.7, 1.4);
            let early = (q + 1.0).sin() * w;
            let late = early + a;
            let stiff = if q > 0.0 { -q - 2.0 * q.powi(3) } else { -q };
            let tip = 7.0 * t.sin();
            // T = v² + 0.3 q² w²: gyroscopic f_q = 0.6 q w², f_p = −1.2 q v w.
            let f_q = 0.6 * q * w * w - 2.0 * (q - b) - 0.1 - 3.0 * v.powi(3)
                + p.cos() * tip
                + early
                + p * stiff
                + if v > 0.1 { -1.0 } else { e }
                + 3.0 * t;
            let f_p = -1.2 * q * v * w + 4.0 * e + late - q * p.sin() * tip + early + q * stiff
                - 0.2 * w * w.abs();
            same("f[q]", at.f("q"), f_q);
            same("f[p]", at.f("p"), f_p);
            let (aq, ap) = (at.z("der(der(q))"), at.z("der(der(p))"));
            let mu = &at.pieces.mu;
            same("M a, q", mu[0], 2.0 * aq + 0.3 * p.cos() * ap);
            same("M a, p", mu[1], 0.3 * p.cos() * aq + (0.6 * q * q + 1.5 + q * q) * ap);
            same("U", at.pieces.potential, (q - b).powi(2) + 0.1 * (q + b));
            let kinetic =
                v * v + 0.3 * q * q * w * w + 0.5 * (1.5 + q * q) * w * w + 0.3 * p.cos() * v * w;
            same("T", at.pieces.kinetic, kinetic);
            same("d", at.pieces.d[0], at.z("der(e)") - (late - 2.0 * e));
        }
        assert_all_derivatives(&Forces::default());
    }

    #[test]
    fn parameters_and_initial_values() {
        let model = Forces { a: 0.5, b: 3.0, ..Default::default() };
        assert_eq!(model.c, [1.0, 2.0, 3.0]);
        assert_eq!(Forces::default().b, 1.4);
        let names: Vec<String> = model.params().iter().map(|p| p.name.clone()).collect();
        assert_eq!(names, ["a", "b", "c[0]", "c[1]", "c[2]"]);
        assert_eq!(model.params()[0].unit, "m");
        assert_eq!(model.params()[0].doc.trim(), "A length.");
        let finished = model.model().unwrap();
        assert_eq!(finished.t_end(), Some(3.0));
        let initial = finished.initial();
        assert_eq!(initial.q, [0.4, 0.15]);
        assert_eq!(initial.v, [0.8, 1.8]);
        assert_eq!(initial.x, [0.25]);
        assert_eq!(initial.keep_q, [true, true]);
        assert_eq!(initial.keep_v, [true, false]);
        assert_ne!(Keep::Kept, Keep::Guess);
    }

    #[test]
    fn parameters_by_name() {
        let mut model = Forces::default();
        model.set("a", 0.9).unwrap();
        model.set("c[2]", 5.0).unwrap();
        assert_eq!((model.a, model.c[2]), (0.9, 5.0));
        assert!(matches!(
            model.set("cc", 1.0),
            Err(ModelError::UnknownParameter { ref name, .. }) if name == "cc"
        ));
        assert!(model.set("c[3]", 1.0).is_err());
        assert!(model.set("a", f64::NAN).is_err());
    }
}

mod constraints {
    use super::*;
    use mbd::prelude::*;

    fn circle<D: Scalar>(x: Num<D>, y: Num<D>, r: Num<D>) -> [Num<D>; 1] {
        [x * x + y * y - r * r]
    }

    fn offset<D: Scalar>(x: Num<D>, y: Num<D>) -> [Num<D>; 2] {
        [x + 2.0 * y, x * y]
    }

    mechanism! {
        /// Constraints in every form, and multipliers inside force laws.
        pub mechanism Constraints {
            param r: [m] = 1.2;
            param mu = 0.3;

            coord x: [m];
            coord y: [m];
            coord z: [m];
            coord phi: [rad];

            kinetic = 0.5*(sq(der(x)) + sq(der(y)) + sq(der(z)) + sq(der(phi)));

            holonomic scalar: x*y == z;
            holonomic driven: phi == 0.3*sin(2.0*t);
            holonomic rows: [x, sin(y)] == [z, phi*t];
            holonomic ring[1]: circle(x, z, r);
            holonomic sides[2]: offset(x, y) == offset(z, phi);
            nonholonomic skate: -sin(phi)*der(x) + cos(phi)*der(y) == 0.0;
            nonholonomic pair: [der(z), der(phi)] == [x*der(x) + t, 0.1];
            stated holonomic free: x + y*z == 0.5;
            stated nonholonomic rolling: der(x) == r*der(phi);

            force reaction[y] = -lambda(free)*z;
            force friction[x] = -mu*abs(lambda(scalar)) + lambda(rows)[1] - 0.5*lambda(sides)[0];
            force wheel[phi] = r*psi(rolling) + psi(pair)[1]*psi(skate);

            init x = 0.5;
            init y = 0.4;
            init z = 0.3;
            output push: [N] = lambda(scalar) + psi(skate);
        }
    }

    #[test]
    fn rows_and_multipliers() {
        for seed in 1..=3 {
            let at = At::generic(&Constraints::default(), seed);
            let [t, x, y, z, phi] = ["t", "x", "y", "z", "phi"].map(|n| at.z(n));
            let [vx, vy, vz, w] = ["x", "y", "z", "phi"].map(|n| at.z(&format!("der({n})")));
            same("scalar", at.g("scalar"), x * y - z);
            same("driven", at.g("driven"), phi - 0.3 * (2.0 * t).sin());
            same("rows[0]", at.g("rows[0]"), x - z);
            same("rows[1]", at.g("rows[1]"), y.sin() - phi * t);
            same("ring", at.g("ring"), x * x + z * z - 1.44);
            same("sides[0]", at.g("sides[0]"), x + 2.0 * y - z - 2.0 * phi);
            same("sides[1]", at.g("sides[1]"), x * y - z * phi);
            same("free", at.g("free"), x + y * z - 0.5);
            let gdot = |name: &str| at.row(&at.pieces.gdot, &format!("lambda({name})"));
            same("d driven", gdot("driven"), w - 0.6 * (2.0 * t).cos());
            same("d rows[1]", gdot("rows[1]"), y.cos() * vy - w * t - phi);
            let gamma = |name: &str| at.row(&at.pieces.gamma, &format!("lambda({name})"));
            same("γ driven", gamma("driven"), 1.2 * (2.0 * t).sin());
            same("γ rows[1]", gamma("rows[1]"), -y.sin() * vy * vy - 2.0 * w);
            let k = |name: &str| at.row(&at.pieces.k, &format!("psi({name})"));
            same("skate", k("skate"), -phi.sin() * vx + phi.cos() * vy);
            same("pair[0]", k("pair[0]"), vz - x * vx - t);
            same("pair[1]", k("pair[1]"), w - 0.1);
            same("rolling", k("rolling"), vx - 1.2 * w);
            let zeta = |name: &str| at.row(&at.pieces.zeta, &format!("psi({name})"));
            same("ζ skate", zeta("skate"), -phi.cos() * w * vx - phi.sin() * w * vy);
            same("ζ pair[0]", zeta("pair[0]"), -vx * vx - 1.0);
            let l = |name: &str| at.z(&format!("lambda({name})"));
            let psi = |name: &str| at.z(&format!("psi({name})"));
            same("f[y]", at.f("y"), -l("free") * z);
            same("f[x]", at.f("x"), -0.3 * l("scalar").abs() + l("rows[1]") - 0.5 * l("sides[0]"));
            same("f[phi]", at.f("phi"), 1.2 * psi("rolling") + psi("pair[1]") * psi("skate"));
            same("output", at.output("push"), l("scalar") + psi("skate"));
            // Gᵀλ + Kᵀψ as it enters the motion lacks what the model states itself.
            let free = l("free");
            let stated = [free + psi("rolling"), z * free, y * free, -1.2 * psi("rolling")];
            for (i, part) in stated.into_iter().enumerate() {
                same("stated part", at.pieces.gts[i] - at.pieces.reaction[i], part);
            }
            same(
                "reaction on phi",
                at.pieces.reaction[3],
                l("driven") - t * l("rows[1]") - 2.0 * l("sides[0]") - z * l("sides[1]")
                    + psi("pair[1]"),
            );
        }
        assert_all_derivatives(&Constraints::default());
    }
}

mod equations {
    use super::*;
    use mbd::prelude::*;

    mechanism! {
        /// States, variables and what they may read.
        pub mechanism Equations {
            coord q: [m];
            state e;
            state u;
            state s[2];
            // A loop among variables, accelerations, state rates.
            variable A == 2.0*B + q;
            variable B == 0.25*A - der(der(q)) + der(e);
            variable Early: [N] == lambda(hold)*der(q);

            kinetic = 0.5*(1.0 + sq(q))*sq(der(q));
            force drive along q = A + 0.5*Early;
            holonomic hold: q*q == 1.0 + t;
            der(e) = B - sq(e);
            equation lag: 0.1*der(u) + u*exp(u) == A;
            for i in 0..2 {
                equation chain: der(s[i])*(1.0 + sq(der(s[i]))) == e - (i as f64 + 1.0)*s[i];
            }
            init q = 1.0;
            output both = A*B;
            output jerk: [m/s^2] = der(der(q)) + der(u) + time;
        }
    }

    #[test]
    fn states_and_variables() {
        for seed in 1..=3 {
            let at = At::generic(&Equations::default(), seed);
            let [q, v, a, e, u] = ["q", "der(q)", "der(der(q))", "e", "u"].map(|n| at.z(n));
            let [ed, ud, va, vb, early] = ["der(e)", "der(u)", "A", "B", "Early"].map(|n| at.z(n));
            let w = |name: &str| at.row(&at.pieces.w, name);
            same("A", w("A"), va - 2.0 * vb - q);
            same("B", w("B"), vb - (0.25 * va - a + ed));
            same("Early", w("Early"), early - at.z("lambda(hold)") * v);
            let d = |name: &str| at.row(&at.pieces.d, name);
            same("rate of e", d("e"), ed - (vb - e * e));
            // Implicit equations take the rows of the states without a rate, in order.
            same("lag", d("u"), 0.1 * ud + u * u.exp() - va);
            for (i, k) in [(0, 1.0), (1, 2.0)] {
                let (s, sd) = (at.z(&format!("s[{i}]")), at.z(&format!("der(s[{i}])")));
                same("chain", d(&format!("s[{i}]")), sd * (1.0 + sd * sd) - (e - k * s));
            }
            // T = ½(1+q²)v²: f = q v² − 2 q v² = −q v².
            same("f", at.f("q"), va + 0.5 * early - q * v * v);
            same("both", at.output("both"), va * vb);
            same("jerk", at.output("jerk"), a + ud + at.z("t"));
        }
        assert_all_derivatives(&Equations::default());
    }
}

mod loops {
    use super::*;
    use mbd::prelude::*;

    mechanism! {
        /// Sizes known at run time only.
        pub mechanism Loops {
            size n = 4;
            param m[n]: [kg] = 1.5;
            param k[n + 1]: [N/m] = 20.0;
            param stroke: [m] = 0.1;

            coord x[n]: [m];
            coord y[n]: [m];
            variable F[n]: [N];

            for i in 0..n {
                let speed = der(x[i]);
                kinetic body = 0.5*m[i]*(sq(speed) + sq(der(y[i])));
                variable F[i] == -k[i]*x[i] - 0.1*(i as f64)*speed;
                force spring along x[i] = F[i];
                init x[i] = stroke*(i as f64 + 1.0);
                output stretch[i]: [m] = x[i] + y[i];
            }
            for i in 1..n {
                holonomic level: y[i] - y[i-1] == 0.5*(x[i] - x[i-1]);
                potential link = 0.5*k[i]*sq(x[i] - x[i-1]);
            }
            for i in 0..n-1 {
                for j in i+1..n {
                    force repulsion along x[i] - x[j] = 0.01*(i as f64 + 10.0*(j as f64));
                }
            }
            force ends along x[0] + x[n-1] = lambda(level[1]);
        }
    }

    fn by_hand(at: &At, n: usize) {
        let x = |i: usize| at.z(&format!("x[{i}]"));
        let y = |i: usize| at.z(&format!("y[{i}]"));
        for i in 0..n {
            let mut f = at.z(&format!("F[{i}]"));
            for j in 0..n {
                if j > i {
                    f += 0.01 * (i as f64 + 10.0 * j as f64);
                }
                if j < i {
                    f -= 0.01 * (j as f64 + 10.0 * i as f64);
                }
            }
            if i > 0 {
                f -= 20.0 * (x(i) - x(i - 1));
                let row = if n == 2 { "level".to_string() } else { format!("level[{}]", i - 1) };
                same("level", at.g(&row), y(i) - y(i - 1) - 0.5 * (x(i) - x(i - 1)));
            }
            if i + 1 < n {
                f += 20.0 * (x(i + 1) - x(i));
            }
            if i == 0 || i == n - 1 {
                f += at.z("lambda(level[1])");
            }
            same("f[x]", at.f(&format!("x[{i}]")), f);
            let speed = at.z(&format!("der(x[{i}])"));
            let definition = at.row(&at.pieces.w, &format!("F[{i}]"));
            let variable = at.z(&format!("F[{i}]"));
            same("F", definition, variable - (-20.0 * x(i) - 0.1 * i as f64 * speed));
            same("stretch", at.output(&format!("stretch[{i}]")), x(i) + y(i));
        }
    }

    #[test]
    fn sizes_at_run_time() {
        for n in [3, 4, 7] {
            let mut model = Loops::default();
            model.set("n", n as f64).unwrap();
            // Filled arrays follow the size.
            assert_eq!(model.n, n);
            let at = At::generic(&model, 1);
            assert_eq!(at.system.dims().m, n - 1);
            by_hand(&at, n);
            assert_eq!(at.system.model().initial().q[n - 1], 0.1 * n as f64);
        }
        assert_all_derivatives(&Loops::default());
    }

    #[test]
    fn sizes_that_make_no_model_are_errors() {
        let mut model = Loops::default();
        assert!(model.set("n", 2.5).is_err());
        assert!(model.set("n", -1.0).is_err());
        let wrong = Loops { m: vec![1.0, 2.0], ..Default::default() };
        assert!(
            matches!(wrong.model(), Err(ModelError::WrongLength { ref name, len: 2, expected: 4 }) if name == "m"),
            "{:?}",
            wrong.model()
        );
        // lambda(level[1]) needs two rows.
        let mut short = Loops::default();
        short.set("n", 2.0).unwrap();
        assert!(
            matches!(short.model(), Err(ModelError::IndexOutOfRange { .. })),
            "{:?}",
            short.model()
        );
    }
}

/// Entries of arrays that are told by loops, of what is no array of the model.
mod entries {
    use super::*;
    use mbd::prelude::*;

    mechanism! {
        pub mechanism Entries {
            size n = 3;
            body top: SpatialBody;
            let twice = 2*top.omega;
            for i in 0..n { output part[i]: [rad/s] = twice[n - 1 - i]; }
            init top.omega = [0.1, 0.2, 0.3];
        }
    }

    #[test]
    fn an_entry_beyond_an_array_is_an_error() {
        let at = At::generic(&Entries::default(), 1);
        let omega = |i: usize| 0.5 * at.output(&format!("part[{}]", 2 - i));
        assert!((0..3).all(|i| omega(i).is_finite()));
        let more = Entries { n: 4, ..Default::default() };
        let error = more.model().err();
        let wanted = |error: &ModelError| matches!(error, ModelError::IndexOutOfRange { array, index: 3, len: 3, .. } if array == "twice");
        assert!(error.as_ref().is_some_and(wanted), "{error:?}");
    }
}

mod bodies {
    use super::*;
    use mbd::components::{ground, revolute};
    use mbd::prelude::*;

    mechanism! {
        component Wheel {
            param mass: [kg] = 2.0;
            param radius: [m] = 0.5;
            coord x: [m];
            coord turn: [rad];
            let rim = [x + radius*cos(turn), radius*sin(turn)];
            kinetic = 0.5*mass*sq(der(x)) + 0.25*mass*sq(radius)*sq(der(turn));
            nonholonomic roll: der(x) == -radius*der(turn);
            output travel: [m] = x;
        }

        /// Components: one of the user's own, one built in.
        pub mechanism Cart {
            param m: [kg] = 3.0;
            body front: Wheel { mass: 2.0*m };
            body rear: Wheel { radius: 0.4 };
            body bar: PlanarBody { mass: m, inertia: 0.1 };
            holonomic hinge[2]: revolute(ground(), [front.x, 0.0], bar.frame, [-0.5, 0.0]);
            holonomic hold: bar.theta == rear.x;
            let v = der(bar.frame.point([0.5, 0.0]));
            let rim = der(front.rim);
            force drag along bar.x = -v[0] + rim[1]*psi(rear.roll);
            init bar.theta = 0.2;
        }
    }

    #[test]
    fn components() {
        let p = Cart::default();
        let names: Vec<String> = p.params().iter().map(|p| p.name.clone()).collect();
        for name in ["m", "front.radius", "rear.mass"] {
            assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
        }
        for seed in 1..=3 {
            let at = At::generic(&p, seed);
            let (x, y, theta) = (at.z("bar.x"), at.z("bar.y"), at.z("bar.theta"));
            let front = at.z("front.x");
            same("hinge[0]", at.g("hinge[0]"), front - (x - 0.5 * theta.cos()));
            same("hinge[1]", at.g("hinge[1]"), -(y - 0.5 * theta.sin()));
            same("hold", at.g("hold"), theta - at.z("rear.x"));
            let roll = at.row(&at.pieces.k, "psi(rear.roll)");
            same("roll", roll, at.z("der(rear.x)") + 0.4 * at.z("der(rear.turn)"));
            let v = at.z("der(bar.x)") - 0.5 * theta.sin() * at.z("der(bar.theta)");
            let rim = 0.5 * at.z("front.turn").cos() * at.z("der(front.turn)");
            same("f", at.f("bar.x"), -v + rim * at.z("psi(rear.roll)"));
            let a = at.z("der(der(front.turn))");
            same("inertia", at.row(&at.pieces.mu, "front.turn"), 0.5 * 6.0 * 0.25 * a);
            same("travel", at.output("rear.travel"), at.z("rear.x"));
        }
        assert_all_derivatives(&p);
    }
}

mod derivative_of_expressions {
    use super::*;
    use mbd::prelude::*;

    mechanism! {
        /// der(expression): scalars, arrays, tuples, time.
        pub mechanism Rates {
            coord x: [m];
            coord y: [m];
            let p = [x*y + t, sin(x)];
            let v = der(p);
            let both = der((x*x, [y, t*y]));
            kinetic = 0.5*(sq(der(x)) + sq(der(y)));
            kinetic swung = 0.5*(sq(v[0]) + sq(v[1]));
            force along x = both.0 + both.1[1];
            force[y] = der(hypot(x, 2.0 + y)) + der(t*t);
        }
    }

    #[test]
    fn rates() {
        for seed in 1..=3 {
            let at = At::generic(&Rates::default(), seed);
            let [t, x, y, vx, vy] = ["t", "x", "y", "der(x)", "der(y)"].map(|n| at.z(n));
            let v = [vx * y + x * vy + 1.0, x.cos() * vx];
            let kinetic = 0.5 * (vx * vx + vy * vy + v[0] * v[0] + v[1] * v[1]);
            same("T", at.pieces.kinetic, kinetic);
            let m = dense(&at.system, &at.point, Term::M);
            same("M_xx", m[(0, 0)], 1.0 + y * y + x.cos().powi(2));
            same("M_xy", m[(0, 1)], x * y);
            same("M_yy", m[(1, 1)], 1.0 + x * x);
            // T_q − (d/dt T_v at constant v): with s = v[0], ṡ at constant v is 2 vx vy.
            let s = v[0];
            let swing_x = s * vy
                - x.sin() * x.cos() * vx * vx
                - (2.0 * vx * vy * y + s * vy - 2.0 * x.cos() * x.sin() * vx * vx);
            let swing_y = s * vx - (2.0 * vx * vy * x + s * vx);
            same("f[x]", at.f("x"), swing_x + 2.0 * x * vx + y + t * vy);
            let h = x.hypot(2.0 + y);
            same("f[y]", at.f("y"), swing_y + (x * vx + (2.0 + y) * vy) / h + 2.0 * t);
        }
        assert_all_derivatives(&Rates::default());
    }
}

/// Which entries of a mass matrix stand for their mirror images, however the statements are written.
mod masses {
    use super::*;
    use mbd::mechanism;
    use nalgebra::{DMatrix, dmatrix};

    mechanism! {
        /// One matrix five times: line by line, the entries above the diagonal alone and by loops that state some of
        /// them twice over; and one that is not symmetric, line by line and by a loop.
        pub mechanism Masses {
            size n = 2;
            param full[4] = [2.0, 1.0, 1.0, 3.0];
            param skew[4] = [2.0, 1.0, 0.5, 3.0];

            coord lines[2]: [m];
            mass[lines[0], lines[0]] = 2.0;
            mass[lines[1], lines[1]] = 3.0;
            mass[lines[0], lines[1]] = 1.0;
            mass[lines[1], lines[0]] = 1.0;

            coord above[2]: [m];
            mass[above[0], above[0]] = 2.0;
            mass[above[1], above[1]] = 3.0;
            mass[above[0], above[1]] = 1.0;

            coord nested[2]: [m];
            for i in 0..n { for j in 0..n { mass[nested[i], nested[j]] = full[2*i + j]; } }

            coord mixed[2]: [m];
            mass[mixed[0], mixed[0]] = 2.0;
            mass[mixed[1], mixed[1]] = 3.0;
            mass[mixed[0], mixed[1]] = 1.0;
            for i in 0..1 { mass[mixed[i + 1], mixed[i]] = 1.0; }

            coord rows[2]: [m];
            for i in 0..n { mass[rows[i], rows[0]] = full[2*i]; }
            mass[rows[1], rows[1]] = full[3];

            coord unequal[2]: [m];
            mass[unequal[0], unequal[0]] = 2.0;
            mass[unequal[1], unequal[1]] = 3.0;
            mass[unequal[0], unequal[1]] = 1.0;
            mass[unequal[1], unequal[0]] = 0.5;

            coord looped[2]: [m];
            for i in 0..n { for j in 0..n { mass[looped[i], looped[j]] = skew[2*i + j]; } }

            for i in 0..1 {
                force[lines[i]] = 1.0;
                force[above[i]] = 1.0;
                force[nested[i]] = 1.0;
                force[mixed[i]] = 1.0;
                force[rows[i]] = 1.0;
                force[unequal[i]] = 1.0;
                force[looped[i]] = 1.0;
            }
        }
    }

    mechanism! {
        /// Two loops whose entries are mirror images by their text alone: what one states for the first pair of
        /// coordinates, the other does for the second.
        pub mechanism Pairs {
            size n = 2;
            coord x[n]: [m];
            coord y[n]: [m];
            for i in 0..n { mass[x[i], x[i]] = 2.0; mass[y[i], y[i]] = 3.0; }
            for i in 0..1 { mass[x[i], y[i]] = cos(x[i]*y[i]); }
            for i in 1..n { mass[y[i], x[i]] = 1.0 + 0.5*sq(x[i])*t; }
        }
    }

    /// The block of the mass matrix between the coordinates of an array of two.
    fn block(at: &At, name: &str) -> DMatrix<f64> {
        let (_, first) = at.place(&format!("{name}[0]"));
        dense(&at.system, &at.point, Term::M).view((first, first), (2, 2)).into_owned()
    }

    /// 2a + b = 1 and a + 3b = 0 have the solution (3/5, −1/5); 2a + b = 1 and a/2 + 3b = 0 have (6/11, −1/11).
    #[test]
    fn an_entry_stands_for_its_mirror_image_unless_that_is_stated() {
        let at = At::generic(&Masses::default(), 1);
        let started = mbd::Simulation::new(&Masses::default()).start().expect("it starts");
        let check = |name: &str, matrix: DMatrix<f64>, a: [f64; 2]| {
            assert_eq!(block(&at, name), matrix, "{name}");
            let (_, first) = at.place(&format!("{name}[0]"));
            same(name, started.point.a()[first], a[0]);
            same(name, started.point.a()[first + 1], a[1]);
        };
        for name in ["lines", "above", "nested", "mixed", "rows"] {
            check(name, dmatrix![2.0, 1.0; 1.0, 3.0], [0.6, -0.2]);
        }
        for name in ["unequal", "looped"] {
            check(name, dmatrix![2.0, 1.0; 0.5, 3.0], [6.0 / 11.0, -1.0 / 11.0]);
        }
        assert_all_derivatives(&Masses::default());
    }

    #[test]
    fn which_entries_are_stated_is_told_by_their_places() {
        let at = At::generic(&Pairs::default(), 2);
        let [t, x0, x1, y0] = ["t", "x[0]", "x[1]", "y[0]"].map(|name| at.z(name));
        let m = dense(&at.system, &at.point, Term::M);
        for (what, x, y, entry) in
            [("first", 0, 2, (x0 * y0).cos()), ("second", 1, 3, 1.0 + 0.5 * x1 * x1 * t)]
        {
            same(what, m[(x, y)], entry);
            same(what, m[(y, x)], entry);
        }
        assert_all_derivatives(&Pairs::default());
    }
}

#[test]
fn a_point_has_a_name_for_everything() {
    let at = At::generic(&crate::models::SliderCrank::default(), 1);
    for name in ["t", "theta", "der(theta)", "der(der(x))", "e", "der(e)", "lambda(close_x)"] {
        at.place(name);
    }
}

mod names {
    use super::*;
    use mbd::mechanism;

    mechanism! {
        /// Bodies by names that the written code might have for itself.
        pub mechanism Names {
            size n = 3;
            body b[n]: PlanarMass { mass: 1.0 };
            body q0[n]: PlanarMass { mass: 1.0 };
            for i in 0..n {
                potential near = 0.5*1.0*(sq(b[i].x - q0[i].x) + sq(b[i].y - q0[i].y));
                guess b[i].x = 1.5*i;
                guess q0[i].y = 0.5;
            }
        }
    }

    #[test]
    fn bodies_may_have_any_name() {
        let initial = system(&Names::default()).model().initial().clone();
        assert_eq!(initial.q[..6], [0.0, 1.5, 3.0, 0.0, 0.0, 0.0]);
    }
}
