//! What a system can be asked for: residual pieces ([`Want`], [`Residual`]) and the blocks a
//! Newton matrix is composed of ([`Term`]).

use super::layout::{Dims, Layout, Point, SlotKind};
use super::sink::{RowSink, Sink};
use super::surfaces::Surfaces;
use super::units::Units;
use crate::ad::Stated;
use crate::model::ModelError;
use crate::program::{Energy, Pieces, Source};
use crate::scalar::{Notes, Watch, Watched};
use std::ops::Range;

/// A derivative block. RowSink and columns are numbered within their space: dynamics rows and
/// q, v, a columns 0..n, holonomic rows and λ columns 0..m, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// M (n×n).
    M,
    /// (M u)_q (n×n) for the given u.
    MuQ,
    /// ∂f/∂kind (n × …): applied and gyroscopic forces.
    F(SlotKind),
    /// Gᵀ of the reaction in the equations of motion (n×m); absent where the model states its own.
    React,
    /// Kᵀ of the reaction (n×p), likewise.
    ReactPsi,
    /// (Gᵀs + Kᵀr)_q of the reaction (n×n), likewise.
    ReactQ,
    /// (Kᵀr)_v of the reaction (n×n), likewise.
    ReactV,
    /// G (m×n).
    G,
    /// Gᵀ (n×m), whoever states the reaction: for projections.
    Gt,
    /// (Gᵀs)_q (n×n) for the given s, whoever states the reaction.
    GtsQ,
    /// (G u)_q (m×n) for the given u.
    GuQ,
    /// (G v + g_t)_q (m×n).
    GdotQ,
    /// γ_q (m×n).
    GammaQ,
    /// γ_v (m×n).
    GammaV,
    /// K = k_v (p×n).
    K,
    /// Kᵀ (n×p).
    Kt,
    /// k_q (p×n).
    KQ,
    /// (Kᵀr)_q (n×n).
    KtrQ,
    /// (Kᵀr)_v (n×n).
    KtrV,
    /// ζ_q (p×n), ζ = k_q v + k_t.
    ZetaQ,
    /// ζ_v (p×n).
    ZetaV,
    /// (K u)_q (p×n).
    KuQ,
    /// (K u)_v (p×n).
    KuV,
    /// ∂d/∂kind (nx × …) of the state equations d = 0.
    D(SlotKind),
    /// ∂(w − φ)/∂kind (nw × …) of the variables' definitions.
    W(SlotKind),
}

impl Term {
    /// The piece this term is the derivative of, and what by: M by the accelerations in u, Gᵀ and
    /// Kᵀ by the multipliers in s and r.
    pub fn differentiated(self) -> (Want, SlotKind) {
        match self {
            Term::M => (Want::MU, SlotKind::A),
            Term::MuQ => (Want::MU, SlotKind::Q),
            Term::F(kind) => (Want::F, kind),
            Term::React => (Want::REACTION, SlotKind::Lambda),
            Term::ReactPsi => (Want::REACTION, SlotKind::Psi),
            Term::ReactQ => (Want::REACTION, SlotKind::Q),
            Term::ReactV => (Want::REACTION, SlotKind::V),
            Term::G => (Want::G, SlotKind::Q),
            Term::Gt => (Want::GTS, SlotKind::Lambda),
            Term::Kt => (Want::GTS, SlotKind::Psi),
            Term::GtsQ | Term::KtrQ => (Want::GTS, SlotKind::Q),
            Term::KtrV => (Want::GTS, SlotKind::V),
            Term::GuQ => (Want::GU, SlotKind::Q),
            Term::GdotQ => (Want::GDOT, SlotKind::Q),
            Term::GammaQ => (Want::GAMMA, SlotKind::Q),
            Term::GammaV => (Want::GAMMA, SlotKind::V),
            Term::K => (Want::K, SlotKind::V),
            Term::KQ => (Want::K, SlotKind::Q),
            Term::ZetaQ => (Want::ZETA, SlotKind::Q),
            Term::ZetaV => (Want::ZETA, SlotKind::V),
            Term::KuQ => (Want::KU, SlotKind::Q),
            Term::KuV => (Want::KU, SlotKind::V),
            Term::D(kind) => (Want::D, kind),
            Term::W(kind) => (Want::W, kind),
        }
    }

    /// Where the variable of the derivative is: a weight, where the piece is linear in it.
    pub(crate) fn variable(self) -> Source {
        match self {
            Term::M => Source::U,
            Term::React | Term::Gt => Source::S,
            Term::ReactPsi | Term::Kt => Source::R,
            _ => Source::Point,
        }
    }
}

