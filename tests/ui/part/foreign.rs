// Of another crate: what is private to a part is told, with what the part has.
mbd::mechanism! {
    pub mechanism Car {
        body hull: SpatialBody;
        body front: vehicle::Axle { chassis: hull, rack: 3.0 };
        output twist = front.twist;
        output spin = front.left.upright.x;
        output load = front.left.wheel.laod;
        output bearing = front.left.wheel.hub.rate;
    }
}

fn main() {}
