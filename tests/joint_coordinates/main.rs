//! Joint coordinates against absolute ones.

mod loops;
#[path = "../joints/read.rs"]
mod read;
mod tree;