/// Which residual pieces to compute. Combine with `|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Want(u32);

macro_rules! wants {
    ($($(#[$doc:meta])* $name:ident = $bit:literal;)*) => {
        impl Want {
            $( $(#[$doc])* pub const $name: Want = Want(1 << $bit); )*
        }
    };
}
wants! {
    /// M u.
    MU = 0;
    /// Applied and gyroscopic force f.
    F = 1;
    /// Reaction Gᵀs + Kᵀr as it enters the equations of motion.
    REACTION = 2;
    /// Gᵀs + Kᵀr, whoever states the reaction.
    GTS = 3;
    /// g.
    G = 4;
    /// G v + g_t.
    GDOT = 5;
    /// γ.
    GAMMA = 6;
    /// G u.
    GU = 7;
    /// k.
    K = 8;
    /// ζ = k_q v + k_t.
    ZETA = 9;
    /// K u.
    KU = 10;
    /// State equations d.
    D = 11;
    /// Variables' definitions w − φ.
    W = 12;
    /// Kinetic and potential energy.
    ENERGY = 13;
    /// What the power balance consists of ([`Residual::balance`]); without partials by parameters.
    BALANCE = 14;
}

impl Want {
    /// Nothing.
    pub const NONE: Want = Want(0);

    /// One request by number.
    pub(crate) fn bit(k: u32) -> Want {
        Want(1 << k)
    }

    /// The numbers of what is wanted.
    #[inline(always)]
    pub(crate) fn numbers(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            next
        })
    }

    /// Whether all of `other` is wanted.
    #[inline(always)]
    pub fn has(self, other: Want) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is wanted.
    #[inline(always)]
    pub fn any(self, other: Want) -> bool {
        self.0 & other.0 != 0
    }
}

impl std::ops::BitOr for Want {
    type Output = Want;
    fn bitor(self, other: Want) -> Want {
        Want(self.0 | other.0)
    }
}

/// The vectors that weight second-order terms.
#[derive(Clone, Copy, Debug)]
pub struct Weights<'a> {
    /// u (n) in M u, G u, K u and their derivatives.
    pub u: &'a [f64],
    /// s (m) in Gᵀs.
    pub s: &'a [f64],
    /// r (p) in Kᵀr.
    pub r: &'a [f64],
}

impl<'a> Weights<'a> {
    /// Those that a point itself gives: u = a, s = λ, r = ψ.
    pub fn of(point: &'a Point) -> Self {
        Weights { u: point.a(), s: point.lambda(), r: point.psi() }
    }
}

/// The residual pieces of a system; each is filled when wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residual {
    /// M u (n).
    pub mu: Vec<f64>,
    /// f (n): applied forces, −∂U/∂q, −∂D/∂v and the gyroscopic part of the kinetic energy.
    pub f: Vec<f64>,
    /// Gᵀs + Kᵀr (n) as it enters the equations of motion.
    pub reaction: Vec<f64>,
    /// Gᵀs + Kᵀr (n), whoever states the reaction.
    pub gts: Vec<f64>,
    /// g (m).
    pub g: Vec<f64>,
    /// G v + g_t (m).
    pub gdot: Vec<f64>,
    /// γ (m), so that G a + γ = 0.
    pub gamma: Vec<f64>,
    /// G u (m).
    pub gu: Vec<f64>,
    /// k (p).
    pub k: Vec<f64>,
    /// ζ (p), so that K a + ζ = 0.
    pub zeta: Vec<f64>,
    /// K u (p).
    pub ku: Vec<f64>,
    /// d (nx).
    pub d: Vec<f64>,
    /// w − φ (nw).
    pub w: Vec<f64>,
    /// Kinetic energy in J.
    pub kinetic: f64,
    /// Potential energy in J.
    pub potential: f64,
    /// v·T_v − T and U in J, the power of what does work and what dissipation takes in W, by the
    /// numbers in [`RowSink`]:
    ///
    /// ```text
    /// d/dt (v·T_v − T + U) = work − dissipated
    /// work = Q·v + sᵀg_t − rᵀK v − T_t + U_t + ½ vᵀṀv,    dissipated = v·D_v
    /// ```
    ///
    /// with s = λ and r = ψ along a motion. Reactions that the model states itself are part of Q,
    /// and the rows of their constraints add nothing; M is that of mass entries alone, which bring
    /// no gyroscopic force.
    pub balance: [f64; 4],
}

