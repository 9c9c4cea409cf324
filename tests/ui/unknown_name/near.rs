use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord phi: [rad];
        param r: [m] = 1.0;
        mass[phi, phi] = r;
        potential weight = r*sin(phy);
        force friction along ph = -der(phi);
        init phii = 0.3;
    }
}

fn main() {}
