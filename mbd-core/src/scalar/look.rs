//! What a statement compares at a point, told so that points on the other side can be looked for.

use super::step::{Place, Step};
use super::tape::Tape;
use super::test::Sign;
use super::written::{Part, written};

/// A comparison of a statement, as one evaluation met it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    /// What tells it from the statement's others: a hash of what is compared, by operations and inputs.
    pub(crate) key: u64,
    /// Which of the comparisons that were met it is.
    pub(crate) number: usize,
    /// The number whose sign decided.
    pub(crate) value: f64,
    /// The inputs that the number depends on.
    pub(crate) inputs: Vec<usize>,
}

/// What an input is to a guard that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It moves, at a rate that is known: the guard has events.
    Moves,
    /// It does not, or by itself as time does: events of it are known beforehand.
    Fixed,
    /// It jumps as the guard does: no guard that reads it is held.
    Free,
}

/// What one evaluation of a statement compared, and which inputs its rows depend on then.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Path {
    pub(crate) looks: Vec<Look>,
    /// How many comparisons were met, those without effect too.
    pub(crate) met: usize,
    pub(crate) needed: Vec<usize>,
}

impl Tape {
    /// What was compared.
    pub(crate) fn path(&self) -> Path {
        let steps = self.steps();
        let keys = keys(steps);
        let (taken, decides) = self.taken();
        let mut path = Path::default();
        for (k, step) in steps.iter().enumerate() {
            path.met += usize::from(matches!(step, Step::Guard(..) | Step::Look(..)));
            match *step {
                Step::Guard(place, _) if !decides[place as usize] => {}
                Step::Look(_, value) if value.is_nan() => {}
                Step::Guard(place, value) | Step::Look(place, value) => path.looks.push(Look {
                    key: keys[place as usize],
                    number: path.met - 1,
                    value,
                    inputs: inputs(steps, place),
                }),
                Step::Input(input) if taken[k] => path.needed.push(input as usize),
                _ => {}
            }
        }
        path
    }

    /// Which guards can be held on a side, in the order in which they are met: those that
    /// something moves, by what each input is to them. `None` where a value was looked at in
    /// plain Rust.
    pub(crate) fn holdable(&self, hold: impl Fn(usize) -> Hold) -> Option<Vec<bool>> {
        let steps = self.steps();
        if steps.iter().any(|step| matches!(step, Step::Look(..) | Step::Bessel(..))) {
            return None;
        }
        let equality = |place: Place| {
            let zero = |step: &Step| matches!(step, Step::When(test, on, _) if *on == place && test.sign == Sign::Zero);
            steps.iter().any(zero)
        };
        let one = |step: &Step| match *step {
            Step::Guard(place, _) => {
                let mut kinds = inputs(steps, place).into_iter().map(&hold);
                let all = kinds.try_fold(false, |moves, kind| match kind {
                    Hold::Moves => Some(true),
                    Hold::Fixed => Some(moves),
                    Hold::Free => None,
                });
                Some(all == Some(true) && !equality(place))
            }
            _ => None,
        };
        Some(steps.iter().filter_map(one).collect())
    }

    /// Of each guard, in the order in which they are met, what tells the surface on which it is zero from
    /// others: a hash of it and of its negative, by operations and by what `name` says of inputs. `None` of
    /// those that read an input of which it says nothing, that no velocity moves (`moves`), or that hang on
    /// another guard which the motion decides: of what else there is, `stays` says that it does not move with it,
    /// as the speed of a belt that is another one from some time on.
    pub(crate) fn surfaces(
        &self,
        name: impl Fn(usize) -> Option<u64>,
        moves: impl Fn(usize) -> bool,
        stays: impl Fn(usize) -> bool,
    ) -> Vec<Option<[u64; 2]>> {
        let steps = self.steps();
        let keys = keys_by(steps, |k| name(k as usize).unwrap_or(0));
        let one = |step: &Step| match *step {
            Step::Guard(place, _) => {
                let read = inputs(steps, place);
                let smooth = depends_on(steps, place).all(|step| match step {
                    Step::When(_, on, _) => inputs(steps, on).into_iter().all(&stays),
                    Step::Held(..) => false,
                    _ => true,
                });
                let known =
                    read.iter().all(|&k| name(k).is_some()) && read.iter().any(|&k| moves(k));
                Some(
                    (smooth && known)
                        .then(|| [keys[place as usize], negative(steps, &keys, place)]),
                )
            }
            _ => None,
        };
        steps.iter().filter_map(one).collect()
    }

