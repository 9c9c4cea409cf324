//! `if` between scalars that their spelling does not tell: `let`s, multipliers, what functions return. Blocks of 3 m/s
//! come to rest by dry friction whose limit such an `if` chooses, each after v/(μg).

use mbd::components::force;
use mbd::prelude::*;
use mbd::scalar::{Num, Scalar};
use mbd::solution::EventKind;
use mbd::verify;

/// Dry friction that holds a part of a load, by a name that says nothing of its type.
fn held<D: Scalar>(part: Num<D>, load: Num<D>) -> Num<D> {
    part * load
}

/// What it holds at one end and at the other.
fn ends<D: Scalar>(load: Num<D>) -> [Num<D>; 2] {
    [0.3 * load, 0.6 * load]
}

/// By locals that it computed before, of which one was changed on the way.
#[differentiable]
fn worn(load: f64, wear: f64) -> f64 {
    let fresh = held(0.6, load);
    let mut old = held(0.1, load);
    for _ in 0..2 {
        old += 0.1 * load;
    }
    if wear > 0.5 { old } else { fresh }
}

/// Branches that are no scalars, and that only Rust decides between: one changes what it is given.
#[differentiable]
fn counted(load: f64, wear: f64) -> f64 {
    let mut parts = vec![0.1 * load, 0.2 * load, 0.3 * load];
    let last = if wear > 0.5 { parts.pop() } else { parts.first().copied() };
    let word = if wear > 0.5 && load > 0.0 { name_of(true) } else { name_of(false) };
    let list = if wear > load { Vec::new() } else { parts };
    last.unwrap() * f64::from(u8::from(word == "worn")) + 0.0 * list[0]
}

fn name_of(worn: bool) -> &'static str {
    if worn { "worn" } else { "fresh" }
}

fn lists(len: usize) -> Vec<f64> {
    vec![1.0; len]
}

fn letters(word: &str) -> usize {
    word.len()
}

mechanism! {
    /// As many blocks as there are ways to write a limit; which of them holds 0.3 or 0.6 or all of the weight says
    /// [`SHARES`].
    pub mechanism Blocks {
        param m: [kg] = 2.0;
        param dry = 1.0;
        param wet = 0.0;
        coord x[19]: [m];
        coord y: [m];
        kinetic bodies = 0.5*m*sq(der(y));
        force weight along y = -m*9.81;
        holonomic floor: y == 0.0;
        let n = m*9.81;
        let a = 0.3*m*9.81;
        let b = 0.05*m*9.81;
        // Visibly scalars.
        let l0 = if dry > 0.5 { 0.3*m*9.81 } else { 0.6*m*9.81 };
        let l1 = if dry > 0.5 { 0.3*n*dry } else { 0.6*n };
        let l2 = (if wet > 0.5 { 0.3 } else { 0.6 })*n;
        // Names of `let`s, and arithmetic with them.
        let l3 = if dry > 0.5 { a } else { b };
        let l4 = if dry > 0.5 { n } else { 2.0*n };
        let l5 = if dry < 0.5 { 0.3*n } else { 0.6*n };
        let l6 = if !(dry <= 0.5) && (wet > 0.5 || x[6] > -1.0) { a } else { b };
        let l7 = if x[7] > 1e3 { b } else if wet > 0.5 { n } else { a };
        let l8 = if dry != 1.0 { b } else { let twice = 2.0*a; twice };
        let l9 = if a > b { a } else { b };
        // Multipliers.
        let l10 = if dry > 0.5 { -0.3*lambda(floor) } else { -0.6*lambda(floor) };
        let pressed = -lambda(floor);
        let l11 = if dry < 0.5 { pressed } else { 0.6*pressed };
        // What functions return.
        let l12 = if dry > 0.5 { norm([0.3*n, 0.0]) } else { 0.6*n };
        let l13 = if dry > 0.5 { dot([n, n], [0.1, 0.2]) } else { norm([n, n]) };
        let l14 = if x[14] > 1e3 { hypot(n, b) } else { hypot(a, 0.0*n) };
        let l15 = if dry > 0.5 { held(0.3, n) } else { held(0.6, n) };
        let l16 = worn(n, dry);
        // Lists and pairs of them.
        let both = if dry > 0.5 { ends(n) } else { [n, b] };
        let pair = if wet > 0.5 { (n, b) } else { (b, a) };
        let l17 = both[0];
        let l18 = pair.1;
        let limits = [l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13, l14, l15, l16, l17, l18];
        for i in 0..19 {
            kinetic blocks = 0.5*m*sq(der(x[i]));
            force rub along x[i] = force::dry_friction(der(x[i]), limits[i], limits[i]);
            init der(x[i]) = 3.0;
        }
        until 4.0;
    }
}

