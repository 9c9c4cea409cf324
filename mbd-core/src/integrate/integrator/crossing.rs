//! Crossings of held guards within an attempted step: which comes first, where, and whether the step ends there.

use super::Integrator;
use super::bracket::Bracket;
use super::carried::{Crossed, Held, Left, TRIES};
use super::dip::Dip;
use crate::integrate::guards::INSTANTS;
use crate::integrate::scheme::{Accuracy, StepSpan};

/// A crossing is met to this part of the tolerance of a step.
const MET: f64 = 1e-3;

/// Parts of a step down to which a guard that has just changed is looked for on its new side.
const SMALLEST_PART: f64 = 1e-12;

/// The least part of a step that is taken between two stated events.
pub(super) const LEAST: f64 = 1e-9;

/// The part of the time until a plane's speed is 0 that a step takes.
const SHORT: f64 = 0.999;

/// The part of a step by which one that was to end at the crossing of a stated event may end before it.
const LITTLE: f64 = 1e-2;

/// A guard farther from its boundary than this many times its way in a step is not looked at within it.
const FAR: f64 = 4.0;

/// A guard this near to its boundary all along a step, relative to what it has been, stays there: a row holds it.
pub(super) const STILL: f64 = 1e-12;

/// Contacts whose gaps differ by no more than this part of what errors make of them strike together: which of them comes first
/// is not known, and makes a difference.
const TOGETHER: f64 = 0.1;

/// Those that close more slowly than this part of the scale of their rate come to rest by themselves.
const SWIFT: f64 = 1e-3;

/// Times that differ by no more are the same as far as a crossing is concerned.
fn rounding_of(t: f64) -> f64 {
    4.0 * f64::EPSILON * t.abs()
}

/// Parts of a step at which guards are looked at: its beginning, and those instants.
pub(super) const PARTS: [f64; 1 + INSTANTS.len()] = {
    let mut parts = [0.0; 1 + INSTANTS.len()];
    let mut k = 0;
    while k < INSTANTS.len() {
        parts[k + 1] = INSTANTS[k];
        k += 1;
    }
    parts
};

