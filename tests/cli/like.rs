//! The file beside a table, and runs like an earlier one; tables compared.

use crate::{Folder, Outcome, read, run};
use mbd::cli::{Exit, Io, tool};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn compare(args: &[&str]) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let args = ["compare-runs"].iter().chain(args).copied();
    let exit = tool::run_with(args, &mut io);
    Outcome { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

#[test]
fn a_run_like_another_is_the_same_to_the_last_bit() {
    let folder = Folder::new("like");
    let (a, b) = (folder.file("a.csv"), folder.file("b.csv"));
    let options = "--set n=3 --set L=0.9 --set c[2]=7.3 --init q[1]=0.3 --method hht-i3 --alpha -0.1 \
                   --tol 1e-4 --max-step 0.02 --t-end 0.3 --every 0.01";
    assert_eq!(run(&format!("simulate {options} --out {a}")).exit, Exit::Ok);
    let again = run(&format!("simulate --like {a} --out {b}"));
    assert_eq!(again.exit, Exit::Ok, "{}", again.err);
    assert_eq!(read(&a), read(&b));
    let beside = |path: &str| crate::json::parse(&read(&format!("{path}.json")));
    assert_eq!(beside(&a)["parameters"]["c[2]"].number(), 7.3);
    assert_eq!(beside(&a)["model"].text(), "Rig");
    assert_eq!(read(&format!("{a}.json")), read(&format!("{b}.json")));

    // What is given takes the place of what was.
    let c = folder.file("c.csv");
    let fixed =
        run(&format!("simulate --like={a} --step 1e-3 --set L=1.0 --init q[1]=0.2 --out {c}"));
    assert_eq!(fixed.exit, Exit::Ok, "{}", fixed.err);
    let d = folder.file("d.csv");
    let whole = "--set n=3 --set c[2]=7.3 --init q[1]=0.2 --method hht-i3 --alpha -0.1 --step 1e-3 \
                 --t-end 0.3 --every 0.01";
    assert_eq!(run(&format!("simulate {whole} --out {d}")).exit, Exit::Ok);
    assert_eq!(read(&c), read(&d));
    // Another method has parameters of its own.
    let radau = run(&format!("simulate --like {a} --method radau5 --quiet"));
    assert_eq!(radau.exit, Exit::Ok, "{}", radau.err);
}

/// `--atol x=…` took the earlier `--init x=…` away, and a list did not take the place of an entry.
#[test]
fn what_is_given_takes_the_place_of_the_same_option_of_the_same_name() {
    let folder = Folder::new("like-names");
    let [a, b, c] = ["a.csv", "b.csv", "c.csv"].map(|name| folder.file(name));
    let line = "simulate --t-end 0.1 --rho 0.8";
    let earlier = run(&format!("{line} --init q[0]=0.5 --init q[1]=0.2 --out {a}"));
    assert_eq!(earlier.exit, Exit::Ok, "{}", earlier.err);
    for (now, whole) in [
        ("--atol q[0]=1e-9", "--init q[0]=0.5 --init q[1]=0.2 --atol q[0]=1e-9"),
        ("--init=q[0]=0.3", "--init q[1]=0.2 --init q[0]=0.3"),
        ("--init q=[0.3,0.4]", "--init q[0]=0.3 --init q[1]=0.4"),
    ] {
        for line in
            [&format!("simulate --like {a} {now} --out {b}"), &format!("{line} {whole} --out {c}")]
        {
            let outcome = run(line);
            assert_eq!(outcome.exit, Exit::Ok, "{line}: {}", outcome.err);
        }
        assert_eq!(read(&b), read(&c), "{now}");
        assert_eq!(read(&format!("{b}.json")), read(&format!("{c}.json")), "{now}");
    }
}

/// One that had `--rho` could not be repeated with `--alpha`, which says the same: both were said to be given.
#[test]
fn what_is_given_takes_the_place_of_what_it_excludes() {
    let folder = Folder::new("like-instead");
    let [a, b, c] = ["a.csv", "b.csv", "c.csv"].map(|name| folder.file(name));
    let checkpoint = folder.file("run.mbd");
    let checkpoint = format!("--checkpoint {checkpoint}");
    for (earlier, now) in [
        ("--rho 0.8", "--alpha -0.1"),
        ("--alpha -0.1", "--rho 0.8"),
        ("--tol 1e-4", "--step 1e-2"),
        ("--max-step 1e-2", "--step 1e-2"),
        ("--step 1e-2", "--tol 1e-4"),
        ("--step 1e-2", "--max-step 2e-2"),
        ("--atol x=1e-7", "--step 1e-2"),
        ("--step 1e-2", "--atol x=1e-7"),
        ("--step 1e-2", "--certify"),
        ("--certify", "--step 1e-2"),
        ("--certify", "--no-estimate"),
        ("--no-estimate", "--certify"),
        ("--certify", &checkpoint),
    ] {
        let line = "simulate --t-end 0.1 --method hht-i3";
        for line in [
            &format!("{line} {earlier} --out {a}"),
            &format!("simulate --like {a} {now} --out {b}"),
            &format!("{line} {now} --out {c}"),
        ] {
            let outcome = run(line);
            assert_eq!(outcome.exit, Exit::Ok, "{line}: {}", outcome.err);
        }
        assert_eq!(read(&b), read(&c), "{earlier}, then {now}");
    }
}

#[test]
fn a_run_on_dual_numbers_says_so_and_is_repeated_on_them() {
    let folder = Folder::new("duals");
    let [a, b, c] = ["a.csv", "b.csv", "c.csv"].map(|name| folder.file(name));
    let options = "--method hht-i3 --step 1e-3 --t-end 0.1";
    let dual = run(&format!("simulate {options} --derivatives dual --out {a}"));
    assert_eq!(dual.exit, Exit::Ok, "{}", dual.err);
    assert!(dual.err.contains("every derivative on dual numbers"), "{}", dual.err);
    assert_eq!(run(&format!("simulate --like {a} --out {b}")).exit, Exit::Ok);
    assert_eq!(read(&a), read(&b));
    // By programs: another computation of the same motion.
    let programs = run(&format!("simulate --like {a} --derivatives program --out {c}"));
    assert_eq!(programs.exit, Exit::Ok, "{}", programs.err);
    assert!(!programs.err.contains("dual numbers"), "{}", programs.err);
    assert_ne!(read(&a), read(&c));
    let values = |path: &str| -> Vec<f64> {
        let text = read(path);
        text.lines().last().unwrap().split(',').map(|value| value.parse().unwrap()).collect()
    };
    let (is, should) = (values(&a), values(&c));
    let largest = should.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(
        is.iter().zip(&should).all(|(a, b)| (a - b).abs() < 1e-8 * largest),
        "{is:?} {should:?}"
    );
    for (by, name) in [("", "program"), ("--derivatives dual", "dual")] {
        for command in ["simulate", "compare --methods hht-i3 --steps 1e-2"] {
            let json = run(&format!("{command} --quiet --json --t-end 0.05 {by}"));
            assert_eq!(crate::json::parse(&json.out)["derivatives"].text(), name, "{}", json.err);
        }
    }
}

#[test]
fn what_is_no_run_of_this_model_is_told() {
    let folder = Folder::new("unlike");
    let a = folder.file("a.csv");
    let none = run(&format!("simulate --like {a}"));
    assert_eq!(none.exit, Exit::InputOutput);
    assert!(none.err.contains("a.csv.json") && none.err.contains("writes it"), "{}", none.err);
    for (text, exit, part) in [
        ("{", Exit::InputOutput, "no JSON at byte 1"),
        ("{}", Exit::InputOutput, "no `model`"),
        (r#"{"model":"Other"}"#, Exit::Usage, "is of a run of `Other`, and this is `Rig`"),
        (r#"{"model":"Rig","parameters":{"L":null}}"#, Exit::InputOutput, "`L` is no number"),
        (r#"{"model":"Rig","parameters":{"gone":1.0},"arguments":[]}"#, Exit::Model, "gone"),
    ] {
        std::fs::write(format!("{a}.json"), text).unwrap();
        let outcome = run(&format!("simulate --like {a}"));
        assert_eq!(outcome.exit, exit, "{text}: {}", outcome.err);
        assert!(outcome.err.contains(part), "{text}: {}", outcome.err);
    }
    let both = folder.file("b.csv");
    let clash = run(&format!("simulate --out {both} --plot {both}.json"));
    assert_eq!(clash.exit, Exit::Usage, "{}", clash.err);
}

#[test]
fn an_animation_shows_earlier_runs_beside_its_own() {
    let folder = Folder::new("beside");
    let (a, b, page) = (folder.file("a.csv"), folder.file("b.csv"), folder.file("run.html"));
    for (file, options) in [(&a, "--set L=0.9"), (&b, "--method radau5 --set n=2")] {
        assert_eq!(run(&format!("simulate --t-end 0.2 {options} --out {file}")).exit, Exit::Ok);
    }
    let shown = run(&format!("simulate --t-end 0.2 --animate {page} --beside {a},{b}"));
    assert_eq!(shown.exit, Exit::Ok, "{}", shown.err);
    let text = read(&page);
    let data = text.split("id=\"data\">").nth(1).unwrap();
    let data = crate::json::parse(data.split("</script>").next().unwrap().trim());
    let others: Vec<&str> = data["others"].list().iter().map(|o| o["name"].text()).collect();
    assert_eq!(others, ["a.csv", "b.csv"]);
    assert!(data["others"].list()[0]["frames"].number() > 2.0);

    let none = run(&format!("simulate --animate {page} --beside {}", folder.file("none.csv")));
    assert_eq!(none.exit, Exit::InputOutput, "{}", none.err);
    // A table of other quantities, as of another size.
    assert_eq!(run(&format!("simulate --t-end 0.2 --set n=3 --out {a}")).exit, Exit::Ok);
    std::fs::copy(format!("{b}.json"), format!("{a}.json")).unwrap();
    let other = run(&format!("simulate --animate {page} --beside {a}"));
    assert_eq!(other.exit, Exit::InputOutput);
    assert!(other.err.contains("not those of this model"), "{}", other.err);
}

#[test]
fn runs_are_compared_at_their_common_times() {
    let folder = Folder::new("compare-runs");
    let files = ["a.csv", "b.csv", "c.csv", "d.csv"].map(|name| folder.file(name));
    let [a, b, c, d] = files.each_ref().map(String::as_str);
    let line = "simulate --t-end 0.3 --every 0.01 --method radau5";
    for (file, more) in [(a, "--tol 1e-8"), (b, "--tol 1e-10"), (c, "--tol 1e-8 --set L=0.95")] {
        assert_eq!(run(&format!("{line} {more} --out {file}")).exit, Exit::Ok);
    }
    let same = compare(&[a, a, "--tol", "0"]);
    assert_eq!((same.exit, same.err.as_str()), (Exit::Ok, ""));
    assert!(
        same.out.contains("at 31 times") && same.out.ends_with("agree to 0e0\n"),
        "{}",
        same.out
    );
    let of_model = run(&format!("compare-runs {a} {a} --tol 0"));
    assert_eq!((of_model.exit, of_model.out), (same.exit, same.out));
    let near = compare(&[a, b, "--tol=1e-5"]);
    assert_eq!(near.exit, Exit::Ok, "{}", near.out);
    let far = compare(&[a, c]);
    assert_eq!(far.exit, Exit::Accuracy, "{}", far.out);
    assert!(far.out.contains("differ by more than 1e-6"), "{}", far.out);
    let value = crate::json::parse(&compare(&[a, c, "--json"]).out);
    assert_eq!(value["times"].number(), 31.0);
    assert!(value["differences"].list()[0]["relative"].number() > 1e-3);

    // One number changed by hand is found, with its time.
    let text = read(a);
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    let mut fields: Vec<&str> = lines[11].split(',').collect();
    fields[1] = "0.625";
    lines[11] = fields.join(",");
    std::fs::write(d, lines.join("\n")).unwrap();
    let changed = compare(&[a, d, "--tol", "1e-9"]);
    assert_eq!(changed.exit, Exit::Accuracy);
    assert!(
        changed.out.contains("x [m]") && changed.out.contains("at t = 0.1 s"),
        "{}",
        changed.out
    );
    // NaN against a number is no agreement, whatever the tolerance.
    lines[11] = lines[11].replacen("0.625", "NaN", 1);
    std::fs::write(d, lines.join("\n")).unwrap();
    assert_eq!(compare(&[a, d, "--tol", "1e9"]).exit, Exit::Accuracy);
}

/// The second was held against the first: a table differed from itself by half of its scale.
#[test]
fn columns_of_one_name_are_compared_each_with_its_own() {
    let folder = Folder::new("compare-names");
    let (a, b) = (folder.file("a.csv"), folder.file("b.csv"));
    let table = "t [s],x [m],x [m]\n0.0,1.0,2.0\n1.0,3.0,6.0\n";
    std::fs::write(&a, table).unwrap();
    let same = compare(&[&a, &a, "--tol", "0"]);
    assert_eq!(same.exit, Exit::Ok, "{}", same.out);
    assert!(same.out.starts_with("2 quantities at 2 times"), "{}", same.out);
    std::fs::write(&b, table.replace("6.0", "9.0")).unwrap();
    let value = crate::json::parse(&compare(&[&a, &b, "--json"]).out);
    let differences = value["differences"].list();
    let of = |k: usize| (differences[k]["name"].text(), differences[k]["absolute"].number());
    assert_eq!((of(0), of(1)), (("x [m] (2)", 3.0), ("x [m]", 0.0)));
    std::fs::write(&b, "t [s],x [m]\n0.0,1.0\n1.0,3.0\n").unwrap();
    for tables in [[&a, &b], [&b, &a]] {
        let less = compare(&tables.map(String::as_str));
        assert_eq!(less.exit, Exit::Accuracy);
        assert!(less.out.contains("x [m] (2) is in one of the tables only"), "{}", less.out);
    }
}

#[test]
fn tables_that_cannot_be_compared_are_told() {
    let folder = Folder::new("compare-refused");
    let (a, b) = (folder.file("a.csv"), folder.file("b.csv"));
    std::fs::write(&a, "t [s],x [m]\n0.0,1.0\n1.0,2.0\n").unwrap();
    for (text, exit, part) in [
        ("t [s],x [m]\n0.0,1.0\n0.7,2.0\n", Exit::Usage, "1 time in common"),
        ("t [s],x [m]\n0.0,1.0\n1.0\n", Exit::InputOutput, "line 3: 1 numbers for 2 names"),
        ("t [s],x [m]\n0.0,1.0\n1.0,two\n", Exit::InputOutput, "`two` is no number"),
        ("t [s],x [m]\n1.0,1.0\n0.0,2\n", Exit::InputOutput, "time goes back"),
        ("", Exit::InputOutput, "does not name"),
    ] {
        std::fs::write(&b, text).unwrap();
        let outcome = compare(&[&a, &b]);
        assert_eq!(outcome.exit, exit, "{text}: {}", outcome.err);
        assert!(outcome.err.contains(part), "{text}: {}", outcome.err);
        let value = crate::json::parse(&compare(&[&a, &b, "--json"]).out);
        assert_eq!(value["error"]["code"].number(), f64::from(exit.code()), "{text}");
        assert!(value["error"]["message"].text().contains(part), "{text}");
    }
    std::fs::write(&b, "t [s],x [m],y [m]\n0.0,1.0,0.0\n1.0,2.0,0.0\n").unwrap();
    let more = compare(&[&a, &b]);
    assert_eq!(more.exit, Exit::Accuracy);
    assert!(more.out.contains("y [m] is in one of the tables only"), "{}", more.out);
    for (args, part) in [
        (&[a.as_str()][..], "give two tables"),
        (&[&a, &b, "--tol", "x"], "`x` is no number"),
        (&[&a, &b, "--tol", "-1"], "`-1` is no number of 0 or more"),
        (&[&a, &b, "--tul", "1"], "did you mean --tol?"),
    ] {
        let outcome = compare(args);
        assert_eq!(outcome.exit, Exit::Usage);
        assert!(outcome.err.contains(part), "{}", outcome.err);
    }
}
