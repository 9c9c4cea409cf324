//! Bodies of arrays in joint coordinates, and joints in loops.
//!
//! Which joint carries which body is chosen here, over joints as statements: a joint carries in every pass of its
//! loops, and the same of its two bodies, or it closes loops and keeps its rows. How long loops are is known when a model
//! is built; what hangs on what does not depend on it, so the choice is made for the sizes as they are declared. Where a
//! model is built with others the builder finds out anew which entry is told by which (`mbd_core::model::ModelBuilder::tell`).
//!
//! The frame of a body that a joint in a loop carries, or of an array, is made of scalars that the joint tells.

use super::bodies::seen_at;
use super::expr::{Mode, Tx};
use super::placing::Node;
use super::resolver::{Hanging, Resolver};
use super::scope::{ScopeArray, ScopeId, Symbol};
use crate::ast::{Stmt, StmtKind};
use crate::component;
use crate::ir::*;
use crate::joint::Motion;
use crate::names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Lit, UnOp};

/// More than a loop of literal sizes is gone through.
const MOST: usize = 20_000;

/// What stands for a constant of Rust's, which no macro knows.
const CONSTANT: i64 = 6;

/// A body, or an entry of an array of bodies.
pub(super) type Entry = (Node, i64);

/// The passes of a joint's loops, each with what it joins.
type Passes = Vec<[Entry; 2]>;

/// What is known to keep its coordinates or rows.
#[derive(Default)]
struct Known {
    /// Arrays of bodies.
    own: BTreeSet<ScopeId>,
    /// Joints.
    closing: BTreeSet<usize>,
}

