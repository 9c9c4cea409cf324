//! Normal form, derivatives and parts, on expressions small enough to say what they have to be.

use super::*;
use crate::scalar::{Function, Test};

#[test]
fn structural_zeros_and_shared_parts_do_not_appear() {
    let mut g = Graph::default();
    let (x, y) = (g.input(Source::Point, 0), g.input(Source::Point, 1));
    let product = g.mul(x, y);
    let other = g.mul(y, x);
    assert_eq!(product, other);
    let difference = g.sub(product, other);
    assert_eq!(difference, Graph::ZERO);
    let twice = g.add(product, product);
    let half = g.scale(0.5, twice);
    assert_eq!(half, product);
}

#[test]
fn reverse_is_forward() {
    let mut g = Graph::default();
    let x: Vec<Node> = (0..3).map(|i| g.input(Source::Point, i)).collect();
    // x0·sin(x1) + x2²: the derivatives are sin x1, x0 cos x1, 2 x2, whichever way.
    let s = g.unary(Function::Sin, x[1]);
    let (a, b) = (g.mul(x[0], s), g.mul(x[2], x[2]));
    let root = g.add(a, b);
    let reverse = g.gradient(root, &x);
    for (k, &node) in reverse.iter().enumerate() {
        assert_eq!(g.along(&[root], &[(x[k], Graph::ONE)]), [node]);
    }
    assert_eq!(g.jacobian(&[root], &x, |_, _| true), reverse);
    let some = g.jacobian(&[root, s], &x, |r, c| r != c);
    assert_eq!(some, [Graph::ZERO, reverse[1], reverse[2], Graph::ZERO, Graph::ZERO, Graph::ZERO]);
    let c = g.unary(Function::Cos, x[1]);
    let expected = [s, g.mul(x[0], c), g.scale(2.0, x[2])];
    assert_eq!(reverse, expected);
}

#[test]
fn what_is_not_chosen_is_in_no_derivative() {
    let mut g = Graph::default();
    let x = g.input(Source::Point, 0);
    let test = Test::is(crate::scalar::Sign::Positive);
    let (root, other) = (g.unary(Function::Sqrt, x), g.scale(3.0, x));
    let (yes, no) = (g.when(test, x, root), g.when(test.opposite(), x, other));
    let either = g.add(yes, no);
    let slopes = [g.gradient(either, &[x])[0], g.along(&[either], &[(x, Graph::ONE)])[0]];
    for (at, slope) in [(4.0, 0.25), (-4.0, 3.0), (0.0, 3.0)] {
        for &of in &slopes {
            let mut v: Vec<f64> = Vec::new();
            for &op in g.ops() {
                let value = |k: Node| v[k as usize];
                v.push(match op {
                    Op::Const(bits) => f64::from_bits(bits),
                    Op::Input(_) => at,
                    Op::Add(a, b) => value(a) + value(b),
                    Op::Mul(a, b) => value(a) * value(b),
                    Op::Unary(f, a) => f.value(value(a)),
                    Op::When(test, on, a) if test.holds(value(on)) => value(a),
                    Op::When(..) => 0.0,
                    other => panic!("{other:?}"),
                });
            }
            assert_eq!(v[of as usize], slope, "at {at}");
        }
    }
    // One expression for one thing: both sides, the same test again, the other one, its negative.
    assert_eq!(g.when(test, x, yes), yes);
    assert_eq!(g.when(test.opposite(), x, yes), Graph::ZERO);
    let (minus, twice) = (g.scale(-2.0, x), g.scale(2.0, root));
    let chosen = g.when(test.of_negative(), minus, twice);
    assert_eq!(chosen, g.scale(2.0, yes));
    let (y, z) = (g.when(test, x, x), g.when(test.opposite(), x, x));
    assert_eq!(g.add(y, z), x);
    let (sum, inside) = (g.add(yes, y), g.add(root, x));
    assert_eq!(sum, g.when(test, x, inside));
    // x/k where k > 0, and k may be 0: 1/k stays inside, m comes outside.
    let (k, m) = (g.input(Source::Param, 7), g.input(Source::Param, 8));
    let inverse = g.unary(Function::Recip, k);
    let (quotient, product) = (g.mul(x, inverse), g.mul(m, x));
    let safe = g.when(test, k, quotient);
    assert_eq!(g.ops()[safe as usize], Op::When(test, k, quotient));
    let (outside, of_x) = (g.when(test, k, product), g.when(test, k, x));
    assert_eq!(outside, g.mul(m, of_x));
}

