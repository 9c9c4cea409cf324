//! Several runs in one picture, one quantity over another, and what a run did.

use super::{Folder, Outcome, read};
use mbd::cli::{Exit, Io, run_with};
use mbd::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

mechanism! {
    /// A damped spring that a switch lets go.
    pub mechanism Spring {
        param m: [kg] = 1.0;
        param k: [N/m] = 4.0;
        param c: [N*s/m] = 0.1;
        coord x: [m];
        mode high = false;
        kinetic mass = 0.5*m*sq(der(x));
        potential spring = 0.5*k*sq(x);
        dissipation damper = 0.5*c*sq(der(x));
        event rise when x > 0.5 && !high { high = true; der(x) = 0.5*der(x); }
        init x = -1.0;
        until 2.0;
    }
}

fn spring(line: &str) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let exit = run_with::<Spring>("spring", line.split_whitespace(), &mut io);
    Outcome { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

/// A table's column.
fn column(table: &str, name: &str) -> Vec<f64> {
    let mut lines = table.lines();
    let at = lines.next().unwrap().split(',').position(|heading| heading == name);
    let at = at.unwrap_or_else(|| panic!("no column `{name}`"));
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

/// The curves of an SVG by their names.
fn titles(svg: &str) -> Vec<&str> {
    let curves = svg.split("clip-path=\"url(#panel").skip(1);
    curves.map(|curve| curve.split("<title>").nth(1).unwrap().split('<').next().unwrap()).collect()
}

/// The data of a page.
fn data(page: &str) -> Value {
    let from = page.find("id=\"data\">").unwrap() + 10;
    serde_json::from_str(page[from..].split("</script>").next().unwrap()).unwrap()
}

#[test]
fn a_sweep_is_one_run_for_each_value_in_one_picture() {
    let folder = Folder::new("sweep");
    let (svg, page) = (folder.file("sweep.svg"), folder.file("sweep.html"));
    let told = spring(&format!(
        "simulate --sweep k=1,4,9 --set c=0 --t-end 0.6 --method radau5 --tol 1e-10 --plot {svg} --show x --json"
    ));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    let names = ["x · k=1", "x · k=4", "x · k=9"];
    assert_eq!(titles(&read(&svg)), names);
    for name in ["k=1: reached t = 0.6 s", "k=9: reached t = 0.6 s"] {
        assert!(told.err.contains(name), "{}", told.err);
    }
    // Each run is that of its value.
    let object: Value = serde_json::from_str(&told.out).unwrap();
    let runs = object["runs"].as_array().unwrap();
    assert_eq!((object["sweep"].as_str(), runs.len()), (Some("k"), 3));
    for (run, k) in runs.iter().zip([1.0f64, 4.0, 9.0]) {
        assert_eq!(run["parameters"]["k"].as_f64(), Some(k));
        let x = run["q"]["x"].as_f64().unwrap();
        assert!((x + (0.6 * k.sqrt()).cos()).abs() < 1e-6, "{k}: {x}");
    }
    let told = spring(&format!("simulate --sweep k=1,4 --plot {page}"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    let data = data(&read(&page));
    assert_eq!(
        (data["name"].as_str(), data["others"][0]["name"].as_str()),
        (Some("k=1"), Some("k=4"))
    );
}

#[test]
fn what_no_sweep_can_be_is_refused_before_anything_runs() {
    for (line, part) in [
        ("--sweep k=1,2", "--animate FILE.html, --plot FILE.svg or --json"),
        ("--sweep k=1,2 --plot a.svg --out a.csv", "--out is the table of one run"),
        ("--sweep k=1,2,1 --plot a.svg", "k=1 is given twice"),
        ("--sweep k=1,,2 --plot a.svg", "is not a number"),
        ("--sweep k=1,2,3,4,5,6,7,8 --plot a.svg", "up to 7 runs"),
        ("--sweep k=1,2 --plot a.svg --checkpoint a.mbd", "are for one run"),
        ("--sweep k=1,2 --animate a.glb", "a .glb file has one run"),
        ("--sweep stiffness=1,2 --json", "stiffness"),
    ] {
        let told = spring(&format!("simulate {line}"));
        assert!(matches!(told.exit, Exit::Usage | Exit::Model), "{line}: {:?}", told.exit);
        assert!(told.err.contains(part), "{line}: {}", told.err);
    }
}

#[test]
fn stored_runs_are_drawn_beside_each_other() {
    let folder = Folder::new("stored");
    let (soft, hard) = (folder.file("soft.csv"), folder.file("hard.csv"));
    for (table, k) in [(&soft, 1), (&hard, 9)] {
        assert_eq!(spring(&format!("simulate --quiet --set k={k} --out {table}")).exit, Exit::Ok);
    }
    let (svg, page, moving) = (folder.file("a.svg"), folder.file("a.html"), folder.file("b.html"));
    let told = spring(&format!("plot {soft} {hard} --show x,der(x) --plot {svg}"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    let picture = read(&svg);
    assert_eq!(
        titles(&picture),
        ["x · soft.csv", "x · hard.csv", "der(x) · soft.csv", "der(x) · hard.csv"]
    );
    // A run has one colour; only the harder spring comes above 0.5 m.
    assert!(picture.contains("2 runs, gen-alpha-soi2, 1 event"), "{picture}");
    let told = spring(&format!("plot {soft} {hard} --plot {page} --animate {moving}"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    for page in [&page, &moving] {
        let data = data(&read(page));
        assert_eq!(data["others"][0]["name"], "hard.csv");
        assert_eq!(data["others"][0]["events"].as_array().unwrap().len(), 1);
        assert!(data["steps"].as_f64().unwrap() > 10.0);
    }
    // And beside a new run, in a plot too.
    let told = spring(&format!("simulate --plot {svg} --show x --beside {hard}"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    assert_eq!(titles(&read(&svg)), ["x", "x · hard.csv"]);
    for (line, part) in [
        ("plot".to_string(), "say which runs to draw"),
        (format!("plot {soft}"), "say where to"),
        (format!("plot {soft} --show y --plot {svg}"), "y"),
        (format!("plot {} --plot {svg}", folder.file("none.csv")), "none.csv"),
    ] {
        let told = spring(&line);
        assert!(told.exit != Exit::Ok && told.err.contains(part), "{line}: {}", told.err);
    }
}

#[test]
fn one_quantity_is_drawn_over_another() {
    let folder = Folder::new("phase");
    let (svg, page) = (folder.file("phase.svg"), folder.file("phase.html"));
    let told = spring(&format!("simulate --plot {svg} --show x:der(x)"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    let picture = read(&svg);
    assert!(picture.contains(">x [m]<") && picture.contains(">der(x) [m/s]<"), "{picture}");
    let told = spring(&format!("simulate --plot {svg} --show x,x:der(x)"));
    assert_eq!(told.exit, Exit::Usage, "{}", told.err);
    assert!(told.err.contains("one horizontal axis"), "{}", told.err);
    let told = spring(&format!("simulate --plot {page} --show x,x:der(x)"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    assert_eq!(data(&read(&page))["phases"][0], serde_json::json!(["x", "der(x)"]));
}

#[test]
fn a_run_tells_its_steps_and_its_power_balance() {
    let folder = Folder::new("history");
    let out = folder.file("run.csv");
    let told = spring(&format!("simulate --no-events --history --tol 1e-6 --out {out} --json"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    let table = read(&out);
    let sizes = column(&table, "step.size [s]");
    let times = column(&table, "t [s]");
    // The row after an event begins a step, all others end one.
    let steps: Vec<usize> = (1..times.len()).filter(|&k| times[k] > times[k - 1]).collect();
    let sum: f64 = steps.iter().map(|&k| sizes[k]).sum();
    assert!(sizes[0].is_nan() && (sum - 2.0).abs() < 1e-12, "{sum}");
    let object: Value = serde_json::from_str(&told.out).unwrap();
    let iterations = column(&table, "step.iterations");
    let iterations: f64 = steps.iter().map(|&k| iterations[k]).sum();
    assert!(
        iterations > 0.0 && iterations <= object["stats"]["newton_iterations"].as_f64().unwrap()
    );
    assert!(column(&table, "step.error")[1..].iter().all(|error| *error <= 1.0));
    // What the energy lost is what the balance says, at every row, and at the end what the summary says.
    let energy = column(&table, "energy [J]");
    let balance = ["work", "dissipated", "numerical", "events", "remainder"]
        .map(|part| column(&table, &format!("balance.{part} [J]")));
    for (k, now) in energy.iter().enumerate() {
        let [work, dissipated, numerical, events, remainder] =
            balance.each_ref().map(|part| part[k]);
        let off = now - energy[0] - (work - dissipated - numerical + events + remainder);
        assert!(off.abs() < 1e-12, "row {k}: {off}");
    }
    // The estimate of the error at the end is that of the run, and before it no larger but for scales that grew since.
    let errors = column(&table, "error.position");
    assert!(errors[0].is_nan() && errors.iter().filter(|e| e.is_finite()).count() > 10);
    assert_eq!(errors.last().copied(), object["error_estimate"]["q"].as_f64());
    let last = balance[1].last().copied();
    assert_eq!(last, object["balance"]["dissipated"].as_f64());
    assert!(last.unwrap() > 0.1);
    // The table is like any other: it repeats its run, and is drawn.
    let again = folder.file("again.csv");
    assert_eq!(spring(&format!("simulate --quiet --like {out} --out {again}")).exit, Exit::Ok);
    assert_eq!(read(&again), table);
    let svg = folder.file("steps.svg");
    let told = spring(&format!("plot {out} --show step.size,balance.work --plot {svg}"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    assert_eq!(titles(&read(&svg)), ["step.size", "balance.work"]);
}

/// Shown were the coordinates that the model has by itself: two of four.
#[test]
fn a_table_of_a_larger_model_is_drawn_whole() {
    let folder = Folder::new("sizes");
    let (out, own, svg) = (folder.file("run.csv"), folder.file("own.svg"), folder.file("run.svg"));
    for line in [
        format!("simulate --set n=4 --t-end 0.1 --out {out} --plot {own}"),
        format!("plot {out} --plot {svg}"),
    ] {
        let outcome = crate::run(&line);
        assert_eq!(outcome.exit, Exit::Ok, "{line}: {}", outcome.err);
    }
    for name in ["height", "x", "y", "q[0]", "q[1]", "q[2]", "q[3]"] {
        for picture in [&own, &svg] {
            assert!(read(picture).contains(&format!(">{name}<")), "{name} in {picture}");
        }
    }
}

/// What was said of the size was left out: the model had no parameter `c[2]`.
#[test]
fn a_swept_size_leaves_what_is_set_of_a_larger_array() {
    let folder = Folder::new("sizes-swept");
    let out = folder.file("run.csv");
    let line = "simulate --quiet --t-end 0.1 --set n=3 --set c[2]=7";
    assert_eq!(crate::run(&format!("{line} --out {out}")).exit, Exit::Ok);
    let (_, own) = crate::run_json(line);
    for line in [line, &format!("simulate --quiet --like {out}")] {
        let (exit, json) = crate::run_json(&format!("{line} --sweep n=2,3"));
        assert_eq!(exit, Exit::Ok, "{line}");
        let [two, three] = json["runs"].list() else { panic!("two runs") };
        assert_eq!(two["q"].keys(), ["x", "y", "q[0]", "q[1]"]);
        assert_eq!(three["q"]["q[2]"], own["q"]["q[2]"], "{line}");
    }
}

#[test]
fn discrete_values_are_in_tables_and_plots() {
    let folder = Folder::new("modes");
    let (out, svg) = (folder.file("run.csv"), folder.file("run.svg"));
    let told = spring(&format!("simulate --out {out} --plot {svg} --json"));
    assert_eq!(told.exit, Exit::Ok, "{}", told.err);
    let object: Value = serde_json::from_str(&told.out).unwrap();
    let at = object["events"][0]["t"].as_f64().unwrap();
    let table = read(&out);
    for (t, above) in column(&table, "t [s]").into_iter().zip(column(&table, "high")) {
        let expected = if t < at { 0.0 } else { 1.0 };
        assert!(above == expected || (t - at).abs() < 1e-9, "{t}: {above}");
    }
    assert_eq!(object["modes"]["high"].as_f64(), Some(1.0));
    assert_eq!(titles(&read(&svg)), ["x", "high"]);
}
