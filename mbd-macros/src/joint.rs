//! The catalogue of joints: what `joint name: kind(first, second);` states, in the language itself.
//!
//! A kind says one thing of a joint in two ways: the rows of its frames, and where the second is from the first at
//! given coordinates. By the second bodies are placed at the start; in joint coordinates it is what tells a
//! body's frame, and the rows say only what their multipliers mean (`components::spatial::held`).
//!
//! A joint is a set of statements with a scope of its own, as a body's component is: `hinge.angle` is
//! the name `angle` in it. The two frames it joins are `__a` and `__b`, further arguments have their
//! own names. Adding a joint is adding its text here, and the function it calls to the library.

use crate::ast::{Coordinate, Seen, Stmt};
use crate::diag::Diag;
use crate::parse;

/// In the plane or in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    Planar,
    Spatial,
}

impl Dimension {
    /// The module of the library.
    pub fn module(self) -> &'static str {
        match self {
            Dimension::Planar => "planar",
            Dimension::Spatial => "spatial",
        }
    }

    /// Coordinates of a point.
    pub fn point(self) -> usize {
        match self {
            Dimension::Planar => 2,
            Dimension::Spatial => 3,
        }
    }

    /// Rows of `place()` of a frame.
    pub fn place(self) -> usize {
        match self {
            Dimension::Planar => 3,
            Dimension::Spatial => 12,
        }
    }

    /// Coordinates that say where a body is.
    pub fn coordinates(self) -> &'static [&'static str] {
        match self {
            Dimension::Planar => &["x", "y", "theta"],
            Dimension::Spatial => &["x", "y", "z", "e0", "e1", "e2", "e3"],
        }
    }

    /// That of the path before a joint's name.
    pub fn named(module: &str) -> Option<Self> {
        [Dimension::Planar, Dimension::Spatial].into_iter().find(|d| d.module() == module)
    }
}

const ANGLE: Coordinate = Coordinate {
    name: "angle",
    unit: "rad",
    rate: "rate",
    load: "drive_torque",
    turn: Some("__turn"),
    wrapped: "wrapped_angle",
};
const PLANE_ANGLE: Coordinate = Coordinate { turn: None, wrapped: "angle", ..ANGLE };
const POSITION: Coordinate = Coordinate {
    name: "position",
    unit: "m",
    rate: "speed",
    load: "drive_force",
    turn: None,
    wrapped: "position",
};
const X: Coordinate = Coordinate {
    name: "x",
    unit: "m",
    rate: "speed_x",
    load: "drive_force_x",
    turn: None,
    wrapped: "x",
};
const Y: Coordinate = Coordinate {
    name: "y",
    unit: "m",
    rate: "speed_y",
    load: "drive_force_y",
    turn: None,
    wrapped: "y",
};
const FIRST: Coordinate = Coordinate {
    name: "first_angle",
    unit: "rad",
    rate: "first_rate",
    load: "first_drive_torque",
    turn: Some("__first_turn"),
    wrapped: "wrapped_first_angle",
};
const SECOND: Coordinate = Coordinate {
    name: "second_angle",
    unit: "rad",
    rate: "second_rate",
    load: "second_drive_torque",
    turn: Some("__second_turn"),
    wrapped: "wrapped_second_angle",
};

/// Where the second body is at given coordinates of the joint.
pub enum Motion {
    /// The joint leaves too much free to say.
    None,
    /// An expression of the motion, of `__start_` and the coordinate's name.
    At(&'static str),
    /// The same for the start alone: the joint leaves free what no coordinate of it tells.
    Start(&'static str),
}

impl Motion {
    /// Where the second frame is from the first at the start.
    pub fn at_start(&self) -> Option<&'static str> {
        match self {
            Motion::At(motion) | Motion::Start(motion) => Some(motion),
            Motion::None => None,
        }
    }
}

/// One kind of joint.
pub struct Kind {
    pub name: &'static str,
    pub dimension: Dimension,
    /// Arguments after the two frames.
    pub params: &'static [&'static str],
    /// Rows, where they are a function of the library of the two frames and the parameters.
    pub rows: usize,
    pub function: &'static str,
    pub coordinates: &'static [Coordinate],
    pub motion: Motion,
    /// Further statements.
    pub text: &'static str,
}

