//! How what follows from a state changes with it: the unknowns of the equations of motion, and velocities after a
//! jump. First derivatives, exact, as dense matrices: for a few instants of a run.
//!
//! The equations of motion r(u; z) = 0 with u = (a, λ, ψ, ẋ, w) give u_z = −r_u⁻¹ r_z. A jump,
//!
//! ```text
//!     M (v⁺ − v⁻) + GᵀΛ + KᵀΨ = W P        G v⁺ + g_t = 0        k(v⁺) = 0        the law of each direction
//! ```
//!
//! is differentiated likewise, with what touches, sticks and slides as it was found.

use super::impulse::{Blow, Demand, Law};
use crate::assembly::{Dims, Layout, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::statement::{Element, NO_PARAM, Rows, still};
use nalgebra::{DMatrix, RowDVector};

/// Parts of the largest entry that a solution may leave of a right side.
const LEFT: f64 = 1e-8;

/// What is differentiated by: q, v, x, the discrete values and time, in this order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    layout: Layout,
}

impl Columns {
    pub(crate) fn of(system: &System) -> Self {
        Columns { layout: *system.layout() }
    }

    /// How many there are.
    pub(crate) fn len(self) -> usize {
        self.time() + 1
    }

    pub(crate) fn q(self) -> usize {
        0
    }

    pub(crate) fn v(self) -> usize {
        self.layout.dims.n
    }

    pub(crate) fn x(self) -> usize {
        2 * self.layout.dims.n
    }

    pub(crate) fn modes(self) -> usize {
        self.x() + self.layout.dims.nx
    }

    /// Time, behind all scalars of the state.
    pub(crate) fn time(self) -> usize {
        self.modes() + self.layout.modes().len()
    }

    /// The row that reads a scalar of the state, or of time, alone.
    fn unit(self, column: usize) -> RowDVector<f64> {
        let mut row = RowDVector::zeros(self.len());
        row[column] = 1.0;
        row
    }

    /// The derivative of a scalar of a flat point, from those of (a, λ, ψ, ẋ, w).
    fn of_flat(self, flat: usize, unknowns: Option<&DMatrix<f64>>) -> Option<RowDVector<f64>> {
        let layout = &self.layout;
        if layout.modes().contains(&flat) {
            return Some(self.unit(self.modes() + flat - layout.modes().start));
        }
        let kind = SlotKind::ALL.into_iter().find(|&kind| layout.range(kind).contains(&flat))?;
        let slot = flat - layout.range(kind).start;
        let first = layout.dims.unknown_offsets();
        Some(match kind {
            SlotKind::T => self.unit(self.time()),
            SlotKind::Q => self.unit(self.q() + slot),
            SlotKind::V => self.unit(self.v() + slot),
            SlotKind::X => self.unit(self.x() + slot),
            SlotKind::A => unknowns?.row(first[0] + slot).into_owned(),
            SlotKind::Lambda => unknowns?.row(first[1] + slot).into_owned(),
            SlotKind::Psi => unknowns?.row(first[2] + slot).into_owned(),
            SlotKind::Xd => unknowns?.row(first[3] + slot).into_owned(),
            SlotKind::W => unknowns?.row(first[4] + slot).into_owned(),
        })
    }

    /// The derivative of what has these slopes by scalars of a flat point.
    pub(crate) fn chain(
        self,
        slopes: impl IntoIterator<Item = (usize, f64)>,
        unknowns: Option<&DMatrix<f64>>,
    ) -> Option<RowDVector<f64>> {
        let mut row = RowDVector::zeros(self.len());
        let constants = self.layout.constants();
        for (flat, slope) in slopes {
            let fixed = constants.contains(&flat) && !self.layout.modes().contains(&flat);
            if fixed || slope == 0.0 {
                continue;
            }
            row += self.of_flat(flat, unknowns)? * slope;
        }
        Some(row)
    }

    /// The derivative of a row of a statement.
    pub(crate) fn row(
        self,
        element: &Element,
        (i, r): (usize, usize),
        y: &[f64],
        unknowns: Option<&DMatrix<f64>>,
    ) -> Option<RowDVector<f64>> {
        let mut rows = Rows::default();
        element.gradients(i, y, &mut rows);
        let mut slopes: Vec<(usize, f64)> = element
            .flats(i)
            .map(|flat| flat as usize)
            .zip(rows.gradient(r).iter().copied())
            .collect();
        let mut along = Rows::default();
        for mode in self.layout.modes() {
            if element.reads_param(i, mode as u32) {
                element.along(i, y, still, mode as u32, &mut along);
                slopes.push((mode, along.value(r).eps));
            }
        }
        self.chain(slopes, unknowns)
    }
}

