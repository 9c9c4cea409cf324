//! Statements that are alike: of one component or joint named many times, all that differs are names, numbers, and
//! where their scalars are. What they have in common is written once, as a function; each of them is a row of a table
//! then, which is data and costs the compiler next to nothing. Where a thing is said is kept: rows come in the order of
//! the statements.

use crate::ir::Model;
use proc_macro2::{Delimiter, Group, Ident, Literal, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::collections::{HashMap, HashSet};

/// Tables by which code knows where declarations begin, and how long they are.
const TABLES: [&str; 6] = ["__first_s", "__len_s", "__first_p", "__len_p", "__first_c", "__len_c"];

/// What else such code may name that is made before it, beside the builder.
const MADE: [&str; 7] = ["__values", "__q0", "__v0", "__x0", "__set", "__starts", "__given"];

/// What is written anew for each: it stands in the function that builds, or as an item.
const OUTSIDE: [&str; 3] = ["self", "format", "__outside"];

/// What tells a piece of code from those that are alike.
#[derive(Default)]
struct Row {
    names: Vec<Literal>,
    places: Vec<u8>,
    numbers: Vec<Literal>,
}

enum Token {
    Name(Literal),
    Number(Literal),
    Place(usize),
    Other,
}

/// The number that stands in brackets alone. rustc writes streams as text much more slowly than single tokens.
fn place(group: &Group) -> Option<usize> {
    let mut tokens = group.stream().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Literal(number)), None) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// What a token is, with the one after it.
fn read(token: &TokenTree, next: Option<&TokenTree>) -> Token {
    match (token, next) {
        (TokenTree::Literal(literal), _) => {
            let text = literal.to_string();
            let number = || text.starts_with(|c: char| c.is_ascii_digit());
            match text.starts_with('"') {
                true => Token::Name(literal.clone()),
                false if number() && (text.contains('.') || text.ends_with("f64")) => {
                    Token::Number(literal.clone())
                }
                false => Token::Other,
            }
        }
        (TokenTree::Ident(ident), Some(TokenTree::Group(group)))
            if group.delimiter() == Delimiter::Bracket
                && TABLES.contains(&&ident.to_string()[..]) =>
        {
            match place(group) {
                Some(place) => Token::Place(place),
                None => Token::Other,
            }
        }
        _ => Token::Other,
    }
}

/// Appends the text of code without what may differ, and that to the row; false where the code reads what is known only
/// where a model is built.
fn reduced(code: TokenStream, outside: &HashSet<String>, text: &mut String, row: &mut Row) -> bool {
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match read(&token, tokens.peek()) {
            Token::Name(name) => {
                row.names.push(name);
                text.push_str("\" ");
                continue;
            }
            Token::Number(number) => {
                row.numbers.push(number);
                text.push_str("0.0 ");
                continue;
            }
            Token::Place(place) => {
                let Ok(place) = u16::try_from(place) else { return false };
                row.places.extend(place.to_le_bytes());
                text.push_str(&token.to_string());
                text.push(' ');
                tokens.next();
                continue;
            }
            Token::Other => {}
        }
        match token {
            TokenTree::Group(group) => {
                text.push_str(match group.delimiter() {
                    Delimiter::Parenthesis => "( ",
                    Delimiter::Brace => "{ ",
                    Delimiter::Bracket => "[ ",
                    Delimiter::None => "∅ ",
                });
                if !reduced(group.stream(), outside, text, row) {
                    return false;
                }
                text.push_str(") ");
            }
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                if outside.contains(&name) {
                    return false;
                }
                text.push_str(&name);
                text.push(' ');
            }
            TokenTree::Punct(punct) => {
                text.push(punct.as_char());
                if punct.spacing() == Spacing::Alone {
                    text.push(' ');
                }
            }
            TokenTree::Literal(literal) => {
                text.push_str(&literal.to_string());
                text.push(' ');
            }
        }
    }
    true
}

