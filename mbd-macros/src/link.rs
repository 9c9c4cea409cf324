//! Rust names in the expressions of public components. They mean what they mean where the component is
//! written; the block that uses it stands elsewhere, often in another crate. So beside every public
//! component stands a hidden module of the same name, which re-exports each of them under a name made of
//! its path: `laws::gas` becomes `vehicle::Wheel::__laws__gas`.

use crate::names;
use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Path, PathSegment};

/// What is the same in every crate.
const EVERYWHERE: &[&str] = &[
    "std", "core", "alloc", "f64", "f32", "usize", "isize", "u8", "u16", "u32", "u64", "u128",
    "i8", "i16", "i32", "i64", "i128", "bool", "char", "str", "Some", "None", "Ok", "Err",
    "Option", "Result", "Vec", "Box", "String", "Self", "self",
];

/// How a path is found from elsewhere.
pub struct Link {
    /// Its name in the hidden module.
    pub name: Ident,
    /// What the module re-exports by that name, as seen from inside it.
    pub import: Path,
    /// What follows behind the name, `Law::new` for example.
    rest: Vec<PathSegment>,
    arguments: syn::PathArguments,
}

impl Link {
    /// Of a name in an expression; `None` where it means the same everywhere.
    pub fn of(path: &Path) -> Option<Link> {
        let first = names::text(&path.segments.first()?.ident);
        // The language's own names, and those that are linked already.
        let written = |segment: &PathSegment| names::text(&segment.ident).starts_with("__");
        if path.segments.iter().any(written) || first.starts_with('$') {
            return None;
        }
        if path.leading_colon.is_some() && matches!(first.as_str(), "std" | "core" | "alloc") {
            return None;
        }
        let alone = path.segments.len() == 1;
        let relative = matches!(first.as_str(), "self") && !alone;
        if EVERYWHERE.contains(&first.as_str()) && !relative {
            return None;
        }
        // What follows a type, as in `Law::new`, cannot be imported.
        let capital =
            |segment: &PathSegment| names::text(&segment.ident).starts_with(char::is_uppercase);
        let to = path.segments.iter().position(capital).unwrap_or(path.segments.len() - 1);
        Some(Link::up_to(path, to))
    }

    /// Of the path of a component.
    pub fn whole(path: &Path) -> Link {
        Link::up_to(path, path.segments.len().saturating_sub(1))
    }

    fn up_to(path: &Path, last: usize) -> Link {
        let words: Vec<String> =
            path.segments.iter().take(last + 1).map(|s| names::text(&s.ident)).collect();
        let root = if path.leading_colon.is_some() { "__root" } else { "" };
        let span = path.segments[last].ident.span();
        let name = names::ident(&format!("{root}__{}", words.join("__")), span);
        let mut segments: Punctuated<PathSegment, syn::Token![::]> = Punctuated::new();
        let up = || PathSegment::from(Ident::new("super", span));
        let kept = path.segments.iter().take(last + 1).map(|s| s.ident.clone().into());
        match words[0].as_str() {
            _ if path.leading_colon.is_some() => segments.extend(kept),
            "self" => segments.extend(std::iter::once(up()).chain(kept.skip(1))),
            "super" => segments.extend(std::iter::once(up()).chain(kept)),
            _ if words.len() == 1 => segments.extend(std::iter::once(up()).chain(kept)),
            _ => segments.extend(kept),
        }
        Link {
            name,
            import: Path { leading_colon: path.leading_colon, segments },
            rest: path.segments.iter().skip(last + 1).cloned().collect(),
            arguments: path.segments[last].arguments.clone(),
        }
    }

    /// The path by which it is found, through the module at `base`.
    pub fn through(&self, base: &Path) -> Path {
        let mut path = base.clone();
        let arguments = self.arguments.clone();
        path.segments.push(PathSegment { ident: self.name.clone(), arguments });
        path.segments.extend(self.rest.iter().cloned());
        path
    }
}

/// A path as text.
pub fn text(path: &Path) -> String {
    let words: Vec<String> = path.segments.iter().map(|s| names::text(&s.ident)).collect();
    let root = if path.leading_colon.is_some() { "::" } else { "" };
    format!("{root}{}", words.join("::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn link(path: &str) -> Option<(String, String, String)> {
        let path: Path = syn::parse_str(path).unwrap();
        let base: Path = syn::parse_str("vehicle::Wheel").unwrap();
        let link = Link::of(&path)?;
        let tidy = |path: Path| path.to_token_stream().to_string().replace(' ', "");
        Some((link.name.to_string(), tidy(link.import.clone()), tidy(link.through(&base))))
    }

    #[test]
    fn rust_names_are_found_through_the_module_beside_a_component() {
        let of = |name: &str, import: &str, through: &str| {
            Some((name.to_string(), import.to_string(), format!("vehicle::Wheel::{through}")))
        };
        assert_eq!(link("gas"), of("__gas", "super::gas", "__gas"));
        assert_eq!(link("laws::gas"), of("__laws__gas", "laws::gas", "__laws__gas"));
        assert_eq!(link("self::gas"), of("__self__gas", "super::gas", "__self__gas"));
        assert_eq!(link("super::G"), of("__super__G", "super::super::G", "__super__G"));
        assert_eq!(link("crate::a::G"), of("__crate__a__G", "crate::a::G", "__crate__a__G"));
        assert_eq!(link("::b::f"), of("__root__b__f", "::b::f", "__root__b__f"));
        assert_eq!(link("Law::<2>::new"), of("__Law", "super::Law", "__Law::<2>::new"));
        assert_eq!(link("a::Law::K"), of("__a__Law", "a::Law", "__a__Law::K"));
        for same in
            ["f64::consts::PI", "std::f64::consts::PI", "::std::f64::MAX", "Some", "__mbd::x"]
        {
            assert_eq!(link(same), None, "{same}");
        }
    }
}
