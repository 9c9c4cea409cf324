//! Units: `[m]`, `[N/m]`, `[kg*m^2]`, `[1/s]`, `[-]`. Carried as text beside what they are in SI base
//! units.

use crate::diag::nearest;
use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitFloat, LitInt, Token, parenthesized, token};

/// Base units: m, kg, s, A, K, mol, cd.
const BASES: usize = 7;

/// A unit as a number of products of powers of the SI base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    /// How many of the coherent SI unit it is: 0.001 for mm.
    pub scale: f64,
    /// Powers of m, kg, s, A, K, mol, cd.
    pub powers: [f64; BASES],
}

const ONE: Dimension = Dimension { scale: 1.0, powers: [0.0; BASES] };

impl Dimension {
    fn times(mut self, other: Dimension, power: f64) -> Dimension {
        self.scale *= other.scale.powf(power);
        for (own, of) in self.powers.iter_mut().zip(other.powers) {
            *own += power * of;
        }
        self
    }
}

/// A unit as written, without blanks.
pub struct Unit {
    pub text: String,
    pub dimension: Dimension,
    /// The place and name of an angle that is not in rad.
    pub turned: Option<(Span, String)>,
}

/// A symbol of the table: what it is in SI, and whether it takes prefixes.
struct Symbol(&'static str, f64, [i8; BASES], bool);

const DEGREE: f64 = std::f64::consts::PI / 180.0;
const POUND: f64 = 0.45359237;
const FOOT: f64 = 0.3048;
const GRAVITY: f64 = 9.80665;

#[rustfmt::skip]
const SYMBOLS: &[Symbol] = &[
    // Base units, and the gram that carries the prefixes of the kilogram.
    Symbol("m", 1.0, [1, 0, 0, 0, 0, 0, 0], true),
    Symbol("g", 1e-3, [0, 1, 0, 0, 0, 0, 0], true),
    Symbol("s", 1.0, [0, 0, 1, 0, 0, 0, 0], true),
    Symbol("A", 1.0, [0, 0, 0, 1, 0, 0, 0], true),
    Symbol("K", 1.0, [0, 0, 0, 0, 1, 0, 0], true),
    Symbol("mol", 1.0, [0, 0, 0, 0, 0, 1, 0], true),
    Symbol("cd", 1.0, [0, 0, 0, 0, 0, 0, 1], true),
    // Derived.
    Symbol("rad", 1.0, [0; BASES], true),
    Symbol("sr", 1.0, [0; BASES], false),
    Symbol("Hz", 1.0, [0, 0, -1, 0, 0, 0, 0], true),
    Symbol("N", 1.0, [1, 1, -2, 0, 0, 0, 0], true),
    Symbol("Pa", 1.0, [-1, 1, -2, 0, 0, 0, 0], true),
    Symbol("J", 1.0, [2, 1, -2, 0, 0, 0, 0], true),
    Symbol("W", 1.0, [2, 1, -3, 0, 0, 0, 0], true),
    Symbol("C", 1.0, [0, 0, 1, 1, 0, 0, 0], true),
    Symbol("V", 1.0, [2, 1, -3, -1, 0, 0, 0], true),
    Symbol("F", 1.0, [-2, -1, 4, 2, 0, 0, 0], true),
    Symbol("ohm", 1.0, [2, 1, -3, -2, 0, 0, 0], true),
    Symbol("Ω", 1.0, [2, 1, -3, -2, 0, 0, 0], true),
    Symbol("S", 1.0, [-2, -1, 3, 2, 0, 0, 0], true),
    Symbol("Wb", 1.0, [2, 1, -2, -1, 0, 0, 0], true),
    Symbol("T", 1.0, [0, 1, -2, -1, 0, 0, 0], true),
    Symbol("H", 1.0, [2, 1, -2, -2, 0, 0, 0], true),
    // Others in use.
    Symbol("deg", DEGREE, [0; BASES], false),
    Symbol("rev", 360.0*DEGREE, [0; BASES], false),
    Symbol("rpm", 6.0*DEGREE, [0, 0, -1, 0, 0, 0, 0], false),
    Symbol("min", 60.0, [0, 0, 1, 0, 0, 0, 0], false),
    Symbol("h", 3600.0, [0, 0, 1, 0, 0, 0, 0], false),
    Symbol("d", 86400.0, [0, 0, 1, 0, 0, 0, 0], false),
    Symbol("t", 1e3, [0, 1, 0, 0, 0, 0, 0], false),
    Symbol("L", 1e-3, [3, 0, 0, 0, 0, 0, 0], true),
    Symbol("l", 1e-3, [3, 0, 0, 0, 0, 0, 0], true),
    Symbol("bar", 1e5, [-1, 1, -2, 0, 0, 0, 0], true),
    Symbol("atm", 101325.0, [-1, 1, -2, 0, 0, 0, 0], false),
    Symbol("Wh", 3600.0, [2, 1, -2, 0, 0, 0, 0], true),
    Symbol("eV", 1.602176634e-19, [2, 1, -2, 0, 0, 0, 0], true),
    Symbol("in", FOOT/12.0, [1, 0, 0, 0, 0, 0, 0], false),
    Symbol("ft", FOOT, [1, 0, 0, 0, 0, 0, 0], false),
    Symbol("mi", 5280.0*FOOT, [1, 0, 0, 0, 0, 0, 0], false),
    Symbol("lb", POUND, [0, 1, 0, 0, 0, 0, 0], false),
    Symbol("slug", POUND*GRAVITY/FOOT, [0, 1, 0, 0, 0, 0, 0], false),
    Symbol("lbf", POUND*GRAVITY, [1, 1, -2, 0, 0, 0, 0], false),
    Symbol("psi", 144.0*POUND*GRAVITY/(FOOT*FOOT), [-1, 1, -2, 0, 0, 0, 0], false),
    Symbol("hp", 550.0*FOOT*POUND*GRAVITY, [2, 1, -3, 0, 0, 0, 0], false),
];

const PREFIXES: &[(&str, f64)] = &[
    ("da", 1e1),
    ("p", 1e-12),
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("h", 1e2),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
];

/// Names in full, and how they are written here.
const NAMES: &[(&str, &str)] = &[
    ("metre", "m"),
    ("meter", "m"),
    ("kilogram", "kg"),
    ("gram", "g"),
    ("second", "s"),
    ("sec", "s"),
    ("minute", "min"),
    ("hour", "h"),
    ("hr", "h"),
    ("newton", "N"),
    ("joule", "J"),
    ("watt", "W"),
    ("pascal", "Pa"),
    ("hertz", "Hz"),
    ("volt", "V"),
    ("ampere", "A"),
    ("amp", "A"),
    ("kelvin", "K"),
    ("radian", "rad"),
    ("degree", "deg"),
    ("turn", "rev"),
    ("inch", "in"),
    ("foot", "ft"),
    ("pound", "lb"),
    ("tonne", "t"),
    ("ton", "t"),
    ("kph", "km/h"),
    ("kmh", "km/h"),
    ("mph", "mi/h"),
];

/// Angles that sines and time derivatives do not take as they are.
const TURNED: &[&str] = &["deg", "rev", "rpm"];

impl Symbol {
    fn dimension(&self, prefix: f64) -> Dimension {
        Dimension { scale: prefix * self.1, powers: self.2.map(f64::from) }
    }
}

/// A symbol with or without a prefix.
fn symbol(text: &str) -> Option<Dimension> {
    if let Some(symbol) = SYMBOLS.iter().find(|symbol| symbol.0 == text) {
        return Some(symbol.dimension(1.0));
    }
    PREFIXES.iter().find_map(|(prefix, factor)| {
        let rest = text.strip_prefix(prefix)?;
        let symbol = SYMBOLS.iter().find(|symbol| symbol.0 == rest && symbol.3)?;
        Some(symbol.dimension(*factor))
    })
}

/// What an unknown symbol may be meant for.
fn unknown(text: &str) -> String {
    let lower = text.to_lowercase();
    let named = NAMES.iter().find(|(name, _)| lower == *name || lower == format!("{name}s"));
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = |text: &str| SYMBOLS.iter().any(|symbol| symbol.0 == text);
    let product = text
        .char_indices()
        .skip(1)
        .map(|(at, _)| text.split_at(at))
        .find(|(left, right)| plain(left) && plain(right));
    let meant = if let Some((_, symbol)) = named {
        Some((*symbol).to_string())
    } else if digits.len() < text.len() && symbol(digits).is_some() {
        Some(format!("{digits}^{}", &text[digits.len()..]))
    } else if let Some((left, right)) = product {
        Some(format!("{left}*{right}"))
    } else {
        let common =
            ["mm", "cm", "km", "kg", "mg", "ms", "kN", "mN", "kPa", "MPa", "GPa", "kJ", "kW"];
        let known = SYMBOLS.iter().map(|symbol| symbol.0).chain(common);
        nearest(text, known).map(String::from)
    };
    match meant {
        Some(meant) => format!("unknown unit `{text}`; did you mean `{meant}`?"),
        None => {
            let known: Vec<&str> = SYMBOLS.iter().map(|symbol| symbol.0).collect();
            format!(
                "unknown unit `{text}`; known are {}, SI units with their prefixes as in `mm`, and `-` for a pure number",
                known.join(", ")
            )
        }
    }
}

/// What a unit that was parsed before is in SI; `None` of no unit.
pub fn dimension(text: &str) -> Option<Dimension> {
    let unit: Unit = syn::parse_str(text).ok()?;
    (!unit.text.is_empty()).then_some(unit.dimension)
}

impl Parse for Unit {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut unit = Unit { text: String::new(), dimension: ONE, turned: None };
        if input.is_empty() {
            return Ok(unit);
        }
        if input.peek(Token![-]) && input.peek2(syn::parse::End) {
            input.parse::<Token![-]>()?;
            unit.text = "-".into();
        } else if input.parse::<Option<Token![%]>>()?.is_some() {
            unit.text = "%".into();
            unit.dimension.scale = 0.01;
        } else {
            unit.dimension = product(input, &mut unit)?;
        }
        end(input)?;
        Ok(unit)
    }
}

