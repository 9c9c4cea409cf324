//! What holds a motion on surfaces and in contacts, looked at along each step: where a share leaves its bounds
//! or a force would pull, the step ends.

use super::Integrator;
use super::bracket::Bracket;
use super::carried::{Kept, Left, TRIES};
use super::dip::above_between;
use super::sliding::{AT_BOUND, AT_REST, rounding};
use crate::assembly::Point;
use crate::integrate::guards::INSTANTS;
use crate::integrate::scheme::StepSpan;

/// What a share may differ in a step from a straight line between its ends: a step that resolves nothing
/// of a load that rises and falls again would miss that it was too much in between.
const STRAIGHT: f64 = 0.25;

/// Parts of a step to which the instant at which a share leaves its bounds is located.
const LOCATED: f64 = 1e-15;

impl Integrator<'_> {
    /// What holds the motion by rows in the equations.
    pub(super) fn held_in_equations(&self) -> Vec<Kept> {
        let slides = self.system.slides().iter().enumerate();
        let mut surfaces: Vec<usize> =
            slides.filter(|(_, on)| **on).map(|(surface, _)| self.guards.first(surface)).collect();
        surfaces.dedup();
        let surfaces = surfaces.into_iter().map(Kept::Surface);
        let contacts = self.closed_contacts().into_iter().map(Kept::Contact);
        surfaces.chain(contacts).filter(|&kept| self.is_in_equations(&self.system, kept)).collect()
    }

    /// How far what a surface or a contact holds the motion with is beyond its bounds, and the side to which the
    /// motion leaves there: of a share in parts of all, of a contact's force in parts of the largest forces.
    pub(super) fn beyond(&self, kept: Kept, at: &Point) -> (f64, f64) {
        match kept {
            Kept::Surface(surface) if self.is_plane(surface) => {
                let psi = self.all_of(surface).map(|of| self.share(at, of));
                (psi.fold(0.0, f64::hypot) - 0.5, 1.0)
            }
            Kept::Surface(surface) => {
                let psi = self.share(at, surface);
                (psi.abs() - 0.5, if psi > 0.0 { 1.0 } else { -1.0 })
            }
            Kept::Contact(contact) => {
                let row = self.gap_row(contact);
                (-at.lambda()[row] / self.scales.lambda()[row], 1.0)
            }
        }
    }

    /// Whether what holds the motion at the point reached goes on to, though forces have changed: all shares and
    /// forces are within their bounds, and what others hold along does not move.
    pub(super) fn goes_on_holding(&mut self) -> bool {
        let held = self.held_in_equations();
        let within = held.iter().all(|&kept| self.beyond(kept, &self.to).0 <= rounding(kept));
        let at = self.to.clone();
        let surfaces = self.on_surfaces().into_iter().map(Kept::Surface);
        let all: Vec<Kept> =
            surfaces.chain(self.closed_contacts().into_iter().map(Kept::Contact)).collect();
        let still = |kept: &Kept| {
            held.contains(kept)
                || self.rate_of(*kept, &at).abs() <= AT_REST * self.size_of_rate(*kept)
        };
        within && all.iter().all(still)
    }

    /// How the shares of the surfaces along which the motion slides go in an attempted step. `tries`: how
    /// often it was taken again to end where one leaves.
    pub(super) fn left(&mut self, span: StepSpan, tries: usize, near: f64) -> Left {
        if !self.is_held() {
            return Left::No;
        }
        let held = self.held_in_equations();
        let parts = [0.0, INSTANTS[0], INSTANTS[1], INSTANTS[2], INSTANTS[3]];
        let mut shares: Vec<Vec<f64>> = Vec::new();
        for part in parts {
            let Some(at) = self.shares_at(span, part) else { return Left::TooLong };
            shares.push(held.iter().map(|&kept| self.beyond(kept, &at).0).collect());
        }
        self.sliding.leaving.clear();
        let mut first: Option<(f64, usize)> = None;
        for (k, &kept) in held.iter().enumerate() {
            let (y0, y1) = (shares[0][k], shares[4][k]);
            let line = |part: f64| y0 + part * (y1 - y0);
            let bent = (1..4).any(|i| (shares[i][k] - line(parts[i])).abs() > STRAIGHT);
            if bent && matches!(kept, Kept::Surface(_)) {
                return Left::TooLong;
            }
            let out = (1..5).find(|&i| shares[i][k] > rounding(kept));
            let found = match out {
                Some(out) => {
                    Some(([parts[out - 1], parts[out]], [shares[out - 1][k], shares[out][k]]))
                }
                None => {
                    let values: [f64; 5] = std::array::from_fn(|i| shares[i][k]);
                    above_between(&parts, &values, rounding(kept), |part| {
                        let at = self.shares_at(span, part)?;
                        Some(self.beyond(kept, &at).0)
                    })
                }
            };
            let Some((mut bracket, mut at)) = found else { continue };
            if at[0] > 0.0 {
                // Beyond by rounding where the step begins.
                (bracket[1], at[1]) = (bracket[0], at[0]);
            }
            let mut found = Bracket { before: [bracket[0], -at[0]], beyond: [bracket[1], -at[1]] };
            let known = found.narrow(LOCATED.max(0.1 * near / span.h), |part| {
                let at = self.shares_at(span, part)?;
                Some(-self.beyond(kept, &at).0)
            });
            if !known {
                return Left::TooLong;
            }
            let part = found.beyond[0];
            if first.is_none_or(|(known, _)| part < known) {
                first = Some((part, k));
            }
        }
        let ends = |part: f64| (1.0 - part) * span.h <= near;
        let Some((part, _)) = first.filter(|&(part, _)| tries == 0 || !ends(part)) else {
            // The step that was to end where one leaves ends a little before, or there.
            let leaving: Vec<(Kept, f64)> = (0..held.len())
                .filter(|&k| {
                    let (y0, y1) = (shares[3][k], shares[4][k]);
                    let rate = (y1 - y0) / ((1.0 - parts[3]) * span.h);
                    y1 > -(rounding(held[k]) + 2.0 * near * rate.abs()) && rate > 0.0
                })
                .map(|k| (held[k], self.beyond(held[k], &self.to).1))
                .collect();
            if leaving.is_empty() || (tries == 0 && first.is_none()) {
                return Left::No;
            }
            self.sliding.leaving = leaving;
            return Left::Ends;
        };
        if tries >= TRIES || ends(part) {
            let k = first.map_or(0, |(_, k)| k);
            self.sliding.leaving = vec![(held[k], self.beyond(held[k], &self.to).1)];
            return Left::Ends;
        }
        Left::At(part)
    }

    /// Takes what is beyond its bounds at a point, by what its multipliers are there, as what the motion leaves.
    pub(super) fn leave_beyond(&mut self, at: &Point) {
        let held = self.held_in_equations().into_iter();
        let beyond = held.map(|kept| (kept, self.beyond(kept, at)));
        self.sliding.leaving = beyond
            .filter(|(kept, (by, _))| *by > -AT_BOUND.max(rounding(*kept)))
            .map(|(kept, (_, side))| (kept, side))
            .collect();
    }

    /// Whether the motion leaves a surface where the last step ended.
    pub(super) fn leaves(&self) -> bool {
        !self.sliding.leaving.is_empty()
    }

    /// The point reached, with the accelerations and multipliers of the equations of motion there.
    pub(super) fn solved_at_end(&mut self) -> Option<Point> {
        let t = self.to.t();
        self.shares_at(StepSpan { t, t_next: t, h: 0.0 }, 1.0)
    }

    /// The attempted step at a part of it, with the multipliers of the equations of motion there.
    pub(super) fn shares_at(&mut self, span: StepSpan, part: f64) -> Option<Point> {
        let mut at = self.at_part(span, part);
        self.solve_for_shares(&mut at).then_some(at)
    }

    /// An attempted step at a part of it.
    pub(super) fn at_part(&mut self, span: StepSpan, part: f64) -> Point {
        let (from, to) = (&self.from, &self.to);
        if part <= 0.0 {
            return from.clone();
        }
        if part >= 1.0 {
            return to.clone();
        }
        let mut at = from.clone();
        self.stepper.interpolate(from, to, span.t + part * span.h, &mut at);
        at.hold_as(from);
        at
    }
}
