//! Points at which a model takes every side of every comparison it makes.
//!
//! A statement that compares values is another expression on the other side, with derivatives of its
//! own. What it compares is on its tape (`scalar/look.rs`), so points on the other side can be looked
//! for: statement by statement, over what it reads, along the gradient of the compared number and then
//! at random; and put together to few points of the whole model.

use super::samples::{Noise, difference_samples, generic_point};
use crate::assembly::{ElementGroup, Point, System};
use crate::scalar::Part;
use crate::statement::{Watch, Watched};
use std::collections::HashMap;
use std::fmt;

/// Points at which derivatives are compared, at most.
const MOST_POINTS: usize = 64;
/// Evaluations of statements in the search, at most, over all of a model.
const BUDGET: usize = 1_000_000;
/// Steps of the search along a gradient.
const ROUNDS: usize = 16;
/// Points tried at random where the gradient does not lead to the other side.
const AT_RANDOM: usize = 48;
/// How far on the other side a linear comparison is crossed to, relative to where it is crossed from:
/// it may be a narrow one.
const OVERSHOOTS: [f64; 8] = [1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-7, 1e-9];
/// Parts of such a step that are tried in turn where it is not linear.
const PARTS: [f64; 7] = [2.0, 0.5, 0.25, 0.1, 0.03, 4.0, 16.0];
/// Distance from a change of side that is enough, relative to the size of what is read.
const AWAY: f64 = 1e-2;
/// Points tried to get away from it.
const ASIDE: usize = 12;

/// A side of a comparison that no point visited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReached {
    /// The statement that compares.
    pub statement: String,
    /// The side, as `x < 2`.
    pub side: String,
    /// Why not.
    pub because: Because,
}

/// Why a side was not visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// Parameters alone are compared: with these values the other side is not part of the model.
    Fixed,
    /// No point of the search is on it.
    NotFound,
    /// There are more sides than points that are tried.
    TooMany,
}

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Because::Fixed => "parameters alone decide it",
            Because::NotFound => "no point was found",
            Because::TooMany => "there are too many to visit",
        })
    }
}

impl fmt::Display for NotReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotReached { statement, side, because } = self;
        write!(f, "`{statement}` where {side}: {because}")
    }
}

/// What became of a parameter at the points visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reached {
    /// No equation reads it.
    Unread,
    /// An equation may read it, and did at no point.
    No,
    /// It was compared only.
    Compared,
    Yes,
}

/// The points, and what they do not visit.
pub(super) struct Visits {
    pub(super) points: Vec<Point>,
    pub(super) comparisons: usize,
    pub(super) not_reached: Vec<NotReached>,
    /// Of each parameter.
    pub(super) params: Vec<Reached>,
}

/// An instance of a statement that compares.
struct Site<'a> {
    group: &'a dyn ElementGroup,
    /// Its index, and that of the instance.
    place: (usize, usize),
    /// What it reads and a point may change.
    flats: Vec<usize>,
    comparisons: Vec<Comparison>,
}

/// A comparison of an instance.
struct Comparison {
    /// Which of the statement's expressions compares, and what.
    id: (usize, u64),
    inputs: Vec<usize>,
    /// What it read below and above.
    sides: [Option<Witness>; 2],
    visited: [bool; 2],
    tried: [bool; 2],
}

/// What an instance read where it was on a side.
#[derive(Clone)]
struct Witness {
    values: Vec<f64>,
    /// Distance from the next change of side.
    away: f64,
}

/// The number that decided, of a comparison.
type Value = ((usize, u64), f64);

fn side_of(value: f64) -> Option<usize> {
    if value < 0.0 {
        Some(0)
    } else if value > 0.0 {
        Some(1)
    } else {
        None
    }
}

/// What a point may change is taken to be of about its own size.
fn size(y: f64) -> f64 {
    y.abs().max(1e-2)
}

struct Search<'a> {
    system: &'a System,
    params: usize,
    watched: Watched,
    noise: Noise,
    left: usize,
}

