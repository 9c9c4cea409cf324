//! A mechanism as data: names, units, parameters, initial values, and its elements.

use super::drawn::{BodyInfo, Carried, Draw, JointInfo, Load};
use super::starts::Starts;
use super::switch::{Contact, Switch, Switched};
use crate::ad::OutputGroup;
use crate::equation::{Dims, Layout, Point, SlotKind};
use crate::scalar::Dimension;
use crate::signal::Need;
use crate::statement::{ElementGroup, ModelError};
use std::collections::HashMap;

/// A mechanism: a set of parameters from which a model is built.
pub trait Mechanism {
    /// Builds the model for the current parameter values and sizes.
    ///
    /// # Errors
    /// [`ModelError`] when sizes, indices or parameter values make no model.
    fn model(&self) -> Result<Model, ModelError>;

    /// Sets a parameter (`"r"`, `"c[2]"`) or a size (`"n"`) by name.
    ///
    /// # Errors
    /// [`ModelError::UnknownParameter`] for a name that is not one, [`ModelError::BadValue`] for a
    /// value it cannot take.
    fn set(&mut self, name: &str, value: f64) -> Result<(), ModelError>;

    /// Parameters and sizes with their current values.
    fn params(&self) -> Vec<ParamInfo>;
}

/// A parameter or size as a user sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamInfo {
    /// Name; array entries are `c[0]`, `c[1]`, …
    pub name: String,
    /// Unit as written, empty when none.
    pub unit: String,
    /// Documentation.
    pub doc: String,
    /// Current value.
    pub value: f64,
    /// True for a run-time size.
    pub is_size: bool,
}

/// Name, unit and documentation of a scalar.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// Name as in messages, JSON and CSV.
    pub name: String,
    /// Unit as written, empty when none.
    pub unit: String,
    /// Documentation.
    pub doc: String,
}

impl Label {
    /// Whether it is an angle, by its unit.
    pub fn is_angle(&self) -> bool {
        matches!(self.unit.as_str(), "rad" | "deg")
    }

    /// Whether it has this name, or is an entry of an array of this name: `x[2]` of `x`, `link[0].y` of `link.y`.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        let mut depth = 0;
        let outside = self.name.chars().filter(|c| {
            let within = depth > 0;
            match c {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            !within && *c != '['
        });
        self.name == name || outside.eq(name.chars())
    }
}

/// The rows of one constraint statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowBlock {
    /// The statement's name.
    pub name: String,
    /// First row.
    pub first: usize,
    /// Number of rows, over all instances.
    pub len: usize,
    /// Rows of one instance.
    pub each: usize,
}

/// Whether an initial value holds or may be moved by assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// `init`: stays as given.
    Kept,
    /// `guess`, or nothing said: assembly may move it.
    Guess,
}

/// Initial values as declared, before assembly.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    /// Coordinates (n).
    pub q: Vec<f64>,
    /// Whether each coordinate is kept (n).
    pub keep_q: Vec<bool>,
    /// Velocities (n).
    pub v: Vec<f64>,
    /// Whether each velocity is kept (n).
    pub keep_v: Vec<bool>,
    /// States (nx).
    pub x: Vec<f64>,
    /// Guesses of the algebraic variables (nw).
    pub w: Vec<f64>,
    /// Discrete values, 1 and 0 for true and false.
    pub modes: Vec<f64>,
    /// Inputs, which stay as they are unless they are fed with a [signal](crate::signal).
    pub inputs: Vec<f64>,
    /// Stated scales of the coordinates (n), in their units.
    pub scale_q: Vec<Option<f64>>,
    /// Stated scales of the states (nx), in their units.
    pub scale_x: Vec<Option<f64>>,
}

/// A signal from outside, and what is needed of it.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) label: Label,
    pub(crate) need: Need,
    /// The statement that needs it.
    pub(crate) needed_by: String,
}

