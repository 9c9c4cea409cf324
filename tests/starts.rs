//! Starts of joints given from outside: what `init` in the model says.

use mbd::prelude::*;
use mbd::simulation::Simulation;

macro_rules! arms {
    ($($name:ident { $($init:tt)* })*) => { $(
        mechanism! {
            /// Two links in space, and a slider on the second.
            mechanism $name {
                gravity [0, 0, -9.81];
                body upper: SpatialBody { mass: 2.0, jx: 0.01, jy: 0.2, jz: 0.2 };
                body lower: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.1, jz: 0.1 };
                body bead: SpatialBody { mass: 0.3, jx: 0.01, jy: 0.01, jz: 0.01 };
                joint base: revolute(ground.at([0, 0, 1], [0, 1, 0]), upper.at([-0.5, 0, 0], [0, 1, 0]));
                joint elbow: universal(upper.at([0.5, 0, 0], [1, 0, 0]), lower.at([-0.4, 0, 0], [0, 1, 0]));
                joint rail: prismatic(lower.at([0, 0, 0], [1, 0, 0]), bead.at([0, 0, 0], [1, 0, 0]));
                force twist along base.angle = -3.0*base.angle;
                $($init)*
                output angle: [rad] = base.angle;
                until 0.5;
            }
        }
    )* };
}

arms! {
    Plain {}
    Stated {
        init base.angle = 7.0; init base.rate = 0.4;
        init elbow.first_angle = 0.2; init elbow.second_angle = -0.3;
        guess rail.position = 0.1;
    }
    Moving { init base.rate = 0.0; guess rail.speed = 0.5; }
    Guessed { guess base.angle = 0.3; guess base.rate = 0.1; }
}

fn started(mechanism: &impl Mechanism, given: &[(&str, f64)]) -> Result<Vec<f64>, String> {
    let mut simulation = Simulation::new(mechanism);
    for (name, value) in given {
        simulation = simulation.set_initial(*name, *value);
    }
    let started = simulation.start().map_err(|error| error.to_string())?;
    let point = &started.point;
    Ok([point.q(), point.v(), point.x()].concat())
}

#[track_caller]
fn same(a: Result<Vec<f64>, String>, b: Result<Vec<f64>, String>) {
    let (a, b) = (a.expect("a start"), b.expect("a start"));
    let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(a.len() == b.len() && off < 1e-13, "off by {off:e}");
}

#[test]
fn what_is_given_is_what_is_stated() {
    let all = [
        ("base.angle", 7.0),
        ("base.rate", 0.4),
        ("elbow.first_angle", 0.2),
        ("elbow.second_angle", -0.3),
        ("rail.position", 0.1),
    ];
    same(
        started(
            &Moving::default(),
            &[
                all[0],
                all[1],
                all[2],
                all[3],
                all[4],
                ("rail.speed", 0.0),
                ("elbow.first_rate", 0.0),
                ("elbow.second_rate", 0.0),
            ],
        ),
        started(&Stated::default(), &[]),
    );
    // In place of what is stated, also in another turn.
    same(
        started(&Stated::default(), &[("base.angle", -20.0), ("rail.position", 0.0)]),
        started(&Stated::default(), &[("rail.position", 0.0), ("base.angle", -20.0)]),
    );
    let other = started(&Stated::default(), &[("base.angle", -20.0)]).expect("a start");
    let angle =
        Simulation::new(&Stated::default()).set_initial("base.angle", -20.0).run().expect("a run");
    assert!((angle.series("angle").expect("a series")[0] + 20.0).abs() < 1e-12);
    assert!((other[0] - 0.5 * 20.0_f64.cos()).abs() < 1e-13, "x of the upper link");
    same(
        started(&Guessed::default(), &[("base.angle", 0.3), ("base.rate", 0.1)]),
        started(&Guessed::default(), &[]),
    );
}

