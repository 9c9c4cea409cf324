use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mode u = 0.0;
        mass[x, x] = 1.0;
        force push[x] = u;
        sample a 0.01 { u = x; }
        sample b every { u = x; }
        sample c every 0.01 { }
        sample d every 0.01 { x = 1.0; }
        sample e every 0.01 from { u = x; }
    }
}

fn main() {}
