//! From a failed attempt to an error that names what a user knows: coordinates, constraints,
//! statements.

use super::scheme::{Block, Failure};
use crate::assembly::{Point, SlotKind, System, Want};
use crate::error::StepError;

/// Name of an unknown.
pub(crate) fn unknown_name(system: &System, blocks: &[Block], index: usize) -> String {
    match blocks.iter().find(|b| b.range.contains(&index)) {
        Some(block) => {
            let name = system.scalar_name(block.kind, block.scalar(index));
            block.local.map_or(name.clone(), |what| format!("{what} {name}"))
        }
        None => format!("unknown number {index}"),
    }
}

/// Name of the coordinate or state whose error is estimated through an unknown of level two.
pub(crate) fn estimated_name(system: &System, blocks: &[Block], index: usize) -> String {
    match blocks.iter().find(|b| b.range.contains(&index)) {
        Some(block) => {
            let kind = match block.kind {
                SlotKind::A | SlotKind::V => SlotKind::Q,
                SlotKind::Xd => SlotKind::X,
                kind => kind,
            };
            system.scalar_name(kind, block.scalar(index))
        }
        None => format!("unknown number {index}"),
    }
}

/// A value that is NaN because the iteration had run off to infinity says nothing of the statement
/// that was evaluated there.
pub(crate) fn judged(blocks: &[Block], failure: Failure, to: &Point) -> Failure {
    match failure {
        Failure::NotFinite { row, .. } if to.flat().iter().any(|y| !y.is_finite()) => {
            let lost = blocks.iter().filter(|b| b.local.is_none()).find_map(|block| {
                let scalars = to.get(block.kind).iter().skip(block.first);
                let i = scalars.take(block.range.len()).position(|y| !y.is_finite())?;
                Some(block.range.start + i)
            });
            let worst = lost.unwrap_or(row);
            Failure::Diverged { iterations: 0, worst, correction: f64::INFINITY }
        }
        failure => failure,
    }
}

/// The error of a failure that a smaller step did not mend. `to` is the point the attempt got to.
pub(crate) fn step_error(
    system: &System,
    blocks: &[Block],
    (failure, divergence): (&Failure, &'static str),
    to: &Point,
    t: f64,
    h: f64,
) -> StepError {
    match *failure {
        Failure::Diverged { iterations, worst, correction } => StepError::NewtonDiverged {
            t,
            h,
            what: divergence,
            iterations,
            worst: unknown_name(system, blocks, worst),
            correction,
        },
        Failure::Singular { index } => {
            StepError::Singular { t, unknown: unknown_name(system, blocks, index) }
        }
        Failure::Leapt { index, velocity, by } => {
            let coordinate = unknown_name(system, blocks, index);
            let what = if velocity { format!("der({coordinate})") } else { coordinate };
            StepError::Leapt { t, h, what, by }
        }
        Failure::NotFinite { row, value } => {
            let equations =
                Want::MU | Want::F | Want::REACTION | Want::G | Want::K | Want::D | Want::W;
            match system.locate_nonfinite(to, equations) {
                Some(place) => StepError::NotFinite {
                    t: to.t(),
                    what: place.what,
                    value: place.value,
                    statement: place.statement,
                    reads: place.reads,
                },
                None => StepError::NotFinite {
                    t: to.t(),
                    what: format!("the equation of {}", unknown_name(system, blocks, row)),
                    value,
                    statement: String::new(),
                    reads: String::new(),
                },
            }
        }
    }
}
