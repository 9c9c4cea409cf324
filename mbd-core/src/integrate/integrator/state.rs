//! What a run carries from step to step, saved and restored.

use super::carried::Cluster;
use super::{Integrator, Rest};
use crate::assembly::SlotKind;
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::timetable::Overstepped;
use crate::solution::{Drift, RankChange};
use std::borrow::Cow;

impl Integrator<'_> {
    /// What is carried from step to step ([`checkpoint`](crate::checkpoint)): an integrator of the
    /// same system, method and steps that [restores](Self::restore) it goes on from here.
    pub fn save(&mut self) -> Vec<u8> {
        let mut state = State::saving();
        // Only restoring makes anything that can be refused.
        let _ = self.state(&mut state);
        state.saved()
    }

    /// Goes on where another integrator was.
    ///
    /// # Errors
    /// [`OptionError::NoCheckpoint`] when it was of another system, method or kind of steps; this one
    /// is of no use then. Errors of [`Method::stepper`](crate::integrate::Method::stepper) where the
    /// rows that are redundant are others than at the start.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), OptionError> {
        let mut state = State::restoring(saved);
        self.state(&mut state)?;
        match state.misfit() {
            None => Ok(()),
            Some(part) => Err(OptionError::NoCheckpoint {
                why: format!("{part} in it belongs to another run"),
            }),
        }
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OptionError> {
        state.part("the points");
        state.numbers(self.from.flat_mut());
        state.numbers(self.to.flat_mut());
        self.redundant_rows(state)?;
        let Integrator {
            system: _,
            method: _,
            suspicion,
            rank_changes,
            rank_change_count,
            shared,
            stepper,
            step: _,
            controller,
            from: _,
            to: _,
            pieces: _,
            h,
            origin: (origin, since),
            rest,
            span,
            horizon,
            scales,
            fresh,
            stats,
            drift: Drift { position, velocity },
            between,
            ledger,
            quadrature: _,
            mass,
            forces,
            timetable,
            clockwork,
            guards: _,
            events,
            sliding,
            signs: _,
            within: _,
            attempts,
            last: (last, at_changes),
            cluster: Cluster { end, changed, whole, within: _ },
            overstepped,
            resolution,
            companion: _,
            saltations,
            hopped: (_, hopped_in_a_row),
            refused,
        } = self;
        // What ended in one is not gone on with.
        *refused = refused.take().filter(|_| !state.restores());
        saltations.state(state);
        suspicion.state(state);
        let none = RankChange { t: 0.0, taken_back: Vec::new(), redundant: Vec::new() };
        state.every(rank_changes, none, |state, change| change.state(state));
        state.count(rank_change_count);
        state.every(shared, String::new(), State::text);
        state.part("the steps");
        controller.state(state);
        state.number(h);
        state.number(origin);
        state.count(since);
        let mut parts = rest.map_or([0.0; 4], |r| [r.t_next, r.whole, r.part, r.largest]);
        let mut is = rest.is_some();
        state.flag(&mut is);
        state.numbers(&mut parts);
        let [t_next, size, part, largest] = parts;
        *rest = is.then_some(Rest { t_next, whole: size, part, largest });
        state.number(span);
        state.number(horizon);
        state.number(last);
        state.count(at_changes);
        state.count(hopped_in_a_row);
        state.number(end);
        state.number(whole);
        state.counts(changed);
        let [mut t, mut needed] = [overstepped.map(|o| o.t), overstepped.map(|o| o.needed)];
        state.maybe(&mut t);
        state.maybe(&mut needed);
        *overstepped = t.zip(needed).map(|(t, needed)| Overstepped { t, needed });
        scales.kept(state);
        if state.restores() {
            stepper.measure(scales);
        }
        state.flag(fresh);
        stats.state(state);
        attempts.state(state);
        state.number(position);
        state.number(velocity);
        // What it keeps of a matrix would make a difference in the last digits.
        *between = None;
        ledger.state(state);
        let mut watched = mass.is_some();
        state.flag(&mut watched);
        if !watched {
            *mass = None;
        }
        if let Some(mass) = mass {
            mass.state(state);
        }
        forces.iter_mut().for_each(|forces| state.numbers(forces));
        timetable.state(state);
        clockwork.state(state);
        events.state(state);
        sliding.state(state);
        resolution.state(state);
        state.part("the method");
        stepper.state(state);
        self.companion(state);
        Ok(())
    }

    /// The estimate of the error, or why there is none.
    fn companion(&mut self, state: &mut State<'_>) {
        state.part("the estimate of the error");
        let mut is = self.companion.is_ok();
        state.flag(&mut is);
        if is && state.restores() {
            self.estimate_error();
        }
        match &mut self.companion {
            Ok(companion) => companion.state(state),
            Err(why) => why.state(state),
        }
        state.require(self.companion.is_ok() == is);
    }

    /// The rows that are redundant now. Where they are others than at the start the system is one of
    /// its own again, and the method begins on it anew.
    fn redundant_rows(&mut self, state: &mut State<'_>) -> Result<(), OptionError> {
        state.part("the redundant rows");
        let rows = |kind| self.system.redundant_rows(kind).collect::<Vec<_>>();
        let known = [SlotKind::Lambda, SlotKind::Psi].map(rows);
        let mut now = known.clone();
        now.iter_mut().for_each(|rows| state.counts(rows));
        let dims = self.system.dims();
        let fit = now.iter().zip([dims.m, dims.p]).all(|(rows, len)| rows.iter().all(|r| *r < len));
        state.require(fit);
        let mut slides = self.system.slides().to_vec();
        slides.iter_mut().for_each(|slides| state.flag(slides));
        let mut holds = self.system.holds().to_vec();
        holds.iter_mut().for_each(|holds| state.flag(holds));
        let mut given = self.system.given_psi().to_vec();
        given.iter_mut().for_each(|given| state.number(given));
        let mut lingers = self.sliding.lingers;
        state.flag(&mut lingers);
        let same = now == known
            && lingers == self.sliding.lingers
            && slides == self.system.slides()
            && holds == self.system.holds()
            && given == self.system.given_psi();
        if same || !state.is_right() {
            return Ok(());
        }
        let mut system = self.system.clone().into_owned();
        system.set_slides(&slides);
        system.set_holds(&holds);
        system.set_inactive_rows(&now[0], &now[1]);
        system.give_psi(&given);
        let at = self.to.clone();
        let taken = self.take_stepper(&system, &at, lingers);
        state.require(taken);
        if taken {
            self.system = Cow::Owned(system);
        }
        Ok(())
    }
}
