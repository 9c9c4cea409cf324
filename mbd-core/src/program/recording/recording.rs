//! Everything that is written down of a system, and the programs made of it.

use super::class::{Class, Derivative, Slope, Statement};
use super::instances::{MANY, classes};
use super::outputs::{At, Output, Placement};
use super::sheet::{Coupled, SHEET, Sheet, coupled};
use super::spaces::{column, variable};
use super::writes::Writes;
use crate::equation::{Layout, Term, Want};
use crate::graph::{Hoisted, Map};
use crate::program::batch::{HOISTED, Sources};
use crate::program::compiled::Compiled;
use crate::program::factors::Factors;
use crate::program::shares::Batches;
use crate::program::sweep::Sweep;
use crate::statement::ElementGroup;
use std::sync::{Mutex, PoisonError};

/// Nodes times rows of a graph from which on a derivative wanted once is not written down.
const LITTLE: usize = 50_000;

/// What is written down of a system.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// Derivatives are taken when first asked for.
    classes: Mutex<Vec<Class>>,
    /// The groups that are not, and those found to be too large later.
    plain: Mutex<Vec<usize>>,
    /// How many groups there are.
    groups: usize,
    layout: Option<Layout>,
    /// The work from which on it is divided, where it is not the usual one.
    pub(crate) divided_from: Option<usize>,
}

impl Recording {
    /// Writes every group down; `initial` is the flat point of the declared initial values.
    pub(crate) fn new(groups: &[impl Writes], layout: &Layout, initial: &[f64]) -> Self {
        Self::in_sheets(SHEET, groups, layout, initial)
    }

    /// The same, of what is evaluated and not differentiated: one sheet however large it is, so that nothing of a
    /// tree is in it twice.
    pub(crate) fn of_values(groups: &[impl Writes], layout: &Layout, initial: &[f64]) -> Self {
        Self::in_sheets(usize::MAX, groups, layout, initial)
    }

    fn in_sheets(largest: usize, groups: &[impl Writes], layout: &Layout, initial: &[f64]) -> Self {
        let mut recording =
            Recording { layout: Some(*layout), groups: groups.len(), ..Default::default() };
        let mut classes = Vec::new();
        let mut sheet = Sheet::default();
        let mut coupled = coupled(groups);
        let mut added_up = vec![false; groups.len()];
        for (index, group) in groups.iter().enumerate() {
            if let Some(Coupled { energies, others }) = coupled.remove(&index) {
                let together = sheet.add_up(groups, &energies, initial).into_iter();
                let acting = sheet.act_together(groups, &others, initial);
                together.chain(acting).for_each(|group| added_up[group] = true);
            }
            let written = if added_up[index] {
                Some(())
            } else if group.instances() < MANY {
                sheet.write(group, index, initial)
            } else {
                self::classes(group, index, layout, initial).map(|all| {
                    for class in all {
                        if class.members < MANY {
                            sheet.take(&class);
                            // A loop with other numbers in each instance fills many.
                            if sheet.is_full(largest) {
                                classes.extend(std::mem::take(&mut sheet).finish());
                            }
                        } else {
                            classes.push(class);
                        }
                    }
                })
            };
            if written.is_none() {
                recording.leave(index);
            }
            if sheet.is_full(largest) {
                classes.extend(std::mem::take(&mut sheet).finish());
            }
        }
        classes.extend(sheet.finish());
        recording.classes = Mutex::new(classes);
        recording
    }

