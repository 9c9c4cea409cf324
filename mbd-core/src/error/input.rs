//! Why an input cannot be fed.

use crate::signal::Need;

/// A signal that an input cannot be fed with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A value that is no number.
    #[error("input `{input}` is {value} at t = {t} s, which is no finite number")]
    NotFinite {
        /// The input.
        input: Box<str>,
        /// Its value.
        value: f64,
        /// When, in s.
        t: f64,
    },
    /// A table that does not cover the run.
    #[error(
        "input `{input}`: its table is known from t = {} s to {} s, and the run is from {} s to {} s; give it \
         rows for all of the run, or have its ends held beyond them (`held`, `Signal::held_beyond`)",
        known[0], known[1], needed[0], needed[1]
    )]
    Range {
        /// The input.
        input: Box<str>,
        /// The times of its first and last row in s.
        known: [f64; 2],
        /// The times of the run in s.
        needed: [f64; 2],
    },
    /// A statement needs time derivatives, or continuity, that the signal has not.
    #[error("input `{input}` is {is}, but `{statement}` {}: {mend}", need.in_words())]
    NotSmooth {
        /// The input.
        input: Box<str>,
        /// What it is fed with.
        is: &'static str,
        /// The statement that needs more.
        statement: Box<str>,
        /// What it needs.
        need: Need,
        /// What would do.
        mend: &'static str,
    },
    /// An input that is fed with a function or a spline, and set from step to step besides.
    #[error(
        "input `{input}` is fed with a function or a spline, and cannot be set besides: leave it out of \
         `Simulation::input`"
    )]
    Fed {
        /// The input.
        input: Box<str>,
    },
}
