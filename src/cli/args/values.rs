//! Reading the value of an option.

use crate::components::spatial;
use crate::scalar::Num;
use std::path::{Path, PathBuf};

/// What a path ends in, in small letters.
fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// Whether a picture is a page.
pub(in crate::cli) fn is_html(path: &Path) -> bool {
    matches!(extension(path).as_deref(), Some("html" | "htm"))
}

/// Any file.
pub(super) fn file(value: &str) -> Result<PathBuf, String> {
    Ok(value.into())
}

/// Where a plot goes. A name that promises another format than it would have is refused.
pub(super) fn picture(value: &str) -> Result<PathBuf, String> {
    const OTHERS: [&str; 10] =
        ["png", "jpg", "jpeg", "gif", "webp", "pdf", "eps", "ps", "bmp", "tiff"];
    let path = PathBuf::from(value);
    match extension(&path) {
        Some(other) if OTHERS.contains(&other.as_str()) => Err(format!(
            "--plot draws SVG, or with FILE.html a page, and no {}: give --plot {}, which browsers and \
             `rsvg-convert` turn into others",
            other.to_uppercase(),
            path.with_extension("svg").display()
        )),
        _ => Ok(path),
    }
}

/// Whether an animation is of one run alone, without curves, and what such a file is called: glTF, or a moving picture.
pub(super) fn alone(path: &Path) -> Option<&'static str> {
    match extension(path).as_deref() {
        Some("glb") => Some("a .glb file"),
        Some("svg") => Some("a picture that moves"),
        _ => None,
    }
}

/// Where an animation goes: a page, a glTF file, or a moving picture.
pub(super) fn page(value: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(value);
    if is_html(&path) || alone(&path).is_some() {
        return Ok(path);
    }
    let [page, glb, svg] = ["html", "glb", "svg"].map(|end| path.with_extension(end));
    Err(format!(
        "--animate writes a page for browsers, glTF, or a picture that moves: give --animate {}, {} or {}",
        page.display(),
        glb.display(),
        svg.display()
    ))
}

/// A finite number.
pub(super) fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite())
}

pub(super) fn not_a_number(option: &str, value: &str) -> String {
    let hint = if value.contains(',') { " (the decimal sign is a point)" } else { "" };
    format!("{option}: `{value}` is not a number{hint}")
}

/// Any number.
pub(super) fn any(_: &str, value: f64) -> Result<f64, String> {
    Ok(value)
}

pub(super) fn positive(option: &str, value: f64) -> Result<f64, String> {
    if value > 0.0 {
        Ok(value)
    } else {
        Err(format!("{option} must be greater than zero, not {value}"))
    }
}

pub(super) fn not_negative(option: &str, value: f64) -> Result<f64, String> {
    if value >= 0.0 {
        Ok(value)
    } else {
        Err(format!("{option} must not be below zero, as {value} is"))
    }
}

pub(super) fn count(option: &str, value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{option}: `{value}` is not a whole number"))
}

/// `name=value`.
pub(super) fn assignment(option: &str, form: &str, text: &str) -> Result<(String, f64), String> {
    let (name, value) = named(option, form, text)?;
    let number = parse_number(&value).ok_or_else(|| not_a_number(option, value.trim()))?;
    Ok((name, number))
}

