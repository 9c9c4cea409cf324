//! Reading a command line: commands, options and what does not go together.

use super::command::{Command, list};
use super::options::{OPTIONS, Opt};
use super::request::Request;
use super::values::{
    assignment, count, is_glb, is_html, named, names, not_a_number, not_negative, numbers, one_of,
    page, parse_number, picture, positive,
};
use crate::assembly::Derivatives;
use crate::compare::Work;
use crate::error::nearest;

/// A command line that was not understood.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct UsageError {
    pub(in crate::cli) message: String,
    /// The command it was about.
    pub(in crate::cli) command: Option<Command>,
}

/// Reads a command line, the program's name left out.
pub(in crate::cli) fn parse(args: impl IntoIterator<Item = String>) -> Result<Request, UsageError> {
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
            "--derivatives" => {
                self.derivatives = Some(one_of(option.name, &value, Derivatives::NAMES)?);
            }
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
            "--against" => self.against = one_of(option.name, &value, Work::NAMES)?,
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
        if self.animate.as_deref().is_some_and(is_glb) {
            if !self.beside.is_empty() {
                return fail("a .glb file has one run: for more of them give --animate FILE.html");
            }
            if seen.contains(&"--show") && self.plot.is_none() {
                return fail(
                    "a .glb file has no curves for --show: give --animate FILE.html, or --plot FILE.svg as well",
                );
            }
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
