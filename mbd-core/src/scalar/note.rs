//! Places that a statement's functions note while they run, so that a mechanism can be drawn: the
//! points of frames, joints, the ends of rods and springs.
//!
//! A frame or a joint of the library says where it is by [`note`]. Nothing is kept unless someone
//! listens ([`listen`]), and nothing in a kernel changes: what is noted is on the tape already.
//!
//! In joint coordinates the frame of a body that a joint carries is made of coordinates of many joints. It says
//! by [`of_body`] whose it is; where someone listens its numbers get places of their own, and what is made of them
//! belongs to the body as it does in absolute coordinates.

use super::decision::Scalar;
use super::num::Num;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// What a noted place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A point fixed in a frame: the frame's origin, the point.
    Point,
    /// A joint: where it is on the first frame, where on the second, and a point on its axis through
    /// the first.
    Joint(&'static str),
    /// Something that connects two points.
    Link,
    /// No place, but the acceleration of gravity, by which is known what is up.
    Gravity,
}

/// What was noted, in the order of evaluation.
struct Note {
    mark: Mark,
    planar: bool,
    /// Points in the ground frame, with where on the tape each coordinate is.
    points: Vec<[(f64, Option<u32>); 3]>,
}

/// Whose coordinates a number is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Nothing that moves.
    Ground,
    /// Coordinates of one body, by its number.
    Body(u32),
    /// Anything else: several bodies, time, other coordinates.
    Moving,
}

impl Owner {
    pub(crate) fn join(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::Ground, owner) | (owner, Owner::Ground) => owner,
            (a, b) if a == b => a,
            _ => Owner::Moving,
        }
    }
}

/// A point, or the numbers of a row, and what they are made of.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// In the ground frame.
    pub(crate) at: [f64; 3],
    pub(crate) owner: Owner,
}

/// A place that an evaluation noted.
#[derive(Clone, Debug)]
pub struct Noted {
    pub(crate) mark: Mark,
    /// Noted by a planar function: it lies in the plane z = 0.
    pub(crate) planar: bool,
    pub(crate) spots: Vec<Spot>,
}

/// What is noted of statements, and to whom each scalar of the flat point belongs.
#[derive(Debug, Default)]
pub struct Notes {
    pub(crate) owners: Vec<Owner>,
    pub(crate) noted: Vec<Noted>,
    /// Bodies that joints carry, with their numbers.
    pub(crate) carried: HashMap<String, u32>,
}

impl Notes {
    /// Who owns a scalar of the flat point.
    pub(crate) fn owner(&self, flat: usize) -> Owner {
        self.owners.get(flat).copied().unwrap_or(Owner::Moving)
    }
}

thread_local! {
    static LISTENS: Cell<bool> = const { Cell::new(false) };
    static NOTES: RefCell<Vec<Note>> = const { RefCell::new(Vec::new()) };
    static OWNED: RefCell<Vec<(u32, Rc<str>)>> = const { RefCell::new(Vec::new()) };
}

/// Says that numbers are those of a body's frame.
#[inline(never)]
pub(crate) fn of_body<D: Scalar>(body: &str, numbers: &mut [Num<D>]) {
    if !LISTENS.get() {
        return;
    }
    let body: Rc<str> = body.into();
    for number in numbers {
        *number = Num(number.0.apart());
        if let Some((_, Some(place))) = number.0.seen() {
            OWNED.with_borrow_mut(|owned| owned.push((place, body.clone())));
        }
    }
}

/// Says where something is, in the ground frame; planar points have z = 0.
///
/// On derivatives of an expression, as within `der(…)`, nothing is noted.
#[inline(never)]
pub(crate) fn note<D: Scalar, const N: usize>(mark: Mark, points: &[[Num<D>; N]]) {
    if !LISTENS.get() {
        return;
    }
    let spot = |point: &[Num<D>; N]| {
        let mut spot = [(0.0, None); 3];
        for (seen, number) in spot.iter_mut().zip(point) {
            *seen = number.0.seen()?;
        }
        Some(spot)
    };
    if let Some(points) = points.iter().map(spot).collect() {
        NOTES.with_borrow_mut(|notes| notes.push(Note { mark, planar: N == 2, points }));
    }
}

/// What of a tape each step belongs to is told by what listens.
pub(crate) struct Listener(());

impl Listener {
    /// The places that belong to bodies, in the order of the tape.
    pub(crate) fn owned(&self, notes: &Notes) -> Vec<(u32, Owner)> {
        let owner = |name: &str| notes.carried.get(name).map_or(Owner::Moving, |&b| Owner::Body(b));
        OWNED.take().into_iter().map(|(place, name)| (place, owner(&name))).collect()
    }

    /// Takes what was noted, with the owners of the steps of the tape that was written meanwhile.
    pub(crate) fn hear(self, owners: &[Owner], out: &mut Vec<Noted>) {
        let owner = |place: Option<u32>| place.map_or(Owner::Ground, |k| owners[k as usize]);
        for Note { mark, planar, points } in NOTES.take() {
            let spot = |point: &[(f64, Option<u32>); 3]| Spot {
                at: point.map(|(value, _)| value),
                owner: point.iter().fold(Owner::Ground, |all, (_, place)| all.join(owner(*place))),
            };
            out.push(Noted { mark, planar, spots: points.iter().map(spot).collect() });
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        LISTENS.set(false);
        NOTES.take();
        OWNED.take();
    }
}

/// Notes are kept from now on, until what is returned is dropped.
pub(crate) fn listen() -> Listener {
    LISTENS.set(true);
    Listener(())
}
