//! What was written: the statements of a block, names not yet looked up.

use proc_macro2::Span;
use syn::{Expr, Ident, Path, Visibility};

/// A whole `mechanism! { … }` block.
#[derive(Default)]
pub struct File {
    pub mechanisms: Vec<Mechanism>,
    pub components: Vec<Component>,
    pub uses: Vec<Use>,
}

/// `use vehicle::Wheel;`, `use vehicle::Wheel as Tyre;`
#[derive(Clone)]
pub struct Use {
    pub name: Ident,
    pub path: Path,
}

/// `pub mechanism Name { … }`
pub struct Mechanism {
    pub docs: Vec<String>,
    pub vis: Visibility,
    pub name: Ident,
    pub body: Vec<Stmt>,
}

/// `pub component Name { … }`
#[derive(Clone)]
pub struct Component {
    pub docs: Vec<String>,
    pub vis: Visibility,
    pub name: Ident,
    pub body: Vec<Stmt>,
}

/// One statement with its documentation.
#[derive(Clone)]
pub struct Stmt {
    pub docs: Vec<String>,
    /// `pub` before it: seen from outside the block of its component.
    pub public: bool,
    pub keyword: Ident,
    pub kind: StmtKind,
}

/// A name with optional brackets, and an optional unit: `x[n]: [m]`.
#[derive(Clone)]
pub struct Declared {
    pub name: Ident,
    pub index: Option<Expr>,
    pub unit: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnergyKind {
    Kinetic,
    Potential,
    Dissipation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    Holonomic,
    Nonholonomic,
}

/// What a force acts on.
#[derive(Clone)]
pub enum Acting {
    /// `along s`
    Along(Expr),
    /// `[q1, q2]`
    On(Vec<Expr>),
    /// `on body at point`
    Body { body: Expr, at: Option<Expr> },
    /// A torque, `on body`.
    Turning { body: Expr },
}

#[derive(Clone)]
pub struct ConstraintStmt {
    pub kind: ConstraintKind,
    pub stated: bool,
    pub name: Ident,
    /// `[2]` after the name.
    pub rows: Option<Expr>,
    pub left: Expr,
    pub right: Option<Expr>,
    pub holds: Holds,
}

/// When a constraint holds.
#[derive(Clone)]
pub enum Holds {
    Always,
    /// `while condition`, of discrete values.
    While(Expr),
    /// `from start`: what the sides differ by there they go on to differ by.
    FromStart,
    /// `unilateral`: the left side never becomes negative; with the law of its impacts, if it is stated, and what slides
    /// in them, if friction acts.
    Unilateral {
        law: Option<Expr>,
        slide: Option<Box<Expr>>,
    },
}

#[derive(Clone)]
pub struct EventStmt {
    pub name: Ident,
    pub when: When,
    pub actions: Vec<Happening>,
}

/// When an event happens.
#[derive(Clone)]
pub enum When {
    /// `when condition`
    True(Box<Expr>),
    /// `every period from start`
    Every { period: Box<Expr>, phase: Option<Box<Expr>> },
}

/// What an event does.
#[derive(Clone)]
pub enum Happening {
    /// `target = value;`
    Set { target: Expr, value: Expr },
    /// `impulse along s = value;`
    Impulse { along: Expr, value: Expr },
    /// `stop "text";`
    Stop { text: String },
}

#[derive(Clone)]
pub struct ForStmt {
    pub var: Ident,
    pub start: Expr,
    pub end: Expr,
    pub inclusive: bool,
    pub body: Vec<Stmt>,
}

#[derive(Clone)]
pub struct BodyStmt {
    pub name: Ident,
    pub len: Option<Expr>,
    /// The index of the loop that it stands in, and where that begins: what the body is given may read it.
    pub pass: Option<(Ident, Expr)>,
    /// A component of the block or of the language, or the path of one of another block.
    pub component: Path,
    pub overrides: Vec<(Ident, Expr)>,
}

/// `joint hinge: revolute(chassis.at(p, axis), arm.at(q, axis));`
#[derive(Clone)]
pub struct JointStmt {
    pub name: Ident,
    /// `planar` or `spatial` before the kind.
    pub dimension: Option<Ident>,
    pub kind: Ident,
    pub args: Vec<Expr>,
}

/// A colour as written.
#[derive(Clone)]
pub struct Color {
    pub text: String,
    pub span: Span,
}

#[derive(Clone)]
pub enum StmtKind {
    Size {
        name: Ident,
        value: Expr,
    },
    Param {
        declared: Declared,
        value: Expr,
    },
    Coord(Declared),
    State(Declared),
    Variable {
        declared: Declared,
        value: Option<Expr>,
    },
    Let {
        name: Ident,
        value: Expr,
    },
    Energy {
        kind: EnergyKind,
        name: Option<Ident>,
        value: Expr,
    },
    Mass {
        row: Expr,
        col: Expr,
        value: Expr,
    },
    Force {
        name: Option<Ident>,
        acting: Acting,
        value: Expr,
    },
    Constraint(ConstraintStmt),
    Event(EventStmt),
    Mode {
        declared: Declared,
        value: Expr,
    },
    Input {
        declared: Declared,
        value: Expr,
    },
    Rate {
        target: Expr,
        value: Expr,
    },
    Equation {
        name: Option<Ident>,
        left: Expr,
        right: Expr,
    },
    Init {
        kept: bool,
        target: Expr,
        value: Expr,
    },
    Scale {
        target: Expr,
        value: Expr,
    },
    Output {
        declared: Declared,
        value: Expr,
    },
    Until {
        value: Expr,
    },
    Draw {
        name: Ident,
        shape: Ident,
        arguments: Vec<Expr>,
        color: Option<Color>,
    },
    /// What a picture is told in joint coordinates, of the scope it stands in; nobody writes it.
    Seen {
        what: Seen,
        rows: usize,
        value: Expr,
    },
    /// A joint of a loop tells the frame of a body, by so many numbers; nobody writes it.
    Tells {
        body: Expr,
        rows: usize,
    },
    For(ForStmt),
    Component(Component),
    Body(BodyStmt),
    /// `connector chassis: SpatialBody;`, a body that is given by who uses the component.
    Connector {
        name: Ident,
        component: Path,
    },
    Joint(JointStmt),
    Drive {
        target: Expr,
        value: Expr,
    },
    /// `limit hinge.angle in -0.5..1.2;` with the law of its impacts, if it is stated.
    Limit {
        target: Expr,
        from: Option<Expr>,
        to: Option<Expr>,
        law: Option<Expr>,
    },
    /// `friction hinge.angle = kinetic;` with what it takes to break away, if it is stated.
    Friction {
        target: Expr,
        value: Expr,
        breakaway: Option<Expr>,
    },
    Gravity {
        value: Expr,
    },
    /// By what bodies are told: `joint` for the coordinates of joints.
    Coordinates {
        joint: bool,
    },
    /// Initial values that a joint gives a body; not written by users.
    Place(Placing),
}

/// Whether initial values are kept.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Never.
    pub never: bool,
    /// Else where all of these have been given from outside, by their names as starts.
    pub given: Vec<String>,
    /// The starts of the joint that hangs the body: where one is given, it is kept or refused.
    pub own: Vec<String>,
    /// The body.
    pub body: String,
}

