//! What a drawing is made of in a glTF file: meshes with where they are, as `page/src/parts.js` has them.

use super::super::scene::{Scene, solid_of};
use super::mesh::{Form, cross, unit};
use mbd_core::drawing::{Anchor, Item, Look, Number, Pose};
use mbd_core::model::{BodyKind, Shape};
use std::collections::HashMap;

/// Colours that can be told apart; as in `page/src/colors.js`.
const PALETTE: [u32; 10] = [
    0x2f6fb0, 0xd9822b, 0x3a9a5b, 0xb8455a, 0x7a5fb5, 0x1f9ea3, 0xb59a1d, 0xc2649a, 0x6a7f3f,
    0x8d6e54,
];
const NAMED: [(&str, u32); 13] = [
    ("red", 0xc8393c),
    ("orange", 0xd9822b),
    ("yellow", 0xc9a51c),
    ("green", 0x3a9a5b),
    ("teal", 0x1f9ea3),
    ("blue", 0x2f6fb0),
    ("purple", 0x7a5fb5),
    ("pink", 0xc2649a),
    ("brown", 0x8d6e54),
    ("black", 0x22262b),
    ("grey", 0x84898f),
    ("gray", 0x84898f),
    ("white", 0xf2f2f0),
];
const SOFT: u32 = 0x8b8b86;
const PIN: u32 = 0x3a3f45;
const BASE: u32 = 0x9aa0a6;

/// Where something is: moved by `shift`, turned by a quaternion (x, y, z, w), stretched along its own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::animate) struct Placed {
    pub(in crate::animate) shift: [f64; 3],
    pub(in crate::animate) turn: [f64; 4],
    pub(in crate::animate) scale: [f64; 3],
}

/// One mesh.
pub(in crate::animate) struct Part {
    pub(in crate::animate) name: String,
    pub(in crate::animate) form: Form,
    pub(in crate::animate) color: u32,
    /// Whether it is seen through, as what stands for inertia is.
    pub(in crate::animate) clear: bool,
    /// The body it is fixed in, if it is.
    pub(in crate::animate) body: Option<usize>,
    at: At,
}

/// How its place is found.
enum At {
    /// From one point to another, along its y axis.
    Ends([Anchor; 2], Number),
    /// By an origin and the ends of its x and y axes, with half axes.
    Axes([Anchor; 3], [Number; 3], f64),
    /// At a point, its z axis along a line, with half axes across and along.
    Along(Anchor, Option<[Anchor; 2]>, [f64; 2]),
    /// In the axes of a body.
    Body([f64; 3]),
}

/// A frame, and where its bodies are.
pub(in crate::animate) struct View<'a> {
    pub(in crate::animate) numbers: &'a [f64],
    pub(in crate::animate) poses: Vec<Pose>,
}

impl<'a> View<'a> {
    pub(in crate::animate) fn of(scene: &Scene<'_>, numbers: &'a [f64]) -> Self {
        let mut at = 1;
        let poses = scene.drawing.bodies.iter().map(|body| {
            let first = at;
            at += body.info.kind.numbers();
            Pose::new(body.info.kind, &numbers[first..])
        });
        View { numbers, poses: poses.collect() }
    }

    /// Where an anchor is, in the ground.
    fn point(&self, anchor: Anchor) -> [f64; 3] {
        match anchor {
            Anchor::Ground(at) => at,
            Anchor::Body(body, local) => self.poses[body].point(local),
            Anchor::Moving(c) => std::array::from_fn(|i| self.numbers[c + i]),
        }
    }
}

