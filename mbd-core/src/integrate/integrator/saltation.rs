//! Saltation matrices: how the state after an event changes with the state before.
//!
//! Where the last step ended at an event the point, the system and what was crossed are kept before anything happens;
//! what stated events set is differentiated as they happen, round by round; and once a step has gone on from there the
//! rates after are known, and the matrix with them ([`Saltation`]).

use super::Integrator;
use super::carried::{Instant, Kept, One, Saltations};
use crate::assembly::{Point, SlotKind, System};
use crate::checkpoint::State;
use crate::solution::{EventDerivatives, NoSaltation, Saltation};
use crate::start::{
    Blow, Columns, Demand, Origin, of_jump, of_unknowns, onto_constraints, reconcile,
};
use crate::statement::ShareOf;
use crate::statement::{Action, Element, Law, Settable};
use nalgebra::{DMatrix, DVector, RowDVector};

/// Rate of what is crossed, relative to what the scales of the motion would give it, that is none.
const GRAZES: f64 = 1e-7;

/// Relative difference of the changes of the instant by two crossings that are one.
const SAME: f64 = 1e-6;

impl Saltations {
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        // Between steps no instant is open.
        let Saltations { on: _, list, now: _ } = self;
        state.every(list, Saltation::none(), |state, one| one.state(state));
    }
}

/// A value that is set, by its statement.
pub(super) struct Placed<'a> {
    what: Settable,
    target: usize,
    value: &'a Element,
    instance: usize,
}

/// What events of an instant set, and what their blow is made from, in the order of
/// [`Demand::directions`].
pub(super) fn made<'a>(
    system: &'a System,
    list: &[One],
    ending: &[usize],
    closed: &[usize],
) -> (Vec<Placed<'a>>, Vec<Origin<'a>>) {
    let mut set: Vec<Placed<'a>> = Vec::new();
    let (mut given, mut contacts) = (Vec::new(), Vec::new());
    for (which, one) in list.iter().enumerate() {
        let instance = one.instance;
        let Some(stated) = system.group(one.group).event() else { continue };
        for action in &stated.actions {
            match action {
                Action::Set { what, value, targets } => {
                    let target = targets[instance];
                    if set.iter().all(|other| (other.what, other.target) != (*what, target)) {
                        set.push(Placed { what: *what, target, value, instance });
                    }
                }
                Action::Impulse { along, law, values, .. } => {
                    let along: &Element = along;
                    let origin = |row: usize, value: bool| Origin {
                        along: Some((along, row)),
                        value: value.then_some((values, row)),
                        instance,
                    };
                    match law {
                        Law::Given => {
                            let rows = along.rows().min(values.rows());
                            given.extend((0..rows).map(|row| origin(row, true)));
                        }
                        Law::Restitution => {
                            contacts.push(origin(0, !ending.contains(&which)));
                            if along.rows() > 1 && values.rows() > 1 {
                                contacts.push(origin(1, true));
                            }
                        }
                    }
                }
                Action::Stop { .. } => {}
            }
        }
    }
    for &closed in closed {
        let switches = system.model().switches();
        let Some(crate::model::Switched::Contact(contact)) =
            switches.get(closed).map(|switch| &switch.by)
        else {
            continue;
        };
        let Some((_, along, values)) = contact.impact(&system.model().groups) else { continue };
        let instance = contact.instance;
        contacts.push(Origin { along: Some((along, 0)), value: None, instance });
        if along.rows() > 1 && values.rows() > 1 {
            let value = Some((values, 1));
            contacts.push(Origin { along: Some((along, 1)), value, instance });
        }
    }
    let assigned = set.iter().filter(|one| one.what == Settable::Velocity);
    let assigned = assigned.map(|one| Origin {
        along: None,
        value: Some((one.value, 0)),
        instance: one.instance,
    });
    let origins = assigned.chain(given).chain(contacts).collect();
    (set, origins)
}

