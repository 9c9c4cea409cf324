//! A run as a moving picture: an SVG file whose shapes move by themselves (SMIL), for pages and documents that show
//! pictures and run no scripts, as READMEs. Seen from the front in the plane, in space obliquely, without perspective.
//!
//! It is text of a dozen elements and is written by hand, as the curves of `plot/svg.rs` are.

mod facets;

use self::facets::{Film, Lie, short};
use super::frames::{Frames, PIXELS};
use super::gltf::{Form, Part, Placed, View, parts};
use super::page::Written;
use super::scene::Scene;
use super::solid::Solid;
use std::fmt::Write;

/// Width and largest height [px], and the margin around everything.
const WIDTH: f64 = 560.0;
const HIGHEST: f64 = 360.0;
const MARGIN: f64 = 14.0;
/// Frames for each second of the film, and of a film at least and at most.
const RATE: f64 = 20.0;
const FRAMES: [usize; 2] = [24, 160];
/// How long a film lasts [s]: what is shorter is slowed down, what is longer quickened.
const LASTS: [f64; 2] = [2.0, 12.0];
/// By how many pixels of a thousand the facets of files are merged at least, and letters of facets at most.
const MERGED: f64 = 2.0;
const LETTERS: usize = 400_000;
/// Corners of a round shape that is seen obliquely, and points of a spring.
const CORNERS: usize = 20;
const COILS: usize = 15;
/// The place of the viewer of a spatial mechanism: turned to the left about the vertical, and up [rad].
const AZIMUTH: f64 = -1.05;
const ELEVATION: f64 = 0.42;

/// The picture, with what is in it.
pub(super) fn file(model: &str, scene: &Scene<'_>, frames: &Frames) -> (String, Written) {
    let (begin, end) = (frames.get(0)[0], frames.get(frames.len() - 1)[0]);
    let lasts = (end - begin).clamp(LASTS[0], LASTS[1]);
    let count = ((RATE * lasts) as usize).clamp(FRAMES[0], FRAMES[1]);
    let at = |k: usize| begin + (end - begin) * k as f64 / (count - 1) as f64;
    let numbers: Vec<Vec<f64>> = (0..count).map(|k| between(frames, at(k))).collect();
    let views: Vec<View<'_>> = numbers.iter().map(|numbers| View::of(scene, numbers)).collect();
    let eye = Eye::of(scene.drawing.planar, &scene.drawing.upright());
    let halfway: Vec<Vec<f64>> =
        (1..count).map(|k| between(frames, 0.5 * (at(k - 1) + at(k)))).collect();
    let halfway: Vec<View<'_>> = halfway.iter().map(|numbers| View::of(scene, numbers)).collect();
    let parts = parts(scene, &views);
    let (solids, merged) = merged(scene, frames, &parts, count);
    let mut shapes: Vec<Moving> = Vec::new();
    let mut off = if solids.is_empty() { 0.0 } else { scene.size * merged / PIXELS };
    for part in parts {
        let seen =
            |view: &View<'_>| outline(part.form, &followed(&part, view, scene), &eye, &solids);
        let film: Vec<Outline> = views.iter().map(&seen).collect();
        // Nothing is known of where a part without numbers is.
        if film.iter().flat_map(|s| &s.points).flatten().all(|x| x.is_finite()) {
            for (pair, view) in film.windows(2).zip(&halfway) {
                off = off.max(seen_off(pair, &seen(view), part.form, &solids));
            }
            let Part { color, clear, form, .. } = part;
            shapes.push(Moving { color, clear, form, seen: film });
        }
    }
    // What is farther away first, as things are in the beginning.
    shapes.sort_by(|a, b| a.seen[0].depth.total_cmp(&b.seen[0].depth));
    let fit = Fit::of(&shapes);
    let mut out = String::new();
    let (width, height) = (WIDTH, short(fit.height));
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>{model} in motion</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for shape in &shapes {
        shape.write(&fit, lasts, &solids, &mut out);
    }
    out.push_str("</svg>\n");
    let written =
        Written { frames: count, points: frames.rows(), error: off / scene.size, bytes: out.len() };
    (out, written)
}

/// What files hold, as coarse as a picture shows it and as it takes few enough letters; with the pixels of a thousand that
/// it is off. In space each frame has the facets anew.
fn merged(scene: &Scene<'_>, frames: &Frames, parts: &[Part], count: usize) -> (Vec<Solid>, f64) {
    let times = if scene.drawing.planar { 1 } else { count };
    let letters = |solids: &[Solid]| -> usize {
        let of = |part: &Part| match part.form {
            Form::File(k) => times * facets::letters(&solids[k]),
            _ => 0,
        };
        parts.iter().map(of).sum()
    };
    // A pixel here is about two of a thousand.
    let mut pixels = MERGED;
    let mut solids = scene.merged(frames, pixels);
    while letters(&solids) > LETTERS && pixels < PIXELS {
        pixels *= 1.5;
        solids = scene.merged(frames, pixels);
    }
    (solids, pixels)
}

