//! The methods by name, with their options.

use super::hht_i3::HhtI3;
use super::implicit::Implicit;
use super::scheme::{Scheme, Stepper};
use crate::assembly::{Point, System};
use crate::error::{OptionError, nearest};
use crate::nonlinear::MatrixPolicy;

/// A method as `info` lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MethodInfo {
    /// Name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Options with their ranges.
    pub options: &'static str,
}

/// Every method.
pub const METHODS: &[MethodInfo] = &[MethodInfo {
    name: "hht-i3",
    summary: "Hilber-Hughes-Taylor on the index-3 equations (Negrut et al.): order 2, numerical \
              damping, fixed and adaptive step",
    options: "--alpha from -1/3 to 0 (default -0.3), or --rho from 0.5 to 1",
}];

/// A method with its options.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    kind: Kind,
    matrix: MatrixPolicy,
    degree: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    HhtI3(HhtI3),
}

impl Default for Method {
    fn default() -> Self {
        HhtI3::default().into()
    }
}

impl From<HhtI3> for Method {
    fn from(options: HhtI3) -> Self {
        Method { kind: Kind::HhtI3(options), matrix: MatrixPolicy::default(), degree: None }
    }
}

impl Method {
    /// A method by its name, with default options.
    ///
    /// # Errors
    /// [`OptionError::UnknownMethod`] with the nearest name.
    pub fn from_name(name: &str) -> Result<Self, OptionError> {
        match name {
            "hht-i3" => Ok(HhtI3::default().into()),
            _ => Err(OptionError::UnknownMethod {
                name: name.into(),
                suggestion: nearest(name, METHODS.iter().map(|m| m.name)),
            }),
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::HhtI3(_) => "hht-i3",
        }
    }

    /// Numerical damping by the spectral radius at infinite frequency.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range.
    pub fn rho(mut self, rho: f64) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::HhtI3(options) => Kind::HhtI3(options.with_rho(rho)?),
        };
        Ok(self)
    }

    /// Numerical damping by α.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range, or when the method has no α.
    pub fn alpha(mut self, alpha: f64) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::HhtI3(options) => Kind::HhtI3(options.with_alpha(alpha)?),
        };
        Ok(self)
    }

    /// How the Newton matrix is kept; recycled by default.
    pub fn matrix_policy(mut self, policy: MatrixPolicy) -> Self {
        self.matrix = policy;
        self
    }

    /// Bounds the predictor's degree (3 by default), for studies.
    pub fn predictor_degree(mut self, degree: usize) -> Self {
        self.degree = Some(degree);
        self
    }

    /// Builds the method for a system; `at` is the point it will start from.
    ///
    /// # Errors
    /// [`OptionError`] when the method cannot treat the model, or its options do not fit it.
    pub fn stepper(&self, system: &System, at: &Point) -> Result<Box<dyn Stepper>, OptionError> {
        let _ = at;
        Ok(match &self.kind {
            Kind::HhtI3(options) => self.implicit(options.scheme(system)),
        })
    }

    /// A stepper of a scheme with the common options.
    fn implicit<S: Scheme + 'static>(&self, scheme: S) -> Box<dyn Stepper> {
        let mut stepper = Implicit::new(scheme, self.matrix);
        if let Some(degree) = self.degree {
            stepper.limit_degree(degree);
        }
        Box::new(stepper)
    }
}
