//! Massless nodes: springs that meet in a point, against closed forms, against an integrator of this file's own that
//! looks for the point by itself, and against nodes of a mass that becomes small.

use mbd::components::{distance, spatial};
use mbd::integrate::{METHODS, Method, Radau5};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use nalgebra::{Matrix3, Vector3};

fn ran(mechanism: &impl Mechanism, method: &str, tolerance: f64) -> Solution {
    let method = Method::from_name(method).expect("a method");
    let run = Simulation::new(mechanism).method(method).step(Step::adaptive(tolerance)).run();
    run.unwrap_or_else(|failed| panic!("{failed}"))
}

fn last(run: &Solution, name: &str) -> f64 {
    *run.series(name).expect("a series").last().expect("a row")
}

#[track_caller]
fn near(what: &str, is: f64, should: f64, tolerance: f64) {
    let off = (is - should).abs();
    assert!(off <= tolerance, "{what} is {is:e} and should be {should:e} (off by {off:.2e})");
}

mechanism! {
    /// Two springs in series that have no length where they are slack: forces linear in all directions.
    mechanism Series {
        param first: [N/m] = 300.0;
        param second: [N/m] = 200.0;
        param mass: [kg] = 2.0;
        body ball: PlanarMass { mass: mass };
        body knot: PlanarNode;
        let inner = distance([0.0, 0.0], knot.position);
        let outer = distance(knot.position, ball.position);
        force inner_spring along inner = -first*inner;
        force outer_spring along outer = -second*outer;
        init ball.position = [0.3, 0.0];
        init ball.velocity = [0.0, 2.0];
        guess knot.position = [0.1, 0.05];
        output tension: [N] = second*outer;
        until 3.0;
    }
}

#[test]
fn springs_in_series_move_a_mass_as_one_by_all_methods() {
    mbd::verify::assert_all_derivatives(&Series::default());
    let (k, m) = (300.0 * 200.0 / 500.0, 2.0);
    let w: f64 = f64::sqrt(k / m);
    let (s, c) = (w * 3.0).sin_cos();
    let (x, y) = (0.3 * c, 2.0 / w * s);
    for method in METHODS.iter().map(|method| method.name) {
        let (tol, good) = if method == "radau5" { (1e-11, 1e-9) } else { (1e-6, 3e-4) };
        let run = ran(&Series::default(), method, tol);
        near(&format!("x by {method}"), last(&run, "ball.x"), x, good);
        near(&format!("y by {method}"), last(&run, "ball.y"), y, good);
        // The node divides the way as the springs share it, in each of its directions.
        near(
            &format!("the node by {method}"),
            last(&run, "knot.x"),
            0.4 * last(&run, "ball.x"),
            1e-9,
        );
        near(
            &format!("the node by {method}"),
            last(&run, "knot.y"),
            0.4 * last(&run, "ball.y"),
            1e-9,
        );
        near("tension", last(&run, "tension"), k * x.hypot(y), 200.0 * good);
    }
}

mechanism! {
    /// A weight hangs from a node that three cables hold, which pull and do not push where `tension` is 1.
    mechanism Cables {
        param k: [N/m] = 400.0;
        param free: [m] = 0.9;
        param lead: [m] = 0.9;
        param speed: [m/s] = 1.0;
        param short: [m] = 0.35;
        param tension = 0.0;
        param push: [N] = 0.0;
        gravity [0, 0, -9.81];
        body load: PointMass { mass: 3.0 };
        body knot: PointNode;
        let one = spatial::distance([1.0, 0.0, 0.0], knot.position);
        let two = spatial::distance([-0.5, 0.8, 0.0], knot.position);
        let three = spatial::distance([-0.5, -0.8, 0.1], knot.position);
        let rope = spatial::distance(knot.position, load.position);
        force first along one = if one < lead && tension > 0.5 { 0.0 } else { -k*(one - lead) };
        force second along two = if two < free && tension > 0.5 { 0.0 } else { -k*(two - free) };
        force third along three = if three < free && tension > 0.5 { 0.0 } else { -k*(three - free) };
        force last along rope = -2.0*k*(rope - short);
        force wind = [push, 0, 0.5*push] on knot;
        init load.position = [0.1, 0.05, -0.98];
        init load.velocity = [speed, 0.3, 0.0];
        guess knot.position = [0.05, 0.0, -0.6];
        output pull: [N] = 2.0*k*(rope - short);
        output slack = if one < lead { 1.0 } else { 0.0 };
        until 2.0;
    }
}

/// What a cable from `a` to `p` does to `p`, and the derivative of that by `p`.
fn cable(
    p: Vector3<f64>,
    a: Vector3<f64>,
    k: f64,
    free: f64,
    only: bool,
) -> (Vector3<f64>, Matrix3<f64>) {
    let r = p - a;
    let d = r.norm();
    if only && d < free {
        return (Vector3::zeros(), Matrix3::zeros());
    }
    let u = r / d;
    let slope = Matrix3::identity() * (1.0 - free / d) + u * u.transpose() * (free / d);
    (-k * (1.0 - free / d) * r, -k * slope)
}

