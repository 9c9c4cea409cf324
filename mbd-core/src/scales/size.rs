//! Lengths of a model, found in its equations: in any unit the same length, wherever the origin is.
//!
//! *Constraints.* A row that relates quantities of a unit to angles (or pure numbers) tells which
//! length stands for one radian: with G_θ and the curvature G_θθ, which do not vanish
//! together, over |G_x| (or, where that vanishes, by √(2A/|g_xx|)). A row of lengths alone tells the
//! radius over which it turns, |G_x|/|g_xx|: of x² + y² = L² it is L. Of all the rows of a unit the
//! (lower) median counts, so that neither a fine screw nor a flat cam rules alone; radii count where
//! no row knows an angle. The rows of a joint between vectors are taken together: which of them is which
//! depends on the axes.
//!
//! *Motion.* Where no row tells anything, every coordinate has its amplitude about the equilibrium
//! of its own stiffness k = Σ|f_q| (over the coordinates of its unit): M a/k, v √(M/k), and what
//! forces and constraints that depend on time drive it by, on the mean over the run. Without a
//! stiffness it has what it moves by in the characteristic time (`pace`). The median of the unit is the least
//! for all of its quantities. States have ẋ/|φ_x|, likewise.

use super::pace::{self, Own};
use super::rest::Resting;
use super::rows::{Rows, median, spread};
use super::scale::{Scales, largest_by_group};
use super::vectors::Vectors;
use crate::assembly::{Dims, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::model::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// A radius is at most this many times the largest coordinate of its unit: what is nearly flat has no
/// length to tell.
const FLATTEST: f64 = 1024.0;

/// A distance from equilibrium below this part of the coordinates is rounding.
const SETTLED: f64 = 1e-8;

/// Instants over the run at which forces that depend on time are looked at.
const INSTANTS: usize = 64;

/// Directions at a time by which the curvature of rows is found.
const PROBES: usize = 16;

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
        scales: &Scales,
        gaps: bool,
    ) -> Sizes {
        let Scales { kinds, of_q, vectors, .. } = scales;
        let group_q = &of_q.group;
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
        // Curvature by angles, and by each group of lengths: squares of second derivatives, and by how many
        // coordinates.
        let mut bends = vec![vec![0.0; m]; kinds.len()];
        let mut directions = vec![vec![0.0; m]; kinds.len()];
        if m > 0 {
            let plan = Rows::plan(system, &[(Term::GuQ, 0)]);
            for (group, _) in kinds.iter().enumerate().filter(|(_, kind)| **kind != Kind::Number) {
                let bent: Vec<(usize, usize)> = plan
                    .pattern()
                    .entries()
                    .filter(|&(r, j)| r < m && group_q[j] as usize == group)
                    .collect();
                let mut met = BTreeSet::new();
                for u in probes(&bent, n) {
                    let weights = Weights { u: &u, ..Weights::of(at) };
                    for (r, j, value) in Rows::fill(&plan, system, at, &weights).entries() {
                        if group_q[j] as usize == group {
                            bends[group][r] += value * value;
                            met.insert((r, vectors.place(j).0, j));
                        }
                    }
                }
                let mut last = None;
                for (r, vector, j) in met {
                    if last.replace((r, vector)) != Some((r, vector)) {
                        directions[group][r] += vectors.components(j).len() as f64;
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
        let gaps_squared: Vec<f64> = out.g.iter().map(|g| g * g).collect();
        let joints = joints(system, &rows, scales);
        for group in (0..kinds.len()).filter(|&g| kinds[g] == Kind::Sized) {
            let (mut levers, mut radii) = (Vec::new(), Vec::new());
            let members = (0..n).filter(|&j| group_q[j] as usize == group);
            let most = members.map(|j| at.q()[j].abs()).fold(0.0, f64::max);
            for r in 0..m + p {
                let bend = match r < m && directions[group][r] > 0.0 {
                    true => (bends[group][r] / directions[group][r]).sqrt(),
                    false => 0.0,
                };
                // Rows that share a joint with others, which only along and turn.
                let of = |r: usize| r >= m || bends[group][r] == 0.0 && square[group][r] > 0.0;
                let alike = |values: &[f64]| match joints[r] {
                    Some((first, each)) if of(r) => {
                        (first..first + each).filter(|&r| of(r)).map(|r| values[r]).sum::<f64>()
                    }
                    _ => values[r],
                };
                let along = alike(&square[group]).sqrt();
                let gap = if gaps && r < m { alike(&gaps_squared).sqrt() } else { 0.0 };
                let turned = alike(&angles).sqrt();
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

/// Of every row that depends on a vector the first row and the number of rows of its joint.
fn joints(system: &System, rows: &Rows, scales: &Scales) -> Vec<Option<(usize, usize)>> {
    let (model, m) = (system.model(), system.dims().m);
    let mut joints = vec![None; m + system.dims().p];
    if scales.vectors.most() == 0 {
        return joints;
    }
    let blocks = model.holonomic().iter().map(|block| (0, block));
    for (from, block) in blocks.chain(model.nonholonomic().iter().map(|block| (m, block))) {
        for k in 0..block.len {
            let first = from + block.first + k - k % block.each;
            joints[from + block.first + k] = Some((first, block.each));
        }
    }
    let mut depends = vec![false; joints.len()];
    for (r, j, _) in rows.entries() {
        depends[r] |=
            scales.vectors.has(j) && scales.kinds[scales.of_q.group[j] as usize] == Kind::Sized;
    }
    joints.into_iter().zip(depends).map(|(joint, depends)| joint.filter(|_| depends)).collect()
}

/// The largest factor by which a block stretches, which does not depend on the axes.
fn stretch(block: &[f64], rows: usize) -> f64 {
    if !block.iter().all(|value| value.is_finite()) {
        return f64::INFINITY;
    }
    nalgebra::DMatrix::from_row_slice(rows, block.len() / rows, block).singular_values().max()
}

/// Σ|f_q| over the coordinates of its own unit, of each coordinate; of vectors with the stretch of each block.
fn stiffness(entries: impl Iterator<Item = (usize, usize, f64)>, scales: &Scales) -> Vec<f64> {
    let Scales { of_q, vectors, .. } = scales;
    let mut sums = vec![0.0; of_q.group.len()];
    let mut blocks: BTreeMap<(usize, usize), Block> = BTreeMap::new();
    for (r, j, value) in entries.filter(|&(r, j, _)| of_q.group[r] == of_q.group[j]) {
        if !vectors.has(r) && !vectors.has(j) {
            sums[r] += value.abs();
            continue;
        }
        let [(row, k), (col, l)] = [r, j].map(|i| vectors.place(i));
        let block = blocks.entry((row, col)).or_insert_with(|| Block::new(vectors, r, j));
        block.values[k * block.cols + l] += value;
    }
    for Block { rows, values, .. } in blocks.into_values() {
        let stretch = stretch(&values, rows.len());
        rows.into_iter().for_each(|r| sums[r] += stretch);
    }
    sums
}

/// What a vector's forces change by another one's components.
struct Block {
    rows: Vec<usize>,
    cols: usize,
    values: Vec<f64>,
}

impl Block {
    /// Of the vectors that two coordinates are components of.
    fn new(vectors: &Vectors, r: usize, j: usize) -> Self {
        let (rows, cols) = (vectors.components(r), vectors.components(j).len());
        Block { values: vec![0.0; rows.len() * cols], rows, cols }
    }
}

/// Directions that meet every column of these entries once, and of no row two columns at a time, so that
/// the products of a symmetric matrix of this pattern with all of them have the squares of all its entries.
/// Of rows of more than [`PROBES`] columns several are met at a time, with signs of no symmetry.
fn probes(entries: &[(usize, usize)], n: usize) -> Vec<Vec<f64>> {
    let mut columns: Vec<(usize, usize)> = entries.iter().map(|&(r, j)| (j, r)).collect();
    columns.sort_unstable();
    let rows = columns.iter().map(|(_, r)| r + 1).max().unwrap_or(0);
    let mut taken = vec![0u32; rows];
    let mut probes: Vec<Vec<f64>> = Vec::new();
    for column in columns.chunk_by(|a, b| a.0 == b.0) {
        let j = column[0].0;
        let hash = (j as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let free = column.iter().fold(0, |all, &(_, r)| all | taken[r]).trailing_ones() as usize;
        let probe = if free < PROBES { free } else { (hash >> 1) as usize % PROBES };
        if probe == probes.len() {
            probes.push(vec![0.0; n]);
        }
        probes[probe][j] = if hash & 1 == 0 { 1.0 } else { -1.0 };
        column.iter().for_each(|&(_, r)| taken[r] |= 1 << probe);
    }
    probes
}

/// What the motion tells.
pub(super) struct Found {
    /// Scales of coordinates and states whose groups had none.
    pub(super) q: Vec<Option<f64>>,
    pub(super) x: Vec<Option<f64>>,
    /// Groups in which all rests, and nothing tells how far it will move.
    pub(super) untold: Vec<bool>,
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

/// `undisturbed` says for how long, between two times, nothing that the model compares turns; errors will be held to `eps`
/// of a scale.
pub(super) fn of_motion(
    system: &System,
    at: &Point,
    t_end: f64,
    scales: &Scales,
    eps: f64,
    undisturbed: &mut dyn FnMut([f64; 2]) -> f64,
) -> Found {
    let Dims { n, m, nx, .. } = system.dims();
    let span = if t_end > at.t() { t_end - at.t() } else { 0.0 };
    let group_q = &scales.of_q.group;
    let vectors = &scales.vectors;
    let rows = Rows::new(system, at, &[(Term::G, 0), (Term::K, m)]);
    // Of large mechanisms in joint coordinates the derivative of the forces is the dearest of all, and
    // methods that take no Newton matrix need it nowhere else.
    let forces = system.once(Term::F(SlotKind::Q), at);
    let motion = match &forces {
        Some(_) => Rows::new(system, at, &[(Term::M, 0)]),
        None => Rows::new(system, at, &[(Term::M, 0), (Term::F(SlotKind::Q), n)]),
    };
    let forces: Vec<_> = forces
        .into_iter()
        .flatten()
        .map(|(r, j, value)| (n + r as usize, j as usize, value))
        .collect();
    let mut inertia = vec![0.0; n];
    let mut own = vec![Own::default(); n];
    let entries = || motion.entries().chain(forces.iter().copied());
    entries().filter(|&(r, j, _)| r == j).for_each(|(_, j, value)| inertia[j] += value.abs());
    vectors.average(&mut inertia);
    let stiff =
        stiffness(entries().filter(|e| e.0 >= n).map(|(r, j, value)| (r - n, j, value)), scales);
    let [mut drives, mut speeds] = [vec![0.0; n], vec![0.0; n]];
    vectors.norms(at.a(), &mut drives);
    vectors.norms(at.v(), &mut speeds);
    for (i, own) in own.iter_mut().enumerate() {
        let least = inertia[i].max(f64::MIN_POSITIVE);
        own.square = if inertia[i] > 0.0 { stiff[i] / least } else { 0.0 };
        // What would swing by so little of a period in the run, as by the centrifugal force of a table that hardly turns
        // yet, has no equilibrium to swing about.
        if own.square * span * span <= STILL && span > 0.0 {
            own.square = 0.0;
        }
        (own.drive, own.speed) = (drives[i], speeds[i]);
    }
    let mut state = vec![Own::default(); nx];
    let mut lead = vec![0.0; nx];
    if nx > 0 {
        let of = Rows::new(system, at, &[(Term::D(SlotKind::Xd), 0), (Term::D(SlotKind::X), nx)]);
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
    let resting = Resting::new(system, at, scales, [&own, &state]);
    if let Some(resting) = &resting {
        resting.forget_rounding([&mut own, &mut state], [&inertia, &lead]);
    }
    if (unsized_q || unsized_x) && span > 0.0 {
        let most =
            drive(system, at, (span, false), &inertia, &rows, vectors, (&mut own, &mut state));
        // What drives a contact that is open at the start is measured by the stiffness that it has when it is closed.
        if let Some(closed) = most.filter(|_| system.groups().any(|group| group.sees().comparisons))
        {
            let stiff = match system.once(Term::F(SlotKind::Q), &closed) {
                Some(forces) => {
                    let entries = forces.into_iter();
                    stiffness(entries.map(|(r, j, value)| (r as usize, j as usize, value)), scales)
                }
                None => {
                    let forces = Rows::new(system, &closed, &[(Term::F(SlotKind::Q), 0)]);
                    stiffness(forces.entries(), scales)
                }
            };
            for (i, stiff) in stiff.into_iter().enumerate() {
                let known = !scales.assumed[group_q[i] as usize];
                if !known && inertia[i] > 0.0 && stiff.is_finite() {
                    own[i].square = own[i].square.max(stiff / inertia[i]);
                }
            }
        }
    }

    // Amplitudes about equilibrium, then the rate, then what is free.
    let mut largest = vec![0.0; n];
    largest_by_group(group_q, at.q(), &mut largest);
    let amplitudes: Vec<Option<f64>> = (0..n)
        .map(|i| {
            let Own { square, drive, speed, driven } = own[i];
            let most = largest[i];
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
    let mut of_forces = 0.0f64;
    let mut out = Residual::new(&system.dims());
    system.eval_at(at, Want::F, &mut out);
    vectors.norms(&out.f, &mut drives);
    for (i, base) in base.iter().enumerate() {
        if let (Some(base), true) = (base, inertia[i] > 0.0) {
            of_forces = of_forces.max((drives[i] / inertia[i] / base).sqrt());
        }
    }
    // What assembly leaves of velocities at rest is rounding, and no rate of the motion.
    let least = if span > 0.0 { of_forces.max(1.0 / span) } else { of_forces };
    if !(rate > ROUNDING * least) {
        rate = of_forces;
    }
    if !(rate > 0.0) {
        let slowest = own.iter().map(|own| own.square).filter(|square| *square > 0.0);
        rate = slowest.fold(f64::INFINITY, f64::min).sqrt();
    }
    let tells = rate > 0.0 && (span == 0.0 || rate * span > STILL);
    let by_span = !(tells && rate.is_finite());
    let of_free = (unsized_q || unsized_x) && span > 0.0;
    let of_pace = match span > 0.0 && (by_span || of_free) {
        true => {
            pace::rate(system, at, span, [&own, &state], [&inertia, &lead], scales, undisturbed)
        }
        false => 1.0,
    };
    if by_span {
        rate = of_pace;
    }
    // What has no length moves for the shortest time in which anything changes: how slowly a body turns says
    // nothing of how far it flies.
    let fastest = if of_free { rate.max(of_pace) } else { rate };
    let way = |own: &Own, rate: f64| own.speed / rate + 0.5 * own.drive / (rate * rate);
    let free: Vec<Option<f64>> = own
        .iter()
        .zip(&largest)
        .map(|(own, most)| match span > 0.0 {
            true => way(own, fastest),
            // Where no end of the run is known nothing goes far beyond where it is, or in a second.
            false => way(own, rate).min(way(own, rate.max(1.0)).max(FARTHEST * most)),
        })
        .map(|size| Some(size).filter(|size| *size > 0.0 && size.is_finite()))
        .collect();
    let free = spread(&told(free, group_q), group_q, &scales.assumed);
    let levers = levers(motion.entries().filter(|entry| entry.0 < n), &inertia, scales);
    let mut fastest_of = vec![0.0; n];
    largest_by_group(group_q, &speeds, &mut fastest_of);
    for (i, (q, free)) in q.iter_mut().zip(free).enumerate() {
        // What rests does not tell how far it will go.
        let lever = levers[i].filter(|_| fastest_of[i] == 0.0);
        *q = q.or(lever).or(free);
    }
    let levels: Vec<Option<f64>> = state
        .iter()
        .map(|own| if own.square > 0.0 { own.drive / own.square } else { own.drive / fastest })
        .map(|size| Some(size).filter(|size| *size > 0.0 && size.is_finite()))
        .collect();
    let mut x = spread(&told(levels, &scales.of_x.group), &scales.of_x.group, &scales.assumed);
    if let Some(resting) = &resting {
        let driven = (&mut own[..], &mut state[..]);
        let groups = group_q.iter().chain(&scales.of_x.group);
        let mut each = q.iter().chain(&x).zip(groups);
        let unknown = each.any(|(size, &group)| size.is_none() && scales.assumed[group as usize]);
        if unknown && span > 0.0 && !system.signals().is_empty() {
            drive(system, at, (span, true), &inertia, &rows, vectors, driven);
        }
        resting.moved_by_others([&mut q, &mut x], [&own, &state], [&inertia, &lead], fastest);
    }
    let mut untold = vec![false; scales.assumed.len()];
    resolve(&mut q, at.q(), group_q, eps, (&scales.assumed, &mut untold));
    resolve(&mut x, at.x(), &scales.of_x.group, eps, (&scales.assumed, &mut untold));

    let final_base = |i: usize| {
        let stated = system.model().scale_q()[i];
        let found = q[i].filter(|_| scales.assumed[group_q[i] as usize]);
        stated.or(found).unwrap_or(scales.of_q.base[i])
    };
    let v = own.iter().enumerate().map(|(i, own)| speed_of(own, final_base(i))).collect();
    let rows = sizes_of_rows(system, at, &rows, &final_base);
    let slips = rows[0].iter().map(|size| rate / size).collect();
    Found { q, x, untold, v, rate, by_span, rows, slips, inertia }
}

/// The lengths by which inertia couples coordinates to angles, |M_xθ|/M_xx: of a part on a table that turns its distance from
/// the axis.
fn levers(
    mass: impl Iterator<Item = (usize, usize, f64)>,
    inertia: &[f64],
    scales: &Scales,
) -> Vec<Option<f64>> {
    let Scales { kinds, of_q, assumed, vectors, .. } = scales;
    let kind = |i: usize| kinds[of_q.group[i] as usize];
    // Of a vector its length, however the axes lie.
    let mut squares: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (i, j, value) in mass {
        if kind(i) == Kind::Sized && kind(j) == Kind::Angle {
            *squares.entry((vectors.place(i).0, j)).or_default() += value * value;
        }
    }
    let mut most: BTreeMap<usize, f64> = BTreeMap::new();
    for ((vector, _), square) in squares {
        let most = most.entry(vector).or_default();
        *most = most.max(square.sqrt());
    }
    let levers: Vec<Option<f64>> = (0..inertia.len())
        .map(|i| Some(most.get(&vectors.place(i).0)? / inertia[i]))
        .map(|lever| lever.filter(|lever| *lever > 0.0 && lever.is_finite()))
        .collect();
    spread(&levers, &of_q.group, assumed)
}

/// What moving every coordinate by its base, one by one, makes of the rows of G and of K: of contacts that are open, too, and
/// of surfaces that the motion may come to slide along. A row that constrains nothing at the start may do so later; and of a gap
/// whose gradient vanishes where it is widest, as of a pin in the middle of its hole, the gap tells the size.
fn sizes_of_rows(
    system: &System,
    at: &Point,
    rows: &Rows,
    base: &dyn Fn(usize) -> f64,
) -> [Vec<f64>; 2] {
    let Dims { m, p, .. } = system.dims();
    let all = (!system.holds().is_empty() || !system.slides().is_empty()).then(|| {
        let mut all = system.clone();
        all.set_holds(&vec![true; system.holds().len()]);
        all.set_slides(&vec![true; system.slides().len()]);
        all
    });
    let of_all = all.as_ref().map(|all| Rows::new(all, at, &[(Term::G, 0), (Term::K, m)]));
    let mut sizes = vec![0.0; m + p];
    let entries = of_all.as_ref().unwrap_or(rows).entries();
    for (r, j, value) in entries.filter(|(.., value)| value.is_finite()) {
        sizes[r] += (value * base(j)).powi(2);
    }
    sizes.iter_mut().for_each(|square| *square = square.sqrt());
    if let Some(all) = &all {
        let mut out = Residual::new(&system.dims());
        all.eval_all(at, &Weights::of(at), Want::G, &mut out);
        for (size, gap) in sizes.iter_mut().zip(&out.g) {
            if *size < FLAT * gap.abs() && gap.is_finite() {
                *size = gap.abs();
            }
        }
    }
    let most = sizes.iter().copied().fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { 1.0 };
    sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = most);
    let of_k = sizes.split_off(m);
    [sizes, of_k]
}

/// What moving the coordinates makes of a gap, beside the gap, where its gradient vanishes.
const FLAT: f64 = 1e-6;

/// A rate of this part of what forces make of it in the model is that of velocities that are zero.
const ROUNDING: f64 = 1e-13;

/// Nor does a rate tell anything that changes a scale by less than this part over the run.
const STILL: f64 = 1e-6;

/// Ways of a motion whose end is not known, in largest coordinates of a unit at the start.
const FARTHEST: f64 = 1e3;

/// The speed a quantity has, or takes over its scale, or that of its own oscillation.
fn speed_of(own: &Own, scale: f64) -> f64 {
    let gained = (own.drive * scale).sqrt();
    let swing = if own.square > 0.0 { own.drive / own.square.sqrt() } else { gained };
    own.speed.max(gained.min(swing))
}

/// What moves by less than this part of what the largest of its unit moves by moves by rounding.
const MOVES: f64 = 1e-10;

/// Ways without those that rounding made, which tell nothing.
fn told(mut ways: Vec<Option<f64>>, groups: &[u32]) -> Vec<Option<f64>> {
    let mut most = vec![0.0; ways.len()];
    let values: Vec<f64> = ways.iter().map(|way| way.unwrap_or(0.0)).collect();
    largest_by_group(groups, &values, &mut most);
    for (way, most) in ways.iter_mut().zip(most) {
        *way = way.filter(|way| *way > MOVES * most);
    }
    ways
}

/// What is at rest away from 0, and of which nothing tells how far it will move, begins with the least scale of which steps
/// resolve `eps`: it grows as the motion does. Whose groups these are is `untold`.
fn resolve(
    found: &mut [Option<f64>],
    values: &[f64],
    groups: &[u32],
    eps: f64,
    (assumed, untold): (&[bool], &mut [bool]),
) {
    let mut most = vec![0.0; values.len()];
    largest_by_group(groups, values, &mut most);
    let part = (RESOLVED * f64::EPSILON / eps).min(SMALL);
    for ((found, most), &group) in found.iter_mut().zip(most).zip(groups) {
        if found.is_none() && assumed[group as usize] && part * most > 0.0 {
            *found = Some(part * most);
            untold[group as usize] = true;
        }
    }
}

/// Steps resolve errors of so many units of rounding of a coordinate, and no more of it than this part is a scale that is found so.
const RESOLVED: f64 = 8.0;
const SMALL: f64 = 1e-3;

/// Adds what forces, rates and constraints that depend on time drive each quantity by: the mean over
/// the run of their change, everything else as at the start, but `inputs` where they count. Returns the instant at which forces change most.
fn drive(
    system: &System,
    at: &Point,
    (span, inputs): (f64, bool),
    inertia: &[f64],
    rows: &Rows,
    vectors: &Vectors,
    (own, state): (&mut [Own], &mut [Own]),
) -> Option<Point> {
    let want = Want::F | Want::G | Want::D;
    let mut out = Residual::new(&system.dims());
    system.eval_at(at, want, &mut out);
    let start = out.clone();
    let mut point = at.clone();
    let mut force = vec![0.0; own.len()];
    let mut gap = vec![0.0; start.g.len()];
    let mut rate = vec![0.0; state.len()];
    let part = 1.0 / INSTANTS as f64;
    let mut strongest = (0.0, None);
    for k in 1..=INSTANTS {
        point.set_t(at.t() + span * k as f64 * part);
        if inputs {
            system.feed(&mut point);
        }
        system.eval_at(&point, want, &mut out);
        let changes =
            out.f.iter().zip(&start.f).zip(inertia).filter(|(_, inertia)| **inertia > 0.0);
        let change = changes.map(|((now, before), inertia)| (now - before).abs() / inertia);
        let change = change.filter(|change| change.is_finite()).fold(0.0, f64::max);
        if change > strongest.0 {
            strongest = (change, Some(point.t()));
        }
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
    vectors.share(&mut force);
    for (i, own) in own.iter_mut().enumerate() {
        if inertia[i] > 0.0 {
            own.drive = own.drive.max(force[i] / inertia[i]);
        }
    }
    for (own, rate) in state.iter_mut().zip(rate) {
        own.drive = own.drive.max(rate);
    }
    let m = gap.len();
    let mut sizes: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for (r, j, value) in rows.entries().filter(|entry| entry.0 < m && gap[entry.0] > 0.0) {
        *sizes.entry((r, vectors.place(j).0)).or_default() += value * value;
    }
    let mut most = vec![0.0f64; m];
    sizes.iter().for_each(|(&(r, _), size)| most[r] = most[r].max(*size));
    // Several rows may drive one vector, each along an axis.
    let mut driven: BTreeMap<usize, f64> = BTreeMap::new();
    for ((r, vector), size) in sizes {
        if size >= most[r] {
            *driven.entry(vector).or_default() += gap[r] * gap[r] / size;
        }
    }
    for (j, own) in own.iter_mut().enumerate() {
        if let Some(square) = driven.get(&vectors.place(j).0) {
            own.driven = square.sqrt();
        }
    }
    strongest.1.map(|t| {
        point.set_t(t);
        point
    })
}
