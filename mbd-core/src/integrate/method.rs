//! The methods by name, with their options.

use super::alpha::dae_form::{DaeAlpha, Form};
use super::alpha::hht_i3::HhtI3;
use super::alpha::soi2::Soi2;
use super::bdf::{Bdf, BdfForm};
use super::explicit::{Explicit, Formula};
use super::limits::{self, Limit};
use super::options::{Common, Options, Setting};
use super::radau5::{self, Radau5};
use super::scheme::{Scheme, Stepper};
use super::state_space::StateSpace;
use super::user_defined::UserDefined;
use crate::assembly::{Point, System};
use crate::error::{OptionError, nearest};
use crate::nonlinear::MatrixPolicy;

/// A method as `info` lists it.
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    /// Name.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Options with their ranges.
    pub options: &'static str,
    /// The method with default options.
    make: fn() -> Kind,
}

/// Every method.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "gen-alpha-soi2",
        summary: "generalized-alpha with position and velocity constraints (Jay and Negrut): order \
                  2, numerical damping by choice, fixed and adaptive step",
        options: "--rho from 0 to 1 (default 0.8), or --alpha from -1/3 to 0, which makes it \
                  hht-soi2; --no-adjust",
        make: || Soi2::default().into(),
    },
    MethodInfo {
        name: "hht-soi2",
        summary: "Hilber-Hughes-Taylor with position and velocity constraints (Jay and Negrut): \
                  order 2, fixed and adaptive step",
        options: "--alpha from -1/3 to 0 (default -0.3), or --rho from 0.5 to 1; --no-adjust",
        make: || Soi2::hht_default().into(),
    },
    MethodInfo {
        name: "hht-i3",
        summary: "Hilber-Hughes-Taylor on the index-3 equations (Negrut et al.): order 2, \
                  numerical damping, fixed and adaptive step",
        options: "--alpha from -1/3 to 0 (default -0.3), or --rho from 0.5 to 1",
        make: || HhtI3::default().into(),
    },
    MethodInfo {
        name: "dae-alpha",
        summary: "the DAE alpha-method on the stabilized index-2 equations (Yen, Petzold, Raha): \
                  order 2, numerical damping by choice",
        options: "--rho from 0 to 1 (default 0.75), or --alpha from -1/3 to 0; --no-adjust",
        make: || DaeAlpha::new(Form::Stabilized).into(),
    },
    MethodInfo {
        name: "dae-alpha-cs",
        summary: "the same with the multipliers eliminated by coordinate splitting",
        options: "as dae-alpha; --independent coordinate,... (default by pivoting)",
        make: || DaeAlpha::new(Form::CoordinateSplit).into(),
    },
    MethodInfo {
        name: "dae-alpha-cm",
        summary: "the same without the derivative of the splitting in the iteration matrix",
        options: "as dae-alpha; --independent coordinate,... (default by pivoting)",
        make: || DaeAlpha::new(Form::Modified).into(),
    },
    MethodInfo {
        name: "dae-alpha-cm-frozen",
        summary: "the same with the splitting of the predicted coordinates",
        options: "as dae-alpha; --independent coordinate,... (default by pivoting)",
        make: || DaeAlpha::new(Form::Frozen).into(),
    },
    MethodInfo {
        name: "radau5",
        summary: "Radau IIA with three stages on the index-1 equations, projected onto position and \
                  velocity constraints: order 5, for tight tolerances",
        options: "none",
        make: || Radau5::new(radau5::Form::Acceleration).into(),
    },
    MethodInfo {
        name: "radau5-index2",
        summary: "the same on the index-2 equations: multipliers of order 3",
        options: "none",
        make: || Radau5::new(radau5::Form::Velocity).into(),
    },
    MethodInfo {
        name: "projected-ode",
        summary: "the alpha-method on the underlying ODE, projected onto the constraints: order 2",
        options: "as dae-alpha",
        make: || DaeAlpha::new(Form::ProjectedOde).into(),
    },
    MethodInfo {
        name: "bdf-ggl",
        summary: "backward differentiation on the stabilized index-2 equations, step and order by \
                  DASSL's rules (Yen and Petzold); every kind of model",
        options: "--order from 1 to 5 (default 2); --positions-only",
        make: || Bdf::new(BdfForm::Stabilized).into(),
    },
    MethodInfo {
        name: "bdf-ggl-star",
        summary: "the same with the multipliers kept out of the convergence test",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
        make: || Bdf::new(BdfForm::StabilizedStar).into(),
    },
    MethodInfo {
        name: "bdf-cs",
        summary: "the same with the multipliers eliminated by coordinate splitting",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
        make: || Bdf::new(BdfForm::CoordinateSplit).into(),
    },
    MethodInfo {
        name: "bdf-cm",
        summary: "bdf-cs without the derivative of the splitting in the iteration matrix",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
        make: || Bdf::new(BdfForm::Modified).into(),
    },
    MethodInfo {
        name: "bdf-cm-1996",
        summary: "bdf-cs with the splitting of the last iteration matrix, as once published: NOT \
                  consistent, can converge to wrong answers; for comparison only",
        options: "as bdf-ggl; --independent coordinate,... (default by pivoting)",
        make: || Bdf::new(BdfForm::Stale).into(),
    },
    MethodInfo {
        name: "state-space",
        summary: "the trapezoidal rule on the independent coordinates (Haug, Negrut, Iancu): order \
                  2, no damping, fixed and adaptive step",
        options: "--independent coordinate,... (default by pivoting)",
        make: || StateSpace::default().into(),
    },
    MethodInfo {
        name: "state-space-fv",
        summary: "the same with the iteration matrix of Fisette and Vaneghem, for comparison",
        options: "as state-space",
        make: || StateSpace::fisette_vaneghem().into(),
    },
    MethodInfo {
        name: "explicit-abm",
        summary: "Adams, Bashforth and Moulton's predictor and corrector on the independent \
                  coordinates: order 2, explicit, fixed and adaptive step",
        options: "as state-space",
        make: || Explicit::new(Formula::AdamsBashforthMoulton).into(),
    },
    MethodInfo {
        name: "explicit-rk",
        summary: "Dormand and Prince's Runge-Kutta pair on the independent coordinates: order 5, \
                  explicit, for motion that is not stiff",
        options: "as state-space",
        make: || Explicit::new(Formula::DormandPrince).into(),
    },
];

