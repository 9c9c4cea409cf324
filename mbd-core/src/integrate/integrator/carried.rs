//! What is known of events, jumps, surfaces and clocks from step to step.

use crate::assembly::{Point, SlotKind, System};
use crate::drawing::Drawing;
use crate::integrate::guards::INSTANTS;
use crate::solution::{Event, Saltation, StoppedBy};
use crate::start::Accelerations;
use nalgebra::DMatrix;

/// What a guard may go farther beyond its boundary than where it has been met beyond it, in parts of that.
pub(super) const BEYOND: f64 = 1.0 / 64.0;

/// Attempts to end a step at a crossing; as a rule the second is right to rounding.
pub(super) const TRIES: usize = 5;

/// The guards of a model that can be held.
#[derive(Default)]
pub(super) struct Events {
    pub(super) guards: Vec<Held>,
    /// Those of the event of each contact, by the numbers of both.
    pub(super) of_contacts: Vec<Vec<usize>>,
    /// Comparisons are not held, whatever the motion begins from.
    pub(super) ignored: bool,
    /// Those whose sides change where the last step ended.
    pub(super) due: Vec<usize>,
    /// The time of the point whose values and rates are those of beginnings of steps.
    pub(super) known: Option<f64>,
    /// How often sides have changed at one instant.
    pub(super) turns: (f64, usize),
    pub(super) list: Vec<Event>,
    /// How many steps have been taken again to end short of where the speed of a plane is 0 since it was swift, and whether
    /// the one that is attempted is.
    pub(super) short: (usize, bool),
    /// Where the error of the motion first decided whether a guard is crossed: the time, the guard and its side.
    pub(super) grazed: Option<(f64, usize, f64)>,
    /// The first two impacts of which the error decided which came first: the time, and their contacts.
    pub(super) disordered: Option<(f64, usize, usize)>,
    /// Those that the model states.
    pub(super) jumps: Jumps,
}

/// What has been met where a step has ended, and has not happened yet.
pub(super) struct Met {
    /// Guards, and the sides that they leave.
    pub(super) due: Vec<(usize, f64)>,
    /// Which conditions held.
    pub(super) conditions: Vec<(bool, i8)>,
}

/// One of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) guard: usize,
    /// Index of its side among a point's.
    pub(super) side: usize,
    /// It belongs to the condition of a stated event, and to no equation.
    pub(super) stated: bool,
    /// The contact to whose event it belongs.
    pub(super) contact: Option<usize>,
    /// It is one of the components of a plane's speed: nothing happens where it crosses.
    pub(super) silent: bool,
    /// Of what says that a plane's speed is not 0 the quadrant in which that is: σ is the speed along it.
    pub(super) quadrant: Option<[f64; 2]>,
    /// It belongs to a contact that is closed, or to a surface at rest by others: its side stays.
    pub(super) rests: bool,
    /// While a contact that has opened is as good as closed, and a surface that has been left as good as not: what is
    /// added to σ, so that rounding and the errors of the first steps do not lead back.
    pub(super) offset: f64,
    /// It changed where the step begins.
    pub(super) fresh: bool,
    /// The largest |σ| at the ends of steps.
    pub(super) largest: f64,
    /// |σ| where the motion has come to the boundary last: a step ends there as near as it is exact.
    pub(super) met_at: f64,
    /// It belongs to the condition of a stated event, and stays within rounding of its boundary all along the attempted step, as
    /// where a latch holds the motion there: then it crosses nothing.
    pub(super) still: bool,
    /// σ at the beginning of an attempted step and at the [`INSTANTS`].
    pub(super) values: [f64; 1 + INSTANTS.len()],
    /// σ̇ at its ends.
    pub(super) rates: [f64; 2],
    /// While free: the last sign, the steps over which it has stayed, and those that it has to.
    pub(super) sign: i8,
    pub(super) steady: usize,
    pub(super) patience: usize,
    /// When the sign was another one at the end of a step for the last time.
    pub(super) since: f64,
    /// How often the sign has changed while it was free, and when it did first.
    pub(super) changes: usize,
    pub(super) first: f64,
    /// The side on which it was held last.
    pub(super) last: f64,
}

