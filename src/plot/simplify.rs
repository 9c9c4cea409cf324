//! Fewer points, same picture: a run of 10⁵ samples becomes a path of a few thousand points in
//! which every peak survives.

/// A point on the page [px].
pub(super) type Pixel = [f64; 2];

/// What the eye does not see [px].
const TOLERANCE: f64 = 0.08;

/// Simplifies one unbroken line.
pub(super) fn simplify(line: &[Pixel]) -> Vec<Pixel> {
    let rightwards = line.windows(2).all(|w| w[0][0] <= w[1][0]);
    let columns = if rightwards { envelope(line) } else { line.to_vec() };
    straighten(&columns)
}

/// Of all points in half a pixel's width, the first, lowest, highest and last, in their order.
fn envelope(line: &[Pixel]) -> Vec<Pixel> {
    let column = |p: &Pixel| (2.0 * p[0]).floor();
    let mut out = Vec::new();
    let mut start = 0;
    for end in 1..=line.len() {
        if end < line.len() && column(&line[end]) == column(&line[start]) {
            continue;
        }
        let range = start..end;
        let by_height = |a: &usize, b: &usize| line[*a][1].total_cmp(&line[*b][1]);
        let lowest = range.clone().min_by(by_height).unwrap_or(start);
        let highest = range.clone().max_by(by_height).unwrap_or(start);
        let mut kept = [start, lowest.min(highest), lowest.max(highest), end - 1].to_vec();
        kept.dedup();
        out.extend(kept.into_iter().map(|i| line[i]));
        start = end;
    }
    out
}

/// Douglas–Peucker, in pieces so that its cost stays linear.
fn straighten(line: &[Pixel]) -> Vec<Pixel> {
    const PIECE: usize = 256;
    if line.len() < 3 {
        return line.to_vec();
    }
    let mut keep = vec![false; line.len()];
    let mut stack: Vec<(usize, usize)> = (0..line.len() - 1)
        .step_by(PIECE)
        .map(|first| (first, (first + PIECE).min(line.len() - 1)))
        .collect();
    while let Some((first, last)) = stack.pop() {
        keep[first] = true;
        keep[last] = true;
        let far = (first + 1..last)
            .map(|i| (distance(line[i], line[first], line[last]), i))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, i)) = far.filter(|(d, _)| *d > TOLERANCE) {
            stack.extend([(first, i), (i, last)]);
        }
    }
    line.iter().zip(keep).filter_map(|(p, keep)| keep.then_some(*p)).collect()
}

/// Distance of `p` from the segment `a`–`b`.
fn distance(p: Pixel, a: Pixel, b: Pixel) -> f64 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 {
        (((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (p[0] - a[0] - along * dx).hypot(p[1] - a[1] - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_survive() {
        let n = 100_000;
        let mut line: Vec<Pixel> = (0..n)
            .map(|i| {
                let x = 800.0 * f64::from(i) / f64::from(n);
                [x, 100.0 * (7.0 * x).sin()]
            })
            .collect();
        line[54_321][1] = 999.0;
        line[12_345][1] = -999.0;
        let out = simplify(&line);
        assert!(out.len() < 8000, "{}", out.len());
        assert!(out.iter().any(|p| p[1] == 999.0) && out.iter().any(|p| p[1] == -999.0));
    }

    #[test]
    fn a_straight_line_is_two_points_and_a_loop_stays_a_loop() {
        let line: Vec<Pixel> = (0..100).map(|i| [f64::from(i), 2.0 * f64::from(i)]).collect();
        assert_eq!(simplify(&line), [[0.0, 0.0], [99.0, 198.0]]);
        let circle: Vec<Pixel> = (0..=50_000)
            .map(|i| (f64::from(i) / 2500.0).sin_cos())
            .map(|(s, c)| [200.0 * c, 200.0 * s])
            .collect();
        let out = simplify(&circle);
        assert!(out.len() < 2000, "{}", out.len());
        assert!(out.iter().all(|p| (p[0].hypot(p[1]) - 200.0).abs() < 0.2));
    }

    #[test]
    fn short_lines_pass() {
        assert!(simplify(&[]).is_empty());
        assert_eq!(simplify(&[[1.0, 2.0]]).len(), 1);
        assert_eq!(simplify(&[[1.0, 2.0], [1.0, 2.0]]).len(), 2);
    }
}
