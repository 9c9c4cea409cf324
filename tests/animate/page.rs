//! The page holds the run, and nothing that a network would be needed for.

use super::models::{Bars, Bouncer, Chain, Drawn, Shapes};
use mbd::animate::Animation;
use mbd::checkpoint::CheckpointSink;
use mbd::cli::{Exit, Io, run_with};
use mbd::prelude::*;
use mbd::{Mechanism, OutputError, Solution};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The data of a page.
pub fn data(html: &str) -> Value {
    let start = html.find("id=\"data\">").expect("a page with data") + 10;
    let end = start + html[start..].find("</script>").unwrap();
    serde_json::from_str(&html[start..end]).unwrap()
}

pub fn bytes(text: &Value) -> Vec<u8> {
    let letter = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let text = text.as_str().unwrap().trim_end_matches('=');
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        let all = chunk.iter().fold(0u32, |all, c| all << 6 | u32::from(letter(*c)));
        let all = all << (6 * (4 - chunk.len()));
        out.extend(&all.to_be_bytes()[1..chunk.len()]);
    }
    out
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// The curve of each number of the frames.
fn channels(data: &Value) -> Vec<Vec<f64>> {
    let frames = data["frames"].as_u64().unwrap() as usize;
    let packed = bytes(&data["data"]);
    let scales = data["scales"].as_array().unwrap();
    let step = |scale: &Value| scale[1].as_f64().unwrap();
    let wide = scales.iter().filter(|scale| step(scale) < 0.0).count();
    let (mut at4, mut at2) = (0, 4 * wide * frames);
    scales
        .iter()
        .map(|scale| {
            let low = scale[0].as_f64().unwrap_or(f64::NAN);
            match step(scale) {
                0.0 => vec![low; frames],
                negative if negative < 0.0 => {
                    let raw = &packed[at4..at4 + 4 * frames];
                    at4 += 4 * frames;
                    let value = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap());
                    raw.chunks_exact(4).map(|b| low + f64::from(value(b))).collect()
                }
                step => {
                    let raw = &packed[at2..at2 + 2 * frames];
                    at2 += 2 * frames;
                    let value = |b: &[u8]| u16::from_le_bytes(b.try_into().unwrap());
                    raw.chunks_exact(2).map(|b| low + step * f64::from(value(b))).collect()
                }
            }
        })
        .collect()
}

fn animated(mechanism: &dyn Mechanism) -> (Solution, String) {
    let mut animation = Animation::new(mechanism).unwrap();
    let run = Simulation::new(mechanism).stream(&mut animation).run().unwrap();
    let (html, written) = animation.html(&run).unwrap();
    assert!(written.frames >= 2 && written.frames <= written.points, "{written}");
    (run, html)
}

#[test]
fn a_page_asks_no_network() {
    let (_, html) = animated(&Bars::default());
    // The addresses of namespaces and licences are names, and nothing is loaded by them.
    for loads in [
        "<link",
        "src=\"",
        "src='",
        "@import",
        "url(http",
        "fetch(",
        "XMLHttpRequest",
        "importScripts",
    ] {
        // three has loaders among what it exports; those that the page uses have none.
        assert!(!html.contains(loads), "the page has {loads}");
    }
    assert!(html.contains("The MIT License") && html.contains("Leon Sorokin"));
}

#[test]
fn frames_are_the_motion_to_half_a_pixel() {
    let (bars, method) = (Bars::default(), mbd::integrate::Method::default());
    let mut animation = Animation::new(&bars).unwrap();
    let run = Simulation::new(&bars).method(method.clone()).stream(&mut animation).run().unwrap();
    let (html, written) = animation.html(&run).unwrap();
    assert!(written.error <= 0.5 / 1000.0 * (1.0 + 1e-9), "{written}");
    let whole = Simulation::new(&bars).method(method).run().unwrap();
    let data = data(&html);
    let (times, channels) = (doubles(&bytes(&data["times"])), channels(&data));
    let size = data["size"].as_f64().unwrap();
    assert!(times.len() < whole.len() / 2, "{} of {}", times.len(), whole.len());
    assert_eq!((times[0], times[times.len() - 1]), (0.0, 1.0));
    let mut worst = 0.0f64;
    for k in 0..whole.len() {
        let t = whole.row(k)[0];
        let next = times.partition_point(|at| *at < t).clamp(1, times.len() - 1);
        let part = (t - times[next - 1]) / (times[next] - times[next - 1]);
        for (b, name) in ["upper", "lower"].into_iter().enumerate() {
            for (i, coord) in ["x", "y"].into_iter().enumerate() {
                let curve = &channels[data["bodies"][b]["at"].as_u64().unwrap() as usize + i];
                let shown = curve[next - 1] + part * (curve[next] - curve[next - 1]);
                let is = whole.row(k)[whole.find(&format!("{name}.{coord}")).unwrap()];
                worst = worst.max((shown - is).abs());
            }
        }
    }
    // Half a pixel of a thousand, and what two bytes round.
    assert!(worst <= 0.5 / 1000.0 * size * 1.3, "{worst} of {size}");
    assert!(worst > 1e-3 * 0.5 / 1000.0 * size, "nothing was left out: {worst}");
}

