//! Joint coordinates against absolute ones.

/// Both forms of one block.
macro_rules! forms {
    ($($module:ident { $($body:tt)* })*) => { $(
        pub mod $module {
            forms!(@ absolute Absolute { $($body)* });
            forms!(@ joint Joint { $($body)* });
        }
    )* };
    (@ $form:ident $name:ident { $($body:tt)* }) => {
        pub mod $form {
            #[allow(unused_imports)]
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    coordinates $form;
                    $($body)*
                }
            }
        }
    };
}

mod declared;
mod each;
mod loops;
mod reactions;
#[path = "../joints/read.rs"]
mod read;
mod tree;
