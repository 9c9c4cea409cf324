//! Components the language knows from the start, written in the language itself and parsed when a
//! model names one.
//!
//! A component is a set of statements; `body k1: Link { … }` gives them a scope of their own, in
//! which `x` is `k1.x`. Adding a component is adding its text here.

use crate::ast::Component;
use crate::diag::Diag;
use crate::parse;

const PRELUDE: &[(&str, &str)] = &[
    ("PlanarBody", PLANAR_BODY),
    ("SpatialBody", SPATIAL_BODY),
    ("PlanarMass", PLANAR_MASS),
    ("PointMass", POINT_MASS),
];

const PLANAR_BODY: &str = "
    component PlanarBody {
        /// Mass.
        param mass: [kg] = 1.0;
        /// Moment of inertia about the centre of mass.
        param inertia: [kg*m^2] = 1.0;
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
        /// Mass.
        param mass: [kg] = 1.0;
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

/// A body in space with its principal moments of inertia, or with a whole tensor where that is given.
fn spatial_body(tensor: bool) -> String {
    let (parameters, energy, mean) = match tensor {
        false => (PRINCIPAL, "rotational_energy([jx, jy, jz], e, rate)", "(jx + jy + jz)/3.0"),
        true => (
            TENSOR,
            "rotational_energy_full(inertia, e, rate)",
            "(inertia[0] + inertia[1] + inertia[2])/3.0",
        ),
    };
    let text = SPATIAL_BODY.replace("PARAMETERS", parameters);
    text.replace("ENERGY", energy).replace("MEAN", mean)
}

const PRINCIPAL: &str = "
        /// Moment of inertia about the centre of mass and the body's x axis, a principal one.
        param jx: [kg*m^2] = 1.0;
        /// The same about its y axis.
        param jy: [kg*m^2] = 1.0;
        /// The same about its z axis.
        param jz: [kg*m^2] = 1.0;";
const TENSOR: &str = "
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

/// Names of the built-in components.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRELUDE.iter().map(|(name, _)| *name)
}

/// The built-in component of this name, as the parameters given by name ask for.
pub fn builtin(name: &str, given: &[String], diag: &Diag) -> Option<Component> {
    let (_, source) = PRELUDE.iter().find(|(known, _)| *known == name)?;
    let whole = spatial_body(given.iter().any(|name| name == "inertia"));
    let source = if name == "SpatialBody" { &whole } else { *source };
    parse::components(source, diag).into_iter().next()
}
