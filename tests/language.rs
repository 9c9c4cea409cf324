//! Where a block may stand and what it may name: any names, a `macro_rules!`, types of the user's
//! own, constants and functions beside it; and how long and deep it may be.

use mbd::model::{Mechanism, ModelError};

/// The value of an output at the initial values.
fn output(mechanism: &impl Mechanism, name: &str) -> f64 {
    let started = mbd::Simulation::new(mechanism).start().expect("the model starts");
    let at = started.system.model().outputs().iter().position(|output| output.name == name);
    let mut values = Vec::new();
    started.system.outputs(&started.point, &mut values);
    values[at.unwrap_or_else(|| panic!("no output `{name}`"))]
}

/// Names of Rust, types of the user's own under the names of the language's own code.
mod hostile {
    #![allow(non_camel_case_types, dead_code)]

    struct f64;
    struct usize;
    struct i64;
    struct bool;
    struct str;
    struct u8;
    struct Vec;
    struct Option;
    struct Result;
    struct String;
    struct Some;
    struct Num;

    mbd::mechanism! {
        component Part {
            param r#type: [kg] = 2.0;
            coord r#move: [m];
            kinetic r#use = 0.5*r#type*sq(der(r#move));
            init r#move = 0.5;
        }
        pub mechanism Hostile {
            size r#loop = 2;
            param r#in[r#loop]: [N/m] = 3.0;
            param r#plain = 1.5;
            body r#mod: Part { type: plain };
            body r#static[r#loop]: Part;
            coord r#struct[r#loop]: [m];
            let r#let = r#mod.r#move;
            for r#fn in 0..r#loop {
                mass[r#struct[r#fn], r#struct[r#fn]] = r#in[r#fn];
                init r#struct[r#fn] = 1.0 + r#fn;
                output r#as[r#fn] = r#struct[r#fn];
            }
            holonomic r#match: r#mod.r#move == 0.5;
            force r#while[r#mod.r#move] = 0.5*lambda(r#match);
            output r#dyn = r#let + r#static[1].r#move*r#struct[1];
            output r#enum = 2*r#in[1];
        }
    }
}

#[test]
fn names_may_be_any() {
    let mut model = hostile::Hostile::default();
    model.set("in[1]", 4.0).unwrap();
    let names: Vec<String> = model.params().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["loop", "in[0]", "in[1]", "plain", "static[0].type", "static[1].type"]);
    assert_eq!(model.r#loop, 2);
    assert_eq!(output(&model, "dyn"), 0.5 + 0.5 * 2.0);
    assert_eq!(output(&model, "enum"), 8.0);
    assert_eq!(output(&model, "as[1]"), 2.0);
}

/// A block in a `macro_rules!`: some of its tokens are the macro's, some the caller's.
macro_rules! oscillator {
    ($vis:vis $name:ident, $x:ident [$unit:ident], $k:ident = $value:expr, $n:literal, $tip:expr) => {
        mbd::mechanism! {
            $vis mechanism $name {
                param $k: [N/m] = $value;
                param m: [kg] = 2.0;
                coord $x: [$unit];
                coord y[$n]: [m];
                kinetic = 0.5*m*sq(der(x));
                potential = 0.5*$k*sq($x);
                for i in 0..$n {
                    kinetic = 0.5*m*sq(der(y[i]));
                    init y[i] = i;
                }
                force along $tip = 0.25*t;
                init x = $value/10.0;
                let rate = der($x);
                output twice = 2*$x + 0*rate;
                output stiffness = k + y[$n - 1];
                output place = $tip;
            }
        }
    };
}
oscillator!(pub Osc, x [m], k = 5.0, 3, 3.0*x);

#[test]
fn a_block_may_stand_in_a_macro() {
    assert_eq!(output(&Osc::default(), "twice"), 1.0);
    assert_eq!(output(&Osc::default(), "stiffness"), 7.0);
    assert_eq!(output(&Osc::default(), "place"), 1.5);
}

mod constants {
    mbd::mechanism! {
        pub mechanism Plain {
            param angle: [rad] = PI/3.0;
            param turned: [rad] = deg(30);
            param weight: [N] = 2.0*GRAVITY;
            coord x: [m];
            mass[x, x] = 1.0;
            init x = deg(60);
            output half = sin(turned);
            output turn = [TAU, x][0];
            output more = weight + angle;
        }
    }
}