#[test]
fn what_is_given_is_kept_or_refused_as_what_is_stated() {
    // A guess that is given is kept.
    let kept = |given: &[(&str, f64)]| {
        let mut simulation = Simulation::new(&Plain::default());
        for (name, value) in given {
            simulation = simulation.set_initial(*name, *value);
        }
        simulation
            .start()
            .map(|started| started.report.moved.len())
            .map_err(|error| error.to_string())
    };
    assert!(kept(&[("base.angle", 0.3)]).is_ok());
    let error = kept(&[("elbow.first_angle", 0.3)]).expect_err("the base is not given");
    assert!(error.contains("`elbow.first_angle` cannot be kept"), "{error}");
    // The body that it is about has a name.
    assert!(error.contains("assembly may move `lower`, which `elbow` places"), "{error}");
    let error = kept(&[("base.angle", 0.3), ("elbow.first_angle", 0.3)])
        .expect_err("half of a universal joint");
    assert!(error.contains("`elbow.first_angle` cannot be kept"), "{error}");
    assert!(
        kept(&[("base.angle", 0.3), ("elbow.first_angle", 0.3), ("elbow.second_angle", 0.0)])
            .is_ok()
    );
    let error = kept(&[("base.rate", 1.0)]).expect_err("no velocities");
    assert!(
        error.contains("`base.rate` cannot be started: the model states no velocity"),
        "{error}"
    );
    let error = kept(&[("base.angel", 1.0)]).expect_err("a slip");
    assert!(error.contains("did you mean `base.angle`"), "{error}");
    let error = kept(&[("base.angle", f64::NAN)]).expect_err("no number");
    assert!(error.contains("finite"), "{error}");
}

mechanism! {
    /// A press with a loop: crank, rod, slider; and a driven shaft.
    mechanism Press {
        body crank: PlanarBody { mass: 1.0, inertia: 0.01 };
        body rod: PlanarBody { mass: 0.5, inertia: 0.01 };
        body slider: PlanarBody { mass: 2.0, inertia: 0.1 };
        body fan: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint shaft: revolute(ground, crank);
        joint pin: revolute(crank.at([0.1, 0]), rod.at([-0.2, 0]));
        joint cross: revolute(rod.at([0.2, 0]), slider);
        joint rail: prismatic(ground.at([0, 0], [1, 0]), slider.at([0, 0], [1, 0]));
        joint axle: revolute(ground.at([1, 1]), fan);
        drive axle.angle == 3.0*t;
        init shaft.angle = 0.3;
        init shaft.rate = 2.0;
        guess pin.angle = -1.2;
        guess rail.position = 0.29;
        output angle: [rad] = shaft.angle;
        until 0.2;
    }
}

#[test]
fn a_loop_is_closed_from_where_its_crank_is_given() {
    let q =
        started(&Press::default(), &[("shaft.angle", 2.0), ("shaft.rate", -1.0)]).expect("a start");
    assert_eq!(q[2], 2.0);
    // x of the slider: 0.1 cos φ + √(0.4² − (0.1 sin φ)²).
    let x = 0.1 * 2.0_f64.cos() + (0.16 - (0.1 * 2.0_f64.sin()).powi(2)).sqrt();
    assert!((q[6] - x).abs() < 1e-12, "{} is not {x}", q[6]);
    let error = started(&Press::default(), &[("axle.angle", 1.0)]).expect_err("it is driven");
    assert!(error.contains("`axle.angle` cannot be started: it is driven"), "{error}");
    let error =
        started(&Press::default(), &[("cross.angle", 1.0)]).expect_err("it closes the loop");
    assert!(
        error.contains("`cross.angle` cannot be started: the bodies of `cross` have their places"),
        "{error}"
    );
}

