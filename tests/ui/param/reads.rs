use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param r = 1.0;
        param k[3] = 1.0;
        param a = r[0];
        param b = k;
        param v = der(r);
        coord x;
        mass[x, x] = a*b*v;
    }
}

fn main() {}
