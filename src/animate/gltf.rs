//! A run as a binary glTF file (glTF 2.0, Khronos): bodies as nodes that carry their meshes, with translation,
//! rotation and scale over time, for viewers, presentations and renderers.
//!
//! Its objects are put together as plain JSON: `gltf-json` would add 40 s of processor time to the first build of
//! a user's crate, for a dozen of them. Tests read it with the crate `gltf`.

mod mesh;
mod placed;

use super::frames::{FINE, Frames};
use super::page::{Written, error};
use super::scene::Scene;
use crate::json::{members, object};
use mbd_core::drawing::Drawing;
use mbd_core::model::BodyKind;
pub(super) use mesh::Form;
use mesh::Mesh;
pub(super) use placed::{Part, Placed, View, parts};
use serde_json::Value;
use std::collections::BTreeMap;

/// An angle changes by no more between two frames: a turn is known up to whole ones, and goes the shorter way.
const MOST_TURN: f64 = 1.0;
/// Still is what moves by less, in parts of its size.
const STILL: f64 = 1e-9;

/// Component types, targets of buffers.
const UNSIGNED_SHORT: usize = 5123;
const UNSIGNED_INT: usize = 5125;
const FLOAT: usize = 5126;
const ARRAY: usize = 34962;
const ELEMENTS: usize = 34963;

/// The turn that brings what is up in a drawing along y, which is vertical in glTF: Euler parameters, the scalar last. A planar
/// mechanism has it so already.
fn upright(drawing: &Drawing) -> [f64; 4] {
    let half = 0.5f64.sqrt();
    if drawing.planar {
        return [0.0, 0.0, 0.0, 1.0];
    }
    match drawing.upright()[2] {
        [x, 0.0, 0.0] => [0.0, 0.0, half * x, half],
        [0.0, y, 0.0] => {
            if y > 0.0 {
                [0.0, 0.0, 0.0, 1.0]
            } else {
                [1.0, 0.0, 0.0, 0.0]
            }
        }
        [.., z] => [-half * z, 0.0, 0.0, half],
    }
}

/// The file, with what is in it.
pub(super) fn file(model: &str, scene: &Scene<'_>, frames: &Frames) -> (Vec<u8>, Written) {
    let kept = frames.fewest(&scene.tolerance(FINE));
    let all = fine(scene, frames, &kept);
    let views: Vec<View<'_>> = all.iter().map(|numbers| View::of(scene, numbers)).collect();
    let mut file = File::default();
    let times = file.times(&all);
    let root = file.node(object! { "name": model, "rotation": upright(scene.drawing) });
    let mut children: Vec<Vec<usize>> = vec![Vec::new()];
    let attach = |children: &mut Vec<Vec<usize>>, parent: usize, node: usize| {
        children.resize(children.len().max(node + 1), Vec::new());
        children[parent].push(node);
    };
    let mut bodies = Vec::new();
    for (k, body) in scene.drawing.bodies.iter().enumerate() {
        let mut way: Vec<Placed> = Vec::with_capacity(views.len());
        for view in &views {
            way.push(Placed::of(&view.poses[k], way.last()));
        }
        let node = file.moving(&body.info.name, None, &way, times, scene.size);
        attach(&mut children, root, node);
        bodies.push(node);
    }
    for part in parts(scene, &views) {
        let mut way: Vec<Placed> = Vec::new();
        // What is fixed in a body is so at all times.
        let needed = if part.body.is_some() { &views[..1] } else { &views[..] };
        for view in needed {
            way.push(part.place(view, way.last()));
        }
        let mesh = file.mesh_of(&part, scene);
        let node = file.moving(&part.name, Some(mesh), &way, times, scene.size);
        attach(&mut children, part.body.map_or(root, |body| bodies[body]), node);
    }
    for (node, children) in children.into_iter().enumerate() {
        if !children.is_empty() {
            file.nodes[node]["children"] = children.into();
        }
    }
    let bytes = file.whole(root, model);
    let written = Written {
        frames: all.len(),
        points: frames.rows(),
        error: error(frames, &kept, &scene.tolerance(1.0)) / super::frames::PIXELS,
        bytes: bytes.len(),
    };
    (bytes, written)
}

