mod parts {
    mbd::component! {
        /// A part.
        pub component Part {
            /// Its mass.
            pub param mass: [kg] = 1.0;
            param k: [N/m] = 1.0;
            coord x: [m];
            /// The same, seen.
            pub let place = x;
            body inner: PointMass;
            kinetic motion = 0.5*mass*sq(der(x));
            potential spring = 0.5*k*sq(x);
            holonomic held: inner.x == 0.0;
        }
        /// It shows nothing.
        pub component Closed { coord y: [m]; kinetic k = sq(der(y)); }
    }
}

mbd::mechanism! {
    use parts::{Part, Closed};
    pub mechanism Whole {
        body a: Part { k: 2.0 };
        body b: parts::Part { mas: 2.0 };
        body c: Closed;
        potential p = a.x + a.plase + b.inner.x + c.y;
        init b.x = 1.0;
        output o = lambda(a.held);
        output good = a.place;
    }
}

fn main() {}
