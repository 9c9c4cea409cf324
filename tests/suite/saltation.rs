//! Saltation matrices: the derivative of the state after an event by the one before, against differences of whole
//! runs that begin a little before the event and end a little after it, and against closed forms.
//!
//! What a run from t − η to t + η makes of a change of where it begins is Φ⁺ S Φ⁻ → S as η → 0: central differences with
//! two step sizes, four times η, extrapolated.

use crate::events::{Layer, Windup};
use crate::models::{Bouncing, SlackRope};
use crate::{sliding, stated};
use mbd::components::force;
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{NoSaltation, Saltation, Solution};
use nalgebra::{DMatrix, DVector};

fn simulation<'a>(model: &impl Mechanism) -> Simulation<'a> {
    let radau5 = Method::from_name("radau5").unwrap();
    Simulation::new(model).method(radau5).step(Step::adaptive(1e-11)).error_estimate(false)
}

fn saltations(model: &impl Mechanism, t_end: f64) -> Vec<Saltation> {
    let run = simulation(model).saltations(true).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{}", error.error)).saltations
}

fn state(run: &Solution, scalars: &[String]) -> DVector<f64> {
    let last = |name: &String| {
        // Of discrete values there are outputs.
        let series = run.series(name).or_else(|_| run.series(&format!("{name}_now")));
        *series.unwrap_or_else(|_| panic!("{name}")).last().unwrap()
    };
    DVector::from_iterator(scalars.len(), scalars.iter().map(last))
}

/// Coordinates of the states that are possible before an event: from a state to them, and back.
struct Chart {
    to: fn(&DVector<f64>) -> DVector<f64>,
    back: fn(&DVector<f64>) -> DVector<f64>,
}

fn same(z: &DVector<f64>) -> DVector<f64> {
    z.clone()
}

const ALL: Chart = Chart { to: same, back: same };

/// The derivative of a function at a point by central differences with two step sizes, extrapolated.
fn differences(
    at: &DVector<f64>,
    steps: &DVector<f64>,
    f: &mut dyn FnMut(&DVector<f64>) -> DVector<f64>,
) -> DMatrix<f64> {
    let columns: Vec<DVector<f64>> = (0..at.len())
        .map(|j| {
            let mut central = |step: f64| {
                let mut moved = |by: f64| {
                    let mut at = at.clone();
                    at[j] += by;
                    f(&at)
                };
                (moved(step) - moved(-step)) / (2.0 * step)
            };
            let (whole, half) = (central(steps[j]), central(0.5 * steps[j]));
            (half * 4.0 - whole) / 3.0
        })
        .collect();
    DMatrix::from_columns(&columns)
}

/// Holds the matrices of a run's first events to differences of runs; those events, by number, and the bound of their
/// errors, relative to the largest entry.
fn holds(
    name: &str,
    model: &impl Mechanism,
    t_end: f64,
    chart: &Chart,
    which: std::ops::Range<usize>,
    bound: f64,
) {
    let all = saltations(model, t_end);
    assert!(all.len() >= which.end, "{name}: {} of {which:?}", all.len());
    let mut worst = 0.0f64;
    for (k, saltation) in all.iter().enumerate().take(which.end).skip(which.start) {
        let t = saltation.t;
        let known = saltation.derivatives.as_ref();
        let known = known.unwrap_or_else(|why| panic!("{name}, {k}: {why}"));
        let before = if k > 0 { all[k - 1].t } else { 0.0 };
        let after = all.get(k + 1).map_or(t_end, |next| next.t);
        let room = (0.2 * (t - before).min(after - t)).min(4e-3);
        let soonest = known.instant.amax().max(1.0);
        let each: Vec<[DMatrix<f64>; 2]> = [1.0, 0.5, 0.25, 0.125]
            .into_iter()
            .map(|part| {
                let eta = part * room;
                let begun = simulation(model).until(t - eta).run().unwrap();
                let here = state(&begun, &saltation.scalars);
                let p = (chart.to)(&here);
                let steps = p.map(|p| (1e-3 * p.abs().max(0.1)).min(0.2 * eta / soonest));
                let by_chart = differences(&p, &steps, &mut |p| (chart.back)(p));
                let by_run = differences(&p, &steps, &mut |p| {
                    let z = (chart.back)(p);
                    let mut run = simulation(model).t_start(t - eta).until(t + eta);
                    for (scalar, value) in saltation.scalars.iter().zip(z.iter()) {
                        run = run.set_initial(scalar, *value);
                    }
                    let run = run.run().unwrap_or_else(|e| panic!("{name}, {k}: {}", e.error));
                    state(&run, &saltation.scalars)
                });
                [by_chart, by_run]
            })
            .collect();
        // η → 0, by polynomials through ever more of them (Neville).
        let extrapolated = |which: usize| {
            let mut row: Vec<DMatrix<f64>> = each.iter().map(|e| e[which].clone()).collect();
            for order in 1..row.len() {
                let weight = f64::from(1 << order);
                row = row.windows(2).map(|w| (&w[1] * weight - &w[0]) / (weight - 1.0)).collect();
            }
            row.remove(0)
        };
        let [by_chart, expected] = [extrapolated(0), extrapolated(1)];
        let found = &known.matrix * by_chart;
        let error = (&found - &expected).amax() / expected.amax().max(1.0);
        assert!(
            error <= bound,
            "{name}, event {k} ({:?}) at {t}: off by {error:e}\n{found:.6}\n{expected:.6}",
            saltation.names
        );
        worst = worst.max(error);
    }
    println!("{name}: {} events, {worst:.1e}", which.len());
}

