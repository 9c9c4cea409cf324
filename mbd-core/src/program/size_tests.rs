//! Large expressions: chains in joint angles, and what is too large for a graph.

use crate::ad::Reaction;
use crate::assembly::{PlanBuilder, System};
use crate::equation::{Residual, SlotKind, SlotKind::*, Term, Want, Weights};
use crate::model::{Model, ModelBuilder};
use crate::scalar::{Num, Scalar, num};
use crate::statement::{Instances, Kernel};
use crate::verify::program_error;

/// The energy of some links of a chain of bars, of length 1 and mass 1, whose support moves: their
/// angles are those of the joints before them added up. `K` is twice the number of joints, and 1 for
/// time.
struct Links(std::ops::Range<usize>);

impl<const K: usize> Kernel<K, 1, 1> for Links {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; K], p: &[Num<D>; 1]) -> [Num<D>; 1] {
        let n = K / 2;
        let [mut angle, mut rate, mut energy] = [num(0.0); 3];
        // The support: x = sin t.
        let (mut vx, mut vy) = (z[K - 1].cos(), num(0.0));
        for i in 0..self.0.end {
            angle += z[i];
            rate += z[n + i];
            let (dx, dy) = (-(p[0] * angle.sin()) * rate, p[0] * angle.cos() * rate);
            if i >= self.0.start {
                let (cx, cy) = (vx + 0.5 * dx, vy + 0.5 * dy);
                energy += 0.5 * (cx * cx + cy * cy) + rate * rate / 24.0;
            }
            vx += dx;
            vy += dy;
        }
        [energy]
    }
}

/// A chain, as one statement or as one for each link.
macro_rules! chain {
    ($n:literal, $each:expr) => {{
        const N: usize = $n;
        let mut b = ModelBuilder::new("Chain", "");
        b.param("l", "", "", 0.9);
        (0..N).for_each(|i| _ = b.coord(&format!("q{i}"), "", ""));
        let statements = if $each { N } else { 1 };
        for link in 0..statements {
            let kinds = |k: usize| [Q, V, T][(k / N).min(2)];
            let mut read = Instances::new(std::array::from_fn::<SlotKind, { 2 * N + 1 }, _>(kinds));
            read.push(&[], std::array::from_fn(|k| k % N * usize::from(k < 2 * N)), [0]);
            let links = if $each { link..link + 1 } else { 0..N };
            b.kinetic(&format!("link {link}"), Links(links), read);
        }
        b.finish().unwrap()
    }};
}

/// What the joint of a link of such a chain tells: its angle and its end, or their rates; `K` scalars of the link before,
/// without one the support moves.
struct Tells(usize);

impl<const K: usize> Kernel<K, 1, 3> for Tells {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; K], p: &[Num<D>; 1]) -> [Num<D>; 3] {
        // The joint's angle and rate, time, or the link before: angle, end, and their rates.
        let before = |k: usize| if K == 3 { num(0.0) } else { z[2 + k] };
        let (angle, rate) = (before(0) + z[0], before(3) + z[1]);
        let (dx, dy) = (-(p[0] * angle.sin()) * rate, p[0] * angle.cos() * rate);
        match self.0 {
            0 => [angle, before(1) + p[0] * angle.cos(), before(2) + p[0] * angle.sin()],
            _ => [rate, if K == 3 { z[2].cos() } else { before(4) } + dx, before(5) + dy],
        }
    }
}

/// The energy of a link, of its angle and rate and the velocity of the end before; without one, of time.
struct OfTold;

impl<const K: usize> Kernel<K, 1, 1> for OfTold {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; K], p: &[Num<D>; 1]) -> [Num<D>; 1] {
        let (angle, rate) = (z[0], z[1]);
        let (vx, vy) = if K == 3 { (z[2].cos(), num(0.0)) } else { (z[2], z[3]) };
        let (dx, dy) = (-(p[0] * angle.sin()) * rate, p[0] * angle.cos() * rate);
        let (cx, cy) = (vx + 0.5 * dx, vy + 0.5 * dy);
        [0.5 * (cx * cx + cy * cy) + rate * rate / 24.0]
    }
}

/// The same chain, each link told by the one before.
fn told(n: usize) -> Model {
    told_links(n).0.finish().unwrap()
}

