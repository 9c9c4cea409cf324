//! Files of meshes: where they are, what a page, a glTF file and a moving picture have of them, and what is told of
//! those that are broken.

use super::crates::{Folder, cargo, fails};
use super::page::{bytes, data};
use super::t_handle::THandle;
use mbd::ad::{Instances, Kernel};
use mbd::animate::Animation;
use mbd::assembly::{Point, SlotKind, System};
use mbd::components::draw::circle;
use mbd::model::{Keep, Model, ModelBuilder, ParamInfo};
use mbd::prelude::*;
use mbd::{Mechanism, ModelError, Solution};
use mbd_core::drawing::{Anchor, Drawing, Look, Number};
use mbd_core::model::{Mesh, Shape, Triangle};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

mechanism! {
    use super::parts::Knob;

    /// A pendulum that is a file in the plane, with a part of another file's beside it.
    pub mechanism Swinging {
        param grows: [m] = 0.002;
        gravity [0.0, -9.81];
        body rod: PlanarBody { mass: 1.0, inertia: 0.01 };
        body part: Knob { m: 2.0 };
        joint hinge: revolute(ground, rod.at([-0.1, 0.0]));
        joint weld: revolute(rod.at([0.1, 0.0]), part.weight);
        guess rod.x = 0.1;
        guess part.weight.x = 0.2;
        draw rod: mesh(rod.frame, "parts/pyramid.stl", 0.1) color red;
        draw sign: mesh([0.0, 0.3], "../../examples/meshes/t_handle.stl", grows + 0.001*sin(t));
        until 0.3;
    }
}

mechanism! {
    /// A chain whose links are a file.
    pub mechanism Links {
        size n = 1000;
        param l: [m] = 0.01;
        body link[n]: PlanarBody { mass: 0.01, inertia: 0.01*sq(l)/12.0 };
        joint first: revolute(ground, link[0].at([-0.5*l, 0.0]));
        for i in 1..n {
            joint pin: revolute(link[i - 1].at([0.5*l, 0.0]), link[i].at([-0.5*l, 0.0]));
        }
        for i in 0..n {
            potential weight = 9.81*0.01*link[i].y;
            guess link[i].x = (i + 0.5)*l;
            draw shape: mesh(link[i].frame, "parts/pyramid.stl", 0.5*l);
        }
        until 0.02;
    }
}

mechanism! {
    pub mechanism Broken {
        body rod: PlanarBody { mass: 1.0, inertia: 0.01 };
        draw rod: mesh(rod.frame, "parts/cut.stl", 0.001);
    }
}

fn drawing(mechanism: &dyn Mechanism) -> Drawing {
    let system = System::new(mechanism.model().unwrap());
    let mut at = Point::new(*system.layout(), system.model().param_values());
    let model = system.model().initial().q.clone();
    at.q_mut().copy_from_slice(&model);
    Drawing::of(&system, &at)
}

fn shown(mechanism: &dyn Mechanism) -> (Animation, Solution) {
    let mut animation = Animation::new(mechanism).unwrap();
    let run = Simulation::new(mechanism).stream(&mut animation).run().unwrap();
    (animation, run)
}

fn triangles(mesh: &Value) -> Vec<Triangle> {
    let four = |text: &Value| -> Vec<[u8; 4]> { bytes(text).as_chunks().0.to_vec() };
    let numbers: Vec<f32> = four(&mesh["points"]).into_iter().map(f32::from_le_bytes).collect();
    let corners: Vec<u32> = four(&mesh["corners"]).into_iter().map(u32::from_le_bytes).collect();
    let point = |k: u32| -> [f32; 3] { std::array::from_fn(|i| numbers[3 * k as usize + i]) };
    corners.as_chunks().0.iter().map(|corners| corners.map(point)).collect()
}