/// How the state changes with that before where events happen together: `held` is the system before the blow, `system`
/// that of its impulses.
pub(super) fn of_round(
    [held, system]: [&System; 2],
    [before, after]: [&Point; 2],
    (set, origins): (&[Placed<'_>], &[Origin<'_>]),
    blow: Option<&(Demand, Blow)>,
) -> Option<DMatrix<f64>> {
    let columns = Columns::of(system);
    let y = before.flat();
    let values = origins.iter().filter_map(|origin| origin.value).map(|(value, _)| value);
    let reads = |element: &Element| {
        use SlotKind::{A, Lambda, Psi, W, Xd};
        [A, Lambda, Psi, Xd, W].into_iter().any(|kind| element.reads(kind))
    };
    let unknowns = match values.chain(set.iter().map(|one| one.value)).any(reads) {
        true => Some(of_unknowns(held, before)?),
        false => None,
    };
    let mut reset = DMatrix::identity(columns.len(), columns.len());
    for one in set {
        let row = match one.what {
            Settable::Velocity => continue,
            Settable::State => columns.x() + one.target,
            Settable::Mode => columns.modes() + one.target,
        };
        let slopes = columns.row(one.value, (one.instance, 0), y, unknowns.as_ref())?;
        reset.row_mut(row).copy_from(&slopes);
    }
    if let Some((demand, blow)) = blow {
        let velocities =
            of_jump(system, [before, after], (demand, blow), origins, unknowns.as_ref())?;
        reset.rows_mut(columns.v(), velocities.nrows()).copy_from(&velocities);
    }
    Some(reset)
}

