//! Building a model, statement by statement: what `mechanism!` calls, and what a hand-written
//! [`Mechanism`](super::Mechanism) calls.

mod add;
mod check;
mod contact;
mod drawn;
mod event;
mod happening;
mod node;
mod released;
mod telling;
mod told;

use super::{
    BodyInfo, Carried, Draw, Initial, Input, JointInfo, Keep, Label, Load, Model, ModelError,
    Reaction, RowBlock, Startable,
};
use crate::ad::{EquationKind, GradientKind, OutputGroup};
use crate::equation::{Dims, Layout, Point};
use crate::scalar::Dimension;
use crate::signal::Course;
use crate::statement::{ElementGroup, Surfaces};
use crate::statement::{HELD, Instances, Kernel, Told};
use contact::{Contacts, by_modes};
use happening::Happening;
use node::Nodes;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use telling::Telling;

/// Collects the parts of a model.
///
/// Scalars are declared first; each declaration returns the index by which elements refer to it.
#[derive(Default)]
pub struct ModelBuilder {
    name: String,
    doc: String,
    params: Vec<Label>,
    param_values: Vec<f64>,
    coords: Vec<Label>,
    vectors: Vec<Vec<usize>>,
    states: Vec<Label>,
    variables: Vec<Label>,
    modes: Vec<Label>,
    inputs: Vec<Input>,
    holonomic: Vec<RowBlock>,
    nonholonomic: Vec<RowBlock>,
    offsets: Vec<usize>,
    outputs: Vec<Label>,
    initial: Initial,
    groups: Vec<Box<dyn ElementGroup>>,
    compared: HashMap<String, String>,
    events: Vec<Happening>,
    output_groups: Vec<Box<dyn OutputGroup>>,
    bodies: Vec<BodyInfo>,
    carried: Vec<Carried>,
    loads: Vec<Load>,
    joints: Vec<JointInfo>,
    draws: Vec<Draw>,
    rates: Vec<usize>,
    implicit: Vec<Implicit>,
    definitions: Vec<usize>,
    nodes: Nodes,
    t_end: Option<f64>,
    housekeeping: HashSet<String>,
    units: HashMap<String, Dimension>,
    released: bool,
    no_starts: Vec<(String, String)>,
    telling: Telling,
    told: Arc<Told>,
    /// Statements of which each instance stands by itself, with the name of all.
    numbered: Vec<(String, String)>,
}

/// Implicit equations of one statement, waiting for their rows: states that no explicit rate
/// claims.
struct Implicit {
    count: usize,
    place: Box<dyn FnOnce(Vec<usize>) -> Box<dyn ElementGroup>>,
}

fn array(name: &str, unit: &str, doc: &str, n: usize) -> impl Iterator<Item = Label> {
    (0..n).map(move |i| Label { name: format!("{name}[{i}]"), unit: unit.into(), doc: doc.into() })
}

fn label(name: &str, unit: &str, doc: &str) -> Label {
    Label { name: name.into(), unit: unit.into(), doc: doc.into() }
}

