//! Which rows of constraints are in the equations: redundant ones are not, nor are those of contacts, modes and
//! surfaces while these do not hold.

use super::system::System;
use crate::equation::{Point, Residual, SlotKind, Term, Want, Weights};
use crate::statement::{ShareOf, Watch, Watched};

impl System {
    /// Declares constraint rows redundant: their multiplier is held at zero and their equations
    /// are left to the rows they depend on. Plans must be built afterwards.
    pub fn set_inactive_rows(&mut self, lambda: &[usize], psi: &[usize]) {
        self.inactive_lambda.fill(false);
        self.inactive_psi.fill(false);
        for &i in lambda {
            self.inactive_lambda[i] = true;
        }
        for &i in psi {
            self.inactive_psi[i] = true;
        }
        self.any_redundant = !lambda.is_empty() || !psi.is_empty();
        let surfaces = &mut self.inactive_psi[self.model.stated_nonholonomic()..];
        for (inactive, slides) in surfaces.iter_mut().zip(&self.slides) {
            *inactive |= !slides;
        }
        for (switch, on) in self.model.switches().iter().zip(&self.holds) {
            self.off_lambda[switch.rows.clone()].fill(!on);
        }
        for &row in self.model.from_start() {
            self.off_lambda[row] = !self.settled;
        }
        for (inactive, off) in self.inactive_lambda.iter_mut().zip(&self.off_lambda) {
            *inactive |= off;
        }
        let all = self.model.groups.len();
        self.groups_in_use =
            if self.slides.contains(&true) { all } else { self.model.first_surface };
        let rows = self.dims_in_use().p;
        let off = |rows: &[bool]| (0..rows.len()).filter(|&row| rows[row]).collect();
        self.trivial = [off(&self.inactive_lambda), off(&self.inactive_psi[..rows])];
        self.any_trivial = !self.trivial.iter().all(Vec::is_empty);
    }

    /// Says whether the rows that hold [from the start on](crate::model::ModelBuilder::holonomic_from_start) hold, as
    /// they do unless something else is said. Plans must be built afterwards.
    pub(crate) fn set_settled(&mut self, settled: bool) {
        let redundant = [SlotKind::Lambda, SlotKind::Psi]
            .map(|kind| self.redundant_rows(kind).collect::<Vec<_>>());
        self.settled = settled;
        self.set_inactive_rows(&redundant[0], &redundant[1]);
    }

    /// Lets these rows hold at a point, and from there on.
    pub(crate) fn note_offsets(&self, point: &mut Point) {
        if self.model.from_start().is_empty() {
            return;
        }
        let mut out = Residual::new(&self.dims());
        point.offsets_mut().fill(0.0);
        self.eval_all(point, &Weights::of(point), Want::G, &mut out);
        let rows = self.model.from_start().iter();
        for (offset, &row) in point.offsets_mut().iter_mut().zip(rows) {
            *offset = out.g[row];
        }
    }

    /// Whether each of the holonomic rows that come and go is in the equations: contacts
    /// ([contacts](crate::model::Model::contacts), `unilateral`) while they are closed, constraints `while` a condition holds. None at first.
    pub fn holds(&self) -> &[bool] {
        &self.holds
    }

    /// Says which of them hold. Plans must be built afterwards.
    pub fn set_holds(&mut self, holds: &[bool]) {
        let redundant = [SlotKind::Lambda, SlotKind::Psi]
            .map(|kind| self.redundant_rows(kind).collect::<Vec<_>>());
        self.holds.copy_from_slice(holds);
        self.set_inactive_rows(&redundant[0], &redundant[1]);
    }

    /// How many surfaces compare speeds, the first of all: those behind them compare states.
    pub(crate) fn surfaces_of_speeds(&self) -> usize {
        self.inactive_psi.len() - self.model.stated_nonholonomic()
    }

