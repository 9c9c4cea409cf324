//! Constraints that prescribe another motion from an instant on: where a rate jumps velocities jump with it, by impulses
//! through the mass matrix; a position that jumps is refused by name.

use crate::support::*;
use mbd::error::StepError;
use mbd::integrate::{INCONSISTENT, METHODS, Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::solution::EventKind;
use mbd::{Error, Simulation};

mechanism! {
    /// A slider that is led along a ramp with a kink, and what hangs from it by a spring, coupled by inertia.
    mechanism Ramp {
        coord x: [m];
        coord z: [m];
        kinetic k = 0.5*sq(der(x)) + 0.5*sq(der(z) + 0.3*der(x));
        potential spring = 50.0*sq(z);
        holonomic drive: x == abs(t - 0.5);
        guess x = 0.5;
        until 1.0;
    }
}

mechanism! {
    /// The same with a rate that is switched.
    mechanism Rate {
        coord x: [m];
        coord z: [m];
        kinetic k = 0.5*sq(der(x)) + 0.5*sq(der(z) + 0.3*der(x));
        potential spring = 50.0*sq(z);
        nonholonomic drive: der(x) == if t < 0.5 { 0.0 } else { 1.0 };
        until 1.0;
    }
}

mechanism! {
    /// A mass on a floor that begins to rise at 1 m/s.
    mechanism Floor {
        param e = 0.0;
        coord y: [m];
        kinetic k = 0.5*2.0*sq(der(y));
        potential weight = 2.0*9.81*y;
        unilateral floor: y - if t < 0.5 { 0.0 } else { t - 0.5 }, restitution(e);
        until 0.55;
    }
}

mechanism! {
    /// A block on a table that is jerked away: friction is a finite force, and the block slips until it has the table's speed.
    mechanism Table {
        coord table: [m];
        coord block: [m];
        kinetic k = 0.5*5.0*sq(der(table)) + 0.5*sq(der(block));
        let slip = block - table;
        force friction along slip = force::dry_friction(der(slip), 2.0, 2.5);
        holonomic drive: table == if t < 0.5 { 0.0 } else { t - 0.5 };
        until 1.5;
    }
}

mechanism! {
    /// A slider that is to be elsewhere from one instant to the next.
    mechanism Displaced {
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        holonomic drive: x == if t < 0.5 { 0.0 } else { 1e-3 };
        until 1.0;
    }
}

use mbd::components::force;

/// The consistent methods that treat a model.
pub fn methods(model: &dyn Mechanism) -> Vec<(&'static str, Method)> {
    let all = METHODS.iter().map(|m| m.name).filter(|name| !INCONSISTENT.contains(name));
    let of = |name| {
        let method = Method::from_name(name).unwrap();
        let short = Simulation::new(model).method(method).step(Step::adaptive(1e-3)).until(1e-3);
        short.run().is_ok().then(|| (name, Method::from_name(name).unwrap()))
    };
    all.filter_map(of).collect()
}

/// Runs by each method, adaptive and fixed, and compares the ends with q and v that are known.
fn ends(model: &dyn Mechanism, t_end: f64, exact: &[f64]) {
    let methods = methods(model);
    assert!(methods.len() >= 5, "{}", methods.len());
    for (name, method) in methods {
        for step in [Step::adaptive(1e-8), Step::fixed(1.7e-4)] {
            let run = Simulation::new(model)
                .method(method.clone())
                .step(step)
                .until(t_end)
                .run()
                .unwrap();
            for (y, exact) in run.final_q().iter().chain(run.final_v()).zip(exact) {
                assert!((y - exact).abs() < 3e-5, "{name}: {y} for {exact}");
            }
            let jumps = run.events.iter().filter(|event| event.kind == EventKind::Jump);
            let jumps: Vec<_> = jumps.collect();
            assert!(
                jumps.len() == 1 && (jumps[0].t - 0.5).abs() < 1e-15,
                "{name}: {:?}",
                run.events
            );
            assert!(run.balance.as_ref().unwrap().closes < 1e-3, "{name}: {:?}", run.balance);
            assert!(run.warnings.is_empty(), "{name}: {:?}", run.warnings);
        }
    }
}

mechanism! {
    /// A mass in the coordinates of what it stands on, which is given another speed at once.
    mechanism Carried {
        coord x: [m];
        coord z: [m];
        kinetic k = 0.5*sq(der(x) - if t < 0.5 { 0.0 } else { 1.0 }) + 0.5*3.0*sq(der(z));
        init der(x) = 0.2;
        until 1.0;
    }
}

mechanism! {
    /// A free puck in the coordinates of a turntable that reverses.
    mechanism Puck {
        coord x: [m];
        coord y: [m];
        let phi = 2.0*(0.5 - abs(t - 0.5));
        let p = [x*cos(phi) - y*sin(phi), x*sin(phi) + y*cos(phi)];
        let u = der(p);
        kinetic puck = 0.5*0.5*(sq(u[0]) + sq(u[1]));
        init x = 0.4;
        init der(x) = 0.1;
        until 1.0;
    }
}

mechanism! {
    /// A pendulum on a support to and fro: its place stands in the kinetic energy, or a coordinate is led along it.
    mechanism ToAndFro {
        coord angle: [rad];
        let place = 0.5*(1.0 - abs(t - 1.0));
        let p = [place + 0.8*sin(angle), -0.8*cos(angle)];
        let u = der(p);
        kinetic bob = 0.5*2.0*(sq(u[0]) + sq(u[1]));
        potential weight = 2.0*9.81*p[1];
        init angle = 0.4;
        until 2.0;
    }
}

mechanism! {
    mechanism Led {
        coord angle: [rad];
        coord place: [m];
        let p = [place + 0.8*sin(angle), -0.8*cos(angle)];
        let u = der(p);
        kinetic bob = 0.5*2.0*(sq(u[0]) + sq(u[1]));
        kinetic support = 0.5*sq(der(place));
        potential weight = 2.0*9.81*p[1];
        holonomic drive: place == 0.5*(1.0 - abs(t - 1.0));
        init angle = 0.4;
        until 2.0;
    }
}

mechanism! {
    /// The same in joint coordinates: the frame of a joint reads time.
    mechanism Pivot {
        coordinates joint;
        gravity [0, -9.81];
        body bob: PlanarBody { mass: 2.0, inertia: 0.1 };
        joint pin: revolute(ground.at([0.5*abs(t - 1.0), 0]), bob.at([0, 0.8]));
        init pin.angle = 0.4;
        init pin.rate = 0.0;
        output state[2] = [pin.angle, pin.rate];
        until 2.0;
    }
}

mechanism! {
    mechanism PivotOfBodies {
        gravity [0, -9.81];
        body bob: PlanarBody { mass: 2.0, inertia: 0.1 };
        joint pin: revolute(ground.at([0.5*abs(t - 1.0), 0]), bob.at([0, 0.8]));
        init pin.angle = 0.4;
        init pin.rate = 0.0;
        output state[2] = [pin.angle, pin.rate];
        until 2.0;
    }
}

mechanism! {
    /// A bead on a rod that turns at another speed at once: no momentum of the bead along it jumps, but its energy does.
    mechanism Rod {
        coord r: [m];
        let phi = if t < 1.0 { 3.0*t } else { 3.0 + 6.0*(t - 1.0) };
        let p = [r*cos(phi), r*sin(phi)];
        let u = der(p);
        kinetic bead = 0.5*0.5*(sq(u[0]) + sq(u[1]));
        potential spring = 20.0*sq(r - 0.3);
        init r = 0.4;
        until 2.0;
    }
}

mechanism! {
    mechanism RodByCoordinate {
        coord r: [m];
        coord phi: [rad];
        let p = [r*cos(phi), r*sin(phi)];
        let u = der(p);
        kinetic bead = 0.5*0.5*(sq(u[0]) + sq(u[1]));
        potential spring = 20.0*sq(r - 0.3);
        holonomic drive: phi == if t < 1.0 { 3.0*t } else { 3.0 + 6.0*(t - 1.0) };
        init r = 0.4;
        until 2.0;
    }
}

mechanism! {
    /// A parcel on a lift that goes up at 2 m/s and stops at once, or goes down at once.
    mechanism Lift {
        param then: [m/s] = 0.0;
        coord y: [m];
        kinetic parcel = 0.5*2.0*sq(der(y));
        force weight along y = -9.81*2.0;
        unilateral floor: y - if t < 0.5 { 2.0*t } else { 1.0 + then*(t - 0.5) };
        init der(y) = 2.0;
        until 0.7;
    }
}

/// It goes on at 2 m/s, and no impulse acts: that of the floor was 0 to the last bit, so that it was thought to hold still,
/// and the parcel stopped with the lift.
#[test]
fn what_a_floor_leaves_at_once_flies() {
    for then in [0.0, -1.0, 1.9] {
        let model = Lift { then };
        for (name, method) in methods(&model) {
            for step in [Step::adaptive(1e-6), Step::fixed(1.7e-3)] {
                let run = Simulation::new(&model).method(method.clone()).step(step).run().unwrap();
                let opens = run.events.iter().find(|event| event.kind == EventKind::Open);
                assert!(
                    opens.is_some_and(|event| (event.t - 0.5).abs() < 1e-9),
                    "{name}: {:?}",
                    run.events
                );
                if then < 1.0 {
                    assert_near(name, run.final_q()[0], 1.4 - 0.5 * 9.81 * 0.04, 1e-6);
                    assert_near(name, run.final_v()[0], 2.0 - 9.81 * 0.2, 1e-6);
                }
            }
        }
    }
}

/// The momentum T_v goes on. Velocities stayed, and the energies before and after were alike: nothing told of it.
#[test]
fn velocities_jump_where_a_kinetic_energy_has_other_momenta() {
    ends(&Carried::default(), 1.0, &[0.1 + 0.6, 0.0, 1.2, 0.0]);
    // (0.4 + 0.1 t, 0.8 t) in the ground's coordinates, all along.
    ends(&Puck::default(), 1.0, &[0.5, 0.8, 0.1 - 2.0 * 0.8, 0.8 + 2.0 * 0.5]);
}

/// Where the momentum stands in the kinetic energy, and where a constraint leads what it is relative to, the motions are alike.
#[test]
fn a_support_moves_its_pendulum_alike_however_it_is_written() {
    let end = |model: &dyn Mechanism, names: [&str; 2]| {
        let run = Simulation::new(model).method(Method::from_name("radau5").unwrap());
        let run = run.step(Step::adaptive(1e-9)).run().unwrap();
        assert!(run.warnings.is_empty(), "{:?}", run.warnings);
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && balance.closes < 1e-6, "{balance:?}");
        names.map(|name| last(&run, name))
    };
    let pairs: [[(&dyn Mechanism, [&str; 2]); 2]; 3] = [
        [
            (&ToAndFro::default(), ["angle", "der(angle)"]),
            (&Led::default(), ["angle", "der(angle)"]),
        ],
        [
            (&Pivot::default(), ["state[0]", "state[1]"]),
            (&PivotOfBodies::default(), ["state[0]", "state[1]"]),
        ],
        [(&Rod::default(), ["r", "der(r)"]), (&RodByCoordinate::default(), ["r", "der(r)"])],
    ];
    for pair in pairs {
        let [one, other] = pair.map(|(model, names)| end(model, names));
        assert_near("position", one[0], other[0], 1e-7);
        assert_near("velocity", one[1], other[1], 1e-6);
    }
}

