//! Index expressions: whole numbers made of loop indices and sizes, evaluated when the model is
//! built, in i64 so that `i - 1` may be negative and is then reported instead of wrapping.

use super::resolver::{Resolver, Subst};
use super::scope::{ScopeArray, ScopeId, Symbol};
use crate::diag::did_you_mean;
use crate::ir::{Len, Loop};
use crate::names;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{BinOp, Expr, ExprIndex, Lit, UnOp};

/// Where the names of an index are looked up.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) scope: ScopeId,
    /// Names of the surrounding Rust code, which do not exist when models are built.
    pub(super) locals: &'a [String],
    /// The entry of arrays of bodies that is named.
    pub(super) subst: Option<&'a Subst>,
}

/// `array[index]` with an index that is already code.
pub(super) fn entry(array: Expr, index: TokenStream) -> Expr {
    Expr::Index(ExprIndex {
        attrs: Vec::new(),
        expr: Box::new(array),
        bracket_token: Default::default(),
        index: Box::new(Expr::Verbatim(index)),
    })
}

/// An index that is a number, for bounds known at compile time.
pub(super) fn literal(e: &Expr) -> Option<i64> {
    match e {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

impl Resolver<'_> {
    /// i64 code for a length or the end of a loop; reports what it cannot be made of.
    pub(super) fn index_tokens(&self, e: &Expr, scope: ScopeId) -> Option<TokenStream> {
        self.index_at(e, Names { scope, locals: &[], subst: None })
    }

    /// The same for an index.
    pub(super) fn index_at(&self, e: &Expr, names: Names<'_>) -> Option<TokenStream> {
        match e {
            Expr::Verbatim(tokens) => Some(tokens.clone()),
            Expr::Lit(lit) => match &lit.lit {
                Lit::Int(int) if matches!(int.suffix(), "" | "usize" | "i64") => {
                    let mut int = proc_macro2::Literal::i64_suffixed(int.base10_parse().ok()?);
                    int.set_span(lit.lit.span());
                    Some(int.into_token_stream())
                }
                _ => self.not_an_index(e),
            },
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) => self.index_name(name, names),
                None if path.path.segments.last().is_some_and(|s| is_const(&s.ident)) => {
                    let path = self.linked(&path.path, names.scope);
                    Some(quote!((#path as ::core::primitive::i64)))
                }
                None => self.not_an_index(e),
            },
            Expr::Paren(inner) => {
                let inner = self.index_at(&inner.expr, names)?;
                Some(quote!((#inner)))
            }
            Expr::Group(inner) => self.index_at(&inner.expr, names),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let inner = self.index_at(&unary.expr, names)?;
                Some(quote!((-#inner)))
            }
            Expr::Binary(binary) => {
                let op = &binary.op;
                if !matches!(
                    op,
                    BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_)
                ) {
                    return self.not_an_index(e);
                }
                let left = self.index_at(&binary.left, names);
                let right = self.index_at(&binary.right, names);
                let (left, right) = (left?, right?);
                match op {
                    // A size may be zero: the quotient is then out of any range, not a panic.
                    BinOp::Div(_) => Some(quote!((#left).checked_div(#right).unwrap_or(-1))),
                    BinOp::Rem(_) => Some(quote!((#left).checked_rem(#right).unwrap_or(-1))),
                    _ => Some(quote!(#left #op #right)),
                }
            }
            // How many passes a loop has: see `parse::hoist`.
            Expr::MethodCall(call) if call.method == "max" && call.args.len() == 1 => {
                let (one, other) =
                    (self.index_at(&call.receiver, names)?, self.index_at(&call.args[0], names)?);
                Some(quote!((#one).max(#other)))
            }
            _ => self.not_an_index(e),
        }
    }

    fn index_name(&self, name: &Ident, names: Names<'_>) -> Option<TokenStream> {
        let Names { scope, locals, subst } = names;
        let text = name.to_string();
        if locals.contains(&text) {
            self.diag.error(
                name.span(),
                format!("`{text}` is a local of this expression; an array of run-time length is indexed by the indices of `for` statements"),
            );
            return None;
        }
        match self.scopes.find(scope, &text) {
            Some((Symbol::Size(id), _)) => {
                let size = self.model.sizes[id].name.to_string();
                Some(names::ident(&size, name.span()).to_token_stream())
            }
            Some((Symbol::Broken, _)) => None,
            Some((symbol, _)) if self.whole(symbol, subst).is_some() => self.whole(symbol, subst),
            Some(_) => {
                self.diag.error(name.span(), format!("`{text}` is not a whole number: an index is made of loop indices, sizes and numbers"));
                None
            }
            None if is_const(name) => {
                let name = self.linked(&name.clone().into(), scope);
                Some(quote!((#name as ::core::primitive::i64)))
            }
            None => {
                let hint = did_you_mean(&text, self.scopes.visible(scope));
                self.diag.error(name.span(), format!("unknown size or loop index `{text}`{hint}"));
                None
            }
        }
    }

    /// i64 code of a loop's index, or of one that an array of bodies has: of the entry that is named, if one is.
    pub(super) fn whole(&self, symbol: Symbol, subst: Option<&Subst>) -> Option<TokenStream> {
        let array = |of: ScopeId| {
            let array = self.scopes.list[of].array.as_ref()?;
            let named = subst.and_then(|subst| subst.of(of));
            Some((array, named.map(|named| self.checked(of, &named.own, &array.len))))
        };
        match symbol {
            Symbol::Index(id) => Some(self.model.loops[id].var.to_token_stream()),
            Symbol::Pass(id) => {
                let Loop { var, start, .. } = &self.model.loops[id];
                match start.clone().into_iter().count() {
                    _ if start.to_string() == "0i64" => Some(quote!(#var)),
                    1 => Some(quote!(#var - #start)),
                    _ => Some(quote!(#var - (#start))),
                }
            }
            Symbol::EntryOf(of) => {
                let (array, named) = array(of)?;
                Some(named.unwrap_or_else(|| array.entry()))
            }
            Symbol::IndexOf(of) => Some(match array(of)? {
                (array, None) => array.own.to_token_stream(),
                (ScopeArray { first: None, .. }, Some(named)) => named,
                (ScopeArray { first: Some(first), .. }, Some(named)) => quote!(((#first) + #named)),
            }),
            _ => None,
        }
    }

    /// The index of an entry of an array of bodies, which out of its range would be that of another body.
    pub(super) fn checked(&self, of: ScopeId, index: &TokenStream, len: &Len) -> TokenStream {
        let name = self.scopes.list[of].prefix.trim_end_matches('.');
        let len = &len.tokens;
        quote!((__index(__statement, #name, #index, __length(#name, #len)?)? as ::core::primitive::i64))
    }

    fn not_an_index(&self, e: &Expr) -> Option<TokenStream> {
        self.diag.push(syn::Error::new_spanned(
            e,
            "an index, length or end of a loop is made of sizes, loop indices and whole numbers",
        ));
        None
    }
}

/// The spelling of a Rust constant: `N`, `MAX_LEN`.
pub(super) fn is_const(name: &Ident) -> bool {
    let text = name.to_string();
    text.chars().next().is_some_and(char::is_uppercase)
        && text.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}
