//! What `check` sees of a model: every side of its comparisons, every parameter, its mass.

use super::json::{self, Value};
use mbd::cli::{Exit, Io, run_with};
use mbd::components::spatial;
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::scalar::{Num, Scalar};
use mbd::verify::{Because, check_mechanism};
use mbd::{Check, CheckOptions};
use std::sync::Arc;

/// x² with a derivative that is wrong by a third.
fn wrong<D: Scalar>(x: Num<D>) -> Num<D> {
    let v = x.value();
    x.compose([v * v, 3.0 * v, 3.0, 0.0, 0.0])
}

fn command<M: Mechanism + Default + 'static>(line: &str) -> (Exit, Value, String) {
    let run = |json: bool| {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut io =
            Io { out: &mut out, err: &mut err, terminal: false, interrupt: Arc::default() };
        let flag = json.then_some("--json");
        let exit = run_with::<M>("program", line.split_whitespace().chain(flag), &mut io);
        (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    };
    let (exit, out, err) = run(false);
    let (same, printed, _) = run(true);
    assert_eq!(exit, same);
    (exit, json::parse(&printed), out + &err)
}

mod hidden {
    use super::*;

    mechanism! {
        /// The generic points are at x = 0.3, far from every other branch.
        pub mechanism Hidden {
            param near: [N/m] = 2.0;
            param far: [N/m^2] = 3.0;
            coord x: [m];
            kinetic = 0.5*sq(der(x));
            force law along x = if x < 5.0 { -near*x } else { if der(x) > 40.0 { -far*wrong(x) } else { 0.0 } };
            init x = 0.3;
            until 1.0;
        }
    }
}

/// Both derivatives passed, and `far` had an error of 0.0.
#[test]
fn a_wrong_derivative_behind_two_comparisons_is_found() {
    let report = check_mechanism(&hidden::Hidden::default()).unwrap();
    let of = |name: &str| report.checks.iter().find(|c| c.quantity == name).unwrap().error;
    assert!(of("f_q") > 0.1, "{report}");
    assert!(of("f_v") < 1e-7 && of("∂/∂near") < 1e-7 && of("∂/∂far") < 1e-7, "{report}");
    // The value that `wrong` takes of x in the far branch cannot be told from a comparison with 0.
    let sides: Vec<&str> = report.not_reached.iter().map(|n| &*n.side).collect();
    assert!(sides == ["x < 0"] && report.points >= 4, "{report}");
    let (exit, json, text) = command::<hidden::Hidden>("check");
    assert_eq!(exit, Exit::Accuracy, "{text}");
    assert!(text.contains("WRONG") && text.contains("did not pass"), "{text}");
    assert!(json["derivatives"]["comparisons"].number() >= 2.0);
}

/// Standard output was empty, and the runs of a sweep before the one that does not pass were lost.
#[test]
fn a_run_whose_check_fails_has_json() {
    for (line, named) in [
        ("simulate --check", ""),
        ("simulate --check --every 0.1 --quiet", ""),
        ("simulate --check --sweep near=1,2", "near=1: "),
    ] {
        let words = line.split_whitespace().chain(["--json"]);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut io =
            Io { out: &mut out, err: &mut err, terminal: false, interrupt: Arc::default() };
        let exit = run_with::<hidden::Hidden>("program", words, &mut io);
        let [out, err] = [out, err].map(|text| String::from_utf8(text).unwrap());
        assert_eq!(exit, Exit::Accuracy, "{line}: {err}");
        let json = json::parse(&out);
        assert_eq!((json["model"].text(), json["status"].text()), ("Hidden", "failed"), "{line}");
        assert_eq!(json["error"]["code"].number(), 14.0, "{line}");
        let message = format!("{named}the model did not pass its check: wrong derivatives: f_q");
        assert!(json["error"]["message"].text().starts_with(&message), "{line}: {out}");
        assert!(err.contains("WRONG") && err.contains(&message), "{line}: {err}");
    }
}

mod contacts {
    use super::*;

