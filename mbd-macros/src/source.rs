//! The file that a block stands in: what it tells of names that Rust looks up, for the words of refusals.
//!
//! A macro sees its own tokens only. Where a name stands for nothing, or for a function of plain numbers, rustc says so
//! in words that are not the language's; the file tells it before. Only what is certain is told: what may come from
//! another file (through a glob, or a macro's text) is left to rustc.

use crate::names;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// Items of a file, wherever they stand in it.
#[derive(Default)]
pub struct Source {
    /// Names that `use` brings, and those of modules, functions and macros.
    brought: BTreeSet<String>,
    /// What may bring any name.
    glob: bool,
    /// Functions that are not generic: the types of what they take, as text; `None` where there are two of a name.
    functions: BTreeMap<String, Option<Vec<String>>>,
    /// Whether a block stands in it, and not only in a macro's text.
    block: bool,
}

impl Source {
    /// The file of a token, if that is where its text stands: that of an example in documentation is a comment of its file.
    pub fn of(span: Span, token: &str) -> Option<Source> {
        if !proc_macro::is_available() {
            return None;
        }
        let span = span.unwrap();
        let text = std::fs::read_to_string(span.local_file()?).ok()?;
        let start = span.start();
        let line = text.lines().nth(start.line().checked_sub(1)?)?;
        let before: String = line.chars().take(start.column().checked_sub(1)?).collect();
        if before.contains("//") || !line[before.len()..].starts_with(token) {
            return None;
        }
        Source::read(&text).filter(|source| source.block)
    }

    fn read(text: &str) -> Option<Source> {
        let mut source = Source::default();
        source.items(text.parse().ok()?);
        Some(source)
    }

    /// Whether a name cannot be one that the file or another brings.
    pub fn lacks(&self, name: &str) -> bool {
        !self.glob && !self.brought.contains(name)
    }

    /// Whether the file has or names something of this name.
    pub fn has(&self, name: &str) -> bool {
        self.brought.contains(name)
    }

    /// Types of what a function takes that is declared here alone, with no `#[differentiable]` and nothing generic.
    pub fn function(&self, name: &str) -> Option<&[String]> {
        self.functions.get(name)?.as_deref().filter(|_| !self.glob)
    }

    fn items(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let word = |i: usize| match tokens.get(i) {
            Some(TokenTree::Ident(word)) => names::text(word),
            _ => String::new(),
        };
        let group = |i: usize| match tokens.get(i) {
            Some(TokenTree::Group(group)) => Some(group),
            _ => None,
        };
        let bang =
            |i: usize| matches!(tokens.get(i), Some(TokenTree::Punct(p)) if p.as_char() == '!');
        let (mut i, mut differentiable, mut methods) = (0, false, false);
        while i < tokens.len() {
            match &*word(i) {
                "use" => {
                    let path: Vec<TokenTree> = tokens[i + 1..]
                        .iter()
                        .take_while(|token| !is(token, ';'))
                        .cloned()
                        .collect();
                    i += path.len();
                    self.used(path);
                }
                "fn" if !word(i + 1).is_empty() => {
                    self.function_is(word(i + 1), group(i + 2), differentiable);
                    differentiable = false;
                }
                "mod" => {
                    self.brought.insert(word(i + 1));
                }
                "impl" | "trait" => methods = true,
                "include" if bang(i + 1) => self.glob = true,
                "macro_rules" if bang(i + 1) => {
                    self.brought.insert(word(i + 2));
                    i += 3;
                    // What its text brings, it brings here too; a block in it may stand anywhere.
                    let block = self.block;
                    if let Some(text) = group(i) {
                        self.items(text.stream());
                    }
                    self.block = block;
                    i += 1;
                    continue;
                }
                "mechanism" | "component" if bang(i + 1) => {
                    self.block = true;
                    i += 2;
                }
                _ => {}
            }
            if let Some(group) = group(i) {
                match group.delimiter() {
                    Delimiter::Bracket if i > 0 && is(&tokens[i - 1], '#') => {
                        differentiable |= group.stream().to_string().contains("differentiable");
                    }
                    Delimiter::Brace if methods => methods = false,
                    _ => self.items(group.stream()),
                }
            }
            i += 1;
        }
    }

