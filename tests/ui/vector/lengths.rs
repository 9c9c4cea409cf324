// Vectors of other lengths, and of lengths that are not seen.
use mbd::prelude::*;
use mbd::scalar::{Num, Scalar};

#[allow(dead_code)]
fn both<D: Scalar>(x: Num<D>) -> [Num<D>; 2] {
    [x, x * x]
}

mechanism! {
    pub mechanism Model {
        coord x: [m];
        mass[x, x] = 1.0;
        let v = [x, 2*x];
        let w = [x, x, x];
        output sum[2] = v + w;
        output parts = 1.0/v;
        output ends = vector(both(x));
    }
}

fn main() {}
