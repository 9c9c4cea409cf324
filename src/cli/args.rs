//! The command line: what may be written, its help, and reading it.

use super::exit::MEANINGS;
use crate::compare::Work;
use crate::error::nearest;
use std::path::{Path, PathBuf};

/// A command with what it was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Request {
    pub(super) command: Option<Command>,
    /// Print the help of `command`, or of the whole program.
    pub(super) help: bool,
    pub(super) set: Vec<(String, f64)>,
    pub(super) init: Vec<(String, f64)>,
    pub(super) input: Vec<(String, String)>,
    pub(super) atol: Vec<(String, f64)>,
    pub(super) method: Option<String>,
    pub(super) rho: Option<f64>,
    pub(super) alpha: Option<f64>,
    pub(super) order: Option<usize>,
    pub(super) positions_only: bool,
    pub(super) independent: Vec<String>,
    pub(super) no_adjust: bool,
    pub(super) tol: Option<f64>,
    pub(super) certify: bool,
    pub(super) no_estimate: bool,
    pub(super) no_events: bool,
    pub(super) step: Option<f64>,
    pub(super) max_step: Option<f64>,
    pub(super) max_steps: Option<usize>,
    pub(super) t_end: Option<f64>,
    pub(super) every: Option<f64>,
    pub(super) out: Option<PathBuf>,
    pub(super) plot: Option<PathBuf>,
    pub(super) animate: Option<PathBuf>,
    pub(super) beside: Vec<String>,
    pub(super) checkpoint: Option<PathBuf>,
    pub(super) resume: Option<PathBuf>,
    pub(super) like: Option<PathBuf>,
    pub(super) show: Vec<String>,
    pub(super) json: bool,
    pub(super) quiet: bool,
    pub(super) check: bool,
    pub(super) strict: bool,
    pub(super) methods: Vec<String>,
    pub(super) tols: Vec<f64>,
    pub(super) steps: Vec<f64>,
    pub(super) reference: Option<String>,
    pub(super) reference_tol: Option<f64>,
    pub(super) of: Vec<String>,
    pub(super) against: Work,
}

/// What the program can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Info,
    Check,
    Simulate,
    Compare,
}

impl Command {
    const ALL: [Command; 4] = [Command::Info, Command::Check, Command::Simulate, Command::Compare];

    pub(super) fn name(self) -> &'static str {
        match self {
            Command::Info => "info",
            Command::Check => "check",
            Command::Simulate => "simulate",
            Command::Compare => "compare",
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Command::Info => "what the model consists of: names, units, sizes, parameters, methods",
            Command::Check => "whether the model is right: derivatives, constraints, initial state",
            Command::Simulate => "compute the motion and write it as CSV, SVG or JSON",
            Command::Compare => "which method is how accurate at which cost on this model",
        }
    }

    fn about(self) -> &'static str {
        match self {
            Command::Info => {
                "Lists what the model consists of: its parameters with their values, coordinates,\n\
                 states, constraints and outputs with their units, its sizes and degrees of freedom,\n\
                 the sparsity of its equations, and the methods that can simulate it."
            }
            Command::Check => {
                "Checks the model before it is used: compares every derivative with a second\n\
                 algorithm, on every side of every comparison that a point is found for, puts\n\
                 the mechanism together at its initial position, looks at its mass there, says\n\
                 which constraints are redundant, and prints the initial state."
            }
            Command::Simulate => {
                "Computes the motion from t = 0 to the end time. A short summary goes to the\n\
                 terminal; the motion itself is written where you ask for it: --out for a table,\n\
                 --plot for a picture, --animate for the mechanism in motion, --json for the final\n\
                 state. When a run fails or is stopped by Ctrl-C, everything computed until then is\n\
                 still written."
            }
            Command::Compare => {
                "Runs the model by several methods with several tolerances or step sizes and holds\n\
                 the end of each run against a tight reference. Prints a table of errors and work;\n\
                 --out writes it as CSV, --plot draws work over error. An error is relative to the\n\
                 largest value its quantity, or another of its array, takes in the reference run."
            }
        }
    }

    fn examples(self) -> &'static [&'static str] {
        match self {
            Command::Info => &["info", "info --json"],
            Command::Check => &["check", "check --json"],
            Command::Simulate => &[
                "simulate",
                "simulate --t-end 2 --out run.csv --plot run.svg",
                "simulate --animate run.html",
                "simulate --step 1e-3 --every 0.01 --out run.csv",
                "simulate --tol 1e-8 --json --quiet",
            ],
            Command::Compare => &[
                "compare",
                "compare --methods hht-i3,hht-soi2 --tols 1e-4,1e-6 --plot work.svg",
                "compare --methods hht-i3 --steps 2e-3,1e-3,5e-4 --against steps",
            ],
        }
    }
}

