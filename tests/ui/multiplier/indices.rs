use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        size n = 3;
        coord x[n];
        coord y;
        mass[y, y] = 1.0;
        holonomic pair: [y, x[0]] == [0.0, 1.0];
        holonomic one: y == 0.0;
        for i in 0..n {
            mass[x[i], x[i]] = 1.0;
            holonomic each: x[i] == 0.0;
        }
        output a = lambda(pair)[2];
        output b = lambda(one)[0];
        output c = lambda(each);
        output d = lambda(one[1]);
    }
}

fn main() {}