/// `name=number`, or of a vector: `name=[1,0,0]`, `name=axis_angle([0,1,0],0.3)`, `name=axis_to([0,0,1],[0,1,0])`,
/// `name=yaw_pitch_roll(0.1,0,0)`. Each number by its own name, `name[0]`, ….
pub(super) fn starts(option: &str, form: &str, text: &str) -> Result<Vec<(String, f64)>, String> {
    let (name, value) = named(option, form, text)?;
    let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
    let list = |text: &str| -> Result<Vec<f64>, String> {
        let number = |part| parse_number(part).ok_or_else(|| not_a_number(option, part));
        text.split(',').map(number).collect()
    };
    let within = |before: &str, after: &str| value.strip_prefix(before)?.strip_suffix(after);
    let numbers = if let Some(turn) = within("axis_angle([", ")") {
        let (axis, angle) = turn.split_once("],").unwrap_or((turn, ""));
        match (&list(axis)?[..], parse_number(angle)) {
            (&[x, y, z], Some(angle)) if [x, y, z] != [0.0; 3] => {
                spatial::axis_angle([x, y, z].map(Num::<f64>::from), angle.into())
                    .map(Num::value)
                    .into()
            }
            _ => {
                return Err(format!(
                    "{option}: `{value}` is not of the form axis_angle([0,1,0],0.3)"
                ));
            }
        }
    } else if let Some(turn) = within("axis_to([", "])") {
        let (axis, there) = turn.split_once("],[").unwrap_or((turn, ""));
        match (&list(axis)?[..], &list(there).unwrap_or_default()[..]) {
            (&[x, y, z], &[u, v, w]) if [x, y, z] != [0.0; 3] && [u, v, w] != [0.0; 3] => {
                let [axis, there] = [[x, y, z], [u, v, w]].map(|of| of.map(Num::<f64>::from));
                spatial::axis_to(axis, there).map(Num::value).into()
            }
            _ => {
                return Err(format!(
                    "{option}: `{value}` is not of the form axis_to([0,0,1],[0,1,0])"
                ));
            }
        }
    } else if let Some(turns) = within("yaw_pitch_roll(", ")") {
        match list(turns)?[..] {
            [yaw, pitch, roll] => {
                let [yaw, pitch, roll] = [yaw, pitch, roll].map(Num::<f64>::from);
                spatial::yaw_pitch_roll(yaw, pitch, roll).map(Num::value).into()
            }
            _ => {
                return Err(format!(
                    "{option}: `{value}` is not of the form yaw_pitch_roll(0.1,0,0)"
                ));
            }
        }
    } else if let Some(inner) = within("[", "]") {
        list(inner)?
    } else {
        return Ok(vec![assignment(option, form, text)?]);
    };
    let each = numbers.into_iter().enumerate();
    Ok(each.map(|(k, number)| (format!("{name}[{k}]"), number)).collect())
}

/// `name=text`.
pub(super) fn named(option: &str, form: &str, text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty())
        .ok_or_else(|| format!("{option}: `{text}` is not of the form {form}"))?;
    Ok((name.chars().filter(|c| !c.is_whitespace()).collect(), value.into()))
}

/// Names separated by commas.
pub(super) fn names(option: &str, text: &str) -> Result<Vec<String>, String> {
    let names: Vec<String> = text.split(',').map(|n| n.trim().to_string()).collect();
    if names.iter().any(String::is_empty) {
        return Err(format!("{option}: `{text}` has an empty name in it"));
    }
    Ok(names)
}

/// Positive numbers separated by commas.
pub(super) fn numbers(option: &str, text: &str) -> Result<Vec<f64>, String> {
    let one = |part: &str| {
        let number = parse_number(part).ok_or_else(|| not_a_number(option, part.trim()))?;
        positive(option, number)
    };
    text.split(',').map(one).collect()
}

/// `name=number,number,…`.
pub(super) fn sweep(option: &str, form: &str, text: &str) -> Result<(String, Vec<f64>), String> {
    let (name, values) = named(option, form, text)?;
    let one = |part: &str| parse_number(part).ok_or_else(|| not_a_number(option, part.trim()));
    let values = values.split(',').map(one).collect::<Result<Vec<f64>, String>>()?;
    let twice = values.iter().enumerate().find(|(k, value)| values[..*k].contains(value));
    match twice {
        Some((_, value)) => Err(format!("{option}: {name}={value} is given twice")),
        None => Ok((name, values)),
    }
}

/// What an option calls by this name.
pub(super) fn chosen<T: Copy>(text: &str, known: &[(&str, T)]) -> Option<T> {
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}