/// An option as written on the command line.
struct Opt {
    name: &'static str,
    /// What its value stands for; empty for a switch.
    value: &'static str,
    help: &'static str,
    commands: &'static [Command],
}

const EVERY: &[Command] = &Command::ALL;
const STARTING: &[Command] = &[Command::Check, Command::Simulate, Command::Compare];
const RUNNING: &[Command] = &[Command::Simulate, Command::Compare];
const SIMULATE: &[Command] = &[Command::Simulate];
const COMPARE: &[Command] = &[Command::Compare];

const OPTIONS: &[Opt] = &[
    Opt {
        name: "--set",
        value: "PARAM=VALUE",
        help: "give a parameter another value; may be repeated.\nArray entries are c[2]=5, sizes n=64",
        commands: EVERY,
    },
    Opt {
        name: "--init",
        value: "COORD=VALUE",
        help: "start a coordinate (theta=0.3), a velocity (der(theta)=20)\nor a state (e=0) at this value; may be repeated",
        commands: STARTING,
    },
    Opt {
        name: "--input",
        value: "NAME=SIGNAL",
        help: "feed an input of the model with a number (u=3.0) or a table\n(u=FILE.csv, u=FILE.csv:COLUMN, time [s] in its first column);\nread linearly, or as said behind it: u=FILE.csv,spline or ,steps;\n,held holds the table's ends before and after it; may be repeated",
        commands: RUNNING,
    },
    Opt {
        name: "--method",
        value: "NAME",
        help: "method of integration; `info` lists them (default: gen-alpha-soi2)",
        commands: SIMULATE,
    },
    Opt {
        name: "--rho",
        value: "R",
        help: "numerical damping of the α-methods as spectral radius at\ninfinite frequency: 1 damps nothing, smaller values damp more",
        commands: SIMULATE,
    },
    Opt {
        name: "--alpha",
        value: "A",
        help: "the same as the parameter α: from 0 (nothing) to -1/3 (most)",
        commands: SIMULATE,
    },
    Opt {
        name: "--order",
        value: "N",
        help: "highest order of the BDF methods, 1 to 5 (default 2)",
        commands: SIMULATE,
    },
    Opt {
        name: "--positions-only",
        value: "",
        help: "leave velocities out of the BDF methods' error test",
        commands: SIMULATE,
    },
    Opt {
        name: "--independent",
        value: "A,B,C",
        help: "the independent coordinates, for the methods that split them\n(default: by pivoting)",
        commands: SIMULATE,
    },
    Opt {
        name: "--no-adjust",
        value: "",
        help: "leave the algorithmic acceleration as it is when the step changes,\nto study what that costs",
        commands: SIMULATE,
    },
    Opt {
        name: "--tol",
        value: "T",
        help: "tolerance for the result, relative to the scales of the model: each\nstep's estimated error is held to a twentieth of it (default: 1e-5)",
        commands: SIMULATE,
    },
    Opt {
        name: "--atol",
        value: "NAME=T",
        help: "tolerance of a coordinate or state in its own unit, in the place of\nthe tolerance times its scale; may be given several times",
        commands: SIMULATE,
    },
    Opt {
        name: "--certify",
        value: "",
        help: "repeat the run with tighter steps until the estimated error of the\nresult is below --tol; exit code 14 when it cannot be",
        commands: SIMULATE,
    },
    Opt {
        name: "--no-estimate",
        value: "",
        help: "run without the estimate of the result's error, which takes a sixth\nof a run in the median, and may take as long as the run by radau5",
        commands: SIMULATE,
    },
    Opt {
        name: "--no-events",
        value: "",
        help: "let steps go through the comparisons of the model, instead of ending\nthem where the motion crosses one",
        commands: SIMULATE,
    },
    Opt {
        name: "--step",
        value: "H",
        help: "take fixed steps of this size [s] instead",
        commands: SIMULATE,
    },
    Opt {
        name: "--max-step",
        value: "H",
        help: "let error control choose no step longer than this [s]\n(default: no bound)",
        commands: RUNNING,
    },
    Opt {
        name: "--max-steps",
        value: "N",
        help: "give a run up after this many steps\n(default: 10000000, in a comparison 2000000)",
        commands: RUNNING,
    },
    Opt {
        name: "--t-end",
        value: "T",
        help: "end time [s] (default: the model's own)",
        commands: RUNNING,
    },
    Opt {
        name: "--out",
        value: "FILE.csv",
        help: "write a table: of the motion, a line per step, and beside it in\nFILE.csv.json how it was computed; of a comparison, a line per run",
        commands: RUNNING,
    },
    Opt {
        name: "--every",
        value: "DT",
        help: "a line every DT seconds instead; does not change the steps",
        commands: SIMULATE,
    },
    Opt {
        name: "--plot",
        value: "FILE.svg",
        help: "draw the motion, or the work over the error;\nFILE.html: the motion, to zoom and choose curves in",
        commands: RUNNING,
    },
    Opt {
        name: "--animate",
        value: "FILE.html",
        help: "show the mechanism in motion with its plots, in one file\nfor a browser",
        commands: SIMULATE,
    },
    Opt {
        name: "--beside",
        value: "A.csv,B.csv",
        help: "show earlier runs of the model in the same animation, up to three,\nby the tables that they wrote",
        commands: SIMULATE,
    },
    Opt {
        name: "--show",
        value: "A,B,C",
        help: "what to draw, by the names of the table's columns: theta,\nder(theta), lambda(close), an output, energy\n(default: outputs and coordinates while they are few, else outputs)",
        commands: SIMULATE,
    },
    Opt {
        name: "--checkpoint",
        value: "FILE",
        help: "keep in a file, written about every second, what the run needs to\nbe resumed after a kill or a power failure",
        commands: SIMULATE,
    },
    Opt {
        name: "--resume",
        value: "FILE",
        help: "go on where that file was written, to the same results: give all\nother options as before",
        commands: SIMULATE,
    },
    Opt {
        name: "--like",
        value: "FILE.csv",
        help: "as the run that wrote this table: its parameters and options, but\nfor those given here",
        commands: SIMULATE,
    },
    Opt {
        name: "--json",
        value: "",
        help: "print the result as one JSON object on standard output;\nwith --every the motion is in it, as `series`",
        commands: EVERY,
    },
    Opt {
        name: "--methods",
        value: "A,B,C",
        help: "methods to compare (default: all)",
        commands: COMPARE,
    },
    Opt {
        name: "--tols",
        value: "T,T,...",
        help: "tolerances to run each with (default: 1e-3 to 1e-7)",
        commands: COMPARE,
    },
    Opt {
        name: "--steps",
        value: "H,H,...",
        help: "fixed step sizes [s] to run each with",
        commands: COMPARE,
    },
    Opt {
        name: "--reference",
        value: "NAME",
        help: "method of the reference (default: radau5)",
        commands: COMPARE,
    },
    Opt {
        name: "--reference-tol",
        value: "T",
        help: "its tolerance (default: 1e-12)",
        commands: COMPARE,
    },
    Opt {
        name: "--of",
        value: "A,B,C",
        help: "the quantities whose errors count\n(default: all coordinates and states)",
        commands: COMPARE,
    },
    Opt {
        name: "--against",
        value: "WORK",
        help: "what --plot draws as work: time, steps or evaluations\n(default: time)",
        commands: COMPARE,
    },
    Opt {
        name: "--check",
        value: "",
        help: "check the model first, as `check` does, and run only if it passes",
        commands: SIMULATE,
    },
    Opt {
        name: "--strict",
        value: "",
        help: "exit with 14 where accuracy is doubtful, as when the power balance\ndoes not close, instead of a warning alone",
        commands: SIMULATE,
    },
    Opt {
        name: "--quiet",
        value: "",
        help: "no progress and no summary; errors are still told",
        commands: RUNNING,
    },
    Opt { name: "--help", value: "", help: "this text", commands: EVERY },
];

