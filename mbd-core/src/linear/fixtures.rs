//! Matrices for the tests and the bench of linear algebra.

use super::Pattern;
use nalgebra::DMatrix;

/// A small generator, so that every run sees the same matrices.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let bits = (self.0 >> 11) as f64 / (1u64 << 53) as f64;
        2.0 * bits - 1.0
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((self.next() + 1.0) / 2.0 * n as f64) as usize % n
    }
}

pub(crate) fn dense_of(pattern: &Pattern, values: &[f64]) -> DMatrix<f64> {
    let mut a = DMatrix::zeros(pattern.size(), pattern.size());
    for ((i, j), v) in pattern.entries().zip(values) {
        a[(i, j)] = *v;
    }
    a
}

pub(crate) fn random_sparse(
    random: &mut Random,
    n: usize,
    per_column: usize,
) -> (Pattern, Vec<f64>) {
    let mut entries: Vec<(u32, u32)> = Vec::new();
    let shift = random.below(n);
    for j in 0..n {
        entries.push((((j + shift) % n) as u32, j as u32));
        for _ in 1..per_column {
            entries.push((random.below(n) as u32, j as u32));
        }
    }
    let pattern = Pattern::sparse(n, &entries);
    let values = (0..pattern.value_len()).map(|_| random.next()).collect();
    (pattern, values)
}

/// KKT matrix of a planar chain of links: 3 coordinates and 2 rows per link.
pub(crate) fn chain(links: usize, random: &mut Random) -> (usize, Vec<(usize, usize, f64)>) {
    let n = 3 * links;
    let mut entries = Vec::new();
    for i in 0..links {
        for (k, mass) in [1.0, 1.0, 1.0 / 12.0].into_iter().enumerate() {
            entries.push((3 * i + k, 3 * i + k, mass));
        }
        let angle = 3.0 * random.next();
        let (s, c) = (0.5 * f64::sin(angle), 0.5 * f64::cos(angle));
        let mut row = |r: usize, j: usize, v: f64| {
            entries.push((n + r, j, v));
            entries.push((j, n + r, v));
        };
        row(2 * i, 3 * i, 1.0);
        row(2 * i, 3 * i + 2, s);
        row(2 * i + 1, 3 * i + 1, 1.0);
        row(2 * i + 1, 3 * i + 2, -c);
        if i + 1 < links {
            row(2 * i + 2, 3 * i, -1.0);
            row(2 * i + 2, 3 * i + 2, s);
            row(2 * i + 3, 3 * i + 1, -1.0);
            row(2 * i + 3, 3 * i + 2, -c);
        }
    }
    (5 * links, entries)
}

/// KKT matrix of a net: side × side bodies of three coordinates, each with a joint of two rows to the
/// body on the right and one of one row to the body below; some coordinates of little mass.
pub(crate) fn net(side: usize, random: &mut Random) -> (usize, Vec<(usize, usize, f64)>) {
    let n = 3 * side * side;
    let masses = [1.0, 1.0, 1.0 / 12.0, 0.01];
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, masses[i % 3 + (i % 7) / 6])).collect();
    let mut row = n;
    for i in 0..side {
        for j in 0..side {
            for (k, l, axes) in [(i + 1, j, 1..2), (i, j + 1, 0..2)] {
                if k == side || l == side {
                    continue;
                }
                for axis in axes {
                    for (body, sign) in [(i * side + j, -1.0), (k * side + l, 1.0)] {
                        for (column, value) in
                            [(3 * body + axis, sign), (3 * body + 2, random.next())]
                        {
                            entries.push((row, column, value));
                            entries.push((column, row, value));
                        }
                    }
                    row += 1;
                }
            }
        }
    }
    (row, entries)
}

pub(crate) fn values_of(pattern: &Pattern, entries: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut values = vec![0.0; pattern.value_len() + 1];
    for &(r, c, v) in entries {
        values[pattern.position(r, c)] += v;
    }
    values
}

pub(crate) fn places(entries: &[(usize, usize, f64)]) -> Vec<(u32, u32)> {
    entries.iter().map(|&(r, c, _)| (r as u32, c as u32)).collect()
}

pub(crate) fn full_values(pattern: &Pattern, values: &[f64]) -> Vec<f64> {
    dense_of(pattern, values).as_slice().to_vec()
}
