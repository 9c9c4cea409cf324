// Mistakes of a part are told where it is written.
mod parts {
    const HIDDEN: f64 = 1.0;
    mbd::component! {
        use other::*;
        /// A part.
        pub component Part {
            pub param m = 1.0;
            pub coord x;
            kinetic k = 0.5*m*sq(der(x)) + Self::K;
            potential p = outside + HIDDEN*x;
            pub force f along x = 1.0;
            pub(crate) let y = x;
        }
    }
}

mbd::mechanism! {
    pub mechanism Whole {
        pub coord x: [m];
        kinetic k = sq(der(x));
    }
}

fn main() {}