    /// Whether the motion slides along a surface of states that reads speeds: accelerations have a part in what holds it.
    pub(crate) fn slides_by_accelerations(&self) -> bool {
        let slides = self.slides[self.surfaces_of_speeds()..].contains(&true);
        let by_accelerations = Term::W(SlotKind::A);
        let mut of_surfaces = self.groups().skip(self.model.first_surface);
        slides && of_surfaces.any(|group| group.terms().contains(&by_accelerations))
    }

    /// What the share of a surface is.
    pub(crate) fn share_of(&self, surface: usize) -> ShareOf {
        match surface.checked_sub(self.surfaces_of_speeds()) {
            Some(of_states) => ShareOf::States(self.model.variables().len() + of_states),
            None => ShareOf::Speeds(self.model.stated_nonholonomic() + surface),
        }
    }

    /// The surface with this share.
    pub(crate) fn surface_of(&self, share: ShareOf) -> usize {
        match share {
            ShareOf::Speeds(row) => row - self.model.stated_nonholonomic(),
            ShareOf::States(variable) => {
                self.surfaces_of_speeds() + variable - self.model.variables().len()
            }
        }
    }

    /// Whether the motion slides along each of the model's [surfaces](crate::model::Model::surfaces), and of those of its
    /// [states](crate::model::Model::surfaces_of_states) behind them: its row is in the equations then. Along none at the start.
    pub fn slides(&self) -> &[bool] {
        &self.slides
    }

    /// Says along which surfaces the motion slides, and that those others have no share. Plans must be built afterwards.
    pub fn set_slides(&mut self, slides: &[bool]) {
        let redundant = [SlotKind::Lambda, SlotKind::Psi]
            .map(|kind| self.redundant_rows(kind).collect::<Vec<_>>());
        self.slides.copy_from_slice(slides);
        self.given_psi.fill(0.0);
        self.set_inactive_rows(&redundant[0], &redundant[1]);
    }

    /// What the multiplier of a nonholonomic row is while the row is not in the equations: 0, but for friction in planes that
    /// hold a body together, more of them than its motion needs, which carry a load in shares that the equations leave open.
    pub(crate) fn given_psi(&self) -> &[f64] {
        &self.given_psi
    }

    /// Says what they are, until the motion slides along other surfaces.
    pub(crate) fn give_psi(&mut self, given: &[f64]) {
        self.given_psi.copy_from_slice(given);
    }

    /// The flat indices of the [sides](Point::sides) of comparisons that a motion can slide along, each
    /// with its surface, at the flat point `y`.
    pub(crate) fn sides_of_surfaces(&self, y: &[f64]) -> Vec<(usize, usize)> {
        let mut watched = Watched::default();
        let ask = Watch { comparisons: true, ..Watch::default() };
        for group in self.groups().filter(|group| group.sees().comparisons) {
            (0..group.instances()).for_each(|i| group.watch(i, y, ask, &mut watched));
        }
        let pairs = watched.held.iter().zip(&watched.surfaces);
        let of = |(held, surface): (&Option<u32>, &Option<(ShareOf, bool)>)| {
            Some(((*held)? as usize, self.surface_of((*surface)?.0)))
        };
        pairs.filter_map(of).collect()
    }

    /// Whether a row is no part of the motion now: that of a surface that the motion is not on, of a contact that
    /// is open.
    pub(crate) fn is_off(&self, kind: SlotKind, row: usize) -> bool {
        if kind == SlotKind::Lambda {
            return self.off_lambda[row];
        }
        let surface = row.checked_sub(self.model.stated_nonholonomic());
        surface.is_some_and(|surface| !self.slides[surface])
    }

