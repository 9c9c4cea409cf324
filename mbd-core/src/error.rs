//! The errors of a run, by phase; each says what, where, the likely cause and what to try.

use crate::linear::LinearError;
use crate::solution::{Chatter, OutputError, Solution};
use crate::start::{IndefiniteMass, StartError};
use crate::statement::ModelError;

/// Any error of this library.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or its parameters.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An option out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Assembly and consistent initial values.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A certified run that does not reach its tolerance.
    #[error(transparent)]
    Accuracy(#[from] AccuracyError),
    /// Linear algebra.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Reading or writing results.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A run that did not reach its end, with everything it computed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}{}", self.advice())]
pub struct RunError {
    /// Why.
    #[source]
    pub error: Error,
    /// What was computed until then; `None` when the run failed before its first point.
    pub partial: Option<Box<Solution>>,
    /// Of a failed step: the methods that were tried from the point reached and got past it. `None` when
    /// none was tried.
    pub passing: Option<Box<[&'static str]>>,
}

impl RunError {
    /// Which method gets past the place where the run failed; empty when none was tried.
    pub fn advice(&self) -> String {
        match self.passing.as_deref() {
            None => String::new(),
            Some([]) => {
                ". No other method that was tried gets past this point: the motion itself may end \
                         there"
                    .into()
            }
            Some(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let verb = if names.len() == 1 { "gets" } else { "get" };
                format!(". Tried from here, {} {verb} past this point", names.join(", "))
            }
        }
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

impl<E: Into<Error>> From<E> for RunError {
    fn from(error: E) -> Self {
        RunError { error: error.into(), partial: None, passing: None }
    }
}

/// A method or run option that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// A number outside its range.
    #[error("{name} = {value} is out of range: {range}")]
    OutOfRange {
        /// The option.
        name: &'static str,
        /// The value.
        value: f64,
        /// What is allowed, and what it means.
        range: &'static str,
    },
    /// A method name that is not one.
    #[error("there is no method `{name}`{}; `info` lists the methods", .suggestion.as_ref().map_or(String::new(), |s| format!(" (did you mean `{s}`?)")))]
    UnknownMethod {
        /// The name.
        name: String,
        /// The nearest.
        suggestion: Option<String>,
    },
    /// An option the method does not have.
    #[error("method `{method}` has no option {option}{hint}")]
    NotOfMethod {
        /// The method.
        method: &'static str,
        /// The option.
        option: &'static str,
        /// What to use instead.
        hint: &'static str,
    },
    /// A tolerance for a run that has none.
    #[error("{option} is a tolerance, and fixed steps have none; choose the steps by `tol`")]
    FixedStep {
        /// The option.
        option: &'static str,
    },
    /// A model the method cannot treat.
    #[error("method `{method}` cannot treat this model: `{statement}` {what}. `{alternative}` can")]
    NotForModel {
        /// The method.
        method: &'static str,
        /// The statement.
        statement: String,
        /// What is the matter with it.
        what: &'static str,
        /// A method that can.
        alternative: &'static str,
    },
    /// Independent coordinates that cannot be.
    #[error("independent coordinates: {why}")]
    Independent {
        /// Why not.
        why: String,
    },
    /// No coordinates are independent, as in a singular position.
    #[error(
        "no choice of independent coordinates was found: {why}, a singular position. Methods that choose none, as `radau5`, may start there"
    )]
    NoIndependent {
        /// What was tried.
        why: String,
    },
    /// A certified run that cannot be one.
    #[error("cannot certify the run: {why}")]
    Certify {
        /// Why.
        why: &'static str,
    },
    /// What should be a checkpoint is none.
    #[error("cannot resume: this is no checkpoint, {why}; begin the run anew")]
    NoCheckpoint {
        /// How that shows.
        why: String,
    },
    /// A checkpoint of a run that differs from this one.
    #[error(
        "cannot resume: the checkpoint is of a run with {what} {then}, this run has {now}; give the options of that run, or begin anew"
    )]
    OtherRun {
        /// What differs.
        what: String,
        /// Its value in the checkpoint.
        then: String,
        /// Its value now.
        now: String,
    },
    /// A name given to an option that the model does not have.
    #[error("{option}: `{name}` is not {what}{}", .suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
    UnknownName {
        /// The option.
        option: &'static str,
        /// The name.
        name: String,
        /// What it should have been.
        what: &'static str,
        /// The nearest.
        suggestion: Option<String>,
    },
}

