//! Kernels: a zero-sized struct per expression, evaluated on exactly the scalars it reads.

use crate::ir::*;
use crate::names;
use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Numbers that the course of an input is made of: `mbd::signal::Course::NUMBERS`.
pub const COURSE: usize = 4;

const COURSE_LOCAL: &str = "__course_";

/// Collects the kernels of a model while its builder is written.
pub struct Kernels<'m> {
    model: &'m Model,
    items: RefCell<Vec<TokenStream>>,
    /// Each by its [key](Self::key): bodies of one component have the same kernels.
    known: RefCell<HashMap<String, Ident>>,
    /// What was read already.
    texts: RefCell<HashMap<Source, Rc<Text>>>,
    needs: RefCell<HashMap<DerId, Rc<Needs>>>,
    /// Locals whose names say which body they are of.
    owned: HashSet<&'m str>,
    /// The first leaf of what it is and its index.
    places: BTreeMap<(What, String), LeafId>,
    /// Numbers that bodies are given, of the kernel that is being written: data of the kernel, so that bodies which
    /// differ in them have the same.
    given: RefCell<Vec<(LetId, TokenStream)>>,
}

/// Whose resolved code it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    Let(LetId),
    Der(DerId),
}

/// Resolved code as text.
struct Text {
    parts: Vec<Part>,
    /// The number that it is, where it is one alone.
    number: Option<TokenStream>,
}

enum Part {
    Plain(String),
    /// A local whose name says which body it is of.
    Owned(String),
    Scalar,
    Der(DerId),
}

/// The key of a kernel while it is written.
#[derive(Default)]
struct Key {
    text: String,
    /// The locals of bodies, in the order in which they come.
    locals: HashMap<String, usize>,
}

impl Key {
    fn owned(&mut self, local: &str) {
        let next = self.locals.len();
        let number = match self.locals.get(local) {
            Some(&number) => number,
            None => *self.locals.entry(local.to_string()).or_insert(next),
        };
        self.text.push_str("__");
        self.text.push_str(&number.to_string());
        self.text.push(' ');
    }

    fn plain(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push(' ');
    }
}

/// A kernel that was emitted, and the order in which its inputs are expected.
pub struct Emitted {
    /// The kernel as a value.
    pub name: TokenStream,
    /// Slots and parameters in order; a whole array is one leaf here and several inputs.
    pub slots: Vec<LeafId>,
    pub params: Vec<LeafId>,
    /// Sizes and other whole numbers follow the loop indices in `at`.
    pub sizes: Vec<SizeId>,
    pub wholes: Vec<WholeId>,
    /// Indices to be checked before it is run.
    pub entries: Vec<EntryId>,
    pub slot_count: usize,
    pub param_count: usize,
}

