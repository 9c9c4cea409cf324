//! Hard use of the macro: blocks drawn from a grammar, and the blocks of all examples with tokens left
//! out, doubled, swapped and put in from elsewhere. `MBD_HARD=1` takes twenty times as many.
//!
//! What is drawn runs in a process of its own, so that a stack that overflows there is a failure with
//! a seed too, and on the stack that rustc gives a macro. The seed is the environment variable
//! `MBD_SEED`, `seed` or `seed:first`, where `first` is the block to begin with.

use crate::expand;
use proc_macro2::{Group, TokenStream, TokenTree};
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::catch_unwind;
use std::process::Command;

/// rustc's threads have as much.
const STACK: usize = 8 << 20;

/// splitmix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// The seed and the first block.
fn seed() -> (u64, usize) {
    let text = std::env::var("MBD_SEED").unwrap_or_else(|_| "1".into());
    let (seed, first) = text.split_once(':').unwrap_or((&text, "0"));
    let number = |text: &str| text.trim().parse().expect("MBD_SEED is `seed` or `seed:first`");
    (number(seed), number(first) as usize)
}

fn hard() -> bool {
    std::env::var("MBD_HARD").is_ok_and(|hard| hard == "1")
}

/// Runs `check` on blocks `first..count` in a process of its own. `check` gets a source of its own for
/// each block, says on failure what is wrong, and counts what it likes in the numbers it returns, which
/// are added.
fn each(test: &str, count: usize, check: fn(&mut Random, usize) -> Result<[usize; 2], String>) {
    const CHILD: &str = "MBD_HARD_CHILD";
    let (seed, first) = seed();
    let count = if hard() { 20 * count } else { count };
    if std::env::var(CHILD).is_ok_and(|name| name == test) {
        let work = move || {
            let mut sums = [0; 2];
            for k in first..first.max(count - 1) + 1 {
                // Not `println!`, which a test's harness keeps to itself until it ends.
                let mut err = std::io::stderr().lock();
                let _ = writeln!(err, "block {k}");
                drop(err);
                let mut random = Random(seed ^ (k as u64).wrapping_mul(0xd134_2543_de82_ef95));
                match check(&mut random, k) {
                    Ok(more) => sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more),
                    Err(what) => {
                        let _ = writeln!(std::io::stderr().lock(), "wrong: {what}");
                        std::process::exit(3);
                    }
                }
            }
            let _ = writeln!(std::io::stderr().lock(), "sums: {} {}", sums[0], sums[1]);
            std::process::exit(0);
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
        let _ = thread.expect("a thread").join();
        std::process::exit(4);
    }
    let this = std::env::current_exe().expect("this program");
    let child = Command::new(this)
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CHILD, test)
        .env("MBD_SEED", format!("{seed}:{first}"))
        .output()
        .expect("this program runs");
    let said = String::from_utf8_lossy(&child.stderr);
    let last = said.lines().rev().find_map(|line| line.strip_prefix("block ")).unwrap_or("?");
    let repeat = format!("MBD_SEED={seed}:{last} cargo test -p mbd-macros --lib {test}");
    let told: Vec<&str> = said.lines().filter(|line| !line.starts_with("block ")).collect();
    assert!(
        child.status.success(),
        "seed {seed}, block {last} ({}). Repeat with\n    {repeat}\n{}",
        child.status,
        told.join("\n")
    );
    let sums = told.iter().find_map(|line| line.strip_prefix("sums: "));
    println!("{test}: seed {seed}, {count} blocks, sums {}", sums.unwrap_or("none"));
}

/// What the macro makes of a block; it must not panic, what it writes must be Rust, and errors have a
/// message. Whether it is told off.
fn expanded(block: TokenStream) -> Result<Vec<String>, String> {
    let text = block.to_string();
    let code = catch_unwind(|| expand::mechanism(block))
        .map_err(|_| format!("the macro panics on\n{text}"))?;
    let file = syn::parse2::<syn::File>(code.clone())
        .map_err(|error| format!("{error} in the code\n{code}\nof\n{text}"))?;
    let mut messages = Vec::new();
    for item in file.items {
        if let syn::Item::Macro(item) = item
            && item.mac.path.segments.last().is_some_and(|last| last.ident == "compile_error")
        {
            let message = syn::parse2::<syn::LitStr>(item.mac.tokens)
                .map_err(|error| format!("an error without a message ({error}) of\n{text}"))?
                .value();
            if message.trim().is_empty() {
                return Err(format!("an empty message of\n{text}"));
            }
            messages.push(message);
        }
    }
    Ok(messages)
}

