//! Where something leaves its bounds within a step and comes back before any instant that is looked at anyway.

/// Parts looked at at most.
const MOST: usize = 24;

/// Parts of each interval between the instants of a step at which the polynomial through them is looked at.
const BETWEEN: usize = 8;

/// How much faster than known something may move between two instants.
const STEEPER: f64 = 2.0;

/// Before anything has been looked at, what may come as near to its bound as this part of the farthest from it.
const NEAR: f64 = 0.1;

/// A part is looked at no nearer to those known than this part of what lies between them.
const INSIDE: f64 = 1e-3;

/// What is left at parts of a step, none of it below zero, in the order of the parts, and its slopes at the ends.
pub(super) struct Dip<'a> {
    pub(super) parts: &'a [f64],
    pub(super) left: &'a [f64],
    pub(super) slopes: [f64; 2],
}

impl Dip<'_> {
    /// The first part found at which less than nothing is left, after the last known at which this is not so: `[last, first]`.
    ///
    /// What is left is taken for convex where it falls and rises again, as the distance of two points that pass each other is:
    /// there it lies above the lines that lead on from both sides, and comes below zero only if these meet below it. It is
    /// looked at where they meet until it is below zero, or they meet above it nowhere (cutting planes: Kelley, J. SIAM 8,
    /// 1960), or parts lie within `near` of each other; every second time where a parabola is lowest, which finds a smooth one
    /// that is below zero by little.
    pub(super) fn found(&self, near: f64, mut look: impl FnMut(f64) -> f64) -> Option<[f64; 2]> {
        let farthest = self.left.iter().copied().fold(0.0, f64::max);
        if let Some(low) = self.met(self.parts, self.left, NEAR * farthest, near) {
            let (parts, left) = (self.parts.to_vec(), self.left.to_vec());
            let found = self.between_lines(parts, left, low, near, &mut look);
            if found.is_some() {
                return found;
            }
        }
        if !self.may_turn() {
            return None;
        }
        let lowest = self.lowest(NEAR * farthest);
        if lowest.is_empty() {
            return None;
        }
        let (mut parts, mut left) = (self.parts.to_vec(), self.left.to_vec());
        for part in lowest {
            let after = parts.iter().rposition(|known| *known < part)?;
            let value = look(part);
            if value < 0.0 {
                return Some([parts[after], part]);
            }
            parts.insert(after + 1, part);
            left.insert(after + 1, value);
        }
        let low = self.met(&parts, &left, NEAR * farthest, near)?;
        self.between_lines(parts, left, low, near, &mut look)
    }

    /// The same from where the lines from both sides meet on.
    fn between_lines(
        &self,
        mut parts: Vec<f64>,
        mut left: Vec<f64>,
        mut low: (usize, f64),
        near: f64,
        look: &mut impl FnMut(f64) -> f64,
    ) -> Option<[f64; 2]> {
        for count in 0..MOST {
            let (after, meet) = low;
            let lowest = if count % 2 == 1 { bottom(&parts, &left, after) } else { None };
            let part = lowest.unwrap_or(meet);
            let value = look(part);
            if value < 0.0 {
                return Some([parts[after], part]);
            }
            parts.insert(after + 1, part);
            left.insert(after + 1, value);
            low = self.met(&parts, &left, 0.0, near)?;
        }
        None
    }

    /// Whether what is left may come to nothing and back between two instants at twice the rates that are known.
    fn may_turn(&self) -> bool {
        let pairs = || self.parts.windows(2).zip(self.left.windows(2));
        let slopes = pairs().map(|(p, y)| ((y[1] - y[0]) / (p[1] - p[0])).abs());
        let [begins, ends] = self.slopes.map(f64::abs);
        let steepest = slopes.fold(begins.max(ends), f64::max);
        pairs().any(|(p, y)| y[0].min(y[1]) < STEEPER * steepest * (p[1] - p[0]))
    }

    /// Where the polynomial through what is known is lowest between two instants, and below a bound: what falls ever faster
    /// before it comes near, as a body in flight, is not convex between the instants.
    pub(super) fn lowest(&self, bound: f64) -> Vec<f64> {
        let last = self.parts.len() - 1;
        // Both ends count twice, with their slopes: divided differences.
        let twice = |values: &[f64]| [&values[..1], values, &values[last..]].concat();
        let (nodes, mut c) = (twice(self.parts), twice(self.left));
        for order in 1..nodes.len() {
            for i in (order..nodes.len()).rev() {
                let width = nodes[i] - nodes[i - order];
                c[i] = match width > 0.0 {
                    true => (c[i] - c[i - 1]) / width,
                    false => self.slopes[usize::from(i > 1)],
                };
            }
        }
        let polynomial =
            |x: f64| nodes.iter().zip(&c).rev().fold(0.0, |sum, (node, c)| sum * (x - node) + c);
        let mut found = Vec::new();
        for pair in self.parts.windows(2) {
            let width = (pair[1] - pair[0]) / BETWEEN as f64;
            let lowest = (1..BETWEEN).map(|k| pair[0] + k as f64 * width).filter_map(|part| {
                let [before, here, after] = [part - width, part, part + width].map(polynomial);
                let turns = here < before && here <= after;
                let bottom = part + 0.5 * width * (before - after) / (before - 2.0 * here + after);
                (turns && polynomial(bottom).min(here) < bound).then_some(bottom)
            });
            found.extend(lowest.filter(|part| *part > pair[0] && *part < pair[1]));
        }
        found
    }

    /// The first part at which the lines from both sides meet below `bound`, and the known one before it.
    fn met(&self, parts: &[f64], left: &[f64], bound: f64, near: f64) -> Option<(usize, f64)> {
        let last = parts.len() - 1;
        let slope = |k: usize| (left[k + 1] - left[k]) / (parts[k + 1] - parts[k]);
        (0..last).find_map(|k| {
            let falls = if k == 0 { self.slopes[0] } else { slope(k - 1) };
            let rises = if k + 1 == last { self.slopes[1] } else { slope(k + 1) };
            let (own, width) = (slope(k), parts[k + 1] - parts[k]);
            // Beside another dip, which bends the other way, it rises as it falls.
            let (falls, rises) = match (falls < 0.0, rises > 0.0) {
                (true, true) => (falls, rises),
                (true, false) if own > 0.0 => (falls, own.max(-falls)),
                (false, true) if own < 0.0 => (own.min(-rises), rises),
                _ => return None,
            };
            if width <= near {
                return None;
            }
            // left[k] + falls s = left[k + 1] − rises (width − s)
            let s = (left[k + 1] - left[k] - rises * width) / (falls - rises);
            let s = s.clamp(INSIDE * width, (1.0 - INSIDE) * width);
            let least = (left[k] + falls * s).max(left[k + 1] - rises * (width - s));
            (least < bound).then_some((k, parts[k] + s))
        })
    }
}

