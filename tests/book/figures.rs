//! Figures of the book and the README are what the commands before them draw.

use std::path::Path;

/// What a figure is made of.
const ELEMENTS: [&str; 6] =
    ["<path ", "<circle ", "<polyline ", "<polygon ", "<animate ", "<animateTransform "];

/// What stands in a figure in letters, the numbers of its axes among it, and how many elements it has. The counts of steps in its
/// second line, which depend on the compiler, are left out.
fn content(svg: &str) -> (Vec<String>, [usize; 6]) {
    let texts = svg.split("<text ").skip(1).map(|part| {
        let text = part.split_once('>').and_then(|(_, rest)| rest.split_once("</text>"));
        text.map_or("", |(text, _)| text).to_string()
    });
    let texts = texts.map(|text| match text.contains("steps") || text.contains("good to") {
        true => text.split(',').next().unwrap().to_string(),
        false => text,
    });
    (texts.collect(), ELEMENTS.map(|element| svg.matches(element).count()))
}

pub fn same(figure: &Path, drawn: &Path) {
    let [checked_in, ours] = [figure, drawn].map(|path| std::fs::read_to_string(path).unwrap());
    assert_eq!(
        content(&checked_in),
        content(&ours),
        "{} is what its command draws",
        figure.display()
    );
}
