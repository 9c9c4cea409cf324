//! What acts along expressions: the derivative of an expression by coordinates, weighted by a force or multiplier, is
//! added to a piece.
//!
//! A statement by itself differentiates its own expressions. Of many statements about the bodies of a tree, each of
//! which reads all joints before its body, that would be as many derivatives along the whole tree; so what they
//! do is kept, and one reverse pass differentiates all of it ([`together`](super::together)).

use super::op::Node;
use crate::equation::Want;

/// What acts: each kind is differentiated by scalars of one kind, and added to the same pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Acting {
    /// Forces and energies on coordinates, in the equations of motion.
    Force,
    /// Forces on massless nodes, in their balance.
    Node,
    /// Dissipation, along velocities.
    Dissipation,
    /// Holonomic rows by their weights, with the reaction standard or stated.
    Rows { standard: bool },
}

impl Acting {
    pub(super) const ALL: [Acting; 5] = [
        Acting::Force,
        Acting::Node,
        Acting::Dissipation,
        Acting::Rows { standard: true },
        Acting::Rows { standard: false },
    ];

    /// The pieces that it is added to, with the sign there.
    pub(super) fn pieces(self) -> &'static [(Want, f64)] {
        match self {
            Acting::Force => &[(Want::F, 1.0)],
            Acting::Node => &[(Want::W, -1.0)],
            Acting::Dissipation => &[(Want::F, -1.0)],
            Acting::Rows { standard: true } => &[(Want::GTS, 1.0), (Want::REACTION, 1.0)],
            Acting::Rows { standard: false } => &[(Want::GTS, 1.0)],
        }
    }
}

/// What is kept until all statements are written.
#[derive(Debug, Default)]
pub(crate) struct Acts {
    pub(super) all: Vec<Act>,
    /// Expressions along which forces do work, with these; and the rates of the coordinates there.
    pub(super) work: Vec<(Node, Node)>,
    pub(super) rates: Vec<(Node, Node)>,
}

#[derive(Debug)]
pub(super) struct Act {
    pub(super) kind: Acting,
    pub(super) along: Node,
    pub(super) weight: Node,
    /// What it acts on, by number and input.
    pub(super) on: Vec<(usize, Node)>,
}

/// How much was kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActsMark(pub(super) usize, pub(super) usize, pub(super) usize);