fn end(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() { Ok(()) } else { Err(bad(input)) }
}

fn bad(input: ParseStream<'_>) -> syn::Error {
    input.error(
        "this is not a unit; write symbols with `*`, `/` and powers, as in `[kg*m^2/s]`, or `[-]` \
         for a pure number",
    )
}

fn product(input: ParseStream<'_>, unit: &mut Unit) -> syn::Result<Dimension> {
    let mut dimension = factor(input, unit)?;
    loop {
        let power = if input.parse::<Option<Token![*]>>()?.is_some() {
            unit.text.push('*');
            1.0
        } else if input.parse::<Option<Token![.]>>()?.is_some() {
            unit.text.push('.');
            1.0
        } else if input.parse::<Option<Token![/]>>()?.is_some() {
            unit.text.push('/');
            -1.0
        } else {
            return Ok(dimension);
        };
        dimension = dimension.times(factor(input, unit)?, power);
    }
}

fn factor(input: ParseStream<'_>, unit: &mut Unit) -> syn::Result<Dimension> {
    let dimension = if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        unit.text.push('(');
        let dimension = product(&content, unit)?;
        end(&content)?;
        unit.text.push(')');
        dimension
    } else if input.peek(LitInt) {
        let one: LitInt = input.parse()?;
        if one.to_string() != "1" {
            return Err(syn::Error::new(
                one.span(),
                "a unit has no number but 1, as in `[1/s]`; scale the value instead",
            ));
        }
        unit.text.push('1');
        ONE
    } else if input.peek(Ident::peek_any) {
        let name = input.call(Ident::parse_any)?;
        let text = name.to_string();
        unit.text.push_str(&text);
        if TURNED.contains(&text.as_str()) {
            unit.turned = Some((name.span(), text.clone()));
        }
        symbol(&text).ok_or_else(|| syn::Error::new(name.span(), unknown(&text)))?
    } else {
        return Err(bad(input));
    };
    if input.parse::<Option<Token![^]>>()?.is_none() {
        return Ok(dimension);
    }
    unit.text.push('^');
    let power = if input.peek(token::Paren) {
        let content;
        parenthesized!(content in input);
        unit.text.push('(');
        let above = number(&content, unit)?;
        content.parse::<Token![/]>()?;
        unit.text.push('/');
        let below = number(&content, unit)?;
        end(&content)?;
        unit.text.push(')');
        above / below
    } else {
        number(input, unit)?
    };
    if !power.is_finite() {
        return Err(bad(input));
    }
    Ok(ONE.times(dimension, power))
}

