mod parts {
    mbd::component! {
        /// Made of the other.
        pub component One { body two: self::Two; }
    }
    mbd::component! {
        /// Made of the one.
        pub component Two { body one: self::One; }
    }
}

mbd::mechanism! {
    use parts::One as First;
    pub mechanism Whole { body a: First; }
}

fn main() {}