fn is(name: &str, found: &Saltation, expected: &[[f64; 2]; 2], bound: f64) {
    let matrix = &found.derivatives.as_ref().unwrap().matrix;
    for (i, row) in expected.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            let off = (matrix[(i, j)] - value).abs();
            assert!(off <= bound * value.abs().max(1.0), "{name}: {matrix} for {expected:?}");
        }
    }
}

/// A ball that meets a floor with the velocity v < 0: δy⁺ = −e δy⁻, δẏ⁺ = −(1 + e) g/v δy⁻ − e δẏ⁻; δt = −δy⁻/v.
#[test]
fn a_ball_has_the_known_matrix() {
    let (g, e) = (9.81, 0.8);
    for (k, found) in saltations(&stated::Ball::default(), 3.0).iter().enumerate() {
        let v = -(2.0 * g * 1.0f64).sqrt() * e.powi(k as i32);
        let expected = [[-e, 0.0], [-(1.0 + e) * g / v, -e]];
        is("ball", found, &expected, 1e-9);
        let instant = &found.derivatives.as_ref().unwrap().instant;
        assert!((instant[0] + 1.0 / v).abs() < 1e-9 && instant[1] == 0.0, "{instant}");
        assert_eq!(found.names, ["hit"]);
        assert!((found.entry("der(y)", "y").unwrap() - expected[1][0]).abs() < 1e-8);
    }
}

/// A relay that switches its force from −F to F at s = x + T v = −δ: S = 1 + (0, 2F/m) (1, T)/ṡ, with ṡ before.
#[test]
fn a_relay_has_the_known_matrix() {
    let model = stated::Relay::default();
    let found = &saltations(&model, 3.0)[0];
    let t = 1.06524758424985;
    let rate = -t - 0.5;
    assert!((found.t - t).abs() < 1e-9);
    is("relay", found, &[[1.0, 0.0], [2.0 / rate, 1.0 + 2.0 * 0.5 / rate]], 1e-9);
    assert_eq!(found.scalars, ["x", "der(x)", "u"]);
    let matrix = &found.derivatives.as_ref().unwrap().matrix;
    // What the mode was before does not matter.
    assert_eq!([0, 1, 2].map(|row| matrix[(row, 2)]), [0.0; 3]);
    assert_eq!([0, 1, 2].map(|column| matrix[(2, column)]), [0.0; 3]);
}

/// Friction that begins to stick loses what the speed was; where it breaks away at its limit nothing jumps.
#[test]
fn friction_has_the_known_matrices() {
    let found = saltations(&sliding::Belt::default(), 15.0);
    assert_eq!(found.len(), 2);
    is("sticks", &found[0], &[[1.0, 0.0], [0.0, 0.0]], 1e-9);
    is("breaks away", &found[1], &[[1.0, 0.0], [0.0, 0.0]], 1e-9);
}

