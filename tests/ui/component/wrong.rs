use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        component Link { param mass = 1.0; coord x; kinetic k = 0.5*mass*sq(der(x)); }
        body a: Link { mas: 1.0 };
        body b: Lnk;
        body c: Link { mass: 2.0 };
        body link[2]: Link;
        potential p = c.z + c + a.x + link.x;
        force f along c = 1.0;
        output o = der(c) + b.x + c[0].x;
    }
}

fn main() {}
