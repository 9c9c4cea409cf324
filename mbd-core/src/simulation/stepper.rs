//! Driving a model from outside, from instant to instant: controllers, co-simulation, reinforcement learning.

use super::feed;
use super::initial::{begin, stated};
use super::options::{Options, Simulation};
use crate::assembly::{Point, Residual, SlotKind, System, Want};
use crate::checkpoint::{self, Identity, State as Saved};
use crate::error::{Error, InputError, OptionError, StepError};
use crate::integrate::{Integrator, Method, Step};
use crate::signal::Signal;
use crate::solution::{ColumnKind, Event, OutputError, Solution, Stats, Status, StoppedBy};
use crate::start::StartReport;

/// A run that its caller leads from instant to instant, setting inputs in between.
///
/// ```
/// # use mbd_core::model::Mechanism;
/// # use mbd_core::{error::Error, simulation::Simulation};
/// # fn example(cart: impl Mechanism) -> Result<(), Error> {
/// let mut plant = Simulation::new(&cart).stepper()?;
/// let (force, angle) = (plant.input("force")?, plant.quantity("theta")?);
/// for n in 1..=1000 {
///     let theta = plant.state().get(angle);
///     plant.set(force, -30.0 * theta)?;
///     plant.step_to(0.01 * f64::from(n))?;
/// }
/// # Ok(())
/// # }
/// ```
///
/// A value that is set holds until another one is. It takes effect when the motion goes on: the next
/// [`step_to`](Self::step_to) begins with accelerations and reactions that are consistent with it, so what
/// [`state`](Self::state) says before is still the motion as it came. So it is with samples, events and rows of tables at
/// exactly the time reached: they happen when the motion goes on.
///
/// # Steps
/// The method takes the steps that it needs, or those of [`Step::fixed`], and the last one ends exactly at the time
/// asked for. Equal steps are counted anew from a time that is none of theirs. No error estimate is carried along,
/// and nothing is recorded but by [`record`](Self::record): a stepper takes the same memory however long it goes on, but for
/// the list of [events](Self::take_events).
pub struct Stepper {
    integrator: Integrator<'static>,
    /// As it was at the start.
    system: System,
    start: Point,
    /// The motion as it was told last.
    at: Point,
    report: StartReport,
    method: Method,
    step: Step,
    events: bool,
    max_steps: usize,
    horizon: Option<f64>,
    identity: Identity,
    /// Names that can be asked for, and where each is.
    names: Vec<(String, QuantityId)>,
    outputs: Vec<f64>,
    /// The points that were to be kept.
    recorded: Solution,
    /// The number of each of its points, in the order in which they were recorded, and of the next.
    numbers: Vec<usize>,
    /// The inputs at each, with the time.
    fed: Vec<(f64, Vec<f64>)>,
    records: usize,
    /// Events that were taken.
    taken: Vec<Event>,
}

/// An input, found by [`Stepper::input`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputId(usize);

/// A scalar of the motion, found by [`Stepper::quantity`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantityId(Place);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Slot(SlotKind, usize),
    Output(usize),
    Mode(usize),
    Input(usize),
}

/// The motion at the time reached.
#[derive(Clone, Copy)]
pub struct State<'s> {
    point: &'s Point,
    outputs: &'s [f64],
    names: &'s [(String, QuantityId)],
}