impl Integrator<'_> {
    /// Looks for crossings in an attempted step. `tries`: how often it was taken again for one already;
    /// `whole`: its size before.
    pub(super) fn crossed(&mut self, span: StepSpan, tries: usize, whole: f64) -> Crossed {
        if self.events.guards.is_empty() && !self.guards.senses() {
            return Crossed::No;
        }
        self.events.due.clear();
        let near = self.met(span);
        let left = self.left(span, tries, near);
        if let Left::TooLong = left {
            return Crossed::TooLong;
        }
        // A step that ends where a surface is left, or where a reaction is met, says nothing of where guards cross.
        let seeks = self.events.jumps.seeks;
        let own = if self.sliding.ends_step || seeks { 0 } else { tries };
        let crossed = self.crossed_guards(span, own, whole, near);
        let crossed = match (self.crossed_sensed(span, tries, whole, near), crossed) {
            (_, known @ (Crossed::Again | Crossed::TooLong)) => known,
            (Crossed::Sooner(h), Crossed::Sooner(known)) => Crossed::Sooner(h.min(known)),
            (Crossed::Sooner(h), _) | (_, Crossed::Sooner(h)) => Crossed::Sooner(h),
            (Crossed::Ends, _) | (_, Crossed::Ends) => Crossed::Ends,
            _ => Crossed::No,
        };
        let sooner = if let Crossed::Sooner(h) = crossed { Some(h) } else { None };
        self.sliding.ends_step = false;
        match (left, crossed) {
            (Left::At(part), _) if part * span.h <= rounding_of(span.t_next) => {
                self.events.due.clear();
                match self.leaves_at_once() {
                    true => Crossed::Again,
                    false => Crossed::TooLong,
                }
            }
            (Left::At(part), crossed) if !matches!(crossed, Crossed::Again) => {
                let h = part * span.h;
                self.events.due.clear();
                self.sliding.ends_step = sooner.is_none_or(|sooner| h <= sooner);
                Crossed::Sooner(sooner.map_or(h, |sooner| sooner.min(h)))
            }
            (Left::Ends, Crossed::No) => Crossed::Ends,
            (Left::Ends, sooner @ Crossed::Sooner(_)) => {
                self.sliding.forget_leaving();
                sooner
            }
            (_, Crossed::No) if self.arrives_in_planes() => Crossed::Ends,
            (_, crossed) => crossed,
        }
    }

    /// The same of guards alone; a crossing is met where it is as `near` in time.
    fn crossed_guards(&mut self, span: StepSpan, tries: usize, whole: f64, near: f64) -> Crossed {
        let first = self.first_crossing(span, tries);
        let short = std::mem::take(&mut self.events.short.1);
        if first.is_none() && short {
            self.events.short.0 += 1;
        }
        match first {
            None if short => Crossed::No,
            // A step may happen to end at a boundary.
            None if tries == 0 && self.ends_at_boundary(near) => self.end_at([near; 2], None),
            None if tries == 0 => match self.turns_near(span) {
                Some(part) => Crossed::Sooner(part * span.h),
                None => Crossed::No,
            },
            None => {
                // The step that was to end at one ends before it, by a little.
                match self.reached(near + whole - span.h) {
                    // It never gets nearer by rounding of σ.
                    Some((held, short)) if tries > 1 && self.is_rounding(held) => {
                        self.end_at([near; 2], Some(near.max(short)))
                    }
                    Some((_, short)) if short > near && tries < TRIES && span.h + short < whole => {
                        Crossed::Sooner(span.h + short)
                    }
                    // It crosses before the step that was too long ends.
                    Some((_, short)) => {
                        self.end_at([near.max(short), near.max(short.min(LITTLE * span.h))], None)
                    }
                    None => Crossed::No,
                }
            }
            Some((held, part)) if part <= 0.0 => {
                if !self.decide_again(held) {
                    self.free(held);
                }
                Crossed::Again
            }
            Some((held, part)) if self.stops_short(held) => Crossed::Sooner(SHORT * part * span.h),
            Some((_, part)) if (1.0 - part) * span.h <= near || tries >= TRIES => {
                self.end_at([near; 2], None)
            }
            Some((held, part)) if self.events.guards[held].stated => {
                // Time has to go on between two events, so far that changes of positions are more than rounding.
                let least = (4.0 * rounding_of(span.t_next)).max(LEAST * whole);
                let sooner = part * span.h;
                if span.h <= least {
                    self.end_at([near; 2], None)
                } else if sooner < least && self.is_rounding(held) {
                    // It crosses anywhere in the step, by rounding.
                    self.end_at([near; 2], Some(span.h))
                } else {
                    Crossed::Sooner(sooner.max(least).min(span.h))
                }
            }
            Some((_, part)) => Crossed::Sooner(part * span.h),
        }
    }

    /// What rounding of coordinates, velocities and states makes of guards at the end of the attempted step.
    fn rounding_of_guards(&mut self) -> Vec<f64> {
        let values = self.guards.values(&self.to).to_vec();
        self.rounding_of(&values, |guards, at, out| {
            out.clear();
            out.extend_from_slice(guards.values(at));
        })
    }

    /// Whether a guard is nothing but rounding of what it compares all along the attempted step.
    fn is_rounding(&mut self, held: usize) -> bool {
        let noise = self.rounding_of_guards();
        self.events.guards[held].is_below(&noise)
    }

    /// Whether a guard comes to its boundary at the end of an attempted step, to `near` in time.
    fn ends_at_boundary(&self, near: f64) -> bool {
        let sides = self.to.sides();
        self.events.guards.iter().any(|held| {
            let (side, [_, rate]) = (held.on(sides), held.rates);
            let left = held.values[INSTANTS.len()] * side;
            let towards = side != 0.0 && rate * side < 0.0 && !held.still;
            towards && left >= 0.0 && left <= near * rate.abs()
        })
    }

    /// How near in time a crossing has to be met.
    fn met(&self, span: StepSpan) -> f64 {
        let rounding = rounding_of(span.t_next.abs().max(span.h));
        match self.step.accuracy() {
            Accuracy::Tolerance(eps) => rounding.max(MET * eps.min(1e-3) * span.h),
            Accuracy::RoundOff => rounding,
        }
    }

    /// The guard that crosses next, from the end of the attempted step and at its rate there, and the time until then, where
    /// that is less than `within`; 0 for one that is there.
    fn reached(&mut self, within: f64) -> Option<(usize, f64)> {
        let values = &self.guards.values(&self.to).to_vec();
        let rates = self.guards.rates(&self.to);
        let sides = self.to.sides();
        let until = self.events.guards.iter().enumerate().filter_map(|(index, held)| {
            let (side, x, rate) = (held.on(sides), held.of(values), held.along(rates));
            let short = -x / rate;
            (side != 0.0 && rate * side < 0.0 && !held.still).then_some((index, short))
        });
        let next = until.filter(|(_, short)| *short <= within).min_by(|a, b| a.1.total_cmp(&b.1));
        next.map(|(index, short)| (index, short.max(0.0)))
    }

    /// Ends the attempted step at the crossings of all guards that are at their boundary there, as near in time as this; and
    /// as this, those of stated events, which do not happen anywhere else. Those that are nothing but rounding are met within
    /// a time of their own, in which others may be far from theirs.
    fn end_at(&mut self, near: [f64; 2], rounding: Option<f64>) -> Crossed {
        let noise = rounding.map_or(Vec::new(), |_| self.rounding_of_guards());
        let values = &self.guards.values(&self.to).to_vec();
        let rates = &self.guards.rates(&self.to).to_vec();
        let sides = self.to.sides();
        self.events.due.clear();
        // A drive that comes to rest at an instant of the clock is at rest by what holds beyond it, which is looked at
        // there.
        let by_clock = self.timetable.stop(self.from.t()) <= self.to.t();
        let together = TOGETHER * self.late();
        let sizes = self.scales.holonomic();
        for (index, held) in self.events.guards.iter().enumerate() {
            if by_clock && self.guards.surface(held.guard).is_some() {
                continue;
            }
            let (side, x, rate) = (held.on(sides), held.of(values), held.along(rates));
            let beyond = x * side < 0.0;
            let near = match rounding {
                Some(near) if held.is_below(&noise) => near,
                _ => near[usize::from(held.stated)],
            };
            let size = held.contact.map_or(0.0, |contact| sizes[self.gap_row(contact)]);
            let swift = rate.abs() > SWIFT * size * self.scales.rate();
            let reach = if swift { together * size } else { 0.0 };
            let reach = reach.max(2.0 * near * rate.abs());
            let there = rate * side < 0.0 && x * side <= reach;
            if side != 0.0 && (beyond || there) && !held.still {
                self.events.due.push(index);
            }
        }
        if self.events.due.is_empty() { Crossed::No } else { Crossed::Ends }
    }

    /// σ of all guards at a part of the attempted step.
    pub(super) fn values_at(&mut self, span: StepSpan, part: f64) -> &[f64] {
        if part >= 1.0 {
            self.guards.values(&self.to)
        } else if part <= 0.0 {
            self.guards.values(&self.from)
        } else {
            let t = span.t + part * span.h;
            self.stepper.interpolate(&self.from, &self.to, t, &mut self.within);
            self.guards.values(&self.within)
        }
    }

    /// The guard that leaves its side first in an attempted step, and at which part; part 0 for one that
    /// is not on its side at any part. `tries`: how often the step was taken again for one.
    fn first_crossing(&mut self, span: StepSpan, tries: usize) -> Option<(usize, f64)> {
        let mut guards = std::mem::take(&mut self.events.guards);
        // Known values belong to the last accepted point.
        let mut ends = [(&self.from, 0, 0), (&self.to, 1, INSTANTS.len())].into_iter();
        if self.events.known == Some(self.from.t()) {
            ends.next();
        }
        for (end, k, instant) in ends {
            let values = self.guards.values(end);
            guards.iter_mut().for_each(|held| held.values[instant] = held.of(values));
            let rates = self.guards.rates(end);
            guards.iter_mut().for_each(|held| held.rates[k] = held.along(rates));
        }
        self.events.known = Some(self.from.t());
        let (sides, whole) = (self.from.sides(), tries == 0);
        if whole {
            guards.iter_mut().for_each(|held| held.still = false);
        }
        if guards.iter().all(|held| held.on(sides) == 0.0 || held.is_far(held.on(sides), span.h)) {
            self.events.guards = guards;
            return None;
        }
        for (k, &part) in PARTS.iter().enumerate().take(INSTANTS.len()).skip(1) {
            let values = self.values_at(span, part);
            guards.iter_mut().for_each(|held| held.values[k] = held.of(values));
        }
        // Of the step as it was tried first: in one that is short enough everything stays.
        for held in guards.iter_mut().filter(|held| whole && held.stated && !held.fresh) {
            held.still = held.within(STILL * held.largest, span.h);
        }
        // What a constraint or a contact holds there leaves its side by rounding, over and over.
        let sides = self.from.sides();
        let leaves = |held: &Held| held.values.iter().any(|x| x * held.on(sides) < 0.0);
        let known = |held: &Held| held.stated || self.guards.surface(held.guard).is_some();
        if whole && guards.iter().any(|held| leaves(held) && !known(held)) {
            let rounding = self.rounding_of_guards();
            for held in guards.iter_mut() {
                let known = held.stated || self.guards.surface(held.guard).is_some();
                let noise = if known { 0.0 } else { held.along(&rounding).abs() };
                held.still |= noise > 0.0 && held.values.iter().all(|x| x.abs() <= noise);
            }
        }
        let mut first = self.first_beyond(span, &guards);
        while let Some((index, _)) = first
            && guards[index].forgets_offset(self.from.sides())
        {
            first = self.first_beyond(span, &guards);
        }
        let found = first.map(|(index, bracket)| self.locate(span, &guards, index, bracket));
        self.events.guards = guards;
        found
    }

    /// The first part of an attempted step at which a guard is known to be beyond its boundary, and the last before it at
    /// which it is not.
    fn first_beyond(&mut self, span: StepSpan, guards: &[Held]) -> Option<(usize, [f64; 2])> {
        let near = self.met(span) / span.h;
        let mut first: Option<(usize, [f64; 2])> = None;
        for (index, held) in guards.iter().enumerate() {
            let side = held.on(self.from.sides());
            if side == 0.0 || held.still {
                continue;
            }
            let beyond = (1..PARTS.len()).find(|&k| held.values[k] * side < 0.0);
            let bracket = match beyond {
                Some(k) => Some([PARTS[k - 1], PARTS[k]]),
                None => {
                    let left = held.values.map(|value| value * side);
                    let slopes = held.rates.map(|rate| rate * side * span.h);
                    let dip = Dip { parts: &PARTS, left: &left, slopes };
                    dip.found(near, |part| held.of(self.values_at(span, part)) * side)
                }
            };
            if let Some(bracket) = bracket
                && first.is_none_or(|(_, known)| bracket[1] < known[1])
            {
                first = Some((index, bracket));
            }
        }
        first
    }

    /// The part of an attempted step at which a guard crosses that is not beyond at the first of two
    /// parts and is at the second; another guard that crosses before it.
    fn locate(
        &mut self,
        span: StepSpan,
        guards: &[Held],
        mut index: usize,
        bracket: [f64; 2],
    ) -> (usize, f64) {
        let [mut low, mut high] = bracket;
        let near = 0.1 * self.met(span) / span.h;
        for _ in 0..=guards.len() {
            let held = guards[index];
            let Held { guard, fresh, values, rates, .. } = held;
            let side = held.on(self.from.sides());
            if low == 0.0 && (fresh || values[0] * side <= 0.0 || rates[0] * side > 0.0) {
                // What begins at its boundary, or leaves it, may be beyond it by rounding at first.
                low = high;
                loop {
                    low *= 0.25;
                    if low < SMALLEST_PART {
                        return (index, if guards[index].stated { high } else { 0.0 });
                    }
                    if held.of(self.values_at(span, low)) * side > 0.0 {
                        break;
                    }
                    high = low;
                }
            }
            let mut left = |part: f64| held.of(self.values_at(span, part)) * side;
            let mut found = Bracket { before: [low, left(low)], beyond: [high, left(high)] };
            found.narrow(near, |part| Some(left(part)));
            [low, high] = [found.before[0], found.beyond[0]];
            // Another may be beyond there already, one too that left its boundary where the step begins and has come back.
            let sides = self.from.sides().to_vec();
            let values = self.values_at(span, low);
            let other = guards.iter().position(|held| {
                let side = held.on(&sides);
                let [value, began] = [held.of(values), held.values[0]].map(|value| value * side);
                let left = began > 0.0 || (held.rates[0] * side > 0.0 && value < began);
                held.guard != guard && value < 0.0 && left && !held.still
            });
            match other {
                Some(other) if low > 0.0 => (index, low, high) = (other, 0.0, low),
                _ => break,
            }
        }
        (index, high)
    }
}

