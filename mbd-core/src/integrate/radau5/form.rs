//! Where the constraints are taken.

/// Where the constraints are taken in the stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Accelerations: index 1.
    #[default]
    Acceleration,
    /// Velocities: index 2.
    Velocity,
}

impl Form {
    /// The method's name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Acceleration => "radau5",
            Form::Velocity => "radau5-index2",
        }
    }
}
