//! Random piecewise linear systems: two masses coupled by springs and dampers, and forces that switch on where
//! the motion is beyond planes in positions and velocities. The reference knows nothing of steps: on each side it
//! goes along the exact flow, e^(A t), and finds its events on it.

use mbd::prelude::*;
use mbd::simulation::Simulation;
use nalgebra::{SMatrix, SVector};

const PLANES: usize = 4;
const T_END: f64 = 3.0;

mechanism! {
    mechanism Planes {
        size planes = 4;
        param stiff[4] = 1.0;
        param damp[4] = 0.1;
        /// By position, velocity, and the distance from the origin.
        param nx[planes] = 0.0;
        param ny[planes] = 0.0;
        param mx[planes] = 0.0;
        param my[planes] = 0.0;
        param far[planes] = 1.0;
        /// Forces beyond: constant, and by position.
        param fx[planes] = 0.0;
        param fy[planes] = 0.0;
        param kx[planes] = 0.0;
        param ky[planes] = 0.0;
        coord x;
        coord y;
        scale x = 1.0;
        scale y = 1.0;
        kinetic first = 0.5*sq(der(x));
        kinetic second = 0.5*sq(der(y));
        force springs along [x, y] = [
            -stiff[0]*x - stiff[1]*y - damp[0]*der(x) - damp[1]*der(y),
            -stiff[2]*x - stiff[3]*y - damp[2]*der(x) - damp[3]*der(y),
        ];
        for i in 0..planes {
            force beyond along [x, y] =
                if nx[i]*x + ny[i]*y + mx[i]*der(x) + my[i]*der(y) > far[i] {
                    [fx[i] - kx[i]*x, fy[i] - ky[i]*y]
                } else {
                    [0.0, 0.0]
                };
        }
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) as f64 / u64::MAX as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

type State = SVector<f64, 4>;
/// The state and 1, and their rates.
type Flow = SMatrix<f64, 5, 5>;

fn draw(random: &mut Random) -> (Planes, State) {
    let mut model = Planes::default();
    let mut list = |low: f64, high: f64| -> Vec<f64> {
        (0..PLANES).map(|_| random.between(low, high)).collect()
    };
    let [stiff, damp] = [list(-3.0, 3.0), list(-0.3, 0.3)];
    let on = |value: f64| 5.0 + 4.0 * value;
    model.stiff = vec![on(stiff[0]).max(1.0), stiff[1], stiff[1], on(stiff[3]).max(1.0)];
    model.damp = vec![damp[0].abs(), damp[1], damp[2], damp[3].abs()];
    (model.nx, model.ny) = (list(-1.0, 1.0), list(-1.0, 1.0));
    (model.mx, model.my) = (list(-0.3, 0.3), list(-0.3, 0.3));
    (model.fx, model.fy) = (list(-3.0, 3.0), list(-3.0, 3.0));
    (model.kx, model.ky) = (list(-20.0, 60.0), list(-20.0, 60.0));
    model.far = list(-0.8, 0.8);
    let used = 1 + (random.next() * PLANES as f64) as usize;
    for plane in 0..PLANES {
        // Planes that are not there, and planes in positions only.
        if plane >= used {
            (model.nx[plane], model.ny[plane]) = (0.0, 0.0);
            (model.mx[plane], model.my[plane], model.far[plane]) = (0.0, 0.0, 1.0);
        } else if random.next() < 0.5 {
            (model.mx[plane], model.my[plane]) = (0.0, 0.0);
        }
    }
    let start = State::from_fn(|_, _| random.between(-1.0, 1.0));
    (model, start)
}

/// The rates on the sides that a word of bits says.
fn flow(model: &Planes, sides: usize) -> Flow {
    let (s, d) = (&model.stiff, &model.damp);
    let mut a = Flow::zeros();
    (a[(0, 2)], a[(1, 3)]) = (1.0, 1.0);
    for row in 0..2 {
        for col in 0..2 {
            a[(2 + row, col)] = -s[2 * row + col];
            a[(2 + row, 2 + col)] = -d[2 * row + col];
        }
    }
    for plane in (0..PLANES).filter(|plane| sides >> plane & 1 == 1) {
        a[(2, 4)] += model.fx[plane];
        a[(3, 4)] += model.fy[plane];
        a[(2, 0)] -= model.kx[plane];
        a[(3, 1)] -= model.ky[plane];
    }
    a
}

fn planes(model: &Planes) -> SMatrix<f64, PLANES, 5> {
    let columns = [&model.nx, &model.ny, &model.mx, &model.my, &model.far];
    SMatrix::from_fn(|plane, k| if k < 4 { columns[k][plane] } else { -columns[k][plane] })
}

/// The end of the motion and its events: time, and which plane. `None` where it slides, grazes, or has two
/// events nearly at once.
fn exact(model: &Planes, start: &State) -> Option<(State, Vec<(f64, usize)>)> {
    const STEPS: usize = 3000;
    let dt = T_END / STEPS as f64;
    let guards = planes(model);
    let mut z = SVector::<f64, 5>::from_fn(|k, _| if k < 4 { start[k] } else { 1.0 });
    let begin = guards * z;
    let mut sides: usize = (0..PLANES).filter(|&p| begin[p] > 0.0).map(|p| 1 << p).sum();
    let mut events: Vec<(f64, usize)> = Vec::new();
    let mut t = 0.0;
    let mut a = flow(model, sides);
    let mut whole = (a * dt).exp();
    while t < T_END - 1e-12 {
        // To the grid again after an event.
        let grid = ((t / dt + 1e-9).floor() + 1.0) * dt;
        let h = grid.min(T_END) - t;
        let next = if (h - dt).abs() < 1e-12 { whole * z } else { (a * h).exp() * z };
        let left = |z: &SVector<f64, 5>, p: usize| ((guards * z)[p] > 0.0) != (sides >> p & 1 == 1);
        let crossed: Vec<usize> = (0..PLANES).filter(|&p| left(&next, p)).collect();
        // What comes near without crossing grazes.
        for p in (0..PLANES).filter(|p| !crossed.contains(p)) {
            let sigma = (guards * next)[p].abs();
            let [before, after] = [(guards * a * z)[p], (guards * a * next)[p]];
            if before * after < 0.0 && sigma < 1e-3 {
                return None;
            }
        }
        let Some(&plane) = crossed.first() else {
            (z, t) = (next, t + h);
            continue;
        };
        if crossed.len() > 1 {
            return None;
        }
        let (mut low, mut high) = (0.0, h);
        while high - low > 1e-15 * T_END {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if left(&((a * middle).exp() * z), plane) { high = middle } else { low = middle }
        }
        z = (a * high).exp() * z;
        t += high;
        let before = (guards * a * z)[plane];
        sides ^= 1 << plane;
        a = flow(model, sides);
        whole = (a * dt).exp();
        let after = (guards * a * z)[plane];
        let soon = events.last().is_some_and(|last| t - last.0 < 1e-4);
        if before * after <= 0.0 || before.abs().min(after.abs()) < 0.05 || soon {
            return None;
        }
        events.push((t, plane));
    }
    Some((State::from_fn(|k, _| z[k]), events))
}

#[test]
fn random_piecewise_linear_motions_have_the_exact_events() {
    let wanted = if std::env::var_os("MBD_HARD").is_some() { 500 } else { 25 };
    let (mut systems, mut crossed) = (0, 0);
    for seed in 0.. {
        if systems == wanted {
            break;
        }
        let mut random = Random(seed);
        let (model, start) = draw(&mut random);
        let Some((end, events)) = exact(&model, &start) else { continue };
        let gain = (0..4).try_fold(0.0f64, |gain, k| {
            let mut moved = start;
            moved[k] += 1e-7;
            let (other, _) = exact(&model, &moved)?;
            Some(gain.max((other - end).amax() / 1e-7))
        });
        if events.is_empty() || !gain.is_some_and(|gain| gain < 100.0) {
            continue;
        }
        systems += 1;
        crossed += events.len();
        for (name, tol, bound) in [
            ("radau5", 1e-11, 1e-8),
            ("explicit-rk", 1e-11, 1e-8),
            ("gen-alpha-soi2", 1e-6, 1e-2),
            ("bdf-ggl", 1e-6, 1e-2),
        ] {
            let [x, y, vx, vy] = [start[0], start[1], start[2], start[3]];
            let run = Simulation::new(&model)
                .method(Method::from_name(name).unwrap())
                .step(Step::adaptive(tol))
                .set_initial("x", x)
                .set_initial("y", y)
                .set_initial("der(x)", vx)
                .set_initial("der(y)", vy)
                .until(T_END)
                .run()
                .unwrap_or_else(|error| panic!("seed {seed}, {name}: {error}"));
            let found: Vec<(f64, usize)> = run
                .events
                .iter()
                .map(|event| {
                    let instance = event.name.trim_end_matches(']').rsplit('[').next();
                    (event.t, instance.and_then(|i| i.parse().ok()).unwrap_or(0))
                })
                .collect();
            let order = |events: &[(f64, usize)]| events.iter().map(|e| e.1).collect::<Vec<_>>();
            assert_eq!(order(&found), order(&events), "seed {seed}, {name}: {found:?} {events:?}");
            for (found, event) in found.iter().zip(&events) {
                assert!(
                    (found.0 - event.0).abs() < bound,
                    "seed {seed}, {name}: {found:?} {event:?}"
                );
            }
            let (q, v) = (run.final_q(), run.final_v());
            let last = State::new(q[0], q[1], v[0], v[1]);
            assert!((last - end).amax() < bound, "seed {seed}, {name}: {:e}", (last - end).amax());
        }
    }
    assert!(crossed > 2 * systems, "{crossed} events in {systems} systems");
}
