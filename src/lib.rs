//! `mbd`: a modelling language for constrained mechanical systems with exact derivatives.
//!
//! A mechanism is stated in a [`mechanism!`] block by its energies, forces and constraints; every
//! derivative an integrator needs follows from it. [`main!`] makes a command-line program of it,
//! [`Simulation`] runs it from Rust, [`Check`] says whether it is right.
//!
//! | feature | what it adds |
//! |---|---|
//! | `csv` (default) | tables as CSV: of runs ([`SolutionExt::write_csv`], [`CsvStream`]), and as inputs ([`input`]) |
//! | `plot` (default) | plots as SVG ([`plot`]), pages and glTF ([`animate`]) |
//! | `cli` (default) | the command-line program ([`main!`], [`cli`]) |
//! | `completions` (default) | the command `completions`, for shells |
//! | `native` (default) | machine code for the processor the program runs on, in place of interpreted programs |
//! | `parallel` (default) | evaluations of large mechanisms by several threads |
//! | `npz`, `parquet` | tables as NumPy archives and Parquet files |

#![forbid(unsafe_code)]

#[cfg(feature = "plot")]
pub mod animate;
pub mod check;
#[cfg(feature = "cli")]
pub mod cli;
pub mod compare;
mod id;
#[cfg(feature = "csv")]
pub mod input;
#[cfg(feature = "plot")]
mod json;
mod output;
#[cfg(feature = "plot")]
pub mod plot;
mod quantities;

pub use check::{Check, CheckOptions, CheckReport};
pub use id::{CoordId, OutputId, StateId};
pub use mbd_core::error::Error;
pub use mbd_core::model::{Mechanism, ModelError};
pub use mbd_core::simulation::Simulation;
pub use mbd_core::solution::{OutputError, RowSink, RunError, Solution, Stats, Status};
pub use mbd_core::{
    ad, assembly, checkpoint, components, constant, drawing, integrate, linear, math, model,
    nalgebra, nonlinear, scalar, scales, signal, simulation, solution, start, vector, verify,
};
pub use mbd_macros::differentiable;
pub use output::CheckpointFile;
#[cfg(feature = "csv")]
pub use output::CsvStream;
pub use quantities::SolutionExt;

/// The errors of a run, by phase; each says what, where, the likely cause and what to try.
pub mod error {
    pub use mbd_core::error::*;
    pub use mbd_core::solution::RunError;
}

/// What nearly every user names.
pub mod prelude {
    pub use crate::check::{Check, CheckOptions};
    pub use crate::constant::{GRAVITY, PI, TAU};
    pub use crate::integrate::{HhtI3, Method, Step};
    pub use crate::math::*;
    pub use crate::scalar::{Num, Scalar};
    pub use crate::{Error, Mechanism, Simulation, Solution, SolutionExt};
    pub use crate::{component, differentiable, mechanism};
}

/// What the code written by `mechanism!` calls; no interface of its own.
#[doc(hidden)]
pub mod __private {
    pub use mbd_core::ad::{Instances, Kernel, Reaction, evaluate, evaluate_rows};
    pub use mbd_core::assembly::SlotKind;
    pub use mbd_core::model::{
        BodyKind, Given, Keep, Mesh, Model, ModelBuilder, ModelError, ParamInfo, Shape, Starts,
    };
    pub use mbd_core::scalar::lift::{Constant, Keep as KeepConstant, Lift, fit, pass, whole};
    pub use mbd_core::scalar::{
        Num, Rate, Scalar, compared, constant_in_time, input, num, rate, swept, with_one_rate,
        with_rate, with_rates,
    };
    pub use mbd_core::signal::Need;
    pub use mbd_core::{components, constant, vector};
    pub use mbd_macros::mechanism as block;

    /// A part of a long function, which the compiler keeps apart.
    #[inline(never)]
    pub fn part<T>(part: impl FnOnce() -> T) -> T {
        part()
    }
}

