//! Jumps of velocities, through the mass matrix and all constraints that hold:
//!
//! ```text
//!     M (v⁺ − v⁻) + GᵀΛ + KᵀΨ = W P        G v⁺ + g_t = 0        k(v⁺) = 0        γ = Wᵀv + s_t
//! ```
//!
//! with directions W (of positions s), their rates γ and impulses P; beside them, on the right, what momenta lack where a
//! kinetic energy has others at the same velocities from the instant on. What is known of a direction is its
//! impulse, or its rate afterwards, or a law between them: of a contact 0 ≤ P_N ⊥ γ_N⁺ + e γ_N⁻ ≥ 0 (Newton's
//! restitution) and |P_T| ≤ μ P_N with γ_T⁺ = 0, or P_T = −μ P_N sgn γ_T⁺ (Coulomb's friction). The equations
//! of motion are solved once for each direction; what is left is a problem of as many unknowns as there are
//! directions, D P = γ⁺ − γ̂ with D = WᵀU.

use super::complementarity::{Asked, met};
use crate::assembly::{
    Dims, Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights,
};
use crate::linear::{LinearSolver, solver_for};
use crate::statement::Direction;
use nalgebra::{DMatrix, DVector};

/// Corrections of velocities onto the constraints, which are linear in them as a rule.
const CORRECTIONS: usize = 8;

/// Relative size of rounding in a small problem.
const ROUNDING: f64 = 1e-11;

/// How far an assigned velocity may be off, relative to its size and the largest velocity, before it counts as one that the
/// constraints do not leave.
const OFF: f64 = 1e-6;

/// Changes of what touches and what sticks before all combinations are tried, and of these at most: six contacts with
/// friction have some 50 000, of which 4096 differ.
const CHANGES: usize = 100;
const MOST_COMBINATIONS: usize = 50_000;

/// What is asked of the velocities at an instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Demand {
    /// Velocities that take a value: the coordinate and the value.
    pub(crate) assigned: Vec<(usize, f64)>,
    /// Impulses of a given size.
    pub(crate) given: Vec<(Direction, f64)>,
    /// What the momentum of every coordinate lacks; nothing where all have theirs.
    pub(crate) momenta: Vec<f64>,
    pub(crate) contacts: Vec<Contact>,
}

/// An impact.
#[derive(Clone, Debug)]
pub(crate) struct Contact {
    /// Of its event.
    pub(crate) name: String,
    /// Of the gap.
    pub(crate) normal: Direction,
    /// The coefficient of restitution.
    pub(crate) restitution: f64,
    /// Of the sliding, with the coefficient of friction.
    pub(crate) friction: Option<(Direction, f64)>,
    /// Its gap comes to rest, whichever way it would go on, and what slides no faster than gaps close with it.
    pub(crate) rests: bool,
}

/// The impulses of a jump.
#[derive(Clone, Debug)]
pub(crate) struct Blow {
    /// Λ and Ψ: what λ and ψ are over the instant, the reactions of the rows that hold being −GᵀΛ − KᵀΨ.
    pub(crate) lambda: Vec<f64>,
    pub(crate) psi: Vec<f64>,
    /// P of each direction: of velocities that are assigned, given impulses, and of each contact its normal and
    /// then, where there is friction, its tangent.
    pub(crate) along: Vec<f64>,
    /// And the law that it was found by.
    pub(crate) laws: Vec<Law>,
}

/// What holds of a direction in a jump that has been solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    /// The rate afterwards is given.
    Rate,
    /// The impulse is given.
    Impulse,
    /// The rate afterwards is −e times that before.
    Rebound { restitution: f64 },
    /// No impulse.
    Open,
    /// The rate afterwards is 0.
    Stick,
    /// P = −μ P_N in the direction of sliding, 1 or −1; the number of the normal.
    Slide { normal: usize, mu: f64, slides: f64 },
}

/// Why velocities cannot jump as they are asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoJump {
    /// The equations of motion have no solution.
    Singular,
    /// The constraints leave no such velocity.
    Contradiction,
    /// No impulses satisfy the laws of impact and friction.
    NoImpulse,
}

/// The law of one direction.
#[derive(Clone, Copy)]
enum Row {
    /// The rate afterwards.
    Rate(f64),
    Impulse(f64),
    /// The rate afterwards at least, and whether it is met with an impulse.
    Normal {
        least: f64,
        closed: bool,
        /// Whatever the impulse.
        rests: bool,
    },
    /// The row of the normal, μ, and the direction of sliding; 0 sticks.
    Tangent {
        normal: usize,
        mu: f64,
        slides: f64,
        /// Sticks whatever the impulse.
        rests: bool,
    },
}