/// How far what is seen halfway between two frames is off the middle of what they show; of a file in space, whose facets
/// stay until the next frame, off what the first of them shows.
fn seen_off(pair: &[Outline], between: &Outline, form: Form, solids: &[Solid]) -> f64 {
    if let (Form::File(k), false) = (form, pair.iter().all(|one| one.lie.is_flat())) {
        return pair[0].lie.apart(&between.lie, &solids[k]);
    }
    let ends = pair[0].points.iter().zip(&pair[1].points);
    let off = ends.zip(&between.points).map(|((a, b), now)| {
        let by = |i: usize| 0.5 * (a[i] + b[i]) - now[i];
        by(0).hypot(by(1))
    });
    off.fold(0.0, f64::max)
}

/// The numbers of a frame at a time, on the straight line between its neighbours.
fn between(frames: &Frames, t: f64) -> Vec<f64> {
    let (mut low, mut high) = (0, frames.len() - 1);
    while high > low + 1 {
        let middle = (low + high) / 2;
        if frames.get(middle)[0] <= t { low = middle } else { high = middle }
    }
    let (a, b) = (frames.get(low), frames.get(high));
    let part = if b[0] > a[0] { ((t - a[0]) / (b[0] - a[0])).clamp(0.0, 1.0) } else { 1.0 };
    a.iter().zip(b).map(|(x, y)| x + part * (y - x)).collect()
}

/// A part's own axes in the ground, each with its length, and its origin.
struct Axes {
    origin: [f64; 3],
    along: [[f64; 3]; 3],
}

fn ends(part: &Part, view: &View<'_>, scene: &Scene<'_>) -> Axes {
    let Placed { shift, turn: [x, y, z, w], scale } = part.place(view, None);
    // The columns of the rotation of a unit quaternion.
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)],
        [2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)],
        [2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let along: [[f64; 3]; 3] = std::array::from_fn(|k| columns[k].map(|c| c * scale[k]));
    let Some(body) = part.body else { return Axes { origin: shift, along } };
    let pose = &view.poses[body];
    debug_assert!(body < scene.drawing.bodies.len());
    let turned = |v: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|j| pose.rotation[i][j] * v[j]).sum())
    };
    Axes { origin: pose.point(shift), along: along.map(turned) }
}

/// The same as it is seen from along the first body, of a mechanism that goes much farther than it is large.
fn followed(part: &Part, view: &View<'_>, scene: &Scene<'_>) -> Axes {
    let mut axes = ends(part, view, scene);
    if let Some(body) = view.poses.first().filter(|_| scene.travels()) {
        let at = body.point([0.0; 3]);
        axes.origin.iter_mut().zip(at).for_each(|(x, at)| *x -= at);
    }
    axes
}

/// Whence a mechanism is seen: right, up and towards the viewer.
struct Eye([[f64; 3]; 3]);

