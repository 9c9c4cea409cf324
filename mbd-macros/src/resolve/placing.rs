//! Initial values from joints: before assembly every body is put where the joints that hang it on the
//! ground, or on a body that has its place, put it at their initial coordinates. The joints used are a
//! tree; the others find their loop almost closed, and assembly closes it.

use super::resolver::{Joint, Resolver, Work};
use super::scope::{ScopeId, Symbol};
use crate::ast::{Kept, Placing, Stmt, StmtKind};
use crate::ir::*;
use crate::joint::Motion;
use proc_macro2::{Ident, Span};
use std::collections::{BTreeMap, BTreeSet};
use syn::spanned::Spanned;
use syn::{Expr, Member};

/// An initial value of a joint's coordinate, or of its rate.
#[derive(Clone)]
struct Start {
    kept: bool,
    value: Expr,
    scope: ScopeId,
    level: usize,
    span: Span,
}

/// Initial values stated for a joint: of its coordinates, and of their rates.
type Starts = BTreeMap<(usize, usize, bool), Start>;

/// A body as a node of the tree: its scope, whatever its index in an array of bodies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Node {
    Ground,
    Body(ScopeId),
}

/// What is known of a body's place, by level, positions and velocities: whether it is kept, and then which starts have to
/// be given for it from outside.
#[derive(Clone)]
struct Placed {
    kept: [Option<Vec<String>>; 2],
    /// Why no start of joints keeps it, where that is so.
    loose: Option<Loose>,
}

/// What leaves the place of a body open, whatever is stated for joints.
#[derive(Clone)]
enum Loose {
    /// A joint that no coordinates tell.
    Joint(usize),
    /// A body that joints do not place, and that is not kept where it is.
    Body(String),
}

/// That of what is kept, or not, whatever is given.
fn fixed(kept: bool) -> Option<Vec<String>> {
    kept.then(Vec::new)
}

