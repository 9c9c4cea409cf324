//! In joint coordinates the same is drawn as in absolute ones, at the same places, with the same forces.

use mbd::assembly::{Point, SlotKind, System};
use mbd::integrate::{Radau5, Step};
use mbd::prelude::*;
use mbd::solution::ColumnKind;
use mbd_core::drawing::{Anchor, Drawing, Item, Look, Pose};

/// One block in both forms.
macro_rules! forms {
    ($($module:ident { $($body:tt)* })*) => { $(
        pub mod $module {
            forms!(@ absolute Absolute { $($body)* });
            forms!(@ joint Joint { $($body)* });
        }
    )* };
    (@ $form:ident $name:ident { $($body:tt)* }) => {
        pub mod $form {
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    coordinates $form;
                    $($body)*
                }
            }
        }
    };
}

// An arm with everything that can be drawn; a loop in the plane that a joint closes.
forms! {
    arm {
        gravity [0.5, 0, -9.81];
        body base: SpatialBody { mass: 20.0, jx: 0.3, jy: 0.3, jz: 0.2 };
        body upper: SpatialBody { mass: 12.0, inertia: [0.05, 0.4, 0.4, 0.01, 0, 0.02] };
        body fore: SpatialBody { mass: 6.0, jx: 0.02, jy: 0.1, jz: 0.1 };
        body cuff: SpatialBody { mass: 3.0, jx: 0.01, jy: 0.03, jz: 0.03 };
        body tool: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.02, jz: 0.02 };
        body weight: PointMass { mass: 0.5 };
        joint waist: revolute(ground, base.at([0, 0, -0.2]));
        joint shoulder: universal(base.at([0.1, 0, 0.2], [0, 1, 0]), upper.at([-0.3, 0, 0], [1, 0, 0]));
        // The other way round: it carries its first body.
        joint elbow: revolute(fore.at([-0.2, 0, 0], [0, 1, 0]), upper.at([0.3, 0, 0], [0, 1, 0]));
        joint reach: cylindrical(fore.at([0.2, 0, 0], [1, 0, 0]), cuff.at([-0.15, 0, 0], [1, 0, 0]));
        joint flange: fixed(cuff.at([0.15, 0, 0], [1, 0, 0]), tool.at([-0.05, 0, 0.01], [0, 1, 0]));
        joint string: distance(tool.at([0.1, 0, 0]), weight, 0.3);
        let stretched = norm(tool.point([0.1, 0, 0]) - base.point([0, 0, 0.5]));
        potential spring = 40*sq(stretched - 0.5);
        force back along reach.position = -400*reach.position - 20*reach.speed;
        force bend along elbow.angle = -20*elbow.rate;
        force push = [3, -2, 5] on fore at [0.1, 0, 0.2];
        draw grip: sphere(tool.point([0.1, 0, 0]), 0.03) color red;
        init waist.angle = 0.4;             init waist.rate = 1.5;
        init shoulder.first_angle = -0.5;   init shoulder.second_angle = 0.2;
        init elbow.angle = 0.7;             init elbow.rate = -1;
        init reach.angle = 0.3;             init reach.position = 0.05;
        init reach.rate = 2.0;              init reach.speed = 0.1;
        init shoulder.first_rate = 1;       init shoulder.second_rate = -0.5;
        guess weight.z = -0.3;              guess weight.x = 1.2;
        until 0.3;
    }
    four_bar {
        gravity [0, -9.81];
        body crank: PlanarBody { mass: 1.0, inertia: 0.01 };
        body rod: PlanarBody { mass: 2.0, inertia: 0.06 };
        body rocker: PlanarBody { mass: 1.5, inertia: 0.03 };
        body slide: PlanarBody { mass: 0.5, inertia: 0.002 };
        joint shaft: revolute(ground, crank.at([-0.1, 0]));
        joint pin: revolute(crank.at([0.1, 0]), rod.at([-0.3, 0]));
        joint end: revolute(rod.at([0.3, 0]), rocker.at([0.2, 0]));
        joint pivot: revolute(ground.at([0.5, 0]), rocker.at([-0.2, 0]));
        joint rail: prismatic(crank.at([0, 0.05], [1, 0]), slide.at([0, 0], [1, 0]));
        force stop along rail.position = -300*rail.position - 3*rail.speed;
        init shaft.angle = 1.0;     init shaft.rate = 4.0;
        init rail.position = 0.02;  init rail.speed = 0.3;
        guess pin.angle = -0.6;     guess pivot.angle = 1.2;
        until 0.3;
    }
    loop_in_space {
        gravity [0, 0, -9.81];
        body crank: SpatialBody { mass: 0.5, jx: 0.01, jy: 0.02, jz: 0.02 };
        body rod: SpatialBody { mass: 0.4, jx: 0.002, jy: 0.02, jz: 0.02 };
        body slider: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.01 };
        joint base: revolute(ground.at([0, 0.1, 0.12], [1, 0, 0], [0, 1, 0]), crank.at([0, 0, 0], [1, 0, 0], [0, 1, 0]));
        joint rail: prismatic(ground.at([0, 0, 0], [1, 0, 0]), slider.at([0, 0, 0], [1, 0, 0]));
        joint pin: universal(slider.at([0, 0, 0], [0, 0, 1], [1, 0, 0]), rod.at([-0.15, 0, 0], [0, 1, 0], [1, 0, 0]));
        joint ball: spherical(crank.at([0, 0.08, 0]), rod.at([0.15, 0, 0]));
        init base.angle = 0.3;
        guess rail.position = 0.2;
        guess pin.first_angle = 2.0;
        guess pin.second_angle = -0.3;
        init base.rate = 6.0;
        until 0.3;
    }
    // Bodies of arrays, told by the ones before them, and arrays of components.
    arrays {
        component Leg {
            pub body thigh: SpatialBody { mass: 2.0, jx: 0.02, jy: 0.02, jz: 0.01 };
            body shank: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.005 };
            joint knee: revolute(thigh.at([0, 0, -0.2], [0, 1, 0]), shank.at([0, 0, 0.2], [0, 1, 0]));
            guess knee.rate = 1.5;
            draw foot: sphere(shank.point([0, 0, -0.2]), 0.02);
        }
        size n = 3;
        gravity [0, 0, -9.81];
        body link[n]: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        body leg[n]: Leg;
        joint top: universal(ground.at([0, 0, 0], [0, 1, 0]), link[0].at([-0.2, 0, 0.1], [1, 0, 0]));
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([0.2, 0, 0], [0, 1, 0.2]), link[i].at([-0.2, 0, 0], [0, 1, 0]));
            guess hinge.rate = 0.5;
            let stretched = norm(link[i].point([0.1, 0, 0]) - link[i - 1].point([0, 0, 0.1]));
            potential spring = 20*sq(stretched - 0.3);
            draw pin: cylinder(link[i].point([-0.2, -0.05, 0]), link[i].point([-0.2, 0.05, 0]), 0.01);
        }
        for i in 0..n {
            joint socket: universal(link[i].at([0, 0.1, 0], [1, 0, 0]), leg[i].thigh.at([0, 0, 0.2], [0, 1, 0]));
            guess socket.first_rate = 0.5*i;
        }
        until 0.3;
    }
}

