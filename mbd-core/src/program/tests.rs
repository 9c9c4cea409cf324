//! Programs against dual numbers where they are put together in different ways: many instances at
//! a time, single ones merged, coinciding inputs, comparisons.

use super::shares::{Starts, run_stretches, stretches};
use crate::assembly::{Derivatives, PlanBuilder, System};
use crate::equation::{Residual, SlotKind::*, Term, Want, Weights};
use crate::model::{Model, ModelBuilder, Reaction};
use crate::scalar::{Num, Scalar};
use crate::statement::ModelError;
use crate::statement::{Instances, Kernel};
use crate::verify::program_error;

struct Energy;
impl Kernel<2, 0, 1> for Energy {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 2], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [0.5 * z[1] * z[1] * (2.0 + z[0].sin())]
    }
}

struct Row;
impl Kernel<2, 1, 2> for Row {
    fn eval<D: Scalar>(&self, at: &[usize], z: &[Num<D>; 2], p: &[Num<D>; 1]) -> [Num<D>; 2] {
        let [a, b] = *z;
        let odd = if at[0] == 11 { 3.0 } else { 1.0 };
        [a.sin() * b.cos() - p[0] * a, odd * (a * b).exp() + b.atan2(a)]
    }
}

impl Row {
    /// Two rows on two coordinates, and nothing else but the masses: one graph.
    fn model() -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Rows", "");
        b.param("p", "", "", 0.7);
        let mut energy = Instances::new([Q, V]);
        let mut row = Instances::new([Q, Q]);
        for i in 0..2 {
            b.coord(&format!("q{i}"), "", "");
            b.init_q(i, 0.3 + 0.1 * i as f64, crate::model::Keep::Guess);
            energy.push(&[i], [i, i], []);
        }
        row.push(&[0], [0, 1], [0]);
        let rows = b.rows_holonomic("row", 2, 1);
        b.kinetic("energy", Energy, energy);
        b.holonomic("row", Row, row, rows, Reaction::Standard);
        b.finish()
    }
}

struct Compares;
impl Kernel<2, 0, 1> for Compares {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 2], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [if z[0] > z[1] { z[0].sin() * z[1] } else { z[1].sq() * z[0] }]
    }
}

/// A potential with choices within choices, of sides that are no numbers where they are not taken.
struct Chooses;
impl Kernel<2, 1, 1> for Chooses {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 2], p: &[Num<D>; 1]) -> [Num<D>; 1] {
        let [a, b] = *z;
        let difference = a - b;
        let inner: Num<D> = b.below(0.2 * p[0]).choose(difference.sqrt() * b, difference.ln() * a);
        let either: Num<D> =
            difference.above(0.0).choose(inner + a.powf(2.5), (-difference).powf(1.5));
        [either + a.max(b) * b.abs() + 0.3 * (a * b).min(0.1).exp() + a.clamp(-0.2, p[0]).sin()]
    }
}

#[test]
fn choices_are_programs_and_agree_with_dual_numbers_on_every_side() {
    let model = |n: usize| {
        let mut b = ModelBuilder::new("Choices", "");
        b.param("p", "", "", 0.7);
        let mut energy = Instances::new([Q, V]);
        let mut chooses = Instances::new([Q, Q]);
        for i in 0..n {
            b.coord(&format!("q{i}"), "", "");
            b.init_q(i, 0.3, crate::model::Keep::Guess);
            energy.push(&[i], [i, i], []);
            chooses.push(&[i], [i, (i + 1) % n], [0]);
        }
        b.kinetic("energy", Energy, energy);
        b.potential("chooses", Chooses, chooses);
        System::new(b.finish().unwrap())
    };
    for n in [2, 3, 9, 40] {
        let mut system = model(n);
        assert_eq!(system.recorded().residual(Want::F, &system.model().groups).plain.len(), 0);
        for seed in 0..40 {
            let error = program_error(&mut system, seed);
            assert!(error < 1e-12, "{n} instances, point {seed}: {error:e}");
        }
    }
}

