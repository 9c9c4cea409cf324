//! Options that cannot be.

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
    /// A method from outside the library that contradicts itself.
    #[error("method `{method}` cannot be used: {why}")]
    NoMethod {
        /// The method.
        method: &'static str,
        /// What is wrong with it.
        why: String,
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
    /// An option of runs that go to their end by themselves, for one that is led from outside.
    #[error(
        "a stepper is led from outside: `{option}` is of runs by `Simulation::run`; leave it out, {instead}"
    )]
    NotForStepper {
        /// The option.
        option: &'static str,
        /// What there is in its place.
        instead: &'static str,
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
    /// A coordinate or rate of a joint that cannot be given a start.
    #[error("init: `{name}` cannot be started: {reason}")]
    NoStart {
        /// The coordinate or rate.
        name: String,
        /// Why not.
        reason: String,
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
