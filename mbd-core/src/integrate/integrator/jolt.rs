//! Constraints that prescribe another motion, and kinetic energies that have other momenta, from an instant on which the
//! clock tells: by a comparison with time, or a knot of an input.
//!
//! Where the rate that a constraint prescribes jumps, as at the kink of a ramp, velocities jump with it: by its
//! impulse, through the mass matrix and with all other constraints and contacts. A position that jumps no motion
//! follows.
//!
//! A kinetic energy T(t, q, v) whose dependence on time has a kink, as that of a pendulum on a support which reverses, has
//! other momenta T_v at the same velocities from there on. No force is without bound at such an instant, so that momenta go
//! on by Lagrange's equations d/dt T_v = T_q + f, and velocities jump: by the impulse T_v(t⁻) − T_v(t⁺), through the mass
//! matrix and all that holds.

use super::Integrator;
use super::applied::{Also, Applied, Struck, apply};
use super::saltation::{made, of_round};
use crate::assembly::{Point, Residual, SlotKind, System, Want, Weights};
use crate::digits::instant;
use crate::error::StepError;
use crate::integrate::timetable::Break;
use crate::solution::{Event, EventKind};
use crate::start::reconcile;

/// Part of the size of a row, and of its rate, from which on a change over an instant is a jump.
const JUMP: f64 = 1e-9;

/// What jumps at an instant.
struct Jolt {
    /// Its name, and what it does from then on.
    name: String,
    does: &'static str,
    /// Whether a constraint prescribes another rate.
    strikes: bool,
}

/// Accelerations, in the scale of the model, whose change over the width of an instant is none.
const SMOOTH: f64 = 100.0;

impl Integrator<'_> {
    /// Lets velocities jump where a constraint prescribes another rate beyond an instant, or a kinetic energy has other momenta
    /// there; whether they did. `fed`: inputs have other courses there.
    ///
    /// # Errors
    /// [`StepError::Displaced`] where a constraint prescribes another position there; [`StepError::Event`] where the
    /// blow has no solution.
    pub(super) fn jolt(&mut self, at: Break, fed: bool) -> Result<bool, StepError> {
        let torn = self.clockwork.kinetic.clone();
        let dims = self.system.dims();
        if dims.m + dims.p == 0 && torn.is_empty() {
            return Ok(false);
        }
        let mut beyond = self.to.clone();
        beyond.set_t(at.after);
        if fed {
            self.system.feed(&mut beyond);
        }
        let mut short = self.to.clone();
        short.set_t(at.before);
        let row = self.jolted(&short, &beyond)?;
        let momenta = lacking(&self.system, &torn, &short, &beyond);
        let part = self.smooth(&short, &beyond);
        let weights = self.scales.v().weights();
        let size = momenta.iter().zip(weights).map(|([_, size], v)| size * v).sum::<f64>();
        let least = part * size.max(self.scales.energy());
        let jumps = momenta.iter().zip(weights).any(|([lacks, _], v)| lacks.abs() * v > least);
        let strikes = row.is_some();
        let jolt = match (row, jumps) {
            (None, false) => return Ok(false),
            (Some(name), _) => Jolt { name, does: "prescribes another rate", strikes },
            (None, true) => {
                let most = torn.iter().copied().max_by(|&a, &b| {
                    let of = |group| {
                        let all = lacking(&self.system, &[group], &short, &beyond);
                        all.iter().zip(weights).map(|([by, _], v)| by.abs() * v).sum::<f64>()
                    };
                    of(a).total_cmp(&of(b))
                });
                let name = most.map(|group| self.system.group(group).name().to_string());
                let does = "has other momenta at the same velocities";
                Jolt { name: name.unwrap_or_default(), does, strikes }
            }
        };
        let torn = if jumps { torn } else { Vec::new() };
        self.strike([short, beyond], &torn, jolt)?;
        Ok(true)
    }

    /// Part of the size of what changes smoothly by which it may differ between two points an instant apart.
    fn smooth(&self, before: &Point, after: &Point) -> f64 {
        JUMP + SMOOTH * self.scales.rate() * (after.t() - before.t()).abs()
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
        let (rate, part) = (self.scales.rate(), self.smooth(before, after));
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

    /// Lets the constraints at a point beyond an instant, and the momenta of kinetic energies there, strike the motion
    /// reached.
    fn strike(
        &mut self,
        [short, beyond]: [Point; 2],
        torn: &[usize],
        Jolt { name, does, strikes }: Jolt,
    ) -> Result<(), StepError> {
        let t = beyond.t();
        let listed = self.events.list.len();
        self.events.list.push(Event {
            t,
            kind: EventKind::Jump,
            name: name.clone(),
            condition: format!("{does} from t = {} s on", instant(&t)),
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
        let of =
            |momenta| Also { closed: held.contacts.clone(), strikes, momenta, ..Also::default() };
        let also = of(impulses(&self.system, torn, &short, &self.to));
        let refused = |why| StepError::Event { t, name: name.clone(), why };
        let Applied { blow, .. } =
            apply(&self.system, &[], &also, &mut self.to).map_err(|(_, why)| refused(why))?;
        if let Some(unstruck) = unstruck {
            let (set, origins) = made(&self.system, &[], &[], &also.closed);
            let points = [&before, &self.to];
            let round =
                of_round([&unstruck, &*self.system], points, (&set, &origins), blow.as_ref());
            // That of momenta is not taken.
            let round = round.filter(|_| torn.is_empty());
            self.add_round(vec![name.clone()], round);
        }
        if let Some((demand, blow)) = blow {
            let struck = Struck { list: &[], also: &also, before: &before };
            self.events.list[listed].impulses = self.impulses(&demand, &blow, &struck);
        }
        self.hold_again_after_blow(&held, &[], (&before, strikes), &name)?;
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
                let mut was = at.clone();
                at.hold_as_beside_modes(&before);
                was.set_t(short.t());
                was.hold_as_beside_modes(&short);
                let also = of(impulses(system, torn, &was, at));
                apply(system, &[], &also, at).is_ok() && matches!(reconcile(system, at), Ok(true))
            };
            companion.jump(system, [&before, &self.to], None, &mut self.guards, &mut all);
        }
        Ok(())
    }
}

/// What the momentum of every coordinate, as some kinetic energies have it, lacks at a point that differs from one before by
/// time and inputs alone, and the sum of the sizes of what it consists of.
fn lacking(system: &System, kinetic: &[usize], before: &Point, after: &Point) -> Vec<[f64; 2]> {
    if kinetic.is_empty() {
        return Vec::new();
    }
    let mut lacks = vec![[0.0; 2]; system.dims().n];
    for (sign, at) in [(1.0, before), (-1.0, after)] {
        for group in kinetic.iter().map(|&group| system.group(group)) {
            for (i, momentum) in (0..group.instances()).flat_map(|k| group.momenta(k, at.flat())) {
                lacks[i][0] += sign * momentum;
                lacks[i][1] += momentum.abs();
            }
        }
    }
    lacks
}

/// The impulses that momenta lack, of every coordinate; none where no kinetic energy is torn.
fn impulses(system: &System, torn: &[usize], before: &Point, after: &Point) -> Vec<f64> {
    lacking(system, torn, before, after).into_iter().map(|[lacks, _]| lacks).collect()
}
