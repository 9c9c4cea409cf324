use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param r = 1.0;
        size n = 2;
        coord x;
        variable V == x;
        mass[x, x] = r*(n as f64);
        output a = der(r);
        output b = der(2.0);
        output c = der(V);
        output d = der(der(der(x)));
        output e = der(x*V);
        output f = { let u = 2.0*x; der(u) };
        output g = der(n);
    }
}

fn main() {}