    /// The inputs that one of the guards reads, by its number.
    pub(crate) fn read_by_guard(&self, number: usize) -> Vec<usize> {
        let guards = self.steps().iter().filter_map(|step| match *step {
            Step::Guard(place, _) => Some(place),
            _ => None,
        });
        guards.into_iter().nth(number).map_or(Vec::new(), |place| inputs(self.steps(), place))
    }

    /// Of each guard and look, in the order in which they are met, which of the three of a plane it is: 0 and 1 compare
    /// the components of a speed with 0, 2 says that the speed is not 0.
    pub(crate) fn parts(&self) -> Vec<Option<u8>> {
        let mut parts = Vec::new();
        for step in self.steps() {
            match step {
                Step::Guard(..) | Step::Look(..) => parts.push(None),
                Step::Plane => {
                    let last = parts.iter_mut().rev().zip([2, 1, 0]);
                    last.for_each(|(part, which)| *part = Some(which));
                }
                _ => {}
            }
        }
        parts
    }

    /// Which steps the rows depend on, of choices the side taken only; and on which of them a choice
    /// depends that does.
    fn taken(&self) -> (Vec<bool>, Vec<bool>) {
        let steps = self.steps();
        let mut value = vec![f64::NAN; steps.len()];
        for step in steps {
            if let Step::Guard(place, x) = *step {
                value[place as usize] = x;
            }
        }
        for (k, step) in steps.iter().enumerate() {
            if let Step::Held(.., x) = *step {
                value[k] = x;
            }
        }
        let (mut taken, mut decides) = (vec![false; steps.len()], vec![false; steps.len()]);
        self.row_places().flatten().for_each(|place| taken[place as usize] = true);
        for k in (0..steps.len()).rev() {
            if !taken[k] {
                continue;
            }
            if let Step::When(test, on, a) = steps[k] {
                (taken[on as usize], decides[on as usize]) = (true, true);
                taken[a as usize] |= test.holds(value[on as usize]);
            } else if let Step::Held(_, a, _) = steps[k] {
                (taken[a as usize], decides[a as usize]) = (true, decides[k]);
            } else {
                for place in steps[k].operands().into_iter().flatten() {
                    taken[place as usize] = true;
                }
            }
        }
        (taken, decides)
    }

    /// The two sides of a comparison, as `left < right`; empty for one that was not met.
    pub(crate) fn sides(&self, key: u64) -> [Vec<Part>; 2] {
        let steps = self.steps();
        let keys = keys(steps);
        let met = steps.iter().find_map(|step| match *step {
            Step::Guard(place, _) | Step::Look(place, _) if keys[place as usize] == key => {
                Some(place)
            }
            _ => None,
        });
        let Some(place) = met else { return Default::default() };
        let write = |place: Place| written(steps, place);
        // Not as −0.
        let number = |x: f64| vec![Part::Text(format!("{}", x + 0.0))];
        match steps[place as usize] {
            Step::Sub(a, b) => [write(a), write(b)],
            Step::AddNumber(a, x) => match steps[a as usize] {
                // `1.0 - x`, which is compared as it is with zero.
                Step::Neg(b) => [number(x), write(b)],
                _ => [write(a), number(-x)],
            },
            _ => [write(place), number(0.0)],
        }
    }
}

/// A hash of each value by the operations and inputs that lead to it.
fn keys(steps: &[Step]) -> Vec<u64> {
    keys_by(steps, u64::from)
}

