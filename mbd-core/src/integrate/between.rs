//! Points between accepted ones, completed: from the interpolated q, v and x onto the constraints,
//! and from there to a, λ, ψ, ẋ and w by the equations of motion.
//!
//! # Onto the constraints
//! Interpolated coordinates and velocities leave the constraints by the error of the interpolation.
//! Where they violate them by more than the ends of the step do, they are corrected, by Newton's
//! iteration with the matrix at hand: a method that keeps a constraint at the steps keeps it between
//! them, and what drifts drifts alike. So are accelerations, which are the derivatives of interpolated
//! velocities at first: what constraints say of them must not look like stiffness below. Where that does
//! not converge, as in steps over half a turn, a new matrix is taken, without what the forces (below)
//! add to it.
//!
//! # Forces of interpolated positions
//! An error δq of the interpolation is a force K δq, and an acceleration ω² δq where the motion is
//! stiff: much more than what an interpolation of accelerations errs by when hω is large. So q, v and
//! x of the forces follow the solution,
//!
//! ```text
//!     q = q̄ + κ₂h² (a − ā),   v = v̄ + κ₁h (a − ā),   x = x̄ + κ₁h (ẋ − ẋ̄)
//! ```
//!
//! with the interpolated values barred. What is not stiff notices a change of κ₂h²ω² (a − ā) only,
//! of the order of ω²δq; what is stiff gives way until a is off by δq/κ₂h², no more than ā is.
//! The point keeps q̄, v̄ and x̄. With explicit methods, whose steps are short against all that moves,
//! κ₁ = κ₂ = 0.
//!
//! # Methods of order 5
//! The accelerations of both ends and of the middle of the step are found in the same way, once for
//! all instants of the step, and q, v and ā are those of the polynomial through them ([`Smooth`]).

use super::dense::Smooth;
use super::scheme::Stepper;
use crate::assembly::{Point, Residual, SlotKind, System, Want};
use crate::nonlinear::{MatrixPolicy, NewtonFailure};
use crate::scales::Scales;
use crate::start::{Accelerations, Following};

/// κ₁: the largest error of the cubic through (v, a) is h⁴v⁗/384, of its rate h³v⁗/72√3.
const RATE: f64 = 1.0 / 8.0;
/// κ₂: the largest error of the cubic through (q, v) is h⁴q⁗/384, that of a line through a is h²q⁗/8.
const POSITION: f64 = 1.0 / 48.0;

/// Corrections of q or of v at most.
const CORRECTIONS: usize = 8;

/// Corrections of this size, relative to what they correct, need not be made better; of accelerations, which
/// forces follow only, none is needed then.
const FINE: [f64; 3] = [1e-9, 1e-9, 1e-6];

/// What is corrected, in order.
const LEVELS: [SlotKind; 3] = [SlotKind::Q, SlotKind::V, SlotKind::A];

/// What a correction leaves of a violation from which on it is for a new matrix.
const SLOW: f64 = 0.1;

/// New matrices for it at most.
const MATRICES: usize = 2;

/// What reactions may differ by, in units of their scales, from those that the method left at a step. Where they differ by more
/// a position is as good as singular, of which the last digits make forces without end, by the one or by the other: the smaller
/// are right.
const CHANGED: f64 = 0.05;

/// Violations up to this many times those at the ends of the step are no more than theirs.
const ALIKE: f64 = 2.0;

/// Completes points of one system between accepted ones.
///
/// # Allocations
/// None after construction.
#[derive(Debug)]
pub(super) struct Between {
    accelerations: Accelerations,
    /// What the stepper interpolated.
    about: Point,
    pieces: Residual,
    b: Vec<f64>,
    /// The ends of the step, and the violations of g, of Gv + g_t and k, and of Ga + γ and Ka + ζ (none) that
    /// it may have.
    step: [f64; 2],
    allowed: [f64; 3],
    /// How large q, v and a are in it.
    sizes: [f64; 3],
    /// For methods of order 5.
    smooth: Option<Smooth>,
    /// κ₁ and κ₂.
    factors: [f64; 2],
}

impl Between {
    pub(super) fn new(system: &System, stepper: &dyn Stepper) -> Self {
        let accelerations = Accelerations::following(system, MatrixPolicy::RECYCLE);
        Between {
            smooth: stepper.is_of_order_5().then(|| Smooth::new(&system.initial_point())),
            factors: if stepper.is_explicit() { [0.0; 2] } else { [RATE, POSITION] },
            about: system.initial_point(),
            pieces: Residual::new(&system.dims()),
            b: vec![0.0; accelerations.size()],
            accelerations,
            step: [f64::NAN; 2],
            allowed: [0.0; 3],
            sizes: [0.0; 3],
        }
    }

