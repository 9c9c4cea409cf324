//! Derivative engine, assembly and integrators of `mbd`. Users depend on the facade crate `mbd`.

// Machine code alone needs `unsafe`, in one module: see `program/native/memory.rs`.
#![cfg_attr(not(feature = "native"), forbid(unsafe_code))]

pub mod ad;
pub mod assembly;
pub mod checkpoint;
pub mod components;
pub mod constant;
pub mod digits;
pub mod drawing;
pub mod equation;
pub mod error;
mod graph;
pub mod integrate;
pub mod linear;
pub mod math;
pub mod model;
pub mod nonlinear;
mod program;
pub mod scalar;
pub mod scales;
pub mod signal;
pub mod simulation;
pub mod solution;
pub mod start;
mod state;
pub mod statement;
mod threads;
pub mod vector;
pub mod verify;

/// The matrices of [`verify`]'s interface.
pub use nalgebra;
