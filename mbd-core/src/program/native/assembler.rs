//! The few x86-64 instructions that straight-line arithmetic needs, in the three-operand AVX
//! encoding, which is the same for one number and for four.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2.3.

use crate::scalar::{Sign, Test};

/// A general register.
pub(super) type Register = u8;
pub(super) const RAX: Register = 0;
pub(super) const RDX: Register = 2;
pub(super) const RSP: Register = 4;
pub(super) const RSI: Register = 6;
pub(super) const RDI: Register = 7;
/// Registers a function has to leave as they were, in the order they are saved.
pub(super) const SAVED: [Register; 6] = [3, 5, 12, 13, 14, 15];

/// Floating-point registers.
pub(super) const VECTORS: usize = 16;
/// One of them.
pub(super) type Vector = u8;

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// Bytes from where a register points.
    At(Register, i32),
    /// A number of the pool behind the code.
    Pool(u32),
}

/// Arithmetic on floating-point registers, by opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add = 0x58,
    Mul = 0x59,
    Sub = 0x5c,
    Div = 0x5e,
}

/// The comparison of 0 with a number that says whether this passes; none signals.
fn predicate(test: Test) -> u8 {
    let holds = match test.sign {
        Sign::Zero => 0x00,
        Sign::Positive => 0x11,
        Sign::NonNegative => 0x12,
        Sign::NonPositive => 0x1d,
        Sign::Negative => 0x1e,
    };
    let not = match test.sign {
        Sign::Zero => 0x04,
        Sign::Positive => 0x15,
        Sign::NonNegative => 0x16,
        Sign::NonPositive => 0x19,
        Sign::Negative => 0x1a,
    };
    if test.not { not } else { holds }
}

/// Machine code as it is written.
pub(super) struct Assembler {
    code: Vec<u8>,
    /// Four numbers at a time instead of one.
    wide: bool,
    /// Numbers, and the places in the code that refer to them.
    pool: Vec<u64>,
    references: Vec<(usize, u32)>,
}

impl Assembler {
    pub(super) fn new(wide: bool) -> Self {
        Assembler { code: Vec::new(), wide, pool: Vec::new(), references: Vec::new() }
    }

    /// Adds a number to the pool.
    pub(super) fn pool(&mut self, bits: u64) -> Memory {
        self.pool.push(bits);
        Memory::Pool(self.pool.len() as u32 - 1)
    }

    fn byte(&mut self, byte: u8) {
        self.code.push(byte);
    }

    /// The operand bytes: a register field and a place in memory.
    fn memory(&mut self, field: u8, memory: Memory) {
        let field = (field & 7) << 3;
        match memory {
            Memory::Pool(index) => {
                self.byte(0b101 | field);
                self.references.push((self.code.len(), index));
                self.code.extend([0; 4]);
            }
            Memory::At(base, offset) => {
                let short = i8::try_from(offset);
                self.byte(if short.is_ok() { 0x40 } else { 0x80 } | field | (base & 7));
                if base & 7 == RSP {
                    // This base is encoded by a second byte.
                    self.byte(0x24);
                }
                match short {
                    Ok(short) => self.byte(short as u8),
                    Err(_) => self.code.extend(offset.to_le_bytes()),
                }
            }
        }
    }

    /// The prefix of an AVX instruction and its opcode: register field, second operand, extension
    /// of the last operand.
    fn vex(&mut self, field: Vector, second: Vector, last: u8, opcode: u8) {
        let kind = if self.wide { 0b101 } else { 0b011 };
        self.vex_of(kind, field, second, last, opcode);
    }

    fn vex_of(&mut self, kind: u8, field: Vector, second: Vector, last: u8, opcode: u8) {
        let tail = (!second & 15) << 3 | kind;
        let high = if field < 8 { 0x80 } else { 0 };
        if last < 8 {
            self.code.extend([0xc5, high | tail, opcode]);
        } else {
            self.code.extend([0xc4, high | 0x41, tail, opcode]);
        }
    }

    fn vex_memory(&mut self, field: Vector, second: Vector, memory: Memory, opcode: u8) {
        let base = match memory {
            Memory::At(base, _) => base,
            Memory::Pool(_) => 0,
        };
        self.vex(field, second, base, opcode);
        self.memory(field, memory);
    }

    /// d = a ∘ b
    pub(super) fn arithmetic(&mut self, op: Arithmetic, d: Vector, a: Vector, b: Vector) {
        self.vex(d, a, b, op as u8);
        self.byte(0xc0 | (d & 7) << 3 | b & 7);
    }

