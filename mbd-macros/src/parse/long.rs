//! Long chains, such as a sum of thousands of terms, cut into parts. A chain is parsed into a tree
//! as deep as it is long, and everything after this calls itself once for each level of a tree.
//! The order of the operations, and so every bit of the result, stays.

use proc_macro2::{Ident, Span};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprBlock, Stmt};

/// Links of a chain in one part; a chain of twice as many is left whole.
const PART: usize = 64;

/// Cuts what is too long in an expression, or on the sides of an equation.
pub fn cut(e: &mut Expr) {
    match e {
        Expr::Assign(e) => {
            cut(&mut e.left);
            cut(&mut e.right);
        }
        Expr::Binary(e) if matches!(e.op, syn::BinOp::Eq(_)) => {
            cut(&mut e.left);
            cut(&mut e.right);
        }
        _ => Long { parts: 0 }.visit_expr_mut(e),
    }
}

struct Long {
    parts: usize,
}

/// The operand or receiver that a chain goes on with.
fn inner(e: &mut Expr) -> Option<&mut Expr> {
    match e {
        Expr::Binary(e) => Some(&mut e.left),
        Expr::MethodCall(e) => Some(&mut e.receiver),
        _ => None,
    }
}

fn nothing() -> Expr {
    Expr::Verbatim(proc_macro2::TokenStream::new())
}

impl VisitMut for Long {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        let mut links = Vec::new();
        let mut value = std::mem::replace(e, nothing());
        while let Some(inner) = inner(&mut value) {
            let next = std::mem::replace(inner, nothing());
            links.push(std::mem::replace(&mut value, next));
        }
        visit_mut::visit_expr_mut(self, &mut value);
        let whole = links.len() <= 2 * PART;
        let mut stmts: Vec<Stmt> = Vec::new();
        for (k, mut link) in links.into_iter().rev().enumerate() {
            // The rest of the link: its other operand, or its arguments.
            visit_mut::visit_expr_mut(self, &mut link);
            if let Some(inner) = inner(&mut link) {
                *inner = value;
            }
            value = link;
            if !whole && (k + 1) % PART == 0 {
                let part = Ident::new(&format!("__part{}", self.parts), Span::call_site());
                self.parts += 1;
                stmts.push(syn::parse_quote!(let #part = #value;));
                value = syn::parse_quote!(#part);
            }
        }
        if stmts.is_empty() {
            *e = value;
        } else {
            stmts.push(Stmt::Expr(value, None));
            let block = Block { brace_token: Default::default(), stmts };
            *e = Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block });
        }
    }
}