mod own_constants {
    const TAU: f64 = 0.02;
    const GRAVITY: f64 = 1.62;

    mbd::mechanism! {
        pub mechanism Own {
            coord x: [m];
            mass[x, x] = 1.0;
            output lag = TAU;
            output fall = GRAVITY*(1 + x);
        }
    }
}

#[test]
fn constants_are_in_scope_and_give_way_to_ones_own() {
    let plain = constants::Plain::default();
    assert_eq!(plain.angle, std::f64::consts::PI / 3.0);
    assert!((plain.turned - std::f64::consts::PI / 6.0).abs() < 1e-15);
    assert_eq!(output(&plain, "half"), plain.turned.sin());
    assert_eq!(output(&plain, "turn"), std::f64::consts::TAU);
    assert_eq!(output(&plain, "more"), 2.0 * 9.80665 + plain.angle);
    assert_eq!(output(&own_constants::Own::default(), "lag"), 0.02);
    assert_eq!(output(&own_constants::Own::default(), "fall"), 1.62);
}

mod numbers {
    use mbd::prelude::*;

    const G: f64 = 3.0;
    const AXIS: [f64; 2] = [0.5, 0.25];
    const COUNT: usize = 2;
    mod consts {
        pub const G: f64 = 4.0;
    }

    impl Numbers {
        const K: f64 = 5.0;
    }

    fn level() -> f64 {
        6.0
    }

    fn pick<D: Scalar>(list: [Num<D>; 3], n: usize, x: Num<D>) -> Num<D> {
        list[n] + x
    }

    fn tensor<D: Scalar>(a: [[Num<D>; 2]; 2], x: Num<D>) -> Num<D> {
        a[0][0] * x + a[1][1]
    }

    #[differentiable]
    fn twice(x: f64) -> f64 {
        2.0 * x
    }

    mechanism! {
        pub mechanism Numbers {
            size n = 3;
            coord x: [m];
            mass[x, x] = 1.0;
            init x = 1.0;
            let gear = 3;
            let ratio = if x > 0 { 2 } else { 3 };
            let axis = [1, 0, 2];
            let list = [G, x, consts::G, Self::K, level(), 7];
            let fixed = 8.0;
            output array = list[0] + 10*list[1] + 100*list[2] + 1000*list[3] + 1e4*list[4] + 1e5*list[5];
            output branch = if x > 0 { G } else { x };
            output call = if x < 0 { x } else { level() };
            output arm = match gear { 3 => consts::G, _ => x };
            output whole = gear*x + ratio*x + axis[2]*x;
            output picked = pick(axis, COUNT, x) + pick([1, 0, 0], 0, x);
            output inner = tensor([[1, 0], [0, 1]], x) + twice(G) + twice(level()) + twice(fixed);
            output constant = G*x + twice(Self::K) + AXIS[1]*x + max(G, x) + hypot(consts::G, G);
            output rate = der(G*x) + (if x > 0 { 1 } else { 2 })*x + n*x;
        }
    }
}

#[test]
fn plain_numbers_become_scalars() {
    let value = |name: &str| output(&numbers::Numbers::default(), name);
    assert_eq!(value("array"), 3.0 + 10.0 + 400.0 + 5000.0 + 6e4 + 7e5);
    assert_eq!(value("branch"), 3.0);
    assert_eq!(value("call"), 6.0);
    assert_eq!(value("arm"), 4.0);
    assert_eq!(value("whole"), 3.0 + 2.0 + 2.0);
    assert_eq!(value("picked"), 3.0 + 2.0);
    assert_eq!(value("inner"), 2.0 + 6.0 + 12.0 + 16.0);
    assert_eq!(value("constant"), 3.0 + 10.0 + 0.25 + 3.0 + 5.0);
    assert_eq!(value("rate"), 1.0 + 3.0);
}

mod twice {
    mbd::mechanism! {
        component Mass {
            coord x: [m];
            kinetic = 0.5*sq(der(x));
            init x = 1.0;
        }
        component Pair {
            // Before the body: what is stated around a component comes after its own values.
            init left.x = 2.0;
            body left: Mass;
            body right: Mass;
        }
        pub mechanism Defaults {
            init pair.right.x = 3.0;
            body pair: Pair;
            body many[3]: Mass;
            init many[1].x = 5.0;
        }
        pub mechanism Again {
            size n = 3;
            coord x[n]: [m];
            for i in 0..n {
                mass[x[i], x[i]] = 1.0;
                init x[i] = i;
            }
            init x[n - 1] = 7.0;
        }
        pub mechanism Split {
            size n = 3;
            coord x[n]: [m];
            for i in 0..n { mass[x[i], x[i]] = 1.0; init der(x[i]) = i; }
            for i in 0..2 { init x[i] = i; }
            for i in 2..n { init x[i] = 4.0; }
        }
    }
}

