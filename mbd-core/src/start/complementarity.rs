//! Which of several contacts are met: the linear complementarity problem 0 ≤ z ⊥ w = D z + q ≥ 0 of their impulses z and
//! rates w, with D symmetric and positive semidefinite.

use nalgebra::{DMatrix, DVector};

/// Relative size of rounding.
const ROUNDING: f64 = 1e-11;

/// What is asked of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// w = 0, whatever z is.
    Zero,
    /// z = 0, whatever w is.
    Nothing,
    /// 0 ≤ z ⊥ w ≥ 0.
    Complementary,
}

/// The rows that have w = 0 in a solution; `None` where there is none.
///
/// By principal pivots (Dantzig and Cottle, in Abadie: Nonlinear Programming, 1967): of the rows with w < 0 the worst has its z
/// grow until its w is zero. A z that falls to zero meanwhile leaves, a w that does comes in. As one goes out before another
/// comes in that moves along with it, contacts that cannot all be met are no contradiction as long as some solution exists.
pub(super) fn met(d: &DMatrix<f64>, q: &DVector<f64>, asked: &[Asked]) -> Option<Vec<bool>> {
    let size = asked.len();
    let mut basic: Vec<bool> = asked.iter().map(|asked| *asked == Asked::Zero).collect();
    let complementary = |i: usize| asked[i] == Asked::Complementary;
    let start = along(d, &basic, q, None)?;
    let mut z = start;
    let mut w = d * &z + q;
    let rounding = ROUNDING * (q.amax() + w.amax());
    // Each pivot leads to a set of rows that has not been there; ties broken by rounding could come back to one.
    let most = 50 * (size + 1);
    let mut driving: Option<usize> = None;
    for _ in 0..most {
        // Another that came in may have brought its rate to zero with it.
        if let Some(r) = driving.take_if(|r| w[*r] >= -rounding) {
            basic[r] = true;
        }
        let worst = || {
            let low = (0..size).filter(|&i| complementary(i) && !basic[i] && w[i] < -rounding);
            low.min_by(|&i, &j| w[i].total_cmp(&w[j]))
        };
        let Some(r) = driving.or_else(worst) else { return Some(basic) };
        let column = d.column(r).into_owned();
        let dz = along(d, &basic, &column, Some(r))?;
        let dw = d * &dz;
        let mut end: Option<(f64, usize)> = None;
        let mut limit = |t: f64, i: usize| {
            if end.is_none_or(|(known, _)| t < known) {
                end = Some((t.max(0.0), i));
            }
        };
        if dw[r] > ROUNDING * d[(r, r)].abs() {
            limit(-w[r] / dw[r], r);
        }
        for i in (0..size).filter(|&i| complementary(i) && i != r) {
            if basic[i] && dz[i] < -ROUNDING * dz.amax() {
                limit(-z[i] / dz[i], i);
            } else if !basic[i] && w[i] >= -rounding && dw[i] < -ROUNDING * d.amax() {
                limit(-w[i].max(0.0) / dw[i], i);
            }
        }
        let (t, i) = end?;
        z.axpy(t, &dz, 1.0);
        w.axpy(t, &dw, 1.0);
        basic[i] = !basic[i];
        if basic[i] {
            w[i] = 0.0;
        } else {
            z[i] = 0.0;
        }
        driving = if i == r { None } else { Some(r) };
    }
    None
}

/// z of the basic rows with which their w do not change where `b` is added to them, and 1 of the driving one; `None` where the
/// rows allow none.
fn along(
    d: &DMatrix<f64>,
    basic: &[bool],
    b: &DVector<f64>,
    driving: Option<usize>,
) -> Option<DVector<f64>> {
    let rows: Vec<usize> = (0..basic.len()).filter(|&i| basic[i]).collect();
    let mut z = DVector::zeros(basic.len());
    if let Some(r) = driving {
        z[r] = 1.0;
    }
    if rows.is_empty() {
        return Some(z);
    }
    let part = DMatrix::from_fn(rows.len(), rows.len(), |i, j| d[(rows[i], rows[j])]);
    let right = DVector::from_fn(rows.len(), |i, _| -b[rows[i]]);
    let solved = part.clone().svd(true, true).solve(&right, ROUNDING).ok()?;
    let left = (part * &solved - &right).amax();
    if !(left <= 1e3 * ROUNDING * (right.amax() + d.amax())) {
        return None;
    }
    rows.iter().zip(&solved).for_each(|(&i, value)| z[i] = *value);
    Some(z)
}

#[cfg(test)]
mod tests {
    use super::{Asked, met};
    use crate::verify::Noise;
    use nalgebra::{DMatrix, DVector};

    /// Random problems of every rank, solvable by construction, against the conditions that a solution satisfies.
    #[test]
    fn what_has_a_solution_is_solved() {
        let mut noise = Noise::new(7);
        for size in 1..=8 {
            for rank in 1..=size {
                for _ in 0..40 {
                    let w = DMatrix::from_fn(size, rank, |_, _| noise.sample());
                    let d = &w * w.transpose();
                    // Some velocity keeps all gaps from closing.
                    let v = DVector::from_fn(rank, |_, _| noise.sample());
                    let q =
                        &w * v + DVector::from_fn(size, |_, _| -noise.sample().max(0.0).powi(2));
                    let opens = DVector::from_fn(rank, |_, _| 2.0 * noise.sample());
                    let q = q.zip_map(&(&w * opens), |q, open| q.max(-open));
                    let asked = vec![Asked::Complementary; size];
                    let basic = met(&d, &q, &asked).expect("a solution");
                    let rows: Vec<usize> = (0..size).filter(|&i| basic[i]).collect();
                    let part =
                        DMatrix::from_fn(rows.len(), rows.len(), |i, j| d[(rows[i], rows[j])]);
                    let right = DVector::from_fn(rows.len(), |i, _| -q[rows[i]]);
                    let mut z = DVector::zeros(size);
                    if !rows.is_empty() {
                        let solved = part.svd(true, true).solve(&right, 1e-11).unwrap();
                        rows.iter().zip(&solved).for_each(|(&i, value)| z[i] = *value);
                    }
                    let after = &d * z + &q;
                    assert!(after.min() > -1e-8 * (1.0 + q.amax()), "{size} {rank}: {after}");
                    assert!(rows.iter().all(|&i| after[i].abs() <= 1e-8), "{size} {rank}: {after}");
                }
            }
        }
    }

    #[test]
    fn one_that_cannot_be_met_with_another_opens() {
        // A rope that is paid out and a floor, along one direction.
        let d = DMatrix::from_element(2, 2, 1.0);
        let basic = met(&d, &DVector::from_vec(vec![0.0, -0.5]), &[Asked::Complementary; 2]);
        assert_eq!(basic, Some(vec![false, true]));
    }

    #[test]
    fn walls_that_come_together_have_no_solution() {
        let d = DMatrix::from_row_slice(2, 2, &[1.0, -1.0, -1.0, 1.0]);
        assert_eq!(met(&d, &DVector::from_element(2, -1.0), &[Asked::Complementary; 2]), None);
    }

    #[test]
    fn rows_that_are_given_stay_as_they_are() {
        let d = DMatrix::from_row_slice(3, 3, &[2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0]);
        let q = DVector::from_vec(vec![-1.0, 1.0, -1.0]);
        let asked = [Asked::Nothing, Asked::Zero, Asked::Complementary];
        assert_eq!(met(&d, &q, &asked), Some(vec![false, true, true]));
    }
}