/// A command line that was not understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UsageError {
    pub(super) message: String,
    /// The command it was about.
    pub(super) command: Option<Command>,
}

/// The help text of a command, or of the whole program.
pub(super) fn help(command: Option<Command>, program: &str, model: &str, doc: &str) -> String {
    let mut text = String::new();
    let mut line = |s: &str| {
        text.push_str(s);
        text.push('\n');
    };
    match command {
        None => {
            let first = doc.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
            let colon = if first.is_empty() { "" } else { ": " };
            line(&format!("{model}{colon}{first}\n"));
            line(&format!("Usage: {program} COMMAND [OPTIONS]\n"));
            line("Commands:");
            for command in Command::ALL {
                line(&format!("  {:<10} {}", command.name(), command.summary()));
            }
            line("");
            line(&format!(
                "`{program} COMMAND --help` explains a command and its options. To begin:"
            ));
            line(&format!("  {program} simulate --plot run.svg"));
        }
        Some(command) => {
            line(&format!("{}\n", command.about()));
            line(&format!("Usage: {program} {} [OPTIONS]\n", command.name()));
            line("Options:");
            for option in OPTIONS.iter().filter(|o| o.commands.contains(&command)) {
                let head = format!("{} {}", option.name, option.value);
                for (i, help) in option.help.lines().enumerate() {
                    let head = if i == 0 { &*head } else { "" };
                    line(&format!("  {head:<19} {help}"));
                }
            }
            line("\nExamples:");
            for example in command.examples() {
                line(&format!("  {program} {example}"));
            }
            line("\nExit codes:");
            for (exit, meaning) in MEANINGS {
                line(&format!("  {:<4} {meaning}", exit.code()));
            }
        }
    }
    text
}