fn near(a: [f64; 3], b: [f64; 3], off: f64) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() <= off)
}

struct Scene {
    drawing: Drawing,
    poses: Vec<Pose>,
    moving: Vec<f64>,
    forces: Vec<f64>,
}

fn scenes(mechanism: &dyn Mechanism, times: &[f64]) -> Vec<Scene> {
    let started = Simulation::new(mechanism).start().unwrap();
    let drawing = Drawing::of(&started.system, &started.point);
    let scene = |system: &System, at: &Point| {
        let (mut moving, mut forces) = (Vec::new(), Vec::new());
        drawing.sample(system, at, &mut moving);
        drawing.sample_forces(system, at, &moving, &mut forces);
        Scene { drawing: drawing.clone(), poses: drawing.poses(system, at), moving, forces }
    };
    let mut all = vec![scene(&started.system, &started.point)];
    for &t in times {
        let run = Simulation::new(mechanism)
            .method(Radau5::default())
            .step(Step::adaptive(1e-12))
            .until(t)
            .error_estimate(false)
            .run()
            .unwrap();
        let model = started.system.model();
        let mut point = Point::new(*model.layout(), model.param_values());
        for kind in SlotKind::ALL {
            let range = run.range(ColumnKind::Slot(kind));
            point.get_mut(kind).copy_from_slice(&run.row(run.len() - 1)[range]);
        }
        all.push(scene(&started.system, &point));
    }
    all
}

fn body<'a>(scene: &'a Scene, name: &str) -> (usize, &'a Pose) {
    let at = scene.drawing.bodies.iter().position(|body| body.info.name == name);
    let at = at.unwrap_or_else(|| panic!("no body {name}"));
    (at, &scene.poses[at])
}

impl Scene {
    fn place(&self, anchor: Anchor) -> [f64; 3] {
        match anchor {
            Anchor::Ground(at) => at,
            Anchor::Body(body, local) => self.poses[body].point(local),
            Anchor::Moving(c) => std::array::from_fn(|i| self.moving[c + i]),
        }
    }

