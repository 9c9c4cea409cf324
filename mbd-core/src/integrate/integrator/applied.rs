//! What events of an instant do, all at once: what they set, and the blow that comes of it.

use super::carried::One;
use super::contacts::switched;
use crate::assembly::{Point, System};
use crate::model::Switched;
use crate::start::{Blow, Contact, Demand, NoJump, jump};
use crate::statement::{Action, Law, Settable};

/// What takes part in a jump besides what events state.
#[derive(Default)]
pub(super) struct Also {
    /// The contacts that are closed, by the numbers of their rows that come and go.
    pub(super) closed: Vec<usize>,
    /// Which of the events have come to the limit of their impacts: they rebound no more.
    pub(super) ending: Vec<usize>,
    /// The contacts whose gaps come to rest with each other's, whichever way they would go on.
    pub(super) resting: Vec<usize>,
    /// Constraints prescribe other rates: velocities jump though no event asks for it.
    pub(super) strikes: bool,
    /// What momenta lack that kinetic energies have at the same velocities from now on.
    pub(super) momenta: Vec<f64>,
}

/// What a blow comes from: the events of its instant, and the point before it.
pub(super) struct Struck<'a> {
    pub(super) list: &'a [One],
    pub(super) also: &'a Also,
    pub(super) before: &'a Point,
}

/// What came of events that happened together.
#[derive(Default)]
pub(super) struct Applied {
    /// Which of them ends the run, and why.
    pub(super) stop: Option<(usize, String)>,
    pub(super) blow: Option<(Demand, Blow)>,
    /// The system of the blow where rows hold from now on that did not before.
    pub(super) switched: Option<System>,
}

impl Also {
    /// Whether the gap of an event's contact comes to rest with others'.
    fn rests(&self, system: &System, one: &One) -> bool {
        let switches = system.model().switches();
        self.resting.iter().any(|&contact| {
            let by = switches.get(contact).map(|switch| &switch.by);
            matches!(by, Some(Switched::Contact(of)) if (of.group, of.instance) == (one.group, one.instance))
        })
    }
}

/// A contact that is closed, as one that a blow meets: its gap does not rebound from that, but from what
/// strikes its own sides.
fn resting(system: &System, closed: usize, y: &[f64], strikes: bool) -> Option<Contact> {
    let Switched::Contact(contact) = system.model().switches().get(closed)?.by else { return None };
    let (stated, along, values) = contact.impact(&system.model().groups)?;
    let mut sizes = Vec::new();
    values.values(contact.instance, y, &mut sizes);
    let mut directions = stated.directions(along, contact.instance, y).into_iter();
    let normal = directions.next()?;
    let friction = directions.next().zip(sizes.get(1).copied());
    let name = stated.instance_name(contact.instance);
    let restitution = sizes.first().copied().filter(|_| strikes).unwrap_or(0.0);
    Some(Contact { name, normal, restitution, friction, rests: false })
}