/// Reads a command line, the program's name left out.
pub(super) fn parse(args: impl IntoIterator<Item = String>) -> Result<Request, UsageError> {
    let mut request = Request::default();
    let mut seen: Vec<&'static str> = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let fail = |message: String| UsageError { message, command: request.command };
        if arg == "-h" {
            request.help = true;
            continue;
        }
        if !arg.starts_with('-') {
            if let Some(command) = request.command {
                return Err(fail(format!(
                    "`{arg}` is one word too many after `{}`; options begin with --{}",
                    command.name(),
                    if arg.contains('=') {
                        format!(" (did you mean `--set {arg}`?)")
                    } else {
                        String::new()
                    }
                )));
            }
            request.command = match Command::ALL.into_iter().find(|c| c.name() == arg) {
                Some(command) => Some(command),
                None if arg == "help" => {
                    request.help = true;
                    continue;
                }
                None => return Err(fail(unknown_command(&arg))),
            };
            continue;
        }
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) => (name.to_string(), Some(value.to_string())),
            None => (arg.clone(), None),
        };
        let option = find_option(&name, request.command).map_err(fail)?;
        if option.value.is_empty() {
            if attached.is_some() {
                return Err(fail(format!("{name} takes no value")));
            }
        } else if seen.contains(&option.name)
            && !["--set", "--init", "--input", "--atol"].contains(&option.name)
        {
            return Err(fail(format!("{name} is given twice")));
        }
        seen.push(option.name);
        let value = if option.value.is_empty() {
            String::new()
        } else {
            let next = attached.or_else(|| args.next()).filter(|v| !v.is_empty());
            next.filter(|v| !OPTIONS.iter().any(|o| o.name == v))
                .ok_or_else(|| fail(format!("{name} needs a value: {name} {}", option.value)))?
        };
        request
            .take(option, value)
            .map_err(|message| UsageError { message, command: request.command })?;
    }
    request.check_combination(&seen)?;
    Ok(request)
}

