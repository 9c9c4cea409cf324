//! Where what happens happens: the places of contacts, and of everything else that has events.
//!
//! A statement's place is the points that what it compares notes, of an impact those of its gap, as a joint's force acts
//! where the joint notes it is. Where it notes none it is the bodies whose coordinates it reads, and where there are no
//! bodies what `draw` statements draw of these coordinates alone.

use crate::assembly::SlotKind;
use crate::model::{Draw, Model, Switched};
use crate::scalar::{Mark, Notes, Owner};
use crate::statement::{Action, Element, Seen, Stated, Watch, Watched};

/// Instances of statements followed, at most; where there are more, none is.
const MOST: usize = 500;

/// An instance of a statement that has events.
pub(super) struct Eventful {
    pub(super) group: usize,
    pub(super) instance: usize,
}

/// All instances of statements that have events; none where there are too many.
pub(super) fn eventful(model: &Model) -> Vec<Eventful> {
    let mut found = Vec::new();
    for (group, statement) in model.groups.iter().enumerate() {
        let by_modes =
            |by: Switched| matches!(by, Switched::Modes { group: of, .. } if of == group);
        let comes_and_goes = || model.switches().iter().any(|switch| by_modes(switch.by));
        if statement.event().is_some() || statement.sees().comparisons || comes_and_goes() {
            found.extend((0..statement.instances()).map(|instance| Eventful { group, instance }));
        }
    }
    if found.len() > MOST { Vec::new() } else { found }
}

/// What says where an event is: the gaps of its impacts and what its impulses act along, or else its condition.
fn told_by(stated: &Stated) -> Vec<&Element> {
    fn along(action: &Action) -> Option<&Element> {
        match action {
            Action::Impulse { along, .. } => Some(along),
            _ => None,
        }
    }
    let gaps: Vec<&Element> = stated.actions.iter().filter_map(along).collect();
    if gaps.is_empty() { vec![&stated.condition] } else { gaps }
}

/// Appends the places that an instance of a statement notes of its events.
pub(super) fn note(model: &Model, group: usize, instance: usize, y: &[f64], notes: &mut Notes) {
    let group = &model.groups[group];
    match group.event() {
        Some(stated) => told_by(stated).iter().for_each(|one| one.note(instance, y, notes)),
        None => group.note(instance, y, notes),
    }
}

/// Which of the places of a note are those at which something may meet: of a point not its frame's origin.
pub(super) fn ends(mark: Mark) -> &'static [usize] {
    match mark {
        Mark::Point | Mark::Joint(_) => &[1],
        Mark::Link => &[0, 1],
        Mark::Gravity => &[],
    }
}

/// The coordinates that what an instance of a statement compares reads, itself or by their velocities.
pub(super) fn coordinates(model: &Model, one: &Eventful, y: &[f64]) -> Vec<usize> {
    let mut watched = Watched::default();
    let ask = Watch { paths: true, ..Watch::default() };
    let group = &model.groups[one.group];
    match group.event() {
        Some(stated) => {
            let elements = told_by(stated);
            elements.iter().for_each(|element| element.watch(one.instance, y, ask, &mut watched));
        }
        None => group.watch(one.instance, y, ask, &mut watched),
    }
    let (q, v) = (model.layout().range(SlotKind::Q), model.layout().range(SlotKind::V));
    let mut found = Vec::new();
    for Seen { path, flats } in &watched.seen {
        let compared = path.looks.iter().flat_map(|look| &look.inputs);
        let read: Vec<&usize> =
            if path.looks.is_empty() { path.needed.iter().collect() } else { compared.collect() };
        let flats = read.into_iter().filter_map(|&k| flats.get(k)).map(|&flat| flat as usize);
        found.extend(flats.filter_map(|flat| {
            let of = [&q, &v].into_iter().find(|range| range.contains(&flat))?;
            Some(flat - of.start)
        }));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The bodies of which there are coordinates among these, and in joint coordinates one whose frame alone an event reads.
pub(super) fn bodies(
    model: &Model,
    one: &Eventful,
    coords: &[usize],
    y: &[f64],
    notes: &Notes,
) -> Vec<usize> {
    let read = |b: usize| model.bodies[b].coords.iter().any(|coord| coords.contains(coord));
    let stated = model.groups[one.group].event();
    let rows = stated.into_iter().flat_map(told_by);
    let rows = rows.flat_map(|element| element.owned_rows(one.instance, y, notes));
    let owned: Vec<Owner> = rows.map(|(_, owner)| owner).collect();
    let is_of = |&b: &usize| read(b) || owned.contains(&Owner::Body(b as u32));
    (0..model.bodies.len()).filter(is_of).collect()
}

/// Of a `draw` statement the places that these coordinates alone move, by their numbers, each of them once.
pub(super) fn drawn(
    model: &Model,
    (draw, instance): (usize, usize),
    coords: &[usize],
    y: &[f64],
) -> Vec<(usize, [f64; 3])> {
    let Draw { element, shape, .. } = &model.draws[draw];
    let q = model.layout().range(SlotKind::Q).start;
    let mut reads = element.of_kind(SlotKind::Q).map(|k| element.slot(instance, k));
    if !reads.any(|coord| coords.contains(&coord)) {
        return Vec::new();
    }
    let mut owners = vec![Owner::Moving; model.layout().len()];
    owners[model.layout().params()].fill(Owner::Ground);
    // Whose they are does not matter: they are told from all others.
    coords.iter().for_each(|&coord| owners[q + coord] = Owner::Body(0));
    let notes = Notes { owners, ..Notes::default() };
    let rows = element.owned_rows(instance, y, &notes);
    let mut places: Vec<(usize, [f64; 3])> = Vec::new();
    for (place, three) in rows[..shape.points(rows.len())].chunks_exact(3).enumerate() {
        let owner = three.iter().fold(Owner::Ground, |all, row| all.join(row.1));
        let at = [0, 1, 2].map(|i| three[i].0);
        if owner == Owner::Body(0) && !places.iter().any(|other| other.1 == at) {
            places.push((place, at));
        }
    }
    places
}

/// The row that holds a contact while it is closed, or a constraint while a mode says so.
pub(super) fn row(model: &Model, one: &Eventful) -> Option<usize> {
    let of = |by: Switched| match by {
        Switched::Contact(contact) => (contact.group, contact.instance),
        Switched::Modes { group, instance } => (group, instance),
    };
    let switches = model.switches();
    let switch = switches.iter().find(|switch| of(switch.by) == (one.group, one.instance))?;
    Some(switch.rows.start)
}