mechanism! {
    /// Branches that are no scalars stay Rust's own.
    mechanism InRust {
        param m: [kg] = 2.0;
        param dry = 1.0;
        coord x: [m];
        kinetic block = 0.5*m*sq(der(x));
        let word = if dry > 0.5 { name_of(true) } else { name_of(false) };
        let list = if x > -1.0 && dry > 0.5 { lists(1) } else { lists(0) };
        let gear = if x > 1.0 { letters("low") } else { letters(word) };
        force push along x = counted(m, dry)*(if letters(word) as f64 == 4.0 { 1.0 } else { 0.0 });
        output power = m.powi(gear as i32);
        output entry = list[0] + 0.0*x;
    }
}

/// The friction over the weight of each block of [`Blocks`].
const SHARES: [f64; 19] =
    [0.3, 0.3, 0.6, 0.3, 1.0, 0.6, 0.3, 0.3, 0.6, 0.3, 0.3, 0.6, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3];

/// Before, the blocks with limits of `let`s, multipliers and calls never stuck: the default method gave up at 1.34 s
/// after 20000 steps.
#[test]
fn what_sticks_does_not_depend_on_how_its_limit_is_spelt() {
    for name in ["radau5", "gen-alpha-soi2"] {
        let method = Method::from_name(name).unwrap();
        let run = Simulation::new(&Blocks::default()).method(method).step(Step::adaptive(1e-8));
        let run = run.run().unwrap();
        for (i, share) in SHARES.into_iter().enumerate() {
            let rub = format!("rub[{i}]");
            let events: Vec<_> = run.events.iter().filter(|event| event.name == rub).collect();
            let [event] = &events[..] else { panic!("{name}: {rub}: {events:?}") };
            let exact = 3.0 / (share * 9.81);
            assert_eq!(event.kind, EventKind::Stick, "{name}: {rub}");
            assert!((event.t - exact).abs() < 1e-7, "{name}: {rub} at {} for {exact}", event.t);
        }
        assert!(run.stats.steps < 2000, "{name}: {} steps", run.stats.steps);
    }
}

#[test]
fn choices_between_any_scalars_have_all_derivatives() {
    verify::assert_all_derivatives(&Blocks::default());
}

#[test]
fn branches_that_are_no_scalars_are_rusts_own() {
    let run = Simulation::new(&InRust::default()).until(1.0).run().unwrap();
    let last = |name: &str| *run.series(name).unwrap().last().unwrap();
    // A third of a load of 2 N on 2 kg.
    assert!((last("x") - 0.15).abs() < 1e-6, "{}", last("x"));
    assert_eq!((last("power"), last("entry")), (16.0, 1.0));
}

mechanism! {
    /// It is pushed once as many have been counted as there are, one every 20 ms, and the same of a number written out.
    pub mechanism Batch {
        param total = 49.0;
        /// The first is counted at the start.
        mode count = -1.0;
        coord x: [m];
        coord y: [m];
        mass[x, x] = 1.0;
        mass[y, y] = 1.0;
        force push along x = if count/total >= 1.0 { 1.0 } else { 0.0 };
        sample one every 0.02 { count = count + 1.0; }
        mode full = false;
        event fills when count/49.0 >= 1.0 { full = true; }
        force other along y = if full { 1.0 } else { 0.0 };
        until 1.98;
    }
}

/// 49·(1/49) is less than 1, 49/49 is not: the last bit of a quotient decides here, and the program that computes it
/// divides where the model does.
#[test]
fn a_quotient_of_counts_is_compared_as_it_is_divided() {
    verify::assert_all_derivatives(&Batch::default());
    for total in [49.0, 98.0, 103.0, 107.0, 161.0, 187.0] {
        assert!(total * (1.0 / total) < 1.0);
        for name in ["radau5", "gen-alpha-soi2", "explicit-rk"] {
            let run = Simulation::new(&Batch { total })
                .method(Method::from_name(name).unwrap())
                .step(Step::adaptive(1e-8))
                .until(0.02 * total + 1.0)
                .run()
                .unwrap();
            let [x, y] = run.final_q() else { panic!("two coordinates") };
            assert!((x - 0.5).abs() < 1e-7, "{name}: {x} of {total}");
            let since = 0.02 * total + 1.0 - 0.98;
            assert!((y - 0.5 * since * since).abs() < 1e-6, "{name}: {y} of {total}");
        }
    }
}

