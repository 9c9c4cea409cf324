//! What is asked of every mechanism drawn at random.

use crate::random::{Counts, Random};
use mbd::ad::Instances;
use mbd::assembly::SlotKind;
use mbd::error::Error;
use mbd::integrate::{INCONSISTENT, METHODS, Method, Step};
use mbd::model::{Mechanism, Model, ModelBuilder, ModelError, ParamInfo};
use mbd::{Simulation, Solution};

/// How a mechanism is written down: the motion is the same.
#[derive(Clone, Debug)]
pub struct View {
    /// Units of length, mass and time.
    pub by: [f64; 3],
    /// A turn, as Euler parameters; in the plane about z.
    pub turn: [f64; 4],
    /// And then a shift, in lengths of the mechanism.
    pub shift: [f64; 3],
    /// At which place each body stands among the coordinates.
    pub order: Vec<usize>,
}

impl View {
    pub fn plain(bodies: usize) -> Self {
        View {
            by: [1.0; 3],
            turn: [1.0, 0.0, 0.0, 0.0],
            shift: [0.0; 3],
            order: (0..bodies).collect(),
        }
    }

    /// Factor of a quantity of these powers of length, mass and time.
    pub fn unit(&self, powers: [i32; 3]) -> f64 {
        self.by.iter().zip(powers).map(|(by, power)| by.powi(power)).product()
    }
}

/// A mechanism of lengths, masses and times of about 1.
pub trait Drawn {
    fn bodies(&self) -> usize;

    /// Runs to this time.
    fn t_end(&self) -> f64;

    fn model(&self, view: &View) -> Result<Model, ModelError>;

    /// Takes consistent velocities of the plain view for those at the start.
    fn set_velocities(&mut self, v: &[f64]);

    /// Coordinates and velocities of a view as they are in the plain one.
    fn plain(&self, view: &View, q: &[f64], v: &[f64]) -> [Vec<f64>; 2];
}

struct Viewed<'a>(&'a dyn Drawn, &'a View);

impl Mechanism for Viewed<'_> {
    fn model(&self) -> Result<Model, ModelError> {
        self.0.model(self.1)
    }

    fn set(&mut self, _: &str, _: f64) -> Result<(), ModelError> {
        unreachable!("nobody sets a parameter of these")
    }

    fn params(&self) -> Vec<ParamInfo> {
        Vec::new()
    }
}

/// Parameters of a statement.
pub fn parameters<const P: usize>(
    b: &mut ModelBuilder,
    name: &str,
    values: [f64; P],
) -> [usize; P] {
    let first = b.param_array(&format!("p_{name}"), "", "", &values);
    std::array::from_fn(|i| first + i)
}

/// A statement's one instance.
pub fn one<const K: usize, const P: usize>(
    kinds: [SlotKind; K],
    slots: [usize; K],
    params: [usize; P],
) -> Instances<K, P> {
    let mut instances = Instances::new(kinds);
    instances.push(&[], slots, params);
    instances
}

/// The end of a run, in plain terms.
struct End {
    q: Vec<f64>,
    v: Vec<f64>,
    run: Solution,
}

impl End {
    /// Largest difference of coordinates, and of velocities over the largest of them.
    fn distance(&self, other: &End) -> f64 {
        let most = |a: &[f64], b: &[f64]| {
            // f64::max would drop a NaN.
            let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            differences.fold(0.0f64, |m, d| if d <= m { m } else { d })
        };
        let speed = other.v.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let (q, v) = (most(&self.q, &other.q), most(&self.v, &other.v) / speed);
        if q >= v || q.is_nan() { q } else { v }
    }
}

fn run(drawn: &dyn Drawn, view: &View, method: &str, step: Step) -> Result<End, Error> {
    let mechanism = Viewed(drawn, view);
    let run = Simulation::new(&mechanism)
        .method(Method::from_name(method).expect("a method"))
        .step(step)
        .until(drawn.t_end() * view.by[2])
        .max_steps(200_000)
        .run()
        .map_err(|failed| failed.error)?;
    let [q, v] = drawn.plain(view, run.final_q(), run.final_v());
    Ok(End { q, v, run })
}

/// What its messages must not be: about nobody's things.
pub fn ill_told(message: &str) -> bool {
    message.contains("`?`") || message.contains(" ? ") || message.trim().is_empty()
}

/// Methods that must run whatever has constraints, positions without singular ones, and forces.
const STURDY: [&str; 5] = ["gen-alpha-soi2", "hht-i3", "hht-soi2", "radau5", "dae-alpha"];

/// Tolerance of the methods that are compared.
const TOLERANCE: f64 = 1e-5;

/// Errors over the tolerance that are not told: those of steps add up (docs/book/src/accuracy.md).
const ADDED_UP: f64 = 3000.0;

/// A motion that magnifies errors more than this is no test of agreement.
const CHAOTIC: f64 = 50.0;

