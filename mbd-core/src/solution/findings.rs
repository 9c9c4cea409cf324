//! What was found out about a run: drift, power balance, steps too long, statements on dual numbers.

use crate::assembly::System;
use crate::checkpoint::State;
use crate::digits::instant;

/// Largest constraint violations over all recorded points and steps, those of redundant rows
/// included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// max |g|.
    pub position: f64,
    /// max |G v + g_t| and |k|.
    pub velocity: f64,
}

/// What the energy E = v·T_v − T + U of a run changed by, and what is known to have changed it:
/// energy = work − dissipated − numerical + jumps, but for what the run got wrong (docs/book/src/accuracy.md).
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// Change of E since the start, in J.
    pub energy: f64,
    /// What events that the model states changed it by, in J: impacts take it.
    pub jumps: f64,
    /// Work of forces, of prescribed motion and of energies that depend on time, in J.
    pub work: f64,
    /// What dissipation functions took, in J.
    pub dissipated: f64,
    /// What the method's numerical damping took by its own formulas, in J; `None` for a method
    /// without, or of which no formula is known.
    pub numerical: Option<f64>,
    /// The largest remainder at any time of the run, over max |v·T_v − T| + ∫ |power| dt.
    pub closes: f64,
    /// That remainder in J: energy that came from nowhere, negative where it went there.
    pub missing: f64,
    /// The remainder in J up to which tolerance and rounding explain it.
    pub explained: f64,
    /// When, in s.
    pub at: f64,
    /// The statement whose part closes worst, where the balance does not hold.
    pub blamed: Option<String>,
    /// Whether the tolerance explains the remainder.
    pub holds: bool,
    /// Where the balance does not hold: the jump of an energy that no motion follows, if one accounts for that.
    pub abrupt: Option<Abrupt>,
}

/// An energy that jumps while positions and velocities stay, so that something without bound would have to act on the motion:
/// a potential energy that jumps at a place, or a kinetic energy of which the momentum jumps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Abrupt {
    /// When, in s.
    pub t: f64,
    /// The statement.
    pub statement: String,
    /// What E changes by, in J.
    pub by: f64,
    /// Whether it is a kinetic energy.
    pub is_kinetic: bool,
}

impl Abrupt {
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Abrupt { t, statement, by, is_kinetic } = self;
        state.number(t);
        state.text(statement);
        state.number(by);
        state.flag(is_kinetic);
    }
}

impl std::fmt::Display for Abrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Abrupt { t, statement, by, is_kinetic } = self;
        write!(f, "`{statement}` jumps by {by:.3e} J at t = {} s, ", instant(t))?;
        f.write_str(match is_kinetic {
            true => {
                "and no velocity jumps with it as its momentum asks for: let it change smoothly (`smooth_step`), or state the \
                 inertia as `mass[x, x] = …`, which takes mass on or off without a blow"
            }
            false => {
                "where its force is without bound, and no motion follows that: let it be continuous there, \
                 or state an `event` that changes the velocity"
            }
        })
    }
}

/// A statement that was evaluated on dual numbers in every step, where a program would have been many
/// times faster: [`System::on_dual_numbers`](crate::assembly::System::on_dual_numbers).
#[derive(Clone, Debug, PartialEq)]
pub struct OnDualNumbers {
    /// Its name.
    pub statement: String,
    /// Its part of the time of the run, of a resumed one since it was resumed; 0 to 1.
    pub share: f64,
}

impl OnDualNumbers {
    /// Those of a system in a run that has taken so many seconds.
    pub(crate) fn of(system: &System, seconds: f64) -> Vec<Self> {
        let each = system.time_on_dual_numbers();
        let share = |taken: f64| if seconds > 0.0 { (taken / seconds).min(1.0) } else { 0.0 };
        each.map(|(name, taken)| OnDualNumbers { statement: name.into(), share: share(taken) })
            .collect()
    }
}

impl std::fmt::Display for OnDualNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:.0} % of the time)", self.statement, 100.0 * self.share)
    }
}

/// Prescribed steps that do not resolve the motion: the coarsest of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Coarse {
    /// End of the step in s.
    pub t: f64,
    /// Its size in s.
    pub h: f64,
    /// The coordinate or state.
    pub worst: String,
    /// Estimated local error of the steps up to it, over the scale; at most 1 of each step.
    pub error: f64,
}

/// A comparison that the motion comes as near to as its error and does not cross, as far as it was followed: whether it does
/// cannot be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Grazing {
    /// When, in s.
    pub t: f64,
    /// The statement that compares.
    pub name: String,
    /// What would hold if it were crossed.
    pub condition: String,
}

impl std::fmt::Display for Grazing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Grazing { t, name, condition } = self;
        write!(
            f,
            "at t = {} s the motion comes as near to `{condition}` in `{name}` as its error, and goes back: whether it \
             gets there cannot be told. A smaller tolerance may tell",
            instant(t)
        )
    }
}

/// Two impacts that are nearer to each other than the error of the motion, and of which each changes what the other does: which
/// comes first, or whether both come at once, cannot be told.
#[derive(Clone, Debug, PartialEq)]
pub struct Disorder {
    /// When, in s.
    pub t: f64,
    /// The impact that came first in the run.
    pub first: String,
    /// The one that its error might have put before it.
    pub then: String,
}

impl std::fmt::Display for Disorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Disorder { t, first, then } = self;
        write!(
            f,
            "at t = {} s the impacts `{first}` and `{then}` are nearer to each other than the error of the motion: which comes \
             first, or whether both come at once, cannot be told, and makes a difference. A smaller tolerance may tell, or \
             another method",
            instant(t)
        )
    }
}

/// Laws by which the motion depends on how redundant constraints share a load, which the equations do not determine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ambiguity {
    /// Where it was seen first, in s: it is looked for ever more seldom as a run goes on, and at its end.
    pub t: f64,
    /// The statements.
    pub laws: Vec<String>,
}

impl Ambiguity {
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Ambiguity { t, laws } = self;
        state.number(t);
        state.every(laws, String::new(), State::text);
    }
}

impl std::fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MOST: usize = 4;
        let Ambiguity { t, laws } = self;
        let names: Vec<String> = laws.iter().take(MOST).map(|name| format!("`{name}`")).collect();
        let more = match laws.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let reads = if laws.len() == 1 { "reads" } else { "read" };
        write!(
            f,
            "the motion is one of many: at t = {} s {}{more} {reads} how redundant constraints share their load, \
             which the equations do not determine. Leave out what is redundant, let a part of it yield (a stiff spring in \
             place of a constraint), or read what the constraints bear together",
            instant(t),
            names.join(", ")
        )
    }
}

impl std::fmt::Display for Coarse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Coarse { t, h, worst, error } = self;
        write!(
            f,
            "the prescribed steps do not resolve the motion: about t = {} s each step of {h:.1e} s \
             errs by some {:.0} % of the size of `{worst}`. Take shorter steps, or adaptive ones (--tol)",
            instant(t),
            100.0 * error
        )
    }
}
