//! Drawing a figure: layout, frames, grid, labels, curves, legend.
//!
//! SVG is written here, as text: what takes thought in a figure, where labels stand and which points of a curve are seen,
//! a crate of SVG elements would leave to us, and crates of whole charts bring fonts, system libraries or a browser, have
//! no stacked panels with units, and do not know that a curve of a million points is to be drawn by those that show it.

use super::figure::{Figure, Panel, Series};
use super::scale::Scale;
use super::scale::Ticks;
use super::simplify::{Pixel, simplify};
use std::fmt::Write;

/// Okabe and Ito's palette, told apart by colour-blind readers, without its yellow (unreadable on
/// white); black comes last.
const COLOURS: [&str; 7] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222"];
/// Once the colours are used up, lines are told apart by their dashes.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];

const FONT: &str = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif";
const TICK_FONT: f64 = 12.0;
const LEGEND_PITCH: f64 = 18.0;
const GAP: f64 = 34.0;
const MOST_LEGEND_LINES: usize = 40;

/// Where a frame lies on the page [px].
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// Width of a text [px]; generous, since the reader's font is not known.
fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'l' | 'j' | '.' | ',' | ':' | '(' | ')' | '[' | ']' | 't' | 'f' | ' ' => 0.42,
        'm' | 'w' | 'M' | 'W' => 0.95,
        '⁰'..='⁹' | '¹' | '²' | '³' | '⁻' => 0.42,
        _ => 0.64,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// A coordinate on the page, to a hundredth of a pixel.
fn px(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

pub(super) fn draw(figure: &Figure) -> String {
    let mut page = Page { svg: String::new(), figure };
    page.draw();
    page.svg
}

struct Page<'a> {
    svg: String,
    figure: &'a Figure,
}

/// Smallest and largest of what can be drawn; NaN when nothing can.
fn extent<'a>(
    series: impl Iterator<Item = &'a Series>,
    x: Scale,
    y: Scale,
    axis: usize,
) -> (f64, f64) {
    let mut range = (f64::NAN, f64::NAN);
    for point in series.filter(|s| !s.guide).flat_map(|s| &s.points) {
        if Ticks::shows(x, point[0]) && Ticks::shows(y, point[1]) {
            // Beyond this a picture's arithmetic would overflow.
            let value = point[axis].clamp(-1e300, 1e300);
            range = (range.0.min(value), range.1.max(value));
        }
    }
    range
}

/// The range an axis was asked to show, if it is one.
fn asked(axis: &super::Axis) -> Option<(f64, f64)> {
    axis.range
        .filter(|&(lo, hi)| lo < hi && Ticks::shows(axis.scale, lo) && Ticks::shows(axis.scale, hi))
}

