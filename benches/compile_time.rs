//! What a model costs to compile: `cargo bench --bench compile_time [-- --dev-only | --keep]`.
//!
//! Builds a user's crate of its own, with this workspace as a path dependency, its `Cargo.lock`, and
//! the profiles that `mbd new` writes, offline. Models of 0 to 60 statements of mixed kinds and a loop of 10 and of 1000
//! instances; before each measurement one number in the model file is changed, as a user would. The
//! first build, which compiles the dependencies, is not counted. `--keep` leaves the crate. Times are the
//! least of three: wall times, and on Linux processor times beside them, which other work on the machine lengthens less.

use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// Statements of a block of the model, as `block` writes them.
const BLOCK: usize = 15;
/// Goals for sixty statements in s, in the development and the release profile.
const GOALS: [f64; 2] = [3.0, 15.0];
const BUILDS: usize = 3;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if let Some(unknown) =
        arguments.iter().find(|a| !["--bench", "--dev-only", "--keep"].contains(&a.as_str()))
    {
        eprintln!("unknown argument `{unknown}`; known are --dev-only and --keep");
        return ExitCode::from(2);
    }
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_time");
    let result = measure(&scratch, has("--dev-only"));
    if !has("--keep") {
        // Nothing is lost when it stays.
        let _ = std::fs::remove_dir_all(&scratch);
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// A model: what it is called and its source, in which `edit` changes one number.
struct Subject {
    name: &'static str,
    statements: usize,
    source: fn(edit: usize) -> String,
}

const SUBJECTS: [Subject; 6] = [
    Subject { name: "an empty model", statements: 0, source: |edit| mixed(0, edit) },
    Subject { name: "15 statements", statements: BLOCK, source: |edit| mixed(1, edit) },
    Subject { name: "30 statements", statements: 2 * BLOCK, source: |edit| mixed(2, edit) },
    Subject { name: "60 statements", statements: 4 * BLOCK, source: |edit| mixed(4, edit) },
    Subject { name: "a loop of 10", statements: 5, source: |edit| looped(10, edit) },
    Subject { name: "a loop of 1000", statements: 5, source: |edit| looped(1000, edit) },
];

fn measure(scratch: &Path, dev_only: bool) -> Result<(), String> {
    let user = User::new(scratch)?;
    println!("{:<16} {:>23} {:>23}", "wall, processor", "dev", "release");
    let mut empty = [0.0; 2];
    let mut sixty = [0.0; 2];
    let profiles: &[bool] = if dev_only { &[false] } else { &[false, true] };
    for &release in profiles {
        user.build(release)?;
    }
    for subject in &SUBJECTS {
        print!("{:<16}", subject.name);
        for &release in profiles {
            let mut least = Took { wall: f64::INFINITY, processor: Some(f64::INFINITY) };
            // The first build of another model is no incremental one.
            for edit in 0..=BUILDS {
                user.write("src/main.rs", &(subject.source)(edit))?;
                let took = user.build(release)?;
                if edit > 0 {
                    least = least.less(took);
                }
            }
            let profile = usize::from(release);
            match subject.statements {
                0 => empty[profile] = least.work(),
                60 => sixty[profile] = least.work(),
                _ => {}
            }
            let processor = least.processor.map_or(String::new(), |s| format!("{s:.2} s"));
            print!(" {:>12.2} s {processor:>8}", least.wall);
            let _ = std::io::stdout().flush();
        }
        println!();
    }
    for &release in profiles {
        let profile = usize::from(release);
        println!(
            "60 statements in {}: {:.1} s, {:.0} ms each; goal {:.0} s: {}",
            if release { "release" } else { "dev" },
            sixty[profile],
            1e3 * (sixty[profile] - empty[profile]) / 60.0,
            GOALS[profile],
            if sixty[profile] < GOALS[profile] { "met" } else { "not met" }
        );
    }
    Ok(())
}

/// How long a build took [s].
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    processor: Option<f64>,
}

