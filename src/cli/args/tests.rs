//! What is read, what is refused with which words, and the help.

use super::options::OPTIONS;
use super::*;

fn refusal(line: &str) -> Result<Request, Refusal> {
    let args: Vec<String> = line.split_whitespace().map(String::from).collect();
    let about = "SliderCrank: Planar.".to_string();
    let describe = || Described { about: about.clone(), methods: Vec::new() };
    match parse("slider_crank", &args, &describe)? {
        Asked::OfModel(request) => Ok(*request),
        Asked::OfRuns(_) => panic!("{line} is of tables"),
    }
}

fn read(line: &str) -> Result<Request, String> {
    refusal(line).map_err(|refusal| match refusal {
        Refusal::Usage { message, .. } => message,
        Refusal::Text(text) => panic!("{line} prints {text}"),
    })
}

fn text(line: &str) -> String {
    match refusal(line) {
        Err(Refusal::Text(text)) => text,
        Err(Refusal::Usage { message, .. }) => panic!("{line}: {message}"),
        Ok(request) => panic!("{line} is {request:?}"),
    }
}

#[test]
fn everything_is_read() {
    let r = read(
        "simulate --method hht-i3 --alpha -0.1 --tol=1e-6 --t-end 2 --set r=0.2 --set=c[2]=5e3 \
         --init der(theta)=-20 --out a.csv --every .01 --plot a.svg --show x,der(theta) --json --check --quiet",
    )
    .unwrap();
    assert_eq!(r.command, Some(Command::Simulate));
    assert_eq!(r.set, [("r".into(), 0.2), ("c[2]".into(), 5e3)]);
    assert_eq!(r.init, [("der(theta)".into(), -20.0)]);
    assert_eq!((r.alpha, r.tol, r.t_end, r.every), (Some(-0.1), Some(1e-6), Some(2.0), Some(0.01)));
    assert_eq!(r.show, ["x", "der(theta)"]);
    assert!(r.json && r.check && r.quiet);
}

#[test]
fn vectors_and_orientations_are_read_as_their_numbers() {
    let init = |line: &str| read(&format!("simulate --init {line}")).map(|request| request.init);
    let named = |name: &str, k: usize, x: f64| (format!("{name}[{k}]"), x);
    let list = [named("arm.position", 0, 0.0), named("arm.position", 1, -1.5)];
    assert_eq!(init("arm.position=[0,-1.5]"), Ok(list.into()));
    let (sin, cos) = 0.15f64.sin_cos();
    let turned = init("arm.e=axis_angle([0,2,0],0.3)").expect("an orientation");
    let expected = [cos, 0.0, sin, 0.0].into_iter().enumerate();
    assert_eq!(turned, expected.map(|(k, x)| named("arm.e", k, x)).collect::<Vec<_>>());
    let turned = init("arm.e=yaw_pitch_roll(0,0.3,0)").expect("an orientation");
    assert!((turned[2].1 - sin).abs() < 1e-15 && (turned[0].1 - cos).abs() < 1e-15);
    for (line, message) in [
        (
            "arm.e=axis_angle([0,0,0],0.3)",
            "--init: `axis_angle([0,0,0],0.3)` is not of the form axis_angle([0,1,0],0.3)",
        ),
        (
            "arm.e=axis_angle([0,1],0.3)",
            "--init: `axis_angle([0,1],0.3)` is not of the form axis_angle([0,1,0],0.3)",
        ),
        (
            "arm.e=axis_to([0,0,1],[0,0,0])",
            "--init: `axis_to([0,0,1],[0,0,0])` is not of the form axis_to([0,0,1],[0,1,0])",
        ),
        (
            "arm.e=yaw_pitch_roll(1,2)",
            "--init: `yaw_pitch_roll(1,2)` is not of the form yaw_pitch_roll(0.1,0,0)",
        ),
        ("arm.position=[0,x]", "--init: `x` is not a number"),
    ] {
        assert_eq!(init(line), Err(message.to_string()));
    }
}

