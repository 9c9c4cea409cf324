//! A run that failed.

use super::run::Solution;
use crate::error::Error;

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

impl<E: Into<Error>> From<E> for RunError {
    fn from(error: E) -> Self {
        RunError { error: error.into(), partial: None, passing: None }
    }
}