struct Numbered;
impl Kernel<2, 0, 1> for Numbered {
    fn eval<D: Scalar>(&self, at: &[usize], z: &[Num<D>; 2], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [(at[0] as f64 + 1.5) * z[0].sin() * z[1].cos()]
    }
}

/// A ring of `n` coordinates, each pair of neighbours in two rows; one instance reads one
/// coordinate twice, one has another constant.
fn ring(n: usize) -> Result<Model, ModelError> {
    let mut b = ModelBuilder::new("Ring", "");
    b.param("p", "", "", 0.7);
    let mut energy = Instances::new([Q, V]);
    let mut row = Instances::new([Q, Q]);
    let mut compares = Instances::new([Q, Q]);
    for i in 0..n {
        b.coord(&format!("q{i}"), "", "");
        b.init_q(i, 0.3 + 0.01 * i as f64, crate::model::Keep::Guess);
        energy.push(&[i], [i, i], []);
        let other = if i == 7 { i } else { (i + 1) % n };
        row.push(&[i], [i, other], [0]);
        compares.push(&[i], [i, (i + 1) % n], []);
    }
    let first = b.rows_holonomic("row", 2, n);
    let second = b.rows_holonomic("compares", 1, n);
    b.kinetic("energy", Energy, energy);
    b.holonomic("row", Row, row, first, Reaction::Standard);
    b.holonomic("compares", Compares, compares, second, Reaction::Standard);
    b.finish()
}

#[test]
fn classes_chunks_and_remainders_agree_with_dual_numbers() {
    for n in [1, 3, 8, 9, 20, 33] {
        let mut system = System::new(ring(n).unwrap());
        for seed in 0..3 {
            let error = program_error(&mut system, seed);
            assert!(error < 1e-13, "{n} instances: {error:e}");
        }
    }
}

#[test]
fn a_loop_with_other_numbers_in_each_instance_fills_several_graphs_of_bounded_size() {
    let model = |n: usize| {
        let mut b = ModelBuilder::new("Numbered", "");
        let mut energy = Instances::new([Q, V]);
        let mut potential = Instances::new([Q, Q]);
        for i in 0..n {
            b.coord(&format!("q{i}"), "", "");
            b.init_q(i, 0.3 + 0.01 * i as f64, crate::model::Keep::Guess);
            energy.push(&[i], [i, i], []);
            potential.push(&[i], [i, (i + 1) % n], []);
        }
        b.kinetic("energy", Energy, energy);
        b.potential("potential", Numbered, potential);
        System::new(b.finish().unwrap())
    };
    // One class for the energies; the potentials fill sheets, twice as many for twice as many.
    let [few, many] = [500, 1000].map(|n| model(n).recorded().graphs() - 1);
    assert!(few >= 2 && (2 * few - 1..=2 * few).contains(&many), "{few}, {many}");
    let error = program_error(&mut model(500), 1);
    assert!(error < 1e-13, "{error:e}");
}

#[test]
fn what_compares_values_is_left_to_dual_numbers_and_nothing_else() {
    let system = System::new(ring(20).unwrap());
    assert_eq!(system.recorded().residual(Want::G, &system.model().groups).plain.len(), 1);
    assert!(system.recorded().residual(Want::G, &system.model().groups).operations() > 0);
}

#[test]
fn operations_do_not_depend_on_how_often_a_part_is_asked_for() {
    // One instance of the rows: sin, cos, exp, atan2 and what is around them. The reaction and
    // both rows share them.
    let system = System::new(ring(1).unwrap());
    let g = system.recorded().residual(Want::G, &system.model().groups).operations();
    let more = system
        .recorded()
        .residual(Want::G | Want::GTS | Want::REACTION, &system.model().groups)
        .operations();
    let again =
        system.recorded().residual(Want::G | Want::GTS, &system.model().groups).operations();
    assert!(more == again && g < more, "{g}, {again}, {more}");
}

