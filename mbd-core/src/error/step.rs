//! Why a step failed.

use super::option::OptionError;
use crate::digits::{instant, instant_to};
use crate::start::{IndefiniteMass, StartError};

/// A step that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The equations of a fixed step, and of parts of it down to 1/1024, were not solved.
    #[error(
        "at t = {at} s {what}, for the fixed step and for parts of it down to h = {h:.3e} s; \
         the largest correction left is that of {worst} ({correction:.2e}, after {iterations} iterations). \
         Adaptive steps (--tol) choose smaller ones where it takes them", at = instant(.t))]
    NewtonDiverged {
        /// Start of the step.
        t: f64,
        /// Step size.
        h: f64,
        /// What did not succeed.
        what: &'static str,
        /// Iterations.
        iterations: usize,
        /// Unknown with the largest correction, by name.
        worst: String,
        /// Its correction.
        correction: f64,
    },
    /// The step size fell below the smallest sensible one.
    #[error(
        "at t = {at} s the step size collapsed to {h:.3e} s: {cause}. The motion has a jump or a singular position there, or the tolerance is beyond reach; worst: {worst}", at = instant(.t))]
    StepSizeCollapsed {
        /// Time.
        t: f64,
        /// Step size.
        h: f64,
        /// What kept failing.
        cause: String,
        /// The scalar with the largest error or correction.
        worst: String,
    },
    /// An input is fed with what is no number.
    #[error(
        "at t = {at} s the input `{input}` is {value}: what it is fed with is no finite number there", at = instant(.t))]
    Input {
        /// Time.
        t: f64,
        /// The input.
        input: String,
        /// Its value.
        value: f64,
    },
    /// Prescribed steps led out of all that the motion covered, again and again.
    #[error(
        "at t = {at} s the prescribed step h = {h:.3e} s does not resolve the motion: steps err, \
         by estimate, by more than all that `{worst}` had moved before, this one by {error:.1e} times that. The \
         motion may end there, running to infinity; if not, take shorter steps, or adaptive ones (--tol)", at = instant(.t))]
    Unresolved {
        /// End of the step.
        t: f64,
        /// Step size.
        h: f64,
        /// The coordinate or state with the largest error.
        worst: String,
        /// Its error over what it had moved.
        error: f64,
    },
    /// A prescribed step has ended in another configuration than the one the motion was in.
    #[error(
        "at t = {at} s the prescribed step h = {h:.3e} s leads to another configuration: `{worst}` ends \
         {off:.1e} times its scale, or what it moves by, away from where its velocities lead. The equations \
         have several solutions, and the step is too long to tell which is meant: take shorter steps, or \
         adaptive ones (--tol)", at = instant(.t))]
    Elsewhere {
        /// End of the step.
        t: f64,
        /// Step size.
        h: f64,
        /// The coordinate that is farthest off.
        worst: String,
        /// How far, over its scale or what it moves by.
        off: f64,
    },
    /// A coordinate that constraints determine, or its velocity, leaps however short the step is.
    #[error(
        "at t = {at} s `{what}` leaps by {by:.1e} in a step of {h:.1e} s, beyond what velocities and \
         accelerations change it by: constraints leave the motion several ways to go on there, as bars in line \
         do, and the method finds another than the one it is on", at = instant(.t))]
    Leapt {
        /// Beginning of the step.
        t: f64,
        /// Step size.
        h: f64,
        /// The coordinate or velocity.
        what: String,
        /// What it changes by beyond that, in its unit.
        by: f64,
    },
    /// A force law or constraint gave NaN or infinity.
    #[error(
        "at t = {at} s {what} is {value}{}", nonfinite(.statement, .reads), at = instant(.t))]
    NotFinite {
        /// Time.
        t: f64,
        /// Which row, by name.
        what: String,
        /// The value.
        value: f64,
        /// The statement it came from; empty when every statement has a value there, and a derivative has
        /// none.
        statement: String,
        /// The scalars the statement reads, with values; empty when not known.
        reads: String,
    },
    /// The Newton matrix is singular.
    #[error(
        "at t = {at} s the Newton matrix is singular at {unknown}: the mechanism is at a singular position, or a constraint became redundant there", at = instant(.t))]
    Singular {
        /// Time.
        t: f64,
        /// The row or column, by name.
        unknown: String,
    },
    /// The mass of a motion has vanished or turned negative.
    #[error(
        "at t = {at} s {cause}. The equations of motion have no solution that means anything from there on", at = instant(.t))]
    Mass {
        /// Time.
        t: f64,
        /// The motion.
        cause: IndefiniteMass,
    },
    /// Constraints that were redundant are so no longer, and cannot be met.
    #[error("at t = {at} s: {cause}", at = instant(.t))]
    Constraints {
        /// Time.
        t: f64,
        /// What is wrong with them.
        #[source]
        cause: StartError,
    },
    /// The method cannot go on with the constraints that are independent now.
    #[error("at t = {at} s a constraint that was redundant is so no longer, and then {cause}", at = instant(.t))]
    NotContinued {
        /// Time.
        t: f64,
        /// Why not.
        #[source]
        cause: OptionError,
    },
    /// An event asks for what cannot be.
    #[error("at t = {at} s the event `{name}` {why}", at = instant(.t))]
    Event {
        /// Time.
        t: f64,
        /// The event.
        name: String,
        /// What it asks for.
        why: &'static str,
    },
    /// Events follow each other ever faster, and have a limit.
    #[error(
        "at t = {at} s the event `{name}` happens ever sooner after itself: its times have a limit at \
         t = {end} s, and what it brings together there stays together, which an event cannot say. End the \
         run before (`--t-end`, or `stop` in an event), or hold the contact by a force (`if gap < 0.0 {{ -k*gap }} \
         else {{ 0.0 }}`)", end = instant_to(.limit, 9), at = instant(.t))]
    Accumulation {
        /// Time of the last.
        t: f64,
        /// Their limit, extrapolated from the last intervals.
        limit: f64,
        /// The event.
        name: String,
    },
    /// A constraint that comes with a discrete value does not meet the position at which it comes.
    #[error(
        "at t = {at} s the constraint `{name}` is to hold from now on, and is violated by {off:.3e} there: a \
         constraint holds from where it is met. Let the event that switches it on happen there (`event … when left == \
         right && …`)", at = instant(.t))]
    Latch {
        /// Time.
        t: f64,
        /// The constraint.
        name: String,
        /// What is left of it, in its unit.
        off: f64,
    },
    /// An event sets a mode that a constraint reads which holds before and after it, and moves it off where it is met.
    #[error(
        "at t = {at} s the event `{event}` sets a mode that the constraint `{name}` reads, which holds on and is not met any \
         more: let the mode change while the constraint is off, or by the event that switches it on", at = instant(.t))]
    Moved {
        /// Time.
        t: f64,
        /// The constraint.
        name: String,
        /// The event, or the events that set modes then.
        event: String,
    },
    /// A constraint prescribes another position from an instant on.
    #[error(
        "at t = {at} s the constraint `{name}` prescribes another position from one instant to the next, {by:.3e} away, and \
         no motion follows a position that jumps. Let it change over some time (`smooth_step`), or state two constraints \
         that hold `while` a mode says so, each switched on where it is met", at = instant(.t))]
    Displaced {
        /// Time.
        t: f64,
        /// The constraint row.
        name: String,
        /// How far, in its unit.
        by: f64,
    },
    /// The impact of an event leaves its gap closed.
    #[error(
        "at t = {at} s the impact of the event `{name}` leaves its gap closed, and what is pressed together \
         stays together, which an event cannot say. End the run before (`--t-end`, or `stop` in an event), or hold \
         the contact by a force (`if gap < 0.0 {{ -k*gap }} else {{ 0.0 }}`)", at = instant(.t))]
    Closed {
        /// Time.
        t: f64,
        /// The event.
        name: String,
    },
    /// More steps than allowed.
    #[error(
        "gave up at t = {at} s after {steps} steps; the last step was {h:.3e} s. {}",
        match (chatter, struggle, unresolved) {
            (Some(chatter), ..) => sentence(&chatter.to_string()),
            (None, Some(struggle), _) => sentence(&struggle.to_string()),
            (None, None, Some(unresolved)) => sentence(&unresolved.to_string()),
            (None, None, None) => "Loosen the tolerance or allow more steps".into(),
        }, at = instant(.t))]
    TooManySteps {
        /// Time.
        t: f64,
        /// Steps taken.
        steps: usize,
        /// Last step size.
        h: f64,
        /// The comparison that took them, if one did.
        chatter: Option<Box<Chatter>>,
        /// What made the steps short, if no comparison did.
        struggle: Option<Box<Struggle>>,
        /// What no step can be as exact as it is held to, if neither.
        unresolved: Option<Box<Unresolved>>,
    },
}