/// Adds a term to a matrix.
fn place(
    matrix: &mut DMatrix<f64>,
    (system, at, weights): (&System, &Point, &Weights<'_>),
    term: Term,
    (row, column, sign): (usize, usize, f64),
) {
    for (r, c, value) in system.entries(at, weights, term) {
        matrix[(row + r, column + c)] += sign * value;
    }
}

/// Solves, by least squares where the matrix is singular and the equations agree all the same.
fn solved(matrix: &DMatrix<f64>, right: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    if right.nrows() == 0 {
        return Some(right.clone());
    }
    let agrees = |x: &DMatrix<f64>| {
        let left = matrix * x - right;
        let size = right.amax().max(matrix.amax() * x.amax());
        // Written so that NaN does not.
        left.amax() <= LEFT * size || size == 0.0
    };
    let direct = matrix.clone().lu().solve(right).filter(&agrees);
    direct.or_else(|| {
        let decomposed = matrix.clone().svd(true, true);
        let least = 1e-12 * decomposed.singular_values.amax();
        decomposed.solve(right, least).ok().filter(agrees)
    })
}

/// The derivatives of a, λ, ψ, ẋ and w, row by row, by [`Columns`], at a consistent point; `None` where the
/// equations of motion are singular.
pub(crate) fn of_unknowns(system: &System, at: &Point) -> Option<DMatrix<f64>> {
    use SlotKind::{A, Lambda, Psi, Q, V, W, X, Xd};
    let dims = system.dims();
    let first = dims.unknown_offsets();
    let columns = Columns::of(system);
    let mut by_unknowns = DMatrix::zeros(first[5], first[5]);
    let mut by_state = DMatrix::zeros(first[5], columns.len());
    let weights = Weights::of(at);
    let of = (system, at, &weights);
    let rows: [(fn(SlotKind) -> Term, usize, f64); 3] =
        [(Term::F, 0, -1.0), (Term::D, first[3], 1.0), (Term::W, first[4], 1.0)];
    for (term, row, sign) in rows {
        for (kind, column) in [A, Lambda, Psi, Xd, W].into_iter().zip(first) {
            place(&mut by_unknowns, of, term(kind), (row, column, sign));
        }
        for (kind, column) in [(Q, columns.q()), (V, columns.v()), (X, columns.x())] {
            place(&mut by_state, of, term(kind), (row, column, sign));
        }
    }
    for (term, row, column) in [
        (Term::M, 0, 0),
        (Term::React, 0, first[1]),
        (Term::ReactPsi, 0, first[2]),
        (Term::G, first[1], 0),
        (Term::K, first[2], 0),
    ] {
        place(&mut by_unknowns, of, term, (row, column, 1.0));
    }
    for (term, row, column) in [
        (Term::MuQ, 0, columns.q()),
        (Term::ReactQ, 0, columns.q()),
        (Term::ReactV, 0, columns.v()),
        (Term::GuQ, first[1], columns.q()),
        (Term::GammaQ, first[1], columns.q()),
        (Term::GammaV, first[1], columns.v()),
        (Term::KuQ, first[2], columns.q()),
        (Term::KuV, first[2], columns.v()),
        (Term::ZetaQ, first[2], columns.q()),
        (Term::ZetaV, first[2], columns.v()),
    ] {
        place(&mut by_state, of, term, (row, column, 1.0));
    }
    for (kind, first) in [(Lambda, first[1]), (Psi, first[2])] {
        for row in system.inactive_rows(kind) {
            by_unknowns[(first + row, first + row)] = 1.0;
        }
    }
    let want = Want::MU
        | Want::F
        | Want::REACTION
        | Want::GU
        | Want::GAMMA
        | Want::KU
        | Want::ZETA
        | Want::D
        | Want::W;
    let mut out = Residual::new(&dims);
    let params = system.layout().params().len();
    for column in columns.modes()..columns.len() {
        match column.checked_sub(columns.time()) {
            Some(_) => system.eval_time(at, &weights, want, &mut out),
            None => {
                system.eval_param(at, &weights, want, params + column - columns.modes(), &mut out)
            }
        }
        let dynamics = (0..dims.n).map(|i| out.mu[i] - out.f[i] + out.reaction[i]);
        let holonomic = (0..dims.m).map(|i| out.gu[i] + out.gamma[i]);
        let nonholonomic = (0..dims.p).map(|i| out.ku[i] + out.zeta[i]);
        let rest = out.d.iter().chain(&out.w).copied();
        for (row, value) in dynamics.chain(holonomic).chain(nonholonomic).chain(rest).enumerate() {
            by_state[(row, column)] = value;
        }
    }
    solved(&by_unknowns, &(-by_state))
}

/// The projection of changes of a state onto those that the constraints which hold leave, orthogonal with respect to the
/// mass matrix: positions first, then velocities, which have to follow.
pub(crate) fn onto_constraints(system: &System, at: &Point) -> Option<DMatrix<f64>> {
    let Dims { n, m, p, .. } = system.dims();
    let columns = Columns::of(system);
    let mut whole = DMatrix::identity(columns.len(), columns.len());
    let active = |kind: SlotKind, rows: usize| system.inactive_rows(kind).count() < rows;
    if !active(SlotKind::Lambda, m) && !active(SlotKind::Psi, p) {
        return Some(whole);
    }
    let weights = Weights::of(at);
    let of = (system, at, &weights);
    // By position the rows of G, by velocity those of G and K.
    let level = |rows: usize| {
        let mut matrix = DMatrix::zeros(n + rows, n + rows);
        place(&mut matrix, of, Term::M, (0, 0, 1.0));
        place(&mut matrix, of, Term::Gt, (0, n, 1.0));
        place(&mut matrix, of, Term::G, (n, 0, 1.0));
        for row in system.inactive_rows(SlotKind::Lambda) {
            matrix[(n + row, n + row)] = 1.0;
        }
        if rows > m {
            place(&mut matrix, of, Term::Kt, (0, n + m, 1.0));
            place(&mut matrix, of, Term::K, (n + m, 0, 1.0));
            for row in system.inactive_rows(SlotKind::Psi) {
                matrix[(n + m + row, n + m + row)] = 1.0;
            }
        }
        matrix
    };
    let mut mass = DMatrix::zeros(n, n);
    place(&mut mass, of, Term::M, (0, 0, 1.0));
    let mut right = DMatrix::zeros(n + m, n);
    right.rows_mut(0, n).copy_from(&mass);
    let positions = solved(&level(m), &right)?.rows(0, n).into_owned();
    let mut rate_by_q = DMatrix::zeros(m + p, n);
    place(&mut rate_by_q, of, Term::GdotQ, (0, 0, 1.0));
    place(&mut rate_by_q, of, Term::KQ, (m, 0, 1.0));
    let mut right = DMatrix::zeros(n + m + p, 2 * n);
    right.view_mut((0, n), (n, n)).copy_from(&mass);
    right.view_mut((n, 0), (m + p, n)).copy_from(&(-rate_by_q * &positions));
    let velocities = solved(&level(m + p), &right)?.rows(0, n).into_owned();
    whole.view_mut((0, 0), (n, n)).copy_from(&positions);
    whole.view_mut((n, 0), (n, 2 * n)).copy_from(&velocities);
    Some(whole)
}

/// What a direction of a [`Demand`] is made from: the row of a position, and that of the value in its law.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) along: Option<(&'a Element, usize)>,
    pub(crate) value: Option<(&'a Element, usize)>,
    pub(crate) instance: usize,
}

/// The derivative of the velocities after a jump, from those at `before` to those at `after`, by [`Columns`]: `origins`
/// are those of the directions of the demand. With the derivatives of (a, λ, ψ, ẋ, w) before it.
pub(crate) fn of_jump(
    system: &System,
    [before, after]: [&Point; 2],
    (demand, blow): (&Demand, &Blow),
    origins: &[Origin<'_>],
    unknowns: Option<&DMatrix<f64>>,
) -> Option<DMatrix<f64>> {
    let Dims { n, m, p, .. } = system.dims();
    let columns = Columns::of(system);
    let directions = demand.directions();
    if directions.len() != origins.len() || blow.laws.len() != origins.len() {
        return None;
    }
    let size = n + m + p + origins.len();
    let along = n + m + p;
    let (mut matrix, mut right) = (DMatrix::zeros(size, size), DMatrix::zeros(size, columns.len()));
    let change: Vec<f64> = after.v().iter().zip(before.v()).map(|(a, b)| a - b).collect();
    let weights = Weights { u: &change, s: &blow.lambda, r: &blow.psi };
    // At positions, which stay, and velocities of before; constraints at those after.
    let (here, beyond) = ((system, before, &weights), (system, after, &weights));
    place(&mut matrix, here, Term::M, (0, 0, 1.0));
    place(&mut matrix, here, Term::Gt, (0, n, 1.0));
    place(&mut matrix, here, Term::Kt, (0, n + m, 1.0));
    place(&mut matrix, beyond, Term::G, (n, 0, 1.0));
    place(&mut matrix, beyond, Term::K, (n + m, 0, 1.0));
    for (kind, first) in [(SlotKind::Lambda, n), (SlotKind::Psi, n + m)] {
        for row in system.inactive_rows(kind) {
            matrix[(first + row, first + row)] = 1.0;
        }
    }
    place(&mut right, here, Term::M, (0, columns.v(), 1.0));
    place(&mut right, here, Term::MuQ, (0, columns.q(), -1.0));
    place(&mut right, here, Term::GtsQ, (0, columns.q(), -1.0));
    place(&mut right, here, Term::KtrQ, (0, columns.q(), -1.0));
    place(&mut right, here, Term::KtrV, (0, columns.v(), -1.0));
    place(&mut right, beyond, Term::GdotQ, (n, columns.q(), -1.0));
    place(&mut right, beyond, Term::KQ, (n + m, columns.q(), -1.0));
    let mut out = Residual::new(&system.dims());
    system.eval_time(before, &weights, Want::MU | Want::GTS, &mut out);
    for i in 0..n {
        right[(i, columns.time())] -= out.mu[i] + out.gts[i];
    }
    system.eval_time(after, &weights, Want::GDOT | Want::K, &mut out);
    for (row, value) in out.gdot.iter().chain(&out.k).enumerate() {
        right[(n + row, columns.time())] -= value;
    }
    for (d, (direction, origin)) in directions.iter().zip(origins).enumerate() {
        for &(coordinate, slope) in &direction.gradient {
            matrix[(coordinate, along + d)] -= slope;
        }
        add_bend(&mut right, columns, origin, blow.along[d], before.flat());
    }
    // W_dᵀ δv⁺, and minus what else the rate after the jump changes with.
    let rate = |matrix: &mut DMatrix<f64>, right: &mut DMatrix<f64>, d: usize| {
        for &(coordinate, slope) in &directions[d].gradient {
            matrix[(along + d, coordinate)] += slope;
        }
        let mut row = right.row_mut(along + d);
        row -= turning(columns, &origins[d], after.flat());
    };
    for (d, (law, origin)) in blow.laws.iter().zip(origins).enumerate() {
        let value = match origin.value {
            Some((element, row)) => {
                columns.row(element, (origin.instance, row), before.flat(), unknowns)?
            }
            None => RowDVector::zeros(columns.len()),
        };
        match *law {
            Law::Rate => {
                rate(&mut matrix, &mut right, d);
                let mut row = right.row_mut(along + d);
                row += value;
            }
            Law::Impulse => {
                matrix[(along + d, along + d)] = 1.0;
                right.row_mut(along + d).copy_from(&value);
            }
            Law::Rebound { restitution } => {
                rate(&mut matrix, &mut right, d);
                // The rate before is W_dᵀ v⁻ + s_t.
                let mut incoming = turning(columns, origin, before.flat());
                for &(coordinate, slope) in &directions[d].gradient {
                    incoming[columns.v() + coordinate] += slope;
                }
                let mut row = right.row_mut(along + d);
                row -= value * directions[d].rate + incoming * restitution;
            }
            Law::Stick => rate(&mut matrix, &mut right, d),
            Law::Slide { normal, mu, slides } => {
                matrix[(along + d, along + d)] = 1.0;
                matrix[(along + d, along + normal)] = slides * mu;
                let mut row = right.row_mut(along + d);
                row -= value * (slides * blow.along[normal]);
            }
            Law::Open => matrix[(along + d, along + d)] = 1.0,
        }
    }
    Some(solved(&matrix, &right)?.rows(0, n).into_owned())
}

/// Adds (s_qᵀ P)_q and (s_qᵀ P)_t of a position s.
fn add_bend(
    right: &mut DMatrix<f64>,
    columns: Columns,
    origin: &Origin<'_>,
    impulse: f64,
    y: &[f64],
) {
    let Some((element, row)) = origin.along else { return };
    let (mut work, mut bend) = (Rows::default(), Vec::new());
    let mut weights = vec![0.0; element.rows()];
    weights[row] = impulse;
    let i = origin.instance;
    element.hessian(i, y, &weights, |_| true, &mut work, &mut bend);
    let locals = element.locals();
    for k in element.of_kind(SlotKind::Q) {
        for j in 0..locals {
            let column = match element.kind(j) {
                SlotKind::Q => columns.q() + element.slot(i, j),
                SlotKind::T => columns.time(),
                _ => continue,
            };
            right[(element.slot(i, k), column)] += bend[k * locals + j];
        }
    }
}

/// (s_q v + s_t)_q and (s_q v + s_t)_t of a position s.
fn turning(columns: Columns, origin: &Origin<'_>, y: &[f64]) -> RowDVector<f64> {
    let mut turning = RowDVector::zeros(columns.len());
    let Some((element, row)) = origin.along else { return turning };
    let (i, mut rows) = (origin.instance, Rows::default());
    element.along(i, y, |k| element.motion(i, y, k), NO_PARAM, &mut rows);
    for (k, slope) in rows.gradient(row).iter().enumerate() {
        match element.kind(k) {
            SlotKind::Q => turning[columns.q() + element.slot(i, k)] += slope.eps,
            SlotKind::T => turning[columns.time()] += slope.eps,
            _ => {}
        }
    }
    turning
}
