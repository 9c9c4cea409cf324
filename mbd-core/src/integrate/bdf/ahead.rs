//! How accelerations go on from a point: what a formula of order 2 needs to begin with.

use crate::assembly::{Point, System};
use crate::integrate::weights::rms;
use crate::scales::Scales;
use crate::start::solve_accelerations;

/// The part of the time scale of the motion over which a difference is taken: the square root of rounding.
const AHEAD: f64 = 1e-8;

/// How much the differences over once and twice that part differ at most, relative to the larger, where rates change
/// smoothly; and what they are good to, in units of rounding of the rates.
const SMOOTH: f64 = 0.1;
const NOISE: f64 = 64.0 * f64::EPSILON;

/// v̈ and ẍ at a consistent point, by the equations of motion a little ahead; `None` where these have no solution,
/// or rates jump there: what one compares may be at its boundary.
pub(super) fn second_rates(system: &System, at: &Point, scales: &Scales) -> Option<[Vec<f64>; 2]> {
    let (of_q, of_x) = (scales.q().weights(), scales.x().weights());
    let fastest = rms(at.v(), of_q).max(rms(at.a(), of_q).sqrt()).max(rms(at.xd(), of_x));
    let h = AHEAD / if fastest > 0.0 { fastest } else { scales.rate() };
    let once = differences(system, at, h)?;
    let twice = differences(system, at, 2.0 * h)?;
    let alike = |(k, of): (usize, &[f64])| {
        let off: Vec<f64> = once[k].iter().zip(&twice[k]).map(|(a, b)| a - b).collect();
        let rates = if k == 0 { at.a() } else { at.xd() };
        let size = rms(&once[k], of).max(rms(&twice[k], of));
        rms(&off, of) <= SMOOTH * size + NOISE * rms(rates, of) / h
    };
    [(0, of_q), (1, of_x)].into_iter().all(alike).then_some(once)
}

/// What a and ẋ change by over a time `h`, divided by it; `None` where that is no number.
fn differences(system: &System, at: &Point, h: f64) -> Option<[Vec<f64>; 2]> {
    let mut ahead = at.clone();
    ahead.set_t(at.t() + h);
    // What rounding leaves of the step in time.
    let h = ahead.t() - at.t();
    for (i, q) in ahead.q_mut().iter_mut().enumerate() {
        *q += h * (at.v()[i] + 0.5 * h * at.a()[i]);
    }
    ahead.v_mut().iter_mut().zip(at.a()).for_each(|(v, a)| *v += h * a);
    ahead.x_mut().iter_mut().zip(at.xd()).for_each(|(x, rate)| *x += h * rate);
    solve_accelerations(system, &mut ahead).ok()?;
    let rate = |ahead: &[f64], now: &[f64]| -> Vec<f64> {
        ahead.iter().zip(now).map(|(ahead, now)| (ahead - now) / h).collect()
    };
    let rates = [rate(ahead.a(), at.a()), rate(ahead.xd(), at.xd())];
    rates.iter().flatten().all(|rate| rate.is_finite()).then_some(rates)
}
