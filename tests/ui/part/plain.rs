// What a part names in Rust has to be seen from elsewhere.
mod parts {
    fn law<D: mbd::scalar::Scalar>(x: mbd::scalar::Num<D>) -> mbd::scalar::Num<D> { x }
    fn plain(x: f64) -> f64 { x }
    mbd::component! {
        /// A part.
        pub component Part {
            coord x;
            kinetic k = sq(der(x));
            force f along x = law(x);
        }
    }
    mbd::component! {
        /// Another.
        pub component Other {
            coord x;
            kinetic k = sq(der(x));
            force f along x = self::plain(x);
        }
    }
}

parts::Part! {}

fn main() {}
