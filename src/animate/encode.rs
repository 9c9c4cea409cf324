//! Numbers in few bytes, as text.

/// Each number's curve over the frames, in two bytes where that is fine enough, else in four.
pub(super) struct Packed {
    /// Lowest value and step of each curve; a curve without steps is constant, one with a negative
    /// step is in four bytes.
    pub(super) scales: Vec<[f64; 2]>,
    pub(super) bytes: Vec<u8>,
}

/// What stands for a value that is not there.
const NOTHING: u16 = u16::MAX;

/// Packs curves: `value(c, k)` is number `c` of frame `k`, needed to within `tolerance[c]`.
pub(super) fn pack(
    frames: usize,
    tolerance: &[f64],
    value: impl Fn(usize, usize) -> f64,
) -> Packed {
    let (mut scales, mut wide, mut narrow) = (Vec::new(), Vec::new(), Vec::new());
    for (c, tolerance) in tolerance.iter().enumerate() {
        let curve = || (0..frames).map(|k| value(c, k));
        let (low, high) = curve()
            .filter(|x| x.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        let whole = curve().all(f64::is_finite);
        let step = (high - low) / f64::from(NOTHING - 1);
        // What rounding alone moves stands still.
        if whole && high - low <= 1e-4 * tolerance || low > high {
            scales.push([if low > high { f64::NAN } else { low }, 0.0]);
        } else if step <= 0.25 * tolerance {
            // One value with gaps has no range of its own.
            let step = if step > 0.0 { step } else { 1.0 };
            scales.push([low, step]);
            for x in curve() {
                let n = if x.is_finite() { ((x - low) / step).round() as u16 } else { NOTHING };
                narrow.extend(n.to_le_bytes());
            }
        } else {
            scales.push([low, -1.0]);
            curve().for_each(|x| wide.extend(((x - low) as f32).to_le_bytes()));
        }
    }
    // Those in four bytes first: they have to lie at multiples of four.
    wide.extend(narrow);
    Packed { scales, bytes: wide }
}

/// Bytes as text of 64 letters (RFC 4648).
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let all = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let letter = LETTERS[(all >> (18 - 6 * k) & 63) as usize];
            out.push(if k <= chunk.len() { letter as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_that_of_the_standard() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|s| base64(s.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn values_come_back_within_tolerance() {
        let curves = [
            (0..50).map(|k| (0.1 * k as f64).sin()).collect::<Vec<_>>(),
            vec![3.5; 50],
            (0..50).map(|k| 1e6 + 1e-2 * k as f64 * k as f64).collect(),
            (0..50).map(|k| if k == 7 { f64::NAN } else { k as f64 }).collect(),
        ];
        let tolerance = [1e-3, 1e-3, 1e-5, 1e-2];
        let packed = pack(50, &tolerance, |c, k| curves[c][k]);
        let (mut wide, mut narrow) = (0, 200);
        for (c, curve) in curves.iter().enumerate() {
            let [low, step] = packed.scales[c];
            for (k, x) in curve.iter().enumerate() {
                let back = if step == 0.0 {
                    low
                } else if step < 0.0 {
                    let at: [u8; 4] = packed.bytes[wide + 4 * k..][..4].try_into().unwrap();
                    low + f64::from(f32::from_le_bytes(at))
                } else {
                    let at: [u8; 2] = packed.bytes[narrow + 2 * k..][..2].try_into().unwrap();
                    match u16::from_le_bytes(at) {
                        NOTHING => f64::NAN,
                        n => low + step * f64::from(n),
                    }
                };
                let same = (back - x).abs() <= tolerance[c] || back.is_nan() && x.is_nan();
                assert!(same, "{c} {k}: {back} {x}");
            }
            wide += if step < 0.0 { 200 } else { 0 };
            narrow += if step > 0.0 { 100 } else { 0 };
        }
        assert_eq!(packed.scales[1], [3.5, 0.0]);
        assert!(packed.scales[2][1] < 0.0, "two bytes are too coarse");
    }
}
