//! How far a run is: a bar on a terminal, otherwise a line per 10 % of a run that takes long.
//!
//! Written here: `indicatif` would add 3 s of processor time to the first build of a user's crate, 2.6 % of it, for a line
//! that is drawn ten times a second, and has nothing for what is no terminal.

use crate::output::short;
use std::io::Write;
use std::time::{Duration, Instant};

/// Where progress goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Redrawn in place.
    Bar,
    /// A line per 10 %, of a run that takes long.
    Lines,
    /// Nothing.
    Silent,
}

pub(super) struct Progress {
    style: Style,
    t_end: f64,
    started: Instant,
    drawn: Option<Instant>,
    next: usize,
}

/// Between two pictures of the bar.
const PERIOD: Duration = Duration::from_millis(100);
const WIDTH: usize = 30;
/// What is over sooner needs no lines.
const LONG: Duration = Duration::from_secs(5);

impl Progress {
    pub(super) fn new(style: Style, t_end: f64) -> Self {
        Progress { style, t_end, started: Instant::now(), drawn: None, next: 1 }
    }

    /// Tells that the run has come to `t`. A terminal that cannot be written to does not stop it.
    pub(super) fn update(&mut self, t: f64, steps: usize, err: &mut dyn Write) {
        let part = if self.t_end > 0.0 { (t / self.t_end).clamp(0.0, 1.0) } else { 0.0 };
        match self.style {
            Style::Silent => {}
            Style::Lines => {
                let tenths = (10.0 * part + 1e-9) as usize;
                if tenths >= self.next && self.started.elapsed() >= LONG {
                    self.next = tenths + 1;
                    let _ =
                        writeln!(err, "{:>3} %  t = {} s, {steps} steps", 10 * tenths, short(t));
                }
            }
            Style::Bar => {
                let now = Instant::now();
                // A run shorter than a blink needs no bar.
                let last = self.drawn.unwrap_or(self.started);
                if now - last < PERIOD {
                    return;
                }
                self.drawn = Some(now);
                let full = (part * WIDTH as f64) as usize;
                let elapsed = (now - self.started).as_secs_f64();
                let left = if part > 0.01 {
                    format!(", {} left", duration(elapsed * (1.0 - part) / part))
                } else {
                    String::new()
                };
                let _ = write!(
                    err,
                    "\r[{}{}] {:>3.0} %  t = {} s, {steps} steps{left}\x1b[K",
                    "█".repeat(full),
                    "·".repeat(WIDTH - full),
                    100.0 * part,
                    short(t)
                );
                let _ = err.flush();
            }
        }
    }

    /// Clears the bar.
    pub(super) fn finish(&self, err: &mut dyn Write) {
        if self.style == Style::Bar && self.drawn.is_some() {
            let _ = write!(err, "\r\x1b[K");
            let _ = err.flush();
        }
    }
}

/// `0.8 s`, `2 min 5 s`, `1 h 10 min`.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.00995 => format!("{:.1} ms", 1e3 * s),
        s if s < 0.9995 => format!("{:.0} ms", 1e3 * s),
        s if s < 59.95 => format!("{s:.1} s"),
        s if s < 3599.5 => format!("{} min {} s", s.round() as u64 / 60, s.round() as u64 % 60),
        s => {
            let minutes = (s / 60.0).round() as u64;
            format!("{} h {} min", minutes / 60, minutes % 60)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_per_ten_percent() {
        let mut out = Vec::new();
        let mut progress = Progress::new(Style::Lines, 2.0);
        progress.update(1.0, 50, &mut out);
        assert!(out.is_empty(), "a run that has just begun");
        progress.started = Instant::now().checked_sub(LONG).unwrap();
        for i in 0..=100 {
            progress.update(0.02 * f64::from(i), i as usize, &mut out);
        }
        progress.finish(&mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().count(), 10, "{text}");
        assert!(text.starts_with(" 10 %  t = 0.2 s, 10 steps\n"), "{text}");
        assert!(text.ends_with("100 %  t = 2 s, 100 steps\n"), "{text}");
    }

    #[test]
    fn silence_is_silent_and_a_short_run_draws_no_bar() {
        for style in [Style::Silent, Style::Bar] {
            let mut out = Vec::new();
            let mut progress = Progress::new(style, 1.0);
            progress.update(0.5, 3, &mut out);
            progress.finish(&mut out);
            assert!(out.is_empty());
        }
    }

    #[test]
    fn numbers_and_times_are_short() {
        assert_eq!(short(0.1 + 0.2), "0.3");
        assert_eq!(short(1.23456789e-7), "1.23457e-7");
        assert_eq!(duration(0.0123), "12 ms");
        assert_eq!(duration(125.0), "2 min 5 s");
        assert_eq!(duration(4215.0), "1 h 10 min");
        // Rounded as a whole: this was `0 min 59 s`.
        assert_eq!(duration(59.97), "1 min 0 s");
        assert_eq!(duration(3599.9), "1 h 0 min");
    }
}
