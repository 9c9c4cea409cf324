//! Sliding: the motion stays on a surface σ(t, q, v) = 0 on which a force jumps, as friction that sticks.
//!
//! Where the motion comes to a surface, both forces decide what follows. Sliding is tried first: σ = 0
//! becomes a constraint of the equations and ψ its multiplier, ½ + ψ the share of the side σ > 0. With |ψ| ≤ ½
//! the motion stays; beyond that it leaves to the side that would have to have more than all
//! (Filippov: Differential Equations with Discontinuous Righthand Sides, 1988, § 19). Several surfaces at
//! one instant are decided together: what contradicts its assumption is assumed otherwise, the worst
//! first, until nothing does.
//!
//! While it slides the share is looked at along each step; where |ψ| exceeds ½ the step ends. Methods
//! that know no constraint whose reaction a force states hand these steps to `radau5`.

use super::Integrator;
use super::carried::{Held, Kept, Mode, Rested, Sliding, Touched};
use crate::assembly::{Point, System};
use crate::checkpoint::State;
use crate::integrate::timetable::sign;
use crate::scalar::SLIDES;
use crate::solution::EventKind;
use crate::start::reconcile;

/// What a share may be beyond its bounds by rounding.
pub(super) const ROUNDING: f64 = 1e-11;

/// A speed this small, relative to its scale, is 0 where bodies are tied to others that rest; its rate likewise.
pub(super) const AT_REST: f64 = 1e-9;

/// A share this near to a bound that it was found at is there: the instant is located to rounding, and the
/// accelerations there hang on it.
pub(super) const AT_BOUND: f64 = 1e-7;

impl Sliding {
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Sliding {
            leaving,
            left: _,
            closed,
            ends_step: _,
            begins: (begins, _),
            refused,
            substituted: _,
            lingers,
            contradiction: _,
            together,
            slopes: _,
            solver: _,
        } = self;
        state.every(leaving, (Kept::Surface(0), 0.0), |state, (kept, side)| {
            let (Kept::Surface(mut which) | Kept::Contact(mut which)) = *kept;
            let mut contact = matches!(kept, Kept::Contact(_));
            state.count(&mut which);
            state.flag(&mut contact);
            *kept = if contact { Kept::Contact(which) } else { Kept::Surface(which) };
            state.number(side);
        });
        closed.iter_mut().for_each(|closed| state.flag(closed));
        state.number(begins);
        state.every(together, Vec::new(), |state, group| state.counts(group));
        state.flag(refused);
        state.flag(lingers);
    }

    /// The motion leaves no surface where the last step ended.
    pub(super) fn forget_leaving(&mut self) {
        self.leaving.clear();
    }

    /// Forgets what belongs to a point or a system.
    pub(super) fn forget(&mut self) {
        self.leaving.clear();
        self.left = (f64::NAN, Vec::new());
        self.solver = None;
    }
}

/// What rounding makes of a bound.
pub(super) fn rounding(kept: Kept) -> f64 {
    match kept {
        Kept::Surface(_) => ROUNDING,
        Kept::Contact(_) => AT_REST,
    }
}