use Dimension::{Planar, Spatial};

macro_rules! kinds {
    ($($dimension:ident $name:literal $([$($param:literal),*])? $rows:literal $function:literal $coordinates:expr, $motion:expr, $text:expr;)*) => {
        const KINDS: &[Kind] = &[$(Kind {
            name: $name,
            dimension: $dimension,
            params: &[$($($param),*)?],
            rows: $rows,
            function: $function,
            coordinates: $coordinates,
            motion: $motion,
            text: $text,
        }),*];
    };
}

const STAY: Motion = Motion::At("__mbd::components::spatial::ground()");
const STAY_IN_PLANE: Motion = Motion::At("__mbd::components::ground()");

kinds! {
    Spatial "revolute" 5 "revolute" &[ANGLE], Motion::At("__mbd::components::spatial::with_turn([__start_angle])"), TURN;
    Spatial "prismatic" 5 "prismatic" &[POSITION], Motion::At("__mbd::components::spatial::with_slide([__start_position])"), SLIDE;
    Spatial "cylindrical" 4 "cylindrical" &[ANGLE, POSITION], Motion::At("__mbd::components::spatial::with_turn_and_slide([__start_angle, __start_position])"), TURN_AND_SLIDE;
    Spatial "screw" ["lead"] 5 "screw" &[ANGLE], Motion::At("__mbd::components::spatial::with_screw([__start_angle], lead)"), TURN_AND_SLIDE;
    Spatial "spherical" 3 "spherical" &[], STAY, "";
    Spatial "universal" 4 "universal" &[FIRST, SECOND], Motion::At("__mbd::components::spatial::with_cross([__start_first_angle, __start_second_angle])"), CROSS;
    Spatial "constant_velocity" 4 "constant_velocity" &[], Motion::Start("__mbd::components::spatial::ground()"), "";
    Spatial "planar" 3 "planar" &[X, Y, ANGLE], Motion::At("__mbd::components::spatial::with_plane([__start_x, __start_y, __start_angle])"), IN_PLANE;
    Spatial "fixed" 6 "fixed" &[], STAY, "";
    Spatial "parallel" 2 "parallel" &[], Motion::None, "";
    Spatial "perpendicular" 1 "perpendicular" &[], Motion::None, "";
    Spatial "point_on_line" 2 "point_on_line" &[POSITION], Motion::None, SLIDE;
    Spatial "point_on_curve" ["curve"] 0 "" &[POSITION], Motion::None, CURVE;
    Spatial "point_on_plane" 1 "in_plane" &[], Motion::None, "";
    Spatial "distance" ["length"] 1 "between_origins" &[], Motion::None, "";
    Spatial "revolute_spherical" ["length"] 2 "revolute_spherical" &[ANGLE], Motion::None, ROD_TURN;
    Spatial "rolling" ["radius"] 0 "" &[], Motion::None, ROLLING;
    Spatial "knife_edge" 0 "" &[], Motion::None, KNIFE_EDGE;
    Planar "revolute" 2 "joined" &[PLANE_ANGLE], Motion::At("__mbd::components::planar::with_turn([__start_angle])"), PLANE_TURN;
    Planar "prismatic" 2 "sliding" &[POSITION], Motion::At("__mbd::components::planar::with_slide([__start_position])"), PLANE_SLIDE;
    Planar "fixed" 3 "welded" &[], STAY_IN_PLANE, "";
    Planar "point_on_line" 1 "slotted" &[POSITION], Motion::None, PLANE_SLIDE;
    Planar "point_on_curve" ["curve"] 0 "" &[POSITION], Motion::None, PLANE_CURVE;
    Planar "cam" ["curve"] 0 "" &[], Motion::None, CAM;
    Planar "distance" ["length"] 1 "between_origins" &[], Motion::None, "";
    Planar "parallel" 1 "parallel" &[], Motion::None, "";
    Planar "rolling" ["radius"] 2 "rolling" &[], Motion::None, "";
    Planar "rolling_nonholonomic" ["radius"] 0 "" &[], Motion::None, PLANE_ROLLING_SLIP;
    Planar "rolling_on_curve" ["radius", "curve"] 0 "" &[], Motion::None, ROLLING_ON_CURVE;
    Planar "rolling_on_curve_holonomic" ["radius", "curve", "arc"] 0 "" &[], Motion::None, ROLLING_ALONG_CURVE;
    Planar "disc_on_disc" ["first_radius", "second_radius"] 0 "" &[], Motion::None, DISC_ON_DISC;
    Planar "disc_on_disc_holonomic" ["first_radius", "second_radius"] 0 "" &[], Motion::None, DISC_AROUND_DISC;
    Planar "knife_edge" 0 "" &[], Motion::None, PLANE_KNIFE_EDGE;
}

