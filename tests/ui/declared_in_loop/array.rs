use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 2;
        coord y;
        mass[y, y] = 1.0;
        for i in 0..n {
            param m = 1.0*i;
            coord x[3];
            size k = 2;
            for j in 0..n {
                coord z;
                body b: PlanarBody;
            }
        }
    }
}

fn main() {}