/// The commands, the last two joined by a word.
fn list(join: &str) -> String {
    let names = Command::ALL.map(Command::name);
    let (last, first) = names.split_last().unwrap_or((&"", &[]));
    format!("{} {join} {last}", first.join(", "))
}

fn unknown_command(word: &str) -> String {
    match nearest(word, Command::ALL.map(Command::name)) {
        Some(near) => format!("there is no command `{word}`; did you mean `{near}`?"),
        None => format!("there is no command `{word}`; there are {}", list("and")),
    }
}

fn find_option(name: &str, command: Option<Command>) -> Result<&'static Opt, String> {
    let fits = |o: &&Opt| command.is_none_or(|c| o.commands.contains(&c));
    let known = OPTIONS.iter().find(|o| o.name == name);
    match (known, command) {
        (Some(option), _) if fits(&option) => match command {
            // Without a command only a cry for help is understood.
            None if option.name != "--help" => {
                Err(format!("say what to do before {name}: {}", list("or")))
            }
            _ => Ok(option),
        },
        (Some(option), Some(command)) => {
            let owners: Vec<_> =
                option.commands.iter().map(|c| format!("`{}`", c.name())).collect();
            Err(format!(
                "{name} is an option of {}, not of `{}`",
                owners.join(" and "),
                command.name()
            ))
        }
        _ => {
            let candidates = OPTIONS.iter().filter(fits).map(|o| o.name);
            Err(match nearest(name, candidates) {
                Some(near) => format!("there is no option {name}; did you mean {near}?"),
                None => format!("there is no option {name}"),
            })
        }
    }
}

impl Request {
    fn take(&mut self, option: &Opt, value: String) -> Result<(), String> {
        let number = || parse_number(&value).ok_or_else(|| not_a_number(option.name, &value));
        match option.name {
            "--set" => self.set.push(assignment(option, &value)?),
            "--init" => self.init.push(assignment(option, &value)?),
            "--input" => self.input.push(named(option, &value)?),
            "--atol" => self.atol.push(assignment(option, &value)?),
            "--method" => self.method = Some(value),
            "--rho" => self.rho = Some(number()?),
            "--alpha" => self.alpha = Some(number()?),
            "--independent" => self.independent = names(option.name, &value)?,
            "--order" => self.order = Some(count(option.name, &value)?),
            "--positions-only" => self.positions_only = true,
            "--no-adjust" => self.no_adjust = true,
            "--certify" => self.certify = true,
            "--no-estimate" => self.no_estimate = true,
            "--no-events" => self.no_events = true,
            "--tol" => self.tol = Some(positive(option.name, number()?)?),
            "--step" => self.step = Some(positive(option.name, number()?)?),
            "--t-end" => self.t_end = Some(not_negative(option.name, number()?)?),
            "--max-step" => self.max_step = Some(positive(option.name, number()?)?),
            "--max-steps" => {
                let steps = count(option.name, &value)?;
                positive(option.name, steps as f64)?;
                self.max_steps = Some(steps);
            }
            "--every" => self.every = Some(positive(option.name, number()?)?),
            "--out" => self.out = Some(value.into()),
            "--plot" => self.plot = Some(picture(value)?),
            "--animate" => self.animate = Some(page(value)?),
            "--beside" => self.beside = names(option.name, &value)?,
            "--checkpoint" => self.checkpoint = Some(value.into()),
            "--resume" => self.resume = Some(value.into()),
            "--like" => self.like = Some(value.into()),
            "--show" => self.show = names(option.name, &value)?,
            "--methods" => self.methods = names(option.name, &value)?,
            "--of" => self.of = names(option.name, &value)?,
            "--tols" => self.tols = numbers(option.name, &value)?,
            "--steps" => self.steps = numbers(option.name, &value)?,
            "--reference" => self.reference = Some(value),
            "--reference-tol" => self.reference_tol = Some(positive(option.name, number()?)?),
            "--against" => self.against = work(&value)?,
            "--json" => self.json = true,
            "--quiet" => self.quiet = true,
            "--check" => self.check = true,
            "--strict" => self.strict = true,
            _ => self.help = true,
        }
        Ok(())
    }