/// With a capital.
fn sentence(text: &str) -> String {
    text[..1].to_uppercase() + &text[1..]
}

/// Attempted steps that failed so often that they made the run long.
#[derive(Clone, Debug, PartialEq)]
pub struct Struggle {
    /// The first and the last of them, in s.
    pub times: [f64; 2],
    /// How many, of how many steps.
    pub attempts: usize,
    /// Steps taken.
    pub steps: usize,
    /// The unknown at which most of them failed.
    pub worst: String,
    /// Statements that compare where no program can be made of it, by name.
    pub plain: Vec<String>,
}

impl std::fmt::Display for Struggle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Struggle { times: [from, to], attempts, steps, worst, plain } = self;
        write!(
            f,
            "between t = {} s and {} s {attempts} attempts at a step failed beside {steps} steps taken, \
             most of them by `{worst}`: the forces on it change faster than steps can follow, ",
            instant(from),
            instant(to)
        )?;
        let names: Vec<String> = plain.iter().map(|name| format!("`{name}`")).collect();
        match names.is_empty() {
            true => f.write_str(
                "as where one jumps that no comparison states, v/norm(v) at rest, or is that stiff",
            ),
            false => write!(
                f,
                "as where one jumps or is that stiff. What {} compares runs on dual numbers, where no step can end at a jump \
                 and nothing sticks: write it as an `if` whose branches are values, `let f = if v < 0.0 {{ 3.0 }} else \
                 {{ -3.0 }};`, in place of one that assigns, returns from a loop or matches",
                names.join(", ")
            ),
        }
    }
}

