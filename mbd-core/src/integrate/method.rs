//! The methods by name, with their options.

use super::bdf::{self, Bdf, BdfForm};
use super::coordinate_split::SplitScheme;
use super::dae_alpha::{self, DaeAlpha, DaeScheme, Form};
use super::explicit::{Explicit, Formula};
use super::hht_i3::HhtI3;
use super::implicit::Implicit;
use super::limits::{self, Limit};
use super::projected_ode::ProjectedScheme;
use super::radau5::Radau5;
use super::scheme::{Scheme, Stepper};
use super::soi2::Soi2;
use super::state_space::StateSpace;
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
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "gen-alpha-soi2",
        summary: "generalized-alpha with position and velocity constraints (Jay and Negrut): order \
                  2, numerical damping by choice, fixed and adaptive step",
        options: "--rho from 0 to 1 (default 0.8), or --alpha from -1/3 to 0, which makes it \
                  hht-soi2; --no-adjust",
    },
    MethodInfo {
        name: "hht-soi2",
        summary: "Hilber-Hughes-Taylor with position and velocity constraints (Jay and Negrut): \
                  order 2, fixed and adaptive step",
        options: "--alpha from -1/3 to 0 (default -0.3), or --rho from 0.5 to 1; --no-adjust",
    },
    MethodInfo {
        name: "hht-i3",
        summary: "Hilber-Hughes-Taylor on the index-3 equations (Negrut et al.): order 2, \
                  numerical damping, fixed and adaptive step",
        options: "--alpha from -1/3 to 0 (default -0.3), or --rho from 0.5 to 1",
    },
    MethodInfo {
        name: "dae-alpha",
        summary: "the DAE alpha-method on the stabilized index-2 equations (Yen, Petzold, Raha): \
                  order 2, numerical damping by choice",
        options: "--rho from 0 to 1 (default 0.75), or --alpha from -1/3 to 0; --no-adjust",
    },
    MethodInfo {
        name: "dae-alpha-cs",
        summary: "the same with the multipliers eliminated by coordinate splitting",
        options: "as dae-alpha; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "dae-alpha-cm",
        summary: "the same without the derivative of the splitting in the iteration matrix",
        options: "as dae-alpha; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "dae-alpha-cm-frozen",
        summary: "the same with the splitting of the predicted coordinates",
        options: "as dae-alpha; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "radau5",
        summary: "Radau IIA with three stages on the index-1 equations, projected onto position and \
                  velocity constraints: order 5, for tight tolerances",
        options: "none",
    },
    MethodInfo {
        name: "radau5-index2",
        summary: "the same on the index-2 equations: multipliers of order 3",
        options: "none",
    },
    MethodInfo {
        name: "projected-ode",
        summary: "the alpha-method on the underlying ODE, projected onto the constraints: order 2",
        options: "as dae-alpha",
    },
    MethodInfo {
        name: "bdf-ggl",
        summary: "backward differentiation on the stabilized index-2 equations, step and order by \
                  DASSL's rules (Yen and Petzold); every kind of model",
        options: "--order from 1 to 5 (default 2); --positions-only",
    },
    MethodInfo {
        name: "bdf-ggl-star",
        summary: "the same with the multipliers kept out of the convergence test",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "bdf-cs",
        summary: "the same with the multipliers eliminated by coordinate splitting",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "bdf-cm",
        summary: "bdf-cs without the derivative of the splitting in the iteration matrix",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "bdf-cm-1996",
        summary: "bdf-cs with the splitting of the last iteration matrix, as once published: NOT \
                  consistent, can converge to wrong answers; for comparison only",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "state-space",
        summary: "the trapezoidal rule on the independent coordinates (Haug, Negrut, Iancu): order \
                  2, no damping, fixed and adaptive step",
        options: "--independent coordinate,... (default by pivoting)",
    },
    MethodInfo {
        name: "state-space-fv",
        summary: "the same with the iteration matrix of Fisette and Vaneghem, for comparison",
        options: "as state-space",
    },
    MethodInfo {
        name: "explicit-abm",
        summary: "Adams, Bashforth and Moulton's predictor and corrector on the independent \
                  coordinates: order 2, explicit, fixed and adaptive step",
        options: "as state-space",
    },
    MethodInfo {
        name: "explicit-rk",
        summary: "Dormand and Prince's Runge-Kutta pair on the independent coordinates: order 5, \
                  explicit, for motion that is not stiff",
        options: "as state-space",
    },
];