impl Integrator<'_> {
    /// Computes the [saltation matrix](Saltation) of every event from the point reached on.
    pub fn differentiate_events(&mut self) {
        self.saltations.on = true;
    }

    /// Those so far, in order.
    pub fn saltations(&self) -> &[Saltation] {
        &self.saltations.list
    }

    /// Keeps the point reached, before anything happens at it.
    pub(super) fn note_instant(&mut self) {
        if !self.saltations.on || self.saltations.now.is_some() {
            return;
        }
        let size = Columns::of(&self.system).len();
        self.saltations.now = Some(Box::new(Instant {
            before: self.to.clone(),
            system: self.system.clone().into_owned(),
            crossed: self.events.due.iter().map(|&due| self.events.guards[due].guard).collect(),
            left: self.sliding.leaving.iter().map(|(kept, _)| *kept).collect(),
            names: Vec::new(),
            reset: Some(DMatrix::identity(size, size)),
            happened: false,
            freed: false,
        }));
    }

    /// Whether derivatives of what happens are wanted.
    pub(super) fn differentiates(&self) -> bool {
        self.saltations.now.is_some()
    }

    /// Takes how a round of events has changed the state.
    pub(super) fn add_round(&mut self, names: Vec<String>, round: Option<DMatrix<f64>>) {
        if let Some(now) = &mut self.saltations.now {
            now.happened = true;
            for name in names {
                if !now.names.contains(&name) {
                    now.names.push(name);
                }
            }
            now.reset = now.reset.take().zip(round).map(|(reset, round)| round * reset);
        }
    }

    /// Guards decide on their own where they change, held on no side.
    pub(super) fn add_free(&mut self, t: f64, guards: &[usize]) {
        if !self.saltations.on {
            return;
        }
        let mut names: Vec<String> = Vec::new();
        for &guard in guards {
            let described = self.guards.describe(&self.system, guard, &self.to, 1);
            names.extend(described.map(|[name, _]| name).filter(|name| !names.contains(name)));
        }
        if names.is_empty() {
            return;
        }
        if let Some(now) = self.saltations.now.as_mut() {
            now.freed = true;
            now.names.extend(names);
            return;
        }
        let (scalars, derivatives) = (self.scalars_of_state(), Err(NoSaltation::NotHeld));
        self.saltations.list.push(Saltation { t, names, scalars, derivatives });
    }

    /// What has been listed since the instant was noted, by name.
    pub(super) fn name_instant(&mut self, listed: usize) {
        if let Some(now) = &mut self.saltations.now {
            for event in self.events.list.iter().skip(listed) {
                if !now.names.contains(&event.name) {
                    now.names.push(event.name.clone());
                }
            }
        }
    }

    /// The motion has gone on from the instant, by a step or not at all: where something happened there, the matrix is
    /// known now.
    pub(super) fn close_instant(&mut self) {
        let Some(now) = self.saltations.now.take() else { return };
        let decided = !now.crossed.is_empty() || !now.left.is_empty();
        if !(decided || now.happened || now.freed) || now.names.is_empty() {
            return;
        }
        let t = now.before.t();
        let after = if self.stopped().is_some() { &self.to } else { &self.from }.clone();
        let derivatives = self.saltation(&now, &after);
        let scalars = self.scalars_of_state();
        self.saltations.list.push(Saltation { t, names: now.names, scalars, derivatives });
    }

    fn scalars_of_state(&self) -> Vec<String> {
        let (model, dims) = (self.system.model(), self.system.dims());
        let kinds = [(SlotKind::Q, dims.n), (SlotKind::V, dims.n), (SlotKind::X, dims.nx)];
        let of = kinds.into_iter().flat_map(|(kind, len)| (0..len).map(move |i| (kind, i)));
        let scalars = of.map(|(kind, i)| self.system.scalar_name(kind, i));
        scalars.chain(model.modes().iter().map(|mode| mode.name.clone())).collect()
    }

    fn saltation(&mut self, now: &Instant, after: &Point) -> Result<EventDerivatives, NoSaltation> {
        if now.freed {
            return Err(NoSaltation::NotHeld);
        }
        let columns = Columns::of(&now.system);
        let (size, time) = (columns.len() - 1, columns.time());
        let reset = now.reset.as_ref().ok_or(NoSaltation::Singular)?;
        let rates = |system: &System, at: &Point| {
            let mut at = at.clone();
            let solved = matches!(reconcile(system, &mut at), Ok(true));
            let mut rate = DVector::zeros(columns.len());
            rate.rows_mut(columns.q(), at.v().len()).copy_from_slice(at.v());
            rate.rows_mut(columns.v(), at.a().len()).copy_from_slice(at.a());
            rate.rows_mut(columns.x(), at.xd().len()).copy_from_slice(at.xd());
            rate[time] = 1.0;
            (solved && rate.iter().all(|rate| rate.is_finite())).then_some((at, rate))
        };
        let (before, rate) = rates(&now.system, &now.before).ok_or(NoSaltation::Singular)?;
        let (_, rate_after) = rates(&self.system, after).ok_or(NoSaltation::Singular)?;
        let (of_q, of_x) = (self.scales.q().weights(), self.scales.x().weights());
        let per_s = self.scales.rate();
        let mut sizes: Vec<f64> = of_q.iter().map(|q| q * per_s).collect();
        sizes.extend(of_q.iter().map(|q| q * per_s * per_s));
        sizes.extend(of_x.iter().map(|x| x * per_s));
        sizes.resize(columns.len(), 0.0);
        // δt by the state; nothing where time alone decides.
        let mut instant: Option<RowDVector<f64>> = None;
        for slopes in self.slopes(now, &before)? {
            let sigma: f64 = (&slopes * &rate)[0];
            let size: f64 =
                slopes.iter().zip(&sizes).map(|(slope, size)| (slope * size).abs()).sum();
            // Written so that NaN counts.
            if !(sigma.abs() > GRAZES * size) {
                return Err(NoSaltation::Grazing);
            }
            let by = -slopes / sigma;
            match &instant {
                Some(known) if (known - &by).amax() > SAME * known.amax() => {
                    return Err(NoSaltation::Simultaneous);
                }
                Some(_) => {}
                None => instant = Some(by),
            }
        }
        let projection = onto_constraints(&now.system, &before).ok_or(NoSaltation::Singular)?;
        let instant = instant.unwrap_or_else(|| RowDVector::zeros(columns.len()));
        let jump = rate_after - reset * &rate;
        let whole = (reset - jump * &instant) * &projection;
        let instant = (instant * &projection).columns(0, size).transpose();
        let matrix = whole.view((0, 0), (size, size)).into_owned();
        match matrix.iter().chain(instant.iter()).all(|x| x.is_finite()) {
            true => Ok(EventDerivatives { matrix, instant }),
            false => Err(NoSaltation::Singular),
        }
    }

    /// The gradients of what was crossed at an instant.
    fn slopes(
        &mut self,
        now: &Instant,
        before: &Point,
    ) -> Result<Vec<RowDVector<f64>>, NoSaltation> {
        let columns = Columns::of(&now.system);
        let mut all = Vec::new();
        let crossed = now.crossed.iter().copied();
        for slopes in self.guards.gradients(&now.system, crossed, before) {
            let slopes = slopes.ok_or(NoSaltation::NotHeld)?;
            all.push(columns.chain(slopes, None).ok_or(NoSaltation::NotHeld)?);
        }
        if now.left.is_empty() {
            return Ok(all);
        }
        // What let go is a multiplier at its bound.
        let unknowns = of_unknowns(&now.system, before).ok_or(NoSaltation::Singular)?;
        let first = now.system.dims().unknown_offsets();
        for &kept in &now.left {
            let row = match kept {
                Kept::Surface(surface) => match now.system.share_of(surface) {
                    ShareOf::Speeds(row) => first[2] + row,
                    ShareOf::States(variable) => first[4] + variable,
                },
                Kept::Contact(contact) => first[1] + self.gap_row(contact),
            };
            all.push(unknowns.row(row).into_owned());
        }
        Ok(all)
    }
}
