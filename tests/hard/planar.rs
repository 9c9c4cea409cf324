//! Planar mechanisms drawn at random: a tree of bodies, loops closed over it, springs and dampers between
//! any of them, drives.

use crate::random::{Random, each};
use crate::systems::{Drawn, View, one, parameters, properties};
use mbd::ad::{Instances, Kernel, Reaction};
use mbd::assembly::SlotKind::{Q, T, V};
use mbd::components::{PlanarFrame, point_on_line, prismatic, revolute, rod, weld};
use mbd::model::{Keep, Model, ModelBuilder, ModelError};
use mbd::scalar::{Num, Scalar, num};

/// A statement about two frames and a number: between two bodies, and between the ground and one.
macro_rules! between {
    ($name:ident -> $rows:literal, |$a:ident, $b:ident, $p:ident| $value:expr) => {
        struct $name;
        impl $name {
            #[allow(unused_variables)]
            fn of<D: Scalar>(
                $a: PlanarFrame<D>,
                $b: PlanarFrame<D>,
                $p: [Num<D>; 2],
            ) -> [Num<D>; $rows] {
                $value
            }
        }
        impl Kernel<6, 8, $rows> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                z: &[Num<D>; 6],
                p: &[Num<D>; 8],
            ) -> [Num<D>; $rows] {
                let a = PlanarFrame::new(z[0], z[1], z[2]).at([p[0], p[1]], z[2] + p[2]);
                let b = PlanarFrame::new(z[3], z[4], z[5]).at([p[3], p[4]], z[5] + p[5]);
                $name::of(a, b, [p[6], p[7]])
            }
        }
        impl Kernel<3, 8, $rows> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                z: &[Num<D>; 3],
                p: &[Num<D>; 8],
            ) -> [Num<D>; $rows] {
                let a = PlanarFrame::new(p[0], p[1], p[2]);
                let b = PlanarFrame::new(z[0], z[1], z[2]).at([p[3], p[4]], z[2] + p[5]);
                $name::of(a, b, [p[6], p[7]])
            }
        }
    };
}

between!(Pin -> 2, |a, b, p| revolute(a, [num(0.0); 2], b, [num(0.0); 2]));
between!(Slide -> 2, |a, b, p| prismatic(a, [num(0.0); 2], [num(1.0), num(0.0)], b, [num(0.0); 2]));
between!(Weld -> 3, |a, b, p| weld(a, [num(0.0); 2], b, [num(0.0); 2]));
between!(Slot -> 1, |a, b, p| point_on_line(a, [num(0.0); 2], [num(1.0), num(0.0)], b, [num(0.0); 2]));
between!(Rod -> 1, |a, b, p| rod(a.origin, b.origin, p[0]));
// Smooth where its ends meet.
between!(Spring -> 1, |a, b, p| {
    let (x, y) = (a.origin[0] - b.origin[0], a.origin[1] - b.origin[1]);
    let stretch = (x * x + y * y - p[1] * p[1]) / (2.0 * p[1]);
    [0.5 * p[0] * stretch * stretch]
});

// A rope: a spring that does not push.
between!(Rope -> 1, |a, b, p| {
    let (x, y) = (a.origin[0] - b.origin[0], a.origin[1] - b.origin[1]);
    let stretch = (x * x + y * y - p[1] * p[1]) / (2.0 * p[1]);
    [if stretch > num(0.0) { 0.5 * p[0] * stretch * stretch } else { num(0.0) }]
});

/// A knife edge at a body's centre: it does not slip sideways.
struct Edge;
impl Kernel<3, 0, 1> for Edge {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 3], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        let (sin, cos) = z[0].sin_cos();
        [cos * z[2] - sin * z[1]]
    }
}

struct Inertia;
impl Kernel<3, 2, 1> for Inertia {
    fn eval<D: Scalar>(&self, _: &[usize], v: &[Num<D>; 3], p: &[Num<D>; 2]) -> [Num<D>; 1] {
        [0.5 * p[0] * (v[0] * v[0] + v[1] * v[1]) + 0.5 * p[1] * v[2] * v[2]]
    }
}

struct Weight;
impl Kernel<2, 3, 1> for Weight {
    fn eval<D: Scalar>(&self, _: &[usize], q: &[Num<D>; 2], p: &[Num<D>; 3]) -> [Num<D>; 1] {
        [-1.0 * p[0] * (p[1] * q[0] + p[2] * q[1])]
    }
}

struct Damper;
impl Kernel<2, 1, 1> for Damper {
    fn eval<D: Scalar>(&self, _: &[usize], v: &[Num<D>; 2], p: &[Num<D>; 1]) -> [Num<D>; 1] {
        [0.5 * p[0] * (v[0] - v[1]) * (v[0] - v[1])]
    }
}