/// The spring's end gets the momentum that the slider's inertia takes from it: z' jumps by −0.3 times the jump of x'.
#[test]
fn velocities_jump_where_a_prescribed_position_has_a_kink() {
    let (sin, cos) = 5.0f64.sin_cos();
    ends(&Ramp::default(), 1.0, &[0.5, -0.06 * sin, 1.0, -0.6 * cos]);
    ends(&Rate::default(), 1.0, &[0.5, -0.03 * sin, 1.0, -0.3 * cos]);
    let method = Method::from_name("radau5").unwrap();
    let run = Simulation::new(&Ramp::default()).method(method).step(Step::adaptive(1e-9));
    let run = run.saltations(true).run().unwrap();
    let event = &run.events[0];
    assert!(event.name == "drive" && event.kind == EventKind::Jump, "{event:?}");
    // M Δv = (2, 0) = −Gᵀ Λ.
    assert_near("impulse", event.impulses[0].value, -2.0, 1e-12);
    assert_eq!(event.impulses[0].name, "lambda(drive)");
    assert_near("z", run.final_q()[1], -0.06 * sin, 1e-8);
    // The motion that errors are estimated with jumps as well.
    let estimate = run.error_estimate.as_ref().expect("an estimate");
    assert!(estimate.q.unwrap() < 1e-7 && estimate.v.unwrap() < 1e-6, "{estimate:?}");
    // A velocity of the spring's end is there afterwards as it was before, and the slider's is prescribed.
    let matrix = &run.saltations[0].derivatives.as_ref().expect("a matrix").matrix;
    assert!((matrix[(3, 3)] - 1.0).abs() < 1e-9 && matrix[(2, 2)].abs() < 1e-9, "{matrix}");
}

