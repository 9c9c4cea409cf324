//! Where there is no machine code, programs are interpreted.

use super::frame::{Lengths, RESULTS, SOURCES};
use std::convert::Infallible;

#[derive(Debug)]
pub(super) struct Executable(Infallible);

impl Executable {
    pub(super) fn possible() -> bool {
        false
    }

    pub(super) fn new(_: &[u8]) -> Option<Self> {
        None
    }

    pub(super) fn run(
        &self,
        _: &Lengths,
        _: &[&[f64]; SOURCES],
        _: &mut [f64],
        _: &mut [&mut [f64]; RESULTS],
    ) {
        match self.0 {}
    }
}

pub(super) enum Helper {
    SinCos4,
    SinCos8,
    SinCosWide,
    Function,
    Powi,
    Powf,
    Atan2,
}

impl Helper {
    pub(super) fn address(self, _: bool) -> usize {
        0
    }
}
