//! Energies: the inertia and forces that come from them, and their power.

use super::branches::Steady;
use super::compare::{Place, largest, steps};
use super::report::{Check, DerivativeReport};
use super::samples::{Noise, STEPS, difference};
use crate::assembly::{Point, Residual, RowSink, SlotKind, Term, Want, Weights};
use std::cell::Cell;

/// Forces and inertia of each energy against differences of the energy itself, along random
/// directions: T gives M u and T_q − T_vq v − T_vt, U gives −U_q.
pub(super) fn check_energies(place: &Place<'_>, report: &mut DerivativeReport) {
    let Place { system, point, .. } = *place;
    let layout = *system.layout();
    let dims = system.dims();
    let mut inertia = Check { quantity: "M from T".into(), error: 0.0, worst: "–".into() };
    let mut force = Check { quantity: "f from T and U".into(), error: 0.0, worst: "–".into() };
    let mut noise = Noise::new(5);
    for group in system.groups() {
        let is_kinetic = group.terms().contains(&Term::M);
        let eval = |p: &Point, want: Want| {
            let mut out = Residual::new(&dims);
            let all = 0..group.instances();
            group.residual(all, p.flat(), &Weights::of(p), want, &mut RowSink::of(&mut out));
            out
        };
        // Rounding of the differences is that of the largest energy among them: at rest T and its forces vanish, and the
        // velocities that T is looked at do not.
        let largest_energy = Cell::new(0.0_f64);
        let energy = |p: &Point| {
            let out = eval(p, Want::ENERGY);
            let energy = out.kinetic + out.potential;
            largest_energy.set(largest_energy.get().max(energy.abs()));
            energy
        };
        let steady = Steady::of_groups(std::iter::once(group), point);
        let has_force = group.terms().contains(&Term::F(SlotKind::Q));
        let is_potential = !is_kinetic && energy(point) != 0.0;
        if !is_kinetic && !is_potential {
            continue;
        }
        for _ in 0..3 {
            let mut by_q = vec![0.0; layout.len()];
            let mut by_v = vec![0.0; layout.len()];
            let mut by_u = vec![0.0; layout.len()];
            let mut motion = vec![0.0; layout.len()];
            motion[0] = 1.0;
            for i in 0..dims.n {
                let w = noise.sample();
                by_q[layout.offset(SlotKind::Q, i)] = w;
                by_v[layout.offset(SlotKind::V, i)] = w;
                by_u[layout.offset(SlotKind::V, i)] = point.a()[i];
                motion[layout.offset(SlotKind::Q, i)] = point.v()[i];
            }
            let w = &by_q[layout.range(SlotKind::Q)];
            let out = eval(point, Want::MU | Want::F);
            let along = |list: &[f64]| list.iter().zip(w).map(|(f, w)| f * w).sum::<f64>();
            // The first difference of an energy along `d`, to be differenced once more. In v an
            // energy is a quadratic, so that any step is exact and a large one loses no digits.
            let by_step =
                |p: &Point, d: &[f64], step: f64| difference(p, d, step, |p| vec![energy(p)])[0];
            let slope_v = |p: &Point| by_step(p, &by_v, 1.0 + largest(p.v()));
            // Two differences, one after the other, that both keep their sides.
            let fitting = |d: &[f64]| steady.of(point, d, &[1e-3, 1e-4, 1e-5]).first().copied();
            let both: Vec<f64> = by_q.iter().zip(&motion).map(|(q, m)| q.abs() + m.abs()).collect();
            let steps = [fitting(&by_q), fitting(&motion), fitting(&both)];
            let [Some(step_q), Some(step_t), Some(_)] = steps else {
                report.not_compared.push(format!("f from the energy of `{}`", group.name()));
                break;
            };
            let slope_q = |p: &Point| by_step(p, &by_q, step_q);
            // An unsymmetric mass entry belongs to no energy: wᵀM u ≠ uᵀM w.
            let mut swapped = Residual::new(&dims);
            let weights = Weights { u: w, s: point.lambda(), r: point.psi() };
            let (all, rows) = (0..group.instances(), &mut RowSink::of(&mut swapped));
            group.residual(all, point.flat(), &weights, Want::MU, rows);
            let mirrored: f64 = swapped.mu.iter().zip(point.a()).map(|(f, a)| f * a).sum();
            let symmetric = (mirrored - along(&out.mu)).abs() <= 1e-9 * largest(&out.mu);
            if is_kinetic && symmetric {
                let exact = [vec![along(&out.mu)]];
                let (error, _) = place.compare(&by_u, &STEPS, &exact, |p| vec![slope_v(p)]);
                note(&mut inertia, error, group.name());
            }
            if has_force {
                // w·f = D_w T or −D_w U, and for T minus the motion's derivative of w·T_v.
                let gyro = if is_kinetic {
                    let d = difference(point, &motion, step_t, |p| vec![slope_v(p)])[0];
                    slope_q(point) - d
                } else {
                    -slope_q(point)
                };
                let exact = along(&out.f);
                let scale = exact.abs().max(largest(&out.f)).max(1e-3 * largest_energy.get());
                note(&mut force, (gyro - exact).abs() / scale.max(1e-200), group.name());
            }
        }
    }
    report.checks.push(inertia);
    report.checks.push(force);
}