#[test]
fn a_mesh_lies_in_the_frame_that_it_is_given() {
    let drawing = drawing(&Swinging::default());
    assert!(drawing.planar);
    let mesh = |name: &str| {
        let item = drawing.items.iter().find(|item| item.name == name).unwrap();
        let Look::Shape(Shape::Mesh(mesh)) = item.look else { panic!("{item:?}") };
        (mesh, &item.anchors[..], &item.numbers[..])
    };
    let (file, anchors, numbers) = mesh("rod");
    assert_eq!((file.file(), file.check()), ("parts/pyramid.stl", Ok(4)));
    assert_eq!(numbers, [Number::Fixed(0.1)]);
    let axes = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(|at| Anchor::Body(0, at));
    assert_eq!(anchors, axes);
    // A component's file is beside the component.
    let (file, anchors, numbers) = mesh("part.knob");
    assert_eq!((file.file(), file.check()), ("pyramid.stl", Ok(4)));
    assert_eq!((anchors[0], numbers), (Anchor::Body(1, [0.0; 3]), &[Number::Fixed(0.01)][..]));
    let (_, anchors, numbers) = mesh("sign");
    assert_eq!(anchors[0], Anchor::Ground([0.0, 0.3, 0.0]));
    assert!(matches!(numbers, [Number::Moving(_)]));
    // The body's own outline is not drawn beside it.
    assert!(drawing.bodies[0].drawn && !drawing.items.iter().any(|i| i.look == Look::Part));
}

/// The mass and the moments of inertia in the example are those of its file, whose triangles lie around it.
#[test]
fn the_handle_has_the_inertia_of_its_file() {
    let handle = THandle::default();
    let drawing = drawing(&handle);
    let [item] = &drawing.items[..1] else { panic!() };
    let (Look::Shape(Shape::Mesh(mesh)), Anchor::Body(0, at)) = (item.look, item.anchors[0]) else {
        panic!("{item:?}")
    };
    let [Number::Fixed(scale)] = item.numbers[..] else { panic!("{item:?}") };
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [0.0; 3]);
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle
            .map(|p| -> [f64; 3] { std::array::from_fn(|i| at[i] + scale * f64::from(p[i])) });
        let six = a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        volume += six / 6.0;
        for i in 0..3 {
            let sum = a[i] + b[i] + c[i];
            first[i] += six / 24.0 * sum;
            second[i] += six / 120.0 * (a[i] * a[i] + b[i] * b[i] + c[i] * c[i] + sum * sum);
        }
    }
    let density = 2700.0;
    assert!((density * volume / handle.m - 1.0).abs() < 1e-5, "{}", density * volume);
    assert!(first.iter().all(|x| (x / volume).abs() < 1e-7), "{first:?}");
    let all: f64 = second.iter().sum();
    for (own, second) in [handle.Jx, handle.Jy, handle.Jz].into_iter().zip(second) {
        let moment = density * (all - second);
        assert!((moment / own - 1.0).abs() < 1e-5, "{moment} {own}");
    }
}

/// Landau, Lifshitz, Mechanics, § 37: the rates come back after 4 K(m) of the formula's time, and after half of that the
/// handle spins the other way about its stem.
#[test]
fn the_handle_turns_over_in_the_time_of_the_elliptic_functions() {
    let handle = THandle::default();
    let THandle { Jy: low, Jx: middle, Jz: high, spin, wobble, .. } = handle;
    let energy = middle * spin * spin + low * wobble * wobble;
    let momentum = (middle * spin).powi(2) + (low * wobble).powi(2);
    let below = (middle - low) * (high * energy - momentum);
    let modulus = (high - middle) * (momentum - low * energy) / below;
    let (mut a, mut b) = (1.0f64, (1.0 - modulus).sqrt());
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    let quarter = std::f64::consts::FRAC_PI_2 / a * (low * middle * high / below).sqrt();
    for (quarters, sign) in [(2.0, -1.0), (4.0, 1.0)] {
        let run = Simulation::new(&handle)
            .method(Method::from_name("radau5").unwrap())
            .step(Step::adaptive(1e-11))
            .until(quarters * quarter)
            .run()
            .unwrap();
        let last = run.row(run.len() - 1);
        let rates = ["about_stem", "about_bar", "across"].map(|name| last[run.find(name).unwrap()]);
        for (rate, exact) in rates.into_iter().zip([sign * spin, wobble, 0.0]) {
            assert!((rate - exact).abs() < 1e-5, "{quarters} quarters: {rates:?}");
        }
    }
}