    mechanism! {
        /// Balls over floors, ropes that are slack, a clutch that grips in a band of speed, a pulse.
        pub mechanism Contacts {
            size n = 30;
            param k[n]: [N/m] = 1e4;
            param rope: [m] = 2.0;
            param band: [m/s] = 1e-6;
            param grip: [N*s/m] = 3.0;
            coord x[n]: [m];
            coord y[n]: [m];
            for i in 0..n { kinetic = 0.5*(sq(der(x[i])) + sq(der(y[i]))); }
            for i in 0..n { force floor along y[i] = if y[i] < 0.0 { -k[i]*y[i] } else { 0.0 }; }
            for i in 1..n {
                let d = (sq(x[i] - x[i-1]) + sq(y[i] - y[i-1])).sqrt();
                potential ropes = 0.5*k[i]*sq(max(d - rope, 0.0));
            }
            force clutch along x[0] = if abs(der(x[0])) < band { -grip*der(x[0]) } else { -0.5*der(x[0]) };
            force pulse along x[1] = if t > 3.0 { if t < 3.0 + 1e-3 { 7.0 } else { 0.0 } } else { 0.0 };
            for i in 0..n { init y[i] = 1.0; init x[i] = 0.5*i; init der(x[i]) = 1.0; }
            until 1.0;
        }
    }
}

#[test]
fn every_side_of_every_contact_is_visited() {
    let report = check_mechanism(&contacts::Contacts::default()).unwrap();
    assert!(report.is_complete() && report.passes(1e-7), "{report}");
    assert!(report.comparisons >= 6 && report.points < 20, "{} points", report.points);
}

mod never {
    use super::*;

    mechanism! {
        pub mechanism Never {
            param soft: [N/m] = 2.0;
            param hard: [N/m] = 3.0;
            param bend: [N/m] = 4.0;
            param mode: [1] = 1.0;
            coord x: [m];
            kinetic = 0.5*sq(der(x));
            force law along x = if sq(x) < -1.0 { -soft*x } else { -hard*x };
            force way along x = if mode > 0.0 { 0.0 } else { -bend*x };
            init x = 0.3;
            until 1.0;
        }
    }
}

/// "All checks passed", with `∂/∂soft 0.0e0 –`.
#[test]
fn what_no_point_reaches_is_told_by_name() {
    let report = check_mechanism(&never::Never::default()).unwrap();
    let told = report.not_reached.iter().map(|n| (&*n.statement, &*n.side, n.because));
    let told: Vec<_> = told.collect();
    assert_eq!(
        told,
        [("law", "x*x < -1", Because::NotFound), ("way", "mode < 0", Because::Fixed)],
        "{report}"
    );
    assert_eq!(report.params_not_reached, ["soft", "bend"]);
    assert!(report.checks.iter().all(|c| c.quantity != "∂/∂soft"), "{report}");
    let (exit, json, text) = command::<never::Never>("check");
    assert_eq!(exit, Exit::Ok);
    assert!(text.contains("parameter `soft`") && !text.contains("All checks passed"), "{text}");
    assert!(text.contains("`law` where x*x < -1"), "{text}");
    let sides = &json["derivatives"]["not_reached"];
    assert_eq!(sides.list()[0]["side"].text(), "x*x < -1");
    assert_eq!(json["derivatives"]["params_not_reached"].list()[1].text(), "bend");
    let (_, json, text) = command::<never::Never>("check --set mode=-1");
    assert_eq!(json["derivatives"]["params_not_reached"].list()[0].text(), "soft");
    assert!(!text.contains("`bend`"), "{text}");
}

mod many {
    use super::*;

    mechanism! {
        pub mechanism Many {
            size n = 60;
            param k[n]: [N/m] = 2.0;
            param last: [N/m] = 3.0;
            coord x[n]: [m];
            for i in 0..n { kinetic = 0.5*sq(der(x[i])); }
            for i in 0..n { force spring along x[i] = -(if i == 50 { wrong(k[i]) } else { k[i]*k[i] })*x[i]; }
            force end along x[0] = -wrong(last)*x[0];
            for i in 0..n { init x[i] = 1.0; }
            until 1.0;
        }
    }
}