struct Drive;
impl Kernel<1, 3, 1> for Drive {
    fn eval<D: Scalar>(&self, _: &[usize], t: &[Num<D>; 1], p: &[Num<D>; 3]) -> [Num<D>; 1] {
        [p[0] * (p[1] * t[0] + p[2]).sin()]
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Pin,
    Slide,
    Weld,
    Slot,
    Rod,
}

impl Kind {
    fn rows(self) -> usize {
        match self {
            Kind::Pin | Kind::Slide => 2,
            Kind::Weld => 3,
            Kind::Slot | Kind::Rod => 1,
        }
    }
}

#[derive(Debug)]
struct Body {
    mass: f64,
    inertia: f64,
    /// Position and angle, and their rates before the constraints have a say.
    q: [f64; 3],
    v: [f64; 3],
}

/// Between two bodies, or the ground and one, at a place in space.
#[derive(Clone, Copy, Debug)]
struct Link<K> {
    kind: K,
    a: Option<usize>,
    b: usize,
    /// Position and direction in space on `a`; on `b` the same, or `far`.
    at: [f64; 3],
    far: [f64; 3],
}

#[derive(Debug)]
struct Planar {
    bodies: Vec<Body>,
    joints: Vec<Link<Kind>>,
    /// Stiffness and length, of springs and of ropes.
    springs: Vec<Link<[f64; 2]>>,
    ropes: Vec<Link<[f64; 2]>>,
    edge: Option<usize>,
    dampers: Vec<(usize, usize, f64)>,
    /// Torque, angular frequency, phase.
    drives: Vec<(usize, [f64; 3])>,
    gravity: [f64; 2],
}

fn distance(p: [f64; 3], q: [f64; 3]) -> f64 {
    (p[0] - q[0]).hypot(p[1] - q[1])
}

impl Planar {
    fn new(random: &mut Random) -> Self {
        let n = 1 + random.below(6);
        let speed = if random.one_in(4) { 0.0 } else { 2.0 };
        let bodies: Vec<Body> = (0..n)
            .map(|_| Body {
                mass: random.between(0.3, 3.0),
                inertia: random.between(0.05, 0.6),
                q: [
                    random.between(-2.0, 2.0),
                    random.between(-2.0, 2.0),
                    random.between(-3.0, 3.0),
                ],
                v: random.vector(speed),
            })
            .collect();
        let place = |random: &mut Random, body: Option<usize>| -> [f64; 3] {
            let [x, y, _] = body.map_or([0.0; 3], |i| bodies[i].q);
            let [dx, dy] = random.vector(1.0);
            [x + dx, y + dy, random.between(-3.0, 3.0)]
        };
        let mut joints = Vec::new();
        let mut free = 3 * n;
        for b in 0..n {
            let a = random.below(b + 1).checked_sub(1);
            let kind =
                random.of(&[Kind::Pin, Kind::Pin, Kind::Pin, Kind::Slide, Kind::Weld, Kind::Slot]);
            if random.one_in(6) || free <= kind.rows() {
                continue;
            }
            free -= kind.rows();
            let at = place(random, Some(b));
            joints.push(Link { kind, a, b, at, far: at });
        }
        for _ in 0..random.below(4) {
            let kind = random.of(&[Kind::Pin, Kind::Rod, Kind::Rod, Kind::Slot]);
            let b = random.below(n);
            let a = random.below(b + 1).checked_sub(1);
            if free <= kind.rows() {
                continue;
            }
            free -= kind.rows();
            let at = place(random, a);
            let far = if matches!(kind, Kind::Rod) { place(random, Some(b)) } else { at };
            if matches!(kind, Kind::Rod) && distance(at, far) < 0.3 {
                continue;
            }
            joints.push(Link { kind, a, b, at, far });
        }
        // A joint more of what there is already: redundant, and nothing else.
        if random.one_in(5) && !joints.is_empty() {
            joints.push(joints[random.below(joints.len())]);
        }
        let spring = |random: &mut Random| {
            let b = random.below(n);
            let a = random.below(b + 1).checked_sub(1);
            let (at, far) = (place(random, a), place(random, Some(b)));
            let kind = [random.between(2.0, 40.0), random.between(0.5, 2.0)];
            Link { kind, a, b, at, far }
        };
        let springs = (0..random.below(4)).map(|_| spring(random)).collect();
        let ropes = (0..random.below(6).saturating_sub(3)).map(|_| spring(random)).collect();
        let edge = (random.one_in(8) && free > 1).then(|| random.below(n));
        let dampers = (0..random.below(3))
            .map(|_| (random.below(n), random.below(n), random.between(0.05, 1.0)))
            .filter(|(a, b, _)| a != b)
            .collect();
        let drive = |random: &mut Random| {
            [random.between(-3.0, 3.0), random.between(1.0, 8.0), random.between(0.0, 6.0)]
        };
        let drives = (0..random.below(3)).map(|_| (random.below(n), drive(random))).collect();
        let gravity = if random.one_in(4) { [0.0; 2] } else { [0.0, -5.0] };
        Planar { bodies, joints, springs, ropes, edge, dampers, drives, gravity }
    }
}

/// Cosine and sine of a view's turn about z, and the angle.
fn turn(view: &View) -> [f64; 3] {
    let angle = 2.0 * view.turn[3].atan2(view.turn[0]);
    [angle.cos(), angle.sin(), angle]
}

impl Planar {
    /// A place in space as it is in a view, without its units.
    fn seen(&self, view: &View, [x, y, angle]: [f64; 3]) -> [f64; 3] {
        let [c, s, by] = turn(view);
        [c * x - s * y + view.shift[0], s * x + c * y + view.shift[1], angle + by]
    }

