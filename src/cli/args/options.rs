//! The options that commands of models take: the one table that reading, help, completions and manual pages come from.

use super::command::Command;
use super::grammar;
use super::request::Request;
use super::values::{
    any, assignment, chosen, count, file, named, names, not_a_number, not_negative, numbers, page,
    parse_number, picture, positive, starts, sweep,
};
use crate::assembly::Derivatives;
use crate::compare::Work;
use Field::{
    Against, Assignments, Count, Derivation, File, Names, Number, Numbers, Signals, Starts, Sweep,
    Switch, Text,
};
use clap::Arg;
use std::path::PathBuf;

/// An option as written on the command line.
pub(super) struct Opt {
    pub(super) name: &'static str,
    /// What its value stands for; empty for a switch.
    pub(super) value: &'static str,
    field: Field,
    pub(super) commands: &'static [Command],
    help: &'static str,
}

/// Where in a request its value goes.
type Place<T> = fn(&mut Request) -> &mut T;

/// How its value is read, and where it goes.
enum Field {
    Switch(Place<bool>),
    Text(Place<Option<String>>),
    File(fn(&str) -> Result<PathBuf, String>, Place<Option<PathBuf>>),
    Number(fn(&str, f64) -> Result<f64, String>, Place<Option<f64>>),
    /// A whole number, at least this.
    Count(usize, Place<Option<usize>>),
    Names(Place<Vec<String>>),
    Numbers(Place<Vec<f64>>),
    /// `name=number`, as often as wanted.
    Assignments(Place<Vec<(String, f64)>>),
    /// `name=number,number,…`, once.
    Sweep(Place<Option<(String, Vec<f64>)>>),
    /// The same of what a motion starts with, several numbers at once too.
    Starts(Place<Vec<(String, f64)>>),
    /// `name=text`, as often as wanted.
    Signals(Place<Vec<(String, String)>>),
    Derivation(Place<Option<Derivatives>>),
    Against(Place<Work>),
}

impl Opt {
    /// Whether it may be given several times.
    pub(super) fn is_repeated(&self) -> bool {
        matches!(self.field, Assignments(_) | Starts(_) | Signals(_))
    }

    /// What its value is of, where it may be given several times: `x` of `x=5`, `c[0]` and `c[1]` of `c=[1,2]`.
    pub(super) fn names(&self, text: &str) -> Vec<String> {
        let (name, form) = (self.name, self.value);
        let names = match self.field {
            Starts(_) => starts(name, form, text).map(|all| all.into_iter().map(|x| x.0).collect()),
            Assignments(_) | Signals(_) => named(name, form, text).map(|(name, _)| vec![name]),
            _ => return Vec::new(),
        };
        names.unwrap_or_default()
    }

    pub(super) fn arg(&self) -> Arg {
        let arg = grammar::option(self.name, self.value, self.help, self.is_repeated());
        match self.field {
            Derivation(_) => grammar::choice(arg, Derivatives::NAMES.map(|known| known.0)),
            Against(_) => grammar::choice(arg, Work::NAMES.map(|known| known.0)),
            _ => arg,
        }
    }

    /// Reads its value.
    pub(super) fn take(&self, request: &mut Request, text: &str) -> Result<(), String> {
        let name = self.name;
        match self.field {
            Switch(place) => *place(request) = true,
            Text(place) => *place(request) = Some(text.into()),
            File(check, place) => *place(request) = Some(check(text)?),
            Number(check, place) => {
                let number = parse_number(text).ok_or_else(|| not_a_number(name, text))?;
                *place(request) = Some(check(name, number)?);
            }
            Count(least, place) => {
                let count = count(name, text)?;
                if least > 0 {
                    positive(name, count as f64)?;
                }
                *place(request) = Some(count);
            }
            Names(place) => *place(request) = names(name, text)?,
            Numbers(place) => *place(request) = numbers(name, text)?,
            Assignments(place) => place(request).push(assignment(name, self.value, text)?),
            Sweep(place) => *place(request) = Some(sweep(name, self.value, text)?),
            Starts(place) => place(request).extend(starts(name, self.value, text)?),
            Signals(place) => place(request).push(named(name, self.value, text)?),
            Derivation(place) => *place(request) = chosen(text, &Derivatives::NAMES),
            Against(place) => {
                *place(request) = chosen(text, &Work::NAMES).unwrap_or_default();
            }
        }
        Ok(())
    }
}

