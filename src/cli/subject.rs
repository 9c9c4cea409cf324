//! The mechanism of a program.

use super::args::Request;
use crate::ModelError;
use crate::error::{OptionError, nearest};
use crate::integrate::{METHODS, Method};
use crate::model::Mechanism;

/// The mechanism of a program, whatever its type, with methods that come with it: the commands are compiled with the
/// library, not with every model.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Subject {
    pub(super) type_name: &'static str,
    pub(super) default: fn() -> Box<dyn Mechanism>,
    methods: fn() -> Vec<Method>,
}

/// A method as `info` lists it.
pub(super) struct Listed {
    pub(super) method: Method,
    /// Its options with their ranges.
    pub(super) options: &'static str,
}

impl Subject {
    pub(in crate::cli) fn of<M: Mechanism + Default + 'static>() -> Self {
        Self::with_methods::<M>(Vec::new)
    }

    pub(in crate::cli) fn with_methods<M: Mechanism + Default + 'static>(
        methods: fn() -> Vec<Method>,
    ) -> Self {
        let default = || -> Box<dyn Mechanism> { Box::<M>::default() };
        Subject { type_name: std::any::type_name::<M>(), default, methods }
    }

    /// A method by its name: the program's own come before the library's.
    pub(super) fn method(self, name: &str) -> Result<Method, OptionError> {
        let own = (self.methods)();
        if let Some(method) = own.iter().find(|method| method.name() == name) {
            return Ok(method.clone());
        }
        Method::from_name(name).map_err(|error| match error {
            OptionError::UnknownMethod { name, .. } => {
                let library = METHODS.iter().map(|method| method.name);
                let suggestion = nearest(&name, own.iter().map(Method::name).chain(library));
                OptionError::UnknownMethod { name, suggestion }
            }
            error => error,
        })
    }

    /// All methods: the library's, then the program's own.
    pub(super) fn listed(self) -> Vec<Listed> {
        let library = METHODS.iter().filter_map(|info| {
            let method = Method::from_name(info.name).ok()?;
            Some(Listed { method, options: info.options })
        });
        let own = (self.methods)().into_iter();
        library.chain(own.map(|method| Listed { method, options: "none" })).collect()
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
