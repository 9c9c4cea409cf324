//! Terms and pieces by name.

use crate::assembly::{Point, Residual, SlotKind, System, Term, Want, Weights};
use nalgebra::DMatrix;

pub(super) fn name(term: Term) -> String {
    let suffix = |kind: SlotKind| match kind {
        SlotKind::T => "t",
        SlotKind::Q => "q",
        SlotKind::V => "v",
        SlotKind::A => "a",
        SlotKind::X => "x",
        SlotKind::Xd => "ẋ",
        SlotKind::Lambda => "λ",
        SlotKind::Psi => "ψ",
        SlotKind::W => "w",
    };
    match term {
        Term::M => "M".into(),
        Term::MuQ => "(M u)_q".into(),
        Term::F(kind) => format!("f_{}", suffix(kind)),
        Term::React => "reaction_λ".into(),
        Term::ReactPsi => "reaction_ψ".into(),
        Term::ReactQ => "reaction_q".into(),
        Term::ReactV => "reaction_v".into(),
        Term::G => "G".into(),
        Term::Gt => "Gᵀ".into(),
        Term::GtsQ => "(Gᵀs+Kᵀr)_q".into(),
        Term::GuQ => "(G u)_q".into(),
        Term::GdotQ => "(G v+g_t)_q".into(),
        Term::GammaQ => "γ_q".into(),
        Term::GammaV => "γ_v".into(),
        Term::K => "K".into(),
        Term::Kt => "Kᵀ".into(),
        Term::KQ => "k_q".into(),
        Term::KtrQ => "(Kᵀr)_q".into(),
        Term::KtrV => "(Kᵀr)_v".into(),
        Term::ZetaQ => "ζ_q".into(),
        Term::ZetaV => "ζ_v".into(),
        Term::KuQ => "(K u)_q".into(),
        Term::KuV => "(K u)_v".into(),
        Term::D(kind) => format!("d_{}", suffix(kind)),
        Term::W(kind) => format!("(w−φ)_{}", suffix(kind)),
    }
}

pub(super) fn terms() -> Vec<Term> {
    let mut terms = vec![
        Term::M,
        Term::MuQ,
        Term::React,
        Term::ReactPsi,
        Term::ReactQ,
        Term::ReactV,
        Term::G,
        Term::Gt,
        Term::GtsQ,
        Term::GuQ,
        Term::GdotQ,
        Term::GammaQ,
        Term::GammaV,
        Term::K,
        Term::Kt,
        Term::KQ,
        Term::KtrV,
        Term::ZetaQ,
        Term::ZetaV,
        Term::KuQ,
        Term::KuV,
    ];
    for kind in SlotKind::ALL.into_iter().filter(|&kind| kind != SlotKind::T) {
        terms.extend([Term::F(kind), Term::D(kind), Term::W(kind)]);
    }
    terms
}

/// A term as a dense matrix; weights u = a, s = λ, r = ψ are the point's.
pub fn dense(system: &System, point: &Point, term: Term) -> DMatrix<f64> {
    let (rows, cols) = system.term_shape(term);
    let mut matrix = DMatrix::zeros(rows, cols);
    for (r, c, value) in system.entries(point, &Weights::of(point), term) {
        matrix[(r, c)] += value;
    }
    matrix
}

pub(super) fn piece(system: &System, point: &Point, want: Want) -> Vec<f64> {
    let mut residual = Residual::new(&system.dims());
    system.eval_at(point, want, &mut residual);
    let pieces = residual.pieces();
    pieces.iter().find(|(w, ..)| *w == want).map_or(Vec::new(), |(.., values)| values.to_vec())
}

pub(super) fn row_name(system: &System, want: Want, row: usize) -> String {
    let model = system.model();
    match want {
        Want::G | Want::GDOT | Want::GAMMA | Want::GU => model.holonomic_row_name(row),
        Want::K | Want::ZETA | Want::KU => model.nonholonomic_row_name(row),
        Want::D => model.scalar_name(SlotKind::Xd, row),
        Want::W => model.scalar_name(SlotKind::W, row),
        _ => model.scalar_name(SlotKind::Q, row),
    }
}