#[test]
fn mistakes_are_told_with_a_way_out() {
    for (line, expected) in [
        ("", "say what to do: info, check, simulate, compare, plot or compare-runs"),
        ("simulat", "there is no command `simulat`; did you mean `simulate`?"),
        (
            "dance",
            "there is no command `dance`; there are info, check, simulate, compare, plot and compare-runs",
        ),
        ("simulate --tolerence 1", "there is no option --tolerence"),
        ("simulate --tool 1", "there is no option --tool; did you mean --tol?"),
        ("simulate --until 2", "there is no option --until; did you mean --t-end?"),
        ("simulate -q", "there is no option -q"),
        ("info --tol 1", "--tol is an option of `simulate` and `compare-runs`, not of `info`"),
        ("simulate --tol", "--tol needs a value: --tol T"),
        ("simulate --out --json", "--out needs a value: --out FILE.csv"),
        ("simulate --tol abc", "--tol: `abc` is not a number"),
        ("simulate --tol 1,5", "--tol: `1,5` is not a number (the decimal sign is a point)"),
        ("simulate --tol nan", "--tol: `nan` is not a number"),
        ("simulate --tol -1", "--tol must be greater than zero, not -1"),
        ("simulate --step 0", "--step must be greater than zero, not 0"),
        ("simulate --max-step 0", "--max-step must be greater than zero, not 0"),
        ("simulate --max-steps 0", "--max-steps must be greater than zero, not 0"),
        ("simulate --max-steps 1e9", "--max-steps: `1e9` is not a whole number"),
        (
            "info --max-steps 1",
            "--max-steps is an option of `simulate` and `compare`, not of `info`",
        ),
        ("simulate --tol 1 --tol 2", "--tol is given twice"),
        ("simulate --json=yes", "--json takes no value"),
        ("simulate --set r", "--set: `r` is not of the form PARAM=VALUE"),
        ("simulate --set =3", "--set: `=3` is not of the form PARAM=VALUE"),
        ("simulate --init q=a", "--init: `a` is not a number"),
        (
            "simulate r=3",
            "`r=3` is one word too many after `simulate`; options begin with -- (did you mean `--set r=3`?)",
        ),
        ("compare --tols 1e-3,x", "--tols: `x` is not a number"),
        ("compare --steps 1e-3,-1", "--steps must be greater than zero, not -1"),
        ("compare --against joy", "--against: `joy` is not one of time, steps, evaluations"),
        ("simulate --derivatives hand", "--derivatives: `hand` is not one of program, dual"),
        (
            "check --derivatives dual",
            "--derivatives is an option of `simulate` and `compare`, not of `check`",
        ),
        (
            "compare --tol 1e-3",
            "--tol is an option of `simulate` and `compare-runs`, not of `compare`",
        ),
        ("simulate --show x,,y --plot a", "--show: `x,,y` has an empty name in it"),
    ] {
        assert_eq!(read(line).unwrap_err(), expected, "{line}");
    }
    for (line, part) in [
        ("simulate --tol 1 --step 1", "one of the two"),
        ("simulate --max-step 1 --step 1", "one of the two"),
        ("simulate --rho 1 --alpha 0", "one of the two"),
        ("simulate --show x", "give --plot FILE.svg"),
        ("simulate --beside a.csv", "give --animate FILE.html"),
        ("simulate --animate a.html --beside a,b,c,d,e,f,g", "up to 7 runs"),
        ("simulate --plot a.png", "give --plot a.svg"),
        ("simulate --plot a.PDF", "no PDF"),
        ("simulate --animate a.gif", "give --animate a.html, a.glb or a.svg"),
        ("simulate --animate a.glb --beside b.csv", "one run"),
        ("simulate --animate a.glb --show x", "no curves"),
        ("simulate --animate a.svg --beside b.csv", "one run"),
        ("compare --plot a.html", "give --plot FILE.svg"),
        ("--json info", "before --json: info, check, simulate, compare, plot or compare-runs"),
    ] {
        let message = read(line).unwrap_err();
        assert!(message.contains(part), "{line}: {message}");
    }
}

#[test]
fn help_can_be_asked_for_in_every_way() {
    for line in ["--help", "-h", "help"] {
        assert_eq!(text(line), text("--help"), "{line}");
    }
    for line in ["simulate --help", "simulate -h", "help simulate", "simulate --tol 1e-3 --help"] {
        assert_eq!(text(line), text("simulate --help"), "{line}");
    }
    assert!(text("help check").contains("Usage: slider_crank check [OPTIONS]"));
}

#[test]
fn the_defaults_in_the_help_are_those_of_the_library() {
    let words = |line| text(line).split_whitespace().collect::<Vec<_>>().join(" ");
    let simulate = words("simulate --help");
    let method = crate::integrate::Method::default();
    assert!(simulate.contains(&format!("(default: {})", method.name())), "{simulate}");
    let tolerance = crate::integrate::DEFAULT_TOLERANCE;
    assert!(simulate.contains(&format!("(default: {tolerance:e})")), "{simulate}");
    let (run, comparison) = (crate::simulation::DEFAULT_MAX_STEPS, crate::compare::MAX_STEPS);
    let steps = format!("(default: {run}, in a comparison {comparison})");
    assert!(simulate.contains(&steps), "{simulate}");
    let compare = words("compare --help");
    for default in [
        crate::compare::REFERENCE_METHOD.to_string(),
        format!("{:e}", crate::compare::REFERENCE_TOLERANCE),
    ] {
        assert!(compare.contains(&format!("(default: {default})")), "{compare}");
    }
}

#[test]
fn help_fits_a_terminal_and_names_every_option() {
    for command in Command::ALL {
        let text = text(&format!("{} --help", command.name()));
        assert!(text.lines().all(|l| l.chars().count() <= 90), "{text}");
        for option in OPTIONS.iter().filter(|o| o.commands.contains(&command)) {
            let value = match option.value {
                "" => String::new(),
                value => format!(" <{value}>"),
            };
            assert!(text.contains(&format!("  {}{value}  ", option.name)), "{text}");
        }
        for part in [command.about(), "Usage: slider_crank", "Examples:\n  slider", "Exit codes:"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    let text = text("--help");
    assert!(text.lines().all(|l| l.chars().count() <= 90), "{text}");
    assert!(text.starts_with("SliderCrank: Planar.\n\nUsage: slider_crank COMMAND"), "{text}");
}
