//! Programs as machine code, on x86-64 processors with AVX2; elsewhere they are interpreted.
//!
//! A graph is straight-line code already: what is left is to choose an order, to keep values in the
//! sixteen registers, and to encode. The order is depth first from every result, operands that need
//! more registers first, after everything that calls a function (a call loses all registers). The
//! value that has to leave its register is the one whose next use is furthest away, which in
//! straight-line code is known (Belady 1966). No operation is fused, reordered within an expression
//! or replaced, so that results are the interpreter's to the last bit.

mod assembler;
mod frame;
#[cfg_attr(all(target_arch = "x86_64", feature = "native"), path = "memory.rs")]
#[cfg_attr(not(all(target_arch = "x86_64", feature = "native")), path = "nowhere.rs")]
mod memory;
mod order;

use super::vm::{SLOTS, WIDE};
use crate::graph::{Graph, Node, Op};
use crate::scalar::Function;
use crate::scalar::Test;
use assembler::{
    Arithmetic, Assembler, Memory, RAX, RDI, RDX, RSI, RSP, Register, SAVED, VECTORS, Vector,
};
pub(crate) use frame::{LANES, RESULTS, SOURCES};
use frame::{Lengths, TOGETHER};
use memory::{Executable, Helper};
use order::{Order, Row, Step, order};

/// Where the frame's own pointer is kept.
const FRAME: Memory = Memory::At(RSP, 0);
/// The register of the slots' pointer: the one after the sources'.
const SLOT_POINTER: Register = SAVED[SOURCES];
/// Where the frame has its results.
const FIRST_RESULT: i32 = 8 * (SOURCES as i32 + 1);

/// Where an input is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From {
    /// In a source, at an index.
    Source(usize, u32),
    Slot(usize),
}

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum To {
    /// Added to a number of a result.
    Sum(usize, u32),
    /// In place of a number of a result.
    Place(usize, u32),
    Slot(usize),
}

/// Machine code, and the lengths it relies on.
#[derive(Debug)]
pub(crate) struct Native {
    code: Executable,
    lengths: Lengths,
}

impl Native {
    /// Compiles the computation of `roots`, for one instance or for [`LANES`] at a time. Slots
    /// from `first_slot` on are used where registers do not suffice; of several instances, a slot
    /// holds [`WIDE`] numbers. `None` where the machine or the size of the graph does not allow it.
    pub(crate) fn new(
        graph: &Graph,
        roots: &[(Node, To)],
        input: impl Fn(u32) -> From,
        wide: bool,
        first_slot: usize,
    ) -> Option<Self> {
        if !Executable::possible() {
            return None;
        }
        let nodes: Vec<Node> = roots.iter().map(|x| x.0).collect();
        let needed = graph.reach(&nodes);
        let order = order(graph, &needed, &nodes, wide);
        let mut emitter = Emitter::new(graph, wide, needed.len(), &order, first_slot);
        emitter.asm.enter();
        emitter.asm.store_pointer(FRAME, RDI);
        for (k, &register) in SAVED.iter().enumerate() {
            emitter.asm.load_pointer(register, Memory::At(RDI, 8 * k as i32));
        }
        let width = if wide { LANES } else { 1 };
        let (mut sources, mut results) = ([0; SOURCES], [0; RESULTS]);
        for (i, _) in needed.iter().enumerate().filter(|x| *x.1) {
            emitter.home[i] = match graph.ops()[i] {
                Op::Const(bits) => Some(emitter.asm.pool(bits)),
                Op::Input(k) => Some(match input(k) {
                    From::Source(source, index) => {
                        let least = &mut sources[source];
                        *least = (*least).max(index as usize + width);
                        Memory::At(SAVED[source], offset(index)?)
                    }
                    From::Slot(slot) => {
                        emitter.next_slot = emitter.next_slot.max(slot + 1);
                        emitter.slot(slot)
                    }
                }),
                _ => None,
            };
        }
        for &(_, to) in roots {
            match to {
                To::Sum(result, index) | To::Place(result, index) => {
                    results[result] = results[result].max(index as usize + width);
                }
                To::Slot(slot) => emitter.next_slot = emitter.next_slot.max(slot + 1),
            }
        }
        for (now, step) in order.steps.iter().enumerate() {
            emitter.now = now;
            match *step {
                Step::Compute(node) => emitter.compute(node)?,
                Step::Angles(row) => emitter.angles(&order.rows[row as usize])?,
                Step::Call(node) => emitter.call(node)?,
                Step::Result(node, k) => emitter.result(node, roots[k].1)?,
            }
        }
        emitter.asm.leave();
        let slots = emitter.next_slot;
        if slots > SLOTS {
            return None;
        }
        let slots = if wide { (slots * WIDE).saturating_sub(WIDE - LANES) } else { slots };
        let code = Executable::new(&emitter.asm.finish())?;
        let results = (0..).zip(results).filter(|x| x.1 > 0).collect();
        Some(Native { code, lengths: Lengths { sources, results, slots } })
    }

