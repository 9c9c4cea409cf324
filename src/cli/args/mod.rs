//! The command line: what may be written, its help, and reading it.

mod command;
mod help;
mod options;
mod parse;
mod request;
#[cfg(test)]
mod tests;
mod values;

pub(super) use command::Command;
pub(super) use help::help;
pub(super) use parse::parse;
pub(super) use request::Request;
pub(super) use values::is_html;
