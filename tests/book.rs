//! The book, the README and the other pages: every link leads somewhere, every chapter is in the summary, and
//! every command does what its chapter says.

#![cfg(feature = "cli")]

#[path = "book/commands.rs"]
mod commands;
#[path = "support/crates.rs"]
mod crates;
#[path = "book/figures.rs"]
mod figures;
#[path = "book/links.rs"]
mod links;
#[path = "book/messages.rs"]
mod messages;
#[path = "book/papers.rs"]
mod papers;
#[path = "book/snippets.rs"]
mod snippets;
