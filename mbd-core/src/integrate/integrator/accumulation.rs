//! Impacts that follow each other ever sooner, and come to a limit of their times.
//!
//! Intervals that decrease as a geometric series does have a sum. Of one gap they are those between its impacts; where
//! several hit in turn, as a load's floor and its rope, those between the impacts of each, one whole turn apart: the
//! ratio of these is the same for all, and so is the limit. There all of them touch at rest, and forces decide which stay
//! closed ([`contacts`](super::contacts)).
//!
//! The motion comes there where each gap of a turn was hit from a height that is as good as none: a blow then
//! takes what is left of the rates of all of them at once. A blow on one of them alone would open another, by
//! velocities that are no more than rounding of positions, and so without end.

use super::Integrator;
use super::applied::Also;
use super::carried::{Held, One};
use super::sliding::AT_REST;
use crate::error::StepError;
use crate::integrate::scheme::Accuracy;
use crate::model::Contact;

/// Part of the time at which events that accumulate have come to their limit, within which the limit is said to be the
/// time at which a contact closes, and how much the ratios of their
/// last intervals differ at most, in parts of what they are below 1.
const LIMIT: f64 = 1e-9;
const TOLD: f64 = 1e-4;
const ALIKE: f64 = 0.02;

/// The same part of a limit that several gaps share. What is pressed together by bodies that fly at each other has rates
/// up to there, and its impacts come in turn no longer where steps cannot tell them apart.
const SHARED: f64 = 1e-7;

/// Times of events from which on those that double their number are looked at, how much the ratios of the intervals between
/// these differ at most, and the part of the run up to the limit at which it is not waited for: of walls that close there are some
/// ten thousand impacts before it, and ten times as many before a tenth of it.
const MANY: usize = 1024;
const STEADY: f64 = 0.05;
const AHEAD: f64 = 1e-4;

/// Rounds of blows that are looked at for turns, and how much the parts to which rates fall from one turn to the next differ at
/// most, in parts of them and of the squares of what they are below 1: of what opened after all no more than 1e-12 would be
/// left when it did.
const LOOKED_AT: usize = 48;
const SETTLED: f64 = 0.01;

/// Part of the size of a speed up to which friction ends it at once where gaps come to rest.
const STOPS: f64 = 1e-6;

/// What is told of those.
const EVER_SOONER: &str = "happens ever sooner after itself, without end, as the impacts of a ball between walls that close. \
                           End the run before (`--t-end`, or `stop` in an event)";

/// Part of the size of a gap by which an impact of a run with fixed steps may come too late.
const LATE: f64 = 1e-6;

/// A step in which nothing but an impact happens, in the characteristic time of the model.
const BRIEF: f64 = 1e-7;

/// What is told where one has.
const PASSED: &str = "is passed over: impacts follow each other faster than steps can tell them apart, as those of a ball \
                      between walls that close. End the run before (`--t-end`, or `stop` in an event)";

/// And where steps are prescribed.
const PASSED_BY_STEPS: &str = "is passed over: impacts follow each other faster than the prescribed steps can tell them \
                               apart. Take shorter ones, or adaptive ones (`--tol`)";

impl One {
    /// The limit of the times at which it happens, where their intervals decrease as a geometric series does and
    /// less than `near` is left of it.
    fn limit(self, near: f64) -> Option<f64> {
        let [a, b, c, d] = self.times;
        let [last, before, first] = [a - b, b - c, c - d];
        let (ratio, earlier) = (last / before, before / first);
        let left = last * ratio / (1.0 - ratio);
        let geometric = first.is_finite() && (ratio - earlier).abs() <= ALIKE * (1.0 - ratio);
        (ratio > 0.0 && ratio < 1.0 && geometric && left <= near).then_some(a + left)
    }

    /// Whether it happens ever sooner by a power of how often it has, so that its times have a limit and `near` at most is
    /// left up to there: of a ball with e = 1 between walls that close intervals are as 1/n², and the time left as 1/n. From
    /// one interval to the next that is no ratio; from the n-th time to the 2n-th it is.
    fn happens_ever_sooner(self, near: f64) -> bool {
        let [a, b, c, d] = self.doubled;
        let [last, before, first] = [a - b, b - c, c - d];
        let (ratio, earlier) = (last / before, before / first);
        self.count >= MANY
            && self.count.is_power_of_two()
            && (ratio - earlier).abs() <= STEADY
            && ratio > 0.1
            && ratio < 0.9
            && last * ratio / (1.0 - ratio) <= near
    }
}

