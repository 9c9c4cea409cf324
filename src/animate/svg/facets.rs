//! The facets of files in a moving picture. In the plane they are one path, which is moved; in space each frame has those
//! that are turned to the viewer, the nearer before the farther and brighter where light falls on them.

use super::super::solid::Solid;
use std::fmt::Write;

/// Letters of a facet, of which half are turned away in space.
const FACET: usize = 32;
/// Shades between dark and bright.
const SHADES: f64 = 10.0;
/// Whence light comes: from the left, above and before the picture.
const LIGHT: [f64; 3] = [-0.4, 0.65, 0.65];

/// How many letters a solid takes in one frame, about.
pub(super) fn letters(solid: &Solid) -> usize {
    FACET * solid.corners.len() / 2
}

/// How a file lies: where its origin is, and its axes, each with the length of 1 in the file; to the right, upwards (or
/// downwards, in pixels), and towards the viewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lie {
    pub(super) origin: [f64; 3],
    pub(super) along: [[f64; 3]; 3],
}

impl Lie {
    fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let by = |i: usize| (0..3).map(|k| p[k] * self.along[k][i]).sum::<f64>();
        std::array::from_fn(|i| self.origin[i] + by(i))
    }

    /// Whether the plane of its x and y axes is that of the picture.
    pub(super) fn is_flat(&self) -> bool {
        let [x, y, _] = self.along;
        let size = x[0].hypot(x[1]);
        (x[0] - y[1]).abs() + (x[1] + y[0]).abs() <= 1e-6 * size && size > 0.0
    }

    /// How far corners of what the file holds are from where they are in another place, at most, as they are seen.
    pub(super) fn apart(&self, other: &Lie, solid: &Solid) -> f64 {
        let bounds = solid.bounds();
        let corner = |k: usize| -> [f64; 3] { std::array::from_fn(|i| bounds[k >> i & 1][i]) };
        let way = |k: usize| {
            let (p, q) = (self.point(corner(k)), other.point(corner(k)));
            (p[0] - q[0]).hypot(p[1] - q[1])
        };
        (0..8).map(way).fold(0.0, f64::max)
    }
}

/// A file in space over a film of so many seconds.
pub(super) struct Film<'a> {
    pub(super) solid: &'a Solid,
    pub(super) color: u32,
    pub(super) lasts: f64,
}

impl Film<'_> {
    /// A group for each frame, which is seen from halfway after the frame before to halfway before the next.
    pub(super) fn write(&self, lies: &[Lie], out: &mut String) {
        let still = lies.iter().all(|lie| lie.apart(&lies[0], self.solid) < 0.05);
        let lies = if still { &lies[..1] } else { lies };
        for (k, lie) in lies.iter().enumerate() {
            let hidden = if k > 0 { " visibility=\"hidden\"" } else { "" };
            let _ = write!(out, "<g stroke-width=\"0.6\" stroke-linejoin=\"round\"{hidden}>");
            if !still {
                self.seen_while(k, lies.len(), out);
            }
            self.frame(lie, out);
            out.push_str("</g>");
        }
    }

    fn seen_while(&self, k: usize, count: usize, out: &mut String) {
        let part = |k: f64| {
            let part = ((k - 0.5) / (count - 1) as f64).clamp(0.0, 1.0);
            (1e5 * part).round() / 1e5
        };
        let (from, to) = (part(k as f64), part(k as f64 + 1.0));
        let (values, times) = match k {
            0 => ("visible;hidden", format!("0;{to}")),
            k if k + 1 == count => ("hidden;visible", format!("0;{from}")),
            _ => ("hidden;visible;hidden", format!("0;{from};{to}")),
        };
        let _ = write!(
            out,
            "<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{}s\" \
             repeatCount=\"indefinite\" values=\"{values}\" keyTimes=\"{times}\"/>",
            self.lasts
        );
    }

    fn frame(&self, lie: &Lie, out: &mut String) {
        let seen: Vec<[f64; 3]> =
            self.solid.points.iter().map(|p| lie.point(p.map(f64::from))).collect();
        let mut facets = turned_to_us(&self.solid.corners, &seen);
        facets.sort_by(|a, b| a.depth.total_cmp(&b.depth));
        // Neighbours in this order that are as bright are one path.
        let mut rest = &facets[..];
        while let [first, ..] = rest {
            let alike = rest.iter().take_while(|facet| facet.shade == first.shade).count();
            let color = shaded(self.color, first.shade);
            let _ = write!(out, "<path fill=\"{color}\" stroke=\"{color}\" d=\"");
            for facet in &rest[..alike] {
                let [a, b, c] = facet.corners.map(|k| {
                    let [x, y, _] = seen[k as usize];
                    format!("{} {}", short(x), short(y))
                });
                let _ = write!(out, "M{a} {b} {c}Z");
            }
            out.push_str("\"/>");
            rest = &rest[alike..];
        }
    }
}

struct Facet {
    corners: [u32; 3],
    /// How near its centre is.
    depth: f64,
    /// From 0, dark, to `SHADES`.
    shade: u8,
}