    /// Runs the code.
    ///
    /// # Panics
    ///
    /// When a slice is shorter than the inputs, results and slots the code was compiled for.
    #[inline(always)]
    pub(crate) fn run(
        &self,
        sources: &[&[f64]; SOURCES],
        slots: &mut [f64],
        results: &mut [&mut [f64]; RESULTS],
    ) {
        self.code.run(&self.lengths, sources, slots, results);
    }
}

/// The offset of a number in bytes, where an instruction can hold it.
fn offset(index: u32) -> Option<i32> {
    i32::try_from(8 * u64::from(index)).ok()
}

/// Turns steps into instructions.
struct Emitter<'a> {
    asm: Assembler,
    graph: &'a Graph,
    wide: bool,
    /// The step being written.
    now: usize,
    /// Steps that read each node, ascending: `uses[range[node]..range[node + 1]]`, those past
    /// before `next[node]`.
    uses: Vec<usize>,
    range: Vec<usize>,
    next: Vec<usize>,
    /// Where each node is in memory and in a register.
    home: Vec<Option<Memory>>,
    register: Vec<Option<Vector>>,
    /// What each register holds.
    held: [Option<Node>; VECTORS],
    /// The slot a node was given when it had to leave its register.
    spilled: Vec<Option<usize>>,
    free_slots: Vec<usize>,
    next_slot: usize,
    /// The result whose pointer is in [`RAX`].
    at_result: Option<usize>,
    one: Option<Memory>,
}

impl<'a> Emitter<'a> {
    fn new(graph: &'a Graph, wide: bool, nodes: usize, order: &Order, first_slot: usize) -> Self {
        let mut range = vec![0; nodes + 1];
        order.each_read(graph, |node, _| range[node as usize + 1] += 1);
        for i in 0..nodes {
            range[i + 1] += range[i];
        }
        let mut next = range.clone();
        let mut uses = vec![0; range[nodes]];
        order.each_read(graph, |node, at| {
            let next = &mut next[node as usize];
            uses[*next] = at;
            *next += 1;
        });
        next.copy_from_slice(&range);
        Emitter {
            asm: Assembler::new(wide),
            graph,
            wide,
            now: 0,
            uses,
            range,
            next,
            home: vec![None; nodes],
            register: vec![None; nodes],
            held: [None; VECTORS],
            spilled: vec![None; nodes],
            free_slots: Vec::new(),
            next_slot: first_slot,
            at_result: None,
            one: None,
        }
    }

    fn slot(&self, slot: usize) -> Memory {
        let size = if self.wide { 8 * WIDE } else { 8 };
        Memory::At(SLOT_POINTER, (size * slot) as i32)
    }

    /// The step that reads a node next.
    fn next_use(&self, node: Node) -> Option<usize> {
        let next = self.next[node as usize];
        (next < self.range[node as usize + 1]).then(|| self.uses[next])
    }

    /// The step that reads a node next after this one.
    fn later_use(&self, node: Node) -> Option<usize> {
        let i = node as usize;
        self.uses[self.next[i]..self.range[i + 1]].iter().copied().find(|&at| at > self.now)
    }

    /// A node has been read: what nobody reads any more leaves its register and slot.
    fn consume(&mut self, node: Node) {
        let i = node as usize;
        while self.next_use(node).is_some_and(|at| at <= self.now) {
            self.next[i] += 1;
        }
        if self.next_use(node).is_none() {
            if let Some(register) = self.register[i].take() {
                self.held[usize::from(register)] = None;
            }
            self.free_slots.extend(self.spilled[i].take());
        }
    }