/// The node where all that acts on it vanishes, by Newton's iteration from `p` in steps of 2 cm at most.
fn node(c: &Cables, load: Vector3<f64>, mut p: Vector3<f64>) -> Vector3<f64> {
    let only = c.tension > 0.5;
    let ends = [[1.0, 0.0, 0.0], [-0.5, 0.8, 0.0], [-0.5, -0.8, 0.1]];
    for _ in 0..500 {
        let mut force = Vector3::new(c.push, 0.0, 0.5 * c.push);
        let mut slope = Matrix3::zeros();
        let free = [c.lead, c.free, c.free];
        let ends = [0, 1, 2].map(|i| cable(p, Vector3::from(ends[i]), c.k, free[i], only));
        for (f, s) in ends.into_iter().chain([cable(p, load, 2.0 * c.k, c.short, false)]) {
            force += f;
            slope += s;
        }
        let step = slope.lu().solve(&force).expect("a stiff node");
        p -= step * (0.02 / step.norm().max(0.02));
        if step.norm() < 1e-15 {
            break;
        }
    }
    p
}

/// The motion of the load by the classical method of Runge and Kutta, with `n` steps.
fn by_hand(c: &Cables, n: usize) -> (Vector3<f64>, Vector3<f64>) {
    let mut p = Vector3::new(0.05, 0.0, -0.6);
    let mut rate = |x: Vector3<f64>| {
        p = node(c, x, p);
        cable(x, p, 2.0 * c.k, c.short, false).0 / 3.0 - Vector3::new(0.0, 0.0, 9.81)
    };
    let (mut x, mut v) = (Vector3::new(0.1, 0.05, -0.98), Vector3::new(c.speed, 0.3, 0.0));
    let h = 2.0 / n as f64;
    for _ in 0..n {
        let (a1, v1) = (rate(x), v);
        let (a2, v2) = (rate(x + v1 * (h / 2.0)), v + a1 * (h / 2.0));
        let (a3, v3) = (rate(x + v2 * (h / 2.0)), v + a2 * (h / 2.0));
        let (a4, v4) = (rate(x + v3 * h), v + a3 * h);
        x += (v1 + 2.0 * v2 + 2.0 * v3 + v4) * (h / 6.0);
        v += (a1 + 2.0 * a2 + 2.0 * a3 + a4) * (h / 6.0);
    }
    (x, node(c, x, p))
}

#[test]
fn a_load_on_three_cables_moves_as_by_hand() {
    mbd::verify::assert_all_derivatives(&Cables::default());
    for (tension, push, speed, steps, good) in
        [(0.0, 0.0, 1.0, 4000, 1e-8), (0.0, 25.0, 1.0, 4000, 1e-8), (1.0, 0.0, 1.0, 40_000, 1e-7)]
    {
        let cables =
            Cables { tension, push, speed, lead: 0.9 + 0.15 * tension, ..Default::default() };
        let (x, p) = by_hand(&cables, steps);
        let run = ran(&cables, "radau5", 1e-11);
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            near(&format!("load.{axis}"), last(&run, &format!("load.{axis}")), x[k], good);
            near(&format!("knot.{axis}"), last(&run, &format!("knot.{axis}")), p[k], good);
        }
        near(
            "pull",
            last(&run, "pull"),
            2.0 * cables.k * ((p - x).norm() - cables.short),
            2e3 * good,
        );
        let slack = run.series("slack").expect("a series");
        assert!(
            tension < 0.5 || slack.contains(&1.0) && slack.contains(&0.0),
            "a cable is slack at times"
        );
        // The power balance does without what is done at the node, which is nothing.
        let balance = run.balance.as_ref().expect("a balance");
        assert!(balance.holds && balance.closes < 1e-8, "{balance:?}");
    }
}

