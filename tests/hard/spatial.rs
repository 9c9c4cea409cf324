//! Spatial mechanisms drawn at random: bodies in Euler parameters in a tree of joints of any kind, loops
//! closed over it by rods and spherical joints, springs between any of them.

use crate::random::{Random, each};
use crate::systems::{Drawn, View, one, parameters, properties};
use mbd::ad::{Instances, Kernel, Reaction};
use mbd::assembly::SlotKind::{Q, V};
use mbd::components::spatial::{
    SpatialFrame, body_rate, cylindrical, fixed, norm_energy, normalization, planar, point_on_line,
    prismatic, revolute, rod, rotational_energy, spherical, universal,
};
use mbd::model::{Keep, Model, ModelBuilder, ModelError};
use mbd::scalar::{Num, Scalar};

fn frame<D: Scalar>(z: &[Num<D>]) -> SpatialFrame<D> {
    SpatialFrame::new([z[0], z[1], z[2]], [z[3], z[4], z[5], z[6]])
}

fn part<D: Scalar>(of: SpatialFrame<D>, p: &[Num<D>]) -> SpatialFrame<D> {
    of.at([p[0], p[1], p[2]]).turned([p[3], p[4], p[5], p[6]])
}

/// A statement about two frames and two numbers: between two bodies, and between the ground and one.
macro_rules! between {
    ($name:ident -> $rows:literal, |$a:ident, $b:ident, $p:ident| $value:expr) => {
        struct $name;
        impl $name {
            #[allow(unused_variables)]
            fn of<D: Scalar>(
                $a: SpatialFrame<D>,
                $b: SpatialFrame<D>,
                $p: [Num<D>; 2],
            ) -> [Num<D>; $rows] {
                $value
            }
        }
        impl Kernel<14, 16, $rows> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                z: &[Num<D>; 14],
                p: &[Num<D>; 16],
            ) -> [Num<D>; $rows] {
                let (a, b) = (part(frame(&z[..7]), &p[..7]), part(frame(&z[7..]), &p[7..14]));
                $name::of(a, b, [p[14], p[15]])
            }
        }
        impl Kernel<7, 16, $rows> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                z: &[Num<D>; 7],
                p: &[Num<D>; 16],
            ) -> [Num<D>; $rows] {
                $name::of(frame(&p[..7]), part(frame(z), &p[7..14]), [p[14], p[15]])
            }
        }
    };
}

between!(Ball -> 3, |a, b, p| spherical(a, b));
between!(Hinge -> 5, |a, b, p| revolute(a, b));
between!(Cross -> 4, |a, b, p| universal(a, b));
between!(Tube -> 4, |a, b, p| cylindrical(a, b));
between!(Slide -> 5, |a, b, p| prismatic(a, b));
between!(Table -> 3, |a, b, p| planar(a, b));
between!(Fixed -> 6, |a, b, p| fixed(a, b));
between!(Wire -> 2, |a, b, p| point_on_line(a, b));
between!(Rod -> 1, |a, b, p| rod(a.origin, b.origin, p[0]));
// Smooth where its ends meet.
between!(Spring -> 1, |a, b, p| {
    let d: [Num<D>; 3] = std::array::from_fn(|i| a.origin[i] - b.origin[i]);
    let stretch = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - p[1] * p[1]) / (2.0 * p[1]);
    [0.5 * p[0] * stretch * stretch]
});

struct Inertia;
impl Kernel<11, 4, 1> for Inertia {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 11], p: &[Num<D>; 4]) -> [Num<D>; 1] {
        let (e, rate) = ([z[0], z[1], z[2], z[3]], [z[7], z[8], z[9], z[10]]);
        let mean = (p[1] + p[2] + p[3]) / 3.0;
        let turning = rotational_energy([p[1], p[2], p[3]], e, rate) + norm_energy(mean, e, rate);
        [0.5 * p[0] * (z[4] * z[4] + z[5] * z[5] + z[6] * z[6]) + turning]
    }
}