    /// The names of a `use`.
    fn used(&mut self, path: Vec<TokenTree>) {
        let text: String = path.iter().map(ToString::to_string).collect();
        // What it brings is known.
        if text == "mbd::prelude::*" {
            return;
        }
        self.glob |= text.contains('*');
        let mut open = path;
        while let Some(token) = open.pop() {
            match token {
                TokenTree::Ident(name) => {
                    self.brought.insert(names::text(&name));
                }
                TokenTree::Group(group) => open.extend(group.stream()),
                _ => {}
            }
        }
    }

    fn function_is(&mut self, name: String, arguments: Option<&Group>, differentiable: bool) {
        let plain = arguments
            .filter(|arguments| arguments.delimiter() == Delimiter::Parenthesis && !differentiable);
        let types = plain.filter(|_| !self.brought.contains(&name)).map(types);
        self.brought.insert(name.clone());
        self.functions.insert(name, types);
    }
}

fn is(token: &TokenTree, of: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == of)
}

/// `f64` and `[f64;2]` of `(x: f64, v: [f64; 2])`.
fn types(arguments: &Group) -> Vec<String> {
    let mut list = vec![String::new()];
    let (mut named, mut depth) = (false, 0);
    for token in arguments.stream() {
        match &token {
            TokenTree::Punct(p) if p.as_char() == '<' => depth += 1,
            TokenTree::Punct(p) if p.as_char() == '>' => depth -= 1,
            _ if is(&token, ',') && depth == 0 => {
                list.push(String::new());
                named = false;
                continue;
            }
            _ if is(&token, ':') && !named => {
                named = true;
                continue;
            }
            _ => {}
        }
        if let Some(last) = list.last_mut()
            && named
        {
            last.extend(token.to_string().chars().filter(|c| !c.is_whitespace()));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Source {
        Source::read(text).expect("it is Rust")
    }

    #[test]
    fn what_a_file_brings_is_known() {
        let source = read(
            "use mbd::prelude::*; use mbd::components::{rod, force as law}; mod parts { fn inner() {} }
             // fn remark(x: f64)
             mechanism! { mechanism M { holonomic a[2]: revolute(x); } }",
        );
        for name in ["rod", "force", "law", "parts", "inner"] {
            assert!(!source.lacks(name) && source.has(name), "{name}");
        }
        for name in ["revolute", "remark", "M"] {
            assert!(source.lacks(name), "{name}");
        }
        assert!(source.block);
        assert!(!read("use crate::laws::*;").lacks("rod"));
        assert!(!read("include!(\"laws.rs\");").lacks("rod"));
        assert!(!read("macro_rules! m { () => { mechanism! { mechanism M {} } } }").block);
    }

    #[test]
    fn functions_of_plain_numbers_are_known() {
        let source = read(
            "fn gas(x: f64, v: [f64; 2], n: usize) -> f64 { fn in_it(y: &f64) {} x }
             #[differentiable] fn good(x: f64) -> f64 { x }
             #[inline] pub fn late(m: Map<K, f64>, x: f64) {}
             fn generic<D: Scalar>(x: Num<D>) -> Num<D> { x }
             mod a { fn twice(x: f64) {} } mod b { fn twice(x: Num) {} }
             impl Gas { fn method(x: f64) {} }",
        );
        let types = |name: &str| source.function(name).map(|types| types.join(" "));
        assert_eq!(types("gas").as_deref(), Some("f64 [f64;2] usize"));
        assert_eq!(types("in_it").as_deref(), Some("&f64"));
        assert_eq!(types("late").as_deref(), Some("Map<K,f64> f64"));
        for name in ["good", "generic", "twice", "method", "other"] {
            assert_eq!(types(name), None, "{name}");
        }
        assert!(read("use a::*; fn gas(x: f64) {}").function("gas").is_none());
        assert!(read("use a::gas; fn gas(x: f64) {}").function("gas").is_none());
    }
}