impl Integrator<'_> {
    /// Takes notice of the time at which these events happen, and of what their impacts leave.
    pub(super) fn note_times(&mut self, due: &[usize]) {
        let t = self.to.t();
        let mut blows = Vec::new();
        for &index in due {
            let one = self.events.jumps.list[index];
            if one.is_sample(&self.system) {
                continue;
            }
            // What rocks is lifted in one corner by friction in the other, which may end within less than an impact.
            let (slow, falls, rate) =
                self.contact_of(one.group, one.instance).map_or((0.0, 0.0, f64::NAN), |contact| {
                    let [_, rate, acceleration] = self.gaps(&self.to)[contact];
                    let falls = if acceleration < 0.0 { -acceleration } else { one.falls };
                    (self.hardly_rebounds(contact, falls), falls, rate)
                });
            blows.push((index, rate));
            let one = &mut self.events.jumps.list[index];
            one.times.rotate_right(1);
            (one.times[0], one.slow, one.falls) = (t, slow, falls);
            one.count += 1;
            if one.count.is_power_of_two() {
                one.doubled.rotate_right(1);
                one.doubled[0] = t;
            }
        }
        let brief = BRIEF / self.scales.rate();
        let last = &mut self.events.jumps.blows;
        if last.last().is_some_and(|(before, _)| t - before > brief) {
            last.clear();
        }
        if last.len() == 2 * LOOKED_AT {
            last.drain(..LOOKED_AT);
        }
        last.push((t, blows));
    }

    /// Lets the gaps rebound no more that are struck in turns without end, in as good as no time: the blow on each closes the
    /// gap of the next, as in a chain, and rates fall in each turn to the same part.
    ///
    /// From turn to turn rates change by a linear map, and what falls to the same part again and again is along its
    /// eigenvector of a positive eigenvalue. All of the impulses to come act on the same gaps, at whose rest they end: blows
    /// that leave them at rest have their sum. A turn that would end, as between a wall and what is reflected by it, has no
    /// such eigenvector, and its parts change.
    fn end_turns(&mut self) {
        let blows = &self.events.jumps.blows;
        let now = blows.len();
        let same_part = |period: usize| {
            (now - period..now).all(|k| {
                let turns = [k, k - period, k - 2 * period].map(|k| &blows[k].1);
                turns.iter().all(|turn| turn.len() == turns[0].len())
                    && (0..turns[0].len()).all(|i| {
                        let [(one, last), (two, before), (three, first)] =
                            turns.map(|turn| turn[i]);
                        let (part, earlier) = (last / before, before / first);
                        let settled = SETTLED * part * (1.0 - part).powi(2);
                        one == two
                            && two == three
                            && (0.0..1.0).contains(&part)
                            && (part - earlier).abs() <= settled
                    })
            })
        };
        let Some(period) = (2..=now / 3).find(|&period| same_part(period)) else { return };
        let t = self.to.t();
        let jumps = &mut self.events.jumps;
        for (began, turn) in &jumps.blows[now - period..] {
            for &(index, _) in turn {
                let one = &mut jumps.list[index];
                one.ends_until = one.ends_until.max(t + 2.0 * (t - began));
            }
        }
    }

    /// Which of the impacts among these events rebound no more, what comes to rest with them, and the contacts that may
    /// close, each with the time at which it is said to.
    ///
    /// # Errors
    /// [`StepError::Accumulation`] at the limit of events that no contact can hold, [`StepError::Event`] near one that is
    /// reached by more and more of them.
    pub(super) fn coming_to_rest(
        &mut self,
        due: &[usize],
    ) -> Result<(Also, Vec<(usize, f64)>), StepError> {
        let t = self.to.t();
        let whole = t.abs().max(self.span);
        let (mut also, mut hit) = (Also::default(), Vec::new());
        self.end_turns();
        for (which, &index) in due.iter().enumerate() {
            let one = self.events.jumps.list[index];
            if one.is_sample(&self.system) {
                continue;
            }
            if one.happens_ever_sooner(AHEAD * whole) {
                let name = self.name_of(index);
                return Err(StepError::Event { t, name, why: EVER_SOONER });
            }
            let mut limit = one.limit(LIMIT * whole);
            if let Some(shared) = one.limit(SHARED * whole) {
                for other in self.sharing(shared, one, due) {
                    self.events.jumps.list[other].ends_until = shared + (shared - t);
                    limit = Some(shared);
                }
            }
            let Some(contact) = self.contact_of(one.group, one.instance) else {
                match limit {
                    None => continue,
                    Some(limit) => {
                        let name = self.name_of(index);
                        return Err(StepError::Accumulation { t, limit, name });
                    }
                }
            };
            let ends = limit.is_some() || one.slow > 0.0 || t <= one.ends_until;
            also.ending.extend(ends.then_some(which));
            let turn = self.of_one_turn(one, due);
            let told = one.limit(TOLD * whole).filter(|limit| {
                ends && (!turn.is_empty() || self.sharing(*limit, one, due).is_empty())
            });
            let told = told.unwrap_or(t);
            if !turn.is_empty() {
                also.resting.push(contact);
            }
            hit.push((contact, told));
            for with in turn {
                if also.resting.contains(&with) {
                    continue;
                }
                also.resting.push(with);
                also.closed.push(with);
                hit.push((with, told));
            }
        }
        Ok((also, hit))
    }

    /// The part of its size that a speed may be and is none, after a blow on these contacts: where gaps come to rest that
    /// hardly rebound, friction ends within the same height what is as slow.
    pub(super) fn part_at_rest(&self, hit: &[(usize, f64)]) -> f64 {
        let parts = hit.iter().filter_map(|&(contact, _)| {
            let of = self.contact(contact)?;
            let is = |one: &&One| (one.group, one.instance) == (of.group, of.instance);
            let slow = self.events.jumps.list.iter().find(is)?.slow;
            Some(slow / (self.scales.holonomic()[self.gap_row(contact)] * self.scales.rate()))
        });
        parts.fold(0.0, f64::max).clamp(AT_REST, STOPS)
    }

    /// Part of the size of a gap by which errors may carry it below 0.
    pub(super) fn late(&self) -> f64 {
        match self.step.accuracy() {
            Accuracy::Tolerance(eps) => eps.max(AT_REST),
            Accuracy::RoundOff => LATE,
        }
    }

    /// The event of a contact whose gap the motion has gone beyond by more than errors do, if there is one.
    pub(super) fn passed_over(&self) -> Option<String> {
        let late = self.late();
        let contacts = 0..self.system.model().switches().len();
        let of = contacts.filter_map(|contact| Some((contact, self.contact(contact)?)));
        // Between two events time goes on by some least step, in which what is hit by both goes beyond its gap.
        let least = if self.last.0 * self.scales.rate() < BRIEF { self.last.0 } else { 0.0 };
        let passed = |&(contact, _): &(usize, Contact)| {
            let most = late * self.scales.holonomic()[self.gap_row(contact)];
            self.guards_of(contact).iter().any(|&g| {
                let Held { offset, rates, .. } = self.events.guards[g];
                offset.abs() > most.max(4.0 * least * rates[0].abs().max(rates[1].abs()))
            })
        };
        let (_, of) = of.into_iter().find(passed)?;
        let (event, ..) = of.impact(&self.system.model().groups)?;
        Some(event.instance_name(of.instance))
    }

    /// Whether each `unilateral` whose gap is open is above 0, but for errors.
    ///
    /// # Errors
    /// [`StepError::Event`] by the name of the first that is not.
    pub(super) fn keeps_gaps(&self) -> Result<(), StepError> {
        let below = |held: &Held| held.stated && !held.rests && held.values[0] < held.offset;
        let switches = self.system.model().switches().len();
        if switches == 0 || !self.events.guards.iter().any(below) {
            return Ok(());
        }
        let late = self.late();
        let sunk = self.gaps(&self.to).into_iter().enumerate().find_map(|(contact, [gap, ..])| {
            let of = self.contact(contact).filter(|of| of.unilateral)?;
            let most = late * self.scales.holonomic()[self.gap_row(contact)];
            let lost = !self.sliding.closed[contact] && -gap > most;
            let due =
                || self.guards_of(contact).iter().any(|guard| self.events.due.contains(guard));
            (lost && !due()).then_some(of)
        });
        let impact = sunk.and_then(|of| Some((of.impact(&self.system.model().groups)?.0, of)));
        let Some((event, of)) = impact else { return Ok(()) };
        let name = event.instance_name(of.instance);
        Err(self.passed(name))
    }

    /// An impact is passed over.
    pub(super) fn passed(&self, name: String) -> StepError {
        let why = if self.step.is_adaptive() { PASSED } else { PASSED_BY_STEPS };
        StepError::Event { t: self.to.t(), name, why }
    }

    /// The events that happened since this one did, before now, and whose times come to the same limit: their own says so, or they
    /// have happened between each two of the times that do.
    fn sharing(&self, limit: f64, one: One, due: &[usize]) -> Vec<usize> {
        let left = limit - self.to.t();
        let list = self.events.jumps.list.iter().enumerate();
        let share = list.filter(|(index, other)| {
            let within = !due.contains(index) && other.times[0] > one.times[1];
            let same = |of: f64| (of - limit).abs() <= left;
            let in_turn = || {
                let between =
                    |turn: &[f64]| other.times.iter().any(|t| turn[1] < *t && *t < turn[0]);
                one.times.windows(2).all(between)
            };
            within && (other.limit(f64::INFINITY).is_some_and(same) || in_turn())
        });
        share.map(|(index, _)| index).collect()
    }

    /// The contacts that were hit since this one was, before now, all of them from no height, and have come to no more
    /// since.
    fn of_one_turn(&self, one: One, due: &[usize]) -> Vec<usize> {
        if !(one.slow > 0.0 && one.times[1].is_finite()) {
            return Vec::new();
        }
        let gaps = self.gaps(&self.to);
        let list = self.events.jumps.list.iter().enumerate();
        let others = list.filter(|(index, other)| {
            !due.contains(index) && other.slow > 0.0 && other.times[0] > one.times[1]
        });
        let contacts = others.filter_map(|(_, other)| {
            let contact = self.contact_of(other.group, other.instance)?;
            (gaps[contact][1].abs() <= other.slow).then_some(contact)
        });
        contacts.collect()
    }
}
