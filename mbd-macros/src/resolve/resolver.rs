//! What is known while names are resolved.

use super::scope::{LetDefId, ScopeId, Scopes};
use crate::ast::{self, BodyStmt, JointStmt, Stmt};
use crate::block::{BlockId, Blocks};
use crate::diag::Diag;
use crate::ir::*;
use crate::joint::{Dimension, Kind};
use crate::link::Link;
use crate::source::Source;
use proc_macro2::{Ident, Span, TokenStream};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use syn::Expr;

/// What a joint calls its constraint, so that `lambda(hinge)` is that of `hinge`.
pub(super) const ROWS: &str = "rows";

/// What a joint in joint coordinates calls the displacements of its frames, which are zero.
pub(super) const HELD: &str = "__held";

pub(super) struct Resolver<'a> {
    pub(super) diag: &'a Diag,
    pub(super) blocks: &'a Blocks,
    /// Rust names are collected, for the hidden module of public components.
    pub(super) exporting: bool,
    pub(super) found: RefCell<BTreeMap<String, Link>>,
    /// The file that the block stands in, once it was asked for.
    pub(super) source: OnceCell<Option<Source>>,
    pub(super) scopes: Scopes,
    pub(super) components: HashMap<String, Rc<ast::Component>>,
    /// The language's own that were read, by their names and what they are given.
    pub(super) builtin: RefCell<HashMap<(String, Vec<String>), Rc<ast::Component>>>,
    pub(super) model: Model,
    pub(super) let_defs: Vec<LetDef>,
    pub(super) let_states: HashMap<(LetDefId, String), LetState>,
    pub(super) let_stack: Vec<(LetDefId, Span)>,
    /// Lets that are whole numbers, or arrays of them.
    pub(super) whole_lets: HashSet<LetDefId>,
    pub(super) whole_arrays: HashSet<LetDefId>,
    /// Lets whose value is being looked into, for what they are.
    pub(super) looked_into: RefCell<HashSet<LetDefId>>,
    /// What lets were found to be, once all names are declared.
    pub(super) shapes: RefCell<HashMap<LetDefId, Option<Shape>>>,
    pub(super) all_declared: bool,
    pub(super) leaf_ids: HashMap<String, LeafId>,
    pub(super) joints: Vec<Joint>,
    /// Whether bodies are told by the coordinates of joints.
    pub(super) joint_coordinates: bool,
    pub(super) coordinates_at: Span,
    /// Then: the bodies that joints may tell, by their scopes.
    pub(super) hanging: BTreeMap<ScopeId, Hanging>,
    /// Joints and drives, declared after all else.
    pub(super) waiting: Vec<Waiting>,
    /// Names of joints with members of theirs that are read where turns matter.
    pub(super) turned: HashSet<(String, String)>,
    /// Gravity, if it is stated.
    pub(super) gravity: Option<Expr>,
    /// Whether there is a body that it acts on.
    pub(super) weighed: bool,
    /// What statements compare that stand for a limit or for friction of a joint's coordinate, by their names, in the
    /// words of who wrote it.
    pub(super) said: HashMap<String, String>,
    pub(super) work: Vec<Work>,
    /// The components of the bodies around what is being declared, outermost first.
    pub(super) inside: Vec<(Option<BlockId>, String)>,
}

/// A statement waiting for all names to be known.
pub(super) struct Work {
    pub(super) stmt: ast::Stmt,
    pub(super) scope: ScopeId,
    pub(super) loops: Vec<LoopId>,
    /// For a constraint, its multipliers.
    pub(super) constraint: Option<ConstraintId>,
}

pub(super) struct LetDef {
    /// `w`, `k1.frame`.
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) value: Expr,
    /// Where its names are looked up.
    pub(super) scope: ScopeId,
    /// For a parameter of an array of bodies given by an array: take the entry of the body.
    pub(super) elementwise: Option<ScopeId>,
}

#[derive(Clone, Copy)]
pub(super) enum LetState {
    InProgress,
    Done(LetId),
}

/// The index that replaces the implied one in names of an array of bodies: `link[i - 1].x`.
#[derive(Clone)]
pub(super) struct Subst {
    pub(super) owner: ScopeId,
    /// The index as written.
    pub(super) own: TokenStream,
    /// Which of all entries, of the arrays around as well.
    pub(super) tokens: TokenStream,
    /// The index of the array around it.
    pub(super) outer: Option<Box<Subst>>,
}

