//! Scales of what is at rest in an equilibrium, as a load that hangs on a spring.
//!
//! Its accelerations are what rounding leaves of forces that balance, and tell nothing: a length made of them would be smaller
//! than the rounding of the coordinate. What it will move by is told by what moves it: by states and coordinates whose scales
//! are known, of which each displaces it by ∂f times its scale over the stiffness; else by its forces, of which each
//! by itself would displace it as far as it balances the others.

use super::pace::Own;
use super::rows::{Rows, spread};
use super::scale::{Scales, Track};
use crate::assembly::{Dims, Point, Residual, SlotKind, System, Term, Want};

/// Of what a sum is made of, what rounding leaves of it at most.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The forces on what has no scale, and the rates of states, that may balance.
pub(super) struct Resting<'a> {
    scales: &'a Scales,
    /// Of coordinates and of states: the largest contribution of one statement.
    largest: [Vec<f64>; 2],
    /// And the sum of all that the sum is made of: contributions of statements, reactions, and what the values
    /// themselves make of it, times their slopes.
    sums: [Vec<f64>; 2],
    /// Slopes by q, v and x, of f and d, one below the other.
    slopes: [Vec<(usize, usize, f64)>; 3],
}

impl<'a> Resting<'a> {
    /// `None` where everything has a scale, or nothing without one may rest.
    pub(super) fn new(
        system: &System,
        at: &Point,
        scales: &'a Scales,
        own: [&[Own]; 2],
    ) -> Option<Self> {
        let groups = [&scales.of_q.group, &scales.of_x.group];
        let mut all = own.iter().zip(groups).flat_map(|(own, group)| own.iter().zip(group));
        if !all.any(|(own, &group)| scales.assumed[group as usize] && own.speed == 0.0) {
            return None;
        }
        let Dims { n, m, nx, .. } = system.dims();
        let mut largest = [vec![0.0f64; n], vec![0.0f64; nx]];
        let mut sums = largest.clone();
        let mut out = Residual::new(&system.dims());
        for group in system.groups_in_use() {
            system.eval_group(group, at, Want::F | Want::D, &mut out);
            for (k, values) in [&out.f, &out.d].into_iter().enumerate() {
                let each = largest[k].iter_mut().zip(&mut sums[k]).zip(values);
                each.for_each(|((most, sum), value)| {
                    *most = most.max(value.abs());
                    *sum += value.abs();
                });
            }
        }
        let slopes = [SlotKind::Q, SlotKind::V, SlotKind::X].map(|kind| {
            let rows = Rows::new(system, at, &[(Term::F(kind), 0), (Term::D(kind), n)]);
            rows.entries().collect::<Vec<_>>()
        });
        for (slopes, values) in slopes.iter().zip([at.q(), at.v(), at.x()]) {
            for &(r, j, slope) in slopes {
                let sum = if r < n { &mut sums[0][r] } else { &mut sums[1][r - n] };
                *sum += (slope * values[j]).abs();
            }
        }
        let reactions = Rows::new(system, at, &[(Term::G, 0), (Term::K, m)]);
        let multipliers = |r: usize| if r < m { at.lambda()[r] } else { at.psi()[r - m] };
        reactions.entries().for_each(|(r, j, slope)| sums[0][j] += (slope * multipliers(r)).abs());
        sums.iter_mut().flatten().filter(|sum| !sum.is_finite()).for_each(|sum| *sum = 0.0);
        // Of vectors in whatever directions they are.
        let norms = |values: &mut Vec<f64>| {
            let components = values.clone();
            scales.vectors.norms(&components, values);
        };
        norms(&mut sums[0]);
        norms(&mut largest[0]);
        // A statement may balance by itself.
        for (most, sum) in largest.iter_mut().flatten().zip(sums.iter().flatten()) {
            *most = if *most > ROUNDING * sum { *most } else { 0.0 };
        }
        Some(Resting { scales, largest, sums, slopes })
    }

