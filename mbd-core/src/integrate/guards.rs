//! What decides in a model by the motion itself: contacts, limits, friction.
//!
//! Each comparison is a *guard*: the difference σ of what is compared, whose sign decides. The right-hand
//! side is smooth as long as no guard changes its sign, and has a kink or a jump where one does. Guards of
//! q, v, x and t can be [held](crate::assembly::Point::sides) on a side, so that a step sees smooth equations
//! and ends where the motion crosses ([`events`](super::integrator)). The others, those in constraints and
//! those of reactions, are *free*: their signs are looked at along a step, and a step that passes a change is
//! taken again to end there.

use super::timetable::sign;
use crate::assembly::{Point, Residual, SlotKind, Statement, System, Want};
use crate::graph::{Node, Pieces, Source};
use crate::program::{Compiled, Recording, Writes};
use crate::scalar::Part;
use crate::statement::{ShareOf, Stated, Watch, Watched};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Instants within a step at which guards are looked at, as parts of it. Not in a ratio that a motion
/// could have too.
pub(super) const INSTANTS: [f64; 4] = [0.213, 0.467, 0.739, 1.0];

/// A change of a free guard is located to this part of a step.
pub(super) const LOCATED: f64 = 1e-9;

/// Statements without programs that are told by name, at most.
const PLAIN: usize = 3;

/// How much later a comparison with time is looked at that is at its boundary, in parts of the time.
const LATER: f64 = 1e-9;

/// The values whose signs decide.
pub(super) struct Guards {
    /// σ of each guard as programs, σ̇, and what they give.
    programs: [Compiled; 2],
    values: Residual,
    /// Of each guard that is a program the index of its side among the point's, if it can be held.
    sides: Vec<Option<usize>>,
    /// The surface that the motion can slide along at its zero, if it can, and whether it is the negative of
    /// what that surface's is.
    surfaces: Vec<Option<(usize, bool)>>,
    /// Which of the three comparisons of a plane it is, if it is one, one after the other; and of each surface that is
    /// the first of a plane's the second.
    parts: Vec<Option<u8>>,
    seconds: HashMap<usize, usize>,
    /// And where it stands: the statement, its instance, and which of its comparisons it is.
    places: Vec<(Statement, usize, usize)>,
    /// The instances of statements that no program can be made of.
    others: Vec<(Statement, usize)>,
    /// The instances of stated events that are looked at along steps; and of each guard whether it is one of theirs.
    sensed: Vec<Sensed>,
    is_sensed: Vec<bool>,
    watched: Watched,
    /// Room for what is compared.
    compared: Vec<f64>,
    /// The gradients, made when first asked for.
    slopes: Option<Box<Slopes>>,
}

/// An instance of a stated event that no side of a comparison holds: one that compares what follows from the motion, as
/// reactions, or that no program can be made of.
struct Sensed {
    group: Statement,
    instance: usize,
    /// Which of its comparisons are looked at.
    which: Vec<usize>,
    /// Whether it compares what follows from the motion.
    follows: bool,
    /// How many comparisons it has where it has no program. Plain Rust may make another number of them elsewhere, of which
    /// nobody knows which is which, and its truth is looked at as well.
    plain: Option<usize>,
}

/// The statements that compare, and what they compare.
fn comparing(system: &System, y: &[f64]) -> (Vec<Comparing>, Found) {
    let mut found = Found::default();
    let all = (0..system.groups().count()).map(|index| system.statement(index));
    let comparing = all.filter(|group| group.sees().comparisons);
    let groups = comparing.map(|group| Comparing::new(group, y, &mut found)).collect();
    (groups, found)
}