#[test]
fn parameters_beyond_the_fortieth_are_checked() {
    let report = check_mechanism(&many::Many::default()).unwrap();
    let wrong: Vec<&str> =
        report.checks.iter().filter(|c| c.error > 1e-7).map(|c| &*c.quantity).collect();
    assert_eq!(wrong, ["∂/∂k[50]", "∂/∂last"], "{report}");
}

mod masses {
    use super::*;

    mechanism! {
        /// One of its masses is given.
        pub mechanism Cart {
            param m: [kg] = 1.0;
            coord x: [m];
            coord y: [m];
            kinetic cart = 0.5*2.0*sq(der(x));
            kinetic load = 0.5*m*sq(der(x) + der(y));
            potential spring = 0.5*sq(y);
            init y = 0.1;
            until 1.0;
        }
    }

    mechanism! {
        /// Burns its fuel, and more.
        pub mechanism Rocket {
            coord z: [m];
            kinetic = 0.5*(1.0 - 2.0*t)*sq(der(z));
            init der(z) = 1.0;
            until 1.0;
        }
    }

    mechanism! {
        /// Loses its mass on the way, and is infinitely fast at x = 1, t = 2/3.
        pub mechanism Melting {
            coord x: [m];
            kinetic = 0.5*(1.0 - x)*sq(der(x));
            init der(x) = 1.0;
            until 1.0;
        }
    }

    mechanism! {
        /// Inertia that the constraint makes up for, and a body whose parameters have none.
        pub mechanism Held {
            param m: [kg] = 3.0;
            param less: [kg] = 1.0;
            coord x: [m];
            coord y: [m];
            body top: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.2, jz: 0.3 };
            kinetic = 0.5*(m*sq(der(x)) - less*sq(der(y)));
            holonomic tie: x == y;
            holonomic tip[3]: spatial::spherical(spatial::ground(), top.frame.at([0.0, -0.4, 0.0]));
            init x = 1.0;
            guess y = 1.0;
            guess top.y = 0.4;
            guess top.e0 = 1.0;
            until 1.0;
        }
    }
}

/// Each passed.
#[test]
fn a_mass_that_is_not_positive_on_the_motions_left_fails() {
    let (exit, _, text) = command::<masses::Cart>("check");
    assert_eq!(exit, Exit::Ok, "{text}");
    // Without a mass the load's acceleration is not determined, which the start tells.
    for (m, names) in [("-0.5", "`y`"), ("-3", "`x`")] {
        let (exit, json, text) = command::<masses::Cart>(&format!("check --set m={m}"));
        assert_eq!(exit, Exit::Model, "{m}: {text}");
        assert!(text.contains("is negative") && text.contains(names), "{m}: {text}");
        assert!(text.contains("look at `load`"), "{text}");
        assert!(json["mass"]["mass"].number() < 0.0 && json["passed"] == Value::Bool(false));
    }
    let (exit, _, text) = command::<masses::Held>("check");
    assert_eq!(exit, Exit::Ok, "{text}");
    let (exit, json, text) = command::<masses::Held>("check --set m=0.9");
    assert_eq!(exit, Exit::Model, "{text}");
    assert!((json["mass"]["mass"].number() + 0.1).abs() < 1e-9, "{text}");
}