#[test]
fn a_page_has_each_file_once() {
    let model = Swinging::default();
    let (mut animation, run) = shown(&model);
    let page = data(&animation.html(&run).unwrap().0);
    let files: Vec<&str> =
        page["meshes"].as_array().unwrap().iter().map(|m| m["file"].as_str().unwrap()).collect();
    assert_eq!(files.len(), 3);
    let items = page["items"].as_array().unwrap();
    let rod = items.iter().find(|item| item["name"] == "rod").unwrap();
    let place = rod["mesh"].as_u64().unwrap() as usize;
    assert_eq!(
        (files[place], &rod["color"], &rod["look"]),
        ("parts/pyramid.stl", &"red".into(), &"mesh".into())
    );
    static PYRAMID: Mesh = Mesh::new("pyramid", include_bytes!("parts/pyramid.stl"));
    let (own, file) = (triangles(&page["meshes"][place]), PYRAMID.triangles());
    assert_eq!(own, file);
    // The mechanism is as large as the file makes it: 0.2 m of the rod's pyramid beyond the plane.
    let high = page["bounds"][1][2].as_f64().unwrap();
    assert!((high - 0.2).abs() < 1e-9, "{high}");
    // A second run of the model shares them.
    let (mut other, second) = shown(&Swinging { grows: 0.003 });
    animation.beside("large", &mut other, &second).unwrap();
    let page = data(&animation.html(&run).unwrap().0);
    assert!(page["meshes"].is_array() && page["others"][0]["meshes"].is_null());
}

/// A sphere of a million triangles does not fit into a page; they are merged, and the summary says how far.
#[test]
fn what_is_too_fine_is_merged() {
    let n = 700u32;
    let point = |i: u32, j: u32| {
        let (s, c) = (std::f32::consts::TAU * i as f32 / n as f32).sin_cos();
        let (r, z) = (std::f32::consts::PI * j as f32 / n as f32).sin_cos();
        [r * c, r * s, z]
    };
    let mut bytes = vec![0; 80];
    bytes.extend((2 * n * n).to_le_bytes());
    for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
        let [a, b, c, d] = [point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j)];
        for corners in [[a, b, c], [a, c, d]] {
            bytes.extend([0; 12]);
            bytes.extend(corners.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
    }
    let mesh: &'static Mesh = Box::leak(Box::new(Mesh::new("ball.stl", bytes.leak())));
    assert_eq!(mesh.check(), Ok(980_000));
    let ball = Ball(mesh);
    let (mut animation, run) = shown(&ball);
    let (html, written) = animation.html(&run).unwrap();
    assert!(html.len() < 14_000_000, "{written}");
    let pixels = 1000.0 * written.error;
    assert!((0.4..6.0).contains(&pixels), "{written}");
    // What is left is the sphere still, of radius 1 in the file.
    let all = triangles(&data(&html)["meshes"][0]);
    assert!(all.len() > 20_000, "{}", all.len());
    let area: f64 = all.iter().map(area).sum();
    let whole = 4.0 * std::f64::consts::PI;
    assert!((area / whole - 1.0).abs() < 0.02, "{area} of {whole}");
}

fn area([a, b, c]: &Triangle) -> f64 {
    let side = |p: &[f32; 3]| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i] - a[i])) };
    let (u, v) = (side(b), side(c));
    let part =
        |i: usize| (u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]).powi(2);
    0.5 * (0..3).map(part).sum::<f64>().sqrt()
}