/// The code with entries of the arguments in place of what may differ.
fn general(code: TokenStream, counts: &mut [usize; 3]) -> TokenStream {
    let mut tokens = code.into_iter().peekable();
    let mut out = TokenStream::new();
    let entry = |list: &str, which: usize, counts: &mut [usize; 3]| {
        let (list, k) = (format_ident!("{list}"), counts[which]);
        counts[which] += 1;
        quote!(#list[#k])
    };
    while let Some(token) = tokens.next() {
        match (read(&token, tokens.peek()), token) {
            (Token::Name(_), _) => out.extend(entry("__names", 0, counts)),
            (Token::Number(_), _) => out.extend(entry("__numbers", 1, counts)),
            (Token::Place(_), table) => {
                let place = entry("__places", 2, counts);
                out.extend(quote!(#table[#place]));
                tokens.next();
            }
            (Token::Other, TokenTree::Group(group)) => {
                let mut filled = Group::new(group.delimiter(), general(group.stream(), counts));
                filled.set_span(group.span());
                out.extend(filled.into_token_stream());
            }
            (Token::Other, token) => out.extend(token.into_token_stream()),
        }
    }
    out
}

/// The pieces of code one after the other, and the items that they need.
pub fn shared(model: &Model, pieces: Vec<TokenStream>) -> (TokenStream, TokenStream) {
    let mut outside: HashSet<String> = OUTSIDE.map(String::from).into();
    outside.extend(model.sizes.iter().map(|size| size.name.to_string()));
    let mut kinds: HashMap<String, (usize, Option<Ident>)> = HashMap::new();
    let rows: Vec<Option<(String, Row)>> = pieces
        .iter()
        .map(|piece| {
            let (mut text, mut row) = (String::new(), Row::default());
            let whole = reduced(piece.clone(), &outside, &mut text, &mut row);
            (whole && !text.is_empty()).then(|| {
                kinds.entry(text.clone()).or_default().0 += 1;
                (text, row)
            })
        })
        .collect();
    let (mut code, mut items) = (TokenStream::new(), TokenStream::new());
    let (mut table, mut alone): (Vec<TokenStream>, Vec<TokenStream>) = Default::default();
    let mut written = 0;
    let made = MADE.map(|name| format_ident!("{name}"));
    let tables = TABLES.map(|name| format_ident!("{name}"));
    let mut flush = |table: &mut Vec<TokenStream>, alone: &mut Vec<TokenStream>| {
        code.extend(parts(alone));
        alone.clear();
        if !table.is_empty() {
            code.extend(quote!({
                static __ROWS: &[__Row] = &[#(#table),*];
                let __made = &mut __Made {
                    __b: &mut __b, __values: &mut __values, __q0: &mut __q0, __v0: &mut __v0, __x0: &mut __x0,
                    __set: &mut *__set, __starts: &mut __starts, __given: &__given,
                    #(#tables: &mut #tables,)*
                };
                __rows(__made, __ROWS)?;
            }));
            table.clear();
        }
    };
    for (piece, row) in pieces.into_iter().zip(rows) {
        let kind = row.and_then(|(text, row)| {
            let (count, name) = kinds.get_mut(&text)?;
            (*count > 1).then_some((name, row))
        });
        let Some((name, row)) = kind else {
            if !table.is_empty() {
                flush(&mut table, &mut alone);
            }
            alone.push(piece);
            continue;
        };
        if !alone.is_empty() {
            flush(&mut Vec::new(), &mut alone);
        }
        let name = name.get_or_insert_with(|| {
            let name = format_ident!("__alike{written}");
            written += 1;
            let mut counts = [0; 3];
            let piece = general(piece, &mut counts);
            let [names, numbers, places] = counts;
            items.extend(quote! {
                fn #name(
                    __made: &mut __Made<'_>,
                    __names: &[&'static ::core::primitive::str],
                    __numbers: &[::core::primitive::f64],
                    __places: &[::core::primitive::usize],
                ) -> __Checked<()> {
                    let __Made { __b, #(#made,)* #(#tables,)* } = __made;
                    // One check for all of them.
                    let (
                        ::core::option::Option::Some(__names),
                        ::core::option::Option::Some(__numbers),
                        ::core::option::Option::Some(__places),
                    ) = (
                        __names.first_chunk::<#names>(),
                        __numbers.first_chunk::<#numbers>(),
                        __places.first_chunk::<#places>(),
                    ) else {
                        return ::core::result::Result::Err(__bad("statements that are alike", 0.0, "a row of their table is too short"));
                    };
                    #piece
                    ::core::result::Result::Ok(())
                }
            });
            name
        });
        let Row { names, places, numbers } = row;
        let places = Literal::byte_string(&places);
        table.push(quote!((#name, &[#(#names),*], &[#(#numbers),*], #places)));
    }
    flush(&mut table, &mut alone);
    if !items.is_empty() {
        items.extend(support(model));
    }
    (code, items)
}

/// Statements of one function: rustc takes more than twice as long for one of twice the length.
const PART: usize = 32;

/// Statements one after the other, many of them in functions of their own.
fn parts(codes: &[TokenStream]) -> TokenStream {
    if codes.len() <= 2 * PART {
        return codes.iter().cloned().collect();
    }
    let parts = codes.chunks(PART).map(|codes| {
        quote! {
            __mbd::part(|| -> ::core::result::Result<(), __mbd::ModelError> {
                #(#codes)*
                ::core::result::Result::Ok(())
            })?;
        }
    });
    parts.collect()
}

/// What functions of statements that are alike are called with, and what calls them.
fn support(model: &Model) -> TokenStream {
    let [s, p, c] = sizes_of_tables(model);
    quote! {
        struct __Made<'m> {
            __b: &'m mut __mbd::ModelBuilder,
            __values: &'m mut ::std::vec::Vec<::core::primitive::f64>,
            __q0: &'m mut ::std::vec::Vec<::core::primitive::f64>,
            __v0: &'m mut ::std::vec::Vec<::core::primitive::f64>,
            __x0: &'m mut ::std::vec::Vec<::core::primitive::f64>,
            __set: &'m mut __Set,
            __starts: &'m mut ::std::vec::Vec<::core::primitive::f64>,
            __given: &'m __mbd::Given,
            __first_s: &'m mut [::core::primitive::usize; #s],
            __len_s: &'m mut [::core::primitive::usize; #s],
            __first_p: &'m mut [::core::primitive::usize; #p],
            __len_p: &'m mut [::core::primitive::usize; #p],
            __first_c: &'m mut [::core::primitive::usize; #c],
            __len_c: &'m mut [::core::primitive::usize; #c],
        }

        /// A function, and what differs: names, numbers, and places in the tables, of two bytes each.
        type __Row = (
            fn(&mut __Made<'_>, &[&'static ::core::primitive::str], &[::core::primitive::f64], &[::core::primitive::usize]) -> __Checked<()>,
            &'static [&'static ::core::primitive::str],
            &'static [::core::primitive::f64],
            &'static [::core::primitive::u8],
        );

        fn __rows(made: &mut __Made<'_>, rows: &[__Row]) -> __Checked<()> {
            let mut all = ::std::vec::Vec::new();
            for &(alike, names, numbers, places) in rows {
                all.clear();
                all.extend(places.chunks_exact(2).map(|place| {
                    ::core::primitive::usize::from(place[0]) + 256 * ::core::primitive::usize::from(place[1])
                }));
                alike(made, names, numbers, &all)?;
            }
            ::core::result::Result::Ok(())
        }
    }
}

/// How many scalars, parameters and constraints are declared.
pub fn sizes_of_tables(model: &Model) -> [usize; 3] {
    [model.scalars.len(), model.params.len(), model.constraints.len()]
}
