//! The scales of a run, and how they grow with its motion.

use super::vectors::Vectors;
use crate::assembly::{Point, Residual, System};
use crate::model::{Kind, Model, groups, kind_of};
use crate::state::State;

/// What errors are measured against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// Scales of the model.
    #[default]
    Model,
    /// max(1, largest |y| so far) in the units of the model, 1 for an angle: the weights of paper 002
    /// (eq. 35), for the reproduction of published results. Not invariant under a change of units or
    /// of origin.
    Published,
}

/// Scales and magnitudes of one kind of quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scale {
    /// What an error in each is measured against.
    pub(crate) weights: Vec<f64>,
    /// Size of the numbers it is computed from, at least the scale. Rounding of one coordinate is felt
    /// in all: it is the largest of them relative to their scales, times this one's.
    pub(crate) magnitude: Vec<f64>,
}

impl Scale {
    /// Of so many quantities, 1 each.
    pub(crate) fn ones(len: usize) -> Self {
        Scale { weights: vec![1.0; len], magnitude: vec![1.0; len] }
    }

    /// Takes another's values without allocating.
    pub(crate) fn copy_from(&mut self, other: &Scale) {
        self.weights.copy_from_slice(&other.weights);
        self.magnitude.copy_from_slice(&other.magnitude);
    }

    /// What an error in each quantity is measured against, in its unit.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Size of the numbers each quantity is computed from, in its unit: its rounding is ε times this.
    pub fn magnitude(&self) -> &[f64] {
        &self.magnitude
    }
}

/// A quantity that has moved by less than this, in parts of its magnitude, has moved by rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The part of what inertias need at the rate of the stiffest spring below which a force is rounding of it.
const INSIGNIFICANT: f64 = 1e-9;

/// Values of one kind of quantity over the motion.
#[derive(Clone, Debug)]
pub(super) struct Track {
    /// Group of each.
    pub(super) group: Vec<u32>,
    /// Scale at the start.
    pub(super) base: Vec<f64>,
    /// Whether that was stated, and stays.
    pub(super) stated: Vec<bool>,
    /// Smallest and largest value at accepted points.
    pub(super) range: Vec<[f64; 2]>,
}

impl Track {
    /// Gives what has not moved yet, of groups all of which rested at the start (`untold`), the `least` scale of what has moved
    /// in its group. What is the first to move tells more of the others than where they lie, from which their scales are as good as
    /// none: an impact on a body that has been still would have the rounding of its gap for an error that no step is short
    /// enough for.
    fn follow_moved(&self, untold: &[bool], least: &mut [f64], weights: &mut [f64]) {
        let moved = |i: usize| 0.5 * (self.range[i][1] - self.range[i][0]) > self.base[i];
        least.fill(f64::INFINITY);
        for (i, weight) in weights.iter().enumerate().filter(|&(i, _)| moved(i)) {
            let least = &mut least[self.group[i] as usize];
            *least = least.min(*weight);
        }
        for (i, weight) in weights.iter_mut().enumerate() {
            let group = self.group[i] as usize;
            let least = least[group];
            if untold[group] && !self.stated[i] && !moved(i) && least.is_finite() {
                *weight = weight.max(least);
            }
        }
    }
}

/// Scales of a model's coordinates, velocities, states and multipliers.
///
/// # Allocations
/// None after construction.
#[derive(Clone, Debug)]
pub struct Scales {
    pub(super) weighting: Weighting,
    /// Units, by group.
    pub(super) units: Vec<String>,
    pub(super) kinds: Vec<Kind>,
    pub(super) q: Scale,
    pub(super) v: Scale,
    pub(super) x: Scale,
    pub(super) of_q: Track,
    pub(super) of_x: Track,
    /// Of coordinates.
    pub(super) vectors: Vectors,
    pub(super) norms: Vec<f64>,
    /// Largest |q|, |v|, |x| so far, by group.
    pub(super) largest: [Vec<f64>; 3],
    pub(super) rate: f64,
    /// Largest force times the scale of its coordinate, no less than what the inertias need.
    pub(super) energy: f64,
    /// The same of forces that have acted, and of the motion at the start, m v².
    pub(super) acted: f64,
    /// |G_r| and |K_r| by scaled coordinates.
    pub(super) rows: [Vec<f64>; 2],
    pub(super) lambda: Vec<f64>,
    pub(super) psi: Vec<f64>,
    /// How many of them are constraints' and not surfaces'.
    pub(super) stated_psi: usize,
    /// How many variables are the model's own.
    pub(super) stated_w: usize,
    /// Of multipliers, for what they make of accelerations: λ over rate².
    pub(super) multipliers: Vec<f64>,
    /// Of multipliers that move positions off their velocities.
    pub(super) slips: Vec<f64>,
    pub(super) w: Scale,
    /// Largest magnitude over scale, of q and of v.
    pub(super) offset: [f64; 2],
    /// Groups whose scale nothing told.
    pub(super) assumed: Vec<bool>,
    /// Groups all of which rests at the start, and nothing tells how far it will move; and the least scale of what has moved in
    /// each, while steps are looked at.
    pub(super) untold: Vec<bool>,
    pub(super) least: Vec<f64>,
    /// Whether the end of the run has a part in them.
    pub(super) by_span: bool,
}

