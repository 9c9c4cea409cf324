//! Collecting errors: every mistake of a block is reported in one compile, at the user's tokens.

use proc_macro2::{Span, TokenStream};
use std::cell::RefCell;
use std::collections::HashSet;

/// Errors found so far. Forgetting to look at them is a bug of this crate, hence the drop bomb.
pub struct Diag {
    errors: RefCell<Option<Errors>>,
}

#[derive(Default)]
struct Errors {
    list: Vec<syn::Error>,
    /// A component's statements are resolved once per body: each message is told once.
    seen: HashSet<String>,
}

impl Diag {
    pub fn new() -> Self {
        Diag { errors: RefCell::new(Some(Errors::default())) }
    }

    /// Reports `message` at `span`.
    pub fn error(&self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Reports an error of syn's.
    pub fn push(&self, error: syn::Error) {
        let mut errors = self.errors.borrow_mut();
        let errors = errors.get_or_insert_default();
        if errors.seen.insert(format!("{:?} {error}", error.span())) {
            errors.list.push(error);
        }
    }

    /// True when nothing was reported so far.
    pub fn is_clean(&self) -> bool {
        self.errors.borrow().as_ref().is_none_or(|errors| errors.list.is_empty())
    }

    /// All errors as `compile_error!` invocations, or `None` when there are none.
    pub fn finish(self) -> Option<TokenStream> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        let all = errors.list.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        all.map(|error| error.into_compile_error())
    }

    /// The messages, for tests.
    #[cfg(test)]
    pub fn messages(self) -> Vec<String> {
        let errors = self.errors.borrow_mut().take().unwrap_or_default();
        errors.list.iter().map(ToString::to_string).collect()
    }
}

impl Drop for Diag {
    fn drop(&mut self) {
        if !std::thread::panicking() && self.errors.borrow().is_some() {
            panic!("mbd-macros dropped its errors unchecked");
        }
    }
}

/// "; did you mean `phi`?" when a candidate is near enough, else nothing.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or(String::new(), |best| format!("; did you mean `{best}`?"))
}

/// The candidate with the smallest edit distance, if that is small for the length of `name`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            // One letter is as near to any other as it is far: only its case is a likely slip.
            let short = name.chars().count() == 1 || candidate.chars().count() == 1;
            *distance <= limit && (!short || candidate.to_lowercase() == name.to_lowercase())
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Edit distance with neighbours swapped counted as one edit; letter case costs nothing extra
/// beyond one edit.
fn distance(a: &str, b: &str) -> usize {
    if a.to_lowercase() == b.to_lowercase() {
        return 1;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut best =
                    (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near_or_absent() {
        assert_eq!(nearest("phy", ["phi", "theta"]), Some("phi"));
        assert_eq!(nearest("thtea", ["phi", "theta"]), Some("theta"));
        assert_eq!(nearest("X", ["x", "y"]), Some("x"));
        assert_eq!(nearest("omega", ["phi", "theta"]), None);
        assert_eq!(nearest("a", ["b"]), None);
    }

    #[test]
    #[should_panic(expected = "unchecked")]
    fn errors_cannot_be_forgotten() {
        drop(Diag::new());
    }
}