impl Search<'_> {
    /// What an instance compares at a flat point.
    fn values(&mut self, site: &Site<'_>, y: &[f64]) -> Vec<Value> {
        self.left = self.left.saturating_sub(1);
        self.watched.seen.clear();
        let ask = Watch { paths: true, ..Watch::default() };
        site.group.watch(site.place.1, y, ask, &mut self.watched);
        let seen = self.watched.seen.iter().enumerate();
        seen.flat_map(|(kernel, seen)| {
            seen.path.looks.iter().map(move |look| ((kernel, look.key), look.value))
        })
        .collect()
    }

    /// Enters what an instance compares at a point, which is a witness for the sides it is on.
    fn enter(&mut self, site: &mut Site<'_>, y: &[f64]) -> Vec<Value> {
        let values = self.values(site, y);
        let mut away = None;
        for &(id, value) in &values {
            let Some(side) = side_of(value) else { continue };
            let index = match site.comparisons.iter().position(|c| c.id == id) {
                Some(index) => index,
                None => {
                    let look = self.watched.seen[id.0].path.looks.iter().find(|l| l.key == id.1);
                    let flats = &self.watched.seen[id.0].flats;
                    let inputs = look.map_or(Vec::new(), |look| {
                        let flat = |k: &usize| flats[*k] as usize;
                        look.inputs.iter().map(flat).filter(|flat| *flat < self.params).collect()
                    });
                    let (sides, no) = (Default::default(), Default::default());
                    site.comparisons.push(Comparison { id, inputs, sides, visited: no, tried: no });
                    site.comparisons.len() - 1
                }
            };
            if site.comparisons[index].sides[side].as_ref().is_none_or(|w| w.away < AWAY) {
                let away = *away.get_or_insert_with(|| self.away(site, y, &values));
                let known = &mut site.comparisons[index].sides[side];
                if known.as_ref().is_none_or(|witness| witness.away < away) {
                    let values = site.flats.iter().map(|&flat| y[flat]).collect();
                    *known = Some(Witness { values, away });
                }
            }
        }
        values
    }

    /// The gradient of a compared number by what a point may change.
    fn gradient(&mut self, site: &Site<'_>, y: &[f64], id: (usize, u64)) -> Vec<f64> {
        let inputs = site.comparisons.iter().find(|c| c.id == id).map(|c| c.inputs.clone());
        let mut moved = y.to_vec();
        let value = |search: &mut Self, moved: &[f64]| {
            search.values(site, moved).into_iter().find(|v| v.0 == id).map(|v| v.1)
        };
        let slopes = inputs.unwrap_or_default().into_iter().map(|flat| {
            let h = 1e-6 * size(y[flat]);
            moved[flat] = y[flat] + h;
            let after = value(self, &moved);
            moved[flat] = y[flat] - h;
            let before = value(self, &moved);
            moved[flat] = y[flat];
            after.zip(before).map_or(0.0, |(after, before)| (after - before) / (2.0 * h))
        });
        slopes.collect()
    }

    /// How far a point is from the next change of side, relative to the size of what is read.
    fn away(&mut self, site: &Site<'_>, y: &[f64], values: &[Value]) -> f64 {
        let mut least = f64::INFINITY;
        for &(id, value) in values {
            let gradient = self.gradient(site, y, id);
            let inputs = site.comparisons.iter().find(|c| c.id == id).map(|c| c.inputs.clone());
            let reach: f64 = gradient
                .iter()
                .zip(inputs.unwrap_or_default())
                .map(|(slope, flat)| (slope * size(y[flat])).abs())
                .sum();
            if reach > 0.0 {
                least = least.min(value.abs() / reach);
            }
        }
        least
    }

    /// Looks for points on every side of the comparisons of an instance.
    fn explore(&mut self, site: &mut Site<'_>, base: &Point) {
        let mut y = base.flat().to_vec();
        self.enter(site, &y);
        loop {
            let open = site.comparisons.iter().enumerate().find_map(|(index, comparison)| {
                let open = |side: &usize| {
                    let missing = comparison.sides[*side].is_none();
                    let other = comparison.sides[1 - *side].is_some();
                    missing && other && !comparison.tried[*side]
                };
                (0..2).find(open).map(|side| (index, side))
            });
            let Some((index, side)) = open.filter(|_| self.left > 0) else { break };
            site.comparisons[index].tried[side] = true;
            if !site.comparisons[index].inputs.is_empty() {
                self.cross(site, index, side, &mut y);
            }
        }
        // Away from the changes, where a difference finds room.
        for index in 0..site.comparisons.len() {
            for side in 0..2 {
                let known = site.comparisons[index].sides[side].clone();
                let Some(near) = known.filter(|witness| witness.away < AWAY) else { continue };
                for k in 0..ASIDE {
                    let by = 0.5 / (1 + k / 4) as f64;
                    for (&flat, value) in site.flats.iter().zip(&near.values) {
                        y[flat] = value + by * size(*value) * self.noise.sample();
                    }
                    self.enter(site, &y);
                }
            }
        }
    }

    /// From one side of a comparison to the other.
    fn cross(&mut self, site: &mut Site<'_>, index: usize, side: usize, y: &mut [f64]) {
        let Comparison { id, ref inputs, ref sides, .. } = site.comparisons[index];
        let inputs = inputs.clone();
        let Some(from) = sides[1 - side].clone() else { return };
        site.flats.iter().zip(&from.values).for_each(|(&flat, value)| y[flat] = *value);
        let find = |values: Vec<Value>| values.into_iter().find(|v| v.0 == id).map(|v| v.1);
        let Some(first) = find(self.enter(site, y)) else { return };
        let want = if side == 1 { 1.0 } else { -1.0 };
        let mut value = first;
        for _ in 0..ROUNDS {
            let gradient = self.gradient(site, y, id);
            let steps: Vec<f64> = gradient
                .iter()
                .zip(&inputs)
                .map(|(slope, &flat)| slope * size(y[flat]).powi(2))
                .collect();
            let rate: f64 = gradient.iter().zip(&steps).map(|(slope, step)| slope * step).sum();
            if !(rate > 0.0 && rate.is_finite()) || self.left == 0 {
                break;
            }
            // As far on the other side or nearer, then a part of the way, then too far.
            let nearer = OVERSHOOTS.map(|by| want * by * first.abs() - value);
            let others = PARTS.map(|part| (want * first.abs() - value) * part);
            let before: Vec<f64> = inputs.iter().map(|&flat| y[flat]).collect();
            let mut best: Option<(f64, f64)> = None;
            for change in nearer.into_iter().chain(others) {
                let by = change / rate;
                place(y, &inputs, &before, &steps, by);
                if let Some(found) = find(self.enter(site, y)) {
                    if side_of(found) == Some(side) {
                        return;
                    }
                    if want * found > best.map_or(want * value, |(_, best)| want * best) {
                        best = Some((by, found));
                    }
                }
            }
            let Some((by, found)) = best else { break };
            place(y, &inputs, &before, &steps, by);
            value = found;
        }
        for k in 0..AT_RANDOM {
            if self.left == 0 {
                return;
            }
            let reach = 2.0f64.powi((k / 3) as i32 - 4);
            for (&flat, value) in site.flats.iter().zip(&from.values) {
                y[flat] = value + reach * size(*value) * self.noise.sample();
            }
            if find(self.enter(site, y)).and_then(side_of) == Some(side) {
                return;
            }
        }
    }

    /// Marks the sides that a point visits; whether there is a new one.
    fn visit(&mut self, sites: &mut [Site<'_>], point: &Point, params: &mut [Reached]) -> bool {
        let mut new = false;
        for site in sites {
            for (id, value) in self.values(site, point.flat()) {
                let known = site.comparisons.iter_mut().find(|c| c.id == id);
                if let (Some(comparison), Some(side)) = (known, side_of(value)) {
                    new |= !std::mem::replace(&mut comparison.visited[side], true);
                }
            }
            self.read(params);
        }
        new
    }

    /// Notes which parameters were read by what was watched last.
    fn read(&self, params: &mut [Reached]) {
        for seen in &self.watched.seen {
            let mut note = |flat: u32, reached: Reached| {
                // Discrete values come after the parameters.
                let param = (flat as usize).checked_sub(self.params);
                if let Some(known) = param.and_then(|param| params.get_mut(param)) {
                    *known = (*known).max(reached);
                }
            };
            seen.flats.iter().for_each(|flat| note(*flat, Reached::No));
            for look in &seen.path.looks {
                look.inputs.iter().for_each(|k| note(seen.flats[*k], Reached::Compared));
            }
            seen.path.needed.iter().for_each(|k| note(seen.flats[*k], Reached::Yes));
        }
    }

    /// The two sides of a comparison, written out.
    fn sides(&mut self, site: &Site<'_>, comparison: &Comparison, base: &Point) -> [String; 2] {
        if let Some(what) = self.system.model().compared.get(site.group.name()) {
            return [what.clone(), "0".into()];
        }
        let mut y = base.flat().to_vec();
        if let Some(witness) = comparison.sides.iter().flatten().next() {
            site.flats.iter().zip(&witness.values).for_each(|(&flat, value)| y[flat] = *value);
        }
        self.watched.seen.clear();
        self.watched.wanted = Some(comparison.id);
        let ask = Watch { paths: true, ..Watch::default() };
        site.group.watch(site.place.1, &y, ask, &mut self.watched);
        self.watched.wanted = None;
        let sides = std::mem::take(&mut self.watched.sides);
        let Some(seen) = self.watched.seen.get(comparison.id.0) else { return Default::default() };
        let text = |parts: Vec<Part>| -> String {
            let part = |part| match part {
                Part::Text(text) => text,
                Part::Input(k) => self.system.flat_name(seen.flats[k] as usize),
            };
            parts.into_iter().map(part).collect()
        };
        sides.map(text)
    }
}

