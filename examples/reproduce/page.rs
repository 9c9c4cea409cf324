//! All reports as one page that needs nothing beside it.

use crate::claim::{self, Claim, Verdict};
use crate::report::{Block, Report};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8884; --good: #1b7f3b; --part: #9a6200; --not: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #5fd38a; --part: #f0b649; --not: #ff8a80; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }
a { color: inherit; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); } h3 { margin-top: 2rem; }
p { max-width: 46rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
.claims { table-layout: fixed; width: 100%; min-width: 48rem; }
.claims th:nth-child(1) { width: 24%; } .claims th:nth-child(2) { width: 26%; } .claims th:nth-child(3) { width: 9.5rem; }
.reproduced { color: var(--good); } .in-part { color: var(--part); } .not-reproduced { color: var(--not); }
.verdict { font-weight: 600; white-space: nowrap; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; } figure { margin: 1rem 0; flex: 1 1 22rem; max-width: 48rem; }
figure img { width: 100%; background: #fff; } figcaption { font-size: 0.9rem; }
";

/// The page of these papers.
pub fn page(reports: &[Report]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Papers, reproduced</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Papers, reproduced</h1>\n"
    );
    let claims = || reports.iter().flat_map(|report| &report.claims);
    let counts = Verdict::ALL.map(|verdict| {
        let count = claims().filter(|claim| claim.verdict() == verdict).count();
        format!("{count} {verdict}")
    });
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<p>What {} papers say, held against runs of this library that were made for this page: {} claims, {}. A claim \
         is reproduced where every check behind it holds, and in part where some do; the checks stand beside it. No \
         number under “ours” and no verdict was written beforehand.</p>",
        reports.len(),
        claims().count(),
        counts.join(", ")
    );
    for report in reports {
        let (number, title) = (report.number, text(report.title));
        let _ = writeln!(out, "<h3><a href=\"#{number}\">{title}</a></h3>");
        table(&mut out, "claims", &claim::HEAD, report.claims.iter().map(claim_row));
    }
    for report in reports {
        let _ = writeln!(out, "<h2 id=\"{}\">{}</h2>", report.number, text(report.title));
        report.blocks.iter().for_each(|block| block_into(block, &mut out));
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn claim_row(claim: &Claim) -> Vec<String> {
    let verdict = claim.verdict().to_string();
    let class = verdict.replace(' ', "-");
    vec![
        format!("<b>{}</b>: {}", text(&claim.place), text(&claim.paper)),
        text(&claim.ours),
        format!("<span class=\"verdict {class}\">{verdict}</span>"),
        text(&claim.reason()),
    ]
}

fn block_into(block: &Block, out: &mut String) {
    let _ = match block {
        Block::Section(title) => writeln!(out, "<h3>{}</h3>", text(title)),
        Block::Text(paragraph) => writeln!(out, "<p>{}</p>", text(paragraph)),
        Block::Table(head, rows) => {
            let head: Vec<String> = head.iter().map(|cell| text(cell)).collect();
            let rows = rows.iter().map(|row| row.iter().map(|cell| text(cell)).collect());
            table(out, "", &head, rows);
            Ok(())
        }
        Block::Figures(pictures) => {
            out.push_str("<div class=\"figures\">\n");
            for picture in pictures {
                let shows = text(&picture.shows);
                let _ = writeln!(
                    out,
                    "<figure><img src=\"data:image/svg+xml,{}\" alt=\"{shows}\"><figcaption>{shows}</figcaption></figure>",
                    in_address(&picture.svg)
                );
            }
            writeln!(out, "</div>")
        }
    };
}

fn table(
    out: &mut String,
    class: &str,
    head: &[impl AsRef<str>],
    rows: impl Iterator<Item = Vec<String>>,
) {
    let _ = write!(out, "<div class=\"wide\"><table class=\"{class}\">\n<tr>");
    head.iter().for_each(|cell| out.extend(["<th>", cell.as_ref(), "</th>"]));
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        row.iter().for_each(|cell| out.extend(["<td>", cell, "</td>"]));
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
}

/// A line of Markdown as HTML: `code` and **bold**.
fn text(markdown: &str) -> String {
    let safe = markdown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let safe = safe.replace('"', "&quot;");
    let mut out = String::new();
    for (i, part) in safe.split('`').enumerate() {
        if i % 2 == 1 {
            out.extend(["<code>", part, "</code>"]);
            continue;
        }
        for (k, piece) in part.split("**").enumerate() {
            match (k, k % 2 == 1) {
                (0, _) => {}
                (_, true) => out.push_str("<b>"),
                (_, false) => out.push_str("</b>"),
            }
            out.push_str(piece);
        }
    }
    out
}

/// A picture as part of an address (RFC 3986), with what would end it or the attribute around it written by number.
fn in_address(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len() + svg.len() / 8);
    for c in svg.chars() {
        match c {
            '%' | '#' | '"' | '<' | '>' | '&' | '\n' => {
                let _ = write!(out, "%{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