    /// In the axes of a body, or of the ground, in units of a view.
    fn local(&self, view: &View, body: Option<usize>, place: [f64; 3]) -> [f64; 3] {
        let length = view.by[0];
        match body {
            None => {
                let [x, y, angle] = self.seen(view, place);
                [length * x, length * y, angle]
            }
            Some(i) => {
                let [x, y, theta] = self.bodies[i].q;
                let (c, s) = (theta.cos(), theta.sin());
                let (dx, dy) = (place[0] - x, place[1] - y);
                [length * (c * dx + s * dy), length * (c * dy - s * dx), place[2] - theta]
            }
        }
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
        let [pa, pb] =
            [self.local(view, link.a, link.at), self.local(view, Some(link.b), link.far)];
        let values = [pa[0], pa[1], pa[2], pb[0], pb[1], pb[2], numbers[0], numbers[1]];
        let params = parameters(b, name, values);
        let slots = |body: usize| std::array::from_fn(|i| 3 * view.order[body] + i);
        Placed { a: link.a.map(slots), b: slots(link.b), params }
    }
}

struct Placed {
    a: Option<[usize; 3]>,
    b: [usize; 3],
    params: [usize; 8],
}

impl Placed {
    fn pair(&self) -> Option<Instances<6, 8>> {
        let ([x, y, theta], [u, v, phi]) = (self.a?, self.b);
        let mut instances = Instances::new([Q; 6]);
        instances.push(&[], [x, y, theta, u, v, phi], self.params);
        Some(instances)
    }

    fn grounded(&self) -> Instances<3, 8> {
        let mut instances = Instances::new([Q; 3]);
        instances.push(&[], self.b, self.params);
        instances
    }

    fn constrain<E, const R: usize>(&self, b: &mut ModelBuilder, name: &str, kernel: E)
    where
        E: Kernel<6, 8, R> + Kernel<3, 8, R>,
    {
        let row = b.rows_holonomic(name, R, 1);
        match self.pair() {
            Some(pair) => b.holonomic(name, kernel, pair, row, Reaction::Standard),
            None => b.holonomic(name, kernel, self.grounded(), row, Reaction::Standard),
        }
    }
}

impl Drawn for Planar {
    fn bodies(&self) -> usize {
        self.bodies.len()
    }

    fn t_end(&self) -> f64 {
        1.5
    }

