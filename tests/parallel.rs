//! Several threads at one evaluation: the same bits as one, whatever their number.
//!
//! Programs are divided from small sizes on here; what is on dual numbers is as large as has to be
//! (docs/book/src/performance.md, "Several threads").

#![allow(missing_docs)]

use mbd::assembly::{Derivatives, PlanBuilder, Residual, SlotKind, System, Term, Want, Weights};
use mbd::integrate::{HhtI3, Integrator, Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::Simulation;

#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "../benches/fixtures/contacts.rs"]
mod contacts;
#[path = "../examples/four_bar_grid.rs"]
#[allow(dead_code)]
mod four_bar_grid;

use chain::Chain;
use contacts::Contacts;
use four_bar_grid::FourBarGrid;

mod spatial_chain {
    use mbd::components::spatial::{self, SpatialFrame};
    use mbd::prelude::*;

    mechanism! {
        /// Bodies in space in a row, with balls and springs between neighbours; the springs only
        /// pull, which leaves them to dual numbers.
        pub mechanism SpatialChain {
            size n = 10;
            coord x[n]; coord y[n]; coord z[n];
            coord s[n]; coord a[n]; coord b[n]; coord c[n];
            for i in 0..n {
                let d = [der(s[i]), der(a[i]), der(b[i]), der(c[i])];
                kinetic moving = 0.5*(sq(der(x[i])) + sq(der(y[i])) + sq(der(z[i])));
                kinetic turning = spatial::rotational_energy(
                    [0.1, 0.2, 0.3], [s[i], a[i], b[i], c[i]], d);
                potential weight = 9.81*z[i];
                holonomic unit: sq(s[i]) + sq(a[i]) + sq(b[i]) + sq(c[i]) == 1.0;
                init x[i] = i as f64;
                guess s[i] = 1.0;
            }
            for i in 1..n {
                let first = SpatialFrame::new([x[i-1], y[i-1], z[i-1]], [s[i-1], a[i-1], b[i-1], c[i-1]]);
                let second = SpatialFrame::new([x[i], y[i], z[i]], [s[i], a[i], b[i], c[i]]);
                holonomic ball[3]: spatial::spherical(first.at([0.5, 0.0, 0.0]), second.at([-0.5, 0.0, 0.0]));
                let l = spatial::distance(first.point([0.0, 0.3, 0.0]), second.point([0.0, 0.3, 0.1]));
                force spring along l = if l > 0.9 { -40.0*(l - 0.9) } else { 0.0 };
            }
            until 1.0;
        }
    }
}
use spatial_chain::SpatialChain;

/// In a pool of so many threads.
fn with<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Everything a system can be asked for at once, as often as until the work is divided.
fn evaluated(mechanism: &impl Mechanism, by: Derivatives) -> Vec<Vec<u64>> {
    let mut system = System::new(mechanism.model().unwrap());
    system.set_derivatives(by);
    system.set_divided_from(1);
    let point = mbd::verify::generic_point(&system, 3);
    let weights = Weights { u: point.a(), s: point.lambda(), r: point.psi() };
    let (n, m) = (system.dims().n, system.dims().m);
    let mut plan = PlanBuilder::new(n + m);
    for term in [Term::M, Term::MuQ, Term::ReactQ, Term::F(SlotKind::Q), Term::F(SlotKind::V)] {
        plan.term(term, 0, 0);
    }
    plan.term(Term::React, 0, n);
    plan.term(Term::G, n, 0);
    let plan = plan.build(&system);
    let coefficients = [1.3, 0.2, 0.2, -0.2, -0.7, 1.0, 1.0];
    let want = Want::MU | Want::F | Want::REACTION | Want::GTS | Want::G | Want::GDOT | Want::GAMMA;
    let mut values = plan.values();
    let mut out = Residual::new(&system.dims());
    let mut found = Vec::new();
    for round in 0..if by == Derivatives::Dual { 1 } else { 6 } {
        let mut take = |out: &Residual, values: &[f64]| {
            if round % 5 == 0 {
                found.extend(out.pieces().iter().map(|piece| bits(piece.2)));
                found.push(bits(&[out.kinetic, out.potential]));
                found.push(bits(values));
            }
        };
        system.eval(&point, &weights, want | Want::ENERGY, &mut out);
        take(&out, &[]);
        system.eval(&point, &weights, want, &mut out);
        take(&out, &[]);
        plan.fill(&system, &point, &weights, &coefficients, &mut values);
        take(&out, &values);
        // The coefficients of every round are other ones: constant entries are computed anew.
        let other = coefficients.map(|c| c + f64::from(round));
        let residual = (Want::F | Want::G, &mut out);
        plan.fill_with(&system, &point, &weights, &other, &mut values, residual);
        plan.accumulate(&system, &point, &weights, &coefficients, &mut values);
        take(&out, &values);
    }
    found
}

#[track_caller]
fn same_bits(mechanism: &(impl Mechanism + Sync)) {
    for by in [Derivatives::Programs, Derivatives::Dual] {
        let alone = with(1, || evaluated(mechanism, by));
        assert!(alone.iter().flatten().any(|&bits| bits != 0));
        for threads in [2, 3] {
            let together = with(threads, || evaluated(mechanism, by));
            assert!(alone == together, "{threads} threads, {by:?}");
        }
    }
}

#[test]
fn a_chain() {
    same_bits(&Chain { n: 1500, ..Default::default() });
}

#[test]
fn a_grid() {
    same_bits(&FourBarGrid { rows: 23, columns: 25, ..Default::default() });
}

#[test]
fn a_chain_in_space_with_comparisons() {
    same_bits(&SpatialChain { n: 1100 });
}

#[test]
fn contacts() {
    same_bits(&Contacts { n: 1200, ..Default::default() });
}

type Rows = Vec<Vec<u64>>;

fn run(mechanism: &impl Mechanism, method: &Method, step: Step, steps: usize) -> Rows {
    let mut started = Simulation::new(mechanism).start().unwrap();
    started.system.set_divided_from(1);
    let mut run = Integrator::new(&started.system, method, step, &started.point).unwrap();
    let mut state = || {
        run.step_once(1.0).unwrap();
        bits(run.point().flat())
    };
    (0..steps).map(|_| state()).collect()
}

#[test]
fn whole_simulations() {
    let chain = Chain { n: 1500, ..Default::default() };
    let contacts = Contacts { n: 1200, ..Default::default() };
    let hht = Method::from(HhtI3::alpha(-0.3).unwrap());
    let soi2 = Method::from_name("gen-alpha-soi2").unwrap();
    let runs: [&(dyn Fn() -> Rows + Sync); 3] = [
        &|| run(&chain, &hht, Step::fixed(1e-3), 8),
        &|| run(&chain, &soi2, Step::adaptive(1e-3), 8),
        &|| run(&contacts, &hht, Step::fixed(1e-3), 8),
    ];
    for run in runs {
        let alone = with(1, run);
        assert_eq!(alone.len(), 8);
        for threads in [2, 3] {
            assert!(alone == with(threads, run), "{threads} threads");
        }
    }
}