struct Norm;
impl Kernel<4, 0, 1> for Norm {
    fn eval<D: Scalar>(&self, _: &[usize], e: &[Num<D>; 4], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [normalization(*e)]
    }
}

struct Weight;
impl Kernel<3, 4, 1> for Weight {
    fn eval<D: Scalar>(&self, _: &[usize], q: &[Num<D>; 3], p: &[Num<D>; 4]) -> [Num<D>; 1] {
        [-1.0 * p[0] * (p[1] * q[0] + p[2] * q[1] + p[3] * q[2])]
    }
}

/// A drag on a body's turning.
struct Drag;
impl Kernel<8, 1, 1> for Drag {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 8], p: &[Num<D>; 1]) -> [Num<D>; 1] {
        let w = body_rate([z[0], z[1], z[2], z[3]], [z[4], z[5], z[6], z[7]]);
        [0.5 * p[0] * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2])]
    }
}

type Turn = [f64; 4];

fn product([a, b, c, d]: Turn, [s, x, y, z]: Turn) -> Turn {
    [
        a * s - b * x - c * y - d * z,
        a * x + b * s + c * z - d * y,
        a * y - b * z + c * s + d * x,
        a * z + b * y - c * x + d * s,
    ]
}

fn back([s, x, y, z]: Turn) -> Turn {
    [s, -x, -y, -z]
}

/// A vector turned.
fn turned(e: Turn, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let [_, x, y, z] = product(product(e, [0.0, x, y, z]), back(e));
    [x, y, z]
}

fn drawn_turn(random: &mut Random) -> Turn {
    loop {
        let e: Turn = random.vector(1.0);
        let norm = e.iter().map(|e| e * e).sum::<f64>().sqrt();
        if (0.2..1.0).contains(&norm) {
            return e.map(|e| e / norm);
        }
    }
}

/// A place in space, and the axes there.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: [f64; 3],
    turn: Turn,
}

impl Place {
    /// A place within another.
    fn within(self, outer: Place) -> Place {
        let at = turned(outer.turn, self.at);
        Place {
            at: std::array::from_fn(|i| outer.at[i] + at[i]),
            turn: product(outer.turn, self.turn),
        }
    }

    /// As seen from another.
    fn seen_from(self, other: Place) -> Place {
        let d = std::array::from_fn(|i| self.at[i] - other.at[i]);
        Place { at: turned(back(other.turn), d), turn: product(back(other.turn), self.turn) }
    }