mechanism! {
    /// A cart with a mass that depends on where it is; what it rebounds with depends on position and speed, a state and a
    /// discrete value take values by the reaction of its rail and by its speed.
    mechanism Odd {
        coord x: [m];
        coord y: [m];
        state memory: [N];
        mode level: [m/s] = 0.2;
        kinetic cart = 0.5*(1.0 + 0.5*sq(x))*sq(der(x)) + 0.5*(1.0 + 0.3*x)*sq(der(y)) + 0.2*x*der(x)*der(y);
        potential springs = 0.5*2.0*sq(x) + 0.5*3.0*sq(y) + 0.7*x*y;
        force level along x = 0.3*level*cos(2.0*t);
        nonholonomic rail: der(y) == 0.4*x*der(x);
        der(memory) = -0.5*memory + x;
        event hit when x + 0.1*y >= 0.3 + 0.05*sin(3.0*t) {
            impulse along 0.3 + 0.05*sin(3.0*t) - x - 0.1*y = restitution(0.5 + 0.2*sin(x + 0.1*der(x)));
            memory = 0.5*memory + 0.3*psi(rail) + 0.1*t*x;
            level = 0.5*level + 0.2*der(x)*y;
        }
        output level_now: [m/s] = level;
        init x = -0.2; init der(x) = 1.0; init memory = 0.4;
    }
}

mechanism! {
    /// A held controller: what it sets depends on the state at its instants.
    mechanism Sampled {
        coord x: [m];
        state sum: [m*s];
        mode u: [N] = 0.0;
        kinetic mass = 0.5*2.0*sq(der(x));
        force actuator along x = u - 1.0*sin(x);
        der(sum) = x;
        output u_now: [N] = u;
        sample controller every 0.1 { u = -3.0*x - 2.0*der(x)*cos(x) - 0.5*sum + 0.1*u; }
        init x = 1.0;
    }
}

mechanism! {
    /// A velocity that is set through a mass matrix and by what another one was.
    mechanism Set {
        coord a: [rad];
        coord b: [rad];
        kinetic arms = 0.5*2.0*sq(der(a)) + 0.5*sq(der(b)) + der(a)*der(b)*cos(a - b);
        potential weight = -9.81*(2.0*cos(a) + cos(b));
        event kick when sin(a) <= 0.4*cos(b) { der(b) = 0.5*der(a)*cos(b) + t; impulse along a*b = 0.3*der(b)*a; }
        init a = 1.2; init b = 0.9;
    }
}

/// Of a double pendulum in Cartesian coordinates: angles and their rates.
fn angles(z: &DVector<f64>) -> DVector<f64> {
    let (x, y, dx, dy) = (z[2] - z[0], z[3] - z[1], z[6] - z[4], z[7] - z[5]);
    DVector::from_vec(vec![
        z[0].atan2(-z[1]),
        x.atan2(-y),
        z[0] * z[5] - z[1] * z[4],
        x * dy - y * dx,
    ])
}

fn cartesian(p: &DVector<f64>) -> DVector<f64> {
    let (s1, c1, s2, c2) = (p[0].sin(), p[0].cos(), p[1].sin(), p[1].cos());
    let (vx, vy) = (c1 * p[2], s1 * p[2]);
    let list = vec![s1, -c1, s1 + s2, -c1 - c2, vx, vy, vx + c2 * p[3], vy + s2 * p[3]];
    DVector::from_vec(list)
}

#[test]
fn impacts_have_the_matrices_of_differences() {
    holds("H2a", &stated::Ball::default(), 3.0, &ALL, 0..3, 1e-8);
    holds("H2b", &stated::Moving::default(), 2.0, &ALL, 0..3, 1e-6);
    holds("H6a", &stated::Wall::default(), 8.0, &ALL, 0..4, 1e-7);
    let chart = Chart { to: angles, back: cartesian };
    holds("H6b", &stated::Stop::default(), 3.0, &chart, 0..2, 1e-6);
    holds("H6b in angles", &stated::StopAngles::default(), 3.0, &ALL, 0..2, 1e-6);
    holds("H9b", &stated::Block::default(), 3.0, &ALL, 0..3, 1e-6);
    let smooth = stated::Bar { speed: 4.0, ..Default::default() };
    let rough = stated::Bar { mu: 0.2, ..smooth.clone() };
    holds("H10a, moving", &smooth, 0.9, &ALL, 0..3, 1e-6);
    holds("H10c", &rough, 0.8, &ALL, 0..3, 1e-6);
    holds("H10b", &stated::Disc::default(), 1.5, &ALL, 0..2, 1e-6);
    holds("set", &Set::default(), 2.0, &ALL, 0..1, 1e-6);
}