impl Guards {
    pub(super) fn new(system: &System) -> Self {
        let point = system.initial_point();
        let first = system.layout().sides().start;
        let (groups, found) = comparing(system, point.flat());
        let recording = Recording::of_values(&groups, system.layout(), point.flat());
        let programs = [Want::F, Want::D].map(|want| recording.values(want));
        let mut sides: Vec<Option<usize>> =
            found.held.into_iter().map(|flat| flat.map(|flat| flat as usize - first)).collect();
        let mut surfaces: Vec<Option<(usize, bool)>> = found
            .surfaces
            .into_iter()
            .map(|surface| surface.map(|(share, turned)| (system.surface_of(share), turned)))
            .collect();
        let seconds = found.parts.iter().enumerate().filter(|(_, part)| **part == Some(0));
        let seconds = seconds
            .filter_map(|(guard, _)| {
                Some((surfaces[guard]?.0, surfaces.get(guard + 1)?.as_ref()?.0))
            })
            .collect();
        let mut others = Vec::new();
        let mut is_plain = vec![false; sides.len()];
        for &index in &programs[0].plain {
            let Comparing { group, rows, .. } = &groups[index];
            others.extend((0..group.instances()).map(|instance| (group.clone(), instance)));
            if let (Some(&first), Some(&last)) = (rows.first(), rows.last()) {
                is_plain[first..last].fill(true);
                sides[first..last].fill(None);
                surfaces[first..last].fill(None);
            }
        }
        let rows = sides.len();
        let (sensed, is_sensed) = sensing(system, &found.places, &sides, &is_plain, point.flat());
        others.retain(|(group, _)| group.event().is_none());
        Guards {
            values: Residual { f: vec![0.0; rows], d: vec![0.0; rows], ..Default::default() },
            programs,
            sides,
            surfaces,
            parts: found.parts,
            seconds,
            places: found.places,
            others,
            sensed,
            is_sensed,
            watched: Watched::default(),
            compared: Vec::new(),
            slopes: None,
        }
    }

    /// The gradients of guards that can be held at a point: slopes by what each reads, with their flat indices;
    /// `None` of one that has no program.
    pub(super) fn gradients(
        &mut self,
        system: &System,
        guards: impl Iterator<Item = usize>,
        at: &Point,
    ) -> Vec<Option<Vec<(usize, f64)>>> {
        let slopes = self.slopes.get_or_insert_with(|| Box::new(Slopes::new(system)));
        slopes.evaluate(at);
        guards.map(|guard| slopes.of(guard)).collect()
    }

    /// The statements that compare without a program, beside events, by name.
    pub(super) fn plain(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.others.iter().map(|(group, _)| group.name().to_string()).collect();
        names.dedup();
        names.truncate(PLAIN);
        names
    }

    /// Whether there is a guard that is not held at a point.
    pub(super) fn any_free(&self, at: &Point) -> bool {
        let sides = at.sides();
        let is_free = |side: &Option<usize>| side.is_none_or(|side| sides[side] == 0.0);
        let mut guards = self.sides.iter().zip(&self.is_sensed);
        !self.others.is_empty() || guards.any(|(side, sensed)| !sensed && is_free(side))
    }

    /// The guards that can be held, each with the index of its side among the sides of a point.
    pub(super) fn held(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.sides.iter().enumerate().filter_map(|(guard, side)| Some((guard, (*side)?)))
    }

    /// Whether a guard belongs to the condition of a stated event.
    pub(super) fn is_stated(&self, guard: usize) -> bool {
        self.places.get(guard).is_some_and(|(group, ..)| group.event().is_some())
    }

    /// The stated event to the condition of which a guard belongs, and its instance.
    pub(super) fn event_of(&self, guard: usize) -> Option<(&Stated, usize)> {
        let (group, instance, _) = self.places.get(guard)?;
        Some((group.event()?, *instance))
    }

    /// Whether a guard belongs to the condition of an instance of an event.
    pub(super) fn belongs(&self, guard: usize, event: &Stated, instance: usize) -> bool {
        self.places.get(guard).is_some_and(|(group, of, _)| {
            *of == instance && group.event().is_some_and(|other| std::ptr::eq(other, event))
        })
    }

    /// The surface along which the motion can slide where a guard is zero, by its number, and whether the
    /// guard is the negative of what that surface's is. Both of a plane have the first of its guards.
    pub(super) fn surface(&self, guard: usize) -> Option<(usize, bool)> {
        self.surfaces[guard].filter(|_| self.parts[guard] != Some(1))
    }

    /// Which of the three comparisons of a plane that can hold the motion a guard is: 0 and 1 compare the components of
    /// the speed with 0, 2 says that it is not 0.
    pub(super) fn part(&self, guard: usize) -> Option<u8> {
        let part = self.parts[guard]?;
        self.surfaces[guard - usize::from(part)].map(|_| part)
    }

