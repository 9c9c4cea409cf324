//! What is drawn of a model is where the model says it is.

use super::models::{Abstract, Bars, Chain, Drawn, Shapes};
use mbd::Mechanism;
use mbd::assembly::{Point, SlotKind, System};
use mbd::components::{distance, spatial};
use mbd::prelude::*;
use mbd_core::drawing::{Anchor, Drawing, Item, Look, Number, Pose};
use mbd_core::model::Shape;

/// A system with the points of a run, the first of them and one in its middle.
fn seen(mechanism: &dyn Mechanism) -> (System, [Point; 2]) {
    let system = System::new(mechanism.model().unwrap());
    let run = Simulation::new(mechanism).until(0.04).run().unwrap();
    let point = |k: usize| {
        let mut point = Point::new(*system.layout(), system.model().param_values());
        for kind in [SlotKind::T, SlotKind::Q, SlotKind::V] {
            let range = run.range(mbd::solution::ColumnKind::Slot(kind));
            point.get_mut(kind).copy_from_slice(&run.row(k)[range]);
        }
        point
    };
    let points = [point(0), point(run.len() - 1)];
    (system, points)
}

/// Where a body is whose coordinates are the first ones.
fn pose(drawing: &Drawing, body: usize, at: &Point) -> Pose {
    let info = &drawing.bodies[body].info;
    let numbers: Vec<f64> = info.coords.iter().map(|&k| at.q()[k]).collect();
    Pose::new(info.kind, &numbers)
}

/// Where an anchor is at a point, with what moves by itself.
fn place(drawing: &Drawing, anchor: Anchor, at: &Point, moving: &[f64]) -> [f64; 3] {
    match anchor {
        Anchor::Ground(place) => place,
        Anchor::Body(body, local) => pose(drawing, body, at).point(local),
        Anchor::Moving(c) => [moving[c], moving[c + 1], moving[c + 2]],
    }
}

fn item<'a>(drawing: &'a Drawing, name: &str, look: Look) -> &'a Item {
    drawing
        .items
        .iter()
        .find(|item| item.name == name && item.look == look)
        .unwrap_or_else(|| panic!("no {look:?} {name} among {:#?}", drawing.items))
}

fn near(a: [f64; 3], b: [f64; 3]) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() < 1e-9)
}