mechanism! {
    /// A body that flies, and one in the plane; what is stated of them, and what is not.
    mechanism Flying {
        param stated = 0.0;
        body stone: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.2, jz: 0.3 };
        body disc: PlanarBody { mass: 1.0, inertia: 0.1 };
        coord c[3]: [m];
        for i in 0..3 { kinetic bead = 0.5*sq(der(c[i])); }
        init stone.position = [stated, 2*stated, 3*stated];
        init stone.e = axis_angle([1, 2, -1], stated);
        init stone.velocity = [-stated, 0.5*stated, 4*stated];
        init stone.omega = [0.3*stated, 0.2*stated, -stated];
        init disc.position = [stated, -stated];
        init disc.omega = 5.0*stated;
        init c = [stated, 0, -stated];
        output spin: [rad/s] = stone.omega;
        output ground: [rad/s] = stone.omega_ground;
        until 1.0;
    }
}

/// What is given by its entries is what `init` of the vector makes.
#[test]
fn bodies_are_started_by_their_vectors() {
    let s = 0.7;
    let stated = Simulation::new(&Flying { stated: s }).start().expect("a start");
    let given = |spin: &str, omega: [f64; 3]| {
        let e = mbd::components::spatial::axis_angle(
            [1.0, 2.0, -1.0].map(mbd::scalar::Num::<f64>::from),
            s.into(),
        );
        let vectors: [(&str, Vec<f64>); 6] = [
            (spin, omega.into()),
            ("stone.position", vec![s, 2.0 * s, 3.0 * s]),
            ("stone.e", e.iter().map(|e| e.value()).collect()),
            ("stone.velocity", vec![-s, 0.5 * s, 4.0 * s]),
            ("disc.position", vec![s, -s]),
            ("c", vec![s, 0.0, -s]),
        ];
        let mut simulation = Simulation::new(&Flying::default()).set_initial("disc.omega", 5.0 * s);
        for (name, entries) in vectors {
            for (k, entry) in entries.into_iter().enumerate() {
                simulation = simulation.set_initial(format!("{name}[{k}]"), entry);
            }
        }
        simulation.start().expect("a start").point
    };
    let mut outputs = Vec::new();
    stated.system.outputs(&stated.point, &mut outputs);
    let ground = [outputs[3], outputs[4], outputs[5]];
    for point in [given("stone.omega", [0.3 * s, 0.2 * s, -s]), given("stone.omega_ground", ground)]
    {
        let both = stated.point.q().iter().chain(stated.point.v());
        for (a, b) in both.zip(point.q().iter().chain(point.v())) {
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }
}

#[test]
fn an_angular_velocity_is_given_whole() {
    let error = Simulation::new(&Flying::default()).set_initial("stone.omega[1]", 1.0).start();
    let message = error.map(|_| ()).expect_err("two are missing").to_string();
    assert!(message.contains("stone.omega") && message.contains("all three"), "{message}");
}

mechanism! {
    mechanism Carried {
        coordinates joint;
        body hand: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.2, jz: 0.3 };
        joint ball: spherical(ground, hand.at([0, 0, 0.1]));
        output lies: [-] = hand.e;
        output spin: [rad/s] = hand.omega;
    }
}

#[test]
fn balls_are_started_by_their_vectors_and_carried_bodies_are_not() {
    let half: f64 = 0.2;
    let start = Simulation::new(&Carried::default())
        .set_initial("ball.e[0]", half.cos())
        .set_initial("ball.e[1]", 0.0)
        .set_initial("ball.e[2]", half.sin())
        .set_initial("ball.e[3]", 0.0)
        .set_initial("ball.omega[0]", 0.3)
        .set_initial("ball.omega[1]", -0.4)
        .set_initial("ball.omega[2]", 0.5)
        .start()
        .expect("a start");
    let mut outputs = Vec::new();
    start.system.outputs(&start.point, &mut outputs);
    let expected = [half.cos(), 0.0, half.sin(), 0.0, 0.3, -0.4, 0.5];
    for (is, should) in outputs.iter().zip(expected) {
        assert!((is - should).abs() < 1e-12, "{outputs:?}");
    }
    let error = Simulation::new(&Carried::default()).set_initial("hand.position[0]", 1.0).start();
    let message = error.map(|_| ()).expect_err("the joint tells it").to_string();
    assert!(message.contains("a joint tells where `hand` is"), "{message}");
}

