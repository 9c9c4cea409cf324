//! Who takes the steps on surfaces and in contacts: the method asked for, or what stands in for it where it has no unknowns
//! for a constraint whose reaction a force states.

use super::Integrator;
use crate::assembly::{Point, System};
use crate::integrate::controller::Controller;
use crate::integrate::method::Method;
use crate::integrate::scheme::Stepper;
use crate::solution::Unestimated;
use crate::start::Suspicion;
use std::borrow::Cow;

/// What takes the steps while the motion slides where the method asked for cannot.
const SUBSTITUTE: &str = "radau5";

/// What takes the steps on the surfaces of a system: the method, or where it has no unknowns for a
/// constraint whose reaction a force states, which is said too, [`SUBSTITUTE`].
pub(super) fn stepper(
    method: &Method,
    system: &System,
    at: &Point,
) -> Option<(Box<dyn Stepper>, bool)> {
    if let Ok(stepper) = method.stepper(system, at) {
        return Some((stepper, false));
    }
    substitute(system, at)
}

/// What stands in for it.
fn substitute(system: &System, at: &Point) -> Option<(Box<dyn Stepper>, bool)> {
    let other = Method::from_name(SUBSTITUTE).ok()?;
    Some((other.stepper(system, at).ok()?, true))
}

impl Integrator<'_> {
    /// Lets the method take the steps from a point on, or what stands in for it; false where neither can.
    pub(super) fn take_stepper(&mut self, system: &System, at: &Point, lingers: bool) -> bool {
        let found = match lingers {
            true => substitute(system, at),
            false => stepper(&self.method, system, at),
        };
        let Some((stepper, substituted)) = found else { return false };
        (self.stepper, self.sliding.substituted) = (stepper, substituted);
        self.sliding.lingers = lingers;
        self.stepper.measure(&self.scales);
        self.stepper.start(system, at);
        self.controller = Controller::default();
        self.controller.growth = self.stepper.growth();
        (self.between, self.quadrature) = (None, None);
        true
    }

    /// Goes on from a point, on the surfaces of a system; false where the method cannot keep to them, and
    /// nothing has changed then.
    pub(super) fn go_on_with(&mut self, system: System, at: &Point) -> bool {
        if !system.has_rows_of(&self.system) {
            // What knows no constraints of this kind is explicit, as a rule: the direction of a motion that has just left a
            // plane is stiff. And what holds positions alone has no accelerations in parts of a step that resolve it.
            let cannot = self.sliding.substituted
                || !self.step.is_adaptive() && self.holds_positions_alone();
            let lingers = cannot && self.leaves_plane(&system)
                || self.sliding.lingers && !system.slides().contains(&true);
            if !self.take_stepper(&system, at, lingers) {
                self.sliding.refused = true;
                return false;
            }
            self.suspicion = Suspicion::new(&system, at);
            self.system = Cow::Owned(system);
            self.sliding.solver = None;
            if self.companion.is_ok() {
                self.companion = Err(Unestimated::Slides { t: at.t() });
            }
        }
        self.to.copy_from(at);
        self.rest_on_tied();
        true
    }
}
