//! What a command line asks for.

use super::command::Command;
use crate::assembly::Derivatives;
use crate::compare::Work;
use std::path::PathBuf;

/// A command with what it was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::cli) struct Request {
    pub(in crate::cli) command: Option<Command>,
    /// Print the help of `command`, or of the whole program.
    pub(in crate::cli) help: bool,
    pub(in crate::cli) set: Vec<(String, f64)>,
    pub(in crate::cli) init: Vec<(String, f64)>,
    pub(in crate::cli) input: Vec<(String, String)>,
    pub(in crate::cli) atol: Vec<(String, f64)>,
    pub(in crate::cli) method: Option<String>,
    pub(in crate::cli) rho: Option<f64>,
    pub(in crate::cli) alpha: Option<f64>,
    pub(in crate::cli) order: Option<usize>,
    pub(in crate::cli) positions_only: bool,
    pub(in crate::cli) independent: Vec<String>,
    pub(in crate::cli) no_adjust: bool,
    pub(in crate::cli) tol: Option<f64>,
    pub(in crate::cli) certify: bool,
    pub(in crate::cli) no_estimate: bool,
    pub(in crate::cli) no_events: bool,
    pub(in crate::cli) derivatives: Option<Derivatives>,
    pub(in crate::cli) step: Option<f64>,
    pub(in crate::cli) max_step: Option<f64>,
    pub(in crate::cli) max_steps: Option<usize>,
    pub(in crate::cli) t_end: Option<f64>,
    pub(in crate::cli) every: Option<f64>,
    pub(in crate::cli) out: Option<PathBuf>,
    pub(in crate::cli) plot: Option<PathBuf>,
    pub(in crate::cli) animate: Option<PathBuf>,
    pub(in crate::cli) beside: Vec<String>,
    pub(in crate::cli) checkpoint: Option<PathBuf>,
    pub(in crate::cli) resume: Option<PathBuf>,
    pub(in crate::cli) like: Option<PathBuf>,
    pub(in crate::cli) show: Vec<String>,
    pub(in crate::cli) json: bool,
    pub(in crate::cli) quiet: bool,
    pub(in crate::cli) check: bool,
    pub(in crate::cli) strict: bool,
    pub(in crate::cli) methods: Vec<String>,
    pub(in crate::cli) tols: Vec<f64>,
    pub(in crate::cli) steps: Vec<f64>,
    pub(in crate::cli) reference: Option<String>,
    pub(in crate::cli) reference_tol: Option<f64>,
    pub(in crate::cli) of: Vec<String>,
    pub(in crate::cli) against: Work,
}