const TURN: &str = "
    let __turn = __mbd::components::spatial::turn(__a, __b);
    let wrapped_angle = atan2(__turn[1], __turn[0]);
    let rate = __mbd::components::spatial::turn_rate(__turn, der(__turn));";
/// Of a rod from a hinge.
const ROD_TURN: &str = "
    let __turn = __mbd::components::spatial::rod_turn(__a, __b);
    let wrapped_angle = atan2(__turn[1], __turn[0]);
    let rate = __mbd::components::spatial::turn_rate(__turn, der(__turn));";
const SLIDE: &str = "
    let position = __mbd::components::spatial::slide(__a, __b);
    let speed = der(position);";
const TURN_AND_SLIDE: &str = "
    let __turn = __mbd::components::spatial::turn(__a, __b);
    let wrapped_angle = atan2(__turn[1], __turn[0]);
    let rate = __mbd::components::spatial::turn_rate(__turn, der(__turn));
    let position = __mbd::components::spatial::slide(__a, __b);
    let speed = der(position);";
const IN_PLANE: &str = "
    let __turn = __mbd::components::spatial::turn(__a, __b);
    let wrapped_angle = atan2(__turn[1], __turn[0]);
    let rate = __mbd::components::spatial::turn_rate(__turn, der(__turn));
    let __offset = __a.to_local(__b.origin - __a.origin);
    let x = __offset[0];
    let y = __offset[1];
    let speed_x = der(x);
    let speed_y = der(y);";
const CROSS: &str = "
    let __first_turn = __mbd::components::spatial::cross_turn_first(__a, __b);
    let __second_turn = __mbd::components::spatial::cross_turn_second(__a, __b);
    let wrapped_first_angle = atan2(__first_turn[1], __first_turn[0]);
    let wrapped_second_angle = atan2(__second_turn[1], __second_turn[0]);
    let first_rate = __mbd::components::spatial::turn_rate(__first_turn, der(__first_turn));
    let second_rate = __mbd::components::spatial::turn_rate(__second_turn, der(__second_turn));";
const PLANE_TURN: &str = "
    let angle = __b.angle - __a.angle;
    let rate = der(angle);";
const PLANE_SLIDE: &str = "
    let __offset = __a.to_local(__b.origin - __a.origin);
    let position = __offset[0];
    let speed = der(position);";

/// The lowest point of the disc keeps its height over a's xy plane, and is at rest on it.
const ROLLING: &str = "
    let __lowest = __mbd::components::spatial::to_lowest(__a, __b, radius);
    let __seen = __a.inverse().compose(&__b);
    let __spin = __mbd::components::spatial::spin(__seen.rotation, der(__seen.rotation));
    let __slip = der(__seen.origin) + __mbd::vector::cross(__spin, __lowest);
    holonomic normal[1]: __mbd::components::spatial::disc_on_plane(__a, __b, radius);
    nonholonomic slip: [-__slip[0], -__slip[1]] == [0.0, 0.0];
    let contact = __a.point(__seen.origin + __lowest);
    let normal_force = lambda(normal);
    let __force = __a.vector([psi(slip)[0], psi(slip)[1], lambda(normal)]);
    let __torque = __mbd::vector::cross(__a.vector(__lowest), __force);
    let force = [__force[0], __force[1], __force[2]];
    let torque = [__torque[0], __torque[1], __torque[2]];";