mechanism! {
    /// A block whose friction depends on where it is, at rest more than in motion, under a load that rises.
    mechanism Rough {
        coord x: [m];
        state load: [N];
        kinetic mass = 0.5*1.0*(1.0 + 0.2*x)*sq(der(x));
        potential spring = 0.5*4.0*sq(x);
        force pull along x = load*(1.0 + 0.1*sin(t));
        der(load) = 0.6 + 0.1*x;
        force friction along x = force::dry_friction(der(x), 1.0 + 0.2*x, 1.4 + 0.3*x);
        init x = 0.3; init der(x) = -0.6;
    }
}

/// Of a block at rest: without its speed.
fn resting(z: &DVector<f64>) -> DVector<f64> {
    DVector::from_vec(vec![z[0], z[2]])
}

fn at_rest(p: &DVector<f64>) -> DVector<f64> {
    DVector::from_vec(vec![p[0], 0.0, p[1]])
}

#[test]
fn sticking_and_breaking_away_have_the_matrices_of_differences() {
    holds("H3a", &sliding::Belt::default(), 15.0, &ALL, 0..1, 1e-9);
    holds("H4b", &sliding::DampedBlock::default(), 2.2, &ALL, 0..3, 1e-6);
    holds("H14b", &sliding::Relay::default(), 6.0, &ALL, 0..2, 1e-6);
    holds("rough, sticks", &Rough::default(), 4.0, &ALL, 0..1, 1e-6);
    let rests = Chart { to: resting, back: at_rest };
    holds("rough, breaks away", &Rough::default(), 4.0, &rests, 1..2, 1e-6);
}

/// Two blocks on a base that shakes: one surface after the other lets go and holds.
#[test]
fn of_several_surfaces_each_has_its_matrix() {
    let blocks = sliding::Blocks::default();
    let found = saltations(&blocks, 1.0);
    // The upper block is set off by time alone: what its speed was on its own does not matter.
    let lost = [("der(x1)", "der(x1)"), ("der(x2)", "der(x2)"), ("der(x1)", "der(x2)")];
    assert!(lost.iter().all(|(after, before)| found[0].entry(after, before) == Some(0.0)));
    // Where the lower one comes to hold the upper one slides on.
    assert_eq!(found[2].entry("der(x1)", "der(x1)"), Some(0.0));
    assert_eq!(found[2].entry("der(x2)", "der(x2)"), Some(1.0));
    holds("H5", &blocks, 1.2, &ALL, 4..5, 1e-7);
}

mechanism! {
    /// Two like blocks that meet their stops at one instant, each its own.
    mechanism Twins {
        coord x: [m]; coord y: [m];
        kinetic masses = 0.5*(sq(der(x)) + sq(der(y)));
        event left when x >= 1.0 { impulse along 1.0 - x = restitution(0.5); }
        event right when y >= 1.0 { impulse along 1.0 - y = restitution(0.5); }
        init der(x) = 1.0; init der(y) = 1.0;
    }
}

mechanism! {
    /// A mass that turns back where it touches a switch, to a rounding.
    mechanism Touching {
        coord x: [m];
        mode on = false;
        kinetic mass = 0.5*sq(der(x));
        force push along x = -1.0 + 0.5*on;
        event touch when x >= 0.5 { on = true; }
        init der(x) = 1.0 + 1e-15;
    }
}

mechanism! {
    /// A drag that a reaction switches: no side of it can be held.
    mechanism Reacting {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        holonomic bar: sq(x) + sq(y) == 1.0;
        force drag along x = if lambda(bar) > 5.0 { -0.2*der(x) } else { 0.0 };
        init x = 0.8; init y = -0.6;
    }
}