    /// Writes a node to memory unless it is there.
    fn save(&mut self, node: Node) -> Option<Memory> {
        let i = node as usize;
        if self.home[i].is_none() {
            let register = self.register[i]?;
            let slot = self.free_slots.pop().unwrap_or_else(|| {
                self.next_slot += 1;
                self.next_slot - 1
            });
            let place = self.slot(slot);
            self.asm.store(place, register);
            self.spilled[i] = Some(slot);
            self.home[i] = Some(place);
        }
        self.home[i]
    }

    /// A register to write to; the one of `locked` stays.
    fn free_register(&mut self, locked: Option<Node>) -> Option<Vector> {
        if let Some(free) = self.held.iter().position(Option::is_none) {
            return Some(free as Vector);
        }
        let furthest = |held: &Option<Node>| held.and_then(|node| self.next_use(node));
        let (register, node) = (0..VECTORS)
            .filter(|&r| self.held[r].is_some() && self.held[r] != locked)
            .max_by_key(|&r| furthest(&self.held[r]))
            .and_then(|r| Some((r, self.held[r]?)))?;
        self.save(node)?;
        self.register[node as usize] = None;
        self.held[register] = None;
        Some(register as Vector)
    }

    fn hold(&mut self, node: Node, register: Vector) {
        self.register[node as usize] = Some(register);
        self.held[usize::from(register)] = Some(node);
    }

    /// The register of a node, loaded if it has to be.
    fn load(&mut self, node: Node, locked: Option<Node>) -> Option<Vector> {
        if let Some(register) = self.register[node as usize] {
            return Some(register);
        }
        let register = self.free_register(locked)?;
        self.asm.load(register, self.home[node as usize]?);
        self.hold(node, register);
        Some(register)
    }

    fn compute(&mut self, node: Node) -> Option<()> {
        let (op, a, b) = match self.graph.ops()[node as usize] {
            Op::Add(a, b) => (Arithmetic::Add, a, b),
            Op::Sub(a, b) => (Arithmetic::Sub, a, b),
            Op::Mul(a, b) => (Arithmetic::Mul, a, b),
            Op::Div(a, b) => (Arithmetic::Div, a, b),
            Op::Unary(Function::Sqrt, a) => {
                let from = self.load(a, None)?;
                self.consume(a);
                let d = self.free_register(None)?;
                self.asm.sqrt(d, from);
                self.hold(node, d);
                return Some(());
            }
            Op::When(test, on, a) => return self.choose(node, test, on, a),
            // The other functions are calls.
            op => {
                let a = op.operands()[0]?;
                let d = self.free_register(Some(a))?;
                let asm = &mut self.asm;
                let one = *self.one.get_or_insert_with(|| asm.pool(1f64.to_bits()));
                self.asm.load(d, one);
                match self.register[a as usize] {
                    Some(a) => self.asm.arithmetic(Arithmetic::Div, d, d, a),
                    None => {
                        self.asm.arithmetic_memory(Arithmetic::Div, d, d, self.home[a as usize]?)
                    }
                }
                self.consume(a);
                self.hold(node, d);
                return Some(());
            }
        };
        let in_register = |x: Node| self.register[x as usize].is_some();
        let commutes = matches!(op, Arithmetic::Add | Arithmetic::Mul);
        let swap = commutes && !in_register(a) && in_register(b);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let first = self.load(a, Some(b))?;
        // What is read again is worth a register, when one is free.
        if self.later_use(b).is_some() && self.held.contains(&None) {
            self.load(b, Some(a))?;
        }
        // The result may take an operand's register: an instruction reads before it writes, and an
        // operand that is read later is saved first. An operand's slot must last.
        let second = self.register[b as usize];
        self.consume(a);
        let d = match second {
            Some(second) => {
                self.consume(b);
                let d = self.free_register(None)?;
                self.asm.arithmetic(op, d, first, second);
                d
            }
            None => {
                let d = self.free_register(None)?;
                self.asm.arithmetic_memory(op, d, first, self.home[b as usize]?);
                self.consume(b);
                d
            }
        };
        self.hold(node, d);
        Some(())
    }

    /// `a` where `on` passes the test, 0 where it does not.
    fn choose(&mut self, node: Node, test: Test, on: Node, a: Node) -> Option<()> {
        // From a register: in memory there may be one number where the instruction takes two.
        let from = self.load(a, Some(on))?;
        let d = self.free_register(Some(a))?;
        match self.register[on as usize] {
            Some(on) => self.asm.passes(test, d, on),
            None => self.asm.passes_memory(test, d, self.home[on as usize]?),
        }
        self.asm.and(d, d, from);
        self.consume(on);
        self.consume(a);
        self.hold(node, d);
        Some(())
    }

