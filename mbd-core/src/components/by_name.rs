//! The functions that a model may call without an import, each alone: what the user has of the same
//! name comes before them.

macro_rules! alone {
    ($($name:ident)*) => { $(
        pub mod $name {
            pub use crate::vector::$name;
        }
    )* };
}
alone! { dot cross norm unit transpose vector }

pub mod clamp {
    use crate::scalar::{Num, Scalar};

    /// `x`, or the end of `low` to `high` that it is beyond.
    pub fn clamp<D: Scalar>(x: Num<D>, low: impl Into<Num<D>>, high: impl Into<Num<D>>) -> Num<D> {
        x.clamp(low, high)
    }
}
pub mod axis_angle {
    pub use crate::components::spatial::axis_angle;
}
pub mod axis_to {
    pub use crate::components::spatial::axis_to;
}
pub mod yaw_pitch_roll {
    pub use crate::components::spatial::yaw_pitch_roll;
}

/// Functions that have another name here, so that rustc tells it.
macro_rules! elsewhere {
    ($($name:ident($x:ident $(, $y:ident: $with:ident)?): $message:literal;)*) => { $(
        pub mod $name {
            #[diagnostic::on_unimplemented(message = $message, label = "no function of the language")]
            pub trait Elsewhere {}
            pub fn $name<T: Elsewhere $(, $with)?>($x: T $(, $y: $with)?) -> T {
                $(let _ = $y;)?
                $x
            }
        }
    )* };
}
elsewhere! {
    sign(x): "`sign(x)` is `signum(x)` here: 1, 0 or -1, with an event where x changes its sign";
    sgn(x): "`sgn(x)` is `signum(x)` here: 1, 0 or -1, with an event where x changes its sign";
    pow(x, y: U): "`pow(x, n)` is `x.powi(n)` here for a whole number, `x.powf(y)` for others, `sq(x)` for a square";
    sqr(x): "`sqr(x)` is `sq(x)` here, and the root is `sqrt(x)`";
    arcsin(x): "`arcsin(x)` is `asin(x)` here";
    arccos(x): "`arccos(x)` is `acos(x)` here";
    arctan(x): "`arctan(x)` is `atan(x)` here, and of a point `atan2(y, x)`";
    arctan2(y, x: U): "`arctan2(y, x)` is `atan2(y, x)` here";
    log(x): "`log(x)` is `ln(x)` here, the natural logarithm; that of base 10 is `x.log10()`";
    heaviside(x): "`heaviside(x)` is an `if` here, 1.0 where `x > 0.0` and else 0.0, with an event where it switches";
}