    /// The second surface of the plane that a surface is the first of.
    pub(super) fn second(&self, surface: usize) -> Option<usize> {
        self.seconds.get(&surface).copied()
    }

    /// The first surface of the plane that a surface is one of, else itself.
    pub(super) fn first(&self, surface: usize) -> usize {
        let mut firsts = self.seconds.iter().filter(|(_, second)| **second == surface);
        firsts.next().map_or(surface, |(first, _)| *first)
    }

    /// σ at a point of each guard that can be held, by its number; those of others are 0 or no use.
    pub(super) fn values(&mut self, at: &Point) -> &[f64] {
        self.evaluate(at, Want::F);
        &self.values.f
    }

    /// σ̇ likewise, with the accelerations and rates of the point.
    pub(super) fn rates(&mut self, at: &Point) -> &[f64] {
        self.evaluate(at, Want::D);
        &self.values.d
    }

    /// For how long, to a factor of two, motion that goes on with the accelerations it has turns no guard that
    /// can be held: from the shortest to the longest of the times given.
    pub(super) fn undisturbed(&mut self, at: &Point, [shortest, longest]: [f64; 2]) -> f64 {
        let mut later = at.clone();
        let mut signs = |guards: &mut Guards, after: f64| -> Vec<i8> {
            later.extrapolate(at, after);
            let held: Vec<usize> = guards.held().map(|(guard, _)| guard).collect();
            let values = guards.values(&later);
            held.into_iter().map(|guard| sign(values[guard])).collect()
        };
        let first = signs(self, shortest);
        if first.is_empty() {
            return longest;
        }
        let mut time = shortest;
        while time < longest {
            time *= 2.0;
            if signs(self, time) != first {
                break;
            }
        }
        time.min(longest)
    }

    fn evaluate(&mut self, at: &Point, want: Want) {
        let sources = [at.flat(), &[], &[], &[], &[]];
        let programs = &mut self.programs[usize::from(want == Want::D)];
        programs.evaluate(&sources, Some((want, &mut self.values)), &mut [], false);
        if programs.is_due() {
            programs.make();
        }
    }

    /// The signs that decide at a point; 0 of a guard that is held there.
    pub(super) fn signs(&mut self, at: &Point, out: &mut Vec<i8>) {
        let mut compared = std::mem::take(&mut self.compared);
        self.compare(at, &mut compared);
        out.clear();
        out.extend(compared.iter().map(|&x| sign(x)));
        self.compared = compared;
    }

    /// The differences that free guards compare, 0 of others.
    pub(super) fn compare(&mut self, at: &Point, out: &mut Vec<f64>) {
        out.clear();
        self.evaluate(at, Want::F);
        self.watched.decisions.clear();
        self.watched.held.clear();
        self.watched.surfaces.clear();
        self.watched.parts.clear();
        let ask = Watch { comparisons: true, ..Watch::default() };
        for (group, instance) in &self.others {
            group.watch(*instance, at.flat(), ask, &mut self.watched);
        }
        out.extend(self.values.f.iter().chain(&self.watched.decisions));
        for ((x, side), sensed) in out.iter_mut().zip(&self.sides).zip(&self.is_sensed) {
            if *sensed || side.is_some_and(|side| at.sides()[side] != 0.0) {
                *x = 0.0;
            }
        }
    }

    /// Whether a condition of a stated event is looked at along steps.
    pub(super) fn senses(&self) -> bool {
        !self.sensed.is_empty()
    }

    /// Whether one compares what follows from the motion.
    pub(super) fn senses_solutions(&self) -> bool {
        self.sensed.iter().any(|sensed| sensed.follows)
    }

