//! Constants that a model may name without an import: [`PI`], [`TAU`], [`GRAVITY`]. A constant of the
//! same name beside the model comes before them.

// Each stands in a module of its own, for the code that `mechanism!` writes imports by `*` the one
// that a block names, and no other.
pub use gravity::GRAVITY;
pub use pi::PI;
pub use tau::TAU;

/// See [`PI`].
pub mod pi {
    pub use std::f64::consts::PI;
}

/// See [`TAU`].
pub mod tau {
    pub use std::f64::consts::TAU;
}

/// See [`GRAVITY`].
pub mod gravity {
    /// Standard acceleration of free fall, in m/s².
    pub const GRAVITY: f64 = 9.80665;
}