    /// Fills `out` with the solution at a time between `from` and `to`, the ends of the stepper's
    /// last step. Where the equations have no solution, as in singular positions, everything is
    /// interpolated.
    pub(super) fn fill(
        &mut self,
        system: &System,
        stepper: &dyn Stepper,
        (from, to): (&Point, &Point),
        t: f64,
        out: &mut Point,
    ) {
        if self.step != [from.t(), to.t()] {
            self.enter(system, stepper, (from, to), out);
        }
        stepper.interpolate(from, to, t, out);
        if let Some(smooth) = &self.smooth {
            smooth.place(t, out);
        }
        self.about.copy_from(out);
        if self.solve(system, to.t() - from.t(), out).is_err() {
            out.copy_from(&self.about);
            self.accelerations.forget();
        }
    }

    /// Fills `out` with an end of a step of size `h` as it is told: with what belongs to its position and velocity in place
    /// of what the method left of a, λ, ψ, ẋ and w, which it may know to a lower order only, or carry from step to step. As
    /// the method left it where the equations have no solution, or one that depends on the last digits of the position, as
    /// near a singular one.
    pub(super) fn complete(
        kept: &mut Option<Between>,
        (system, stepper): (&System, &dyn Stepper),
        scales: &Scales,
        h: f64,
        end: &Point,
        out: &mut Point,
    ) {
        out.copy_from(end);
        if !(h > 0.0) || stepper.solves_motion() {
            return;
        }
        let between = kept.get_or_insert_with(|| Between::new(system, stepper));
        between.about.copy_from(end);
        let largest = end.a().iter().fold(0.0, |m: f64, a| m.max(a.abs()));
        let size = std::mem::replace(&mut between.sizes[2], largest);
        let aligned = between.project(system, h, 2, out);
        let completed = aligned.and_then(|()| {
            let following = following(&between.about, between.factors, h);
            between.accelerations.solve_anew_following(system, out, following)?;
            between.keep(out);
            Ok(())
        });
        between.sizes[2] = size;
        let of = |point: &Point| scales.of_multipliers(point.lambda(), point.psi());
        let differs = |kind, scale: &[f64]| {
            let pairs = out.get(kind).iter().zip(end.get(kind)).zip(scale);
            // Written so that NaN counts.
            pairs.into_iter().any(|((is, was), scale)| !((is - was).abs() <= CHANGED * scale))
        };
        let far =
            differs(SlotKind::Lambda, scales.lambda()) || differs(SlotKind::Psi, scales.psi());
        if completed.is_err() || far && !(of(out) < of(end)) {
            out.copy_from(end);
            between.accelerations.forget();
        }
    }

    /// Looks at the ends of a step, and at its middle.
    fn enter(
        &mut self,
        system: &System,
        stepper: &dyn Stepper,
        (from, to): (&Point, &Point),
        out: &mut Point,
    ) {
        let h = to.t() - from.t();
        let follows = self.step[1] == from.t();
        self.step = [from.t(), to.t()];
        self.allowed = [0.0; 3];
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
        self.sizes = LEVELS.map(|level| largest(from.get(level)).max(largest(to.get(level))));
        for end in [from, to] {
            for (level, allowed) in LEVELS.into_iter().zip(&mut self.allowed).take(2) {
                let violation = violation(system, end, level, &mut self.pieces);
                *allowed = allowed.max(ALIKE * violation);
            }
        }
        let Some(mut smooth) = self.smooth.take() else { return };
        let ends = smooth.ends_mut();
        ends.swap(0, 1);
        // The accelerations of the end of the step before are those of the beginning of this one, unless an event or a
        // sample has set something there.
        let same = |kind| ends[0].get(kind) == from.get(kind);
        let held = ends[0].sides() == from.sides() && ends[0].modes() == from.modes();
        let known = follows
            && held
            && [SlotKind::T, SlotKind::Q, SlotKind::V, SlotKind::X].into_iter().all(same);
        for (end, given) in ends.iter_mut().zip([from, to]).skip(usize::from(known)) {
            self.about.copy_from(given);
            end.copy_from(given);
            if self.follow(system, h, end).is_err() {
                end.copy_from(given);
                self.accelerations.forget();
            }
        }
        smooth.forget_middle();
        let middle = 0.5 * (from.t() + to.t());
        stepper.interpolate(from, to, middle, out);
        smooth.place(middle, out);
        self.about.copy_from(out);
        if self.follow(system, h, out).is_ok() {
            smooth.set_middle(self.about.a(), out.a());
        } else {
            self.accelerations.forget();
        }
        self.smooth = Some(smooth);
    }

    /// Forgets steps looked at before, and what is left of their matrices.
    pub(super) fn forget(&mut self) {
        self.step = [f64::NAN; 2];
        self.accelerations.forget();
    }

