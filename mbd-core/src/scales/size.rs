//! Lengths of a model, found in its equations: in any unit the same length, wherever the origin is.
//!
//! *Constraints.* A row that relates quantities of a unit to angles (or pure numbers) tells which
//! length stands for one radian: with G_θ and the curvature (G u)_θ, u = ±1, which do not vanish
//! together, over |G_x| (or, where that vanishes, by √(2A/|g_xx|)). A row of lengths alone tells the
//! radius over which it turns, |G_x|/|g_xx|: of x² + y² = L² it is L. Of all the rows of a unit the
//! (lower) median counts, so that neither a fine screw nor a flat cam rules alone; radii count where
//! no row knows an angle.
//!
//! *Motion.* Where no row tells anything, every coordinate has its amplitude about the equilibrium
//! of its own stiffness k = Σ|f_q| (over the coordinates of its unit): M a/k, v √(M/k), and what
//! forces and constraints that depend on time drive it by, on the mean over the run. Without a
//! stiffness it has what it moves by in the characteristic time. The median of the unit is the least
//! for all of its quantities. States have ẋ/|φ_x|, likewise.

use super::{Kind, Scales};
use crate::assembly::{
    Dims, Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights,
};

/// A radius is at most this many times the largest coordinate of its unit: what is nearly flat has no
/// length to tell.
const FLATTEST: f64 = 1024.0;

/// A distance from equilibrium below this part of the coordinates is rounding.
const SETTLED: f64 = 1e-8;

/// Instants over the run at which forces that depend on time are looked at.
const INSTANTS: usize = 64;

/// Scales by group, where known.
pub(super) struct Sizes(Vec<Option<f64>>);

impl Sizes {
    pub(super) fn known(&self, group: u32) -> Option<f64> {
        self.0[group as usize]
    }

    /// Lengths that the constraints tell.
    pub(super) fn of_constraints(
        system: &System,
        at: &Point,
        kinds: &[Kind],
        group_q: &[u32],
        gaps: bool,
    ) -> Sizes {
        let natural = |kind: &Kind| (*kind != Kind::Sized).then_some(1.0);
        let mut sizes = Sizes(kinds.iter().map(natural).collect());
        let Dims { n, m, p, .. } = system.dims();
        if m + p == 0 || kinds.iter().all(|kind| *kind != Kind::Sized) {
            return sizes;
        }
        let kind = |j: usize| kinds[group_q[j] as usize];
        // Of each row: what its angles' columns come to, and of each group the columns' and
        // curvatures' squares.
        let mut angles = vec![0.0; m + p];
        let mut square = vec![vec![0.0; m + p]; kinds.len()];
        let rows = Rows::new(system, at, &[(Term::G, 0), (Term::K, m)]);
        for (r, j, value) in rows.entries() {
            match kind(j) {
                Kind::Sized => square[group_q[j] as usize][r] += value * value,
                Kind::Angle => angles[r] += value * value,
                // Euler parameters turn by twice their change.
                Kind::Number => angles[r] += 0.25 * value * value,
            }
        }
        // Curvature by angles, and by each group of lengths.
        let mut bends = vec![vec![0.0; m]; kinds.len()];
        let mut directions = vec![vec![0.0; m]; kinds.len()];
        if m > 0 {
            let plan = Rows::plan(system, &[(Term::GuQ, 0)]);
            let mut u = vec![0.0; n];
            for (group, kind) in kinds.iter().enumerate() {
                if *kind == Kind::Number || !group_q.iter().any(|&g| g as usize == group) {
                    continue;
                }
                for (j, u) in u.iter_mut().enumerate() {
                    *u = match group_q[j] as usize == group {
                        false => 0.0,
                        true if *kind == Kind::Angle => 1.0f64.copysign(direction(j)),
                        true => direction(j),
                    };
                }
                let weights = Weights { u: &u, ..Weights::of(at) };
                for (r, j, value) in Rows::fill(&plan, system, at, &weights).entries() {
                    if group_q[j] as usize == group {
                        bends[group][r] += value * value;
                        directions[group][r] += u[j] * u[j];
                    }
                }
            }
        }
        for (group, kind) in kinds.iter().enumerate() {
            if *kind == Kind::Angle {
                angles.iter_mut().zip(&bends[group]).for_each(|(angle, bend)| *angle += bend);
            }
        }
        let mut out = Residual::new(&system.dims());
        if gaps {
            system.eval_at(at, Want::G, &mut out);
        }
        for group in (0..kinds.len()).filter(|&g| kinds[g] == Kind::Sized) {
            let (mut levers, mut radii) = (Vec::new(), Vec::new());
            let members = (0..n).filter(|&j| group_q[j] as usize == group);
            let most = members.map(|j| at.q()[j].abs()).fold(0.0, f64::max);
            for r in 0..m + p {
                let along = square[group][r].sqrt();
                let bend = match r < m && directions[group][r] > 0.0 {
                    true => (bends[group][r] / directions[group][r]).sqrt(),
                    false => 0.0,
                };
                let gap = if gaps && r < m { out.g[r].abs() } else { 0.0 };
                let turned = angles[r].sqrt();
                let to_bend =
                    |by: f64| if bend > 0.0 { (2.0 * by / bend).sqrt() } else { f64::INFINITY };
                let reached = |by: f64| (by / along).min(to_bend(by));
                if turned > 0.0 && (along > 0.0 || bend > 0.0) {
                    levers.push(reached(turned));
                } else if bend > 0.0 && along > 0.0 {
                    let radius = along / bend;
                    let flat = FLATTEST * most;
                    radii.push(if flat > 0.0 { radius.min(flat) } else { radius });
                } else if gap > 0.0 && (along > 0.0 || bend > 0.0) {
                    radii.push(reached(gap));
                }
            }
            sizes.0[group] = median(&mut levers).or_else(|| median(&mut radii));
        }
        sizes
    }
}