#[test]
fn products_of_parameters_are_one_factor_in_whatever_order_they_come() {
    let mut g = Graph::default();
    let [m, r, c] = [0, 1, 2].map(|i| g.input(Source::Param, i));
    let (x, y) = (g.input(Source::Point, 8), g.input(Source::Point, 9));
    let rx = g.mul(r, x);
    let mrx = g.mul(m, rx);
    let first = g.mul(mrx, r);
    let rr = g.mul(r, r);
    let (factor, twice) = (g.mul(rr, m), g.scale(2.0, m));
    assert_eq!(g.mul(x, factor), first);
    assert!(g.is_fixed(factor) && !g.is_fixed(first));
    // 2 m r x (−c y) r = −2 (c m r²) (x y)
    let (cy, tx) = (g.mul(c, y), g.mul(twice, rx));
    let (minus, ry) = (g.neg(cy), g.mul(r, y));
    let product = g.mul(tx, minus);
    let product = g.mul(product, r);
    let (cmrr, xy) = (g.mul(c, factor), g.mul(y, x));
    let expected = g.mul(cmrr, xy);
    assert_eq!(product, g.scale(-2.0, expected));
    // m r x + c x = (m r + c) x
    let (mr, cx) = (g.mul(m, r), g.mul(c, x));
    let (sum, both) = (g.add(mrx, cx), g.add(c, mr));
    assert_eq!(sum, g.mul(both, x));
    assert_eq!(g.sub(sum, sum), Graph::ZERO);
    // r x − r y = −(r y − r x) = r (x − y)
    let (difference, x_y) = (g.sub(rx, ry), g.sub(x, y));
    assert_eq!(difference, g.mul(r, x_y));
    let other = g.sub(ry, rx);
    assert_eq!(g.neg(other), difference);
}

#[test]
fn common_factors_are_taken_out_of_sums() {
    let mut g = Graph::default();
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| g.input(Source::Point, i));
    let k = g.input(Source::Param, 9);
    // a − k (b c) + d c = a − (k b − d) c
    let (bc, dc) = (g.mul(b, c), g.mul(d, c));
    let kbc = g.mul(k, bc);
    let sum = g.sub(a, kbc);
    let sum = g.add(sum, dc);
    let kb = g.mul(k, b);
    let inner = g.sub(kb, d);
    let product = g.mul(inner, c);
    assert_eq!(sum, g.sub(a, product));
    // k a + b + k c = k (a + c) + b
    let (ka, kc) = (g.mul(k, a), g.mul(k, c));
    let sum = g.add(ka, b);
    let sum = g.add(sum, kc);
    let ac = g.add(a, c);
    let product = g.mul(k, ac);
    assert_eq!(sum, g.add(product, b));
}

#[test]
fn what_is_fixed_becomes_a_coefficient_of_a_part() {
    let mut g = Graph::default();
    let (x, k) = (g.input(Source::Point, 0), g.input(Source::Coefficient, 0));
    let (m, r) = (g.input(Source::Param, 5), g.input(Source::Param, 6));
    let mr = g.mul(m, r);
    let factor = g.mul(mr, k);
    let root = g.mul(factor, x);
    let mut hoisted = Hoisted::new(1);
    let (part, roots, reads) = g.part(&[root, mr], Some(&mut hoisted));
    assert_eq!(
        part.inputs(),
        [(Source::Point, 0), (Source::Coefficient, 1), (Source::Coefficient, 2)]
    );
    assert_eq!(part.ops()[roots[0] as usize], Op::Mul(2, 0));
    assert_eq!((part.ops().len(), part.ops()[roots[1] as usize]), (4, Op::Input(1)));
    assert_eq!(reads, [Read::Input(0), Read::Hoisted(1), Read::Hoisted(2)]);
    assert_eq!((hoisted.next(), hoisted.take()), (3, vec![(mr, 1), (factor, 2)]));
    let (whole, _, _) = g.part(&[root, mr], None);
    // Factors are multiplied in their own order: m r and (k m) r.
    assert_eq!(whole.ops().iter().filter(|op| matches!(op, Op::Mul(..))).count(), 4);
}
