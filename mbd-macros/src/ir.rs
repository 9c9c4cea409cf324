//! The model between parsing and code: every name looked up, and for every statement exactly the
//! scalars it reads, through `let`s, arrays and `der(…)`. All later stages see only this.

use crate::ast::{ConstraintKind, EnergyKind, Kept, Seen};
use crate::link::Link;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};
use syn::Visibility;

/// A resolved mechanism.
pub struct Model {
    pub vis: Visibility,
    pub name: Ident,
    pub docs: Vec<String>,
    pub sizes: Vec<Size>,
    pub params: Vec<Param>,
    pub scalars: Vec<Scalar>,
    /// Coordinates that are components of one vector.
    pub vectors: Vec<Vec<ScalarId>>,
    /// Coordinates and rates of joints that cannot be given a start from outside, with the reason.
    pub no_starts: Vec<(String, String)>,
    pub constraints: Vec<Constraint>,
    pub loops: Vec<Loop>,
    pub leaves: Vec<Leaf>,
    pub lets: Vec<Let>,
    pub ders: Vec<Der>,
    pub entries: Vec<Entry>,
    pub wholes: Vec<Whole>,
    pub statements: Vec<Statement>,
    pub constants: Vec<Constant>,
    /// Functions of vectors that are called by name.
    pub functions: BTreeSet<String>,
    pub bodies: Vec<Body>,
    /// Rust names of public components.
    pub links: BTreeMap<String, Link>,
    /// Files that these draw, by the names of their statics.
    pub meshes: BTreeMap<String, syn::LitStr>,
    /// Indices of bodies may be checked in code, which then says of which statement they are: there are arrays of bodies
    /// inside arrays, or ones that loops declare.
    pub checks_bodies: bool,
}

/// A body of a built-in component, or an array of them, with its coordinates in their order.
pub struct Body {
    /// Its `mbd::model::BodyKind`.
    pub kind: &'static str,
    pub coords: Vec<ScalarId>,
}

/// A name in the spelling of a Rust constant, that is none of the model's.
pub struct Constant {
    pub name: Ident,
    /// The model's name that is spelt nearly so.
    pub nearest: Option<String>,
}

pub type SizeId = usize;
pub type ParamId = usize;
pub type ScalarId = usize;
pub type ConstraintId = usize;
pub type LoopId = usize;
pub type LeafId = usize;
pub type LetId = usize;
pub type DerId = usize;
pub type EntryId = usize;
pub type WholeId = usize;

/// A run-time size.
pub struct Size {
    /// Name as users see it: `n`, `chain.n`.
    pub text: String,
    /// Field of the struct: `n`, `chain_n`.
    pub name: Ident,
    pub docs: Vec<String>,
    /// Default, an i64 expression of earlier sizes.
    pub default: TokenStream,
    /// Given by who uses the component: no field, but that expression.
    pub given: bool,
}

/// Length of an array: an i64 expression of sizes.
#[derive(Clone)]
pub struct Len {
    pub tokens: TokenStream,
    /// Its value when it is written as a number; only then can the whole array be one operand.
    pub literal: Option<usize>,
}

/// Where a declared name lives inside arrays of bodies: names are `link[i].x`, `axle[i].wheel[j].x`.
#[derive(Clone)]
pub struct BodyArray {
    /// The texts before the indices, `axle` and `.wheel`, and the lengths of the arrays.
    pub texts: Vec<String>,
    pub lens: Vec<Len>,
    /// `.x`, the text after the last.
    pub after: String,
}

impl BodyArray {
    /// The name with something in the brackets.
    pub fn with(&self, mut index: impl FnMut(usize) -> String) -> String {
        let indexed = self.texts.iter().enumerate();
        let text: String = indexed.map(|(k, text)| format!("{text}[{}]", index(k))).collect();
        text + &self.after
    }