/// The lower median of what is positive and finite.
fn median(values: &mut Vec<f64>) -> Option<f64> {
    values.retain(|value| value.is_normal() && *value > 0.0);
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// A direction of no symmetry: ±(1/2 … 3/2), always the same.
fn direction(j: usize) -> f64 {
    let hash = (j as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let size = 0.5 + (hash >> 12) as f64 / (1u64 << 52) as f64;
    if hash & 1 == 0 { size } else { -size }
}

/// Terms of a matrix that stand below each other.
struct Rows {
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
}

impl Rows {
    fn plan(system: &System, terms: &[(Term, usize)]) -> Plan {
        let Dims { n, nx, .. } = system.dims();
        let size = terms.iter().map(|&(term, row)| row + system.term_shape(term).0);
        let mut plan = PlanBuilder::new(size.fold(n.max(nx), usize::max));
        terms.iter().for_each(|&(term, row)| _ = plan.term(term, row, 0));
        plan.build(system)
    }

    fn fill(plan: &Plan, system: &System, at: &Point, weights: &Weights<'_>) -> Rows {
        let mut values = plan.values();
        let coefficients = vec![1.0; plan.coefficients()];
        plan.fill(system, at, weights, &coefficients, &mut values);
        Rows { places: plan.pattern().entries().collect(), values }
    }

    fn new(system: &System, at: &Point, terms: &[(Term, usize)]) -> Rows {
        Rows::fill(&Rows::plan(system, terms), system, at, &Weights::of(at))
    }

    fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let entries = self.places.iter().zip(&self.values);
        entries.filter(|(_, value)| **value != 0.0).map(|(&(r, c), &value)| (r, c, value))
    }
}

/// What the motion tells.
pub(super) struct Found {
    /// Scales of coordinates and states whose groups had none.
    pub(super) q: Vec<Option<f64>>,
    pub(super) x: Vec<Option<f64>>,
    /// Velocities to be reckoned with.
    pub(super) v: Vec<f64>,
    /// Characteristic rate, and whether only the length of the run told it.
    pub(super) rate: f64,
    pub(super) by_span: bool,
    /// |G_r| and |K_r| by scaled coordinates.
    pub(super) rows: [Vec<f64>; 2],
    /// Of the multipliers μ of S⁻²(q̇ − v) + Gᵀμ = 0.
    pub(super) slips: Vec<f64>,
    /// Diagonal of the mass matrix.
    pub(super) inertia: Vec<f64>,
}

/// A quantity that obeys an equation of its own.
#[derive(Clone, Copy, Default)]
struct Own {
    /// Stiffness over inertia.
    square: f64,
    /// Acceleration, with what time drives it by.
    drive: f64,
    speed: f64,
    /// What constraints that depend on time move it by.
    driven: f64,
}

pub(super) fn of_motion(system: &System, at: &Point, t_end: f64, scales: &Scales) -> Found {
    let Dims { n, m, p, nx, .. } = system.dims();
    let span = if t_end > at.t() { t_end - at.t() } else { 0.0 };
    let group_q = &scales.of_q.group;
    let rows = Rows::new(system, at, &[(Term::G, 0), (Term::K, m)]);
    // Of large mechanisms in joint coordinates the derivative of the forces is the dearest of all, and
    // methods that take no Newton matrix need it nowhere else.
    let forces = system.once(Term::F(SlotKind::Q), at);
    let motion = match &forces {
        Some(_) => Rows::new(system, at, &[(Term::M, 0)]),
        None => Rows::new(system, at, &[(Term::M, 0), (Term::F(SlotKind::Q), n)]),
    };
    let forces =
        forces.into_iter().flatten().map(|(r, j, value)| (n + r as usize, j as usize, value));
    let mut inertia = vec![0.0; n];
    let mut own = vec![Own::default(); n];
    for (r, j, value) in motion.entries().chain(forces) {
        if r < n && r == j {
            inertia[j] += value.abs();
        } else if r >= n && group_q[r - n] == group_q[j] {
            own[r - n].square += value.abs();
        }
    }
    for (i, own) in own.iter_mut().enumerate() {
        let least = inertia[i].max(f64::MIN_POSITIVE);
        own.square = if inertia[i] > 0.0 { own.square / least } else { 0.0 };
        (own.drive, own.speed) = (at.a()[i].abs(), at.v()[i].abs());
    }
    let mut state = vec![Own::default(); nx];
    if nx > 0 {
        let of = Rows::new(system, at, &[(Term::D(SlotKind::Xd), 0), (Term::D(SlotKind::X), nx)]);
        let mut lead = vec![0.0; nx];
        for (r, j, value) in of.entries() {
            if r == j {
                lead[j] += value.abs();
            } else if r >= nx && scales.of_x.group[r - nx] == scales.of_x.group[j] {
                state[r - nx].square += value.abs();
            }
        }
        for (i, state) in state.iter_mut().enumerate() {
            state.square = if lead[i] > 0.0 { state.square / lead[i] } else { 0.0 };
            state.drive = at.xd()[i].abs();
        }
    }
    let unsized_q = group_q.iter().any(|&g| scales.assumed[g as usize]);
    let unsized_x = scales.of_x.group.iter().any(|&g| scales.assumed[g as usize]);
    if (unsized_q || unsized_x) && span > 0.0 {
        drive(system, at, span, &inertia, &rows, &mut own, &mut state);
    }

    // Amplitudes about equilibrium, then the rate, then what is free.
    let amplitudes: Vec<Option<f64>> = (0..n)
        .map(|i| {
            let Own { square, drive, speed, driven } = own[i];
            let most = largest_of(at.q(), group_q, group_q[i]);
            let away = if square > 0.0 { drive / square } else { 0.0 };
            let away = if away > SETTLED * most { away } else { 0.0 };
            let swing = if square > 0.0 { speed / square.sqrt() } else { 0.0 };
            Some(away.max(swing).max(driven)).filter(|size| *size > 0.0 && size.is_finite())
        })
        .collect();
    let mut q = spread(&amplitudes, group_q, &scales.assumed);
    let base = |i: usize, q: &[Option<f64>]| match scales.assumed[group_q[i] as usize] {
        true => q[i],
        false => Some(scales.of_q.base[i]),
    };
    let base: Vec<Option<f64>> =
        (0..n).map(|i| system.model().scale_q()[i].or_else(|| base(i, &q))).collect();
    let mut rate = 0.0f64;
    for (own, base) in own.iter().zip(&base) {
        if let Some(base) = base {
            rate = rate.max(speed_of(own, *base) / base);
        }
    }
    if !(rate > 0.0) {
        let mut out = Residual::new(&system.dims());
        system.eval_at(at, Want::F, &mut out);
        for (i, base) in base.iter().enumerate() {
            if let (Some(base), true) = (base, inertia[i] > 0.0) {
                rate = rate.max((out.f[i].abs() / inertia[i] / base).sqrt());
            }
        }
    }
    if !(rate > 0.0) {
        let slowest = own.iter().map(|own| own.square).filter(|square| *square > 0.0);
        rate = slowest.fold(f64::INFINITY, f64::min).sqrt();
    }
    let by_span = !(rate > 0.0 && rate.is_finite());
    if by_span {
        rate = if span > 0.0 { 1.0 / span } else { 1.0 };
    }
    let free: Vec<Option<f64>> = own
        .iter()
        .map(|own| own.speed / rate + 0.5 * own.drive / (rate * rate))
        .map(|size| Some(size).filter(|size| *size > 0.0 && size.is_finite()))
        .collect();
    let free = spread(&free, group_q, &scales.assumed);
    for (q, free) in q.iter_mut().zip(free) {
        *q = q.or(free);
    }
    let levels: Vec<Option<f64>> = state
        .iter()
        .map(|own| if own.square > 0.0 { own.drive / own.square } else { own.drive / rate })
        .map(|size| Some(size).filter(|size| *size > 0.0 && size.is_finite()))
        .collect();
    let x = spread(&levels, &scales.of_x.group, &scales.assumed);

    let final_base = |i: usize| {
        let stated = system.model().scale_q()[i];
        let found = q[i].filter(|_| scales.assumed[group_q[i] as usize]);
        stated.or(found).unwrap_or(scales.of_q.base[i])
    };
    let v = own.iter().enumerate().map(|(i, own)| speed_of(own, final_base(i))).collect();
    let mut sizes = vec![0.0; m + p];
    for (r, j, value) in rows.entries() {
        let base = final_base(j);
        sizes[r] += (value * base).powi(2);
    }
    sizes.iter_mut().for_each(|square| *square = square.sqrt());
    // A row that constrains nothing at the start may do so later.
    let most = sizes.iter().copied().fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { 1.0 };
    sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = most);
    let of_k = sizes.split_off(m);
    let slips = sizes.iter().map(|size| rate / size).collect();
    Found { q, x, v, rate, by_span, rows: [sizes, of_k], slips, inertia }
}

