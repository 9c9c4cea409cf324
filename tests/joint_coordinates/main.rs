//! Joint coordinates against absolute ones.

#[path = "../joints/read.rs"]
mod read;
mod tree;
