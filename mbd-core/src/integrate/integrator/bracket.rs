//! Where something leaves its bounds within a step.

/// Parts looked at at most.
const MOST: usize = 100;

/// A part of a step at which something has not left its bounds yet, and a later one at which it has, each with what is left
/// until it does: not below zero at the first, below it at the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket {
    pub(super) before: [f64; 2],
    pub(super) beyond: [f64; 2],
}

impl Bracket {
    /// Narrows it until its ends are as `near` as this, by regula falsi, the end that stays weighted down (Illinois: Dowell
    /// and Jarratt, BIT 11, 1971). Both ends are where nothing is left to the last bit. Whether all was known that was
    /// looked at.
    pub(super) fn narrow(&mut self, near: f64, mut left: impl FnMut(f64) -> Option<f64>) -> bool {
        let mut last = 0;
        for _ in 0..MOST {
            let ([low, above], [high, below]) = (self.before, self.beyond);
            if high - low <= near {
                break;
            }
            let mut part = low + (high - low) * above / (above - below);
            if !(part > low && part < high) {
                part = 0.5 * (low + high);
            }
            let Some(value) = left(part) else { return false };
            if value < 0.0 {
                self.beyond = [part, value];
                self.before[1] *= if last == 1 { 0.5 } else { 1.0 };
                last = 1;
            } else {
                self.before = [part, value];
                self.beyond[1] *= if last == 2 { 0.5 } else { 1.0 };
                last = 2;
                if value == 0.0 {
                    self.beyond = self.before;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Bracket;

    #[test]
    fn it_narrows_to_a_root_whatever_the_function() {
        let functions: [(fn(f64) -> f64, f64); 4] = [
            (|x| 0.3 - x, 0.3),
            (|x| 0.5 - x.powi(3), 0.5_f64.cbrt()),
            (|x| 1e-9 - (x - 0.2).powi(5), 0.2 + 1e-9_f64.powf(0.2)),
            (|x| if x < 0.7 { 1.0 } else { -1e-300 }, 0.7),
        ];
        for (f, root) in functions {
            let mut looked = 0;
            let mut bracket = Bracket { before: [0.0, f(0.0)], beyond: [1.0, f(1.0)] };
            assert!(bracket.narrow(1e-14, |x| {
                looked += 1;
                Some(f(x))
            }));
            let Bracket { before: [low, above], beyond: [high, below] } = bracket;
            assert!(
                low <= root + 1e-15 && root <= high + 1e-15 && high - low <= 1e-14,
                "{low} {high}"
            );
            assert!(above >= 0.0 && below <= 0.0 && looked <= 100);
        }
    }

    #[test]
    fn it_tells_what_is_not_known() {
        let mut bracket = Bracket { before: [0.0, 1.0], beyond: [1.0, -1.0] };
        assert!(!bracket.narrow(1e-3, |x| (x < 0.4).then_some(1.0)));
        assert!(bracket.before[0] < bracket.beyond[0]);
    }
}