    /// Code of the name of an entry, of its place among all entries.
    pub fn name_of(&self, place: TokenStream) -> TokenStream {
        let format = self.with(|_| "{}".into());
        let length = |len: &Len| {
            let len = &len.tokens;
            quote!((::core::cmp::max(#len, 1i64) as ::core::primitive::usize))
        };
        let mut indices = Vec::new();
        let mut rest = place;
        for len in self.lens.iter().skip(1).rev().map(length) {
            indices.push(quote!((#rest) % #len));
            rest = quote!((#rest) / #len);
        }
        indices.push(rest);
        indices.reverse();
        quote!(::std::format!(#format, #(#indices),*))
    }
}

/// A parameter.
pub struct Param {
    /// Name as users see it: `r`, `k1.mass`.
    pub name: String,
    /// Field of the struct: `r`, `k1_mass`.
    pub field: Ident,
    /// The user's token.
    pub span: Span,
    pub docs: Vec<String>,
    pub unit: String,
    pub len: Option<Len>,
    pub body: Option<BodyArray>,
    pub default: DefaultValue,
}

/// Default of a parameter, f64 code over earlier sizes and parameters.
pub enum DefaultValue {
    Value(TokenStream),
    Fill(TokenStream),
    List(Vec<TokenStream>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    Coord,
    State,
    Variable,
    /// A discrete value.
    Mode,
    /// A signal from outside.
    Input,
    /// What a joint's coordinate or rate begins with: read by initial values alone.
    Start,
}

/// A coordinate, state or variable, or an array of them.
pub struct Scalar {
    pub kind: ScalarKind,
    pub name: String,
    /// Name of its typed id: `theta`, `k1_x`.
    pub ident: Ident,
    /// The user's token.
    pub span: Span,
    pub docs: Vec<String>,
    pub unit: String,
    pub len: Option<Len>,
    pub body: Option<BodyArray>,
    /// See [`Constraint::housekeeping`].
    pub housekeeping: bool,
    /// A discrete value that is true or false.
    pub logical: bool,
    /// Displacements of a joint in joint coordinates, which are zero: see `mbd_core::model::ModelBuilder::released`.
    pub held: bool,
    /// Displacements that are unknowns, since the motion depends on the joint's reaction.
    pub solved: bool,
    /// A coordinate of a massless node, which the balance of forces determines.
    pub balanced: bool,
    /// A number of the frame of a body that a joint in a loop carries: see `mbd_core::model::ModelBuilder::told`.
    pub told: bool,
    /// Of what a joint in loops declares: how it is numbered.
    pub passes: Option<Passes>,
}

/// How what stands in loops is numbered, in the order in which these are gone through.
#[derive(Clone)]
pub struct Passes {
    /// Passes of the `for` loops in one entry of the arrays of bodies around them, and which of these it is: i64 code.
    pub count: TokenStream,
    pub place: TokenStream,
    /// All passes, of all entries.
    pub all: TokenStream,
}

impl Scalar {
    /// Whether it is one of the unknowns: no number of a joint in joint coordinates that is zero, or follows from others.
    pub fn is_unknown(&self) -> bool {
        !self.held && !self.told
    }

    pub fn is_angle(&self) -> bool {
        matches!(self.unit.as_str(), "rad" | "deg")
    }

    /// Whether its entries are the components of a vector: an array of two to four, written as a number.
    pub fn is_vector(&self) -> bool {
        let len = self.len.as_ref().filter(|_| self.body.is_none()).and_then(|len| len.literal);
        self.kind == ScalarKind::Coord
            && self.is_unknown()
            && !self.solved
            && !self.is_angle()
            && matches!(len, Some(2..=4))
    }
}

/// A constraint statement's multipliers.
pub struct Constraint {
    pub kind: ConstraintKind,
    pub stated: bool,
    pub name: String,
    pub span: Span,
    pub rows: usize,
    /// The loops around it; its multipliers are an array when there are any.
    pub loops: Vec<LoopId>,
    /// There for the equations only, as the norm of Euler parameters.
    pub housekeeping: bool,
    /// Rows of a joint in joint coordinates, whose multipliers nobody solves for.
    pub held: bool,
    /// The displacements in these rows.
    pub displacements: Option<ScalarId>,
    /// What the sides differ by at the start they go on to differ by.
    pub from_start: bool,
}

/// `for var in start..end`.
pub struct Loop {
    pub var: Ident,
    /// i64 expressions of sizes and outer indices.
    pub start: TokenStream,
    pub end: TokenStream,
    pub inclusive: bool,
}

/// What a statement can read, as in the model's flat vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlotKind {
    T,
    Q,
    V,
    A,
    X,
    Xd,
    Lambda,
    Psi,
    W,
    /// A discrete value, which kernels take among the parameters.
    Mode,
    /// A signal from outside: kernels take the numbers of its course among the parameters, and time.
    Input,
    /// See [`ScalarKind::Start`].
    Start,
}

/// A scalar (or a whole array of known length) read by some statement.
pub struct Leaf {
    pub what: What,
    pub index: Index,
    /// The local it is bound to in kernels.
    pub local: String,
    /// As users write it: `der(theta)`, `x[i - 1]`.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Time,
    /// Q, V, A of a coordinate; X, Xd of a state; W of a variable.
    Slot(SlotKind, ScalarId),
    Multiplier(ConstraintId),
    Param(ParamId),
}

#[derive(Clone)]
pub enum Index {
    None,
    /// One entry, an i64 expression of loop indices and sizes.
    At(TokenStream),
    /// All entries.
    Whole(usize),
    /// Rows of one instance of a constraint: the instance, and one row or all.
    Row {
        instance: Option<TokenStream>,
        row: Option<TokenStream>,
    },
}

/// An expression whose names are resolved. `tokens` has two kinds of holes, filled by lowering:
/// the scalar type (`SCALAR`) and `der(…)` blocks (`DER_PREFIX` with the number of the block).
#[derive(Clone, Default)]
pub struct Code {
    pub tokens: TokenStream,
    pub reads: Vec<Read>,
    /// Part of it was in error: what it reads is not known in full.
    pub broken: bool,
}

/// Hole for the scalar type of the kernel, one `Rate` deeper inside each `der(…)`.
pub const SCALAR: &str = "__MbdScalar";
/// Hole for a `der(…)` block.
pub const DER_PREFIX: &str = "__mbd_der_";

#[derive(Clone, Copy)]
pub struct Read {
    pub what: ReadWhat,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReadWhat {
    Leaf(LeafId),
    Let(LetId),
    Der(DerId),
    Size(SizeId),
    /// An entry of an array that is no array of the model: no scalar, but an index to be checked.
    Entry(EntryId),
    /// A whole number that is none of the loop indices and sizes themselves.
    Whole(WholeId),
}

/// A `der(…)` block.
#[derive(Clone)]
pub struct Der {
    pub code: Code,
    /// Whether what it reads stands still in it: see `keyword::STILL_DER`.
    pub still: bool,
}

/// An index of an array that a `let` or a function returns: checked when the model is built.
pub struct Entry {
    /// As users write it.
    pub array: String,
    /// i64 code.
    pub index: TokenStream,
    pub len: usize,
}

/// A whole number that follows from loop indices and sizes: computed when the model is built.
pub struct Whole {
    /// i64 code.
    pub index: TokenStream,
    /// The local it is bound to in kernels.
    pub local: String,
}

/// A resolved `let`. They are numbered so that each comes after those it reads.
pub struct Let {
    pub name: String,
    pub local: String,
    pub code: Code,
}

/// Everything a kernel needs: direct reads and those through lets and `der`.
#[derive(Clone, Default)]
pub struct Needs {
    /// Each with the token of the statement through which it is read.
    pub leaves: BTreeMap<LeafId, Span>,
    pub lets: BTreeSet<LetId>,
    pub sizes: BTreeSet<SizeId>,
    pub entries: BTreeSet<EntryId>,
    pub wholes: BTreeSet<WholeId>,
    /// Inputs that stand in a `der(…)`, and in how many around each other at most.
    pub rated: BTreeMap<LeafId, usize>,
    /// See [`Code::broken`].
    pub broken: bool,
}

/// An expression to be evaluated on dual numbers: `rows` scalars.
pub struct Kernel {
    pub rows: usize,
    pub code: Code,
    pub needs: Needs,
}

/// An entry of a declared scalar, as the object of a statement.
#[derive(Clone)]
pub struct Target {
    pub scalar: ScalarId,
    /// i64 expression.
    pub index: Option<TokenStream>,
    pub span: Span,
}

/// A statement that becomes code.
pub struct Statement {
    /// As messages name it: `kinetic crank`.
    pub label: String,
    /// The user's name, or the label.
    pub name: String,
    pub span: Span,
    pub loops: Vec<LoopId>,
    /// What its comparisons are of, in the words of who wrote it.
    pub compares: Option<String>,
    pub kind: StatementKind,
}

pub enum StatementKind {
    Energy(EnergyKind, Kernel),
    Mass {
        row: Target,
        col: Target,
        kernel: Kernel,
    },
    Force {
        targets: Vec<Target>,
        kernel: Kernel,
    },
    Along {
        along: Kernel,
        force: Kernel,
    },
    /// A constraint that holds while a condition on discrete values does.
    Locked {
        id: ConstraintId,
        kernel: Kernel,
        condition: Kernel,
    },
    Constraint(ConstraintId, Kernel),
    Rate(Target, Kernel),
    Define(Target, Kernel),
    Equation(Kernel),
    Event {
        /// The condition as it is written.
        text: String,
        condition: Kernel,
        actions: Vec<EventAction>,
        /// Of what happens by the clock the period and the phase.
        every: Option<Kernel>,
        /// The constraint whose gap it closes.
        gap: Option<ConstraintId>,
    },
    /// What a discrete value begins with, and an input is unless it is fed.
    Mode(ScalarId, Kernel),
    Init {
        kept: bool,
        /// How many bodies it stands in: initial values of a component are its defaults.
        level: usize,
        target: Target,
        slot: SlotKind,
        kernel: Kernel,
    },
    /// Initial values by one kernel, of as many rows.
    Place {
        kept: Kept,
        level: usize,
        targets: Vec<(Target, SlotKind)>,
        kernel: Kernel,
        /// Whether it is the user's, who reads only what is set before, and sets nothing twice.
        checked: bool,
    },
    /// What errors of a coordinate or state are measured against.
    Scale {
        target: Target,
        slot: SlotKind,
        kernel: Kernel,
    },
    Output {
        ident: Ident,
        index: Option<TokenStream>,
        unit: String,
        docs: Vec<String>,
        kernel: Kernel,
        /// An output of several entries.
        vector: bool,
    },
    /// A shape with the numbers it is made of.
    Draw {
        /// Code of its `mbd::model::Shape`.
        shape: TokenStream,
        color: String,
        kernel: Kernel,
    },
    /// What a picture is told of a body or a joint. `entry`: code of the name of an array's body.
    Seen {
        what: Seen,
        kernel: Kernel,
        entry: Option<TokenStream>,
    },
    /// A joint of a loop tells the frame of a body: its numbers, their rates and second derivatives.
    Tells {
        targets: Vec<Target>,
        kernels: Box<[Kernel; 3]>,
    },
    Until(Kernel),
}

/// What an event does.
pub enum EventAction {
    /// Velocities, states and discrete values.
    Set {
        slot: SlotKind,
        target: Target,
        kernel: Kernel,
    },
    /// Impulses along positions, of a given size or by the law of restitution with its coefficients.
    Impulse {
        along: Kernel,
        restitution: bool,
        values: Kernel,
    },
    Stop {
        text: String,
    },
}

impl EventAction {
    pub fn kernels(&self) -> Vec<&Kernel> {
        match self {
            EventAction::Set { kernel, .. } => vec![kernel],
            EventAction::Impulse { along, values, .. } => vec![along, values],
            EventAction::Stop { .. } => Vec::new(),
        }
    }
}

impl StatementKind {
    /// The kernels with what they are.
    pub fn kernels(&self) -> Vec<&Kernel> {
        match self {
            StatementKind::Along { along, force } => vec![along, force],
            StatementKind::Tells { kernels, .. } => kernels.iter().collect(),
            StatementKind::Locked { kernel, condition, .. } => vec![kernel, condition],
            StatementKind::Event { condition, actions, every, .. } => {
                let others = actions.iter().flat_map(EventAction::kernels);
                std::iter::once(condition).chain(others).chain(every).collect()
            }
            StatementKind::Energy(_, kernel)
            | StatementKind::Mass { kernel, .. }
            | StatementKind::Force { kernel, .. }
            | StatementKind::Constraint(_, kernel)
            | StatementKind::Rate(_, kernel)
            | StatementKind::Mode(_, kernel)
            | StatementKind::Define(_, kernel)
            | StatementKind::Equation(kernel)
            | StatementKind::Init { kernel, .. }
            | StatementKind::Place { kernel, .. }
            | StatementKind::Scale { kernel, .. }
            | StatementKind::Output { kernel, .. }
            | StatementKind::Draw { kernel, .. }
            | StatementKind::Seen { kernel, .. }
            | StatementKind::Until(kernel) => vec![kernel],
        }
    }
}

impl StatementKind {
    /// What an initial value sets.
    pub fn initial_targets(&self) -> impl Iterator<Item = (SlotKind, ScalarId)> {
        self.initial_places().map(|(target, slot, _)| (slot, target.scalar))
    }

    /// The same with the entry, and how many bodies the statement stands in.
    pub fn initial_places(&self) -> impl Iterator<Item = (&Target, SlotKind, usize)> {
        let (one, several) = match self {
            StatementKind::Init { target, slot, level, .. } => {
                (Some((target, *slot, *level)), None)
            }
            StatementKind::Place { targets, level, .. } => (None, Some((targets, *level))),
            _ => (None, None),
        };
        let several = several.into_iter().flat_map(|(targets, level)| {
            targets.iter().map(move |(target, slot)| (target, *slot, level))
        });
        one.into_iter().chain(several)
    }

    /// Whether it is an initial value of the user's.
    pub fn is_stated_start(&self) -> bool {
        matches!(self, StatementKind::Init { .. } | StatementKind::Place { checked: true, .. })
    }
}

impl Model {
    /// The kind of slot a leaf is, `None` for a parameter or a discrete value.
    pub fn slot(&self, leaf: LeafId) -> Option<SlotKind> {
        match self.leaves[leaf].what {
            What::Time => Some(SlotKind::T),
            What::Slot(SlotKind::Mode | SlotKind::Input, _) | What::Param(_) => None,
            What::Slot(kind, _) => Some(kind),
            What::Multiplier(c) => Some(match self.constraints[c].kind {
                ConstraintKind::Holonomic => SlotKind::Lambda,
                ConstraintKind::Nonholonomic => SlotKind::Psi,
            }),
        }
    }

    /// Whether joints have reactions that are no multipliers of the equations, and outputs read some.
    pub fn reads_reactions(&self) -> bool {
        let outputs =
            self.statements.iter().filter(|s| matches!(s.kind, StatementKind::Output { .. }));
        let mut leaves = outputs.flat_map(|s| s.kind.kernels()).flat_map(|k| k.needs.leaves.keys());
        leaves.any(|&leaf| self.reaction(leaf).is_some())
    }

    /// Makes the reactions of joints on which the motion depends unknowns of the equations.
    pub fn solve_reactions(&mut self) {
        let moving = self.statements.iter().filter(|s| {
            !matches!(s.kind, StatementKind::Output { .. } | StatementKind::Seen { .. })
        });
        let kernels = moving.flat_map(|statement| statement.kind.kernels());
        let leaves = kernels.flat_map(|kernel| kernel.needs.leaves.keys());
        let read = leaves.filter_map(|&leaf| match self.leaves[leaf].what {
            What::Multiplier(id) => Some(id).filter(|&id| self.constraints[id].held),
            _ => None,
        });
        for id in read.collect::<BTreeSet<_>>() {
            let constraint = &mut self.constraints[id];
            constraint.held = false;
            if let Some(displacements) = constraint.displacements {
                let scalar = &mut self.scalars[displacements];
                (scalar.held, scalar.solved) = (false, true);
            }
        }
    }

    /// The constraint of which a leaf is such a reaction.
    pub fn reaction(&self, leaf: LeafId) -> Option<&Constraint> {
        match self.leaves[leaf].what {
            What::Multiplier(id) => Some(&self.constraints[id]).filter(|c| c.held),
            _ => None,
        }
    }

    /// The scalar of which a leaf is an input, if it is one.
    pub fn input(&self, leaf: LeafId) -> Option<ScalarId> {
        match self.leaves[leaf].what {
            What::Slot(SlotKind::Input, id) => Some(id),
            _ => None,
        }
    }

    /// Of what a joint holds in each pass of its loops, how many there are.
    pub fn rows(&self, id: ScalarId) -> usize {
        self.scalars[id].len.as_ref().and_then(|len| len.literal).unwrap_or(1)
    }

    /// Number of scalars a leaf stands for.
    pub fn width(&self, leaf: LeafId) -> Option<usize> {
        match (&self.leaves[leaf].index, self.leaves[leaf].what) {
            (Index::Whole(n), _) => Some(*n),
            (Index::Row { row: None, .. }, What::Multiplier(c)) if self.constraints[c].rows > 1 => {
                Some(self.constraints[c].rows)
            }
            (Index::Row { row: None, .. }, What::Slot(_, id)) => Some(self.rows(id)),
            _ => None,
        }
    }
}

/// Why dampers do not end at nodes.
pub const NODE_RATE: &str = "`NODE` is a coordinate of a massless node: forces that do not depend on its rate say where it is, and its rate is not an unknown of the model; give it a small mass (`PlanarMass`, `PointMass`), or let the damper end at a body";

/// What the time derivative of a scalar is, if it is one.
pub fn rate_of(what: What) -> Result<Option<What>, ()> {
    match what {
        What::Time
        | What::Param(_)
        | What::Slot(SlotKind::Mode | SlotKind::Input | SlotKind::Start, _) => Ok(None),
        What::Slot(SlotKind::Q, id) => Ok(Some(What::Slot(SlotKind::V, id))),
        What::Slot(SlotKind::V, id) => Ok(Some(What::Slot(SlotKind::A, id))),
        What::Slot(SlotKind::X, id) => Ok(Some(What::Slot(SlotKind::Xd, id))),
        _ => Err(()),
    }
}
