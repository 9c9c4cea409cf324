//! The command-line program: every option, every error, every exit code, in process.

#![allow(missing_docs)]
#![cfg(feature = "cli")]

#[path = "cli/check.rs"]
mod check;
#[path = "cli/events.rs"]
mod events;
#[path = "cli/formats.rs"]
mod formats;
#[path = "cli/inputs.rs"]
mod inputs;
#[path = "cli/json.rs"]
mod json;
#[path = "cli/like.rs"]
mod like;
#[path = "cli/loads.rs"]
mod loads;
#[path = "cli/pictures.rs"]
mod pictures;
#[path = "cli/results.rs"]
mod results;
#[path = "cli/resume.rs"]
mod resume;
#[path = "cli/rig.rs"]
mod rig;
#[path = "cli/shells.rs"]
mod shells;

use json::Value;
use mbd::cli::{Exit, Io, run_with};
use rig::Rig;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub struct Outcome {
    exit: Exit,
    out: String,
    err: String,
}

fn run_args(args: &[&str], interrupted: bool) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io {
        out: &mut out,
        err: &mut err,
        terminal: false,
        interrupt: Arc::new(AtomicBool::new(interrupted)),
    };
    let exit = run_with::<Rig>("target/release/rig", args.iter().copied(), &mut io);
    Outcome { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn run(line: &str) -> Outcome {
    run_args(&line.split_whitespace().collect::<Vec<_>>(), false)
}

/// Runs with `--json` and reads what it printed.
fn run_json(line: &str) -> (Exit, Value) {
    let outcome = run(&format!("{line} --json"));
    (outcome.exit, json::parse(&outcome.out))
}

/// A file in a folder of its own, which is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mbd-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn help_goes_to_standard_output() {
    for (line, part) in [
        ("--help", "Usage: rig COMMAND"),
        ("info --help", "Usage: rig info"),
        ("check -h", "--init <COORD=VALUE>"),
        ("simulate --help", "--every <DT>"),
        ("help simulate", "Exit codes:"),
    ] {
        let outcome = run(line);
        assert_eq!((outcome.exit, outcome.err.as_str()), (Exit::Ok, ""), "{line}");
        assert!(outcome.out.contains(part), "{line}: {}", outcome.out);
    }
    assert!(run("--help").out.starts_with("Rig: A pendulum beside springs.\n"));
}

#[test]
fn info_lists_the_methods_that_can_treat_the_model() {
    let all = run("info");
    assert!(!all.out.contains("Methods that cannot"), "{}", all.out);
    // Rolling is a nonholonomic constraint, which methods on independent coordinates refuse.
    let some = run("info --set roll=1");
    let (can, cannot) = some.out.split_once("Methods that cannot").expect("some refuse");
    for name in ["state-space", "explicit-rk", "dae-alpha-cs"] {
        assert!(cannot.contains(name) && !can.contains(&format!("  {name} ")), "{}", some.out);
    }
    assert!(can.contains("  gen-alpha-soi2"), "{can}");
    let refused = run("simulate --set roll=1 --method explicit-rk");
    assert_eq!(refused.exit, Exit::Usage, "{}", refused.err);
}

#[test]
fn a_run_may_end_where_it_starts() {
    let (exit, value) = run_json("simulate --t-end 0");
    assert_eq!((exit, value["t"].number()), (Exit::Ok, 0.0));
    assert_eq!(run("simulate --t-end -1").exit, Exit::Usage);
}

