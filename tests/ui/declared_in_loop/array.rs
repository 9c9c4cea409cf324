use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 2;
        for i in 0..n {
            coord x;
            param m = 1.0;
            body b: PlanarBody;
            size k = 2;
        }
    }
}

fn main() {}
