//! What `--animate run.svg` writes: a picture that moves, in which what is rigid stays so.

use super::models::Bars;
use mbd::OutputError;
use mbd::animate::Animation;
use mbd::prelude::*;

/// The values of an attribute over the film, of each element that has them.
fn films<'a>(text: &'a str, element: &str, attribute: &str) -> Vec<Vec<&'a str>> {
    let head = format!("<animate attributeName=\"{attribute}\"");
    let of = |part: &'a str| -> Option<Vec<&'a str>> {
        let values = &part[part.find(&head)?..];
        let values = values.split("values=\"").nth(1)?.split('"').next()?;
        Some(values.split(';').collect())
    };
    let mut parts = text.split("<").filter(|part| part.starts_with(element));
    let starts: Vec<usize> =
        parts.by_ref().map(|part| part.as_ptr() as usize - text.as_ptr() as usize).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).filter_map(|(a, b)| of(&text[*a..b])).collect()
}

fn pixels(points: &str) -> Vec<[f64; 2]> {
    let pair = |pair: &str| {
        let (x, y) = pair.split_once(',').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    points.split(' ').map(pair).collect()
}

#[test]
fn links_keep_their_lengths_and_meet_in_a_moving_picture() {
    let model = Bars::default();
    let mut animation = Animation::new(&model).unwrap();
    let run = Simulation::new(&model).stream(&mut animation).run().unwrap();
    let (text, written) = animation.svg(&run).unwrap();
    assert_eq!(text.matches("<svg ").count(), 1);
    assert!(text.ends_with("</svg>\n") && text.len() == written.bytes);
    assert!(!text.contains("NaN") && !text.contains("inf"));
    let mut links = films(&text, "polyline", "points");
    // The other lines are springs, of more points.
    links.retain(|film| pixels(film[0]).len() == 2);
    assert_eq!(links.len(), 2, "{text}");
    let mut moved = [0.0f64; 2];
    let length = |[p, q]: [[f64; 2]; 2]| (p[0] - q[0]).hypot(p[1] - q[1]);
    let ends = |points: &str| -> [[f64; 2]; 2] { pixels(points).try_into().unwrap() };
    let first: Vec<f64> = links.iter().map(|film| length(ends(film[0]))).collect();
    for k in 0..written.frames {
        let now: Vec<[[f64; 2]; 2]> = links.iter().map(|film| ends(film[k])).collect();
        for (i, link) in now.iter().enumerate() {
            // Pixels are rounded to tenths.
            assert!((length(*link) - first[i]).abs() < 0.3, "link {i} at {k}");
            moved[i] = moved[i].max(length([link[1], ends(links[i][0])[1]]));
        }
        let meet = |a: usize, b: usize| {
            let pairs = now[a].iter().flat_map(|p| now[b].iter().map(|q| length([*p, *q])));
            pairs.fold(f64::INFINITY, f64::min)
        };
        assert!(meet(0, 1) < 0.3, "links part at {k}");
    }
    assert!(moved.iter().all(|moved| *moved > 20.0), "{moved:?}");
}

fn five_digits(model: &Bars) -> Simulation<'_> {
    let method = Method::from_name("radau5").unwrap();
    Simulation::new(model).method(method).step(Step::adaptive(1e-5))
}

/// A run that kept its points is shown as one that handed them over, and one that kept none is told.
#[test]
fn a_run_that_kept_its_points_is_shown_by_them() {
    let model = Bars::default();
    let mut streamed = Animation::new(&model).unwrap();
    let run = five_digits(&model).stream(&mut streamed).run().unwrap();
    let (by_stream, _) = streamed.svg(&run).unwrap();
    let untaken = Animation::new(&model).unwrap().svg(&run).unwrap_err();
    assert!(matches!(untaken, OutputError::Streamed), "{untaken}");
    let kept = five_digits(&model).run().unwrap();
    assert!(
        kept.len() < 60,
        "{} points are too many to tell straight lines from cubics",
        kept.len()
    );
    let (by_points, written) = Animation::new(&model).unwrap().svg(&kept).unwrap();
    assert!(written.points > 3 * kept.len());
    let [a, b] = [&by_stream, &by_points].map(|text| films(text, "polyline", "points"));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        for (p, q) in pixels(a).into_iter().zip(pixels(b)) {
            let off = (p[0] - q[0]).hypot(p[1] - q[1]);
            assert!(off < 1.0, "{off} pixels apart");
        }
    }
    let other = Animation::new(&super::models::Drawn::default()).unwrap().svg(&kept).unwrap_err();
    assert!(matches!(other, OutputError::OtherColumns { .. }), "{other}");
}