impl Resolver<'_> {
    // -- numbers -------------------------------------------------------------------------------

    /// The `for` loops of those around a scope, and the arrays of bodies that are left.
    pub(super) fn own_loops<'l>(
        &self,
        scope: ScopeId,
        loops: &'l [LoopId],
    ) -> (&'l [LoopId], Option<&ScopeArray>) {
        let array = self.scopes.list[scope].array.as_ref();
        let arrays = array.map_or(0, |array| array.chain().count());
        (loops.get(arrays..).unwrap_or_default(), array)
    }

    /// How the loops of a joint number what it declares; `held` even where arrays alone do.
    pub(super) fn passes(&self, joint: usize, held: bool) -> Option<crate::ir::Passes> {
        let joint = &self.joints[joint];
        let (own, _) = self.own_loops(joint.inner, &joint.loops);
        if own.is_empty() && (!held || joint.loops.is_empty()) {
            return None;
        }
        let (count, place) = (self.count(own), self.place_in(own));
        let all = match &self.scopes.list[joint.inner].len {
            Some(len) => {
                let len = &len.tokens;
                quote!(((#len).max(0i64) * (#count)))
            }
            None => count.clone(),
        };
        Some(crate::ir::Passes { count, place, all })
    }

    /// i64 code of the number of passes of nested loops.
    pub(super) fn count(&self, loops: &[LoopId]) -> TokenStream {
        let Some((&first, rest)) = loops.split_first() else { return quote!(1i64) };
        let Loop { var, start, .. } = &self.model.loops[first];
        let (end, inner) = (self.end(first), self.count(rest));
        match crate::check::mentions(&inner, &var.to_string()) {
            true => {
                quote!(((#start)..(#end)).map(|#var: ::core::primitive::i64| #inner).sum::<::core::primitive::i64>())
            }
            false => quote!((((#end) - (#start)).max(0i64) * (#inner))),
        }
    }

    /// i64 code of the number of the pass that loop indices are in.
    pub(super) fn place_in(&self, loops: &[LoopId]) -> TokenStream {
        let Some((&first, rest)) = loops.split_first() else { return quote!(0i64) };
        let Loop { var, start, .. } = &self.model.loops[first];
        let (inner, place) = (self.count(rest), self.place_in(rest));
        match (rest.is_empty(), crate::check::mentions(&inner, &var.to_string())) {
            (true, _) => quote!((#var - (#start))),
            (_, true) => {
                quote!((((#start)..#var).map(|#var: ::core::primitive::i64| #inner).sum::<::core::primitive::i64>() + (#place)))
            }
            (_, false) => quote!(((#var - (#start)) * (#inner) + (#place))),
        }
    }

    /// The end of a loop, which is not gone through.
    fn end(&self, id: LoopId) -> TokenStream {
        let Loop { end, inclusive, .. } = &self.model.loops[id];
        match inclusive {
            true => quote!((#end) + 1i64),
            false => end.clone(),
        }
    }

    /// Names of what a joint in loops declares: `hinge.angle[2]`, `leg[1].knee.angle[2]`. Joints of several loops may
    /// have one name.
    pub(super) fn numbered_names(
        &self,
        name: String,
        ident: Ident,
        body: Option<BodyArray>,
        passes: &crate::ir::Passes,
    ) -> (String, Ident, Option<BodyArray>) {
        let taken = |name: &str| self.model.scalars.iter().any(|scalar| scalar.name == name);
        let with = |text: &str, k: usize| match (k, text.rsplit_once('.')) {
            (1, _) => text.to_string(),
            (k, Some((joint, own))) => format!("{joint}_{k}.{own}"),
            (k, None) => format!("{text}_{k}"),
        };
        let k = (1..).find(|&k| !taken(&with(&name, k))).unwrap_or(1);
        let text = with(&name, k);
        let ident = match k {
            1 => ident,
            _ => names::ident(&text.replace('.', "_"), ident.span()),
        };
        let body = body.map(|mut body| {
            body.texts.push(with(&std::mem::take(&mut body.after), k));
            body.lens.push(Len { tokens: passes.count.clone(), literal: None });
            body
        });
        (text, ident, body)
    }

    /// Code of the name of a body of an array, that of the entry which is gone through.
    pub(super) fn entry_name(&self, scope: ScopeId) -> Option<TokenStream> {
        let index = &self.scopes.list[scope].array.as_ref()?.index;
        let (.., body) = self.names(scope, &Ident::new("x", Span::call_site()));
        let mut body = body?;
        body.after = body.after.rsplit_once('.').map_or(String::new(), |(own, _)| own.into());
        Some(body.name_of(quote!(((#index) as ::core::primitive::usize))))
    }

    // -- the tree ------------------------------------------------------------------------------

    /// Which joints carry a body, the second (`true`) or the first, in the order that `order` gives; `by_hand`: bodies
    /// that are started by hand.
    pub(super) fn choose_tree(
        &mut self,
        order: &[usize],
        by_hand: &BTreeSet<ScopeId>,
    ) -> BTreeMap<usize, bool> {
        let sample = self.sample(0);
        let mut passes = self.all_passes(&sample);
        // A loop that is not gone through as sizes are declared says nothing.
        if passes.iter().any(|(_, passes)| passes.as_ref().is_some_and(Vec::is_empty)) {
            let larger = self.sample(5);
            let more = self.all_passes(&larger);
            passes = more;
            return self.tree_of(order, by_hand, &passes, &larger);
        }
        self.tree_of(order, by_hand, &passes, &sample)
    }

    fn tree_of(
        &self,
        order: &[usize],
        by_hand: &BTreeSet<ScopeId>,
        passes: &BTreeMap<usize, Option<Passes>>,
        sample: &HashMap<String, i64>,
    ) -> BTreeMap<usize, bool> {
        let lengths: BTreeMap<ScopeId, i64> = self
            .hanging
            .keys()
            .map(|&scope| {
                let len = self.scopes.list[scope].len.as_ref();
                (scope, len.map_or(Some(1), |len| value(&len.tokens, sample)).unwrap_or(0))
            })
            .collect();
        let mut known = Known::default();
        // What is known grows from one attempt to the next.
        loop {
            if let Some(tree) = self.attempt(order, by_hand, passes, &lengths, &mut known) {
                return tree;
            }
        }
    }

    /// The tree, or `None` where more is known now.
    fn attempt(
        &self,
        order: &[usize],
        by_hand: &BTreeSet<ScopeId>,
        passes: &BTreeMap<usize, Option<Passes>>,
        lengths: &BTreeMap<ScopeId, i64>,
        known: &mut Known,
    ) -> Option<BTreeMap<usize, bool>> {
        let mut sides: BTreeMap<usize, bool> = BTreeMap::new();
        let mut placed = BTreeSet::from([(Node::Ground, 0)]);
        let mut open: BTreeMap<usize, Vec<[Entry; 2]>> = BTreeMap::new();
        for &id in order {
            if let Some(Some(passes)) = passes.get(&id)
                && !known.closing.contains(&id)
            {
                open.insert(id, passes.clone());
            }
        }
        let all = |scope: ScopeId| (0..lengths[&scope]).map(move |i| (Node::Body(scope), i));
        placed.extend(known.own.iter().flat_map(|&scope| all(scope)));
        loop {
            let mut next = None;
            for &id in order {
                let Some(passes) = open.get(&id) else { continue };
                if passes.iter().any(|[a, b]| placed.contains(a) && placed.contains(b)) {
                    // It closes a loop in this pass.
                    known.closing.insert(id);
                    if sides.contains_key(&id) {
                        return None;
                    }
                    open.remove(&id);
                    continue;
                }
                let tells = |[a, b]: &[Entry; 2]| {
                    let second = placed.contains(a);
                    let (Node::Body(scope), _) = (if second { b } else { a }) else { return None };
                    let one = second || placed.contains(b);
                    (one && self.hanging.contains_key(scope)).then_some(second)
                };
                let found = passes.iter().enumerate().find_map(|(k, pass)| Some((k, tells(pass)?)));
                if let Some((k, second)) = found {
                    next = Some((id, k, second));
                    break;
                }
            }
            if let Some((id, k, second)) = next {
                if *sides.entry(id).or_insert(second) != second {
                    known.closing.insert(id);
                    return None;
                }
                let told = open.get_mut(&id).map(|passes| passes.remove(k));
                placed.extend(told.map(|[a, b]| if second { b } else { a }));
                continue;
            }
            let of_joint = |by_hand: &BTreeSet<ScopeId>| {
                order.iter().flat_map(|id| passes.get(id).into_iter().flatten()).flatten().find_map(
                    |ends| {
                        ends.iter().find(|entry| {
                            let (Node::Body(body), _) = entry else { return false };
                            !placed.contains(*entry)
                                && self.hanging.contains_key(body)
                                && (by_hand.is_empty() || by_hand.contains(body))
                        })
                    },
                )
            };
            let first = if by_hand.is_empty() { None } else { of_joint(by_hand) };
            let root = first.or_else(|| of_joint(&BTreeSet::new())).copied();
            let mut left = self.hanging.keys().flat_map(|&scope| all(scope));
            match root.or_else(|| left.find(|entry| !placed.contains(entry))) {
                // Of an array all keep their coordinates, or none.
                Some((Node::Body(scope), _)) if self.scopes.list[scope].array.is_some() => {
                    known.own.insert(scope);
                    if lengths[&scope] > 0
                        && !placed.iter().any(|(node, _)| *node == Node::Body(scope))
                    {
                        placed.extend(all(scope));
                        continue;
                    }
                    return None;
                }
                Some(root) => _ = placed.insert(root),
                None => return Some(sides),
            }
        }
    }

    /// What each joint whose coordinates tell a body joins, in every pass of its loops; `None` where an index is not
    /// known.
    fn all_passes(&mut self, sample: &HashMap<String, i64>) -> BTreeMap<usize, Option<Passes>> {
        let of_tree = |id: &usize| matches!(self.joints[*id].kind.motion, Motion::At(_));
        let ids: Vec<usize> = (0..self.joints.len()).filter(of_tree).collect();
        ids.into_iter().map(|id| (id, self.joint_passes(id, sample))).collect()
    }

    fn joint_passes(&mut self, id: usize, sample: &HashMap<String, i64>) -> Option<Passes> {
        let [first, second] = self.nodes(&self.joints[id]);
        let ((a, of_a), (b, of_b)) = (first?, second?);
        let outer = self.joints[id].outer;
        let ends = [(a, self.entry(of_a, outer)), (b, self.entry(of_b, outer))];
        let loops = self.joints[id].loops.clone();
        let mut found = Some(Vec::new());
        self.each_pass(&loops, &mut sample.clone(), &mut |values| {
            let entry = |(node, index): &(Node, Option<Expr>)| {
                let index = match index {
                    Some(index) => number(index, values)?,
                    None => 0,
                };
                Some((*node, index))
            };
            let pass = entry(&ends[0]).zip(entry(&ends[1])).map(|(a, b)| [a, b]);
            found = found.take().zip(pass).map(|(mut all, pass)| {
                all.push(pass);
                all
            });
            found.as_ref().is_some_and(|all| all.len() < MOST)
        })?;
        found
    }

    /// Goes through loops as long as it is asked to; `None` where an end is not known.
    fn each_pass(
        &self,
        loops: &[LoopId],
        values: &mut HashMap<String, i64>,
        visit: &mut dyn FnMut(&HashMap<String, i64>) -> bool,
    ) -> Option<bool> {
        let Some((&first, rest)) = loops.split_first() else { return Some(visit(values)) };
        let start = value(&self.model.loops[first].start, values)?;
        let end = value(&self.end(first), values)?;
        let var = self.model.loops[first].var.to_string();
        for i in start..end {
            values.insert(var.clone(), i);
            if !self.each_pass(rest, values, visit)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The index among all entries of an array of bodies of which one is named.
    fn entry(&mut self, body: Option<Expr>, scope: ScopeId) -> Option<Expr> {
        let found = Tx::new(self, scope, Mode::Kernel, None).body(&body?)?;
        let Symbol::Body(inner) = found.symbol else { return None };
        let array = self.scopes.list[inner].array.as_ref()?;
        let named = found.subst.as_ref().and_then(|subst| subst.of(array.owner));
        syn::parse2(named.map_or(array.index.clone(), |subst| subst.tokens.clone())).ok()
    }

    /// Sizes as they are declared; those that are numbers `more` than that.
    fn sample(&self, more: i64) -> HashMap<String, i64> {
        let mut values = HashMap::new();
        for Size { name, default, .. } in &self.model.sizes {
            let is_number = matches!(syn::parse2(default.clone()), Ok(Expr::Lit(_)));
            let size = value(default, &values).unwrap_or(CONSTANT);
            values.insert(name.to_string(), if is_number { size + more } else { size });
        }
        values
    }

    // -- what is told --------------------------------------------------------------------------

    /// Declares the frame of a body that joints tell, `by` these, in every entry of an array or once.
    pub(super) fn declare_told(&mut self, scope: ScopeId, hanging: &Hanging, by: &[usize]) {
        let span = hanging.body.name.span();
        let (frame, rows) = component::told(hanging.dimension);
        let all: Vec<Ident> = (0..rows).map(|k| Ident::new(&format!("__told{k}"), span)).collect();
        for name in &all {
            let (text, ident, body) = self.names(scope, name);
            let len = self.scopes.list[scope].len.clone();
            self.model.scalars.push(Scalar {
                kind: ScalarKind::Coord,
                name: text,
                ident,
                span,
                docs: Vec::new(),
                unit: String::new(),
                len,
                body,
                housekeeping: false,
                logical: false,
                held: false,
                solved: false,
                balanced: false,
                told: true,
                passes: None,
            });
            self.name(scope, name, Symbol::Scalar(self.model.scalars.len() - 1));
        }
        let value = format!("{frame}::told(__numbers)");
        let numbers: Expr = syn::parse_quote!([#(#all),*]);
        self.let_def(&Ident::new("__numbers", span), &numbers, scope, scope, None);
        if let Ok(value) = syn::parse_str(&value) {
            self.let_def(&Ident::new("frame", span), &value, scope, scope, None);
        }
        for &id in by {
            let Some(body) = self.carried_body(id) else { continue };
            let joint = &self.joints[id];
            let (inner, outer, loops) = (joint.inner, joint.outer, joint.loops.clone());
            let (second, ball) = (joint.carries == Some(true), joint.kind.name == "spherical");
            let of_body = |name: &str| Ident::new(name, span);
            // As the picture sees it: on the body, wherever the joint has it.
            let seen: Expr = syn::parse_quote!(#body.frame);
            self.let_def(&of_body("__carried"), &seen, inner, outer, None);
            if ball {
                let mean: Expr = syn::parse_quote!(#body.__mean);
                self.let_def(&of_body("__mean"), &mean, inner, outer, None);
            }
            let value: Expr = match second {
                true => syn::parse_quote!(__b.telling(&__local)),
                false => syn::parse_quote!(__a.telling(&__local)),
            };
            self.let_def(&of_body("__telling"), &value, inner, inner, None);
            let keyword = Ident::new("joint", self.joints[id].name.span());
            let kind = StmtKind::Tells { body, rows };
            let stmt = Stmt { docs: Vec::new(), public: false, keyword, kind };
            self.declare(&[stmt], inner, &loops);
        }
    }

    /// The body that a joint carries, as it is named there.
    pub(super) fn carried_body(&self, id: usize) -> Option<Expr> {
        let joint = &self.joints[id];
        let arg = &joint.frames[usize::from(joint.carries?)];
        self.body_under(arg, joint.outer).map(|(body, _)| body)
    }

    /// What a joint tells: the numbers of a body's frame, with their rates.
    pub(super) fn tells(
        &mut self,
        body: &Expr,
        rows: usize,
        scope: ScopeId,
    ) -> Option<StatementKind> {
        let joint = &self.joints[self.scopes.list[scope].joint?];
        let (outer, span) = (joint.outer, joint.name.span());
        let mut targets = Vec::new();
        for k in 0..rows {
            let name = Ident::new(&format!("__told{k}"), body.span());
            let target: Expr = syn::parse_quote!(#body.#name);
            let wanted = [ScalarKind::Coord];
            targets.push(self.target(&target, &wanted, "a number of a frame", outer)?.0);
        }
        let value: Expr = syn::parse_quote!(__telling);
        let rate: Expr = syn::parse_quote!(der(__telling));
        let second: Expr = syn::parse_quote!(der(der(__telling)));
        let kernels =
            [value, rate, second].map(|value| self.rows(&seen_at(&value, span), rows, scope));
        Some(StatementKind::Tells { targets, kernels: Box::new(kernels) })
    }
}

/// The value of i64 code.
fn value(code: &TokenStream, values: &HashMap<String, i64>) -> Option<i64> {
    number(&syn::parse2(code.clone()).ok()?, values)
}

fn number(e: &Expr, values: &HashMap<String, i64>) -> Option<i64> {
    match e {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_parse().ok(),
            _ => None,
        },
        Expr::Path(path) => {
            let known = path.path.get_ident().and_then(|name| values.get(&name.to_string()));
            Some(known.copied().unwrap_or(CONSTANT))
        }
        Expr::Paren(inner) => number(&inner.expr, values),
        Expr::Group(inner) => number(&inner.expr, values),
        Expr::Try(inner) => number(&inner.expr, values),
        Expr::Cast(cast) => number(&cast.expr, values),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            number(&unary.expr, values)?.checked_neg()
        }
        Expr::Binary(binary) => {
            let (a, b) = (number(&binary.left, values)?, number(&binary.right, values)?);
            match binary.op {
                BinOp::Add(_) => a.checked_add(b),
                BinOp::Sub(_) => a.checked_sub(b),
                BinOp::Mul(_) => a.checked_mul(b),
                _ => None,
            }
        }
        Expr::MethodCall(call) => {
            let on = number(&call.receiver, values);
            let with = call.args.first().and_then(|arg| number(arg, values));
            match call.method.to_string().as_str() {
                "checked_div" => on?.checked_div(with?),
                "checked_rem" => on?.checked_rem(with?),
                "unwrap_or" => on.or(with),
                "max" => Some(on?.max(with?)),
                _ => None,
            }
        }
        // The check of an index: a statement, an array, the index, a length.
        Expr::Call(call) => call.args.iter().nth(2).and_then(|index| number(index, values)),
        _ => None,
    }
}