impl Page<'_> {
    fn draw(&mut self) {
        let figure = self.figure;
        let empty = [Panel::new(super::Axis::default())];
        let panels: &[Panel] = if figure.panels.is_empty() { &empty } else { &figure.panels };
        let legend = figure.panels.iter().any(|p| p.series.len() > 1);
        let legend_width = if legend {
            let names = panels.iter().flat_map(|p| &p.series).map(|s| text_width(&s.name, 12.5));
            // A very long name must not push the curves off the page.
            (names.fold(0.0, f64::max) + 52.0).min(0.45 * figure.width)
        } else {
            28.0
        };
        let base = match panels.len() {
            1 if figure.same_scale => self.height_of_path(figure.width - legend_width - 70.0),
            1 => 420.0,
            2 => 250.0,
            3 => 200.0,
            _ => 170.0,
        };
        let heights: Vec<f64> = panels
            .iter()
            .map(|p| {
                let lines = if legend { p.series.len().min(MOST_LEGEND_LINES + 1) } else { 0 };
                f64::max(base, lines as f64 * LEGEND_PITCH + 8.0)
            })
            .collect();
        let y_ticks: Vec<Ticks> =
            panels.iter().zip(&heights).map(|(p, height)| self.y_ticks(p, *height)).collect();
        let labels = y_ticks.iter().flat_map(|t| &t.major).map(|m| text_width(&m.1, TICK_FONT));
        let left = 44.0 + labels.fold(16.0, f64::max);
        let top = if figure.subtitle.is_empty() { 62.0 } else { 82.0 };
        let width = figure.width - left - legend_width;
        let x_count = (width / 90.0) as usize;
        let all = || panels.iter().flat_map(|p| &p.series);
        let y_scale = panels[0].y.scale;
        let x_ticks = match asked(&figure.x) {
            Some((lo, hi)) => Ticks::exact(figure.x.scale, lo, hi, x_count),
            None => {
                // Time fills its axis; what is plotted against something else gets some air.
                let tight = all()
                    .all(|s| s.line && !s.markers && s.points.is_sorted_by(|a, b| a[0] <= b[0]));
                let (lo, hi) = extent(all(), figure.x.scale, y_scale, 0);
                Ticks::new(figure.x.scale, lo, hi, x_count, if tight { 0.0 } else { 0.05 })
            }
        };
        let bottom = 58.0 + if x_ticks.note.is_empty() { 0.0 } else { 4.0 };
        let height = top + heights.iter().sum::<f64>() + GAP * (panels.len() - 1) as f64 + bottom;
        self.open(height);
        let mut y = top;
        let mut known: Vec<&str> = Vec::new();
        for (i, panel) in panels.iter().enumerate() {
            let frame = Frame { left, top: y, width, height: heights[i] };
            let last = i + 1 == panels.len();
            let linear = (figure.x.scale, panel.y.scale) == (Scale::Linear, Scale::Linear);
            let (x_ticks, y_ticks) = if figure.same_scale && linear {
                same_scale(frame, &x_ticks, &y_ticks[i])
            } else {
                (x_ticks.clone(), y_ticks[i].clone())
            };
            self.frame(i, frame, panel, &x_ticks, &y_ticks, last);
            let looks = Look::of(&panel.series, &mut known);
            // Below the others.
            let drawn = || panel.series.iter().zip(&looks);
            for (series, look) in
                drawn().filter(|d| d.0.guide).chain(drawn().filter(|d| !d.0.guide))
            {
                self.curve(i, frame, series, &x_ticks, &y_ticks, *look);
            }
            if legend {
                self.legend(frame, panel, &looks);
            }
            y += heights[i] + GAP;
        }
        self.svg.push_str("</svg>\n");
    }

    /// Height of a frame of a given width in which a unit is equally long on both axes [px].
    fn height_of_path(&self, width: f64) -> f64 {
        let Figure { x, panels, .. } = self.figure;
        let range = |of: &super::Axis, axis: usize| {
            let series = panels.iter().flat_map(|p| &p.series);
            asked(of).unwrap_or_else(|| extent(series, x.scale, panels[0].y.scale, axis))
        };
        let ((x0, x1), (y0, y1)) = (range(x, 0), range(&panels[0].y, 1));
        let height = 1.05 * width * (y1 - y0) / (x1 - x0);
        if height.is_finite() { height.clamp(240.0, 540.0) } else { 540.0 }
    }

    fn y_ticks(&self, panel: &Panel, height: f64) -> Ticks {
        let count = (height / 50.0 + 1.5) as usize;
        match asked(&panel.y) {
            Some((lo, hi)) => Ticks::exact(panel.y.scale, lo, hi, count),
            None => {
                let (lo, hi) = extent(panel.series.iter(), self.figure.x.scale, panel.y.scale, 1);
                Ticks::new(panel.y.scale, lo, hi, count, 0.06)
            }
        }
    }

    fn open(&mut self, height: f64) {
        let Figure { title, subtitle, width, .. } = self.figure;
        let _ = writeln!(
            self.svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" font-family=\"{FONT}\" fill=\"#333333\" role=\"img\">\n\
             <title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
            escape(title),
            w = px(*width),
            h = px(height)
        );
        self.text(24.0, 34.0, 18.0, "font-weight=\"bold\" fill=\"#111111\"", title);
        if !subtitle.is_empty() {
            self.text(24.0, 55.0, 12.5, "fill=\"#666666\"", subtitle);
        }
    }

    fn text(&mut self, x: f64, y: f64, size: f64, style: &str, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(
                self.svg,
                "<text x=\"{}\" y=\"{}\" font-size=\"{size}\" {style}>{}</text>",
                px(x),
                px(y),
                escape(text)
            );
        }
    }

    fn line(&mut self, from: Pixel, to: Pixel, style: &str) {
        let _ = writeln!(
            self.svg,
            "<path d=\"M{} {}L{} {}\" {style}/>",
            px(from[0]),
            px(from[1]),
            px(to[0]),
            px(to[1])
        );
    }

    /// Grid, labels and border of a panel, and the region its curves are cut to.
    fn frame(&mut self, index: usize, f: Frame, panel: &Panel, x: &Ticks, y: &Ticks, last: bool) {
        const MAJOR: &str = "stroke=\"#dcdcdc\" stroke-width=\"1\"";
        const MINOR: &str = "stroke=\"#f0f0f0\" stroke-width=\"1\"";
        const MARK: &str = "stroke=\"#999999\" stroke-width=\"0.8\" stroke-dasharray=\"3 4\"";
        let bottom = f.top + f.height;
        let right = f.left + f.width;
        let at_x = |v: f64| x.place(v).map(|s| f.left + s * f.width);
        let at_y = |v: f64| y.place(v).map(|s| bottom - s * f.height);
        let majors = |ticks: &Ticks| ticks.major.iter().map(|m| m.0).collect::<Vec<_>>();
        for (values, style) in [(x.minor.clone(), MINOR), (majors(x), MAJOR)] {
            for v in values.into_iter().filter_map(at_x) {
                self.line([v, f.top], [v, bottom], style);
            }
        }
        for (values, style) in [(y.minor.clone(), MINOR), (majors(y), MAJOR)] {
            for v in values.into_iter().filter_map(at_y) {
                self.line([f.left, v], [right, v], style);
            }
        }
        // Several within a pixel are one.
        let mut marks: Vec<i64> = self
            .figure
            .marks
            .iter()
            .filter_map(|mark| at_x(*mark))
            .filter(|v| (f.left..=right).contains(v))
            .map(|v| v.round() as i64)
            .collect();
        marks.sort_unstable();
        marks.dedup();
        for mark in marks {
            self.line([mark as f64, f.top], [mark as f64, bottom], MARK);
        }
        if let Some(zero) = at_x(0.0).filter(|v| (f.left..=right).contains(v)) {
            self.line([zero, f.top], [zero, bottom], "stroke=\"#aaaaaa\" stroke-width=\"1\"");
        }
        if let Some(zero) = at_y(0.0).filter(|v| (f.top..=bottom).contains(v)) {
            self.line([f.left, zero], [right, zero], "stroke=\"#aaaaaa\" stroke-width=\"1\"");
        }
        let _ = writeln!(
            self.svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"none\" \
             stroke=\"#888888\"/>\n<clipPath id=\"panel{index}\"><rect x=\"{x}\" y=\"{y}\" \
             width=\"{w}\" height=\"{h}\"/></clipPath>",
            x = px(f.left),
            y = px(f.top),
            w = px(f.width),
            h = px(f.height)
        );
        for (value, label) in &y.major {
            if let Some(v) = at_y(*value) {
                self.text(f.left - 7.0, v + 4.2, TICK_FONT, "text-anchor=\"end\"", label);
            }
        }
        self.text(f.left, f.top - 7.0, TICK_FONT, "fill=\"#666666\"", &y.note);
        if last {
            for (value, label) in &x.major {
                if let Some(v) = at_x(*value) {
                    self.text(v, bottom + 18.0, TICK_FONT, "text-anchor=\"middle\"", label);
                }
            }
            let label = self.figure.x.label();
            self.text(
                f.left + 0.5 * f.width,
                bottom + 42.0,
                13.5,
                "text-anchor=\"middle\" fill=\"#111111\"",
                &label,
            );
            self.text(
                right,
                bottom + 42.0,
                TICK_FONT,
                "text-anchor=\"end\" fill=\"#666666\"",
                &x.note,
            );
        }
        let middle = f.top + 0.5 * f.height;
        let style = format!(
            "text-anchor=\"middle\" fill=\"#111111\" transform=\"rotate(-90 22 {})\"",
            px(middle)
        );
        let label = Some(panel.y.label()).filter(|label| text_width(label, 13.5) <= f.height + GAP);
        // What does not fit is in the legend.
        let label = label.unwrap_or_else(|| super::Axis::new("", &panel.y.unit).label());
        self.text(22.0, middle, 13.5, &style, &label);
    }

    fn curve(&mut self, index: usize, f: Frame, s: &Series, x: &Ticks, y: &Ticks, look: Look) {
        let bottom = f.top + f.height;
        let place = |p: &[f64; 2]| -> Option<Pixel> {
            // Far outside the frame only the direction matters.
            let far = |v: f64| v.clamp(-20.0, 20.0);
            Some([f.left + far(x.place(p[0])?) * f.width, bottom - far(y.place(p[1])?) * f.height])
        };
        let placed: Vec<Option<Pixel>> = s.points.iter().map(place).collect();
        let Look { stroke, dash, width, shape } = look;
        let _ = writeln!(
            self.svg,
            "<g clip-path=\"url(#panel{index})\"><title>{}</title>",
            escape(&s.name)
        );
        if s.line {
            let mut path = String::new();
            let mut dots = Vec::new();
            for run in placed.split(Option::is_none) {
                let run: Vec<Pixel> = run.iter().flatten().copied().collect();
                if let [single] = run[..] {
                    dots.push(single);
                } else {
                    for (i, p) in simplify(&run).iter().enumerate() {
                        let verb = if i == 0 { 'M' } else { 'L' };
                        let _ = write!(path, "{verb}{} {}", px(p[0]), px(p[1]));
                    }
                }
            }
            if !path.is_empty() {
                let _ = writeln!(
                    self.svg,
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\" stroke-linecap=\"round\"{}/>",
                    dash_attribute(dash)
                );
            }
            // A point between two gaps would be invisible as a line.
            if !s.markers {
                for p in dots {
                    self.marker(p, 0, stroke, 2.4);
                }
            }
        }
        if s.dots {
            // One path of round line ends: a fifth of the text of as many circles.
            let ends = placed.iter().flatten().map(|p| format!("M{} {}h0", px(p[0]), px(p[1])));
            let _ = writeln!(
                self.svg,
                "<path d=\"{}\" stroke=\"{stroke}\" stroke-width=\"3\" stroke-linecap=\"round\"/>",
                ends.collect::<String>()
            );
        }
        if s.markers {
            for p in placed.into_iter().flatten() {
                self.marker(p, shape, stroke, 4.2);
            }
        }
        self.svg.push_str("</g>\n");
    }

    /// One of six shapes, of equal weight to the eye.
    fn marker(&mut self, [x, y]: Pixel, shape: usize, fill: &str, r: f64) {
        let polygon = |corners: &[[f64; 2]]| {
            let points: Vec<String> = corners
                .iter()
                .map(|c| format!("{},{}", px(x + c[0] * r), px(y + c[1] * r)))
                .collect();
            format!(
                "<polygon points=\"{}\" fill=\"{fill}\" stroke=\"#ffffff\" stroke-width=\"0.6\"/>",
                points.join(" ")
            )
        };
        let text = match shape % 6 {
            0 => format!("<circle cx=\"{}\" cy=\"{}\" r=\"{r}\" fill=\"{fill}\"/>", px(x), px(y)),
            1 => polygon(&[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
            2 => polygon(&[[0.0, -1.25], [1.15, 0.8], [-1.15, 0.8]]),
            3 => polygon(&[[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]]),
            4 => polygon(&[[0.0, 1.25], [1.15, -0.8], [-1.15, -0.8]]),
            _ => {
                let (a, b) = (0.35, 1.2);
                polygon(&[
                    [-a, -b],
                    [a, -b],
                    [a, -a],
                    [b, -a],
                    [b, a],
                    [a, a],
                    [a, b],
                    [-a, b],
                    [-a, a],
                    [-b, a],
                    [-b, -a],
                    [-a, -a],
                ])
            }
        };
        self.svg.push_str(&text);
        self.svg.push('\n');
    }

    fn legend(&mut self, f: Frame, panel: &Panel, looks: &[Look]) {
        let left = f.left + f.width + 12.0;
        let entries = panel.series.iter().zip(looks).take(MOST_LEGEND_LINES);
        for (i, (series, Look { stroke, dash, width, shape })) in entries.enumerate() {
            let y = f.top + 9.0 + LEGEND_PITCH * i as f64;
            if series.line {
                let dash = dash_attribute(dash);
                let style = format!("stroke=\"{stroke}\" stroke-width=\"{}\"{dash}", width + 0.5);
                self.line([left, y], [left + 24.0, y], &style);
            }
            if series.markers || series.dots {
                let r = if series.markers { 4.2 } else { 1.5 };
                self.marker([left + 12.0, y], if series.dots { 0 } else { *shape }, stroke, r);
            }
            self.text(left + 31.0, y + 4.3, 12.5, "", &series.name);
        }
        if panel.series.len() > MOST_LEGEND_LINES {
            let more = format!("and {} more", panel.series.len() - MOST_LEGEND_LINES);
            let y = f.top + 13.0 + LEGEND_PITCH * MOST_LEGEND_LINES as f64;
            self.text(left + 31.0, y, 12.5, "fill=\"#666666\"", &more);
        }
    }
}

/// Colour, dashes, line width [px] and marker of a curve.
#[derive(Clone, Copy)]
struct Look {
    stroke: &'static str,
    dash: &'static str,
    width: f64,
    shape: usize,
}

impl Look {
    /// One per curve of a panel; `known` are the names of the curves in the panels before. A name
    /// that comes again looks the same.
    fn of<'a>(series: &'a [Series], known: &mut Vec<&'a str>) -> Vec<Look> {
        let before = known.len();
        let look = |series: &'a Series| {
            if series.guide {
                return Look { stroke: "#777777", dash: "5 4", width: 1.1, shape: 0 };
            }
            if let Some([run, quantity]) = series.of {
                let (stroke, dash) =
                    (COLOURS[run % COLOURS.len()], DASHES[quantity % DASHES.len()]);
                return Look { stroke, dash, width: 1.7, shape: run };
            }
            let n = known[..before].iter().position(|name| *name == series.name);
            let n = n.unwrap_or_else(|| {
                known.push(&series.name);
                known.len() - 1
            });
            Look {
                stroke: COLOURS[n % COLOURS.len()],
                dash: DASHES[n / COLOURS.len() % DASHES.len()],
                width: 1.7,
                shape: n,
            }
        };
        series.iter().map(look).collect()
    }
}