/// A method with its options.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    kind: Kind,
    common: Common,
    /// What it cannot treat beside what its kind cannot, and a method that can.
    unfit: Option<(&'static [Limit], &'static str)>,
}

/// The families of methods, each a variant with its options.
macro_rules! families {
    ($($Family:ident),*) => {
        #[derive(Clone, Debug, PartialEq)]
        enum Kind {
            $($Family($Family)),*
        }

        impl Kind {
            fn options(&self) -> &dyn Options {
                match self {
                    $(Kind::$Family(options) => options),*
                }
            }

            fn options_mut(&mut self) -> &mut dyn Options {
                match self {
                    $(Kind::$Family(options) => options),*
                }
            }
        }

        $(
            impl From<$Family> for Kind {
                fn from(options: $Family) -> Self {
                    Kind::$Family(options)
                }
            }

            impl From<$Family> for Method {
                fn from(options: $Family) -> Self {
                    Kind::from(options).into()
                }
            }
        )*
    };
}

families!(HhtI3, Soi2, DaeAlpha, Bdf, Radau5, StateSpace, Explicit, UserDefined);

impl From<Kind> for Method {
    fn from(kind: Kind) -> Self {
        Method { kind, common: Common::default(), unfit: None }
    }
}

impl Default for Method {
    /// `gen-alpha-soi2`.
    fn default() -> Self {
        Soi2::default().into()
    }
}

impl Method {
    /// A method by its name, with default options.
    ///
    /// # Errors
    /// [`OptionError::UnknownMethod`] with the nearest name.
    pub fn from_name(name: &str) -> Result<Self, OptionError> {
        match METHODS.iter().find(|method| method.name == name) {
            Some(method) => Ok((method.make)().into()),
            None => Err(OptionError::UnknownMethod {
                name: name.into(),
                suggestion: nearest(name, METHODS.iter().map(|m| m.name)),
            }),
        }
    }