impl Simulation<'_> {
    /// Begins a run that is led from outside. [`until`](Self::until), or the end that the model suggests, says
    /// up to when the motion is expected to go on, which first steps and scales depend on; it is no end.
    ///
    /// # Errors
    /// As [`run`](Self::run) before its first step; [`OptionError::NotForStepper`] for a sequence of steps, and for what
    /// only runs that go to their end by themselves do.
    pub fn stepper(self) -> Result<Stepper, Error> {
        let options = self.options;
        options.check()?;
        options.check_for_stepper()?;
        let model = stated(self.model, &self.scales, &options.step)?;
        let started =
            begin(model, &self.initial, &self.inputs, (options.t_start, options.derivatives))?;
        let system = started.system;
        let horizon = options.t_end.or(system.model().t_end()).filter(|end| end.is_finite());
        let columns = Solution::new(&system, options.method.name());
        let of_column = |index: usize| {
            let kinds = [
                SlotKind::T,
                SlotKind::Q,
                SlotKind::V,
                SlotKind::A,
                SlotKind::X,
                SlotKind::Lambda,
                SlotKind::Psi,
                SlotKind::W,
            ];
            let slots = kinds.map(|kind| (ColumnKind::Slot(kind), Some(kind)));
            let all = slots.into_iter().chain([(ColumnKind::Output, None)]);
            all.into_iter().find_map(|(column, kind)| {
                let range = columns.range(column);
                let place = range.contains(&index).then(|| index - range.start)?;
                Some(kind.map_or(Place::Output(place), |kind| Place::Slot(kind, place)))
            })
        };
        let named = columns.columns().iter().enumerate();
        let mut names: Vec<(String, QuantityId)> = named
            .filter_map(|(index, column)| {
                Some((column.name.clone(), QuantityId(of_column(index)?)))
            })
            .collect();
        let model = system.model();
        let modes = model.modes().iter().enumerate();
        names.extend(modes.map(|(i, mode)| (mode.name.clone(), QuantityId(Place::Mode(i)))));
        let inputs = model.inputs().enumerate();
        names.extend(inputs.map(|(i, input)| (input.name.clone(), QuantityId(Place::Input(i)))));
        let mut identity: Identity = vec![
            ("the program".into(), checkpoint::program()),
            ("the model".into(), model.name().to_string()),
        ];
        for (label, value) in model.params().iter().zip(started.point.params()) {
            identity.push((format!("{} =", label.name), format!("{value:?}")));
        }
        identity.extend([
            ("the method".into(), format!("{:?}", options.method)),
            ("the steps".into(), format!("{:?}", options.step)),
            ("the start at".into(), format!("{:?}", options.t_start)),
            ("derivatives by".into(), options.derivatives.name().into()),
            ("the inputs".into(), feed::identity(&system)),
            ("the scales".into(), format!("{:?} {:?}", model.scale_q(), model.scale_x())),
        ]);
        let mut stepper = Stepper {
            integrator: Integrator::owning(
                system.clone(),
                &options.method,
                options.step.clone(),
                &started.point,
                horizon,
            )?,
            system,
            at: started.point.clone(),
            start: started.point,
            report: started.report,
            method: options.method,
            step: options.step,
            events: options.events,
            max_steps: options.max_steps,
            horizon,
            identity,
            names,
            outputs: Vec::new(),
            recorded: columns,
            numbers: Vec::new(),
            fed: Vec::new(),
            records: 0,
            taken: Vec::new(),
        };
        stepper.prepare();
        Ok(stepper)
    }
}

impl Options<'_> {
    /// What a stepper would leave out without a word is refused.
    fn check_for_stepper(&self) -> Result<(), OptionError> {
        let led = "`step_to` goes on as far as you say";
        let kept = "`record` and `solution` keep what you choose, `save` and `restore` where the motion is";
        let asked = [
            (matches!(self.step, Step::Sequence { .. }), "Step::sequence", led),
            (self.certify, "certify", "and compare runs of several tolerances"),
            (self.history, "history", kept),
            (self.saltations, "saltations", kept),
            (self.least_shares, "least_shares", kept),
            (self.sink.is_some(), "stream", kept),
            (self.checkpoints.is_some(), "checkpoint", kept),
            (self.resume.is_some(), "resume", kept),
            (self.progress.is_some(), "progress", led),
            (self.interrupt.is_some(), "interrupt", led),
        ];
        match asked.into_iter().find(|(is, ..)| *is) {
            Some((_, option, instead)) => Err(OptionError::NotForStepper { option, instead }),
            None => Ok(()),
        }
    }
}

