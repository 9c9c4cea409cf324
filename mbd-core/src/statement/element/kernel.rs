//! A statement's expression as it is written: a function generic in its scalar.
//!
//! What is generic in a kernel and its sizes ends here and at [`Element::new`](super::Element::new), in a
//! few lines: statements are compiled with the user's model, everything else with the library.

use crate::scalar::{Num, Scalar, Trace};

/// A statement's expression as a function of the `K` scalars and `P` parameters it reads,
/// returning `R` rows. What `mechanism!` writes; may be written by hand.
pub trait Kernel<const K: usize, const P: usize, const R: usize>: Send + Sync + 'static {
    /// Evaluates the rows. `at` holds the values of the enclosing loop indices, outermost first.
    fn eval<D: Scalar>(&self, at: &[usize], z: &[Num<D>; K], p: &[Num<D>; P]) -> [Num<D>; R];
}

/// A kernel whatever its sizes: fills the rows.
pub(crate) trait Body: Send + Sync {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]);
}

/// A kernel of these sizes.
pub(super) struct OfSizes<E, const K: usize, const P: usize, const R: usize>(pub(super) E);

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> Body
    for OfSizes<E, K, P, R>
{
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        if let (Some(z), Some(p), Some(rows)) =
            (z.first_chunk(), p.first_chunk(), rows.first_chunk_mut())
        {
            *rows = self.0.eval::<Trace>(at, z, p);
        }
    }
}

/// The value of a kernel of one row.
pub fn evaluate<E, const K: usize, const P: usize>(
    kernel: &E,
    at: &[usize],
    z: [f64; K],
    p: [f64; P],
) -> f64
where
    E: Kernel<K, P, 1>,
{
    let [value] = evaluate_rows(kernel, at, z, p);
    value
}

/// The values of a kernel of several rows.
pub fn evaluate_rows<E, const K: usize, const P: usize, const R: usize>(
    kernel: &E,
    at: &[usize],
    z: [f64; K],
    p: [f64; P],
) -> [f64; R]
where
    E: Kernel<K, P, R>,
{
    kernel.eval::<Trace>(at, &z.map(Num::from), &p.map(Num::from)).map(Num::value)
}