impl Residual {
    /// Zeroed pieces of the right sizes.
    pub fn new(dims: &Dims) -> Self {
        let (n, m, p) = (vec![0.0; dims.n], vec![0.0; dims.m], vec![0.0; dims.p]);
        Residual {
            mu: n.clone(),
            f: n.clone(),
            reaction: n.clone(),
            gts: n,
            g: m.clone(),
            gdot: m.clone(),
            gamma: m.clone(),
            gu: m,
            k: p.clone(),
            zeta: p.clone(),
            ku: p,
            d: vec![0.0; dims.nx],
            w: vec![0.0; dims.nw],
            kinetic: 0.0,
            potential: 0.0,
            balance: [0.0; 4],
        }
    }

    /// Every vector piece with the request it belongs to and its name.
    pub fn pieces(&self) -> [(Want, &'static str, &[f64]); 14] {
        [
            (Want::MU, "M u", &self.mu),
            (Want::F, "f", &self.f),
            (Want::REACTION, "reaction", &self.reaction),
            (Want::GTS, "Gᵀs", &self.gts),
            (Want::G, "g", &self.g),
            (Want::GDOT, "G v + g_t", &self.gdot),
            (Want::GAMMA, "γ", &self.gamma),
            (Want::GU, "G u", &self.gu),
            (Want::K, "k", &self.k),
            (Want::ZETA, "ζ", &self.zeta),
            (Want::KU, "K u", &self.ku),
            (Want::D, "d", &self.d),
            (Want::W, "w − φ", &self.w),
            (Want::BALANCE, "power balance", &self.balance),
        ]
    }

    /// Adds to a row of one piece; those of [`Want::ENERGY`] are
    /// [`RowSink::KINETIC`] and [`RowSink::POTENTIAL`].
    #[inline(always)]
    pub(super) fn add(&mut self, piece: Want, row: usize, value: f64) {
        let rows = match piece {
            Want::MU => &mut self.mu,
            Want::F => &mut self.f,
            Want::REACTION => &mut self.reaction,
            Want::GTS => &mut self.gts,
            Want::G => &mut self.g,
            Want::GDOT => &mut self.gdot,
            Want::GAMMA => &mut self.gamma,
            Want::GU => &mut self.gu,
            Want::K => &mut self.k,
            Want::ZETA => &mut self.zeta,
            Want::KU => &mut self.ku,
            Want::D => &mut self.d,
            Want::W => &mut self.w,
            Want::BALANCE => return self.balance[row] += value,
            _ if row == RowSink::KINETIC => return self.kinetic += value,
            _ => return self.potential += value,
        };
        rows[row] += value;
    }

    /// Number of a piece among [`pieces`](Self::pieces); the energies come last.
    pub(crate) fn index(want: Want) -> usize {
        want.0.trailing_zeros() as usize
    }

    /// All pieces in the order of their numbers, then the values of a matrix; the energies are given
    /// from outside. There is one more place behind them.
    #[inline(always)]
    pub(crate) fn results<'a>(
        &'a mut self,
        energies: &'a mut [f64; 2],
        values: &'a mut [f64],
    ) -> [&'a mut [f64]; 17] {
        [
            &mut self.mu,
            &mut self.f,
            &mut self.reaction,
            &mut self.gts,
            &mut self.g,
            &mut self.gdot,
            &mut self.gamma,
            &mut self.gu,
            &mut self.k,
            &mut self.zeta,
            &mut self.ku,
            &mut self.d,
            &mut self.w,
            energies,
            &mut self.balance,
            values,
            &mut [],
        ]
    }

    /// Sets the wanted pieces to zero.
    pub fn clear(&mut self, want: Want) {
        let pieces: [(Want, &mut Vec<f64>); 13] = [
            (Want::MU, &mut self.mu),
            (Want::F, &mut self.f),
            (Want::REACTION, &mut self.reaction),
            (Want::GTS, &mut self.gts),
            (Want::G, &mut self.g),
            (Want::GDOT, &mut self.gdot),
            (Want::GAMMA, &mut self.gamma),
            (Want::GU, &mut self.gu),
            (Want::K, &mut self.k),
            (Want::ZETA, &mut self.zeta),
            (Want::KU, &mut self.ku),
            (Want::D, &mut self.d),
            (Want::W, &mut self.w),
        ];
        for (bit, piece) in pieces {
            if want.has(bit) {
                piece.fill(0.0);
            }
        }
        if want.has(Want::ENERGY) {
            self.kinetic = 0.0;
            self.potential = 0.0;
        }
        if want.has(Want::BALANCE) {
            self.balance = [0.0; 4];
        }
    }
}

