//! Every word the language accepts, once.

/// Words that begin a statement, with the form of the statement as messages show it.
pub const STATEMENTS: &[(&str, &str)] = &[
    ("size", "size n = 10;"),
    ("param", "param r: [m] = 0.1;"),
    ("coord", "coord theta: [rad];"),
    ("state", "state e: [rad];"),
    ("variable", "variable V: [V] == expression;"),
    ("let", "let w = der(theta);"),
    ("kinetic", "kinetic name = 0.5*m*sq(der(x));"),
    ("potential", "potential name = m*9.81*y;"),
    ("dissipation", "dissipation name = 0.5*c*sq(der(x));"),
    ("mass", "mass[x, x] = m;"),
    ("force", "force name along x = expression;"),
    ("holonomic", "holonomic name: left == right;"),
    ("nonholonomic", "nonholonomic name: left == right;"),
    ("unilateral", "unilateral name: gap;"),
    ("stated", "stated holonomic name: left == right;"),
    ("der", "der(e) = expression;"),
    ("equation", "equation name: left == right;"),
    ("init", "init x = 1.0;"),
    ("guess", "guess x = 1.0;"),
    ("scale", "scale x = 1e-3;"),
    ("event", "event name when x > 1.0 { der(x) = 0.0; }"),
    ("sample", "sample controller every 0.01 { u = -k*x; }"),
    ("mode", "mode locked = false;"),
    ("input", "input u: [N*m] = 0.0;"),
    ("output", "output name: [N] = expression;"),
    ("until", "until 2.0;"),
    ("draw", "draw name: line([0.0, 0.0], [x, y]) color red;"),
    ("for", "for i in 0..n { … }"),
    ("component", "component Name { … }"),
    ("body", "body name: Component { mass: m };"),
    ("connector", "connector name: SpatialBody;"),
    ("joint", "joint name: revolute(first.at(p, axis), second.at(q, axis));"),
    ("drive", "drive hinge.angle == expression;"),
    ("limit", "limit hinge.angle in from..to;"),
    ("friction", "friction hinge.angle = mu*radius*norm(hinge.force);"),
    ("torque", "torque name = [nx, ny, nz] on body;"),
    ("gravity", "gravity [0, 0, -9.81];"),
    ("coordinates", "coordinates joint;"),
];

/// What may stand beside the mechanism at the top of the block.
pub const ITEMS: &[&str] = &["pub", "mechanism", "component", "use"];

/// Statements that declare what `pub` makes seen from outside a component.
pub const DECLARATIONS: &[&str] = &[
    "size",
    "param",
    "coord",
    "state",
    "variable",
    "mode",
    "input",
    "let",
    "holonomic",
    "nonholonomic",
    "unilateral",
    "stated",
    "body",
    "connector",
    "joint",
];

/// Words with a meaning of their own in expressions.
pub const TIME: [&str; 2] = ["t", "time"];
/// Time derivative.
pub const DER: &str = "der";
/// Of a joint's own text: the derivative of what stands in it where only `__mbd::swept(x)` goes on, and nothing else.
pub const STILL_DER: &str = "__still_der";
/// Functions of several scalars that are methods of numbers, as in defaults.
pub const PLAIN_FUNCTIONS: &[&str] = &["atan2", "hypot", "powf", "min", "max"];
/// What the library has under names that a block uses after an import, and the modules it is in.
pub const IMPORTED: &[(&str, &[&str])] = &[
    ("bushing", FORCE),
    ("contact", FORCE),
    ("cylindrical", SPATIAL),
    ("dead_band", FORCE),
    ("distance", BOTH),
    ("dry_friction", FORCE),
    ("fixed", SPATIAL),
    ("force", MODULE),
    ("ground", BOTH),
    ("in_plane", SPATIAL),
    ("offset", BOTH),
    ("one_sided", FORCE),
    ("perpendicular", SPATIAL),
    ("plane_friction", FORCE),
    ("planar", MODULE),
    ("point_on_line", BOTH),
    ("prismatic", BOTH),
    ("ramp", FORCE),
    ("revolute", BOTH),
    ("rod", BOTH),
    ("screw", SPATIAL),
    ("solid", MODULE),
    ("spatial", MODULE),
    ("spherical", SPATIAL),
    ("spring_damper", FORCE),
    ("stribeck", FORCE),
    ("twist", SPATIAL),
    ("universal", SPATIAL),
    ("weld", PLANAR),
];
const MODULE: &[&str] = &["mbd::components"];
const PLANAR: &[&str] = MODULE;
const SPATIAL: &[&str] = &["mbd::components::spatial"];
const BOTH: &[&str] = &["mbd::components", "mbd::components::spatial"];
const FORCE: &[&str] = &["mbd::components::force"];

