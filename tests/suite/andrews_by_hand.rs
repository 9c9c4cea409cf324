//! Andrews' mechanism in seven angles, on paper: the equations of motion that Lagrange's formalism
//! gives for it, as they stand in the description of the IVP Test Set's problem `andrews`
//! (M, f, g, G, γ), and the derivatives a Newton matrix needs beyond them, derived by hand.
//!
//! Nothing here comes from the derivative engine.

use crate::models::Andrews;
use nalgebra::{DMatrix, DVector};

// Coordinates.
const BETA: usize = 0;
const THETA: usize = 1;
const GAMMA: usize = 2;
const PHI: usize = 3;
const DELTA: usize = 4;
const OMEGA: usize = 5;
const EPSILON: usize = 6;

/// A bar of a loop as a vector that turns with the sum of some angles: its derivative by each of
/// them is the vector turned by a right angle.
struct Arm {
    vector: [f64; 2],
    angles: &'static [usize],
}

impl Arm {
    fn turned(&self) -> [f64; 2] {
        [-self.vector[1], self.vector[0]]
    }
    /// The sum of its angles' entries of u.
    fn rate(&self, u: &[f64]) -> f64 {
        self.angles.iter().map(|&j| u[j]).sum()
    }
}

/// The mechanism at a position.
pub struct ByHand<'a> {
    p: &'a Andrews,
    q: &'a [f64],
    loops: [Vec<Arm>; 3],
    grounds: [[f64; 2]; 3],
}