/// Moves what is compared along its gradient.
fn place(y: &mut [f64], inputs: &[usize], before: &[f64], steps: &[f64], by: f64) {
    for ((&flat, before), step) in inputs.iter().zip(before).zip(steps) {
        y[flat] = before + by * step;
    }
}

/// Generic points, and further ones on the sides of comparisons that these do not visit.
pub(super) fn visits(system: &System) -> Visits {
    let layout = system.layout();
    let (first, others) = (layout.params().start, layout.modes().start..layout.inputs().end);
    let mut search = Search {
        system,
        params: first,
        watched: Watched::default(),
        noise: Noise::new(29),
        left: BUDGET,
    };
    let mut points = vec![generic_point(system, 1), generic_point(system, 2)];
    let mut params = vec![Reached::Unread; system.layout().params().len()];
    let mut sites = Vec::new();
    for (index, group) in system.groups().enumerate() {
        for instance in 0..group.instances() {
            let mut site = Site {
                group,
                place: (index, instance),
                flats: Vec::new(),
                comparisons: Vec::new(),
            };
            search.values(&site, points[0].flat());
            if group.sees().comparisons {
                let flats = search.watched.seen.iter().flat_map(|seen| &seen.flats);
                let moves = |flat: &usize| *flat < first || others.contains(flat);
                site.flats = flats.map(|flat| *flat as usize).filter(moves).collect();
                site.flats.sort_unstable();
                site.flats.dedup();
                sites.push(site);
            } else {
                search.read(&mut params);
            }
        }
    }
    search.left = BUDGET;
    for site in &mut sites {
        search.explore(site, &points[0]);
    }
    for point in &points {
        search.visit(&mut sites, point, &mut params);
    }
    for _ in 0..4 * MOST_POINTS {
        let base = &points[points.len() % 2];
        let Some(point) = Some(base).filter(|_| points.len() < MOST_POINTS) else { break };
        let Some(point) = together(&mut sites, point) else { break };
        if search.visit(&mut sites, &point, &mut params) {
            points.push(point);
        }
    }
    let (comparisons, not_reached) = left_over(&mut search, &sites, &points[0]);
    Visits { points, comparisons, not_reached, params }
}

