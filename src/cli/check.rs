//! `check`: whether a model is right.

use super::args::Request;
use super::exit::Exit;
use super::{Io, Stop};
use crate::model::Mechanism;

pub(super) fn run<M: Mechanism + Default>(_request: &Request, _io: &mut Io<'_>) -> Result<Exit, Stop> {
    Ok(Exit::Ok)
}
