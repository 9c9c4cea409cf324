//! The page in a browser, where there is one: Chromium without a window, drawing in software.
//!
//! `#selftest` makes the page go through its run before it is done loading and leave what it found in the
//! document (page/src/main.js).

use super::mesh::{Links, Swinging};
use super::models::{Abstract, Bars, Bouncer, Chain, Drawn, Shapes};
use super::places::{Plate, Rope};
use mbd::Mechanism;
use mbd::animate::Animation;
use mbd::prelude::*;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// Most milliseconds of script for a frame of a thousand links, in the median of a few runs.
const MOST_SCRIPT: f64 = 10.0;
const MOST_DRAW_CALLS: u64 = 20;

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("MBD_CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let browser = named.into_iter().chain(found).find(|path| path.is_file());
    if browser.is_none() {
        eprintln!("skipped: there is no Chromium in PATH, nor named by MBD_CHROMIUM");
    }
    browser
}

/// What the page of a mechanism finds of itself, with more after the `#`.
fn tested(browser: &PathBuf, name: &str, html: &str, more: &str) -> Value {
    let folder = std::env::temp_dir().join(format!("mbd-page-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("run.html");
    std::fs::write(&file, html).unwrap();
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--window-size=1280,720", "--dump-dom"])
        .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        // Whatever the page asks for over a network is not found.
        .arg("--host-resolver-rules=MAP * ~NOTFOUND")
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}#selftest&pause{more}", file.display()))
        .output()
        .unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let found =
        dom.split("<pre id=\"selftest\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let told = String::from_utf8_lossy(&output.stderr);
    let found = found.unwrap_or_else(|| panic!("{name}: the page did not run: {told}"));
    serde_json::from_str(&found.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
        .unwrap()
}

fn page(mechanism: &dyn Mechanism) -> String {
    let mut animation = Animation::new(mechanism).unwrap();
    let run = Simulation::new(mechanism).stream(&mut animation).run().unwrap();
    animation.html(&run).unwrap().0
}

fn check(name: &str, found: &Value, flat: bool) {
    assert_eq!(found["errors"], Value::Array(Vec::new()), "{name}: {found}");
    for holds in ["moved", "repeats", "played"] {
        assert_eq!(found[holds], true, "{name}: {holds} in {found}");
    }
    assert_eq!(found["flat"], flat, "{name}: {found}");
    assert!(found["drawCalls"].as_u64().unwrap() <= MOST_DRAW_CALLS, "{name}: {found}");
    // The cursor of time stands at a row, so none is far.
    assert!(found["farthest"].as_f64().unwrap() <= 1.001e-3, "{name}: {found}");
    assert!(found["panels"].as_u64().unwrap() >= 1, "{name}: {found}");
    assert!(found["frames"].as_u64().unwrap() >= 59, "{name}: {found}");
}

#[test]
fn pages_run_in_a_browser() {
    let Some(browser) = browser() else { return };
    let models: [(&str, Box<dyn Mechanism>, bool); 6] = [
        ("bars", Box::new(Bars::default()), false),
        ("drawn", Box::new(Drawn::default()), false),
        ("shapes", Box::new(Shapes::default()), false),
        ("files", Box::new(Swinging::default()), false),
        ("bouncer", Box::new(Bouncer::default()), false),
        // Dials need no WebGL.
        ("abstract", Box::new(Abstract::default()), true),
    ];
    for (name, mechanism, flat) in models {
        let html = page(&*mechanism);
        check(
            name,
            &tested(&browser, name, &html, "&paths&frames&velocities&forces&magnify=3&theme=dark"),
            flat,
        );
        // Without WebGL.
        check(name, &tested(&browser, name, &html, "&canvas&paths&forces"), true);
    }
}

/// Runs together: bodies, dials and curves of both, with and without WebGL.
#[test]
fn runs_stand_beside_each_other() {
    let Some(browser) = browser() else { return };
    let together = |first: &dyn Mechanism, second: &dyn Mechanism| {
        let mut other = Animation::new(second).unwrap();
        let run = Simulation::new(second).until(0.8).stream(&mut other).run().unwrap();
        let mut animation = Animation::new(first).unwrap();
        let own = Simulation::new(first).stream(&mut animation).run().unwrap();
        animation.beside("long.csv", &mut other, &run).unwrap();
        animation.html(&own).unwrap().0
    };
    let bars = together(&Bars::default(), &Bars { l: 1.2, ..Default::default() });
    check("bars", &tested(&browser, "beside", &bars, "&paths&forces&magnify=3"), false);
    check("bars", &tested(&browser, "beside-flat", &bars, "&canvas&velocities"), true);
    assert!(bars.contains("long.csv"));
    let dials = together(&Abstract::default(), &Abstract::default());
    let files = together(&Swinging::default(), &Swinging { grows: 0.003 });
    check("files", &tested(&browser, "beside-files", &files, ""), false);
    check("dials", &tested(&browser, "beside-dials", &dials, ""), true);
}

/// At the start no contact is closed and nothing has happened; at each event there are rings.
#[test]
fn events_are_marked_at_their_places() {
    let Some(browser) = browser() else { return };
    for (name, html) in [("plate", page(&Plate::default())), ("rope", page(&Rope::default()))] {
        for more in ["", "&canvas"] {
            let found = tested(&browser, name, &html, more);
            check(name, &found, !more.is_empty());
            let marked: Vec<u64> =
                found["marked"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
            let [start, events @ ..] = &marked[..] else { panic!("{found}") };
            // The plate falls freely at first, and the rope is taut.
            assert_eq!(*start, if name == "plate" { 0 } else { 2 }, "{name}: {found}");
            assert!(events.len() > 3 && events.iter().all(|rings| *rings > 0), "{name}: {found}");
        }
    }
}

#[test]
fn a_thousand_links_take_few_draw_calls_and_little_time() {
    let Some(browser) = browser() else { return };
    let chains: [(&str, Box<dyn Mechanism>); 2] = [
        ("chain", Box::new(Chain { n: 1000, ..Default::default() })),
        ("chain of files", Box::new(Links::default())),
    ];
    for (name, chain) in chains {
        few_and_little(&browser, name, &page(&*chain));
    }
}

fn few_and_little(browser: &PathBuf, name: &str, html: &str) {
    // Others may be at work on the machine: the best of a few.
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let found = tested(browser, "chain", html, "");
        check(name, &found, false);
        best = best.min(found["script"].as_f64().unwrap());
        eprintln!("{name} of 1000 links: {found}");
        if best <= MOST_SCRIPT {
            break;
        }
    }
    assert!(best <= MOST_SCRIPT, "{name}: {best} ms of script for a frame");
}
