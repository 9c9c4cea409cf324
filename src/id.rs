//! Typed names of a mechanism's coordinates, states and outputs: what `mechanism!` emits beside
//! the struct, so that a misspelt output does not compile.

use std::borrow::Cow;

macro_rules! ids {
    ($($name:ident $what:literal;)*) => { $(
        #[doc = concat!("Names ", $what, " of a mechanism; see [`SolutionExt`](crate::SolutionExt).")]
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(Cow<'static, str>);

        impl $name {
            /// By the name in messages and tables.
            pub const fn new(name: &'static str) -> Self {
                $name(Cow::Borrowed(name))
            }

            /// The name in messages and tables.
            pub fn name(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                $name(Cow::Owned(name))
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )* };
}
ids! {
    CoordId "a coordinate";
    StateId "a first-order state";
    OutputId "an output";
}
