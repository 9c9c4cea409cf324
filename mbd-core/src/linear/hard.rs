//! Matrices with entries that are rounding.

use super::fixtures::{Random, dense_of};
use super::*;
use nalgebra::Complex;

/// Entries of rounding size on the diagonal must not set the scale of rows, as they come about where
/// coordinates of bodies in space vanish at the start.
#[test]
fn entries_that_are_rounding_are_no_pivots() {
    let mut random = Random(20_260);
    let (mut solved, mut worst) = (0, 0.0f64);
    for trial in 0..4000 {
        let n = 2 + trial % 19;
        let all: Vec<_> = (0..n * n).map(|k| ((k % n) as u32, (k / n) as u32)).collect();
        let pattern = Pattern::sparse(n, &all);
        let mut values: Vec<f64> = (0..n * n).map(|_| random.next()).collect();
        for (k, value) in values.iter_mut().enumerate() {
            if random.below(3) == 0 || k % (n + 1) == 0 {
                *value *= 10f64.powi(-16 - random.below(13) as i32);
            }
        }
        let a = dense_of(&pattern, &values);
        let singular = a.clone().svd(false, false).singular_values;
        if singular.min() < 1e-3 * singular.max() {
            continue;
        }
        solved += 1;
        let mut lu = SparseLu::<f64>::new(&pattern);
        lu.factorize(&values).unwrap();
        let turned: Vec<_> = values.iter().map(|v| Complex::new(*v, 0.5 * v)).collect();
        let mut complex = SparseLu::<Complex<f64>>::new(&pattern);
        complex.factorize(&turned).unwrap();
        for transposed in [false, true] {
            let a = if transposed { a.transpose() } else { a.clone() };
            let b = nalgebra::DVector::from_fn(n, |_, _| random.next());
            let mut x = b.clone();
            let mut z: Vec<_> = b.iter().map(|b| Complex::new(*b, 0.5 * b)).collect();
            if transposed {
                lu.solve_transpose(x.as_mut_slice());
                complex.solve_transpose(&mut z);
            } else {
                lu.solve(x.as_mut_slice());
                complex.solve(&mut z);
            }
            let z = nalgebra::DVector::from_iterator(n, z.iter().map(|z| z.re));
            for x in [x, z] {
                let size = a.abs() * x.abs() + b.abs();
                let r = (&a * x - &b).abs();
                worst = worst.max(r.iter().zip(&size).fold(0.0, |m, (r, s)| m.max(r / s)));
            }
        }
        assert!(worst <= 1e-12, "size {n}: {worst:e}, {lu:?}\n{a}");
    }
    assert!(solved > 500, "{solved}");
}