impl Part {
    /// Where it is, in the axes of its body if it has one; `before`: where it was one frame ago.
    pub(in crate::animate) fn place(&self, view: &View<'_>, before: Option<&Placed>) -> Placed {
        let point = |anchor: Anchor| -> [f64; 3] {
            match anchor {
                Anchor::Body(_, local) if self.body.is_some() => local,
                anchor => view.point(anchor),
            }
        };
        let number = |number: Number| match number {
            Number::Fixed(x) => x,
            Number::Moving(c) => view.numbers[c],
        };
        let placed = match &self.at {
            At::Ends([p, q], radius) => {
                let (p, q) = (point(*p), point(*q));
                let way: [f64; 3] = std::array::from_fn(|i| q[i] - p[i]);
                let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
                let turn = match before {
                    // It does not roll about itself on the way.
                    Some(before) => product(between(y_of(before.turn), unit(way)), before.turn),
                    None => between([0.0, 1.0, 0.0], unit(way)),
                };
                let r = number(*radius);
                Placed { shift: p, turn, scale: [r, length, r] }
            }
            At::Axes(ends, half, thin) => {
                let [origin, x, y] = ends.map(point);
                let x = unit(std::array::from_fn(|i| x[i] - origin[i]));
                let y = unit(std::array::from_fn(|i| y[i] - origin[i]));
                let scale = half.map(|half| match number(half) {
                    0.0 => *thin,
                    half => half,
                });
                Placed { shift: origin, turn: of_axes(x, y), scale }
            }
            At::Along(at, axis, [across, along]) => {
                let axis = axis.map_or([0.0, 0.0, 1.0], |[from, to]| {
                    let (from, to) = (point(from), point(to));
                    unit(std::array::from_fn(|i| to[i] - from[i]))
                });
                let turn = between([0.0, 0.0, 1.0], axis);
                Placed { shift: point(*at), turn, scale: [*across, *across, *along] }
            }
            At::Body(half) => Placed { shift: [0.0; 3], turn: [0.0, 0.0, 0.0, 1.0], scale: *half },
        };
        placed.after(before)
    }
}

impl Placed {
    /// Where a body is.
    pub(in crate::animate) fn of(pose: &Pose, before: Option<&Placed>) -> Placed {
        let column = |j: usize| std::array::from_fn(|i| pose.rotation[i][j]);
        let turn = of_axes(column(0), column(1));
        Placed { shift: pose.origin, turn, scale: [1.0; 3] }.after(before)
    }

    /// The quaternion of the two that is nearer to that before; what is nowhere has no size.
    fn after(mut self, before: Option<&Placed>) -> Placed {
        let numbers = self.shift.iter().chain(&self.turn).chain(&self.scale);
        if !numbers.copied().all(f64::is_finite) {
            let still = Placed { shift: [0.0; 3], turn: [0.0, 0.0, 0.0, 1.0], scale: [0.0; 3] };
            return before.map_or(still, |before| Placed { scale: [0.0; 3], ..*before });
        }
        let along = |b: &Placed| self.turn.iter().zip(&b.turn).map(|(x, y)| x * y).sum::<f64>();
        if before.is_some_and(|before| along(before) < 0.0) {
            self.turn = self.turn.map(|x| -x);
        }
        self
    }
}