impl Took {
    fn less(self, other: Took) -> Took {
        let processor = self.processor.zip(other.processor).map(|(a, b)| a.min(b));
        Took { wall: self.wall.min(other.wall), processor }
    }

    /// What goals are held against.
    fn work(self) -> f64 {
        self.processor.unwrap_or(self.wall)
    }
}

/// What processes that have ended took of processors until now, where the system tells it: in hundredths of a second, the
/// 16th and 17th number of the line.
fn processor_time() -> Option<f64> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program stands in parentheses and may have spaces.
    let (_, numbers) = line.rsplit_once(')')?;
    let ticks = numbers.split_whitespace().skip(13).take(2).map(str::parse::<f64>);
    ticks.sum::<Result<f64, _>>().ok().map(|ticks| 0.01 * ticks)
}

/// The crate of a user.
struct User {
    root: PathBuf,
}

impl User {
    fn new(root: &Path) -> Result<Self, String> {
        let user = User { root: root.into() };
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR"));
        let read = |name: &str| {
            std::fs::read_to_string(workspace.join(name)).map_err(|e| format!("{name}: {e}"))
        };
        let template = include_str!("../src/cli/tool/templates/Cargo.toml.in");
        let profiles = template.find("[profile.").map_or("", |at| &template[at..]);
        let manifest = format!(
            "[package]\nname = \"user\"\nedition = \"2024\"\n\n[dependencies]\nmbd-dynamics = {{ path = \
             {workspace:?} }}\n\n[workspace]\n\n{profiles}"
        );
        user.write("Cargo.toml", &manifest)?;
        user.write("Cargo.lock", &read("Cargo.lock")?)?;
        user.write("src/main.rs", &mixed(0, 0))?;
        Ok(user)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.root.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written.and_then(|()| std::fs::write(&path, text)).map_err(|e| format!("{path:?}: {e}"))
    }

    /// Builds.
    fn build(&self, release: bool) -> Result<Took, String> {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args(["build", "--offline", "--quiet"]).current_dir(&self.root);
        cargo.env("CARGO_TARGET_DIR", self.root.join("target")).stdin(Stdio::null());
        if release {
            cargo.arg("--release");
        }
        let (start, before) = (Instant::now(), processor_time());
        let output = cargo.output().map_err(|e| format!("cargo: {e}"))?;
        let wall = start.elapsed().as_secs_f64();
        let processor = processor_time().zip(before).map(|(after, before)| after - before);
        if output.status.success() {
            Ok(Took { wall, processor })
        } else {
            Err(format!("the model does not build:\n{}", String::from_utf8_lossy(&output.stderr)))
        }
    }
}

const PRELUDE: &str = "use mbd::prelude::*;\n";

const MOTOR: &str = "
/// A motor that turns slower the more it has to do.
#[differentiable]
fn motor(speed: f64, stall: f64, idle: f64) -> f64 {
    let ratio = speed / idle;
    stall * (1.0 - ratio) * (-ratio * ratio).exp()
}

";

/// A model of so many blocks of statements.
fn mixed(blocks: usize, edit: usize) -> String {
    let mut text = String::new();
    if blocks > 0 {
        text +=
            "use mbd::components::{distance, force::spring_damper, ground, revolute, spatial};\n";
    }
    text += PRELUDE;
    if blocks > 0 {
        text += MOTOR;
    }
    text += "mechanism! {\n    pub mechanism Mixed {\n";
    let _ = writeln!(text, "        param m: [kg] = 1.{edit};");
    if blocks == 0 {
        let _ =
            writeln!(text, "        coord x: [m];\n        kinetic mass = 0.5{edit}*m*sq(der(x));");
    } else {
        text += "        param g: [m/s^2] = 9.81;\n        param k: [N/m] = 1000.0;\n";
        text += "        param c: [N*s/m] = 10.0;\n";
    }
    (0..blocks).for_each(|b| block(&mut text, b, edit));
    text += "        until 1.0;\n    }\n}\n\nmbd::main!(Mixed);\n";
    text
}