mechanism! {
    /// A slider-crank, of which the slider's guess may be on the wrong side.
    pub mechanism Slider {
        param r: [m] = 0.1;
        param l: [m] = 0.3;
        coord theta: [rad];
        coord phi: [rad];
        coord x: [m];
        kinetic all = 0.5*(1e-3*sq(der(theta)) + 1e-3*sq(der(phi)) + 0.5*sq(der(x)));
        holonomic close_x: r*cos(theta) + l*cos(phi) == x;
        holonomic close_y: r*sin(theta) == l*sin(phi);
        init theta = 0.3;
        guess phi = 0.1;
        param at: [m] = 0.39;
        guess x = at;
        until 0.01;
    }
}

mechanism! {
    /// A wheel that turns, and a mass that it pushes once it has turned far enough: at the start nothing tells how far that
    /// will go.
    pub mechanism Pushing {
        param push: [N] = 0.0;
        coord angle: [rad];
        coord x: [m];
        kinetic all = 0.5*(sq(der(angle)) + sq(der(x)));
        force push_it along x = push*max(angle - 0.2, 0.0);
        init der(angle) = 1.0;
        until 0.5;
    }
}

#[test]
fn a_run_tells_guesses_that_assembly_moved_far() {
    let moved =
        |at: f64| Simulation::new(&Slider { at, ..Default::default() }).run().unwrap().moved_far;
    // A crank's length from where it closes is near.
    assert_eq!(moved(0.39), []);
    assert_eq!(moved(0.30), []);
    let [far] = &moved(5.0)[..] else { panic!("{:?}", moved(5.0)) };
    assert_eq!((far.name.as_str(), far.from), ("x", 5.0));
    assert!(far.to < 0.4);
}

#[test]
fn a_size_is_asked_for_where_something_moves() {
    let asked = |push: f64| Simulation::new(&Pushing { push }).run().unwrap().assumed_scales;
    assert_eq!(asked(0.0), Vec::<String>::new());
    for push in [1.0, 1e-6] {
        assert_eq!(asked(push), ["m"], "{push}");
    }
}

mechanism! {
    /// A shaft, a second one at an angle to it whose cross pin lies along that of the first at the guess, and a third that is
    /// tied to neither.
    pub mechanism Crossed {
        coordinates joint;
        body a: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.02 };
        body b: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.02 };
        body c: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.02 };
        joint ja: revolute(ground, a);
        joint jb: cylindrical(ground.at([0, 0, 0], [sin(0.5), 0, cos(0.5)]), b);
        joint jab: universal(a.at([0, 0, 0], [1, 0, 0]), b.at([0, 0, 0], [0, 1, 0]));
        joint jc: revolute(ground.at([2, 0, 0]), c);
        init ja.angle = 0.0;
        init jc.angle = 0.25;
        guess jb.angle = 0.0;
        guess jb.position = 0.0;
        until 0.1;
    }
}

mechanism! {
    /// A heavy rotor, a fine screw, a light probe: where the probe is is given, the angle follows.
    pub mechanism Screw {
        param m: [kg] = 1e-3;
        param j: [kg*m^2] = 1e4;
        param lead: [m/rad] = 1e-4;
        coord x: [m];
        coord phi: [rad];
        kinetic probe = 0.5*m*sq(der(x));
        kinetic rotor = 0.5*j*sq(der(phi));
        holonomic screw: x == lead*phi;
        init x = 0.01;
        guess phi = 0.0;
        until 1.0;
    }
}

mechanism! {
    /// The same in velocities.
    pub mechanism Feed {
        coord x: [m];
        coord phi: [rad];
        kinetic probe = 0.5*1e-3*sq(der(x));
        kinetic rotor = 0.5*1e4*sq(der(phi));
        nonholonomic screw: der(x) == 1e-4*der(phi);
        init x = 0.01;
        guess phi = 0.0;
        init der(x) = 0.001;
        until 1.0;
    }
}