    /// The groups that are evaluated on dual numbers.
    pub(crate) fn on_dual_numbers(&self) -> Vec<usize> {
        self.plain.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Leaves a group to dual numbers.
    fn leave(&self, group: usize) {
        let mut plain = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(at) = plain.binary_search(&group) {
            plain.insert(at, group);
        }
    }

    /// Whether everything is in one graph, of one instance, with its derivatives.
    fn is_one(&self, layout: &Layout) -> bool {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut classes[..] {
            [class] => class.members == 1 && !class.is_swept(layout),
            _ => false,
        }
    }

    /// Number of nodes of all graphs, with the derivatives taken so far.
    #[cfg(test)]
    pub(crate) fn nodes(&self) -> usize {
        let sizes = |classes: &Vec<Class>| classes.iter().map(|x| x.graph.ops().len()).sum();
        self.classes.lock().map_or(0, |classes| sizes(&classes))
    }

    /// Number of graphs.
    #[cfg(test)]
    pub(crate) fn graphs(&self) -> usize {
        self.classes.lock().map_or(0, |classes| classes.len())
    }
}

impl Recording {
    /// The rows and columns of a term in which a group has anything but zero; `None` for a group that
    /// is not written down.
    pub(crate) fn entries(&self, group: usize, term: Term) -> Option<Vec<(u32, u32)>> {
        let layout = self.layout.filter(|_| !self.on_dual_numbers().contains(&group))?;
        let (want, kind) = term.differentiated();
        let source = variable(term);
        let mut entries = Vec::new();
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        for class in &mut *classes {
            if class.is_swept(&layout) {
                let is = |statement: &Statement| statement.is_said_by(group, term);
                entries.extend(class.entries_of(&layout, term, is));
                continue;
            }
            for statement in 0..class.statements.len() {
                if !class.statements[statement].is_said_by(group, term) {
                    continue;
                }
                let by = Derivative { statement, want, source, kind };
                let mark = class.mark();
                let derivative = class.differentiate(&layout, by);
                if class.graph.is_full() {
                    class.rewind(mark);
                    let at = class.statements[statement].groups.clone();
                    class.groups_with(&at).into_iter().for_each(|group| self.leave(group));
                    return None;
                }
                let class = &*class;
                for &Slope { row, input, .. } in &class.derivatives[derivative].1 {
                    let from = class.graph.inputs()[input as usize].0;
                    entries.extend((0..class.members).filter_map(|member| {
                        let input = (from, class.input(member, input));
                        let col = column(&layout, source, kind, input)?;
                        Some((class.places(member)[row], col))
                    }));
                }
            }
        }
        Some(entries)
    }

    /// The values of a term at a point, entry by entry, without a program for it: `None` where one
    /// costs little, and where not everything is in graphs of one instance.
    pub(crate) fn once(&self, term: Term, sources: &Sources<'_>) -> Option<Vec<(u32, u32, f64)>> {
        let layout = self.layout.filter(|_| self.on_dual_numbers().is_empty())?;
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let largest = classes.iter().map(|class| class.graph.ops().len() * class.rows.len()).max();
        if largest < Some(LITTLE) || classes.iter().any(|class| class.members != 1) {
            return None;
        }
        let mut entries: Map<(u32, u32), f64> = Map::default();
        for class in &mut *classes {
            let (places, values) = class.once(&layout, term, sources);
            for (at, slope) in places.into_iter().zip(values).filter(|x| x.1 != 0.0) {
                *entries.entry(at).or_default() += slope;
            }
        }
        let mut entries: Vec<(u32, u32, f64)> =
            entries.into_iter().map(|((row, col), slope)| (row, col, slope)).collect();
        entries.sort_unstable_by_key(|x| (x.0, x.1));
        Some(entries)
    }

    /// Programs for residual pieces of these groups, the first of all.
    pub(crate) fn residual(&self, want: Want, groups: &[Box<dyn ElementGroup>]) -> Compiled {
        self.programs(want, true, groups, &[], &Factors::new(&[], false), |_, _, _| None)
    }

    /// Programs for numbers that are written down as rows of a piece whose number is their place.
    pub(crate) fn values(&self, want: Want) -> Compiled {
        let outputs = |class: &mut Class, plain: &[usize]| (class.pieces(want, plain), Vec::new());
        let sweep = |_: &mut Class, _: &[usize]| Ok(None);
        self.compile(false, None, (outputs, sweep), |class, member, output| match output.at {
            At::Row(row) => Some(class.places(member)[row]),
            _ => None,
        })
    }