impl Eye {
    fn of(planar: bool, upright: &[[f64; 3]; 3]) -> Self {
        if planar {
            return Eye([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        }
        let ((s, c), (up, level)) = (AZIMUTH.sin_cos(), ELEVATION.sin_cos());
        let axes = [[-s, c, 0.0], [-up * c, -up * s, level], [level * c, level * s, up]];
        Eye(axes.map(|axis| {
            std::array::from_fn(|i| axis.iter().zip(upright).map(|(a, along)| a * along[i]).sum())
        }))
    }

    fn see(&self, v: [f64; 3]) -> [f64; 3] {
        self.0.map(|axis| axis.iter().zip(v).map(|(a, x)| a * x).sum())
    }
}

/// What is seen of a part at one time.
struct Outline {
    points: Vec<[f64; 2]>,
    /// How wide it is: the line of a bar, or the radius of a ball.
    wide: f64,
    /// How near to the viewer.
    depth: f64,
    /// How a file lies.
    lie: Lie,
}

fn outline(form: Form, axes: &Axes, eye: &Eye, solids: &[Solid]) -> Outline {
    let at = |a: f64, b: f64, c: f64| -> [f64; 3] {
        let by = [a, b, c];
        std::array::from_fn(|i| {
            axes.origin[i] + (0..3).map(|k| by[k] * axes.along[k][i]).sum::<f64>()
        })
    };
    let seen = |v: [f64; 3]| {
        let [x, y, _] = eye.see(v);
        [x, y]
    };
    let length = |k: usize| axes.along[k].iter().map(|x| x * x).sum::<f64>().sqrt();
    let middle = match form {
        Form::Rod | Form::Coil => at(0.0, 0.5, 0.0),
        _ => axes.origin,
    };
    let round = |k: usize| (std::f64::consts::TAU * k as f64 / CORNERS as f64).sin_cos();
    let (points, wide) = match form {
        Form::Rod => (vec![seen(at(0.0, 0.0, 0.0)), seen(at(0.0, 1.0, 0.0))], length(0)),
        Form::Ball if is_round(axes) => (vec![seen(axes.origin)], length(0)),
        Form::Ball => {
            let half = axes.along.map(seen);
            let [x, y] = seen(axes.origin);
            let corner = |k: usize| {
                let way = std::f64::consts::TAU * k as f64 / (2 * CORNERS) as f64;
                let [dx, dy] = ellipsoid(&half, way.sin_cos());
                [x + dx, y + dy]
            };
            ((0..2 * CORNERS).map(corner).collect(), 0.0)
        }
        Form::Disc => {
            let corner = |k: usize| {
                let (s, c) = round(k);
                seen(at(c, s, 0.0))
            };
            ((0..CORNERS).map(corner).collect(), 0.0)
        }
        Form::File(k) => {
            // What is farthest in each direction.
            let points = solids[k].points.iter().map(|p| p.map(f64::from));
            let points: Vec<[f64; 2]> = points.map(|[x, y, z]| seen(at(x, y, z))).collect();
            let farthest = |k: usize| {
                let (s, c) = round(k);
                let far = |p: &&[f64; 2]| c * p[0] + s * p[1];
                let most = points.iter().max_by(|a, b| far(a).total_cmp(&far(b)));
                most.copied().unwrap_or_else(|| seen(axes.origin))
            };
            ((0..CORNERS).map(farthest).collect(), 0.0)
        }
        Form::Block => {
            let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = |k: usize| seen(at(sign(k, 0), sign(k, 1), sign(k, 2)));
            ((0..8).map(corner).collect(), 0.0)
        }
        Form::Coil => {
            // A zigzag in the plane of the picture, across the spring as it is seen.
            let (p, q) = (seen(at(0.0, 0.0, 0.0)), seen(at(0.0, 1.0, 0.0)));
            let way = [q[0] - p[0], q[1] - p[1]];
            let long = way[0].hypot(way[1]).max(f64::MIN_POSITIVE);
            let across = [-way[1] / long * length(0), way[0] / long * length(0)];
            let point = |k: usize| {
                let part = k as f64 / (COILS - 1) as f64;
                let side = match k {
                    0 | 1 => 0.0,
                    k if k + 2 >= COILS => 0.0,
                    k if k % 2 == 0 => 1.0,
                    _ => -1.0,
                };
                [p[0] + part * way[0] + side * across[0], p[1] + part * way[1] + side * across[1]]
            };
            ((0..COILS).map(point).collect(), 0.0)
        }
    };
    let lie = Lie { origin: eye.see(axes.origin), along: axes.along.map(|axis| eye.see(axis)) };
    Outline { points, wide, depth: eye.see(middle)[2], lie }
}

/// Whether the three half axes are alike.
fn is_round(axes: &Axes) -> bool {
    let [a, b, c] = axes.along.map(|along| along.iter().map(|x| x * x).sum::<f64>());
    let least = (1.0 - 1e-9) * a.max(b).max(c);
    a >= least && b >= least && c >= least
}

/// Where the outline of an ellipsoid, from its centre, is farthest in a direction: its half axes are seen as these.
fn ellipsoid(half: &[[f64; 2]; 3], (s, c): (f64, f64)) -> [f64; 2] {
    let along = half.map(|[x, y]| c * x + s * y);
    let far = along.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    [0, 1].map(|i| half.iter().zip(along).map(|(axis, part)| axis[i] * part / far).sum())
}

/// The corners of the convex outline of points, as indices into them, around it.
fn around(points: &[[f64; 2]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| {
        points[a][0].total_cmp(&points[b][0]).then(points[a][1].total_cmp(&points[b][1]))
    });
    let turn = |a: usize, b: usize, c: usize| {
        let [o, p, q] = [a, b, c].map(|k| points[k]);
        (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])
    };
    let chain = |order: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for k in order {
            while let [.., a, b] = chain[..] {
                if turn(a, b, k) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(k);
        }
        chain.pop();
        chain
    };
    let mut all = chain(&mut order.iter().copied());
    all.extend(chain(&mut order.iter().rev().copied()));
    all
}

/// A shape over the film.
struct Moving {
    color: u32,
    clear: bool,
    form: Form,
    seen: Vec<Outline>,
}

/// From the mechanism's lengths to pixels.
struct Fit {
    scale: f64,
    /// Of the picture.
    height: f64,
    low: [f64; 2],
    shift: [f64; 2],
}

impl Fit {
    fn of(shapes: &[Moving]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for outline in shapes.iter().flat_map(|shape| &shape.seen) {
            for point in &outline.points {
                for i in 0..2 {
                    low[i] = low[i].min(point[i] - outline.wide);
                    high[i] = high[i].max(point[i] + outline.wide);
                }
            }
        }
        let span: [f64; 2] = std::array::from_fn(|i| (high[i] - low[i]).max(0.0));
        let room = [WIDTH - 2.0 * MARGIN, HIGHEST - 2.0 * MARGIN];
        let scale = (room[0] / span[0]).min(room[1] / span[1]);
        let scale = if scale.is_finite() && scale > 0.0 { scale } else { 1.0 };
        let height = scale * span[1] + 2.0 * MARGIN;
        Fit { scale, height, low, shift: [MARGIN + 0.5 * (room[0] - scale * span[0]), MARGIN] }
    }

