//! The equations of a step on the independent coordinates, and their derivative.

use super::options::{Jacobian, StateSpace};
use crate::assembly::{Dims, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::error::OptionError;
use crate::integrate::alpha::history::History;
use crate::integrate::controller::Estimate;
use crate::integrate::independent::manifold::Manifold;
use crate::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use crate::integrate::scheme::Failure;
use std::cell::Cell;

/// Where the blocks of unknowns begin, and their number: v̈, ẋ, w.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) xd: usize,
    pub(super) w: usize,
    pub(super) size: usize,
}

/// Rows and columns of the derivatives the Jacobian is composed of.
///
/// ```text
///                q                           v     a         ẋ                  w       λ
/// motion         (M a)_q + (Φ_qᵀλ)_q − f_q   −f_v  M − f_a   −f_ẋ − γh f_x      −f_w
/// states         d_q                         d_v   d_a       d_ẋ + γh d_x       d_w     d_λ
/// variables      (w−φ)_q                     …
/// velocities     (Φ_q v + Φ_t)_q
/// accelerations  (Φ_q a)_q + γ_q             γ_v
/// ```
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    // Columns.
    pub(super) v: usize,
    a: usize,
    xd: usize,
    w: usize,
    lambda: usize,
    columns: usize,
    // Rows.
    states: usize,
    variables: usize,
    velocities: usize,
    accelerations: usize,
    rows: usize,
}

/// Entries of the derivatives: (value, row, column).
type Entries = Vec<(usize, usize, usize)>;

/// What scales the derivatives.
pub(super) struct Factors {
    /// ∂x'/∂ẋ' = γh.
    x: f64,
    /// Weight of (Φ_qᵀλ)_q.
    bend: f64,
}

/// The derivatives of the motion, of states and variables, and of the differentiated constraints.
fn derivatives(system: &System, blocks: &Blocks) -> NewtonMatrix<Factors, ()> {
    use SlotKind::{A, Lambda, Q, V, W, X, Xd};
    let mut matrix = NewtonMatrixBuilder::new(blocks.columns.max(blocks.rows));
    type Coefficient = fn(&Factors) -> f64;
    let mut place = |term, row, col, value: Coefficient| matrix.term((), term, row, col, value);
    place(Term::M, 0, blocks.a, |_| 1.0);
    place(Term::MuQ, 0, 0, |_| 1.0);
    place(Term::ReactQ, 0, 0, |c| c.bend);
    let all: [(fn(SlotKind) -> Term, usize, Coefficient, Coefficient); 3] = [
        (Term::F, 0, |_| -1.0, |c| -c.x),
        (Term::D, blocks.states, |_| 1.0, |c| c.x),
        (Term::W, blocks.variables, |_| 1.0, |c| c.x),
    ];
    for (of, row, one, rate) in all {
        place(of(Q), row, 0, one);
        place(of(V), row, blocks.v, one);
        place(of(A), row, blocks.a, one);
        place(of(Xd), row, blocks.xd, one);
        place(of(X), row, blocks.xd, rate);
        place(of(W), row, blocks.w, one);
        if row > 0 {
            place(of(Lambda), row, blocks.lambda, one);
        }
    }
    place(Term::GdotQ, blocks.velocities, 0, |_| 1.0);
    place(Term::GuQ, blocks.accelerations, 0, |_| 1.0);
    place(Term::GammaQ, blocks.accelerations, 0, |_| 1.0);
    place(Term::GammaV, blocks.accelerations, blocks.v, |_| 1.0);
    matrix.build(system)
}

/// A step's equations and their derivative.
pub(super) struct Core {
    pub(super) jacobian: Jacobian,
    pub(super) at: Places,
    pub(super) blocks: Blocks,
    pub(super) manifold: Manifold,
    pub(super) history: History,
    pub(super) derivatives: NewtonMatrix<Factors, ()>,
    pub(super) values: Vec<f64>,
    /// Entries of the rows of velocities, of accelerations, of the others, and of columns λ.
    pub(super) entries: [Entries; 4],
    pub(super) pieces: Residual,
    /// Rows of the motion, those of the dependent coordinates 0.
    pub(super) motion: Vec<f64>,
    pub(super) s: Vec<f64>,
    /// Columns of E when the matrix was evaluated.
    pub(super) directions: Vec<f64>,
    /// A column of all changes, and the rows it gives.
    pub(super) change: Vec<f64>,
    pub(super) rows: Vec<f64>,
    pub(super) b: Vec<f64>,
    /// What a correction changes: q, v, ẋ.
    pub(super) moved: Cell<[Vec<f64>; 2]>,
    /// The unknowns the point was last completed for.
    pub(super) completed: Vec<f64>,
    pub(super) is_complete: bool,
    /// Why a point could not be completed.
    pub(super) failure: Option<Failure>,
}