/// A floor whose slope changes: an `if` that assigns, of which no program can be made.
#[differentiable]
fn floor_at(x: f64) -> f64 {
    let mut h = 0.0 * x;
    if x > 5.0 {
        h = 0.2 * (x - 5.0);
    }
    h
}

/// To and fro with corners every quarter of a second, likewise.
#[differentiable]
fn to_and_fro(t: f64) -> f64 {
    let mut s = t;
    let mut k = 1;
    while k < 14 {
        let at = 0.25 * (k as f64);
        let turn = if k % 2 == 0 { 2.0 } else { -2.0 };
        if t > at {
            s += turn * (t - at);
        }
        k += 1;
    }
    s
}

mechanism! {
    /// What falls passes a floor, by a function and by a `match`.
    pub mechanism Falling {
        coord x: [m];
        coord y: [m];
        mode times = 0.0;
        mode matched = 0.0;
        kinetic ball = 0.5*(sq(der(x)) + sq(der(y)));
        force weight along y = -9.81;
        let level = match x { _ if x > 5.0 => 0.2*(x - 5.0), _ => 0.0*x };
        event below when y - floor_at(x) <= 0.0 { times = times + 1.0; }
        event under when y - level <= -0.1 { matched = t; }
        output counted = times;
        output at: [s] = matched;
        init y = 0.5;
        init der(x) = 1.0;
        until 1.0;
    }
}

mechanism! {
    /// A ball on a racket that is moved up and down at 0.4 m/s.
    pub mechanism Racket {
        coord y: [m];
        kinetic ball = 0.5*0.05*sq(der(y));
        force weight along y = -9.81*0.05;
        let place = 0.4*to_and_fro(t);
        unilateral racket: y - place, restitution(0.7);
        init y = 0.3;
        until 1.4;
    }
}

/// A condition without a program was looked at where another event happened, and nowhere else: what fell went through the floor.
#[test]
fn what_plain_rust_compares_is_met() {
    let methods = ["radau5", "hht-i3", "gen-alpha-soi2", "bdf-ggl", "state-space", "explicit-rk"];
    for name in methods {
        for (step, near) in
            [(Step::adaptive(1e-4), 1e-3), (Step::adaptive(1e-8), 1e-6), (Step::fixed(7e-3), 1e-3)]
        {
            let run = |model: &dyn mbd::model::Mechanism| {
                let method = Method::from_name(name).unwrap();
                Simulation::new(model).method(method).step(step.clone()).run().unwrap()
            };
            let falls = run(&Falling::default());
            let last = |name: &str| *falls.series(name).unwrap().last().unwrap();
            let at = |depth: f64| (2.0 * depth / 9.81f64).sqrt();
            assert_eq!(last("counted"), 1.0, "{name}");
            assert!((falls.events[0].t - at(0.5)).abs() < near, "{name}: {:?}", falls.events);
            assert!((last("at") - at(0.6)).abs() < near, "{name}: {}", last("at"));

            let bounces = run(&Racket::default());
            let impacts: Vec<f64> = bounces.events.iter().map(|event| event.t).collect();
            for (t, exact) in impacts.iter().zip(bounced(1.4)) {
                assert!((t - exact).abs() < near, "{name}: {t} for {exact}");
            }
            assert_eq!(impacts.len(), bounced(1.4).len(), "{name}: {impacts:?}");
        }
    }
}

/// When the ball meets the racket, by parabolas and straight lines.
fn bounced(t_end: f64) -> Vec<f64> {
    let (mut t, mut y, mut v) = (0.0, 0.3, 0.0);
    let mut impacts = Vec::new();
    let mut corner = 0.25;
    let mut speed = 0.4;
    let mut place = 0.0;
    while t < t_end {
        // y + v s − g s²/2 = place + speed s
        let (gap, rate): (f64, f64) = (y - place, v - speed);
        let met = (rate + (rate * rate + 2.0 * 9.81 * gap.max(0.0)).sqrt()) / 9.81;
        let (s, meets) =
            if met > 1e-9 && t + met < corner { (met, true) } else { (corner - t, false) };
        y += v * s - 0.5 * 9.81 * s * s;
        v -= 9.81 * s;
        place += speed * s;
        t += s;
        if meets {
            impacts.push(t);
            v = speed - 0.7 * (v - speed);
            y = place;
        } else {
            corner += 0.25;
            speed = -speed;
        }
    }
    impacts.retain(|t| *t < t_end);
    impacts
}