    fn model(&self, view: &View) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Planar", "");
        for i in 0..self.bodies.len() {
            for (name, unit) in [("x", "m"), ("y", "m"), ("theta", "rad")] {
                b.coord(&format!("{name}{i}"), unit, "");
            }
            b.vector(&[3 * i, 3 * i + 1]);
        }
        let [c, s, _] = turn(view);
        for (body, &place) in self.bodies.iter().zip(&view.order) {
            let q = self.seen(view, body.q);
            let v = [c * body.v[0] - s * body.v[1], s * body.v[0] + c * body.v[1], body.v[2]];
            let units = [[1, 0, 0], [1, 0, 0], [0; 3]];
            for (i, powers) in units.into_iter().enumerate() {
                let [length, _, time] = powers;
                b.init_q(3 * place + i, q[i] * view.unit(powers), Keep::Guess);
                b.init_v(3 * place + i, v[i] * view.unit([length, 0, time - 1]), Keep::Guess);
            }
        }
        for (i, (body, &place)) in self.bodies.iter().zip(&view.order).enumerate() {
            let [x, y, theta] = std::array::from_fn(|k| 3 * place + k);
            let inertia = [body.mass * view.unit([0, 1, 0]), body.inertia * view.unit([2, 1, 0])];
            let [m, j] = parameters(&mut b, &format!("body{i}"), inertia);
            b.kinetic(&format!("body{i}"), Inertia, one([V; 3], [x, y, theta], [m, j]));
            let [gx, gy] = self.gravity;
            let acceleration = view.unit([1, 0, -2]);
            let g = [c * gx - s * gy, s * gx + c * gy].map(|g| g * acceleration);
            let name = format!("weight{i}");
            let g = parameters(&mut b, &name, g);
            b.potential(&name, Weight, one([Q; 2], [x, y], [m, g[0], g[1]]));
        }
        for (i, joint) in self.joints.iter().enumerate() {
            let length = distance(joint.at, joint.far) * view.by[0];
            let name = format!("{:?}{i}", joint.kind).to_lowercase();
            let placed = self.link(view, joint, [length, 0.0], &mut b, &name);
            match joint.kind {
                Kind::Pin => placed.constrain(&mut b, &name, Pin),
                Kind::Slide => placed.constrain(&mut b, &name, Slide),
                Kind::Weld => placed.constrain(&mut b, &name, Weld),
                Kind::Slot => placed.constrain(&mut b, &name, Slot),
                Kind::Rod => placed.constrain(&mut b, &name, Rod),
            }
        }
        let named = |what: &'static str| move |(i, link)| (format!("{what}{i}"), link);
        let springs = self.springs.iter().enumerate().map(named("spring"));
        for (name, spring) in springs.chain(self.ropes.iter().enumerate().map(named("rope"))) {
            let [k, length] = spring.kind;
            let numbers = [k * view.unit([0, 1, -2]), length * view.by[0]];
            let placed = self.link(view, spring, numbers, &mut b, &name);
            match (placed.pair(), name.starts_with("rope")) {
                (Some(pair), false) => b.potential(&name, Spring, pair),
                (Some(pair), true) => b.potential(&name, Rope, pair),
                (None, false) => b.potential(&name, Spring, placed.grounded()),
                (None, true) => b.potential(&name, Rope, placed.grounded()),
            }
        }
        if let Some(body) = self.edge {
            let [x, y, theta] = std::array::from_fn(|k| 3 * view.order[body] + k);
            let row = b.rows_nonholonomic("edge", 1, 1);
            b.nonholonomic(
                "edge",
                Edge,
                one([Q, V, V], [theta, x, y], []),
                row,
                Reaction::Standard,
            );
        }
        let theta = |body: usize| 3 * view.order[body] + 2;
        for (i, (from, to, d)) in self.dampers.iter().enumerate() {
            let name = format!("damper{i}");
            let d = parameters(&mut b, &name, [d * view.unit([2, 1, -1])]);
            b.dissipation(&name, Damper, one([V; 2], [theta(*from), theta(*to)], d));
        }
        for (i, (body, [torque, frequency, phase])) in self.drives.iter().enumerate() {
            let p = [torque * view.unit([2, 1, -2]), frequency / view.by[2], *phase];
            let name = format!("drive{i}");
            let p = parameters(&mut b, &name, p);
            b.force(&name, Drive, one([T], [0], p), vec![[theta(*body)]]);
        }
        b.finish()
    }

    fn set_velocities(&mut self, v: &[f64]) {
        for (body, v) in self.bodies.iter_mut().zip(v.chunks_exact(3)) {
            body.v.copy_from_slice(v);
        }
    }

    fn plain(&self, view: &View, q: &[f64], v: &[f64]) -> [Vec<f64>; 2] {
        let [c, s, by] = turn(view);
        let (length, speed) = (view.by[0], view.by[0] / view.by[2]);
        let (mut plain_q, mut plain_v) = (Vec::new(), Vec::new());
        for place in &view.order {
            let [x, y, theta] = std::array::from_fn(|k| q[3 * place + k]);
            let (x, y) = (x / length - view.shift[0], y / length - view.shift[1]);
            plain_q.extend([c * x + s * y, c * y - s * x, theta - by]);
            let [x, y, theta] = std::array::from_fn(|k| v[3 * place + k]);
            let (x, y) = (x / speed, y / speed);
            plain_v.extend([c * x + s * y, c * y - s * x, theta * view.by[2]]);
        }
        [plain_q, plain_v]
    }
}

#[test]
fn planar_mechanisms() {
    each("planar_mechanisms", 40, |random, k, counts| {
        let mut drawn = Planar::new(random);
        let wrong = properties(&mut drawn, random, counts);
        // The one case that is repeated.
        if !wrong.is_empty() && std::env::var("MBD_SEED").is_ok_and(|seed| seed.contains(':')) {
            println!("case {k}: {drawn:#?}");
        }
        wrong
    });
}
