//! Components the language knows from the start, written in the language itself and parsed when a
//! model names one.
//!
//! A component is a set of statements; `body k1: Link { … }` gives them a scope of their own, in
//! which `x` is `k1.x`. Adding a component is adding its text here.

use crate::ast::{Component, Seen, Stmt};
use crate::diag::Diag;
use crate::joint::Dimension;
use crate::parse;

const PRELUDE: &[(&str, &str)] = &[
    ("PlanarBody", PLANAR_BODY),
    ("SpatialBody", SPATIAL_BODY),
    ("PlanarMass", PLANAR_MASS),
    ("PointMass", POINT_MASS),
    ("PlanarNode", PLANAR_NODE),
    ("PointNode", POINT_NODE),
];

const PLANAR_BODY: &str = "
    component PlanarBody {
        PARAMETERS
        /// Centre of mass, horizontal.
        coord x: [m];
        /// Centre of mass, vertical.
        coord y: [m];
        /// Angle from the ground's x axis.
        coord theta: [rad];
        let frame = __mbd::components::PlanarFrame::new(x, y, theta);
        let position = [x, y];
        let velocity = [der(x), der(y)];
        let omega = der(theta);
        kinetic translation = 0.5*mass*(sq(der(x)) + sq(der(y)));
        kinetic rotation = 0.5*inertia*sq(der(theta));
    }";

/// Euler parameters need their normalization row; the energy of a change of norm, zero in every
/// motion, makes the body's mass block regular.
const SPATIAL_BODY: &str = "
    component SpatialBody {
        PARAMETERS
        /// Centre of mass.
        coord x: [m];
        /// Centre of mass.
        coord y: [m];
        /// Centre of mass.
        coord z: [m];
        /// Euler parameter, cosine of half the angle of turn.
        coord e0: [-];
        /// Euler parameter, along x.
        coord e1: [-];
        /// Euler parameter, along y.
        coord e2: [-];
        /// Euler parameter, along z.
        coord e3: [-];
        let position = [x, y, z];
        let e = [e0, e1, e2, e3];
        let rate = [der(e0), der(e1), der(e2), der(e3)];
        let frame = __mbd::components::spatial::SpatialFrame::new(position, e);
        let velocity = [der(x), der(y), der(z)];
        let omega = __mbd::components::spatial::body_rate(e, rate);
        let omega_ground = __mbd::components::spatial::ground_rate(e, rate);
        kinetic translation = 0.5*mass*(sq(der(x)) + sq(der(y)) + sq(der(z)));
        kinetic rotation = __mbd::components::spatial::ENERGY
            + __mbd::components::spatial::norm_energy(MEAN, e, rate);
        holonomic norm: __mbd::components::spatial::normalization(e) == 0.0;
        guess e0 = 1.0;
    }";

const PLANAR_MASS: &str = "
    component PlanarMass {
        /// Mass.
        param mass: [kg] = 1.0;
        /// Horizontal position.
        coord x: [m];
        /// Vertical position.
        coord y: [m];
        let position = [x, y];
        let velocity = [der(x), der(y)];
        let frame = __mbd::components::PlanarFrame::unturned(position);
        kinetic translation = 0.5*mass*(sq(der(x)) + sq(der(y)));
    }";

const POINT_MASS: &str = "
    component PointMass {
        /// Mass.
        param mass: [kg] = 1.0;
        /// Position.
        coord x: [m];
        /// Position.
        coord y: [m];
        /// Position.
        coord z: [m];
        let position = [x, y, z];
        let velocity = [der(x), der(y), der(z)];
        let frame = __mbd::components::spatial::SpatialFrame::unturned(position);
        kinetic translation = 0.5*mass*(sq(der(x)) + sq(der(y)) + sq(der(z)));
    }";

