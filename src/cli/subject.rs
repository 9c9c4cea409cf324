//! The mechanism of a program.

use super::args::Request;
use crate::ModelError;
use crate::model::Mechanism;

/// The mechanism of a program, whatever its type: the commands are compiled with the library, not
/// with every model.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Subject {
    pub(super) type_name: &'static str,
    pub(super) default: fn() -> Box<dyn Mechanism>,
}

impl Subject {
    pub(in crate::cli) fn of<M: Mechanism + Default + 'static>() -> Self {
        Subject { type_name: std::any::type_name::<M>(), default: || Box::<M>::default() }
    }

    /// The mechanism with the parameters of the command line.
    pub(in crate::cli) fn instance(
        self,
        request: &Request,
    ) -> Result<Box<dyn Mechanism>, ModelError> {
        let mut mechanism = (self.default)();
        for (name, value) in &request.set {
            mechanism.set(name, *value)?;
        }
        Ok(mechanism)
    }
}