/// A finished model.
pub struct Model {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) layout: Layout,
    pub(crate) params: Vec<Label>,
    pub(crate) param_values: Vec<f64>,
    pub(crate) coords: Vec<Label>,
    pub(crate) vectors: Vec<Vec<usize>>,
    pub(crate) states: Vec<Label>,
    pub(crate) variables: Vec<Label>,
    pub(crate) modes: Vec<Label>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) holonomic: Vec<RowBlock>,
    pub(crate) nonholonomic: Vec<RowBlock>,
    pub(crate) offsets: Vec<usize>,
    /// The rows behind these: surfaces that the motion can slide along, and the first of their groups.
    pub(crate) surfaces: Vec<RowBlock>,
    pub(crate) first_surface: usize,
    /// The variables that are shares of a statement's surfaces of states, by its name.
    pub(crate) state_surfaces: Vec<(String, Vec<usize>)>,
    /// Holonomic rows behind those that the model states: contacts of events.
    pub(crate) contacts: Vec<RowBlock>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) outputs: Vec<Label>,
    pub(crate) initial: Initial,
    pub(crate) groups: Vec<Box<dyn ElementGroup>>,
    /// What the comparisons of statements are of, where it is said, by their names.
    pub(crate) compared: HashMap<String, String>,
    pub(crate) output_groups: Vec<Box<dyn OutputGroup>>,
    pub(crate) bodies: Vec<BodyInfo>,
    pub(crate) draws: Vec<Draw>,
    pub(crate) carried: Vec<Carried>,
    pub(crate) loads: Vec<Load>,
    pub(crate) joints: Vec<JointInfo>,
    pub(crate) t_end: Option<f64>,
    /// Names of constraints and states that are no part of the mechanism as its user sees it.
    pub(crate) housekeeping: std::collections::HashSet<String>,
    /// What the units of the labels are.
    pub(crate) units: HashMap<String, Dimension>,
    /// The same model with its joints [released](crate::model::ModelBuilder::released).
    pub(crate) released: Option<Box<Model>>,
    /// Whether outputs read reactions of joints, which are told by that.
    pub(crate) reads_reactions: bool,
    /// What its joints can be started with.
    pub(crate) startable: Startable,
}

/// Makes a model anew, with other starts.
type Again = Box<dyn Fn(&Starts) -> Result<Model, ModelError> + Send + Sync>;

/// What a model's joints can be started with.
#[derive(Default)]
pub(crate) struct Startable {
    pub(crate) names: &'static [&'static str],
    again: Option<Again>,
    /// Coordinates and rates that cannot be given, with the reason.
    pub(crate) not: Vec<(String, String)>,
}

impl Startable {
    /// Nothing but what cannot be given.
    pub(crate) fn without(not: Vec<(String, String)>) -> Self {
        Startable { not, ..Startable::default() }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("name", &self.name).field("dims", &self.dims()).finish()
    }
}

