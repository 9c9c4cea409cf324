//! What the commands tell of events.

use super::json::Value;
use super::{Folder, read};
use mbd::cli::{Exit, Io, run_with};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

mbd::mechanism! {
    /// A ball on a swing that is hit by the floor.
    pub mechanism Bouncing {
        param e = 0.8;
        coord x: [m]; coord y: [m];
        kinetic ball = 0.5*2.0*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*2.0*y;
        holonomic wire: x == 0.5*y;
        event hit when y <= 0.0 { impulse along y = restitution(e); }
        init y = 1.0;
        until 2.0;
    }
}

mbd::mechanism! {
    /// A lever that a torque which swings presses onto its stop and lifts off it.
    pub mechanism Lever {
        gravity [0, -9.81];
        body lever: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint hinge: revolute(ground, lever);
        force motor along hinge.angle = 2.0*cos(3.0*t);
        limit hinge.angle in deg(-90)..1.0;
        init hinge.rate = 1.0;
        until 1.0;
    }
}

fn run(line: &str) -> (Exit, String, String) {
    run_of::<Bouncing>(line)
}

fn run_of<M: mbd::Mechanism + Default + 'static>(line: &str) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let exit = run_with::<M>("bouncing", line.split_whitespace(), &mut io);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// Down the wire with the effective mass m (1 + 1/4): v = √(2 g h / 1.25), and P along y = 1.8·2.5·v.
#[test]
fn simulate_tells_the_impulses_of_events() {
    let folder = Folder::new("impulses");
    let csv = folder.file("run.csv");
    let (exit, out, err) =
        run(&format!("simulate --method radau5 --tol 1e-8 --t-end 1.5 --json --out {csv}"));
    assert_eq!(exit, Exit::Ok, "{err}");
    let json: Value = super::json::parse(&out);
    let events = json["events"].list();
    assert_eq!(events[0].keys(), ["t", "name", "kind", "condition", "direction", "impulses"]);
    let impulses = &events[0]["impulses"];
    assert_eq!(impulses.keys(), ["lambda(wire)", "lambda(hit)"]);
    let speed = (2.0 * 9.81 / 1.25f64).sqrt();
    assert!((impulses["lambda(hit)"].number() - 1.8 * 2.5 * speed).abs() < 1e-6, "{out}");
    // m Δv_x + Λ = 0, and x = y/2.
    assert!((impulses["lambda(wire)"].number() + 1.8 * 2.0 * 0.5 * speed).abs() < 1e-6, "{out}");
    let table = read(&csv);
    let column = table.lines().next().unwrap().split(',').position(|name| name == "events");
    let counts = table.lines().skip(1).map(|l| l.split(',').nth(column.unwrap()).unwrap());
    let counts: Vec<f64> = counts.map(|count| count.parse().unwrap()).collect();
    assert_eq!((counts[0], *counts.last().unwrap()), (0.0, events.len() as f64));
    assert!(counts.windows(2).all(|pair| pair[1] - pair[0] == 0.0 || pair[1] - pair[0] == 1.0));
    let (_, _, err) = run("simulate --method radau5 --t-end 1.5");
    assert!(err.contains("in `hit`") && err.contains("largest impulse 17.8"), "{err}");
}

/// A contact that opens has no impulse, although one that closes has, and bears its name.
#[test]
fn the_summary_tells_impulses_of_the_events_that_have_them() {
    let (exit, _, err) = run_of::<Lever>("simulate");
    assert_eq!(exit, Exit::Ok, "{err}");
    let lines: Vec<&str> =
        err.lines().filter(|line| line.contains("in `hinge.upper_angle`")).collect();
    assert_eq!(lines.len(), 3, "{err}");
    for line in lines {
        let struck = line.contains("hinge.angle >= 1.0");
        assert_eq!(line.contains("largest impulse"), struck, "{err}");
    }
}

/// Signs stand at their numbers in the conditions of events.
#[test]
fn conditions_are_written_as_one_writes_them() {
    let (exit, _, err) = run_of::<Lever>("simulate --init hinge.rate=-9 --t-end 0.5");
    assert_eq!(exit, Exit::Ok, "{err}");
    assert!(err.contains("hinge.angle <= deg(-90) in `hinge.lower_angle`"), "{err}");
}