/// `rolling` in the plane by the rate of its second row.
const PLANE_ROLLING_SLIP: &str = "
    let __seen = __a.inverse().compose(&__b);
    let __speed = der(__seen.origin);
    holonomic normal: radius - __seen.origin[1] == 0.0;
    nonholonomic slip: -__speed[0] - radius*(der(__b.angle) - der(__a.angle)) == 0.0;
    let normal_force = lambda(normal);
    let __force = __a.vector([psi(slip), lambda(normal)]);
    let force = [__force[0], __force[1]];
    let torque = radius*psi(slip);";
/// The disc touches y = f(x) in a's axes, from above, where x is `contact`: a coordinate of the joint, to which the rows
/// leave no freedom. The energy of a change of the rows, zero in every motion, makes its mass regular.
macro_rules! on_curve {
    ($rolling:literal) => {
        concat!(
            "
    /// Where the disc touches the curve, along the first frame's x axis.
    coord contact: [m];
    let __height = curve(contact);
    let __slope = __still_der(curve(__mbd::swept(contact)));
    let __length = hypot(1.0, __slope);
    let __across = [-__slope/__length, 1.0/__length];
    let __seen = __a.inverse().compose(&__b);
    let __off_x = contact + radius*__across[0] - __seen.origin[0];
    let __off_y = __height + radius*__across[1] - __seen.origin[1];
    let __speed = der(__seen.origin);
    let __slip = __across[0]*__speed[1] - __across[1]*__speed[0]
        - radius*(der(__b.angle) - der(__a.angle));
    kinetic touch = 0.5*1.0*(sq(der(__off_x)) + sq(der(__off_y)));
    holonomic normal: [__off_x, __off_y] == [0.0, 0.0];
    let normal_force = __across[0]*lambda(normal)[0] + __across[1]*lambda(normal)[1];
    ",
            $rolling
        )
    };
}
const ROLLING_ON_CURVE: &str = on_curve!(
    "nonholonomic slip: __slip == 0.0;
    let __force = __a.vector([
        lambda(normal)[0] + __across[1]*psi(slip), lambda(normal)[1] - __across[0]*psi(slip)]);
    let force = [__force[0], __force[1]];
    let torque = radius*psi(slip);"
);
/// The centre goes on by the arc less what the curve turns it back, s − r atan f′, as the disc turns. What holds it along
/// the curve acts on the place of contact, and by the rows of that on the disc.
const ROLLING_ALONG_CURVE: &str = on_curve!(
    "holonomic roll: radius*atan(__slope) - arc(contact) - radius*(__b.angle - __a.angle) == 0.0;
    let slip_speed = -__slip;
    let __force = __a.vector([lambda(normal)[0], lambda(normal)[1]]);
    let force = [__force[0], __force[1]];
    let torque = radius*lambda(roll);"
);
/// b's origin on y = f(x), z = g(x) in a's axes. A curve's slope is its rate where x goes on at the rate 1 and all else that
/// it reads stands still: time, inputs, and other coordinates where the curve itself is moved.
const CURVE: &str = "
    let __seen = __a.to_local(__b.origin - __a.origin);
    let __on = curve(__seen[0]);
    holonomic rows: [__on[0] - __seen[1], __on[1] - __seen[2]] == [0.0, 0.0];
    let position = __seen[0];
    let speed = der(position);
    let __slope = __still_der(curve(__mbd::swept(__seen[0])));
    let __force = __a.vector([
        -__slope[0]*lambda(rows)[0] - __slope[1]*lambda(rows)[1], lambda(rows)[0], lambda(rows)[1]]);
    let force = [__force[0], __force[1], __force[2]];
    let torque = [0.0, 0.0, 0.0];";
/// b's origin on y = f(x) in a's axes.
const PLANE_CURVE: &str = "
    let __seen = __a.to_local(__b.origin - __a.origin);
    holonomic rows: curve(__seen[0]) - __seen[1] == 0.0;
    let position = __seen[0];
    let speed = der(position);
    let __slope = __still_der(curve(__mbd::swept(__seen[0])));
    let __force = __a.vector([-__slope, 1.0])*lambda(rows);
    let force = [__force[0], __force[1]];
    let torque = 0.0;";
