//! What a statement is to a system: a group of elements.

use super::error::ModelError;
use super::event::Stated;
use super::share::{OnSurface, ShareOf};
use super::sink::{RowSink, Sink};
use super::units::Units;
use super::watch::{Watch, Watched};
use crate::equation::{Layout, Term, Want, Weights};
use crate::graph::{Energy, Pieces};
use crate::scalar::Notes;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What the elements of one statement contribute; the one interface between the derivative
/// engine and assembly. Written by the generic groups of this crate, and by hand where a model
/// brings its own Jacobians.
pub trait ElementGroup: Send + Sync {
    /// The statement's name.
    fn name(&self) -> &str;

    /// Number of instances.
    fn instances(&self) -> usize;

    /// Adds the places (row, column) of the mass matrix that its instances are stated for, for what states entries.
    #[doc(hidden)]
    fn stated_entries(&self, out: &mut HashSet<(usize, usize)>) {
        let _ = out;
    }

    /// Takes away the mirror images of its entries that are stated themselves.
    #[doc(hidden)]
    fn mirror_unless(&mut self, stated: &HashSet<(usize, usize)>) {
        let _ = stated;
    }

    /// Resolves the scalars it reads to flat offsets, checking every index; `initial` is the flat
    /// point of the declared initial values.
    ///
    /// # Errors
    /// [`ModelError`] naming the statement that reads something that is not there.
    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError>;

    /// Looks for the surfaces that the motion can slide along, at the flat point of a layout without them;
    /// if any are found it is bound anew.
    #[doc(hidden)]
    fn find_surfaces(&mut self, initial: &[f64], found: &mut Surfaces) {
        let _ = (initial, found);
    }

    /// Gives each comparison that the motion switches a place in the flat point for the [side] on
    /// which it is held, the next one `next`; groups whose comparisons cannot be held leave it.
    ///
    /// [side]: crate::equation::Point::sides
    #[doc(hidden)]
    fn hold(&mut self, initial: &[f64], next: &mut usize) {
        let _ = (initial, next);
    }

    /// Appends the guards that surfaces belong to, once they have sides.
    #[doc(hidden)]
    fn on_surfaces(&self, out: &mut Vec<OnSurface>) {
        let _ = out;
    }

    /// Whether it compares values and whether it reads time. A group written by hand says neither: what
    /// it does between the steps is not known.
    #[doc(hidden)]
    fn sees(&self) -> Watch {
        Watch::default()
    }

    /// Whether an instance reads the scalar at a flat offset, as far as it is known.
    #[doc(hidden)]
    fn reads(&self, instance: usize, flat: usize) -> bool {
        let _ = (instance, flat);
        true
    }

    /// Appends the decisions of an instance at the flat point `y`, or what of it depends on time alone.
    #[doc(hidden)]
    fn watch(&self, instance: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        let _ = (instance, y, ask, out);
    }

    /// Whether it is a constraint.
    #[doc(hidden)]
    fn constrains(&self) -> bool {
        false
    }

    /// Writes what rounding at most makes of its holonomic rows at the flat point `y` into those of all; of rows written
    /// by hand nothing is known.
    #[doc(hidden)]
    fn roundings(&self, y: &[f64], rows: &mut [f64]) {
        let _ = (y, rows);
    }

    /// Appends the places that an instance notes at the flat point `y`, for drawings.
    #[doc(hidden)]
    fn note(&self, instance: usize, y: &[f64], notes: &mut Notes) {
        let _ = (instance, y, notes);
    }

    /// The event that it states, for what states one and adds nothing to the equations.
    #[doc(hidden)]
    fn event(&self) -> Option<&Stated> {
        None
    }

    /// Whether the constraint rows of an instance hold with the discrete values of the flat point `y`, of those that
    /// come and go by them.
    #[doc(hidden)]
    fn locks(&self, instance: usize, y: &[f64]) -> Option<bool> {
        let _ = (instance, y);
        None
    }

    /// The holonomic rows of such an instance.
    #[doc(hidden)]
    fn locked_rows(&self, instance: usize) -> Option<Range<usize>> {
        let _ = instance;
        None
    }

    /// The terms this group contributes to.
    fn terms(&self) -> Vec<Term>;