    /// Takes accelerations and rates that are rounding for none: `inertia` are the diagonals of M and d_ẋ.
    pub(super) fn forget_rounding(&self, own: [&mut [Own]; 2], inertia: [&[f64]; 2]) {
        for ((own, inertia), sums) in own.into_iter().zip(inertia).zip(&self.sums) {
            for ((own, inertia), sum) in own.iter_mut().zip(inertia).zip(sums) {
                if own.speed == 0.0 && own.drive * inertia <= ROUNDING * sum {
                    own.drive = 0.0;
                }
            }
        }
    }

    /// Gives scales to those groups of which nothing else has told any: `inertia` as before, `rate` that of the motion.
    pub(super) fn moved_by_others(
        &self,
        [q, x]: [&mut [Option<f64>]; 2],
        own: [&[Own]; 2],
        inertia: [&[f64]; 2],
        rate: f64,
    ) {
        let Scales { of_q, of_x, assumed, .. } = self.scales;
        for by in [By::Inputs, By::Known, By::Known, By::Forces, By::Assumed] {
            let [mut sizes_q, mut sizes_x] = [known(of_q, q, assumed), known(of_x, x, assumed)];
            if sizes_q.iter().chain(&sizes_x).all(|size| *size > 0.0) {
                return;
            }
            if by == By::Assumed {
                sizes_x.iter_mut().filter(|x| **x == 0.0).for_each(|x| *x = 1.0);
            }
            let [pushes, rates] = match by {
                By::Inputs => [0, 1].map(|k| {
                    let each = own[k].iter().zip(inertia[k]);
                    each.map(|(own, inertia)| own.drive * inertia).collect()
                }),
                By::Forces => [self.largest[0].clone(), vec![0.0; x.len()]],
                By::Known | By::Assumed => self.moved_by(&mut sizes_q, &sizes_x, rate),
            };
            let amplitudes = |own: &[Own], inertia: &[f64], drives: &[f64], free: f64| {
                let each = own.iter().zip(inertia).zip(drives);
                each.map(|((own, inertia), drive)| {
                    let drive = drive / inertia;
                    let size = if own.square > 0.0 { drive / own.square } else { free * drive };
                    Some(size).filter(|size| *size > 0.0 && size.is_finite())
                })
                .collect::<Vec<_>>()
            };
            // Forces that balance move nothing that no stiffness holds.
            let free = if by == By::Forces { 0.0 } else { 0.5 / (rate * rate) };
            let of_q_now = amplitudes(own[0], inertia[0], &pushes, free);
            let of_x_now = amplitudes(own[1], inertia[1], &rates, 1.0 / rate);
            for (track, found, now) in [(of_q, &mut *q, of_q_now), (of_x, &mut *x, of_x_now)] {
                let now = spread(&now, &track.group, assumed);
                found.iter_mut().zip(now).for_each(|(found, now)| *found = found.or(now));
            }
        }
    }

    /// What quantities of these sizes make of forces and of rates of states.
    fn moved_by(&self, q: &mut [f64], x: &[f64], rate: f64) -> [Vec<f64>; 2] {
        let n = q.len();
        let mut drives = [vec![0.0; n], vec![0.0; x.len()]];
        let mut add = |slopes: &[(usize, usize, f64)], sizes: &[f64]| {
            for &(r, j, slope) in slopes {
                let drive = if r < n { &mut drives[0][r] } else { &mut drives[1][r - n] };
                *drive += (slope * sizes[j]).abs();
            }
        };
        let [by_q, by_v, by_x] = &self.slopes;
        add(by_q, q);
        add(by_x, x);
        q.iter_mut().for_each(|q| *q *= rate);
        add(by_v, q);
        let components = drives[0].clone();
        self.scales.vectors.norms(&components, &mut drives[0]);
        drives
    }
}

/// What moves a quantity that is at rest.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// Inputs, by what they come to later.
    Inputs,
    /// Quantities whose scales are known.
    Known,
    /// Each of the forces that balance, by itself.
    Forces,
    /// States that nothing tells the size of, by 1 of their unit.
    Assumed,
}

/// The scales that are known, else 0.
fn known(track: &Track, found: &[Option<f64>], assumed: &[bool]) -> Vec<f64> {
    let each = track.group.iter().zip(&track.stated).zip(&track.base).zip(found);
    each.map(|(((&group, stated), base), found)| match assumed[group as usize] && !stated {
        true => found.unwrap_or(0.0),
        false => *base,
    })
    .collect()
}