/// b's origin on r = f(φ) about a's origin, φ counted from a's x axis.
const CAM: &str = "
    let __seen = __a.to_local(__b.origin - __a.origin);
    let __radius = hypot(__seen[0], __seen[1]);
    let __at = atan2(__seen[1], __seen[0]);
    holonomic rows: curve(__at) - __radius == 0.0;
    let __slope = __still_der(curve(__mbd::swept(__at)))/__radius;
    let __out = [__seen[0]/__radius, __seen[1]/__radius];
    let __force = __a.vector([__out[0] + __slope*__out[1], __out[1] - __slope*__out[0]])*lambda(rows);
    let force = [__force[0], __force[1]];
    let torque = 0.0;";
/// Across the edge, which lies along b's x axis, in a's xy plane.
const KNIFE_EDGE: &str = "
    let __seen = __a.inverse().compose(&__b);
    let __x = __seen.x();
    let __length = hypot(__x[0], __x[1]);
    let __across = [-__x[1]/__length, __x[0]/__length, 0.0];
    nonholonomic rows: -__mbd::vector::dot(__across, der(__seen.origin)) == 0.0;
    let __force = __a.vector(__across)*psi(rows);
    let force = [__force[0], __force[1], __force[2]];
    let torque = [0.0, 0.0, 0.0];";
const PLANE_KNIFE_EDGE: &str = "
    let __seen = __a.inverse().compose(&__b);
    let __across = __seen.y();
    nonholonomic rows: -__mbd::vector::dot(__across, der(__seen.origin)) == 0.0;
    let __force = __a.vector(__across)*psi(rows);
    let force = [__force[0], __force[1]];
    let torque = 0.0;";
/// The rims touch from outside, and do not slip.
const DISC_ON_DISC: &str = "
    let __d = __b.origin - __a.origin;
    let __length = __mbd::vector::norm(__d);
    let __along = [__d[0]/__length, __d[1]/__length];
    let __across = [-__along[1], __along[0]];
    holonomic normal: first_radius + second_radius - __length == 0.0;
    nonholonomic slip: second_radius*der(__b.angle) + first_radius*der(__a.angle)
        - __mbd::vector::dot(__across, der(__d)) == 0.0;
    let normal_force = lambda(normal);
    let __force = __along*lambda(normal) + __across*psi(slip);
    let force = [__force[0], __force[1]];
    let torque = -second_radius*psi(slip);";

/// The same of angles: where both have rolled the line of the centres is turned by what is between their turns. Told by
/// the sine of what it is off by, so that the line may go around as often as it likes.
const DISC_AROUND_DISC: &str = "
    let __d = __b.origin - __a.origin;
    let __length = __mbd::vector::norm(__d);
    let __sum = first_radius + second_radius;
    let __turned = (first_radius*__a.angle + second_radius*__b.angle)/__sum;
    let __to = [cos(__turned), sin(__turned)];
    holonomic normal: __sum - __length == 0.0;
    holonomic roll: __to[1]*__d[0] - __to[0]*__d[1] == 0.0;
    let normal_force = lambda(normal);
    let __force = [
        __d[0]/__length*lambda(normal) - __to[1]*lambda(roll), __d[1]/__length*lambda(normal) + __to[0]*lambda(roll)];
    let force = [__force[0], __force[1]];
    let torque = -second_radius*lambda(roll)*__mbd::vector::dot(__to, __d)/__sum;";

/// Statements of a joint from their text.
pub fn parsed(text: &str, diag: &Diag) -> Vec<Stmt> {
    let body = format!("component Joint {{ {text} }}");
    parse::components(&body, diag).into_iter().next().map_or(Vec::new(), |joint| joint.body)
}

/// A joint of three turns in joint coordinates: Euler parameters of the second frame in the first. The energy of a
/// change of their norm is zero in every motion, see `SpatialBody`.
const BALL: &str = "
    coord e0: [-];
    coord e1: [-];
    coord e2: [-];
    coord e3: [-];
    let e = [e0, e1, e2, e3];
    let rate = [der(e0), der(e1), der(e2), der(e3)];
    let frame = __mbd::components::spatial::SpatialFrame::new([0.0, 0.0, 0.0], e);
    let omega = __mbd::components::spatial::body_rate(e, rate);
    kinetic norm = __mbd::components::spatial::norm_energy(__mean, e, rate);
    holonomic norm: __mbd::components::spatial::normalization(e) == 0.0;
    guess e0 = 1.0;";