impl Scales {
    /// All 1, for a method that has not been told yet.
    pub fn ones(system: &System) -> Self {
        let model = system.model();
        let (units, kinds, [group_q, group_x]) = groups(model);
        let track = |group: Vec<u32>| Track {
            base: vec![1.0; group.len()],
            stated: vec![false; group.len()],
            range: vec![[f64::INFINITY, f64::NEG_INFINITY]; group.len()],
            group,
        };
        let dims = system.dims();
        Scales {
            weighting: Weighting::Model,
            assumed: vec![false; units.len()],
            untold: vec![false; units.len()],
            least: vec![0.0; units.len()],
            q: Scale::ones(dims.n),
            v: Scale::ones(dims.n),
            x: Scale::ones(dims.nx),
            largest: std::array::from_fn(|_| vec![0.0; units.len()]),
            rate: 1.0,
            energy: 0.0,
            acted: 0.0,
            rows: [vec![1.0; dims.m], vec![1.0; dims.p]],
            lambda: vec![1.0; dims.m],
            psi: vec![1.0; dims.p],
            stated_psi: model.stated_nonholonomic(),
            stated_w: model.variables().len(),
            multipliers: vec![1.0; dims.m],
            slips: vec![1.0; dims.m],
            w: Scale::ones(dims.nw),
            offset: [1.0; 2],
            of_q: track(group_q),
            of_x: track(group_x),
            vectors: Vectors::new(model),
            norms: vec![0.0; dims.n],
            by_span: false,
            units,
            kinds,
        }
    }

    /// Takes stated scales and forgets the motion.
    pub(super) fn state(&mut self, model: &Model) {
        for (track, stated) in
            [(&mut self.of_q, model.scale_q()), (&mut self.of_x, model.scale_x())]
        {
            for (base, stated) in track.base.iter_mut().zip(stated) {
                if let Some(scale) = stated {
                    *base = *scale;
                }
            }
        }
        self.q.weights.copy_from_slice(&self.of_q.base);
        self.x.weights.copy_from_slice(&self.of_x.base);
        self.q.magnitude.copy_from_slice(&self.of_q.base);
        self.x.magnitude.copy_from_slice(&self.of_x.base);
    }

    /// Variables have the largest value at the start in their unit, or 1.
    pub(super) fn of_variables(&mut self, system: &System, at: &Point) {
        let labels = system.model().variables();
        for (i, label) in labels.iter().enumerate() {
            let alike = labels.iter().zip(at.w()).filter(|(other, _)| other.unit == label.unit);
            let most = alike.fold(0.0f64, |most, (_, w)| most.max(w.abs()));
            let natural = self.weighting == Weighting::Published || kind_of(label) != Kind::Sized;
            self.w.weights[i] = if natural || most == 0.0 { 1.0 } else { most };
        }
    }

    /// Takes the largest force times scale so far.
    pub(super) fn strengthen(&mut self, energy: f64) {
        self.energy = energy;
        let published = self.weighting == Weighting::Published;
        let stated = self.stated_psi;
        let [of_g, of_k] = &self.rows;
        // Multipliers of surfaces are shares.
        for (out, rows) in [(&mut self.lambda[..], of_g), (&mut self.psi[..stated], of_k)] {
            for (out, row) in out.iter_mut().zip(rows) {
                *out = energy / row;
            }
        }
        for (out, lambda) in self.multipliers.iter_mut().zip(&self.lambda) {
            *out = if published { 1.0 } else { lambda / (self.rate * self.rate) };
        }
    }