#[test]
fn joints_and_bodies_are_drawn_without_a_word() {
    let (system, [start, _]) = seen(&Bars::default());
    let drawing = Drawing::of(&system, &start);
    assert!(drawing.planar);
    assert_eq!(drawing.width(), 0, "everything is fixed in a body or the ground");
    let names: Vec<&str> = drawing.bodies.iter().map(|body| body.info.name.as_str()).collect();
    assert_eq!(names, ["upper", "lower"]);

    let shoulder = item(&drawing, "shoulder", Look::Joint("revolute"));
    assert_eq!(shoulder.anchors[0], Anchor::Ground([0.0; 3]));
    let [Anchor::Body(0, at)] = shoulder.anchors[1..] else { panic!("{shoulder:?}") };
    assert!(near(at, [-0.5, 0.0, 0.0]));
    let elbow = item(&drawing, "elbow", Look::Joint("revolute"));
    let [Anchor::Body(0, a), Anchor::Body(1, b)] = elbow.anchors[..] else { panic!("{elbow:?}") };
    assert!(near(a, [0.5, 0.0, 0.0]) && near(b, [-0.5, 0.0, 0.0]));

    // A bar from joint to joint; the second one reaches to its spring.
    for (body, name) in ["upper", "lower"].into_iter().enumerate() {
        let parts: Vec<&Item> = drawing.items.iter().filter(|i| i.name == name).collect();
        let [Item { look: Look::Part, anchors, .. }] = parts[..] else { panic!("{parts:?}") };
        let ends: Vec<f64> = anchors
            .iter()
            .map(|anchor| match anchor {
                Anchor::Body(of, [x, _, _]) if *of == body => *x,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!((ends[0] + ends[1]).abs() < 1e-9 && (ends[0] - ends[1]).abs() > 0.99, "{ends:?}");
    }
    // Noted by the spring and the damper, drawn once.
    let springs: Vec<&Item> = drawing.items.iter().filter(|i| i.look == Look::Spring).collect();
    let [spring] = springs[..] else { panic!("{springs:?}") };
    assert_eq!(spring.anchors[1], Anchor::Ground([2.0, 1.0, 0.0]));
}

#[test]
fn shapes_are_where_their_expressions_say() {
    let crank = Drawn::default();
    let (system, points) = seen(&crank);
    let drawing = Drawing::of(&system, &points[0]);
    assert!(drawing.planar && drawing.bodies.is_empty());
    for at in &points {
        let mut moving = Vec::new();
        drawing.sample(&system, at, &mut moving);
        assert_eq!(moving.len(), drawing.width());
        let [theta, _, x] = at.q()[..] else { panic!() };
        let pin = [crank.r * theta.cos(), crank.r * theta.sin(), 0.0];
        let line = |name| {
            let Item { anchors, .. } = item(&drawing, name, Look::Shape(Shape::Line));
            [0, 1].map(|k| place(&drawing, anchors[k], at, &moving))
        };
        assert!(near(line("crank")[0], [0.0; 3]) && near(line("crank")[1], pin));
        assert!(near(line("rod")[0], pin) && near(line("rod")[1], [x, 0.0, 0.0]));
        let piston = item(&drawing, "piston", Look::Shape(Shape::Box));
        assert_eq!(piston.color, "orange");
        assert_eq!(piston.numbers, [0.06, 0.05, 0.0].map(Number::Fixed));
        assert!(near(place(&drawing, piston.anchors[0], at, &moving), [x, 0.0, 0.0]));
        assert!(near(place(&drawing, piston.anchors[1], at, &moving), [x + 1.0, 0.0, 0.0]));
    }
}

#[test]
fn what_is_fixed_in_a_body_moves_with_it_and_nothing_else_does() {
    let shapes = Shapes::default();
    let (system, points) = seen(&shapes);
    let drawing = Drawing::of(&system, &points[0]);
    assert!(!drawing.planar);
    let fixed = |name: &str, shape| {
        let item = item(&drawing, name, Look::Shape(shape));
        item.anchors.iter().all(|anchor| matches!(anchor, Anchor::Body(0, _)))
    };
    assert!(fixed("block", Shape::Box) && !fixed("corner", Shape::Sphere));
    assert!(fixed("shaft", Shape::Cylinder) && fixed("wheel", Shape::Circle));
    assert!(fixed("path", Shape::Trace));
    // The sphere's centre is fixed, its axes are the ground's.
    let corner = item(&drawing, "corner", Look::Shape(Shape::Sphere));
    assert!(matches!(corner.anchors[0], Anchor::Body(0, _)), "{corner:?}");
    // A shadow is made of the body's coordinates and does not turn with it.
    let shadow = item(&drawing, "shadow", Look::Shape(Shape::Polyline));
    assert!(matches!(shadow.anchors[1], Anchor::Moving(_)), "{shadow:?}");
    assert!(matches!(shadow.anchors[2], Anchor::Body(0, _)), "{shadow:?}");
    let pulse = item(&drawing, "pulse", Look::Shape(Shape::Circle));
    assert!(matches!(pulse.numbers[..], [Number::Moving(_)]), "{pulse:?}");

    let at = &points[1];
    let mut moving = Vec::new();
    drawing.sample(&system, at, &mut moving);
    let q = at.q();
    let pose = pose(&drawing, 0, at);
    let there = |name, shape, k: usize| {
        place(&drawing, item(&drawing, name, Look::Shape(shape)).anchors[k], at, &moving)
    };
    assert!(near(there("shadow", Shape::Polyline, 1), [q[0], q[1], -1.0]));
    assert!(near(there("corner", Shape::Sphere, 0), pose.point([0.05, shapes.r, 0.15])));
    assert!(near(there("block", Shape::Box, 2), pose.point([0.0, 1.0, 0.0])));
    assert!(near(there("path", Shape::Trace, 0), pose.point([0.0, shapes.r, 0.0])));
    let [Number::Moving(radius)] = pulse.numbers[..] else { panic!() };
    assert!((moving[radius] - (0.1 + 0.05 * at.t().sin())).abs() < 1e-12);

    // One for each iteration of a loop, by number.
    for i in 0..3 {
        let thread = item(&drawing, &format!("thread[{i}]"), Look::Shape(Shape::Line));
        assert_eq!(thread.anchors[0], Anchor::Ground([i as f64, 0.0, 0.0]));
        assert_eq!(thread.anchors[1], Anchor::Body(1 + i, [0.0; 3]));
    }
    // A shape of the body's name is drawn in place of its outline.
    assert!(drawing.bodies[0].drawn && !drawing.bodies[0].lump);
    assert!(!drawing.items.iter().any(|item| item.look == Look::Part && item.name == "block"));
    assert!(drawing.bodies[1].lump && drawing.bodies[1].inertia == [0.0; 3]);
}

#[test]
fn poses_are_those_of_the_librarys_frames() {
    let (system, [_, at]) = seen(&Shapes::default());
    let drawing = Drawing::of(&system, &at);
    let q = |k: usize| Num::<f64>::from(at.q()[k]);
    let frame = spatial::SpatialFrame::new([q(0), q(1), q(2)], [q(3), q(4), q(5), q(6)]);
    let pose = pose(&drawing, 0, &at);
    let local = [0.3, -0.2, 0.7];
    let there = frame.point(local.map(Num::from)).map(|x| x.value());
    assert!(near(pose.point(local), there));
    assert!(near(pose.local(there), local));
}

#[test]
fn a_body_is_as_large_as_its_moments_of_inertia_say() {
    // A homogeneous ellipsoid: J_x = m (b² + c²)/5.
    let (system, [at, _]) = seen(&Shapes::default());
    let drawing = Drawing::of(&system, &at);
    let [a, b, c] = drawing.bodies[0].inertia.map(|x| x * x);
    for (j, sum) in [(0.1, b + c), (0.2, a + c), (0.25, a + b)] {
        assert!((sum / 5.0 - j).abs() < 1e-12, "{j} {sum}");
    }
    // A disc: J = m r²/2.
    let (system, [at, _]) = seen(&Bars::default());
    let drawing = Drawing::of(&system, &at);
    for body in &drawing.bodies {
        assert!((0.5 * body.inertia[0].powi(2) - 1.0 / 12.0).abs() < 1e-12, "{body:?}");
    }
}

#[test]
fn plain_coordinates_have_no_picture() {
    let (system, [at, _]) = seen(&Abstract::default());
    let drawing = Drawing::of(&system, &at);
    assert!(drawing.items.is_empty() && drawing.bodies.is_empty());
}

#[test]
fn a_thousand_links_are_a_thousand_poses() {
    let chain = Chain { n: 1000, ..Default::default() };
    let system = System::new(chain.model().unwrap());
    let at = system.initial_point();
    let drawing = Drawing::of(&system, &at);
    assert_eq!((drawing.bodies.len(), drawing.width()), (1000, 0));
    let joints = drawing.items.iter().filter(|item| matches!(item.look, Look::Joint(_)));
    assert_eq!(joints.count(), 1000);
    let parts = drawing.items.iter().filter(|item| item.look == Look::Part);
    assert_eq!(parts.count(), 1000);
    assert!(drawing.items.iter().any(|item| item.name == "pin[998]"));
}

mechanism! {
    /// A spatial slider-crank with the force of each joint, and a pendulum on a rod.
    mechanism Loaded {
        gravity [0, 0, -9.81];
        body crank: SpatialBody { mass: 1.0, jx: 0.002, jy: 0.001, jz: 0.002 };
        body rod: SpatialBody { mass: 0.5, jx: 0.004, jy: 0.004, jz: 0.0001 };
        body slider: SpatialBody { mass: 2.0, jx: 0.002, jy: 0.002, jz: 0.002 };
        body bob: PointMass { mass: 0.3 };
        joint shaft: revolute(ground.at([0, 0.1, 0.12], [1, 0, 0]), crank.at([0, 0, 0], [1, 0, 0]));
        joint pin: spherical(crank.at([0, 0, 0.08]), rod.at([0, 0, 0.15]));
        joint cross: universal(rod.at([0, 0, -0.15], [0, 1, 0]), slider.at([0, 0, 0], [0, 0, 1]));
        // The other way round: its second body is the ground.
        joint rail: prismatic(slider.at([0, 0, 0], [1, 0, 0]), ground.at([0.2, 0, 0], [1, 0, 0]));
        joint string: distance(slider, bob, 0.2);
        init shaft.angle = 0.3;
        init shaft.rate = 6.0;
        guess rail.position = -0.1;
        guess bob.position = [0.1, 0.05, -0.2];
        output shaft_force = shaft.force;       output shaft_torque = shaft.torque;
        output pin_force = pin.force;           output pin_torque = pin.torque;
        output cross_force = cross.force;       output cross_torque = cross.torque;
        output rail_force = rail.force;         output rail_torque = rail.torque;
        output string_force = string.force;     output string_torque = string.torque;
        until 0.1;
    }
}

/// Arrows of force and torque are what the joints say of themselves, on their second bodies; the rail about where its
/// first body has it, the second being the ground.
#[test]
fn forces_are_those_of_the_joints() {
    let mechanism = Loaded::default();
    let started = Simulation::new(&mechanism).start().unwrap();
    let (system, point) = (&started.system, &started.point);
    let drawing = Drawing::of(system, point);
    let names: Vec<&str> = drawing.forces.iter().map(|force| force.name.as_str()).collect();
    assert_eq!(names, ["shaft", "pin", "cross", "rail", "string"]);
    let (mut arrows, mut outputs) = (Vec::new(), Vec::new());
    drawing.sample_forces(system, point, &[], &mut arrows);
    system.outputs(point, &mut outputs);
    // The rail's force acts where the slider has it, its own torque is told about the ground's end.
    let arm = -point.q()[system.model().bodies()[2].coords[0]] + 0.2;
    outputs[18 + 4] -= arm * outputs[18 + 2];
    outputs[18 + 5] += arm * outputs[18 + 1];
    assert_eq!(arrows.len(), outputs.len());
    let most = outputs.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    assert!(most > 1.0, "{outputs:?}");
    for (arrow, output) in arrows.iter().zip(&outputs) {
        assert!((arrow - output).abs() < 1e-12 * most, "{arrows:?} {outputs:?}");
    }
    // Where it acts: on the slider where the ground's end of the rail is not.
    let Anchor::Body(body, at) = drawing.forces[3].at else { panic!("{:?}", drawing.forces[3]) };
    assert_eq!((drawing.bodies[body].info.name.as_str(), at), ("slider", [0.0; 3]));
}

/// However long a chain is, its forces are followed in two evaluations; of very many joints in none.
#[test]
fn forces_of_many_joints_are_left_out() {
    for (n, expected) in [(400, 400), (600, 0)] {
        let (system, [start, _]) = seen(&Chain { n, ..Default::default() });
        assert_eq!(Drawing::of(&system, &start).forces.len(), expected);
    }
}

mechanism! {
    /// A bar on a spring, a jack, a damper and a rope that is slack, each a force along a length.
    pub mechanism Pushed {
        body bar: PlanarBody { mass: 1.0, inertia: 0.1 };
        let end = bar.frame.point([0.5, 0.0]);
        let to_spring = distance(end, [2.0, 1.0]);
        let to_jack = distance(end, [2.0, -1.0]);
        let to_damper = distance(end, [1.0, 2.0]);
        let to_rope = distance(end, [-2.0, 0.0]);
        force spring along to_spring = -30.0*(to_spring - 1.0);
        force jack along to_jack = 5.0 + sin(t);
        force damper along to_damper = -2.0*der(to_damper);
        force rope along to_rope = -100.0*max(to_rope - 50.0, 0.0);
        until 1.0;
    }
}

#[test]
fn what_pushes_by_no_law_of_length_is_no_spring() {
    let (system, [start, _]) = seen(&Pushed::default());
    let drawing = Drawing::of(&system, &start);
    for (name, look) in [
        ("spring", Look::Spring),
        ("jack", Look::Actuator),
        ("damper", Look::Actuator),
        ("rope", Look::Spring),
    ] {
        let found = drawing.items.iter().find(|item| item.name == name).unwrap();
        assert_eq!(found.look, look, "{name}");
    }
}

mechanism! {
    /// A pendulum in space, whose gravity acts where it is told.
    mechanism Hanging {
        param gx: [m/s^2] = 0.0;
        param gy: [m/s^2] = 0.0;
        param gz: [m/s^2] = 0.0;
        gravity [gx, gy, gz];
        body arm: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint ball: spherical(ground, arm.at([-0.5, 0, 0]));
        until 1.0;
    }
}

mechanism! {
    /// The same in joint coordinates.
    mechanism HangingByAngles {
        param gx: [m/s^2] = 0.0;
        param gy: [m/s^2] = 0.0;
        param gz: [m/s^2] = 0.0;
        coordinates joint;
        gravity [gx, gy, gz];
        body arm: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint ball: spherical(ground, arm.at([-0.5, 0, 0]));
        until 1.0;
    }
}

/// Up is against gravity along the nearest axis, and the three axes of the picture turn to the right in every case.
#[test]
fn up_is_where_gravity_points_away_from() {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let down = |v: [f64; 3]| v.map(|c| -c);
    let cases = [
        ([0.0; 3], z),
        ([0.0, 0.0, -9.81], z),
        ([0.0, 0.0, 9.81], down(z)),
        ([0.0, -9.81, 0.0], y),
        ([0.0, 9.81, 0.0], down(y)),
        ([-9.81, 0.0, 0.0], x),
        ([9.81, 0.0, 0.0], down(x)),
        ([1.0, -2.0, 9.0], down(z)),
        ([5.0, 5.0, -5.0], z),
    ];
    for ([gx, gy, gz], up) in cases {
        let absolute = seen(&Hanging { gx, gy, gz });
        let joint = seen(&HangingByAngles { gx, gy, gz });
        for (system, [first, _]) in [absolute, joint] {
            let drawing = Drawing::of(&system, &first);
            assert_eq!(drawing.gravity, [gx, gy, gz]);
            let [right, back, above] = drawing.upright();
            let across: f64 = (0..3).map(|i| right[i] * back[i]).sum();
            let normal: [f64; 3] = std::array::from_fn(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                right[j] * back[k] - right[k] * back[j]
            });
            assert_eq!((above, normal, across), (up, up, 0.0), "{gx}, {gy}, {gz}");
        }
    }
}
