//! What is known of the coefficients of a matrix when programs are made of it.
//!
//! Methods scale most blocks of a Newton matrix by 1, and those of one origin by the same number with
//! either sign: a program that knows multiplies once, or not at all.

/// What is known of one coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    /// It is this number, 0 or, but for rounding, 1 or −1.
    Number(f64),
    /// It is not zero.
    Any,
    /// It is another one times this sign, but for rounding.
    Times(usize, f64),
}

/// What is known of all coefficients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Factors(Box<[Known]>);

/// A coefficient as a number times one of the coefficients, or times nothing else.
pub(crate) type Factor = (f64, Option<usize>);

/// Whether numbers differ by rounding only: a method may come to one coefficient in two ways.
fn same(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 4.0 * f64::EPSILON * a.abs()
}

impl Factors {
    /// What holds for these coefficients; only which are zero where that should do for all others.
    pub(crate) fn new(coefficients: &[f64], only_zeros: bool) -> Self {
        let known = coefficients.iter().enumerate().map(|(k, &c)| {
            let mut earlier = coefficients[..k].iter();
            match earlier.position(|x| same(c.abs(), x.abs())) {
                _ if c == 0.0 => Known::Number(0.0),
                _ if only_zeros => Known::Any,
                _ if same(c.abs(), 1.0) => Known::Number(c.signum()),
                Some(other) => Known::Times(other, c.signum() * coefficients[other].signum()),
                None => Known::Any,
            }
        });
        Factors(known.collect())
    }

    /// Whether it holds for other coefficients.
    #[inline]
    pub(crate) fn hold(&self, coefficients: &[f64]) -> bool {
        self.0.len() == coefficients.len()
            && self.0.iter().zip(coefficients).all(|(known, &c)| match *known {
                Known::Number(x) => same(c, x),
                Known::Any => c != 0.0,
                Known::Times(other, sign) => same(c, sign * coefficients[other]) && c != 0.0,
            })
    }

    /// Number of coefficients.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// A coefficient.
    pub(crate) fn factor(&self, coefficient: usize) -> Factor {
        match self.0[coefficient] {
            Known::Number(x) => (x, None),
            Known::Any => (1.0, Some(coefficient)),
            Known::Times(other, sign) => (sign, Some(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_related_by_sign() {
        let c = [0.3, 0.0, -0.3, 1.0, -1.0, 0.3, 2.0];
        let factors = Factors::new(&c, false);
        let expected = [(1.0, Some(0)), (0.0, None), (-1.0, Some(0)), (1.0, None), (-1.0, None)];
        let expected = expected.into_iter().chain([(1.0, Some(0)), (1.0, Some(6))]);
        for (k, expected) in expected.enumerate() {
            assert_eq!(factors.factor(k), expected, "{k}");
        }
        assert!(factors.hold(&c) && factors.hold(&[-0.5, 0.0, 0.5, 1.0, -1.0, -0.5, 0.5]));
        // 0.1 + 0.2 is not 0.3.
        assert!(factors.hold(&[0.1 + 0.2, 0.0, -0.3, 1.0f64.next_down(), -1.0, 0.3, 2.0]));
        for (k, x) in [(0, 0.4), (1, 0.1), (2, 0.3), (3, 1.1), (4, 0.0), (5, -0.3), (6, 0.0)] {
            let mut other = c;
            other[k] = x;
            assert!(!factors.hold(&other), "{k}");
        }
        let zeros = Factors::new(&c, true);
        assert_eq!(zeros.factor(5), (1.0, Some(5)));
        assert!(zeros.hold(&[1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 6.0]) && !zeros.hold(&[1.0; 7]));
        assert!(Factors::new(&[f64::NAN], false).hold(&[f64::NAN]));
    }
}