#[test]
fn a_command_line_that_is_not_understood_is_exit_2() {
    for (line, part) in [
        ("", "say what to do"),
        ("simulat", "did you mean `simulate`?"),
        ("simulate --tolerance 1e-3", "no option --tolerance"),
        ("simulate --tal 1e-3", "did you mean --tol?"),
        ("simulate --method hht-i2", "did you mean `hht-i3`?"),
        ("simulate --rho 7", "rho = 7"),
        ("simulate --alpha 0.5", "alpha = 0.5"),
        ("simulate --tol 2", "tol = 2"),
        ("simulate --order 3", "bdf-ggl"),
        ("simulate --positions-only", "bdf-ggl"),
        ("simulate --method bdf-cs --order 6", "order = 6"),
        ("simulate --method bdf-cs --order two", "not a whole number"),
        ("simulate --method bdf-ggl --rho 0.5", "rho"),
        ("simulate --method bdf-ggl --independent h", "does not split"),
        ("simulate --tol 1e-3 --step 1", "one of the two"),
        ("simulate --atol x=1e-6 --step 1", "--step fixes them"),
        ("simulate --plot p.svg --show heigth", "did you mean `height`?"),
        ("simulate --init heigth=1", "heigth"),
        ("simulate --set L", "not of the form"),
    ] {
        let outcome = run(line);
        assert_eq!(outcome.exit, Exit::Usage, "{line}: {}", outcome.err);
        assert!(outcome.err.contains(part), "{line}: {}", outcome.err);
        assert_eq!(outcome.out, "", "{line}");
    }
    assert!(run("simulate --tal 1").err.ends_with("try: rig simulate --help\n"));
}

#[test]
fn a_wrong_parameter_is_exit_10() {
    for (line, part) in [
        ("info --set K=1", "no parameter `K`"),
        ("info --set C[0]=1", "did you mean `c[0]`?"),
        ("info --set c[9]=1", "c[9]"),
        ("simulate --set n=-1", "n"),
        ("simulate --set n=1.5", "n"),
    ] {
        let outcome = run(line);
        assert_eq!(outcome.exit, Exit::Model, "{line}: {}", outcome.err);
        assert!(
            outcome.err.starts_with("error: ") && outcome.err.contains(part),
            "{}",
            outcome.err
        );
    }
}

/// Of all commands, and of a sweep, `simulate` alone printed one.
#[test]
fn a_command_that_fails_has_json_where_it_is_asked_for() {
    for (line, exit) in [
        ("info --set K=1", Exit::Model),
        ("check --set K=1", Exit::Model),
        ("check --init heigth=1", Exit::Usage),
        ("simulate --set K=1", Exit::Model),
        ("simulate --sweep K=1,2", Exit::Model),
        ("simulate --like no/such.csv", Exit::InputOutput),
        ("compare --set K=1", Exit::Model),
        ("compare --methods hht-i2", Exit::Usage),
    ] {
        let (same, json) = run_json(line);
        let outcome = run(line);
        if !line.contains("--sweep") {
            assert_eq!((outcome.exit, outcome.out.as_str()), (exit, ""), "{line}");
        }
        assert_eq!(same, exit, "{line}");
        assert_eq!((json["model"].text(), json["status"].text()), ("Rig", "failed"), "{line}");
        assert_eq!(json["error"]["code"].number(), f64::from(exit.code()), "{line}");
    }
}

