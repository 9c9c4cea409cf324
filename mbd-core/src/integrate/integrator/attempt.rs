//! One attempted step, what may make the next one better, and what is told where none succeeds.

use super::Integrator;
use crate::assembly::SlotKind;
use crate::error::{StepError, Struggle, Unresolved};
use crate::integrate::failure::{judged, step_error, unknown_name};
use crate::integrate::scheme::{Accuracy, Attempt, Failure, StepSpan};
use crate::start::reconcile;

/// Violation of the constraints by velocities, relative to their scales and the tolerance, from which on it
/// has to go before a step is cut: a step much shorter than those that left it would make accelerations
/// and reactions of it, which decide about changes.
const VELOCITY_DRIFT: f64 = 1e-2;

/// Accelerations that undo such a violation within a step, in the scale of the model, from which on they are noise in its
/// reactions.
const NOISE: f64 = 1e-3;

/// Part of a step that the one before it has to have for the method to go on with what it remembers of it.
const SHORT: f64 = 1e-3;

impl Integrator<'_> {
    /// Lets a method begin anew before a step of size `h` that is much longer than the last: rates that it remembers are what
    /// Newton's iteration and rounding have left of changes, divided by that step, and would be multiplied by this one. No
    /// estimate of its own sees it in states.
    pub(super) fn forget_short_step(&mut self, h: f64) {
        let last = self.last.0;
        if last > 0.0 && last < SHORT * h {
            self.to.copy_from(&self.from);
            if self.settle() {
                self.from.copy_from(&self.to);
                self.begin_anew();
            }
        }
    }

    pub(super) fn attempt(
        &mut self,
        span: StepSpan,
        accuracy: Accuracy,
    ) -> Result<Attempt, Failure> {
        self.hopped.0 = false;
        if let Some(attempt) = self.hop(span, accuracy) {
            return Ok(attempt);
        }
        let (system, stats) = (&*self.system, &mut self.stats);
        let to = &mut self.to;
        to.hold_as(&self.from);
        // A method without ψ among its unknowns leaves it as it is: what another one held the motion with before.
        to.psi_mut().copy_from_slice(self.from.psi());
        self.stepper
            .attempt(system, &self.from, span, accuracy, to, stats)
            .map_err(|failure| judged(&self.stepper.blocks(), failure, to))
    }

    /// Takes notice of an attempt whose equations could not be solved.
    pub(super) fn note_failed(&mut self, failure: &Failure) {
        self.stats.newton_failures += 1;
        let worst = match *failure {
            Failure::Diverged { worst, .. } => Some(worst),
            Failure::Leapt { index, .. } | Failure::Singular { index } => Some(index),
            Failure::NotFinite { row, .. } => Some(row),
        };
        // Of one that leaps to another configuration the step is too long, whatever the forces are.
        if !matches!(failure, Failure::Leapt { .. }) {
            self.attempts.note(self.from.t(), worst);
        }
    }

    /// What attempts at steps have failed by, if so many have that they make the run long.
    pub fn struggle(&self) -> Option<Struggle> {
        let blocks = self.stepper.blocks();
        let name = |index| unknown_name(&self.system, &blocks, index);
        let told = self.attempts.told(self.stats.steps, name);
        told.map(|struggle| Struggle { plain: self.guards.plain(), ..struggle })
    }

    /// The coordinate or state whose errors are held the farthest below the rounding of its value, if one is.
    pub fn unresolved(&self) -> Option<Unresolved> {
        let Accuracy::Tolerance(eps) = self.step.accuracy() else { return None };
        let model = self.system.model();
        let labels = model.coords().iter().chain(model.states());
        let values = self.to.q().iter().chain(self.to.x());
        let scales = self.scales.q().weights().iter().chain(self.scales.x().weights());
        let stated = model.scale_q().iter().chain(model.scale_x());
        let all = labels.zip(values).zip(scales).zip(stated);
        let found = all.filter(|(((label, _), _), stated)| !label.is_angle() && stated.is_none());
        let each = found.map(|(((label, value), scale), _)| {
            let (held, rounding) = (eps * scale, f64::EPSILON * value.abs());
            (
                rounding / held,
                Unresolved { name: label.name.clone(), unit: label.unit.clone(), held, rounding },
            )
        });
        let worst = each.max_by(|a, b| a.0.total_cmp(&b.0));
        worst.filter(|(ratio, _)| *ratio > 1.0).map(|(_, unresolved)| unresolved)
    }

    /// Whether the step just tried keeps to its branch of the motion. Of prescribed steps, which may be as coarse as
    /// they like, nobody asks (`resolution.rs`), however exactly their equations are solved.
    pub(super) fn keeps_branch(&self) -> Result<(), Failure> {
        self.stepper.keeps_branch(&self.from, &self.to)
    }

    /// Begins anew from the velocities on the constraints, before a step is cut: methods
    /// of index 3 leave them by O(h²), and a step much smaller would make accelerations of it that
    /// grow with 1/h. Where it cannot be done the point stays as it is.
    pub(super) fn reconcile(&mut self) {
        self.to.copy_from(&self.from);
        if let Ok(true) = reconcile(&self.system, &mut self.to) {
            self.from.copy_from(&self.to);
            self.stepper.start(&self.system, &self.from);
        }
    }

    /// Whether velocities violate the constraints by more than a step may err by.
    pub(super) fn drifts_in_velocity(&self) -> bool {
        let Accuracy::Tolerance(eps) = self.step.accuracy() else { return false };
        self.velocity_drift() > VELOCITY_DRIFT * eps
    }

    /// Whether what velocities violate the constraints by would need large forces to be undone in a step of this length,
    /// as a method of index 3 does, whose reactions are noise then, and all that reads them.
    pub(super) fn shakes_forces(&self, h: f64) -> bool {
        self.velocity_drift() > NOISE * h * self.scales.rate()
    }

    /// The largest violation of the constraints by velocities, in the characteristic time of the model.
    fn velocity_drift(&self) -> f64 {
        let rate = self.scales.rate();
        let relative = |(v, size): (&f64, &f64)| v.abs() / (size * rate);
        let violations = self.pieces.gdot.iter().zip(self.scales.holonomic()).map(relative);
        violations.fold(0.0, f64::max)
    }

    /// No step from here shows what holds the motion on a surface.
    pub(super) fn collapsed_on_surface(&self, span: StepSpan) -> StepError {
        let surface = self.system.slides().iter().position(|&slides| slides);
        let (kind, row) = match (surface, self.closed_contacts().first()) {
            (None, Some(&contact)) => (SlotKind::Lambda, self.gap_row(contact)),
            (surface, _) => self.system.share_of(surface.unwrap_or(0)).slot(),
        };
        StepError::StepSizeCollapsed {
            t: span.t,
            h: span.h,
            cause: "what holds the motion changes too fast".into(),
            worst: self.system.scalar_name(kind, row),
        }
    }

    /// An input that is no number at the end of a step.
    pub(super) fn fed_no_number(&self, t: f64) -> Option<StepError> {
        let values = self.system.signals().iter().map(|signal| signal.value(t));
        let (index, value) = values.enumerate().find(|(_, value)| !value.is_finite())?;
        let input = self.system.model().inputs().nth(index)?.name.clone();
        Some(StepError::Input { t, input, value })
    }

    pub(super) fn collapsed(&self, failure: &Failure, span: StepSpan) -> StepError {
        if let Some(error) = self.fed_no_number(span.t_next) {
            return error;
        }
        match *failure {
            Failure::Diverged { worst, .. } => StepError::StepSizeCollapsed {
                t: span.t,
                h: span.h,
                cause: self.stepper.divergence().into(),
                worst: unknown_name(&self.system, &self.stepper.blocks(), worst),
            },
            _ => {
                let (blocks, failure) =
                    (self.stepper.blocks(), (failure, self.stepper.divergence()));
                step_error(&self.system, &blocks, failure, &self.to, span.t, span.h)
            }
        }
    }
}