fn dash_attribute(dash: &str) -> String {
    if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") }
}

/// Widens the range of one axis until a unit is equally long on both.
fn same_scale(f: Frame, x: &Ticks, y: &Ticks) -> (Ticks, Ticks) {
    let ((x0, x1), (y0, y1)) = (x.range(), y.range());
    let per_px = ((x1 - x0) / f.width).max((y1 - y0) / f.height);
    let widened = |lo: f64, hi: f64, px: f64| {
        let (mid, half) = (0.5 * (lo + hi), 0.5 * per_px * px);
        // The same distance between ticks on both axes: a grid of squares.
        Ticks::stepped(mid - half, mid + half, 65.0 * per_px)
    };
    (widened(x0, x1, f.width), widened(y0, y1, f.height))
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Figure, Panel, Series};

    fn wave(n: usize, f: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
        (0..n).map(|i| i as f64 / (n - 1) as f64).map(|t| [t, f(t)]).collect()
    }

    #[test]
    fn a_panel_per_unit_with_names_and_units() {
        let series = vec![
            Series::new("theta", "rad", wave(50, |t| t.sin())),
            Series::new("x", "m", wave(50, |t| t.cos())),
            Series::new("phi", "rad", wave(50, |t| -t)),
        ];
        let svg = Figure::by_unit("A & B", Axis::new("t", "s"), series).to_svg();
        for text in ["A &amp; B", "t [s]", "theta, phi [rad]", "x [m]", ">phi</text>"] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches("<clipPath").count(), 2);
    }

    #[test]
    fn gaps_constants_and_nothing_at_all_are_drawn() {
        let mut points = wave(100, |t| t);
        points[40][1] = f64::NAN;
        points[41][1] = f64::INFINITY;
        let panel = Panel::new(Axis::new("y", ""))
            .series(Series::new("gap", "", points))
            .series(Series::new("constant", "", wave(10, |_| 0.5)))
            .series(Series::new("none", "", vec![]))
            .series(Series::new("nan", "", wave(10, |_| f64::NAN)))
            .series(Series::new("one", "", vec![[0.5, 0.5]]));
        let svg = Figure::new("gaps", Axis::new("t", "s")).panel(panel).to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let svg = Figure::new("empty", Axis::new("t", "s")).to_svg();
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn a_name_has_one_colour_in_all_panels() {
        let curve = |name: &str| Series::new(name, "", wave(9, |t| t));
        let panel = || Panel::new(Axis::new("y", "")).series(curve("a")).series(curve("b"));
        let svg = Figure::new("two", Axis::new("t", "s"))
            .panel(panel())
            .panel(panel().series(curve("c")))
            .to_svg();
        let paths =
            |colour: &str| svg.matches(&format!("fill=\"none\" stroke=\"{colour}\"")).count();
        assert_eq!(["#0072B2", "#D55E00", "#009E73"].map(paths), [2, 2, 1]);
    }

    #[test]
    fn marks_are_lines_across_the_panels_that_show_them() {
        let figure = Figure::new("x", Axis::new("t", "s"))
            .panel(Panel::new(Axis::new("a", "m")).series(Series::new(
                "a",
                "m",
                wave(50, f64::sin),
            )))
            .panel(Panel::new(Axis::new("b", "N")).series(Series::new(
                "b",
                "N",
                wave(50, f64::cos),
            )));
        let dashes = |figure: &Figure| figure.to_svg().matches("stroke-dasharray=\"3 4\"").count();
        assert_eq!(dashes(&figure), 0);
        // Two panels; the third lies within the pixel of the first, the last outside.
        let marked = figure.marks([0.1, 0.2, 0.1 + 1e-9, 1e9]);
        assert_eq!(dashes(&marked), 4);
    }

    #[test]
    fn a_guide_takes_neither_colour_nor_room() {
        let errors = || Series::new("errors", "", vec![[1.0, 1.0], [10.0, 100.0]]).markers();
        let slope = Series::guide("slope 2", vec![[1e-9, 1e-9], [1e9, 1e9]]);
        let draw =
            |panel: Panel| Figure::new("orders", Axis::new("h", "s").log()).panel(panel).to_svg();
        let y = || Panel::new(Axis::new("error", "").log());
        let with = draw(y().series(slope).series(errors()).series(errors()));
        let without = draw(y().series(errors()).series(errors()));
        let curve = |svg: &str| svg.lines().filter(|l| l.contains("#0072B2")).count();
        assert_eq!(curve(&with), curve(&without));
        assert!(with.contains("stroke-dasharray=\"5 4\"") && with.contains(">slope 2</text>"));
        assert!(with.contains("10²") && !with.contains("10⁹"), "{with}");
    }

    #[test]
    fn a_long_run_is_a_small_file() {
        let points = wave(100_000, |t| (900.0 * t).sin() * t);
        let series = Series::new("x", "m", points);
        let svg = Figure::by_unit("long", Axis::new("t", "s"), vec![series]).to_svg();
        assert!(svg.len() < 150_000, "{}", svg.len());
    }
}
