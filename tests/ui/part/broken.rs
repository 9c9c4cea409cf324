// A part that does not parse is told where it is written, and once more where it is used.
mod parts {
    mbd::component! {
        /// A part.
        pub component Part {
            coord x: [m]
            mass[x, x] = 1.0;
            frobnicate x;
        }
    }
}

mbd::mechanism! {
    use parts::Part;
    pub mechanism Whole {
        body a: Part;
    }
}

fn main() {}
