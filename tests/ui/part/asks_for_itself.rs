// A connector that asks for what it stands in.
mbd::mechanism! {
    /// A link.
    pub component Link {
        connector before: Link;
        coord x;
        mass[x, x] = 1.0;
    }
}

fn main() {}