/// A model written by hand, for a file that is made when it runs: it slides.
struct Ball(&'static Mesh);
struct Energy;
struct Place;

impl Kernel<1, 0, 1> for Energy {
    fn eval<D: Scalar>(&self, _: &[usize], [v]: &[Num<D>; 1], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [*v * *v * 0.5]
    }
}

impl Kernel<1, 0, 10> for Place {
    fn eval<D: Scalar>(&self, _: &[usize], [x]: &[Num<D>; 1], _: &[Num<D>; 0]) -> [Num<D>; 10] {
        circle([*x, *x * 0.0, *x * 0.0], *x * 0.0 + 0.001)
    }
}

impl Mechanism for Ball {
    fn model(&self) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Ball", "A ball that slides.");
        let x = b.coord("x", "m", "");
        b.init_v(x, 1e-4, Keep::Kept);
        let one = |kind| {
            let mut instances = Instances::new([kind]);
            instances.push(&[], [x], []);
            instances
        };
        b.kinetic("mass", Energy, one(SlotKind::V));
        b.draw("ball", Shape::Mesh(self.0), "", Place, one(SlotKind::Q), false);
        b.t_end(1.0);
        b.finish()
    }

    fn set(&mut self, name: &str, _: f64) -> Result<(), ModelError> {
        let (model, name) = ("Ball".into(), name.into());
        Err(ModelError::UnknownParameter { model, name, suggestion: None })
    }

    fn params(&self) -> Vec<ParamInfo> {
        Vec::new()
    }
}

#[test]
fn a_gltf_file_has_the_triangles_of_the_file() {
    let (mut animation, run) = shown(&Swinging::default());
    let (bytes, _) = animation.glb(&run).unwrap();
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&bytes).unwrap();
    let blob = blob.unwrap();
    let body = document.nodes().find(|node| node.name() == Some("rod") && node.mesh().is_none());
    let node = body.unwrap().children().find(|child| child.name() == Some("rod")).unwrap();
    assert_eq!(node.transform().decomposed(), ([0.0; 3], [0.0, 0.0, 0.0, 1.0], [0.1; 3]));
    let primitive = node.mesh().unwrap().primitives().next().unwrap();
    assert!(primitive.material().double_sided());
    let reader = primitive.reader(|_| Some(&blob));
    assert!(reader.read_normals().is_none());
    let points: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let corners: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    static PYRAMID: Mesh = Mesh::new("pyramid", include_bytes!("parts/pyramid.stl"));
    let read: Vec<Triangle> =
        corners.as_chunks().0.iter().map(|c| c.map(|k| points[k as usize])).collect();
    assert_eq!(read, PYRAMID.triangles());
}