#[test]
fn initial_values_are_stated_once() {
    let initial = twice::Defaults::default().model().unwrap().initial().q.clone();
    assert_eq!(initial, [2.0, 3.0, 1.0, 5.0, 1.0]);
    let Err(ModelError::SetTwice { name, .. }) = twice::Again::default().model() else {
        panic!("x[2] is set twice");
    };
    assert_eq!(name, "x[2]");
    assert_eq!(twice::Split::default().model().unwrap().initial().q, [0.0, 1.0, 4.0]);
}

/// Defaults are numbers: functions of several are there too.
mod of_numbers {
    mbd::mechanism! {
        pub mechanism Defaults {
            size n = 2;
            param a: [m] = 3;
            param b: [m] = 4.0;
            param length: [m] = hypot(a, b);
            param angle: [rad] = atan2(b, 3);
            param most = max(min(2.0, 7), powf(n, 0.5)) - sq(0.5);
            coord x: [m];
            mass[x, x] = 1.0;
            output all = length + 1000.0*angle + 1e6*most;
        }
    }
}

#[test]
fn defaults_take_functions_of_several_numbers() {
    let all = output(&of_numbers::Defaults::default(), "all");
    let should = 5.0 + 1000.0 * 4.0_f64.atan2(3.0) + 1e6 * 1.75;
    assert!((all - should).abs() < 1e-9, "{all} is not {should}");
}

/// Outputs that are arrays of vectors.
mod of_vectors {
    mbd::mechanism! {
        component Leg {
            body foot: PlanarBody;
            joint hip: revolute(ground.at([2, 0]), foot.at([0, 1]));
            output force: [N] = hip.force;
            output single = foot.x;
        }
        pub mechanism Hung {
            gravity [0, -9.81];
            size n = 4;
            body bar[n]: PlanarBody { mass: 2.0, inertia: 0.1 };
            body leg[2]: Leg;
            joint top: revolute(ground, bar[0].at([-0.5, 0]));
            for i in 1..n {
                joint link: revolute(bar[i - 1].at([0.5, 0]), bar[i].at([-0.5, 0]));
                output load[i - 1]: [N] = link.force;
                output place[i - 1]: [m] = [bar[i].x, bar[i].y, 0.5*i];
                output size[i - 1]: [N] = norm(link.force);
                guess link.angle = 0.2*i;
            }
        }
    }
}

#[test]
fn outputs_in_loops_and_parts_are_vectors() {
    let hung = of_vectors::Hung::default();
    let of = |name: &str| output(&hung, name);
    for i in 0..3 {
        let size = of(&format!("load[{i}][0]")).hypot(of(&format!("load[{i}][1]")));
        assert!((size - of(&format!("size[{i}]"))).abs() < 1e-12 && size > 0.1);
        assert!((of(&format!("place[{i}][2]")) - 0.5 * (i as f64 + 1.0)).abs() < 1e-15);
    }
    assert!((of("place[0][0]") - 1.5).abs() < 1.0 && of("place[2][1]") != of("place[1][1]"));
    // A foot of mass 1 that hangs at rest.
    assert!((of("leg.force[1][1]") - 9.81).abs() < 1e-12 && of("leg.force[1][0]").abs() < 1e-12);
    assert!((of("leg.single[0]") - 2.0).abs() < 1e-15);
    assert_eq!(of_vectors::Hung::load(2, 1).name(), "load[2][1]");
}

/// Vectors whose lengths rustc knows, and the language does not.
mod of_unseen_lengths {
    use mbd::scalar::{Num, Scalar};

    pub struct Push<D: Scalar> {
        pub force: [Num<D>; 3],
        pub power: Num<D>,
    }

    fn push<D: Scalar>(x: Num<D>) -> Push<D> {
        Push { force: [x, x * 2.0, x * x], power: x * 7.0 }
    }