    /// Takes an accepted point with f and the reaction there, for the scales of forces; whether
    /// anything changed.
    pub(crate) fn raise(&mut self, at: &Point, pieces: &Residual) -> bool {
        let mut changed = self.raise_values(at);
        for forces in [&pieces.f, &pieces.reaction] {
            self.vectors.norms(forces, &mut self.norms);
            let works = self.norms.iter().zip(&self.q.weights).map(|(force, scale)| force * scale);
            self.acted = works.fold(self.acted, f64::max);
        }
        if self.acted > self.energy {
            self.strengthen(self.acted);
            changed = true;
        }
        for (weight, w) in self.w.weights.iter_mut().zip(at.w()).take(self.stated_w) {
            if w.abs() > *weight {
                (*weight, changed) = (w.abs(), true);
            }
        }
        changed
    }

    fn raise_values(&mut self, at: &Point) -> bool {
        let Scales { weighting, kinds, q, v, x, of_q, of_x, largest, rate, vectors, norms, .. } =
            self;
        let (untold, least) = (&self.untold, &mut self.least);
        let published = *weighting == Weighting::Published;
        let mut changed = false;
        let [of_positions, of_velocities, of_states] = largest;
        let mut apart = !published && vectors.follow(at.q(), &mut q.weights);
        for (track, scale, values, most, vectors) in [
            (&mut *of_q, &mut *q, at.q(), of_positions, Some(&*vectors)),
            (of_x, x, at.x(), of_states, None),
        ] {
            let mut grown = std::mem::take(&mut apart);
            let alone = |i: usize| published || vectors.is_none_or(|vectors| !vectors.has(i));
            for (value, [low, high]) in values.iter().zip(&mut track.range) {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
            for (value, group) in values.iter().zip(&track.group) {
                let most = &mut most[*group as usize];
                if value.abs() > *most {
                    (*most, grown) = (value.abs(), true);
                }
            }
            let sizes = values.iter().zip(&track.range).zip(&mut scale.weights).enumerate();
            for (i, ((value, [low, high]), weight)) in sizes {
                let size = if published { value.abs() } else { 0.5 * (*high - *low) };
                let grows = || {
                    let angle = kinds[track.group[i] as usize] == Kind::Angle;
                    !track.stated[i] && !angle && alone(i)
                };
                if size > *weight && grows() {
                    (*weight, grown) = (size, true);
                }
            }
            if grown && untold.contains(&true) {
                track.follow_moved(untold, least, &mut scale.weights);
            }
            if grown {
                changed = true;
                let relative = |(i, magnitude): (usize, &f64)| {
                    let own = magnitude.max(scale.weights[i]).max(most[track.group[i] as usize]);
                    own / track.base[i]
                };
                let offset = scale.magnitude.iter().enumerate().map(relative).fold(1.0, f64::max);
                for (magnitude, base) in scale.magnitude.iter_mut().zip(&track.base) {
                    *magnitude = offset * base;
                }
            }
        }
        let mut grown = changed;
        match published {
            true => norms.iter_mut().zip(at.v()).for_each(|(norm, v)| *norm = v.abs()),
            false => vectors.norms(at.v(), norms),
        }
        for ((speed, group), weight) in norms.iter().zip(&of_q.group).zip(&mut v.weights) {
            let most = &mut of_velocities[*group as usize];
            if *speed > *most {
                (*most, grown) = (*speed, true);
            }
            if *speed > *weight {
                (*weight, grown) = (*speed, true);
            }
        }
        if grown {
            changed = true;
            let offset = q.magnitude.first().map_or(1.0, |magnitude| magnitude / of_q.base[0]);
            let relative = |(base, group): (&f64, &u32)| of_velocities[*group as usize] / base;
            let speed = of_q.base.iter().zip(&of_q.group).map(relative).fold(*rate, f64::max);
            // Velocities come from constraints at positions that are rounded.
            for (magnitude, base) in v.magnitude.iter_mut().zip(&of_q.base) {
                *magnitude = offset * speed * base;
            }
            self.offset = [offset, offset * speed];
        }
        changed
    }

    /// Saves or restores all that was seen ([`checkpoint`](crate::checkpoint)).
    pub fn kept(&mut self, state: &mut State<'_>) {
        let Scales {
            weighting,
            units: _,
            kinds,
            q,
            v,
            x,
            of_q,
            of_x,
            vectors,
            norms: _,
            largest,
            rate,
            energy,
            acted,
            rows,
            lambda,
            psi,
            stated_psi: _,
            stated_w: _,
            multipliers,
            slips,
            w,
            offset,
            assumed,
            untold,
            least: _,
            by_span,
        } = self;
        state.part("scales");
        state.flag(by_span);
        let mut published = *weighting == Weighting::Published;
        state.flag(&mut published);
        *weighting = if published { Weighting::Published } else { Weighting::Model };
        const KINDS: [Kind; 3] = [Kind::Angle, Kind::Number, Kind::Sized];
        for kind in kinds {
            let mut code = KINDS.iter().position(|k| k == kind).unwrap_or(0);
            state.count(&mut code);
            *kind = KINDS[code.min(2)];
        }
        for Scale { weights, magnitude } in [q, v, x, w] {
            state.numbers(weights);
            state.numbers(magnitude);
        }
        for Track { group: _, base, stated: _, range } in [of_q, of_x] {
            state.numbers(base);
            range.iter_mut().for_each(|range| state.numbers(range));
        }
        vectors.kept(state);
        for values in largest.iter_mut().chain(rows).chain([lambda, psi, multipliers, slips]) {
            state.numbers(values);
        }
        state.number(rate);
        state.number(energy);
        state.number(acted);
        state.numbers(offset);
        assumed.iter_mut().chain(untold).for_each(|flag| state.flag(flag));
    }

    /// Takes another's values; both of the same system. Allocates nothing.
    pub fn copy_from(&mut self, other: &Scales) {
        self.q.copy_from(&other.q);
        self.v.copy_from(&other.v);
        self.x.copy_from(&other.x);
        self.w.copy_from(&other.w);
        self.weighting = other.weighting;
        self.rate = other.rate;
        self.energy = other.energy;
        self.acted = other.acted;
        self.offset = other.offset;
        self.multipliers.copy_from_slice(&other.multipliers);
        self.slips.copy_from_slice(&other.slips);
        for (rows, other) in self.rows.iter_mut().zip(&other.rows) {
            rows.copy_from_slice(other);
        }
        self.lambda.copy_from_slice(&other.lambda);
        self.psi.copy_from_slice(&other.psi);
        self.of_q.base.copy_from_slice(&other.of_q.base);
        self.of_x.base.copy_from_slice(&other.of_x.base);
    }

    /// Scales of the coordinates at the start, which stay.
    pub(crate) fn lengths(&self) -> &[f64] {
        &self.of_q.base
    }

    /// Of coordinates.
    pub fn q(&self) -> &Scale {
        &self.q
    }

    /// Of velocities.
    pub fn v(&self) -> &Scale {
        &self.v
    }

    /// Of states.
    pub fn x(&self) -> &Scale {
        &self.x
    }

    /// Of variables: the largest value so far.
    pub fn w(&self) -> &Scale {
        &self.w
    }

    /// Of holonomic multipliers: what makes the largest force so far.
    pub fn lambda(&self) -> &[f64] {
        &self.lambda
    }

    /// Of nonholonomic multipliers, likewise.
    pub fn psi(&self) -> &[f64] {
        &self.psi
    }

    /// Reactions of reference, of λ and of ψ: what makes the largest force that has acted so far, in the unit of each.
    /// Scales of multipliers are no less than what inertias need at the rate of the stiffest spring, which need not act.
    pub fn reactions(&self) -> [Vec<f64>; 2] {
        let acted = self.acted.max(INSIGNIFICANT * self.energy) / self.energy;
        let part = if acted.is_finite() { acted } else { 1.0 };
        let [mut lambda, mut psi] = [self.lambda.clone(), self.psi.clone()];
        // Multipliers of surfaces are shares.
        let of_forces = lambda.iter_mut().chain(psi.iter_mut().take(self.stated_psi));
        of_forces.for_each(|reaction| *reaction *= part);
        [lambda, psi]
    }

    /// The largest of changes of multipliers in units of their scales; NaN if one is.
    pub(crate) fn of_multipliers(&self, lambda: &[f64], psi: &[f64]) -> f64 {
        let [lambda, psi] = [largest_in(lambda, &self.lambda), largest_in(psi, &self.psi)];
        if lambda.is_nan() { lambda } else { psi.max(lambda) }
    }

    /// The largest of changes of the shares of surfaces among multipliers ψ and variables w; NaN if one is.
    pub(crate) fn of_shares(&self, psi: &[f64], w: &[f64]) -> f64 {
        let [of_speeds, of_states] = [self.stated_psi, self.stated_w];
        let speeds = largest_in(&psi[of_speeds..], &self.psi[of_speeds..]);
        let most =
            |most: f64, share: &f64| if share.is_nan() { f64::NAN } else { most.max(share.abs()) };
        w[of_states..].iter().fold(speeds, most)
    }

    /// Characteristic rate of the model in 1/s: the largest of speeds over lengths at the start.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// |G_r| (n columns, each times its coordinate's scale at the start) of the holonomic rows: what
    /// a violation of the row is measured against, in its unit.
    pub fn holonomic(&self) -> &[f64] {
        &self.rows[0]
    }

    /// |K_r| likewise; a violation is measured against this times [`rate`](Self::rate).
    pub fn nonholonomic(&self) -> &[f64] {
        &self.rows[1]
    }

    /// Units in which nothing told a length, so that 1 was taken; the motion may have enlarged it. Those in which nothing
    /// has moved so far, by more than rounding, are not among them.
    pub fn assumed(&self) -> impl Iterator<Item = &str> {
        let moves = |group: usize| {
            [(&self.of_q, &self.q), (&self.of_x, &self.x)].into_iter().any(|(track, scale)| {
                (0..track.group.len()).filter(|&i| track.group[i] as usize == group).any(|i| {
                    let [low, high] = track.range[i];
                    !(high - low <= ROUNDING * scale.magnitude[i])
                })
            })
        };
        let units = self.units.iter().zip(&self.assumed).enumerate();
        units.filter(move |(g, (_, assumed))| **assumed && moves(*g)).map(|(_, (unit, _))| &**unit)
    }

    /// Whether another end of the run makes others.
    pub(crate) fn depend_on_span(&self) -> bool {
        self.by_span
    }

    /// Work of the largest force so far over the scale of its coordinate, in J.
    pub(crate) fn energy(&self) -> f64 {
        self.energy
    }

    /// Which weights these are.
    pub fn weighting(&self) -> Weighting {
        self.weighting
    }

    /// Of multipliers divided by rate squared: what one makes of a position in the step of that rate.
    pub(crate) fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Of the multipliers μ of S⁻²(q̇ − v) + Gᵀμ = 0, S the lengths.
    pub(crate) fn position_multipliers(&self) -> &[f64] {
        &self.slips
    }

    /// Largest violation of the holonomic rows, relative to the values they are computed from.
    pub(crate) fn of_position(&self, g: &[f64]) -> f64 {
        largest_in(g, &self.rows[0]) / self.offset[0]
    }

    /// The same of the rows G v + g_t and k.
    pub(crate) fn of_velocity(&self, rows: [&[f64]; 2]) -> f64 {
        let [gdot, k] = rows;
        largest_in(gdot, &self.rows[0]).max(largest_in(k, &self.rows[1])) / self.offset[1]
    }

    /// Fills `out` with the largest of the values in each coordinate's unit.
    pub(crate) fn largest(&self, values: &[f64], out: &mut [f64]) {
        self.of_q.sizes(values, 0.0, out);
    }

    /// Fills `out` with the size of each acceleration: the largest of those given in its unit, at
    /// least scale times rate².
    pub fn accelerations(&self, a: &[f64], out: &mut [f64]) {
        self.of_q.sizes(a, self.rate * self.rate, out);
    }

    /// The same of the states' rates, at least scale times rate.
    pub fn rates(&self, xd: &[f64], out: &mut [f64]) {
        self.of_x.sizes(xd, self.rate, out);
    }
}

impl Track {
    fn sizes(&self, values: &[f64], factor: f64, out: &mut [f64]) {
        largest_by_group(&self.group, values, out);
        if factor > 0.0 {
            out.iter_mut().zip(&self.base).for_each(|(out, base)| *out = out.max(base * factor));
        }
    }
}

/// Largest |values| in units of their own.
fn largest_in(values: &[f64], units: &[f64]) -> f64 {
    let ratios = values.iter().zip(units).map(|(value, unit)| value.abs() / unit);
    ratios.fold(0.0, |most: f64, ratio| if ratio > most || ratio.is_nan() { ratio } else { most })
}

/// Fills `out` with the largest |value| of each one's group.
pub(crate) fn largest_by_group(group: &[u32], values: &[f64], out: &mut [f64]) {
    const FEW: usize = 8;
    let mut most = [0.0f64; FEW];
    let mut many = 0;
    for (value, &g) in values.iter().zip(group) {
        match most.get_mut(g as usize) {
            Some(most) => *most = most.max(value.abs()),
            None => many = many.max(g as usize),
        }
    }
    for (out, &g) in out.iter_mut().zip(group) {
        *out = most.get(g as usize).copied().unwrap_or(0.0);
    }
    for g in FEW..=many {
        let members = || group.iter().enumerate().filter(move |(_, of)| **of as usize == g);
        let most = members().fold(0.0f64, |most, (i, _)| most.max(values[i].abs()));
        members().for_each(|(i, _)| out[i] = most);
    }
}
