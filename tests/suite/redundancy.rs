//! Constraint rows that are redundant at one time and not at another.

use crate::support::{assert_near, largest, last};
use mbd::components::force;
use mbd::error::{Error, StepError};
use mbd::integrate::{Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{RankChange, Solution};
use mbd::start::StartError;

/// Methods of every kind.
const METHODS: [&str; 6] =
    ["gen-alpha-soi2", "hht-i3", "dae-alpha", "radau5", "bdf-ggl", "state-space"];

mechanism! {
    /// A mass on a wall, and a second wall with it that leaves the first after half a second.
    mechanism Walls {
        coord x: [m];
        coord y: [m];
        kinetic = 0.5*(sq(der(x)) + sq(der(y)));
        holonomic wall: x == 0.0;
        holonomic door: 2.0*x == 2.0*sq(max(t - 0.5, 0.0));
        init y = 1.0;
        init der(y) = 1.0;
        until 1.0;
    }
}

mechanism! {
    /// A mass driven along a line by a constraint that repeats the line's until it turns, after half
    /// a second; a force then holds the mass back.
    mechanism Turning {
        coord x: [m];
        coord y: [m];
        let turn = sq(max(t - 0.5, 0.0));
        kinetic = 0.5*(sq(der(x)) + sq(der(y)));
        force brake along y = -20.0*max(t - 0.5, 0.0);
        holonomic line: x == 0.0;
        holonomic drive: x*cos(turn) + (y - t)*sin(turn) == 0.0;
        init y = 0.0;
        init der(y) = 1.0;
        until 1.0;
    }
}

mechanism! {
    /// A mass on two ropes of which one hangs above the other, pushed sideways after a while: the
    /// circles touch, and nothing may move.
    mechanism Ropes {
        coord x: [m];
        coord y: [m];
        kinetic = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        force push along x = 20.0*max(t - 0.2, 0.0);
        holonomic long: sq(x) + sq(y) == 4.0;
        holonomic short: sq(x) + sq(y + 1.0) == 1.0;
        init x = 0.0;
        init y = -2.0;
        until 2.0;
    }
}

mechanism! {
    /// A parallelogram, in line at the start.
    mechanism Parallelogram {
        param speed: [rad/s] = 1.0;
        coord first: [rad];
        coord middle: [rad];
        coord last: [rad];
        kinetic = 0.5*(sq(der(first)) + sq(der(middle)) + sq(der(last)));
        holonomic close_x: cos(first) + 2.0*cos(middle) == cos(last) + 2.0;
        holonomic close_y: sin(first) + 2.0*sin(middle) == sin(last);
        init first = 0.0;
        init middle = 0.0;
        init last = 0.0;
        init der(first) = speed;
        init der(middle) = 0.0;
        init der(last) = speed;
        until 1.0;
    }
}

mechanism! {
    /// Carriages coupled in a row, the last to the first again.
    mechanism Train {
        size n = 12;
        coord x[n]: [m];
        for i in 0..n { kinetic = 0.5*sq(der(x[i])); }
        for i in 1..n { holonomic coupling: x[i] == x[i-1]; }
        holonomic again: x[n-1] == x[0];
        init der(x[0]) = 1.0;
        until 1.0;
    }
}

fn run(mechanism: &impl Mechanism, method: &str) -> Result<Solution, Error> {
    Simulation::new(mechanism)
        .method(Method::from_name(method).unwrap())
        .step(Step::adaptive(1e-6))
        .run()
        .map_err(|failed| failed.error)
}

/// The second wall was dropped, and the run ended well with a drift of 0 while it was 0.25 m away.
#[test]
fn a_contradiction_that_appears_ends_the_run_by_name() {
    for method in METHODS {
        match run(&Walls::default(), method) {
            Err(Error::Step(StepError::Constraints { t, cause })) => {
                assert!(t > 0.5, "{method}: {t}");
                match cause {
                    StartError::Inconsistent { row, with, .. } => {
                        assert_eq!((&*row, &*with), ("door", &["wall".to_string()][..]));
                    }
                    other => panic!("{method}: {other}"),
                }
            }
            other => panic!("{method}: {other:?}"),
        }
    }
}

/// Without the row the brake stops the mass: y(1) = 1 − 20/48.
#[test]
fn a_row_that_becomes_independent_is_taken_back() {
    for method in METHODS {
        let solution = run(&Turning::default(), method).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert_eq!(solution.redundant.len(), 1, "{method}");
        let change = &solution.rank_changes[0];
        assert!(change.t > 0.5 && change.t < 0.8, "{method}: {}", change.t);
        assert_eq!((&change.taken_back[..], change.redundant.len()), (&["drive".into()][..], 0));
        let y = solution.final_q()[1];
        assert!((y - 1.0).abs() < 1e-5, "{method}: y = {y}");
        assert!(solution.drift.position < 1e-4, "{method}: {:e}", solution.drift.position);
    }
}

/// Either the start is refused, or the run ends when the dropped rope would have to stretch.
#[test]
fn what_only_touches_is_not_dropped_for_good() {
    for method in METHODS {
        match run(&Ropes::default(), method) {
            Ok(solution) => {
                let drift = solution.drift.position;
                assert!(drift < 1e-5, "{method} ends well with a drift of {drift:e}");
            }
            Err(error) => {
                let text = error.to_string();
                assert!(text.contains("long") && text.contains("short"), "{method}: {text}");
            }
        }
    }
}

#[test]
fn a_mechanism_starts_in_a_singular_position_that_it_moves_through() {
    for method in ["gen-alpha-soi2", "hht-i3", "radau5"] {
        let solution =
            run(&Parallelogram::default(), method).unwrap_or_else(|e| panic!("{method}: {e}"));
        assert!(solution.redundant.is_empty(), "{method}: {:?}", solution.redundant);
        let [first, middle, last] = *solution.final_q() else { panic!() };
        assert_near("first", first, 1.0, 1e-4);
        assert_near("middle", middle, 0.0, 1e-4);
        assert_near("last", last, 1.0, 1e-4);
        assert!(largest(&[solution.drift.position]) < 1e-6);
    }
    // At rest it may go either way.
    let error = Simulation::new(&Parallelogram { speed: 0.0 }).start();
    let Err(Error::Start(StartError::SingularPosition { rows, .. })) = error else {
        panic!("not refused")
    };
    assert_eq!(rows, ["close_x"]);
}

/// "redundant with … (11 in all)" explained nothing.
#[test]
fn many_rows_are_named_by_their_constraints() {
    let started = Simulation::new(&Train::default()).start().unwrap();
    let [row] = &started.report.redundant[..] else { panic!() };
    assert_eq!((&*row.row, row.depends_on.len()), ("again", 11));
    let text = row.to_string();
    assert!(text.contains("11 rows") && text.contains("coupling") && text.len() < 300, "{text}");
}

mechanism! {
    /// A door on two hinges, its weight along them.
    mechanism Door {
        gravity [0, 0, -9.81];
        body door: SpatialBody { mass: 20.0, jx: 6.0, jy: 5.0, jz: 1.5 };
        joint low: revolute(ground.at([0, 0, -0.8], [0, 0, 1]), door.at([-0.5, 0, -0.8], [0, 0, 1]));
        joint high: revolute(ground.at([0, 0, 0.8], [0, 0, 1]), door.at([-0.5, 0, 0.8], [0, 0, 1]));
        init low.rate = 2.0;
        output low: [N] = low.force;
        output high: [N] = high.force;
        output both: [N] = low.force + high.force;
        output pull: [N] = norm(low.force);
        // Of a steel rod of 10 mm², 1e-7 of what bears it.
        output strain = low.force[2]/(2.1e11*1e-5);
        output strain_of_both = (low.force[2] + high.force[2])/(2.1e11*1e-5);
        output angle: [rad] = low.angle;
        until 0.1;
    }
}

/// What two hinges bear together is determined, what each of them bears is not, but for what pulls them apart.
#[test]
fn shares_of_a_load_are_marked_and_their_sum_is_not() {
    let solution = run(&Door::default(), "gen-alpha-soi2").unwrap();
    let open = |name: &str| solution.is_undetermined(solution.find(name).unwrap());
    assert_eq!(solution.redundant.len(), 5);
    for name in ["low[0]", "low[1]", "low[2]", "high[0]", "high[2]", "pull", "strain"] {
        assert!(open(name), "{name}");
    }
    assert!(open("lambda(low[2])") && open("lambda(high[2])"));
    for name in
        ["both[0]", "both[1]", "both[2]", "strain_of_both", "angle", "door.x", "der(door.e0)"]
    {
        assert!(!open(name), "{name}");
    }
    let last = |name: &str| *solution.series(name).unwrap().last().unwrap();
    assert_near("weight", last("both[2]"), 20.0 * 9.81, 1e-8);
}

mechanism! {
    /// Doors of two hinges each, pushed each by its own.
    mechanism Doors {
        size n = 12;
        gravity [0, 0, -9.81];
        body door[n]: SpatialBody { mass: 20.0, jx: 2.0, jy: 2.5, jz: 1.0 };
        for i in 0..n {
            joint low: revolute(ground.at([2.0*i, 0, 0]), door[i].at([-0.4, 0, -0.8]));
            joint high: revolute(ground.at([2.0*i, 0, 1.6]), door[i].at([-0.4, 0, 0.8]));
            force hand along low.angle = 1.0 + i;
            output up: [N] = high.force[2];
            output both: [N] = low.force[2] + high.force[2];
        }
        until 0.1;
    }
}

/// Of many doors each set of redundant rows is told with the outputs that hang on it, and no door's share is another's.
#[test]
fn every_set_of_redundant_rows_has_its_own_outputs() {
    let of = |n: usize, least: bool| {
        let doors = Doors { n };
        let run = Simulation::new(&doors).step(Step::adaptive(1e-8)).least_shares(least);
        run.run().expect("doors turn")
    };
    let run = of(12, false);
    assert_eq!(run.redundant.len(), 5 * 12);
    for set in &run.redundant {
        let row = set.row.split(['[', ']']).nth(1).and_then(|row| row.parse::<usize>().ok());
        let own = vec![format!("up[{}]", row.expect("a row of a hinge") / 5)];
        let along = !set.outputs.is_empty();
        assert!(!along || set.outputs == own, "{}: {:?}", set.row, set.outputs);
    }
    let told = run.redundant.iter().filter(|set| !set.outputs.is_empty());
    assert_eq!(told.count(), 12);
    // Half of the weight each.
    let least = of(12, true);
    for i in 0..12 {
        let up = *least.series(&format!("up[{i}]")).expect("an output").last().expect("rows");
        assert_near("half of a door", up, 10.0 * 9.81, 1e-8);
    }
}

mechanism! {
    /// A bar that three pins hold, an arm on it.
    mechanism PinnedBar {
        body bar: PlanarBody { mass: 1.0, inertia: 0.1 };
        body arm: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint left: revolute(ground.at([-1, 0]), bar.at([-1, 0]));
        joint right: revolute(ground.at([1, 0]), bar.at([1, 0]));
        joint top: revolute(ground.at([0, 0.5]), bar.at([0, 0.5]));
        joint hinge: revolute(bar, arm.at([0, 0.5]));
        guess hinge.rate = 1.0;
        force pull = [10, -6] on bar;
        output left: [N] = left.force;
        output right: [N] = right.force;
        output top: [N] = top.force;
        output load: [N] = hinge.force;
        until 1.0;
    }
}

/// The least forces with given sums and moment are those of a uniform field and a turn: f = a + b × r, whatever the
/// equations had kept.
#[test]
fn least_shares_are_a_uniform_field_and_a_turn() {
    let bar = PinnedBar::default();
    let run = |least: bool| {
        let run = Simulation::new(&bar).step(Step::adaptive(1e-8)).least_shares(least).run();
        run.expect("the arm swings")
    };
    let (kept, least) = (run(false), run(true));
    let of = |run: &Solution, name: &str, row: usize| run.series(name).expect("an output")[row];
    let near = |what: &str, is: f64, should: f64| {
        assert!((is - should).abs() < 1e-11 * 20.0, "{what} is {is:e} and should be {should:e}");
    };
    assert_eq!(kept.len(), least.len());
    for row in 0..kept.len() {
        let all = |run: &Solution| {
            ["left", "right", "top"].map(|pin| [0, 1].map(|k| of(run, &format!("{pin}[{k}]"), row)))
        };
        let [left, right, top] = all(&least);
        // Each is (a − b y, a' + b x) at its place.
        near("left, along", left[0], right[0]);
        near("left and right, across", 0.5 * (left[1] + right[1]), top[1]);
        near("top, along", top[0], left[0] - 0.25 * (right[1] - left[1]));
        // What the equations had kept has the same sums and moment.
        let sums = |[left, right, top]: [[f64; 2]; 3]| {
            let along = left[0] + right[0] + top[0];
            [along, left[1] + right[1] + top[1], right[1] - left[1] - 0.5 * top[0]]
        };
        for (one, other) in sums([left, right, top]).into_iter().zip(sums(all(&kept))) {
            near("sum", one, other);
        }
        near("what is determined", of(&least, "load[0]", row), of(&kept, "load[0]", row));
    }
    let index = least.find("left[0]").expect("an output");
    assert!(least.is_undetermined(index) && kept.is_undetermined(index));
}

mechanism! {
    /// Bennett's linkage: four hinges askew, which by Grübler's count could not move, three rows redundant. Which of them
    /// may be left out changes where it lies flat, after 0.92 s.
    mechanism Bennett {
        param a: [m] = 0.5;
        param alpha: [rad] = 0.6;
        param beta: [rad] = 1.1;
        let b = a*sin(beta)/sin(alpha);
        gravity [0, 0, -9.81];
        body l1: SpatialBody { mass: 1.0, jx: 0.002, jy: 0.02, jz: 0.02 };
        body l2: SpatialBody { mass: 1.5, jx: 0.002, jy: 0.03, jz: 0.03 };
        body l3: SpatialBody { mass: 1.2, jx: 0.002, jy: 0.02, jz: 0.02 };
        joint j1: revolute(ground.at([0, 0, 0], [0, 0, 1], [1, 0, 0]), l1.at([-0.5*b, 0, 0], [0, 0, 1], [1, 0, 0]));
        joint j2: revolute(
            l1.at([0.5*b, 0, 0], [0, -sin(beta), cos(beta)], [1, 0, 0]),
            l2.at([-0.5*a, 0, 0], [0, 0, 1], [1, 0, 0])
        );
        joint j3: revolute(
            l2.at([0.5*a, 0, 0], [0, -sin(alpha), cos(alpha)], [1, 0, 0]),
            l3.at([-0.5*b, 0, 0], [0, 0, 1], [1, 0, 0])
        );
        joint j4: revolute(
            l3.at([0.5*b, 0, 0], [0, -sin(beta), cos(beta)], [1, 0, 0]),
            ground.at([-a, 0, 0], [0, sin(alpha), cos(alpha)], [1, 0, 0])
        );
        init j1.angle = 1.2;
        init j1.rate = 3.0;
        guess j2.angle = 2.0;
        guess j3.angle = -1.2;
        output angle: [rad] = j1.angle;
        until 2.0;
    }
}

mechanism! {
    /// The same in joint coordinates, where the row of the loop along the links vanishes altogether as it lies flat.
    mechanism BennettByAngles {
        coordinates joint;
        param a: [m] = 0.5;
        param alpha: [rad] = 0.6;
        param beta: [rad] = 1.1;
        let b = a*sin(beta)/sin(alpha);
        gravity [0, 0, -9.81];
        body l1: SpatialBody { mass: 1.0, jx: 0.002, jy: 0.02, jz: 0.02 };
        body l2: SpatialBody { mass: 1.5, jx: 0.002, jy: 0.03, jz: 0.03 };
        body l3: SpatialBody { mass: 1.2, jx: 0.002, jy: 0.02, jz: 0.02 };
        joint j1: revolute(
            ground.at([0, 0, 0], [0, 0, 1], [1, 0, 0]),
            l1.at([-0.5*b, 0, 0], [0, 0, 1], [1, 0, 0])
        );
        joint j2: revolute(
            l1.at([0.5*b, 0, 0], [0, -sin(beta), cos(beta)], [1, 0, 0]),
            l2.at([-0.5*a, 0, 0], [0, 0, 1], [1, 0, 0])
        );
        joint j3: revolute(
            l2.at([0.5*a, 0, 0], [0, -sin(alpha), cos(alpha)], [1, 0, 0]),
            l3.at([-0.5*b, 0, 0], [0, 0, 1], [1, 0, 0])
        );
        joint j4: revolute(
            l3.at([0.5*b, 0, 0], [0, -sin(beta), cos(beta)], [1, 0, 0]),
            ground.at([-a, 0, 0], [0, sin(alpha), cos(alpha)], [1, 0, 0])
        );
        init j1.angle = 1.2;
        init j1.rate = 3.0;
        guess j2.angle = 2.0;
        guess j3.angle = -1.2;
        output angle: [rad] = j1.angle;
        until 2.0;
    }
}

mechanism! {
    /// A rod on three equal cranks, one of them off the line of the others: one row is redundant, and which may be left out
    /// changes with every half turn.
    mechanism ThreeCranks {
        gravity [0, -9.81];
        body c1: PlanarBody { mass: 1.0, inertia: 0.01 };
        body c2: PlanarBody { mass: 1.0, inertia: 0.01 };
        body c3: PlanarBody { mass: 1.0, inertia: 0.01 };
        body rod: PlanarBody { mass: 2.0, inertia: 0.2 };
        joint j1: revolute(ground.at([0, 0]), c1.at([-0.1, 0]));
        joint j2: revolute(ground.at([0.5, 0]), c2.at([-0.1, 0]));
        joint j3: revolute(ground.at([1.0, 0.3]), c3.at([-0.1, 0]));
        joint k1: revolute(c1.at([0.1, 0]), rod.at([-0.5, 0]));
        joint k2: revolute(c2.at([0.1, 0]), rod.at([0.0, 0]));
        joint k3: revolute(c3.at([0.1, 0]), rod.at([0.5, 0.3]));
        init j1.angle = 0.5;
        init j1.rate = 5.0;
        guess j2.angle = 0.5;
        guess j3.angle = 0.5;
        guess k1.angle = -0.5;
        force motor along j1.angle = 5.0 - 0.3*j1.rate;
        output angle: [rad] = j1.angle;
        until 5.0;
    }
}

/// Rows that are kept are left out in time where they come near depending on each other, so that a tighter tolerance gives
/// a better result: Bennett's linkage was 2e-2 rad off at 1e-11 and 3e-7 right at 1e-7, and stopped at 1e-10 with words of a
/// contradiction that is none. References: the linkage's closed form and its equation of one freedom, and that of the rod,
/// by SciPy's DOP853 at 1e-12.
#[test]
fn rows_are_chosen_before_those_kept_depend_on_each_other() {
    let angle_of = |model: &dyn Mechanism, name: &str, tol: f64| {
        let method = Method::from_name(name).unwrap();
        let solution = Simulation::new(model).method(method).step(Step::adaptive(tol)).run();
        let solution = solution.unwrap_or_else(|error| panic!("{name} at {tol:e}: {error}"));
        assert!(!solution.rank_changes.is_empty(), "{name} at {tol:e}");
        assert!(solution.drift.velocity < 1e-5, "{name} at {tol:e}: {:?}", solution.drift);
        *solution.series("angle").expect("an output").last().unwrap()
    };
    for method in ["radau5", "explicit-rk"] {
        for tol in [1e-6, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12] {
            let angle = angle_of(&Bennett::default(), method, tol);
            assert!((angle - 1.63647881).abs() < 10.0 * tol + 1e-8, "{method} at {tol:e}: {angle}");
        }
    }
    // Stopped at 0.92 s by words of a contradiction that is none, or at 1.2 s.
    for (method, tol) in [
        ("radau5", 1e-3),
        ("radau5", 1e-6),
        ("radau5", 1e-9),
        ("radau5", 1e-10),
        ("radau5", 1e-11),
        ("radau5", 1e-12),
        ("explicit-rk", 1e-10),
        ("explicit-rk", 1e-12),
    ] {
        let angle = angle_of(&BennettByAngles::default(), method, tol);
        assert!((angle - 1.63647881).abs() < 10.0 * tol + 1e-8, "{method} at {tol:e}: {angle}");
    }
    for (method, tol, bound) in [
        ("radau5", 1e-6, 1e-5),
        ("radau5", 1e-9, 5e-7),
        ("radau5", 1e-10, 5e-7),
        ("radau5", 1e-11, 5e-7),
        ("radau5", 1e-12, 5e-7),
        ("explicit-rk", 1e-10, 5e-7),
        ("explicit-rk", 1e-12, 5e-7),
    ] {
        let angle = angle_of(&ThreeCranks::default(), method, tol);
        assert!((angle - 76.5808308).abs() < bound, "{method} at {tol:e}: {angle}");
    }
}

/// What turns for ever leaves out other rows with every half turn: the first changes are listed, all are counted.
#[test]
fn changes_of_redundant_rows_are_listed_up_to_a_bound() {
    let run = |t_end: f64| {
        let method = Method::from_name("radau5").unwrap();
        let model = ThreeCranks::default();
        let simulation = Simulation::new(&model).method(method).until(t_end);
        simulation.step(Step::adaptive(1e-4)).run().unwrap()
    };
    let (short, long) = (run(3.0), run(24.0));
    assert_eq!(short.rank_changes.len(), short.rank_change_count);
    assert!(short.rank_change_count > 4, "{}", short.rank_change_count);
    assert!(long.rank_change_count > 45, "{}", long.rank_change_count);
    assert_eq!(long.rank_changes.len(), 32);
    assert_eq!(long.rank_changes[..4], short.rank_changes[..4]);
}

mechanism! {
    /// A block on two rails of which one repeats the other, with friction of what `of_b` and `of_a` make of their
    /// loads, smooth where `width` is above 0; pulled after half a second.
    mechanism Rails {
        param m: [kg] = 2.0;
        param mu = 0.3;
        param of_a = 0.0;
        param of_b = 1.0;
        param width: [m/s] = 0.0;
        param v0: [m/s] = 1.0;
        coord x: [m];
        coord y: [m];
        kinetic block = 0.5*m*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*m*y;
        holonomic a: y == 0.0;
        holonomic b: 2.0*y == 0.0;
        let load = abs(of_a*lambda(a) + of_b*lambda(b));
        force rub along x = if width > 0.0 {
            -mu*load*tanh(der(x)/width)
        } else {
            mbd::components::force::dry_friction(der(x), mu*load, mu*load)
        };
        force pull along x = if t > 0.5 { 1.0 } else { 0.0 };
        init der(x) = v0;
        until 1.0;
    }
}

mechanism! {
    /// A lamp on two hooks, one of which tears.
    mechanism Hooks {
        coord x: [m];
        coord y: [m];
        param m: [kg] = 1.0;
        param both = 0.0;
        kinetic lamp = 0.5*m*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*m*y;
        holonomic left: y == 0.0;
        holonomic right: y == 0.0;
        event tears when abs(lambda(left) + both*lambda(right)) > 5.0 + 10.0*t { der(x) = 1.0; }
        until 0.6;
    }
}

/// So do events.
#[test]
fn events_that_read_shares_are_told() {
    let laws = |both: f64| {
        let run = run(&Hooks { both, ..Default::default() }, "radau5").unwrap();
        run.ambiguity.map(|found| found.laws)
    };
    assert_eq!(laws(0.0), Some(vec!["tears".to_string()]));
    assert_eq!(laws(1.0), None);
}

/// Friction that reads how redundant rows share their load acts by what is left to chance: the block slid on for ever on
/// the rail that was left out. What rows bear together is determined.
#[test]
fn laws_that_read_shares_are_told() {
    for method in ["radau5", "hht-i3", "gen-alpha-soi2", "bdf-ggl"] {
        let run = |rails: &Rails| run(rails, method).unwrap();
        let guessed = [
            Rails::default(),
            Rails { of_a: 1.0, of_b: 0.0, ..Default::default() },
            // At rest the smooth law reads nothing.
            Rails { width: 0.01, v0: 0.0, ..Default::default() },
        ];
        for rails in guessed {
            let solution = run(&rails);
            let found =
                solution.ambiguity.as_ref().unwrap_or_else(|| panic!("{method}: {rails:?}"));
            assert_eq!(found.laws, ["rub"], "{method}: {rails:?}");
            assert!(solution.warnings.contains(&found.to_string()), "{:?}", solution.warnings);
        }
        let together = Rails { of_a: 1.0, of_b: 2.0, ..Default::default() };
        let solution = run(&together);
        assert_eq!(solution.ambiguity, None, "{method}");
        let stops = 0.5 / (0.3 * 9.81);
        assert!((solution.final_q()[0] - stops).abs() < 1e-5, "{method}: {:?}", solution.final_q());
    }
    let report = |rails: &Rails| Simulation::new(rails).start().unwrap().report.ambiguous;
    assert_eq!(report(&Rails { width: 0.01, v0: 0.0, ..Default::default() }), ["rub"]);
    assert!(report(&Rails { of_a: 1.0, of_b: 2.0, ..Default::default() }).is_empty());
}

mechanism! {
    /// A caster: a wheel that rolls in a fork, which hangs on the post of a cart that is pushed about on a plane.
    mechanism Caster {
        gravity [0, 0, -9.81];
        body cart: SpatialBody { mass: 20.0, jx: 1.0, jy: 1.0, jz: 1.5 };
        body fork: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.01 };
        body wheel: SpatialBody { mass: 1.0, jx: 0.004, jy: 0.007, jz: 0.004 };
        joint floor: planar(ground.at([0, 0, 0.4], [0, 0, 1]), cart.at([0, 0, 0], [0, 0, 1]));
        joint swivel: revolute(cart.at([0.3, 0, 0], [0, 0, 1]), fork.at([0.1, 0, 0.1], [0, 0, 1]));
        joint axle: revolute(fork.at([0, 0, -0.2], [0, 1, 0]), wheel.at([0, 0, 0], [0, 1, 0]));
        joint roll: rolling(ground.at([0, 0, 0], [0, 0, 1]), wheel.at([0, 0, 0], [0, 1, 0]), 0.1);
        force turn along floor.angle = 4.0*sin(2.0*t) - 1.0*floor.rate;
        init floor.x = 0.0;
        init floor.y = 0.0;
        init floor.angle = 0.0;
        init swivel.angle = 0.5;
        guess axle.angle = 0.0;
        until 3.0;
    }
}

