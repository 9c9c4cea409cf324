//! What a run did: its steps, and its power balance and the estimate of its error so far.

use crate::checkpoint::State;
use crate::integrate::{Accepted, Integrator};

/// Work, dissipation, the method's damping, events, remainder, in J.
type Account = [f64; 5];
/// The place of events in it.
const EVENTS: usize = 3;

/// Of the last step its size, iterations and error; what the account of energy was at its beginning, and is at its end.
pub(super) struct History {
    step: [f64; 3],
    times: [f64; 2],
    accounts: [Account; 2],
    /// The estimated error of positions, velocities and reactions so far.
    errors: [f64; 3],
}

/// It, where there is one.
fn errors(integrator: &Integrator<'_>) -> [f64; 3] {
    let estimate = integrator.error_estimate().ok();
    let [q, v, lambda] = estimate.map_or([None; 3], |e| [e.q, e.v, e.lambda]);
    [q, v, lambda].map(|error| error.unwrap_or(f64::NAN))
}

impl History {
    /// Before the first step, of which nothing is known yet.
    pub(super) fn new(t_start: f64) -> Self {
        let (step, errors) = ([f64::NAN; 3], [f64::NAN; 3]);
        History { step, times: [t_start; 2], accounts: [[0.0; 5]; 2], errors }
    }

    /// After an accepted step; what is not known is NaN.
    pub(super) fn take(&mut self, step: &Accepted, integrator: &Integrator<'_>) {
        let error = if step.theta > 0.0 { step.theta.sqrt() } else { f64::NAN };
        self.step = [step.h, step.iterations as f64, error];
        self.times = [step.t - step.h, step.t];
        self.accounts = [self.accounts[1], integrator.account().unwrap_or([f64::NAN; 5])];
        self.errors = errors(integrator);
        // Events happen before a step begins.
        self.accounts[0][EVENTS] = self.accounts[1][EVENTS];
    }

    /// After the last step, where an event may have ended the run.
    pub(super) fn end(&mut self, integrator: &Integrator<'_>) {
        self.accounts = [integrator.account().unwrap_or([f64::NAN; 5]); 2];
        self.errors = errors(integrator);
    }

    /// At a time within the last step: energies lie on straight lines between its ends.
    pub(super) fn at(&self, t: f64) -> [f64; 11] {
        let [from, to] = self.times;
        let part = if to > from { ((t - from) / (to - from)).clamp(0.0, 1.0) } else { 1.0 };
        let [before, after] = &self.accounts;
        let between = |k: usize| match part < 1.0 {
            true => before[k] + part * (after[k] - before[k]),
            false => after[k],
        };
        let [size, iterations, error] = self.step;
        let [work, dissipated, numerical, events, remainder] = std::array::from_fn(between);
        let [q, v, lambda] = self.errors;
        [size, iterations, error, work, dissipated, numerical, events, remainder, q, v, lambda]
    }

    pub(super) fn state(&mut self, state: &mut State<'_>) {
        state.numbers(&mut self.step);
        state.numbers(&mut self.times);
        self.accounts.iter_mut().for_each(|account| state.numbers(account));
        state.numbers(&mut self.errors);
    }
}
