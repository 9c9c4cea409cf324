//! Constraints that prescribe another motion from an instant on which the clock tells: by a comparison with time, or a
//! knot of an input.
//!
//! Where the rate that a constraint prescribes jumps, as at the kink of a ramp, velocities jump with it: by its
//! impulse, through the mass matrix and with all other constraints and contacts. A position that jumps no motion
//! follows.

use super::Integrator;
use super::applied::{Also, Applied, Struck, apply};
use super::saltation::{made, of_round};
use crate::assembly::{Point, Residual, SlotKind, Want, Weights};
use crate::digits::instant;
use crate::error::StepError;
use crate::integrate::timetable::Break;
use crate::solution::{Event, EventKind};
use crate::start::reconcile;

/// Part of the size of a row, and of its rate, from which on a change over an instant is a jump.
const JUMP: f64 = 1e-9;

/// Accelerations, in the scale of the model, whose change over the width of an instant is none.
const SMOOTH: f64 = 100.0;

impl Integrator<'_> {
    /// Lets velocities jump where a constraint prescribes another rate beyond an instant; whether they did. `fed`: inputs
    /// have other courses there.
    ///
    /// # Errors
    /// [`StepError::Displaced`] where a constraint prescribes another position there; [`StepError::Event`] where the
    /// blow has no solution.
    pub(super) fn jolt(&mut self, at: Break, fed: bool) -> Result<bool, StepError> {
        let dims = self.system.dims();
        if dims.m + dims.p == 0 {
            return Ok(false);
        }
        let mut beyond = self.to.clone();
        beyond.set_t(at.after);
        if fed {
            self.system.feed(&mut beyond);
        }
        let mut short = self.to.clone();
        short.set_t(at.before);
        let Some(name) = self.jolted(&short, &beyond)? else { return Ok(false) };
        self.strike(beyond, name)?;
        Ok(true)
    }

    /// The first constraint whose rate jumps between two points that differ by time and inputs alone.
    fn jolted(&self, before: &Point, after: &Point) -> Result<Option<String>, StepError> {
        let system = &*self.system;
        let rows = |at: &Point| {
            let mut pieces = Residual::new(&system.dims());
            system.eval_all(at, &Weights::of(at), Want::G | Want::GDOT | Want::K, &mut pieces);
            pieces
        };
        let [was, is] = [rows(before), rows(after)];
        let (rate, wide) = (self.scales.rate(), (after.t() - before.t()).abs());
        let part = JUMP + SMOOTH * rate * wide;
        let mut found = None;
        for (kind, sizes, [was_at, is_at], [was, is]) in [
            (
                SlotKind::Lambda,
                self.scales.holonomic(),
                [&was.g, &is.g].map(|g| &g[..]),
                [&was.gdot, &is.gdot],
            ),
            (SlotKind::Psi, self.scales.nonholonomic(), [&[][..]; 2], [&was.k, &is.k]),
        ] {
            let mut holds = vec![true; was.len()];
            system.inactive_rows(kind).for_each(|row| holds[row] = false);
            let stated = match kind {
                SlotKind::Psi => system.model().stated_nonholonomic(),
                _ => was.len(),
            };
            for row in (0..stated).filter(|row| holds[*row]) {
                let size = sizes[row];
                let by = match (was_at.get(row), is_at.get(row)) {
                    (Some(was), Some(is)) => is - was,
                    _ => 0.0,
                };
                if by.abs() > part * size {
                    let name = system.model().holonomic_row_name(row);
                    return Err(StepError::Displaced { t: after.t(), name, by: by.abs() });
                }
                let found_here = (is[row] - was[row]).abs() > part * size * rate;
                if found_here && found.is_none() {
                    found = Some(match kind {
                        SlotKind::Psi => system.model().nonholonomic_row_name(row),
                        _ => system.model().holonomic_row_name(row),
                    });
                }
            }
        }
        Ok(found)
    }

    /// Lets the constraints at a point beyond an instant strike the motion reached.
    fn strike(&mut self, beyond: Point, name: String) -> Result<(), StepError> {
        let t = beyond.t();
        let listed = self.events.list.len();
        self.events.list.push(Event {
            t,
            kind: EventKind::Jump,
            name: name.clone(),
            condition: format!("prescribes another rate from t = {} s on", instant(&t)),
            direction: 1,
            impulses: Vec::new(),
        });
        self.sliding.left = (f64::NAN, Vec::new());
        if self.sliding.closed.contains(&true) {
            self.settle_contacts();
        }
        self.to.set_t(t);
        self.to.hold_as(&beyond);
        let before = self.to.clone();
        let unstruck = self.differentiates().then(|| self.system.clone().into_owned());
        let held = self.let_go();
        let also = Also { closed: held.contacts.clone(), strikes: true, ..Also::default() };
        let refused = |why| StepError::Event { t, name: name.clone(), why };
        let Applied { blow, .. } =
            apply(&self.system, &[], &also, &mut self.to).map_err(|(_, why)| refused(why))?;
        if let Some(unstruck) = unstruck {
            let (set, origins) = made(&self.system, &[], &[], &also.closed);
            let points = [&before, &self.to];
            let round =
                of_round([&unstruck, &*self.system], points, (&set, &origins), blow.as_ref());
            self.add_round(vec![name.clone()], round);
        }
        if let Some((demand, blow)) = blow {
            let struck = Struck { list: &[], also: &also, before: &before };
            self.events.list[listed].impulses = self.impulses(&demand, &blow, &struck);
        }
        self.hold_again_after_blow(&held, &[], &before, &name)?;
        if !self.settle() {
            return Err(refused(
                "leaves velocities from which the equations of motion have no solution",
            ));
        }
        self.place_after(&before, &[]);
        self.observe();
        self.ledger.jump(t, &self.pieces);
        self.resolution.restart(&self.to);
        if let Ok(companion) = &mut self.companion {
            let system = &*self.system;
            let mut all = |at: &mut Point| {
                at.set_t(t);
                at.hold_as_beside_modes(&before);
                apply(system, &[], &also, at).is_ok() && matches!(reconcile(system, at), Ok(true))
            };
            companion.jump(system, [&before, &self.to], None, &mut self.guards, &mut all);
        }
        Ok(())
    }
}