    /// Everything that is still needed goes to memory: a call keeps no register.
    fn leave_registers(&mut self) -> Option<()> {
        for register in 0..VECTORS {
            if let Some(held) = self.held[register] {
                self.save(held)?;
                self.register[held as usize] = None;
                self.held[register] = None;
            }
        }
        self.at_result = None;
        Some(())
    }

    /// Slots in a row, not used before and not given back.
    fn new_slots(&mut self, count: usize) -> usize {
        self.next_slot += count;
        self.next_slot - count
    }

    /// Sines and cosines.
    fn angles(&mut self, angles: &Row) -> Option<()> {
        let count = angles.iter().flatten().count();
        self.leave_registers()?;
        let (row, helper) = match count {
            _ if self.wide => (1, Helper::SinCosWide),
            0..=LANES => (LANES, Helper::SinCos4),
            _ => (TOGETHER, Helper::SinCos8),
        };
        let slot = self.new_slots(2 * row);
        let (sin, cos) = (self.slot(slot), self.slot(slot + row));
        if self.wide {
            self.asm.zero_upper();
            self.asm.address(RDI, self.home[angles[0]?.of as usize]?);
            self.asm.address(RSI, sin);
            self.asm.address(RDX, cos);
        } else {
            // In registers, which forward what has just been stored; the last one fills them up.
            for register in 0..row {
                let angle = angles[register.min(count - 1)]?;
                self.asm.load(register as Vector, self.home[angle.of as usize]?);
            }
            self.asm.address(RDI, sin);
            self.asm.address(RSI, cos);
        }
        self.asm.call(helper.address(self.wide));
        for (lane, angle) in angles.iter().flatten().enumerate() {
            for (node, first) in [(angle.sin, slot), (angle.cos, slot + row)] {
                if let Some(node) = node {
                    self.home[node as usize] = Some(self.slot(first + lane));
                }
            }
            self.consume(angle.of);
        }
        Some(())
    }

    /// Calls a function.
    fn call(&mut self, node: Node) -> Option<()> {
        let op = self.graph.ops()[node as usize];
        let [a, b] = op.operands();
        let a = a?;
        self.leave_registers()?;
        let slot = self.new_slots(1);
        let to = self.slot(slot);
        self.asm.zero_upper();
        self.asm.address(RDI, self.home[a as usize]?);
        self.asm.address(RSI, to);
        let helper = match op {
            Op::Unary(f, _) => {
                self.asm.immediate(RDX, f as u64);
                Helper::Function
            }
            Op::Powi(_, n) => {
                self.asm.immediate(RDX, n as u64);
                Helper::Powi
            }
            Op::Powf(_, n) => {
                self.asm.immediate(RDX, n);
                Helper::Powf
            }
            _ => {
                self.asm.address(RDX, self.home[b? as usize]?);
                Helper::Atan2
            }
        };
        self.asm.call(helper.address(self.wide));
        self.home[node as usize] = Some(to);
        self.consume(a);
        b.into_iter().for_each(|b| self.consume(b));
        Some(())
    }

    /// A number of a result.
    fn place(&mut self, result: usize, index: u32) -> Option<Memory> {
        if self.at_result != Some(result) {
            self.asm.load_pointer(RAX, FRAME);
            self.asm.load_pointer(RAX, Memory::At(RAX, FIRST_RESULT + 8 * result as i32));
            self.at_result = Some(result);
        }
        Some(Memory::At(RAX, offset(index)?))
    }

    fn result(&mut self, node: Node, to: To) -> Option<()> {
        let from = self.load(node, None)?;
        self.consume(node);
        match to {
            To::Slot(slot) => {
                let place = self.slot(slot);
                self.asm.store(place, from);
            }
            To::Sum(result, index) => {
                let place = self.place(result, index)?;
                // As in `compute`: it may be the register just read.
                let d = self.free_register(None)?;
                self.asm.arithmetic_memory(Arithmetic::Add, d, from, place);
                self.asm.store(place, d);
            }
            To::Place(result, index) => {
                let place = self.place(result, index)?;
                self.asm.store(place, from);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