    mbd::mechanism! {
        component Part {
            coord y: [m];
            mass[y, y] = 1.0;
            init y = 3.0;
            pub let pushed = push(y);
            pub let force = pushed.force;
        }
        pub mechanism Pushed {
            coord x: [m];
            mass[x, x] = 1.0;
            init x = 4.0;
            body part: Part;
            let q = push(x);
            let force = q.force;
            output called[3]: [N] = push(x).force;
            output member[3]: [N] = q.force;
            output named[3]: [N] = force;
            output outside[3]: [N] = part.force;
            output of_member[3]: [N] = part.pushed.force;
            output single: [W] = q.power;
        }
    }
}

#[test]
fn outputs_take_vectors_of_a_stated_length() {
    let pushed = of_unseen_lengths::Pushed::default();
    for (name, x) in
        [("called", 4.0), ("member", 4.0), ("named", 4.0), ("outside", 3.0), ("of_member", 3.0)]
    {
        let entries = [0, 1, 2].map(|k| output(&pushed, &format!("{name}[{k}]")));
        assert_eq!(entries, [x, 2.0 * x, x * x], "{name}");
    }
    assert_eq!(output(&pushed, "single"), 28.0);
}

/// What a loop declares, read where Rust has names of its own.
mod hidden_indices {
    mbd::mechanism! {
        pub mechanism Hidden {
            size n = 1;
            for i in 0..3 {
                coord z: [m];
                mass[z, z] = 1.0;
                init z = 1 + i;
                output closure = (0..3).map(|i| z*i).sum();
                output block = { let i = 2; z*i };
                output repeated = { let mut sum = 0.0*z; for i in 0..2 { sum += z; } sum };
            }
            for i in n..4 {
                coord w: [m];
                mass[w, w] = 1.0;
                init w = 10*i;
                output twice = { let n = 2.0; w*n };
            }
        }
    }
}

#[test]
fn the_index_of_a_pass_is_hidden_by_no_name() {
    let hidden = hidden_indices::Hidden::default();
    let of = |name: &str, pass: usize| output(&hidden, &format!("{name}[{pass}]"));
    for pass in 0..3 {
        let z = 1.0 + pass as f64;
        assert_eq!(of("closure", pass), 3.0 * z);
        assert_eq!(of("block", pass), 2.0 * z);
        assert_eq!(of("repeated", pass), 2.0 * z);
        assert_eq!(of("twice", pass), 20.0 * z);
    }
}

/// What a pass of a loop gives a body, read by others.
mod given_by_passes {
    mbd::mechanism! {
        component Bead {
            param m = 1.0;
            coord x: [m];
            kinetic k = 0.5*sq(der(x));
            force pull along x = m;
        }
        component Row {
            param base = 0.0;
            for i in 0..2 {
                body bead: Bead { m: base + i };
                output own = bead.m;
            }
            let second = bead[1].m;
        }
        pub mechanism Given {
            size n = 3;
            param ms[4]: [kg] = [1.0, 2.0, 4.0, 8.0];
            param bases[2] = [10.0, 20.0];
            for i in 1..=n {
                body ball: Bead { m: 10.0 + i };
                force like_the_first along ball.x = 100.0*ball[0].m;
                output own = ball.m;
                output before = ball[(3 - i)/2].m;
                output acceleration = der(der(ball.x));
            }
            for i in 0..4 {
                param heavier: [kg] = 1.0;
                body lump: PointMass { mass: ms[i] + heavier };
                force pull = [30.0*lump.mass, 0, 0] on lump;
            }
            output third = der(der(lump[2].x)) + 1000.0*lump[2].mass;
            body row[2]: Row { base: bases };
            output seconds = row[0].second + 100.0*row[1].second;
        }
        pub mechanism Beyond {
            for i in 0..3 { body ball: Bead { m: 10.0 + i }; }
            output none = ball[3].m;
        }
    }
}

#[test]
fn what_a_pass_gives_a_body_is_that_of_the_entry_named() {
    let given = given_by_passes::Given::default();
    let of = |name: &str| output(&given, name);
    for (i, before) in [12.0, 11.0, 11.0].into_iter().enumerate() {
        let own = 11.0 + i as f64;
        assert_eq!(of(&format!("own[{i}]")), own);
        assert_eq!(of(&format!("before[{i}]")), before);
        assert!((of(&format!("acceleration[{i}]")) - (1100.0 + own)).abs() < 1e-9);
    }
    assert!((of("third") - 5030.0).abs() < 1e-9);
    assert_eq!(of("seconds"), 11.0 + 2100.0);
    assert_eq!([of("row.own[0]"), of("row.own[1]")], [10.0, 11.0]);
    let Err(ModelError::IndexOutOfRange { array, index, len, .. }) =
        given_by_passes::Beyond::default().model()
    else {
        panic!("there is no fourth ball");
    };
    assert_eq!((&array[..], index, len), ("ball", 3, 3));
}