/// Without mass: the balance of the forces on it says where it is (`mbd_core::model::ModelBuilder::balanced`).
const PLANAR_NODE: &str = "
    component PlanarNode {
        /// Horizontal position.
        variable x: [m];
        /// Vertical position.
        variable y: [m];
        let position = [x, y];
        let frame = __mbd::components::PlanarFrame::unturned(position);
    }";

const POINT_NODE: &str = "
    component PointNode {
        /// Position.
        variable x: [m];
        /// Position.
        variable y: [m];
        /// Position.
        variable z: [m];
        let position = [x, y, z];
        let frame = __mbd::components::spatial::SpatialFrame::unturned(position);
    }";

/// Whether a built-in component is a massless node.
pub fn is_node(name: &str) -> bool {
    matches!(name, "PlanarNode" | "PointNode")
}

fn has(given: &[String], name: &str) -> bool {
    given.iter().any(|given| given == name)
}

/// Whether the inertia of a body in space is given as a whole tensor.
fn is_tensor(given: &[String]) -> bool {
    has(given, "inertia") || has(given, "solid")
}

/// A body in space with its principal moments of inertia, or with a whole tensor where that is given.
fn spatial_body(given: &[String]) -> String {
    let (energy, mean) = inertia(is_tensor(given));
    let parameters = match (has(given, "solid"), has(given, "inertia")) {
        (true, _) => SOLID,
        (_, true) => TENSOR,
        _ => PRINCIPAL,
    };
    let text = SPATIAL_BODY.replace("PARAMETERS", parameters);
    text.replace("ENERGY", &energy.replace("TURNING", "e, rate")).replace("MEAN", mean)
}

/// The rotational energy of such a body, and its mean moment of inertia.
fn inertia(tensor: bool) -> (&'static str, &'static str) {
    match tensor {
        false => ("rotational_energy([jx, jy, jz], TURNING)", "(jx + jy + jz)/3.0"),
        true => (
            "rotational_energy_full(inertia, TURNING)",
            "(inertia[0] + inertia[1] + inertia[2])/3.0",
        ),
    }
}

const PLANAR: &str = "
        /// Mass.
        param mass: [kg] = 1.0;
        /// Moment of inertia about the centre of mass.
        param inertia: [kg*m^2] = 1.0;";
const PLANAR_SOLID: &str = "
        /// What the body is made of: its mass, and its inertia about the centre of mass and the normal of the plane.
        param solid = 0.0;
        let mass = solid.mass;
        let inertia = solid.inertia[2];";
const SOLID: &str = "
        /// What the body is made of: its mass, and its inertia about the centre of mass.
        param solid = 0.0;
        let mass = solid.mass;
        let inertia = solid.inertia;";
const PRINCIPAL: &str = "
        /// Mass.
        param mass: [kg] = 1.0;
        /// Moment of inertia about the centre of mass and the body's x axis, a principal one.
        param jx: [kg*m^2] = 1.0;
        /// The same about its y axis.
        param jy: [kg*m^2] = 1.0;
        /// The same about its z axis.
        param jz: [kg*m^2] = 1.0;";
const TENSOR: &str = "
        /// Mass.
        param mass: [kg] = 1.0;
        /// Tensor of inertia about the centre of mass in the body's axes: jxx, jyy, jzz, jxy, jxz, jyz.
        param inertia[6]: [kg*m^2] = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];";

