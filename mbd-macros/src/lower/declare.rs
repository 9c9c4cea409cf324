//! Declarations: every size, parameter, scalar and row of a model, and the names by which the code after them knows
//! where they are.

use crate::ast::ConstraintKind;
use crate::ir::*;
use crate::parse::{self, Dimension};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;
use std::ops::Range;

/// What the units of the declarations are, each once.
pub fn units(model: &Model) -> TokenStream {
    let outputs = model.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Output { unit, .. } => Some(unit),
        _ => None,
    });
    let params = model.params.iter().map(|param| &param.unit);
    let scalars = model.scalars.iter().map(|scalar| &scalar.unit);
    let all: BTreeSet<&String> = params.chain(scalars).chain(outputs).collect();
    let known = all.into_iter().filter_map(|text| Some((text, parse::dimension(text)?)));
    let calls = known.map(
        |(text, Dimension { scale, powers })| quote!(__b.unit(#text, #scale, [#(#powers),*]);),
    );
    calls.collect()
}

/// Which coordinates are components of one vector.
pub fn vectors(model: &Model) -> Vec<TokenStream> {
    let arrays = model.scalars.iter().enumerate().filter(|(_, scalar)| scalar.is_vector());
    let arrays = arrays.map(|(id, _)| {
        let (first, len) = (first("s", id), length("s", id));
        quote!(__b.vector(&::std::vec::Vec::from_iter(#first..#first + #len));)
    });
    let bodies = model.vectors.iter().map(|vector| {
        let firsts = vector.iter().map(|&id| first("s", id));
        let len = length("s", vector[0]);
        quote!(for __i in 0..#len { __b.vector(&[#(#firsts + __i),*]); })
    });
    arrays.chain(bodies).collect()
}

/// Which variables are coordinates of massless nodes.
pub fn nodes(model: &Model) -> TokenStream {
    let nodes = model.scalars.iter().enumerate().filter(|(_, scalar)| scalar.balanced);
    let nodes = nodes.map(|(id, _)| {
        let (first, len) = (first("s", id), length("s", id));
        quote!(__b.balanced(&::std::vec::Vec::from_iter(#first..#first + #len));)
    });
    nodes.collect()
}

/// `let n: i64 = …;` for each size, in their order.
pub fn sizes(model: &Model) -> TokenStream {
    let sizes = model.sizes.iter().map(|size| {
        let (name, given) = (&size.name, &size.default);
        match size.given {
            true => quote!(let #name: ::core::primitive::i64 = #given;),
            false => {
                quote!(let #name: ::core::primitive::i64 = self.#name as ::core::primitive::i64;)
            }
        }
    });
    sizes.collect()
}

/// Where the scalars, parameters or rows of a declaration begin: an entry of a table, by which statements that are alike
/// are told apart (`alike.rs`).
pub fn first(group: &str, id: usize) -> TokenStream {
    let (table, id) = (format_ident!("__first_{group}"), Literal::usize_unsuffixed(id));
    quote!(#table[#id])
}

/// How many there are.
pub fn length(group: &str, id: usize) -> TokenStream {
    let (table, id) = (format_ident!("__len_{group}"), Literal::usize_unsuffixed(id));
    quote!(#table[#id])
}

/// Those of declarations that follow each other, and have consecutive numbers.
fn consecutive(group: &str, ids: Range<usize>) -> TokenStream {
    let (firsts, lengths) = (format_ident!("__first_{group}"), format_ident!("__len_{group}"));
    let (from, to) = (ids.start, ids.end);
    quote! {
        for __k in #from..#to {
            #firsts[__k] = #firsts[#from] + (__k - #from);
            #lengths[__k] = 1;
        }
    }
}

/// Scalars that are declared one after the other are a table.
pub fn declare_params(model: &Model) -> TokenStream {
    let params: Vec<(ParamId, &Param)> = model.params.iter().enumerate().collect();
    let runs = params.chunk_by(|(_, a), (_, b)| a.len.is_none() && b.len.is_none());
    let declared = runs.map(|run| {
        let (one, param) = run[0];
        if let Some(len) = &param.len {
            return declare_param_array(one, param, len);
        }
        let rows = run.iter().map(|(_, param)| {
            let Param { name, field, unit, .. } = param;
            let doc = param.docs.join(" ");
            (quote!((#name, #unit, #doc)), quote!(self.#field))
        });
        let (rows, values): (Vec<_>, Vec<_>) = rows.unzip();
        let begin = first("p", one);
        let others = consecutive("p", one..one + run.len());
        quote! {
            #begin = __values.len();
            for (&(__name, __unit, __doc), __x) in [#(#rows),*].iter().zip([#(#values),*]) {
                __b.param(__name, __unit, __doc, __x);
                __values.push(__x);
            }
            #others
        }
    });
    declared.collect()
}

fn declare_param_array(id: ParamId, param: &Param, Len { tokens, .. }: &Len) -> TokenStream {
    let (first, len) = (first("p", id), length("p", id));
    let Param { name, field, unit, .. } = param;
    let doc = param.docs.join(" ");
    let fill = matches!(param.default, DefaultValue::Fill(_));
    let array = quote! {
        #len = __length(#name, #tokens)?;
        let __entries = __array(#name, &self.#field, #len, #fill)?;
        #first = __values.len();
        __values.extend_from_slice(&__entries);
    };
    match &param.body {
        None => quote!(#array __b.param_array(#name, #unit, #doc, &__entries);),
        Some(body) => {
            let name = body.name_of(quote!(__i));
            quote!(#array for (__i, &__x) in __entries.iter().enumerate() {
                __b.param(&#name, #unit, #doc, __x);
            })
        }
    }
}

/// The same of coordinates, states and variables.
pub fn declare_scalars(scalars: &[(ScalarId, &Scalar)]) -> TokenStream {
    let alone = |scalar: &Scalar| {
        let kinds = [ScalarKind::Coord, ScalarKind::State, ScalarKind::Variable];
        scalar.len.is_none() && !scalar.told && kinds.contains(&scalar.kind)
    };
    let runs =
        scalars.chunk_by(|(i, a), (j, b)| alone(a) && alone(b) && a.kind == b.kind && *j == i + 1);
    let declared = runs.map(|run| {
        let (one, scalar) = run[0];
        if run.len() == 1 {
            return declare_scalar(one, scalar);
        }
        let declare = match scalar.kind {
            ScalarKind::State => format_ident!("state"),
            ScalarKind::Variable => format_ident!("variable"),
            _ => format_ident!("coord"),
        };
        let rows = run.iter().map(|(_, scalar)| {
            let Scalar { name, unit, .. } = scalar;
            let doc = scalar.docs.join(" ");
            quote!((#name, #unit, #doc))
        });
        let begin = first("s", one);
        let others = consecutive("s", one..one + run.len());
        let hidden = run.iter().filter(|(_, scalar)| scalar.housekeeping);
        let hidden = hidden.map(|(_, scalar)| &scalar.name);
        quote! {
            let mut __begin = ::core::option::Option::None;
            for &(__name, __unit, __doc) in &[#(#rows),*] {
                let __index = __b.#declare(__name, __unit, __doc);
                __begin.get_or_insert(__index);
            }
            #begin = __begin.unwrap_or(0);
            #others
            let __hidden: &[&::core::primitive::str] = &[#(#hidden),*];
            __hidden.iter().for_each(|__name| __b.housekeeping(__name));
        }
    });
    declared.collect()
}

fn declare_scalar(id: ScalarId, scalar: &Scalar) -> TokenStream {
    let (first, len) = (first("s", id), length("s", id));
    let Scalar { name, unit, .. } = scalar;
    let doc = scalar.docs.join(" ");
    if let (true, Some(Len { literal: Some(n), .. })) = (scalar.held || scalar.solved, &scalar.len)
    {
        let declare = match scalar.solved {
            true => format_ident!("displacements_solved"),
            false => format_ident!("displacements"),
        };
        return match &scalar.passes {
            None => quote!(#len = #n; #first = __b.#declare(#name, #len);),
            Some(Passes { all, .. }) => quote! {
                #len = __length(#name, #all)?;
                #first = __b.#declare(#name, #n * #len);
            },
        };
    }
    if scalar.told {
        let (count, entry) = match (&scalar.len, &scalar.body) {
            (Some(Len { tokens, .. }), Some(body)) => {
                let entry = body.name_of(quote!(__i));
                (quote!(__length(#name, #tokens)?), quote!(&#entry))
            }
            _ => (quote!(1usize), quote!(#name)),
        };
        return quote! {
            #len = #count;
            #first = __b.next_told();
            for __i in 0..#len {
                __b.told(#entry);
            }
        };
    }
    let one = match scalar.kind {
        ScalarKind::Coord => "coord",
        ScalarKind::State => "state",
        ScalarKind::Variable => "variable",
        ScalarKind::Mode | ScalarKind::Input => return declare_mode(id, scalar),
        // They are no part of the model.
        ScalarKind::Start => return TokenStream::new(),
    };
    let many = format_ident!("{one}_array");
    let one = format_ident!("{one}");
    let hidden = |name: TokenStream| scalar.housekeeping.then(|| quote!(__b.housekeeping(#name);));
    match (&scalar.len, &scalar.body) {
        (None, _) => {
            let hidden = hidden(quote!(#name));
            quote!(#len = 1; #first = __b.#one(#name, #unit, #doc); #hidden)
        }
        (Some(Len { tokens, .. }), None) => {
            let format = format!("{name}[{{}}]");
            let hidden = hidden(quote!(&::std::format!(#format, __i)));
            let hidden = hidden.map(|hidden| quote!(for __i in 0..#len { #hidden }));
            quote! {
                #len = __length(#name, #tokens)?;
                #first = __b.#many(#name, #unit, #doc, #len);
                #hidden
            }
        }
        (Some(Len { tokens, .. }), Some(body)) => {
            let entry = body.name_of(quote!(__i));
            let hidden = hidden(quote!(&#entry));
            quote! {
                #len = __length(#name, #tokens)?;
                #first = 0usize;
                for __i in 0..#len {
                    #hidden
                    let __one = __b.#one(&#entry, #unit, #doc);
                    if __i == 0 { #first = __one; }
                }
            }
        }
    }
}

/// A discrete value is read as a parameter is, an input as several.
fn declare_mode(id: ScalarId, scalar: &Scalar) -> TokenStream {
    let (first, len) = (first("s", id), length("s", id));
    let Scalar { name, unit, .. } = scalar;
    let doc = scalar.docs.join(" ");
    let (length, name) = match (&scalar.len, &scalar.body) {
        (None, _) => (quote!(1usize), quote!(#name)),
        (Some(Len { tokens, .. }), body) => {
            let entry = match body {
                None => {
                    let format = format!("{name}[{{}}]");
                    quote!(::std::format!(#format, __i))
                }
                Some(body) => body.name_of(quote!(__i)),
            };
            (quote!(__length(#name, #tokens)?), quote!(&#entry))
        }
    };
    let (next, one) = match scalar.kind {
        ScalarKind::Input => (format_ident!("next_input"), format_ident!("input")),
        _ => (format_ident!("next_mode"), format_ident!("mode")),
    };
    quote! {
        #len = #length;
        #first = __b.#next();
        for __i in 0..#len {
            __b.#one(#name, #unit, #doc);
        }
    }
}

/// Which coordinates are a body's.
pub fn declare_body(model: &Model, Body { kind, coords }: &Body) -> TokenStream {
    let Some(&one) = coords.first() else { return TokenStream::new() };
    let scalar = &model.scalars[one];
    let kind = format_ident!("{kind}");
    let firsts = coords.iter().map(|&id| first("s", id));
    // Without the coordinate's own name.
    let owner = |name: &str| name.rsplit_once('.').map_or(String::new(), |(body, _)| body.into());
    match &scalar.body {
        None => {
            let name = owner(&scalar.name);
            quote!(__b.body(#name, __mbd::BodyKind::#kind, &[#(#firsts),*]);)
        }
        Some(body) => {
            let (after, len) = (owner(&body.after), length("s", one));
            if let [before] = &body.texts[..] {
                return quote!(__b.body_array((#before, #after), __mbd::BodyKind::#kind, &[#(#firsts),*], #len););
            }
            let name = BodyArray { after, ..body.clone() }.name_of(quote!(__i));
            quote!(for __i in 0..#len { __b.body(&#name, __mbd::BodyKind::#kind, &[#(#firsts + __i),*]); })
        }
    }
}

/// Rows of a constraint, for every iteration of its loops.
pub fn declare_rows(model: &Model, id: ConstraintId) -> TokenStream {
    let constraint = &model.constraints[id];
    let (first, len) = (first("c", id), length("c", id));
    let Constraint { name, rows, housekeeping, .. } = constraint;
    if constraint.held {
        let count = in_loops(model, &constraint.loops, name, quote!(#len += 1;));
        return quote!(#len = 0usize; #count #first = __b.rows_held(#name, #rows, #len););
    }
    let hidden = housekeeping.then(|| quote!(__b.housekeeping(#name);));
    let method = match constraint.kind {
        ConstraintKind::Holonomic => format_ident!("rows_holonomic"),
        ConstraintKind::Nonholonomic => format_ident!("rows_nonholonomic"),
    };
    let count = in_loops(model, &constraint.loops, name, quote!(#len += 1;));
    quote! {
        #len = 0usize;
        #count
        #first = __b.#method(#name, #rows, #len);
        #hidden
    }
}

/// Wraps a body in the loops around a statement.
pub fn in_loops(model: &Model, loops: &[LoopId], label: &str, body: TokenStream) -> TokenStream {
    loops.iter().rev().fold(body, |body, &id| {
        let Loop { var, start, end, inclusive } = &model.loops[id];
        quote!(for #var in __range(#label, #start, #end, #inclusive)? { #body })
    })
}
