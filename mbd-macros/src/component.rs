//! Components the language knows from the start, written in the language itself and parsed when a
//! model names one.
//!
//! A component is a set of statements; `body k1: Link { … }` gives them a scope of their own, in
//! which `x` is `k1.x`. Adding a component is adding its text here.

use crate::ast::Component;
use crate::diag::Diag;
use crate::parse;

const PRELUDE: &[(&str, &str)] = &[(
    "PlanarBody",
    "component PlanarBody {
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
        let frame = ::mbd::components::PlanarFrame::new(x, y, theta);
        kinetic translation = 0.5*mass*(sq(der(x)) + sq(der(y)));
        kinetic rotation = 0.5*inertia*sq(der(theta));
    }",
)];

/// Names of the built-in components.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRELUDE.iter().map(|(name, _)| *name)
}

/// The built-in component of this name.
pub fn builtin(name: &str, diag: &Diag) -> Option<Component> {
    let (_, source) = PRELUDE.iter().find(|(known, _)| *known == name)?;
    parse::components(source, diag).into_iter().next()
}
