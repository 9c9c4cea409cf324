//! What a command line asks for.

use super::command::Command;
use super::values::{alone, is_html};
use crate::assembly::Derivatives;
use crate::compare::Work;
use std::path::PathBuf;

/// Runs of one picture, at most: as many as there are colours.
const MOST_RUNS: usize = 7;

/// A command with what it was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::cli) struct Request {
    pub(in crate::cli) command: Option<Command>,
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
    pub(in crate::cli) least_shares: bool,
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
    pub(in crate::cli) sweep: Option<(String, Vec<f64>)>,
    pub(in crate::cli) history: bool,
    pub(in crate::cli) tables: Vec<String>,
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

impl Request {
    /// What one option needs of others. Which exclude one another the table of options says.
    pub(super) fn check_combination(&self) -> Result<(), String> {
        let fail = |message: &str| Err(message.to_string());
        if !self.show.is_empty() && self.plot.is_none() && self.animate.is_none() {
            return fail(
                "--show says what --plot and --animate draw: give --plot FILE.svg or --animate FILE.html as well",
            );
        }
        if !self.beside.is_empty() && self.animate.is_none() && self.plot.is_none() {
            return fail(
                "--beside adds runs to an animation or a plot: give --animate FILE.html or --plot FILE.svg as well",
            );
        }
        let nowhere = self.plot.is_none() && self.animate.is_none() && !self.json;
        if self.sweep.is_some() && nowhere {
            return fail(
                "--sweep shows several runs: give --animate FILE.html, --plot FILE.svg or --json as well",
            );
        }
        if self.command == Some(Command::Plot) {
            if self.tables.is_empty() {
                return fail(
                    "say which runs to draw, by the tables that `simulate --out` wrote: plot run.csv",
                );
            }
            if self.plot.is_none() && self.animate.is_none() {
                return fail(
                    "say where to: --plot FILE.svg, --plot FILE.html or --animate FILE.html",
                );
            }
        }
        let swept = self.sweep.as_ref().map_or(1, |(_, values)| values.len());
        let swept = swept.max(self.tables.len());
        if swept + self.beside.len() > MOST_RUNS {
            return fail(&format!("a picture has up to {MOST_RUNS} runs: give fewer of them"));
        }
        if let Some(what) = self.animate.as_deref().and_then(alone) {
            if swept + self.beside.len() > 1 {
                return fail(&format!(
                    "{what} has one run: for more of them give --animate FILE.html"
                ));
            }
            if !self.show.is_empty() && self.plot.is_none() {
                return fail(&format!(
                    "{what} has no curves for --show: give --animate FILE.html, or --plot FILE.svg as well"
                ));
            }
        }
        if self.command == Some(Command::Compare) && self.plot.as_deref().is_some_and(is_html) {
            return fail("a comparison is drawn as SVG: give --plot FILE.svg");
        }
        Ok(())
    }
}