/// A coordinate or state whose errors are held to less than its value can be stored to: steps cannot grow, since rounding alone
/// makes larger errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Unresolved {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What errors of a step are held to, in its unit.
    pub held: f64,
    /// The rounding of its value, in its unit.
    pub rounding: f64,
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Unresolved { name, unit, held, rounding } = self;
        write!(
            f,
            "errors of `{name}` are held to {held:.0e} {unit}, but its value is stored to {rounding:.0e} {unit}: what \
             the model tells of how far it moves is too little. State it, as by `scale {name} = …` in the model or \
             `--atol {name}={:.0e}`",
            RESOLVED * rounding
        )
    }
}

/// Roundings that steps resolve well.
const RESOLVED: f64 = 1e3;

/// A comparison that the motion crosses back and forth, step after step.
#[derive(Clone, Debug, PartialEq)]
pub struct Chatter {
    /// Since when, in s.
    pub t: f64,
    /// How often, at least.
    pub changes: usize,
    /// The statement that compares.
    pub name: String,
    /// What it compares, as `v > 0`.
    pub condition: String,
}

impl std::fmt::Display for Chatter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Chatter { t, changes, name, condition } = self;
        write!(
            f,
            "from t = {} s on `{condition}` in `{name}` changed back and forth {changes} times: from either \
             side the motion leads back to the boundary, as in friction that sticks, and steps are as short \
             as that takes. With `smooth_step` over a small range in place of the comparison they are not",
            instant(t)
        )
    }
}

/// What is said of a statement without a value.
fn nonfinite(statement: &str, reads: &str) -> String {
    if statement.is_empty() {
        return ", although every statement has a value there: a derivative has none (a square root, a \
                norm or a distance at zero, a power below 1 of zero?)"
            .into();
    }
    format!(
        ": look at `{statement}`{reads} (a square root or logarithm of a negative number, a division by \
         zero, a power of zero?)"
    )
}