impl Core {
    pub(super) fn new(
        options: &StateSpace,
        system: &System,
        at: &Point,
    ) -> Result<Self, OptionError> {
        let Dims { n, m, nx, nw, .. } = system.dims_in_use();
        let manifold = Manifold::new(system, at, &options.independent)?;
        let free = manifold.independent().len();
        let places = Places { xd: free, w: free + nx, size: free + nx + nw };
        let blocks = Blocks {
            v: n,
            a: 2 * n,
            xd: 3 * n,
            w: 3 * n + nx,
            lambda: 3 * n + nx + nw,
            columns: 3 * n + nx + nw + m,
            states: n,
            variables: n + nx,
            velocities: n + nx + nw,
            accelerations: n + nx + nw + m,
            rows: n + nx + nw + 2 * m,
        };
        let derivatives = derivatives(system, &blocks);
        let mut entries: [Entries; 4] = Default::default();
        for (k, (row, col)) in derivatives.plan().pattern().entries().enumerate() {
            if row >= blocks.rows || col >= blocks.columns {
                continue;
            }
            let group = match (row >= blocks.velocities, col >= blocks.lambda) {
                (true, _) if row < blocks.accelerations => 0,
                (true, _) => 1,
                (_, false) => 2,
                (_, true) => 3,
            };
            entries[group].push((k, row, col));
        }
        Ok(Core {
            jacobian: options.jacobian,
            at: places,
            manifold,
            history: History::newmark(options.beta, options.gamma, system),
            values: derivatives.plan().values(),
            derivatives,
            entries,
            pieces: Residual::new(&system.dims()),
            motion: vec![0.0; n],
            s: vec![0.0; m],
            directions: vec![0.0; n * free],
            change: vec![0.0; blocks.columns],
            rows: vec![0.0; blocks.rows],
            b: vec![0.0; m],
            moved: Cell::new([vec![0.0; n], vec![0.0; n]]),
            completed: vec![f64::NAN; places.size],
            is_complete: false,
            failure: None,
            blocks,
        })
    }

    /// The point of given unknowns; false when the constraints have none, with the reason kept.
    pub(super) fn complete(&mut self, system: &System, u: &[f64], to: &mut Point) -> bool {
        if self.is_complete && self.completed == u {
            return true;
        }
        self.is_complete = false;
        self.completed.copy_from_slice(u);
        let (by_q, by_v) = (self.history.q_factor(), self.history.v_factor());
        self.history.place_states(&u[self.at.xd..self.at.w], to);
        for (k, &j) in self.manifold.independent().iter().enumerate() {
            to.q_mut()[j] = self.history.q_hat[j] + by_q * u[k];
            to.v_mut()[j] = self.history.v_hat[j] + by_v * u[k];
            to.a_mut()[j] = u[k];
        }
        to.xd_mut().copy_from_slice(&u[self.at.xd..self.at.w]);
        to.set_unknowns(SlotKind::W, &u[self.at.w..]);
        if let Err(failure) = self.manifold.place(system, to) {
            self.failure = Some(failure);
            return false;
        }
        self.manifold.accelerate(system, to);
        system.eval_at(to, Want::MU | Want::F, &mut self.pieces);
        for (i, r) in self.motion.iter_mut().enumerate() {
            *r = self.pieces.mu[i] - self.pieces.f[i];
        }
        self.manifold.partition.annihilate(&mut self.motion, &mut self.s);
        to.lambda_mut().copy_from_slice(&self.s);
        self.is_complete = true;
        true
    }

    /// rows ← the rows of a group of entries for the changes at hand.
    fn apply(&mut self, group: usize) {
        for &(k, row, col) in &self.entries[group] {
            self.rows[row] += self.values[k] * self.change[col];
        }
    }

