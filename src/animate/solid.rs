//! Files of meshes as pictures need them: each corner once, and as few triangles as fit into a page.

use super::encode::base64;
use crate::json::object;
use mbd_core::model::Mesh;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::Hash;

/// Triangles that share their corners, in units of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Solid {
    pub(super) points: Vec<[f32; 3]>,
    pub(super) corners: Vec<[u32; 3]>,
}

impl Solid {
    pub(super) fn of(mesh: &Mesh) -> Self {
        let mut solid = Solid::default();
        let mut places = Places::default();
        for triangle in mesh.triangles() {
            // 0 and −0 are one place.
            let corners = triangle.map(|corner| {
                let corner = corner.map(|x| x + 0.0);
                places.of(corner.map(f32::to_bits), corner, &mut solid.points)
            });
            solid.push(corners);
        }
        solid
    }

    fn push(&mut self, corners: [u32; 3]) {
        let [a, b, c] = corners;
        if a != b && b != c && c != a {
            self.corners.push(corners);
        }
    }

    /// Corners in one cube with edges of this length become one of them, so that none moves by more than √3 of these.
    pub(super) fn merged(&self, edge: f64) -> Self {
        let mut solid = Solid::default();
        let mut places = Places::default();
        let place = |point: &[f32; 3], solid: &mut Solid, places: &mut Places<[i64; 3]>| {
            let cube = point.map(|x| (f64::from(x) / edge).floor() as i64);
            places.of(cube, *point, &mut solid.points)
        };
        let moved: Vec<u32> =
            self.points.iter().map(|point| place(point, &mut solid, &mut places)).collect();
        for corners in &self.corners {
            solid.push(corners.map(|corner| moved[corner as usize]));
        }
        solid
    }

    /// Lowest and highest coordinates.
    pub(super) fn bounds(&self) -> [[f64; 3]; 2] {
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for point in &self.points {
            for i in 0..3 {
                let x = f64::from(point[i]);
                bounds[0][i] = bounds[0][i].min(x);
                bounds[1][i] = bounds[1][i].max(x);
            }
        }
        if self.points.is_empty() { [[0.0; 3]; 2] } else { bounds }
    }

    /// How far it reaches from the origin of its file.
    pub(super) fn reach(&self) -> f64 {
        let far = |p: &[f32; 3]| p.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        self.points.iter().map(far).fold(0.0, f64::max)
    }

    /// How many letters it takes in a page, about.
    pub(super) fn letters(&self) -> usize {
        16 * (self.points.len() + self.corners.len())
    }

    /// The page's data: points in four bytes a number, corners in four.
    pub(super) fn json(&self, file: &str) -> Value {
        let points: Vec<u8> = self.points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let corners: Vec<u8> =
            self.corners.iter().flatten().flat_map(|k| k.to_le_bytes()).collect();
        object! { "file": file, "points": base64(&points), "corners": base64(&corners) }
    }
}

/// Points that are known by something, each with its number.
struct Places<K>(HashMap<K, u32>);

impl<K> Default for Places<K> {
    fn default() -> Self {
        Places(HashMap::new())
    }
}

impl<K: Eq + Hash> Places<K> {
    fn of(&mut self, key: K, point: [f32; 3], points: &mut Vec<[f32; 3]>) -> u32 {
        *self.0.entry(key).or_insert_with(|| {
            points.push(point);
            points.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of squares, each of two triangles.
    fn strip(n: usize) -> Solid {
        let x = |i: usize| i as f32 / n as f32;
        let points = (0..=n).flat_map(|i| [[x(i), 0.0, 0.0], [x(i), 1.0, 0.0]]).collect();
        let corners = (0..n as u32).flat_map(|i| {
            let i = 2 * i;
            [[i, i + 2, i + 1], [i + 1, i + 2, i + 3]]
        });
        Solid { points, corners: corners.collect() }
    }

    fn area(solid: &Solid) -> f64 {
        let of = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|k| solid.points[k as usize].map(f64::from));
            0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
        };
        solid.corners.iter().map(of).sum()
    }

    #[test]
    fn what_is_merged_has_fewer_triangles_and_nearly_the_same_shape() {
        let fine = strip(1000);
        let coarse = fine.merged(0.01);
        assert!(coarse.corners.len() < 250, "{}", coarse.corners.len());
        assert!((area(&fine) - 1.0).abs() < 1e-6 && (area(&coarse) - 1.0).abs() < 0.01);
        assert_eq!(fine.merged(1e-6), fine);
    }
}
