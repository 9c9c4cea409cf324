//! Functions of one argument.

/// Hands the table of functions, each with the method that computes it, to a macro.
macro_rules! functions {
    ($then:ident) => {
        $then! {
            Recip recip Sqrt sqrt Cbrt cbrt Exp exp Exp2 exp2 ExpM1 exp_m1 Ln ln Log2 log2
            Log10 log10 Ln1p ln_1p Sin sin Cos cos Tan tan Asin asin Acos acos Atan atan Sinh sinh
            Cosh cosh Tanh tanh Asinh asinh Acosh acosh Atanh atanh
        }
    };
}
pub(super) use functions;

macro_rules! define {
    ($($variant:ident $name:ident)*) => {
        /// Functions of one argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) enum Function { $($variant),* }

        impl Function {
            /// All of them, in the order of their numbers.
            #[cfg(all(target_arch = "x86_64", feature = "native"))]
            pub(crate) const ALL: &[Function] = &[$(Function::$variant),*];

            /// The value.
            #[inline]
            pub(crate) fn value(self, x: f64) -> f64 {
                match self { $(Function::$variant => x.$name()),* }
            }
        }
    };
}
functions!(define);

/// The angle of the point (x, y), in (−π, π]. A zero has no sign: which one it has hangs on how the difference is
/// written that it is, and decides between −π and π.
#[inline]
pub(crate) fn angle(y: f64, x: f64) -> f64 {
    (y + 0.0).atan2(x + 0.0)
}