    fn check_combination(&self, seen: &[&str]) -> Result<(), UsageError> {
        let fail =
            |message: &str| Err(UsageError { message: message.into(), command: self.command });
        let both = |a, b| seen.contains(&a) && seen.contains(&b);
        if self.help {
            return Ok(());
        }
        if self.command.is_none() {
            return fail(&format!("say what to do: {}", list("or")));
        }
        if both("--certify", "--no-estimate") {
            return fail("--certify goes by the estimate: leave out --no-estimate");
        }
        if both("--certify", "--step") {
            return fail("--certify needs steps it can choose: leave out --step");
        }
        for option in ["--checkpoint", "--resume"] {
            if both("--certify", option) {
                return fail(&format!("--certify takes several runs, {option} is for one"));
            }
        }
        if both("--tol", "--step") {
            return fail("--tol chooses the steps, --step fixes them: give one of the two");
        }
        if both("--step", "--max-step") {
            return fail(
                "--max-step bounds the steps that --tol chooses, --step fixes them: give one of the two",
            );
        }
        if both("--rho", "--alpha") {
            return fail("--rho and --alpha say the same thing in two ways: give one of the two");
        }
        if seen.contains(&"--show") && self.plot.is_none() && self.animate.is_none() {
            return fail(
                "--show says what --plot and --animate draw: give --plot FILE.svg or --animate FILE.html as well",
            );
        }
        if !self.beside.is_empty() && self.animate.is_none() {
            return fail("--beside adds runs to an animation: give --animate FILE.html as well");
        }
        if self.beside.len() > 3 {
            return fail("--beside takes up to three tables");
        }
        if self.command == Some(Command::Compare) && self.plot.as_deref().is_some_and(is_html) {
            return fail("a comparison is drawn as SVG: give --plot FILE.svg");
        }
        Ok(())
    }
}

/// What a path ends in, in small letters.
fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Whether a picture is a page.
pub(super) fn is_html(path: &Path) -> bool {
    matches!(extension(path).as_deref(), Some("html" | "htm"))
}

/// Where a plot goes. A name that promises another format than it would have is refused.
fn picture(value: String) -> Result<PathBuf, String> {
    const OTHERS: [&str; 10] =
        ["png", "jpg", "jpeg", "gif", "webp", "pdf", "eps", "ps", "bmp", "tiff"];
    let path = PathBuf::from(value);
    match extension(&path) {
        Some(other) if OTHERS.contains(&other.as_str()) => Err(format!(
            "--plot draws SVG, or with FILE.html a page, and no {}: give --plot {}, which browsers and \
             `rsvg-convert` turn into others",
            other.to_uppercase(),
            path.with_extension("svg").display()
        )),
        _ => Ok(path),
    }
}

/// Where an animation goes: a page.
fn page(value: String) -> Result<PathBuf, String> {
    let path = PathBuf::from(value);
    if is_html(&path) {
        return Ok(path);
    }
    let page = path.with_extension("html");
    Err(format!("--animate writes a page for browsers: give --animate {}", page.display()))
}

/// A finite number.
fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite())
}

fn not_a_number(option: &str, value: &str) -> String {
    let hint = if value.contains(',') { " (the decimal sign is a point)" } else { "" };
    format!("{option}: `{value}` is not a number{hint}")
}

fn positive(option: &str, value: f64) -> Result<f64, String> {
    if value > 0.0 {
        Ok(value)
    } else {
        Err(format!("{option} must be greater than zero, not {value}"))
    }
}

