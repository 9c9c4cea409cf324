//! Discs that roll on curves, against closed forms, the balance of Newton and Euler, and the same in joint coordinates.

use mbd::integrate::{METHODS, Method, Radau5};
use mbd::prelude::*;
use mbd::simulation::Simulation;

fn ran(mechanism: &impl Mechanism, method: Method, tolerance: f64) -> Solution {
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
    /// A disc in a round bowl.
    mechanism Bowl {
        param bowl: [m] = 1.0;
        param radius: [m] = 0.2;
        param mass: [kg] = 3.0;
        gravity [0, -9.81];
        body disc: PlanarBody { mass: mass, inertia: 0.5*mass*sq(radius) };
        joint wheel: rolling_on_curve(ground, disc, radius, |x| -sqrt(sq(bowl) - x*x));
        init disc.position = [0.8*sin(1.0), -0.8*cos(1.0)];
        guess wheel.contact = 0.8;
        output angle: [rad] = atan2(disc.x, -disc.y);
        output normal: [N] = wheel.normal_force;
        output friction: [N] = psi(wheel.slip);
        output turn: [rad] = disc.theta;
        until 2.0;
    }
}

/// φ̈ = −⅔ g/(R − r) sin φ from φ = 1 at rest, by Runge and Kutta.
fn swing(length: f64, end: f64) -> [f64; 2] {
    let rate = |[angle, speed]: [f64; 2]| [speed, -2.0 / 3.0 * 9.81 / length * angle.sin()];
    let (n, mut y) = (20_000, [1.0, 0.0]);
    let h = end / f64::from(n);
    let go = |y: [f64; 2], k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
    for _ in 0..n {
        let a = rate(y);
        let b = rate(go(y, a, h / 2.0));
        let c = rate(go(y, b, h / 2.0));
        let d = rate(go(y, c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

#[test]
fn a_disc_in_a_bowl_swings_as_a_pendulum_by_all_methods() {
    mbd::verify::assert_all_derivatives(&Bowl::default());
    let [angle, speed] = swing(0.8, 2.0);
    let mut treated = Vec::new();
    for name in METHODS.iter().map(|method| method.name) {
        let method = Method::from_name(name).expect("a method");
        let (tol, good) = if name == "radau5" { (1e-11, 1e-8) } else { (1e-6, 2e-3) };
        let bowl = Bowl::default();
        let simulation = Simulation::new(&bowl).method(method).step(Step::adaptive(tol));
        let run = match simulation.run() {
            Ok(run) => run,
            Err(failed) => {
                let text = failed.to_string();
                assert!(
                    text.contains("`wheel.slip` is a nonholonomic constraint"),
                    "{name}: {text}"
                );
                continue;
            }
        };
        treated.push(name);
        near(&format!("angle by {name}"), last(&run, "angle"), angle, good);
        let normal = 3.0 * (9.81 * angle.cos() + 0.8 * speed * speed);
        near(&format!("normal force by {name}"), last(&run, "normal"), normal, 100.0 * good);
        // It decelerates the way up: a third of the weight's part along the bowl, against it.
        near(
            &format!("friction by {name}"),
            last(&run, "friction"),
            9.81 * angle.sin(),
            100.0 * good,
        );
        // The turn of a disc that rolls inside: −(R − r)/r of that about the bowl.
        near(&format!("turn by {name}"), last(&run, "turn"), -4.0 * (angle - 1.0), 10.0 * good);
        near("contact", last(&run, "wheel.contact"), angle.sin(), 10.0 * good);
    }
    for name in ["gen-alpha-soi2", "hht-soi2", "hht-i3", "radau5", "radau5-index2", "bdf-ggl"] {
        assert!(treated.contains(&name), "{name} treats it: {treated:?}");
    }
}

mechanism! {
    /// The same by positions alone: the arc of the circle is known.
    mechanism BowlByArc {
        param bowl: [m] = 1.0;
        param radius: [m] = 0.2;
        gravity [0, -9.81];
        body disc: PlanarBody { mass: 3.0, inertia: 0.5*3.0*sq(radius) };
        joint wheel: rolling_on_curve_holonomic(
            ground, disc, radius, |x| -sqrt(sq(bowl) - x*x), |x| bowl*asin(x/bowl));
        init disc.position = [0.8*sin(1.0), -0.8*cos(1.0)];
        guess wheel.contact = 0.8;
        guess disc.theta = -4.0;
        output angle: [rad] = atan2(disc.x, -disc.y);
        output normal: [N] = wheel.normal_force;
        output friction: [N] = lambda(wheel.roll);
        output turn: [rad] = disc.theta + 4.0;
        output slip: [m/s] = wheel.slip_speed;
        until 2.0;
    }
}

mechanism! {
    /// The same as a disc inside a disc: a radius of which the rim is inside is negative.
    mechanism BowlByDiscs {
        param bowl: [m] = 1.0;
        param radius: [m] = 0.2;
        gravity [0, -9.81];
        body disc: PlanarBody { mass: 3.0, inertia: 0.5*3.0*sq(radius) };
        joint wheel: disc_on_disc_holonomic(ground, disc, bowl, -radius);
        init disc.position = [0.8*sin(1.0), -0.8*cos(1.0)];
        guess disc.theta = 4.0*(0.5*PI - 1.0);
        output angle: [rad] = atan2(disc.x, -disc.y);
        output normal: [N] = -wheel.normal_force;
        output friction: [N] = lambda(wheel.roll);
        output turn: [rad] = disc.theta - 4.0*(0.5*PI - 1.0);
        until 2.0;
    }
}

#[test]
fn a_disc_that_rolls_by_positions_swings_as_a_pendulum_by_every_method() {
    let [angle, speed] = swing(0.8, 2.0);
    let normal = 3.0 * (9.81 * angle.cos() + 0.8 * speed * speed);
    let (by_arc, by_discs) = (BowlByArc::default(), BowlByDiscs::default());
    mbd::verify::assert_all_derivatives(&by_arc);
    mbd::verify::assert_all_derivatives(&by_discs);
    // One is not consistent: its documentation says which motion it goes to.
    let consistent = METHODS.iter().map(|method| method.name).filter(|name| *name != "bdf-cm-1996");
    for name in consistent {
        let method = || Method::from_name(name).expect("a method");
        let (tol, good) = if name == "radau5" { (1e-11, 1e-8) } else { (1e-6, 2e-3) };
        let runs = [ran(&by_arc, method(), tol), ran(&by_discs, method(), tol)];
        let slip = runs[0].series("slip").expect("a series");
        let slip = slip.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        assert!(slip < 10.0 * tol, "{name} slips at {slip:e}");
        for (run, form) in runs.iter().zip(["arc", "discs"]) {
            let near = |what: &str, is: f64, should: f64, tolerance: f64| {
                near(&format!("{what} by {name}, {form}"), is, should, tolerance);
            };
            near("angle", last(run, "angle"), angle, good);
            near("normal force", last(run, "normal"), normal, 100.0 * good);
            near("friction", last(run, "friction"), 9.81 * angle.sin(), 100.0 * good);
            near("turn", last(run, "turn"), -4.0 * (angle - 1.0), 10.0 * good);
        }
    }
}

mechanism! {
    /// A disc down a parabola: y = x²/2p.
    mechanism Dish {
        param p: [m] = 0.5;
        param radius: [m] = 0.1;
        param mass: [kg] = 2.0;
        param inertia: [kg*m^2] = 0.013;
        gravity [0, -9.81];
        body disc: PlanarBody { mass: mass, inertia: inertia };
        joint wheel: rolling_on_curve(ground, disc, radius, |x| 0.5*x*x/p);
        init wheel.contact = -0.6;
        guess disc.position = [-0.5, 0.4];
        output height: [m] = disc.y;
        output speed: [m/s] = hypot(der(disc.x), der(disc.y));
        output contact: [m] = wheel.contact;
        until 0.3;
    }
}

/// Height of the centre where the disc touches at x, and the length that the centre goes for each of x.
fn centre(x: f64) -> (f64, f64) {
    let (p, r) = (0.5, 0.1);
    let slope: f64 = x / p;
    let length = (1.0 + slope * slope).sqrt();
    (0.5 * x * x / p + r / length, length - r / (p * length * length))
}

#[test]
fn a_disc_on_a_parabola_is_as_fast_and_as_late_as_its_energy_says() {
    mbd::verify::assert_all_derivatives(&Dish::default());
    let run = ran(&Dish::default(), Radau5::default().into(), 1e-11);
    let speed = |x: f64| {
        let fall = centre(-0.6).0 - centre(x).0;
        (2.0 * 2.0 * 9.81 * fall / (2.0 + 0.013 / 0.01)).sqrt()
    };
    let end = last(&run, "contact");
    assert!(end > -0.5 && end < 0.5, "it has gone some way: {end}");
    near("height", last(&run, "height"), centre(end).0, 1e-10);
    near("speed", last(&run, "speed"), speed(end), 1e-9);
    // dt = length dx/speed; with x = −0.6 + u², for it begins at rest.
    let time = |u: f64| {
        let x = -0.6 + u * u;
        if u == 0.0 {
            let (down, _) = (centre(-0.6 + 1e-7).0 - centre(-0.6 - 1e-7).0, 0.0);
            let slope = -down / 2e-7;
            return 2.0 * centre(x).1 / (2.0 * 2.0 * 9.81 * slope / 3.3).sqrt();
        }
        2.0 * u * centre(x).1 / speed(x)
    };
    let (n, top) = (2000, (end + 0.6).sqrt());
    let sum: f64 = (0..=n)
        .map(|k| {
            let weight = if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
            weight * time(top * f64::from(k) / f64::from(n))
        })
        .sum();
    near("time", sum * top / f64::from(n) / 3.0, 0.3, 1e-8);
}

#[differentiable]
fn track(x: f64) -> f64 {
    0.1 * (3.0 * x).sin() + 0.05 * x
}

/// A seesaw with a bent track, on which a wheel rolls.
macro_rules! seesaw {
    ($name:ident, $coordinates:ident) => {
        mechanism! {
            mechanism $name {
                coordinates $coordinates;
                gravity [0, -9.81];
                body beam: PlanarBody { mass: 5.0, inertia: 2.0 };
                body wheel: PlanarBody { mass: 1.5, inertia: 0.02 };
                joint pivot: revolute(ground, beam.at([0.1, -0.2]));
                joint tread: rolling_on_curve(beam.at([0.0, 0.1], [1, 0.2]), wheel.at([0.02, 0.01]), 0.15, |x| track(x));
                force spring along pivot.angle = -30.0*pivot.angle;
                init pivot.angle = 0.1;
                init pivot.rate = 0.5;
                guess tread.contact = 0.3;
                guess wheel.position = [0.3, 0.6];
                output force: [N] = tread.force;
                output torque: [N*m] = tread.torque;
                output angle: [rad] = pivot.angle;
                output spin: [rad/s] = wheel.omega;
                output contact: [m] = tread.contact;
                output alpha: [rad/s^2] = der(wheel.omega);
                output acceleration: [m/s^2] = der(wheel.velocity);
                output arm: [m] = wheel.frame.vector([0.02, 0.01]);
                until 0.6;
            }
        }
    };
}
seesaw!(Seesaw, absolute);
seesaw!(SeesawAngle, joint);

#[test]
fn a_wheel_on_a_moving_track_is_in_balance_in_both_coordinate_forms() {
    mbd::verify::assert_all_derivatives(&Seesaw::default());
    mbd::verify::assert_all_derivatives(&SeesawAngle::default());
    let bodies = ran(&Seesaw::default(), Radau5::default().into(), 1e-11);
    let angles = ran(&SeesawAngle::default(), Radau5::default().into(), 1e-11);
    for name in ["force[0]", "force[1]", "torque", "angle", "spin", "contact"] {
        near(name, last(&angles, name), last(&bodies, name), 1e-8);
    }
    for run in [bodies, angles] {
        let of = |name: &str| last(&run, name);
        let (fx, fy) = (of("force[0]"), of("force[1]"));
        near("along x", 1.5 * of("acceleration[0]"), fx, 1e-11);
        near("along y", 1.5 * (of("acceleration[1]") + 9.81), fy, 1e-11);
        let moment = of("torque") + of("arm[0]") * fy - of("arm[1]") * fx;
        near("turning", 0.02 * of("alpha"), moment, 1e-11);
        assert!(run.balance.as_ref().is_some_and(|balance| balance.closes < 1e-8));
    }
}
