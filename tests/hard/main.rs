//! Hard use: mechanisms drawn at random, planar and spatial, and all examples by all methods at many
//! tolerances. What is true of every right result is asked of each: two methods agree as far as their
//! tolerances say, the power balance closes, the whole mechanism turned and moved, with other units or
//! with its bodies numbered otherwise moves alike, nothing panics, and no number of a result is NaN.
//!
//! | variable | meaning |
//! |---|---|
//! | `MBD_HARD=1` | twenty times as many |
//! | `MBD_SEED=s` | another seed than 1 |
//! | `MBD_SEED=s:k` | its case `k` alone: what a failure prints |
//!
//! The macro's part is in `mbd-macros/src/hard.rs`, that of files and signals in `tests/cli/results.rs`.

#![allow(missing_docs)]

mod examples;
mod planar;
mod random;
mod spatial;
mod systems;

#[path = "../suite/models.rs"]
#[allow(unused_imports)]
mod models;