/// What an attempted step is with its crossings.
pub(super) enum Crossed {
    /// Good as it is.
    No,
    /// Good, and ends at one.
    Ends,
    /// Too long: the size that ends at the first.
    Sooner(f64),
    /// To be taken once more with the sides it has now.
    Again,
    /// Too long to say what happens in it.
    TooLong,
}

/// The stated events of a model, and how they stand.
#[derive(Default)]
pub(in crate::integrate) struct Jumps {
    pub(super) list: Vec<One>,
    /// One of them reads what follows from the motion.
    pub(super) solves: bool,
    /// Guards that changed their sides at the instant that is looked at, and the first of them that the motion
    /// has crossed.
    pub(super) met: Vec<usize>,
    pub(super) crossed: Option<usize>,
    /// Those at the boundary of which the motion is, since it has come to them.
    pub(super) come_to: Vec<usize>,
    /// Something has changed that conditions may depend on.
    pub(super) look: bool,
    /// Of each comparison of what follows from the motion its sign where conditions were looked at last.
    pub(super) sensed: Vec<f64>,
    /// The step is taken again to end where one of them changes, and the direction of the change that it ended at.
    pub(super) seeks: bool,
    pub(super) direction: i8,
    pub(super) stopped: Option<StoppedBy>,
    /// The point reached is one after events that no step has led to.
    pub(super) begins: bool,
    /// Samples that happen now.
    pub(super) ticked: Vec<usize>,
    /// What has happened last, within as good as no time, and when, round by round: each event, and the rate at which its gap
    /// closed, of a contact.
    pub(super) blows: Vec<(f64, Vec<(usize, f64)>)>,
    /// Where the forces of joints are, since the first blow.
    pub(super) joints: Option<Box<Drawing>>,
}

/// An instance of one.
#[derive(Clone, Copy)]
pub(super) struct One {
    /// Its statement among the groups of the system.
    pub(super) group: usize,
    pub(super) instance: usize,
    /// Whether the condition held, and the side of what has to be met exactly.
    pub(super) held: bool,
    pub(super) side: i8,
    /// When it happened last, the latest first.
    pub(super) times: [f64; 4],
    /// Of a contact whose last impact came from a height that is as good as none, the rate that this leaves the gap at most;
    /// else 0.
    pub(super) slow: f64,
    /// The second rate with which its gap was last found to close, of a contact; 0 before.
    pub(super) falls: f64,
    /// Until when its next impact rebounds no more, since others have come to a limit that it shares.
    pub(super) ends_until: f64,
    /// How often it has happened, and when for the 2ᵏ-th time, the latest first.
    pub(super) count: usize,
    pub(super) doubled: [f64; 4],
}

/// The surfaces of the model, and what is known of the motion on them.
#[derive(Default)]
pub(super) struct Sliding {
    /// Those that the motion leaves where the last step ended, each with the side.
    pub(super) leaving: Vec<(Kept, f64)>,
    /// Those that it has left at an instant, which must not hold it again by rounding of a share at its bound while others
    /// leave at that instant too.
    pub(super) left: (f64, Vec<(Kept, f64)>),
    /// Of each of the model's rows that come and go whether it is a contact that is closed; others may hold it
    /// along with themselves, so that its row is not in the equations.
    pub(super) closed: Vec<bool>,
    /// The step was taken again to end where the motion leaves one.
    pub(super) ends_step: bool,
    /// The time in which friction in a plane would give the speed with which the motion leaves it, and whether it does.
    pub(super) begins: (f64, bool),
    /// No method keeps the motion on these surfaces.
    pub(super) refused: bool,
    /// A contact that neither stays closed nor opens, by its number among the rows that come and go.
    pub(super) contradiction: Option<usize>,
    /// Planes that hold the same bodies, as far as is known of what was assumed last.
    pub(super) together: Vec<Vec<usize>>,
    /// Of each surface of states what it reads, and its slopes by that.
    pub(super) slopes: Vec<Vec<(SlotKind, usize, f64)>>,
    /// Another method takes the steps while the motion slides, and after it until the motion is swift.
    pub(super) substituted: bool,
    pub(super) lingers: bool,
    /// Solves for the shares between the steps, on the surfaces on which the motion is.
    pub(super) solver: Option<Box<Accelerations>>,
}

