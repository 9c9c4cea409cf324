//! What `--animate run.glb` writes, read by the crate `gltf`: the bodies are where the run says.

use super::joint_coordinates::arm;
use super::models::{Bars, Shapes};
use super::page::data;
use gltf::animation::Property;
use gltf::animation::util::ReadOutputs;
use mbd::Mechanism;
use mbd::animate::Animation;
use mbd::assembly::{Point, SlotKind, System};
use mbd::prelude::*;
use mbd::solution::ColumnKind;
use mbd_core::drawing::Drawing;

mechanism! {
    /// A wheel that turns fast and evenly.
    pub mechanism Wheel {
        body wheel: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint axle: revolute(ground, wheel);
        init axle.rate = 60.0;
        draw rim: circle(wheel.frame, 0.2);
        until 1.0;
    }
}

/// The channels of a node: translation and rotation at a time, where they change.
struct Node {
    shift: Vec<(f32, [f32; 3])>,
    turn: Vec<(f32, [f32; 4])>,
    rest: ([f32; 3], [f32; 4]),
}

fn between<const N: usize>(curve: &[(f32, [f32; N])], rest: [f32; N], t: f64) -> [f64; N] {
    let Some(last) = curve.len().checked_sub(1) else { return rest.map(f64::from) };
    let next = curve.partition_point(|(at, _)| f64::from(*at) < t).clamp(1, last);
    let ((t0, a), (t1, b)) = (curve[next - 1], curve[next]);
    let part = ((t - f64::from(t0)) / f64::from(t1 - t0)).clamp(0.0, 1.0);
    std::array::from_fn(|i| f64::from(a[i]) + part * f64::from(b[i] - a[i]))
}

/// Spherical interpolation, as glTF asks for.
fn slerp(curve: &[(f32, [f32; 4])], rest: [f32; 4], t: f64) -> [f64; 4] {
    let Some(last) = curve.len().checked_sub(1) else { return rest.map(f64::from) };
    let next = curve.partition_point(|(at, _)| f64::from(*at) < t).clamp(1, last);
    let ((t0, a), (t1, b)) = (curve[next - 1], curve[next]);
    let part = ((t - f64::from(t0)) / f64::from(t1 - t0)).clamp(0.0, 1.0);
    let (a, mut b) = (a.map(f64::from), b.map(f64::from));
    let mut along: f64 = (0..4).map(|i| a[i] * b[i]).sum();
    if along < 0.0 {
        (along, b) = (-along, b.map(|x| -x));
    }
    let angle = along.min(1.0).acos();
    let weights = match angle > 1e-6 {
        true => [(1.0 - part) * angle, part * angle].map(|x| x.sin() / angle.sin()),
        false => [1.0 - part, part],
    };
    std::array::from_fn(|i| weights[0] * a[i] + weights[1] * b[i])
}

impl Node {
    fn read(document: &gltf::Document, blob: &[u8], name: &str) -> Self {
        let node = document.nodes().find(|node| node.name() == Some(name) && node.mesh().is_none());
        let node = node.unwrap_or_else(|| panic!("no node {name}"));
        let (shift, turn, scale) = node.transform().decomposed();
        assert_eq!(scale, [1.0; 3]);
        let mut read = Node { shift: Vec::new(), turn: Vec::new(), rest: (shift, turn) };
        let animation = document.animations().next().expect("an animation");
        for channel in animation.channels() {
            if channel.target().node().index() != node.index() {
                continue;
            }
            let reader = channel.reader(|_| Some(blob));
            let times = reader.read_inputs().unwrap();
            match (channel.target().property(), reader.read_outputs().unwrap()) {
                (Property::Translation, ReadOutputs::Translations(values)) => {
                    read.shift = times.zip(values).collect();
                }
                (Property::Rotation, ReadOutputs::Rotations(values)) => {
                    read.turn = times.zip(values.into_f32()).collect();
                }
                _ => panic!("{name}: {:?}", channel.target().property()),
            }
        }
        read
    }
}

/// The bodies of a file at the times of all rows of a run, against where the drawing has them.
fn check(mechanism: &dyn Mechanism) -> gltf::Document {
    let mut animation = Animation::new(mechanism).unwrap();
    let run = Simulation::new(mechanism).stream(&mut animation).run().unwrap();
    let (bytes, written) = animation.glb(&run).unwrap();
    assert_eq!(bytes.len(), written.bytes);
    // With all that the crate checks.
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
    let blob = blob.expect("a chunk of bytes");
    let root = document.default_scene().unwrap().nodes().next().unwrap();
    let all = Simulation::new(mechanism).run().unwrap();
    let system = System::new(mechanism.model().unwrap());
    let point = |row: &[f64]| {
        let mut point = Point::new(*system.layout(), system.model().param_values());
        for kind in SlotKind::ALL {
            point.get_mut(kind).copy_from_slice(&row[all.range(ColumnKind::Slot(kind))]);
        }
        point
    };
    let drawing = Drawing::of(&system, &point(all.row(0)));
    let start = drawing.poses(&system, &point(all.row(0)));
    let planar = drawing.planar;
    assert_eq!(root.transform().decomposed().1 == [0.0, 0.0, 0.0, 1.0], planar);
    let names: Vec<String> = drawing.bodies.iter().map(|body| body.info.name.clone()).collect();
    let nodes: Vec<Node> = names.iter().map(|name| Node::read(&document, &blob, name)).collect();
    // Half a pixel of a thousand.
    let (html, _) = animation.html(&run).unwrap();
    let half = 0.5e-3 * data(&html)["size"].as_f64().unwrap() * 1.001;
    let mut moved = 0.0f64;
    for k in 0..all.len() {
        let t = all.row(k)[0];
        let poses = drawing.poses(&system, &point(all.row(k)));
        for (now, then) in poses.iter().zip(&start) {
            let turned = (0..9).map(|i| now.rotation[i / 3][i % 3] - then.rotation[i / 3][i % 3]);
            moved = turned.fold(moved, |most, x| most.max(x.abs()));
        }
        for ((node, pose), name) in nodes.iter().zip(&poses).zip(&names) {
            let shift = between(&node.shift, node.rest.0, t);
            let off = (0..3).map(|i| (shift[i] - pose.origin[i]).abs()).fold(0.0, f64::max);
            assert!(off < half, "{name} at {t}: {shift:?} {pose:?}");
            let [x, y, z, w] = slerp(&node.turn, node.rest.1, t);
            // The x and z axes of the quaternion.
            let first = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
            let third = [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)];
            for i in 0..3 {
                let off = (first[i] - pose.rotation[i][0])
                    .abs()
                    .max((third[i] - pose.rotation[i][2]).abs());
                assert!(off < 0.02, "{name} at {t}: {first:?} {third:?} {pose:?}");
            }
        }
    }
    assert!(moved > 0.01);
    document
}

#[test]
fn bodies_in_the_plane_are_where_the_run_has_them() {
    let document = check(&Bars::default());
    // The bar of a body is below its node, with the pins that are on it.
    let upper = document.nodes().find(|node| node.name() == Some("upper")).unwrap();
    assert!(upper.children().any(|child| child.mesh().is_some() && child.name() == Some("upper")));
    check(&Wheel::default());
}

#[test]
fn bodies_in_space_are_where_the_run_has_them() {
    check(&Shapes::default());
    check(&arm::joint::Joint::default());
    check(&arm::absolute::Absolute::default());
}