impl Integrator<'_> {
    /// The surface of a guard, and 1 where both have the same sign, else −1.
    pub(super) fn surface_of(&self, held: &Held) -> Option<(usize, f64)> {
        let (surface, turned) = self.guards.surface(held.guard)?;
        Some((surface, if turned { -1.0 } else { 1.0 }))
    }

    /// Whether the row of a surface, one of a plane's, or that of a contact is in the equations.
    pub(super) fn is_in_equations(&self, system: &System, kept: Kept) -> bool {
        match kept {
            Kept::Surface(surface) => self.all_of(surface).any(|of| system.slides()[of]),
            Kept::Contact(contact) => system.holds()[contact],
        }
    }

    /// Takes the motion off the surfaces on which it is and out of its contacts, which are returned.
    pub(super) fn let_go(&mut self) -> Rested {
        let on = Rested { surfaces: self.on_surfaces(), contacts: self.closed_contacts() };
        if !on.surfaces.is_empty() || !on.contacts.is_empty() {
            let mut system = self.system.clone().into_owned();
            system.set_slides(&vec![false; system.slides().len()]);
            system.set_holds(&system.model().held_by_modes(&self.to));
            let at = self.to.clone();
            self.go_on_with(system, &at);
        }
        on
    }

    /// Puts surfaces that the motion was on where it is now, on the side of its speed; those are returned on which
    /// that is 0.
    pub(super) fn resting_surfaces(&mut self, surfaces: &[usize]) -> Vec<Touched> {
        let values = self.guards.values(&self.to).to_vec();
        let mut touched = Vec::new();
        for &surface in surfaces {
            let of = |held: &Held| {
                let (of, sign) = self.surface_of(held)?;
                (of == surface).then(|| sign * self.sigma_of(held, &values))
            };
            let sigma = self.events.guards.iter().find_map(of).unwrap_or(0.0);
            if self.rests_on(surface, sigma) {
                touched.push(Touched::new(Kept::Surface(surface), 1.0));
            }
            let mut at = self.to.clone();
            self.set_sides(&mut at, surface, Mode::Leaves(if sigma < 0.0 { -1.0 } else { 1.0 }));
            for of in self.all_of(surface) {
                *self.share_mut(&mut at, of) = 0.0;
            }
            self.to.copy_from(&at);
        }
        touched
    }

    /// Surfaces on which the motion is, those too that hold it by no row of their own.
    pub(super) fn on_surfaces(&self) -> Vec<usize> {
        let sides = self.to.sides();
        let here = |held: &&Held| sides[held.side] == SLIDES;
        let guards = self.events.guards.iter().filter(here);
        let mut on: Vec<usize> = guards.filter_map(|held| Some(self.surface_of(held)?.0)).collect();
        on.sort_unstable();
        on.dedup();
        on
    }

    /// Whether a point is off a surface on which the motion is.
    pub(super) fn leaves_at(&mut self, at: &Point) -> bool {
        let values = self.guards.values(at).to_vec();
        let sides = self.to.sides();
        let here = self.events.guards.iter().filter(|held| sides[held.side] == SLIDES);
        here.filter_map(|held| Some((self.surface_of(held)?.0, self.sigma_of(held, &values))))
            .any(|(surface, sigma)| !self.rests_on(surface, sigma))
    }

    /// Whether a guard that changes its side is of a surface that may hold the motion: one that it has come to,
    /// rather than one over which the values of guards have jumped.
    pub(super) fn may_hold(&self, held: &Held, crossed: bool, values: &[f64]) -> bool {
        let surface = self.surface_of(held);
        surface.is_some_and(|(of, _)| crossed || self.rests_on(of, self.sigma_of(held, values)))
    }

    /// Whether a surface is where the motion is, by its σ there.
    pub(super) fn rests_on(&self, surface: usize, sigma: f64) -> bool {
        sigma.abs() <= AT_REST * self.size_of_sigma(surface)
    }

    /// Whether the motion slides along any surface.
    pub(super) fn is_sliding(&self) -> bool {
        self.system.slides().contains(&true)
    }

    /// Gives all guards of a surface the side on which the motion is, or lets them slide.
    pub(super) fn set_sides(&mut self, at: &mut Point, surface: usize, mode: Mode) {
        if self.is_plane(surface) {
            self.set_plane(at, surface, mode);
            return;
        }
        for held in &self.events.guards {
            if let Some((of, sign)) = self.surface_of(held)
                && of == surface
            {
                at.sides_mut()[held.side] = match mode {
                    Mode::Stays | Mode::Floats => SLIDES,
                    Mode::Leaves(side) => sign * side,
                };
            }
        }
    }

    /// The surfaces on which a motion begins: those of guards that are zero.
    pub(super) fn begin_on_surfaces(&mut self, contacts: &[usize]) {
        self.sliding.forget();
        let touches = |&contact: &usize| Touched::new(Kept::Contact(contact), 1.0);
        let mut touched: Vec<Touched> = contacts.iter().map(touches).collect();
        if !self.system.slides().is_empty() && !self.events.ignored {
            let values = self.guards.values(&self.to).to_vec();
            for held in &self.events.guards {
                if let Some((surface, _)) = self.surface_of(held)
                    && (self.sigma_of(held, &values) == 0.0 || self.system.slides()[surface])
                    && touched.iter().all(|t| !t.is(surface))
                {
                    touched.push(Touched::new(Kept::Surface(surface), 1.0));
                }
            }
        }
        if touched.is_empty() && !self.is_sliding() {
            return;
        }
        if let Some((system, at, modes)) = self.decide(touched)
            && let Some((system, at, modes)) = self.not_pushed_off(system, at, &modes)
            && self.go_on_with(system, &at)
        {
            self.from.copy_from(&self.to);
            self.stepper.start(&self.system, &self.to);
            self.close_and_open(&modes, false);
        } else {
            contacts.iter().for_each(|&contact| self.open(contact));
        }
    }

    /// Lets the motion slide along nothing, and the operands of the guards concerned decide; contacts open.
    pub(super) fn leave_surfaces(&mut self) {
        let on = self.let_go();
        if on.surfaces.is_empty() && on.contacts.is_empty() {
            return;
        }
        self.open_all(&on.contacts);
        self.to.sides_mut().iter_mut().filter(|side| **side == SLIDES).for_each(|side| *side = 0.0);
        for &surface in &on.surfaces {
            if self.is_plane(surface) {
                let mut at = self.to.clone();
                self.set_plane(&mut at, surface, Mode::Leaves(1.0));
                self.to.copy_from(&at);
            }
        }
        self.settle();
        self.stepper.start(&self.system, &self.to);
        self.tell_torn(&on.surfaces);
    }

    /// A motion that begins where the forces of both sides push it away stays nowhere: it leaves to the side
    /// σ > 0.
    fn not_pushed_off(
        &mut self,
        system: System,
        at: Point,
        modes: &[Touched],
    ) -> Option<(System, Point, Vec<Touched>)> {
        let mut again = modes.to_vec();
        for touched in again.iter_mut().filter(|t| t.mode == Mode::Stays) {
            let Kept::Surface(surface) = touched.kept else { continue };
            // Friction in a plane never pushes off.
            if self.is_plane(surface) {
                continue;
            }
            let away = [1.0, -1.0].into_iter().all(|side| {
                let mut system = system.clone();
                let mut slides = system.slides().to_vec();
                slides[surface] = false;
                system.set_slides(&slides);
                let mut at = at.clone();
                self.set_sides(&mut at, surface, Mode::Leaves(side));
                *self.share_mut(&mut at, surface) = 0.0;
                matches!(reconcile(&system, &mut at), Ok(true))
                    && self.rate_along(surface, &at) * side > 0.0
            });
            if away {
                (touched.mode, touched.open) = (Mode::Leaves(1.0), true);
            }
        }
        if again.iter().all(|t| !t.open) {
            return Some((system, at, again));
        }
        self.decide(again)
    }

    /// σ̇ of a surface.
    pub(super) fn rate_along(&mut self, surface: usize, at: &Point) -> f64 {
        let rates = self.guards.rates(at).to_vec();
        let is_plane = self.is_plane(surface);
        let values = if is_plane { self.guards.values(at).to_vec() } else { Vec::new() };
        let of = |held: &Held| {
            let (of, sign) = self.surface_of(held)?;
            (of == surface).then(|| match is_plane {
                true => self.rate_of_size(held, &values, &rates),
                false => sign * rates[held.guard],
            })
        };
        self.events.guards.iter().find_map(of).unwrap_or(0.0)
    }

    /// Decides where the motion goes from the surfaces on which it is at the point reached, whose sides have
    /// changed already where it comes to them: those of guards that are due, and those that it slides
    /// along. Whether there were any; then the method goes on from there. With `crossed` the motion has come to the
    /// guards that are due; otherwise what they compare has jumped, and what it has jumped over holds nothing.
    pub(super) fn decide_surfaces(&mut self, due: &[usize], crossed: bool) -> bool {
        let leaving = std::mem::take(&mut self.sliding.leaving);
        let contacts = self.closed_contacts();
        let is_smooth = self.system.slides().is_empty() && contacts.is_empty();
        if self.sliding.refused || is_smooth {
            return false;
        }
        let opens = leaving.iter().any(|(kept, _)| matches!(kept, Kept::Contact(_)));
        // What comes to rest where positions are off would creep on to where they are not.
        if opens || !due.is_empty() && self.is_off_constraints() {
            self.settle_contacts();
        } else if leaving.iter().any(|(kept, _)| matches!(kept, Kept::Surface(_))) {
            // Velocities that are off the constraints are moved onto them while the row of the surface holds still. Without it
            // that would leave the motion beside the surface, on either side, to be taken for one that leads back at once.
            // And positions, where a first step of a method that holds these alone would make forces of what they are off.
            match self.holds_positions_alone() {
                true => self.settle_contacts(),
                false => _ = self.settle(),
            }
        }
        let mut touched: Vec<Touched> = Vec::new();
        let values = self.guards.values(&self.to).to_vec();
        for &index in due {
            let held = &self.events.guards[index];
            if let Some((surface, sign)) = self.surface_of(held)
                && self.may_hold(held, crossed, &values)
                && touched.iter().all(|t| !t.is(surface))
            {
                let otherwise = match held.silent {
                    true => 1.0,
                    false => sign * self.to.sides()[held.side],
                };
                touched.push(Touched::new(Kept::Surface(surface), otherwise));
            }
        }
        if touched.is_empty() && leaving.is_empty() && !self.is_held() {
            return false;
        }
        let on = self.on_surfaces();
        let surfaces = on.iter().map(|&surface| Kept::Surface(surface));
        for kept in surfaces.chain(contacts.into_iter().map(Kept::Contact)) {
            let left = leaving.iter().find(|(left, _)| *left == kept).map(|&(_, side)| side);
            // What others help to hold they may hold together.
            let goes = left.filter(|_| !self.is_helped(kept));
            let mode = goes.map_or(Mode::Stays, Mode::Leaves);
            touched.push(Touched { mode, left, ..Touched::new(kept, 1.0) });
        }
        let known = touched.len();
        self.add_resting(&mut touched, AT_REST, Mode::Leaves);
        let rested: Vec<(Kept, f64)> =
            touched[known..].iter().map(|t| (t.kept, t.otherwise)).collect();
        let t = self.to.t();
        let left = &mut self.sliding.left;
        if left.0 != t || !due.is_empty() {
            *left = (t, Vec::new());
        }
        for one in &mut touched[known..] {
            one.left = Some(one.otherwise).filter(|side| left.1.contains(&(one.kept, *side)));
        }
        left.1.extend(leaving.iter().copied());
        let arrives: Vec<usize> = self
            .planes_at_rest(&touched)
            .into_iter()
            .filter_map(|(plane, arrives)| arrives.then_some(plane))
            .collect();
        let contacts = touched.iter().filter(|t| matches!(t.kept, Kept::Contact(_)));
        let alone: Vec<Touched> = contacts.copied().collect();
        let mut decided = self.decide(touched);
        if decided.is_none() && on.is_empty() && !alone.is_empty() {
            // What slides goes on to where no friction is found that would hold it.
            decided = self.goes_on_sliding(alone);
        }
        let Some(modes) =
            decided.and_then(|(system, at, modes)| self.go_on_with(system, &at).then_some(modes))
        else {
            if leaving.is_empty() && rested.is_empty() && self.turn_about(&arrives) {
                return true;
            }
            // Where nothing agrees the motion must not stay where it is held by more than there is.
            let closed = self.closed_contacts();
            self.leave_surfaces();
            self.sliding.contradiction = self.sinks(&closed);
            return false;
        };
        for Touched { kept, mode, otherwise, .. } in &modes {
            let Kept::Surface(surface) = *kept else { continue };
            self.set_off(surface, *mode);
            let slid = on.contains(&surface);
            // What rested on a side moves off it onto the surface, what is due goes on.
            let came = if rested.contains(&(*kept, *otherwise)) { -*otherwise } else { *otherwise };
            let (kind, direction) = match *mode {
                Mode::Floats => continue,
                Mode::Stays if slid => continue,
                Mode::Stays if self.is_plane(surface) => (EventKind::Stick, -1.0),
                Mode::Stays => (EventKind::Stick, came),
                Mode::Leaves(side) if rested.contains(&(*kept, side)) => continue,
                Mode::Leaves(side) if slid => (EventKind::Slip, side),
                // A turn near 0.
                Mode::Leaves(_) if self.is_plane(surface) => {
                    self.sliding.begins.1 = true;
                    continue;
                }
                Mode::Leaves(side) => (EventKind::Switch, side),
            };
            if kind == EventKind::Slip && self.is_plane(surface) {
                self.sliding.begins.1 = true;
                self.free_plane(t, surface);
            }
            self.tell_surface(t, surface, kind, direction);
        }
        self.close_and_open(&modes, true);
        true
    }

    /// Surfaces that are left where what holds the motion has come to its bound are left with no acceleration at first,
    /// and methods of index 3 begin with velocities that are off: errors of the first steps must not lead back.
    fn set_off(&mut self, surface: usize, mode: Mode) {
        let size = self.size_of_sigma(surface);
        let slack = match self.is_plane(surface) {
            true => self.offset_of_leaving(surface),
            false => self.slack(size),
        };
        for index in 0..self.events.guards.len() {
            let mut held = self.events.guards[index];
            if self.guards.part(held.guard) == Some(2) {
                // What says that a plane's speed is not 0 stands with the first of its guards.
                held.guard -= 2;
            }
            let Some((_, sign)) = self.surface_of(&held).filter(|(of, _)| *of == surface) else {
                continue;
            };
            self.events.guards[index].offset = match mode {
                Mode::Leaves(side) => sign * side * slack,
                Mode::Stays | Mode::Floats => 0.0,
            };
        }
    }

    /// Adds the surfaces on a side whose speed is 0 all the same, or this part of its size at most, in the mode to be tried
    /// first: to leave to that side where others hold what is tied to them, or to stay where a blow has put the motion on them.
    pub(super) fn add_resting(
        &mut self,
        touched: &mut Vec<Touched>,
        part: f64,
        mode: fn(f64) -> Mode,
    ) {
        let values = self.guards.values(&self.to).to_vec();
        for held in &self.events.guards {
            let Some((surface, sign)) = self.surface_of(held) else { continue };
            let side = match self.to.sides()[held.side] {
                SLIDES => 0.0,
                _ if held.silent => 1.0,
                side => sign * side,
            };
            let known = touched.iter().any(|t| t.is(surface));
            let speed = self.sigma_of(held, &values).abs();
            if !known && side != 0.0 && speed <= part * self.size_of_sigma(surface) {
                let of_side = Touched::new(Kept::Surface(surface), side);
                touched.push(Touched { mode: mode(side), ..of_side });
            }
        }
    }

    /// Puts the guards of surfaces whose operands decide on their sides again, after a blow: what they could not be held on
    /// before it says nothing of the motion that it leaves, and friction in a contact that it closes may have been without
    /// effect until then.
    pub(super) fn hold_free_surfaces(&mut self) {
        let values = self.guards.values(&self.to).to_vec();
        for index in 0..self.events.guards.len() {
            let held = &self.events.guards[index];
            let is_free = !held.stated && !held.silent && self.to.sides()[held.side] == 0.0;
            let is_part = self.guards.part(held.guard).is_some();
            if !is_free || is_part || self.surface_of(held).is_none() {
                continue;
            }
            let now = f64::from(sign(values[held.guard]) % 2);
            let side = if now != 0.0 { now } else { held.last };
            self.to.sides_mut()[held.side] = side;
            self.events.guards[index].turned(side);
        }
    }

    /// Lists which of the surfaces that the motion was on it has left, by the side of its speed or of what that will be.
    pub(super) fn tell_torn(&mut self, were_on: &[usize]) {
        let on = self.on_surfaces();
        for &surface in were_on.iter().filter(|surface| !on.contains(surface)) {
            let values = self.guards.values(&self.to).to_vec();
            let of = |held: &Held| {
                let (of, sign) = self.surface_of(held)?;
                (of == surface).then(|| sign * self.sigma_of(held, &values))
            };
            let sigma = self.events.guards.iter().find_map(of).unwrap_or(0.0);
            let to = self.to.clone();
            let leads = match self.rests_on(surface, sigma) {
                true => self.rate_along(surface, &to),
                false => sigma,
            };
            self.tell_surface(self.to.t(), surface, EventKind::Slip, leads.signum());
        }
    }

    /// Lists the event of a surface; the direction is that of its σ.
    pub(super) fn tell_surface(&mut self, t: f64, surface: usize, kind: EventKind, direction: f64) {
        let guards = &self.events.guards;
        let of = |held: &&Held| self.surface_of(held).is_some_and(|(of, _)| of == surface);
        let Some(&Held { guard, .. }) = guards.iter().find(of) else { return };
        let sign =
            if self.guards.surface(guard).is_some_and(|(_, turned)| turned) { -1 } else { 1 };
        let listed = self.list_event(t, guard, kind, if direction < 0.0 { -sign } else { sign });
        if listed && self.is_plane(surface) {
            self.tell_of_plane(guard);
        }
    }

    /// σ̇ of a surface, the second rate of a contact's gap.
    pub(super) fn rate_of(&mut self, kept: Kept, at: &Point) -> f64 {
        match kept {
            Kept::Surface(surface) => self.rate_along(surface, at),
            Kept::Contact(contact) => self.gaps(at)[contact][2],
        }
    }

    /// What it is measured against.
    pub(super) fn size_of_rate(&self, kept: Kept) -> f64 {
        let rate = self.scales.rate();
        match kept {
            Kept::Surface(surface) => self.size_of_sigma(surface) * rate,
            Kept::Contact(contact) => self.scales.holonomic()[self.gap_row(contact)] * rate.powi(2),
        }
    }
}
