//! The options that commands take.

use super::command::Command;

/// An option as written on the command line.
pub(super) struct Opt {
    pub(super) name: &'static str,
    /// What its value stands for; empty for a switch.
    pub(super) value: &'static str,
    pub(super) help: &'static str,
    pub(super) commands: &'static [Command],
}

const EVERY: &[Command] = &Command::ALL;
const STARTING: &[Command] = &[Command::Check, Command::Simulate, Command::Compare];
const RUNNING: &[Command] = &[Command::Simulate, Command::Compare];
const SIMULATE: &[Command] = &[Command::Simulate];
const COMPARE: &[Command] = &[Command::Compare];

/// All of them, in the order in which the help lists them.
pub(super) const OPTIONS: &[Opt] = &[
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
        name: "--derivatives",
        value: "BY",
        help: "what derivatives are taken by: programs (the default), or dual\nnumbers, an independent source of each, many times slower",
        commands: RUNNING,
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
        help: "write a table: of the motion, a line per step, and beside it in\nFILE.csv.json how it was computed; of a comparison, a line per run;\nFILE.npz, FILE.parquet: the motion as data, if built with these features",
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
        help: "show the mechanism in motion with its plots, in one file\nfor a browser; FILE.glb: the bodies alone, as glTF",
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