/// The turn with these x and y axes.
fn of_axes(x: [f64; 3], y: [f64; 3]) -> [f64; 4] {
    let z = cross(x, y);
    let squares = [
        1.0 + x[0] - y[1] - z[2],
        1.0 - x[0] + y[1] - z[2],
        1.0 - x[0] - y[1] + z[2],
        1.0 + x[0] + y[1] + z[2],
    ];
    let best = (0..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let (p, q, s) = (y[2] - z[1], z[0] - x[2], x[1] - y[0]);
    let (u, v, w) = (y[0] + x[1], z[0] + x[2], z[1] + y[2]);
    let all = match best {
        0 => [squares[0], u, v, p],
        1 => [u, squares[1], w, q],
        2 => [v, w, squares[2], s],
        _ => [p, q, s, squares[3]],
    };
    normed(all)
}

/// The shortest turn from one direction to another.
fn between(from: [f64; 3], to: [f64; 3]) -> [f64; 4] {
    let along: f64 = (0..3).map(|i| from[i] * to[i]).sum();
    if along < -1.0 + 1e-12 {
        // Half a turn, about any axis across.
        let far = if from[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let [x, y, z] = unit(cross(from, far));
        return [x, y, z, 0.0];
    }
    let [x, y, z] = cross(from, to);
    normed([x, y, z, 1.0 + along])
}

fn normed(q: [f64; 4]) -> [f64; 4] {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

/// First the second, then the first.
fn product([a, b, c, d]: [f64; 4], [x, y, z, w]: [f64; 4]) -> [f64; 4] {
    normed([
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    ])
}

/// The y axis of a turn.
fn y_of([x, y, z, w]: [f64; 4]) -> [f64; 3] {
    [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)]
}

/// All parts of a drawing, of which there are some views over the run, the first at the start.
pub(in crate::animate) fn parts(scene: &Scene<'_>, views: &[View<'_>]) -> Vec<Part> {
    let drawing = scene.drawing;
    let named: HashMap<&str, usize> =
        drawing.bodies.iter().enumerate().map(|(k, body)| (body.info.name.as_str(), k)).collect();
    let moving = scene.channels.moving + 1;
    let anchored = |anchor: &Anchor| match *anchor {
        Anchor::Moving(c) => Anchor::Moving(moving + c),
        other => other,
    };
    let r = radius(scene, &views[0], &anchored);
    let mut next = drawing.bodies.len();
    let mut all = Vec::new();
    for item in &drawing.items {
        let anchors: Vec<Anchor> = item.anchors.iter().map(anchored).collect();
        let numbers = item.numbers.iter().map(|number| match *number {
            Number::Moving(c) => Number::Moving(moving + c),
            fixed => fixed,
        });
        let numbers: Vec<Number> = numbers.collect();
        let owner = anchors.iter().find_map(|anchor| match anchor {
            Anchor::Body(body, _) => Some(*body),
            _ => None,
        });
        let color = match item.look {
            Look::Joint(_) => PIN,
            _ if !item.color.is_empty() => color_of(&item.color),
            Look::Spring | Look::Actuator | Look::Rod => SOFT,
            look => {
                let owner = owner.filter(|_| look != Look::Part);
                let k = named.get(item.name.as_str()).copied().or(owner).unwrap_or_else(|| {
                    next += 1;
                    next - 1
                });
                PALETTE[k % PALETTE.len()]
            }
        };
        let rail = rail(item.look, &anchors, views, r);
        for (form, at, color) in
            shapes(scene, item, &anchors, &numbers, r, color).into_iter().chain(rail)
        {
            let body = at.body();
            let name = item.name.clone();
            all.push(Part { name, form, color, clear: false, body, at });
        }
    }
    for (k, body) in drawing.bodies.iter().enumerate().filter(|(_, body)| body.lump) {
        let (form, half, clear) = match (body.inertia, body.info.kind) {
            ([0.0, 0.0, 0.0], _) => (Form::Ball, [2.2 * r; 3], false),
            ([a, ..], BodyKind::Planar) => (Form::Disc, [a, a, 0.7 * r], true),
            (half, _) => (Form::Ball, half, true),
        };
        let (name, color) = (body.info.name.clone(), PALETTE[k % PALETTE.len()]);
        all.push(Part { name, form, color, clear, body: Some(k), at: At::Body(half) });
    }
    all
}

/// How thick bars are: of the mechanism's size, but no more than its parts are long.
fn radius(scene: &Scene<'_>, first: &View<'_>, anchored: &impl Fn(&Anchor) -> Anchor) -> f64 {
    let long = |item: &&Item| {
        matches!(item.look, Look::Part | Look::Rod | Look::Shape(Shape::Line))
            && item.anchors.len() > 1
    };
    let length = |item: &Item| {
        let ends = [anchored(&item.anchors[0]), anchored(&item.anchors[1])];
        let at = At::Ends(ends, Number::Fixed(0.0));
        let (name, form) = (String::new(), Form::Rod);
        let part = Part { name, form, color: 0, clear: false, body: None, at };
        part.place(first, None).scale[1]
    };
    let mut lengths: Vec<f64> =
        scene.drawing.items.iter().filter(long).map(length).filter(|x| *x > 0.0).collect();
    lengths.sort_by(f64::total_cmp);
    let typical = lengths.get(lengths.len() / 2).copied().unwrap_or(scene.size);
    (0.011 * scene.size).min(0.12 * typical)
}

impl At {
    /// The body that all its points are fixed in, if there is one.
    fn body(&self) -> Option<usize> {
        let anchors: Vec<Anchor> = match self {
            At::Ends(ends, Number::Fixed(_)) => ends.to_vec(),
            At::Axes(ends, half, _) if half.iter().all(|n| matches!(n, Number::Fixed(_))) => {
                ends.to_vec()
            }
            At::Along(at, axis, _) => {
                [*at].into_iter().chain(axis.iter().flatten().copied()).collect()
            }
            _ => return None,
        };
        let body = |anchor: &Anchor| match anchor {
            Anchor::Body(body, _) => Some(*body),
            _ => None,
        };
        let first = body(anchors.first()?)?;
        anchors.iter().all(|anchor| body(anchor) == Some(first)).then_some(first)
    }
}

/// The meshes of an item.
fn shapes(
    scene: &Scene<'_>,
    item: &Item,
    at: &[Anchor],
    numbers: &[Number],
    r: f64,
    color: u32,
) -> Vec<(Form, At, u32)> {
    let bar =
        |p: Anchor, q: Anchor, r: f64| vec![(Form::Rod, At::Ends([p, q], Number::Fixed(r)), color)];
    let half = |number: Number| match number {
        Number::Fixed(x) => Number::Fixed(0.5 * x),
        moving => moving,
    };
    match (item.look, at, numbers) {
        (Look::Part | Look::Shape(Shape::Line), &[p, q, ..], _) => {
            let ends = [p, q].map(|end| (Form::Ball, At::Along(end, None, [r, r]), color));
            bar(p, q, r).into_iter().chain(ends).collect()
        }
        (Look::Rod, &[p, q, ..], _) => bar(p, q, 0.55 * r),
        (Look::Actuator, &[p, q, ..], _) => bar(p, q, 0.9 * r),
        (Look::Spring | Look::Shape(Shape::Spring), &[p, q, ..], _) => {
            vec![(Form::Coil, At::Ends([p, q], Number::Fixed(2.2 * r)), color)]
        }
        (Look::Shape(Shape::Cylinder), &[p, q, ..], &[radius, ..]) => {
            vec![(Form::Rod, At::Ends([p, q], radius), color)]
        }
        (Look::Shape(Shape::Polyline), points, _) => {
            points.windows(2).flat_map(|ends| bar(ends[0], ends[1], 0.8 * r)).collect()
        }
        (Look::Shape(Shape::Circle), &[o, x, y, ..], &[radius, ..]) => {
            let half = [radius, radius, Number::Fixed(0.7 * r)];
            vec![(Form::Disc, At::Axes([o, x, y], half, r), color)]
        }
        (Look::Shape(Shape::Sphere), &[o, x, y, ..], &[radius, ..]) => {
            vec![(Form::Ball, At::Axes([o, x, y], [radius; 3], r), color)]
        }
        (Look::Shape(Shape::Box), &[o, x, y, ..], &[a, b, c, ..]) => {
            vec![(Form::Block, At::Axes([o, x, y], [a, b, c].map(half), 0.9 * r), color)]
        }
        (Look::Shape(Shape::Mesh(mesh)), &[o, x, y, ..], &[scale, ..]) => {
            let (file, _) = solid_of(&scene.files, mesh);
            vec![(Form::File(file), At::Axes([o, x, y], [scale; 3], 0.0), color)]
        }
        (Look::Joint(kind), &[a, b, ..], _) => joint(kind, a, b, at.get(2).copied(), 1.5 * r),
        _ => Vec::new(),
    }
}

fn joint(kind: &str, a: Anchor, b: Anchor, end: Option<Anchor>, r: f64) -> Vec<(Form, At, u32)> {
    let axis = end.map(|end| [a, end]);
    let slides = slides(kind);
    let (form, at) = match kind {
        "in_plane" | "planar" => (Form::Ball, At::Along(b, None, [1.15 * r; 2])),
        _ if slides => (Form::Block, At::Along(b, axis, [r, 2.2 * r])),
        "revolute" | "universal" | "cylindrical" => (Form::Disc, At::Along(a, axis, [r, 1.25 * r])),
        "weld" | "fixed" => (Form::Block, At::Along(a, axis, [r, r])),
        _ => (Form::Ball, At::Along(a, None, [1.15 * r; 2])),
    };
    let ground = [a, b].into_iter().find(|anchor| matches!(anchor, Anchor::Ground(_)));
    let foot = ground.filter(|_| !slides && kind != "in_plane" && kind != "planar");
    let foot = foot.map(|at| (Form::Block, At::Along(at, None, [1.6 * r, 0.5 * r]), BASE));
    std::iter::once((form, at, PIN)).chain(foot).collect()
}

/// What a joint slides on: along its axis, as far as it goes over the run, where it does.
fn rail(look: Look, at: &[Anchor], views: &[View<'_>], r: f64) -> Option<(Form, At, u32)> {
    let (Look::Joint(kind), &[a, b, end, ..]) = (look, at) else { return None };
    if !slides(kind) && kind != "cylindrical" {
        return None;
    }
    // The axis is fixed in the ground or in a body, so that the rail is.
    let fixed: fn(Anchor, [f64; 3]) -> Anchor = match (a, end) {
        (Anchor::Ground(_), Anchor::Ground(_)) => |_, at| Anchor::Ground(at),
        (Anchor::Body(one, _), Anchor::Body(other, _)) if one == other => |a, at| match a {
            Anchor::Body(body, _) => Anchor::Body(body, at),
            other => other,
        },
        _ => return None,
    };
    let own = |anchor: Anchor| match anchor {
        Anchor::Ground(at) | Anchor::Body(_, at) => at,
        Anchor::Moving(_) => [0.0; 3],
    };
    let along = unit(std::array::from_fn(|i| own(end)[i] - own(a)[i]));
    let (mut low, mut high) = (0.0f64, 0.0f64);
    for view in views {
        let [p, q, end] = [a, b, end].map(|anchor| view.point(anchor));
        let way = unit(std::array::from_fn(|i| end[i] - p[i]));
        let slid: f64 = (0..3).map(|i| way[i] * (q[i] - p[i])).sum();
        if slid.is_finite() {
            (low, high) = (low.min(slid), high.max(slid));
        }
    }
    // What never slides has no rail.
    if high - low < 0.5 * r {
        return None;
    }
    let r = 1.5 * r;
    let place = |s: f64| fixed(a, std::array::from_fn(|i| own(a)[i] + s * along[i]));
    let ends = [place(low - 3.0 * r), place(high + 3.0 * r)];
    Some((Form::Rod, At::Ends(ends, Number::Fixed(0.3 * r)), PIN))
}

/// Whether a block stands for a joint, which slides on a rail.
fn slides(kind: &str) -> bool {
    matches!(kind, "prismatic" | "slot" | "point_on_line")
}

/// A colour by its name, or as it is written: `#rgb`, `#rrggbb`.
fn color_of(text: &str) -> u32 {
    let Some(digits) = text.strip_prefix('#') else {
        return NAMED.iter().find(|(name, _)| *name == text).map_or(SOFT, |(_, color)| *color);
    };
    let value = u32::from_str_radix(digits, 16).unwrap_or(SOFT);
    match digits.len() {
        3 => (0..3).fold(0, |all, k| (all << 8) | (0x11 * ((value >> (8 - 4 * k)) & 15))),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near<const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
        (0..N).all(|i| (a[i] - b[i]).abs() < 1e-12)
    }

    #[test]
    fn turns_take_one_direction_to_another() {
        let directions = [[1.0, 2.0, -0.5], [0.0, -1.0, 0.0], [0.3, 0.0, 0.1], [0.0, 1.0, 1e-9]];
        for way in directions.map(unit) {
            assert!(near(y_of(between([0.0, 1.0, 0.0], way)), way), "{way:?}");
        }
        // About z by 0.4, then about x by 1.1.
        let (z, x) =
            ([0.0, 0.0, 0.2f64.sin(), 0.2f64.cos()], [0.55f64.sin(), 0.0, 0.0, 0.55f64.cos()]);
        let y = [-(0.4f64.sin()), 0.4f64.cos(), 0.0];
        let turned = [y[0], y[1] * 1.1f64.cos(), y[1] * 1.1f64.sin()];
        assert!(near(y_of(product(x, z)), turned));
    }

    #[test]
    fn axes_and_turns_are_the_same() {
        for q in [
            [0.1, 0.2, 0.3, 0.9],
            [0.9, -0.1, 0.2, 0.1],
            [0.1, 0.8, 0.2, -0.3],
            [0.0, 0.2, 1.0, 0.1],
        ] {
            let [x, y, z, w] = normed(q);
            let first = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
            let found = of_axes(first, y_of([x, y, z, w]));
            let sign = if found[3] * w < 0.0 { -1.0 } else { 1.0 };
            assert!(near(found.map(|f| sign * f), [x, y, z, w]), "{q:?} {found:?}");
        }
    }

    #[test]
    fn colours_are_those_written() {
        assert_eq!(color_of("#12f"), 0x1122ff);
        assert_eq!(color_of("#c0392b"), 0xc0392b);
        assert_eq!(color_of("orange"), 0xd9822b);
    }
}