    /// How a file lies in the picture, in pixels, y downwards.
    fn lie(&self, Lie { origin, along }: Lie) -> Lie {
        let [x, y] = self.pixel([origin[0], origin[1]]);
        let scaled = |[x, y, z]: [f64; 3]| [self.scale * x, -self.scale * y, self.scale * z];
        Lie { origin: [x, y, self.scale * origin[2]], along: along.map(scaled) }
    }

    fn pixel(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let right = self.shift[0] + self.scale * (x - self.low[0]);
        [right, self.height - self.shift[1] - self.scale * (y - self.low[1])]
    }
}

impl Moving {
    fn write(&self, fit: &Fit, lasts: f64, solids: &[Solid], out: &mut String) {
        let points = |outline: &Outline| -> String {
            let mut pixels: Vec<[f64; 2]> =
                outline.points.iter().map(|point| fit.pixel(*point)).collect();
            if self.form == Form::Block {
                // As many corners at all times, or the picture would jump.
                let corners = around(&pixels);
                let corner = |k: usize| pixels[corners[k.min(corners.len() - 1)]];
                pixels = match corners.is_empty() {
                    true => pixels,
                    false => (0..8).map(corner).collect(),
                };
            }
            let pairs: Vec<String> =
                pixels.iter().map(|[x, y]| format!("{},{}", short(*x), short(*y))).collect();
            pairs.join(" ")
        };
        let color = format!("#{:06x}", self.color);
        let wide = short(fit.scale * self.seen[0].wide);
        let opacity = if self.clear { " opacity=\"0.3\"" } else { "" };
        match self.form {
            Form::File(k) if self.seen.iter().all(|outline| outline.lie.is_flat()) => {
                self.flat(&solids[k], fit, lasts, &format!("fill=\"{color}\"{opacity}"), out);
            }
            Form::File(k) => {
                let lies: Vec<Lie> = self.seen.iter().map(|seen| fit.lie(seen.lie)).collect();
                let film = Film { solid: &solids[k], color: self.color, lasts: short(lasts) };
                let _ = write!(out, "<g{opacity}>");
                film.write(&lies, out);
                out.push_str("</g>\n");
            }
            Form::Rod | Form::Coil => {
                let wide = if self.form == Form::Rod { (2.0 * wide).max(1.5) } else { 1.8 };
                let _ = write!(
                    out,
                    "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{wide}\" \
                     stroke-linecap=\"round\" stroke-linejoin=\"round\"{opacity} points=\"{}\">",
                    points(&self.seen[0])
                );
                self.animate("points", points, lasts, out);
                out.push_str("</polyline>\n");
            }
            Form::Ball if self.seen[0].points.len() == 1 => {
                let at = |outline: &Outline, i: usize| -> String {
                    short(fit.pixel(outline.points[0])[i]).to_string()
                };
                let (x, y) = (at(&self.seen[0], 0), at(&self.seen[0], 1));
                let r = wide.max(1.0);
                let _ = write!(
                    out,
                    "<circle fill=\"{color}\"{opacity} cx=\"{x}\" cy=\"{y}\" r=\"{r}\">"
                );
                self.animate("cx", |outline| at(outline, 0), lasts, out);
                self.animate("cy", |outline| at(outline, 1), lasts, out);
                out.push_str("</circle>\n");
            }
            Form::Disc | Form::Block | Form::Ball => {
                let _ = write!(
                    out,
                    "<polygon fill=\"{color}\" stroke=\"#ffffff\" stroke-width=\"0.6\" \
                     stroke-linejoin=\"round\"{opacity} points=\"{}\">",
                    points(&self.seen[0])
                );
                self.animate("points", points, lasts, out);
                out.push_str("</polygon>\n");
            }
        }
    }