/// The blocks of the examples, and two that have what these have not.
fn blocks() -> Vec<TokenStream> {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut paths: Vec<_> = std::fs::read_dir(examples)
        .expect("the examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect();
    paths.sort();
    let mut blocks: Vec<TokenStream> =
        ODD.iter().map(|block| block.parse().expect("the test's block lexes")).collect();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("an example");
        let mut before = [String::new(), String::new()];
        for token in text.parse::<TokenStream>().expect("an example lexes") {
            if let TokenTree::Group(group) = &token
                && before == ["mechanism", "!"]
            {
                blocks.push(group.stream());
            }
            let [_, last] = before;
            before = [last, token.to_string()];
        }
    }
    assert!(blocks.len() > 20, "{} blocks", blocks.len());
    blocks
}

const ODD: [&str; 2] = [
    "pub mechanism M {
        size n = 3;
        param r: [m] = 0.1; param k[n]: [N/m] = 5.0; param c[2] = [1.0, 2.0];
        coord theta: [rad]; coord x[n]: [m]; state e: [N]; state s[2];
        variable V: [V] == 2*theta; variable F[n];
        let w = der(theta); let y = r*sin(theta) + [1, 0, 0][1];
        kinetic crank = 0.5*sq(w); mass[theta, theta] = if t > 1 { 1 } else { r };
        for i in 0..n {
            kinetic body = 0.5*sq(der(x[i])); variable F[i] == -k[i]*x[i]; force along x[i] = F[i];
            init x[i] = 0.1*i; output o[i]: [m] = x[i];
        }
        for i in 1..n { holonomic tie: x[i] == x[i - 1]; }
        dissipation film = sq(der(y)); force lift along [y, x[0]] = [t, lambda(tie[0])];
        nonholonomic roll: r*w == der(x[0]); force[theta] = psi(roll) + { let z = PI; z*V };
        der(e) = match 1 { 1 => G, _ => x[0] }; equation lag: der(s[0]) + s[1] == c[0];
        equation more: der(s[1]) == e*gas(y, 2.0);
        init theta = deg(60); guess der(theta) = 1.0; until 2.0;
    }",
    "component Wheel {
        param mass: [kg] = 1.0; coord x: [m]; coord r#type: [rad];
        kinetic = 0.5*mass*sq(der(x)) + 0.25*mass*sq(der(r#type));
        nonholonomic roll: der(x) == 0.3*der(r#type); init x = 1.0;
     }
     mechanism M {
        size n = 2; param m = 2.0;
        body a: Wheel { mass: m }; body b[n]: Wheel; body p: PlanarBody;
        for i in 1..n { potential spring = 0.5*sq(b[i].x - b[i - 1].x); }
        holonomic pin[2]: revolute(ground(), [0, 0.5], p.frame, [-m, 0.0]);
        force drag along a.x = -psi(a.roll)*(|q| q*Self::C)(consts::G); init b[0].x = 2.0;
     }",
];

/// All tokens of a stream, those within groups too.
fn all(stream: TokenStream, out: &mut Vec<TokenTree>) {
    for token in stream {
        if let TokenTree::Group(group) = &token {
            all(group.stream(), out);
        }
        out.push(token);
    }
}

fn mutate(stream: TokenStream, all: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut list: Vec<TokenTree> = stream.into_iter().collect();
    if list.is_empty() {
        return TokenStream::new();
    }
    let at = random.below(list.len());
    if let TokenTree::Group(group) = &list[at]
        && !random.one_in(8)
    {
        let inner = mutate(group.stream(), all, random);
        list[at] = TokenTree::Group(Group::new(group.delimiter(), inner));
        return list.into_iter().collect();
    }
    let other = random.below(list.len());
    let taken = all[random.below(all.len())].clone();
    match random.below(6) {
        0 => drop(list.remove(at)),
        1 => list.swap(at, other),
        2 => list.insert(at, taken),
        3 => list[at] = taken,
        4 => list.insert(at, list[other].clone()),
        // A whole run of tokens again.
        _ => {
            let run: Vec<_> = list[at.min(other)..at.max(other)].to_vec();
            list.splice(at..at, run);
        }
    }
    list.into_iter().collect()
}

#[test]
fn the_examples_blocks_expand() {
    for block in &blocks()[ODD.len()..] {
        assert_eq!(expanded(block.clone()), Ok(Vec::new()), "{block}");
    }
}

#[test]
fn mutated_blocks_expand_or_are_told() {
    each("hard::mutated_blocks_expand_or_are_told", 1500, |random, k| {
        thread_local! {
            static BLOCKS: (Vec<TokenStream>, Vec<TokenTree>) = {
                let blocks = blocks();
                let mut tokens = Vec::new();
                blocks.iter().for_each(|block| all(block.clone(), &mut tokens));
                (blocks, tokens)
            };
        }
        BLOCKS.with(|(blocks, tokens)| {
            let mut block = blocks[k % blocks.len()].clone();
            for _ in 0..1 + random.below(4) {
                block = mutate(block, tokens, random);
            }
            let told = expanded(block)?;
            Ok([usize::from(told.is_empty()), told.len()])
        })
    });
}

/// What may be read where an expression stands.
struct Scope {
    /// Scalars, written out.
    values: Vec<String>,
    /// Velocities, where they may be read.
    rates: Vec<String>,
    /// Scalars of the loop around it.
    local: Vec<String>,
}

/// A scalar expression.
fn expression(random: &mut Random, scope: &Scope, depth: usize) -> String {
    let leaf = |random: &mut Random| -> String {
        let lists = [&scope.values, &scope.rates, &scope.local];
        let list = lists[random.below(3)];
        match random.below(6) {
            0 => random.of(&["1.0", "0.5", "2", "1e-3", "9.81", "PI", "GRAVITY", "3"]).into(),
            1 => random.of(&["t", "time"]).into(),
            _ if list.is_empty() => scope.values[random.below(scope.values.len())].clone(),
            _ => list[random.below(list.len())].clone(),
        }
    };
    if depth == 0 {
        return leaf(random);
    }
    let sub = |random: &mut Random| expression(random, scope, depth - 1);
    match random.below(16) {
        0..=2 => format!("({} + {})", sub(random), sub(random)),
        3 => format!("({} - {})", sub(random), sub(random)),
        4..=5 => format!("({})*({})", sub(random), sub(random)),
        6 => format!("({})/(2.0 + sq({}))", sub(random), sub(random)),
        7 => {
            format!("{}({})", random.of(&["sin", "cos", "sq", "tanh", "atan", "abs"]), sub(random))
        }
        8 => format!("-{}", leaf(random)),
        9 => format!(
            "({}).{}",
            sub(random),
            random.of(&["sin()", "powi(3)", "cos()", "powi(2)", "abs()"])
        ),
        10 => format!(
            "if {} {} {} {{ {} }} else {{ {} }}",
            leaf(random),
            random.of(&["<", ">", "<=", ">="]),
            leaf(random),
            sub(random),
            sub(random)
        ),
        11 => format!("{{ let part = {}; part*part + {} }}", sub(random), leaf(random)),
        12 => format!("[{}, {}][{}]", sub(random), sub(random), random.below(2)),
        13 => format!(
            "{}({}, {})",
            random.of(&["min", "max", "hypot", "atan2"]),
            sub(random),
            sub(random)
        ),
        14 => format!("(|a, b| a*b - a)({}, {})", sub(random), sub(random)),
        _ => format!("smooth_step({}, 0.0, 1.0)", sub(random)),
    }
}

/// A whole block that means something: every parameter and `let` is read, every coordinate has inertia.
fn block(random: &mut Random) -> String {
    let mut out = String::new();
    let mut statements: Vec<String> = Vec::new();
    let (coords, states, params) = (1 + random.below(4), random.below(3), random.below(4));
    let array = random.one_in(2);
    let component = random.one_in(3);
    let mut q = Scope { values: Vec::new(), rates: Vec::new(), local: Vec::new() };
    let mut p = Scope { values: vec!["1.5".into()], rates: Vec::new(), local: Vec::new() };
    for k in 0..params {
        let unit = random.of(&["", ": [-]"]);
        let value = expression(
            random,
            &Scope { values: p.values.clone(), rates: vec![], local: vec![] },
            1,
        );
        // Not of time, nor of functions of the same letter.
        let value = if value.contains('t') { "0.7".into() } else { value };
        statements.push(format!("param p{k}{unit} = {value};"));
        p.values.push(format!("p{k}"));
    }
    q.values.extend(p.values.iter().cloned());
    for k in 0..coords {
        statements.push(format!("coord q{k};"));
        q.values.push(format!("q{k}"));
    }
    let of_positions = Scope { values: q.values.clone(), rates: Vec::new(), local: Vec::new() };
    let read: Vec<String> = (0..params).map(|k| format!("p{k}")).collect();
    let used = |names: &[String]| {
        names.iter().fold("q0".to_string(), |sum, name| format!("{sum} + {name}"))
    };
    statements.push(format!("potential sum = 1e-3*({});", used(&read)));
    for k in 0..coords {
        let inner = expression(random, &of_positions, 2);
        statements.push(if random.one_in(4) {
            format!("mass[q{k}, q{k}] = 1.0 + sq({inner});")
        } else {
            format!("kinetic m{k} = 0.5*(1.0 + sq({inner}))*sq(der(q{k}));")
        });
        q.rates.push(format!("der(q{k})"));
    }
    for k in 0..random.below(4) {
        statements.push(format!("let a{k} = {};", expression(random, &of_positions, 3)));
        statements.push(format!("potential = 0.1*a{k};"));
        q.rates.push(format!("der(a{k})"));
        q.values.push(format!("a{k}"));
    }
    for k in 0..states {
        statements.push(format!("state s{k};"));
        let right = expression(random, &q, 3);
        statements.push(if random.one_in(2) {
            format!("der(s{k}) = {right};")
        } else {
            format!("equation e{k}: der(s{k}) == {right};")
        });
    }
    q.values.extend((0..states).map(|k| format!("s{k}")));
    let rows = random.below(3);
    for k in 0..rows {
        let (left, right) =
            (expression(random, &of_positions, 3), expression(random, &of_positions, 2));
        statements.push(if random.one_in(4) {
            format!("nonholonomic n{k}: der(q0) + {left} == {right};")
        } else if random.one_in(3) {
            q.values.push(format!("lambda(c{k})[1]"));
            format!("holonomic c{k}: [q0 + {left}, q0] == [{right}, 0.0];")
        } else {
            q.values.push(format!("lambda(c{k})"));
            format!("holonomic c{k}: q0 + {left} == {right};")
        });
    }
    if random.one_in(2) {
        statements.push(format!("variable V == {};", expression(random, &q, 2)));
        q.values.push("V".into());
    }
    if array {
        statements.push("size n = 3;".into());
        statements.push("coord x[n];".into());
        let local = Scope {
            values: q.values.clone(),
            rates: q.rates.clone(),
            local: ["x[i]", "der(x[i])", "x[i - 1]", "i", "z"].map(String::from).to_vec(),
        };
        let positions = Scope {
            values: of_positions.values.clone(),
            rates: vec!["x[i]".into()],
            local: vec!["x[i - 1]".into(), "i".into()],
        };
        statements.push("kinetic = 0.5*sq(der(x[0]));".into());
        statements.push(format!(
            "for i in 1..n {{ let z = {}; kinetic = 0.5*(1.0 + sq(z))*sq(der(x[i])); force along x[i] = {}; init x[i] = 0.1*i; output o[i - 1] = {}; }}",
            expression(random, &positions, 2),
            expression(random, &local, 3),
            expression(random, &local, 2),
        ));
    }
    for _ in 0..random.below(3) {
        let force = expression(random, &q, 4);
        statements.push(match random.below(3) {
            0 => format!("force along {} = {force};", expression(random, &of_positions, 2)),
            1 => format!("force[q{}] = {force};", random.below(coords)),
            _ => format!(
                "dissipation = 0.5*sq(der(q0))*(1.0 + sq({}));",
                expression(random, &of_positions, 1)
            ),
        });
    }
    if component {
        out.push_str(
            "component Part { param k = 2.0; coord y; kinetic = 0.5*sq(der(y)); potential = 0.5*k*sq(y); guess y = 0.2; }\n",
        );
        statements.push("body part: Part; body more[2]: Part { k: 3.0 };".into());
        statements.push(format!(
            "potential = sq(part.y - more[1].y)*({});",
            expression(random, &of_positions, 1)
        ));
    }
    statements.push(format!("output power = {};", expression(random, &q, 3)));
    if random.one_in(2) {
        statements.push("init q0 = 0.3; guess der(q0) = -1.0;".into());
    }
    if random.one_in(2) {
        statements.push("until 2.0;".into());
    }
    // Statements may stand in any order, but for defaults.
    let defaults = params;
    for i in (defaults + 1..statements.len()).rev() {
        let j = defaults + random.below(i - defaults + 1);
        statements.swap(i, j);
    }
    let _ = write!(out, "pub mechanism Drawn {{\n    {}\n}}", statements.join("\n    "));
    out
}

#[test]
fn blocks_of_the_grammar_expand() {
    each("hard::blocks_of_the_grammar_expand", 400, |random, _| {
        let text = block(random);
        let tokens: TokenStream = text.parse().map_err(|error| format!("{error} in\n{text}"))?;
        let told = expanded(tokens)?;
        if told.is_empty() { Ok([1, 0]) } else { Err(format!("{told:#?} of\n{text}")) }
    });
}
