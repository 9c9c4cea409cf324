// Names that would be one name of the struct.
mbd::mechanism! {
    component A { param b_c: [kg] = 1.0; coord b_x; kinetic k = 0.5*b_c*sq(der(b_x)); }
    component B { param c: [kg] = 5.0; coord x; kinetic k = 0.5*c*sq(der(x)); }
    pub mechanism M {
        body a: A;
        body a_b: B;
    }
}

fn main() {}
