//! Scales of what is at rest in an equilibrium, as a load that hangs on a spring.
//!
//! Its accelerations are what rounding leaves of forces that balance, and tell nothing: a length made of them would be smaller
//! than the rounding of the coordinate. What it will move by is told by what moves it: by inputs, by what they come to later; by
//! states and coordinates whose scales are known, of which each displaces it by ∂f times its scale over the stiffness.

use super::pace::Own;
use super::rows::{Rows, spread};
use super::scale::{Scales, Track};
use crate::assembly::{Dims, Point, Residual, SlotKind, System, Term, Want};

/// Of what a sum is made of, what rounding leaves of it at most.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The forces on what has no scale, and the rates of states, that may balance.
pub(super) struct Resting<'a> {
    scales: &'a Scales,
    /// Of coordinates and of states: the sum of all that a force or rate is made of, contributions of statements, reactions,
    /// and what values themselves make of it by its slopes.
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
        let mut sums = [vec![0.0f64; n], vec![0.0f64; nx]];
        let mut out = Residual::new(&system.dims());
        for group in system.groups_in_use() {
            system.eval_group(group, at, Want::F | Want::D, &mut out);
            for (sums, values) in sums.iter_mut().zip([&out.f, &out.d]) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value.abs());
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
        let components = sums[0].clone();
        scales.vectors.norms(&components, &mut sums[0]);
        Some(Resting { scales, sums, slopes })
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
        // First inputs, which `own` knows; then states by coordinates, and what these move in turn.
        for turn in 0..3 {
            let [mut sizes_q, sizes_x] = [known(of_q, q, assumed), known(of_x, x, assumed)];
            if sizes_q.iter().chain(&sizes_x).all(|size| *size > 0.0) {
                return;
            }
            let drives = match turn {
                0 => [0, 1].map(|k| {
                    let each = own[k].iter().zip(inertia[k]);
                    each.map(|(own, inertia)| own.drive * inertia).collect()
                }),
                _ => self.moved_by(&mut sizes_q, &sizes_x, rate),
            };
            let amplitudes = |k: usize, free: f64| {
                let each = own[k].iter().zip(inertia[k]).zip(&drives[k]);
                each.map(|((own, inertia), drive)| {
                    let drive = drive / inertia;
                    let size = if own.square > 0.0 { drive / own.square } else { free * drive };
                    Some(size).filter(|size| *size > 0.0 && size.is_finite())
                })
                .collect::<Vec<_>>()
            };
            let now = [amplitudes(0, 0.5 / (rate * rate)), amplitudes(1, 1.0 / rate)];
            for ((track, found), now) in [(of_q, &mut *q), (of_x, &mut *x)].into_iter().zip(now) {
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

/// The scales that are known, else 0.
fn known(track: &Track, found: &[Option<f64>], assumed: &[bool]) -> Vec<f64> {
    let each = track.group.iter().zip(&track.stated).zip(&track.base).zip(found);
    each.map(|(((&group, stated), base), found)| match assumed[group as usize] && !stated {
        true => found.unwrap_or(0.0),
        false => *base,
    })
    .collect()
}
