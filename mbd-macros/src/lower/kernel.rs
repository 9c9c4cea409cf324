//! Kernels: a zero-sized struct per expression, evaluated on exactly the scalars it reads.

use crate::ir::*;
use crate::names;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Numbers that the course of an input is made of: `mbd::signal::Course::NUMBERS`.
pub const COURSE: usize = 4;

const COURSE_LOCAL: &str = "__course_";

/// Collects the kernels of a model while its builder is written.
pub struct Kernels<'m> {
    model: &'m Model,
    items: RefCell<Vec<TokenStream>>,
    /// Each by its text in which locals are numbered: bodies of one component have the same kernels.
    known: RefCell<HashMap<String, Ident>>,
    /// Locals whose names say which body they are of.
    owned: HashSet<&'m str>,
    /// Numbers that bodies are given, of the kernel that is being written: data of the kernel, so that bodies which
    /// differ in them have the same.
    given: RefCell<Vec<(LetId, TokenStream)>>,
}

/// A kernel that was emitted, and the order in which its inputs are expected.
pub struct Emitted {
    /// The kernel as a value.
    pub name: TokenStream,
    /// Slots and parameters in order; a whole array is one leaf here and several inputs.
    pub slots: Vec<LeafId>,
    pub params: Vec<LeafId>,
    /// Sizes follow the loop indices in `at`.
    pub sizes: Vec<SizeId>,
    /// Indices to be checked before it is run.
    pub entries: Vec<EntryId>,
    pub slot_count: usize,
    pub param_count: usize,
}

impl<'m> Kernels<'m> {
    pub fn new(model: &'m Model) -> Self {
        let locals = model.leaves.iter().map(|leaf| &leaf.local[..]);
        let locals = locals.chain(model.lets.iter().map(|definition| &definition.local[..]));
        let owned = locals.filter(|local| local.starts_with("__")).collect();
        Kernels {
            model,
            items: RefCell::default(),
            known: RefCell::default(),
            owned,
            given: RefCell::default(),
        }
    }

    /// The kernels emitted so far.
    pub fn items(self) -> TokenStream {
        self.items.into_inner().into_iter().collect()
    }

