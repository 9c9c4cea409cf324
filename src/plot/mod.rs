//! Plots as SVG: curves over time in stacked panels, phase plots, and log–log diagrams.
//!
//! A run is plotted by [`SolutionExt::plot`](crate::SolutionExt::plot); anything else is put
//! together from [`Series`] in [`Panel`]s of a [`Figure`]. The SVG is written directly, with
//! neither fonts nor system libraries.
//!
//! ```
//! use mbd::plot::{Axis, Figure, Panel, Series};
//! let errors = Series::new("hht-i3", "", vec![[1e-3, 2e-2], [5e-3, 3e-4], [3e-2, 5e-6]]).markers();
//! let figure = Figure::new("Work against precision", Axis::new("wall time", "s").log())
//!     .panel(Panel::new(Axis::new("error", "m").log()).series(errors));
//! assert!(figure.to_svg().starts_with("<svg"));
//! ```

mod curves;
mod figure;
mod run;
mod scale;
mod simplify;
mod svg;

pub(crate) use curves::Curves;
pub use figure::{Axis, Figure, Panel, Series};
pub use run::Plot;
pub(crate) use run::{Shown, worth_showing};
pub use scale::Scale;

use crate::{OutputError, output};
use std::path::Path;

impl Figure {
    /// The picture as SVG text.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }

    /// Writes the picture to a file.
    ///
    /// # Errors
    /// [`OutputError::Write`] when the file cannot be written.
    pub fn save_svg(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        output::write_file(path.as_ref(), |out| out.write_all(self.to_svg().as_bytes()))
    }
}
