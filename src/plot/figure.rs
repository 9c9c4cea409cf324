//! What a plot shows: panels of series over an axis.

use super::scale::Scale;

/// A picture: a title over panels that share their horizontal axis.
#[derive(Clone, Debug)]
pub struct Figure {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    pub(crate) x: Axis,
    pub(crate) panels: Vec<Panel>,
    pub(crate) same_scale: bool,
    pub(crate) width: f64,
    pub(crate) marks: Vec<f64>,
}

/// One frame with a vertical axis and the curves that share it.
#[derive(Clone, Debug)]
pub struct Panel {
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// What an axis shows, and how it counts.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) scale: Scale,
    pub(crate) range: Option<(f64, f64)>,
}

/// What stands between the name of a quantity and that of its run.
pub(crate) const OF_RUN: &str = " · ";

/// A curve: points (x, y) with a name and the unit of y. A point that is not finite leaves a gap.
#[derive(Clone, Debug)]
pub struct Series {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) points: Vec<[f64; 2]>,
    pub(crate) line: bool,
    pub(crate) markers: bool,
    pub(crate) dots: bool,
    pub(crate) guide: bool,
    /// Of several runs: which one, and which quantity of its unit.
    pub(crate) of: Option<[usize; 2]>,
}

impl Series {
    /// A line through points.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        let (name, unit) = (name.into(), unit.into());
        Series {
            name,
            unit,
            points,
            line: true,
            markers: false,
            dots: false,
            guide: false,
            of: None,
        }
    }

    /// A thin grey dashed line to compare others with, such as one of a known slope. It takes no
    /// colour from the others and does not widen the axes.
    pub fn guide(name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Series { guide: true, ..Series::new(name, "", points) }
    }

    /// Of one of several runs: those of a run have one colour, the quantities of a panel are told apart by their dashes.
    pub(crate) fn of_run(mut self, run: usize, quantity: usize) -> Self {
        self.of = Some([run, quantity]);
        self
    }

    /// Its name without that of its run.
    fn quantity(&self) -> &str {
        self.name.split(OF_RUN).next().unwrap_or_default()
    }

    /// With a marker at every point as well.
    pub fn markers(mut self) -> Self {
        self.markers = true;
        self
    }

    /// Small dots only, no line: for a cloud of many points.
    pub fn dots(mut self) -> Self {
        self.dots = true;
        self.line = false;
        self
    }

    /// With markers only, no line: for measured data.
    pub fn markers_only(mut self) -> Self {
        self.markers = true;
        self.line = false;
        self
    }
}

impl Axis {
    /// A linear axis; its unit may be empty.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Axis { name: name.into(), unit: unit.into(), ..Default::default() }
    }

    /// A logarithmic axis of the same name.
    pub fn log(mut self) -> Self {
        self.scale = Scale::Log;
        self
    }

    /// A fixed range in place of the data's; curves are cut off at it. A range that is empty, not
    /// finite or, on a logarithmic axis, not positive is left out of account.
    pub fn range(mut self, lo: f64, hi: f64) -> Self {
        self.range = Some((lo, hi));
        self
    }

    /// `name [unit]`.
    pub(crate) fn label(&self) -> String {
        match (&*self.name, &*self.unit) {
            (name, "") => name.to_string(),
            ("", unit) => format!("[{unit}]"),
            (name, unit) => format!("{name} [{unit}]"),
        }
    }
}

impl Panel {
    /// An empty panel.
    pub fn new(y: Axis) -> Self {
        Panel { y, series: Vec::new() }
    }

    /// Adds a curve.
    pub fn series(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }
}

impl Figure {
    /// An empty figure.
    pub fn new(title: impl Into<String>, x: Axis) -> Self {
        Figure {
            title: title.into(),
            subtitle: String::new(),
            x,
            panels: Vec::new(),
            same_scale: false,
            width: 920.0,
            marks: Vec::new(),
        }
    }

    /// Curves over a common axis, one panel per unit in the order in which units appear.
    pub fn by_unit(title: impl Into<String>, x: Axis, series: Vec<Series>) -> Self {
        let mut figure = Figure::new(title, x);
        for one in series {
            match figure.panels.iter_mut().find(|p| p.y.unit == one.unit) {
                Some(panel) => panel.series.push(one),
                None => {
                    let panel = Panel::new(Axis::new("", &one.unit)).series(one);
                    figure.panels.push(panel);
                }
            }
        }
        for panel in &mut figure.panels {
            let own = panel.series.iter().filter(|s| s.of.is_none_or(|[run, _]| run == 0));
            let names: Vec<&str> = own.map(Series::quantity).collect();
            panel.y.name = common_name(&names);
        }
        figure
    }

    /// A line under the title.
    pub fn subtitle(mut self, text: impl Into<String>) -> Self {
        self.subtitle = text.into();
        self
    }

    /// Adds a panel below the others.
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// One unit is equally long on both axes, so that a circle is a circle: for paths in space.
    pub fn same_scale(mut self) -> Self {
        self.same_scale = true;
        self
    }

    /// Dashed lines across all panels at these places of the horizontal axis, as for events.
    pub fn marks(mut self, at: impl IntoIterator<Item = f64>) -> Self {
        self.marks.extend(at);
        self
    }

    /// Width of the picture in pixels; 920 unless given, at least 400.
    pub fn width(mut self, px: f64) -> Self {
        self.width = if px.is_finite() { px.clamp(400.0, 10_000.0) } else { self.width };
        self
    }
}

/// Names side by side while they are few and short; for the entries of one array, its name.
fn common_name(names: &[&str]) -> String {
    let joined = names.join(", ");
    if joined.chars().count() <= 30 {
        return joined;
    }
    let stripped: Vec<String> = names.iter().map(|n| without_indices(n)).collect();
    match stripped.first() {
        Some(first) if stripped.iter().all(|s| s == first) => first.clone(),
        _ => String::new(),
    }
}

/// `der(x[3])` as `der(x)`.
pub(crate) fn without_indices(name: &str) -> String {
    let mut depth = 0usize;
    name.chars()
        .filter(|&c| {
            depth += usize::from(c == '[');
            let inside = depth > 0;
            depth -= usize::from(c == ']' && depth > 0);
            !inside
        })
        .collect()
}
