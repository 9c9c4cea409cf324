//! Axes: from data to a range, readable ticks and a place between 0 and 1.

/// How an axis counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    #[default]
    Linear,
    /// Equal distances are equal ratios; values that are not positive leave a gap.
    Log,
}

/// An axis with its range and ticks.
#[derive(Clone, Debug)]
pub(super) struct Ticks {
    scale: Scale,
    lo: f64,
    hi: f64,
    /// Labelled ticks.
    pub(super) major: Vec<(f64, String)>,
    /// Gridlines without a label.
    pub(super) minor: Vec<f64>,
    /// What every label is to be multiplied by and added to, for the corner of the axis;
    /// empty when the labels are the values.
    pub(super) note: String,
}

/// Below this relative span a series counts as constant: what varies is round-off.
const FLAT: f64 = 1e-11;

impl Ticks {
    /// Ticks for data between `lo` and `hi` (NaN when there is none), about `count` of them, with
    /// the range widened by `padding` of itself at either end.
    pub(super) fn new(scale: Scale, lo: f64, hi: f64, count: usize, padding: f64) -> Self {
        match scale {
            Scale::Linear => linear(lo, hi, count, padding),
            Scale::Log => log(lo, hi, count, padding),
        }
    }

    /// Ticks for exactly the range `lo` to `hi`.
    pub(super) fn exact(scale: Scale, lo: f64, hi: f64, count: usize) -> Self {
        match scale {
            Scale::Linear if lo < hi => linear_within(lo, hi, count),
            Scale::Log if 0.0 < lo && lo < hi => log_within(lo, hi, count),
            _ => Ticks::new(scale, lo, hi, count, 0.0),
        }
    }

    /// Ticks for exactly the range `lo` to `hi`, about `step` apart.
    pub(super) fn stepped(lo: f64, hi: f64, step: f64) -> Self {
        linear_stepped(lo, hi, nice_step(step))
    }

    /// The range.
    pub(super) fn range(&self) -> (f64, f64) {
        (self.lo, self.hi)
    }

    /// Where a value lies: 0 at the start of the axis, 1 at its end; `None` when it has no place.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        let at = match self.scale {
            Scale::Linear => (value - self.lo) / (self.hi - self.lo),
            Scale::Log if value > 0.0 => (value / self.lo).ln() / (self.hi / self.lo).ln(),
            Scale::Log => return None,
        };
        at.is_finite().then_some(at)
    }

    /// True for a value that can be drawn.
    pub(super) fn shows(scale: Scale, value: f64) -> bool {
        value.is_finite() && (scale == Scale::Linear || value > 0.0)
    }
}

fn linear(lo: f64, hi: f64, count: usize, padding: f64) -> Ticks {
    let (lo, hi) = if lo.is_finite() && hi.is_finite() { (lo, hi) } else { (0.0, 1.0) };
    let size = lo.abs().max(hi.abs());
    let (lo, hi) = if hi - lo <= FLAT * size || size < 1e-290 {
        let mid = 0.5 * lo + 0.5 * hi;
        let half = if size < 1e-290 { 1.0 } else { 0.1 * size };
        (mid - half, mid + half)
    } else {
        let pad = padding * (hi - lo);
        (lo - pad, hi + pad)
    };
    linear_within(lo, hi, count)
}

fn linear_within(lo: f64, hi: f64, count: usize) -> Ticks {
    linear_stepped(lo, hi, nice_step((hi - lo) / count.max(2) as f64))
}

fn linear_stepped(lo: f64, hi: f64, step: f64) -> Ticks {
    let first = (lo / step - 1e-9).ceil();
    let last = (hi / step + 1e-9).floor();
    let values: Vec<f64> =
        (0..=(last - first).max(0.0) as usize).map(|i| (first + i as f64) * step).collect();
    let size = lo.abs().max(hi.abs());
    // Many equal leading digits: print what differs, and the rest once.
    let offset = if hi - lo < 1e-4 * size {
        let unit = 10f64.powf((hi - lo).log10().ceil() + 1.0);
        ((0.5 * lo + 0.5 * hi) / unit).round() * unit
    } else {
        0.0
    };
    let shown = values.iter().map(|v| (v - offset).abs()).fold(0.0, f64::max);
    let exponent = if shown > 0.0 && !(0.01..1e5).contains(&shown) {
        3 * ((shown.log10() + 1e-9).floor() / 3.0).floor() as i32
    } else {
        0
    };
    let factor = 10f64.powi(exponent);
    let decimals = (-(step / factor).log10() - 1e-9).ceil().clamp(0.0, 12.0) as usize;
    let major = values
        .into_iter()
        .map(|v| (v, minus(format!("{:.*}", decimals, clean((v - offset) / factor, decimals)))))
        .collect();
    let mut note = String::new();
    if exponent != 0 {
        note = format!("×10{}", superscript(exponent));
    }
    if offset != 0.0 {
        let sign = if offset < 0.0 { "−" } else { "+" };
        // As many digits as the offset was rounded to.
        let digits = (size / (hi - lo)).log10().clamp(0.0, 15.0) as usize;
        let text = trimmed(format!("{:.*e}", digits, offset.abs()));
        note = format!("{note} {sign} {text}").trim_start().to_string();
    }
    Ticks { scale: Scale::Linear, lo, hi, major, minor: Vec::new(), note }
}