/// Where the rows that are left out are chosen anew between steps, the times ahead were forgotten: a step of length 0, and "a
/// derivative has none".
#[test]
fn rows_are_chosen_anew_beside_forces_of_time() {
    let run = |name: &str| {
        let simulation = Simulation::new(&Caster::default()).step(Step::adaptive(1e-5));
        let run = simulation.method(Method::from_name(name).unwrap()).run();
        run.unwrap_or_else(|failed| panic!("{name}: {failed}"))
    };
    let right = run("radau5");
    for name in ["gen-alpha-soi2", "hht-i3", "bdf-ggl"] {
        let run = run(name);
        for column in ["cart.x", "cart.y", "wheel.x", "wheel.y"] {
            let [is, right] =
                [&run, &right].map(|run| *run.series(column).unwrap().last().unwrap());
            assert!((is - right).abs() < 1e-3, "{name}: {column} {is} for {right}");
        }
    }
}

mechanism! {
    /// A block slides on a floor, and a clamp holds it there from 0.2 s to 0.4 s, which the floor does anyway.
    mechanism Clamped {
        param mu = 0.2;
        param again: [s] = 10.0;
        coord x: [m];
        coord y: [m];
        mode clamped = false;
        kinetic block = 0.5*2.0*(sq(der(x)) + sq(der(y)));
        potential weight = 2.0*9.81*y;
        unilateral floor: y;
        holonomic clamp: y == 0.0 while clamped;
        force rub along x = force::dry_friction(der(x), mu*lambda(floor), mu*lambda(floor));
        event on when t >= 0.2 { clamped = true; }
        event off when t >= 0.4 { clamped = false; }
        event on_again when t >= again { clamped = true; }
        init x = 0.0;
        init y = 0.0;
        init der(x) = 3.0;
        init der(y) = 0.0;
        output load: [N] = lambda(floor);
        until 1.0;
    }
}