    /// What a file holds, seen along its z axis: a path that is moved, turned and scaled.
    fn flat(&self, solid: &Solid, fit: &Fit, lasts: f64, look: &str, out: &mut String) {
        let frame = |outline: &Outline| -> ([f64; 2], f64, f64) {
            let Lie { origin: [x, y, _], along: [[right, down, _], ..] } = fit.lie(outline.lie);
            ([x, y], down.atan2(right).to_degrees(), right.hypot(down))
        };
        // Turns go on where the angle begins again.
        let mut turns: Vec<f64> = Vec::new();
        for outline in &self.seen {
            let angle = frame(outline).1;
            let before = turns.last().copied().unwrap_or(angle);
            turns.push(before + (angle - before + 180.0).rem_euclid(360.0) - 180.0);
        }
        let size = frame(&self.seen[0]).2;
        let place = |outline: &Outline| {
            let ([x, y], ..) = frame(outline);
            format!("{},{}", short(x), short(y))
        };
        let turn = |angle: f64| ((100.0 * angle).round() / 100.0 + 0.0).to_string();
        let scale = |outline: &Outline| format!("{:.4}", frame(outline).2 / size);
        let films: [(&str, Vec<String>); 3] = [
            ("translate", self.seen.iter().map(place).collect()),
            ("rotate", turns.iter().map(|angle| turn(*angle)).collect()),
            ("scale", self.seen.iter().map(scale).collect()),
        ];
        for (kind, film) in &films {
            let _ = write!(out, "<g transform=\"{kind}({})\">", film[0]);
            animate(("animateTransform", "transform"), Some(kind), film, lasts, out);
        }
        let _ = write!(
            out,
            "<path {look} stroke=\"#ffffff\" stroke-width=\"0.6\" paint-order=\"stroke\" d=\"{}\"/>",
            facets::flat(solid, size)
        );
        out.push_str("</g></g></g>\n");
    }

    /// How a number of it changes, if it does.
    fn animate(
        &self,
        name: &str,
        value: impl Fn(&Outline) -> String,
        lasts: f64,
        out: &mut String,
    ) {
        let values: Vec<String> = self.seen.iter().map(value).collect();
        animate(("animate", name), None, &values, lasts, out);
    }
}

fn animate(
    (element, name): (&str, &str),
    kind: Option<&str>,
    values: &[String],
    lasts: f64,
    out: &mut String,
) {
    if values.iter().all(|value| *value == values[0]) {
        return;
    }
    let values = values.join(";");
    let lasts = short(lasts);
    let kind = kind.map_or(String::new(), |kind| format!(" type=\"{kind}\""));
    let _ = write!(
        out,
        "<{element} attributeName=\"{name}\"{kind} dur=\"{lasts}s\" repeatCount=\"indefinite\" values=\"{values}\"/>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_go_around_what_they_enclose() {
        let points = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0]];
        let mut corners = around(&points);
        corners.sort_unstable();
        assert_eq!(corners, [0, 1, 3, 4]);
    }

    #[test]
    fn ellipsoids_are_seen_as_ellipses() {
        // Half axes of 3, 2 and 1, the second away from the viewer: an ellipse of 3 and 1.
        let half = [[3.0, 0.0], [0.0, 0.0], [0.0, 1.0]];
        for k in 0..CORNERS {
            let way = (std::f64::consts::TAU * k as f64 / CORNERS as f64).sin_cos();
            let [x, y] = ellipsoid(&half, way);
            assert!(((x / 3.0).powi(2) + y * y - 1.0).abs() < 1e-12, "{x} {y}");
        }
        assert_eq!(ellipsoid(&half, (0.0, 1.0)), [3.0, 0.0]);
    }

    #[test]
    fn axes_of_the_eye_are_orthonormal() {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let turned = [x, [0.0, 0.0, -1.0], y];
        for (planar, upright) in [(true, [x, y, z]), (false, [x, y, z]), (false, turned)] {
            let Eye(axes) = Eye::of(planar, &upright);
            for i in 0..3 {
                for j in 0..3 {
                    let product: f64 = (0..3).map(|k| axes[i][k] * axes[j][k]).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-15);
                }
            }
        }
    }
}
