//! `compare`: which method is how accurate at which cost.

use super::args::Request;
use super::exit::Exit;
use super::feed::signals;
use super::files::destinations;
use super::io::Io;
use super::members::{event, stats};
use super::stop::Stop;
use super::subject::Subject;
use crate::compare::{
    Comparison, Events, Measured, REFERENCE_METHOD, REFERENCE_TOLERANCE, Reference, Study, Trial,
};
use crate::json::{members, object};
use crate::output::Format;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(super) fn run(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let mechanism = subject.instance(request)?;
    destinations(request)?;
    if let Some(path) = &request.out
        && Format::of(path) != Ok(Format::Csv)
    {
        let path = path.display();
        return Err(Stop::Usage(format!(
            "a comparison is written as CSV; let `{path}` end in .csv"
        )));
    }
    let reference = request.reference.as_deref().unwrap_or(REFERENCE_METHOD);
    let tolerance = request.reference_tol.unwrap_or(REFERENCE_TOLERANCE);
    let mut comparison = Comparison::new(&*mechanism)
        .tolerances(&request.tols)
        .steps(&request.steps)
        .quantities(&request.of)
        .reference(Reference::Run(subject.method(reference)?, tolerance))
        .interrupt(Arc::clone(&io.interrupt));
    for name in &request.methods {
        comparison = comparison.method(subject.method(name)?);
    }
    for (name, value) in &request.init {
        comparison = comparison.set_initial(name.as_str(), *value);
    }
    for (name, signal) in signals(request)? {
        comparison = comparison.input(name, signal);
    }
    if let Some(derivatives) = request.derivatives {
        comparison = comparison.derivatives(derivatives);
    }
    if let Some(t_end) = request.t_end {
        comparison = comparison.until(t_end);
    }
    if let Some(h) = request.max_step {
        comparison = comparison.max_step(h);
    }
    if let Some(steps) = request.max_steps {
        comparison = comparison.max_steps(steps);
    }
    let study = {
        let err = &mut *io.err;
        if !request.quiet {
            let _ = writeln!(err, "reference: {reference} at tol {tolerance:e} ...");
        }
        let quiet = request.quiet;
        comparison
            .progress(|trial| {
                if !quiet {
                    let _ = writeln!(err, "{}", line(trial));
                }
            })
            .run()?
    };
    let interrupted = io.interrupt.load(Ordering::Relaxed);
    let mut exit = if interrupted { Exit::Interrupted } else { Exit::Ok };
    let table = request.out.iter().map(|path| study.write_csv(path));
    let picture = request.plot.iter().map(|path| study.figure(request.against).save_svg(path));
    // A file that cannot be written is no reason to lose what took long.
    for error in table.chain(picture).filter_map(Result::err) {
        io.tell(&format!("error: {error}"));
        exit = if exit == Exit::Ok { Exit::InputOutput } else { exit };
    }
    if request.json {
        io.print(&format!("{}\n", json(&study)))?;
    } else {
        io.print(&format!("{study}\n"))?;
    }
    Ok(exit)
}

/// A run as it is told while others go on.
fn line(trial: &Trial) -> String {
    let setting = format!("{} {:e}", trial.setting.kind(), trial.setting.value());
    match &trial.outcome {
        Ok(Measured { error, stats, .. }) => {
            let (steps, wall) = (stats.steps, stats.wall_s);
            format!("{} {setting}: error {error:.1e}, {steps} steps, {wall:.3} s", trial.method)
        }
        Err(error) => format!("{} {setting}: {error}", trial.method),
    }
}

fn json(study: &Study) -> Value {
    let trials = study.trials.iter().map(|trial| {
        let mut object = members([
            ("method", trial.method.as_str().into()),
            (trial.setting.kind(), trial.setting.value().into()),
        ]);
        object.extend(match &trial.outcome {
            Ok(Measured { error, worst, stats: cost, events }) => members([
                ("error", (*error).into()),
                ("worst", worst.as_str().into()),
                ("stats", stats(cost)),
                ("events", events.as_ref().map(compared).into()),
            ]),
            Err(error) => members([("failure", error.to_string().into())]),
        });
        object
    });
    object! {
        "model": study.model,
        "t": study.t_end,
        "reference": study.reference,
        "derivatives": study.derivatives.name(),
        "uncertainty": study.uncertainty,
        "still": study.still,
        "events": Value::from_iter(study.events.iter().map(event)),
        "trials": Value::from_iter(trials),
    }
}

/// The events of a run beside those of the reference.
fn compared(events: &Events) -> Value {
    let Events { count, expected, off, worst, differs } = events;
    let worst = worst.as_ref().map(|(name, k)| object! { "name": name, "number": k });
    object! {
        "count": count,
        "expected": expected,
        "off": off,
        "worst": worst,
        "differs": differs,
    }
}