#[test]
fn matrices_with_related_coefficients_are_those_of_dual_numbers() {
    // One graph, several, and with a statement that stays on dual numbers; filled over what was
    // there and added to it; few times and often enough for code.
    let relations = [
        [0.4, 0.4, -0.4, 1.0, 1.0],
        [0.4, 0.3, -0.4, 1.0, 2.0],
        [1.0, -1.0, 0.0, -1.0, 0.7],
        [0.1, 0.2, 0.3, 0.4, 0.5],
    ];
    let want = Want::MU | Want::F | Want::REACTION | Want::G;
    let [mut rows, mut few, mut many] =
        [Row::model(), ring(3), ring(20)].map(|m| System::new(m.unwrap()));
    for system in [&mut rows, &mut few, &mut many] {
        let dims = system.dims();
        let mut plan = PlanBuilder::new(dims.n + dims.m);
        for term in [Term::M, Term::MuQ, Term::F(Q)] {
            plan.term(term, 0, 0);
        }
        plan.term(Term::React, 0, dims.n);
        plan.term(Term::G, dims.n, 0);
        let plan = plan.build(system);
        let point = crate::verify::generic_point(system, 2);
        let weights = Weights { u: point.a(), s: point.lambda(), r: point.psi() };
        let evaluate = |system: &System, c: &[f64], add: bool, times: usize| {
            let mut values: Vec<f64> = (0..plan.values().len()).map(|i| 0.1 * i as f64).collect();
            let mut out = Residual::new(&dims);
            [&mut out.mu, &mut out.f, &mut out.g].into_iter().for_each(|x| x.fill(7.0));
            for _ in 0..times {
                if add {
                    values.iter_mut().enumerate().for_each(|(i, x)| *x = 0.1 * i as f64);
                    plan.accumulate(system, &point, &weights, c, &mut values);
                } else {
                    let residual = (want, &mut out);
                    plan.fill_with(system, &point, &weights, c, &mut values, residual);
                }
            }
            values.pop();
            [values, out.mu, out.f, out.reaction, out.g].concat()
        };
        for c in relations.iter().chain(&relations) {
            for (add, times) in [(false, 1), (true, 1), (false, 40), (true, 40)] {
                let ours = evaluate(system, c, add, times);
                system.set_derivatives(Derivatives::Dual);
                let duals = evaluate(system, c, add, 1);
                system.set_derivatives(Derivatives::Programs);
                for (a, b) in ours.iter().zip(&duals) {
                    assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{c:?}, {add}: {a} {b}");
                }
            }
        }
    }
}

/// However the work is divided, and by however many threads it is done, the bits are those of one.
#[test]
fn shares_add_up_to_the_bits_of_a_single_thread() {
    let mut divided = 0;
    for n in [8, 9, 40, 333, 1000] {
        let system = System::new(ring(n).unwrap());
        let point = crate::verify::generic_point(&system, 5);
        let from = [point.flat(), point.a(), point.lambda(), point.psi(), &[]];
        for want in [Want::G, Want::MU | Want::F | Want::REACTION | Want::G | Want::GAMMA] {
            let compiled = system.recorded().residual(want, &system.model().groups);
            let mut start = Residual::new(&system.dims());
            for values in [&mut start.reaction, &mut start.g] {
                values.iter_mut().zip(1..).for_each(|(x, i)| *x = 0.1 / f64::from(i));
            }
            let run = |threads: usize| {
                let (mut out, mut energies) = (start.clone(), [0.0; 2]);
                let mut to = out.results(&mut energies, &mut []);
                let lengths = std::array::from_fn(|k| to[k].len());
                let stretches = stretches(&compiled.batches, &lengths, threads, 0);
                let starts = Starts { zero: Want::G, matrix: None };
                run_stretches(&stretches, &compiled.batches, &from, starts, &mut to);
                (out, stretches.iter().filter(|stretch| stretch.is_divided()).count())
            };
            let (alone, none) = run(1);
            assert_eq!(none, 0);
            assert!(alone.reaction != start.reaction || !want.has(Want::REACTION));
            for threads in [2, 3, 7] {
                let (together, shares) = run(threads);
                assert_eq!(alone, together, "{n} instances by {threads} threads");
                divided += shares;
            }
        }
    }
    assert!(divided >= 12, "{divided} were divided");
}