    /// A method of your own that solves one nonlinear system per step, with the predictor, Newton's iteration, step
    /// control, events and estimates of the library's methods.
    ///
    /// `make` is called for each system, and again where constraints come and go. The scheme's name must be `name`, and
    /// its blocks and instants must cover its unknowns: a run ends with [`OptionError::NoMethod`] otherwise. A scheme
    /// that cannot treat every model [says so](Self::cannot_treat).
    pub fn from_scheme<S: Scheme + 'static>(
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&System) -> S + Send + Sync + 'static,
    ) -> Self {
        UserDefined::of_scheme(name, summary, make).into()
    }

    /// A method of your own that takes its steps itself, as explicit ones do, with step control, events and estimates
    /// of the library's methods; otherwise as [`from_scheme`](Self::from_scheme).
    pub fn from_stepper<S: Stepper + 'static>(
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&System) -> S + Send + Sync + 'static,
    ) -> Self {
        UserDefined::of_stepper(name, summary, make).into()
    }

    /// States what the method cannot treat, and by name a method that can: models that have it are refused, and steps on
    /// constraints that events close are left to another method.
    pub fn cannot_treat(mut self, what: &'static [Limit], alternative: &'static str) -> Self {
        self.unfit = Some((what, alternative));
        self
    }

    /// One line on what it is.
    pub fn summary(&self) -> &'static str {
        match &self.kind {
            Kind::UserDefined(method) => method.summary(),
            _ => {
                METHODS.iter().find(|info| info.name == self.name()).map_or("", |info| info.summary)
            }
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.kind.options().name()
    }

    /// Numerical damping by the spectral radius at infinite frequency.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range, or when it has no such damping.
    pub fn rho(self, rho: f64) -> Result<Self, OptionError> {
        self.with(Setting::Rho(rho))
    }

    /// Numerical damping by α.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range, or when the method has no α.
    pub fn alpha(self, alpha: f64) -> Result<Self, OptionError> {
        self.with(Setting::Alpha(alpha))
    }

    /// Whether what is carried from step to step follows changes of the step size; true by default.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for methods that carry nothing of the kind.
    pub fn adjust(self, adjust: bool) -> Result<Self, OptionError> {
        self.with(Setting::Adjust(adjust))
    }

    /// Names the independent coordinates, for methods that split them; none leaves the choice to
    /// the method. The names are checked against the model when a run starts.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for methods that do not split.
    pub fn independent(self, names: Vec<String>) -> Result<Self, OptionError> {
        self.with(Setting::Independent(names))
    }

    /// Highest order, for methods that choose it.
    ///
    /// # Errors
    /// [`OptionError`] when out of the method's range, or when it has one order only.
    pub fn order(self, order: usize) -> Result<Self, OptionError> {
        self.with(Setting::Order(order))
    }

    /// Whether velocities take part in the error test, for methods that leave it open.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for the others.
    pub fn test_velocities(self, test: bool) -> Result<Self, OptionError> {
        self.with(Setting::TestVelocities(test))
    }

    fn with(mut self, setting: Setting) -> Result<Self, OptionError> {
        self.kind.options_mut().set(setting)?;
        Ok(self)
    }

    /// How the Newton matrix is kept; recycled by default, for how long is the method's choice.
    pub fn matrix_policy(mut self, policy: MatrixPolicy) -> Self {
        self.common.matrix = Some(policy);
        self
    }

    /// Whether Newton's iteration of a step may take the rate of an earlier step for its own, so that
    /// one iteration may be enough; not by default. A fifth less work with `gen-alpha-soi2`, but what
    /// each step leaves adds up in the velocities (docs/book/src/history.md). No effect on methods with an
    /// iteration of their own: `bdf-…`, `state-space`, explicit ones.
    pub fn trust_rate(mut self, trust: bool) -> Self {
        self.common.trust_rate = Some(trust);
        self
    }

    /// Bounds the predictor's degree (3 by default), for studies.
    pub fn predictor_degree(mut self, degree: usize) -> Self {
        self.common.degree = Some(degree);
        self
    }

    /// Whether the method can treat a model.
    ///
    /// # Errors
    /// [`OptionError::NotForModel`] with the first statement that it cannot treat, and a method that can.
    pub fn treats(&self, system: &System) -> Result<(), OptionError> {
        let (limits, alternative) = self.kind.options().limits();
        limits::check(self.name(), alternative, limits, system)?;
        match self.unfit {
            Some((limits, alternative)) => limits::check(self.name(), alternative, limits, system),
            None => Ok(()),
        }
    }

    /// Builds the method for a system; `at` is the point it will start from.
    ///
    /// # Errors
    /// [`OptionError`] when the method cannot treat the model, or its options do not fit it.
    pub fn stepper(&self, system: &System, at: &Point) -> Result<Box<dyn Stepper>, OptionError> {
        self.treats(system)?;
        self.kind.options().stepper(system, at, &self.common)
    }
}
