// What no statement is, and statements where they cannot stand.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        #[allow(unused)]
        coord x: [m];
        coord __y: [m];
        mass[x, x] = 1.0;
        3.0*x == 1.0;
        pub component Inner { coord z; mass[z, z] = 1.0; }
        component Outer {
            component Nested { coord z; mass[z, z] = 1.0; }
            coord y;
            mass[y, y] = 1.0;
            until 2.0;
        }
        body outer: Outer;
        for i in 0..2 {
            component Looped { coord z; mass[z, z] = 1.0; }
            until 3.0;
        }
    }
}

mechanism! {
    pub mechanism Ends {
        coord x: [m];
        mass[x, x] = 1.0;
        until 2.0;
        until 3.0;
    }
}

fn main() {}