#[test]
fn compare_has_the_events() {
    let folder = Folder::new("compare-events");
    let csv = folder.file("study.csv");
    let line = format!("compare --methods radau5,hht-i3 --tols 1e-3,1e-6 --out {csv}");
    let (exit, out, err) = run(&format!("{line} --json"));
    assert_eq!(exit, Exit::Ok, "{err}");
    let study: Value = super::json::parse(&out);
    let expected = study["events"].list();
    assert!(expected.len() >= 3 && expected[0]["name"].text() == "hit", "{out}");
    for trial in study["trials"].list() {
        let events = &trial["events"];
        assert_eq!(events.keys(), ["count", "expected", "off", "worst", "differs"]);
        assert_eq!(events["count"].number(), expected.len() as f64);
        assert_eq!(events["expected"].number(), expected.len() as f64);
        assert!(events["off"].number() < 1e-2 && events["worst"]["name"].text() == "hit", "{out}");
    }
    let offs: Vec<f64> =
        study["trials"].list().iter().map(|trial| trial["events"]["off"].number()).collect();
    assert!(offs.iter().all(|off| *off >= 0.0), "{offs:?}");
    let table = read(&csv);
    let columns = table.lines().map(|l| l.split(',').count()).collect::<Vec<_>>();
    assert!(columns.iter().all(|c| *c == columns[0]) && table.contains(",events,"), "{table}");
    let (_, out, _) = run(&line);
    let head = out.lines().find(|line| line.starts_with("| method")).unwrap();
    assert!(head.ends_with("| events |"), "{head}");
}

mbd::mechanism! {
    /// A mass on a spring that turns just short of a latch that would hold it.
    pub mechanism Beside {
        coord x: [m];
        mode on = false;
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.5*sq(x);
        force push along x = if on { 0.5 } else { 0.0 };
        event latch when x >= 1.0 && !on { on = true; }
        init x = -1.0 + 1e-7;
        until 10.0;
    }
}

/// Whether it gets there is decided by errors: a warning, which ended with 0 however strict one was.
#[test]
fn a_touch_that_errors_decide_is_no_success_of_a_strict_run() {
    let (exit, _, err) = run_of::<Beside>("simulate --method radau5 --tol 1e-4");
    assert_eq!(exit, Exit::Ok, "{err}");
    assert!(err.contains("whether it gets there cannot be told"), "{err}");
    let (exit, ..) = run_of::<Beside>("simulate --method radau5 --tol 1e-4 --strict");
    assert_eq!(exit, Exit::Accuracy);
}

mbd::mechanism! {
    /// A block on a floor that a clamp holds there too, for a while and once more.
    pub mechanism Clamped {
        coord y: [m];
        mode clamped = false;
        kinetic block = 0.5*2.0*sq(der(y));
        potential weight = 2.0*9.81*y;
        unilateral floor: y;
        holonomic clamp: y == 0.0 while clamped;
        event on when t >= 0.2 { clamped = true; }
        event off when t >= 0.4 { clamped = false; }
        event on_again when t >= 0.6 { clamped = true; }
        event off_again when t >= 0.8 { clamped = false; }
        init y = 0.0;
        until 1.0;
    }
}

#[test]
fn simulate_says_for_how_long_rows_were_redundant() {
    let (exit, _, err) = run_of::<Clamped>("simulate");
    assert_eq!(exit, Exit::Ok, "{err}");
    let told = "  from t = 0.2 s to 0.4 s 1 row left out as redundant, and once more\n    clamp is redundant with floor\n";
    assert!(err.contains(told), "{err}");
    assert!(!err.contains("share not determined"), "{err}");
    let (_, _, err) = run_of::<Clamped>("simulate --t-end 0.3");
    assert!(err.contains("  from t = 0.2 s on 1 row left out as redundant\n"), "{err}");
    assert!(err.contains("share not determined"), "{err}");
}