    /// Emits a kernel of a statement inside the given loops.
    pub fn emit(&self, kernel: &Kernel, loops: &[LoopId]) -> Emitted {
        let model = self.model;
        let (slots, params): (Vec<LeafId>, Vec<LeafId>) =
            kernel.needs.leaves.keys().partition(|&&leaf| model.slot(leaf).is_some());
        let sizes: Vec<SizeId> = kernel.needs.sizes.iter().copied().collect();
        let mut bindings = TokenStream::new();
        for (k, &id) in loops.iter().enumerate() {
            let var = &model.loops[id].var;
            bindings.extend(quote!(let #var: ::core::primitive::usize = __at[#k];));
        }
        for (k, &id) in sizes.iter().enumerate() {
            let (name, k) = (&model.sizes[id].name, k + loops.len());
            bindings.extend(quote!(let #name: ::core::primitive::usize = __at[#k];));
        }
        let slot_count = self.bind(&slots, "__z", &mut bindings);
        let param_count = self.bind(&params, "__p", &mut bindings);
        self.given.borrow_mut().clear();
        let lets = self.lets(&kernel.needs.lets, 0);
        let value = self.fill(&kernel.code.tokens, 0);
        let rows = kernel.rows;
        let code = quote! {
            {
                #bindings
                #lets
                #value
            }
        };
        let name = self.named(&code, slot_count, param_count, rows);
        let entries = kernel.needs.entries.iter().copied().collect();
        Emitted { name, slots, params, sizes, entries, slot_count, param_count }
    }

    /// The kernel with this code, which is written once.
    fn named(&self, code: &TokenStream, slots: usize, params: usize, rows: usize) -> TokenStream {
        let mut text = format!("{slots} {params} {rows} ");
        self.numbered(code.clone(), &mut HashMap::new(), &mut text);
        let given = self.given.borrow();
        let count = given.len();
        let given = given.iter().map(|(_, number)| number);
        let given = (count > 0).then(|| quote!(([#(#given),*])));
        if let Some(name) = self.known.borrow().get(&text) {
            return quote!(#name #given);
        }
        let name = format_ident!("__Kernel{}", self.items.borrow().len());
        self.known.borrow_mut().insert(text, name.clone());
        let data = (count > 0).then(|| quote!(([::core::primitive::f64; #count])));
        self.items.borrow_mut().push(quote! {
            struct #name #data;
            impl __mbd::Kernel<#slots, #params, #rows> for #name {
                #[inline]
                fn eval<__D: __mbd::Scalar>(
                    &self,
                    __at: &[::core::primitive::usize],
                    __z: &[__mbd::Num<__D>; #slots],
                    __p: &[__mbd::Num<__D>; #params],
                ) -> [__mbd::Num<__D>; #rows]
                #code
            }
        });
        quote!(#name #given)
    }

    /// The place among the numbers a kernel is given of a `let` that is a number.
    fn place_given(&self, id: LetId, number: TokenStream) -> usize {
        let mut given = self.given.borrow_mut();
        given.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            given.push((id, number));
            given.len() - 1
        })
    }

    /// The text of code, with the locals that tell bodies apart numbered in the order in which they come.
    fn numbered(&self, code: TokenStream, numbers: &mut HashMap<String, usize>, text: &mut String) {
        for token in code {
            match token {
                TokenTree::Group(group) => {
                    text.push_str(match group.delimiter() {
                        Delimiter::Parenthesis => "( ",
                        Delimiter::Brace => "{ ",
                        Delimiter::Bracket => "[ ",
                        Delimiter::None => "∅ ",
                    });
                    self.numbered(group.stream(), numbers, text);
                    text.push_str("} ");
                }
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    let owned = self.owned.contains(&name[..]) || name.starts_with(COURSE_LOCAL);
                    if owned {
                        let next = numbers.len();
                        let number = numbers.entry(name).or_insert(next);
                        text.push_str(&format!("__{number} "));
                    } else {
                        text.push_str(&name);
                        text.push(' ');
                    }
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
    }

    /// `let theta = __z[0];`, whole arrays as arrays; gives the number of inputs.
    fn bind(&self, leaves: &[LeafId], input: &str, out: &mut TokenStream) -> usize {
        let input = format_ident!("{input}");
        let mut k = 0usize;
        for &leaf in leaves {
            let local = self.local(leaf);
            if self.model.input(leaf).is_some() {
                let (time, course) = (self.time(), self.course(leaf));
                let numbers = |k: usize| {
                    let entries = (k..k + COURSE).map(|k| quote!(#input[#k]));
                    quote!([#(#entries),*])
                };
                let n = self.model.width(leaf);
                let courses = (0..n.unwrap_or(1)).map(|i| numbers(k + COURSE * i));
                out.extend(match n {
                    None => quote!(#(let #course = #courses;)* let #local = __mbd::input(#time, &#course);),
                    Some(_) => quote! {
                        let #course = [#(#courses),*];
                        let #local = #course.each_ref().map(|__u| __mbd::input(#time, __u));
                    },
                });
                k += COURSE * n.unwrap_or(1);
                continue;
            }
            match self.model.width(leaf) {
                None => {
                    out.extend(quote!(let #local = #input[#k];));
                    k += 1;
                }
                Some(n) => {
                    let entries = (k..k + n).map(|k| quote!(#input[#k]));
                    out.extend(quote!(let #local = [#(#entries),*];));
                    k += n;
                }
            }
        }
        k
    }

    /// The local of the numbers that an input is made of.
    fn course(&self, leaf: LeafId) -> Ident {
        format_ident!("{COURSE_LOCAL}{leaf}")
    }

    /// The local of time, which every kernel with an input reads.
    fn time(&self) -> Ident {
        let time = self.model.leaves.iter().position(|leaf| leaf.what == What::Time);
        time.map_or_else(|| format_ident!("__t"), |leaf| self.local(leaf))
    }

    fn local(&self, leaf: LeafId) -> Ident {
        names::ident(&self.model.leaves[leaf].local, Span::call_site())
    }

    /// Lets are numbered in the order in which they need each other.
    fn lets(&self, lets: &BTreeSet<LetId>, depth: usize) -> TokenStream {
        let lets = lets.iter().map(|&id| {
            let definition = &self.model.lets[id];
            let local = names::ident(&definition.local, Span::call_site());
            let number = number(&definition.code.tokens);
            let number = number.filter(|_| definition.local.starts_with("__"));
            let value = match number {
                Some(number) => {
                    let (k, scalar) = (self.place_given(id, number), scalar(depth));
                    quote!(__mbd::num::<#scalar>(self.0[#k]))
                }
                None => self.fill(&definition.code.tokens, depth),
            };
            quote!(let #local = #value;)
        });
        lets.collect()
    }

    /// Fills the holes of resolved code: the scalar type, and `der(…)` blocks.
    fn fill(&self, tokens: &TokenStream, depth: usize) -> TokenStream {
        tokens
            .clone()
            .into_iter()
            .flat_map(|token| match token {
                TokenTree::Group(group) => {
                    let mut filled =
                        Group::new(group.delimiter(), self.fill(&group.stream(), depth));
                    filled.set_span(group.span());
                    TokenTree::Group(filled).into_token_stream()
                }
                TokenTree::Ident(ident) if ident == SCALAR => scalar(depth),
                TokenTree::Ident(ident) => match der_number(&ident) {
                    Some(id) => self.der(id, depth),
                    None => ident.into_token_stream(),
                },
                other => other.into_token_stream(),
            })
            .collect()
    }

    /// A block that evaluates an expression on scalars with their time derivatives. All locals are
    /// shadowed at once: the derivative of one may be another of them.
    fn der(&self, id: DerId, depth: usize) -> TokenStream {
        let Der { code, still } = &self.model.ders[id];
        let needs = self.needs(code);
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for &leaf in needs.leaves.keys() {
            let local = self.local(leaf);
            if self.model.input(leaf).is_some() && !still {
                // Its rate is that of its course, at a time that goes on.
                let (time, course) = (self.time(), self.course(leaf));
                let time = quote!(__mbd::with_rate(#time, __mbd::num(1.0)));
                let (still, now) = match self.model.width(leaf) {
                    None => {
                        let still = quote!(#course.map(__mbd::constant_in_time));
                        (still.clone(), quote!(__mbd::input(#time, &#still)))
                    }
                    Some(_) => (
                        quote!(#course.map(|__u| __u.map(__mbd::constant_in_time))),
                        quote!(#course.map(|__u| __mbd::input(#time, &__u.map(__mbd::constant_in_time)))),
                    ),
                };
                names.extend([course, local]);
                values.extend([still, now]);
                continue;
            }
            let constant = match self.model.leaves[leaf].what {
                _ if *still => Some(0.0),
                What::Time => Some(1.0),
                What::Param(_)
                | What::Slot(SlotKind::Mode | SlotKind::Input | SlotKind::Start, _) => Some(0.0),
                _ => None,
            };
            values.push(match (constant, self.rate_local(leaf), self.model.width(leaf)) {
                (Some(rate), _, None) => quote!(__mbd::with_rate(#local, __mbd::num(#rate))),
                (Some(rate), _, Some(_)) => {
                    quote!(#local.map(|__x| __mbd::with_rate(__x, __mbd::num(#rate))))
                }
                (None, Some(rate), None) => quote!(__mbd::with_rate(#local, #rate)),
                (None, Some(rate), Some(n)) => {
                    quote!(::core::array::from_fn::<_, #n, _>(|__k| __mbd::with_rate(#local[__k], #rate[__k])))
                }
                (None, None, _) => continue,
            });
            names.push(local);
        }
        let lets = self.lets(&needs.lets, depth + 1);
        let value = self.fill(&code.tokens, depth + 1);
        quote!({
            let (#(#names,)*) = (#(#values,)*);
            #lets
            __mbd::rate(#value)
        })
    }

    /// The local that holds the time derivative of a leaf.
    fn rate_local(&self, leaf: LeafId) -> Option<Ident> {
        let this = &self.model.leaves[leaf];
        let rate = rate_of(this.what).ok()??;
        let position = self.model.leaves.iter().position(|other| {
            other.what == rate && index_text(&other.index) == index_text(&this.index)
        })?;
        Some(self.local(position))
    }

    /// As in resolving, without new leaves: all are known by now.
    fn needs(&self, code: &Code) -> Needs {
        let mut needs = Needs::default();
        let mut open = vec![code];
        while let Some(code) = open.pop() {
            for read in &code.reads {
                match read.what {
                    ReadWhat::Leaf(leaf) => {
                        needs.leaves.insert(leaf, read.span);
                    }
                    ReadWhat::Size(_) | ReadWhat::Entry(_) => {}
                    ReadWhat::Let(id) => {
                        if needs.lets.insert(id) {
                            open.push(&self.model.lets[id].code);
                        }
                    }
                    ReadWhat::Der(id) => self.needs_of_der(id, &mut needs),
                }
            }
        }
        let mut read = needs.leaves.iter();
        if let Some((_, &span)) = read.find(|(leaf, _)| self.model.input(**leaf).is_some())
            && let Some(time) = self.model.leaves.iter().position(|leaf| leaf.what == What::Time)
        {
            needs.leaves.entry(time).or_insert(span);
        }
        needs
    }

    fn needs_of_der(&self, id: DerId, needs: &mut Needs) {
        let Der { code, still } = &self.model.ders[id];
        for (leaf, span) in self.needs(code).leaves {
            needs.leaves.insert(leaf, span);
            if *still {
                continue;
            }
            let this = &self.model.leaves[leaf];
            let Ok(Some(rate)) = rate_of(this.what) else { continue };
            let known = self.model.leaves.iter().position(|other| {
                other.what == rate && index_text(&other.index) == index_text(&this.index)
            });
            if let Some(rate) = known {
                needs.leaves.insert(rate, span);
            }
        }
    }
}

/// The number that code is, where it is one alone: what stands in `__mbd::num::<…>(0.3)`.
fn number(code: &TokenStream) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = code.clone().into_iter().collect();
    let (TokenTree::Group(group), before) = tokens.split_last()? else { return None };
    let before: String = before.iter().map(ToString::to_string).collect();
    let plain = |token: TokenTree| matches!(token, TokenTree::Literal(_) | TokenTree::Punct(_));
    let alone = before == format!("__mbd::num::<{SCALAR}>");
    (alone && group.stream().into_iter().all(plain)).then(|| group.stream())
}

/// Code outside a model with the scalar type filled in.
pub fn scalars(tokens: &TokenStream) -> TokenStream {
    let fill = |token| match token {
        TokenTree::Group(group) => {
            let mut filled = Group::new(group.delimiter(), scalars(&group.stream()));
            filled.set_span(group.span());
            TokenTree::Group(filled).into_token_stream()
        }
        TokenTree::Ident(ident) if ident == SCALAR => scalar(0),
        other => other.into_token_stream(),
    };
    tokens.clone().into_iter().flat_map(fill).collect()
}

fn scalar(depth: usize) -> TokenStream {
    let mut ty = quote!(__D);
    for _ in 0..depth {
        ty = quote!(__mbd::Rate<#ty>);
    }
    ty
}

fn der_number(ident: &Ident) -> Option<DerId> {
    ident.to_string().strip_prefix(DER_PREFIX)?.parse().ok()
}

fn index_text(index: &Index) -> String {
    match index {
        Index::None => String::new(),
        Index::At(tokens) => tokens.to_string(),
        Index::Whole(n) => format!("..{n}"),
        Index::Row { .. } => "row".into(),
    }
}
