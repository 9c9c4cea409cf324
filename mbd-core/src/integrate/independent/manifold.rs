//! A point of the constraint manifold from its independent coordinates and velocities (paper 004,
//! eq. 11 to 13), for the methods that integrate the state-space equations.
//!
//! With u the dependent and v the independent coordinates of a [`Partition`], in the paper's letters
//!
//! ```text
//! Φ(u, v, t) = 0                     u by Newton's iteration with a kept factorization of Φ_u
//! Φ_u u̇ + Φ_v v̇ + Φ_t = 0            u̇ with Φ_u of the new position
//! Φ_u ü + Φ_v v̈ + γ = 0              ü likewise
//! ```
//!
//! Nothing here, nor in the methods that use it, remembers a partition from step to step: points
//! hold all coordinates, velocities and accelerations, and past ones are kept whole. A change of the
//! partition therefore costs no order.

use super::partition::{Choice, Partition};
use crate::assembly::{Point, Residual, SlotKind, System, Want};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::scheme::Failure;
use crate::integrate::weights::largest_in;
use crate::linear::LinearError;
use crate::nonlinear::{Equations, MatrixPolicy, Newton, NewtonFailure, NewtonOptions, Stop};
use crate::scales::Scales;

/// Growth of ‖Φ_u⁻¹‖ from which on another partition is chosen. Derivatives of the state-space
/// equations grow with its powers, and errors with them: a pendulum in x and y takes `explicit-rk`
/// 5588 steps in place of 4041 at tolerance 1e-11 when it is 10.
const GROWN: f64 = 3.0;

/// A change of a dependent coordinate beyond what its velocities make of it, over that, from which on it
/// is a leap; of its velocity likewise, over that and the velocity. The trapezoidal rule errs by a tenth
/// of a vibration's velocity in a sixth of its period; another branch reverses a velocity, or stops it.
const LEAP: f64 = 0.5;

/// A leap is at least this part of the scale.
const NOTABLE: f64 = 0.01;

/// A correction of dependent coordinates, relative to the largest coordinate of the same unit, that no
/// longer matters.
const ROUNDINGS: f64 = 4.0 * f64::EPSILON;

/// The dependent coordinates of a system as functions of the independent ones.
///
/// # Allocations
/// None but when a partition is chosen.
#[derive(Debug)]
pub(in crate::integrate) struct Manifold {
    pub(in crate::integrate) partition: Partition,
    newton: Newton,
    /// The dependent coordinates.
    dependent: Vec<f64>,
    pieces: Residual,
    residual: Vec<f64>,
    correction: Vec<f64>,
    /// Magnitude of the coordinates.
    magnitude: Vec<f64>,
    /// Scales of coordinates and velocities.
    lengths: Vec<f64>,
    speeds: Vec<f64>,
}

impl Manifold {
    /// Chooses a partition at a point.
    ///
    /// # Errors
    /// [`OptionError::Independent`], [`OptionError::NoIndependent`].
    pub(in crate::integrate) fn new(
        system: &System,
        at: &Point,
        independent: &[String],
    ) -> Result<Self, OptionError> {
        let choice = match Choice::by_names(system, independent)? {
            Choice::Automatic(_) => Choice::Automatic(crate::integrate::Pivoting::Full),
            named => named,
        };
        let partition = Partition::new(system, at, choice)?.renewed_at(GROWN);
        let dims = system.dims();
        Ok(Manifold {
            newton: positions_newton(&partition),
            dependent: vec![0.0; partition.dependent().len()],
            partition,
            pieces: Residual::new(&dims),
            residual: vec![0.0; dims.m],
            correction: vec![0.0; dims.n],
            magnitude: vec![1.0; dims.n],
            lengths: vec![1.0; dims.n],
            speeds: vec![1.0; dims.n],
        })
    }

    /// Takes what a rounding is, and how large coordinates and velocities are.
    pub(in crate::integrate) fn measure(&mut self, scales: &Scales) {
        self.magnitude.copy_from_slice(scales.q().magnitude());
        self.lengths.copy_from_slice(scales.q().weights());
        self.speeds.copy_from_slice(scales.v().weights());
    }