/// The speed a quantity has, or takes over its scale, or that of its own oscillation.
fn speed_of(own: &Own, scale: f64) -> f64 {
    let gained = (own.drive * scale).sqrt();
    let swing = if own.square > 0.0 { own.drive / own.square.sqrt() } else { gained };
    own.speed.max(gained.min(swing))
}

fn largest_of(values: &[f64], groups: &[u32], group: u32) -> f64 {
    let members = values.iter().zip(groups).filter(|(_, g)| **g == group);
    members.fold(0.0, |most, (value, _)| most.max(value.abs()))
}

/// Of every group without a scale: each quantity's own, and at least the median of those there are.
fn spread(own: &[Option<f64>], groups: &[u32], wanted: &[bool]) -> Vec<Option<f64>> {
    let medians: Vec<Option<f64>> = (0..wanted.len())
        .map(|group| {
            let members = own.iter().zip(groups).filter(|(_, g)| **g as usize == group);
            median(&mut members.filter_map(|(size, _)| *size).collect())
        })
        .collect();
    let each = own.iter().zip(groups).map(|(size, &group)| {
        let median = medians[group as usize].filter(|_| wanted[group as usize])?;
        Some(size.map_or(median, |size| size.max(median)))
    });
    each.collect()
}

/// Adds what forces, rates and constraints that depend on time drive each quantity by: the mean over
/// the run of their change, everything else as at the start.
fn drive(
    system: &System,
    at: &Point,
    span: f64,
    inertia: &[f64],
    rows: &Rows,
    own: &mut [Own],
    state: &mut [Own],
) {
    let want = Want::F | Want::G | Want::D;
    let mut out = Residual::new(&system.dims());
    system.eval_at(at, want, &mut out);
    let start = out.clone();
    let mut point = at.clone();
    let mut force = vec![0.0; own.len()];
    let mut gap = vec![0.0; start.g.len()];
    let mut rate = vec![0.0; state.len()];
    let part = 1.0 / INSTANTS as f64;
    for k in 1..=INSTANTS {
        point.set_t(at.t() + span * k as f64 * part);
        system.eval_at(&point, want, &mut out);
        for (sum, now, before) in [
            (&mut force, &out.f, &start.f),
            (&mut gap, &out.g, &start.g),
            (&mut rate, &out.d, &start.d),
        ] {
            for ((sum, now), before) in sum.iter_mut().zip(now).zip(before) {
                let change = (now - before).abs();
                *sum += if change.is_finite() { part * change } else { 0.0 };
            }
        }
    }
    for (i, own) in own.iter_mut().enumerate() {
        if inertia[i] > 0.0 {
            own.drive = own.drive.max(force[i] / inertia[i]);
        }
    }
    for (own, rate) in state.iter_mut().zip(rate) {
        own.drive = own.drive.max(rate);
    }
    let m = gap.len();
    let mut most = vec![0.0f64; m];
    for (r, _, value) in rows.entries().filter(|entry| entry.0 < m) {
        most[r] = most[r].max(value.abs());
    }
    for (r, j, value) in rows.entries().filter(|entry| entry.0 < m) {
        if value.abs() >= most[r] && gap[r] > 0.0 {
            own[j].driven = own[j].driven.max(gap[r] / value.abs());
        }
    }
}
