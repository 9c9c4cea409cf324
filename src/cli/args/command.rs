//! What the program can do.

/// What the program can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Command {
    Info,
    Check,
    Simulate,
    Compare,
    Plot,
}

impl Command {
    pub(super) const ALL: [Command; 5] =
        [Command::Info, Command::Check, Command::Simulate, Command::Compare, Command::Plot];

    /// What stands between its name and its options.
    pub(super) fn operands(self) -> &'static str {
        if self == Command::Plot { " RUN.csv OTHER.csv..." } else { "" }
    }

    pub(in crate::cli) fn name(self) -> &'static str {
        match self {
            Command::Info => "info",
            Command::Check => "check",
            Command::Simulate => "simulate",
            Command::Compare => "compare",
            Command::Plot => "plot",
        }
    }

    pub(super) fn summary(self) -> &'static str {
        match self {
            Command::Info => "what the model consists of: names, units, sizes, parameters, methods",
            Command::Check => "whether the model is right: derivatives, constraints, initial state",
            Command::Simulate => "compute the motion and write it as CSV, SVG or JSON",
            Command::Compare => "which method is how accurate at which cost on this model",
            Command::Plot => "draw runs beside each other, by the tables that they wrote",
        }
    }

    pub(super) fn about(self) -> &'static str {
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
            Command::Plot => {
                "Draws runs of the model that `simulate --out` has written, up to seven in one picture:\n\
                 --plot for their curves, --animate for the mechanisms in motion, each in its own colour."
            }
        }
    }

    pub(super) fn examples(self) -> &'static [&'static str] {
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
            Command::Plot => &[
                "plot run.csv --plot run.html",
                "plot long.csv slow.csv --show theta,energy --plot both.svg",
                "plot long.csv slow.csv --animate both.html",
            ],
            Command::Compare => &[
                "compare",
                "compare --methods hht-i3,hht-soi2 --tols 1e-4,1e-6 --plot work.svg",
                "compare --methods hht-i3 --steps 2e-3,1e-3,5e-4 --against steps",
            ],
        }
    }
}
