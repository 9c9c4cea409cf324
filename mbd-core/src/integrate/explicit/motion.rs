//! What the explicit methods share: the state-space equations as an ODE, and the measure of errors.
//!
//! The ODE is that of the independent coordinates, their velocities and the states. A point of it is
//! evaluated by placing the dependent coordinates and velocities on the constraints
//! (`manifold.rs`) and solving the equations of motion, with the constraints differentiated twice,
//! for a, λ, ẋ and w. Formulas act on whole points: of dependent coordinates they give the guesses.
//!
//! Nonholonomic constraints leave fewer independent velocities than coordinates; they are refused by
//! name.

use crate::assembly::{Dims, Point, SlotKind, System};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::controller::Estimate;
use crate::integrate::implicit::{count, failure};
use crate::integrate::independent::manifold::Manifold;
use crate::integrate::scheme::{Block, Failure};
use crate::integrate::weights::Mean;
use crate::nonlinear::MatrixPolicy;
use crate::scales::Scales;
use crate::solution::Stats;
use crate::start::Accelerations;

/// What an explicit method that comes to no end of Newton's iteration was looking for.
const DEPENDENT: &str = "the dependent coordinates were not found from the independent ones (the motion is too stiff or too \
     fast for the step, or at a singular position)";
const ACCELERATIONS: &str = "the equations of motion were not solved for the accelerations (the motion is too stiff or too \
     fast for the step, or at a singular position)";

/// The rates of a point: q̇ = v, v̇ = a, ẋ.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    v: Vec<f64>,
    a: Vec<f64>,
    pub(super) xd: Vec<f64>,
}

impl Rates {
    /// Zero rates.
    pub(super) fn new(system: &System) -> Self {
        let Dims { n, nx, .. } = system.dims();
        Rates { v: vec![0.0; n], a: vec![0.0; n], xd: vec![0.0; nx] }
    }

    /// Saves or restores them.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Rates { v, a, xd } = self;
        for values in [v, a, xd] {
            state.numbers(values);
        }
    }

    /// Takes those of a point.
    pub(super) fn take(&mut self, at: &Point) {
        self.v.copy_from_slice(at.v());
        self.a.copy_from_slice(at.a());
        self.xd.copy_from_slice(at.xd());
    }
}

/// The state-space equations as an ODE.
pub(super) struct Motion {
    manifold: Manifold,
    accelerations: Accelerations,
    dims: Dims,
    scales: Scales,
    /// Local errors of q and v.
    errors: [Vec<f64>; 2],
    b: Vec<f64>,
    /// What was looked for last.
    sought: &'static str,
}

impl Motion {
    pub(in crate::integrate) fn new(
        system: &System,
        at: &Point,
        independent: &[String],
    ) -> Result<Self, OptionError> {
        let dims = system.dims_in_use();
        Ok(Motion {
            manifold: Manifold::new(system, at, independent)?,
            accelerations: Accelerations::new(system, MatrixPolicy::EveryStep),
            scales: Scales::ones(system),
            errors: [vec![0.0; dims.n], vec![0.0; dims.n]],
            b: vec![0.0; dims.m],
            sought: DEPENDENT,
            dims,
        })
    }

