//! Discrete values, and events with what they do.

use super::happening::{Act, Happening};
use super::{Input, ModelBuilder, label};
use crate::signal::{Course, Need};
use crate::statement::{Instances, Kernel, Law, Settable};

impl ModelBuilder {
    /// Declares a discrete value, 0 until [`init_modes`](Self::init_modes); 1 and 0 stand for true and false.
    /// All parameters must have been declared: what is returned is the index among them by which elements
    /// read it.
    pub fn mode(&mut self, name: &str, unit: &str, doc: &str) -> usize {
        let input = self.next_mode();
        self.modes.push(label(name, unit, doc));
        self.initial.modes.push(0.0);
        input
    }

    /// The index that the next discrete value gets.
    pub fn next_mode(&self) -> usize {
        self.params.len() + self.modes.len()
    }

    /// What `len` discrete values, from that of index `first` on, begin with.
    pub fn init_modes(&mut self, first: usize, len: usize, value: f64) {
        let first = first.saturating_sub(self.params.len());
        self.initial.modes.iter_mut().skip(first).take(len).for_each(|mode| *mode = value);
    }

    /// Declares an input: a signal from outside. Declared after all parameters and discrete values. Returns the
    /// index by which kernels read it: four parameters from there on are what
    /// [`input`](crate::scalar::input) takes.
    pub fn input(&mut self, name: &str, unit: &str, doc: &str) -> usize {
        let first = self.next_input();
        let label = label(name, unit, doc);
        self.inputs.push(Input { label, need: Need::Value, needed_by: String::new() });
        self.initial.inputs.push(0.0);
        first
    }

    /// The index that the next input gets.
    pub fn next_input(&self) -> usize {
        self.next_mode() + self.inputs.len() * Course::NUMBERS
    }

    /// What `len` inputs, from that of index `first` on, are unless they are fed.
    pub fn init_inputs(&mut self, first: usize, len: usize, value: f64) {
        let first = self.input_number(first);
        self.initial.inputs.iter_mut().skip(first).take(len).for_each(|input| *input = value);
    }

    /// Says what a statement needs of `len` inputs.
    pub fn needs_input(&mut self, first: usize, len: usize, need: Need, statement: &str) {
        let first = self.input_number(first);
        for input in self.inputs.iter_mut().skip(first).take(len) {
            if need > input.need || input.needed_by.is_empty() {
                (input.need, input.needed_by) = (need, statement.into());
            }
        }
    }

    /// A number of the course that an input has unless it is fed, by the index among the parameters: for what
    /// the motion begins with.
    pub fn input_number_at(&self, index: usize) -> f64 {
        let value = self.initial.inputs.get(self.input_number(index)).copied().unwrap_or(0.0);
        let place = index.saturating_sub(self.next_mode()) % Course::NUMBERS;
        if place == 1 { value } else { 0.0 }
    }

    fn input_number(&self, index: usize) -> usize {
        index.saturating_sub(self.next_mode()) / Course::NUMBERS
    }

    /// Adds an event: what the following calls add to it happens at the instant at which its condition becomes
    /// true. The kernel's first row is 1 where the condition holds and 0 where it does not; a second one is 1
    /// or −1, and the event happens where it changes while the condition holds. `text` is the condition as it
    /// is written.
    pub fn event<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        text: &str,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, R>,
    {
        let condition = self.parts(kernel, instances);
        let (actions, every) = (Vec::new(), None);
        let (name, text) = (name.into(), text.into());
        self.events.push(Happening { name, text, condition, actions, every });
    }

    /// The last event happens by the clock, at phase + n·period for all whole n; the kernel gives period and phase
    /// in s, from parameters.
    pub fn every<E, const K: usize, const P: usize>(
        &mut self,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, 2>,
    {
        let every = self.parts(kernel, instances);
        if let Some(event) = self.events.last_mut() {
            event.every = Some(every);
        }
    }

    /// The last event sets velocities der(q_i); `targets[k]` is the coordinate of instance k.
    pub fn sets_velocity<E, const K: usize, const P: usize>(
        &mut self,
        kernel: E,
        instances: Instances<K, P>,
        targets: Vec<usize>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.sets(Settable::Velocity, kernel, instances, targets);
    }

    /// The last event sets states.
    pub fn sets_state<E, const K: usize, const P: usize>(
        &mut self,
        kernel: E,
        instances: Instances<K, P>,
        targets: Vec<usize>,
    ) where
        E: Kernel<K, P, 1>,
    {
        self.sets(Settable::State, kernel, instances, targets);
    }

    /// The last event sets discrete values, told by their indices.
    pub fn sets_mode<E, const K: usize, const P: usize>(
        &mut self,
        kernel: E,
        instances: Instances<K, P>,
        targets: Vec<usize>,
    ) where
        E: Kernel<K, P, 1>,
    {
        let first = self.params.len();
        let targets = targets.into_iter().map(|target| target.saturating_sub(first)).collect();
        self.sets(Settable::Mode, kernel, instances, targets);
    }

    fn sets<E, const K: usize, const P: usize>(
        &mut self,
        what: Settable,
        kernel: E,
        instances: Instances<K, P>,
        targets: Vec<usize>,
    ) where
        E: Kernel<K, P, 1>,
    {
        let value = self.parts(kernel, instances);
        self.happens(Act::Set { what, value, targets });
    }

    /// The last event gives impulses along positions, one for each row.
    pub fn gives_impulse<
        S,
        E,
        const KS: usize,
        const PS: usize,
        const K: usize,
        const P: usize,
        const R: usize,
    >(
        &mut self,
        along: S,
        along_instances: Instances<KS, PS>,
        size: E,
        instances: Instances<K, P>,
    ) where
        S: Kernel<KS, PS, R>,
        E: Kernel<K, P, R>,
    {
        let along = self.parts(along, along_instances);
        let values = self.parts(size, instances);
        self.happens(Act::Impulse { along, law: Law::Given, values, row: None });
    }

    /// The last event is an impact: along the first row, a gap, by Newton's law of restitution, along a second
    /// one by Coulomb's friction. The values are the two coefficients, as many as there are rows.
    pub fn restores<
        S,
        E,
        const KS: usize,
        const PS: usize,
        const K: usize,
        const P: usize,
        const R: usize,
    >(
        &mut self,
        along: S,
        along_instances: Instances<KS, PS>,
        coefficients: E,
        instances: Instances<K, P>,
    ) where
        S: Kernel<KS, PS, R>,
        E: Kernel<K, P, R>,
    {
        let along = self.parts(along, along_instances);
        let values = self.parts(coefficients, instances);
        self.happens(Act::Impulse { along, law: Law::Restitution, values, row: None });
    }

    /// The gap of the last impact never opens to the negative side (`unilateral`): the motion begins with it open or
    /// closed, and its rows are those declared from `first` on ([`rows_holonomic`](Self::rows_holonomic)), one of each
    /// instance, whose multipliers are the forces that push it open.
    pub fn holds_gap(&mut self, first: usize) {
        let last = self.events.last_mut().and_then(|event| event.actions.last_mut());
        if let Some(Act::Impulse { row, .. }) = last {
            *row = Some(first);
        }
    }

    /// The last event ends the run, for a reason told in words.
    pub fn stops(&mut self, text: &str) {
        self.happens(Act::Stop { text: text.into() });
    }

    fn happens(&mut self, action: Act) {
        // Without an event there is nothing that it could belong to.
        if let Some(event) = self.events.last_mut() {
            event.actions.push(action);
        }
    }
}