    /// Saves or restores the partition.
    pub(in crate::integrate) fn state(&mut self, state: &mut State<'_>) {
        let Manifold {
            partition,
            newton,
            dependent: _,
            pieces: _,
            residual: _,
            correction: _,
            magnitude,
            lengths,
            speeds,
        } = self;
        partition.state(state);
        state.numbers(magnitude);
        state.numbers(lengths);
        state.numbers(speeds);
        if state.restores() && state.is_right() {
            *newton = positions_newton(partition);
        }
    }

    /// The independent coordinates.
    pub(in crate::integrate) fn independent(&self) -> &[usize] {
        self.partition.independent()
    }

    /// Keeps the partition at a point while it is good there; otherwise chooses another. Returns
    /// whether it did.
    pub(in crate::integrate) fn renew(&mut self, system: &System, at: &Point) -> bool {
        // A singular partition, which may be a new one, shows when it is used.
        let renewed = self.partition.renew(system, at).unwrap_or(true);
        if renewed {
            self.newton = positions_newton(&self.partition);
        }
        renewed
    }

    /// Chooses a partition at a point, after a step that failed with the one kept: an independent
    /// coordinate may have an extreme within the step.
    pub(in crate::integrate) fn choose_again(&mut self, system: &System, at: &Point) {
        // As in `renew`.
        let _ = self.partition.choose_again(system, at);
        self.newton = positions_newton(&self.partition);
    }

    /// Dependent coordinates and velocities of a point from its independent ones; the dependent
    /// ones it has are the guesses.
    ///
    /// # Errors
    /// [`Failure`] with the index of a coordinate.
    pub(in crate::integrate) fn place(
        &mut self,
        system: &System,
        to: &mut Point,
    ) -> Result<(), Failure> {
        if self.dependent.is_empty() {
            return Ok(());
        }
        self.positions(system, to)?;
        self.partition.evaluate(system, to).map_err(|error| {
            let coordinate = |i: usize| self.partition.dependent().get(i).copied().unwrap_or(0);
            match error {
                LinearError::Singular { column, .. } => {
                    Failure::Singular { index: coordinate(column) }
                }
                _ => Failure::NotFinite { row: coordinate(0), value: f64::NAN },
            }
        })?;
        system.eval_at(to, Want::GDOT, &mut self.pieces);
        self.correct_by(Want::GDOT);
        for (v, dv) in to.v_mut().iter_mut().zip(&self.correction) {
            *v += dv;
        }
        Ok(())
    }

    /// Dependent accelerations of a placed point from its independent ones.
    pub(in crate::integrate) fn accelerate(&mut self, system: &System, to: &mut Point) {
        if self.dependent.is_empty() {
            return;
        }
        system.eval_at(to, Want::GU | Want::GAMMA, &mut self.pieces);
        self.correct_by(Want::GU | Want::GAMMA);
        for (a, da) in to.a_mut().iter_mut().zip(&self.correction) {
            *a += da;
        }
    }

    /// Whether a step keeps to its branch of the motion: where constraints lose rank, as those of bars in
    /// line, several branches meet in the same position and go on with other velocities, of which
    /// [`place`](Self::place) finds any; and an angle may come to rest a turn away.
    ///
    /// # Errors
    /// [`Failure::Leapt`] with the index of a coordinate.
    pub(in crate::integrate) fn keeps_branch(
        &self,
        from: &Point,
        to: &Point,
    ) -> Result<(), Failure> {
        let half = 0.5 * (to.t() - from.t());
        let mut most = (LEAP, None);
        let levels =
            [(SlotKind::Q, SlotKind::V, &self.lengths), (SlotKind::V, SlotKind::A, &self.speeds)];
        for (kind, rate, scale) in levels {
            let velocity = kind == SlotKind::V;
            let [[y, z], [v, w]] = [kind, rate].map(|kind| [from.get(kind), to.get(kind)]);
            for &j in self.partition.dependent() {
                let by = z[j] - y[j] - half * (v[j] + w[j]);
                let size = if velocity { y[j].abs().max(z[j].abs()) } else { 0.0 };
                let ratio = by.abs() / (size + half * (v[j].abs() + w[j].abs()));
                if ratio > most.0 && by.abs() > NOTABLE * scale[j] {
                    most = (ratio, Some(Failure::Leapt { index: j, velocity, by }));
                }
            }
        }
        most.1.map_or(Ok(()), Err)
    }