/// The facets that are seen, y downwards: of a closed surface those turned to the viewer, else all.
fn turned_to_us(corners: &[[u32; 3]], seen: &[[f64; 3]]) -> Vec<Facet> {
    let normals = corners.iter().map(|corners| {
        let [a, b, c] = corners.map(|k| seen[k as usize]);
        let side = |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|i| p[i] - a[i]) };
        let (u, v) = (side(b), side(c));
        // With y downwards what goes around to the left is seen to go around to the right.
        [v[1] * u[2] - v[2] * u[1], v[0] * u[2] - v[2] * u[0], u[1] * v[0] - u[0] * v[1]]
    });
    let normals: Vec<[f64; 3]> = normals.collect();
    let (open, all) =
        normals.iter().fold((0.0, 0.0), |(sum, all), n| (sum + n[2], all + n[2].abs()));
    let closed = f64::abs(open) <= 1e-3 * all;
    let found = corners.iter().zip(&normals).filter_map(|(corners, normal)| {
        let size = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        // An edge-on facet hides nothing.
        if normal[2].abs() <= 1e-6 * size || (normal[2] < 0.0 && closed) {
            return None;
        }
        let ours = normal[2].signum() / size;
        let light: f64 = (0..3).map(|i| LIGHT[i] * normal[i] * ours).sum();
        let depth = corners.iter().map(|k| seen[*k as usize][2]).sum::<f64>() / 3.0;
        let shade = (SHADES * light.clamp(0.0, 1.0)).round() as u8;
        Some(Facet { corners: *corners, depth, shade })
    });
    found.collect()
}

fn shaded(color: u32, shade: u8) -> String {
    let bright = 0.62 + 0.5 * f64::from(shade) / SHADES;
    let part = |k: u32| ((f64::from(color >> k & 255) * bright).round() as u32).min(255);
    format!("#{:02x}{:02x}{:02x}", part(16), part(8), part(0))
}

/// Triangles as they are seen along z, y upwards, as a path. Of a closed surface those in front are enough.
pub(super) fn flat(solid: &Solid, size: f64) -> String {
    let mut seen = Vec::with_capacity(solid.corners.len());
    let mut areas = [0.0; 2];
    for corners in &solid.corners {
        let [a, b, c] = corners.map(|k| {
            let [x, y, _] = solid.points[k as usize].map(f64::from);
            [x, y]
        });
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        areas[usize::from(area < 0.0)] += area.abs();
        // All one way around, or they would cut holes into one another.
        seen.push(if area < 0.0 { (area, [a, c, b]) } else { (area, [a, b, c]) });
    }
    let closed = (areas[0] - areas[1]).abs() <= 1e-3 * areas[0];
    // An edge-on facet hides nothing.
    seen.retain(|(area, _)| area.abs() > 1e-9 * areas[0] && (*area > 0.0 || !closed));
    let mut path = String::new();
    for (_, corners) in seen {
        for (letter, [x, y]) in ["M", "L", "L"].iter().zip(corners) {
            let _ = write!(path, "{letter}{} {}", short(size * x), short(-size * y));
        }
        path.push('Z');
    }
    path
}

/// To a tenth of a pixel.
pub(super) fn short(x: f64) -> f64 {
    (10.0 * x).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with edges along the axes, its facets counter-clockwise seen from outside.
    fn corner() -> Solid {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let corners = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        Solid { points, corners }
    }

    /// Ten pixels for a length of 1; z towards the viewer, or away with the axes turned about x by half a turn.
    fn lie(back: f64) -> Lie {
        let along = [[10.0, 0.0, 0.0], [0.0, -10.0 * back, 0.0], [0.0, 0.0, 10.0 * back]];
        Lie { origin: [5.0, 50.0, 0.0], along }
    }

    #[test]
    fn facets_that_are_turned_away_are_not_seen() {
        let solid = corner();
        for (back, seen) in [(1.0, [1, 2, 3]), (-1.0, [0, 2, 1])] {
            let lie = lie(back);
            let points: Vec<[f64; 3]> =
                solid.points.iter().map(|p| lie.point(p.map(f64::from))).collect();
            let facets = turned_to_us(&solid.corners, &points);
            let corners: Vec<[u32; 3]> = facets.iter().map(|facet| facet.corners).collect();
            assert_eq!(corners, [seen], "{back}");
        }
        // Of an open surface both sides are.
        let points: Vec<[f64; 3]> = solid.points.iter().map(|p| p.map(f64::from)).collect();
        assert_eq!(turned_to_us(&solid.corners[..1], &points).len(), 1);
        assert_eq!(turned_to_us(&[[0, 1, 2]], &points).len(), 1);
    }

    #[test]
    fn the_nearer_hides_the_farther() {
        // Two sheets one behind the other, the nearer named first.
        let points = [2.0, 1.0]
            .iter()
            .flat_map(|z| [[0.0, 0.0, *z as f32], [1.0, 0.0, *z as f32], [0.0, 1.0, *z as f32]]);
        let solid = Solid { points: points.collect(), corners: vec![[0, 1, 2], [3, 4, 5]] };
        let film = Film { solid: &solid, color: 0xc8393c, lasts: 2.0 };
        let mut out = String::new();
        let mut turned = lie(1.0);
        turned.along[2] = [1.0, 0.0, 10.0];
        film.frame(&turned, &mut out);
        let at = |x: f64| out.find(&format!("M{x} 50")).unwrap();
        assert!(at(6.0) < at(7.0), "{out}");
    }

    #[test]
    fn each_frame_is_seen_in_its_time_and_what_stands_still_once() {
        let solid = corner();
        let film = Film { solid: &solid, color: 0x84898f, lasts: 2.0 };
        let write = |lies: &[Lie]| {
            let mut out = String::new();
            film.write(lies, &mut out);
            out
        };
        assert_eq!(write(&[lie(1.0); 5]).matches("<g ").count(), 1);
        let moving: Vec<Lie> =
            (0..5).map(|k| Lie { origin: [f64::from(k), 0.0, 0.0], ..lie(1.0) }).collect();
        let out = write(&moving);
        let times: Vec<&str> =
            out.split("keyTimes=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
        assert_eq!(
            times,
            ["0;0.125", "0;0.125;0.375", "0;0.375;0.625", "0;0.625;0.875", "0;0.875"]
        );
    }
}
