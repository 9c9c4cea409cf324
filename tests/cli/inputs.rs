//! `--input`: numbers and tables from files.

use super::Folder;
use mbd::cli::{Exit, Io, run_with};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

mbd::mechanism! {
    /// A mass that is pushed.
    pub mechanism Pushed {
        /// What pushes.
        input push: [N] = 0.5;
        input wind: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force all along x = push + wind;
        until 2.0;
    }
}

fn run(args: &[&str]) -> (Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let exit = run_with::<Pushed>("pushed", args.iter().copied(), &mut io);
    (exit, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// The last value of x, as a run with these inputs prints it.
fn end(inputs: &[&str]) -> f64 {
    let mut args = vec!["simulate", "--json", "--quiet", "--tol", "1e-8"];
    args.extend(inputs.iter().flat_map(|input| ["--input", input]));
    let (exit, out, err) = run(&args);
    assert_eq!(exit, Exit::Ok, "{err}");
    let number = out.split("\"x\":").nth(1).unwrap();
    number.split([',', '}']).next().unwrap().trim().parse().unwrap()
}

#[test]
fn numbers_and_tables_feed_inputs() {
    let folder = Folder::new("inputs");
    let file = |name: &str, text: &str| {
        let path = folder.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let is = |inputs: &[&str], expected: f64| {
        let x = end(inputs);
        assert!((x - expected).abs() < 1e-5, "{inputs:?}: {x} for {expected}");
    };
    is(&[], 1.0);
    is(&["push=3.0"], 6.0);
    is(&["push=1.0", "wind=-1.0"], 0.0);
    // ∬ t = 4/3.
    let two = file("two.csv", "# measured\ntime [s],force\n0,0\n\n2,2\n");
    is(&[&format!("push={two}")], 4.0 / 3.0);
    is(&[&format!("push={two}:force,steps")], 0.0);
    let more = file("more.csv", "\u{feff}t;wind [N];\"a;b\"\n0;0;1\n1;1;1\n2;4;1\n");
    is(&[&format!("wind={more},spline"), "push=0"], 4.0 / 3.0);
    is(&[&format!("push={more}:3")], 2.0);
    is(&[&format!("push={more}:a;b")], 2.0);
    let early = file("early.csv", "0,1\n1,1\n");
    is(&[&format!("push={early},held")], 2.0);
}

#[test]
fn what_cannot_feed_an_input_says_where() {
    let folder = Folder::new("no-inputs");
    let file = |name: &str, text: &str| {
        let path = folder.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let refused = |input: &str, exit: Exit, says: &[&str]| {
        let (is, _, err) = run(&["simulate", "--input", input]);
        assert_eq!(is, exit, "{input}: {err}");
        for says in says {
            assert!(err.contains(says), "{input}: {err}");
        }
    };
    let word = file("word.csv", "t,push\n0,1\n1,one\n");
    refused(&format!("push={word}"), Exit::InputOutput, &["push", "word.csv, line 3", "`one`"]);
    let back = file("back.csv", "t,push\n0,1\n2,1\n1,1\n");
    refused(&format!("push={back}"), Exit::InputOutput, &["line 4", "the times of a table rise"]);
    // Lines are those of the file, with its remarks, empty lines, and breaks of every kind.
    let remarks =
        file("remarks.csv", "# of a test\r\nt;push\r\n\r\n0;1\r\n# more\r\n  \r\n1;one\r\n");
    refused(&format!("push={remarks}"), Exit::InputOutput, &["remarks.csv, line 7", "`one`"]);
    let broken = file("broken.csv", "t,\"push,\nthe force\"\n0,1\n1,one");
    refused(&format!("push={broken}:2"), Exit::InputOutput, &["broken.csv, line 4", "`one`"]);
    let short = file("short.csv", "t,a,push\n0,1,1\n2,1\n");
    refused(&format!("push={short}"), Exit::InputOutput, &["line 3", "2 columns"]);
    refused(&format!("wind={short}"), Exit::InputOutput, &["`wind`", "a, push", ":a`"]);
    refused(&format!("push={short}:b"), Exit::InputOutput, &["no column `b`", "a, push"]);
    refused("push=nowhere.csv", Exit::InputOutput, &["cannot read nowhere.csv"]);
    let early = file("early.csv", "0,1\n1,1\n");
    refused(&format!("push={early}"), Exit::Model, &["`push`", "from t = 0 s to 1 s", "`held`"]);
    refused(&format!("push={early},cubic"), Exit::Usage, &["`spline`", "`cubic`"]);
    refused("pull=1", Exit::Usage, &["`pull` is not an input of this model"]);
    refused("push", Exit::Usage, &["--input", "NAME=SIGNAL"]);
    refused("push=inf", Exit::Model, &["`push`", "no finite number"]);
}

#[test]
fn info_lists_inputs() {
    let (exit, out, _) = run(&["info"]);
    assert_eq!(exit, Exit::Ok);
    assert!(out.contains("Inputs") && out.contains("What pushes."), "{out}");
    let (_, json, _) = run(&["info", "--json"]);
    assert!(json.replace(' ', "").contains("\"inputs\":[{"), "{json}");
}

#[test]
fn a_run_is_repeated_with_its_inputs() {
    let folder = Folder::new("inputs-like");
    let file = |name: &str| folder.0.join(name).display().to_string();
    let (a, b, c) = (file("a.csv"), file("b.csv"), file("c.csv"));
    let once = ["simulate", "--quiet", "--input", "push=2.0", "--input", "wind=-0.5", "--out", &a];
    assert_eq!(run(&once).0, Exit::Ok);
    assert_eq!(run(&["simulate", "--quiet", "--like", &a, "--out", &b]).0, Exit::Ok);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&a), read(&b));
    let other = ["simulate", "--quiet", "--like", &a, "--input", "wind=0.5", "--out", &c];
    assert_eq!(run(&other).0, Exit::Ok);
    assert_ne!(read(&a), read(&c));
    assert!(read(&format!("{c}.json")).contains("push=2.0"));
}