impl<'m> Kernels<'m> {
    pub fn new(model: &'m Model) -> Self {
        let locals = model.leaves.iter().map(|leaf| &leaf.local[..]);
        let locals = locals.chain(model.lets.iter().map(|definition| &definition.local[..]));
        let locals = locals.chain(model.wholes.iter().map(|whole| &whole.local[..]));
        let owned = locals.filter(|local| local.starts_with("__")).collect();
        let mut places = BTreeMap::new();
        for (id, leaf) in model.leaves.iter().enumerate() {
            places.entry((leaf.what, index_text(&leaf.index))).or_insert(id);
        }
        Kernels {
            model,
            items: RefCell::default(),
            known: RefCell::default(),
            texts: RefCell::default(),
            needs: RefCell::default(),
            owned,
            places,
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
        let wholes: Vec<WholeId> = kernel.needs.wholes.iter().copied().collect();
        let (slot_count, param_count) = (self.count(&slots), self.count(&params));
        let entries = kernel.needs.entries.iter().copied().collect();
        let key = self.key(kernel, loops, (&sizes, &wholes), [&slots, &params]);
        let known = self.known.borrow().get(&key).cloned();
        let name = match known {
            Some(name) => self.with_given(&name),
            None => self.written(kernel, loops, (&sizes, &wholes), [&slots, &params], key),
        };
        Emitted { name, slots, params, sizes, wholes, entries, slot_count, param_count }
    }

    /// A kernel that is written for the first time.
    fn written(
        &self,
        kernel: &Kernel,
        loops: &[LoopId],
        (sizes, wholes): (&[SizeId], &[WholeId]),
        [slots, params]: [&[LeafId]; 2],
        key: String,
    ) -> TokenStream {
        let model = self.model;
        let mut bindings = TokenStream::new();
        for (k, &id) in loops.iter().enumerate() {
            let var = &model.loops[id].var;
            bindings.extend(quote!(let #var: ::core::primitive::usize = __at[#k];));
        }
        for (k, &id) in sizes.iter().enumerate() {
            let (name, k) = (&model.sizes[id].name, k + loops.len());
            bindings.extend(quote!(let #name: ::core::primitive::usize = __at[#k];));
        }
        for (k, &id) in wholes.iter().enumerate() {
            let name = names::ident(&model.wholes[id].local, Span::call_site());
            let k = k + loops.len() + sizes.len();
            bindings.extend(quote!(let #name: ::core::primitive::usize = __at[#k];));
        }
        self.bind(slots, "__z", &mut bindings);
        self.bind(params, "__p", &mut bindings);
        let read = self.given.take();
        let lets = self.lets(&kernel.needs.lets, 0);
        let value = self.fill(&kernel.code.tokens, 0);
        let (slots, params, rows) = (self.count(slots), self.count(params), kernel.rows);
        let name = format_ident!("__Kernel{}", self.items.borrow().len());
        // A key that gives the numbers in another order than the code takes them would mix them up.
        let ids =
            |given: &[(LetId, TokenStream)]| given.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        if ids(&read) == ids(&self.given.borrow()) {
            self.known.borrow_mut().insert(key, name.clone());
        }
        let count = self.given.borrow().len();
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
                {
                    #bindings
                    #lets
                    #value
                }
            }
        });
        self.with_given(&name)
    }

    /// The kernel as a value.
    fn with_given(&self, name: &Ident) -> TokenStream {
        let given = self.given.borrow();
        let numbers = given.iter().map(|(_, number)| number);
        let numbers = (!given.is_empty()).then(|| quote!(([#(#numbers),*])));
        quote!(#name #numbers)
    }

    /// What is the same for kernels of the same code, without that being written: rustc's tokens are slow to take apart,
    /// and of a component used fifty times all kernels but those of the first are known. Notes the numbers given.
    fn key(
        &self,
        kernel: &Kernel,
        loops: &[LoopId],
        (sizes, wholes): (&[SizeId], &[WholeId]),
        leaves: [&[LeafId]; 2],
    ) -> String {
        self.given.borrow_mut().clear();
        let (model, mut key) = (self.model, Key::default());
        key.plain(&kernel.rows.to_string());
        loops.iter().for_each(|&id| key.plain(&model.loops[id].var.to_string()));
        key.plain(";");
        sizes.iter().for_each(|&id| key.plain(&model.sizes[id].name.to_string()));
        key.plain(";");
        wholes.iter().for_each(|&id| self.local_key(&model.wholes[id].local, &mut key));
        for leaves in leaves {
            key.plain(";");
            leaves.iter().for_each(|&leaf| self.leaf_key(leaf, &mut key));
        }
        self.lets_key(&kernel.needs.lets, 0, &mut key);
        self.parts_key(&self.text_of(&kernel.code.tokens).parts, 0, &mut key);
        key.text
    }

    fn local_key(&self, local: &str, key: &mut Key) {
        match self.owned.contains(local) {
            true => key.owned(local),
            false => key.plain(local),
        }
    }

    /// A leaf's local, how many it stands for, and whether it is an input.
    fn leaf_key(&self, leaf: LeafId, key: &mut Key) {
        self.local_key(&self.model.leaves[leaf].local, key);
        let input = self.model.input(leaf).is_some();
        if self.model.width(leaf).is_some() || input {
            key.plain(&format!("{:?} {input}", self.model.width(leaf)));
        }
    }

    fn lets_key(&self, lets: &BTreeSet<LetId>, depth: usize, key: &mut Key) {
        for &id in lets {
            let definition = &self.model.lets[id];
            key.plain("let");
            self.local_key(&definition.local, key);
            let text = self.text(Source::Let(id), &definition.code.tokens);
            let number = text.number.clone().filter(|_| definition.local.starts_with("__"));
            match number {
                Some(number) => {
                    key.plain(&format!("given {depth} {}", self.place_given(id, number)));
                }
                None => self.parts_key(&text.parts, depth, key),
            }
            key.plain(";");
        }
    }

    fn parts_key(&self, parts: &[Part], depth: usize, key: &mut Key) {
        for part in parts {
            match part {
                Part::Plain(text) => key.text.push_str(text),
                Part::Owned(local) => key.owned(local),
                Part::Scalar => key.plain(&format!("<{depth}>")),
                Part::Der(id) => self.der_key(*id, depth, key),
            }
        }
    }

    fn der_key(&self, id: DerId, depth: usize, key: &mut Key) {
        let Der { code, still } = &self.model.ders[id];
        let needs = self.der_needs(id);
        key.plain(&format!("der {still}"));
        for &leaf in needs.leaves.keys() {
            self.leaf_key(leaf, key);
            key.plain(match self.constant_rate(leaf, *still) {
                Some(0.0) => "0",
                Some(_) => "1",
                None => "-",
            });
            if let Some(rate) = self.rate_leaf(leaf) {
                self.leaf_key(rate, key);
            }
        }
        self.lets_key(&needs.lets, depth + 1, key);
        key.plain("in");
        self.parts_key(&self.text(Source::Der(id), &code.tokens).parts, depth + 1, key);
        key.plain("end");
    }

    fn text(&self, source: Source, tokens: &TokenStream) -> Rc<Text> {
        if let Some(text) = self.texts.borrow().get(&source) {
            return text.clone();
        }
        let text = Rc::new(self.text_of(tokens));
        self.texts.borrow_mut().insert(source, text.clone());
        text
    }

    fn text_of(&self, tokens: &TokenStream) -> Text {
        let mut parts = Vec::new();
        self.read(tokens.clone(), &mut parts);
        Text { parts, number: number(tokens) }
    }

    fn read(&self, code: TokenStream, parts: &mut Vec<Part>) {
        let plain = |parts: &mut Vec<Part>, text: &str, space: bool| {
            if !matches!(parts.last(), Some(Part::Plain(_))) {
                parts.push(Part::Plain(String::new()));
            }
            if let Some(Part::Plain(last)) = parts.last_mut() {
                last.push_str(text);
                last.push_str(if space { " " } else { "" });
            }
        };
        for token in code {
            match token {
                TokenTree::Group(group) => {
                    let open = match group.delimiter() {
                        Delimiter::Parenthesis => "(",
                        Delimiter::Brace => "{",
                        Delimiter::Bracket => "[",
                        Delimiter::None => "∅",
                    };
                    plain(parts, open, true);
                    self.read(group.stream(), parts);
                    plain(parts, "}", true);
                }
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    match der_number(&name) {
                        _ if name == SCALAR => parts.push(Part::Scalar),
                        Some(id) => parts.push(Part::Der(id)),
                        None if self.owned.contains(&name[..]) => parts.push(Part::Owned(name)),
                        None => plain(parts, &name, true),
                    }
                }
                TokenTree::Punct(punct) => {
                    let text = punct.as_char();
                    plain(parts, text.encode_utf8(&mut [0; 4]), punct.spacing() == Spacing::Alone);
                }
                TokenTree::Literal(literal) => plain(parts, &literal.to_string(), true),
            }
        }
    }

    /// How many inputs leaves are.
    fn count(&self, leaves: &[LeafId]) -> usize {
        let one = |&leaf: &LeafId| {
            let each = if self.model.input(leaf).is_some() { COURSE } else { 1 };
            each * self.model.width(leaf).unwrap_or(1)
        };
        leaves.iter().map(one).sum()
    }

    /// The place among the numbers a kernel is given of a `let` that is a number.
    fn place_given(&self, id: LetId, number: TokenStream) -> usize {
        let mut given = self.given.borrow_mut();
        given.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            given.push((id, number));
            given.len() - 1
        })
    }

    /// `let theta = __z[0];`, whole arrays as arrays.
    fn bind(&self, leaves: &[LeafId], input: &str, out: &mut TokenStream) {
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
                TokenTree::Ident(ident) => match der_number(&ident.to_string()) {
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
        let needs = self.der_needs(id);
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
            let constant = self.constant_rate(leaf, *still);
            values.push(match (constant, self.rate_local(leaf), self.model.width(leaf)) {
                (Some(rate), _, None) => quote!(__mbd::with_rate(#local, __mbd::num(#rate))),
                (Some(rate), _, Some(_)) => {
                    quote!(__mbd::with_one_rate(#local, #rate))
                }
                (None, Some(rate), None) => quote!(__mbd::with_rate(#local, #rate)),
                // No closure: what is generic in one is compiled for each.
                (None, Some(rate), Some(_)) => quote!(__mbd::with_rates(#local, #rate)),
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

    /// The rate of a leaf of which none is read.
    fn constant_rate(&self, leaf: LeafId, still: bool) -> Option<f64> {
        match self.model.leaves[leaf].what {
            _ if still => Some(0.0),
            What::Time => Some(1.0),
            What::Param(_) | What::Slot(SlotKind::Mode | SlotKind::Input | SlotKind::Start, _) => {
                Some(0.0)
            }
            _ => None,
        }
    }

    /// The leaf that is the time derivative of a leaf.
    fn rate_leaf(&self, leaf: LeafId) -> Option<LeafId> {
        let this = &self.model.leaves[leaf];
        let rate = rate_of(this.what).ok()??;
        self.places.get(&(rate, index_text(&this.index))).copied()
    }

    /// The local that holds it.
    fn rate_local(&self, leaf: LeafId) -> Option<Ident> {
        self.rate_leaf(leaf).map(|rate| self.local(rate))
    }

    /// What a `der(…)` block needs.
    fn der_needs(&self, id: DerId) -> Rc<Needs> {
        if let Some(needs) = self.needs.borrow().get(&id) {
            return needs.clone();
        }
        let needs = Rc::new(self.needs(&self.model.ders[id].code));
        self.needs.borrow_mut().insert(id, needs.clone());
        needs
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
                    ReadWhat::Size(_) | ReadWhat::Entry(_) | ReadWhat::Whole(_) => {}
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
        for (&leaf, &span) in &self.der_needs(id).leaves {
            needs.leaves.insert(leaf, span);
            if self.model.ders[id].still {
                continue;
            }
            if let Some(rate) = self.rate_leaf(leaf) {
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

fn der_number(name: &str) -> Option<DerId> {
    name.strip_prefix(DER_PREFIX)?.parse().ok()
}

fn index_text(index: &Index) -> String {
    match index {
        Index::None => String::new(),
        Index::At(tokens) => tokens.to_string(),
        Index::Whole(n) => format!("..{n}"),
        Index::Row { instance, row } => {
            let text = |tokens: &Option<TokenStream>| {
                tokens.as_ref().map_or(String::new(), ToString::to_string)
            };
            format!("{}/{}", text(instance), text(row))
        }
    }
}
