//! Every block of Rust in README and book is compiled: as a documentation test of the library, or as a file that a
//! chapter's commands build.

use std::path::Path;

#[test]
fn every_block_of_rust_is_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = std::fs::read_to_string(root.join("src/lib.rs")).unwrap();
    let mut blocks = 0;
    for page in crate::links::pages() {
        let name = page.strip_prefix(root).unwrap().display().to_string();
        let included = library.contains(&format!("include_str!(\"../{name}\")"));
        let text = std::fs::read_to_string(&page).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let Some(kind) = line.strip_prefix("```rust") else { continue };
            let file = i > 0 && lines[i - 1].starts_with("<!-- file: ");
            assert!(
                file || included && matches!(kind, "" | ",no_run"),
                "{name}, line {}: `rust{kind}` is compiled by nobody; src/lib.rs names the pages of \
                 documentation tests, and `<!-- file: PATH -->` a file of a chapter",
                i + 1
            );
            blocks += 1;
        }
    }
    assert!(blocks > 25, "{blocks} blocks");
}
