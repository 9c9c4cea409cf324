use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 2;
        coord x[n];
        for n in 0..2 {
            mass[x[n], x[n]] = 1.0;
        }
        for i in 0..2 {
            let x = 1.0;
        }
    }
}

fn main() {}