/// Every run ended with exit code 0, but where steps failed for no reason that was told.
#[test]
fn a_run_ends_where_a_mass_vanishes() {
    for (line, code, part) in [
        ("simulate --set m=-3", Exit::Singular, "at t = 0 s the mass of a motion of `x`, `y`"),
        ("simulate --set m=-3 --step 1e-2", Exit::Singular, "look at `load`"),
        ("simulate", Exit::Ok, "reached t = 1"),
    ] {
        let (exit, json, text) = command::<masses::Cart>(line);
        assert!(exit == code && text.contains(part), "{line}: {text}");
        let failed = json["status"].text() == "failed";
        assert_eq!(failed, code != Exit::Ok);
    }
    for method in ["gen-alpha-soi2", "hht-i3", "dae-alpha", "radau5", "bdf-ggl", "state-space"] {
        for steps in ["", "--step 1e-2", "--step 0.03"] {
            let line = format!("simulate --method {method} {steps}");
            let (exit, json, text) = command::<masses::Rocket>(&line);
            assert!(
                exit == Exit::Singular && text.contains("the mass along `z`"),
                "{line}: {text}"
            );
            assert!((json["t"].number() - 0.5).abs() < 0.05, "{line}: {text}");
        }
        for steps in ["", "--step 1e-2"] {
            let line = format!("simulate --method {method} {steps}");
            let (exit, json, text) = command::<masses::Melting>(&line);
            if exit == Exit::Ok {
                // Turned around at infinite speed, which the power balance notices.
                assert!(text.contains("the power balance does not close"), "{line}: {text}");
                continue;
            }
            assert!(
                exit == Exit::Singular && text.contains("the mass along `x`"),
                "{line}: {text}"
            );
            assert!((json["t"].number() - 2.0 / 3.0).abs() < 0.05, "{line}: {text}");
        }
        // Inertia that constraints make up for is watched as well, and none of it vanishes.
        let (exit, _, text) = command::<masses::Held>(&format!("simulate --method {method}"));
        assert_eq!(exit, Exit::Ok, "{method}: {text}");
    }
}

#[test]
fn a_mass_that_turns_negative_later_is_told() {
    let report = masses::Rocket::default().check(&CheckOptions::default()).unwrap();
    assert!(report.passed(), "{report}");
    let told = &report.start.as_ref().unwrap().masses_elsewhere;
    assert!(told.len() == 1 && told[0].t >= 0.5 && told[0].coordinates == ["z"], "{report}");
    assert!(report.to_string().contains("the mass along `z` is zero"), "{report}");
}

mod in_line {
    use super::*;

    mechanism! {
        /// A parallelogram, in line at the start and moving.
        pub mechanism InLine {
            coord first: [rad];
            coord middle: [rad];
            coord last: [rad];
            kinetic = 0.5*(sq(der(first)) + sq(der(middle)) + sq(der(last)));
            holonomic close_x: cos(first) + 2.0*cos(middle) == cos(last) + 2.0;
            holonomic close_y: sin(first) + 2.0*sin(middle) == sin(last);
            init first = 0.0;
            init middle = 0.0;
            init last = 0.0;
            init der(first) = 1.0;
            init der(middle) = 0.0;
            init der(last) = 1.0;
            until 1.0;
        }
    }
}

/// It was an error of usage, exit code 2, though nobody had named any coordinates.
#[test]
fn a_singular_start_is_no_error_of_usage() {
    let (exit, _, text) = command::<in_line::InLine>("simulate --method state-space");
    assert!(exit == Exit::Singular && text.contains("singular position"), "{text}");
    let (exit, _, text) =
        command::<in_line::InLine>("simulate --method state-space --independent first");
    assert!(exit == Exit::Usage && text.contains("independent coordinates"), "{text}");
    let (exit, _, text) = command::<in_line::InLine>("simulate --method radau5");
    assert_eq!(exit, Exit::Ok, "{text}");
}

mod slow {
    use super::*;

    fn stiffening<D: Scalar>(x: Num<D>) -> Num<D> {
        if x > 0.1 { x * x + 0.09 } else { x }
    }

    mechanism! {
        pub mechanism Slow {
            param m: [kg] = 1.0;
            coord x: [m];
            kinetic mass = 0.5*m*sq(der(x));
            force spring along x = -30.0*stiffening(x);
            force drag along x = -0.1*der(x);
            init x = 0.3;
            until 1.0;
        }
    }
}

#[test]
fn what_runs_on_dual_numbers_is_named_with_its_share_of_the_time() {
    for line in ["check", "simulate"] {
        let (exit, json, text) = command::<slow::Slow>(line);
        assert_eq!(exit, Exit::Ok, "{text}");
        assert!(text.contains(" spring (") && text.contains("% of the time)"), "{line}: {text}");
        let [slow] = json["on_duals"].list() else { panic!("{line}: one statement") };
        assert_eq!(slow.text(), "spring");
        assert!((1e-3..=1.0).contains(&json["on_duals_share"]["spring"].number()), "{line}");
    }
}
