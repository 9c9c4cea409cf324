//! When an iteration ends: it has converged, or nothing but rounding is left to correct.

use super::options::Stop;

/// Ratio of corrections from which an iteration at the level of noise counts as stuck.
pub(super) const STUCK: f64 = 0.5;
/// The same where noise is not certain.
pub(super) const FIRMLY_STUCK: f64 = 0.9;
/// Corrections this much smaller than the largest of a solve are rounding if they are stuck.
const TINY: f64 = 1e-8;

/// ‖Δu‖/‖Δu before‖; nothing after nothing is no growth.
pub(super) fn ratio(norm: f64, before: f64) -> f64 {
    if norm == 0.0 {
        0.0
    } else if before == 0.0 {
        // A norm that was exactly zero and is not any more has no rate; let it begin.
        0.5
    } else {
        norm / before
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    NotYet,
    Reached,
    Stuck,
}

/// Whether an iteration ends with a correction, given the rate measured, the one to reckon with, the
/// target of [`Attainable`] and the largest correction so far.
pub(super) fn ending(
    norm: f64,
    measured: Option<f64>,
    rate: Option<f64>,
    (target, largest): (f64, f64),
    stop: Stop,
) -> End {
    if norm == 0.0 {
        return End::Reached;
    }
    let (reached, noise, perhaps_noise) = match stop {
        Stop::Rate { fraction } => {
            let left = rate.map_or(f64::INFINITY, |xi| {
                if xi < 1.0 { xi / (1.0 - xi) * norm } else { f64::INFINITY }
            });
            (left <= fraction, fraction, fraction)
        }
        Stop::RoundOff { noise } => (norm <= target, noise, TINY * largest),
        Stop::MeanRate { noise } => (norm <= noise, noise, noise),
    };
    let stuck = measured.is_some_and(|xi| {
        (norm <= noise && xi > STUCK) || (norm <= perhaps_noise && xi > FIRMLY_STUCK)
    });
    match (reached, stuck) {
        (true, _) => End::Reached,
        (false, true) => End::Stuck,
        (false, false) => End::NotYet,
    }
}

/// Iterations still to go at a rate.
pub(super) fn remaining(norm: f64, rate: f64, target: f64, stop: Stop) -> f64 {
    let target = match stop {
        Stop::Rate { fraction } => fraction * (1.0 - rate) / rate.max(f64::MIN_POSITIVE),
        Stop::RoundOff { .. } | Stop::MeanRate { .. } => target,
    };
    if norm <= target || norm == 0.0 {
        0.0
    } else if rate >= 1.0 || target <= 0.0 {
        f64::INFINITY
    } else {
        ((target / norm).ln() / rate.ln()).ceil()
    }
}
