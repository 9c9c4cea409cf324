//! The pipeline without rustc: what a block reads, as the dump shows it, and what it rejects.

use crate::block::Blocks;
use crate::diag::Diag;
use crate::{check, dump, expand, parse, resolve, tokens};
use proc_macro2::TokenStream;

/// Parses, resolves and checks a block; gives the dump and the messages.
fn read(block: &str) -> (String, Vec<String>) {
    let tokens: TokenStream = block.parse().expect("the test's block lexes");
    let diag = Diag::new();
    let tokens = tokens::prepare(tokens, &diag);
    let blocks = Blocks::alone(parse::file(tokens, &diag));
    let mut out = String::new();
    for mechanism in &blocks.0[0].file.mechanisms {
        let model = resolve::mechanism(mechanism, &blocks, &diag);
        check::statements(&model, &diag);
        if diag.is_clean() {
            check::whole(&model, &diag);
        }
        check::constants(&model, &diag);
        out += &dump::model(&model);
    }
    (out, diag.messages())
}

#[track_caller]
fn reads(block: &str, expected: &str) {
    let (dump, messages) = read(block);
    assert_eq!(messages, Vec::<String>::new());
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let dump: Vec<&str> = dump.lines().map(str::trim).collect();
    assert_eq!(dump, expected);
}

#[test]
fn statements_read_through_lets_and_der() {
    reads(
        "mechanism M {
            param r: [m] = 0.1;
            coord theta: [rad];
            coord x: [m];
            state e;
            let w = der(theta);
            let y = r*sin(theta);
            let v = der(y);
            kinetic crank = 0.5*sq(w);
            mass[x, x] = 2.0;
            dissipation film = sq(v - der(x));
            force motor along theta = 2.0*(20.0 - w) + 5.0*e + lambda(close);
            force lift along y = t;
            holonomic close: y == x;
            der(e) = 20.0 - w;
            output a = der(v);
        }",
        "mechanism M
         param r [m]
         coord theta [rad]
         coord x [m]
         state e
         kinetic crank
         reads der(theta) through w
         mass[x, x]
         reads
         dissipation film
         reads der(theta), der(x), r, theta through v
         force motor
         reads der(theta), e, lambda(close) through w
         force lift
         reads r, theta through y
         reads t
         holonomic close
         reads r, theta, x through y
         der(e)
         reads der(theta) through w
         output a
         reads der(der(theta)), der(theta), r, theta",
    );
}

#[test]
fn locals_shadow_names_of_the_model() {
    reads(
        "mechanism M {
            coord x;
            coord y;
            mass[x, x] = 1.0;
            mass[y, y] = { let x = 2.0; let f = |y| y*x; f(3.0) };
            potential p = if y > 0 { let y = 1.0; y } else { match 1 { x => 0.5 } };
        }",
        "mechanism M
         coord x
         coord y
         mass[x, x]
         reads
         mass[y, y]
         reads
         potential p
         reads y",
    );
}

#[test]
fn loops_and_bodies_are_instances() {
    reads(
        "component Wheel { param m = 1.0; coord x; kinetic k = 0.5*m*sq(der(x)); let p = 2.0*x; }
         mechanism M {
            size n = 3;
            param k[n] = 5.0;
            param heavy = 3.0;
            body a: Wheel { m: heavy };
            body w[n]: Wheel;
            for i in 1..n {
                let stretch = w[i].p - w[i - 1].p;
                potential spring = 0.5*k[i]*sq(stretch);
            }
            holonomic tie: a.x == w[0].x;
        }",
        "mechanism M
         size n
         param k[n]
         param heavy
         param w.m[n]
         coord a.x
         coord w.x[n]
         kinetic a.k
         reads der(a.x), heavy through a.m
         kinetic w.k for __of_w
         reads der(w.x[__of_w]), w.m[__of_w]
         potential spring for i
         reads k[i], w.x[i - 1], w.x[i] through w.p, w.p, stretch
         holonomic tie
         reads a.x, w.x[0]",
    );
}

#[test]
fn all_mistakes_are_told_at_once() {
    let (_, messages) = read(
        "mechanism M {
            cord x;
            coord y;
            mass[y, y] == 1.0;
            potential p = 0.5*speed^2;
            holonomic h: der(y) = 0.0;
        }",
    );
    let expected = [
        "`cord` is not a keyword of the language; did you mean `coord`?",
        "`mass` takes `=`: `==` states an equation",
        "`holonomic` states an equation: write `==`",
        "`^` is not a power in Rust: write `sq(x)`, `x.powi(3)` or `x.powf(1.5)`",
        "unknown name `speed`",
        "the constraint `holonomic h` reads the velocity `der(y)`; a constraint on velocities is `nonholonomic`",
    ];
    assert_eq!(messages, expected);
}