#[test]
fn a_floor_that_begins_to_move_strikes_what_lies_on_it() {
    ends(&Floor::default(), 0.55, &[0.05, 1.0]);
    // e = ½: the mass leaves the floor half as fast as that came.
    let tau = 0.05;
    let flies = [1.5 * tau - 0.5 * 9.81 * tau * tau, 1.5 - 9.81 * tau];
    ends(&Floor { e: 0.5 }, 0.55, &flies);
}

#[test]
fn friction_does_not_take_a_blow() {
    // From 0.5 s on with 2 m/s² until it is as fast as the table, at 1 s and 0.25 m.
    ends(&Table::default(), 1.5, &[1.0, 0.75, 1.0, 1.0]);
}

#[test]
fn a_prescribed_position_that_jumps_is_refused_by_name() {
    let model = Displaced::default();
    for (name, method) in methods(&model) {
        let run = Simulation::new(&model).method(method).step(Step::adaptive(1e-5)).run();
        match run.unwrap_err().error {
            Error::Step(StepError::Displaced { t, name: row, by }) => {
                assert!((t - 0.5).abs() < 1e-15 && row == "drive", "{t} {row}");
                assert!((by - 1e-3).abs() < 1e-15, "{by}");
            }
            other => panic!("{name}: {other}"),
        }
    }
}