impl Kind {
    /// The statements of a joint of this kind. `counted`: for each coordinate, whether it is to count
    /// turns.
    pub fn statements(&self, counted: &[bool], diag: &Diag) -> Vec<Stmt> {
        let module = self.module();
        let mut text = self.text.to_string();
        if self.rows > 0 {
            let (rows, params) = (self.rows, self.list(false));
            let function = self.function;
            text += &format!("holonomic rows[{rows}]: {module}::{function}(__a, __b{params});");
            text += &self.wrench();
        }
        text += self.lever();
        for (coordinate, counted) in self.coordinates.iter().zip(counted) {
            let Coordinate { name, rate, turn: Some(turn), wrapped, .. } = coordinate else {
                continue;
            };
            text += &match counted {
                // A state says in which turn the angle is; the angle itself follows from the positions.
                // What the state is off by, it loses within a radian.
                true => format!(
                    "
                    /// Which turn the angle is in.
                    state {name}_turns: [rad];
                    let {name} = {module}::angle_near({turn}, {name}_turns);
                    der({name}_turns) = {rate} + hypot({rate}, 1e-3)*({name} - {name}_turns);"
                ),
                false => format!("let {name} = {wrapped};"),
            };
        }
        parsed(&text, diag)
    }

    /// The statements of a joint in joint coordinates that tells where a body is.
    pub fn carrying(&self, diag: &Diag) -> Vec<Stmt> {
        let mut text = String::new();
        for Coordinate { name, unit, rate, wrapped, .. } in self.coordinates {
            text += &format!("coord {name}: [{unit}]; let {rate} = der({name});");
            if wrapped != name {
                text += &format!("let {wrapped} = atan2(sin({name}), cos({name}));");
            }
        }
        text += match self.name {
            "spherical" => BALL,
            "screw" => SLIDE,
            _ => "",
        };
        let held: Vec<String> = (0..self.rows).map(|k| format!("-__held[{k}]")).collect();
        text +=
            &format!("coord __held[{0}]; holonomic rows[{0}]: [{1}];", self.rows, held.join(","));
        text += &self.wrench();
        text += self.lever();
        parsed(&text, diag)
    }

    /// Then: the frame of the joint on the body that it carries, the second (`forward`) or the first.
    pub fn carried(&self, forward: bool) -> Option<String> {
        let Motion::At(motion) = self.motion else { return None };
        let motion = match self.name {
            "spherical" => "__mbd::components::spatial::with_euler(e)".into(),
            _ => motion.replace("__start_", ""),
        };
        let (module, function) = (self.module(), self.function);
        let frame = match self.dimension {
            Dimension::Planar => "PlanarFrame",
            Dimension::Spatial => "SpatialFrame",
        };
        let (name, from) = if forward { ("carried", "__a") } else { ("carrying", "__b") };
        Some(format!(
            "{module}::{frame}::{name}({from}, {motion}, |__pair| {module}::held::{function}(__pair, __held))"
        ))
    }

    /// What a picture is told of the joint: force and torque on its second body. Where it carries a body, the second
    /// or the first, also where it is on both.
    pub fn seen(&self, carries: Option<bool>) -> (Seen, usize, String) {
        let (rows, torque) = match self.dimension {
            Dimension::Planar => (3, "torque"),
            Dimension::Spatial => (6, "torque[0], torque[1], torque[2]"),
        };
        let pair = match carries {
            Some(true) => Some("__a, __carried.compose(&__local)"),
            Some(false) => Some("__carried.compose(&__local), __b"),
            None => None,
        };
        let value = match pair {
            Some(pair) => {
                let (module, kind) = (self.module(), self.name);
                format!("{module}::held::seen(\"{kind}\", {pair}, force, torque)")
            }
            None if rows == 3 => format!("[force[0], force[1], {torque}]"),
            None => format!("[force[0], force[1], force[2], {torque}]"),
        };
        (Seen::Joint(carries.is_some()), rows, value)
    }

    /// What a summary is told of the joint: where it is.
    pub fn place_seen(&self) -> Option<(Seen, usize, String)> {
        let all = self.coordinates.iter().flat_map(|c| [c.name, c.rate]).collect::<Vec<_>>();
        let what = Seen::Coordinates(self.coordinates);
        (!all.is_empty()).then(|| (what, all.len(), format!("[{}]", all.join(", "))))
    }