    /// Rows declared redundant: of the holonomic constraints for `Lambda`, the nonholonomic for
    /// `Psi`; none for other kinds.
    pub fn redundant_rows(&self, kind: SlotKind) -> impl Iterator<Item = usize> + '_ {
        self.inactive_rows(kind).filter(move |&row| !self.is_off(kind, row))
    }

    /// Rows that are not in the equations, likewise: redundant ones, surfaces that the motion is not
    /// on, contacts that are open. Their multipliers are 0, those of surfaces may be given.
    pub fn inactive_rows(&self, kind: SlotKind) -> impl Iterator<Item = usize> + '_ {
        let rows: &[bool] = match kind {
            SlotKind::Lambda => &self.inactive_lambda,
            SlotKind::Psi => &self.inactive_psi,
            _ => &[],
        };
        rows.iter().enumerate().filter(|(_, off)| **off).map(|(i, _)| i)
    }

    /// Those of them that have a place among the unknowns all the same, where their equation is "multiplier = what is
    /// given": all but surfaces while the motion slides along none, which have no place then
    /// ([`dims_in_use`](Self::dims_in_use)).
    #[inline]
    pub(crate) fn trivial_rows(&self, kind: SlotKind) -> impl Iterator<Item = usize> + '_ {
        let rows: &[usize] = match kind {
            SlotKind::Lambda => &self.trivial[0],
            SlotKind::Psi => &self.trivial[1],
            _ => &[],
        };
        rows.iter().copied()
    }

    /// Whether an entry of a term has a place in matrices of the [size in use](Self::dims_in_use).
    pub(super) fn places(&self, term: Term, row: u32, col: u32) -> bool {
        let dims = self.dims_in_use();
        let inside = |kind: SlotKind, at: u32| kind != SlotKind::W || (at as usize) < dims.nw;
        self.keeps(term, row, col)
            && match term {
                Term::W(kind) => inside(SlotKind::W, row) && inside(kind, col),
                Term::F(kind) | Term::D(kind) => inside(kind, col),
                _ => true,
            }
    }

    /// Whether an entry of a term is part of the equations, given the redundant rows.
    pub(super) fn keeps(&self, term: Term, row: u32, col: u32) -> bool {
        let (row, col) = (row as usize, col as usize);
        match term {
            Term::G | Term::GuQ | Term::GdotQ | Term::GammaQ | Term::GammaV => {
                !self.inactive_lambda[row]
            }
            Term::React | Term::Gt => !self.inactive_lambda[col],
            Term::F(SlotKind::Lambda) | Term::D(SlotKind::Lambda) | Term::W(SlotKind::Lambda) => {
                !self.inactive_lambda[col]
            }
            Term::K | Term::KQ | Term::ZetaQ | Term::ZetaV | Term::KuQ | Term::KuV => {
                !self.inactive_psi[row]
            }
            Term::ReactPsi | Term::Kt => !self.inactive_psi[col],
            Term::F(SlotKind::Psi) | Term::D(SlotKind::Psi) | Term::W(SlotKind::Psi) => {
                !self.inactive_psi[col]
            }
            _ => true,
        }
    }

    /// Whether the same rows are in the equations as in another state of this system, but for redundant ones.
    pub(crate) fn has_rows_of(&self, other: &System) -> bool {
        self.off_lambda == other.off_lambda
            && self.slides == other.slides
            && self.given_psi == other.given_psi
    }

    /// Whether any row was declared redundant.
    pub(crate) fn has_redundant_rows(&self) -> bool {
        self.any_redundant
    }

    /// Sets the rows of redundant constraints to 0.
    #[inline(always)]
    pub(crate) fn silence(&self, out: &mut Residual) {
        if self.any_trivial {
            self.silence_rows(out);
        }
    }

    #[inline(never)]
    fn silence_rows(&self, out: &mut Residual) {
        for i in self.trivial_rows(SlotKind::Lambda) {
            for piece in [&mut out.g, &mut out.gdot, &mut out.gamma, &mut out.gu] {
                piece[i] = 0.0;
            }
        }
        for i in self.trivial_rows(SlotKind::Psi) {
            for piece in [&mut out.k, &mut out.zeta, &mut out.ku] {
                piece[i] = 0.0;
            }
        }
    }
}