impl From<bool> for Kept {
    fn from(kept: bool) -> Self {
        Kept { never: !kept, ..Kept::default() }
    }
}

/// Several initial values by one expression of as many rows.
#[derive(Clone)]
pub struct Placing {
    pub name: String,
    pub kept: Kept,
    /// `x`, or `der(x)`.
    pub targets: Vec<Expr>,
    pub value: Expr,
    /// Where the value's names are looked up, if not where the statement stands.
    pub scope: usize,
}

impl Stmt {
    pub fn span(&self) -> Span {
        self.keyword.span()
    }
}

/// A coordinate of a joint: what can be read, started and driven.
#[derive(Debug, PartialEq, Eq)]
pub struct Coordinate {
    pub name: &'static str,
    pub unit: &'static str,
    /// The name of its rate.
    pub rate: &'static str,
    /// What its drive's multiplier is called.
    pub load: &'static str,
    /// The cosine and sine of an angle that is known up to full turns only.
    pub turn: Option<&'static str>,
    /// Its value up to full turns.
    pub wrapped: &'static str,
}

/// What a picture, or a summary, cannot find out by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Where a body is that a joint carries, by its `mbd::model::BodyKind`.
    Body(&'static str),
    /// What a joint exerts; whether it carries a body.
    Joint(bool),
    /// Where a joint is: coordinates, each with its rate.
    Coordinates(&'static [Coordinate]),
}