    fn solve(&mut self, system: &System, h: f64, out: &mut Point) -> Result<(), NewtonFailure> {
        for i in 0..LEVELS.len() {
            self.project(system, h, i, out)?;
        }
        self.follow(system, h, out)
    }

    /// Solves for a, λ, ψ, ẋ and w of the point kept, which is where `out` is.
    fn follow(&mut self, system: &System, h: f64, out: &mut Point) -> Result<(), NewtonFailure> {
        let following = following(&self.about, self.factors, h);
        self.accelerations.solve_following(system, out, following)?;
        self.keep(out);
        Ok(())
    }

    /// Puts q, v and x, which have followed, where they were.
    fn keep(&self, out: &mut Point) {
        for kind in [SlotKind::Q, SlotKind::V, SlotKind::X] {
            out.get_mut(kind).copy_from_slice(self.about.get(kind));
        }
    }

    /// Corrects q, v or a until the constraints are violated by no more than allowed.
    fn project(
        &mut self,
        system: &System,
        h: f64,
        index: usize,
        out: &mut Point,
    ) -> Result<(), NewtonFailure> {
        let (level, allowed) = (LEVELS[index], self.allowed[index]);
        let fine = FINE[index] * self.sizes[index];
        let mut matrices = 0;
        let mut before = violation(system, &self.about, level, &mut self.pieces);
        for _ in 0..CORRECTIONS {
            if before <= allowed {
                break;
            }
            let factors = if matrices == 0 { self.factors } else { [0.0; 2] };
            let following = following(&self.about, factors, h);
            let [lambda, psi, end] = self.accelerations.constraint_rows();
            let solver = self.accelerations.factorization(system, out, following)?;
            self.b.fill(0.0);
            for (range, rows) in
                [lambda..psi, psi..end].into_iter().zip(violated(level, &self.pieces))
            {
                for rows in rows {
                    for (b, violation) in self.b[range.clone()].iter_mut().zip(rows) {
                        *b -= violation;
                    }
                }
            }
            solver.solve(&mut self.b);
            let correct = |by: f64, b: &[f64], point: &mut Point| {
                for (y, dy) in point.get_mut(level).iter_mut().zip(b) {
                    *y += by * dy;
                }
            };
            correct(1.0, &self.b, &mut self.about);
            let after = violation(system, &self.about, level, &mut self.pieces);
            // Written so that NaN fails.
            let worse = !(after < before);
            if worse {
                correct(-1.0, &self.b, &mut self.about);
            }
            let corrections = self.b[..self.about.get(level).len()].iter();
            let is_fine = corrections.fold(0.0, |m: f64, d| m.max(d.abs())) <= fine;
            if !worse && is_fine && level == SlotKind::A {
                break;
            }
            let slow = worse || after > SLOW * before;
            if (is_fine || matrices == MATRICES) && (worse || after > 0.5 * before) {
                break;
            }
            if slow && !is_fine && matrices < MATRICES {
                matrices += 1;
                self.accelerations.forget();
                before = violation(system, &self.about, level, &mut self.pieces);
            } else {
                before = after;
            }
        }
        if matrices > 0 && self.factors != [0.0; 2] {
            self.accelerations.forget();
        }
        out.get_mut(level).copy_from_slice(self.about.get(level));
        Ok(())
    }
}

fn following(about: &Point, [rate, position]: [f64; 2], h: f64) -> Following<'_> {
    Following { about, rate: rate * h, position: position * h * h }
}

/// The largest violation of the constraints on positions, velocities or accelerations; fills in the pieces.
fn violation(system: &System, at: &Point, level: SlotKind, pieces: &mut Residual) -> f64 {
    let want = match level {
        SlotKind::Q => Want::G,
        SlotKind::V => Want::GDOT | Want::K,
        _ => Want::GU | Want::GAMMA | Want::KU | Want::ZETA,
    };
    system.eval_at(at, want, pieces);
    let [holonomic, nonholonomic] = violated(level, pieces);
    let largest = |[one, other]: [&[f64]; 2]| {
        let other = other.iter().chain(std::iter::repeat(&0.0));
        one.iter().zip(other).fold(0.0, |m: f64, (one, other)| m.max((one + other).abs()))
    };
    largest(holonomic).max(largest(nonholonomic))
}

/// Violations of the holonomic and the nonholonomic constraints, each as a sum of two.
fn violated(level: SlotKind, pieces: &Residual) -> [[&[f64]; 2]; 2] {
    match level {
        SlotKind::Q => [[&pieces.g, &[]], [&[]; 2]],
        SlotKind::V => [[&pieces.gdot, &[]], [&pieces.k, &[]]],
        _ => [[&pieces.gu, &pieces.gamma], [&pieces.ku, &pieces.zeta]],
    }
}