#[test]
fn curves_are_those_of_the_run() {
    let (run, html) = animated(&Drawn::default());
    let data = data(&html);
    let rows = data["rows"].as_u64().unwrap() as usize;
    let curves = bytes(&data["curves"]);
    let times = doubles(&curves[..8 * rows]);
    assert_eq!(times[rows - 1], run.final_t());
    let series = data["series"].as_array().unwrap();
    let shown: Vec<&str> = series
        .iter()
        .filter(|one| one["shown"] == true)
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ["theta", "phi", "x"]);
    let x = series.iter().position(|one| one["name"] == "x").unwrap();
    let last = 8 * rows + 4 * (x * rows + rows - 1);
    let value = f32::from_le_bytes(curves[last..last + 4].try_into().unwrap());
    let value = f64::from(value) + series[x]["first"].as_f64().unwrap();
    assert!((value - run.final_q()[2]).abs() < 1e-6, "{value} {}", run.final_q()[2]);
    assert_eq!(data["left_out"], 0);
}

#[test]
fn events_and_shapes_are_in_the_page() {
    let (run, html) = animated(&Bouncer::default());
    let marked = data(&html)["events"].as_array().unwrap().len();
    assert!(marked > 1 && marked == run.events.len());
    let (_, html) = animated(&Shapes::default());
    let data = data(&html);
    let looks: Vec<&str> =
        data["items"].as_array().unwrap().iter().map(|i| i["look"].as_str().unwrap()).collect();
    for look in
        ["line", "polyline", "circle", "sphere", "box", "cylinder", "spring", "trace", "joint"]
    {
        assert!(looks.contains(&look), "{look} among {looks:?}");
    }
    assert_eq!(data["planar"], false);
}

#[test]
fn a_page_stays_below_its_size() {
    // Without resampling these were 200 bytes a link and point.
    let chain = Chain { n: 1000, ..Default::default() };
    let (_, html) = animated(&chain);
    assert!(html.len() < 20_000_000, "{}", html.len());
    assert_eq!(data(&html)["bodies"].as_array().unwrap().len(), 1000);
}

#[test]
fn nothing_in_a_name_ends_the_data() {
    let (mut run, _) = animated(&Drawn::default());
    run.warnings.push("</script><b>".into());
    let mut animation = Animation::new(&Drawn::default()).unwrap();
    Simulation::new(&Drawn::default()).until(0.01).stream(&mut animation).run().unwrap();
    let (html, _) = animation.html(&run).unwrap();
    assert_eq!(data(&html)["warnings"][0], "</script><b>");
}

// -- the command line --------------------------------------------------------------------------------

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mbd-animate-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run<M: Mechanism + Default + 'static>(args: &[&str]) -> (Exit, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let exit = run_with::<M>("model", args.iter().copied(), &mut io);
    (exit, String::from_utf8(err).unwrap())
}

#[test]
fn simulate_writes_a_page_and_says_what_is_in_it() {
    let folder = Folder::new("cli");
    let file = folder.file("run.html");
    let (exit, told) = run::<Bars>(&["simulate", "--animate", &file]);
    assert_eq!(exit, Exit::Ok, "{told}");
    assert!(told.contains("animation: ") && told.contains("true to 0.5 pixels"), "{told}");
    assert!(told.contains(&format!("wrote {file}")), "{told}");
    let page = data(&std::fs::read_to_string(&file).unwrap());
    assert_eq!(page["model"], "Bars");
    assert_eq!(page["series"][0]["name"], "tip", "outputs come first");

    let (exit, _) = run::<Bars>(&["simulate", "--animate", &file, "--show", "lambda(elbow)"]);
    assert_eq!(exit, Exit::Ok);
    let page = data(&std::fs::read_to_string(&file).unwrap());
    let shown = page["series"].as_array().unwrap().iter().filter(|one| one["shown"] == true);
    let shown: Vec<&str> = shown.map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(shown, ["lambda(elbow[0])", "lambda(elbow[1])"]);
}

#[test]
fn a_plot_that_is_a_page_has_no_mechanism_in_it() {
    let folder = Folder::new("plot");
    let file = folder.file("run.html");
    let (exit, told) = run::<Bouncer>(&["simulate", "--plot", &file]);
    assert_eq!(exit, Exit::Ok, "{told}");
    let page = data(&std::fs::read_to_string(&file).unwrap());
    assert!(page["frames"].is_null() && page["rows"].as_u64().unwrap() > 100);
    assert!(page["events"].as_array().unwrap().len() > 1);
}

/// Keeps every checkpoint.
#[derive(Default)]
struct All(Vec<Vec<u8>>);

impl CheckpointSink for All {
    fn is_due(&mut self) -> bool {
        true
    }

    fn save(&mut self, checkpoint: &[u8]) -> Result<(), OutputError> {
        self.0.push(checkpoint.to_vec());
        Ok(())
    }
}

#[test]
fn a_resumed_run_shows_all_of_it() {
    let shapes = Shapes::default();
    let (mut whole, mut all) = (Animation::new(&shapes).unwrap(), All::default());
    let run =
        Simulation::new(&shapes).until(0.3).stream(&mut whole).checkpoint(&mut all).run().unwrap();
    let whole = data(&whole.html(&run).unwrap().0);
    let middle = all.0.swap_remove(all.0.len() / 2);
    let mut resumed = Animation::new(&shapes).unwrap();
    let run =
        Simulation::new(&shapes).until(0.3).stream(&mut resumed).resume(middle).run().unwrap();
    let resumed = data(&resumed.html(&run).unwrap().0);
    for member in ["times", "data", "scales", "items", "bodies", "curves", "points"] {
        assert_eq!(whole[member], resumed[member], "{member}");
    }
}