impl Contact {
    /// The coefficient by which it rebounds: a gap that opens already does not.
    fn rebound(&self) -> f64 {
        if self.normal.rate > 0.0 { 0.0 } else { self.restitution }
    }
}

impl Demand {
    /// Whether velocities stay as they are.
    pub(crate) fn is_empty(&self) -> bool {
        self.assigned.is_empty()
            && self.given.is_empty()
            && self.momenta.is_empty()
            && self.contacts.is_empty()
    }

    /// Of velocities that are assigned, given impulses, and of each contact its normal and then, where there is
    /// friction, its tangent.
    pub(crate) fn directions(&self) -> Vec<Direction> {
        self.rows().0
    }

    /// The laws that rows have been solved by.
    fn laws(&self, rows: &[Row]) -> Vec<Law> {
        let closed = |row: usize| matches!(rows[row], Row::Normal { closed: true, .. });
        let first = self.assigned.len() + self.given.len();
        let mut restitutions = self.contacts.iter().flat_map(|contact| {
            let tangent = contact.friction.as_ref().map(|_| 0.0);
            std::iter::once(contact.rebound()).chain(tangent)
        });
        let law = |(i, row): (usize, &Row)| {
            let restitution = if i < first { 0.0 } else { restitutions.next().unwrap_or(0.0) };
            match *row {
                Row::Rate(_) => Law::Rate,
                Row::Impulse(_) => Law::Impulse,
                Row::Normal { closed: true, .. } => Law::Rebound { restitution },
                Row::Tangent { normal, .. } if !closed(normal) => Law::Open,
                Row::Tangent { slides: 0.0, .. } => Law::Stick,
                Row::Tangent { normal, mu, slides, .. } => Law::Slide { normal, mu, slides },
                Row::Normal { closed: false, .. } => Law::Open,
            }
        };
        rows.iter().enumerate().map(law).collect()
    }

    fn rows(&self) -> (Vec<Direction>, Vec<Row>) {
        let (mut directions, mut rows) = (Vec::new(), Vec::new());
        let mut push = |direction: &Direction, row: Row| {
            directions.push(direction.clone());
            rows.push(row);
            rows.len() - 1
        };
        for &(i, value) in &self.assigned {
            push(&Direction { gradient: vec![(i, 1.0)], ..Direction::default() }, Row::Rate(value));
        }
        for (direction, size) in &self.given {
            push(direction, Row::Impulse(*size));
        }
        for contact in &self.contacts {
            let least = -contact.rebound() * contact.normal.rate;
            let normal =
                push(&contact.normal, Row::Normal { least, closed: true, rests: contact.rests });
            if let Some((direction, mu)) = &contact.friction {
                let (mu, slides, rests) = (*mu, 0.0, contact.rests);
                push(direction, Row::Tangent { normal, mu, slides, rests });
            }
        }
        (directions, rows)
    }
}

/// Changes the velocities of a point as they are asked to, and moves those that violate a constraint onto it; the
/// impulses that this takes.
pub(crate) fn jump(system: &System, at: &mut Point, demand: &Demand) -> Result<Blow, NoJump> {
    let mut motion = Motion::new(system, at)?;
    let largest = at.v().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    motion.project(system, at);
    motion.restore(&demand.momenta, at);
    let (directions, mut rows) = demand.rows();
    let responses: Vec<Vec<f64>> = directions.iter().map(|d| motion.response(d)).collect();
    let dot = |direction: &Direction, u: &[f64]| -> f64 {
        direction.gradient.iter().map(|&(i, slope)| slope * u[i]).sum()
    };
    let size = rows.len();
    let delassus = DMatrix::from_fn(size, size, |i, j| dot(&directions[i], &responses[j]));
    let before =
        DVector::from_iterator(size, directions.iter().map(|d| dot(d, at.v()) + d.by_time));
    let impulses = match size {
        0 => DVector::zeros(0),
        _ => solve(&delassus, &before, &mut rows)?,
    };
    for (response, impulse) in responses.iter().zip(&impulses) {
        at.v_mut().iter_mut().zip(response).for_each(|(v, u)| *v += impulse * u);
        let reactions = motion.reactions.iter_mut().zip(&response[motion.n..]);
        reactions.for_each(|(sum, reaction)| *sum += impulse * reaction);
    }
    motion.project(system, at);
    for &(i, value) in &demand.assigned {
        // Where constraints leave no motion along it, responses are rounding.
        let size = value.abs() + largest;
        if !((at.v()[i] - value).abs() <= OFF * size) {
            return Err(NoJump::Contradiction);
        }
        at.v_mut()[i] = value;
    }
    if !at.v().iter().all(|v| v.is_finite()) {
        return Err(NoJump::Singular);
    }
    let (lambda, psi) = motion.reactions.split_at(motion.m);
    let mut psi = psi.to_vec();
    psi.resize(system.dims().p, 0.0);
    let along = impulses.iter().copied().collect();
    Ok(Blow { lambda: lambda.into(), psi, along, laws: demand.laws(&rows) })
}

