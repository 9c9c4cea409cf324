//! What is written survives: rows while the run goes, files that stood there, pipes and full disks.

use super::{Folder, Outcome, Rig, read, run, run_args, run_json};
use mbd::cli::{Exit, Io, run_with};
use mbd::integrate::Step;
use mbd::{CsvStream, Error, OutputError, Simulation, SolutionExt};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

/// Names in a folder.
fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn simulation<'a>() -> Simulation<'a> {
    Simulation::new(&Rig::default()).step(Step::fixed(1e-3)).until(0.4)
}

#[test]
fn streamed_rows_are_those_of_a_kept_run_and_none_stays_in_memory() {
    for every in [None, Some(7e-4), Some(0.03)] {
        let set = |s: Simulation<'static>| match every {
            Some(dt) => s.every(dt),
            None => s,
        };
        let kept = set(simulation()).run().unwrap();
        let mut expected = Vec::new();
        kept.write_csv_to(&mut expected).unwrap();
        let mut streamed = Vec::new();
        let mut rows = CsvStream::new(&mut streamed);
        let model = Rig::default();
        let mut run = Simulation::new(&model).step(Step::fixed(1e-3)).until(0.4);
        if let Some(dt) = every {
            run = run.every(dt);
        }
        let ends = run.stream(&mut rows).run().unwrap();
        rows.finish().unwrap();
        assert_eq!(String::from_utf8(streamed).unwrap(), String::from_utf8(expected).unwrap());
        assert!(ends.steps.is_empty() && ends.len() == 2);
        assert_eq!(ends.row(0), kept.row(0));
        assert_eq!(ends.row(1), kept.row(kept.len() - 1));
        assert_eq!((ends.stats.steps, kept.steps.len()), (400, 400));
    }
}

#[test]
fn a_sink_that_fails_ends_the_run_with_its_error() {
    let mut count = 0;
    let error = OutputError::Write { path: "here".into(), reason: "no more".into() };
    let mut sink = |_: &[f64]| {
        count += 1;
        if count > 5 { Err(error.clone()) } else { Ok(()) }
    };
    let outcome = simulation().stream(&mut sink).run().unwrap_err();
    assert_eq!(outcome.error, Error::Output(error));
    assert_eq!(outcome.partial.unwrap().stats.steps, 5);
    assert_eq!(count, 6);
}

#[test]
fn rows_are_in_the_part_while_the_run_goes_and_what_stood_there_stands() {
    let folder = Folder::new("stream");
    let out = folder.file("run.csv");
    fs::write(&out, "of old\n").unwrap();
    let mut rows = CsvStream::create(&out).unwrap();
    let part = rows.part().unwrap().to_path_buf();
    assert_eq!(part, folder.0.canonicalize().unwrap().join("run.csv.part"));
    let mut looked = 0;
    let look = |p: &mbd::simulation::Progress| {
        if p.steps.is_multiple_of(100) {
            // Rows wait 10 ms at most for the next.
            std::thread::sleep(Duration::from_millis(20));
        } else if p.steps % 100 == 2 && p.steps > 100 {
            let text = fs::read_to_string(&part).unwrap();
            assert!(text.ends_with('\n'));
            // The header, the start, and all steps but the latest.
            assert!(text.lines().count() >= p.steps, "{}", text.lines().count());
            assert_eq!(fs::read_to_string(&out).unwrap(), "of old\n");
            looked += 1;
        }
    };
    simulation().progress(look).stream(&mut rows).run().unwrap();
    rows.finish().unwrap();
    assert_eq!(looked, 3);
    assert_eq!(read(&out).lines().count(), 402);
    assert_eq!(names(&folder), ["run.csv"]);
}

