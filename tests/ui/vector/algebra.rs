use mbd::mechanism;

mechanism! {
    pub mechanism Vectors {
        body a: SpatialBody;
        body flat: PlanarBody;
        coord x; kinetic k = sq(der(x));
        gravity [0, -9.81];
        gravity [0, 0, -9.81];
        force push = [1, 2] on a;
        force pull = [1, 2, 3] on x;
        torque turn = [1, 2] on a;
        torque twist = 1.0 a;
        output position: [m] = 2*norm(a.position + a.velocity) + a.position;
        output two[2] = a.position;
        output map = a.frame.rotation.map(|row| row[0]);
        init a.position = [1, 2];
        init a.omega = [1, 2];
        potential wrong = a.position;
    }
}

mechanism! {
    pub mechanism Weightless {
        component Own { coord x; kinetic k = sq(der(x)); }
        body own: Own;
        gravity [0, -9.81];
    }
}

mechanism! {
    pub mechanism Products {
        coord x[3];
        for i in 0..3 { mass[x[i], x[i]] = 1.0; }
        output a = dot(x*x, x);
        output b = x + 1;
    }
}

mechanism! {
    pub mechanism Inside {
        component Own { gravity [0]; coord x; kinetic k = sq(der(x)); }
        body own: Own;
    }
}

fn main() {}