/// A point on sides that have not been visited, of as many instances as go together.
fn together(sites: &mut [Site<'_>], base: &Point) -> Option<Point> {
    let mut point = base.clone();
    let mut taken = vec![false; point.flat().len()];
    let mut any = false;
    for site in sites {
        if site.flats.iter().any(|&flat| taken[flat]) {
            continue;
        }
        let open = site.comparisons.iter_mut().find_map(|comparison| {
            let open =
                |side: &usize| !comparison.visited[*side] && comparison.sides[*side].is_some();
            // Once: what was not visited there will not be.
            (0..2).find(open).and_then(|side| comparison.sides[side].take())
        });
        if let Some(witness) = open {
            any = true;
            for (&flat, value) in site.flats.iter().zip(witness.values) {
                point.flat_mut()[flat] = value;
                taken[flat] = true;
            }
        }
    }
    any.then_some(point)
}

/// The comparisons of all statements, and the sides of them that no instance visited.
fn left_over(
    search: &mut Search<'_>,
    sites: &[Site<'_>],
    base: &Point,
) -> (usize, Vec<NotReached>) {
    // Instances of a statement make the same comparisons.
    let mut all: HashMap<(usize, usize, u64), ([bool; 2], usize, usize)> = HashMap::new();
    let mut order = Vec::new();
    for (k, site) in sites.iter().enumerate() {
        for (c, comparison) in site.comparisons.iter().enumerate() {
            let id = (site.place.0, comparison.id.0, comparison.id.1);
            let entry = all.entry(id).or_insert_with(|| {
                order.push(id);
                ([false; 2], k, c)
            });
            entry.0.iter_mut().zip(comparison.visited).for_each(|(any, here)| *any |= here);
        }
    }
    let mut not_reached = Vec::new();
    for id in &order {
        let (visited, k, c) = all[id];
        let (site, comparison) = (&sites[k], &sites[k].comparisons[c]);
        if visited == [true; 2] {
            continue;
        }
        let [left, right] = search.sides(site, comparison, base);
        for side in (0..2).filter(|side| !visited[*side]) {
            let because = if comparison.inputs.is_empty() {
                Because::Fixed
            } else if comparison.sides[side].is_some() || search.left == 0 {
                Because::TooMany
            } else {
                Because::NotFound
            };
            not_reached.push(NotReached {
                statement: site.group.name().to_string(),
                side: format!("{left} {} {right}", ["<", ">"][side]),
                because,
            });
        }
    }
    (order.len(), not_reached)
}

/// Whether samples of a difference stay on the sides that a point is on.
pub(super) struct Steady<'a> {
    statements: Vec<(&'a dyn ElementGroup, usize)>,
    here: Vec<bool>,
}

/// What the signs of compared numbers are.
fn signs(statements: &[(&dyn ElementGroup, usize)], y: &[f64]) -> Vec<bool> {
    let mut watched = Watched::default();
    let ask = Watch { comparisons: true, ..Watch::default() };
    for (group, instance) in statements {
        group.watch(*instance, y, ask, &mut watched);
    }
    watched.decisions.iter().map(|x| *x > 0.0).collect()
}

impl<'a> Steady<'a> {
    /// Of the statements of a system.
    pub(super) fn new(system: &'a System, point: &Point) -> Self {
        Steady::of_groups(system.groups(), point)
    }

    /// Of some statements.
    pub(super) fn of_groups(
        groups: impl Iterator<Item = &'a dyn ElementGroup>,
        point: &Point,
    ) -> Self {
        let comparing = groups.filter(|group| group.sees().comparisons);
        let statements: Vec<_> =
            comparing.flat_map(|group| (0..group.instances()).map(move |i| (group, i))).collect();
        let here = signs(&statements, point.flat());
        Steady { statements, here }
    }

    /// Those of some steps along a direction whose samples do.
    pub(super) fn of(&self, point: &Point, direction: &[f64], steps: &[f64]) -> Vec<f64> {
        let stays = |step: &&f64| {
            difference_samples(point, direction, **step)
                .all(|(_, moved)| signs(&self.statements, moved.flat()) == self.here)
        };
        if self.statements.is_empty() {
            return steps.to_vec();
        }
        steps.iter().filter(stays).copied().collect()
    }
}
