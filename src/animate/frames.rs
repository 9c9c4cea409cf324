//! The frames of a run: as many as are kept while it goes, and of these as few as show it.

use mbd_core::checkpoint::State;

/// Numbers kept while a run goes; of a longer one every other frame is dropped.
const MOST_NUMBERS: usize = 1 << 23;
/// Pixels across a mechanism on a large screen: errors are told in these.
pub(super) const PIXELS: f64 = 1000.0;
/// How far straight lines between frames may be off, in pixels.
pub(super) const FINE: f64 = 0.5;

/// Frames one after the other, each its time and some numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    width: usize,
    data: Vec<f64>,
    /// Each how manieth row is kept.
    stride: usize,
    /// Rows so far, and the last one where it was not kept.
    rows: usize,
    skipped: Vec<f64>,
}

impl Frames {
    /// Of frames of so many numbers, the time with them.
    pub(super) fn new(width: usize) -> Self {
        Frames { width, stride: 1, ..Default::default() }
    }

    /// Whether a row is to be kept; one that is not is remembered, in case it is the last.
    pub(super) fn wants(&mut self, row: &[f64]) -> bool {
        let wanted = self.rows.is_multiple_of(self.stride);
        self.rows += 1;
        self.skipped.clear();
        if !wanted {
            self.skipped.extend_from_slice(row);
        }
        wanted
    }

    /// The last row, if it was not kept.
    pub(super) fn take_skipped(&mut self) -> Option<Vec<f64>> {
        (!self.skipped.is_empty()).then(|| std::mem::take(&mut self.skipped))
    }

    pub(super) fn push(&mut self, frame: &[f64]) {
        self.data.extend_from_slice(frame);
        // Of an odd number the last one stays.
        if self.data.len() > MOST_NUMBERS && self.len() > 64 && self.len() % 2 == 1 {
            let (width, mut kept) = (self.width, 0);
            for k in (0..self.len()).step_by(2) {
                self.data.copy_within(k * width..(k + 1) * width, kept * width);
                kept += 1;
            }
            self.data.truncate(kept * width);
            self.stride *= 2;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.data.len().checked_div(self.width).unwrap_or(0)
    }

    /// How many rows stand for each that is kept, at least.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn get(&self, k: usize) -> &[f64] {
        &self.data[k * self.width..][..self.width]
    }

    /// Rows seen.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The fewest frames (nearly) between which straight lines are off by at most `tolerance` of each
    /// number, the time's apart. First and last are among them, and both of two at the same time.
    pub(super) fn fewest(&self, tolerance: &[f64]) -> Vec<usize> {
        let count = self.len();
        let mut kept = vec![0];
        let numbers = self.width.saturating_sub(1);
        // The slopes by which a line from the last frame kept passes all since.
        let (mut low, mut high) = (vec![f64::NEG_INFINITY; numbers], vec![f64::INFINITY; numbers]);
        let mut k = 1;
        while k < count {
            let from = kept[kept.len() - 1];
            let (a, b) = (self.get(from), self.get(k));
            let passed = b[0] - a[0];
            let fits = passed > 0.0
                && (0..numbers).all(|c| {
                    let (x, y) = (a[c + 1], b[c + 1]);
                    let slope = (y - x) / passed;
                    slope >= low[c] && slope <= high[c] || x.is_nan() && y.is_nan()
                });
            if !fits {
                // A jump needs both its ends.
                let next = if k - 1 > from { k - 1 } else { k };
                kept.push(next);
                low.fill(f64::NEG_INFINITY);
                high.fill(f64::INFINITY);
                k = next + 1;
                continue;
            }
            for c in 0..numbers {
                let (x, y) = (a[c + 1], b[c + 1]);
                low[c] = low[c].max((y - tolerance[c] - x) / passed);
                high[c] = high[c].min((y + tolerance[c] - x) / passed);
            }
            k += 1;
        }
        if count > 1 && kept[kept.len() - 1] != count - 1 {
            kept.push(count - 1);
        }
        kept
    }

    /// Saves or restores them.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Frames { width, data, stride, rows, skipped } = self;
        let own = *width;
        for count in [&mut *width, stride, rows] {
            state.count(count);
        }
        state.list(data);
        state.list(skipped);
        let whole = data.len().checked_rem(*width).unwrap_or(data.len()) == 0;
        state.require(*width == own && whole && (*stride > 0 || data.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(count: usize) -> Frames {
        let mut frames = Frames::new(3);
        for i in 0..count {
            let t = 1e-2 * i as f64;
            assert!(frames.wants(&[t]));
            frames.push(&[t, t.sin(), t.cos()]);
        }
        frames
    }

    #[test]
    fn straight_lines_between_what_is_kept_are_within_tolerance() {
        let frames = circle(2000);
        for tolerance in [1e-2, 1e-3, 1e-5] {
            let kept = frames.fewest(&[tolerance; 2]);
            assert_eq!((kept[0], kept[kept.len() - 1]), (0, 1999));
            let mut worst = 0.0f64;
            for pair in kept.windows(2) {
                let (a, b) = (frames.get(pair[0]), frames.get(pair[1]));
                for k in pair[0]..pair[1] {
                    let frame = frames.get(k);
                    let part = (frame[0] - a[0]) / (b[0] - a[0]);
                    for c in 1..3 {
                        worst = worst.max((a[c] + part * (b[c] - a[c]) - frame[c]).abs());
                    }
                }
            }
            assert!(worst <= tolerance * (1.0 + 1e-9), "{worst} {tolerance}");
            // A chord of an arc of angle a is off by a²/8: no more than that takes, and two.
            let most = 20.0 / (8.0 * tolerance).sqrt() * 2.0;
            assert!((kept.len() as f64) < most.max(100.0), "{} of {most}", kept.len());
        }
    }

    #[test]
    fn a_jump_keeps_both_its_ends() {
        let mut frames = Frames::new(2);
        for [t, x] in [[0.0, 0.0], [1.0, 0.0], [1.0, 5.0], [2.0, 5.0]] {
            frames.push(&[t, x]);
        }
        assert_eq!(frames.fewest(&[1e-3]), [0, 1, 2, 3]);
    }

    #[test]
    fn a_long_run_takes_bounded_memory_and_keeps_its_last_row() {
        let width = 1 << 14;
        let mut frames = Frames::new(width);
        for i in 0..3001 {
            let row = [i as f64];
            if frames.wants(&row) {
                let mut frame = vec![0.0; width];
                frame[0] = i as f64;
                frames.push(&frame);
            }
            assert!(frames.data.len() <= MOST_NUMBERS + 2 * width);
        }
        let times: Vec<f64> = (0..frames.len()).map(|k| frames.get(k)[0]).collect();
        let steps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(steps.iter().all(|step| *step == frames.stride() as f64), "{steps:?}");
        let last = frames.take_skipped().map_or(times[times.len() - 1], |row| row[0]);
        assert_eq!(last, 3000.0);
    }
}