/// The power balance of each statement against the difference of its energy along a motion (v, a, ẋ)
/// that need not solve the equations: dE/dt = work − dissipated + v·(M a − f). Constraints are left
/// out, weighted by zero: with weights they exchange work with each other.
pub(super) fn check_balance(place: &Place<'_>, report: &mut DerivativeReport) {
    let Place { system, point, .. } = *place;
    let layout = *system.layout();
    let mut motion = vec![0.0; layout.len()];
    motion[0] = 1.0;
    for (of, rate) in
        [(SlotKind::Q, SlotKind::V), (SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)]
    {
        motion[layout.range(of)].copy_from_slice(point.get(rate));
    }
    let none = vec![0.0; system.dims().m.max(system.dims().p)];
    let mut worst = Check { quantity: "power of E".into(), error: 0.0, worst: "–".into() };
    for group in system.groups().filter(|group| group.balances()) {
        let eval = |p: &Point| {
            let mut out = Residual::new(&system.dims());
            let weights = Weights { u: p.a(), s: &none, r: &none };
            let want = Want::BALANCE | Want::MU | Want::F;
            let rows = &mut RowSink::of(&mut out);
            group.residual(0..group.instances(), p.flat(), &weights, want, rows);
            out
        };
        let energy = |p: &Point| {
            let out = eval(p);
            out.balance[RowSink::INERTIAL] + out.balance[RowSink::POTENTIAL]
        };
        let out = eval(point);
        let powers = out.mu.iter().zip(&out.f).zip(point.v()).map(|((mu, f), v)| v * (mu - f));
        let size: f64 = powers.clone().map(f64::abs).sum();
        let known = out.balance[RowSink::WORK] - out.balance[RowSink::DISSIPATED];
        let exact = known + powers.sum::<f64>();
        let scale = (size + known.abs() + energy(point).abs()).max(1e-200);
        let off = |step: f64| {
            let found = difference(point, &motion, step, |p| vec![energy(p)])[0];
            (found - exact).abs() / scale
        };
        let steps = steps(&Steady::of_groups(std::iter::once(group), point), point, &motion);
        if steps.is_empty() {
            report.not_compared.push(format!("power of `{}`", group.name()));
            continue;
        }
        // Where a difference is exact enough depends on how fast the statement bends.
        let error = steps.iter().copied().map(off).fold(f64::INFINITY, f64::min);
        note(&mut worst, error, group.name());
    }
    report.checks.push(worst);
}

fn note(check: &mut Check, error: f64, place: &str) {
    if error.is_nan() || error > check.error {
        check.error = if error.is_nan() { f64::INFINITY } else { error };
        check.worst = place.into();
    }
}
