//! What a method states of the equations of its step.

/// The equations r(u) = 0 of one step.
pub trait Equations {
    /// The residual r at `u`.
    fn residual(&mut self, u: &[f64], r: &mut [f64]);

    /// The residual at `u` with each constraint moved by a bound of what rounding makes of it, up and down in turn. For
    /// [`Newton`](super::Newton) to see whether that is left where [`rounded_residual`](Self::rounded_residual) does not
    /// explain it: of a mechanism in joint angles that stands far from the origin, lengths cancel that `u` has no part in.
    /// False when not known.
    fn disturbed_residual(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        let _ = (u, r);
        false
    }

    /// The matrix ∂r/∂u at `u`, or an approximation, in the places of the pattern given to
    /// [`Newton::new`](super::Newton::new); `values` has one entry more than the pattern, as a bin, and is not cleared.
    fn matrix(&mut self, u: &[f64], values: &mut [f64]);

    /// The residual at `u` with everything that it is computed from moved by about one rounding, up and
    /// down in turn: what the equations cannot tell from `u`. For [`Newton`](super::Newton) to see, where corrections
    /// stop decreasing, whether rounding is what is left of them; the residual itself when not known.
    fn rounded_residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.residual(u, r);
    }

    /// Two weighted norms of a correction, in units of what matters (a tolerance). Each is tested
    /// with its own measured rate; a method with one kind of unknowns returns 0 for the other.
    fn norms(&self, du: &[f64]) -> [f64; 2];

    /// The same of what the equations determine where multipliers may not be, as in a singular
    /// position, if the norms have multipliers in them.
    fn norm_of_motion(&self, du: &[f64]) -> Option<f64> {
        let _ = du;
        None
    }

    /// For [`Newton::polish`](super::Newton::polish): the constraints' part of the residual at `u`, all other rows 0;
    /// false when the constraints need not hold more accurately than the rest.
    fn constraints(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        let _ = (u, r);
        false
    }

    /// For [`Newton::polish`](super::Newton::polish): the same of the constraints' part as
    /// [`rounded_residual`](Self::rounded_residual) of all.
    fn rounded_constraints(&mut self, u: &[f64], r: &mut [f64]) {
        self.constraints(u, r);
    }

    /// For [`Newton::polish`](super::Newton::polish): the same of the constraints' part as
    /// [`disturbed_residual`](Self::disturbed_residual) of all.
    fn disturbed_constraints(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        let _ = (u, r);
        false
    }

    /// For [`Newton::polish`](super::Newton::polish): what a correction changes, in units of rounding.
    fn rounding(&self, du: &[f64]) -> f64 {
        let _ = du;
        0.0
    }

    /// For [`Newton::polish`](super::Newton::polish): what the last [`constraints`](Self::constraints) left, in units of the
    /// rounding of the values they were computed from; infinite when not known. A correction may be
    /// many roundings large and yet stand for nothing else, where many constraints act on each other.
    fn violation(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether an iteration that goes back and forth may go on with shorter corrections ([`Damping::AtLast`](super::Damping)).
    /// Where they may have another solution than the one sought it may not.
    fn may_shorten(&self) -> bool {
        false
    }

    /// Applies a correction: u ← u + factor·du.
    fn correct(&mut self, u: &mut [f64], du: &[f64], factor: f64) {
        for (u, du) in u.iter_mut().zip(du) {
            *u += factor * du;
        }
    }
}