fn not_negative(option: &str, value: f64) -> Result<f64, String> {
    if value >= 0.0 {
        Ok(value)
    } else {
        Err(format!("{option} must not be below zero, as {value} is"))
    }
}

fn count(option: &str, value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{option}: `{value}` is not a whole number"))
}

/// `name=value`.
fn assignment(option: &Opt, text: &str) -> Result<(String, f64), String> {
    let (name, value) = named(option, text)?;
    let number = parse_number(&value).ok_or_else(|| not_a_number(option.name, value.trim()))?;
    Ok((name, number))
}

/// `name=text`.
fn named(option: &Opt, text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty())
        .ok_or_else(|| format!("{}: `{text}` is not of the form {}", option.name, option.value))?;
    Ok((name.chars().filter(|c| !c.is_whitespace()).collect(), value.into()))
}

/// Names separated by commas.
fn names(option: &str, text: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = text.split(',').map(|n| n.trim().to_string()).collect();
    if names.iter().any(String::is_empty) {
        return Err(format!("{option}: `{text}` has an empty name in it"));
    }
    Ok(names)
}

/// Positive numbers separated by commas.
fn numbers(option: &str, text: &str) -> Result<Vec<f64>, String> {
    let one = |part: &str| {
        let number = parse_number(part).ok_or_else(|| not_a_number(option, part.trim()))?;
        positive(option, number)
    };
    text.split(',').map(one).collect()
}