/// The equations of motion with the constraints on velocities, factorized at a point.
struct Motion {
    n: usize,
    m: usize,
    solver: Box<dyn LinearSolver>,
    b: Vec<f64>,
    /// Λ and Ψ so far.
    reactions: Vec<f64>,
    pieces: Residual,
}

impl Motion {
    fn new(system: &System, at: &Point) -> Result<Self, NoJump> {
        let Dims { n, m, p, .. } = system.dims_in_use();
        let mut plan = PlanBuilder::new(n + m + p);
        plan.term(Term::M, 0, 0);
        plan.term(Term::Gt, 0, n);
        plan.term(Term::Kt, 0, n + m);
        plan.term(Term::G, n, 0);
        plan.term(Term::K, n + m, 0);
        plan.constraints(SlotKind::Lambda, n, n);
        plan.constraints(SlotKind::Psi, n + m, n + m);
        let plan: Plan = plan.build_once(system);
        let mut values = plan.values();
        plan.fill(system, at, &Weights::of(at), &[1.0; 5], &mut values);
        let mut solver = solver_for(plan.pattern());
        solver.factorize(&values).map_err(|_| NoJump::Singular)?;
        let pieces = Residual::new(&system.dims());
        let (b, reactions) = (vec![0.0; n + m + p], vec![0.0; m + p]);
        Ok(Motion { n, m, solver, b, reactions, pieces })
    }

    /// Moves the velocities of a point onto the constraints, by reactions alone.
    fn project(&mut self, system: &System, at: &mut Point) {
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            system.eval_at(at, Want::GDOT | Want::K, &mut self.pieces);
            let Residual { gdot, k, .. } = &self.pieces;
            let violation = gdot.iter().chain(k).fold(0.0f64, |m, x| m.max(x.abs()));
            // Written so that NaN ends it.
            if violation == 0.0 || !(violation < 0.5 * last) {
                break;
            }
            last = violation;
            self.b.fill(0.0);
            let rows = gdot.iter().chain(k);
            self.b[self.n..].iter_mut().zip(rows).for_each(|(b, violation)| *b = -violation);
            self.solver.solve(&mut self.b);
            at.v_mut().iter_mut().zip(&self.b).for_each(|(v, change)| *v += change);
            let reactions = self.reactions.iter_mut().zip(&self.b[self.n..]);
            reactions.for_each(|(sum, reaction)| *sum += reaction);
        }
    }

    /// Changes the velocities of a point by impulses on its coordinates.
    fn restore(&mut self, momenta: &[f64], at: &mut Point) {
        if momenta.is_empty() {
            return;
        }
        self.b.fill(0.0);
        self.b[..momenta.len()].copy_from_slice(momenta);
        self.solver.solve(&mut self.b);
        at.v_mut().iter_mut().zip(&self.b).for_each(|(v, change)| *v += change);
        let reactions = self.reactions.iter_mut().zip(&self.b[self.n..]);
        reactions.for_each(|(sum, reaction)| *sum += reaction);
    }

    /// The change of velocities by a unit impulse, and its reactions.
    fn response(&mut self, direction: &Direction) -> Vec<f64> {
        debug_assert!(self.m + self.n <= self.b.len());
        self.b.fill(0.0);
        for &(i, slope) in &direction.gradient {
            self.b[i] += slope;
        }
        self.solver.solve(&mut self.b);
        self.b.clone()
    }
}