impl Model {
    /// The model that a function makes for no starts, with the function by which it is made for others.
    ///
    /// # Errors
    /// Those of the function.
    #[doc(hidden)]
    pub fn startable(
        names: &'static [&'static str],
        again: impl Fn(&Starts) -> Result<Model, ModelError> + Send + Sync + 'static,
    ) -> Result<Model, ModelError> {
        let mut model = again(&Starts::default())?;
        model.startable.names = names;
        model.startable.again = Some(Box::new(again));
        Ok(model)
    }

    /// Whether a joint's coordinate or rate of this name can be given a start.
    pub(crate) fn has_start(&self, name: &str) -> bool {
        self.startable.names.contains(&name)
    }

    /// Puts bodies where their joints have them with other starts.
    ///
    /// # Errors
    /// [`ModelError::StartNotKept`].
    pub(crate) fn start_with(&mut self, starts: &Starts) -> Result<(), ModelError> {
        let Some(again) = &self.startable.again else { return Ok(()) };
        let other = again(starts)?.initial;
        let own = &mut self.initial;
        (own.q, own.v, own.x, own.w) = (other.q, other.v, other.x, other.w);
        (own.keep_q, own.keep_v) = (other.keep_q, other.keep_v);
        Ok(())
    }

    /// Name of the mechanism.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its documentation.
    pub fn doc(&self) -> &str {
        &self.doc
    }

    /// Sizes.
    pub fn dims(&self) -> Dims {
        self.layout.dims
    }

    /// Layout of a point.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Parameters, array entries one by one.
    pub fn params(&self) -> &[Label] {
        &self.params
    }

    /// Values of the parameters.
    pub fn param_values(&self) -> &[f64] {
        &self.param_values
    }

    /// Coordinates.
    pub fn coords(&self) -> &[Label] {
        &self.coords
    }

    /// Coordinates that are components of one vector, by index.
    pub fn vectors(&self) -> &[Vec<usize>] {
        &self.vectors
    }

    /// First-order states.
    pub fn states(&self) -> &[Label] {
        &self.states
    }

    /// Algebraic variables.
    pub fn variables(&self) -> &[Label] {
        &self.variables
    }

    /// Discrete values, which events set.
    pub fn modes(&self) -> &[Label] {
        &self.modes
    }

    /// Inputs: signals from outside.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &Label> {
        self.inputs.iter().map(|input| &input.label)
    }

    /// What the statements that read an input, by its number, need of it at most, and the first that does.
    pub fn input_need(&self, index: usize) -> Option<(Need, &str)> {
        self.inputs.get(index).map(|input| (input.need, &*input.needed_by))
    }

    /// The events stated, each with the number of its instances and its condition as it is written.
    pub fn events(&self) -> impl Iterator<Item = (&str, usize, &str)> {
        let stated = self.groups.iter().filter_map(|group| group.event());
        stated.map(|event| (&*event.name, event.instances(), &*event.text))
    }

    /// Holonomic constraints.
    pub fn holonomic(&self) -> &[RowBlock] {
        &self.holonomic
    }

    /// Nonholonomic constraints.
    pub fn nonholonomic(&self) -> &[RowBlock] {
        &self.nonholonomic
    }

    /// Surfaces σ(t, q, v) = 0 on which a force jumps and the motion may stay, as friction that sticks: by
    /// the statements that compare so, with their rows behind those of the nonholonomic constraints.
    pub fn surfaces(&self) -> &[RowBlock] {
        &self.surfaces
    }

    /// The holonomic rows that hold [from the start on](super::ModelBuilder::holonomic_from_start), in the order of
    /// their [offsets](Point::offsets).
    pub fn from_start(&self) -> &[usize] {
        &self.offsets
    }

    /// Rows of the nonholonomic constraints that the model states: what [`surfaces`](Self::surfaces) may
    /// add to the equations comes behind them.
    pub fn stated_nonholonomic(&self) -> usize {
        self.nonholonomic.last().map_or(0, |block| block.first + block.len)
    }

    /// Holonomic rows that the model states, before those of contacts.
    pub(crate) fn stated_holonomic(&self) -> usize {
        self.holonomic.last().map_or(0, |block| block.first + block.len)
    }

    /// Outputs.
    pub fn outputs(&self) -> &[Label] {
        &self.outputs
    }

    /// Bodies of the built-in components.
    pub fn bodies(&self) -> &[BodyInfo] {
        &self.bodies
    }

    /// Initial values as declared.
    pub fn initial(&self) -> &Initial {
        &self.initial
    }

    /// Initial values, to be changed before a run (`--init`).
    pub fn initial_mut(&mut self) -> &mut Initial {
        &mut self.initial
    }

    /// Stated scales of the coordinates (n): what their errors are measured against.
    pub fn scale_q(&self) -> &[Option<f64>] {
        &self.initial.scale_q
    }

    /// Stated scales of the states (nx).
    pub fn scale_x(&self) -> &[Option<f64>] {
        &self.initial.scale_x
    }

    /// Whether a constraint or state is there for the equations only, as the norm of Euler parameters: what
    /// summaries leave out.
    pub fn is_housekeeping(&self, name: &str) -> bool {
        self.housekeeping.contains(name)
    }

    /// The end time the model suggests, if it does.
    pub fn t_end(&self) -> Option<f64> {
        self.t_end
    }

    /// Name of a scalar: `theta`, `der(theta)`, `der(der(theta))`, `e`, `der(e)`,
    /// `lambda(close)`, `lambda(close[1])`, `psi(roll)`, `V`.
    pub fn scalar_name(&self, kind: SlotKind, index: usize) -> String {
        let name = |labels: &[Label]| match labels.get(index) {
            Some(label) => label.name.clone(),
            None => format!("number {index}"),
        };
        match kind {
            SlotKind::T => "t".into(),
            SlotKind::Q => name(&self.coords),
            SlotKind::V => format!("der({})", name(&self.coords)),
            SlotKind::A => format!("der(der({}))", name(&self.coords)),
            SlotKind::X => name(&self.states),
            SlotKind::Xd => format!("der({})", name(&self.states)),
            SlotKind::Lambda => format!("lambda({})", self.holonomic_row_name(index)),
            SlotKind::Psi => format!("psi({})", self.nonholonomic_row_name(index)),
            SlotKind::W => match self.state_surface(index) {
                Some(of) => format!("the share of {of}"),
                None => name(&self.variables),
            },
        }
    }

    /// The statement that has the surface of states whose share a variable is.
    fn state_surface(&self, variable: usize) -> Option<&str> {
        let surfaces = self.state_surfaces.iter();
        let mut of = surfaces.filter(|(_, variables)| variables.contains(&variable));
        of.next().map(|(name, _)| name.as_str())
    }

    /// Statements in which a motion can be held where they compare states, each with how many such comparisons it has.
    pub fn surfaces_of_states(&self) -> impl Iterator<Item = (&str, usize)> {
        self.state_surfaces.iter().map(|(name, variables)| (name.as_str(), variables.len()))
    }

    /// Name of a holonomic row: the statement's, with an index when it has several rows.
    pub fn holonomic_row_name(&self, row: usize) -> String {
        let stated = self.stated_holonomic();
        row_name(if row < stated { &self.holonomic } else { &self.contacts }, row)
    }

    /// Name of a nonholonomic row.
    pub fn nonholonomic_row_name(&self, row: usize) -> String {
        let stated = row < self.stated_nonholonomic();
        row_name(if stated { &self.nonholonomic } else { &self.surfaces }, row)
    }

    /// Name of the constraint of rows that come and go, with the number of its instance.
    pub(crate) fn switch_name(&self, switch: &Switch) -> String {
        let row = switch.rows.start;
        let block = self.holonomic.iter().find(|b| (b.first..b.first + b.len).contains(&row));
        let Some(block) = block else { return self.holonomic_row_name(row) };
        match block.len > block.each {
            true => format!("{}[{}]", block.name, (row - block.first) / block.each.max(1)),
            false => block.name.clone(),
        }
    }

    /// The rows that are in the equations for part of a motion only.
    pub(crate) fn switches(&self) -> &[Switch] {
        &self.switches
    }

    /// Rows of the contacts of events, behind those of the holonomic constraints: by the events, with the rows that hold
    /// a gap after an impact that leaves it closed. Their multipliers are the forces of the contacts.
    pub fn contacts(&self) -> &[RowBlock] {
        &self.contacts
    }

    /// Rows of holonomic constraints that are always in the equations.
    pub fn permanent_holonomic(&self) -> usize {
        let switched: usize = self.switches.iter().map(|switch| switch.rows.len()).sum();
        self.dims().m - switched
    }

    /// How a holonomic row comes and goes, if it does: `"unilateral"`, `"contact"` or `"while"`.
    pub fn switched(&self, row: usize) -> Option<&'static str> {
        let switch = self.switches.iter().find(|switch| switch.rows.contains(&row))?;
        Some(match switch.by {
            Switched::Contact(Contact { unilateral: true, .. }) => "unilateral",
            Switched::Contact(_) => "contact",
            Switched::Modes { .. } => "while",
        })
    }

    /// Which switches hold by the discrete values of a point alone.
    pub(crate) fn held_by_modes(&self, at: &Point) -> Vec<bool> {
        let holds = |switch: &Switch| match switch.by {
            Switched::Modes { group, instance } => {
                self.groups[group].locks(instance, at.flat()).unwrap_or(true)
            }
            Switched::Contact(_) => false,
        };
        self.switches.iter().map(holds).collect()
    }
}

fn row_name(blocks: &[RowBlock], row: usize) -> String {
    match blocks.iter().find(|b| (b.first..b.first + b.len).contains(&row)) {
        Some(block) if block.len == 1 => block.name.clone(),
        Some(block) => format!("{}[{}]", block.name, row - block.first),
        None => format!("row {row}"),
    }
}