/// While the clamp holds what the floor does, the share of each is open, and the friction that reads it. Once it has opened the
/// floor carries all, and the run says since when; it said for good that the clamp was left out, and that the floor's force at the
/// end was not determined.
#[test]
fn rows_are_told_redundant_for_as_long_as_they_are() {
    for name in ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl", "explicit-rk"] {
        let method = || Method::from_name(name).unwrap();
        let until = |t_end: f64| {
            let run = Simulation::new(&Clamped::default()).method(method()).until(t_end).run();
            run.unwrap_or_else(|failed| panic!("{name}: {failed}"))
        };
        let end = until(1.0);
        let rows = |change: &RankChange| -> Vec<String> {
            change.redundant.iter().map(|row| row.row.clone()).collect()
        };
        let [closed, opened] = &end.rank_changes[..] else {
            panic!("{name}: {:?}", end.rank_changes)
        };
        assert_eq!([rows(closed), rows(opened)], [vec!["clamp".to_string()], vec![]], "{name}");
        assert_near(name, closed.t, 0.2, 1e-12);
        assert_near(name, opened.t, 0.4, 1e-12);
        assert_eq!(end.rank_change_count, 2, "{name}");
        let load = end.find("load").unwrap();
        assert!(end.is_undetermined(load) && !end.is_undetermined_at_end(load), "{name}");
        let ambiguous = end.ambiguity.as_ref().unwrap_or_else(|| panic!("{name}"));
        assert!(ambiguous.t > 0.2 && ambiguous.t <= 0.4, "{name}: {ambiguous}");
        let speed = |run: &Solution| last(run, "der(x)");
        let (clamped, later) = (until(0.4), until(0.7));
        for (later, time) in [(&later, 0.3), (&end, 0.6)] {
            assert_near(name, speed(&clamped) - speed(later), 0.2 * 9.81 * time, 1e-9);
        }
        assert_near(name, last(&end, "load"), 2.0 * 9.81, 1e-9);
    }
    let held = Clamped { again: 0.6, ..Clamped::default() };
    let held = Simulation::new(&held).run().unwrap();
    assert_eq!(held.rank_changes.len(), 3);
    assert_near("again", held.rank_changes[2].t, 0.6, 1e-12);
    assert!(held.is_undetermined_at_end(held.find("load").unwrap()));
}
