use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 3;
        coord x[n];
        coord q;
        coord p[3];
        param c[3] = 1.0;
        param r = 1.0;
        mass[q, q] = c[0]*r[0];
        for i in 0..n { mass[x[i], x[i]] = 1.0; }
        for i in 0..3 { mass[p[i], p[i]] = c[i]; }
        potential a = q[1];
        potential b = x.iter().sum();
        potential d = p[3];
        force f along x = 1.0;
        init x = 1.0;
        output o = der(x);
    }
}

fn main() {}