    /// Whether its coordinates tell all that it leaves free.
    pub fn tells_all(&self) -> bool {
        matches!(self.motion, Motion::At(_)) && self.name != "spherical"
    }

    fn module(&self) -> String {
        format!("__mbd::components::{}", self.dimension.module())
    }

    /// The parameters, each after a comma. `still`: among numbers that carry a rate.
    fn list(&self, still: bool) -> String {
        let of = |name: &&str| match still {
            true => format!(", __mbd::constant_in_time({name})"),
            false => format!(", {name}"),
        };
        self.params.iter().map(of).collect()
    }

    /// Force and torque, from the multipliers of the rows.
    fn wrench(&self) -> String {
        let (module, function, params) = (self.module(), self.function, self.list(true));
        let lambda = if self.rows == 1 { "[lambda(rows)]" } else { "lambda(rows)" };
        let wrench = format!(
            "let __wrench = {module}::wrench(__b, {lambda},
                |__b| {module}::{function}({module}::still(__a), __b{params}));"
        );
        wrench
            + match self.dimension {
                Dimension::Planar => {
                    "let force = [__wrench.force[0], __wrench.force[1]];
                    let torque = __wrench.torque;"
                }
                Dimension::Spatial => {
                    "let force = [__wrench.force[0], __wrench.force[1], __wrench.force[2]];
                    let torque = [__wrench.torque[0], __wrench.torque[1], __wrench.torque[2]];"
                }
            }
    }

    /// The torque about the first frame's origin.
    fn lever(&self) -> &'static str {
        match self.dimension {
            Dimension::Planar => {
                "
                let __lever = __b.origin - __a.origin;
                let torque_at_first = torque + __lever[0]*force[1] - __lever[1]*force[0];"
            }
            Dimension::Spatial => {
                "
                let __lever = __b.origin - __a.origin;
                let torque_at_first = torque + __mbd::vector::cross(__lever, force);"
            }
        }
    }

    /// A coordinate by its name or the name of its rate, with whether it is the rate.
    pub fn coordinate(&self, name: &str) -> Option<(usize, bool)> {
        let at = |pick: fn(&Coordinate) -> &str| {
            self.coordinates.iter().position(|coordinate| pick(coordinate) == name)
        };
        let value = at(|c| c.name).or_else(|| at(|c| c.wrapped)).map(|k| (k, false));
        value.or_else(|| at(|c| c.rate).map(|k| (k, true)))
    }
}

/// A coupling of the coordinates of joints, which are `__first`, `__second`, … in its text.
pub struct Coupling {
    pub name: &'static str,
    /// What it couples: the name of each joint, and which rate it has to have.
    pub joints: &'static [(&'static str, &'static str)],
    /// Arguments after the joints.
    pub params: &'static [&'static str],
    /// What is zero, of rates.
    row: &'static str,
    /// What its multiplier is on each joint's second body.
    reactions: &'static str,
}

const COUPLINGS: &[Coupling] = &[
    Coupling {
        name: "gear",
        joints: &[("first", "rate"), ("second", "rate")],
        params: &["ratio"],
        row: "-(__second.rate + ratio*__first.rate)",
        reactions: "
            let first_torque = ratio*psi(rows);
            let second_torque = psi(rows);",
    },
    Coupling {
        name: "belt",
        joints: &[("first", "rate"), ("second", "rate")],
        params: &["first_radius", "second_radius"],
        row: "first_radius*__first.rate - second_radius*__second.rate",
        reactions: "
            let pull = psi(rows);
            let first_torque = -first_radius*psi(rows);
            let second_torque = second_radius*psi(rows);",
    },
    Coupling {
        name: "rack_and_pinion",
        joints: &[("pinion", "rate"), ("rack", "speed")],
        params: &["radius"],
        row: "radius*__pinion.rate - __rack.speed",
        reactions: "
            let pinion_torque = -radius*psi(rows);
            let rack_force = psi(rows);",
    },
    Coupling {
        name: "differential",
        joints: &[("case", "rate"), ("left", "rate"), ("right", "rate")],
        params: &[],
        row: "2.0*__case.rate - __left.rate - __right.rate",
        reactions: "
            let case_torque = -2.0*psi(rows);
            let left_torque = psi(rows);
            let right_torque = psi(rows);",
    },
];