    /// The differences that these compare, at a point, and 1 or −1 of one without a program as it is false or true.
    pub(super) fn sensed(&mut self, at: &Point) -> Vec<f64> {
        let mut values = Vec::new();
        let ask = Watch { comparisons: true, ..Watch::default() };
        for Sensed { group, instance, which, plain, .. } in &self.sensed {
            self.watched.decisions.clear();
            self.watched.held.clear();
            self.watched.surfaces.clear();
            self.watched.parts.clear();
            group.watch(*instance, at.flat(), ask, &mut self.watched);
            let decisions = &self.watched.decisions;
            let known = plain.is_none_or(|count| count == decisions.len());
            let of = |k: usize| decisions.get(k).copied().filter(|_| known).unwrap_or(0.0);
            values.extend(which.iter().map(|&k| of(k)));
            if let (Some(_), Some(event)) = (plain, group.event()) {
                values.push(if event.truth(*instance, at.flat()).0 { -1.0 } else { 1.0 });
            }
        }
        values
    }

    /// The events that these belong to, by name, in the same order.
    pub(super) fn names_of_sensed(&self) -> impl Iterator<Item = String> {
        self.sensed.iter().flat_map(|Sensed { group, instance, which, plain, .. }| {
            let name =
                group.event().map_or_else(String::new, |event| event.instance_name(*instance));
            std::iter::repeat_n(name, which.len() + usize::from(plain.is_some()))
        })
    }

    /// On which side the first comparison of an event's condition is that cannot be held on one, at its boundary into
    /// which time takes it; `None` where there is none.
    pub(super) fn side_of_unheld(
        &mut self,
        event: &Stated,
        instance: usize,
        at: &Point,
        span: f64,
    ) -> Option<f64> {
        let of = |(group, of, _): &(Statement, usize, usize)| {
            *of == instance && group.event().is_some_and(|other| std::ptr::eq(other, event))
        };
        let unheld = self.sides.iter().enumerate().filter(|(_, side)| side.is_none());
        let mut own =
            unheld.filter_map(|(guard, _)| self.places.get(guard).filter(|&place| of(place)));
        let &(ref group, _, number) = own.next()?;
        let ask = Watch { comparisons: true, ..Watch::default() };
        let mut later = at.clone();
        later.set_t(at.t() + LATER * at.t().abs().max(span));
        for at in [at, &later] {
            self.watched.decisions.clear();
            self.watched.held.clear();
            self.watched.surfaces.clear();
            self.watched.parts.clear();
            group.watch(instance, at.flat(), ask, &mut self.watched);
            let difference = self.watched.decisions.get(number).copied().unwrap_or(0.0);
            if difference != 0.0 && !difference.is_nan() {
                return Some(difference.signum());
            }
        }
        None
    }

    /// The statement of a guard, and what it compares at a point, as `left > right` where the difference rises
    /// (`direction` 1), `left < right` where it falls (−1), or `left = right`; `None` where nothing depends
    /// on it there.
    pub(super) fn describe(
        &mut self,
        system: &System,
        guard: usize,
        at: &Point,
        direction: i8,
    ) -> Option<[String; 2]> {
        let &(ref group, instance, mut number) = self.places.get(guard)?;
        let watched = &mut self.watched;
        let ask = Watch { paths: true, ..Watch::default() };
        watched.seen.clear();
        group.watch(instance, at.flat(), ask, watched);
        let kernel = watched.seen.iter().position(|seen| {
            let here = number < seen.path.met;
            number -= if here { 0 } else { seen.path.met };
            here
        })?;
        let look = watched.seen[kernel].path.looks.iter().find(|look| look.number == number)?;
        watched.wanted = Some((kernel, look.key));
        watched.seen.clear();
        group.watch(instance, at.flat(), ask, watched);
        watched.wanted = None;
        let flats = &watched.seen.get(kernel)?.flats;
        let text = |parts: &[Part]| -> String {
            let part = |part: &Part| match part {
                Part::Text(text) => text.clone(),
                Part::Input(k) => system.flat_name(flats[*k] as usize),
            };
            let text: String = parts.iter().map(part).collect();
            // An input stands there as the polynomial of time that it is.
            system.model().inputs().fold(text, |text, input| {
                let u = &input.name;
                let course = format!("{u} + (t - {u})*({u} + (t - {u})*{u})");
                text.replace(&format!("({course})"), u).replace(&course, u)
            })
        };
        let [left, right] = &watched.sides;
        let by = match direction {
            1 => ">",
            -1 => "<",
            _ => "=",
        };
        let statement = match group.instances() {
            1 => group.name().to_owned(),
            _ => format!("{}[{instance}]", group.name()),
        };
        let condition = match system.model().compared.get(group.name()) {
            Some(what) => format!("{what} {by} 0"),
            None => format!("{} {by} {}", text(left), text(right)),
        };
        Some([statement, condition])
    }
}