/// How a share goes along a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Left {
    /// It stays within its bounds.
    No,
    /// The step is too long to tell.
    TooLong,
    /// It leaves at this part of the step.
    At(f64),
    /// It leaves where the step ends.
    Ends,
}

/// The times at which something happens.
#[derive(Default)]
pub(super) struct Clockwork {
    /// Up to where knots have been passed.
    pub(super) passed: f64,
    /// Inputs have been set since the last step.
    pub(super) set: bool,
    pub(super) samples: Vec<Sample>,
    /// The kinetic energies, by the numbers of their groups, whose momenta may jump: those that compare. Inputs that they
    /// read are smooth enough.
    pub(super) kinetic: Vec<usize>,
}

/// A sampled controller.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Its number among the stated events.
    pub(super) event: usize,
    pub(super) period: f64,
    pub(super) phase: f64,
    /// The number of its next instant.
    pub(super) next: f64,
}

/// Where the motion goes from a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
    /// It stays.
    Stays,
    /// To the side σ > 0 (1) or σ < 0 (−1); of a contact, it opens (1).
    Leaves(f64),
    /// It stays for now, and no force of the surface holds it there: to see where it would go.
    Floats,
}

/// What may hold the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// A surface, by its number.
    Surface(usize),
    /// A contact, by its number among the rows that come and go.
    Contact(usize),
}

/// A surface on which the motion is at an instant, or a contact that touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched {
    pub(super) kept: Kept,
    pub(super) mode: Mode,
    /// Where it goes if it cannot stay: on to the side it was not on, or back.
    pub(super) otherwise: f64,
    /// Its mode is given: no force holds the motion on it, or it has left.
    pub(super) open: bool,
    /// Its share was at a bound: the motion leaves to this side, unless it would have to come back from there
    /// for more than rounding.
    pub(super) left: Option<f64>,
    /// Of a contact: it bears nothing, and others may hold it closed in its place.
    pub(super) idle: bool,
}

impl Touched {
    pub(super) fn new(kept: Kept, otherwise: f64) -> Self {
        Touched { kept, mode: Mode::Stays, otherwise, open: false, left: None, idle: false }
    }

    pub(super) fn is(&self, surface: usize) -> bool {
        self.kept == Kept::Surface(surface)
    }
}

/// What held the motion before a blow.
#[derive(Default)]
pub(super) struct Rested {
    pub(super) surfaces: Vec<usize>,
    pub(super) contacts: Vec<usize>,
}

/// Guards that change one right after the other, each once: after the first no step ends at another.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Until when they belong together.
    pub(super) end: f64,
    /// The guards that have changed in it.
    pub(super) changed: Vec<usize>,
    /// The step tried where the first of changes in a row was seen.
    pub(super) whole: f64,
    /// The same with those of an attempted step.
    pub(super) within: Vec<usize>,
}

impl Default for Cluster {
    fn default() -> Self {
        let (changed, within) = (Vec::new(), Vec::new());
        Cluster { end: f64::NEG_INFINITY, changed, whole: 0.0, within }
    }
}

/// The derivatives of a run's events, if they are asked for.
#[derive(Default)]
pub(super) struct Saltations {
    pub(super) on: bool,
    pub(super) list: Vec<Saltation>,
    /// The instant at which the last step ended, while it is looked at.
    pub(super) now: Option<Box<Instant>>,
}

/// An instant at which something happens.
pub(super) struct Instant {
    pub(super) before: Point,
    pub(super) system: System,
    /// What was crossed: guards by their number, and what let go of the motion.
    pub(super) crossed: Vec<usize>,
    pub(super) left: Vec<Kept>,
    pub(super) names: Vec<String>,
    /// How the state has changed so far, by that before; `None` where that is not known.
    pub(super) reset: Option<DMatrix<f64>>,
    /// Whether anything was set.
    pub(super) happened: bool,
    /// A guard came to be free.
    pub(super) freed: bool,
}