    /// −(rows of a constraint level) as the right side of its dependent entries.
    fn take_rows(&mut self, first: usize) {
        for (b, row) in self.b.iter_mut().zip(&self.rows[first..]) {
            *b = -row;
        }
    }

    /// (29), or what is left of it, by columns.
    pub(super) fn matrix(&mut self, system: &System, to: &Point, values: &mut [f64]) {
        let (by_q, by_v) = (self.history.q_factor(), self.history.v_factor());
        let bend = if self.jacobian == Jacobian::FisetteVaneghem { 0.0 } else { 1.0 };
        let factors = Factors { x: by_v, bend };
        self.derivatives.fill(&[()], &factors, system, (to, Weights::of(to)), &mut self.values);
        let Places { xd, size, .. } = self.at;
        let Blocks { v, a, lambda, velocities, accelerations, .. } = self.blocks;
        let n = v;
        for column in 0..size {
            self.change.fill(0.0);
            self.rows.fill(0.0);
            if column < xd {
                let j = self.manifold.independent()[column];
                self.change[j] = 1.0;
                self.b.fill(0.0);
                self.manifold.partition.complete(&self.b, &mut self.change[..n]);
                let direction = &mut self.directions[column * n..(column + 1) * n];
                direction.copy_from_slice(&self.change[..n]);
                self.change[..n].iter_mut().for_each(|c| *c *= by_q);

                self.apply(0);
                self.take_rows(velocities);
                self.change[v + j] = by_v;
                self.manifold.partition.complete(&self.b, &mut self.change[v..a]);

                self.apply(1);
                self.take_rows(accelerations);
                if self.jacobian != Jacobian::Exact {
                    self.b.fill(0.0);
                }
                self.change[a + j] = 1.0;
                self.manifold.partition.complete(&self.b, &mut self.change[a..a + n]);
            } else {
                self.change[self.blocks.xd + column - xd] = 1.0;
            }
            self.apply(2);
            let motion = &mut self.rows[..n];
            self.manifold.partition.annihilate(motion, &mut self.change[lambda..]);
            self.apply(3);
            let values = &mut values[column * size..(column + 1) * size];
            for (value, &j) in values.iter_mut().zip(self.manifold.independent()) {
                *value = self.rows[j];
            }
            values[xd..].copy_from_slice(&self.rows[n..velocities]);
        }
    }

    pub(super) fn residual(&mut self, system: &System, to: &Point, r: &mut [f64]) {
        for (r, &j) in r.iter_mut().zip(self.manifold.independent()) {
            *r = self.motion[j];
        }
        let Places { xd, w, size } = self.at;
        if size > xd {
            system.eval_at(to, Want::D | Want::W, &mut self.pieces);
            r[xd..w].copy_from_slice(&self.pieces.d);
            let variables = &mut r[w..];
            let count = variables.len();
            variables.copy_from_slice(&self.pieces.w[..count]);
        }
    }

    pub(super) fn norms(&self, du: &[f64]) -> [f64; 2] {
        let [mut q, mut v] = self.moved.take();
        let (by_q, by_v) = (self.history.q_factor(), self.history.v_factor());
        q.fill(0.0);
        for (du, direction) in du.iter().zip(self.directions.chunks_exact(q.len().max(1))) {
            for (q, e) in q.iter_mut().zip(direction) {
                *q += e * du;
            }
        }
        for (v, q) in v.iter_mut().zip(&mut q) {
            *v = by_v * *q;
            *q *= by_q;
        }
        let norms = self.history.norms([&q, &v, &du[self.at.xd..self.at.w]], None);
        self.moved.set([q, v]);
        norms
    }

    /// The error estimate: that of the independent coordinates, and what the constraints make of it.
    pub(super) fn estimate(&mut self, to: &Point, eps: f64) -> Estimate {
        let n = self.blocks.v;
        let errors = &mut self.change[..n];
        for &j in self.manifold.independent() {
            errors[j] = self.history.position_error(to, j);
        }
        self.b.fill(0.0);
        self.manifold.partition.complete(&self.b, errors);
        let errors = &self.change;
        self.history.estimate_of(to, |i| errors[i], self.at.size, self.at.xd, eps)
    }
}