    /// The body that an anchor is fixed in; empty for the ground.
    fn owner(&self, anchor: Anchor) -> &str {
        match anchor {
            Anchor::Ground(_) => "",
            Anchor::Body(body, _) => &self.drawing.bodies[body].info.name,
            Anchor::Moving(_) => "nobody",
        }
    }
}

#[track_caller]
fn same(absolute: &dyn Mechanism, joint: &dyn Mechanism, times: &[f64]) {
    for (a, b) in scenes(absolute, times).iter().zip(&scenes(joint, times)) {
        let names = |scene: &Scene| {
            let mut names: Vec<String> =
                scene.drawing.bodies.iter().map(|body| body.info.name.clone()).collect();
            names.sort();
            names
        };
        assert_eq!(names(a), names(b));
        for one in &a.drawing.bodies {
            let name = &one.info.name;
            let (k, pose) = body(b, name);
            let (_, expected) = body(a, name);
            let other = &b.drawing.bodies[k];
            assert!(near(one.inertia, other.inertia, 1e-9), "{one:?} {other:?}");
            assert_eq!(
                (one.info.kind, one.lump, one.drawn),
                (other.info.kind, other.lump, other.drawn)
            );
            assert!(near(pose.origin, expected.origin, 1e-9), "{name}: {pose:?} {expected:?}");
            let rows = pose.rotation.iter().zip(&expected.rotation);
            rows.for_each(|(x, y)| assert!(near(*x, *y, 1e-9), "{name}: {pose:?} {expected:?}"));
        }
        let key = |item: &Item| (item.name.clone(), format!("{:?}", item.look));
        let sorted = |scene: &Scene| {
            let mut items = scene.drawing.items.clone();
            items.sort_by_key(key);
            items
        };
        let (items, others) = (sorted(a), sorted(b));
        let keys = |items: &[Item]| items.iter().map(key).collect::<Vec<_>>();
        assert_eq!(keys(&items), keys(&others));
        for (item, other) in items.iter().zip(&others) {
            // Edges of an outline are the same, in whatever order.
            if item.look == Look::Part {
                continue;
            }
            assert_eq!(item.anchors.len(), other.anchors.len());
            for (x, y) in item.anchors.iter().zip(&other.anchors) {
                assert_eq!(a.owner(*x), b.owner(*y), "{item:?} {other:?}");
                let (x, y) = (a.place(*x), b.place(*y));
                assert!(near(x, y, 2e-9), "{item:?} {other:?}: {x:?} {y:?}");
            }
        }
        let parts = |scene: &Scene| {
            let parts = scene.drawing.items.iter().filter(|item| item.look == Look::Part);
            let mut parts: Vec<_> = parts
                .map(|item| {
                    let mut ends: Vec<String> = item
                        .anchors
                        .iter()
                        .map(|anchor| match anchor {
                            Anchor::Body(_, at) => format!("{:.6?}", at.map(|x| x + 0.0)),
                            other => panic!("{other:?}"),
                        })
                        .map(|text| text.replace("-0.000000", "0.000000"))
                        .collect();
                    ends.sort();
                    (item.name.clone(), ends)
                })
                .collect();
            parts.sort();
            parts
        };
        assert_eq!(parts(a), parts(b));
        assert_eq!(a.drawing.forces.len(), b.drawing.forces.len());
        let most = a.forces.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        assert!(most > 1.0);
        for (k, force) in a.drawing.forces.iter().enumerate() {
            let of = |scene: &Scene| {
                scene.drawing.forces.iter().position(|other| other.name == force.name).unwrap()
            };
            let of = of(b);
            let (x, y) = (&a.forces[6 * k..][..6], &b.forces[6 * of..][..6]);
            let off = x.iter().zip(y).fold(0.0f64, |most, (x, y)| most.max((x - y).abs()));
            assert!(off < 1e-7 * most, "{}: {x:?} {y:?}", force.name);
            assert_eq!(a.owner(force.at), b.owner(b.drawing.forces[of].at));
        }
    }
}

#[test]
fn an_arm_is_the_same_in_both_forms() {
    same(&arm::absolute::Absolute::default(), &arm::joint::Joint::default(), &[0.1, 0.3]);
}

#[test]
fn a_loop_in_space_is_the_same_in_both_forms() {
    use loop_in_space::{absolute::Absolute, joint::Joint};
    same(&Absolute::default(), &Joint::default(), &[0.1, 0.3]);
}

#[test]
fn a_loop_is_the_same_in_both_forms() {
    same(&four_bar::absolute::Absolute::default(), &four_bar::joint::Joint::default(), &[0.1, 0.3]);
}

#[test]
fn arrays_of_bodies_are_the_same_in_both_forms() {
    same(&arrays::absolute::Absolute::default(), &arrays::joint::Joint::default(), &[0.1, 0.3]);
}
