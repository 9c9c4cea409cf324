//! A vector in a loop whose length is not seen.
use mbd::mechanism;
use mbd::scalar::{Num, Scalar};

#[allow(dead_code)]
fn both<D: Scalar>(x: Num<D>) -> [Num<D>; 2] {
    [x, x * x]
}

mechanism! {
    pub mechanism Loops {
        size n = 2;
        coord x[n]: [m];
        for i in 0..n {
            mass[x[i], x[i]] = 1.0;
            output ends[i] = vector(both(x[i]));
        }
    }
}

fn main() {}