fn hash(words: [u64; 3]) -> u64 {
    words.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
        (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The hash that the negative of a value has where it is written out.
fn negative(steps: &[Step], keys: &[u64], place: Place) -> u64 {
    let at = |place: Place| keys[place as usize];
    let negated = |place: Place| match steps[place as usize] {
        Step::Neg(a) => at(a),
        _ => hash([7, at(place), 0]),
    };
    match steps[place as usize] {
        Step::Sub(a, b) => hash([4, at(b), at(a)]),
        Step::AddNumber(a, 0.0) => negated(a),
        Step::AddNumber(a, x) => hash([8, negated(a), (-x).to_bits()]),
        Step::MulNumber(a, x) => hash([9, at(a), (-x).to_bits()]),
        _ => negated(place),
    }
}

/// The same with inputs told apart by what `name` gives.
fn keys_by(steps: &[Step], name: impl Fn(u32) -> u64) -> Vec<u64> {
    let mut keys: Vec<u64> = Vec::with_capacity(steps.len());
    for step in steps {
        let at = |place: Place| keys[place as usize];
        let words = match *step {
            // Compared with zero.
            Step::AddNumber(a, 0.0) => {
                keys.push(at(a));
                continue;
            }
            Step::Input(k) => [1, name(k), 0],
            Step::Constant(x) => [2, x.to_bits(), 0],
            Step::Add(a, b) => [3, at(a), at(b)],
            Step::Sub(a, b) => [4, at(a), at(b)],
            Step::Mul(a, b) => [5, at(a), at(b)],
            Step::Div(a, b) => [6, at(a), at(b)],
            Step::Neg(a) => [7, at(a), 0],
            Step::AddNumber(a, x) => [8, at(a), x.to_bits()],
            Step::MulNumber(a, x) => [9, at(a), x.to_bits()],
            Step::DivNumber(a, x) => [10, at(a), x.to_bits()],
            Step::Unary(function, a) => [11, at(a), function as u64],
            Step::Powi(a, n) => [12, at(a), n as u64],
            Step::Powf(a, x) => [13, at(a), x.to_bits()],
            Step::Log(a, x) => [14, at(a), x.to_bits()],
            Step::Atan2(a, b) => [15, at(a), at(b)],
            Step::Bessel(n, a) => [16, at(a), u64::from(n)],
            Step::When(test, on, a) => {
                [17 + 16 * test.sign as u64 + 8 * u64::from(test.not), at(on), at(a)]
            }
            Step::Held(_, a, _) => [12, at(a), 1],
            Step::Guard(..) | Step::Look(..) | Step::Plane => [0, 0, 0],
        };
        keys.push(hash(words));
    }
    keys
}

/// The steps that a value depends on, the last first.
fn depends_on(steps: &[Step], place: Place) -> impl Iterator<Item = Step> + '_ {
    let mut needed = vec![false; place as usize + 1];
    needed[place as usize] = true;
    (0..=place as usize).rev().filter_map(move |k| {
        if needed[k] {
            for operand in steps[k].operands().into_iter().flatten() {
                needed[operand as usize] = true;
            }
        }
        needed[k].then(|| steps[k])
    })
}

/// The inputs that a value depends on.
fn inputs(steps: &[Step], place: Place) -> Vec<usize> {
    let input = |step| match step {
        Step::Input(input) => Some(input as usize),
        _ => None,
    };
    let mut found: Vec<usize> = depends_on(steps, place).filter_map(input).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Num, Trace};

    fn taped(f: impl Fn([Num<Trace>; 3]) -> Num<Trace>) -> Tape {
        let mut tape = Tape::default();
        tape.record([0.5, 1.5, 2.5].into_iter(), 1, |z, rows| rows[0] = f([z[0], z[1], z[2]]));
        tape.prune();
        tape
    }

    fn text(parts: &[Part]) -> String {
        let name = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Input(k) => ["x", "y", "k"][*k].into(),
        };
        parts.iter().map(name).collect()
    }

    #[test]
    fn comparisons_are_told_as_they_are_written() {
        let tape = taped(|[x, y, k]| if 2.0 * (x - y) < 1.0 - k * y.sin() { x } else { y });
        let path = tape.path();
        assert_eq!((path.looks.len(), &path.looks[0].inputs[..]), (1, &[0, 1, 2][..]));
        // Of the branch taken.
        assert_eq!(path.needed, [0]);
        let [left, right] = tape.sides(path.looks[0].key);
        assert_eq!((&*text(&left), &*text(&right)), ("2*(x - y)", "-k*sin(y) + 1"));
        let still = |x: Num<Trace>| x * 0.0 * 2.0 - 0.0 * x;
        let tape = taped(|[x, y, k]| {
            let turned = y.cos() * still(x) + (k - x / y) - (-(k * (0.5 * y)) + still(y));
            if turned + (x - y) < -still(k) { x } else { y }
        });
        let [left, right] = tape.sides(tape.path().looks[0].key);
        assert_eq!((&*text(&left), &*text(&right)), ("k - x/y + k*0.5*y + x - y", "0"));
        // What is negated is a sum or not.
        let told = |f: fn([Num<Trace>; 3]) -> bool| {
            let tape = taped(|z| if f(z) { z[0] } else { z[1] });
            let [left, right] = tape.sides(tape.path().looks[0].key);
            format!("{} | {}", text(&left), text(&right))
        };
        let all = [
            told(|[x, y, k]| -(x - y) < k),
            told(|[x, y, k]| 0.0 - (x - y) > k * k),
            told(|[x, y, k]| 2.0 * (-(x + y)) > k),
            told(|[x, y, k]| k * ((-0.5 * y) * x) > y),
            told(|[x, y, k]| x - (y - k) - (-(x * y)) < k),
            told(|[x, y, k]| (x - x * (0.0 * k + 3.0)) / -y < k),
            told(|[x, y, _]| -(x + y) > 0.0),
        ];
        let expected = [
            "-(x - y) | k",
            "-(x - y) | k*k",
            "2*(-(x + y)) | k",
            "k*(-0.5*y)*x | y",
            "x - (y - k) + x*y | k",
            "(x - x*3)/(-y) | k",
            "0 | x + y",
        ];
        assert_eq!(all, expected);
        let tape = taped(|[x, y, k]| if k * (x - 0.0) < -(y + 0.0) / 1.0 { x } else { y });
        let [left, right] = tape.sides(tape.path().looks[0].key);
        assert_eq!((&*text(&left), &*text(&right)), ("k*x", "-y"));
        let tape = taped(|[x, _, _]| x.abs());
        let [left, right] = tape.sides(tape.path().looks[0].key);
        assert_eq!((&*text(&left), &*text(&right)), ("x", "0"));
        let tape = taped(|[x, y, _]| if 3.0 > x { y } else { x });
        let [left, right] = tape.sides(tape.path().looks[0].key);
        assert_eq!((&*text(&left), &*text(&right)), ("3", "x"));
    }

    #[test]
    fn a_comparison_has_the_same_key_in_every_evaluation() {
        let clamped = |[x, y, _]: [Num<Trace>; 3]| if x < 1.0 { y.max(x) } else { x };
        let key = |tape: Tape| tape.path().looks.iter().map(|l| l.key).collect::<Vec<_>>();
        let low = key(taped(clamped));
        assert_eq!(low.len(), 2);
        let mut tape = Tape::default();
        let run = |z: &[Num<Trace>], rows: &mut [Num<Trace>]| rows[0] = clamped([z[0], z[1], z[2]]);
        tape.record([2.0, 0.0, 0.0].into_iter(), 1, run);
        tape.prune();
        assert_eq!(key(tape), low[..1]);
        assert_ne!(low[0], low[1]);
    }

    #[test]
    fn of_a_choice_only_the_side_taken_is_reached() {
        let chosen = |[x, y, k]: [Num<Trace>; 3]| -> Num<Trace> {
            let other: Num<Trace> = y.above(k).choose(y * y, x);
            x.below(1.0).choose(k, other)
        };
        let path = taped(chosen).path();
        assert_eq!((path.looks.len(), &path.needed[..]), (1, &[0, 2][..]));
        let mut tape = Tape::default();
        let run = |z: &[Num<Trace>], rows: &mut [Num<Trace>]| rows[0] = chosen([z[0], z[1], z[2]]);
        tape.record([2.0, 3.0, 1.0].into_iter(), 1, run);
        let path = tape.path();
        assert_eq!((path.looks.len(), &path.needed[..]), (2, &[0, 1, 2][..]));
    }
}
