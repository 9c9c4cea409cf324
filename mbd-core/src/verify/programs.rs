//! Programs beside plain dual numbers.

use super::samples::{Noise, generic_point};
use super::terms::terms;
use crate::assembly::{Derivatives, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::program::PATIENCE;
use crate::scalar::SLIDES;
use std::collections::HashMap;

/// Largest difference between the programs and plain dual numbers, over all residual pieces and
/// terms at a generic point, relative to each quantity's largest entry.
///
/// The two are independent: one differentiates an expression, the other evaluates it on numbers
/// that carry derivatives. They agree to round-off. Infinite when a program does not give the same
/// bits evaluated node by node and by code. Where comparisons can be held on a
/// [side](Point::sides), the largest difference with sides at random counts too, as far as what is
/// held has a value there.
pub fn program_error(system: &mut System, seed: u64) -> f64 {
    slide_along_all(system);
    let mut point = generic_point(system, seed);
    let free = program_error_at(system, &point, seed);
    if point.sides().is_empty() {
        return free;
    }
    let mut noise = Noise::new(seed + 2);
    point.sides_mut().iter_mut().for_each(|side| *side = noise.sample().signum());
    let held = program_error_at(system, &point, seed);
    for (side, _) in system.sides_of_surfaces(point.flat()) {
        point.flat_mut()[side] = SLIDES;
    }
    let sliding = program_error_at(system, &point, seed);
    [held, sliding].into_iter().filter(|error| !error.is_nan()).fold(free, f64::max)
}

/// The same at a point; NaN where something has no value in both.
fn program_error_at(system: &mut System, point: &Point, seed: u64) -> f64 {
    let dims = system.dims();
    let mut noise = Noise::new(seed + 1);
    let mut vector = |len: usize| (0..len).map(|_| noise.sample()).collect::<Vec<f64>>();
    let (u, s, r) = (vector(dims.n), vector(dims.m), vector(dims.p));
    let weights = Weights { u: &u, s: &s, r: &r };
    let everything = (0..15).fold(Want::NONE, |all, k| all | Want::bit(k));
    let before = system.derivatives();
    system.set_derivatives(Derivatives::Programs);
    // Matrices have the patterns of programs, on dual numbers too.
    let planned = system.clone();
    let evaluate = |system: &System, times: u32| {
        let mut out = Residual::new(&dims);
        (0..times).for_each(|_| system.eval(point, &weights, everything, &mut out));
        let mut lists: Vec<Vec<f64>> = out.pieces().map(|(_, _, values)| values.to_vec()).into();
        lists.push(vec![out.kinetic]);
        lists.push(vec![out.potential]);
        // Pieces and a matrix in one evaluation.
        let mut plan = crate::assembly::PlanBuilder::new(dims.n + dims.m);
        for term in [Term::M, Term::F(SlotKind::Q), Term::GtsQ] {
            plan.term(term, 0, 0);
        }
        plan.term(Term::G, dims.n, 0);
        let plan = plan.build(&planned);
        let mut values = plan.values();
        for _ in 0..times {
            let coefficients = [0.7, 1.3, -0.4, 2.1];
            let residual = (everything, &mut out);
            plan.fill_with(system, point, &weights, &coefficients, &mut values, residual);
        }
        lists.extend(out.pieces().map(|(_, _, values)| values.to_vec()));
        values.pop();
        lists.push(values);
        let mut outside: f64 = 0.0;
        for term in terms() {
            let (rows, cols) = system.term_shape(term);
            let mut plan = crate::assembly::PlanBuilder::new(rows.max(cols));
            plan.term(term, 0, 0);
            let plan = plan.build(&planned);
            let mut values = plan.values();
            // Another coefficient each time: what is constant is computed anew.
            for k in (1..=times).rev() {
                let coefficient = 1.5 * f64::from(k);
                plan.fill(system, point, &weights, &[coefficient], &mut values);
            }
            values.pop();
            lists.push(values);
            // Parts of several statements may cancel there.
            let pattern = plan.pattern();
            let mut sums: HashMap<(usize, usize), f64> = HashMap::new();
            for (row, column, value) in system.entries(point, &weights, term) {
                if pattern.position(row, column) == pattern.value_len() {
                    *sums.entry((row, column)).or_default() += value;
                }
            }
            outside = sums.into_values().fold(outside, |most, sum| most.max(sum.abs()));
        }
        (lists, outside)
    };
    // Node by node, and by code once that is made.
    let (stepped, _) = evaluate(system, 1);
    let (programs, _) = evaluate(system, PATIENCE + 1);
    system.set_derivatives(Derivatives::Dual);
    let (duals, outside) = evaluate(system, 1);
    system.set_derivatives(before);
    let bits = |lists: &[Vec<f64>]| -> Vec<u64> {
        lists.iter().flatten().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
    };
    let is_nan = |lists: &[Vec<f64>]| lists.iter().flatten().any(|x| x.is_nan());
    if is_nan(&programs) && is_nan(&duals) {
        return f64::NAN;
    }
    // A zero has no sign here: sums leave it to the order of their terms.
    let same = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a == b || (a | b) << 1 == 0);
    if !same(&bits(&stepped), &bits(&programs)) {
        return f64::INFINITY;
    }
    let worst = programs.iter().zip(&duals).map(|(a, b)| {
        let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        a.iter()
            .zip(b)
            .fold(0.0, |m: f64, (a, b)| if a == b { m } else { m.max((a - b).abs() / size) })
    });
    // What the patterns have no place for must be zero, but for rounding where terms cancel.
    let size = duals.iter().flatten().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    // Written so that NaN is seen.
    worst.chain([outside / size]).fold(0.0, |m: f64, x| if x <= m { m } else { x })
}

/// Puts the rows of all surfaces into the equations.
pub(super) fn slide_along_all(system: &mut System) {
    system.set_slides(&vec![true; system.slides().len()]);
    system.set_holds(&vec![true; system.holds().len()]);
}