    fn numbers(self, length: f64) -> [f64; 7] {
        let ([x, y, z], [s, a, b, c]) = (self.at, self.turn);
        [x * length, y * length, z * length, s, a, b, c]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ball,
    Hinge,
    Cross,
    Tube,
    Slide,
    Table,
    Fixed,
    Wire,
    Rod,
}

impl Kind {
    fn rows(self) -> usize {
        match self {
            Kind::Fixed => 6,
            Kind::Hinge | Kind::Slide => 5,
            Kind::Cross | Kind::Tube => 4,
            Kind::Ball | Kind::Table => 3,
            Kind::Wire => 2,
            Kind::Rod => 1,
        }
    }
}

#[derive(Debug)]
struct Body {
    mass: f64,
    inertia: [f64; 3],
    place: Place,
    /// Velocity, and that of its Euler parameters.
    v: [f64; 3],
    rate: Turn,
}

#[derive(Clone, Copy, Debug)]
struct Link<K> {
    kind: K,
    a: Option<usize>,
    b: usize,
    /// In space on `a`, and on `b`.
    at: Place,
    far: Place,
}

#[derive(Debug)]
struct Spatial {
    bodies: Vec<Body>,
    joints: Vec<Link<Kind>>,
    /// Stiffness and length.
    springs: Vec<Link<[f64; 2]>>,
    drags: Vec<(usize, f64)>,
    gravity: [f64; 3],
}

fn distance(p: Place, q: Place) -> f64 {
    (0..3).map(|i| (p.at[i] - q.at[i]).powi(2)).sum::<f64>().sqrt()
}

impl Spatial {
    fn new(random: &mut Random) -> Self {
        let n = 1 + random.below(4);
        let speed = if random.one_in(4) { 0.0 } else { 2.0 };
        let bodies: Vec<Body> = (0..n)
            .map(|_| {
                // Of a body: no moment is more than the sum of the others.
                let [a, b, c]: [f64; 3] = std::array::from_fn(|_| random.between(0.03, 0.4));
                let turn = drawn_turn(random);
                let [x, y, z]: [f64; 3] = random.vector(speed);
                Body {
                    mass: random.between(0.3, 3.0),
                    inertia: [b + c, a + c, a + b],
                    place: Place { at: random.vector(2.0), turn },
                    v: random.vector(0.5 * speed),
                    rate: product(turn, [0.0, 0.5 * x, 0.5 * y, 0.5 * z]),
                }
            })
            .collect();
        let place = |random: &mut Random, body: Option<usize>| -> Place {
            let from = body.map_or([0.0; 3], |i| bodies[i].place.at);
            let by: [f64; 3] = random.vector(1.0);
            Place { at: std::array::from_fn(|i| from[i] + by[i]), turn: drawn_turn(random) }
        };
        let mut joints = Vec::new();
        let mut free = 6 * n;
        for b in 0..n {
            let a = random.below(b + 1).checked_sub(1);
            let kinds = [
                Kind::Ball,
                Kind::Ball,
                Kind::Hinge,
                Kind::Hinge,
                Kind::Cross,
                Kind::Tube,
                Kind::Slide,
                Kind::Table,
                Kind::Fixed,
                Kind::Wire,
            ];
            let kind = random.of(&kinds);
            if random.one_in(6) || free <= kind.rows() {
                continue;
            }
            free -= kind.rows();
            let at = place(random, Some(b));
            // Its z axes are at right angles.
            let quarter = Place { at: [0.0; 3], turn: [0.5f64.sqrt(), 0.5f64.sqrt(), 0.0, 0.0] };
            let far = if kind == Kind::Cross { quarter.within(at) } else { at };
            joints.push(Link { kind, a, b, at, far });
        }
        for _ in 0..random.below(4) {
            let kind = random.of(&[Kind::Rod, Kind::Rod, Kind::Ball, Kind::Wire]);
            let b = random.below(n);
            let a = random.below(b + 1).checked_sub(1);
            let at = place(random, a);
            let far = if kind == Kind::Rod { place(random, Some(b)) } else { at };
            if free <= kind.rows() || (kind == Kind::Rod && distance(at, far) < 0.3) {
                continue;
            }
            free -= kind.rows();
            joints.push(Link { kind, a, b, at, far });
        }
        // A joint more of what there is already: redundant, and nothing else.
        if random.one_in(5) && !joints.is_empty() {
            joints.push(joints[random.below(joints.len())]);
        }
        let mut springs = Vec::new();
        for _ in 0..random.below(4) {
            let b = random.below(n);
            let a = random.below(b + 1).checked_sub(1);
            let (at, far) = (place(random, a), place(random, Some(b)));
            let kind = [random.between(2.0, 30.0), random.between(0.5, 2.0)];
            springs.push(Link { kind, a, b, at, far });
        }
        let drags = (0..random.below(2)).map(|_| (random.below(n), random.between(0.02, 0.5)));
        let drags = drags.collect();
        let gravity = if random.one_in(4) { [0.0; 3] } else { [0.0, 0.0, -5.0] };
        Spatial { bodies, joints, springs, drags, gravity }
    }

