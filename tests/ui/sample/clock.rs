use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param period = 0.1;
        coord x;
        mode u = 0.0;
        mass[x, x] = 1.0;
        force push[x] = u;
        sample a every period*x { u = x; }
        sample b every period from t { u = x; }
    }
}

fn main() {}
