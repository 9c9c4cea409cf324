//! Code in memory: making it executable, calling it, and the functions it calls.
//!
//! The one module of the library with `unsafe`: a processor cannot check what it runs. What makes
//! it sound: code comes from [`Native::new`] alone, which keeps with it the least length of every
//! slice that the code reads or writes; [`Executable::run`] asserts these lengths on every call;
//! and memory is never writable and executable at once.

#![allow(unsafe_code)]

use super::frame::{Frame, LANES, Lengths, RESULTS, SOURCES};
use crate::program::trig;
use crate::scalar::{Function, angle};
use memmap2::{Mmap, MmapMut};

/// Machine code in executable memory.
#[derive(Debug)]
pub(super) struct Executable(Mmap);

impl Executable {
    /// Whether this processor runs what the assembler writes.
    pub(super) fn possible() -> bool {
        std::arch::is_x86_feature_detected!("avx2")
    }

    /// `None` where the system gives no executable memory.
    pub(super) fn new(code: &[u8]) -> Option<Self> {
        let mut memory = MmapMut::map_anon(code.len()).ok()?;
        memory.copy_from_slice(code);
        memory.make_exec().ok().map(Executable)
    }

    #[inline(always)]
    pub(super) fn run(
        &self,
        least: &Lengths,
        sources: &[&[f64]; SOURCES],
        slots: &mut [f64],
        results: &mut [&mut [f64]; RESULTS],
    ) {
        let mut frame = Frame {
            sources: sources.map(<[f64]>::as_ptr),
            slots: slots.as_mut_ptr(),
            results: [std::ptr::null_mut(); RESULTS],
        };
        let mut enough = slots.len() >= least.slots;
        for (source, &least) in sources.iter().zip(&least.sources) {
            enough &= source.len() >= least;
        }
        for &(k, least) in &least.results {
            enough &= results[k].len() >= least;
            frame.results[k] = results[k].as_mut_ptr();
        }
        assert!(enough, "a program was called with fewer numbers than it is for");
        // SAFETY: the mapping starts with a function of this type, which reads and writes within
        // the lengths asserted above, keeps the registers it has to and unwinds nowhere. The frame
        // and all it points to outlive the call; `results` and `slots` are borrowed uniquely.
        unsafe {
            let function: extern "sysv64" fn(*const Frame) = std::mem::transmute(self.0.as_ptr());
            function(&raw const frame);
        }
    }
}

/// The functions that code calls.
pub(super) enum Helper {
    /// Sines and cosines of four angles in registers.
    SinCos4,
    /// The same of eight.
    SinCos8,
    /// Sines and cosines of [`LANES`] angles in memory; the address of the cosines.
    SinCosWide,
    /// Any function of one argument, by its number.
    Function,
    /// A power: its exponent.
    Powi,
    /// A power: the bits of its exponent.
    Powf,
    /// The address of the second argument.
    Atan2,
}

/// A function of arguments in memory: their address, that of the results, and whatever else it
/// needs.
type Called = unsafe extern "sysv64" fn(*const f64, *mut f64, u64);

impl Helper {
    pub(super) fn address(self, wide: bool) -> usize {
        let called: Called = match (self, wide) {
            (Helper::SinCos4, _) => return sin_cos_4 as *const () as usize,
            (Helper::SinCos8, _) => return sin_cos_8 as *const () as usize,
            (Helper::SinCosWide, _) => sin_cos_wide,
            (Helper::Function, false) => function::<1>,
            (Helper::Function, true) => function::<LANES>,
            (Helper::Powi, false) => powi::<1>,
            (Helper::Powi, true) => powi::<LANES>,
            (Helper::Powf, false) => powf::<1>,
            (Helper::Powf, true) => powf::<LANES>,
            (Helper::Atan2, false) => atan2::<1>,
            (Helper::Atan2, true) => atan2::<LANES>,
        };
        called as usize
    }
}

// SAFETY, of all of these: code passes addresses of `N` numbers within the slices and slots of its
// frame, or of its own constants; the place of results overlaps no argument. There is no code
// without AVX2.

macro_rules! sin_cos_of {
    ($name:ident: $($x:ident)*; $n:literal) => {
        #[target_feature(enable = "avx2")]
        unsafe extern "sysv64" fn $name($($x: f64,)* sin: *mut [f64; $n], cos: *mut [f64; $n]) {
            let (sines, cosines) = trig::sin_cos(&[$($x),*]);
            unsafe {
                sin.write_unaligned(sines);
                cos.write_unaligned(cosines);
            }
        }
    };
}
sin_cos_of!(sin_cos_4: a b c d; 4);
sin_cos_of!(sin_cos_8: a b c d e f g h; 8);

#[target_feature(enable = "avx2")]
unsafe extern "sysv64" fn sin_cos_wide(x: *const f64, sin: *mut f64, cos: u64) {
    unsafe {
        let (sines, cosines) = trig::sin_cos(&x.cast::<[f64; LANES]>().read_unaligned());
        sin.cast::<[f64; LANES]>().write_unaligned(sines);
        (cos as *mut [f64; LANES]).write_unaligned(cosines);
    }
}

unsafe extern "sysv64" fn function<const N: usize>(x: *const f64, to: *mut f64, number: u64) {
    let function = Function::ALL[number as usize];
    for i in 0..N {
        unsafe { *to.add(i) = function.value(*x.add(i)) }
    }
}

unsafe extern "sysv64" fn powi<const N: usize>(x: *const f64, to: *mut f64, exponent: u64) {
    for i in 0..N {
        unsafe { *to.add(i) = (*x.add(i)).powi(exponent as i32) }
    }
}

unsafe extern "sysv64" fn powf<const N: usize>(x: *const f64, to: *mut f64, exponent: u64) {
    for i in 0..N {
        unsafe { *to.add(i) = (*x.add(i)).powf(f64::from_bits(exponent)) }
    }
}

unsafe extern "sysv64" fn atan2<const N: usize>(y: *const f64, to: *mut f64, x: u64) {
    let x = x as *const f64;
    for i in 0..N {
        unsafe { *to.add(i) = angle(*y.add(i), *x.add(i)) }
    }
}