    /// Slots and parameters of a link, for both kernels of a statement.
    fn link<K>(
        &self,
        view: &View,
        link: &Link<K>,
        numbers: [f64; 2],
        b: &mut ModelBuilder,
        name: &str,
    ) -> Placed {
        let local = |body: Option<usize>, place: Place| match body {
            None => place.within(outer(view)),
            Some(i) => place.seen_from(self.bodies[i].place),
        };
        let [pa, pb] = [local(link.a, link.at), local(Some(link.b), link.far)];
        let [pa, pb] = [pa, pb].map(|place| place.numbers(view.by[0]));
        let values = std::array::from_fn(|i| match i {
            0..7 => pa[i],
            7..14 => pb[i - 7],
            _ => numbers[i - 14],
        });
        let params = parameters(b, name, values);
        let slots = |body: usize| std::array::from_fn(|i| 7 * view.order[body] + i);
        Placed { a: link.a.map(slots), b: slots(link.b), params }
    }
}

/// The turn and the shift of a view.
fn outer(view: &View) -> Place {
    Place { at: view.shift, turn: view.turn }
}

struct Placed {
    a: Option<[usize; 7]>,
    b: [usize; 7],
    params: [usize; 16],
}

impl Placed {
    fn pair(&self) -> Option<Instances<14, 16>> {
        let (a, b) = (self.a?, self.b);
        let slots = std::array::from_fn(|i| if i < 7 { a[i] } else { b[i - 7] });
        Some(one([Q; 14], slots, self.params))
    }

    fn grounded(&self) -> Instances<7, 16> {
        one([Q; 7], self.b, self.params)
    }

    fn constrain<E, const R: usize>(&self, b: &mut ModelBuilder, name: &str, kernel: E)
    where
        E: Kernel<14, 16, R> + Kernel<7, 16, R>,
    {
        let row = b.rows_holonomic(name, R, 1);
        match self.pair() {
            Some(pair) => b.holonomic(name, kernel, pair, row, Reaction::Standard),
            None => b.holonomic(name, kernel, self.grounded(), row, Reaction::Standard),
        }
    }
}

impl Drawn for Spatial {
    fn bodies(&self) -> usize {
        self.bodies.len()
    }

    fn t_end(&self) -> f64 {
        1.0
    }

