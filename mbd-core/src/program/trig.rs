//! Sine and cosine of several angles at once, the same bits for one as for many.
//!
//! A mechanism in angles spends more time on its sines than on everything else, and a library's
//! function takes one angle at a time. Reduction by multiples of π/2 in three parts (Cody and Waite
//! 1980) keeps 119 bits of π/2, so that the reduced angle is right to the last bit also beside
//! multiples of π; polynomials on [−π/4, π/4] are Chebyshev interpolants with relative errors below
//! 2e-17. Results differ from the exact ones by less than one unit in the last place.

/// Largest angle that is reduced here.
const LARGEST: f64 = 1e6;
const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;
/// π/2 in parts of 33, 33 and 53 bits: a multiple below 2²⁰ of the first two is exact.
const PARTS: [f64; 3] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
/// A number added to this one is rounded to an integer.
const ROUND: f64 = 6755399441055744.0;

/// (sin x − x)/x³ in powers of x².
const SIN: [f64; 6] = [
    -0.16666666666666666,
    0.008333333333330946,
    -0.00019841269836753985,
    2.755731610017207e-6,
    -2.5051131348960252e-8,
    1.5918093561437795e-10,
];

/// (cos x − 1 + x²/2)/x⁴ in powers of x².
const COS: [f64; 6] = [
    0.041666666666666664,
    -0.0013888888888887395,
    2.4801587298762816e-5,
    -2.755731727024068e-7,
    2.087614595808494e-9,
    -1.1382610070998325e-11,
];

/// Sines and cosines.
#[inline(always)]
pub(super) fn sin_cos<const N: usize>(x: &[f64; N]) -> ([f64; N], [f64; N]) {
    let (mut sines, mut cosines) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        (sines[i], cosines[i]) = one(x[i]);
    }
    if !x.iter().fold(true, |all, x| all & (x.abs() <= LARGEST)) {
        for i in (0..N).filter(|&i| !(x[i].abs() <= LARGEST)) {
            (sines[i], cosines[i]) = x[i].sin_cos();
        }
    }
    (sines, cosines)
}

#[inline(always)]
fn one(x: f64) -> (f64, f64) {
    let rounded = x * TWO_OVER_PI + ROUND;
    let quadrant = rounded.to_bits();
    let k = rounded - ROUND;
    // x − k π/2 = r + tail; the first difference is exact, the second as a sum of two.
    let first = x - k * PARTS[0];
    let part = k * PARTS[1];
    let second = first - part;
    let taken = second - first;
    let lost = (first - (second - taken)) - (part + taken);
    let rest = lost - k * PARTS[2];
    let r = second + rest;
    let tail = (second - r) + rest;

    let z = r * r;
    let sin = r + (z * r * polynomial(&SIN, z) + tail * (1.0 - 0.5 * z));
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cos = most + (((1.0 - most) - half) + (z * z * polynomial(&COS, z) - r * tail));

    let (sin, cos) = (sin.to_bits(), cos.to_bits());
    let swap = 0u64.wrapping_sub(quadrant & 1);
    let (sin, cos) = (sin & !swap | cos & swap, cos & !swap | sin & swap);
    let sign = |quadrant: u64| (quadrant & 2) << 62;
    let sin = sin ^ sign(quadrant);
    let cos = cos ^ sign(quadrant.wrapping_add(1));
    (f64::from_bits(sin), f64::from_bits(cos))
}

/// Value of a polynomial, its terms in pairs.
#[inline(always)]
fn polynomial(c: &[f64; 6], z: f64) -> f64 {
    let w = z * z;
    (c[0] + z * c[1]) + w * ((c[2] + z * c[3]) + w * (c[4] + z * c[5]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance of two numbers in units in the last place.
    fn ulps(a: f64, b: f64) -> u64 {
        let ordered = |x: f64| {
            let bits = x.to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        };
        ordered(a).abs_diff(ordered(b))
    }

    #[test]
    fn sines_are_those_of_the_library_to_a_unit_in_the_last_place() {
        let mut angles: Vec<f64> = (0..200_000).map(|i| (i as f64 - 1e5) * 1.234567e-3).collect();
        angles.extend((0..60).map(|i| 1e5 / 1.5f64.powi(i)));
        angles.extend((0..60).map(|i| -0.3 / 2f64.powi(i)));
        // Beside multiples of π/2 all leading digits cancel.
        for k in [1u32, 2, 3, 4, 11, 22, 355, 710, 78_125, 573_204, 600_000] {
            let near = f64::from(k) * std::f64::consts::FRAC_PI_2;
            angles.extend([near, near.next_up(), near.next_down()]);
        }
        angles.extend([LARGEST, 1.1e6, 1e9, -1e300]);
        for &x in &angles {
            let ([sin], [cos]) = sin_cos(&[x]);
            let worst = ulps(sin, x.sin()).max(ulps(cos, x.cos()));
            assert!(worst <= 1, "{x:e}: {sin:e} {:e}, {cos:e} {:e}", x.sin(), x.cos());
        }
        let most = angles.iter().filter(|&&x| sin_cos(&[x]).0[0] == x.sin()).count();
        assert!(most * 100 > angles.len() * 85, "{most} of {}", angles.len());
        assert!(sin_cos(&[f64::NAN]).0[0].is_nan() && sin_cos(&[f64::INFINITY]).1[0].is_nan());
    }

    #[test]
    fn several_are_the_bits_of_one() {
        for i in 0..1000 {
            let x = [0.1, 3.0, -700.0, 999_500.0].map(|x| x + 0.731 * f64::from(i));
            let (sin, cos) = sin_cos(&x);
            for j in 0..4 {
                assert_eq!((sin[j], cos[j]), (sin_cos(&[x[j]]).0[0], sin_cos(&[x[j]]).1[0]));
            }
        }
    }
}
