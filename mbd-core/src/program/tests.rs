//! Programs against dual numbers where they are put together in different ways: many instances at
//! a time, single ones merged, coinciding inputs, comparisons.

use crate::ad::{Instances, Kernel};
use crate::assembly::{SlotKind::*, System, Want};
use crate::model::{Model, ModelBuilder, ModelError, Reaction};
use crate::scalar::{Num, Scalar};
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

struct Compares;
impl Kernel<2, 0, 1> for Compares {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 2], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [if z[0] > z[1] { z[0].sin() * z[1] } else { z[1].sq() * z[0] }]
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
    assert_eq!(system.recorded().residual(Want::G).plain.len(), 1);
    assert!(system.recorded().residual(Want::G).operations() > 0);
}

#[test]
fn operations_do_not_depend_on_how_often_a_part_is_asked_for() {
    // One instance of the rows: sin, cos, exp, atan2 and what is around them. The reaction and
    // both rows share them.
    let system = System::new(ring(1).unwrap());
    let g = system.recorded().residual(Want::G).operations();
    let more = system.recorded().residual(Want::G | Want::GTS | Want::REACTION).operations();
    let again = system.recorded().residual(Want::G | Want::GTS).operations();
    assert!(more == again && g < more, "{g}, {again}, {more}");
}