/// What is to be finished, and the first of the told scalars: angle and end of each link.
fn told_links(n: usize) -> (ModelBuilder, usize) {
    let mut b = ModelBuilder::new("Told", "");
    b.param("l", "", "", 0.9);
    (0..n).for_each(|i| _ = b.coord(&format!("q{i}"), "", ""));
    let first = b.next_told();
    (0..n).for_each(|i| {
        ["angle", "x", "y"].iter().for_each(|of| _ = b.told(&format!("link[{i}].{of}")))
    });
    let at = |i: usize| std::array::from_fn::<usize, 3, _>(|k| first + 3 * i + k);
    let [top, rest] = [0..1, 1..n];
    let of_top = || {
        let mut read = Instances::new([Q, V, T]);
        read.push(&[], [0, 0, 0], [0]);
        read
    };
    let of_rest = || {
        let mut read = Instances::new([Q, V, Q, Q, Q, V, V, V]);
        for i in rest.clone() {
            let [a, x, y] = at(i - 1);
            read.push(&[i], [i, i, a, x, y, a, x, y], [0]);
        }
        read
    };
    let targets = |all: std::ops::Range<usize>| all.map(at).collect::<Vec<_>>();
    // Nothing reads second derivatives.
    let second = || (Tells(1), of_top());
    b.tells("top", (Tells(0), of_top()), (Tells(1), of_top()), second(), targets(top));
    let second = (Tells(1), of_rest());
    let all = targets(rest.clone());
    b.tells("hinge", (Tells(0), of_rest()), (Tells(1), of_rest()), second, all);
    b.tell().unwrap();
    let mut one = Instances::new([Q, V, T]);
    one.push(&[], [at(0)[0], at(0)[0], 0], [0]);
    b.kinetic("link 0", OfTold, one);
    let mut others = Instances::new([Q, V, V, V]);
    for i in rest {
        let ([angle, ..], [_, x, y]) = (at(i), at(i - 1));
        others.push(&[i], [angle, angle, x, y], [0]);
    }
    b.kinetic("link", OfTold, others);
    (b, first)
}

/// What acts on the end of a link, at its place or with its velocity.
#[derive(Clone, Copy)]
enum Act {
    Weight,
    Air,
    Place,
    Wind,
    Floor,
}

impl<const R: usize> Kernel<2, 0, R> for Act {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 2], _: &[Num<D>; 0]) -> [Num<D>; R] {
        let [x, y] = *z;
        let rows = match self {
            Act::Weight => [2.0 * y + 0.1 * x * x, num(0.0)],
            Act::Air => [0.05 * (x * x + y * y * y * y), num(0.0)],
            Act::Place => [x, y + 0.2 * x * x],
            Act::Wind => [-0.3 * x * y, 0.2 - y],
            Act::Floor => [y + x.sin(), num(0.0)],
        };
        std::array::from_fn(|r| rows[r])
    }
}

/// The chain of told links with a potential, a dissipation, forces and a row for each.
fn told_and_acted_on(n: usize) -> Model {
    let (mut b, first) = told_links(n);
    let ends = |kind| {
        let mut read = Instances::new([kind, kind]);
        (0..n).for_each(|i| read.push(&[i], [first + 3 * i + 1, first + 3 * i + 2], []));
        read
    };
    b.potential("weight", Act::Weight, ends(Q));
    b.dissipation("air", Act::Air, ends(V));
    b.force_along::<_, _, 2, 0, 2, 0, 2>("wind", Act::Place, ends(Q), Act::Wind, ends(V));
    let rows = b.rows_holonomic("floor", 1, n);
    b.holonomic::<_, 2, 0, 1>("floor", Act::Floor, ends(Q), rows, Reaction::Standard);
    b.finish().unwrap()
}

#[test]
fn what_acts_on_the_links_of_a_tree_is_differentiated_together() {
    let [few, some, many] = [12, 24, 48].map(|n| nodes(told_and_acted_on(n)));
    for (few, many) in [(few, some), (some, many)] {
        let grows = many[0] as f64 / few[0] as f64;
        assert!(grows < 2.1, "nodes of the residual: {few:?}, {many:?}");
    }
    // In few graphs, and large ones without a node for the derivatives.
    assert!(few[2] > 3 * few[0] && many[2] == many[0], "{few:?}, {many:?}");
    for n in [6, 48] {
        let mut system = System::new(told_and_acted_on(n));
        assert_eq!(system.recorded().graphs(), 1);
        let error = program_error(&mut system, 3);
        assert!(error < 1e-12, "{n}: {error:e}");
        assert_eq!(system.on_dual_numbers().count(), 0);
    }
}

#[test]
fn told_links_cost_no_more_than_links_written_out() {
    for n in [12, 24] {
        let told = nodes(told(n));
        let written = if n == 12 { nodes(chain!(12, true)) } else { nodes(chain!(24, true)) };
        // Told numbers that nothing reads are in the graph, and in no program.
        (0..3).for_each(|k| {
            assert!(told[k] as f64 <= 1.04 * written[k] as f64, "{told:?}, {written:?}");
        });
    }
    let mut system = System::new(told(10));
    let error = program_error(&mut system, 5);
    assert!(error < 1e-12, "{error:e}");
    assert_eq!(system.on_dual_numbers().count(), 0);
}

