//! The command line: what may be written, its help, and reading it.

mod command;
#[cfg(feature = "completions")]
mod completions;
pub(super) mod grammar;
mod manual;
mod options;
mod parse;
pub(super) mod program;
mod request;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub(super) use command::Command;
pub(super) use options::are_exclusive;
pub(super) use parse::{Asked, Described, Given, given, parse};
pub(super) use program::Refusal;
pub(super) use request::Request;
pub(super) use values::is_html;
