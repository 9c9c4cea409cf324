use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord y[2];
        for i in 0..2 {
            let a = y[i];
            output r[i] = a + b;
            for k in 0..2 {
                let w = a*k;
                output s[2*i + k] = w;
            }
            let w = 1.0;
        }
        let a = y[0];
        let b = 2.0*a;
        param i = 3.0;
        mass[y[0], y[0]] = i;
        mass[y[1], y[1]] = 1.0;
    }
}

fn main() {}