/// The frames kept, and between two of them as many on straight lines as angles need.
fn fine(scene: &Scene<'_>, frames: &Frames, kept: &[usize]) -> Vec<Vec<f64>> {
    let mut angles = Vec::new();
    let mut at = 1;
    for body in &scene.drawing.bodies {
        if body.info.kind == BodyKind::Planar {
            angles.push(at + 2);
        }
        at += body.info.kind.numbers();
    }
    let mut all = vec![frames.get(kept[0]).to_vec()];
    for pair in kept.windows(2) {
        let (a, b) = (frames.get(pair[0]), frames.get(pair[1]));
        let turn = angles.iter().map(|&k| (b[k] - a[k]).abs()).fold(0.0, f64::max);
        let pieces = if turn.is_finite() { (turn / MOST_TURN).ceil().max(1.0) } else { 1.0 };
        // Two at one time are a jump.
        let pieces = if b[0] > a[0] { pieces as usize } else { 1 };
        for piece in 1..=pieces {
            let part = piece as f64 / pieces as f64;
            all.push(a.iter().zip(b).map(|(x, y)| x + part * (y - x)).collect());
        }
    }
    all
}

/// What is put together.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    nodes: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Positions, normals where there are some, and indices of each form.
    forms: BTreeMap<Form, (usize, Option<usize>, usize)>,
    /// Meshes by form, colour and whether they are seen through.
    known: BTreeMap<(Form, u32, bool), usize>,
}