/// Why the BDF methods and Radau IIA have no ρ and α.
const UNDAMPED: &str = "; it damps what its steps do not resolve";
/// Why the methods on independent coordinates have no parameter of damping.
const NO_DAMPING: &str = ": it has no numerical damping; gen-alpha-soi2, hht-i3 and dae-alpha have";

/// A method with its options.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    kind: Kind,
    matrix: Option<MatrixPolicy>,
    trust: Option<bool>,
    degree: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Kind {
    HhtI3(HhtI3),
    Soi2(Soi2),
    DaeAlpha(DaeAlpha),
    Bdf(Bdf),
    Radau5(Radau5),
    StateSpace(StateSpace),
    Explicit(Explicit),
}

impl Default for Method {
    /// `gen-alpha-soi2`.
    fn default() -> Self {
        Soi2::default().into()
    }
}

impl From<Kind> for Method {
    fn from(kind: Kind) -> Self {
        Method { kind, matrix: None, trust: None, degree: None }
    }
}

impl From<HhtI3> for Method {
    fn from(options: HhtI3) -> Self {
        Kind::HhtI3(options).into()
    }
}

impl From<DaeAlpha> for Method {
    fn from(options: DaeAlpha) -> Self {
        Kind::DaeAlpha(options).into()
    }
}

impl From<Bdf> for Method {
    fn from(options: Bdf) -> Self {
        Kind::Bdf(options).into()
    }
}

impl From<Radau5> for Method {
    fn from(options: Radau5) -> Self {
        Kind::Radau5(options).into()
    }
}

impl From<StateSpace> for Method {
    fn from(options: StateSpace) -> Self {
        Kind::StateSpace(options).into()
    }
}

impl From<Explicit> for Method {
    fn from(options: Explicit) -> Self {
        Kind::Explicit(options).into()
    }
}

impl From<Soi2> for Method {
    fn from(options: Soi2) -> Self {
        Kind::Soi2(options).into()
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
            "gen-alpha-soi2" => Ok(Soi2::default().into()),
            "hht-soi2" => Ok(Soi2::hht(-0.3)?.into()),
            "state-space" => Ok(StateSpace::default().into()),
            "state-space-fv" => Ok(StateSpace::fisette_vaneghem().into()),
            _ => {
                let radau = Radau5::NAMES.into_iter().find(|(known, _)| *known == name);
                let alpha = Form::ALL.into_iter().find(|form| form.name() == name);
                let bdf = BdfForm::ALL.into_iter().find(|form| form.name() == name);
                let explicit = Formula::ALL.into_iter().find(|form| form.name() == name);
                let found = radau
                    .map(|(_, form)| Radau5::new(form).into())
                    .or(alpha.map(|form| DaeAlpha::new(form).into()))
                    .or(bdf.map(|form| Bdf::new(form).into()))
                    .or(explicit.map(|formula| Explicit::new(formula).into()));
                found.ok_or_else(|| OptionError::UnknownMethod {
                    name: name.into(),
                    suggestion: nearest(name, METHODS.iter().map(|m| m.name)),
                })
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            Kind::HhtI3(_) => "hht-i3",
            Kind::Soi2(options) => options.name(),
            Kind::DaeAlpha(options) => options.form().name(),
            Kind::Bdf(options) => options.form().name(),
            Kind::Radau5(options) => options.name(),
            Kind::StateSpace(options) => options.name(),
            Kind::Explicit(options) => options.name(),
        }
    }