    /// Appends the (row, column) of each local entry of `term` for one instance, in the order in
    /// which [`matrix`](Self::matrix) adds them; `None` for entries outside the term's columns.
    fn entries(&self, term: Term, instance: usize, out: &mut Vec<Option<(u32, u32)>>);

    /// Adds the wanted residual pieces of some instances at the flat point `y`, in their order.
    fn residual(
        &self,
        instances: Range<usize>,
        y: &[f64],
        weights: &Weights<'_>,
        want: Want,
        out: &mut RowSink<'_>,
    );

    /// Adds the derivative of the wanted residual pieces with respect to the parameter, or time, at flat
    /// offset `param`.
    fn residual_param(
        &self,
        y: &[f64],
        weights: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut RowSink<'_>,
    );

    /// Whether it adds its part of [`Want::BALANCE`]. The power of forces that a group written by
    /// hand states is not known unless it says so, and without it no balance of the model closes.
    fn balances(&self) -> bool {
        false
    }

    /// Writes the residual pieces of one instance down as expressions, from which programs for
    /// every piece and term are made; `None` where they depend on comparisons, and for groups
    /// written by hand: such a group is evaluated by [`residual`](Self::residual) and
    /// [`matrix`](Self::matrix).
    #[doc(hidden)]
    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let _ = (instance, y, out);
        None
    }

    /// The coordinates whose velocities the kinetic energy of an instance reads; none for other
    /// statements.
    #[doc(hidden)]
    fn moved(&self, instance: usize) -> Vec<usize> {
        let _ = instance;
        Vec::new()
    }

    /// The momenta T_v of the kinetic energy of an instance, each with its coordinate; none for other statements.
    #[doc(hidden)]
    fn momenta(&self, instance: usize, y: &[f64]) -> Vec<(usize, f64)> {
        let _ = (instance, y);
        Vec::new()
    }

    /// The coordinates that forces and rows of an instance act on along expressions; none for other statements.
    #[doc(hidden)]
    fn acts_on(&self, instance: usize) -> Vec<usize> {
        let _ = instance;
        Vec::new()
    }

    /// Writes the kinetic energy of one instance down: those of statements that share coordinates
    /// are added up before their pieces are taken. `None` where that is no expression, and for other
    /// statements.
    #[doc(hidden)]
    fn energy(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<Energy> {
        let _ = (instance, y, out);
        None
    }

    /// Says what units the rows of an instance have to be in, at the flat point `y`; nothing for
    /// groups written by hand.
    #[doc(hidden)]
    fn units(&self, instance: usize, y: &[f64], units: &mut Units<'_>) {
        let _ = (instance, y, units);
    }

    /// Adds the blocks that the sink wants of some instances, in their order.
    fn matrix(
        &self,
        instances: Range<usize>,
        y: &[f64],
        weights: &Weights<'_>,
        sink: &mut Sink<'_>,
    );
}

/// Surfaces σ(t, q, v, x) = 0 found so far, with the nonholonomic rows that they may add to the equations, or of those that
/// read states the definitions of their shares.
#[doc(hidden)]
pub struct Surfaces {
    /// The layout without them.
    pub(crate) layout: Layout,
    /// Which surface an expression σ belongs to, by a hash of it.
    pub(crate) known: HashMap<u64, ShareOf>,
    /// The rows of each statement, by its name, and what evaluates them.
    pub(crate) blocks: Vec<(String, Range<usize>)>,
    pub(crate) groups: Vec<Box<dyn ElementGroup>>,
    /// How many there are of speeds, and of states.
    pub(crate) count: usize,
    pub(crate) states: usize,
    /// The variables that are shares of a statement's surfaces of states, by its name.
    pub(crate) state_blocks: Vec<(String, Vec<usize>)>,
}

impl Surfaces {
    /// None so far.
    pub(crate) fn new(layout: Layout) -> Self {
        let (known, blocks, groups, state_blocks) = Default::default();
        Surfaces { layout, known, blocks, groups, count: 0, states: 0, state_blocks }
    }

    /// The first of their rows: behind the nonholonomic constraints that the model states.
    pub(crate) fn first(&self) -> usize {
        self.layout.dims.p
    }

    /// The first of the variables that are shares: behind those of the model.
    pub(crate) fn first_state(&self) -> usize {
        self.layout.dims.nw
    }
}