/// Everything, of one mechanism.
pub fn properties(drawn: &mut dyn Drawn, random: &mut Random, counts: &mut Counts) -> Vec<String> {
    let mut count = |what: &str| *counts.entry(what.into()).or_default() += 1;
    let plain = View::plain(drawn.bodies());
    let mut wrong = Vec::new();
    // Which velocities inconsistent guesses lead to depends on how coordinates lie in space.
    match Simulation::new(&Viewed(drawn, &plain)).start() {
        Ok(started) => drawn.set_velocities(started.point.v()),
        Err(error) => return vec![format!("there is no start: {error}")],
    }
    let drawn = &*drawn;
    let exact = match run(drawn, &plain, "radau5", Step::adaptive(1e-10)) {
        Ok(end) => end,
        Err(error) => return vec![format!("radau5 at 1e-10 does not run: {error}")],
    };
    let amplified = match run(drawn, &plain, "radau5", Step::adaptive(1e-6)) {
        Ok(end) => (end.distance(&exact) / 1e-6).max(1.0),
        Err(error) => return vec![format!("radau5 at 1e-6 does not run: {error}")],
    };
    if !(amplified < CHAOTIC) {
        count("chaotic");
        return wrong;
    }
    count("compared");

    // Agreement, and balances that say what they should.
    let names: Vec<&str> =
        METHODS.iter().map(|m| m.name).filter(|name| *name != INCONSISTENT).collect();
    for method in [random.of(&STURDY), random.of(&names), random.of(&names)] {
        let end = match run(drawn, &plain, method, Step::adaptive(TOLERANCE)) {
            Ok(end) => end,
            Err(Error::Option(_)) => continue,
            Err(error) => {
                count(&format!("{method} failed"));
                if STURDY.contains(&method) || ill_told(&error.to_string()) {
                    wrong.push(format!("{method} fails: {error}"));
                }
                continue;
            }
        };
        let off = end.distance(&exact);
        let balance = end.run.balance.as_ref().expect("kernels state their power");
        let told = !balance.holds || !end.run.warnings.is_empty();
        if !(off <= ADDED_UP * amplified * TOLERANCE) && !told {
            wrong.push(format!(
                "{method} is off by {off:.1e} at {TOLERANCE:e}, and nothing tells (magnified {amplified:.0} times)"
            ));
        }
        if off <= 10.0 * TOLERANCE && told {
            wrong.push(format!(
                "{method} is off by {off:.1e} only and warns: {balance:?} {:?}",
                end.run.warnings
            ));
        }
    }

    // The same motion written down otherwise.
    let method = random.of(&STURDY);
    let step = if random.one_in(3) {
        Step::fixed(drawn.t_end() / 200.0)
    } else {
        Step::adaptive(TOLERANCE)
    };
    let base = match run(drawn, &plain, method, step.clone()) {
        Ok(end) => end,
        Err(Error::Option(_)) => return wrong,
        Err(error) => {
            wrong.push(format!("{method} fails by {step:?}: {error}"));
            return wrong;
        }
    };
    let powers: [i32; 3] =
        [random.below(13) as i32 - 6, random.below(9) as i32 - 4, random.below(9) as i32 - 4];
    let turn = drawn_turn(random);
    for (what, view) in [
        ("units", View { by: powers.map(|k| 10f64.powi(k)), ..plain.clone() }),
        ("turned", View { turn, ..plain.clone() }),
        ("moved", View { shift: random.vector(10.0), ..plain.clone() }),
        ("renumbered", View { order: random.shuffled(drawn.bodies()), ..plain.clone() }),
    ] {
        let step = match step {
            Step::Fixed { h, .. } => Step::fixed(h * view.by[2]),
            ref other => other.clone(),
        };
        match run(drawn, &view, method, step.clone()) {
            Ok(end) => {
                let off = end.distance(&base);
                let (steps, before) = (end.run.stats.steps as f64, base.run.stats.steps as f64);
                let own = 0.1 * (base.distance(&exact) + end.distance(&exact));
                if !(off <= own.max(10.0 * amplified * TOLERANCE))
                    || !((steps / before - 1.0).abs() < 0.1)
                {
                    wrong.push(format!(
                        "{method} by {step:?} is off by {off:.1e}, {steps} steps for {before}, {what}: {view:?}"
                    ));
                }
            }
            Err(error) => {
                wrong.push(format!("{method} by {step:?} fails {what} ({view:?}): {error}"))
            }
        }
    }
    wrong
}

/// A turn about the vertical in the plane; of any kind in space, which planar mechanisms take the part
/// about z of.
fn drawn_turn(random: &mut Random) -> [f64; 4] {
    let e: [f64; 4] = random.vector(1.0);
    let norm = e.iter().map(|e| e * e).sum::<f64>().sqrt();
    if norm > 0.1 { e.map(|e| e / norm) } else { [0.0, 0.0, 0.0, 1.0] }
}
