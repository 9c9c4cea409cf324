//! What several threads bring: evaluations of a chain and of a loop that stays on dual numbers, and
//! whole steps, by pools of one thread and more.
//!
//! `cargo bench --bench parallel [-- links … part-of-a-name …]`. Wall time, the least of many; every evaluation is at
//! a new point and follows a pause of the pool, as the solution of a step's linear system is one.

#![allow(missing_docs)]

use mbd::assembly::{Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights};
use mbd::integrate::{HhtI3, Integrator, Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::Simulation;
use std::hint::black_box;
use std::time::{Duration, Instant};

#[path = "fixtures/bushings.rs"]
mod bushings;
#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "fixtures/contacts.rs"]
mod contacts;

use bushings::Bushings;
use chain::Chain;
use contacts::Contacts;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|x| x.parse().ok()).collect();
    let most = std::thread::available_parallelism().map_or(1, |n| n.get());
    let pools: Vec<usize> = [1, 2, 4, 8, 16].into_iter().filter(|&n| n <= most.max(2)).collect();
    print!("{:<52}", "[µs], threads");
    pools.iter().for_each(|n| print!("{n:>10}"));
    println!();
    for n in if sizes.is_empty() { vec![1000, 3000, 10_000, 30_000, 100_000] } else { sizes } {
        let chain = Chain { n, ..Default::default() };
        row(&format!("chain of {n}: residual"), &pools, || evaluation(&chain, false));
        row(&format!("chain of {n}: residual, matrix"), &pools, || evaluation(&chain, true));
        row(&format!("chain of {n}: step of hht-i3"), &pools, || step(&chain));
        let n = n / 10;
        let row_of = Bushings { n, ..Default::default() };
        row(&format!("{n} bushings: residual"), &pools, || evaluation(&row_of, false));
        row(&format!("{n} bushings: residual, matrix"), &pools, || evaluation(&row_of, true));
        row(&format!("{n} bushings: step of hht-i3"), &pools, || step(&row_of));
        let contacts = Contacts { n, ..Default::default() };
        let name = format!("{n} contacts, dual numbers: ");
        row(&(name.clone() + "residual"), &pools, || evaluation(&contacts, false));
        row(&(name.clone() + "residual, matrix"), &pools, || evaluation(&contacts, true));
        row(&(name + "step of hht-i3"), &pools, || step(&contacts));
    }
}

/// Times in pools of so many threads, by turns.
fn row(name: &str, pools: &[usize], time: impl Fn() -> Duration + Sync) {
    let is_name = |part: &String| part.parse::<usize>().is_err() && !part.starts_with("--");
    let mut parts = std::env::args().skip(1).filter(is_name).peekable();
    if parts.peek().is_some() && !parts.any(|part| name.contains(&part)) {
        return;
    }
    let pools: Vec<_> = pools
        .iter()
        .map(|&n| rayon_core::ThreadPoolBuilder::new().num_threads(n).build().expect("threads"))
        .collect();
    let mut least = vec![Duration::MAX; pools.len()];
    for _ in 0..8 {
        for (least, pool) in least.iter_mut().zip(&pools) {
            *least = (*least).min(pool.install(&time));
        }
    }
    print!("{name:<52}");
    least.iter().for_each(|time| print!("{:>10.1}", time.as_secs_f64() * 1e6));
    println!("   {:.2}", least[0].as_secs_f64() / least[least.len() - 1].as_secs_f64());
}

fn evaluation(mechanism: &impl Mechanism, with_matrix: bool) -> Duration {
    let system = System::new(mechanism.model().expect("the bench's models are sound"));
    let mut point = mbd::verify::generic_point(&system, 3);
    let weights = [point.a().to_vec(), point.lambda().to_vec(), point.psi().to_vec()];
    let plan = newton_matrix(&system);
    let (mut values, mut out) = (plan.values(), Residual::new(&system.dims()));
    let coefficients = [1.3, 0.2, 0.2, -0.2, -0.7, 1.0, 1.0];
    let mut evaluate = |point: &Point| {
        let weights = Weights { u: &weights[0], s: &weights[1], r: &weights[2] };
        let want = Want::MU | Want::F | Want::REACTION | Want::G;
        if with_matrix {
            let residual = (want, &mut out);
            plan.fill_with(&system, point, &weights, &coefficients, &mut values, residual);
        } else {
            system.eval(point, &weights, want, &mut out);
        }
        black_box((&out, &values));
    };
    // As often as until all code is made and the work is divided.
    let begun = Instant::now();
    (0..40).for_each(|_| evaluate(&point));
    let repeats = (0.2 / (begun.elapsed().as_secs_f64() / 40.0)).clamp(10.0, 400.0) as usize;
    (0..repeats)
        .map(|_| {
            point.q_mut().iter_mut().for_each(|q| *q += 1e-9);
            let pause = Instant::now();
            while pause.elapsed() < Duration::from_micros(200) {
                std::hint::spin_loop();
            }
            let begun = Instant::now();
            evaluate(&point);
            begun.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// HHT-I3's.
fn newton_matrix(system: &System) -> Plan {
    let (n, m) = (system.dims().n, system.dims().m);
    let mut plan = PlanBuilder::new(n + m);
    for term in [Term::M, Term::MuQ, Term::ReactQ, Term::F(SlotKind::Q), Term::F(SlotKind::V)] {
        plan.term(term, 0, 0);
    }
    plan.term(Term::React, 0, n);
    plan.term(Term::G, n, 0);
    plan.build(system)
}

fn step(mechanism: &(impl Mechanism + Sync)) -> Duration {
    let method = Method::from(HhtI3::alpha(-0.3).expect("a value in range"));
    let started = Simulation::new(mechanism).start().expect("a start");
    let step = Step::fixed(1e-3);
    let mut run =
        Integrator::new(&started.system, &method, step, &started.point).expect("a method");
    for _ in 0..8 {
        run.step_once(1e3).expect("a step");
    }
    (0..20)
        .map(|_| {
            let begun = Instant::now();
            run.step_once(1e3).expect("a step");
            begun.elapsed()
        })
        .min()
        .unwrap_or_default()
}