/// An array of literal length, an entry of it for each body.
mod given_entry_by_entry {
    mbd::mechanism! {
        component Bead {
            param m = 1.0;
            coord x: [m];
            kinetic k = 0.5*m*sq(der(x));
            output both = [m, 2.0*m];
        }
        pub mechanism Entries {
            param ms[3]: [kg] = [1.0, 2.0, 4.0];
            body point[3]: PointMass { mass: ms };
            body bead[3]: Bead { m: ms };
            force pull = [8.0, 0, 0] on point[2];
            output a = der(der(point[2].x));
            output product = [1.0, 2.0]*bead[1].m;
        }
    }
}

#[test]
fn bodies_take_entries_of_an_array_of_literal_length() {
    let entries = given_entry_by_entry::Entries::default();
    let of = |name: &str| output(&entries, name);
    assert!((of("a") - 2.0).abs() < 1e-12);
    assert_eq!([of("product[0]"), of("product[1]")], [2.0, 4.0]);
    assert_eq!([of("bead.both[2][0]"), of("bead.both[2][1]")], [4.0, 8.0]);
}

/// Names around a body that its component has for indices of its own loops.
mod indices_apart {
    mbd::mechanism! {
        component Bead {
            param m = 1.0;
            param c = 1.0;
            coord x: [m];
            kinetic k = 0.5*sq(der(x));
            for i in 0..2 { output size[i] = m + 10*i; }
            for p in 0..2 { output entry[p] = m; force pull along x = c*p; }
        }
        pub mechanism Apart {
            size i = 4;
            param p = 7.0;
            param ms[5] = [1.0, 2.0, 3.0, 4.0, 5.0];
            body number: Bead { m: 1.0*i, c: p };
            body entry: Bead { m: ms[i] };
        }
    }
}

#[test]
fn what_a_body_is_given_reads_no_index_of_its_component() {
    let apart = indices_apart::Apart::default();
    let of = |name: &str| output(&apart, name);
    assert_eq!([of("number.size[0]"), of("number.size[1]")], [4.0, 14.0]);
    assert_eq!([of("number.entry[0]"), of("number.entry[1]")], [4.0, 4.0]);
    assert_eq!([of("entry.size[0]"), of("entry.size[1]")], [5.0, 15.0]);
}

/// Loops that end before they begin, and whole numbers that cannot be.
mod empty_loops {
    mbd::mechanism! {
        component Bead { coord x: [m]; kinetic k = 0.5*sq(der(x)); }
        pub mechanism Empty {
            size n = 3;
            size m = 1;
            coord x: [m];
            mass[x, x] = 1.0;
            for i in n..m {
                coord z: [m];
                mass[z, z] = 1.0;
                output of_none = z;
            }
            for i in 0..=m - 3 { body bead: Bead; }
        }
        pub mechanism Backwards {
            coord x: [m];
            mass[x, x] = 1.0;
            for i in 0..3 { output g[2 - i] = x*i; }
        }
        pub mechanism Shorter {
            size n = 3;
            coord x[n - 4]: [m];
            for i in 0..n - 4 { mass[x[i], x[i]] = 1.0; }
        }
    }
}