const BUILDING: &[Command] = &[Command::Info, Command::Check, Command::Simulate, Command::Compare];
const STARTING: &[Command] = &[Command::Check, Command::Simulate, Command::Compare];
const RUNNING: &[Command] = &[Command::Simulate, Command::Compare];
const DRAWING: &[Command] = &[Command::Simulate, Command::Compare, Command::Plot];
const MOVING: &[Command] = &[Command::Simulate, Command::Plot];
const SIMULATE: &[Command] = &[Command::Simulate];
const COMPARE: &[Command] = &[Command::Compare];

const fn opt(
    name: &'static str,
    value: &'static str,
    commands: &'static [Command],
    field: Field,
    help: &'static str,
) -> Opt {
    Opt { name, value, field, commands, help }
}

/// Options of which a run has one, and why.
#[rustfmt::skip]
const EXCLUSIVE: &[(&str, &str, &str)] = &[
    ("--certify", "--no-estimate", "--certify goes by the estimate: leave out --no-estimate"),
    ("--certify", "--step", "--certify needs steps it can choose: leave out --step"),
    ("--certify", "--checkpoint", "--certify takes several runs, --checkpoint is for one"),
    ("--certify", "--resume", "--certify takes several runs, --resume is for one"),
    ("--tol", "--step", "--tol chooses the steps, --step fixes them: give one of the two"),
    ("--atol", "--step", "--atol is of steps that are chosen, --step fixes them: give one of the two"),
    ("--step", "--max-step",
        "--max-step bounds the steps that --tol chooses, --step fixes them: give one of the two"),
    ("--rho", "--alpha", "--rho and --alpha say the same thing in two ways: give one of the two"),
    ("--sweep", "--out",
        "--out is the table of one run, and --sweep makes several: give --set and --out for each"),
    ("--sweep", "--checkpoint", "--checkpoint and --resume are for one run: leave out --sweep"),
    ("--sweep", "--resume", "--checkpoint and --resume are for one run: leave out --sweep"),
];

/// Why options do not go together, where two of those given do not.
pub(super) fn contradiction(given: &[&str]) -> Option<&'static str> {
    let both = |(one, other, _): &&(&str, &str, _)| given.contains(one) && given.contains(other);
    EXCLUSIVE.iter().find(both).map(|(_, _, why)| *why)
}

/// Whether a run that has one of two options cannot have the other.
pub(in crate::cli) fn are_exclusive(one: &str, other: &str) -> bool {
    EXCLUSIVE.iter().any(|&(a, b, _)| [(a, b), (b, a)].contains(&(one, other)))
}