/// Nodes of the residual, then with the mass matrix, then with the derivatives of the forces.
fn nodes(model: Model) -> [usize; 3] {
    let system = System::new(model);
    let n = system.dims().n;
    let first = system.recorded().nodes();
    let [mass, all] = [&[Term::M][..], &[Term::MuQ, Term::F(Q), Term::F(V)]].map(|terms| {
        for &term in terms {
            let mut plan = PlanBuilder::new(n);
            plan.term(term, 0, 0);
            plan.build(&system);
        }
        system.recorded().nodes()
    });
    [first, mass, all]
}

#[test]
fn a_chain_in_joint_angles_takes_nodes_as_many_as_its_matrices_have_entries() {
    let [few, many] = [nodes(chain!(12, false)), nodes(chain!(24, false))];
    let grows = |k: usize| many[k] as f64 / few[k] as f64;
    assert!(grows(0) < 2.05, "{few:?}, {many:?}");
    assert!(grows(1) < 4.0 && grows(2) < 4.1, "{few:?}, {many:?}");
}

#[test]
fn statements_that_share_coordinates_cost_no_more_than_one() {
    let [one, each] = [nodes(chain!(12, false)), nodes(chain!(12, true))];
    (0..3).for_each(|k| assert!(each[k] as f64 <= 1.3 * one[k] as f64, "{one:?}, {each:?}"));
}

#[test]
fn large_expressions_agree_with_dual_numbers() {
    for model in [chain!(12, true), chain!(40, false)] {
        let mut system = System::new(model);
        let error = program_error(&mut system, 5);
        assert!(error < 1e-12, "{error:e}");
        assert_eq!(system.on_dual_numbers().count(), 0);
    }
}

#[test]
fn what_is_wanted_once_is_what_programs_give() {
    for (n, system) in [(16, System::new(chain!(16, false))), (16, System::new(chain!(16, true)))] {
        let point = crate::verify::generic_point(&system, 2);
        for term in [Term::M, Term::F(Q), Term::F(V), Term::MuQ] {
            let mut plan = PlanBuilder::new(n);
            plan.term(term, 0, 0);
            let plan = plan.build(&system);
            let mut values = plan.values();
            plan.fill(&system, &point, &Weights::of(&point), &[1.0], &mut values);
            let size = values.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            let mut once = vec![0.0; n * n];
            for (r, c, value) in system.once(term, &point).unwrap() {
                once[r as usize * n + c as usize] = value;
            }
            for ((r, c), value) in plan.pattern().entries().zip(values) {
                let error = (once[r * n + c] - value).abs();
                assert!(error < 1e-13 * size, "{term:?} {r} {c}: {error:e}");
                once[r * n + c] = 0.0;
            }
            assert!(once.iter().all(|x| x.abs() < 1e-13 * size), "{term:?}");
        }
    }
    // A small system has programs for everything.
    let system = System::new(chain!(2, false));
    assert!(system.once(Term::F(Q), &system.initial_point()).is_none());
}

/// More terms than a graph holds.
struct Huge;
impl Kernel<1, 0, 1> for Huge {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 1], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        let terms = (0..700_000).map(|k| (z[0] * f64::from(k)).sin());
        [terms.fold(num(0.0), |sum, term| sum + term)]
    }
}

struct Small;
impl Kernel<1, 0, 1> for Small {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 1], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [0.5 * z[0] * z[0]]
    }
}

#[test]
fn what_is_too_large_for_a_graph_is_left_to_dual_numbers_by_name() {
    let mut b = ModelBuilder::new("Huge", "");
    b.coord("q", "", "");
    b.init_q(0, 0.37, crate::model::Keep::Guess);
    let read = |kind| {
        let mut read = Instances::new([kind]);
        read.push(&[], [0], []);
        read
    };
    b.kinetic("body", Small, read(V));
    b.potential("sum", Huge, read(Q));
    b.potential("spring", Small, read(Q));
    let system = System::new(b.finish().unwrap());
    assert_eq!(system.on_dual_numbers().collect::<Vec<_>>(), ["sum"]);
    assert!(system.recorded().nodes() < 100);
    let point = system.initial_point();
    let mut out = Residual::new(&system.dims());
    system.eval(&point, &Weights::of(&point), Want::F, &mut out);
    let terms = (0..700_000).map(f64::from).map(|k| k * (0.37 * k).cos());
    let (sum, size) =
        terms.fold((0.37, 0.0f64), |(sum, size), term| (sum + term, size + term.abs()));
    assert!((out.f[0] + sum).abs() < 1e-12 * size, "{} {sum}", out.f[0]);
}