/// Where the parabola through the lower end of the interval that begins at the `k`-th part and its neighbours is lowest, if
/// that is within the interval.
fn bottom(parts: &[f64], left: &[f64], k: usize) -> Option<f64> {
    let m = if left[k] < left[k + 1] { k } else { k + 1 };
    let (p, y) = (parts.get(m.checked_sub(1)?..m + 2)?, left.get(m - 1..m + 2)?);
    let [before, after] = [0, 1].map(|i| (y[i + 1] - y[i]) / (p[i + 1] - p[i]));
    let lowest = 0.5 * (p[0] + p[1] - before * (p[2] - p[0]) / (after - before));
    (lowest > parts[k] && lowest < parts[k + 1]).then_some(lowest)
}

/// Where something that is not above a bound at the instants of a step is above it in between, which need not be convex but
/// is smooth: between which parts, and what it is there. The polynomial through what is known tells where to look.
pub(super) fn above_between(
    parts: &[f64; 5],
    known: &[f64; 5],
    bound: f64,
    mut look: impl FnMut(f64) -> Option<f64>,
) -> Option<([f64; 2], [f64; 2])> {
    let polynomial = |x: f64| -> f64 {
        (0..5)
            .map(|i| {
                let others = (0..5).filter(|&j| j != i);
                let basis: f64 = others.map(|j| (x - parts[j]) / (parts[i] - parts[j])).product();
                known[i] * basis
            })
            .sum()
    };
    for i in 0..4 {
        let width = (parts[i + 1] - parts[i]) / BETWEEN as f64;
        for k in 1..BETWEEN {
            let part = parts[i] + k as f64 * width;
            let [before, here, after] = [part - width, part, part + width].map(polynomial);
            // Where the parabola through three neighbours is highest.
            let bend = before - 2.0 * here + after;
            let top = part + width * (0.5 * (before - after) / bend).clamp(-1.0, 1.0);
            let part = if bend < 0.0 && polynomial(top) > here { top } else { part };
            if polynomial(part) > bound && part > parts[i] && part < parts[i + 1] {
                let value = look(part)?;
                if value > bound {
                    return Some(([parts[i], part], [known[i], value]));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Dip, above_between};

    const PARTS: [f64; 5] = [0.0, 0.213, 0.467, 0.739, 1.0];

    /// What is found of a function, and how often it was looked at.
    fn found(f: impl Fn(f64) -> f64) -> (Option<[f64; 2]>, usize) {
        let left = PARTS.map(&f);
        let slopes = [(f(1e-7) - f(0.0)) / 1e-7, (f(1.0) - f(1.0 - 1e-7)) / 1e-7];
        let mut looked = 0;
        let found = Dip { parts: &PARTS, left: &left, slopes }.found(1e-6, |part| {
            looked += 1;
            f(part)
        });
        (found, looked)
    }

    /// The distance of a body in flight from a pin that it rebounds from, and comes near again.
    #[test]
    fn what_falls_on_something_in_an_arc_is_found() {
        for k in 0..200 {
            let depth = 1e-4 * f64::from(k + 1);
            let arc = |part: f64| {
                let (x, y) = (0.0226 + 0.047 * part, 0.0663 + 0.95 * part - 1.049 * part * part);
                f64::hypot(x, y) - 0.07 - depth + 0.02
            };
            let crosses = (1..1000).any(|k| arc(f64::from(k) / 1000.0) < 0.0);
            if !crosses || PARTS.iter().any(|&part| arc(part) < 0.0) {
                continue;
            }
            let (dip, looked) = found(arc);
            let [before, beyond] = dip.unwrap_or_else(|| panic!("{depth}"));
            assert!(arc(before) >= 0.0 && arc(beyond) < 0.0 && looked < 8, "{depth}: {looked}");
        }
    }

    #[test]
    fn a_narrow_gate_is_found_wherever_it_stands() {
        for k in 1..1000 {
            let at = f64::from(k) / 1000.0 + 3e-4;
            let gate = |part: f64| (part - at).abs() - 1e-4;
            if PARTS.iter().any(|&part| gate(part) < 0.0) {
                continue;
            }
            let ([before, beyond], looked) = match found(gate) {
                (Some(found), looked) => (found, looked),
                (None, looked) => panic!("a gate at {at} is not found in {looked} looks"),
            };
            assert!(gate(before) >= 0.0 && gate(beyond) < 0.0 && before < beyond && looked <= 4);
        }
    }

    #[test]
    fn a_smooth_pass_is_found_or_ruled_out() {
        for k in 1..200 {
            let at = f64::from(k) / 200.0 + 1e-3;
            for deep in [1e-2, 1e-4, 1e-6] {
                for speed in [3.0, 40.0, 1000.0] {
                    let pass = |short: f64| {
                        move |part: f64| f64::hypot(speed * (part - at), 1.0) - 1.0 + short
                    };
                    if PARTS.iter().all(|&part| pass(-deep)(part) >= 0.0) {
                        let (found, looked) = found(pass(-deep));
                        assert!(found.is_some(), "{at} {deep} {speed}: {looked}");
                    }
                    let (found, looked) = found(pass(deep));
                    assert!(found.is_none(), "{at} {deep} {speed}: {looked}");
                }
            }
        }
    }

    #[test]
    fn a_smooth_touch_is_found_to_rounding() {
        for k in 1..100 {
            let at = f64::from(k) / 100.0 + 3e-3;
            for deep in [1e-10, 1e-13, 1e-15] {
                let (found, looked) = found(|part| 0.5 * (part - at).powi(2) - deep);
                assert!(found.is_some() && looked <= 12, "{at} {deep}: {looked}");
            }
        }
    }

    #[test]
    fn the_first_of_two_is_found() {
        let two = |part: f64| (part - 0.3_f64).abs().min((part - 0.85).abs()) - 0.01;
        let [before, beyond] = found(two).0.expect("gates at 0.3 and 0.85");
        assert!(before < 0.29 && (0.29..0.31).contains(&beyond), "{before} {beyond}");
    }

    #[test]
    fn what_only_falls_or_turns_far_away_is_not_looked_at() {
        for f in [
            |x: f64| 2.0 - x,
            |x: f64| 1.0 + x,
            |x: f64| (x - 0.5).powi(2) + 0.5,
            |x: f64| x * (1.0 - x),
        ] {
            assert_eq!(found(f), (None, 0));
        }
    }

    #[test]
    fn a_peak_between_instants_is_found() {
        for k in 1..100 {
            let at = f64::from(k) / 100.0 + 3e-3;
            for above in [1e-2, 1e-4, 1e-7] {
                let peak = |part: f64| above - (part - at).powi(2);
                let known = PARTS.map(peak);
                if known.iter().all(|&value| value <= 0.0) {
                    let found = above_between(&PARTS, &known, 0.0, |part| Some(peak(part)));
                    let ([before, beyond], values) = found.expect("a peak");
                    assert!(before < beyond && values == [peak(before), peak(beyond)], "{at}");
                }
            }
            let below = PARTS.map(|part| -1e-4 - (part - at).powi(2));
            assert_eq!(above_between(&PARTS, &below, 0.0, |_| panic!("no need to look")), None);
        }
    }
}