    /// Numerical damping by the spectral radius at infinite frequency.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range.
    pub fn rho(mut self, rho: f64) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::HhtI3(options) => Kind::HhtI3(options.with_rho(rho)?),
            Kind::Soi2(options) => Kind::Soi2(options.with_rho(rho)?),
            Kind::DaeAlpha(options) => Kind::DaeAlpha(options.rho(rho)?),
            Kind::Bdf(_) | Kind::Radau5(_) => return Err(self.without("rho", UNDAMPED)),
            Kind::StateSpace(_) | Kind::Explicit(_) => {
                return Err(self.without("rho", NO_DAMPING));
            }
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
            Kind::Soi2(options) => Kind::Soi2(options.with_alpha(alpha)?),
            Kind::DaeAlpha(options) => Kind::DaeAlpha(options.alpha(alpha)?),
            Kind::Bdf(_) | Kind::Radau5(_) => return Err(self.without("alpha", UNDAMPED)),
            Kind::StateSpace(_) | Kind::Explicit(_) => {
                return Err(self.without("alpha", NO_DAMPING));
            }
        };
        Ok(self)
    }

    /// Whether what is carried from step to step follows changes of the step size; true by default.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for methods that carry nothing of the kind.
    pub fn adjust(mut self, adjust: bool) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::Soi2(options) => Kind::Soi2(options.adjust(adjust)),
            Kind::DaeAlpha(options) => Kind::DaeAlpha(options.adjust(adjust)),
            Kind::HhtI3(_)
            | Kind::Bdf(_)
            | Kind::Radau5(_)
            | Kind::StateSpace(_)
            | Kind::Explicit(_) => {
                return Err(self.without("adjust", "; gen-alpha-soi2 and hht-soi2 have it"));
            }
        };
        Ok(self)
    }

    /// Names the independent coordinates, for methods that split them; none leaves the choice to
    /// the method. The names are checked against the model when a run starts.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for methods that do not split.
    pub fn independent(mut self, names: Vec<String>) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::DaeAlpha(options) => Kind::DaeAlpha(options.independent(names)?),
            Kind::Bdf(options) => Kind::Bdf(options.independent(names)?),
            Kind::StateSpace(options) => Kind::StateSpace(options.independent(names)),
            Kind::Explicit(options) => Kind::Explicit(options.independent(names)),
            kind if names.is_empty() => kind,
            Kind::HhtI3(_) | Kind::Soi2(_) | Kind::Radau5(_) => {
                let hint = ": it does not split the coordinates; dae-alpha-cs and dae-alpha-cm do";
                return Err(self.without("independent", hint));
            }
        };
        Ok(self)
    }

    /// Highest order, for methods that choose it.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range, or when it has one order only.
    pub fn order(mut self, order: usize) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::Bdf(options) => Kind::Bdf(options.order(order)?),
            _ => return Err(self.without("order", "; bdf-ggl, bdf-cs and bdf-cm have it")),
        };
        Ok(self)
    }

    /// Whether velocities take part in the error test, for methods that leave it open.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for the others.
    pub fn test_velocities(mut self, test: bool) -> Result<Self, OptionError> {
        self.kind = match self.kind {
            Kind::Bdf(options) => Kind::Bdf(options.test_velocities(test)),
            _ => {
                let hint = ": it tests positions and states; bdf-ggl, bdf-cs and bdf-cm have it";
                return Err(self.without("positions-only", hint));
            }
        };
        Ok(self)
    }

    /// The error of an option that the method has not.
    fn without(&self, option: &'static str, hint: &'static str) -> OptionError {
        OptionError::NotOfMethod { method: self.name(), option, hint }
    }

    /// How the Newton matrix is kept; recycled by default, for how long is the method's choice.
    pub fn matrix_policy(mut self, policy: MatrixPolicy) -> Self {
        self.matrix = Some(policy);
        self
    }

    /// Whether Newton's iteration of a step may take the rate of an earlier step for its own, so that
    /// one iteration may be enough; not by default. A fifth less work with `gen-alpha-soi2`, but what
    /// each step leaves adds up in the velocities (docs/measurements.md). No effect on methods with an
    /// iteration of their own: `bdf-…`, `state-space`, explicit ones.
    pub fn trust_rate(mut self, trust: bool) -> Self {
        self.trust = Some(trust);
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
        Ok(match &self.kind {
            Kind::HhtI3(options) => self.implicit(options.scheme(system)),
            Kind::Soi2(options) => self.implicit(options.scheme(system)),
            Kind::Radau5(options) => self.implicit(options.scheme(system)),
            Kind::DaeAlpha(options) => {
                dae_alpha::check(options.form(), system)?;
                match options.form() {
                    Form::Stabilized => self.implicit(DaeScheme::new(options, system)),
                    Form::ProjectedOde => self.implicit(ProjectedScheme::new(options, system, at)),
                    _ => self.implicit(SplitScheme::new(options, system, at)?),
                }
            }
            Kind::Bdf(options) if options.form().splits() => {
                limits::check(options.form().name(), "bdf-ggl", &Limit::UNFIT_TO_SPLIT, system)?;
                self.implicit(bdf::SplitScheme::new(options, system, at)?)
            }
            Kind::Bdf(options) => self.implicit(bdf::StabilizedScheme::new(options, system, at)?),
            Kind::Explicit(options) => options.stepper(system, at)?,
            Kind::StateSpace(options) => Box::new(options.stepper(
                system,
                at,
                self.matrix.unwrap_or_default(),
                self.degree,
            )?),
        })
    }

    /// A stepper of a scheme with the common options.
    fn implicit<S: Scheme + 'static>(&self, scheme: S) -> Box<dyn Stepper> {
        let mut stepper = Implicit::new(scheme, self.matrix, self.trust);
        if let Some(degree) = self.degree {
            stepper.limit_degree(degree);
        }
        Box::new(stepper)
    }
}