/// Fifteen statements: two planar bodies hinged to each other and one in space, with springs,
/// weights, a motor and a damper.
fn block(text: &mut String, b: usize, edit: usize) {
    let before = b.checked_sub(1);
    let (planar, at) =
        before.map_or(("ground()".into(), [0.0; 2]), |b| (format!("bar{b}.frame"), [0.5, 0.0]));
    let in_space =
        before.map_or("spatial::ground()".into(), |b| format!("top{b}.frame.at([0.5, 0.0, 0.1])"));
    let _ = write!(
        text,
        "
        body arm{b}: PlanarBody {{ mass: 2.0*m, inertia: 0.1 }};
        body bar{b}: PlanarBody {{ mass: 1.5*m, inertia: 0.2 }};
        body top{b}: SpatialBody {{ mass: m, jx: 0.2, jy: 0.3, jz: 0.4 }};
        potential weight{b} = g*m*(2.0*arm{b}.y + 1.5*bar{b}.y);
        potential heavy{b} = g*m*top{b}.z + 0.5{edit}*sq(top{b}.x);
        holonomic hinge{b}[2]: revolute({planar}, {at:?}, arm{b}.frame, [-0.3, 0.0]);
        holonomic pin{b}[2]: revolute(arm{b}.frame, [0.3, 0.0], bar{b}.frame, [-0.5, 0.0]);
        holonomic joint{b}[5]: spatial::revolute({in_space}, top{b}.frame.at([-0.5, 0.0, 0.0]));
        let length{b} = distance(arm{b}.frame.point([0.1, 0.2]), [0.3, 0.5]);
        force spring{b} along length{b} = spring_damper(length{b}, der(length{b}), k, c, 0.2);
        force drive{b} along arm{b}.theta = motor(der(arm{b}.theta), 3.0, 40.0);
        force drag{b} along bar{b}.x = -c*der(bar{b}.x)*sqrt(sq(der(bar{b}.x)) + 0.01);
        potential tether{b} = 0.5*k*sq(spatial::distance(top{b}.frame.point([0.0, 0.1, 0.2]), [0.0, 0.0, 1.0]) - 0.5);
        dissipation oil{b} = 0.5*c*(sq(der(bar{b}.theta) - der(arm{b}.theta)) + sq(top{b}.omega[2]));
        output turn{b}: [rad] = bar{b}.theta - arm{b}.theta;
        output load{b}: [N] = hypot(lambda(pin{b})[0], lambda(pin{b})[1]);
"
    );
}

/// Five statements over a loop of so many instances.
fn looped(n: usize, edit: usize) -> String {
    format!(
        "{PRELUDE}{MOTOR}mechanism! {{
    pub mechanism Looped {{
        size n = {n};
        param g: [m/s^2] = 9.8{edit};
        coord x[n]: [m];
        coord y[n]: [m];
        coord a[n]: [rad];
        for i in 0..n {{
            kinetic link = 0.5*(sq(der(x[i])) + sq(der(y[i]))) + 0.04{edit}*sq(der(a[i]));
            potential weight = g*y[i];
            force drive along a[i] = motor(der(a[i]), 3.0, 40.0);
        }}
        holonomic first[2]: [x[0], y[0]] == [0.5*cos(a[0]), 0.5*sin(a[0])];
        for i in 1..n {{
            holonomic joint[2]: [x[i] - 0.5*cos(a[i]), y[i] - 0.5*sin(a[i])]
                == [x[i-1] + 0.5*cos(a[i-1]), y[i-1] + 0.5*sin(a[i-1])];
        }}
        until 1.0;
    }}
}}

mbd::main!(Looped);
"
    )
}