    /// Saves or restores what is carried.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Motion { manifold, accelerations: _, dims: _, scales, errors: _, b: _, sought: _ } =
            self;
        manifold.state(state);
        scales.kept(state);
    }

    /// Chooses a partition again at a point, when a step from it has failed.
    pub(super) fn choose_again(&mut self, system: &System, at: &Point) {
        self.manifold.choose_again(system, at);
    }

    /// What was not found when a step failed.
    pub(super) fn divergence(&self) -> &'static str {
        self.sought
    }

    /// Takes an accepted point.
    pub(super) fn accept(&mut self, system: &System, at: &Point) {
        self.manifold.renew(system, at);
    }

    /// Takes what errors are measured against.
    pub(super) fn measure(&mut self, scales: &Scales) {
        self.scales.copy_from(scales);
        self.manifold.measure(scales);
    }

    /// to ← from + Σ factor·rates at time `t`, and from there onto the constraints, with its rates.
    ///
    /// # Errors
    /// [`Failure`], by the [`blocks`](Self::blocks).
    pub(super) fn advance(
        &mut self,
        system: &System,
        from: &Point,
        t: f64,
        slopes: &[(f64, &Rates)],
        to: &mut Point,
        stats: &mut Stats,
    ) -> Result<(), Failure> {
        to.set_t(t);
        for (kind, rates) in [
            (SlotKind::Q, (|r| &r.v) as fn(&Rates) -> &Vec<f64>),
            (SlotKind::V, |r| &r.a),
            (SlotKind::X, |r| &r.xd),
        ] {
            to.get_mut(kind).copy_from_slice(from.get(kind));
            for (factor, slope) in slopes {
                for (y, rate) in to.get_mut(kind).iter_mut().zip(rates(slope)) {
                    *y += factor * rate;
                }
            }
        }
        self.sought = DEPENDENT;
        self.manifold.place(system, to)?;
        self.sought = ACCELERATIONS;
        let before = self.accelerations.stats();
        let solved = self.accelerations.solve(system, to);
        let mut work = Stats::default();
        count(&mut work, before, self.accelerations.stats());
        // One evaluation, however many iterations: the equations are linear for most models.
        stats.residuals += 1;
        stats.factorizations += work.factorizations;
        let n = self.dims.n;
        solved.map_err(|newton| failure(newton).placed(|i| n + i))
    }

    /// Whether a step keeps to its branch of the motion ([`Manifold::keeps_branch`]).
    ///
    /// # Errors
    /// [`Failure::Leapt`], by the [`blocks`](Self::blocks).
    pub(in crate::integrate) fn keeps_branch(
        &self,
        from: &Point,
        to: &Point,
    ) -> Result<(), Failure> {
        self.manifold.keeps_branch(from, to)
    }

    /// Coordinates, then what the equations of motion are solved for.
    pub(super) fn blocks(&self) -> Vec<Block> {
        let Dims { n, m, p, nx, nw, .. } = self.dims;
        let mut first = 0;
        let kinds = [
            (SlotKind::Q, n),
            (SlotKind::A, n),
            (SlotKind::Lambda, m),
            (SlotKind::Psi, p),
            (SlotKind::Xd, nx),
            (SlotKind::W, nw),
        ];
        let block = |(kind, len)| {
            first += len;
            Block::of(kind, first - len..first)
        };
        kinds.into_iter().map(block).collect()
    }

    /// The estimate from local errors Σ factor·rates of the last point, of order `order` in h:
    /// positions, velocities and states relative to their scales, with what the constraints make of
    /// the independent ones' errors.
    pub(super) fn estimate(&mut self, slopes: &[(f64, &Rates)], order: u32, eps: f64) -> Estimate {
        let sum = |of: &dyn Fn(&Rates) -> f64| -> f64 {
            slopes.iter().map(|(factor, slope)| factor * of(slope)).sum()
        };
        let [of_q, of_v] = &mut self.errors;
        for &j in self.manifold.independent() {
            of_q[j] = sum(&|r| r.v[j]);
            of_v[j] = sum(&|r| r.a[j]);
        }
        self.b.fill(0.0);
        let [mut q, mut v, mut x] = [Mean::default(), Mean::default(), Mean::default()];
        let [scale_q, scale_v] = [self.scales.q(), self.scales.v()];
        for (errors, scale, mean) in [(of_q, scale_q, &mut q), (of_v, scale_v, &mut v)] {
            self.manifold.partition.complete(&self.b, errors);
            for (i, (error, y)) in errors.iter().zip(scale.weights()).enumerate() {
                mean.add(error / (y * eps), i);
            }
        }
        for (i, y) in self.scales.x().weights().iter().enumerate() {
            x.add(sum(&|r| r.xd[i]) / (y * eps), i);
        }
        let Dims { n, m, p, .. } = self.dims;
        let states = 2 * n + m + p;
        Estimate::of_order(q.theta(), order, q.worst)
            .and(Estimate::of_order(v.theta(), order, n + v.worst))
            .and(Estimate::of_order(x.theta(), order, states + x.worst))
    }
}
