//! Where the unknowns of a step are.

use crate::assembly::Dims;

/// Where each block of unknowns, and of the equations beside it, starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) a: usize,
    pub(super) lambda: usize,
    pub(super) psi: usize,
    pub(super) xd: usize,
    pub(super) w: usize,
    pub(super) delta: usize,
    pub(super) mu: usize,
    pub(super) nu: usize,
    pub(super) omega: usize,
    pub(super) end: usize,
}

impl Places {
    pub(super) fn new(dims: &Dims, omega: bool) -> Self {
        let Dims { n, m, p, nx, nw, .. } = *dims;
        let lambda = n;
        let psi = lambda + m;
        let xd = psi + p;
        let w = xd + nx;
        let delta = w + nw;
        let mu = delta + n;
        let nu = mu + m;
        let omega_at = nu + p;
        let end = omega_at + if omega { nw } else { 0 };
        Places { a: 0, lambda, psi, xd, w, delta, mu, nu, omega: omega_at, end }
    }
}