impl Stepper {
    /// What a new integrator is told.
    fn prepare(&mut self) {
        if !self.events {
            self.integrator.ignore_events();
        }
        if let Some(horizon) = self.horizon {
            self.integrator.expect(horizon);
        }
    }

    /// The time reached in s.
    pub fn t(&self) -> f64 {
        self.integrator.point().t()
    }

    /// What assembly moved at the start, the degrees of freedom, redundant rows.
    pub fn start_report(&self) -> &StartReport {
        &self.report
    }

    /// An input by name, for [`set`](Self::set).
    ///
    /// # Errors
    /// [`OptionError::UnknownName`].
    pub fn input(&self, name: &str) -> Result<InputId, OptionError> {
        let found = feed::find(self.system.model(), name.trim())?;
        match found[..] {
            [one] => Ok(InputId(one)),
            _ => Err(OptionError::UnknownName {
                option: "input",
                name: name.into(),
                what: "one input: of an array name an entry",
                suggestion: Some(format!("{name}[0]")),
            }),
        }
    }

    /// Sets an input by name from the time reached on, to a value in its unit; of an array all entries.
    ///
    /// # Errors
    /// [`OptionError::UnknownName`], and as [`set`](Self::set).
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), Error> {
        for index in feed::find(self.system.model(), name.trim())? {
            self.set(InputId(index), value)?;
        }
        Ok(())
    }

    /// Sets an input from the time reached on.
    ///
    /// # Errors
    /// [`InputError`] for what is no finite number, for an input that stands where a value cannot jump (constraints,
    /// inertia, `der(u)`), and for one that is fed with a function or a spline.
    pub fn set(&mut self, input: InputId, value: f64) -> Result<(), InputError> {
        feed::check_held(self.integrator.system(), input.0, value, self.t())?;
        self.integrator.set_input(input.0, value);
        Ok(())
    }

    /// Goes on to a time in s, exactly, or to where an event ends the run ([`stopped`](Self::stopped)).
    ///
    /// # Errors
    /// [`OptionError`] for a time before the one reached, [`InputError`] where a table is not known up to it,
    /// [`StepError`]; the motion is then as far as it came.
    pub fn step_to(&mut self, t: f64) -> Result<(), Error> {
        let now = self.t();
        // The same time computed in another way may be earlier by a rounding.
        if t.is_finite() && self.stopped().is_none() && self.integrator.reach(t) {
            return Ok(());
        }
        if !(t >= now && t.is_finite()) {
            return Err(OptionError::OutOfRange {
                name: "step_to",
                value: t,
                range: "time goes on: it is a finite time at or after the one reached [s]",
            }
            .into());
        }
        feed::check_range(self.integrator.system(), [now, t])?;
        let before = self.integrator.stats().steps;
        let mut h = 0.0;
        while self.stopped().is_none() && !self.integrator.reach(t) {
            let steps = self.integrator.stats().steps - before;
            if steps >= self.max_steps {
                let chatter = self.integrator.chatter().map(Box::new);
                let struggle = self.integrator.struggle().map(Box::new);
                let unresolved = self.integrator.unresolved().map(Box::new);
                let t = self.t();
                return Err(
                    StepError::TooManySteps { t, steps, h, chatter, struggle, unresolved }.into()
                );
            }
            h = self.integrator.step_once(t)?.h;
        }
        self.integrator.count_steps_from_here();
        Ok(())
    }

    /// The event that has ended the run, if one has.
    pub fn stopped(&self) -> Option<&StoppedBy> {
        self.integrator.stopped()
    }

    /// Work counts so far; the wall time is the caller's.
    pub fn stats(&self) -> &Stats {
        self.integrator.stats()
    }

    /// The events since the start, or since they were taken last.
    pub fn take_events(&mut self) -> Vec<Event> {
        let events = self.integrator.take_events();
        self.taken.extend(events.iter().cloned());
        events
    }

    /// Keeps the motion at the time reached, as a point of [`solution`](Self::solution).
    pub fn record(&mut self) {
        self.complete();
        let (system, point) = (self.integrator.system(), &self.at);
        let mut energies = Residual::new(&system.dims());
        system.eval_at(point, Want::ENERGY, &mut energies);
        let events = self.taken.len() + self.integrator.events().len();
        let Residual { kinetic, potential, .. } = energies;
        self.recorded.record(system, point, [kinetic, potential], events);
        let inputs = 0..system.signals().len();
        self.fed.push((point.t(), inputs.map(|index| point.input(index)).collect()));
        self.numbers.push(self.records);
        self.records += 1;
    }

    /// The points that were [recorded](Self::record), with the events and what the run has taken so far: for plots, tables
    /// and animations.
    pub fn solution(&self) -> Solution {
        let mut solution = self.recorded.clone();
        let inputs = 0..self.integrator.system().signals().len();
        solution.fed_by(inputs.map(|index| self.signal_as_recorded(index)).collect());
        solution.stats = self.stats().clone();
        solution.drift = *self.integrator.drift();
        solution.balance = self.integrator.balance();
        solution.stopped = self.stopped().cloned();
        if solution.stopped.is_some() {
            solution.status = Status::Stopped;
        }
        solution.events = self.taken.iter().chain(self.integrator.events()).cloned().collect();
        solution.redundant = self.report.redundant.clone();
        solution.samples = self.integrator.samples().collect();
        solution
    }

    /// What an input was at each recorded point, and after it until the next.
    fn signal_as_recorded(&self, index: usize) -> Signal {
        let values: Vec<(f64, f64)> = self.fed.iter().map(|(t, u)| (*t, u[index])).collect();
        Signal::function(move |t| {
            let next = values.partition_point(|value| value.0 <= t);
            values.get(next.saturating_sub(1)).map_or(0.0, |value| value.1)
        })
    }

    /// A scalar by name: a coordinate (`theta`), a velocity (`der(theta)`), an acceleration, a state, a multiplier
    /// (`lambda(close)`), a variable, an output, a mode, an input, or `t`.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn quantity(&self, name: &str) -> Result<QuantityId, OutputError> {
        find(&self.names, name)
    }

    /// The motion at the time reached.
    pub fn state(&mut self) -> State<'_> {
        self.complete();
        let (system, point) = (self.integrator.system(), &self.at);
        self.outputs.clear();
        system.outputs(point, &mut self.outputs);
        State { point, outputs: &self.outputs, names: &self.names }
    }

    /// The point reached as it is told, as in the tables of a run: with the accelerations and reactions of the equations of
    /// motion in place of those that a method carries from step to step.
    fn complete(&mut self) {
        self.integrator.interpolate(self.integrator.point().t(), &mut self.at);
    }

    /// All that is needed to go on from here, to the last bit: by this stepper, or by another one of the same
    /// program, model, parameters, method, steps and signals.
    ///
    /// What the stepper keeps to save work is dropped, here as in [`restore`](Self::restore), so that it makes no difference.
    ///
    /// # Errors
    /// Those of [`restore`](Self::restore).
    pub fn save(&mut self) -> Result<Vec<u8>, Error> {
        let mut own = Saved::saving();
        let (mut held, mut taken) = (self.held(), self.taken.clone());
        own.part("the inputs");
        held.iter_mut().for_each(|value| own.maybe(value));
        own.every(&mut taken, Event::default(), |state, event| event.state(state));
        let mut records = self.records;
        own.count(&mut records);
        let mut bytes = own.saved();
        bytes.splice(0..0, (bytes.len() as u64).to_le_bytes());
        bytes.extend(self.integrator.save());
        self.go_on_from(&bytes)?;
        Ok(checkpoint::write(&self.identity, bytes))
    }

    /// Goes on from where a stepper was [saved](Self::save), as that one went on, to the last bit. Points that were
    /// [recorded](Self::record) later, or after another state was restored, are forgotten.
    ///
    /// # Errors
    /// [`OptionError::NoCheckpoint`] for what is none, [`OptionError::OtherRun`] for that of another program, model,
    /// parameter, method, step or signal. The stepper is as it was then.
    pub fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let bytes = checkpoint::read(&self.identity, saved)?;
        self.go_on_from(bytes)
    }

    /// The inputs that have a constant value.
    fn held(&self) -> Vec<Option<f64>> {
        self.integrator.system().signals().iter().map(|signal| signal.as_constant()).collect()
    }

    fn go_on_from(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let misfit = |part: &str| {
            let why = format!("{part} in it belongs to another run");
            Error::from(OptionError::NoCheckpoint { why })
        };
        let (len, rest) = bytes.split_first_chunk().ok_or_else(|| misfit("the beginning"))?;
        let len = u64::from_le_bytes(*len) as usize;
        let (own, integrator) = rest.split_at_checked(len).ok_or_else(|| misfit("the length"))?;
        let mut own = Saved::restoring(own);
        let (mut held, mut taken, mut records) = (self.held(), Vec::new(), 0);
        own.part("the inputs");
        held.iter_mut().for_each(|value| own.maybe(value));
        own.every(&mut taken, Event::default(), |state, event| event.state(state));
        own.count(&mut records);
        if let Some(part) = own.misfit() {
            return Err(misfit(part));
        }
        let mut system = self.system.clone();
        system.renew();
        for (index, value) in held.into_iter().enumerate() {
            if let Some(value) = value {
                system.hold_input(index, value);
            }
        }
        let before = std::mem::replace(
            &mut self.integrator,
            Integrator::owning(system, &self.method, self.step.clone(), &self.start, self.horizon)?,
        );
        self.prepare();
        if let Err(error) = self.integrator.restore(integrator) {
            self.integrator = before;
            return Err(error.into());
        }
        // What was recorded later, or in another future, is no past of this motion.
        self.numbers.retain(|number| *number < records);
        self.recorded.keep(self.numbers.len());
        self.fed.truncate(self.numbers.len());
        // Those that were taken later are among those of the integrator again.
        self.taken = taken;
        Ok(())
    }
}

