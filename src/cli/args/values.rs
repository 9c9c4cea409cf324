//! Reading the value of an option.

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

/// Whether an animation is a glTF file.
pub(super) fn is_glb(path: &Path) -> bool {
    extension(path).as_deref() == Some("glb")
}

/// Where an animation goes: a page, or a glTF file.
pub(super) fn page(value: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(value);
    if is_html(&path) || is_glb(&path) {
        return Ok(path);
    }
    let (page, glb) = (path.with_extension("html"), path.with_extension("glb"));
    Err(format!(
        "--animate writes a page for browsers, or glTF: give --animate {} or {}",
        page.display(),
        glb.display()
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

/// What an option calls by this name.
pub(super) fn chosen<T: Copy>(text: &str, known: &[(&str, T)]) -> Option<T> {
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}