#[test]
fn the_part_is_told_and_one_that_a_killed_run_left_is_not_written_over() {
    let folder = Folder::new("part");
    let out = folder.file("run.csv");
    let part = folder.file("run.csv.part");
    fs::write(&part, "of a killed run\n").unwrap();
    let outcome = run(&format!("simulate --t-end 0.1 --out {out}"));
    assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
    let first = outcome.err.lines().next().unwrap();
    assert!(first.contains("run.csv.part-2") && first.ends_with("run.csv at the end"), "{first}");
    assert_eq!(read(&part), "of a killed run\n");
    assert_eq!(names(&folder), ["run.csv", "run.csv.json", "run.csv.part"]);
    let outcome = run(&format!("simulate --quiet --t-end 0.1 --out {out}"));
    assert_eq!((outcome.exit, outcome.err.as_str()), (Exit::Ok, ""));
}

#[test]
fn a_run_that_does_not_come_about_leaves_no_part() {
    let folder = Folder::new("nothing");
    let out = folder.file("run.csv");
    fs::write(&out, "of old\n").unwrap();
    let outcome = run(&format!("simulate --init x=3 --out {out}"));
    assert_eq!(outcome.exit, Exit::Assembly, "{}", outcome.err);
    assert_eq!((names(&folder), read(&out)), (vec!["run.csv".into()], "of old\n".into()));
}

#[test]
fn standard_output_takes_rows() {
    let expected = {
        let folder = Folder::new("stdout");
        let out = folder.file("run.csv");
        run(&format!("simulate --quiet --t-end 0.1 --out {out}"));
        read(&out)
    };
    for path in ["/dev/stdout", "/dev/fd/1"] {
        let outcome = run(&format!("simulate --t-end 0.1 --out {path}"));
        assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
        assert_eq!(outcome.out, expected);
    }
    let outcome = run("simulate --t-end 0.1 --out /dev/stdout --json");
    assert_eq!(outcome.exit, Exit::Usage);
    assert!(outcome.err.contains("--json and --out would write to one file"), "{}", outcome.err);
}