/// The stated events that are looked at along steps, and of each guard whether it is one of theirs.
fn sensing(
    system: &System,
    places: &[(Statement, usize, usize)],
    sides: &[Option<usize>],
    is_plain: &[bool],
    y: &[f64],
) -> (Vec<Sensed>, Vec<bool>) {
    use SlotKind::{A, Lambda, Psi, W, Xd};
    let layout = system.layout();
    let follows = [A, Lambda, Psi, W, Xd].map(|kind| layout.range(kind));
    let mut sensed: Vec<Sensed> = Vec::new();
    let mut is_sensed = vec![false; places.len()];
    for (guard, (group, instance, number)) in places.iter().enumerate() {
        let Some(event) = group.event().filter(|_| sides[guard].is_none()) else { continue };
        let reads = read_by(group, *instance, *number, y);
        let sensed_here = |flat: &u32| follows.iter().any(|kind| kind.contains(&(*flat as usize)));
        let (follows, plain) = (reads.iter().any(sensed_here), is_plain[guard]);
        is_sensed[guard] = follows || plain;
        if !is_sensed[guard] {
            continue;
        }
        let same = |last: &&mut Sensed| {
            let of = last.group.event();
            last.instance == *instance && of.is_some_and(|other| std::ptr::eq(other, event))
        };
        let plain = plain.then_some(1);
        match sensed.last_mut().filter(same) {
            Some(last) => {
                last.which.push(*number);
                last.follows |= follows;
                last.plain = last.plain.map(|count| count + 1);
            }
            None => {
                let (group, which) = (group.clone(), vec![*number]);
                sensed.push(Sensed { group, instance: *instance, which, follows, plain });
            }
        }
    }
    (sensed, is_sensed)
}

/// The gradients of all guards as a program.
struct Slopes {
    program: Compiled,
    values: Residual,
    /// Where each guard's slopes begin, and where the last ones end.
    first: Vec<usize>,
    /// The flat index of what each is by.
    flats: Vec<u32>,
    /// Whether each guard is part of the program.
    known: Vec<bool>,
}

impl Slopes {
    fn new(system: &System) -> Self {
        let point = system.initial_point();
        let (groups, found) = comparing(system, point.flat());
        let (mut first, mut flats) = (vec![0], Vec::new());
        for (group, instance, number) in &found.places {
            let mut reads = read_by(group, *instance, *number, point.flat());
            reads.sort_unstable();
            reads.dedup();
            flats.extend(reads);
            first.push(flats.len());
        }
        let places = Rc::new((first.clone(), flats.clone()));
        let constants = system.layout().constants();
        let sloping = |comparing| Sloping {
            comparing,
            places: Rc::clone(&places),
            constants: constants.clone(),
        };
        let groups: Vec<Sloping> = groups.into_iter().map(sloping).collect();
        let recording = Recording::new(&groups, system.layout(), point.flat());
        let program = recording.values(Want::F);
        let mut known = vec![true; found.places.len()];
        for &index in &program.plain {
            let rows = &groups[index].comparing.rows;
            if let (Some(&from), Some(&to)) = (rows.first(), rows.last()) {
                known[from..to].fill(false);
            }
        }
        let values = Residual { f: vec![0.0; flats.len()], ..Default::default() };
        Slopes { program, values, first, flats, known }
    }

    fn evaluate(&mut self, at: &Point) {
        let sources = [at.flat(), &[], &[], &[], &[]];
        self.program.evaluate(&sources, Some((Want::F, &mut self.values)), &mut [], false);
    }

    /// The gradient of a guard at the point that was evaluated.
    fn of(&self, guard: usize) -> Option<Vec<(usize, f64)>> {
        if !*self.known.get(guard)? {
            return None;
        }
        let places = self.first[guard]..self.first[guard + 1];
        let slopes = self.values.f[places.clone()].iter().copied();
        Some(self.flats[places].iter().map(|&flat| flat as usize).zip(slopes).collect())
    }
}

