mod parts {
    mbd::component! {
        /// A part that hangs on something.
        pub component Hook {
            /// What it hangs on.
            pub connector top: PlanarBody;
            body bob: PlanarBody;
            joint pin: revolute(top.at([0, 0]), bob.at([0, 1]));
        }
    }
}

mbd::mechanism! {
    use parts::Hook;
    pub mechanism Whole {
        connector beside: PlanarBody;
        body mass: PointMass;
        body link[3]: PlanarBody;
        body a: Hook;
        body b: Hook { top: mass };
        body c: Hook { top: 1.0 };
        body d: Hook { top: link };
        body e: Hook { top: link[1] };
        body f: Hook { top: ground };
    }
}

fn main() {}