macro_rules! scalars {
    ($($what:literal $list:ident $one:ident $many:ident;)*) => { $(
        #[doc = concat!("Declares ", $what, "; returns its index.")]
        pub fn $one(&mut self, name: &str, unit: &str, doc: &str) -> usize {
            self.$list.push(label(name, unit, doc));
            self.$list.len() - 1
        }

        #[doc = concat!("Declares an array of which each entry is ", $what, "; returns the first index.")]
        pub fn $many(&mut self, name: &str, unit: &str, doc: &str, n: usize) -> usize {
            let first = self.$list.len();
            self.$list.extend(array(name, unit, doc, n));
            first
        }
    )* };
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(name: &str, doc: &str) -> Self {
        ModelBuilder { name: name.into(), doc: doc.into(), ..Default::default() }
    }

    scalars! {
        "a generalized coordinate" coords coord coord_array;
        "a first-order state" states state state_array;
        "an algebraic variable" variables variable variable_array;
    }

    /// Says that these coordinates, of one unit, are components of one vector along orthogonal axes, as a
    /// position or four Euler parameters. They share a scale, which does not depend on how the axes lie.
    pub fn vector(&mut self, components: &[usize]) {
        self.vectors.push(components.to_vec());
    }

    /// Says what a unit in the declarations is: `scale` of the coherent SI unit, and the powers of
    /// m, kg, s, A, K, mol, cd. Units of which nothing is said are not checked.
    pub fn unit(&mut self, unit: &str, scale: f64, powers: [f64; 7]) {
        self.units.insert(unit.into(), Dimension { scale, powers });
    }

    /// Declares a parameter; returns its flat index.
    pub fn param(&mut self, name: &str, unit: &str, doc: &str, value: f64) -> usize {
        self.params.push(label(name, unit, doc));
        self.param_values.push(value);
        self.params.len() - 1
    }

    /// Declares an array of parameters; returns the flat index of the first.
    pub fn param_array(&mut self, name: &str, unit: &str, doc: &str, values: &[f64]) -> usize {
        let first = self.params.len();
        self.params.extend(array(name, unit, doc, values.len()));
        self.param_values.extend(values);
        first
    }

    /// Declares a holonomic constraint of `rows` rows per instance; returns its first row.
    pub fn rows_holonomic(&mut self, name: &str, rows: usize, instances: usize) -> usize {
        push_rows(&mut self.holonomic, name, rows, instances)
    }

    /// Declares a nonholonomic constraint likewise.
    pub fn rows_nonholonomic(&mut self, name: &str, rows: usize, instances: usize) -> usize {
        push_rows(&mut self.nonholonomic, name, rows, instances)
    }

    /// Initial value of a coordinate.
    pub fn init_q(&mut self, index: usize, value: f64, keep: Keep) {
        put(&mut self.initial.q, index, value, 0.0);
        put(&mut self.initial.keep_q, index, keep == Keep::Kept, false);
    }

    /// Initial value of a velocity.
    pub fn init_v(&mut self, index: usize, value: f64, keep: Keep) {
        put(&mut self.initial.v, index, value, 0.0);
        put(&mut self.initial.keep_v, index, keep == Keep::Kept, false);
    }

    /// Initial value of a state.
    pub fn init_x(&mut self, index: usize, value: f64) {
        put(&mut self.initial.x, index, value, 0.0);
    }

    /// States the scale of a coordinate, in its unit: what its errors are measured against.
    pub fn scale_q(&mut self, index: usize, scale: f64) {
        put(&mut self.initial.scale_q, index, Some(scale), None);
    }

    /// States the scale of a state, in its unit.
    pub fn scale_x(&mut self, index: usize, scale: f64) {
        put(&mut self.initial.scale_x, index, Some(scale), None);
    }

    /// Guess of an algebraic variable.
    pub fn guess_w(&mut self, index: usize, value: f64) {
        put(&mut self.initial.w, index, value, 0.0);
    }

    /// Says why coordinates and rates of joints cannot be given a start from outside, by their names.
    pub fn no_starts(&mut self, reasons: &[(&str, &str)]) {
        let owned = |(name, reason): &(&str, &str)| (name.to_string(), reason.to_string());
        self.no_starts.extend(reasons.iter().map(owned));
    }

    /// Suggested end of the simulation in s.
    pub fn t_end(&mut self, t_end: f64) {
        self.t_end = Some(t_end);
    }

    /// Says that a constraint or state is there for the equations only, as the norm of Euler parameters:
    /// summaries leave it out.
    pub fn housekeeping(&mut self, name: &str) {
        self.housekeeping.insert(name.into());
    }

    /// Adds holonomic rows g(t, q) = 0.
    pub fn holonomic<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        first_row: usize,
        reaction: Reaction,
    ) where
        E: Kernel<K, P, R>,
    {
        if first_row < HELD {
            self.add_holonomic(name, self.parts(kernel, instances), first_row, reaction, None);
        }
    }

    /// Adds holonomic rows g(t, q) = c whose constants c are what g is where a motion starts: they say nothing of the
    /// positions it starts in, and hold from there on. As gears do, which mesh in any position.
    pub fn holonomic_from_start<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        first_row: usize,
        reaction: Reaction,
    ) where
        E: Kernel<K, P, R>,
    {
        let (parts, offset) = (self.parts(kernel, instances), Some(self.offsets.len()));
        self.offsets.extend(first_row..first_row + R * parts.len());
        self.add_holonomic(name, parts, first_row, reaction, offset);
    }

    /// Adds holonomic rows that hold while a condition on discrete values does: where its kernel, which reads no
    /// scalars, is 1.
    #[allow(clippy::too_many_arguments)]
    pub fn holonomic_while<C, E, const PC: usize, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        condition: C,
        condition_instances: Instances<0, PC>,
        kernel: E,
        instances: Instances<K, P>,
        first_row: usize,
        reaction: Reaction,
    ) where
        C: Kernel<0, PC, 1>,
        E: Kernel<K, P, R>,
    {
        let condition = self.parts(condition, condition_instances);
        self.add_locked(name, condition, self.parts(kernel, instances), first_row, reaction);
    }

    /// Adds nonholonomic rows k(t, q, v) = 0.
    pub fn nonholonomic<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        first_row: usize,
        reaction: Reaction,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_nonholonomic(name, self.parts(kernel, instances), first_row, reaction);
    }

    /// Adds a kinetic energy T(t, q, v).
    pub fn kinetic<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.add_kinetic(name, self.parts(kernel, instances));
    }

    /// Adds a potential energy U(t, q).
    pub fn potential<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.gradient(name, self.parts(kernel, instances), GradientKind::Potential);
    }

    /// Adds a Rayleigh dissipation function D(t, q, v), f = −D_v.
    pub fn dissipation<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.gradient(name, self.parts(kernel, instances), GradientKind::Dissipation);
    }

    /// Adds mass-matrix entries; `entries[i]` is the (row, column) of instance i, and (i, j) with
    /// i ≠ j stands for both M_ij and M_ji, unless (j, i) is stated too, here or by another call: then the matrix is
    /// as it is stated, which need not be symmetric.
    pub fn mass<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        entries: Vec<(usize, usize)>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.mass_entries(name, self.parts(kernel, instances), &entries, true);
    }

    /// Says what is compared with zero in a statement, by its name, for lists of events; as `hinge.rate`.
    pub fn compares(&mut self, statement: &str, what: &str) {
        self.compared.insert(statement.into(), what.into());
    }

    /// Adds mass-matrix entries that are not mirrored: (i, j) stands for M_ij alone. For test
    /// problems whose mass matrix is not symmetric.
    pub fn mass_one_sided<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        entries: Vec<(usize, usize)>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.mass_entries(name, self.parts(kernel, instances), &entries, false);
    }

    /// Adds generalized forces; row r of instance i acts on coordinate `targets[i][r]`.
    pub fn force<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        targets: Vec<[usize; R]>,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_force(name, self.parts(kernel, instances), targets.as_flattened());
    }

    /// Adds forces F along position expressions s(t, q): Q = (∂s/∂q)ᵀ F. Of variables an expression may read those
    /// that are [`balanced`](Self::balanced).
    pub fn force_along<
        S,
        F,
        const KS: usize,
        const PS: usize,
        const KF: usize,
        const PF: usize,
        const R: usize,
    >(
        &mut self,
        name: &str,
        along: S,
        along_instances: Instances<KS, PS>,
        force: F,
        force_instances: Instances<KF, PF>,
    ) where
        S: Kernel<KS, PS, R>,
        F: Kernel<KF, PF, R>,
    {
        let along = self.parts(along, along_instances);
        self.add_force_along(name, along, self.parts(force, force_instances));
    }

    /// Adds explicit state equations ẋ_i = φ; `states[k]` is the state of instance k.
    pub fn rate<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        states: Vec<usize>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.rates.extend(&states);
        self.equations(name, self.parts(kernel, instances), EquationKind::Rate, &states);
    }

    /// Adds implicit state equations 0 = d(ẋ, x, …); the kernel is left minus right side. Each
    /// takes the row of a state that no explicit rate claims, in order.
    pub fn equation<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.add_implicit(name, self.parts(kernel, instances));
    }

    /// Adds definitions of algebraic variables w_i = φ; `variables[k]` is that of instance k.
    pub fn define<E, const K: usize, const P: usize>(
        &mut self,
        name: &str,
        kernel: E,
        instances: Instances<K, P>,
        variables: Vec<usize>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.definitions.extend(&variables);
        let parts = self.parts(kernel, instances);
        self.equations(name, parts, EquationKind::Definition, &variables);
    }

    /// Says that these variables are coordinates of massless nodes: in place of a definition each has the balance of
    /// the forces along it, Σ (∂s/∂w)ᵀ F = 0 over all [`force_along`](Self::force_along) whose direction reads it.
    pub fn balanced(&mut self, variables: &[usize]) {
        self.definitions.extend(variables);
        self.nodes.balance(variables);
    }

    /// Adds an output; one instance of one row gives `name`, several and an array `name[0]`,
    /// `name[1]`, …: the rows of an instance one after the other.
    pub fn output<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        unit: &str,
        doc: &str,
        kernel: E,
        instances: Instances<K, P>,
        is_array: bool,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_output(name, unit, doc, self.parts(kernel, instances), is_array);
    }

    /// Adds an output of a vector for each instance: `name[0][0]`, `name[0][1]`, …, `name[1][0]`, ….
    pub fn output_vectors<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        unit: &str,
        doc: &str,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_output_vectors(name, unit, doc, self.parts(kernel, instances));
    }

    /// Adds a group with its own derivatives, written by hand.
    pub fn group(&mut self, group: impl ElementGroup + 'static) {
        self.groups.push(Box::new(group));
    }

    /// Checks the parts against each other and binds every element.
    ///
    /// # Errors
    /// [`ModelError`] naming the parameter, coordinate, state or statement at fault.
    pub fn finish(mut self) -> Result<Model, ModelError> {
        self.check_meshes()?;
        let dims = Dims {
            n: self.coords.len(),
            m: self.holonomic.iter().map(|b| b.len).sum(),
            p: self.nonholonomic.iter().map(|b| b.len).sum(),
            nx: self.states.len(),
            nw: self.variables.len(),
            params: self.params.len(),
        };
        let (modes, inputs) = (self.modes.len(), self.inputs.len());
        let offsets = self.offsets.len();
        let whole_of =
            |dims| Layout::new(dims).with_modes(modes).with_inputs(inputs).with_offsets(offsets);
        let layout = whole_of(dims);
        for (numbered, name) in std::mem::take(&mut self.numbered) {
            if let Some(what) = self.compared.get(&name) {
                self.compared.insert(numbered, what.clone());
            }
        }
        let events = std::mem::take(&mut self.events).into_iter().flat_map(Happening::stated);
        self.groups.extend(events.map(|event| -> Box<dyn ElementGroup> { Box::new(event) }));
        self.check_names()?;
        self.check_values(&dims)?;
        self.check_vectors()?;
        self.place_implicit()?;
        self.check_definitions()?;
        self.nodes.check(&self.variables)?;
        self.mirror_masses();
        let mut initial = self.initial_point(layout);
        for group in &mut self.groups {
            group.bind(&layout, initial.flat())?;
        }
        let mut surfaces = Surfaces::new(layout);
        let known = self.groups.len();
        for group in &mut self.groups {
            group.find_surfaces(initial.flat(), &mut surfaces);
        }
        for group in &mut self.output_groups {
            // Those that read what is not there yet compare no speeds.
            if group.bind(&layout, initial.flat()).is_ok() {
                group.follow(initial.flat(), &surfaces.known);
            }
        }
        for load in &mut self.loads {
            if load.element.bind(&load.name, &layout, initial.flat()).is_ok() {
                load.element.follow_surfaces(initial.flat(), &surfaces.known);
            }
        }
        for stated in self.groups.iter().filter_map(|group| group.event()) {
            if let Some(instance) = stated.with_kink(initial.flat(), &layout) {
                return Err(ModelError::Kink { name: stated.instance_name(instance) });
            }
        }
        let contacts = Contacts::of(&self.groups, dims.m);
        let mut switches = by_modes(&self.groups, initial.flat());
        switches.extend(contacts.switches);
        let of_contacts = contacts.groups.into_iter();
        self.groups.extend(of_contacts.map(|rows| -> Box<dyn ElementGroup> { Box::new(rows) }));
        let first_surface = self.groups.len();
        let (mut dims, mut layout) = (dims, layout);
        if surfaces.count + surfaces.states > 0 || first_surface > known {
            dims.m += contacts.count;
            dims.p += surfaces.count;
            dims.nw += surfaces.states;
            self.initial.w.resize(dims.nw, 0.0);
            layout = whole_of(dims);
            initial = self.initial_point(layout);
            self.groups.append(&mut surfaces.groups);
            for group in &mut self.groups {
                group.bind(&layout, initial.flat())?;
            }
        }
        let first = layout.len();
        let mut next = first;
        for group in &mut self.groups {
            group.hold(initial.flat(), &mut next);
        }
        let layout = layout.with_sides(next - first);
        let mut held = Vec::new();
        self.groups.iter().for_each(|group| group.on_surfaces(&mut held));
        let with_sides = self.initial_point(layout);
        for group in &mut self.output_groups {
            group.bind(&layout, initial.flat())?;
            group.hold_as(with_sides.flat(), &held);
        }
        for draw in &mut self.draws {
            draw.element.bind(&draw.name, &layout, initial.flat())?;
        }
        for carried in &mut self.carried {
            let name = &self.bodies[carried.body].name;
            carried.element.bind(name, &layout, initial.flat())?;
        }
        for load in &mut self.loads {
            load.element.bind(&load.name, &layout, initial.flat())?;
            load.element.hold_as(with_sides.flat(), &held);
        }
        for joint in &mut self.joints {
            joint.element.bind(&joint.name, &layout, initial.flat())?;
        }
        self.check_inertia(&dims)?;
        Ok(Model {
            name: self.name,
            doc: self.doc,
            layout,
            params: self.params,
            param_values: self.param_values,
            coords: self.coords,
            vectors: self.vectors,
            states: self.states,
            variables: self.variables,
            modes: self.modes,
            inputs: self.inputs,
            holonomic: self.holonomic,
            nonholonomic: self.nonholonomic,
            offsets: self.offsets,
            surfaces: blocks(surfaces.blocks),
            state_surfaces: surfaces.state_blocks,
            first_surface,
            contacts: contacts.blocks,
            switches,
            outputs: self.outputs,
            initial: self.initial,
            groups: self.groups,
            compared: self.compared,
            output_groups: self.output_groups,
            bodies: self.bodies,
            draws: self.draws,
            t_end: self.t_end,
            housekeeping: self.housekeeping,
            units: self.units,
            carried: self.carried,
            loads: self.loads,
            joints: self.joints,
            released: None,
            reads_reactions: false,
            startable: Startable::without(self.no_starts),
        })
    }

    fn initial_point(&self, layout: Layout) -> Point {
        let mut initial = Point::new(layout, &self.param_values);
        initial.q_mut().copy_from_slice(&self.initial.q);
        initial.v_mut().copy_from_slice(&self.initial.v);
        initial.x_mut().copy_from_slice(&self.initial.x);
        initial.w_mut().copy_from_slice(&self.initial.w);
        initial.modes_mut().copy_from_slice(&self.initial.modes);
        for (index, &value) in self.initial.inputs.iter().enumerate() {
            initial.set_input(index, &Course::constant(value));
        }
        initial
    }

    /// An entry of the mass matrix stands for its mirror image as well, unless that is stated too. Which places are stated
    /// is known when all loops have run, with the sizes that they have.
    fn mirror_masses(&mut self) {
        let mut stated = HashSet::new();
        self.groups.iter().for_each(|group| group.stated_entries(&mut stated));
        self.groups.iter_mut().for_each(|group| group.mirror_unless(&stated));
    }

    fn place_implicit(&mut self) -> Result<(), ModelError> {
        let mut claims = vec![0; self.states.len()];
        for &state in &self.rates {
            if let Some(count) = claims.get_mut(state) {
                *count += 1;
            }
        }
        let free: Vec<usize> = (0..claims.len()).filter(|&i| claims[i] == 0).collect();
        let implicit: usize = self.implicit.iter().map(|equation| equation.count).sum();
        if free.len() != implicit || claims.iter().any(|&c| c > 1) {
            return Err(ModelError::StateEquations {
                states: self.states.len(),
                equations: self.rates.len() + implicit,
                missing: free.iter().map(|&i| self.states[i].name.clone()).collect(),
            });
        }
        let mut free = free.into_iter();
        for equation in std::mem::take(&mut self.implicit) {
            let rows = free.by_ref().take(equation.count).collect();
            self.groups.push((equation.place)(rows));
        }
        Ok(())
    }
}

fn blocks(named: Vec<(String, Range<usize>)>) -> Vec<RowBlock> {
    let block = |(name, rows): (String, Range<usize>)| RowBlock {
        name,
        first: rows.start,
        len: rows.len(),
        each: 1,
    };
    named.into_iter().map(block).collect()
}

fn push_rows(blocks: &mut Vec<RowBlock>, name: &str, each: usize, instances: usize) -> usize {
    let first = blocks.last().map_or(0, |b| b.first + b.len);
    blocks.push(RowBlock { name: name.into(), first, len: each * instances, each });
    first
}

fn put<T: Clone>(list: &mut Vec<T>, index: usize, value: T, fill: T) {
    if list.len() <= index {
        list.resize(index + 1, fill);
    }
    list[index] = value;
}
