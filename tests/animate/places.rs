//! Events are marked where they happen, and contacts while they are closed.

use super::page::data;
use mbd::animate::Animation;
use mbd::prelude::*;
use mbd::solution::EventKind;
use mbd::{Mechanism, Solution};
use mbd_core::drawing::{Anchor, Drawing};
use serde_json::Value;

mechanism! {
    /// A plate that falls on one of its corners and comes to rest on both.
    pub mechanism Plate {
        gravity [0, -9.81];
        body plate: PlanarBody { mass: 1.0, inertia: 0.1 };
        unilateral left: plate.frame.point([-0.5, -0.1])[1];
        unilateral right: plate.frame.point([0.5, -0.1])[1];
        init plate.x = 0.0;
        init plate.y = 0.4;
        init plate.theta = 0.2;
        until 3.0;
    }
}

mechanism! {
    /// Balls that fall: on a floor that holds one, and rebounds one; past a mark that counts one.
    pub mechanism Balls {
        gravity [0, 0, -9.81];
        size n = 3;
        body ball[n]: PointMass { mass: 1.0 };
        unilateral floor: ball[0].z;
        event hit when ball[1].z <= 0.0 { impulse along ball[1].z = restitution(0.9); }
        mode passed = 0.0;
        event pass when ball[2].z <= 0.5 { passed = 1.0; }
        event clock when t >= 0.1 { passed = 2.0; }
        output counted = passed;
        for i in 0..n {
            init ball[i].x = i*1.0;
            init ball[i].y = 0.0;
            init ball[i].z = 1.0;
        }
        until 1.0;
    }
}

mechanism! {
    /// A pendulum whose bob, and whose own centre, meet walls.
    pub mechanism Pendulum {
        coordinates joint;
        gravity [0, -9.81];
        body arm: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint pin: revolute(ground, arm.at([0, 0.5]));
        unilateral wall: arm.frame.point([0, -0.5])[0] + 0.1, restitution(0.5);
        unilateral centre: arm.x + 0.4, restitution(0.5);
        init pin.angle = 0.6;
        until 1.0;
    }
}

mechanism! {
    /// A bob on a rope, of which only coordinates are known and what is drawn.
    pub mechanism Rope {
        coord x: [m];
        coord y: [m];
        coord other: [m];
        kinetic bob = 0.5*(sq(der(x)) + sq(der(y)) + sq(der(other)));
        potential weight = 9.81*(y + other);
        unilateral rope: 1.0 - hypot(x, y);
        draw thread: line([0, 0], [x, y]);
        draw bob: sphere([x, y], 0.05);
        draw flag: polyline([[x, y], [x + 0.2, y], [x + 0.2, y - 0.2], [x, y - 0.2], [x, y]]);
        draw stone: sphere([other, 0], 0.05);
        init x = 0.0;
        init y = -1.0;
        init other = 0.0;
        init der(x) = 6.7;
        init der(y) = 0.0;
        until 3.0;
    }
}

fn run(mechanism: &dyn Mechanism) -> (Solution, Value) {
    let mut animation = Animation::new(mechanism).unwrap();
    let run = Simulation::new(mechanism).stream(&mut animation).run().unwrap();
    let html = animation.html(&run).unwrap().0;
    (run, data(&html)["places"].clone())
}

/// Name and places, as they are at the start.
fn places(mechanism: &dyn Mechanism) -> Vec<(String, Vec<Vec<Anchor>>)> {
    let start = Simulation::new(mechanism).start().unwrap();
    let drawing = Drawing::of(&start.system, &start.point);
    drawing.happenings.into_iter().map(|one| (one.name, one.places)).collect()
}

fn closed(places: &Value, name: &str) -> Vec<[f64; 2]> {
    let one = places.as_array().unwrap().iter().find(|one| one["name"] == name);
    let closed = one.unwrap_or_else(|| panic!("no {name} in {places}"))["closed"].as_array();
    let times = |pair: &Value| [0, 1].map(|k| pair[k].as_f64().unwrap());
    closed.unwrap().iter().map(times).collect()
}

#[test]
fn contacts_are_at_their_points() {
    let found = places(&Plate::default());
    let [(left, at_left), (right, at_right)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((left.as_str(), right.as_str()), ("left", "right"));
    for (places, x) in [(at_left, -0.5), (at_right, 0.5)] {
        let [Anchor::Body(0, at)] = places[0][..] else { panic!("{places:?}") };
        let off = (at[0] - x).abs() + (at[1] + 0.1).abs() + at[2].abs();
        assert!(places.len() == 1 && off < 1e-12, "{places:?}");
    }
}

/// Where a model notes no point it is the body; of what time alone decides there is no place.
#[test]
fn events_are_at_the_bodies_that_they_read() {
    let origin = |b| vec![vec![Anchor::Body(b, [0.0; 3])]];
    let found = places(&Balls::default());
    let expected = [("floor", origin(0)), ("hit", origin(1)), ("pass", origin(2))];
    assert_eq!(found, expected.map(|(name, places)| (name.to_string(), places)));
}

#[test]
fn in_joint_coordinates_too() {
    let found = places(&Pendulum::default());
    let [(_, wall), (_, centre)] = &found[..] else { panic!("{found:?}") };
    let [Anchor::Body(0, at)] = wall[0][..] else { panic!("{wall:?}") };
    assert!(wall.len() == 1 && at[0].abs() + (at[1] + 0.5).abs() + at[2].abs() < 1e-12, "{at:?}");
    assert_eq!(*centre, [[Anchor::Body(0, [0.0; 3])]]);
}

/// The bob of a rope is where its thread ends; of an outline it is the middle, and what else moves is none.
#[test]
fn what_is_drawn_tells_places_of_coordinates() {
    let found = places(&Rope::default());
    let [(name, places)] = &found[..] else { panic!("{found:?}") };
    let counts: Vec<usize> = places.iter().map(Vec::len).collect();
    assert_eq!((name.as_str(), &counts[..]), ("rope", &[1, 4][..]));
}

#[test]
fn contacts_are_marked_while_they_are_closed() {
    let (rope, marked) = run(&Rope::default());
    let turns: Vec<f64> = rope
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::Open | EventKind::Close))
        .map(|event| event.t)
        .collect();
    let [slack, taut, again, last] = turns[..] else { panic!("{turns:?}") };
    let (is, expected) = (closed(&marked, "rope"), [[0.0, slack], [taut, again], [last, 3.0]]);
    let off = is.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs());
    // Numbers of the page are read back to their last digit but one.
    assert!(is.len() == 3 && off.fold(0.0, f64::max) < 1e-14, "{is:?} {expected:?}");

    let (plate, marked) = run(&Plate::default());
    for corner in ["left", "right"] {
        let times = closed(&marked, corner);
        let first = plate.events.iter().find(|event| event.name == corner).unwrap().t;
        let ends = times.last().unwrap()[1];
        assert!(times[0][0] >= first && first > 0.1 && ends == 3.0, "{corner}: {times:?}");
    }

    let (balls, marked) = run(&Balls::default());
    assert!(balls.events.iter().any(|event| event.name == "hit"));
    assert_eq!(closed(&marked, "floor").len(), 1);
    assert_eq!(closed(&marked, "hit"), [[0.0; 2]; 0]);
}