/// The impulses that satisfy all laws: what touches and what sticks is changed, the worst first, until nothing
/// contradicts the laws.
fn solve(
    delassus: &DMatrix<f64>,
    before: &DVector<f64>,
    rows: &mut [Row],
) -> Result<DVector<f64>, NoJump> {
    let size = rows.len();
    // Directions may be in m or in rad: in units in which each alone moves by 1.
    let units: Vec<f64> = (0..size).map(|i| delassus[(i, i)].max(0.0).sqrt()).collect();
    let unit = |i: usize| if units[i] > 0.0 { units[i] } else { 1.0 };
    let scaled = DMatrix::from_fn(size, size, |i, j| delassus[(i, j)] / (unit(i) * unit(j)));
    let before = DVector::from_fn(size, |i, _| before[i] / unit(i));
    // What slides comes to rest along its gap only where it slides no faster than gaps close.
    let closing = rows.iter().zip(&before).filter(|(row, _)| matches!(row, Row::Normal { .. }));
    let fastest = closing.fold(0.0f64, |most, (_, rate)| most.max(rate.abs()));
    for (row, rate) in rows.iter_mut().zip(&before) {
        if let Row::Tangent { rests, .. } = row {
            *rests &= rate.abs() <= fastest;
        }
    }
    let impulses = match change(&scaled, &before, rows, &unit) {
        Err(why) if why != NoJump::Singular => search(&scaled, &before, rows, &unit).ok_or(why)?,
        found => found?,
    };
    Ok(DVector::from_fn(size, |i, _| impulses[i] / unit(i)))
}

/// The impulses that are found by changing the law that they contradict the most, over and over. Such changes may go in circles,
/// or lead to what cannot be met together, as where all that touches sticks.
fn change(
    scaled: &DMatrix<f64>,
    before: &DVector<f64>,
    rows: &mut [Row],
    unit: &dyn Fn(usize) -> f64,
) -> Result<DVector<f64>, NoJump> {
    let mut chosen = false;
    for _ in 0..CHANGES {
        let impulses = match trial(scaled, before, rows, unit) {
            // Not all that touch can be met: a rope that is paid out lets go where its load meets the floor.
            Err(NoJump::Contradiction) if !std::mem::replace(&mut chosen, true) => {
                choose(scaled, before, rows, unit)?;
                continue;
            }
            Err(NoJump::Contradiction) => break,
            tried => tried?,
        };
        match worst(scaled, before, rows, &impulses, unit) {
            None => return Ok(impulses),
            Some((i, instead)) => rows[i] = instead,
        }
    }
    Err(NoJump::NoImpulse)
}

/// The row whose law impulses contradict the most, with what should hold of it instead.
fn worst(
    scaled: &DMatrix<f64>,
    before: &DVector<f64>,
    rows: &[Row],
    impulses: &DVector<f64>,
    unit: &dyn Fn(usize) -> f64,
) -> Option<(usize, Row)> {
    let after = scaled * impulses + before;
    let rounding = ROUNDING * (before.amax() + impulses.amax());
    let mut worst: Option<(f64, usize, Row)> = None;
    for (i, row) in rows.iter().enumerate() {
        let (wrong, instead) = match *row {
            Row::Normal { rests: true, .. } => continue,
            Row::Normal { least, closed: true, rests } => {
                (-impulses[i], Row::Normal { least, closed: false, rests })
            }
            Row::Normal { least, closed: false, rests } => {
                (least / unit(i) - after[i], Row::Normal { least, closed: true, rests })
            }
            Row::Tangent { rests: true, .. } => continue,
            Row::Tangent { normal, mu, slides: 0.0, rests } => {
                let most = mu * impulses[normal].max(0.0) * unit(i) / unit(normal);
                let slides = -impulses[i].signum();
                (impulses[i].abs() - most, Row::Tangent { normal, mu, slides, rests })
            }
            Row::Tangent { normal, mu, slides, rests } => {
                (-slides * after[i], Row::Tangent { normal, mu, slides: 0.0, rests })
            }
            Row::Rate(_) | Row::Impulse(_) => continue,
        };
        if wrong > rounding && worst.is_none_or(|(most, ..)| wrong > most) {
            worst = Some((wrong, i, instead));
        }
    }
    worst.map(|(_, i, instead)| (i, instead))
}