/// What the elements of one statement contribute; the one interface between the derivative
/// engine and assembly. Written by the generic groups of this crate, and by hand where a model
/// brings its own Jacobians.
pub trait ElementGroup: Send + Sync {
    /// The statement's name.
    fn name(&self) -> &str;

    /// Number of instances.
    fn instances(&self) -> usize;

    /// Resolves the scalars it reads to flat offsets, checking every index; `initial` is the flat
    /// point of the declared initial values.
    ///
    /// # Errors
    /// [`ModelError`] naming the statement that reads something that is not there.
    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError>;

    /// Looks for the surfaces that the motion can slide along, at the flat point of a layout without them;
    /// if any are found it is bound anew.
    #[doc(hidden)]
    fn find_surfaces(&mut self, initial: &[f64], found: &mut Surfaces) {
        let _ = (initial, found);
    }

    /// Gives each comparison that the motion switches a place in the flat point for the [side] on
    /// which it is held, the next one `next`; groups whose comparisons cannot be held leave it.
    ///
    /// [side]: super::Point::sides
    #[doc(hidden)]
    fn hold(&mut self, initial: &[f64], next: &mut usize) {
        let _ = (initial, next);
    }

    /// Whether it compares values and whether it reads time. A group written by hand says neither: what
    /// it does between the steps is not known.
    #[doc(hidden)]
    fn sees(&self) -> Watch {
        Watch::default()
    }

    /// Appends the decisions of an instance at the flat point `y`, or what of it depends on time alone.
    #[doc(hidden)]
    fn watch(&self, instance: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        let _ = (instance, y, ask, out);
    }

    /// Whether it is a constraint.
    #[doc(hidden)]
    fn constrains(&self) -> bool {
        false
    }

    /// Appends the places that an instance notes at the flat point `y`, for drawings.
    #[doc(hidden)]
    fn note(&self, instance: usize, y: &[f64], notes: &mut Notes) {
        let _ = (instance, y, notes);
    }

    /// The event that it states, for what states one and adds nothing to the equations.
    #[doc(hidden)]
    fn event(&self) -> Option<&Stated> {
        None
    }

    /// The terms this group contributes to.
    fn terms(&self) -> Vec<Term>;

    /// Appends the (row, column) of each local entry of `term` for one instance, in the order in
    /// which [`matrix`](Self::matrix) adds them; `None` for entries outside the term's columns.
    fn entries(&self, term: Term, instance: usize, out: &mut Vec<Option<(u32, u32)>>);

    /// Adds the wanted residual pieces of some instances at the flat point `y`, in their order.
    fn residual(
        &self,
        instances: Range<usize>,
        y: &[f64],
        weights: &Weights<'_>,
        want: Want,
        out: &mut RowSink<'_>,
    );

    /// Adds the derivative of the wanted residual pieces with respect to the parameter at flat
    /// offset `param`.
    fn residual_param(
        &self,
        y: &[f64],
        weights: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut RowSink<'_>,
    );

    /// Whether it adds its part of [`Want::BALANCE`]. The power of forces that a group written by
    /// hand states is not known unless it says so, and without it no balance of the model closes.
    fn balances(&self) -> bool {
        false
    }

    /// Writes the residual pieces of one instance down as expressions, from which programs for
    /// every piece and term are made; `None` where they depend on comparisons, and for groups
    /// written by hand: such a group is evaluated by [`residual`](Self::residual) and
    /// [`matrix`](Self::matrix).
    #[doc(hidden)]
    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let _ = (instance, y, out);
        None
    }

    /// The coordinates whose velocities the kinetic energy of an instance reads; none for other
    /// statements.
    #[doc(hidden)]
    fn moved(&self, instance: usize) -> Vec<usize> {
        let _ = instance;
        Vec::new()
    }

    /// Writes the kinetic energy of one instance down: those of statements that share coordinates
    /// are added up before their pieces are taken. `None` where that is no expression, and for other
    /// statements.
    #[doc(hidden)]
    fn energy(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<Energy> {
        let _ = (instance, y, out);
        None
    }

    /// Says what units the rows of an instance have to be in, at the flat point `y`; nothing for
    /// groups written by hand.
    #[doc(hidden)]
    fn units(&self, instance: usize, y: &[f64], units: &mut Units<'_>) {
        let _ = (instance, y, units);
    }

    /// Adds the blocks that the sink wants of some instances, in their order.
    fn matrix(
        &self,
        instances: Range<usize>,
        y: &[f64],
        weights: &Weights<'_>,
        sink: &mut Sink<'_>,
    );
}