    /// The change of the dependent entries that takes the sum of the given pieces to zero.
    fn correct_by(&mut self, of: Want) {
        let Residual { gdot, gu, gamma, .. } = &self.pieces;
        for (i, r) in self.residual.iter_mut().enumerate() {
            *r = if of.has(Want::GDOT) { -gdot[i] } else { -gu[i] - gamma[i] };
        }
        self.correction.fill(0.0);
        self.partition.complete(&self.residual, &mut self.correction);
    }

    /// Eq. 11.
    fn positions(&mut self, system: &System, to: &mut Point) -> Result<(), Failure> {
        let Manifold { partition, newton, dependent, pieces, magnitude, .. } = self;
        for (y, &j) in dependent.iter_mut().zip(partition.dependent()) {
            *y = to.q()[j];
        }
        let mut equations = Positions { system, partition, to, pieces, magnitude };
        let solved = newton.solve(&mut equations, dependent, 1.0, Stop::ROUND_OFF);
        equations.write(dependent);
        let coordinate = |i: usize| partition.dependent().get(i).copied().unwrap_or(0);
        match solved {
            Ok(_) => Ok(()),
            Err(NewtonFailure::NotFinite { equation, value, .. }) => {
                Err(Failure::NotFinite { row: coordinate(equation), value })
            }
            Err(NewtonFailure::Linear(LinearError::Singular { column, .. })) => {
                Err(Failure::Singular { index: coordinate(column) })
            }
            Err(NewtonFailure::Diverged { iterations, worst, correction, .. })
            | Err(NewtonFailure::TooSlow { iterations, worst, correction, .. }) => {
                Err(Failure::Diverged { iterations, worst: coordinate(worst), correction })
            }
            Err(_) => Err(Failure::NotFinite { row: coordinate(0), value: f64::NAN }),
        }
    }
}

fn positions_newton(partition: &Partition) -> Newton {
    let options = NewtonOptions { policy: MatrixPolicy::RECYCLE, ..Default::default() };
    Newton::new(partition.block_pattern(), options)
}

/// Φ = 0 for the dependent coordinates, as Newton sees it.
struct Positions<'a> {
    system: &'a System,
    partition: &'a mut Partition,
    to: &'a mut Point,
    pieces: &'a mut Residual,
    magnitude: &'a [f64],
}

impl Positions<'_> {
    fn write(&mut self, u: &[f64]) {
        let q = self.to.get_mut(SlotKind::Q);
        for (y, &j) in u.iter().zip(self.partition.dependent()) {
            q[j] = *y;
        }
    }
}

impl Positions<'_> {
    /// The rows of the partition.
    fn take_rows(&self, r: &mut [f64]) {
        for (r, &row) in r.iter_mut().zip(self.partition.rows()) {
            *r = self.pieces.g[row];
        }
    }
}

impl Equations for Positions<'_> {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.write(u);
        self.system.eval_at(self.to, Want::G, self.pieces);
        self.take_rows(r);
    }

    fn disturbed_residual(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        self.write(u);
        let Positions { system, to, pieces, .. } = self;
        system.disturbed(to, |to| system.eval_at(to, Want::G, pieces));
        self.take_rows(r);
        true
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        self.write(u);
        self.partition.block(self.system, self.to, values);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let dependent = self.partition.dependent();
        [largest_in(du, |k| ROUNDINGS * self.magnitude[dependent[k]]), 0.0]
    }
}