impl File {
    fn node(&mut self, node: Value) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Numbers as an accessor: `kind` SCALAR, VEC3, …; `bounds` where they are asked for.
    fn floats(
        &mut self,
        kind: &str,
        width: usize,
        values: &[f32],
        bounds: bool,
        target: Option<usize>,
    ) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        let mut accessor = object! {
            "bufferView": view,
            "componentType": FLOAT,
            "count": values.len() / width,
            "type": kind,
        };
        if bounds {
            let bound = |pick: fn(f32, f32) -> f32| {
                let of = |axis: usize| {
                    values.iter().skip(axis).step_by(width).copied().reduce(pick).unwrap_or(0.0)
                };
                Value::from_iter((0..width).map(|axis| f64::from(of(axis))))
            };
            accessor["min"] = bound(f32::min);
            accessor["max"] = bound(f32::max);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Bytes of the buffer; they begin at a multiple of four.
    fn view(&mut self, bytes: &[u8], target: Option<usize>) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view =
            object! { "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() };
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// The times of frames, each later than the one before; from 0 on where they begin before that.
    fn times(&mut self, frames: &[Vec<f64>]) -> usize {
        let from = frames[0][0].min(0.0);
        let mut times: Vec<f32> = Vec::with_capacity(frames.len());
        for frame in frames {
            let t = (frame[0] - from) as f32;
            times.push(match times.last() {
                Some(last) if t <= *last => last.next_up(),
                _ => t,
            });
        }
        self.floats("SCALAR", 1, &times, true, None)
    }

    /// A node that goes a way: where it is at each frame, or once where it stands.
    fn moving(
        &mut self,
        name: &str,
        mesh: Option<usize>,
        way: &[Placed],
        times: usize,
        size: f64,
    ) -> usize {
        let first = way[0];
        let mut node = object! {
            "name": name,
            "translation": first.shift,
            "rotation": first.turn,
            "scale": first.scale,
        };
        if let Some(mesh) = mesh {
            node["mesh"] = mesh.into();
        }
        let node = self.node(node);
        self.channel(node, "translation", way, times, size, |at| at.shift.to_vec());
        self.channel(node, "rotation", way, times, 1.0, |at| at.turn.to_vec());
        self.channel(node, "scale", way, times, size, |at| at.scale.to_vec());
        node
    }

    fn channel(
        &mut self,
        node: usize,
        path: &str,
        way: &[Placed],
        times: usize,
        size: f64,
        of: impl Fn(&Placed) -> Vec<f64>,
    ) {
        let first = of(&way[0]);
        let moves =
            |at: &Placed| of(at).iter().zip(&first).any(|(x, y)| (x - y).abs() > STILL * size);
        if !way.iter().any(moves) {
            return;
        }
        let values: Vec<f32> = way.iter().flat_map(&of).map(|x| x as f32).collect();
        let kind = if first.len() == 4 { "VEC4" } else { "VEC3" };
        let output = self.floats(kind, first.len(), &values, false, None);
        self.samplers.push(object! { "input": times, "output": output, "interpolation": "LINEAR" });
        let target = object! { "node": node, "path": path };
        let sampler = self.samplers.len() - 1;
        self.channels.push(object! { "sampler": sampler, "target": target });
    }

    fn mesh_of(&mut self, part: &Part, scene: &Scene<'_>) -> usize {
        let key = (part.form, part.color, part.clear);
        if let Some(&mesh) = self.known.get(&key) {
            return mesh;
        }
        let (positions, normals, indices) = match self.forms.get(&part.form) {
            Some(form) => *form,
            None => self.form(part.form, scene),
        };
        let channel = |shift: u32| {
            // Factors are linear light, colours are written as screens take them.
            let x = f64::from(part.color >> shift & 255) / 255.0;
            if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        let color = [channel(16), channel(8), channel(0), if part.clear { 0.5 } else { 1.0 }];
        let metal =
            object! { "baseColorFactor": color, "metallicFactor": 0.0, "roughnessFactor": 0.7 };
        let mut material = object! { "pbrMetallicRoughness": metal };
        if part.clear {
            material["alphaMode"] = "BLEND".into();
        }
        // What is inside and what outside a file may leave open.
        if matches!(part.form, Form::File(_)) {
            material["doubleSided"] = true.into();
        }
        self.materials.push(material);
        let mut attributes = object! { "POSITION": positions };
        if let Some(normals) = normals {
            attributes["NORMAL"] = normals.into();
        }
        let primitive = object! {
            "attributes": attributes,
            "indices": indices,
            "material": self.materials.len() - 1,
        };
        self.meshes.push(object! { "primitives": [primitive] });
        self.known.insert(key, self.meshes.len() - 1);
        self.meshes.len() - 1
    }

    fn form(&mut self, form: Form, scene: &Scene<'_>) -> (usize, Option<usize>, usize) {
        let all = if let Form::File(k) = form {
            // Without normals facets are seen as such.
            let solid = &scene.files[k].1;
            let points: Vec<f32> = solid.points.iter().flatten().copied().collect();
            let positions = self.floats("VEC3", 3, &points, true, Some(ARRAY));
            let corners = solid.corners.iter().flatten();
            let bytes: Vec<u8> = corners.flat_map(|k| k.to_le_bytes()).collect();
            (positions, None, self.indices(&bytes, 3 * solid.corners.len(), UNSIGNED_INT))
        } else {
            let Mesh { positions, normals, indices } = form.mesh();
            let plain = |points: Vec<[f64; 3]>| -> Vec<f32> {
                points.into_iter().flatten().map(|x| x as f32).collect()
            };
            let positions = self.floats("VEC3", 3, &plain(positions), true, Some(ARRAY));
            let normals = self.floats("VEC3", 3, &plain(normals), false, Some(ARRAY));
            let bytes: Vec<u8> = indices.iter().flat_map(|k| k.to_le_bytes()).collect();
            (positions, Some(normals), self.indices(&bytes, indices.len(), UNSIGNED_SHORT))
        };
        self.forms.insert(form, all);
        all
    }

    fn indices(&mut self, bytes: &[u8], count: usize, kind: usize) -> usize {
        let view = self.view(bytes, Some(ELEMENTS));
        self.accessors.push(object! {
            "bufferView": view,
            "componentType": kind,
            "count": count,
            "type": "SCALAR",
        });
        self.accessors.len() - 1
    }

    /// The header and its two chunks, JSON and bytes.
    fn whole(mut self, root: usize, model: &str) -> Vec<u8> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let generator = concat!("mbd ", env!("CARGO_PKG_VERSION"));
        let mut whole = members([
            ("asset", object! { "version": "2.0", "generator": generator }),
            ("scene", 0.into()),
            ("scenes", vec![object! { "nodes": [root], "name": model }].into()),
            ("nodes", self.nodes.into()),
        ]);
        // Lists may not be empty.
        let animation = match self.channels.is_empty() {
            true => Vec::new(),
            false => vec![object! {
                "name": "run",
                "channels": self.channels,
                "samplers": self.samplers,
            }],
        };
        let buffer = object! { "byteLength": self.bytes.len() };
        let lists = [
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
            ("buffers", vec![buffer]),
            ("animations", animation),
        ];
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            whole.insert(name.into(), list.into());
        }
        let mut json = Value::Object(whole).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut out = Vec::with_capacity(28 + json.len() + self.bytes.len());
        out.extend(b"glTF");
        let length = 12 + 8 + json.len() + 8 + self.bytes.len();
        for number in [2, length, json.len()] {
            out.extend((number as u32).to_le_bytes());
        }
        out.extend(b"JSON");
        out.extend(json);
        out.extend((self.bytes.len() as u32).to_le_bytes());
        out.extend(b"BIN\0");
        out.extend(self.bytes);
        out
    }
}
