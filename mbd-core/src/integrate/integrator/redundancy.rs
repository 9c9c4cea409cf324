//! Rows that are redundant from some point on, and others that no longer are.

use super::Integrator;
use crate::assembly::{Point, System};
use crate::error::StepError;
use crate::integrate::controller::Controller;
use crate::solution::{RankChange, StepRecord};
use crate::start::{
    Rank, Redundant, Shares, Suspicion, choose_rows_again, choose_rows_in_time, differs,
    laws_of_shares, reconsider_rank, redundant_constraints,
};
use std::borrow::Cow;

/// Steps this part of the run's span are not shortened further for rows that may be redundant.
const SHORTENED: f64 = 1e-9;

impl Integrator<'_> {
    /// Decides again which rows are redundant, since rows that were are violated at the end of a
    /// step. `None` when everything stays as it is; otherwise the point reached is consistent with
    /// the new decision, and may be the beginning of the step.
    pub(super) fn reconsider(
        &mut self,
        record: StepRecord,
    ) -> Result<Option<StepRecord>, StepError> {
        let t = self.to.t();
        let mut system = self.system.clone().into_owned();
        let before = system.clone();
        let mut at = self.to.clone();
        let decided = reconsider_rank(&mut system, &self.from, &mut at);
        let Some(rank) = decided.map_err(|cause| StepError::Constraints { t, cause })? else {
            self.suspicion.allay();
            return Ok(None);
        };
        self.adopt(&before, system, &rank, &at)?;
        Ok(Some(StepRecord { t: at.t(), ..record }))
    }

    /// Chooses again which of the redundant rows are left out, where a step from the point reached could
    /// not be solved, or in time for the next; whether there was a better choice.
    pub(super) fn choose_rows(&mut self, in_time: bool) -> Result<bool, StepError> {
        let t = self.to.t();
        let mut system = self.system.clone().into_owned();
        let before = system.clone();
        let mut at = self.to.clone();
        let chosen = if in_time {
            choose_rows_in_time(&mut self.suspicion, &mut system, &mut at, self.h)
        } else {
            choose_rows_again(&mut system, &mut at)
        };
        let Some(rank) = chosen.map_err(|cause| StepError::Constraints { t, cause })? else {
            return Ok(false);
        };
        self.adopt(&before, system, &rank, &at)?;
        Ok(true)
    }

    /// Takes notice of which rows are redundant now that contacts, or constraints that come and go, hold others than before:
    /// how they share their load with those that they repeat is open, as that of contacts that others hold closed along with
    /// themselves, until they do so no more.
    pub(super) fn note_shared(&mut self) {
        let redundant = self.redundant_now(&self.to);
        let now: Vec<String> = redundant.iter().map(|one| one.row.clone()).collect();
        if now == self.shared {
            return;
        }
        self.shared = now;
        self.tell_change(RankChange { t: self.to.t(), taken_back: Vec::new(), redundant });
    }

    /// Takes the rows that are redundant at a point for known: where a run begins, and where others have been chosen, it is told
    /// elsewhere.
    pub(super) fn know_shared(&mut self, at: &Point) {
        if !self.system.model().switches().is_empty() {
            self.shared = self.redundant_now(at).into_iter().map(|one| one.row).collect();
        }
    }

    fn tell_change(&mut self, change: RankChange) {
        self.rank_change_count += 1;
        if change.is_to_be_kept(&self.rank_changes) {
            self.rank_changes.push(change);
        }
    }

    /// The rows that depend on others at a point, those among them that have been left out.
    fn redundant_now(&self, at: &Point) -> Vec<Redundant> {
        let mut all = match self.with_idle_contacts() {
            Some(all) => all,
            None if self.system.has_redundant_rows() => self.system.clone().into_owned(),
            None => return Vec::new(),
        };
        all.set_inactive_rows(&[], &[]);
        redundant_constraints(&all, at)
    }

    /// The system with the rows of contacts that others hold closed along with themselves, if there are any.
    fn with_idle_contacts(&self) -> Option<System> {
        let mut holds = self.system.holds().to_vec();
        let mut idle = self.closed_contacts();
        idle.retain(|&contact| !holds[contact]);
        if idle.is_empty() {
            return None;
        }
        idle.into_iter().for_each(|contact| holds[contact] = true);
        let mut all = self.system.clone().into_owned();
        all.set_holds(&holds);
        Some(all)
    }

    /// Statements by which the motion depends at the point reached on how redundant rows share their load, which the
    /// equations do not determine, by name.
    pub fn laws_of_shares(&mut self) -> Vec<String> {
        let system = match self.with_idle_contacts() {
            Some(all) => all,
            None if self.system.has_redundant_rows() => self.system.clone().into_owned(),
            None => return Vec::new(),
        };
        let mut names = laws_of_shares(&system, &self.to);
        names.extend(self.events_of_shares(&system));
        names
    }

    /// Events of which a condition does likewise.
    fn events_of_shares(&mut self, system: &System) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if !self.guards.senses() {
            return names;
        }
        let Shares { others, more } = Shares::of(system, &self.to);
        let [before, more] = [&self.to, &more].map(|at| self.guards.sensed(at));
        for other in others {
            let after = self.guards.sensed(&other);
            for (i, name) in self.guards.names_of_sensed().enumerate() {
                if differs([before[i], after[i], more[i]]) && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Goes back to the beginning of a step for a much shorter one, where steps are chosen by their errors and there
    /// are any that are much shorter.
    pub(super) fn shorten(&mut self, h: f64) -> bool {
        let shorter = 0.25 * h;
        let least = SHORTENED * self.from.t().abs().max(self.span);
        if !self.step.is_adaptive() || shorter <= least.max(self.step.h_min().unwrap_or(0.0)) {
            return false;
        }
        self.to.copy_from(&self.from);
        self.stepper.start(&self.system, &self.from);
        self.stats.rejected += 1;
        self.h = shorter;
        self.suspicion.look_again();
        true
    }

    /// Goes on with other redundant rows, from a point that is consistent with them.
    pub(super) fn adopt(
        &mut self,
        before: &System,
        system: System,
        rank: &Rank,
        at: &Point,
    ) -> Result<(), StepError> {
        let stands_in = self.sliding.substituted;
        if !(stands_in && self.take_stepper(&system, at, self.sliding.lingers)) {
            let stepper = self.method.stepper(&system, at);
            self.stepper = stepper.map_err(|cause| StepError::NotContinued { t: at.t(), cause })?;
            (self.sliding.substituted, self.sliding.lingers) = (false, false);
            self.stepper.measure(&self.scales);
            self.controller = Controller::default();
            self.controller.growth = self.stepper.growth();
        }
        self.tell_change(RankChange::new(before, &system, at.t(), rank));
        self.system = Cow::Owned(system);
        self.know_shared(at);
        self.sliding.solver = None;
        (self.between, self.quadrature) = (None, None);
        self.suspicion = Suspicion::new(&self.system, at);
        let (from, place) = (self.from.clone(), (self.origin, self.rest));
        let (clockwork, alarm) = (std::mem::take(&mut self.clockwork), self.timetable.alarm);
        let met = self.take_met(at);
        self.restart(at);
        // What has happened by the clock does not happen again.
        (self.clockwork, self.timetable.alarm) = (clockwork, alarm);
        self.give_met(met);
        // What the step covered can still be interpolated, and prescribed steps go on.
        self.from.copy_from(&from);
        (self.origin, self.rest) = place;
        Ok(())
    }
}
