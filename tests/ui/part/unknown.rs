// A path that leads to no component is told by rustc, a name alone by the language.
mbd::mechanism! {
    pub mechanism Whole {
        body a: Wheel;
        body b: vehicle::Weel;
    }
}

mbd::mechanism! {
    use vehicle::Wheel;
    pub mechanism Other {
        body a: Weel;
        body hull: SpatialBody;
        body b: Wheel { carrier: hull };
    }
}

fn main() {}
