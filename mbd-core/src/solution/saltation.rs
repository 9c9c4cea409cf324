//! Derivatives through events.

use crate::state::State;
use nalgebra::{DMatrix, DVector};

/// How the state just after an event depends on the state just before: the *saltation matrix*.
///
/// With the state z = (q, v, x, discrete values), its rates ż⁻ and ż⁺ before and after, what is crossed σ(t, z) = 0 and
/// what the event sets, z⁺ = R(t, z⁻), to first order
///
/// ```text
///     δz⁺ = S δz⁻,    S = R_z + (ż⁺ − R_z ż⁻ − R_t) σ_z / (σ_z ż⁻ + σ_t),    δt = −σ_z δz⁻ / (σ_z ż⁻ + σ_t)
/// ```
///
/// for both states taken at the instant of the event, each continued to it by its own side. So along a motion from t₀ to
/// t₁ with one event in between dz₁/dz₀ = Φ⁺ S Φ⁻, Φ being the derivatives of the smooth motions up to the event and from
/// it on. An event at a time of its own, as a sample, has S = R_z.
///
/// Where constraints hold before the event, or contacts are closed or friction sticks, only changes that they leave are
/// possible. Others are first moved onto these, by the projection that is orthogonal with respect to the mass matrix
/// (velocities follow positions). What S gives then fits the constraints that hold after the event.
///
/// R_z is exact: impulses go through the mass matrix and all constraints with what touches, sticks and slides in them as it
/// was, and what events set may read positions, velocities, states, discrete values, time and reactions.
///
/// Aizerman, Gantmakher: On the stability of periodic motions, J. Appl. Math. Mech. 22 (1958) 1065–1078; Müller: Calculation
/// of Lyapunov exponents for dynamic systems with discontinuities, Chaos, Solitons & Fractals 5 (1995) 1671–1681.
#[derive(Clone, Debug, PartialEq)]
pub struct Saltation {
    /// Time of the event in s.
    pub t: f64,
    /// What happened at it: the names of [`Solution::events`](super::Solution::events), and of samples.
    pub names: Vec<String>,
    /// The scalars of the state, in the order of rows and columns: coordinates (`x`), velocities (`der(x)`), states, discrete
    /// values.
    pub scalars: Vec<String>,
    /// The derivatives, or why there are none.
    pub derivatives: Result<EventDerivatives, NoSaltation>,
}

/// First derivatives at an event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDerivatives {
    /// S: row i, column j is the change of scalar i just after the event with scalar j just before it.
    pub matrix: DMatrix<f64>,
    /// δt: the change of the instant with each scalar just before it, in s by the scalar's unit; 0 for events at times of
    /// their own.
    pub instant: DVector<f64>,
}

/// Why the state after an event has no derivative by the one before, or none that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoSaltation {
    /// What is crossed is only touched: its rate is 0, and the event may as well not happen.
    Grazing,
    /// Several comparisons are crossed at one instant, and which comes first depends on the direction of the change.
    Simultaneous,
    /// The comparison can be held on no side: it reads reactions or accelerations or stands in a constraint, is in plain Rust
    /// (`match`), or its sides lead back at once; or it is of friction in a plane, whose direction turns infinitely fast at
    /// rest.
    NotHeld,
    /// The equations of motion or of impact are singular, or what is set, or a momentum that goes on, has no derivative that is
    /// known.
    Singular,
}

impl NoSaltation {
    const ALL: [NoSaltation; 4] = [
        NoSaltation::Grazing,
        NoSaltation::Simultaneous,
        NoSaltation::NotHeld,
        NoSaltation::Singular,
    ];
}

impl std::fmt::Display for NoSaltation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoSaltation::Grazing => {
                "the boundary is touched with no rate, so that a small change decides whether there is an event"
            }
            NoSaltation::Simultaneous => {
                "several comparisons are crossed at one instant, so that a small change decides their order"
            }
            NoSaltation::NotHeld => {
                "what is compared is decided within the steps and not held between events, so that its crossing has no \
                 instant of its own, or is of friction in a plane, whose direction has no derivative at rest"
            }
            NoSaltation::Singular => {
                "the equations of motion or of the impact are singular there, or what is set, or a momentum that goes on, \
                 has no derivative that is known"
            }
        })
    }
}

impl std::error::Error for NoSaltation {}

impl Saltation {
    /// The derivative of one scalar just after the event by one just before, by their names; `None` where there is none.
    pub fn entry(&self, after: &str, before: &str) -> Option<f64> {
        let place = |name: &str| self.scalars.iter().position(|scalar| scalar == name);
        let matrix = &self.derivatives.as_ref().ok()?.matrix;
        Some(matrix[(place(after)?, place(before)?)])
    }

    pub(crate) fn none() -> Self {
        let derivatives = Err(NoSaltation::Singular);
        Saltation { t: 0.0, names: Vec::new(), scalars: Vec::new(), derivatives }
    }

    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Saltation { t, names, scalars, derivatives } = self;
        state.number(t);
        state.every(names, String::new(), |state, name| state.text(name));
        state.every(scalars, String::new(), |state, name| state.text(name));
        let why = derivatives.as_ref().err();
        let mut which = why.map_or(NoSaltation::ALL.len(), |why| {
            NoSaltation::ALL.iter().position(|one| one == why).unwrap_or(0)
        });
        state.count(&mut which);
        let known = derivatives.as_ref().ok();
        let mut values = known.map_or(Vec::new(), |one| {
            one.matrix.iter().chain(one.instant.iter()).copied().collect()
        });
        state.list(&mut values);
        if !state.restores() {
            return;
        }
        let size = scalars.len();
        *derivatives = match NoSaltation::ALL.get(which) {
            Some(why) => Err(why.clone()),
            None if values.len() == size * (size + 1) => {
                let (matrix, instant) = values.split_at(size * size);
                Ok(EventDerivatives {
                    matrix: DMatrix::from_column_slice(size, size, matrix),
                    instant: DVector::from_column_slice(instant),
                })
            }
            None => {
                state.require(false);
                Err(NoSaltation::Singular)
            }
        };
    }
}