fn find(names: &[(String, QuantityId)], name: &str) -> Result<QuantityId, OutputError> {
    let found = names.iter().find(|(known, _)| known == name.trim());
    found
        .map(|(_, id)| *id)
        .ok_or_else(|| OutputError::unknown_column(name, names.iter().map(|(known, _)| &**known)))
}

impl State<'_> {
    /// Time in s.
    pub fn t(&self) -> f64 {
        self.point.t()
    }

    /// Coordinates (n).
    pub fn q(&self) -> &[f64] {
        self.point.q()
    }

    /// Velocities (n).
    pub fn v(&self) -> &[f64] {
        self.point.v()
    }

    /// First-order states (nx).
    pub fn x(&self) -> &[f64] {
        self.point.x()
    }

    /// Multipliers of the holonomic rows (m).
    pub fn lambda(&self) -> &[f64] {
        self.point.lambda()
    }

    /// Outputs, in the order of the model.
    pub fn outputs(&self) -> &[f64] {
        self.outputs
    }

    /// A scalar that [`Stepper::quantity`] has found.
    pub fn get(&self, quantity: QuantityId) -> f64 {
        match quantity.0 {
            Place::Slot(kind, index) => self.point.get(kind)[index],
            Place::Output(index) => self.outputs[index],
            Place::Mode(index) => self.point.modes()[index],
            Place::Input(index) => self.point.input(index),
        }
    }

    /// A scalar by name.
    ///
    /// # Errors
    /// As [`Stepper::quantity`].
    pub fn value(&self, name: &str) -> Result<f64, OutputError> {
        find(self.names, name).map(|quantity| self.get(quantity))
    }
}