/// `plot run.csv --plot run.csv` wrote the picture over the table.
#[test]
fn what_is_read_is_not_overwritten() {
    let folder = Folder::new("read");
    let (out, other) = (folder.file("run.csv"), folder.file("other.svg"));
    run(&format!("simulate --quiet --t-end 0.1 --out {out}"));
    let table = read(&out);
    let detour = folder.file("./run.csv");
    for (line, option) in [
        (format!("plot {out} --plot {out}"), "--plot"),
        (format!("plot {out} --plot {detour}"), "--plot"),
        (format!("simulate --t-end 0.1 --beside {out} --plot {other} --out {out}"), "--out"),
        (format!("simulate --t-end 0.1 --input u={out}:t,spline --out {out}"), "--out"),
    ] {
        let outcome = run(&line);
        assert_eq!(outcome.exit, Exit::Usage, "{line}: {}", outcome.err);
        let expected = format!("{option} would overwrite");
        assert!(outcome.err.contains(&expected), "{line}: {}", outcome.err);
        assert_eq!(read(&out), table, "{line}");
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn a_pipe_with_a_name_takes_rows() {
        let folder = Folder::new("fifo");
        let pipe = folder.file("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || read(&pipe)
        });
        let outcome = run(&format!("simulate --t-end 0.1 --every 0.01 --out {pipe}"));
        assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
        assert_eq!(reader.join().unwrap().lines().count(), 12);
        assert_eq!(names(&folder), ["pipe"]);
    }

    #[test]
    fn a_reader_that_leaves_ends_the_run() {
        let folder = Folder::new("reader");
        let pipe = folder.file("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || drop(fs::File::open(pipe).unwrap())
        });
        let outcome = run(&format!("simulate --t-end 1e3 --step 1e-3 --out {pipe}"));
        reader.join().unwrap();
        assert_eq!(outcome.exit, Exit::InputOutput, "{}", outcome.err);
        assert!(outcome.err.contains("whoever was to read it has gone"), "{}", outcome.err);
    }

    #[test]
    fn a_full_disk_is_told_and_costs_nothing_that_was_there() {
        for line in ["simulate --out /dev/full", "simulate --plot /dev/full"] {
            let outcome = run(line);
            assert_eq!(outcome.exit, Exit::InputOutput, "{}", outcome.err);
            assert!(outcome.err.contains("/dev/full") && outcome.err.contains("make room"));
        }
        let (_, json) = super::super::run_json("simulate --quiet --out /dev/full");
        assert_eq!(json["error"]["code"].number(), 20.0);
        assert_eq!(json["status"].text(), "failed");
    }

    /// The comparison was lost with its file.
    #[test]
    fn a_comparison_outlives_a_file_that_cannot_be_written() {
        let line = "compare --methods hht-i3 --steps 1e-2 --t-end 0.1 --quiet";
        for option in ["--out", "--plot"] {
            let outcome = run(&format!("{line} {option} /dev/full"));
            assert_eq!(outcome.exit, Exit::InputOutput, "{}", outcome.err);
            assert!(outcome.err.contains("cannot write `/dev/full`"), "{}", outcome.err);
            assert!(outcome.out.contains("| hht-i3 | h 1e-2 |"), "{option}: {}", outcome.out);
            let (exit, json) = super::super::run_json(&format!("{line} {option} /dev/full"));
            assert_eq!((exit, json["trials"].list().len()), (Exit::InputOutput, 1), "{option}");
        }
    }

    #[test]
    fn a_link_to_nothing_is_told() {
        let folder = Folder::new("dangling");
        let link = folder.file("run.csv");
        symlink("elsewhere.csv", &link).unwrap();
        for option in ["--out", "--plot"] {
            let outcome = run(&format!("simulate {option} {link}"));
            assert_eq!(outcome.exit, Exit::InputOutput, "{}", outcome.err);
            assert!(outcome.err.contains("a link to `elsewhere.csv`"), "{}", outcome.err);
            assert_eq!(names(&folder), ["run.csv"]);
        }
    }

    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        let folder = Folder::new("link");
        let (link, file) = (folder.file("link.csv"), folder.file("run.csv"));
        fs::write(&file, "of old\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("run.csv", &link).unwrap();
        let outcome = run(&format!("simulate --t-end 0.1 --out {link}"));
        assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
        assert_eq!(names(&folder), ["link.csv", "link.csv.json", "run.csv"]);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(read(&file).starts_with("t [s]"));
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
    }

    #[test]
    fn two_outputs_of_one_file_are_found_however_it_is_called() {
        let folder = Folder::new("same");
        let out = folder.file("run.csv");
        let dotted = format!("{}/./../{}/run.csv", folder.0.display(), name_of(&folder));
        let refused = |a: &str, b: &str| {
            let outcome: Outcome = run_args(&["simulate", "--out", a, "--plot", b], false);
            assert_eq!(outcome.exit, Exit::Usage, "{a} {b}: {}", outcome.err);
            assert!(outcome.err.contains("--out and --plot"), "{}", outcome.err);
        };
        refused(&out, &dotted);
        assert!(names(&folder).is_empty());
        fs::write(&out, "of old\n").unwrap();
        let (soft, hard) = (folder.file("soft.svg"), folder.file("hard.svg"));
        symlink("run.csv", &soft).unwrap();
        fs::hard_link(&out, &hard).unwrap();
        refused(&out, &soft);
        refused(&soft, &hard);
        refused("/dev/stdout", "/proc/self/fd/1");
        assert_eq!(read(&out), "of old\n");
        let outcome = run("simulate --t-end 0.1 --out /dev/null --plot /dev/null");
        assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
    }

    fn name_of(folder: &Folder) -> String {
        folder.0.file_name().unwrap().to_str().unwrap().into()
    }
}

