use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 3;
        param r = 2.0;
        coord x[n];
        for i in 0..r { mass[x[i], x[i]] = 1.0; }
        for i in 0..n.pow(2) { mass[x[i], x[i]] = 1.0; }
        for i in n { mass[x[i], x[i]] = 1.0; }
        for i in 0.. { mass[x[i], x[i]] = 1.0; }
        output tip[0] = x[0];
        for i in 0..n { output end = x[i]; }
    }
}

fn main() {}
