//! Triangles of an STL file, which `draw name: mesh(…)` shows.
//!
//! It is read here and not by `stl_io`: that takes every file that begins with `solid` for text, as many binary files
//! do too, and does not say which triangle is broken. What is left are two loops.

use std::fmt;
use std::sync::OnceLock;

/// A triangle by its corners, in units of the file.
pub type Triangle = [[f32; 3]; 3];

/// Bytes before the number of triangles, that number with them, and bytes of a triangle, in a binary file.
const HEADER: usize = 80;
const BEGIN: usize = HEADER + 4;
const TRIANGLE: usize = 50;

/// An STL file, binary or text, that has become part of the program.
pub struct Mesh {
    file: &'static str,
    bytes: &'static [u8],
    /// How many triangles there are, or what is wrong with it.
    checked: OnceLock<Result<usize, String>>,
}

impl Mesh {
    /// The contents of a file of this name, as `include_bytes!` has them.
    pub const fn new(file: &'static str, bytes: &'static [u8]) -> Self {
        Mesh { file, bytes, checked: OnceLock::new() }
    }

    /// The file, as the model names it.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// How many triangles it has. A file is read once for that.
    ///
    /// # Errors
    /// What is wrong with it, in words that follow its name: it is empty or cut short, is no STL file, or has a coordinate
    /// that is no finite number.
    pub fn check(&self) -> Result<usize, &str> {
        let read = || {
            let mut count = 0;
            read(self.bytes, &mut |_| count += 1).map(|()| count)
        };
        self.checked.get_or_init(read).as_ref().copied().map_err(String::as_str)
    }

    /// Its triangles, their corners counter-clockwise seen from outside where the file has them so; none of a file that
    /// does not pass the [check](Self::check).
    pub fn triangles(&self) -> Vec<Triangle> {
        let Ok(count) = self.check() else { return Vec::new() };
        let mut all = Vec::with_capacity(count);
        let _ = read(self.bytes, &mut |triangle| all.push(triangle));
        all
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mesh({:?}, {} bytes)", self.file, self.bytes.len())
    }
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.file == other.file && self.bytes == other.bytes
    }
}

impl Eq for Mesh {}

fn read(bytes: &[u8], each: &mut dyn FnMut(Triangle)) -> Result<(), String> {
    if bytes.is_empty() {
        return Err("is empty; export it again".into());
    }
    let count = bytes.get(HEADER..BEGIN).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    let needed = count.map(|count| BEGIN + TRIANGLE * count as usize);
    // In a text these four bytes are letters, a number of triangles that no file has. A binary file may begin with
    // `solid`, too, but has zeros.
    if needed.is_some_and(|needed| needed <= bytes.len()) {
        return binary(&bytes[BEGIN..needed.unwrap_or(BEGIN)], each);
    }
    let text = bytes.trim_ascii_start();
    if text.len() >= 5 && text[..5].eq_ignore_ascii_case(b"solid") && !bytes.contains(&0) {
        return ascii(&String::from_utf8_lossy(bytes), each);
    }
    Err(match (count, needed) {
        (Some(count), Some(needed)) if !bytes[..BEGIN].is_ascii() || bytes.contains(&0) => format!(
            "is cut short: its {count} triangles take {needed} bytes, and it has {}; export it again",
            bytes.len()
        ),
        _ => "is no STL file: that begins with the word `solid`, or with 80 bytes and the number of triangles".into(),
    })
}

fn binary(bytes: &[u8], each: &mut dyn FnMut(Triangle)) -> Result<(), String> {
    let (triangles, _) = bytes.as_chunks::<TRIANGLE>();
    for (k, triangle) in triangles.iter().enumerate() {
        // First the normal, last two bytes that nobody agrees on.
        let number = |i: usize| {
            let at = 12 + 4 * i;
            let bytes = [triangle[at], triangle[at + 1], triangle[at + 2], triangle[at + 3]];
            f32::from_le_bytes(bytes)
        };
        let corners: Triangle =
            std::array::from_fn(|corner| std::array::from_fn(|i| number(3 * corner + i)));
        if !corners.iter().flatten().all(|x| x.is_finite()) {
            return Err(not_finite(k));
        }
        each(corners);
    }
    if triangles.is_empty() { Err(nothing()) } else { Ok(()) }
}