/// The impulses of the first of all combinations of what touches, sticks and slides that contradicts no law, if one does and there
/// are no more than [`MOST_COMBINATIONS`].
fn search(
    scaled: &DMatrix<f64>,
    before: &DVector<f64>,
    rows: &mut [Row],
    unit: &dyn Fn(usize) -> f64,
) -> Option<DVector<f64>> {
    // Of each row that may be otherwise all that it may be.
    let choices = |row: &Row| match *row {
        Row::Normal { least, rests: false, .. } => {
            [true, false].map(|closed| Row::Normal { least, closed, rests: false }).to_vec()
        }
        Row::Tangent { normal, mu, rests: false, .. } => [0.0, 1.0, -1.0]
            .map(|slides| Row::Tangent { normal, mu, slides, rests: false })
            .to_vec(),
        _ => vec![*row],
    };
    let choices: Vec<Vec<Row>> = rows.iter().map(choices).collect();
    let all = choices.iter().try_fold(1usize, |all, of| all.checked_mul(of.len()));
    let all = all.filter(|all| *all <= MOST_COMBINATIONS)?;
    for number in 0..all {
        let mut left = number;
        for (row, of) in rows.iter_mut().zip(&choices) {
            *row = of[left % of.len()];
            left /= of.len();
        }
        let open = |normal: usize| matches!(rows[normal], Row::Normal { closed: false, .. });
        // Of a contact that is open one of these stands for all.
        let again = |row: &Row| matches!(*row, Row::Tangent { normal, slides, .. } if slides != 0.0 && open(normal));
        if rows.iter().any(again) {
            continue;
        }
        if let Ok(impulses) = trial(scaled, before, rows, unit)
            && worst(scaled, before, rows, &impulses, unit).is_none()
        {
            return Some(impulses);
        }
    }
    None
}

/// Closes the contacts that are met without friction, and opens the others.
fn choose(
    scaled: &DMatrix<f64>,
    before: &DVector<f64>,
    rows: &mut [Row],
    unit: &dyn Fn(usize) -> f64,
) -> Result<(), NoJump> {
    let size = rows.len();
    let given = DVector::from_fn(size, |i, _| match rows[i] {
        Row::Impulse(value) => value * unit(i),
        _ => 0.0,
    });
    let mut rates = before + scaled * given;
    let mut asked = vec![Asked::Nothing; size];
    for (i, row) in rows.iter().enumerate() {
        let rate = match *row {
            Row::Rate(value) => value,
            Row::Normal { least, .. } => least,
            Row::Impulse(_) | Row::Tangent { .. } => 0.0,
        };
        rates[i] -= rate / unit(i);
        asked[i] = match *row {
            Row::Rate(_) | Row::Normal { rests: true, .. } => Asked::Zero,
            Row::Normal { .. } => Asked::Complementary,
            Row::Impulse(_) | Row::Tangent { .. } => Asked::Nothing,
        };
    }
    let met = met(scaled, &rates, &asked).ok_or(NoJump::Contradiction)?;
    for (row, met) in rows.iter_mut().zip(met) {
        match row {
            Row::Normal { closed, .. } => *closed = met,
            Row::Tangent { slides, .. } => *slides = 0.0,
            Row::Rate(_) | Row::Impulse(_) => {}
        }
    }
    Ok(())
}

/// The impulses with what touches and what sticks as it is.
fn trial(
    scaled: &DMatrix<f64>,
    before: &DVector<f64>,
    rows: &[Row],
    unit: &dyn Fn(usize) -> f64,
) -> Result<DVector<f64>, NoJump> {
    let size = rows.len();
    let mut matrix = DMatrix::identity(size, size);
    let mut right = DVector::zeros(size);
    let closed = |normal: usize| matches!(rows[normal], Row::Normal { closed: true, .. });
    for (i, row) in rows.iter().enumerate() {
        let mut rate = |value: f64| {
            matrix.set_row(i, &scaled.row(i));
            right[i] = value / unit(i) - before[i];
        };
        match *row {
            Row::Rate(value) => rate(value),
            Row::Normal { least, closed: true, .. } => rate(least),
            Row::Impulse(value) => right[i] = value * unit(i),
            Row::Tangent { normal, slides, .. } if closed(normal) && slides == 0.0 => rate(0.0),
            Row::Tangent { normal, mu, slides, .. } if closed(normal) => {
                matrix[(i, normal)] = slides * mu * unit(i) / unit(normal);
            }
            Row::Normal { .. } | Row::Tangent { .. } => {}
        }
    }
    let decomposed = matrix.clone().svd(true, true);
    let impulses = decomposed.solve(&right, ROUNDING).map_err(|_| NoJump::Singular)?;
    let left = &matrix * &impulses - &right;
    let size = right.amax() + before.amax();
    if left.amax() <= 1e3 * ROUNDING * size { Ok(impulses) } else { Err(NoJump::Contradiction) }
}
