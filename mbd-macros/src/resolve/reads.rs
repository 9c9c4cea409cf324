//! Leaves: the scalars statements read, each known once; and what a kernel needs in all.

use super::resolver::Resolver;
use crate::ir::*;
use crate::names;
use proc_macro2::Span;

impl Resolver<'_> {
    /// The leaf for a scalar, the same one each time.
    pub(super) fn leaf(&mut self, what: What, index: Index) -> LeafId {
        let index_text = match &index {
            Index::None => String::new(),
            Index::At(tokens) => tokens.to_string(),
            Index::Whole(n) => format!("..{n}"),
            Index::Row { instance, row } => format!(
                "{}/{}",
                instance.as_ref().map_or(String::new(), ToString::to_string),
                row.as_ref().map_or(String::new(), ToString::to_string)
            ),
        };
        let key = format!("{what:?}|{index_text}");
        if let Some(id) = self.leaf_ids.get(&key) {
            return *id;
        }
        let id = self.model.leaves.len();
        let text = self.leaf_text(what, &index);
        let local = self.leaf_local(what, &index, id);
        self.model.leaves.push(Leaf { what, index, local, text });
        self.leaf_ids.insert(key, id);
        id
    }

    fn leaf_name(&self, what: What) -> (&'static str, &str) {
        match what {
            What::Time => ("", "t"),
            What::Slot(kind, id) => {
                let rate = match kind {
                    SlotKind::V | SlotKind::Xd => "der",
                    SlotKind::A => "der_der",
                    _ => "",
                };
                (rate, &self.model.scalars[id].name)
            }
            What::Multiplier(id) => match self.model.constraints[id].kind {
                crate::ast::ConstraintKind::Holonomic => {
                    ("lambda", &self.model.constraints[id].name)
                }
                crate::ast::ConstraintKind::Nonholonomic => {
                    ("psi", &self.model.constraints[id].name)
                }
            },
            What::Param(id) => ("", &self.model.params[id].name),
        }
    }

    /// Plain names keep their own spelling in kernels, so that rustc's messages show them.
    fn leaf_local(&self, what: What, index: &Index, id: LeafId) -> String {
        let (prefix, name) = self.leaf_name(what);
        let entry = !matches!(index, Index::None | Index::Whole(_));
        if what == What::Time {
            "__t".into()
        } else if prefix.is_empty() && !entry && !name.contains('.') {
            name.into()
        } else {
            // The number tells `a.b_c` from `a_b.c`, and `der(der(x))` from `der(der_x)`.
            format!("__{prefix}_{}_{id}", name.replace('.', "_"))
        }
    }

    fn leaf_text(&self, what: What, index: &Index) -> String {
        let (prefix, name) = self.leaf_name(what);
        let tidy = |tokens: &proc_macro2::TokenStream| {
            let text = names::as_written(tokens.clone()).to_string();
            text.replace(" as :: core :: primitive :: i64", "").replace("i64", "")
        };
        let index = match index {
            Index::At(tokens) => format!("[{}]", tidy(tokens)),
            Index::Row { instance: Some(tokens), .. } => format!("[{}]", tidy(tokens)),
            _ => String::new(),
        };
        match prefix {
            "" => format!("{name}{index}"),
            "der_der" => format!("der(der({name}{index}))"),
            _ => format!("{prefix}({name}{index})"),
        }
    }

    /// Direct reads and those through lets and `der`. Each leaf carries the token of the outermost
    /// code through which it is read first.
    pub(super) fn needs(&mut self, code: &Code) -> Needs {
        let mut needs = Needs { broken: code.broken, ..Needs::default() };
        // A chain of lets may be long: no function that calls itself.
        let mut open: Vec<(std::vec::IntoIter<Read>, Option<Span>)> =
            vec![(code.reads.clone().into_iter(), None)];
        while let Some((reads, through)) = open.last_mut() {
            let Some(read) = reads.next() else {
                open.pop();
                continue;
            };
            let span = through.unwrap_or(read.span);
            match read.what {
                ReadWhat::Leaf(leaf) => {
                    needs.leaves.entry(leaf).or_insert(span);
                }
                ReadWhat::Size(size) => {
                    needs.sizes.insert(size);
                }
                ReadWhat::Entry(entry) => {
                    needs.entries.insert(entry);
                }
                ReadWhat::Whole(whole) => {
                    needs.wholes.insert(whole);
                }
                ReadWhat::Let(id) => {
                    if needs.lets.insert(id) {
                        let code = &self.model.lets[id].code;
                        needs.broken |= code.broken;
                        open.push((code.reads.clone().into_iter(), Some(span)));
                    }
                }
                ReadWhat::Der(id) => {
                    let Der { code, still } = self.model.ders[id].clone();
                    let inner = self.needs(&code);
                    needs.sizes.extend(&inner.sizes);
                    needs.entries.extend(&inner.entries);
                    needs.wholes.extend(&inner.wholes);
                    needs.broken |= inner.broken;
                    for leaf in inner.leaves.keys().copied() {
                        if self.model.input(leaf).is_some() && !still {
                            let depth = 1 + inner.rated.get(&leaf).copied().unwrap_or(0);
                            let known = needs.rated.entry(leaf).or_insert(depth);
                            *known = depth.max(*known);
                        }
                    }
                    for leaf in inner.leaves.into_keys() {
                        needs.leaves.entry(leaf).or_insert(span);
                        if !still && let Some(rate) = self.rate(leaf, span) {
                            needs.leaves.entry(rate).or_insert(span);
                        }
                    }
                }
            }
        }
        // An input is a function of time.
        let mut read = needs.leaves.iter();
        let input = read.find(|(leaf, _)| self.model.input(**leaf).is_some());
        if let Some((_, &span)) = input {
            let time = self.leaf(What::Time, Index::None);
            needs.leaves.entry(time).or_insert(span);
        }
        needs
    }

    /// The leaf that is the time derivative of another; none for time and parameters, whose
    /// derivatives are the numbers one and zero.
    fn rate(&mut self, leaf: LeafId, span: Span) -> Option<LeafId> {
        let (what, index) = (self.model.leaves[leaf].what, self.model.leaves[leaf].index.clone());
        match rate_of(what) {
            Ok(rate) => rate.map(|what| self.leaf(what, index)),
            Err(()) => {
                let text = &self.model.leaves[leaf].text;
                let message = match what {
                    What::Slot(_, id) if self.model.scalars[id].balanced => {
                        NODE_RATE.replace("NODE", text)
                    }
                    _ => format!(
                        "`der` needs the time derivative of `{text}`, which the model does not have; only coordinates, states, time and parameters may stand in it"
                    ),
                };
                self.diag.error(span, message);
                None
            }
        }
    }
}