#[test]
fn a_moving_picture_shows_a_mesh_in_the_plane_as_it_is() {
    let (mut animation, run) = shown(&Swinging::default());
    let (text, _) = animation.svg(&run).unwrap();
    assert_eq!(text.matches("<path ").count(), 3, "{text}");
    // Of the pyramid one facet is seen, and the three others hidden or on edge.
    let red = text.split("<path ").find(|part| part.starts_with("fill=\"#c8393c\"")).unwrap();
    let path = red.split("d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(path.matches('Z').count(), 1, "{path}");
    assert!(text.contains("animateTransform attributeName=\"transform\" type=\"rotate\""));
    assert!(text.contains("animateTransform attributeName=\"transform\" type=\"scale\""));
    assert!(!text.contains("NaN"));
}

/// In space each frame has the facets that are seen then, with their shades; few enough letters, by merging what is fine.
#[test]
fn a_moving_picture_shows_a_mesh_in_space_by_its_facets() {
    let (mut animation, run) = shown(&THandle::default());
    let (text, written) = animation.svg(&run).unwrap();
    assert_eq!(text.matches("<polygon ").count(), 0);
    let frames: Vec<&str> = text.split("<g stroke-width=\"0.6\"").skip(1).collect();
    assert_eq!(frames.len(), written.frames);
    for (k, frame) in frames.iter().enumerate() {
        assert_eq!(frame.contains("visibility=\"hidden\""), k > 0, "{k}");
        // Of some two hundred facets of a convex handle half would be seen.
        let facets = frame.matches('M').count();
        assert!((20..160).contains(&facets), "{k}: {facets}");
        let shades: std::collections::HashSet<&str> =
            frame.split("fill=\"").skip(1).map(|part| &part[..7]).collect();
        assert!(shades.len() > 1, "{k}: {shades:?}");
    }
    assert!(text.len() < 600_000 && !text.contains("NaN"), "{}", text.len());
}

#[test]
fn a_broken_file_is_told_before_the_run() {
    let error = Broken::default().model().unwrap_err();
    assert!(matches!(error, ModelError::Mesh { .. }));
    assert_eq!(
        error.to_string(),
        "`draw rod`: the file `parts/cut.stl` is cut short: it ends without `endsolid`, with 2 of its triangles; export it again"
    );
}

/// A crate of parts, given to a crate that `mbd new` has made.
fn crate_of_parts(folder: &Path, library: &str) {
    let source = folder.join("knobs/src/parts");
    std::fs::create_dir_all(source.join("shapes")).unwrap();
    let pyramid = include_bytes!("parts/pyramid.stl");
    std::fs::write(source.join("shapes/pyramid.stl"), pyramid).unwrap();
    let manifest = format!(
        "[package]\nname = \"knobs\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n\
         mbd = {{ package = \"mbd-dynamics\", path = {library:?}, default-features = false }}\n"
    );
    std::fs::write(folder.join("knobs/Cargo.toml"), manifest).unwrap();
    std::fs::write(folder.join("knobs/src/lib.rs"), "//! Parts.\npub mod parts;\n").unwrap();
    let part = "use mbd::prelude::*;
        component! {
            pub component Knob {
                pub body weight: PlanarBody { mass: 1.0, inertia: 1e-3 };
                draw knob: mesh(weight.frame, \"shapes/pyramid.stl\", 0.01) color teal;
            }
        }\n";
    std::fs::write(source.join("mod.rs"), part).unwrap();
}

/// The file of a part is looked for beside the part's source, wherever the crate stands that draws it.
#[test]
fn a_part_of_another_crate_brings_its_file() {
    let folder = Folder::new("mesh-of-parts");
    let library = env!("CARGO_MANIFEST_DIR");
    crate_of_parts(folder.path(), library);
    let user = folder.path().join("swing");
    let made = Command::new(env!("CARGO_BIN_EXE_mbd")).arg("new").arg(&user).output();
    assert!(made.unwrap().status.success());
    let manifest = user.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let text =
        text.replace("[dependencies]\n", "[dependencies]\nknobs = { path = \"../knobs\" }\n");
    std::fs::write(&manifest, text).unwrap();
    let main = "use mbd::prelude::*;
        mechanism! {
            use knobs::parts::Knob;
            pub mechanism Swing {
                gravity [0, -9.81];
                body bar: PlanarBody { mass: 1.0, inertia: 0.01 };
                body end: Knob;
                joint hinge: revolute(ground, bar.at([-0.2, 0]));
                joint weld: fixed(bar.at([0.2, 0]), end.weight);
                until 0.2;
            }
        }
        mbd::main!(Swing);\n";
    std::fs::write(user.join("src/main.rs"), main).unwrap();
    cargo(&user, &["run", "--", "simulate", "--animate", "swing.html"]);
    let page = data(&std::fs::read_to_string(user.join("swing.html")).unwrap());
    let [file] = &page["meshes"].as_array().unwrap()[..] else { panic!("{}", page["meshes"]) };
    assert_eq!(file["file"], "shapes/pyramid.stl");
    static PYRAMID: Mesh = Mesh::new("pyramid", include_bytes!("parts/pyramid.stl"));
    assert_eq!(triangles(file), PYRAMID.triangles());
    let knob = page["items"].as_array().unwrap().iter().find(|item| item["name"] == "end.knob");
    assert_eq!(knob.unwrap()["color"], "teal");

    // Without its file the part does not compile, and it is the part's place that is told.
    std::fs::remove_file(folder.path().join("knobs/src/parts/shapes/pyramid.stl")).unwrap();
    let told = fails(&user, &["build"]);
    assert!(told.contains("the file `shapes/pyramid.stl` is not there"), "{told}");
    assert!(told.contains("knobs/src/parts/mod.rs"), "{told}");
}