    /// d = a ∘ memory
    pub(super) fn arithmetic_memory(&mut self, op: Arithmetic, d: Vector, a: Vector, b: Memory) {
        self.vex_memory(d, a, b, op as u8);
    }

    /// d = √a
    pub(super) fn sqrt(&mut self, d: Vector, a: Vector) {
        // The form for one number takes its upper half from a second operand.
        self.vex(d, if self.wide { 0 } else { a }, a, 0x51);
        self.byte(0xc0 | (d & 7) << 3 | a & 7);
    }

    /// A bitwise instruction, which exists for whole registers only.
    fn bitwise(&mut self, opcode: u8, d: Vector, a: Vector, b: Vector) {
        self.vex_of(if self.wide { 0b101 } else { 0b001 }, d, a, b, opcode);
        self.byte(0xc0 | (d & 7) << 3 | b & 7);
    }

    /// d = a & b
    pub(super) fn and(&mut self, d: Vector, a: Vector, b: Vector) {
        self.bitwise(0x54, d, a, b);
    }

    /// d = all bits where a, another register, passes the test, none where it does not
    pub(super) fn passes(&mut self, test: Test, d: Vector, a: Vector) {
        self.bitwise(0x57, d, d, d);
        self.vex(d, d, a, 0xc2);
        self.byte(0xc0 | (d & 7) << 3 | a & 7);
        self.byte(predicate(test));
    }

    /// The same of memory that is not in the pool, whose distance is counted from the instruction's
    /// end.
    pub(super) fn passes_memory(&mut self, test: Test, d: Vector, a: Memory) {
        self.bitwise(0x57, d, d, d);
        self.vex_memory(d, d, a, 0xc2);
        self.byte(predicate(test));
    }

    pub(super) fn load(&mut self, d: Vector, from: Memory) {
        self.vex_memory(d, 0, from, 0x10);
    }

    pub(super) fn store(&mut self, to: Memory, from: Vector) {
        self.vex_memory(from, 0, to, 0x11);
    }

    /// Needed before code that may use the older encoding.
    pub(super) fn zero_upper(&mut self) {
        if self.wide {
            self.code.extend([0xc5, 0xf8, 0x77]);
        }
    }

    /// An instruction on a general register and memory.
    fn general(&mut self, opcode: u8, register: Register, memory: Memory) {
        let base = match memory {
            Memory::At(base, _) => base,
            Memory::Pool(_) => 0,
        };
        self.byte(0x48 | (register >> 3) << 2 | base >> 3);
        self.byte(opcode);
        self.memory(register, memory);
    }

    pub(super) fn load_pointer(&mut self, d: Register, from: Memory) {
        self.general(0x8b, d, from);
    }

    pub(super) fn store_pointer(&mut self, to: Memory, from: Register) {
        self.general(0x89, from, to);
    }

    pub(super) fn address(&mut self, d: Register, of: Memory) {
        self.general(0x8d, d, of);
    }

    pub(super) fn immediate(&mut self, d: Register, value: u64) {
        self.byte(0x48 | d >> 3);
        self.byte(0xb8 | d & 7);
        self.code.extend(value.to_le_bytes());
    }

    pub(super) fn call(&mut self, address: usize) {
        self.immediate(RAX, address as u64);
        self.code.extend([0xff, 0xd0]);
    }

    /// Saves registers and makes room for one pointer, at [`RSP`].
    pub(super) fn enter(&mut self) {
        for register in SAVED {
            if register >= 8 {
                self.byte(0x41);
            }
            self.byte(0x50 | register & 7);
        }
        // Seven words and the return address: the stack stays aligned to 16 bytes.
        self.code.extend([0x48, 0x83, 0xec, 8]);
    }

    pub(super) fn leave(&mut self) {
        self.zero_upper();
        self.code.extend([0x48, 0x83, 0xc4, 8]);
        for register in SAVED.into_iter().rev() {
            if register >= 8 {
                self.byte(0x41);
            }
            self.byte(0x58 | register & 7);
        }
        self.byte(0xc3);
    }

    /// The finished code with its pool.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let lanes = if self.wide { 4 } else { 1 };
        let start = self.code.len().next_multiple_of(32);
        for (at, index) in self.references {
            let target = start + 8 * lanes * index as usize;
            let distance = (target - (at + 4)) as u32;
            self.code[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.code.resize(start, 0xcc);
        for number in self.pool {
            (0..lanes).for_each(|_| self.code.extend(number.to_le_bytes()));
        }
        self.code
    }
}