#[test]
fn struct_and_ids_are_emitted_beside_errors() {
    let block = "pub mechanism M { param r = 1.0; coord x; coord y[2]; output o = x + unknown; }";
    let code = expand::mechanism(block.parse().unwrap()).to_string();
    for part in [
        "compile_error",
        "pub struct M",
        "pub r : :: core :: primitive :: f64",
        "impl :: core :: default :: Default for M",
        "pub const x",
        "pub fn y",
        "pub const o",
        "impl :: mbd :: Mechanism for M",
    ] {
        assert!(code.contains(part), "{part} is missing in {code}");
    }
}

#[test]
fn users_tokens_appear_where_rust_needs_numbers_only() {
    // What becomes of plain numbers is a rule users rely on; see docs/book/src/language.md.
    let value = |e: &str| {
        let block = format!(
            "mechanism M {{ size n = 2; param c = 1.0; coord x; mass[x, x] = c; for i in 0..n {{ potential p = {e}; }} }}"
        );
        let code = expand::mechanism(block.parse().unwrap()).to_string();
        let start = code.rfind("> :: from (").expect(&code) + "> :: from (".len();
        let end = code[start..].find(")]").map_or(code.len(), |e| start + e);
        code[start..end].replace(' ', "")
    };
    assert_eq!(value("2*x"), "2.0*x");
    assert_eq!(value("1/2*x"), "1.0/2.0*x");
    assert_eq!(value("i*x"), "((__i_index)as::core::primitive::f64)*x");
    assert_eq!(value("x.powi(2)"), "x.powi(2)");
    assert_eq!(value("max(x, 0)"), "max(x,__mbd::num::<__D>(0.0))");
    assert_eq!(value("f(i, 2, x)"), "f(__i_index,2,__mbd::pass(x))");
    // Both sides of a comparison of scalars are written down; whole numbers are compared as in Rust.
    assert_eq!(
        value("if x > 0 { 1 } else { x }"),
        "{let(__yes,__no)=(||{__mbd::num::<__D>(1.0)},||{x});\
         __mbd::compared::With::above(x,0.0).choose_with(__yes,__no)}"
    );
    assert!(
        value("if !(x < 1 || x >= 2) && x != 0 { x } else if t > c { 2*x } else { 0 }").ends_with(
            "__mbd::compared::With::below(x,1.0).choose_with(&__no,||\
         __mbd::compared::With::at_least(x,2.0).choose_with(&__no,||\
         __mbd::compared::With::equals(x,0.0).choose_with(&__no,&__yes)))}"
        )
    );
    // Where no spelling tells what the branches are, their type does; what is no scalar visibly is Rust's own.
    let code = value("max(if x != 0 { f(x) } else { g(x) }, x)");
    assert!(code.contains("__of.pick(||__sides.equals(__holds),__holds,__no,__yes)"), "{code}");
    assert!(code.contains("let__holds=||*__left==*__right;"), "{code}");
    for no_scalar in [
        "f(if x > 0 { \"a\" } else { \"b\" })",
        "f(if x > 0 { true } else { x > c })",
        "f(if x > 0 { let mut y = g(x); y.taken() } else { g(x) })",
    ] {
        let code = value(no_scalar);
        assert!(code.contains("ifx>0.0{") && !code.contains("pick"), "{code}");
    }
    assert_eq!(value("if i > 0 { x } else { 1 }"), "if__i_index>0{x}else{__mbd::num::<__D>(1.0)}");
    // What changes something on one side, or leaves, is Rust's own.
    let code = value("if x > 0 { let mut y = x; y += 1; y } else { x }");
    assert!(!code.contains("choose_with"), "{code}");
    assert_eq!(value("3"), "__mbd::num::<__D>(3.0)");
}

/// A block with a coordinate, and more statements.
fn told(statements: &str) -> Vec<String> {
    read(&format!("mechanism M {{ coord x: [m]; mass[x, x] = 1.0; {statements} }}")).1
}

#[test]
fn initial_values_are_stated_once() {
    let twice = |what: &str| {
        vec![
            format!("the initial value of `{what}` is set twice"),
            format!("that of `{what}` is first set here"),
        ]
    };
    assert_eq!(told("init x = 1.0; init x = 2.0;"), twice("x"));
    assert_eq!(told("guess x = 1.0; init x = 2.0;"), twice("x"));
    assert_eq!(told("init der(x) = 1.0; guess der(x) = 2.0;"), twice("der(x)"));
    assert_eq!(told("init x = 1.0; init der(x) = 2.0;"), Vec::<String>::new());
    let array = |statements: &str| {
        told(&format!("coord y[4]; for i in 0..4 {{ mass[y[i], y[i]] = 1.0; }} {statements}"))
    };
    assert_eq!(array("init y[1] = 1.0; init y[1] = 2.0;"), twice("y"));
    assert_eq!(array("for i in 0..4 { init y[i] = 1.0; guess y[i] = 2.0; }"), twice("y"));
    // Which entries these are is known when the model is built.
    assert_eq!(array("for i in 0..4 { init y[i] = 1.0; } init y[2] = 2.0;"), Vec::<String>::new());
}