impl<'a> ByHand<'a> {
    pub fn at(p: &'a Andrews, q: &'a [f64]) -> Self {
        let arm = |along: f64, across: f64, angles: &'static [usize]| {
            let angle: f64 = angles.iter().map(|&j| q[j]).sum();
            let (s, c) = angle.sin_cos();
            Arm { vector: [along * c - across * s, along * s + across * c], angles }
        };
        let crank = || [arm(p.rr, 0.0, &[BETA]), arm(-p.d, 0.0, &[BETA, THETA])];
        let chain = |rest: [Option<Arm>; 2]| {
            crank().into_iter().chain(rest.into_iter().flatten()).collect::<Vec<_>>()
        };
        // From O over F to E, and back from E to B and to A by the two other ways.
        let loops = [
            chain([Some(arm(0.0, p.ss, &[GAMMA])), None]),
            chain([Some(arm(0.0, p.e, &[PHI, DELTA])), Some(arm(-p.zt, 0.0, &[DELTA]))]),
            chain([Some(arm(-p.zf, 0.0, &[OMEGA, EPSILON])), Some(arm(0.0, p.u, &[EPSILON]))]),
        ];
        ByHand { p, q, loops, grounds: [[p.xb, p.yb], [p.xa, p.ya], [p.xa, p.ya]] }
    }

    /// M.
    pub fn mass(&self) -> DMatrix<f64> {
        let (p, m, inertia) = (self.p, &self.p.m, &self.p.I);
        let mut mass = DMatrix::zeros(7, 7);
        let mut set = |i: usize, j: usize, value: f64| {
            mass[(i, j)] = value;
            mass[(j, i)] = value;
        };
        let cos_theta = self.q[THETA].cos();
        let (sin_phi, sin_omega) = (self.q[PHI].sin(), self.q[OMEGA].sin());
        let (e, f) = (p.e - p.ea, p.zf - p.fa);
        let crank = p.rr * p.rr - 2.0 * p.da * p.rr * cos_theta + p.da * p.da;
        set(BETA, BETA, m[0] * p.ra * p.ra + m[1] * crank + inertia[0] + inertia[1]);
        set(BETA, THETA, m[1] * (p.da * p.da - p.da * p.rr * cos_theta) + inertia[1]);
        set(THETA, THETA, m[1] * p.da * p.da + inertia[1]);
        set(GAMMA, GAMMA, m[2] * (p.sa * p.sa + p.sb * p.sb) + inertia[2]);
        set(PHI, PHI, m[3] * e * e + inertia[3]);
        set(PHI, DELTA, m[3] * (e * e + p.zt * e * sin_phi) + inertia[3]);
        let coupler = p.zt * p.zt + 2.0 * p.zt * e * sin_phi + e * e;
        let arm = p.ta * p.ta + p.tb * p.tb;
        set(DELTA, DELTA, m[3] * coupler + m[4] * arm + inertia[3] + inertia[4]);
        set(OMEGA, OMEGA, m[5] * f * f + inertia[5]);
        set(OMEGA, EPSILON, m[5] * (f * f - p.u * f * sin_omega) + inertia[5]);
        let coupler = f * f - 2.0 * p.u * f * sin_omega + p.u * p.u;
        let arm = p.ua * p.ua + p.ub * p.ub;
        set(EPSILON, EPSILON, m[5] * coupler + m[6] * arm + inertia[5] + inertia[6]);
        mass
    }

    /// The three moments m r s that couple a body's two angles.
    fn couplings(&self) -> [f64; 3] {
        let (p, m) = (self.p, &self.p.m);
        [m[1] * p.da * p.rr, m[3] * p.zt * (p.e - p.ea), m[5] * p.u * (p.zf - p.fa)]
    }

    /// (M u)_q.
    pub fn mass_u_q(&self, u: &[f64]) -> DMatrix<f64> {
        let [c2, c4, c6] = self.couplings();
        let mut out = DMatrix::zeros(7, 7);
        let s = c2 * self.q[THETA].sin();
        out[(BETA, THETA)] = s * (2.0 * u[BETA] + u[THETA]);
        out[(THETA, THETA)] = s * u[BETA];
        let c = c4 * self.q[PHI].cos();
        out[(PHI, PHI)] = c * u[DELTA];
        out[(DELTA, PHI)] = c * (u[PHI] + 2.0 * u[DELTA]);
        let c = -c6 * self.q[OMEGA].cos();
        out[(OMEGA, OMEGA)] = c * u[EPSILON];
        out[(EPSILON, OMEGA)] = c * (u[OMEGA] + 2.0 * u[EPSILON]);
        out
    }

    /// The spring's elongated vector from C to D, its derivative by γ, and the second one.
    fn spring(&self) -> [[f64; 2]; 3] {
        let p = self.p;
        let (s, c) = self.q[GAMMA].sin_cos();
        let d = [p.sd * c + p.sc * s, p.sd * s - p.sc * c];
        [[d[0] + p.xb - p.xc, d[1] + p.yb - p.yc], [-d[1], d[0]], [-d[0], -d[1]]]
    }

    /// f.
    pub fn force(&self, v: &[f64]) -> DVector<f64> {
        let [c2, c4, c6] = self.couplings();
        let (q, p) = (self.q, self.p);
        let [r, r1, _] = self.spring();
        let length = r[0].hypot(r[1]);
        let tension = -p.c0 * (length - p.l0) / length;
        DVector::from_vec(vec![
            p.torque - c2 * v[THETA] * (v[THETA] + 2.0 * v[BETA]) * q[THETA].sin(),
            c2 * v[BETA] * v[BETA] * q[THETA].sin(),
            tension * (r[0] * r1[0] + r[1] * r1[1]),
            c4 * v[DELTA] * v[DELTA] * q[PHI].cos(),
            -c4 * v[PHI] * (v[PHI] + 2.0 * v[DELTA]) * q[PHI].cos(),
            -c6 * v[EPSILON] * v[EPSILON] * q[OMEGA].cos(),
            c6 * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]) * q[OMEGA].cos(),
        ])
    }

    /// f_q.
    pub fn force_q(&self, v: &[f64]) -> DMatrix<f64> {
        let [c2, c4, c6] = self.couplings();
        let (q, p) = (self.q, self.p);
        let mut out = DMatrix::zeros(7, 7);
        let c = c2 * q[THETA].cos();
        out[(BETA, THETA)] = -c * v[THETA] * (v[THETA] + 2.0 * v[BETA]);
        out[(THETA, THETA)] = c * v[BETA] * v[BETA];
        let s = c4 * q[PHI].sin();
        out[(PHI, PHI)] = -s * v[DELTA] * v[DELTA];
        out[(DELTA, PHI)] = s * v[PHI] * (v[PHI] + 2.0 * v[DELTA]);
        let s = c6 * q[OMEGA].sin();
        out[(OMEGA, OMEGA)] = s * v[EPSILON] * v[EPSILON];
        out[(EPSILON, OMEGA)] = -s * v[OMEGA] * (v[OMEGA] + 2.0 * v[EPSILON]);
        // −U'' of U = c0/2 (|r| − l0)².
        let [r, r1, r2] = self.spring();
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let length = r[0].hypot(r[1]);
        let slope = dot(r, r1) / length;
        let curvature = (dot(r1, r1) + dot(r, r2)) / length - slope * slope / length;
        out[(GAMMA, GAMMA)] = -p.c0 * (slope * slope + (length - p.l0) * curvature);
        out
    }

    /// f_v.
    pub fn force_v(&self, v: &[f64]) -> DMatrix<f64> {
        let [c2, c4, c6] = self.couplings();
        let mut out = DMatrix::zeros(7, 7);
        let s = 2.0 * c2 * self.q[THETA].sin();
        out[(BETA, BETA)] = -s * v[THETA];
        out[(BETA, THETA)] = -s * (v[THETA] + v[BETA]);
        out[(THETA, BETA)] = s * v[BETA];
        let c = 2.0 * c4 * self.q[PHI].cos();
        out[(PHI, DELTA)] = c * v[DELTA];
        out[(DELTA, PHI)] = -c * (v[PHI] + v[DELTA]);
        out[(DELTA, DELTA)] = -c * v[PHI];
        let c = 2.0 * c6 * self.q[OMEGA].cos();
        out[(OMEGA, EPSILON)] = -c * v[EPSILON];
        out[(EPSILON, OMEGA)] = c * (v[OMEGA] + v[EPSILON]);
        out[(EPSILON, EPSILON)] = c * v[OMEGA];
        out
    }

    /// Σ over the arms of each loop, two rows per loop.
    fn rows(
        &self,
        cols: usize,
        add: impl Fn(&Arm, &mut dyn FnMut(usize, [f64; 2])),
    ) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(6, cols);
        for (k, arms) in self.loops.iter().enumerate() {
            for arm in arms {
                add(arm, &mut |col, [x, y]| {
                    out[(2 * k, col)] += x;
                    out[(2 * k + 1, col)] += y;
                });
            }
        }
        out
    }

    /// g.
    pub fn g(&self) -> DVector<f64> {
        let mut g = self.rows(1, |arm, put| put(0, arm.vector)).column(0).into_owned();
        for (k, [x, y]) in self.grounds.into_iter().enumerate() {
            g[2 * k] -= x;
            g[2 * k + 1] -= y;
        }
        g
    }

    /// G.
    pub fn jacobian(&self) -> DMatrix<f64> {
        self.rows(7, |arm, put| arm.angles.iter().for_each(|&j| put(j, arm.turned())))
    }

    /// γ, so that G a + γ = 0: each arm's centripetal part.
    pub fn gamma(&self, v: &[f64]) -> DVector<f64> {
        self.rows(1, |arm, put| put(0, arm.vector.map(|x| -x * arm.rate(v).powi(2))))
            .column(0)
            .into_owned()
    }

    /// (G u)_q.
    pub fn g_u_q(&self, u: &[f64]) -> DMatrix<f64> {
        self.rows(7, |arm, put| {
            arm.angles.iter().for_each(|&j| put(j, arm.vector.map(|x| -x * arm.rate(u))));
        })
    }

    /// γ_q.
    pub fn gamma_q(&self, v: &[f64]) -> DMatrix<f64> {
        self.rows(7, |arm, put| {
            let by = -arm.rate(v).powi(2);
            arm.angles.iter().for_each(|&j| put(j, arm.turned().map(|x| by * x)));
        })
    }

    /// γ_v.
    pub fn gamma_v(&self, v: &[f64]) -> DMatrix<f64> {
        self.rows(7, |arm, put| {
            let by = -2.0 * arm.rate(v);
            arm.angles.iter().for_each(|&j| put(j, arm.vector.map(|x| by * x)));
        })
    }

    /// (Gᵀλ)_q.
    pub fn gts_q(&self, lambda: &[f64]) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(7, 7);
        for (k, arms) in self.loops.iter().enumerate() {
            for arm in arms {
                let curvature = -arm.vector[0] * lambda[2 * k] - arm.vector[1] * lambda[2 * k + 1];
                for &i in arm.angles {
                    for &j in arm.angles {
                        out[(i, j)] += curvature;
                    }
                }
            }
        }
        out
    }
}
