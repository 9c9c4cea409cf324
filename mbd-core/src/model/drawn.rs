//! What a model says of how it looks: its bodies, and the shapes of its `draw` statements.

use super::mesh::Mesh;
use crate::statement::Element;

/// Of what kind a body is: which coordinates it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// x, y and an angle.
    Planar,
    /// x, y, z and four Euler parameters.
    Spatial,
    /// x, y.
    PlanarMass,
    /// x, y, z.
    PointMass,
}

impl BodyKind {
    /// How many numbers say where it is.
    pub fn numbers(self) -> usize {
        match self {
            BodyKind::Planar | BodyKind::PointMass => 3,
            BodyKind::Spatial => 7,
            BodyKind::PlanarMass => 2,
        }
    }

    /// Whether it moves in the plane z = 0.
    pub fn is_planar(self) -> bool {
        matches!(self, BodyKind::Planar | BodyKind::PlanarMass)
    }
}

/// A body with its coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyInfo {
    /// Its name: `crank`, `link[3]`.
    pub name: String,
    /// Its kind.
    pub kind: BodyKind,
    /// Indices of its coordinates, in the order of the kind; none of a body that a joint carries, in joint
    /// coordinates.
    pub coords: Vec<usize>,
}

/// What a `draw` statement draws, with the numbers of its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Between two points (6 numbers).
    Line,
    /// Through points (3 numbers each).
    Polyline,
    /// Origin, two axes in its plane and a radius (10).
    Circle,
    /// The same of a ball.
    Sphere,
    /// Origin, two axes and three edges (12).
    Box,
    /// Two points and a radius (7).
    Cylinder,
    /// Between two points (6).
    Spring,
    /// The path of a point (3).
    Trace,
    /// Triangles of a file: origin, two axes, and how long a unit of the file is (10).
    Mesh(&'static Mesh),
}

impl Shape {
    /// How many of its numbers, from the first, are coordinates of points; the next are of directions.
    pub(crate) fn points(self, rows: usize) -> usize {
        match self {
            Shape::Line | Shape::Spring | Shape::Cylinder => 6,
            Shape::Polyline => rows,
            Shape::Trace => 3,
            Shape::Circle | Shape::Sphere | Shape::Box | Shape::Mesh(_) => 3,
        }
    }

    /// How many numbers are of directions; the rest are lengths.
    pub(crate) fn directions(self) -> usize {
        match self {
            Shape::Circle | Shape::Sphere | Shape::Box | Shape::Mesh(_) => 6,
            _ => 0,
        }
    }
}

/// A `draw` statement.
pub(crate) struct Draw {
    pub name: String,
    pub shape: Shape,
    /// As written; empty when none.
    pub color: String,
    /// Whether its instances are numbered, and from which on.
    pub is_array: bool,
    pub first: usize,
    pub element: Element,
}

/// Where a body is that a joint carries.
pub(crate) struct Carried {
    /// Its number among the bodies.
    pub body: usize,
    /// The numbers of its kind, its mass, its moments of inertia about its axes.
    pub element: Element,
}

/// Where a joint is: its coordinates and their rates.
pub(crate) struct JointInfo {
    pub name: String,
    /// Whether its instances are numbered, and from which on.
    pub is_array: bool,
    pub first: usize,
    /// What the rows of its element are.
    pub names: Vec<String>,
    pub element: Element,
}

/// What a joint exerts on its second body, where that is no matter of rows alone: in joint coordinates.
pub(crate) struct Load {
    pub name: String,
    /// Whether its instances are numbered.
    pub is_array: bool,
    /// Whether it carries a body: then its multipliers are those of the released model.
    pub carries: bool,
    /// Force and torque about the second origin.
    pub element: Element,
}