    /// Programs for residual pieces of these groups, the first of all, and for a matrix at the same point, either of which may
    /// be nothing; a matrix that is not `fresh` is added to what is there. `position` gives the place of a row and column of a term in the matrix: `None`
    /// where the pattern has none though it should, [`NOWHERE`] where the entry is left out.
    pub(crate) fn programs(
        &self,
        want: Want,
        fresh: bool,
        groups: &[Box<dyn ElementGroup>],
        placements: &[Placement],
        factors: &Factors,
        position: impl Fn(&Placement, u32, u32) -> Option<u32>,
    ) -> Compiled {
        let Some(layout) = self.layout else { return Compiled::default() };
        let offered: Vec<Vec<Term>> = match placements {
            [] => Vec::new(),
            _ => groups.iter().map(|group| group.terms()).collect(),
        };
        // A system of one graph sets what it computes, zeros too.
        let whole = fresh && self.is_one(&layout) && layout.len() <= SHEET;
        let beyond: Vec<usize> = (groups.len()..self.groups).collect();
        let outputs = |class: &mut Class, plain: &[usize]| {
            let without = [plain, &beyond].concat();
            let plain = &without;
            let mut changing = class.pieces(want, plain);
            if whole {
                class.zeros(want, &layout.dims, &mut changing);
            }
            // Of a large class they are no expressions.
            if class.is_swept(&layout) {
                return (changing, Vec::new());
            }
            let entries = class.entries(&layout, &offered, placements, factors, plain, &position);
            // What a residual adds up to is computed anew each time, numbers in it too.
            let (fixed, more): (Vec<Output>, Vec<Output>) =
                entries.into_iter().partition(|output| class.graph.is_fixed(output.node));
            changing.extend(more);
            (changing, fixed)
        };
        let sweep = |class: &mut Class, plain: &[usize]| {
            if placements.is_empty() || !class.is_swept(&layout) {
                return Ok(None);
            }
            let offers = |statement: &Statement, term: Term| {
                !statement.is_one_of(plain)
                    && !statement.is_one_of(&beyond)
                    && statement.offers(&offered, term)
            };
            class.sweep(&layout, (placements, factors), offers, &position).map(Some)
        };
        let coefficients = (!placements.is_empty()).then(|| factors.len());
        let mut compiled =
            self.compile(whole, coefficients, (outputs, sweep), |class, member, output| {
                let (row, input, placement) = match output.at {
                    At::Place(place) => return Some(place),
                    At::Row(row) => return Some(class.places(member)[row]),
                    At::Entry(row, input, placement) => {
                        (class.places(member)[row], input, placement)
                    }
                };
                let (_, kind) = placement.term.differentiated();
                let source = variable(placement.term);
                let input = (class.graph.inputs()[input as usize].0, class.input(member, input));
                let col = column(&layout, source, kind, input)?;
                position(&placement, row, col)
            });
        compiled.plain.retain(|group| !beyond.contains(group));
        compiled
    }

    /// Makes programs of each class's outputs, which come in two lists: those that change from
    /// point to point, and those that go to programs of their own; and takes what it does by numbers. A group that
    /// cannot be done so is left to dual numbers.
    fn compile(
        &self,
        whole: bool,
        coefficients: Option<usize>,
        (outputs, sweep): (
            impl Fn(&mut Class, &[usize]) -> (Vec<Output>, Vec<Output>),
            impl Fn(&mut Class, &[usize]) -> Result<Option<Sweep>, usize>,
        ),
        place: impl Fn(&Class, usize, &Output) -> Option<u32>,
    ) -> Compiled {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut plain = self.on_dual_numbers();
        'again: loop {
            let (mut batches, mut constant, mut sweeps) = (Vec::new(), Vec::new(), Vec::new());
            // A residual by itself has nothing to keep what is hoisted in.
            let mut hoisted = coefficients.map(|count| Hoisted::new(count as u32));
            for class in &mut *classes {
                let mark = class.mark();
                let (changing, mut fixed) = outputs(class, &plain);
                if class.graph.is_full() {
                    class.rewind(mark);
                    class
                        .statements
                        .iter()
                        .flat_map(|x| &x.groups)
                        .for_each(|&group| self.leave(group));
                    plain = self.on_dual_numbers();
                    continue 'again;
                }
                let single = hoisted.as_mut().filter(|_| class.members == 1);
                let batch = class.batch(&changing, whole, single, &place);
                if let Some(&Output { group, .. }) = changing.first() {
                    let factors = hoisted.iter_mut().flat_map(Hoisted::take);
                    fixed.extend(factors.map(|(node, number)| Output {
                        piece: HOISTED,
                        node,
                        at: At::Place(number),
                        group,
                    }));
                }
                let fixed = class.batch(&fixed, whole, None, &place);
                match (batch, fixed, sweep(class, &plain)) {
                    (Ok(first), Ok(second), Ok(swept)) => {
                        batches.extend(first);
                        constant.extend(second);
                        sweeps.extend(swept);
                    }
                    (Err(group), ..) | (_, Err(group), _) | (.., Err(group)) => {
                        plain.extend(class.groups_with(&[group]));
                        continue 'again;
                    }
                }
            }
            let params = self.layout.map_or(0..0, |layout| layout.constants());
            let coefficients = hoisted.map_or(0, |hoisted| hoisted.next() as usize);
            return Compiled {
                batches: Batches::new(batches, self.divided_from),
                constant: Batches::new(constant, self.divided_from),
                sweeps,
                coefficients,
                params,
                plain,
                whole,
                ..Default::default()
            };
        }
    }
}