/// A strip of springs between bodies that swing, with nodes in an array and in a component.
macro_rules! strip {
    ($name:ident, $coordinates:ident, $knot:ident { $($mass:tt)* }, { $($param:tt)* }) => {
        mechanism! {
            pub mechanism $name {
                coordinates $coordinates;
                $($param)*
                gravity [0, -9.81];
                component Strut {
                    connector from: PlanarBody;
                    connector to: PlanarBody;
                    body middle: $knot { $($mass)* };
                    let lower = distance(from.point([0.4, 0.1]), middle.position);
                    let upper = distance(middle.position, to.point([-0.1, 0.3]));
                    force first along lower = -2000.0*(lower - 0.3);
                    force second along upper = -1500.0*(upper - 0.3);
                    force stay along distance(middle.position, [0.3, -1.6]) =
                        -100.0*(distance(middle.position, [0.3, -1.6]) - 0.2);
                    guess middle.position = [0.7, -0.3];
                }
                body left: PlanarBody { mass: 2.0, inertia: 0.2 };
                body right: PlanarBody { mass: 3.0, inertia: 0.3 };
                joint hinge: revolute(ground, left.at([0.0, 0.5]));
                joint pin: revolute(ground.at([1.5, 0]), right.at([0.0, 0.5]));
                body strut: Strut { from: left, to: right };
                body bead[3]: $knot { $($mass)* };
                force top along distance([0.75, -2.0], bead[0].position) =
                    -800.0*(distance([0.75, -2.0], bead[0].position) - 0.2);
                for i in 1..3 {
                    let between = distance(bead[i - 1].position, bead[i].position);
                    force thread along between = -800.0*(between - 0.2);
                }
                for i in 0..3 {
                    force weight = [0, -5] on bead[i];
                    guess bead[i].position = [0.75, -2.2 - 0.2*i];
                }
                force tie along distance(bead[2].position, right.point([0, -0.2])) =
                    -300.0*(distance(bead[2].position, right.point([0, -0.2])) - 0.5);
                init hinge.angle = 0.3;
                init pin.angle = -0.2;
                output load: [N] = hinge.force;
                until 1.0;
            }
        }
    };
}
strip!(Massless, absolute, PlanarNode {}, {});
strip!(InAngles, joint, PlanarNode {}, {});
strip!(Light, absolute, PlanarMass { mass: small }, { param small: [kg] = 1e-4; });

#[test]
fn nodes_in_arrays_and_parts_are_the_limit_of_small_masses() {
    mbd::verify::assert_all_derivatives(&Massless::default());
    let run = ran(&Massless::default(), "radau5", 1e-11);
    let names = ["left.x", "left.theta", "right.theta", "strut.middle.x", "bead[0].y", "bead[2].x"];
    let values = names.map(|name| last(&run, name));
    let off = |small: f64| {
        // From where the nodes are at the start, so that nothing rings.
        let light = Light { small };
        let mut simulation =
            Simulation::new(&light).method(Radau5::default()).step(Step::adaptive(1e-10));
        for node in ["strut.middle", "bead[0]", "bead[1]", "bead[2]"] {
            for axis in ["x", "y"] {
                let name = format!("{node}.{axis}");
                simulation = simulation.set_initial(&name, run.series(&name).expect("a series")[0]);
            }
        }
        let light = simulation.run().unwrap_or_else(|failed| panic!("{failed}"));
        names
            .iter()
            .zip(values)
            .map(|(name, value)| (last(&light, name) - value).abs())
            .fold(0.0, f64::max)
    };
    let (coarse, fine) = (off(1e-3), off(1e-4));
    assert!(fine < 1e-3, "{fine:e}");
    assert!(
        (7.0..14.0).contains(&(coarse / fine)),
        "of first order in the mass: {coarse:e}, {fine:e}"
    );
}

#[test]
fn nodes_are_the_same_in_joint_coordinates() {
    mbd::verify::assert_all_derivatives(&InAngles::default());
    let [angles, bodies] =
        [ran(&InAngles::default(), "radau5", 1e-11), ran(&Massless::default(), "radau5", 1e-11)];
    near("angle", last(&angles, "hinge.angle"), last(&bodies, "left.theta"), 1e-9);
    for name in ["strut.middle.x", "strut.middle.y", "bead[1].x", "bead[2].y"] {
        near(name, last(&angles, name), last(&bodies, name), 1e-9);
    }
    for name in ["load[0]", "load[1]"] {
        near(name, last(&angles, name), last(&bodies, name), 1e-6);
    }
}

mechanism! {
    /// Nothing pulls the node.
    mechanism Free {
        body ball: PlanarMass;
        body knot: PlanarNode;
        force spring along distance([0.0, 0.0], ball.position) = -1.0*knot.x;
        init ball.x = 1.0;
    }
}

mechanism! {
    /// A node that a spring holds one way, and nothing the other.
    mechanism Pushed {
        body ball: PlanarMass;
        body knot: PlanarNode;
        force spring along ball.x - knot.x = -10.0*(ball.x - knot.x - 0.1);
        force holding along knot.x = -10.0*knot.x;
        force wind along knot.y = 5.0;
        init ball.x = 1.0;
    }
}

#[test]
fn a_node_that_nothing_holds_is_told() {
    let error = Simulation::new(&Free::default()).start().err().expect("no start").to_string();
    assert!(error.contains("no force acts along `knot.x`"), "{error}");
    // Something acts on it, whatever it does.
    let error = Simulation::new(&Pushed::default()).start().err().expect("no start").to_string();
    assert!(error.contains("knot.y") && error.contains("massless node"), "{error}");
}