#[test]
fn an_interval_that_cannot_be_written_is_told() {
    let folder = Folder::new("every");
    let out = folder.file("run.csv");
    fs::write(&out, "of old\n").unwrap();
    for every in ["1e-300", "1e-12"] {
        for rest in ["", "--t-end 1e-7"] {
            let outcome = run(&format!("simulate --every {every} --out {out} {rest}"));
            if (every, rest) == ("1e-12", "--t-end 1e-7") {
                assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
                assert!(read(&out).lines().count() > 90_000);
                fs::write(&out, "of old\n").unwrap();
                continue;
            }
            assert_eq!(outcome.exit, Exit::Usage, "{}", outcome.err);
            assert!(outcome.err.contains("choose a larger"), "{}", outcome.err);
            assert_eq!((names(&folder), read(&out)), (vec!["run.csv".into()], "of old\n".into()));
        }
    }
    let outcome = Simulation::new(&Rig::default()).t_start(1e9).until(1e9 + 1e-6).every(1e-8).run();
    let error = outcome.unwrap_err().error.to_string();
    assert!(error.contains("the same number"), "{error}");
}

#[test]
fn the_series_is_in_the_json_with_an_interval() {
    let (_, without) = run_json("simulate --quiet");
    assert!(!without.keys().contains(&"series"));
    let (exit, value) = run_json("simulate --every 0.1 --quiet");
    assert_eq!(exit, Exit::Ok);
    let series = &value["series"];
    let column =
        |name: &str| -> Vec<f64> { series[name].list().iter().map(|x| x.number()).collect() };
    let times = column("t");
    assert_eq!(times.len(), 6, "{times:?}");
    assert!(times.iter().enumerate().all(|(k, t)| (t - 0.1 * k as f64).abs() < 1e-12));
    for (name, last) in [("x", &value["q"]["x"]), ("der(x)", &value["v"]["x"])] {
        assert_eq!(column(name)[5], last.number(), "{name}");
    }
    assert_eq!(column("energy")[5], value["energy"]["total"].number());
    // As many columns as the table has, of the same names.
    let folder = Folder::new("series");
    let out = folder.file("run.csv");
    run(&format!("simulate --every 0.1 --out {out} --quiet"));
    let header = read(&out).lines().next().unwrap().to_string();
    let names: Vec<&str> =
        header.split(',').map(|name| name.split(" [").next().unwrap().trim_matches('"')).collect();
    assert_eq!(series.keys(), names);
}

mod named {
    use mbd::prelude::*;

    mechanism! {
        /// Outputs of the names of other columns.
        pub mechanism Named {
            coord x: [m];
            kinetic = 0.5*sq(der(x));
            init der(x) = 1.0;
            output x: [m] = 2.0*x + 1.0;
            output t: [s] = 3.0;
            output energy: [J] = 7.0;
            until 1.0;
        }
    }
}

/// An output took the place of the coordinate, of the time and of the energy.
#[test]
fn the_series_has_every_column_whatever_it_is_called() {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt: Arc::default() };
    let line = ["simulate", "--every", "0.5", "--json", "--quiet"];
    assert_eq!(run_with::<named::Named>("named", line, &mut io), Exit::Ok);
    let value = crate::json::parse(&String::from_utf8(out).unwrap());
    let series = &value["series"];
    for (name, first, last) in [
        ("t", 0.0, 1.0),
        ("x", 0.0, 1.0),
        ("energy", 0.5, 0.5),
        ("t (output)", 3.0, 3.0),
        ("x (output)", 1.0, 3.0),
        ("energy (output)", 7.0, 7.0),
    ] {
        let [a, _, b] = series[name].list() else { panic!("{name}: {:?}", series[name]) };
        assert!((a.number() - first).abs() < 1e-9, "{name}: {a:?}");
        assert!((b.number() - last).abs() < 1e-9, "{name}: {b:?}");
    }
}

#[test]
fn a_folder_is_no_file() {
    let folder = Folder::new("folder");
    let outcome = run(&format!("simulate --out {}", folder.0.display()));
    assert_eq!(outcome.exit, Exit::InputOutput);
    assert!(outcome.err.contains("it is a folder"), "{}", outcome.err);
}
