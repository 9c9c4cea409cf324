//! What a system can be asked for: residual pieces ([`Want`], [`Residual`]) and the blocks a
//! Newton matrix is composed of ([`Term`]).

use super::layout::{Dims, Point, SlotKind};

/// A derivative block. Rows and columns are numbered within their space: dynamics rows and
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
    /// numbers of its rows here:
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
    /// Row of the kinetic energy in the piece [`Want::ENERGY`].
    pub const KINETIC: usize = 0;
    /// Row of the potential energy there.
    pub const POTENTIAL: usize = 1;
    /// Row of v·T_v − T in the piece [`Want::BALANCE`]; that of U is [`POTENTIAL`](Self::POTENTIAL).
    pub const INERTIAL: usize = 0;
    /// Row there of the power of forces, of prescribed motion and of energies that depend on time.
    pub const WORK: usize = 2;
    /// Row there of what dissipation takes.
    pub const DISSIPATED: usize = 3;

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
    /// [`KINETIC`](Self::KINETIC) and [`POTENTIAL`](Self::POTENTIAL).
    #[inline(always)]
    pub(crate) fn add(&mut self, piece: Want, row: usize, value: f64) {
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
            _ if row == Residual::KINETIC => return self.kinetic += value,
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