impl Resolver<'_> {
    /// States an initial value for every body that a joint can put in its place.
    pub(super) fn place_bodies(&mut self) {
        if self.joints.is_empty() {
            return;
        }
        self.driven_starts();
        let starts = self.joint_starts();
        let (mut placed, moving) = self.placed_by_hand();
        let driven = self.joints.iter().any(|joint| !joint.driven.is_empty());
        let moving = moving || driven || starts.keys().any(|(_, _, rate)| *rate);
        let ground = Placed { kept: [fixed(true), fixed(true)], loose: None };
        placed.insert(Node::Ground, ground);
        let by_hand: BTreeSet<Node> = placed.keys().copied().collect();
        let mut used = BTreeSet::new();
        loop {
            let stated = |id: &usize| starts.keys().any(|(joint, _, _)| joint == id);
            let mut order: Vec<usize> = (0..self.joints.len()).collect();
            order.sort_by_key(|id| !stated(id));
            let next = order.iter().find_map(|&id| Some((id, self.next(id, &placed)?)));
            let Some((id, forward)) = next else {
                // What hangs on nothing: one of its bodies stays where bodies are by default.
                match order.iter().find_map(|&id| self.root(id, &placed)) {
                    Some(root) => {
                        let loose = Some(Loose::Body(self.named(root)));
                        placed.insert(root, Placed { kept: [None, None], loose });
                        continue;
                    }
                    None => break,
                }
            };
            used.insert(id);
            self.hang(id, forward, &starts, &mut placed, moving);
        }
        self.array_joints(&starts, &by_hand, &mut used, moving);
        self.useless_starts(&starts, &used);
        self.no_starts(&used, moving);
        self.turns_at_start();
    }

    pub(super) fn nodes(&self, joint: &Joint) -> [Option<(Node, Option<Expr>)>; 2] {
        let node = |arg: &Expr| {
            if self.on_ground(arg, joint.outer) {
                return Some((Node::Ground, None));
            }
            let (body, scope) = self.body_under(arg, joint.outer)?;
            Some((Node::Body(scope), Some(body)))
        };
        [node(&joint.frames[0]), node(&joint.frames[1])]
    }

    /// Whether a joint says where a body is that has no place yet: the second (`true`) or the first.
    fn next(&self, id: usize, placed: &BTreeMap<Node, Placed>) -> Option<bool> {
        let joint = &self.joints[id];
        if joint.carries.is_some() {
            return None;
        }
        joint.kind.motion.at_start()?;
        let [Some((a, _)), Some((b, _))] = self.nodes(joint) else { return None };
        match (placed.contains_key(&a), placed.contains_key(&b)) {
            (true, false) if self.coordinates(b).is_some() => Some(true),
            (false, true) if self.coordinates(a).is_some() => Some(false),
            _ => None,
        }
    }

    fn root(&self, id: usize, placed: &BTreeMap<Node, Placed>) -> Option<Node> {
        let joint = &self.joints[id];
        if matches!(joint.kind.motion, Motion::None) || joint.carries.is_some() {
            return None;
        }
        let [Some((a, _)), Some((b, _))] = self.nodes(joint) else { return None };
        (a != b && !placed.contains_key(&a) && !placed.contains_key(&b)).then_some(a)
    }

    /// The coordinates by which a body can be placed: those of the language's own bodies.
    fn coordinates(&self, node: Node) -> Option<Vec<ScalarId>> {
        let Node::Body(scope) = node else { return None };
        let names = self.dimension(scope)?.coordinates();
        names
            .iter()
            .map(|name| match self.scopes.member(scope, name)? {
                Symbol::Scalar(id) if self.model.scalars[id].kind == ScalarKind::Coord => Some(id),
                _ => None,
            })
            .collect()
    }

    fn turns_in_space(&self, body: ScopeId) -> bool {
        self.scopes.member(body, "e3").is_some()
    }

    /// Puts a body where the joint puts it.
    fn hang(
        &mut self,
        id: usize,
        forward: bool,
        starts: &Starts,
        placed: &mut BTreeMap<Node, Placed>,
        moving: bool,
    ) {
        let [Some((a, _)), Some((b, _))] = self.nodes(&self.joints[id]) else { return };
        let (from, to) = if forward { (a, b) } else { (b, a) };
        let Placed { mut kept, loose } =
            placed.get(&from).cloned().unwrap_or(Placed { kept: [None, None], loose: None });
        let untold = !self.joints[id].kind.tells_all();
        let loose = loose.or(untold.then_some(Loose::Joint(id)));
        for (level, kept) in kept.iter_mut().enumerate() {
            let joint = &self.joints[id];
            let coordinates = 0..joint.kind.coordinates.len();
            let stated: Vec<Option<&Start>> =
                coordinates.clone().map(|k| starts.get(&(id, k, level == 1))).collect();
            let open = coordinates.zip(&stated).filter(|(k, start)| {
                !joint.driven.contains(k) && !start.is_some_and(|start| start.kept)
            });
            let mut open: Vec<String> =
                open.map(|(k, _)| self.start_name(id, k, level == 1)).collect();
            let free = !joint.kind.tells_all() || !open.is_empty() && !joint.loops.is_empty();
            *kept = kept.take().filter(|_| !free).map(|mut given| {
                given.append(&mut open);
                given
            });
            let always = kept.as_ref().is_some_and(Vec::is_empty);
            let cannot = stated.iter().flatten().find(|start| start.kept && !always);
            if let Some(start) = cannot {
                self.cannot_keep(id, &self.named(to), level, start.span, loose.as_ref());
            }
        }
        placed.insert(to, Placed { kept: kept.clone(), loose });
        // A drive holds its coordinate, wherever it is at the time the run begins.
        let kept = kept.map(|kept| kept.filter(|_| self.joints[id].driven.is_empty()));
        self.emit(id, forward, starts, kept, moving);
    }

    /// What a coordinate of a joint, or its rate, is called from outside.
    fn start_name(&self, id: usize, k: usize, rate: bool) -> String {
        let Joint { kind, inner, .. } = &self.joints[id];
        let coordinate = &kind.coordinates[k];
        let name = if rate { coordinate.rate } else { coordinate.name };
        format!("{}{name}", self.scopes.list[*inner].prefix)
    }

    /// What a body is called.
    fn named(&self, node: Node) -> String {
        match node {
            Node::Body(scope) => self.scopes.list[scope].prefix.trim_end_matches('.').to_string(),
            Node::Ground => "ground".into(),
        }
    }

    fn cannot_keep(&self, id: usize, body: &str, level: usize, span: Span, loose: Option<&Loose>) {
        let what = ["coordinates", "rates"][level];
        let joint = &self.joints[id].name;
        let mend = match loose {
            Some(Loose::Joint(open)) => {
                let Joint { kind, name, .. } = &self.joints[*open];
                format!("no coordinates tell all that `{name}`, a `{}`, leaves free", kind.name)
            }
            Some(Loose::Body(of)) => {
                let stated = ["position and orientation", "velocity and angular velocity"][level];
                format!("state the {stated} of `{of}`, from which it hangs, with `init`")
            }
            None => format!("state all {what} of the joints from there to the ground with `init`"),
        };
        let or = if matches!(loose, Some(Loose::Joint(_))) { ":" } else { ", or" };
        self.diag.error(
            span,
            format!("this cannot be kept: assembly may move `{body}`, which `{joint}` places; {mend}{or} write `guess` here"),
        );
    }

    /// The statements that place a body.
    fn emit(
        &mut self,
        id: usize,
        forward: bool,
        starts: &Starts,
        kept: [Option<Vec<String>>; 2],
        moving: bool,
    ) {
        let joint = &self.joints[id];
        let (kind, inner, outer, loops) =
            (joint.kind, joint.inner, joint.outer, joint.loops.clone());
        let arg = joint.frames[usize::from(forward)].clone();
        let Some((body, _)) = self.body_under(&arg, outer) else { return };
        let nodes = self.nodes(joint);
        let placed = nodes[usize::from(forward)].as_ref().map(|(node, _)| self.named(*node));
        let placed = placed.unwrap_or_default();
        let span = joint.name.span();
        let Some(motion) = kind.motion.at_start() else { return };
        let Ok(motion) = syn::parse_str::<Expr>(motion) else { return };
        let (module, dimension) = (Ident::new(kind.dimension.module(), span), kind.dimension);

        let local = Ident::new("__local", span);
        let value = self.seen_from(&arg, dimension);
        self.let_def(&local, &value, inner, outer, None);
        // Coordinates at the start, and along their rates from there.
        for (k, coordinate) in kind.coordinates.iter().enumerate() {
            let name = |prefix: &str| Ident::new(&format!("{prefix}{}", coordinate.name), span);
            let (at, by) = (name("__at_"), name("__by_"));
            for (name, rate) in [(&at, false), (&by, true)] {
                let start = starts.get(&(id, k, rate));
                if loops.is_empty() && !self.joints[id].driven.contains(&k) && (moving || !rate) {
                    self.start(name, id, (k, rate), start);
                    continue;
                }
                let zero: Expr = syn::parse_quote!(0.0);
                match start {
                    Some(start) => {
                        self.let_def(name, &start.value.clone(), inner, start.scope, None)
                    }
                    None => self.let_def(name, &zero, inner, inner, None),
                }
            }
            let value: Expr = match self.joints[id].driven.contains(&k) {
                true => {
                    let driven = name("__driven_");
                    syn::parse_quote!(#driven)
                }
                false => syn::parse_quote!(#at + #by*t),
            };
            self.let_def(&name("__start_"), &value, inner, inner, None);
        }
        let value: Expr = match forward {
            true => syn::parse_quote!(
                __mbd::components::#module::place_second(__a, #motion, __local)),
            false => syn::parse_quote!(
                __mbd::components::#module::place_first(__b, #motion, __local)),
        };
        let names = dimension.coordinates().iter().map(|name| Ident::new(name, span));
        let targets: Vec<Expr> = names.map(|name| syn::parse_quote!(#body.#name)).collect();
        let rates = targets.iter().map(|target| syn::parse_quote!(der(#target))).collect();
        let rate: Expr = syn::parse_quote!(der(#value));
        let [at_rest, in_motion] = kept;
        let mut push = |kept: Option<Vec<String>>, rate: bool, targets, value| {
            let joint = &self.joints[id];
            let free = (0..kind.coordinates.len()).filter(|k| !joint.driven.contains(k));
            let own = match joint.loops.is_empty() {
                true => free.map(|k| self.start_name(id, k, rate)).collect(),
                false => Vec::new(),
            };
            let given = kept.clone().unwrap_or_default();
            let kept = Kept { never: kept.is_none(), given, own, body: placed.clone() };
            let name = joint.name.to_string();
            self.place_later(Placing { name, kept, targets, value, scope: inner }, outer, &loops);
        };
        push(at_rest, false, targets, value);
        if moving {
            push(in_motion, true, rates, rate);
        }
    }

    /// A number that a joint's coordinate begins with, or goes on at: what is stated, unless another is given.
    fn start(&mut self, name: &Ident, id: usize, (k, rate): (usize, bool), start: Option<&Start>) {
        let Joint { inner, name: joint, .. } = self.joints[id].clone();
        let scalar = Scalar {
            kind: ScalarKind::Start,
            name: self.start_name(id, k, rate),
            ident: name.clone(),
            span: joint.span(),
            docs: Vec::new(),
            unit: String::new(),
            len: None,
            body: None,
            housekeeping: false,
            logical: false,
            held: false,
            solved: false,
            balanced: false,
            told: false,
            passes: None,
        };
        self.model.scalars.push(scalar);
        self.name(inner, name, Symbol::Scalar(self.model.scalars.len() - 1));
        if let Some(Start { value, scope, .. }) = start {
            let placing = Placing {
                name: joint.to_string(),
                kept: false.into(),
                targets: vec![syn::parse_quote!(#name)],
                value: syn::parse_quote!([#value]),
                scope: *scope,
            };
            self.place_later(placing, inner, &[]);
        }
    }

    pub(super) fn place_later(&mut self, placing: Placing, scope: ScopeId, loops: &[LoopId]) {
        let kind = StmtKind::Place(placing);
        let keyword = Ident::new("init", Span::call_site());
        let stmt = Stmt { docs: Vec::new(), public: false, keyword, kind };
        self.work.push(Work { stmt, scope, loops: loops.to_vec(), constraint: None });
    }

    /// Joints of a loop between entries of one array of bodies: each places the next.
    fn array_joints(
        &mut self,
        starts: &Starts,
        by_hand: &BTreeSet<Node>,
        used: &mut BTreeSet<usize>,
        moving: bool,
    ) {
        for id in 0..self.joints.len() {
            let joint = &self.joints[id];
            if matches!(joint.kind.motion, Motion::None) || joint.loops.is_empty() {
                continue;
            }
            let [Some((a, _)), Some((b, _))] = self.nodes(joint) else { continue };
            if a != b || by_hand.contains(&a) || self.coordinates(a).is_none() {
                continue;
            }
            used.insert(id);
            for k in 0..self.joints[id].kind.coordinates.len() {
                for rate in [false, true] {
                    if let Some(start) = starts.get(&(id, k, rate)).filter(|start| start.kept) {
                        self.cannot_keep(id, &self.named(b), usize::from(rate), start.span, None);
                    }
                }
            }
            self.emit(id, true, starts, [None, None], moving);
        }
    }

    /// Why no start of such a joint can place a body, where it is one of those that leave too much free.
    fn places_nothing(&self, id: usize) -> Option<String> {
        let Joint { kind, name, .. } = &self.joints[id];
        kind.motion.at_start().is_none().then(|| {
            format!("`{name}`, a `{}`, leaves too much free to place a body: start the bodies themselves", kind.name)
        })
    }

    fn placed_already(&self, id: usize) -> String {
        let name = &self.joints[id].name;
        format!(
            "the bodies of `{name}` have their places already, by initial values of their own or by other joints"
        )
    }

    /// Initial values of joints that place nothing would go unheard.
    fn useless_starts(&self, starts: &Starts, used: &BTreeSet<usize>) {
        for ((id, k, _), start) in starts {
            if self.joints[*id].driven.contains(k) {
                self.diag.error(
                    start.span,
                    "this coordinate is driven: where it starts, and how fast, is what drives it",
                );
            } else if !used.contains(id) {
                self.diag.error(
                    start.span,
                    match self.places_nothing(*id) {
                        Some(why) => format!("{why}, as by `init arm.position = …;`"),
                        None => format!(
                            "{}; state the start by one of the two",
                            self.placed_already(*id)
                        ),
                    },
                );
            }
        }
    }

    /// Why coordinates of joints that place nothing cannot be given a start from outside either.
    fn no_starts(&mut self, used: &BTreeSet<usize>, moving: bool) {
        for id in 0..self.joints.len() {
            let joint = &self.joints[id];
            if joint.carries.is_some() {
                continue;
            }
            for k in 0..joint.kind.coordinates.len() {
                for rate in [false, true] {
                    let joint = &self.joints[id];
                    let name = self.start_name(id, k, rate);
                    let reason = if joint.driven.contains(&k) {
                        "it is driven: where it starts, and how fast, is what drives it".into()
                    } else if !joint.loops.is_empty() {
                        "joints of arrays and loops are started in the model, where they are declared".into()
                    } else if !used.contains(&id) {
                        self.places_nothing(id).unwrap_or_else(|| self.placed_already(id))
                    } else if rate && !moving {
                        format!(
                            "the model states no velocity; with `init {name} = 0.0;` in it this is one that can be given"
                        )
                    } else {
                        continue;
                    };
                    self.model.no_starts.push((name, reason));
                }
            }
        }
    }

    /// The turn in which each angle starts.
    fn turns_at_start(&mut self) {
        for id in 0..self.joints.len() {
            let Joint { kind, inner, loops, name, .. } = &self.joints[id];
            let (kind, inner, loops, joint) = (*kind, *inner, loops.clone(), name.clone());
            for coordinate in kind.coordinates {
                let turns = format!("{}_turns", coordinate.name);
                let (Some(turn), Some(_)) = (coordinate.turn, self.scopes.member(inner, &turns))
                else {
                    continue;
                };
                let ident = |text: &str| Ident::new(text, joint.span());
                let (turn, turns) = (ident(turn), ident(&turns));
                // Where the start does not say it: within its limits.
                let name = coordinate.name;
                let of = |what: &str| {
                    let named = format!("__{what}_{name}");
                    self.scopes.member(inner, &named).map(|_| ident(&named))
                };
                let near: Option<Expr> = match (of("at"), of("lower"), of("upper")) {
                    (Some(at), ..) => Some(syn::parse_quote!(#at)),
                    (None, Some(lower), Some(upper)) => {
                        Some(syn::parse_quote!(0.5 * (#lower + #upper)))
                    }
                    (None, Some(end), None) | (None, None, Some(end)) => {
                        Some(syn::parse_quote!(#end))
                    }
                    (None, None, None) => None,
                };
                let wrapped = ident(coordinate.wrapped);
                let value: Expr = match near {
                    Some(near) => {
                        syn::parse_quote!(__mbd::components::spatial::angle_near(#turn, #near))
                    }
                    None => syn::parse_quote!(#wrapped),
                };
                let placing = Placing {
                    name: joint.to_string(),
                    kept: false.into(),
                    targets: vec![syn::parse_quote!(#turns)],
                    value: syn::parse_quote!([#value]),
                    scope: inner,
                };
                self.place_later(placing, inner, &loops);
            }
        }
    }

    /// Initial values of joints, taken out of the statements. Those stated farther out count.
    fn joint_starts(&mut self) -> Starts {
        let mut starts = Starts::new();
        let work = std::mem::take(&mut self.work);
        for work in work {
            let StmtKind::Init { kept, target, value } = &work.stmt.kind else {
                self.work.push(work);
                continue;
            };
            let Some(key) = self.joint_coordinate(target, work.scope) else {
                self.work.push(work);
                continue;
            };
            let Joint { kind, carries, driven, .. } = &self.joints[key.0];
            if carries.is_some() && !driven.contains(&key.1) {
                // The coordinate is one of the mechanism.
                let (mut work, name) = (work, kind.coordinates[key.1].name);
                if let StmtKind::Init { target, .. } = &mut work.stmt.kind
                    && let Expr::Field(field) = &mut *target
                {
                    field.member = Member::Named(Ident::new(name, field.member.span()));
                    if key.2 {
                        *target = syn::parse_quote!(der(#target));
                    }
                }
                self.work.push(work);
                continue;
            }
            if self.joints[key.0].loops != work.loops {
                self.diag.error(
                    target.span(),
                    "a joint is started in the loops that it stands in, and one of an array of bodies in its component",
                );
                continue;
            }
            let level = self.scopes.level(work.scope);
            let start = Start {
                kept: *kept,
                value: value.clone(),
                scope: work.scope,
                level,
                span: target.span(),
            };
            match starts.get(&key) {
                Some(earlier) if earlier.level == level => {
                    self.diag.error(start.span, "this initial value is set twice");
                    self.diag.error(earlier.span, "it is first set here");
                }
                Some(earlier) if earlier.level < level => {}
                _ => {
                    starts.insert(key, start);
                }
            }
        }
        starts
    }

    /// Bodies with initial values of their own, and whether anything is said of velocities.
    fn placed_by_hand(&self) -> (BTreeMap<Node, Placed>, bool) {
        let mut kept: BTreeMap<Node, [BTreeSet<String>; 2]> = BTreeMap::new();
        let mut moving = false;
        for work in &self.work {
            let StmtKind::Init { kept: keep, target, .. } = &work.stmt.kind else { continue };
            let (inner, mut rate) = match target {
                Expr::Call(call) => match call.args.first() {
                    Some(inner) => (inner, true),
                    None => continue,
                },
                other => (other, false),
            };
            let member = match inner {
                Expr::Field(field) => match &field.member {
                    Member::Named(name) => name.to_string(),
                    Member::Unnamed(_) => continue,
                },
                _ => continue,
            };
            let Some((symbol, home)) = self.meaning(inner, work.scope) else { continue };
            let inside = std::iter::successors(Some(work.scope), |&s| self.scopes.list[s].parent);
            if inside.into_iter().any(|scope| scope == home) || home == 0 {
                continue;
            }
            rate |= ["velocity", "omega", "omega_ground", "rate"].contains(&member.as_str());
            moving |= rate;
            let entries = match symbol {
                Symbol::Scalar(_) => vec![member],
                Symbol::Let(_) => match (self.entries_of(inner, work.scope), member.as_str()) {
                    (Some(entries), _) => entries
                        .iter()
                        .map(|entry| quote::quote!(#entry).to_string().replace("der", ""))
                        .collect(),
                    // In space an angular velocity states the rates of all Euler parameters.
                    (None, "omega" | "omega_ground") if self.turns_in_space(home) => {
                        (0..4).map(|k| format!("e{k}")).collect()
                    }
                    (None, _) => vec![member],
                },
                _ => continue,
            };
            let names = kept.entry(Node::Body(home)).or_default();
            if !rate {
                names[0].insert(String::new());
            }
            if *keep {
                names[usize::from(rate)].extend(entries);
            }
        }
        let placed = kept.into_iter().filter(|(_, names)| !names[0].is_empty());
        let placed = placed
            .map(|(node, names)| {
                let wanted = self.coordinates(node).map_or(usize::MAX, |list| list.len());
                // The empty name counts the body as placed, not as kept.
                let kept = [names[0].len() > wanted, names[1].len() >= wanted].map(fixed);
                let open = kept.iter().any(Option::is_none);
                let loose = open.then(|| Loose::Body(self.named(node)));
                (node, Placed { kept, loose })
            })
            .collect();
        (placed, moving)
    }
}

/// Brings initial values into an order in which each reads those set before it, the order written
/// otherwise.
pub(super) fn order(statements: &mut Vec<Statement>, leaves: &[Leaf], scalars: &[Scalar]) {
    let placing = |s: &Statement| matches!(&s.kind, StatementKind::Place { .. });
    if !statements.iter().any(placing) {
        return;
    }
    let at: Vec<usize> = (0..statements.len())
        .filter(|&i| {
            matches!(statements[i].kind, StatementKind::Init { .. } | StatementKind::Place { .. })
        })
        .collect();
    let sets: Vec<BTreeSet<(SlotKind, ScalarId)>> =
        at.iter().map(|&i| statements[i].kind.initial_targets().collect()).collect();
    let reads = |i: usize| -> BTreeSet<(SlotKind, ScalarId)> {
        let kernels = statements[i].kind.kernels();
        let all = kernels.into_iter().flat_map(|kernel| kernel.needs.leaves.keys());
        all.filter_map(|&leaf| match leaves[leaf].what {
            What::Slot(kind, id) => Some((kind, id)),
            _ => None,
        })
        .collect()
    };
    // What is told follows from all that tells.
    let tells = |s: &Statement| matches!(s.kind, StatementKind::Tells { .. });
    let telling = (0..statements.len()).filter(|&i| tells(&statements[i])).flat_map(reads);
    let telling: BTreeSet<(SlotKind, ScalarId)> = telling.collect();
    let reads = |i: usize| {
        let mut all = reads(i);
        if all.iter().any(|&(_, id)| scalars[id].told) {
            all.extend(&telling);
        }
        all
    };
    let reads: Vec<_> = at.iter().map(|&i| reads(i)).collect();
    let of_joint: Vec<bool> = at.iter().map(|&i| !statements[i].kind.is_stated_start()).collect();
    let before = |first: usize, then: usize| {
        let mut both = sets[first].intersection(&sets[then]).peekable();
        let after = match (of_joint[first], of_joint[then]) {
            _ if both.peek().is_none() => false,
            // A velocity stated for a body comes after what the joint makes of it that gives the body its place.
            (of_first, of_then)
                if of_first != of_then && both.any(|(kind, _)| *kind == SlotKind::V) =>
            {
                of_first
            }
            _ => first < then && sets[then].is_disjoint(&reads[first]),
        };
        first != then && (after || !sets[first].is_disjoint(&reads[then]))
    };
    let mut waits: Vec<BTreeSet<usize>> = (0..at.len())
        .map(|then| (0..at.len()).filter(|&first| before(first, then)).collect())
        .collect();
    let mut left: Vec<usize> = (0..at.len()).collect();
    let mut done = Vec::new();
    while !left.is_empty() {
        let free = left.iter().position(|&then| waits[then].is_empty()).unwrap_or(0);
        let next = left.remove(free);
        waits.iter_mut().for_each(|waits| {
            waits.remove(&next);
        });
        done.push(next);
    }
    let mut taken: BTreeMap<usize, Statement> = BTreeMap::new();
    for &i in at.iter().rev() {
        taken.insert(i, statements.remove(i));
    }
    let mut ordered =
        done.iter().filter_map(|&k| taken.remove(&at[k])).collect::<Vec<_>>().into_iter();
    for &i in &at {
        if let Some(statement) = ordered.next() {
            statements.insert(i, statement);
        }
    }
}

/// The member of a body whose initial value is set by that of another.
pub(super) fn angular_velocity(target: &Expr) -> Option<(Expr, bool)> {
    let Expr::Field(field) = target else { return None };
    let Member::Named(member) = &field.member else { return None };
    let ground = match member.to_string().as_str() {
        "omega" => false,
        "omega_ground" => true,
        _ => return None,
    };
    Some(((*field.base).clone(), ground))
}