/// Of a built-in component, its `mbd::model::BodyKind` and coordinates in the order of that.
pub fn coordinates(name: &str) -> Option<(&'static str, &'static [&'static str])> {
    match name {
        "PlanarBody" => Some(("Planar", &["x", "y", "theta"])),
        "SpatialBody" => Some(("Spatial", &["x", "y", "z", "e0", "e1", "e2", "e3"])),
        "PlanarMass" => Some(("PlanarMass", &["x", "y"])),
        "PointMass" => Some(("PointMass", &["x", "y", "z"])),
        _ => None,
    }
}

/// Of a built-in component that has a place and turns, in how many dimensions.
pub fn dimension(name: &str) -> Option<Dimension> {
    match name {
        "PlanarBody" => Some(Dimension::Planar),
        "SpatialBody" => Some(Dimension::Spatial),
        _ => None,
    }
}

/// What such a body is, besides its parameters, where its `frame` is told by the joint that carries it.
/// `given`: names of its parameters that are.
pub fn carried(dimension: Dimension, given: &[String], diag: &Diag) -> Vec<Stmt> {
    let (energy, _) = inertia(is_tensor(given));
    let source = match dimension {
        Dimension::Planar => CARRIED_IN_PLANE.to_string(),
        Dimension::Spatial => CARRIED.replace("ENERGY", &energy.replace("TURNING", "omega")),
    };
    parse::components(&source, diag).into_iter().next().map_or(Vec::new(), |body| body.body)
}

const CARRIED_IN_PLANE: &str = "
    component Carried {
        let position = [frame.origin[0], frame.origin[1]];
        let x = position[0];
        let y = position[1];
        let theta = frame.angle;
        let velocity = der(position);
        let omega = der(theta);
        kinetic translation = 0.5*mass*(sq(velocity[0]) + sq(velocity[1]));
        kinetic rotation = 0.5*inertia*sq(omega);
    }";

const CARRIED: &str = "
    component Carried {
        let position = [frame.origin[0], frame.origin[1], frame.origin[2]];
        let x = position[0];
        let y = position[1];
        let z = position[2];
        let e = __mbd::components::spatial::from_rotation(frame.rotation);
        let e0 = e[0];
        let e1 = e[1];
        let e2 = e[2];
        let e3 = e[3];
        let omega = frame.turning(der(frame.rotation));
        let omega_ground = frame.vector(omega);
        let rate = __mbd::components::spatial::euler_rate(e, omega);
        let velocity = der(position);
        kinetic translation = 0.5*mass*(sq(velocity[0]) + sq(velocity[1]) + sq(velocity[2]));
        kinetic rotation = __mbd::components::spatial::spin_ENERGY;
    }";

/// The frame of such a body where a joint in a loop tells it: a type of the library, of so many numbers.
pub fn told(dimension: Dimension) -> (&'static str, usize) {
    match dimension {
        Dimension::Planar => ("__mbd::components::PlanarFrame", 5),
        Dimension::Spatial => ("__mbd::components::spatial::SpatialFrame", 12),
    }
}

/// What a picture is told of such a body.
pub fn seen(dimension: Dimension, given: &[String]) -> (Seen, usize, String) {
    let moments = match is_tensor(given) {
        true => "[inertia[0], inertia[1], inertia[2]]",
        false => "[jx, jy, jz]",
    };
    match dimension {
        Dimension::Planar => {
            let value = "__mbd::components::planar::held::pose(frame, mass, inertia)";
            (Seen::Body("Planar"), 5, value.into())
        }
        Dimension::Spatial => {
            let value = format!("__mbd::components::spatial::held::pose(frame, mass, {moments})");
            (Seen::Body("Spatial"), 11, value)
        }
    }
}

/// The mean moment of inertia of a body in space.
pub fn mean_inertia(given: &[String]) -> &'static str {
    inertia(is_tensor(given)).1
}

/// Names of the built-in components.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRELUDE.iter().map(|(name, _)| *name)
}

/// The built-in component of this name, as the parameters given by name ask for.
pub fn builtin(name: &str, given: &[String], diag: &Diag) -> Option<Component> {
    let (_, source) = PRELUDE.iter().find(|(known, _)| *known == name)?;
    let source = match name {
        "SpatialBody" => spatial_body(given),
        "PlanarBody" => {
            source.replace("PARAMETERS", if has(given, "solid") { PLANAR_SOLID } else { PLANAR })
        }
        _ => source.to_string(),
    };
    parse::components(&source, diag).into_iter().next()
}