/// Sets what events set, at once. An event that cannot be is told by its number among them.
pub(super) fn apply(
    system: &System,
    list: &[One],
    also: &Also,
    at: &mut Point,
) -> Result<Applied, (usize, &'static str)> {
    let before = at.clone();
    let y = before.flat();
    let mut demand = Demand { momenta: also.momenta.clone(), ..Demand::default() };
    let mut set: Vec<(Settable, usize, f64)> = Vec::new();
    let mut applied = Applied::default();
    for (which, one) in list.iter().enumerate() {
        let Some(stated) = one.stated(system) else { continue };
        for action in &stated.actions {
            match action {
                Action::Set { what, value, targets } => {
                    let (what, target) = (*what, targets[one.instance]);
                    let value = value.value(one.instance, y);
                    if !value.is_finite() {
                        return Err((which, "sets something to what is no number"));
                    }
                    let same = set.iter().find(|other| (other.0, other.1) == (what, target));
                    match same {
                        Some(&(.., other)) if other != value => {
                            return Err((
                                which,
                                "sets to one value what another event of the same instant sets to another",
                            ));
                        }
                        Some(_) => {}
                        None => set.push((what, target, value)),
                    }
                }
                Action::Impulse { along, law, values, .. } => {
                    let mut sizes = Vec::new();
                    values.values(one.instance, y, &mut sizes);
                    let directions = stated.directions(along, one.instance, y);
                    if let Some(why) = refused(*law, &sizes) {
                        return Err((which, why));
                    }
                    let mut directions = directions.into_iter();
                    match law {
                        Law::Given => demand.given.extend(directions.zip(sizes)),
                        Law::Restitution => {
                            demand.contacts.extend(directions.next().map(|normal| {
                                let friction = directions.next().zip(sizes.get(1).copied());
                                let ends = also.ending.contains(&which);
                                let restitution = if ends { 0.0 } else { sizes[0] };
                                let name = stated.instance_name(one.instance);
                                let rests = also.rests(system, one);
                                Contact { name, normal, restitution, friction, rests }
                            }))
                        }
                    }
                }
                Action::Stop { text } => {
                    applied.stop = applied.stop.or_else(|| Some((which, text.clone())));
                }
            }
        }
    }
    for &(what, target, value) in &set {
        match what {
            Settable::Velocity => demand.assigned.push((target, value)),
            Settable::State => at.x_mut()[target] = value,
            Settable::Mode => at.modes_mut()[target] = value,
        }
    }
    let own = switched(system, at);
    if !demand.is_empty() || own.is_some() || also.strikes {
        demand.contacts.extend(also.closed.iter().filter_map(|&closed| {
            let rests = also.resting.contains(&closed);
            Some(Contact { rests, ..resting(system, closed, y, also.strikes)? })
        }));
        let comes = own.as_ref().is_some_and(|own| {
            own.holds().iter().zip(system.holds()).any(|(now, was)| *now && !*was)
        });
        let system = own.as_ref().unwrap_or(system);
        let blow = jump(system, at, &demand).map_err(|why| (0, reason(why, &demand, comes)))?;
        applied.blow = Some((demand, blow));
        applied.switched = own;
    }
    Ok(applied)
}

/// Why an impulse of these sizes cannot be.
fn refused(law: Law, sizes: &[f64]) -> Option<&'static str> {
    match (law, sizes) {
        (_, sizes) if sizes.iter().any(|size| !size.is_finite()) => {
            Some("gives an impulse that is no number")
        }
        (Law::Restitution, [e, ..]) if !(0.0..=1.0).contains(e) => {
            Some("has a coefficient of restitution that is not between 0 and 1")
        }
        (Law::Restitution, [_, mu]) if *mu < 0.0 => Some("has a negative coefficient of friction"),
        _ => None,
    }
}

/// Why there is no jump; `comes`: a constraint holds from this instant on that did not before.
fn reason(why: NoJump, demand: &Demand, comes: bool) -> &'static str {
    match why {
        NoJump::Singular => {
            "comes where the mass matrix and the constraints are singular, so that no impulse has an effect \
             that is known"
        }
        NoJump::Contradiction if demand.assigned.is_empty() && comes => {
            "is an impact from which nothing can rebound, since a constraint holds from this instant on for which a mode \
             is set: let the contact have `restitution(0.0)`, or set the mode where the motion has come to rest"
        }
        NoJump::Contradiction if demand.assigned.is_empty() => {
            "is an impact after which no velocities keep all gaps from closing: what it meets is driven against \
             it, as walls on both sides of a ball. End the run before (`--t-end`, or `stop` in an event)"
        }
        NoJump::Contradiction => {
            "sets velocities that the constraints do not leave: set fewer of them, the others follow"
        }
        NoJump::NoImpulse => {
            "is an impact for which no impulse satisfies the laws of restitution and friction"
        }
    }
}
