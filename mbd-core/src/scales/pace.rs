//! How fast a motion changes in which nothing has a length: the characteristic time of what no spring and no
//! constraint tells one of.
//!
//! It is the time in which the motion changes: v/a, or until forces are others by half or a comparison turns, for which
//! the motion goes on with the accelerations it has; and at most the run: how far something thrown would fly by the
//! end of the run says nothing of how far it flies before it is stopped. What is too short grows with the motion, in a
//! few steps more; what is too long would be an error of that size, unseen.

use super::scale::{Scales, largest_by_group};
use crate::assembly::{Point, Residual, System, Want};

/// The shortest characteristic time of a motion that nothing else tells one of, as a part of the run.
const OF_RUN: f64 = 1e-9;

/// Nor is it shorter than that in which something moves by this part of the largest coordinate of its unit: a scale
/// stays well above rounding.
const MOVED: f64 = 1e-6;

/// What begins with 0 has changed where it is this part of what time drives on the mean.
const BEGUN: f64 = 0.01;

/// A quantity that obeys an equation of its own.
#[derive(Clone, Copy, Default)]
pub(super) struct Own {
    /// Stiffness over inertia.
    pub(super) square: f64,
    /// Acceleration, of a state its rate, with what time drives it by.
    pub(super) drive: f64,
    pub(super) speed: f64,
    /// What constraints that depend on time move it by.
    pub(super) driven: f64,
}

/// The rate in 1/s in a run of so many s: `own` of coordinates and states, `inertia` the diagonals of M and d_ẋ, and
/// `undisturbed` as in [`of_motion`](super::size::of_motion).
pub(super) fn rate(
    system: &System,
    at: &Point,
    span: f64,
    own: [&[Own]; 2],
    inertia: [&[f64]; 2],
    scales: &Scales,
    undisturbed: &mut dyn FnMut([f64; 2]) -> f64,
) -> f64 {
    let shortest = shortest(at, span, own, scales);
    if shortest >= span {
        return 1.0 / span;
    }
    let times = [shortest, span];
    let smooth = undisturbed(times).min(steady(system, at, times, own, inertia, scales));
    rate_of_change(own[0], shortest, scales).clamp(1.0 / smooth, 1.0 / shortest)
}

/// The shortest characteristic time.
fn shortest(at: &Point, span: f64, [of_q, of_x]: [&[Own]; 2], scales: &Scales) -> f64 {
    let moved =
        |time: f64, own: &[Own], values: &[f64], group: &[u32], way: &dyn Fn(&Own) -> f64| {
            let mut most = vec![0.0; values.len()];
            largest_by_group(group, values, &mut most);
            let mut each = own.iter().zip(most).zip(group);
            each.any(|((own, most), &group)| {
                scales.assumed[group as usize] && way(own) * time > MOVED * most
            })
        };
    let mut time = OF_RUN * span;
    while time < span
        && !moved(time, of_q, at.q(), &scales.of_q.group, &|own| own.speed + 0.5 * own.drive * time)
        && !moved(time, of_x, at.x(), &scales.of_x.group, &|own| own.drive)
    {
        time *= 2.0;
    }
    time.min(span)
}

/// The largest of a/v of what has no length, where that is a longer time than the shortest: of the fastest of its unit, since
/// what is slow beside it, as the height of a thing thrown far when it is at its top, says nothing of how long the
/// motion stays what it is.
fn rate_of_change(own: &[Own], shortest: f64, scales: &Scales) -> f64 {
    let group = &scales.of_q.group;
    let largest = |of: fn(&Own) -> f64| {
        let (values, mut most) = (own.iter().map(of).collect::<Vec<_>>(), vec![0.0; own.len()]);
        largest_by_group(group, &values, &mut most);
        most
    };
    let each = largest(|own| own.drive).into_iter().zip(largest(|own| own.speed)).zip(group);
    let told = each.filter(|&((drive, speed), &group)| {
        scales.assumed[group as usize] && speed > drive * shortest
    });
    told.map(|((drive, speed), _)| drive / speed).fold(0.0, f64::max)
}

/// For how long, to a factor of two and between two times, the forces on what has no length, and the rates of states,
/// stay what they are ([`Limits`]), in a motion that goes on with the accelerations and rates that it has.
fn steady(
    system: &System,
    at: &Point,
    [shortest, longest]: [f64; 2],
    own: [&[Own]; 2],
    inertia: [&[f64]; 2],
    scales: &Scales,
) -> f64 {
    let want = Want::F | Want::D;
    let mut later = at.clone();
    let mut first = Residual::new(&system.dims());
    system.eval_at(at, want, &mut first);
    let mut out = first.clone();
    let [of_q, of_x] = [&scales.of_q.group, &scales.of_x.group];
    let rates: Vec<f64> = inertia[1].iter().zip(at.xd()).map(|(lead, rate)| lead * rate).collect();
    let limits = [
        Limits::new(own[0], inertia[0], &first.f, of_q),
        Limits::new(own[1], inertia[1], &rates, of_x),
    ];
    let stays = |now: &[f64], first: &[f64], limits: &Limits, group: &[u32], time: f64| {
        let mut each = now.iter().zip(first).zip(&limits.change).zip(&limits.impulse).zip(group);
        each.all(|((((now, first), change), impulse), &group)| {
            let limit = change + impulse / time;
            !scales.assumed[group as usize] || (now - first).abs() <= limit
        })
    };
    let mut time = shortest;
    while time < longest {
        time *= 2.0;
        later.extrapolate(at, time);
        system.eval_at(&later, want, &mut out);
        let [q, x] = &limits;
        if !stays(&out.f, &first.f, q, of_q, time) || !stays(&out.d, &first.d, x, of_x, time) {
            break;
        }
    }
    time.min(longest)
}

/// What forces, and the rates of states, may change by while they stay what they are: half of the largest in their unit.
/// What begins with 0 stays while it is small beside what time drives on the mean, or has not made half of the speed in its
/// unit; and where nothing of a unit moves, what holds it there may be anything.
struct Limits {
    change: Vec<f64>,
    /// A change times its duration, beside that.
    impulse: Vec<f64>,
}

impl Limits {
    fn new(own: &[Own], inertia: &[f64], first: &[f64], group: &[u32]) -> Self {
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            let (values, mut most) = (values.collect::<Vec<_>>(), vec![0.0; own.len()]);
            largest_by_group(group, &values, &mut most);
            most
        };
        let each = || own.iter().zip(inertia);
        let first = largest(&mut first.iter().copied());
        let driven = largest(&mut each().map(|(own, inertia)| inertia * own.drive));
        let momentum = largest(&mut each().map(|(own, inertia)| inertia * own.speed));
        let (mut change, mut impulse) = (vec![0.0; own.len()], vec![0.0; own.len()]);
        for i in 0..own.len() {
            if driven[i] == 0.0 && momentum[i] == 0.0 {
                change[i] = f64::INFINITY;
            } else if first[i] > 0.0 {
                change[i] = 0.5 * first[i];
            } else if driven[i] > 0.0 {
                change[i] = BEGUN * driven[i];
            } else {
                impulse[i] = 0.5 * momentum[i];
            }
        }
        Limits { change, impulse }
    }
}
