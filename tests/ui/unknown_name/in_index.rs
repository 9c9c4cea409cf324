use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 3;
        coord x[n];
        for i in 0..n {
            mass[x[i], x[i]] = 1.0;
            potential spring = sq(x[j]);
            potential other = { let k = 2; sq(x[k]) };
        }
    }
}

fn main() {}
