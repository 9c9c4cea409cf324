// A number of entries after the name of what is one scalar, and what is no number of entries.
use mbd::prelude::*;
use mbd::scalar::{Num, Scalar};

#[allow(dead_code)]
struct Push<D: Scalar> {
    force: [Num<D>; 2],
}

#[allow(dead_code)]
fn push<D: Scalar>(x: Num<D>) -> Push<D> {
    Push { force: [x, x] }
}

mechanism! {
    pub mechanism Model {
        size n = 2;
        param r = 1.0;
        coord x: [m];
        mass[x, x] = r;
        let q = push(x);
        let twice = 2*x;
        body arm: PointMass;
        output a[3] = x;
        output b[3] = r;
        output c[3] = -arm.x;
        output d[3] = twice + 1;
        output e[3] = t;
        output f[3] = der(x);
        output g[n] = q.force;
        output h[0] = q.force;
    }
}

fn main() {}
