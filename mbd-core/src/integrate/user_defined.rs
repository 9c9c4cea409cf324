//! Methods from outside the library: a scheme or a stepper, with a name.

use super::limits::{self, Limit};
use super::options::{Common, Options, Setting};
use super::scheme::{Block, Scheme, Stepper};
use crate::assembly::{Point, SlotKind, System};
use crate::error::OptionError;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Makes the stepper of a system, under the method's name.
type Make =
    dyn Fn(&'static str, &System, &Common) -> Result<Box<dyn Stepper>, OptionError> + Send + Sync;

/// A method that the library does not know. It has no options of its own: what it is made of holds them.
#[derive(Clone)]
pub(super) struct UserDefined {
    name: &'static str,
    summary: &'static str,
    make: Arc<Make>,
}

impl UserDefined {
    /// Of a scheme, with the shared predictor and Newton iteration.
    pub(super) fn of_scheme<S: Scheme + 'static>(
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&System) -> S + Send + Sync + 'static,
    ) -> Self {
        let make = move |name, system: &System, common: &Common| {
            let scheme = make(system);
            called(name, scheme.name())?;
            covered(&scheme).map_err(|why| OptionError::NoMethod { method: name, why })?;
            solves_for_all(name, &scheme.blocks(), system)?;
            Ok(common.implicit(scheme))
        };
        UserDefined { name, summary, make: Arc::new(make) }
    }

    /// Of a stepper, which does everything itself.
    pub(super) fn of_stepper<S: Stepper + 'static>(
        name: &'static str,
        summary: &'static str,
        make: impl Fn(&System) -> S + Send + Sync + 'static,
    ) -> Self {
        let make = move |name, system: &System, _: &Common| {
            let stepper: Box<dyn Stepper> = Box::new(make(system));
            called(name, stepper.name())?;
            solves_for_all(name, &stepper.blocks(), system)?;
            Ok(stepper)
        };
        UserDefined { name, summary, make: Arc::new(make) }
    }

    /// One line.
    pub(super) fn summary(&self) -> &'static str {
        self.summary
    }
}

/// A method has one name: errors and checkpoints have it from its steps, the command line from the method.
fn called(name: &'static str, own: &str) -> Result<(), OptionError> {
    match name == own {
        true => Ok(()),
        false => {
            let why = format!("what it makes calls itself `{own}`");
            Err(OptionError::NoMethod { method: name, why })
        }
    }
}

/// Refuses a model that has what no block of unknowns belongs to: it would stay as it is at the start. Multipliers λ
/// may be eliminated.
fn solves_for_all(
    name: &'static str,
    blocks: &[Block],
    system: &System,
) -> Result<(), OptionError> {
    const NEEDED: [(&[SlotKind], Limit); 3] = [
        (&[SlotKind::X, SlotKind::Xd], Limit::States),
        (&[SlotKind::W], Limit::Variables),
        (&[SlotKind::Psi], Limit::Nonholonomic),
    ];
    for (kinds, limit) in NEEDED {
        if !blocks.iter().any(|block| kinds.contains(&block.kind)) {
            limits::check(name, "radau5", &[limit], system)?;
        }
    }
    Ok(())
}

/// Blocks and instants must cover the unknowns: what takes them apart relies on it.
fn covered<S: Scheme>(scheme: &S) -> Result<(), String> {
    let size = scheme.plan().pattern().size();
    let blocks: Vec<Block> = scheme.blocks();
    in_order(blocks.iter().map(|block| &block.range), size)
        .map_err(|why| format!("its blocks {why}"))?;
    let instants = scheme.instants();
    match instants.is_empty() {
        true => Ok(()),
        false => in_order(instants.iter().map(|instant| &instant.range), size)
            .map_err(|why| format!("its instants {why}")),
    }
}

fn in_order<'a>(ranges: impl Iterator<Item = &'a Range<usize>>, size: usize) -> Result<(), String> {
    let mut end = 0;
    for range in ranges {
        if range.start != end || range.end < range.start {
            return Err(format!(
                "have the unknowns {}..{} after the first {end}; they must follow each other",
                range.start, range.end
            ));
        }
        end = range.end;
    }
    match end == size {
        true => Ok(()),
        false => Err(format!("cover {end} unknowns, its matrix has {size}")),
    }
}

impl fmt::Debug for UserDefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserDefined").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Equal where they were made at once: functions cannot be compared.
impl PartialEq for UserDefined {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.make, &other.make)
    }
}

impl Options for UserDefined {
    fn name(&self) -> &'static str {
        self.name
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        setting
            .refuse(self.name, "; it is not of the library, and has the options it was made with")
    }

    fn stepper(
        &self,
        system: &System,
        _: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        (self.make)(self.name, system, common)
    }
}