#[test]
fn a_component_gives_defaults() {
    let (_, messages) = read(
        "component C { coord x; mass[x, x] = 1.0; init x = 1.0; init x = 2.0; }
         mechanism M { body c: C; init c.x = 3.0; }",
    );
    assert_eq!(messages.len(), 2, "{messages:?}");
    let (_, messages) = read(
        "component C { coord x; mass[x, x] = 1.0; init x = 1.0; }
         component D { init c.x = 2.0; body c: C; }
         mechanism M { init d.c.x = 3.0; body d: D; }",
    );
    assert_eq!(messages, Vec::<String>::new());
}

#[test]
fn angles_that_move_are_in_radians() {
    let [message] = &told("coord a: [deg]; mass[a, a] = 1.0;")[..] else { panic!() };
    assert!(message.contains("write `[rad]` in place of `deg`; 60 degrees are `deg(60)`"));
    assert_eq!(told("state a: [rpm]; der(a) = 1.0;").len(), 1);
    assert_eq!(
        told("param a: [deg] = 30.0; force[x] = a; output o: [deg] = a;"),
        Vec::<String>::new()
    );
}

#[test]
fn units_that_are_none_are_told() {
    let [message] = &told("param k: [N/mmm] = 1.0; force[x] = k;")[..] else { panic!() };
    assert_eq!(message, "unknown unit `mmm`; did you mean `mm`?");
}

#[test]
fn a_name_in_the_wrong_case_is_told() {
    let messages = told("param k: [N/m] = 1.0; potential = 0.5*K*sq(x);");
    let expected = [
        "parameter `k` is not used; remove it, or begin its name with `_` to keep it",
        "`K` is not a name of the model and is taken for a Rust constant; did you mean `k`?",
    ];
    assert_eq!(messages, expected);
    let messages = told("kinetic = 0.5*sq(der(X));");
    assert!(messages[1].contains("did you mean `x`?"), "{messages:?}");
    // A constant of the user's own is none of the language's business.
    assert_eq!(told("potential = 0.5*STIFFNESS*sq(x);"), Vec::<String>::new());
}

#[test]
fn components_may_be_deep_but_not_endless() {
    let deep = |n: usize, last: &str| {
        let mut block = format!("component C0 {{ coord x; mass[x, x] = 1.0; {last} }}");
        for k in 1..n {
            block += &format!("component C{k} {{ body b: C{}; }}", k - 1);
        }
        read(&format!("{block} mechanism M {{ body b: C{}; }}", n - 1)).1
    };
    assert_eq!(deep(40, ""), Vec::<String>::new());
    assert_eq!(deep(20, "body again: C7;"), ["component `C7` contains itself"]);
}

#[test]
fn names_of_the_code_itself_are_reserved() {
    let messages = told("coord __z; mass[__z, __z] = 1.0;");
    assert!(messages[0].contains("reserved"), "{messages:?}");
}

/// What is long is followed, in a debug build on a stack as rustc's; what is too deep is told.
#[test]
fn blocks_may_be_long_and_are_told_when_too_deep() {
    let work = || {
        let good = |statements: &str| {
            let block = format!("mechanism M {{ coord x; mass[x, x] = 1.0; {statements} }}");
            let code = expand::mechanism(block.parse().unwrap()).to_string();
            assert!(!code.contains("compile_error"), "{}", &code[..500]);
        };
        let sum = |n: usize, term: &str, op: &str| vec![term; n].join(op);
        good(&format!("potential = {};", sum(10_000, "sin(x)", " + ")));
        good(&format!("holonomic h: {} == {};", sum(5000, "x", " - "), sum(5000, "2*x", "+")));
        good(&format!("potential = {};", sum(10_000, "x", "*")));
        good(&format!("potential = x{};", ".sin()".repeat(5000)));
        let lets = |order: &mut dyn Iterator<Item = usize>| {
            let lets: String = order.map(|k| format!("let a{} = a{k} + 0.5*x;", k + 1)).collect();
            format!("let a0 = x; {lets} potential = a5000; force[x] = der(a5000);")
        };
        good(&lets(&mut (0..5000)));
        good(&lets(&mut (0..5000).rev()));
        let single = told(&format!("{} output o[3] = a5000;", lets(&mut (0..5000))));
        assert!(single[0].contains("is one scalar"), "{single:?}");
        let nested = |n: usize| format!("potential = {}x{};", "(".repeat(n), ")".repeat(n));
        good(&nested(100));
        let deep = told(&nested(5000));
        assert!(deep[0].contains("nested more than 128 deep"), "{deep:?}");
        let signs = told(&format!("potential = {}x;", "-".repeat(5000)));
        assert!(signs[0].contains("more than 128 signs"), "{signs:?}");
        let branches =
            told(&format!("potential = {} {{ x }};", "if x > 0 { x } else ".repeat(3000)));
        assert!(branches[0].contains("`else` branches"), "{branches:?}");
    };
    std::thread::Builder::new().stack_size(8 << 20).spawn(work).unwrap().join().unwrap();
}