/// A step that failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The equations of a fixed step, and of parts of it down to 1/1024, were not solved.
    #[error(
        "at t = {t:.6e} s {what}, for the fixed step and for parts of it down to h = {h:.3e} s; \
         the largest correction left is that of {worst} ({correction:.2e}, after {iterations} iterations). \
         Adaptive steps (--tol) choose smaller ones where it takes them"
    )]
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
        "at t = {t:.6e} s the step size collapsed to {h:.3e} s: {cause}. The motion has a jump or a singular position there, or the tolerance is beyond reach; worst: {worst}"
    )]
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
    /// Prescribed steps led out of all that the motion covered, again and again.
    #[error(
        "at t = {t:.6e} s the prescribed step h = {h:.3e} s does not resolve the motion: steps err, \
         by estimate, by more than all that `{worst}` had moved before, this one by {error:.1e} times that. The \
         motion may end there, running to infinity; if not, take shorter steps, or adaptive ones (--tol)"
    )]
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
        "at t = {t:.6e} s the prescribed step h = {h:.3e} s leads to another configuration: `{worst}` ends \
         {off:.1e} times its scale, or what it moves by, away from where its velocities lead. The equations \
         have several solutions, and the step is too long to tell which is meant: take shorter steps, or \
         adaptive ones (--tol)"
    )]
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
        "at t = {t:.6e} s `{what}` leaps by {by:.1e} in a step of {h:.1e} s, beyond what velocities and \
         accelerations change it by: constraints leave the motion several ways to go on there, as bars in line \
         do, and the method finds another than the one it is on"
    )]
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
        "at t = {t:.6e} s {what} is {value}{}", nonfinite(.statement, .reads)
    )]
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
        "at t = {t:.6e} s the Newton matrix is singular at {unknown}: the mechanism is at a singular position, or a constraint became redundant there"
    )]
    Singular {
        /// Time.
        t: f64,
        /// The row or column, by name.
        unknown: String,
    },
    /// The mass of a motion has vanished or turned negative.
    #[error(
        "at t = {t:.6e} s {cause}. The equations of motion have no solution that means anything from there on"
    )]
    Mass {
        /// Time.
        t: f64,
        /// The motion.
        cause: IndefiniteMass,
    },
    /// Constraints that were redundant are so no longer, and cannot be met.
    #[error("at t = {t:.6e} s: {cause}")]
    Constraints {
        /// Time.
        t: f64,
        /// What is wrong with them.
        #[source]
        cause: StartError,
    },
    /// The method cannot go on with the constraints that are independent now.
    #[error("at t = {t:.6e} s a constraint that was redundant is so no longer, and then {cause}")]
    NotContinued {
        /// Time.
        t: f64,
        /// Why not.
        #[source]
        cause: OptionError,
    },
    /// An event asks for what cannot be.
    #[error("at t = {t:.6e} s the event `{name}` {why}")]
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
        "at t = {t:.6e} s the event `{name}` happens ever sooner after itself: its times have a limit at \
         t = {limit:.9e} s, and what it brings together there stays together, which an event cannot say. End the \
         run before (`--t-end`, or `stop` in an event), or hold the contact by a force (`if gap < 0.0 {{ -k*gap }} \
         else {{ 0.0 }}`)"
    )]
    Accumulation {
        /// Time of the last.
        t: f64,
        /// Their limit, extrapolated from the last intervals.
        limit: f64,
        /// The event.
        name: String,
    },
    /// The impact of an event leaves its gap closed.
    #[error(
        "at t = {t:.6e} s the impact of the event `{name}` leaves its gap closed, and what is pressed together \
         stays together, which an event cannot say. End the run before (`--t-end`, or `stop` in an event), or hold \
         the contact by a force (`if gap < 0.0 {{ -k*gap }} else {{ 0.0 }}`)"
    )]
    Closed {
        /// Time.
        t: f64,
        /// The event.
        name: String,
    },
    /// More steps than allowed.
    #[error(
        "gave up at t = {t:.6e} s after {steps} steps; the last step was {h:.3e} s. {}",
        chatter.as_ref().map_or("Loosen the tolerance or allow more steps".into(), |chatter| {
            let told = chatter.to_string();
            told[..1].to_uppercase() + &told[1..]
        })
    )]
    TooManySteps {
        /// Time.
        t: f64,
        /// Steps taken.
        steps: usize,
        /// Last step size.
        h: f64,
        /// The comparison that took them, if one did.
        chatter: Option<Box<Chatter>>,
    },
}

/// A result less exact than it was to be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccuracyError {
    /// No run of a certified one had an estimated error below the tolerance.
    #[error(
        "an error of {tolerance:e} is not reached: {why}. The best of {runs} run{} has an estimated error of {reached:.1e}; a shorter run, a looser tolerance or `radau5` may do", if *.runs == 1 { "" } else { "s" }
    )]
    NotReached {
        /// The tolerance.
        tolerance: f64,
        /// The smallest estimate, of q, v and x relative to their scales.
        reached: f64,
        /// Runs taken.
        runs: usize,
        /// Why there was no other.
        why: String,
    },
}

/// The candidate nearest to `name` by edit distance, when near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1) + 1;
    candidates
        .into_iter()
        .map(|c| (edit_distance(name, c), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c.to_string())
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