mechanism! {
    /// No point of the circle is on the other curve, whose root has no value to the left.
    pub mechanism Apart {
        coord x: [m];
        coord y: [m];
        kinetic k = 0.5*(sq(der(x)) + sq(der(y)));
        holonomic root: sqrt(x) == y - 3.0;
        holonomic circle: sq(y) == 1.0 - sq(x);
        guess x = 0.0;
        guess y = 0.5;
        until 1.0;
    }
}

/// "Cannot all be kept", of angles that can: the row of the cross has no slope at the guess.
#[test]
fn a_guess_where_a_row_has_no_slope_is_no_conflict() {
    let [ja, jb, position, jc] =
        started(&Crossed::default(), &[]).unwrap()[..4].try_into().unwrap();
    assert_eq!([ja, jc], [0.0, 0.25]);
    // What is tied to nothing that is violated stays where it is; tan(jb) of the shaft at rest is cos(0.5)/0.
    assert!(position.abs() < 1e-12, "{position:e}");
    assert!((jb.abs() - std::f64::consts::FRAC_PI_2).abs() < 1e-9, "{jb}");
}

/// "x cannot all be kept … would move x from 0.01 to 0": beside x, which is kept, phi hardly moved.
#[test]
fn what_is_kept_moves_what_is_heavy_by_a_fine_thread() {
    for (m, j, lead) in [(1e-3, 1e4, 1e-4), (1e-3, 1e4, 1e-3), (1e-2, 1e3, 1.6e-4), (1.0, 1.0, 1.0)]
    {
        let start = started(&Screw { m, j, lead }, &[]).unwrap();
        assert!((start[1] / (0.01 / lead) - 1.0).abs() < 1e-9, "{lead:e}: {}", start[1]);
    }
    let start = started(&Feed::default(), &[]).unwrap();
    assert!((start[3] / 10.0 - 1.0).abs() < 1e-9, "{start:?}");
}

/// "x = -0.0141638", which nobody gave.
#[test]
fn what_cannot_be_assembled_is_told_by_the_values_given() {
    let told = started(&Apart::default(), &[]).unwrap_err();
    assert!(told.contains("cannot be assembled") && !told.contains("NaN"), "{told}");
}

mechanism! {
    /// A pendulum of 1 m whose pivot lies far from the origin, its start off by some part of that.
    pub mechanism Far {
        param away: [m] = 5e6;
        param off: [m] = 0.0;
        coord x: [m];
        coord y: [m];
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        force weight along y = -9.81;
        holonomic rod: hypot(x - away, y - away) == 1.0;
        init x = away + 1.0 + off;
        init y = away;
        until 0.5;
    }
}

/// Five millimetres are five millimetres wherever the origin is: they were 1e-9 of the distance to it, and accepted.
#[test]
fn what_is_kept_is_judged_by_the_mechanism_wherever_the_origin_is() {
    for away in [0.0, 1e3, 1e6, 5e6, 1e9] {
        let start = |off: f64| Simulation::new(&Far { away, off }).start();
        let point = start(0.0).unwrap_or_else(|error| panic!("{away}: {error}")).point;
        assert_eq!(point.q(), [away + 1.0, away], "{away}");
        for off in [5e-3, 1e-5] {
            let error = start(off).map(|_| ()).expect_err("a start off the rod").to_string();
            assert!(error.contains("cannot all be kept"), "{away}: {error}");
        }
        // Given with seven digits within the mechanism, it is moved by the eighth.
        let off = 1e-7;
        let point = start(off).unwrap_or_else(|error| panic!("{away}: {error}")).point;
        let left = (point.q()[0] - away).hypot(point.q()[1] - away) - 1.0;
        assert!(left.abs() < 1e-9 + 4.0 * f64::EPSILON * away, "{away}: {left:e}");
    }
}
