//! Runs that go on from checkpoints give what they would have given, to the last bit.

use super::{Folder, Rig, read, run, run_json};
use mbd::checkpoint::CheckpointSink;
use mbd::cli::Exit;
use mbd::integrate::{METHODS, Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::{CsvStream, Error, OutputError, RunError, Simulation, Solution};
use std::fs;

mechanism! {
    /// Two points on rods, in Cartesian coordinates, whose partition changes as they turn.
    pub mechanism Swing {
        coord x1: [m];
        coord y1: [m];
        coord x2: [m];
        coord y2: [m];
        kinetic masses = 0.5*(sq(der(x1)) + sq(der(y1)) + sq(der(x2)) + sq(der(y2)));
        potential weight = 9.81*(y1 + y2);
        holonomic upper: sq(x1) + sq(y1) == 1.0;
        holonomic lower: sq(x2 - x1) + sq(y2 - y1) == 1.0;
        init x1 = 1.0;
        guess y1 = 0.0;
        init x2 = 2.0;
        guess y2 = 0.0;
        until 1.0;
    }
}

mechanism! {
    /// A ball on a stiff floor, knocked at one time and pulled for a few milliseconds at another:
    /// steps end at what is compared, and know the times ahead.
    pub mechanism Ball {
        coord x: [m];
        kinetic = 0.5*sq(der(x));
        potential weight = 9.81*x;
        force floor along x = if x < 0.0 { -5e3*x - 2.0*der(x) } else { 0.0 };
        force knock along x = if t > 0.5 { if t < 0.52 { 40.0 } else { 0.0 } } else { 0.0 };
        force pull along x = 60.0*exp(-sq((t - 1.2)/0.003));
        init x = 0.3;
        until 1.5;
    }
}

mechanism! {
    /// A mass whose second constraint repeats the first until it turns.
    pub mechanism Turning {
        coord x: [m];
        coord y: [m];
        let turn = sq(max(t - 0.5, 0.0));
        kinetic = 0.5*(sq(der(x)) + sq(der(y)));
        force brake along y = -20.0*max(t - 0.5, 0.0);
        holonomic line: x == 0.0;
        holonomic drive: x*cos(turn) + (y - t)*sin(turn) == 0.0;
        init y = 0.0;
        init der(y) = 1.0;
        until 1.0;
    }
}

/// Keeps every checkpoint.
#[derive(Default)]
struct All(Vec<Vec<u8>>);

impl CheckpointSink for All {
    fn is_due(&mut self) -> bool {
        true
    }

    fn save(&mut self, checkpoint: &[u8]) -> Result<(), OutputError> {
        self.0.push(checkpoint.to_vec());
        Ok(())
    }
}

struct Outcome {
    rows: String,
    ends: Solution,
    checkpoints: Vec<Vec<u8>>,
}

fn simulate(
    model: &dyn Mechanism,
    (method, step): (&Method, &Step),
    (every, t_end): (Option<f64>, f64),
    resume: Option<Vec<u8>>,
    checkpoints: bool,
) -> Result<Outcome, RunError> {
    let (mut rows, mut all) = (Vec::new(), All::default());
    let mut table = CsvStream::new(&mut rows);
    let mut run = Simulation::new(model).method(method.clone()).step(step.clone()).until(t_end);
    run = run.stream(&mut table);
    if let Some(dt) = every {
        run = run.every(dt);
    }
    if checkpoints {
        run = run.checkpoint(&mut all);
    }
    if let Some(bytes) = resume {
        run = run.resume(bytes);
    }
    let ends = run.run()?;
    table.finish().unwrap();
    Ok(Outcome { rows: String::from_utf8(rows).unwrap(), ends, checkpoints: all.0 })
}

#[test]
fn every_method_goes_on_from_every_checkpoint_to_the_same_bits() {
    let [rig, swing] = [&Rig::default() as &dyn Mechanism, &Swing::default()];
    let [ball, turning] = [&Ball::default() as &dyn Mechanism, &Turning::default()];
    // Fixed steps, the end of adaptive runs, and what a run without checkpoints may differ by.
    let models = [
        (rig, 4e-3, 4.0, 1e-5),
        (swing, 1e-2, 1.5, 1e-5),
        (ball, 4e-3, 1.5, 1e-3),
        (turning, 1e-2, 1.0, 1e-4),
    ];
    let (mut count, mut changes) = (0, 0);
    for (model, h, long, tolerable) in models {
        for info in METHODS {
            let method = Method::from_name(info.name).unwrap();
            let fixed = (Step::fixed(h), (None, if h < 5e-3 { 0.5 } else { 0.9 }));
            let adaptive = (Step::adaptive(1e-6), (Some(0.011), long));
            for (step, every) in [fixed, adaptive] {
                let name = format!("{} {} {step:?}", model.model().unwrap().name(), info.name);
                let plain = match simulate(model, (&method, &step), every, None, false) {
                    Ok(plain) => plain,
                    Err(RunError { error: Error::Option(_), .. }) => continue,
                    Err(error) => panic!("{name}: {error}"),
                };
                count += 1;
                let whole = simulate(model, (&method, &step), every, None, true).unwrap();
                // What is dropped at a checkpoint was worth no more than rounding, or tolerance.
                let apart = plain.ends.final_q().iter().zip(whole.ends.final_q());
                let apart = apart.fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                // The equations of this one depend on when its matrix was evaluated.
                let literal = info.name == "bdf-cm-1996";
                let most = if step.is_adaptive() { tolerable } else { 1e-7 };
                assert!(
                    literal || apart <= most,
                    "{name}: {apart:e} from a run without checkpoints"
                );
                let steps = plain.ends.stats.steps.abs_diff(whole.ends.stats.steps);
                assert!(10 * steps <= plain.ends.stats.steps + 20, "{name}: {steps} more steps");
                let mut checkpoints = whole.checkpoints;
                let enough = checkpoints.len() >= 2 || whole.ends.stats.steps <= 16;
                assert!(enough, "{name}: {}", checkpoints.len());
                if std::env::var_os("MBD_HARD").is_none() && checkpoints.len() > 3 {
                    // The first within the run and the last.
                    checkpoints.drain(2..checkpoints.len() - 1);
                    checkpoints.remove(0);
                }
                changes += whole.ends.rank_changes.len();
                for checkpoint in checkpoints {
                    let rest =
                        simulate(model, (&method, &step), every, Some(checkpoint), false).unwrap();
                    assert!(whole.rows.ends_with(&rest.rows) && !rest.rows.is_empty(), "{name}");
                    let (a, b) = (&whole.ends.stats, &rest.ends.stats);
                    assert_eq!((a.steps, a.newton_iterations), (b.steps, b.newton_iterations));
                    assert_eq!((a.rejected, a.residuals), (b.rejected, b.residuals), "{name}");
                    assert_eq!((a.h_min, a.h_max), (b.h_min, b.h_max), "{name}");
                    assert_eq!(whole.ends.drift, rest.ends.drift, "{name}");
                    assert_eq!(whole.ends.balance, rest.ends.balance, "{name}");
                    assert_eq!(whole.ends.warnings, rest.ends.warnings, "{name}");
                    assert_eq!(whole.ends.rank_changes, rest.ends.rank_changes, "{name}");
                    let [all, those] = [&whole.ends, &rest.ends].map(|ends| ends.rank_change_count);
                    assert_eq!(all, those, "{name}");
                    assert_eq!(whole.ends.row(0), rest.ends.row(0));
                }
            }
        }
    }
    assert!(changes >= METHODS.len(), "rows were taken back {changes} times only");
    assert!(count >= 2 * 4 * METHODS.len() - 40, "only {count} runs were compared");
}

#[test]
fn a_run_that_keeps_its_points_goes_on_with_them() {
    let mut all = All::default();
    let whole = Simulation::new(&Swing::default()).checkpoint(&mut all).run().unwrap();
    for checkpoint in all.0 {
        let run = Simulation::new(&Swing::default()).resume(checkpoint).run().unwrap();
        assert_eq!((run.len(), &run.steps), (whole.len(), &whole.steps));
        assert!((0..run.len()).all(|i| run.row(i) == whole.row(i)));
    }
}

#[test]
fn the_program_resumes_its_files() {
    let folder = Folder::new("resume");
    let [out, cp, plot] = ["run.csv", "run.mbd", "run.svg"].map(|name| folder.file(name));
    let common = format!("simulate --quiet --step 1e-3 --out {out} --plot {plot}");
    let (exit, whole) = run_json(&format!("{common} --checkpoint {cp}"));
    assert_eq!(exit, Exit::Ok);
    let (rows, picture) = (read(&out), read(&plot));
    // Rows of a run that was killed, some of them after its last checkpoint.
    fs::rename(&out, folder.file("run.csv.part")).unwrap();
    let (exit, again) = run_json(&format!("{common} --resume {cp}"));
    assert_eq!(exit, Exit::Ok);
    assert_eq!((read(&out), read(&plot)), (rows.clone(), picture));
    assert_eq!(again["q"], whole["q"]);
    assert_eq!(again["drift"], whole["drift"]);
    // Once more, from the finished file.
    assert_eq!(run(&format!("{common} --resume {cp}")).exit, Exit::Ok);
    assert_eq!(read(&out), rows);
    for (line, exit, part) in [
        (format!("{common} --resume {out}"), Exit::InputOutput, "this is no checkpoint"),
        (format!("{common} --resume {out}.none"), Exit::InputOutput, "cannot read"),
        (format!("{common} --resume {cp} --set m=2"), Exit::Usage, "m = 1.0, this run has 2.0"),
        (format!("{common} --resume {cp} --method hht-i3"), Exit::Usage, "the method"),
        (format!("{common} --resume {cp} --t-end 2"), Exit::Usage, "the end at 0.5"),
        (format!("{common} --resume {cp} --init x=0.5"), Exit::Usage, "start"),
        (format!("{common} --checkpoint {out}"), Exit::Usage, "--out and --checkpoint"),
        (
            format!("simulate --step 1e-3 --resume {cp} --out /dev/stdout"),
            Exit::Usage,
            "has to be a file",
        ),
    ] {
        let outcome = run(&line);
        assert_eq!(outcome.exit, exit, "{line}: {}", outcome.err);
        assert!(outcome.err.contains(part), "{line}: {}", outcome.err);
        assert_eq!(read(&out), rows, "{line}");
    }
    // Rows that were changed since are told from those of the run.
    fs::write(&out, rows.replacen("0.6", "0.7", 1)).unwrap();
    let outcome = run(&format!("{common} --resume {cp}"));
    assert_eq!(outcome.exit, Exit::InputOutput, "{}", outcome.err);
    assert!(outcome.err.contains("begin the run anew"), "{}", outcome.err);
}
