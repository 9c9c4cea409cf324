use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        param p = 1.0;
        input u: [N] = 0.0;
        input later: [N] = u;
        input empty: [N];
        mode on: [N] = u;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force push along x = u + on + later;
        event high when x > 1.0 { u = 2.0; }
        event low when x < 1.0 { on = 1.0; der(u) = 0.0; }
        init x = u;
        scale x = u;
        draw here: line([0.0, 0.0], [x, u]);
        until u;
    }
}

fn main() {}