fn ascii(text: &str, each: &mut dyn FnMut(Triangle)) -> Result<(), String> {
    let (mut count, mut corners) = (0, Vec::with_capacity(3));
    let mut ended = false;
    for (line, words) in text.lines().enumerate() {
        let mut words = words.split_ascii_whitespace();
        let at = line + 1;
        match words.next().unwrap_or("").to_ascii_lowercase().as_str() {
            "vertex" => {
                let mut corner = [0.0f32; 3];
                for x in &mut corner {
                    let number = words.next().and_then(|word| word.parse().ok());
                    *x = number.ok_or_else(|| {
                        format!("has a vertex without three numbers in line {at}")
                    })?;
                }
                if !corner.iter().all(|x| x.is_finite()) {
                    return Err(format!("{}, line {at}", not_finite(count)));
                }
                corners.push(corner);
            }
            "endfacet" => {
                let [a, b, c] = corners[..] else {
                    return Err(format!(
                        "has a facet of {} corners in line {at}; facets of STL are triangles",
                        corners.len()
                    ));
                };
                each([a, b, c]);
                count += 1;
                corners.clear();
            }
            "endsolid" => ended = true,
            "solid" => ended = false,
            "facet" | "outer" | "endloop" | "" => {}
            other => {
                let other: String = other.chars().take(20).collect();
                return Err(format!("has `{other}` in line {at}, which STL does not know"));
            }
        }
    }
    if !ended || !corners.is_empty() {
        return Err(format!(
            "is cut short: it ends without `endsolid`, with {count} of its triangles; export it again"
        ));
    }
    if count == 0 { Err(nothing()) } else { Ok(()) }
}

fn not_finite(triangle: usize) -> String {
    format!("has a coordinate that is no finite number in triangle {}", triangle + 1)
}

fn nothing() -> String {
    "has no triangles; export it again".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    const B: Triangle = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.5]];

    fn file(header: &str, triangles: &[Triangle]) -> Vec<u8> {
        let mut bytes = header.as_bytes().to_vec();
        bytes.resize(HEADER, 0);
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn text(triangles: &[Triangle]) -> String {
        let facet = |t: &Triangle| {
            let vertex = |[x, y, z]: &[f32; 3]| format!("   vertex {x:e} {y} {z}\r\n");
            let corners: String = t.iter().map(vertex).collect();
            format!("facet normal 0 0 1\n  outer loop\n{corners}  endloop\nendfacet\n")
        };
        let facets: String = triangles.iter().map(facet).collect();
        format!("solid part\n{facets}endsolid part\n")
    }

    fn triangles(bytes: &[u8]) -> Result<Vec<Triangle>, String> {
        let mut all = Vec::new();
        read(bytes, &mut |t| all.push(t)).map(|()| all)
    }

    #[test]
    fn binary_and_text_have_the_same_triangles() {
        assert_eq!(triangles(&file("a part", &[A, B])), Ok(vec![A, B]));
        assert_eq!(triangles(text(&[A, B]).as_bytes()), Ok(vec![A, B]));
        // As many programs write it.
        assert_eq!(triangles(&file("solid part", &[A, B])), Ok(vec![A, B]));
        let two = text(&[A]) + &text(&[B]).to_uppercase();
        assert_eq!(triangles(two.as_bytes()), Ok(vec![A, B]));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let nan = [A[0], [f32::NAN, 0.0, 0.0], A[2]];
        let (binary, ascii) = (file("part", &[A, B]), text(&[A, B]));
        let solid = file("solid", &[A, B]);
        let one = text(&[A]);
        let cases: [(Vec<u8>, &str); 13] = [
            (Vec::new(), "is empty"),
            (binary[..150].into(), "cut short: its 2 triangles take 184 bytes, and it has 150"),
            (solid[..150].into(), "cut short: its 2 triangles take 184 bytes, and it has 150"),
            (binary[..60].into(), "is no STL file"),
            (b"ply\nformat ascii 1.0".into(), "is no STL file"),
            (ascii[..130].into(), "cut short: it ends without `endsolid`, with 1 of its triangles"),
            (file("part", &[]), "no triangles"),
            ("solid part\nendsolid part\n".into(), "no triangles"),
            (file("part", &[B, nan]), "no finite number in triangle 2"),
            (text(&[B, nan]).into(), "no finite number in triangle 2, line 12"),
            (one.replace("vertex 1e0 0", "vertex one 0").into(), "three numbers in line 5"),
            (one.replacen("   vertex 0e0 0 0\r\n", "", 1).into(), "a facet of 2 corners"),
            (one.replace("outer", "vortex").into(), "`vortex` in line 3"),
        ];
        for (bytes, told) in cases {
            let error = triangles(&bytes).unwrap_err();
            assert!(error.contains(told), "{told}: {error}");
        }
    }

    #[test]
    fn a_mesh_with_a_fault_has_no_triangles() {
        static BROKEN: Mesh = Mesh::new("part.stl", b"solid part");
        assert!(BROKEN.check().is_err() && BROKEN.triangles().is_empty());
    }
}