/// Those of them that a `joint` of two bodies names without an import.
pub const JOINTS_OF_BODIES: &[&str] =
    &["cylindrical", "point_on_line", "prismatic", "revolute", "screw", "spherical", "universal"];

/// The modules of such a name.
pub fn imported(name: &str) -> Option<&'static [&'static str]> {
    IMPORTED.iter().find(|(known, _)| *known == name).map(|(_, modules)| *modules)
}
/// Constants a block may name without an import.
pub const CONSTANTS: &[&str] = &["PI", "TAU", "GRAVITY"];
/// Multiplier of a holonomic constraint.
pub const LAMBDA: &str = "lambda";
/// Multiplier of a nonholonomic constraint.
pub const PSI: &str = "psi";
/// Functions beside those of `mbd::math` that a block may call without an import.
pub const BY_NAME: &[&str] = &[
    "dot",
    "cross",
    "norm",
    "unit",
    "transpose",
    "vector",
    "axis_angle",
    "axis_to",
    "yaw_pitch_roll",
    "clamp",
];
/// Names that functions have elsewhere: what is called by them is told what it is called here.
pub const OTHER_NAMES: &[&str] =
    &["sign", "sgn", "pow", "sqr", "arcsin", "arccos", "arctan", "arctan2", "log", "heaviside"];
/// `force name = [fx, fy, fz] on body at point;`
pub const ON: &str = "on";
/// See [`ON`].
pub const AT: &str = "at";
/// The frame that does not move, as a joint's argument.
pub const GROUND: &str = "ground";
/// `coordinates joint;`, or, as without the statement, `coordinates absolute;`
pub const FORMS: [&str; 2] = ["absolute", "joint"];
/// `force name along s = F;`
pub const ALONG: &str = "along";

/// `draw name: shape(…) color red;`
pub const COLOR: &str = "color";
/// Colours by name; others are written as `"#rrggbb"`.
pub const COLORS: &[&str] = &[
    "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown", "black", "grey",
    "gray", "white",
];
/// `event name when condition { … }`
pub const WHEN: &str = "when";
/// `sample name every period from start { … }`
pub const EVERY: &str = "every";
pub const FROM: &str = "from";
/// `holonomic name: left == right from start;`
pub const START: &str = "start";
/// `impulse along s = …;` in an event.
pub const IMPULSE: &str = "impulse";
/// `stop "text";` in an event.
pub const STOP: &str = "stop";
/// Newton's law of impact, and Coulomb's friction in one: `restitution(e).friction(mu)`.
pub const RESTITUTION: &str = "restitution";
pub const FRICTION: &str = "friction";

/// `friction name = kinetic, breakaway(force);`
pub const BREAKAWAY: &str = "breakaway";

/// True for a word that begins a statement.
pub fn is_statement(word: &str) -> bool {
    STATEMENTS.iter().any(|(keyword, _)| *keyword == word)
}

/// The form of a statement.
pub fn form(word: &str) -> &'static str {
    STATEMENTS.iter().find(|(keyword, _)| *keyword == word).map_or("", |(_, form)| form)
}

/// The functions of `mbd::math`, which win over functions beside the model.
pub const MATH: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "ln",
    "sqrt",
    "cbrt",
    "abs",
    "signum",
    "deg",
    "sq",
    "powi",
    "powf",
    "atan2",
    "hypot",
    "min",
    "max",
    "smooth_step",
];

/// Functions and methods of scalars whose number arguments are scalars, whole numbers included:
/// `max(x, 0)`.
pub const SCALAR_FUNCTIONS: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "ln",
    "log2",
    "log10",
    "sqrt",
    "cbrt",
    "abs",
    "signum",
    "sq",
    "hypot",
    "min",
    "max",
    "clamp",
    "mul_add",
    "smooth_step",
    "deg",
];
