//! What joints begin with, given from outside: their bodies are put in their places anew.

use crate::statement::ModelError;

/// Starts of joints' coordinates and rates, by name: `hinge.angle`, `hinge.rate`.
#[derive(Clone, Debug, Default)]
pub struct Starts(pub(crate) Vec<(String, f64)>);

impl Starts {
    /// Those that a model knows, in its order.
    pub fn among(&self, names: &'static [&'static str]) -> Given {
        let value = |name: &&str| self.0.iter().rev().find(|(given, _)| given == name);
        Given { names, values: names.iter().map(|name| value(name).map(|given| given.1)).collect() }
    }
}

/// Of each start that a model knows the number given, if one is.
#[derive(Clone, Debug)]
pub struct Given {
    names: &'static [&'static str],
    values: Vec<Option<f64>>,
}

impl Given {
    /// The numbers, 0 where none is given.
    pub fn numbers(&self) -> Vec<f64> {
        self.values.iter().map(|value| value.unwrap_or(0.0)).collect()
    }

    /// Whether one is given.
    pub fn has(&self, start: usize) -> bool {
        self.values.get(start).is_some_and(Option::is_some)
    }

    /// Whether what the starts `own` of a joint say of the body that it places is kept; it has to be where one of them is given.
    ///
    /// # Errors
    /// [`ModelError::StartNotKept`] where one is given that assembly may move.
    pub fn keep(
        &self,
        (joint, body): (&str, &str),
        kept: bool,
        own: &[usize],
    ) -> Result<bool, ModelError> {
        match own.iter().find(|&&start| self.has(start)) {
            _ if kept => Ok(true),
            None => Ok(false),
            Some(&start) => Err(ModelError::StartNotKept {
                name: self.names.get(start).map_or(String::new(), |name| name.to_string()),
                joint: joint.into(),
                body: body.into(),
            }),
        }
    }
}