/// What a comparison draws as work.
fn work(text: &str) -> Result<Work, String> {
    let found = Work::NAMES.iter().find(|(name, _)| *name == text);
    found.map(|(_, work)| *work).ok_or_else(|| {
        format!(
            "--against: `{text}` is not one of {}",
            Work::NAMES.map(|(name, _)| name).join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(String::from)).map_err(|e| e.message)
    }

    #[test]
    fn everything_is_read() {
        let r = read(
            "simulate --method hht-i3 --alpha -0.1 --tol=1e-6 --t-end 2 --set r=0.2 --set=c[2]=5e3 \
             --init der(theta)=-20 --out a.csv --every .01 --plot a.svg --show x,der(theta) --json --check --quiet",
        )
        .unwrap();
        assert_eq!(r.command, Some(Command::Simulate));
        assert_eq!(r.set, [("r".into(), 0.2), ("c[2]".into(), 5e3)]);
        assert_eq!(r.init, [("der(theta)".into(), -20.0)]);
        assert_eq!(
            (r.alpha, r.tol, r.t_end, r.every),
            (Some(-0.1), Some(1e-6), Some(2.0), Some(0.01))
        );
        assert_eq!(r.show, ["x", "der(theta)"]);
        assert!(r.json && r.check && r.quiet && !r.help);
    }

    #[test]
    fn mistakes_are_told_with_a_way_out() {
        for (line, expected) in [
            ("", "say what to do: info, check, simulate or compare"),
            ("simulat", "there is no command `simulat`; did you mean `simulate`?"),
            ("dance", "there is no command `dance`; there are info, check, simulate and compare"),
            ("simulate --tolerence 1", "there is no option --tolerence"),
            ("simulate --tool 1", "there is no option --tool; did you mean --tol?"),
            ("simulate -q", "there is no option -q"),
            ("info --tol 1", "--tol is an option of `simulate`, not of `info`"),
            ("simulate --tol", "--tol needs a value: --tol T"),
            ("simulate --out --json", "--out needs a value: --out FILE.csv"),
            ("simulate --tol abc", "--tol: `abc` is not a number"),
            ("simulate --tol 1,5", "--tol: `1,5` is not a number (the decimal sign is a point)"),
            ("simulate --tol nan", "--tol: `nan` is not a number"),
            ("simulate --tol -1", "--tol must be greater than zero, not -1"),
            ("simulate --step 0", "--step must be greater than zero, not 0"),
            ("simulate --max-step 0", "--max-step must be greater than zero, not 0"),
            ("simulate --max-steps 0", "--max-steps must be greater than zero, not 0"),
            ("simulate --max-steps 1e9", "--max-steps: `1e9` is not a whole number"),
            (
                "info --max-steps 1",
                "--max-steps is an option of `simulate` and `compare`, not of `info`",
            ),
            ("simulate --tol 1 --tol 2", "--tol is given twice"),
            ("simulate --json=yes", "--json takes no value"),
            ("simulate --set r", "--set: `r` is not of the form PARAM=VALUE"),
            ("simulate --set =3", "--set: `=3` is not of the form PARAM=VALUE"),
            ("simulate --init q=a", "--init: `a` is not a number"),
            (
                "simulate r=3",
                "`r=3` is one word too many after `simulate`; options begin with -- (did you mean `--set r=3`?)",
            ),
            ("compare --tols 1e-3,x", "--tols: `x` is not a number"),
            ("compare --steps 1e-3,-1", "--steps must be greater than zero, not -1"),
            ("compare --against joy", "--against: `joy` is not one of time, steps, evaluations"),
            ("compare --tol 1e-3", "--tol is an option of `simulate`, not of `compare`"),
            ("simulate --show x,,y --plot a", "--show: `x,,y` has an empty name in it"),
        ] {
            assert_eq!(read(line).unwrap_err(), expected, "{line}");
        }
        for (line, part) in [
            ("simulate --tol 1 --step 1", "one of the two"),
            ("simulate --max-step 1 --step 1", "one of the two"),
            ("simulate --rho 1 --alpha 0", "one of the two"),
            ("simulate --show x", "give --plot FILE.svg"),
            ("simulate --beside a.csv", "give --animate FILE.html"),
            ("simulate --animate a.html --beside a,b,c,d", "up to three"),
            ("simulate --plot a.png", "give --plot a.svg"),
            ("simulate --plot a.PDF", "no PDF"),
            ("simulate --animate a.gif", "give --animate a.html"),
            ("compare --plot a.html", "give --plot FILE.svg"),
            ("--json info", "before --json: info, check, simulate or compare"),
        ] {
            let message = read(line).unwrap_err();
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    #[test]
    fn help_can_be_asked_for_in_every_way() {
        for line in ["--help", "-h", "help", "simulate --help", "simulate -h", "help simulate"] {
            assert!(read(line).unwrap().help, "{line}");
        }
        assert_eq!(read("help check").unwrap().command, Some(Command::Check));
    }

    #[test]
    fn the_defaults_in_the_help_are_those_of_the_library() {
        let text = help(Some(Command::Simulate), "slider_crank", "SliderCrank", "");
        let method = crate::integrate::Method::default();
        assert!(text.contains(&format!("(default: {})", method.name())), "{text}");
        let tolerance = crate::integrate::DEFAULT_TOLERANCE;
        assert!(text.contains(&format!("(default: {tolerance:e})")), "{text}");
        let (run, comparison) = (crate::simulation::DEFAULT_MAX_STEPS, crate::compare::MAX_STEPS);
        let steps = format!("(default: {run}, in a comparison {comparison})");
        assert!(text.contains(&steps), "{text}");
        let text = help(Some(Command::Compare), "slider_crank", "SliderCrank", "");
        for default in [
            crate::compare::REFERENCE_METHOD.to_string(),
            format!("{:e}", crate::compare::REFERENCE_TOLERANCE),
        ] {
            assert!(text.contains(&format!("(default: {default})")), "{text}");
        }
    }

    #[test]
    fn help_fits_a_terminal_and_names_every_option() {
        for command in Command::ALL {
            let text = help(Some(command), "slider_crank", "SliderCrank", "");
            assert!(text.lines().all(|l| l.chars().count() <= 90), "{text}");
            for option in OPTIONS.iter().filter(|o| o.commands.contains(&command)) {
                assert!(text.contains(option.name));
            }
        }
        let text = help(None, "slider_crank", "SliderCrank", "\n Planar.\n More.");
        assert!(text.starts_with("SliderCrank: Planar.\n"), "{text}");
    }
}