/// `1.2300e0` as `1.23`, `4.9e-7` as `4.9×10⁻⁷`.
fn trimmed(text: String) -> String {
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-3..6).contains(&exponent) {
        return text.parse::<f64>().map_or(text.clone(), |v| format!("{v}"));
    }
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}×10{}", superscript(exponent))
}

/// Zero rather than −0 or a residue of subtraction.
fn clean(value: f64, decimals: usize) -> f64 {
    if value.abs() < 0.5 * 10f64.powi(-(decimals as i32)) { 0.0 } else { value }
}

/// The nearest of 1, 2, 5 times a power of ten.
fn nice_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    match raw / power {
        leading if leading < 1.5 => power,
        leading if leading < 3.2 => 2.0 * power,
        leading if leading < 7.1 => 5.0 * power,
        _ => 10.0 * power,
    }
}

fn log(lo: f64, hi: f64, count: usize, padding: f64) -> Ticks {
    let (lo, hi) = if lo > 0.0 && hi.is_finite() {
        (lo.clamp(1e-290, 1e290), hi.clamp(1e-290, 1e290))
    } else {
        (0.1, 10.0)
    };
    let (lo, hi) = if hi / lo < 1.5 {
        (lo / 2.0, hi * 2.0)
    } else {
        let pad = (padding * (hi / lo).ln()).exp();
        (lo / pad, hi * pad)
    };
    log_within(lo, hi, count)
}

fn log_within(lo: f64, hi: f64, count: usize) -> Ticks {
    let first = (lo.log10() - 1e-9).ceil() as i32;
    let last = (hi.log10() + 1e-9).floor() as i32;
    let inside = |v: &f64| *v >= lo * (1.0 - 1e-9) && *v <= hi * (1.0 + 1e-9);
    let decades = (hi / lo).log10();
    let mut major = Vec::new();
    let mut minor = Vec::new();
    let stride = (decades / count.max(2) as f64).ceil().max(1.0) as i32;
    for decade in first - 1..=last {
        let power = 10f64.powi(decade);
        if decade.rem_euclid(stride) == 0 && inside(&power) {
            major.push((power, format!("10{}", superscript(decade))));
        } else if inside(&power) {
            minor.push(power);
        }
        if decades <= 7.0 {
            for digit in 2..10 {
                let value = f64::from(digit) * power;
                if !inside(&value) {
                    continue;
                }
                // Short ranges name 2 and 5 as well, so that two labels are always there.
                if decades < 2.0 && (digit == 2 || digit == 5 || decades < 0.7) {
                    major.push((value, format!("{digit}×10{}", superscript(decade))));
                } else {
                    minor.push(value);
                }
            }
        }
    }
    Ticks { scale: Scale::Log, lo, hi, major, minor, note: String::new() }
}

/// An integer as superscript digits.
pub(super) fn superscript(n: i32) -> String {
    n.to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
        })
        .collect()
}

fn minus(text: String) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64) -> (Vec<String>, String) {
        let ticks = Ticks::new(Scale::Linear, lo, hi, 6, 0.0);
        (ticks.major.into_iter().map(|m| m.1).collect(), ticks.note)
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(0.0, 3.0).0, ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(labels(-3.2, 4.1).0, ["−3", "−2", "−1", "0", "1", "2", "3", "4"]);
    }

    #[test]
    fn small_and_large_values_share_a_power_of_ten() {
        let (small, note) = labels(0.0, 2.5e-4);
        assert_eq!(small, ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(note, "×10⁻⁶");
        assert_eq!(labels(0.0, 4e6).1, "×10⁶");
    }

    #[test]
    fn a_nearly_constant_series_shows_what_differs() {
        let (labels, note) = labels(4.905, 4.905 + 3e-9);
        assert_eq!(note, "×10⁻⁹ + 4.905");
        assert_eq!(labels, ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
    }

    #[test]
    fn constant_empty_and_non_finite_data_still_give_an_axis() {
        for (lo, hi) in
            [(3.0, 3.0), (0.0, 0.0), (f64::NAN, f64::NAN), (-1e300, 1e300), (5e-324, 5e-324)]
        {
            for scale in [Scale::Linear, Scale::Log] {
                let ticks = Ticks::new(scale, lo, hi, 5, 0.05);
                let (lo, hi) = ticks.range();
                assert!(lo < hi && ticks.major.len() >= 2, "{scale:?} {lo} {hi} {ticks:?}");
            }
        }
    }

    #[test]
    fn log_ticks_are_decades() {
        let ticks = Ticks::new(Scale::Log, 1e-9, 1e-2, 8, 0.0);
        let labels: Vec<_> = ticks.major.iter().map(|m| m.1.as_str()).collect();
        assert_eq!(labels, ["10⁻⁹", "10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²"]);
        assert_eq!(ticks.place(0.0), None);
        assert!((ticks.place(1e-2).unwrap() - 1.0).abs() < 1e-12);
    }
}
