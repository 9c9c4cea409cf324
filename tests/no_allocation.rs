//! No allocation per step after warm-up, counted by the allocator itself.

// Counting allocations takes an allocator, and an allocator is `unsafe` by its trait.
#![allow(unsafe_code, missing_docs)]

use mbd::Simulation;
use mbd::integrate::{Integrator, Method, Step};
use mbd::model::Mechanism;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system's allocator unchanged; the counter is a plain cell
// of this thread and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[path = "../examples/andrews.rs"]
#[allow(dead_code)]
mod andrews;
#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;

/// Allocations of each step after the first `warm_up`, none expected.
#[track_caller]
fn none_allocated(mechanism: &impl Mechanism, method: &str, step: Step, warm_up: usize) {
    let method = Method::from_name(method).unwrap();
    let started = Simulation::new(mechanism).start().unwrap();
    let mut run = Integrator::new(&started.system, &method, step, &started.point).unwrap();
    for _ in 0..warm_up {
        run.step_once(1e3).unwrap();
    }
    let (matrices, before) = (run.stats().jacobians, COUNT.get());
    for _ in 0..200 {
        run.step_once(1e3).unwrap();
    }
    let allocated = COUNT.get() - before;
    assert_eq!(allocated, 0, "allocations in 200 steps");
    assert!(run.stats().jacobians > matrices, "no matrix was renewed, so nothing was tested");
}

#[test]
fn the_counter_counts() {
    let before = COUNT.get();
    std::hint::black_box(vec![0.0; std::hint::black_box(10)]);
    assert!(COUNT.get() > before);
}

macro_rules! steps {
    ($($name:ident: $model:expr, $method:literal, $step:expr;)*) => { $(
        #[test]
        fn $name() {
            none_allocated(&$model, $method, $step, 50);
        }
    )* };
}

fn hanging() -> chain::Chain {
    chain::Chain { n: 64, ..Default::default() }
}

steps! {
    dense_hht_i3_adaptive: andrews::Andrews::default(), "hht-i3", Step::adaptive(1e-6);
    dense_hht_i3_fixed: andrews::Andrews::default(), "hht-i3", Step::fixed(1e-5);
    dense_soi2_adaptive: andrews::Andrews::default(), "gen-alpha-soi2", Step::adaptive(1e-6);
    dense_soi2_fixed: andrews::Andrews::default(), "gen-alpha-soi2", Step::fixed(1e-5);
    sparse_hht_i3_adaptive: hanging(), "hht-i3", Step::adaptive(1e-5);
    sparse_hht_i3_fixed: hanging(), "hht-i3", Step::fixed(1e-3);
    sparse_soi2_adaptive: hanging(), "gen-alpha-soi2", Step::adaptive(1e-5);
    sparse_soi2_fixed: hanging(), "gen-alpha-soi2", Step::fixed(1e-3);
}
