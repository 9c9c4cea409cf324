//! The pipeline without rustc: what a block reads, as the dump shows it, and what it rejects.

use crate::diag::Diag;
use crate::{check, dump, expand, parse, resolve};
use proc_macro2::TokenStream;

/// Parses, resolves and checks a block; gives the dump and the messages.
fn read(block: &str) -> (String, Vec<String>) {
    let tokens: TokenStream = block.parse().expect("the test's block lexes");
    let diag = Diag::new();
    let file = parse::file(tokens, &diag);
    let mut out = String::new();
    for mechanism in &file.mechanisms {
        let model = resolve::mechanism(mechanism, &file.components, &diag);
        check::statements(&model, &diag);
        if diag.is_clean() {
            check::whole(&model, &diag);
        }
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
         kinetic w.k for __w
         reads der(w.x[__w]), w.m[__w]
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
        "pub r : f64",
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
    // What becomes of plain numbers is a rule users rely on; see docs/language.md.
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
    assert_eq!(value("i*x"), "((i)asf64)*x");
    assert_eq!(value("x.powi(2)"), "x.powi(2)");
    assert_eq!(value("max(x, 0)"), "max(x,::mbd::__private::num::<__D>(0.0))");
    assert_eq!(value("f(i, 2, x)"), "f(i,2,x)");
    assert_eq!(
        value("if x > 0 { 1 } else { x }"),
        "ifx>0.0{::mbd::__private::num::<__D>(1.0)}else{x}"
    );
    assert_eq!(value("3"), "::mbd::__private::num::<__D>(3.0)");
}