    fn model(&self, view: &View) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Spatial", "");
        for i in 0..self.bodies.len() {
            for (k, name) in ["x", "y", "z", "e0_", "e1_", "e2_", "e3_"].into_iter().enumerate() {
                b.coord(&format!("{name}{i}"), if k < 3 { "m" } else { "-" }, "");
            }
            b.vector(&std::array::from_fn::<_, 3, _>(|k| 7 * i + k));
            b.vector(&std::array::from_fn::<_, 4, _>(|k| 7 * i + 3 + k));
        }
        let (length, speed) = (view.by[0], view.unit([1, 0, -1]));
        for (i, (body, &place)) in self.bodies.iter().zip(&view.order).enumerate() {
            let first = 7 * place;
            let seen = body.place.within(outer(view));
            for (k, value) in seen.numbers(length).into_iter().enumerate() {
                b.init_q(first + k, value, Keep::Guess);
            }
            for (k, v) in turned(view.turn, body.v).into_iter().enumerate() {
                b.init_v(first + k, v * speed, Keep::Guess);
            }
            for (k, rate) in product(view.turn, body.rate).into_iter().enumerate() {
                b.init_v(first + 3 + k, rate / view.by[2], Keep::Guess);
            }
            let moment = view.unit([2, 1, 0]);
            let [jx, jy, jz] = body.inertia.map(|j| j * moment);
            let p = parameters(&mut b, &format!("body{i}"), [body.mass * view.by[1], jx, jy, jz]);
            let kinds = std::array::from_fn(|k| if k < 4 { Q } else { V });
            let slots = std::array::from_fn(|k| match k {
                0..4 => first + 3 + k,
                4..7 => first + k - 4,
                _ => first + 3 + k - 7,
            });
            b.kinetic(&format!("body{i}"), Inertia, one(kinds, slots, p));
            let name = format!("norm{i}");
            let row = b.rows_holonomic(&name, 1, 1);
            let e = std::array::from_fn(|k| first + 3 + k);
            b.holonomic(&name, Norm, one([Q; 4], e, []), row, Reaction::Standard);
            let [gx, gy, gz] = turned(view.turn, self.gravity).map(|g| g * view.unit([1, 0, -2]));
            let g = parameters(&mut b, &format!("weight{i}"), [gx, gy, gz]);
            let slots = std::array::from_fn(|k| first + k);
            b.potential(
                &format!("weight{i}"),
                Weight,
                one([Q; 3], slots, [p[0], g[0], g[1], g[2]]),
            );
        }
        for (i, joint) in self.joints.iter().enumerate() {
            let name = format!("{:?}{i}", joint.kind).to_lowercase();
            let numbers = [distance(joint.at, joint.far) * length, 0.0];
            let placed = self.link(view, joint, numbers, &mut b, &name);
            match joint.kind {
                Kind::Ball => placed.constrain(&mut b, &name, Ball),
                Kind::Hinge => placed.constrain(&mut b, &name, Hinge),
                Kind::Cross => placed.constrain(&mut b, &name, Cross),
                Kind::Tube => placed.constrain(&mut b, &name, Tube),
                Kind::Slide => placed.constrain(&mut b, &name, Slide),
                Kind::Table => placed.constrain(&mut b, &name, Table),
                Kind::Fixed => placed.constrain(&mut b, &name, Fixed),
                Kind::Wire => placed.constrain(&mut b, &name, Wire),
                Kind::Rod => placed.constrain(&mut b, &name, Rod),
            }
        }
        for (i, spring) in self.springs.iter().enumerate() {
            let [k, free] = spring.kind;
            let name = format!("spring{i}");
            let numbers = [k * view.unit([0, 1, -2]), free * length];
            let placed = self.link(view, spring, numbers, &mut b, &name);
            match placed.pair() {
                Some(pair) => b.potential(&name, Spring, pair),
                None => b.potential(&name, Spring, placed.grounded()),
            }
        }
        for (i, (body, drag)) in self.drags.iter().enumerate() {
            let name = format!("drag{i}");
            let d = parameters(&mut b, &name, [drag * view.unit([2, 1, -1])]);
            let first = 7 * view.order[*body] + 3;
            let kinds = std::array::from_fn(|k| if k < 4 { Q } else { V });
            b.dissipation(&name, Drag, one(kinds, std::array::from_fn(|k| first + k % 4), d));
        }
        b.finish()
    }

    fn set_velocities(&mut self, v: &[f64]) {
        for (body, v) in self.bodies.iter_mut().zip(v.chunks_exact(7)) {
            body.v.copy_from_slice(&v[..3]);
            body.rate = [v[3], v[4], v[5], v[6]];
        }
    }

    fn plain(&self, view: &View, q: &[f64], v: &[f64]) -> [Vec<f64>; 2] {
        let (length, speed, time) = (view.by[0], view.unit([1, 0, -1]), view.by[2]);
        let (mut plain_q, mut plain_v) = (Vec::new(), Vec::new());
        for place in &view.order {
            let q: [f64; 7] = std::array::from_fn(|k| q[7 * place + k]);
            let seen = Place {
                at: std::array::from_fn(|k| q[k] / length),
                turn: [q[3], q[4], q[5], q[6]],
            };
            plain_q.extend(seen.seen_from(outer(view)).numbers(1.0));
            let v: [f64; 7] = std::array::from_fn(|k| v[7 * place + k]);
            plain_v.extend(turned(back(view.turn), [v[0], v[1], v[2]]).map(|v| v / speed));
            plain_v.extend(product(back(view.turn), [v[3], v[4], v[5], v[6]]).map(|v| v * time));
        }
        [plain_q, plain_v]
    }
}

#[test]
fn spatial_mechanisms() {
    each("spatial_mechanisms", 30, |random, k, counts| {
        let mut drawn = Spatial::new(random);
        let wrong = properties(&mut drawn, random, counts);
        // The one case that is repeated.
        if !wrong.is_empty() && std::env::var("MBD_SEED").is_ok_and(|seed| seed.contains(':')) {
            println!("case {k}: {drawn:#?}");
        }
        wrong
    });
}