/// All of them, in the order in which the help lists them.
#[rustfmt::skip]
pub(super) const OPTIONS: &[Opt] = &[
    opt("--set", "PARAM=VALUE", BUILDING, Assignments(|r| &mut r.set),
        "give a parameter another value; may be repeated. Array entries are c[2]=5, sizes n=64"),
    opt("--init", "COORD=VALUE", STARTING, Starts(|r| &mut r.init),
        "start a coordinate (theta=0.3), a velocity (der(theta)=20), a state (e=0), or a joint \
         (hinge.angle=0.3, hinge.rate=2, by its coordinates as in the model) at this value; a body \
         with arm.position=[0,0,1], arm.velocity=[1,0,0], arm.omega=[0,0,2], \
         arm.e=axis_angle([0,1,0],0.3), yaw_pitch_roll(0.1,0,0) or axis_to([0,0,1],[0,1,0]), an array with c=[1,2,3]; \
         may be repeated"),
    opt("--input", "NAME=SIGNAL", RUNNING, Signals(|r| &mut r.input),
        "feed an input of the model with a number (u=3.0) or a table (u=FILE.csv, u=FILE.csv:COLUMN, time [s] \
         in its first column); read linearly, or as said behind it: u=FILE.csv,spline or ,steps; ,held holds \
         the table's ends before and after it; may be repeated"),
    opt("--method", "NAME", SIMULATE, Text(|r| &mut r.method),
        "method of integration; `info` lists them (default: gen-alpha-soi2)"),
    opt("--rho", "R", SIMULATE, Number(any, |r| &mut r.rho),
        "numerical damping of the α-methods as spectral radius at infinite frequency: 1 damps nothing, \
         smaller values damp more"),
    opt("--alpha", "A", SIMULATE, Number(any, |r| &mut r.alpha),
        "the same as the parameter α: from 0 (nothing) to -1/3 (most)"),
    opt("--order", "N", SIMULATE, Count(0, |r| &mut r.order),
        "highest order of the BDF methods, 1 to 5 (default 2)"),
    opt("--positions-only", "", SIMULATE, Switch(|r| &mut r.positions_only),
        "leave velocities out of the BDF methods' error test"),
    opt("--independent", "A,B,C", SIMULATE, Names(|r| &mut r.independent),
        "the independent coordinates, for the methods that split them (default: by pivoting)"),
    opt("--no-adjust", "", SIMULATE, Switch(|r| &mut r.no_adjust),
        "leave the algorithmic acceleration as it is when the step changes, to study what that costs"),
    opt("--tol", "T", SIMULATE, Number(positive, |r| &mut r.tol),
        "what the error of each step is measured by, relative to the scales of the model: it is held to a \
         twentieth of this (default: 1e-5). Errors add up: the summary tells what the result is worth"),
    opt("--atol", "NAME=T", SIMULATE, Assignments(|r| &mut r.atol),
        "tolerance of a coordinate or state in its own unit, in the place of the tolerance times its scale; \
         may be given several times"),
    opt("--certify", "", SIMULATE, Switch(|r| &mut r.certify),
        "repeat the run with tighter steps until the estimated error of the result is at most half of --tol; exit \
         code 14 when the best run is still above --tol"),
    opt("--no-estimate", "", SIMULATE, Switch(|r| &mut r.no_estimate),
        "run without the estimate of the result's error, which takes an eighth of a run's time in the median, and as much as \
         the run at worst"),
    opt("--no-events", "", SIMULATE, Switch(|r| &mut r.no_events),
        "let steps go through the comparisons of the model, instead of ending them where the motion crosses \
         one"),
    opt("--least-shares", "", SIMULATE, Switch(|r| &mut r.least_shares),
        "of a load that redundant constraints share, as two hinges of one door do, write the least share of each (in \
         the sum of squares of all multipliers) in place of what the equations happen to give"),
    opt("--derivatives", "BY", RUNNING, Derivation(|r| &mut r.derivatives),
        "what derivatives are taken by: program, the code made of each statement (the default), or dual, dual \
         numbers, an independent source of each, many times slower"),
    opt("--step", "H", SIMULATE, Number(positive, |r| &mut r.step),
        "take fixed steps of this size [s] instead"),
    opt("--max-step", "H", RUNNING, Number(positive, |r| &mut r.max_step),
        "let error control choose no step longer than this [s] (default: no bound)"),
    opt("--max-steps", "N", RUNNING, Count(1, |r| &mut r.max_steps),
        "give a run up after this many steps (default: 10000000, in a comparison 2000000)"),
    opt("--t-end", "T", RUNNING, Number(not_negative, |r| &mut r.t_end),
        "end time [s] (default: the model's own)"),
    opt("--out", "FILE.csv", RUNNING, File(file, |r| &mut r.out),
        "write a table. `simulate`: a line per step, and beside it in FILE.csv.json how the motion was computed; \
         FILE.npz, FILE.parquet: the motion as data, if built with these features. `compare`: a line per run, as CSV"),
    opt("--every", "DT", SIMULATE, Number(positive, |r| &mut r.every),
        "a line every DT seconds instead; does not change the steps"),
    opt("--plot", "FILE.svg", DRAWING, File(picture, |r| &mut r.plot),
        "draw the motion; FILE.html: to zoom and choose curves in. `compare`: draw the work over the error, as SVG"),
    opt("--animate", "FILE.html", MOVING, File(page, |r| &mut r.animate),
        "show the mechanism in motion with its plots, in one file for a browser; FILE.glb: the bodies alone, \
         as glTF; FILE.svg: a picture of them that moves"),
    opt("--beside", "A.csv,B.csv", SIMULATE, Names(|r| &mut r.beside),
        "show earlier runs of the model in the same animation and plot, by the tables that they wrote"),
    opt("--sweep", "PARAM=V,V,V", SIMULATE, Sweep(|r| &mut r.sweep),
        "run once for each of these values of a parameter, all in the same animation and plot, up to seven runs"),
    opt("--show", "A,B,C", MOVING, Names(|r| &mut r.show),
        "what to draw, by the names of the table's columns: theta, der(theta), lambda(close), an output, \
         energy; x:y draws y over x (default: outputs and coordinates while they are few, else outputs)"),
    opt("--history", "", SIMULATE, Switch(|r| &mut r.history),
        "record with each point what the run did: the step's size, Newton iterations and estimated error over its \
         tolerance, the power balance and the estimated error of the result so far, as further columns of table and plots"),
    opt("--checkpoint", "FILE", SIMULATE, File(file, |r| &mut r.checkpoint),
        "keep in a file, written about every second, what the run needs to be resumed after a kill or a power \
         failure"),
    opt("--resume", "FILE", SIMULATE, File(file, |r| &mut r.resume),
        "go on where that file was written, to the same results: give all other options as before"),
    opt("--like", "FILE.csv", SIMULATE, File(file, |r| &mut r.like),
        "as the run that wrote this table: its parameters and options, but for those given here"),
    opt("--json", "", BUILDING, Switch(|r| &mut r.json),
        "print the result as one JSON object on standard output; of `simulate --every` the motion too, as \
         `series`"),
    opt("--methods", "A,B,C", COMPARE, Names(|r| &mut r.methods),
        "methods to compare (default: all but bdf-cm-1996)"),
    opt("--tols", "T,T,...", COMPARE, Numbers(|r| &mut r.tols),
        "tolerances to run each with (default: 1e-3 to 1e-7)"),
    opt("--steps", "H,H,...", COMPARE, Numbers(|r| &mut r.steps),
        "fixed step sizes [s] to run each with"),
    opt("--reference", "NAME", COMPARE, Text(|r| &mut r.reference),
        "method of the reference (default: radau5)"),
    opt("--reference-tol", "T", COMPARE, Number(positive, |r| &mut r.reference_tol),
        "its tolerance (default: 1e-12)"),
    opt("--of", "A,B,C", COMPARE, Names(|r| &mut r.of),
        "the quantities whose errors count (default: all coordinates and states)"),
    opt("--against", "WORK", COMPARE, Against(|r| &mut r.against),
        "what --plot draws as work: time, steps or evaluations (default: time)"),
    opt("--check", "", SIMULATE, Switch(|r| &mut r.check),
        "check the model first, as `check` does, and run only if it passes"),
    opt("--strict", "", SIMULATE, Switch(|r| &mut r.strict),
        "exit with 14 where accuracy is doubtful, as when the power balance does not close, instead of a \
         warning alone"),
    opt("--quiet", "", DRAWING, Switch(|r| &mut r.quiet),
        "no progress and no summary; errors are still told"),
];
