//! Errors of a model as written or parameterized.

use crate::equation::SlotKind;

/// A model that cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A parameter name that is not one.
    #[error("`{model}` has no parameter `{name}`{}", near_or_listed(.suggestion))]
    UnknownParameter {
        /// The model.
        model: String,
        /// The name given.
        name: String,
        /// The nearest existing name.
        suggestion: Option<String>,
    },
    /// A value a parameter or size cannot take.
    #[error("parameter `{name}` cannot be {value}: {reason}")]
    BadValue {
        /// The parameter.
        name: String,
        /// The value.
        value: f64,
        /// Why not.
        reason: String,
    },
    /// A whole number that follows from sizes, which cannot be: a length, an index.
    #[error("{what} cannot be {value}: {reason}")]
    BadWhole {
        /// What it is.
        what: String,
        /// Its value.
        value: i64,
        /// Why not.
        reason: String,
    },
    /// An initial value that is read before it is set.
    #[error(
        "`{statement}` reads `{name}`, which has no initial value yet at this point; write its `init` or `guess` first"
    )]
    NotSetYet {
        /// The statement.
        statement: String,
        /// What it reads, as it is written.
        name: String,
    },
    /// An index beyond an array.
    #[error("`{statement}`: index {index} is out of range for `{array}`, which has {len} entries (0 to {last}); check the bounds of the loop", last = .len.saturating_sub(1))]
    IndexOutOfRange {
        /// The statement.
        statement: String,
        /// The array.
        array: String,
        /// The index.
        index: i64,
        /// The length.
        len: usize,
    },
    /// A coordinate that cannot be a component of a vector.
    #[error("coordinate `{coordinate}` cannot be a component of a vector: {reason}")]
    Vector {
        /// The coordinate.
        coordinate: String,
        /// Why not.
        reason: String,
    },
    /// A file of a `draw` statement's mesh that has no triangles to show.
    #[error("`draw {statement}`: the file `{file}` {reason}")]
    Mesh {
        /// The statement.
        statement: String,
        /// The file, as the model names it.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A parameter array of the wrong length.
    #[error("parameter array `{name}` has {len} entries where the sizes ask for {expected}")]
    WrongLength {
        /// The array.
        name: String,
        /// Its length.
        len: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A hand-written element that reads a scalar that is not there.
    #[error("`{statement}` reads {kind:?}[{index}], but there are {len}")]
    SlotOutOfRange {
        /// The statement.
        statement: String,
        /// The kind of scalar.
        kind: SlotKind,
        /// Its index.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// A hand-written element that reads a parameter that is not there.
    #[error("`{statement}` reads parameter {index}, but there are {len}")]
    ParamOutOfRange {
        /// The statement.
        statement: String,
        /// The index.
        index: usize,
        /// How many there are.
        len: usize,
    },
    /// A state with no equation or more than one.
    #[error("{states} states but {equations} state equations: each state needs one `der(x) = …` or one `equation`{}", list(.missing))]
    StateEquations {
        /// Number of states.
        states: usize,
        /// Number of equations.
        equations: usize,
        /// States without a rate of their own.
        missing: Vec<String>,
    },
    /// A variable with no definition or more than one.
    #[error("variable `{name}` has {count} definitions; it needs exactly one")]
    VariableDefinitions {
        /// The variable.
        name: String,
        /// Its definitions.
        count: usize,
    },
    /// A massless node that nothing holds.
    #[error(
        "no force acts along `{name}`, and nothing says where this node is: join it to bodies, as by `force spring along distance(…) = …;`"
    )]
    FreeNode {
        /// Its coordinate.
        name: String,
    },
    /// A force along a variable that is no coordinate of a node.
    #[error(
        "`{force}` acts along an expression of the variable `{name}`, which has a definition; forces act along coordinates and along those of massless nodes"
    )]
    ForceOnVariable {
        /// The force.
        force: String,
        /// The variable.
        name: String,
    },
    /// A body of an array that two joints tell, in joint coordinates.
    #[error(
        "in joint coordinates `{body}` is told by `{}` and by `{}`; let the loops of one of them leave it out: a joint that closes a loop stands by itself", .joints[0], .joints[1]
    )]
    ToldTwice {
        /// The body.
        body: String,
        /// The joints.
        joints: [String; 2],
    },
    /// A body of an array that no joint tells, in joint coordinates.
    #[error(
        "in joint coordinates no joint tells where `{body}` is, as joints do of other bodies of its array; join it to one of these or to the ground, or write `coordinates absolute;`"
    )]
    NotTold {
        /// The body.
        body: String,
    },
    /// Bodies of arrays that are told by each other, in joint coordinates.
    #[error(
        "in joint coordinates `{joint}` tells where `{body}` is by a body that hangs on `{body}` itself; join one of the bodies of this circle to the ground, or write `coordinates absolute;`"
    )]
    ToldInCircle {
        /// A body of the circle.
        body: String,
        /// The joint that tells it.
        joint: String,
    },
    /// A start of a joint that assembly may move.
    #[error(
        "the start of `{name}` cannot be kept: assembly may move `{body}`, which `{joint}` places; give all coordinates (all rates) of the joints from there to the ground, or state them with `init` in the model"
    )]
    StartNotKept {
        /// The coordinate or rate.
        name: String,
        /// The joint.
        joint: String,
        /// The body that it places.
        body: String,
    },
    /// A coordinate without inertia.
    #[error(
        "coordinate `{name}` has no inertia: no kinetic energy or mass entry involves der({name})"
    )]
    NoInertia {
        /// The coordinate.
        name: String,
    },
    /// Two things of one name.
    #[error("the name `{name}` is used twice")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// An initial value stated twice.
    #[error(
        "`{second}` sets the initial value of `{name}`, which `{first}` sets already; state it once"
    )]
    SetTwice {
        /// The coordinate, state or variable.
        name: String,
        /// The statement that set it first.
        first: String,
        /// The one that sets it again.
        second: String,
    },
    /// A number that is not finite where one is needed.
    #[error("{what} of `{name}` is {value}; it must be a finite number")]
    NotFinite {
        /// What is wrong: "initial value", "parameter".
        what: &'static str,
        /// Whose.
        name: String,
        /// The value.
        value: f64,
    },
    /// A stated scale that is none.
    #[error(
        "the scale of `{name}` is {value}; it must be a positive number, in the unit of `{name}`"
    )]
    BadScale {
        /// The coordinate or state.
        name: String,
        /// The value.
        value: f64,
    },
    /// Reactions in joint coordinates that cannot be told.
    #[error(
        "the reactions of joints of `{model}` cannot be told in joint coordinates, because what is compared in a statement depends on what its joints hold; write `coordinates absolute;`"
    )]
    Released {
        /// The model.
        model: String,
    },
    /// A gap of a `unilateral` constraint along which no force could hold a motion.
    #[error(
        "the gap of `unilateral {name}` has a kink where what it compares is equal, as of `min` or `abs`: a motion along it would have to jump there. In place of `min(a, b)` state two, `unilateral` of a and of b, which hold together; round any other kink, as by `smooth_step`"
    )]
    Kink {
        /// The constraint.
        name: String,
    },
    /// A model the macro rejected; it compiles only beside its error messages.
    #[error("`{model}` was not built because its `mechanism!` block has errors")]
    Rejected {
        /// The model.
        model: String,
    },
}

fn near_or_listed(suggestion: &Option<String>) -> String {
    let near = suggestion.as_ref().map(|s| format!("; did you mean `{s}`?"));
    near.unwrap_or_else(|| "; `info` lists those that there are".into())
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!(" (without a rate: {})", names.join(", "))
    }
}