impl Held {
    /// What errors were to be allowed for is forgotten where a contact that has opened moves away at first and comes
    /// back by more: it closes where it meets, or would take the energy of a fall through what was allowed. Whether it was.
    fn forgets_offset(&mut self, sides: &[f64]) -> bool {
        let side = self.on(sides);
        let opened = self.stated && self.offset * side > 0.0;
        if !opened || (self.values[0] - self.offset) * side <= 0.0 || self.rates[0] * side <= 0.0 {
            return false;
        }
        self.values.iter_mut().for_each(|value| *value -= self.offset);
        self.offset = 0.0;
        true
    }

    /// Whether a guard is no farther from its boundary all along a step than this noise of the guards.
    fn is_below(&self, noise: &[f64]) -> bool {
        !noise.is_empty() && {
            let noise = self.along(noise).abs();
            self.values.iter().all(|x| x.abs() <= noise)
        }
    }

    /// Whether a guard is no farther from its boundary than `slack` all along a step of size `h`, nor would be if it went on as
    /// it does at the ends.
    fn within(&self, slack: f64, h: f64) -> bool {
        let values = self.values.iter().all(|y| y.abs() <= slack);
        values && self.rates.iter().all(|rate| rate.abs() * h <= slack)
    }

    /// Whether a guard cannot leave its side within a step of size `h`, even at several times the rates that it
    /// has at the ends.
    pub(super) fn is_far(&self, side: f64, h: f64) -> bool {
        let [y0, y1] = [self.values[0], self.values[INSTANTS.len()]].map(|y| y * side);
        let fastest = self.rates[0].abs().max(self.rates[1].abs());
        y0.min(y1) > FAR * h * fastest
    }
}
