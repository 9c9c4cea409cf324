//! The meshes that parts are made of, of half axes 1: a cylinder along y from 0 to 1, a ball, a box, a coil.

use std::f64::consts::TAU;

/// Triangles with their normals.
#[derive(Default)]
pub(super) struct Mesh {
    pub(super) positions: Vec<[f64; 3]>,
    pub(super) normals: Vec<[f64; 3]>,
    pub(super) indices: Vec<u16>,
}

/// Which mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::animate) enum Form {
    /// From 0 to 1 along y, of radius 1.
    Rod,
    /// Of radius 1.
    Ball,
    /// From −1 to 1 along all axes.
    Block,
    /// From −1 to 1 along z, of radius 1.
    Disc,
    /// A wire of seven turns from 0 to 1 along y, of radius 1 for a length of 16.
    Coil,
    /// What a file holds, by its number among those of the scene, in its units.
    File(usize),
}

impl Form {
    pub(super) fn mesh(self) -> Mesh {
        match self {
            Form::Rod => cylinder(20, |[x, y, z]| [x, y, z]),
            Form::Disc => cylinder(40, |[x, y, z]| [z, x, 2.0 * y - 1.0]),
            Form::Ball => ball(),
            Form::Block => block(),
            Form::Coil => coil(),
            Form::File(_) => Mesh::default(),
        }
    }
}

impl Mesh {
    /// Adds a grid of points with their normals: triangles between neighbours, counter-clockwise seen from
    /// outside where rows go around from one column to the next.
    fn grid(
        &mut self,
        rows: usize,
        columns: usize,
        at: impl Fn(usize, usize) -> ([f64; 3], [f64; 3]),
    ) {
        let first = self.positions.len();
        for i in 0..=rows {
            for j in 0..=columns {
                let (position, normal) = at(i, j);
                self.positions.push(position);
                self.normals.push(normal);
            }
        }
        let place = |i: usize, j: usize| (first + i * (columns + 1) + j) as u16;
        for i in 0..rows {
            for j in 0..columns {
                let [a, b, c, d] =
                    [place(i, j), place(i, j + 1), place(i + 1, j), place(i + 1, j + 1)];
                self.indices.extend([a, b, c, c, b, d]);
            }
        }
    }
}

/// A cylinder along y, turned by `axes`.
fn cylinder(sides: usize, axes: impl Fn([f64; 3]) -> [f64; 3]) -> Mesh {
    let mut mesh = Mesh::default();
    // A direction has no origin that is moved.
    let still = axes([0.0; 3]);
    let turn = |v: [f64; 3]| {
        let moved = axes(v);
        let way: [f64; 3] = std::array::from_fn(|i| moved[i] - still[i]);
        let norm = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        way.map(|x| x / norm)
    };
    let around = |k: usize| {
        let (s, c) = (TAU * k as f64 / sides as f64).sin_cos();
        [c, s]
    };
    mesh.grid(sides, 1, |i, j| {
        let [x, z] = around(i);
        (axes([x, j as f64, z]), turn([x, 0.0, z]))
    });
    for (y, up) in [(0.0, -1.0), (1.0, 1.0)] {
        mesh.grid(sides, 1, |i, j| {
            let [x, z] = around(i);
            let r = if (j == 0) == (up > 0.0) { 1.0 } else { 0.0 };
            (axes([r * x, y, r * z]), turn([0.0, up, 0.0]))
        });
    }
    mesh
}

fn ball() -> Mesh {
    let (sides, rings) = (24, 14);
    let mut mesh = Mesh::default();
    mesh.grid(sides, rings, |i, j| {
        let (s, c) = (TAU * i as f64 / sides as f64).sin_cos();
        let (r, y) = (0.5 * TAU * j as f64 / rings as f64).sin_cos();
        ([r * c, -y, r * s], [r * c, -y, r * s])
    });
    mesh
}

fn block() -> Mesh {
    let mut mesh = Mesh::default();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut normal = [0.0; 3];
            normal[axis] = side;
            mesh.grid(1, 1, |i, j| {
                let mut at = [0.0; 3];
                at[axis] = side;
                at[v] = side * (2.0 * i as f64 - 1.0);
                at[u] = 2.0 * j as f64 - 1.0;
                (at, normal)
            });
        }
    }
    mesh
}

fn coil() -> Mesh {
    let (turns, steps, sides) = (7.0, 168, 6);
    let long = 16.0;
    let wire = 0.2;
    let middle = |part: f64| {
        let (s, c) = (TAU * turns * part).sin_cos();
        [c, part * long, s]
    };
    // Directions across the wire, which do not roll about it on the way.
    let mut across = vec![[1.0, 0.0, 0.0]; steps + 1];
    let mut ways = vec![[0.0, 1.0, 0.0]; steps + 1];
    for i in 0..=steps {
        let part = i as f64 / steps as f64;
        let (before, after) = (middle(part - 1e-4), middle(part + 1e-4));
        let way: [f64; 3] = unit(std::array::from_fn(|k| after[k] - before[k]));
        let last = across[i.saturating_sub(1)];
        let along: f64 = (0..3).map(|k| last[k] * way[k]).sum();
        across[i] = unit(std::array::from_fn(|k| last[k] - along * way[k]));
        ways[i] = way;
    }
    let mut mesh = Mesh::default();
    mesh.grid(steps, sides, |i, j| {
        let part = i as f64 / steps as f64;
        let x = across[i];
        let y = cross(ways[i], x);
        let (s, c) = (TAU * j as f64 / sides as f64).sin_cos();
        let normal: [f64; 3] = std::array::from_fn(|k| c * x[k] + s * y[k]);
        let at = middle(part);
        let at: [f64; 3] = std::array::from_fn(|k| at[k] + wire * normal[k]);
        // What is pressed together along y has normals that are drawn out along it.
        ([at[0], at[1] / long, at[2]], unit([normal[0], normal[1] * long, normal[2]]))
    });
    mesh
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// The direction of a vector; of none the x axis.
pub(super) fn unit(v: [f64; 3]) -> [f64; 3] {
    let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 { v.map(|x| x / norm) } else { [1.0, 0.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_look_outwards() {
        for form in [Form::Rod, Form::Ball, Form::Block, Form::Disc, Form::Coil] {
            let mut mesh = form.mesh();
            if form == Form::Coil {
                // As it is seen: drawn out to its length.
                mesh.positions.iter_mut().for_each(|p| p[1] *= 16.0);
                mesh.normals.iter_mut().for_each(|n| *n = unit([n[0], n[1] / 16.0, n[2]]));
            }
            assert!(mesh.positions.len() < 1 << 16 && mesh.indices.len() % 3 == 0);
            for triangle in mesh.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|k: usize| mesh.positions[usize::from(triangle[k])]);
                let side = |p: [f64; 3]| std::array::from_fn(|i| p[i] - a[i]);
                let normal = cross(side(b), side(c));
                for &k in triangle {
                    let own = mesh.normals[usize::from(k)];
                    let norm: f64 = own.iter().map(|x| x * x).sum();
                    assert!((norm - 1.0).abs() < 1e-9, "{form:?} {own:?}");
                    let along: f64 = (0..3).map(|i| normal[i] * own[i]).sum();
                    assert!(along > -1e-9, "{form:?} {triangle:?}: {along}");
                }
            }
        }
    }
}