/// The flat indices that the kernel of a comparison reads.
fn read_by(group: &Statement, instance: usize, mut number: usize, y: &[f64]) -> Vec<u32> {
    let mut watched = Watched::default();
    let ask = Watch { paths: true, ..Watch::default() };
    group.watch(instance, y, ask, &mut watched);
    let kernel = watched.seen.into_iter().find(|seen| {
        let here = number < seen.path.met;
        number -= if here { 0 } else { seen.path.met };
        here
    });
    kernel.map_or(Vec::new(), |seen| seen.flats)
}

/// A statement that compares, to be written down by the gradients of what it compares.
struct Sloping {
    comparing: Comparing,
    /// Where each guard's slopes begin, and the flat index of what each is by.
    places: Rc<(Vec<usize>, Vec<u32>)>,
    /// Flat indices of what is no unknown.
    constants: std::ops::Range<usize>,
}

impl Writes for Sloping {
    fn instances(&self) -> usize {
        self.comparing.group.instances()
    }

    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let (guards, _) = self.comparing.nodes(instance, y, out)?;
        for (guard, node) in (self.comparing.rows[instance]..).zip(guards) {
            let (first, flats) = &*self.places;
            let places = first[guard]..first[guard + 1];
            let inputs: Vec<Node> = flats[places.clone()]
                .iter()
                .map(|&flat| {
                    let constant = self.constants.contains(&(flat as usize));
                    let source = if constant { Source::Param } else { Source::Point };
                    out.graph.input(source, flat as usize)
                })
                .collect();
            let slopes = out.graph.gradient(node, &inputs);
            places.zip(slopes).for_each(|(row, slope)| out.add(Want::F, row, slope));
        }
        Some(())
    }
}

/// What the comparisons of the statements are, one after the other.
#[derive(Default)]
struct Found {
    held: Vec<Option<u32>>,
    surfaces: Vec<Option<(ShareOf, bool)>>,
    parts: Vec<Option<u8>>,
    places: Vec<(Statement, usize, usize)>,
}

/// A statement that compares, to be written down by the values whose signs decide.
struct Comparing {
    group: Statement,
    /// The number of each instance's first value, and that after the last.
    rows: Vec<usize>,
    watched: RefCell<Watched>,
}

impl Comparing {
    fn new(group: Statement, y: &[f64], found: &mut Found) -> Self {
        let mut watched = Watched::default();
        let ask = Watch { comparisons: true, ..Default::default() };
        let mut rows = vec![found.held.len()];
        for instance in 0..group.instances() {
            watched.decisions.clear();
            watched.held.clear();
            watched.surfaces.clear();
            watched.parts.clear();
            group.watch(instance, y, ask, &mut watched);
            found.held.extend(&watched.held);
            found.surfaces.extend(&watched.surfaces);
            found.parts.extend(&watched.parts);
            found.places.extend((0..watched.held.len()).map(|k| (group.clone(), instance, k)));
            rows.push(found.held.len());
        }
        Comparing { group, rows, watched: RefCell::default() }
    }
}

impl Comparing {
    /// What an instance compares, written down, and the rates of that.
    fn nodes(
        &self,
        instance: usize,
        y: &[f64],
        out: &mut Pieces,
    ) -> Option<(Vec<Node>, Vec<Node>)> {
        let watched = &mut *self.watched.borrow_mut();
        watched.expressions = Some(Vec::new());
        watched.rates.clear();
        std::mem::swap(&mut watched.graph, &mut out.graph);
        let ask = Watch { expressions: true, ..Default::default() };
        self.group.watch(instance, y, ask, watched);
        std::mem::swap(&mut watched.graph, &mut out.graph);
        Some((watched.expressions.take()?, watched.rates.clone()))
    }
}

impl Writes for Comparing {
    fn instances(&self) -> usize {
        self.group.instances()
    }

    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let (guards, rates) = self.nodes(instance, y, out)?;
        for (row, node) in (self.rows[instance]..).zip(guards) {
            out.add(Want::F, row, node);
        }
        for (row, node) in (self.rows[instance]..).zip(rates) {
            out.add(Want::D, row, node);
        }
        Some(())
    }
}