#[test]
fn info_lists_what_there_is() {
    let text = run("info").out;
    for part in [
        "Rig",
        "A pendulum beside springs.",
        "degrees of freedom",
        "Newton matrix",
        "c[0]",
        "rod",
        "height",
        "[m]",
        "hht-i3",
        "Stiffness",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let text = run("info --set n=50").out;
    assert!(text.contains("q[0..=49]  = 0.1"), "{text}");
    assert!(text.contains("c[0..=49]  10 … 10 "), "{text}");
    let (exit, info) = run_json("info --set n=3 --set L=2");
    assert_eq!(exit, Exit::Ok);
    assert_eq!(info["model"].text(), "Rig");
    assert_eq!(info["sizes"]["coordinates"].number(), 5.0);
    assert_eq!(info["dof"].number(), 4.0);
    assert_eq!(info["coordinates"].list()[4]["name"].text(), "q[2]");
    assert_eq!(info["coordinates"].list()[0]["kept"], Value::Bool(true));
    let length = info["parameters"].list().iter().find(|p| p["name"].text() == "L").unwrap();
    assert_eq!((length["value"].number(), length["unit"].text()), (2.0, "m"));
    assert_eq!(info["constraints"].list()[0]["name"].text(), "rod");
    assert_eq!(info["outputs"].list()[0]["doc"].text(), "Height over the pivot.");
    assert_eq!(info["t_end"].number(), 0.5);
    assert!(info["sparsity"]["nonzeros"].number() >= 9.0);
    assert!(info["methods"].list().iter().any(|m| m["name"].text() == "hht-i3"));
}

#[test]
fn simulate_prints_data_only_when_asked() {
    let outcome = run("simulate");
    assert_eq!((outcome.exit, outcome.out.as_str()), (Exit::Ok, ""), "{}", outcome.err);
    for part in ["reached t = 0.5 s", "height"] {
        assert!(outcome.err.contains(part), "{part} in\n{}", outcome.err);
    }
    // What is over at once tells no progress.
    assert!(!outcome.err.contains(" 10 %"), "{}", outcome.err);
    let outcome = run("simulate --quiet");
    assert_eq!((outcome.exit, outcome.out.as_str(), outcome.err.as_str()), (Exit::Ok, "", ""));
}

#[test]
fn json_holds_the_final_state() {
    let (exit, run) = run_json("simulate --tol 1e-6 --t-end 0.25 --quiet");
    assert_eq!(exit, Exit::Ok);
    assert_eq!(
        run.keys(),
        [
            "model",
            "method",
            "derivatives",
            "status",
            "t",
            "q",
            "v",
            "a",
            "x",
            "w",
            "lambda",
            "psi",
            "modes",
            "outputs",
            "energy",
            "stats",
            "drift",
            "balance",
            "warnings",
            "on_duals",
            "on_duals_share",
            "redundant",
            "undetermined",
            "rank_changes",
            "rank_change_count",
            "events",
            "samples",
            "stopped",
            "error_estimate",
            "unestimated",
            "joints"
        ]
    );
    assert_eq!(
        (run["model"].text(), run["method"].text(), run["status"].text()),
        ("Rig", "gen-alpha-soi2", "ok")
    );
    assert_eq!(run["t"].number(), 0.25);
    assert_eq!(run["q"].keys(), ["x", "y", "q[0]", "q[1]"]);
    assert_eq!(run["v"].keys(), run["q"].keys());
    let (x, y) = (run["q"]["x"].number(), run["q"]["y"].number());
    assert!((x.hypot(y) - 1.0).abs() < 1e-6, "{x} {y}");
    assert_eq!(run["lambda"]["rod"].list().len(), 1);
    assert_eq!(run["x"].keys(), ["e"]);
    assert!((run["w"]["F"].number() - 2.0 * y).abs() < 1e-9);
    assert_eq!(run["outputs"]["height"].number(), y);
    let energy = &run["energy"];
    assert!(
        (energy["kinetic"].number() + energy["potential"].number() - energy["total"].number())
            .abs()
            < 1e-12
    );
    assert_eq!(
        run["stats"].keys(),
        [
            "steps",
            "rejected",
            "newton_iterations",
            "jacobians",
            "factorizations",
            "residuals",
            "newton_failures",
            "substituted",
            "h_min",
            "h_max",
            "wall_s"
        ]
    );
    assert!(run["stats"]["steps"].number() > 5.0);
    assert!(run["drift"]["position"].number() < 1e-6);
    let balance = &run["balance"];
    assert_eq!(balance.keys(), ["energy", "work", "dissipated", "numerical", "events", "closes"]);
    assert!(balance["closes"].number() < 1e-4);
    assert_eq!(run["error_estimate"].keys(), ["q", "v", "lambda", "growth"]);
    let error = run["error_estimate"]["q"].number();
    assert!(error > 0.0 && error < 1e-3, "{error:e}");
    // The oscillator is linear: q = q0 cos(ωt) with ω² = c/m.
    let expected = 0.1 * (10f64.sqrt() * 0.25).cos();
    assert!((run["q"]["q[0]"].number() - expected).abs() < 1e-4);
}

#[test]
fn multipliers_of_both_kinds_are_found_by_the_constraint_s_name() {
    let (exit, run) = run_json("simulate --quiet --t-end 0.1 --step 1e-3 --set roll=1");
    assert_eq!(exit, Exit::Ok);
    assert_eq!(run["lambda"].keys(), ["rod", "roll"]);
    assert_eq!(run["psi"].keys(), ["roll"]);
    assert_eq!(run["psi"]["roll"], run["lambda"]["roll"]);
    // Equal masses tied together: each spring's excess over the mean goes into the tie.
    let q = run["q"]["q[0]"].number();
    let psi = run["psi"]["roll"].list()[0].number();
    assert!((psi - 5.0 * q).abs() < 1e-2 * q.abs(), "{psi} {q}");
    let text = crate::run("info --set roll=1").out;
    assert!(text.contains("1 holonomic, 1 nonholonomic") && text.contains("psi("), "{text}");
}

#[test]
fn parameters_initial_values_and_options_arrive() {
    let (_, run) = run_json(
        "simulate --quiet --step 1e-3 --t-end 0.1 --rho 0.8 --set n=1 --set c[0]=0 \
                             --set L=2 --init q[0]=0.5 --init der(q[0])=3 --init e=7 --init x=0",
    );
    assert_eq!(run["stats"]["steps"].number(), 100.0);
    assert_eq!(run["q"].keys(), ["x", "y", "q[0]"]);
    assert!((run["q"]["q[0]"].number() - 0.8).abs() < 1e-9);
    assert!((run["v"]["q[0]"].number() - 3.0).abs() < 1e-9);
    assert!((run["q"]["y"].number() + 2.0).abs() < 1e-9);
    assert!((run["x"]["e"].number() - 7.0).abs() < 1e-9);
}

#[test]
fn a_table_has_names_units_and_exact_numbers() {
    let folder = Folder::new("csv");
    let out = folder.file("run.csv");
    let (exit, run) = run_json(&format!("simulate --quiet --t-end 0.2 --every 0.05 --out {out}"));
    assert_eq!(exit, Exit::Ok);
    let text = read(&out);
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    for name in [
        "t [s]",
        "x [m]",
        "der(x) [m/s]",
        "der(q[1]) [m/s]",
        "e [m*s]",
        "lambda(rod)",
        "F [N]",
        "height [m]",
        "energy [J]",
    ] {
        assert!(header.contains(&name), "{name} in {header:?}");
    }
    assert_eq!(header[..5], ["t [s]", "x [m]", "y [m]", "q[0] [m]", "q[1] [m]"]);
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let times: Vec<f64> = rows.iter().map(|r| r[0]).collect();
    assert_eq!(times.len(), 5, "{times:?}");
    assert!(times.iter().zip([0.0, 0.05, 0.1, 0.15, 0.2]).all(|(a, b)| (a - b).abs() < 1e-12));
    assert_eq!(rows[4][1], run["q"]["x"].number());
    assert!(rows.iter().all(|r| r.len() == header.len()));
}

#[test]
fn a_picture_shows_what_was_asked_for() {
    let folder = Folder::new("plot");
    let plot = folder.file("run.svg");
    let outcome = run(&format!("simulate --t-end 0.2 --plot {plot} --show height,q,lambda(rod)"));
    assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
    assert!(outcome.err.contains(&format!("wrote {plot}")));
    let svg = read(&plot);
    for text in [">Rig<", "t [s]", ">height<", ">q[1]<", ">lambda(rod)<"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(!svg.contains(">x<"));
    let outcome = run(&format!("simulate --quiet --t-end 0.2 --plot {plot}"));
    assert_eq!(outcome.exit, Exit::Ok);
    assert!(read(&plot).contains(">x<"));
}

#[test]
fn a_run_can_be_asked_and_drawn_from_rust() {
    use mbd::integrate::HhtI3;
    use mbd::{CoordId, OutputError, OutputId, Simulation, SolutionExt, StateId};
    const HEIGHT: OutputId = OutputId::new("height");
    let run = Simulation::new(&Rig::default())
        .method(HhtI3::alpha(-0.1).unwrap())
        .until(0.2)
        .run()
        .unwrap();
    let y = CoordId::new("y");
    assert_eq!(run.output(HEIGHT), run.coordinate(y.clone()));
    assert_eq!(run.velocity(CoordId::from(format!("q[{}]", 1))), run.series("der(q[1])").unwrap());
    assert_eq!(run.state(StateId::new("e")).len(), run.len());
    assert!(run.output(OutputId::new("y")).is_empty(), "a coordinate is no output");
    let svg = run.plot(&["y"]).against("x").title("Path").points().to_svg().unwrap();
    assert!(svg.contains(">Path<") && svg.contains(">x [m]<") && svg.contains(">y [m]<"));
    assert!(svg.matches("<circle").count() >= run.len());
    assert!(run.plot(&[HEIGHT]).to_svg().unwrap().contains(">height [m]<"));
    let log = run.plot(&["lambda(rod)"]).log_y().to_svg().unwrap();
    assert!(log.contains("10"), "{log}");
    let misspelt = run.plot(&["heigth"]).save_svg("/no/such/folder/file").unwrap_err();
    assert!(
        matches!(misspelt, OutputError::UnknownColumn { suggestion: Some(s), .. } if s == "height")
    );
    assert!(run.plot(&["y"]).against("z").figure().is_err());
    assert!(matches!(run.write_csv("/no/such/folder/file"), Err(OutputError::Write { .. })));
    assert!(matches!(
        run.plot(&["y"]).save_svg("/no/such/folder/file"),
        Err(OutputError::Write { .. })
    ));
}

#[test]
fn a_check_can_be_made_from_rust() {
    use mbd::{Check, CheckOptions, Error};
    let report = Rig::default().check(&CheckOptions::default()).unwrap();
    assert!(report.passed(), "{report}");
    assert!(report.to_string().ends_with("All checks passed."));
    let strict = CheckOptions { tolerance: 0.0, ..Default::default() };
    let report = Rig::default().check(&strict).unwrap();
    assert!(!report.passed() && report.to_string().contains("WRONG"), "{report}");
    let unknown = CheckOptions { initial: vec![("z".into(), 1.0)], ..Default::default() };
    assert!(matches!(Rig::default().check(&unknown), Err(Error::Option(_))));
    let apart = CheckOptions { initial: vec![("x".into(), 3.0)], ..Default::default() };
    let report = Rig::default().check(&apart).unwrap();
    assert!(matches!(report.start, Err(Error::Start(_))) && report.derivatives_passed());
    assert!(report.to_string().contains("No consistent start"), "{report}");
}

#[test]
fn files_that_cannot_be_written_are_found_before_the_run() {
    for option in ["--out", "--plot"] {
        let outcome = run(&format!("simulate {option} /no/such/folder/file --t-end 1e9"));
        assert_eq!(outcome.exit, Exit::InputOutput);
        assert!(outcome.err.contains("/no/such/folder/file"), "{}", outcome.err);
        assert!(!outcome.err.contains('%'), "it ran first: {}", outcome.err);
    }
    // A run that does not come about leaves no empty file.
    let folder = Folder::new("none");
    let out = folder.file("run.csv");
    run(&format!("simulate --out {out} --plot /no/such/folder/file"));
    assert!(!std::path::Path::new(&out).exists());
}

#[test]
fn an_interrupted_run_writes_what_it_has() {
    let folder = Folder::new("interrupt");
    let (out, plot) = (folder.file("run.csv"), folder.file("run.svg"));
    let outcome = run_args(&["simulate", "--json", "--out", &out, "--plot", &plot], true);
    assert_eq!((outcome.exit, outcome.exit.code()), (Exit::Interrupted, 130));
    assert_eq!(json::parse(&outcome.out)["status"].text(), "interrupted");
    assert!(read(&out).lines().count() >= 2 && read(&plot).contains("interrupted at t ="));
    assert!(outcome.err.contains("interrupted at t ="), "{}", outcome.err);
}

#[test]
fn a_failed_run_writes_what_it_has() {
    let folder = Folder::new("fail");
    let (out, plot) = (folder.file("run.csv"), folder.file("run.svg"));
    // The trap's force law becomes NaN once the free mass comes past 0.2 m.
    let outcome = run(&format!(
        "simulate --json --set c[0]=0 --init q[0]=0 --init der(q[0])=1 --set trap=0.2 --out {out} --plot {plot}"
    ));
    assert_eq!(outcome.exit, Exit::Step, "{}", outcome.err);
    let run = json::parse(&outcome.out);
    assert_eq!(run["status"].text(), "failed");
    assert_eq!(run["error"]["code"].number(), 13.0);
    assert!(outcome.err.contains(run["error"]["message"].text()));
    let t = run["t"].number();
    assert!(t > 0.1 && t < 0.21, "{t}");
    assert!(read(&out).lines().count() > 3 && read(&plot).contains("failed at t ="));
}

#[test]
fn a_mechanism_that_cannot_be_assembled_is_exit_11() {
    let outcome = run("simulate --json --init x=3");
    assert_eq!(outcome.exit, Exit::Assembly, "{}", outcome.err);
    let run = json::parse(&outcome.out);
    assert_eq!((run["status"].text(), run["error"]["code"].number()), ("failed", 11.0));
    assert!(outcome.err.contains("rod"), "{}", outcome.err);
}

#[test]
fn a_singular_mechanism_is_exit_12() {
    let outcome = run("simulate --set m=0");
    assert_eq!(outcome.exit, Exit::Singular, "{}", outcome.err);
}

#[test]
fn a_model_without_an_end_time_wants_one() {
    let outcome = run("simulate --set t_end=0");
    assert_eq!(outcome.exit, Exit::Usage, "{}", outcome.err);
    assert!(outcome.err.contains("--t-end"), "{}", outcome.err);
}

#[test]
fn check_reports_derivatives_rank_and_the_initial_state() {
    let outcome = run("check");
    assert_eq!((outcome.exit, outcome.err.as_str()), (Exit::Ok, ""), "{}", outcome.out);
    for part in [
        "degrees of freedom",
        "no redundant",
        "Derivatives",
        "Initial state",
        "y moved from -0.9 to -0.8",
    ] {
        assert!(outcome.out.contains(part), "{part} in\n{}", outcome.out);
    }
    let (exit, check) = run_json("check");
    assert_eq!(exit, Exit::Ok);
    assert_eq!(check["dof"].number(), 3.0);
    assert_eq!(check["rank"].number(), 1.0);
    assert!(check["redundant"].list().is_empty());
    assert!(check["derivatives"]["max_error"].number() < 1e-7);
    assert_eq!(check["passed"], Value::Bool(true));
    assert!((check["initial"]["q"]["y"].number() + 0.8).abs() < 1e-9);
    assert!(check["moved"].list().iter().any(|m| m["name"].text() == "y"));
    assert!((check["initial"]["lambda"]["rod"].list()[0].number()).is_finite());
}

#[test]
fn check_names_what_is_wrong() {
    let (exit, check) = run_json("check --init x=3");
    assert_eq!(exit, Exit::Assembly);
    assert_eq!(check["passed"], Value::Bool(false));
    assert_eq!(check["error"]["code"].number(), 11.0);
    assert!(check["derivatives"]["max_error"].number() < 1e-7);
    let (exit, check) = run_json("check --set twice=1");
    assert_eq!(exit, Exit::Ok);
    assert_eq!(check["redundant"].list()[0]["row"].text(), "twice");
    assert_eq!(check["redundant"].list()[0]["depends_on"].list()[0].text(), "rod");
}

#[test]
fn simulate_says_what_was_redundant() {
    let (exit, run) = run_json("simulate --set twice=1 --t-end 0.01 --quiet");
    assert_eq!(exit, Exit::Ok);
    assert_eq!(run["redundant"].list()[0]["row"].text(), "twice");
    assert!(run["rank_changes"].list().is_empty());
    let open: Vec<&str> = run["undetermined"].list().iter().map(|name| name.text()).collect();
    assert!(open.starts_with(&["lambda(rod)", "lambda(twice)"]), "{open:?}");
    let outcome = self::run("simulate --set twice=1 --t-end 0.01");
    assert!(outcome.err.contains("(share not determined)"), "{}", outcome.err);
    let told = "1 constraint row left out as redundant, its reaction zero:\n    twice is redundant with rod";
    assert!(outcome.err.contains(told), "{}", outcome.err);
    // A table says it too, and what was asked for as the least share.
    let folder = Folder::new("shares");
    let headings = |more: &str| {
        let out = folder.file("run.csv");
        let told = self::run(&format!("simulate --set twice=1 --t-end 0.01 --out {out}{more}")).err;
        let table = std::fs::read_to_string(&out).unwrap();
        (table.lines().next().unwrap_or_default().to_string(), told)
    };
    let (kept, _) = headings("");
    assert_eq!(kept.matches(" (share not determined)").count(), open.len(), "{kept}");
    let (least, told) = headings(" --least-shares");
    assert_eq!(least, kept.replace("share not determined", "least share"));
    assert!(told.contains("(least share)") && !told.contains("zero"), "{told}");
}

#[test]
fn simulate_checks_first_when_asked() {
    let outcome = run("simulate --check --t-end 0.01");
    assert_eq!(outcome.exit, Exit::Ok);
    let (checked, reached) = (outcome.err.find("Derivatives"), outcome.err.find("reached t"));
    assert!(checked.is_some() && checked < reached, "{}", outcome.err);
    assert!(outcome.out.is_empty());
}

#[test]
fn compare_measures_errors_and_work() {
    let folder = Folder::new("compare");
    let (csv, svg) = (folder.file("study.csv"), folder.file("study.svg"));
    let line = format!(
        "compare --methods hht-i3,gen-alpha-soi2 --steps 4e-3,2e-3,1e-3 --reference-tol 1e-10 \
         --out {csv} --plot {svg} --against steps"
    );
    let (exit, study) = run_json(&line);
    assert_eq!(exit, Exit::Ok);
    assert!(study["uncertainty"].number() < 1e-6);
    let trials = study["trials"].list();
    assert_eq!(trials.len(), 6);
    for method in trials.chunks(3) {
        let errors: Vec<f64> = method.iter().map(|t| t["error"].number()).collect();
        // Both are of order 2.
        for pair in errors.windows(2) {
            assert!((3.4..4.6).contains(&(pair[0] / pair[1])), "{errors:?}");
        }
        assert_eq!(method[2]["stats"]["steps"].number(), 500.0);
    }
    let table = read(&csv);
    assert_eq!(table.lines().count(), 7);
    assert!(table.starts_with("method,setting,value,error,worst,steps,"));
    let columns = table.lines().map(|l| l.split(',').count()).collect::<Vec<_>>();
    assert!(columns.iter().all(|c| *c == columns[0]), "{table}");
    let picture = read(&svg);
    assert!(picture.contains("hht-i3") && picture.contains("gen-alpha-soi2"));
}

#[test]
fn compare_lists_what_a_method_cannot_do_and_goes_on() {
    let outcome =
        run("compare --methods dae-alpha,hht-i3 --tols 1e-3,1e-4 --set roll=1 --t-end 0.1 \
         --reference-tol 1e-8");
    assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
    let rows: Vec<&str> = outcome.out.lines().filter(|l| l.starts_with("| ")).skip(1).collect();
    assert_eq!(rows.len(), 3, "{}", outcome.out);
    assert!(rows[0].starts_with("| dae-alpha | tol 1e-3 | ") && rows[0].contains("nonholonomic"));
    assert!(rows[2].starts_with("| hht-i3 | tol 1e-4 | "));
    for (line, part) in [
        ("compare --methods hht-i4", "did you mean `hht-i3`?"),
        ("compare --reference hht-i4", "did you mean `hht-i3`?"),
        ("compare --of heigth", "heigth"),
        ("compare --tols 2", "tol = 2"),
    ] {
        let outcome = run(line);
        assert_eq!(outcome.exit, Exit::Usage, "{line}: {}", outcome.err);
        assert!(outcome.err.contains(part), "{line}: {}", outcome.err);
    }
}

#[test]
fn the_estimate_can_be_left_out() {
    let with = run("simulate --t-end 1 --json");
    assert!(with.out.contains("\"error_estimate\":{"), "{}", with.out);
    let without = run("simulate --t-end 1 --json --no-estimate");
    assert!(without.out.contains("\"error_estimate\":null"), "{}", without.out);
    assert!(without.out.contains("it was not asked for"), "{}", without.out);
    let both = run("simulate --certify --no-estimate");
    assert_eq!(both.exit, Exit::Usage);
    assert!(both.err.contains("leave out --no-estimate"), "{}", both.err);
}

#[test]
fn fixed_steps_that_resolve_nothing_are_told() {
    let coarse =
        "simulate --method hht-i3 --alpha 0 --t-end 60 --step 2.5 --set L=20 --init q[0]=50";
    let outcome = run(coarse);
    assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
    assert!(outcome.err.contains("do not resolve the motion: about t ="), "{}", outcome.err);
    assert_eq!(run(&format!("{coarse} --strict")).exit, Exit::Accuracy);
    let fine = run("simulate --method hht-i3 --t-end 3 --step 0.05 --strict");
    assert_eq!(fine.exit, Exit::Ok, "{}", fine.err);
    assert!(!fine.err.contains("resolve"), "{}", fine.err);
}
