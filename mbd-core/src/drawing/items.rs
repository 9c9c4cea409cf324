//! What is drawn: items, bodies, and where their points are.

use crate::model::{BodyInfo, Shape};

/// Where a point of a drawing is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// There, in the ground frame.
    Ground([f64; 3]),
    /// There in the axes of a body, given by its number.
    Body(usize, [f64; 3]),
    /// Where three numbers of [`Drawing::sample`] say, from this one on.
    Moving(usize),
}

/// A number of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// The same all the time.
    Fixed(f64),
    /// A number of [`Drawing::sample`].
    Moving(usize),
}

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The shape of a `draw` statement. Directions of it are given by the points at their ends.
    Shape(Shape),
    /// A joint of this kind: where it is on both frames, and the end of a vector along its axis, if it
    /// has one.
    Joint(&'static str),
    /// A rod of fixed length between two points.
    Rod,
    /// A spring between two points.
    Spring,
    /// What pushes or pulls between two points by no spring's law: an actuator, a damper.
    Actuator,
    /// A part of a body or frame between two points.
    Part,
}

/// Something to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The statement's name, with a number where it has several instances.
    pub name: String,
    /// What it is.
    pub look: Look,
    /// As the model says; empty where it does not.
    pub color: String,
    /// Its points.
    pub anchors: Vec<Anchor>,
    /// Its lengths.
    pub numbers: Vec<Number>,
}

/// A body and how large it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Name, kind and coordinates.
    pub info: BodyInfo,
    /// Half axes of the homogeneous ellipsoid with its moments of inertia, along its own axes, in m; of
    /// a planar body the radius of the disc, twice, and 0. Zero for a point mass.
    pub inertia: [f64; 3],
    /// Whether `draw` statements say how it looks: those of its name, or its component's own.
    pub drawn: bool,
    /// Whether its inertia is drawn: of a body that is held in one point or none, and is no straight
    /// bar.
    pub lump: bool,
}

/// What a joint, or a rod, exerts on its second body: a force, and a torque about where it acts.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// The statement's name, with a number where it has several instances.
    pub name: String,
    /// Where it acts.
    pub at: Anchor,
    /// 1 where it is read on the second body, −1 where on the first, the second being the ground.
    pub(super) sign: f64,
    /// How it is read.
    pub(super) by: Reading,
}

/// How the force of a joint is read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reading {
    /// Of what its rows add to the equations of motion of a body.
    Rows {
        body: usize,
        /// The rows of its multipliers, holonomic and nonholonomic.
        rows: [Vec<usize>; 2],
        /// Those of one batch are evaluated at once.
        batch: usize,
    },
    /// In joint coordinates: what the model says itself, by its number, and the instance.
    Load(usize, usize),
}

/// A statement that has events: a contact, a condition, a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// As [events](crate::solution::Event) name it.
    pub name: String,
    /// Where they are; each place is the mean of some points.
    pub places: Vec<Vec<Anchor>>,
    /// The holonomic row that holds it while it is closed, of a contact or of what comes and goes by modes.
    pub row: Option<usize>,
}

/// What is to be drawn of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its bodies.
    pub bodies: Vec<Body>,
    /// Everything else.
    pub items: Vec<Item>,
    /// Forces and torques of joints and rods between bodies of the language's own components.
    pub forces: Vec<Force>,
    /// What has events, where their places are known.
    pub happenings: Vec<Happening>,
    /// Whether everything lies in the plane z = 0.
    pub planar: bool,
    /// The acceleration of gravity of the language's own bodies in m/s²; zero where the model states none.
    pub gravity: [f64; 3],
    pub(super) sources: Vec<Source>,
    pub(super) width: usize,
}

impl Drawing {
    /// The axes of a picture in those of the ground: to the right, to the back, and upwards against gravity along the axis
    /// that is nearest to it. Without gravity, and in the plane z = 0, they are x, y and z.
    pub fn upright(&self) -> [[f64; 3]; 3] {
        let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let back = |v: [f64; 3]| v.map(|c| if c == 0.0 { 0.0 } else { -c });
        let sizes = self.gravity.map(f64::abs);
        let most = sizes.into_iter().fold(0.0, f64::max);
        if self.planar || !(most > 0.0 && most.is_finite()) {
            return [x, y, z];
        }
        // Of axes that are as near as z is, z.
        match (2 - sizes.iter().rev().position(|size| *size == most).unwrap_or(0), self.gravity) {
            (0, [g, ..]) => {
                if g < 0.0 {
                    [back(z), y, x]
                } else {
                    [z, y, back(x)]
                }
            }
            (1, [_, g, _]) => {
                if g < 0.0 {
                    [x, back(z), y]
                } else {
                    [x, z, back(y)]
                }
            }
            (_, [.., g]) => {
                if g < 0.0 {
                    [x, y, z]
                } else {
                    [x, back(y), back(z)]
                }
            }
        }
    }
}

/// What has to be evaluated for numbers that move by themselves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Source {
    pub(super) from: From,
    pub(super) instance: usize,
    /// Which of its numbers are taken, and where each belongs.
    pub(super) takes: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    /// The rows of a `draw` statement.
    Draw(usize),
    /// What a statement notes, three numbers for each place.
    Group(usize),
    /// The same of a joint that carries a body.
    Load(usize),
    /// What a statement notes of its events.
    Events(usize),
}
