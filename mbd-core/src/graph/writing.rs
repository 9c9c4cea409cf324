//! A kernel's tape, written down as expressions.

use super::graph::Graph;
use super::op::Node;
use super::recorder::Recorder;
use crate::scalar::{Function, Sign, Step, Tape, Test};

impl Recorder {
    /// Writes the rows of a tape as expressions of the inputs' nodes; `None`, with nothing written, when a
    /// value was looked at, so that another point might take another branch. `still` says which inputs nothing moves.
    pub(crate) fn write(
        &mut self,
        tape: &Tape,
        input: impl FnMut(&mut Recorder, usize) -> Node,
        still: impl Fn(usize) -> bool,
    ) -> Option<Vec<Node>> {
        let nodes = self.write_steps(tape, input, still)?;
        let node = |(value, place): (f64, Option<u32>)| match place {
            Some(place) => nodes[place as usize],
            None => self.constant(value),
        };
        let rows = tape.rows_seen().map(node).collect();
        self.room = nodes;
        Some(rows)
    }

    /// Writes the values whose signs decide as expressions, in the order of [`Tape::decisions`].
    pub(crate) fn write_guards(
        &mut self,
        tape: &Tape,
        input: impl FnMut(&mut Recorder, usize) -> Node,
        still: impl Fn(usize) -> bool,
    ) -> Option<Vec<Node>> {
        let nodes = self.write_steps(tape, input, still)?;
        let guard = |step: &Step| match *step {
            Step::Guard(place, _) => Some(nodes[place as usize]),
            _ => None,
        };
        let guards = tape.steps().iter().filter_map(guard).collect();
        self.room = nodes;
        Some(guards)
    }

    /// Writes every step as an expression; the list of their nodes is to be given back as room.
    fn write_steps(
        &mut self,
        tape: &Tape,
        mut input: impl FnMut(&mut Recorder, usize) -> Node,
        still: impl Fn(usize) -> bool,
    ) -> Option<Vec<Node>> {
        let steps = tape.steps();
        if steps.iter().any(|step| matches!(step, Step::Look(..) | Step::Bessel(..))) {
            return None;
        }
        let exact = tape.quotients_that_decide(still);
        let exact = |k: usize| exact.get(k).is_some_and(|exact| *exact);
        let mut nodes = std::mem::take(&mut self.room);
        nodes.clear();
        for (k, &step) in steps.iter().enumerate() {
            let at = |place: u32| nodes[place as usize];
            let node = match step {
                Step::Input(k) => input(self, k as usize),
                Step::Constant(x) => self.constant(x),
                Step::Add(a, b) => self.add(at(a), at(b)),
                Step::Sub(a, b) => self.sub(at(a), at(b)),
                Step::Mul(a, b) => self.mul(at(a), at(b)),
                Step::Div(a, b) if exact(k) => self.div(at(a), at(b)),
                Step::DivNumber(a, x) if exact(k) => {
                    let x = self.constant(x);
                    self.div(at(a), x)
                }
                Step::Div(a, b) => {
                    let inverse = self.unary(Function::Recip, at(b));
                    self.mul(at(a), inverse)
                }
                Step::Neg(a) => self.neg(at(a)),
                Step::AddNumber(a, x) => {
                    let x = self.constant(x);
                    self.add(at(a), x)
                }
                Step::MulNumber(a, x) => self.scale(x, at(a)),
                Step::DivNumber(a, x) => self.scale(1.0 / x, at(a)),
                Step::Unary(function, a) => self.unary(function, at(a)),
                Step::Powi(a, n) => self.powi(at(a), n),
                Step::Powf(a, n) => self.powf(at(a), n),
                Step::Log(a, base) => {
                    let ln = self.unary(Function::Ln, at(a));
                    self.scale(1.0 / base.ln(), ln)
                }
                Step::Atan2(a, b) => self.atan2(at(a), at(b)),
                Step::When(test, on, a) => self.when(test, at(on), at(a)),
                Step::Held(side, a, _) => {
                    let value = self.when(Test::is(Sign::Zero), at(side), at(a));
                    self.add(at(side), value)
                }
                // Has no value, and nothing reads it.
                Step::Guard(..) | Step::Plane => Graph::ZERO,
                Step::Bessel(..) | Step::Look(..) => return None,
            };
            nodes.push(node);
        }
        Some(nodes)
    }
}