/// A model, written in the language that `docs/book/src/language.md` describes. The book, `docs/book`, begins with
/// half an hour for a mechanical engineer (`engineer.md`), for a Rust programmer (`programmer.md`) and for an
/// analyst of methods (`analyst.md`); `cargo run --release --bin mbd -- new ../crank` makes a crate with a mechanism.
///
/// Becomes a struct with a public field for each parameter and size, its `Default`, typed ids of
/// coordinates, states and outputs, and an implementation of [`Mechanism`]. It does not matter by
/// what name a crate depends on this one.
///
/// ```
/// mbd::mechanism! {
///     /// A mass on a spring.
///     pub mechanism Oscillator {
///         param m: [kg] = 1.0;
///         param c: [N/m] = 10.0;
///         coord x: [m];
///         kinetic mass = 0.5*m*sq(der(x));
///         potential spring = 0.5*c*sq(x);
///         init x = 0.1;
///     }
/// }
/// assert_eq!(Oscillator::default().c, 10.0);
/// ```
#[macro_export]
macro_rules! mechanism {
    ($($block:tt)*) => {
        $crate::__private::block! { [$crate] $($block)* }
    };
}

/// Components that other files, modules and crates use, written in the same language.
///
/// A block of components, and nothing else is meant by it than by [`mechanism!`], which takes components
/// as well. A `pub` component is an item like any other: it is used by its path, `use` and re-export and a
/// renamed dependency included, and rustdoc shows what it is given and what it has. What is `pub` in it is
/// seen from outside, everything else by the components of its block only.
///
/// ```
/// pub mod parts {
///     mbd::component! {
///         /// A mass on a spring.
///         pub component Bouncer {
///             /// Its mass.
///             pub param m: [kg] = 1.0;
///             /// Height above where the spring is free.
///             pub coord z: [m];
///             param k: [N/m] = 100.0;
///             kinetic mass = 0.5*m*sq(der(z));
///             potential spring = 0.5*k*sq(z);
///             potential weight = m*mbd::constant::GRAVITY*z;
///         }
///     }
/// }
///
/// mbd::mechanism! {
///     use self::parts::Bouncer;
///     pub mechanism Two {
///         body light: Bouncer { m: 0.5 };
///         body heavy: crate::parts::Bouncer { m: 2.0 };
///         init light.z = 0.1;
///         output between: [m] = heavy.z - light.z;
///     }
/// }
/// # fn main() {
/// assert_eq!(Two::default().light_k, 100.0);
/// # }
/// ```
#[macro_export]
macro_rules! component {
    ($($block:tt)*) => {
        $crate::__private::block! { [$crate] $($block)* }
    };
}

/// Makes a command-line program of a mechanism: `info`, `check`, `simulate`, `compare`, `plot`, `compare-runs`, `man` and `completions`, the same for every
/// model. Each explains itself with `--help`.
///
/// ```
/// # use mbd::prelude::*;
/// mechanism! {
///     /// A mass on a spring.
///     pub mechanism Oscillator {
///         param m: [kg] = 1.0;
///         param c: [N/m] = 10.0;
///         coord x: [m];
///         kinetic mass = 0.5*m*sq(der(x));
///         potential spring = 0.5*c*sq(x);
///         init x = 0.1;
///         until 1.0;
///     }
/// }
/// mbd::main!(Oscillator);
/// ```
#[cfg(feature = "cli")]
#[macro_export]
macro_rules! main {
    ($mechanism:ty) => {
        fn main() -> ::std::process::ExitCode {
            $crate::cli::run::<$mechanism>()
        }
    };
    ($mechanism:ty, methods: [$($method:expr),* $(,)?]) => {
        fn main() -> ::std::process::ExitCode {
            $crate::cli::run_with_methods::<$mechanism>(|| ::std::vec![$($method),*])
        }
    };
}

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// So does that of the book.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../docs/book/src/engineer.md")]
    struct Engineer;
    #[doc = include_str!("../docs/book/src/programmer.md")]
    struct Programmer;
    #[doc = include_str!("../docs/book/src/analyst.md")]
    struct Analyst;
    #[doc = include_str!("../docs/book/src/language.md")]
    struct Language;
    #[doc = include_str!("../docs/book/src/gallery.md")]
    struct Gallery;
    #[doc = include_str!("../docs/book/src/components.md")]
    struct Components;
    #[doc = include_str!("../docs/book/src/driving.md")]
    struct Driving;
    #[doc = include_str!("../docs/book/src/animation.md")]
    struct Animation;
}
