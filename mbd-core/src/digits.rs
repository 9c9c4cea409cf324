//! Numbers in few digits, for people.

/// A number in six digits at most: `0.25`, `1.234e-7`.
pub fn short(value: f64) -> String {
    digits(value, 5)
}

/// A time in seven digits at most, as messages name instants: `0.08362867`, `12.5`.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn instant(t: &f64) -> String {
    digits(*t, 6)
}

/// The same with so many digits behind the first.
#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn instant_to(t: &f64, behind: usize) -> String {
    digits(*t, behind)
}

/// With so many digits behind the first, zeros at the end left out; with a power of ten where zeros would be many.
fn digits(value: f64, behind: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{}", value + 0.0);
    }
    let rounded: f64 = format!("{value:.behind$e}").parse().unwrap_or(value);
    if (1e-4..1e7).contains(&value.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.1 + 0.2), "0.3");
        assert_eq!(short(1.234_567_89e-7), "1.23457e-7");
        assert_eq!(short(-0.0), "0");
        assert_eq!(instant(&8.362_867_4e-2), "0.08362867");
        assert_eq!(instant(&12.5), "12.5");
    }
}