#[test]
fn a_loop_that_declares_may_be_empty() {
    let model = empty_loops::Empty::default().model().unwrap();
    assert_eq!(model.initial().q.len(), 1);
    assert_eq!(model.outputs().len(), 0);
    let more = empty_loops::Empty { m: 5, ..Default::default() }.model().unwrap();
    assert_eq!(more.initial().q.len(), 1 + 2 + 3);
    let told = |model: Result<mbd::model::Model, ModelError>| match model {
        Ok(_) => panic!("this is no model"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        told(empty_loops::Backwards::default().model()),
        "the index of `g` cannot be 2: `output g` must give its entries in order from 0, and 0 comes next"
    );
    assert_eq!(
        told(empty_loops::Shorter::default().model()),
        "the length of `x` cannot be -1: a length is not negative; check the sizes"
    );
}

mod whole_numbers {
    use mbd::prelude::*;

    pub fn twice(k: usize) -> f64 {
        2.0 * k as f64
    }

    mechanism! {
        pub mechanism Whole {
            size n = 3;
            param half = [1/2, 2][0];
            param none = 0.0;
            param sign = signum(none);
            coord x: [m];
            kinetic k = 0.5*sq(der(x));
            init x = 1.0;
            let few = n - 5;
            let both = [n - 5, 1];
            output few_x = few*x;
            output entry = both[0]*x;
            output cast = (n - 5) as f64*x;
            output compared = if n - 5 < 0 { x } else { 2.0*x };
            for i in 0..3 {
                let k = i - 1;
                let next = if i - 1 > 0 { 1.0 } else { 0.0 };
                output b[i] = k*x;
                output above[i] = next*x;
                output before[i] = (0..i).map(|j| { let l = j - 1; l*x }).sum() + 0.0*x;
            }
            output listed = dot([1/2, 1, 0], [x, x, x]);
            output branch = if x > 0.0 { 1/2 } else { 3/2 };
            output decided = if n > 2 { n/2 } else { n };
            output own = twice(n - 1)*x;
            output looked_up = { let all = [1.0, 2.0, 4.0]; let last = n - 1; all[last]*x + all[1..n][1] };
            output counted = { let mut k = 0; for j in 0..n { k += j; } k -= n; k*x };
            output powers = x.powi(2)*(2.0*x).powi(n as i32 - 1);
            output parameters = half + sign;
            until 0.1;
        }
    }

    mechanism! {
        /// Friction whose sides are whole numbers.
        pub mechanism Rubs {
            coord x: [m];
            kinetic k = 0.5*sq(der(x));
            force f along x = if der(x) > 0.0 { -1 } else { 1 };
            init x = 0.0;
            init der(x) = 1.0;
            until 2.0;
        }
    }
}

/// `i - 1` was 1.8e19 where i is 0, in a `let`, a list, a cast and a comparison; `1/2` was 0 in lists and branches.
#[test]
fn whole_numbers_have_a_sign_and_quotients_are_real() {
    let model = whole_numbers::Whole::default();
    let values = [
        ("few_x", -2.0),
        ("entry", -2.0),
        ("cast", -2.0),
        ("compared", 1.0),
        ("b[0]", -1.0),
        ("b[1]", 0.0),
        ("b[2]", 1.0),
        ("above[0]", 0.0),
        ("above[2]", 1.0),
        ("before[1]", -1.0),
        ("before[2]", -1.0),
        ("listed", 1.5),
        ("branch", 0.5),
        ("decided", 1.5),
        ("own", 4.0),
        ("looked_up", 8.0),
        ("counted", 0.0),
        ("powers", 4.0),
        ("parameters", 0.5),
    ];
    for (name, right) in values {
        assert_eq!(output(&model, name), right, "{name}");
    }
}

/// It took 62 897 steps on dual numbers and did not stick.
#[test]
fn friction_of_whole_numbers_sticks() {
    let run = mbd::Simulation::new(&whole_numbers::Rubs::default()).run().unwrap();
    assert!(run.stats.steps < 100, "{}", run.stats.steps);
    assert!((run.series("x").unwrap().last().unwrap() - 0.5).abs() < 1e-6);
}

mod in_order {
    mbd::mechanism! {
        pub mechanism Late {
            size n = 3;
            coord y[n]: [m];
            for i in 0..n { kinetic k = 0.5*sq(der(y[i])); }
            for i in 1..n { init y[i] = y[i-1] - 1.0; }
            init y[0] = 2.0;
            until 0.1;
        }
    }
    mbd::mechanism! {
        pub mechanism InTime {
            size n = 3;
            coord y[n]: [m];
            for i in 0..n { kinetic k = 0.5*sq(der(y[i])); }
            init y[0] = 2.0;
            for i in 1..n { init y[i] = y[i-1] - 1.0; }
            until 0.1;
        }
    }
}

/// It began at 2, -1, -2.
#[test]
fn an_entry_is_not_read_before_it_is_set() {
    let model = in_order::InTime::default().model().unwrap();
    assert_eq!(model.initial().q, [2.0, 1.0, 0.0]);
    let Err(error) = in_order::Late::default().model() else { panic!("built") };
    assert!(matches!(&error, ModelError::NotSetYet { .. }), "{error:?}");
    assert!(error.to_string().contains("`y[i - 1]`"), "{error}");
}