impl Coupling {
    /// How it is written.
    pub fn form(&self) -> String {
        let joints = self.joints.iter().map(|(name, _)| *name);
        let list: Vec<&str> = joints.chain(self.params.iter().copied()).collect();
        format!("{}({})", self.name, list.join(", "))
    }

    /// Its statements: of rates, or, where the coordinates themselves are known, what these add up to from the start on.
    pub fn statements(&self, positions: bool, diag: &Diag) -> Vec<Stmt> {
        let Coupling { row, reactions, .. } = self;
        let text = match positions {
            false => format!("nonholonomic rows: {row} == 0.0; {reactions}"),
            true => {
                let row = row.replace(".rate", ".angle").replace(".speed", ".position");
                let reactions = reactions.replace("psi", "lambda");
                format!("holonomic rows: {row} == 0.0 from start; {reactions}")
            }
        };
        parsed(&text, diag)
    }
}

/// The coupling of this name.
pub fn coupling(name: &str) -> Option<&'static Coupling> {
    COUPLINGS.iter().find(|coupling| coupling.name == name)
}

/// The kind of this name.
pub fn kind(name: &str, dimension: Dimension) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name && kind.dimension == dimension)
}

/// What other programs and books call a kind of joint.
const CALLED: &[(&str, &[&str])] = &[
    ("revolute", &["hinge", "pin", "pivot", "rotational", "rotary", "continuous"]),
    ("prismatic", &["slider", "slide", "sliding", "translational", "linear", "translation"]),
    ("spherical", &["ball", "ball_joint", "ball_and_socket", "socket", "spheric"]),
    ("universal", &["cardan", "hooke", "u_joint"]),
    ("constant_velocity", &["cv", "cv_joint", "homokinetic"]),
    ("cylindrical", &["cylinder"]),
    ("screw", &["helical", "lead_screw"]),
    ("fixed", &["weld", "welded", "rigid", "lock", "clamp"]),
    ("distance", &["rod", "link", "massless_link", "spherical_spherical"]),
    ("point_on_line", &["inline", "in_line", "slot", "pin_slot", "pin_in_slot"]),
    ("point_on_plane", &["inplane", "in_plane"]),
    ("rolling", &["wheel", "roll", "rolling_disc"]),
    ("rack_and_pinion", &["rack", "rack_pinion"]),
    ("gear", &["coupler", "gears", "gear_pair"]),
    ("belt", &["pulley", "chain_drive"]),
];

/// The kind that has another name elsewhere.
pub fn called_here(name: &str, dimension: Dimension) -> Option<&'static str> {
    // In the plane a ball joint is a pin.
    let elsewhere = |names: &&(&str, &[&str])| names.1.contains(&name);
    let kind = CALLED.iter().find(elsewhere)?.0;
    let kind = match (kind, dimension) {
        ("spherical", Dimension::Planar) => "revolute",
        (kind, _) => kind,
    };
    names(Some(dimension)).contains(&kind).then_some(kind)
}

/// All names of kinds, those of a dimension where one is asked for.
pub fn names(dimension: Option<Dimension>) -> Vec<&'static str> {
    let wanted = |kind: &&Kind| dimension.is_none_or(|d| d == kind.dimension);
    let mut names: Vec<&str> = KINDS.iter().filter(wanted).map(|kind| kind.name).collect();
    names.extend(COUPLINGS.iter().map(|coupling| coupling.name));
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::{CALLED, Dimension, called_here, names};

    #[test]
    fn names_from_elsewhere_lead_to_kinds_that_there_are() {
        let all = names(None);
        for (kind, elsewhere) in CALLED {
            assert!(all.contains(kind), "{kind}");
            for name in *elsewhere {
                assert!(!all.contains(name), "{name} is a kind of its own");
            }
        }
        assert_eq!(called_here("ball", Dimension::Planar), Some("revolute"));
        assert_eq!(called_here("cardan", Dimension::Planar), None);
        assert_eq!(called_here("cardan", Dimension::Spatial), Some("universal"));
    }
}