#[test]
fn where_there_is_no_matrix_it_is_said() {
    let twins = saltations(&Twins::default(), 1.5);
    assert_eq!(twins.len(), 1);
    assert_eq!(twins[0].derivatives, Err(NoSaltation::Simultaneous));
    assert_eq!(twins[0].names, ["left", "right"]);
    assert_eq!(twins[0].entry("x", "x"), None);
    let touching = saltations(&Touching::default(), 1.5);
    assert_eq!(touching.len(), 1);
    assert_eq!(touching[0].derivatives, Err(NoSaltation::Grazing));
    let reacting = simulation(&Reacting::default()).step(Step::adaptive(1e-4)).saltations(true);
    let reacting = reacting.until(1.0).run().unwrap().saltations;
    assert!(!reacting.is_empty());
    assert!(reacting.iter().all(|one| one.derivatives == Err(NoSaltation::NotHeld)));
    for why in [
        NoSaltation::Grazing,
        NoSaltation::Simultaneous,
        NoSaltation::NotHeld,
        NoSaltation::Singular,
    ] {
        assert!(why.to_string().len() > 40);
    }
}

/// Of a bob on a rope of length 1 that is taut: the angle and its rate.
fn taut(z: &DVector<f64>) -> DVector<f64> {
    DVector::from_vec(vec![z[0].atan2(-z[1]), z[0] * z[3] - z[1] * z[2]])
}

fn on_circle(p: &DVector<f64>) -> DVector<f64> {
    let (s, c) = (p[0].sin(), p[0].cos());
    DVector::from_vec(vec![s, -c, c * p[1], s * p[1]])
}

/// Of the model with a rail: its speed along the rail.
fn on_rail(z: &DVector<f64>) -> DVector<f64> {
    DVector::from_vec(vec![z[0], z[1], z[2], z[4], z[5]])
}

/// A rope that goes slack by its force and taut by its length, and an impact whose law and whatever it sets read the
/// motion and a reaction, through a mass matrix that depends on it.
#[test]
fn constraints_are_kept_by_the_matrices_of_differences() {
    let taut = Chart { to: taut, back: on_circle };
    holds("H12, slack", &SlackRope::default(), 3.0, &taut, 0..1, 1e-6);
    holds("H12, taut", &SlackRope::default(), 3.0, &ALL, 1..2, 1e-6);
    let rail = Chart {
        to: on_rail,
        back: |p| DVector::from_vec(vec![p[0], p[1], p[2], 0.4 * p[0] * p[2], p[3], p[4]]),
    };
    holds("odd", &Odd::default(), 1.5, &rail, 0..1, 1e-6);
}

/// By default nothing is computed; a run that goes on from a checkpoint has the same.
#[test]
fn matrices_are_asked_for() {
    let ball = stated::Ball::default();
    let run = simulation(&ball).until(1.0).run().unwrap();
    assert!(run.saltations.is_empty() && run.events.len() == 1);
    fn begin<'a>(ball: &stated::Ball) -> Simulation<'a> {
        simulation(ball).until(3.0).saltations(true)
    }
    let mut saved = Vec::new();
    let mut keep = stated::Keep(&mut saved);
    let whole = begin(&ball).checkpoint(&mut keep).run().unwrap();
    assert_eq!(whole.saltations.len(), 6);
    for bytes in saved {
        let resumed = begin(&ball).resume(bytes).run().unwrap();
        assert_eq!(resumed.saltations, whole.saltations);
    }
}

#[test]
fn switches_have_the_matrices_of_differences() {
    let soft = Bouncing { k: 10.0, ..Default::default() };
    holds("H1, softer", &soft, 2.5, &ALL, 0..2, 1e-6);
    holds("H11a", &stated::Relay::default(), 5.0, &ALL, 0..4, 1e-7);
    holds("H11c", &stated::Clamped::default(), 10.0, &ALL, 0..2, 1e-6);
    holds("H11d", &Windup::default(), 10.0, &ALL, 0..2, 1e-6);
    holds("H13c", &Layer::default(), 4.0, &ALL, 0..2, 1e-6);
    holds("sampled", &Sampled::default(), 1.0, &ALL, 1..4, 1e-6);
}