/// The number of a power.
fn number(input: ParseStream<'_>, unit: &mut Unit) -> syn::Result<f64> {
    let mut sign = 1.0;
    if input.parse::<Option<Token![-]>>()?.is_some() {
        unit.text.push('-');
        sign = -1.0;
    }
    let value: f64 = if input.peek(LitFloat) {
        let float: LitFloat = input.parse()?;
        unit.text.push_str(&float.to_string());
        float.base10_parse()?
    } else if input.peek(LitInt) {
        let int: LitInt = input.parse()?;
        unit.text.push_str(&int.to_string());
        int.base10_parse()?
    } else {
        return Err(bad(input));
    };
    Ok(sign * value)
}

#[cfg(test)]
mod tests {
    use super::{Dimension, Unit, symbol};

    fn read(text: &str) -> Dimension {
        syn::parse_str::<Unit>(text).unwrap().dimension
    }

    fn error(text: &str) -> String {
        syn::parse_str::<Unit>(text).err().unwrap().to_string()
    }

    #[test]
    fn units_are_carried_as_text() {
        for (written, text) in [
            ("m", "m"),
            ("N / m", "N/m"),
            ("kg*m^2", "kg*m^2"),
            ("1/s^2", "1/s^2"),
            ("s^-1", "s^-1"),
            ("N.m/(rad/s)", "N.m/(rad/s)"),
            ("N/m^1.5", "N/m^1.5"),
            ("N/m^(3/2)", "N/m^(3/2)"),
            ("-", "-"),
            ("%", "%"),
            ("", ""),
        ] {
            assert_eq!(syn::parse_str::<Unit>(written).unwrap().text, text);
        }
        for bad in ["2*m", "m+s", "kg m", "m^x", "m/", "m^(1/0)", "-m", "m^"] {
            assert!(syn::parse_str::<Unit>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn units_are_what_they_are_in_si() {
        let same = |a: &str, b: &str| {
            let (a, b) = (read(a), read(b));
            assert_eq!(a.powers, b.powers);
            assert!((a.scale / b.scale - 1.0).abs() < 1e-12, "{a:?} {b:?}");
        };
        same("N", "kg*m/s^2");
        same("kN/mm", "MN/m");
        same("N*m/rad", "J");
        same("W", "V*A");
        same("V/A", "ohm");
        same("Pa*m^2", "N");
        same("N*s/m", "kg/s");
        same("V*s", "Wb");
        same("H*A^2", "J");
        same("F*V^2", "J");
        same("T*m^2", "Wb");
        same("S", "1/ohm");
        same("C", "A*s");
        same("(N/m^(3/2))^2", "N^2/m^3");
        same("min^-1", "1/min");
        same("ug", "1/(1/(mg.m))/m.m/km");
        same("psi", "lbf/in^2");
        assert!((read("psi").scale - 6894.757293168).abs() < 1e-6);
        assert!((read("hp").scale - 745.69987158).abs() < 1e-6);
        assert!((read("rpm").scale - 0.10471975511966).abs() < 1e-13);
        assert_eq!((read("mm").scale, read("min").scale, read("cd").scale), (1e-3, 60.0, 1.0));
    }

    /// A symbol that could be read as a prefix and another one.
    #[test]
    fn symbols_come_before_prefixes() {
        for text in ["min", "ft", "cd", "Pa", "mol", "h", "d", "T", "t", "deg", "rad"] {
            assert!(symbol(text).is_some(), "{text}");
        }
        for text in ["kmin", "mdeg", "kt", "mft", "x", "kgg", "kkg"] {
            assert!(symbol(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_told_with_what_is_meant() {
        for (text, meant) in [
            ("kgg", "kg"),
            ("n", "N"),
            ("newton", "N"),
            ("seconds", "s"),
            ("Nm", "N*m"),
            ("m2", "m^2"),
            ("Rad", "rad"),
            ("kmh", "km/h"),
            ("Mpa", "MPa"),
        ] {
            assert!(error(text).ends_with(&format!("did you mean `{meant}`?")), "{}", error(text));
        }
        assert!(error("furlong").contains("known are m, g, s"), "{}", error("furlong"));
    }
}