impl Subst {
    /// The index of one of the arrays.
    pub(super) fn of(&self, owner: ScopeId) -> Option<&Subst> {
        std::iter::successors(Some(self), |s| s.outer.as_deref()).find(|s| s.owner == owner)
    }
}

impl<'a> Resolver<'a> {
    /// The file that the block stands in, where one of its names is.
    pub(super) fn source(&self, name: &Ident) -> Option<&Source> {
        self.source.get_or_init(|| Source::of(name.span(), &name.to_string())).as_ref()
    }

    pub(super) fn new(
        vis: syn::Visibility,
        name: syn::Ident,
        docs: Vec<String>,
        blocks: &'a Blocks,
        diag: &'a Diag,
    ) -> Self {
        Resolver {
            diag,
            blocks,
            exporting: false,
            found: RefCell::default(),
            source: OnceCell::new(),
            scopes: Scopes::default(),
            components: HashMap::new(),
            builtin: RefCell::default(),
            model: Model {
                vis,
                name,
                docs,
                sizes: Vec::new(),
                params: Vec::new(),
                scalars: Vec::new(),
                vectors: Vec::new(),
                no_starts: Vec::new(),
                constraints: Vec::new(),
                loops: Vec::new(),
                leaves: Vec::new(),
                lets: Vec::new(),
                ders: Vec::new(),
                entries: Vec::new(),
                wholes: Vec::new(),
                statements: Vec::new(),
                constants: Vec::new(),
                functions: Default::default(),
                bodies: Vec::new(),
                links: Default::default(),
                meshes: Default::default(),
                checks_bodies: false,
            },
            let_defs: Vec::new(),
            let_states: HashMap::new(),
            let_stack: Vec::new(),
            whole_lets: HashSet::new(),
            whole_arrays: HashSet::new(),
            looked_into: RefCell::default(),
            shapes: RefCell::default(),
            all_declared: false,
            leaf_ids: HashMap::new(),
            joints: Vec::new(),
            joint_coordinates: false,
            coordinates_at: Span::call_site(),
            hanging: BTreeMap::new(),
            waiting: Vec::new(),
            turned: HashSet::new(),
            gravity: None,
            weighed: false,
            said: HashMap::new(),
            work: Vec::new(),
            inside: Vec::new(),
        }
    }
}

/// A joint that was declared.
#[derive(Clone)]
pub(super) struct Joint {
    pub kind: &'static Kind,
    /// The scope of its own names, and the one it was declared in.
    pub inner: ScopeId,
    pub outer: ScopeId,
    pub loops: Vec<LoopId>,
    pub name: Ident,
    /// Its frames, as written.
    pub frames: [Expr; 2],
    /// Its coordinates that are driven.
    pub driven: BTreeSet<usize>,
    /// Whether in joint coordinates its own tell where a body is: the second (`true`) or the first.
    pub carries: Option<bool>,
    /// The statement.
    pub stmt: JointStmt,
}

impl Joint {
    /// Whether its turns are told by Euler parameters where it carries a body.
    pub(in crate::resolve) fn is_ball(&self) -> bool {
        self.kind.name == "spherical"
    }
}

/// A body whose parameters are declared.
#[derive(Clone)]
pub(super) struct Hanging {
    pub body: BodyStmt,
    /// The name of its component, one of the language's own.
    pub component: String,
    /// Its parameters that are given.
    pub given: Vec<String>,
    pub dimension: Dimension,
    /// The components around it.
    pub inside: Vec<(Option<BlockId>, String)>,
    /// Its other statements, where it has coordinates of its own.
    pub rest: Vec<Stmt>,
    /// Those over the arrays that it is in.
    pub loops: Vec<LoopId>,
}

/// A statement that waits for all joints to be declared.
pub(super) struct Waiting {
    pub stmt: Stmt,
    pub scope: ScopeId,
    pub loops: Vec<LoopId>,
}

/// An array, with its length where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub len: Option<usize>,
    /// Whether its entries are scalars for certain.
    pub(super) flat: bool,
}

impl Shape {
    /// A vector.
    pub(super) fn of(len: usize) -> Self {
        Shape { len: Some(len), flat: true }
    }

    /// A matrix.
    pub(super) fn rows(len: usize) -> Self {
        Shape { len: Some(len), flat: false }
    }
}

pub(super) const UNKNOWN: Shape = Shape { len: None, flat: false };
