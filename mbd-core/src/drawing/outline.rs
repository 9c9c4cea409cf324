//! The outline of bodies: what connects the points at which joints, rods and springs hold them.

use super::items::{Anchor, Body, Drawing, Item, Look};
use std::collections::BTreeMap;

const ORIGIN: [f64; 3] = [0.0; 3];

/// Replaces the single points that were noted of bodies by the bodies' outlines. Of frames that are no
/// body's each point stays connected with its frame's origin.
pub(super) fn parts(drawing: &mut Drawing) {
    let mut held: BTreeMap<usize, Vec<[f64; 3]>> = BTreeMap::new();
    for item in &drawing.items {
        if matches!(item.look, Look::Shape(_)) {
            continue;
        }
        let ends = if matches!(item.look, Look::Joint(_)) { 2 } else { item.anchors.len() };
        for anchor in &item.anchors[..ends] {
            if let Anchor::Body(body, local) = *anchor {
                held.entry(body).or_default().push(local);
            }
        }
    }
    let own = |item: &Item| item.look == Look::Part && item.anchors.iter().any(is_of_body);
    drawing.items.retain(|item| !own(item) && !is_nothing(item));
    for (k, body) in drawing.bodies.iter_mut().enumerate().filter(|(_, body)| !body.drawn) {
        let points = distinct(held.get(&k).map_or(&[][..], Vec::as_slice));
        let edges = outline(&points, body);
        body.lump = points.len() < 2 && edges.first().is_none_or(|[_, end]| *end == ORIGIN);
        drawing.items.extend(edges.into_iter().map(|[p, q]| Item {
            name: body.info.name.clone(),
            look: Look::Part,
            color: String::new(),
            anchors: vec![Anchor::Body(k, p), Anchor::Body(k, q)],
            numbers: Vec::new(),
        }));
    }
}

fn is_of_body(anchor: &Anchor) -> bool {
    matches!(anchor, Anchor::Body(..))
}

/// A part of no length, or one that is fixed in the ground.
fn is_nothing(item: &Item) -> bool {
    item.look == Look::Part
        && (item.anchors.iter().all(|a| matches!(a, Anchor::Ground(_)))
            || item.anchors.windows(2).all(|w| w[0] == w[1]))
}

/// The points apart from the origin, which is noted with each, every one once.
fn distinct(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let size = size_of(points);
    let near = |p: &[f64; 3], q: &[f64; 3]| (0..3).all(|i| (p[i] - q[i]).abs() <= 1e-6 * size);
    let mut distinct: Vec<[f64; 3]> = Vec::new();
    for p in points {
        if !near(p, &ORIGIN) && !distinct.iter().any(|q| near(p, q)) {
            distinct.push(*p);
        }
    }
    distinct
}

fn size_of(points: &[[f64; 3]]) -> f64 {
    points.iter().flatten().fold(0.0, |most, x| most.max(x.abs()))
}

/// Edges between points of a body: the convex hull of those of a planar one, else lines to its origin.
/// A body held at one point is a bar through its origin where it has the inertia of one.
fn outline(points: &[[f64; 3]], body: &Body) -> Vec<[[f64; 3]; 2]> {
    match points {
        [] => Vec::new(),
        [p] if is_bar(*p, body) => vec![[*p, p.map(|x| -x)]],
        [p] => vec![[*p, ORIGIN]],
        [p, q] if straight(*p, ORIGIN, *q, size_of(points)) => vec![[*p, *q]],
        [p, q] => vec![[*p, *q], [*q, ORIGIN], [ORIGIN, *p]],
        more if body.info.kind.is_planar() => {
            let hull = hull(more);
            (0..hull.len()).map(|k| [hull[k], hull[(k + 1) % hull.len()]]).collect()
        }
        more => more.iter().map(|p| [*p, ORIGIN]).collect(),
    }
}

/// Whether a planar body has the moment of inertia of a bar of which this is an end, m l²/12: a disc with
/// that moment has the radius l/√6.
fn is_bar(end: [f64; 3], body: &Body) -> bool {
    let half = end.iter().map(|x| x * x).sum::<f64>().sqrt();
    let disc = body.inertia[0];
    body.info.kind.is_planar() && (disc / (2.0 * half / 6f64.sqrt()) - 1.0).abs() < 0.02
}

/// Whether a point lies between two others.
fn straight(p: [f64; 3], between: [f64; 3], q: [f64; 3], size: f64) -> bool {
    let a: [f64; 3] = std::array::from_fn(|i| between[i] - p[i]);
    let b: [f64; 3] = std::array::from_fn(|i| q[i] - between[i]);
    let cross: f64 = (0..3)
        .map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            (a[j] * b[k] - a[k] * b[j]).powi(2)
        })
        .sum();
    cross.sqrt() <= 1e-3 * size * size
}

/// Convex hull in the plane, in order around it.
fn hull(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    let turns = |o: &[f64; 3], a: &[f64; 3], b: &[f64; 3]| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0.0
    };
    let half = |points: &mut dyn Iterator<Item = &[f64; 3]>| {
        let mut chain: Vec<[f64; 3]> = Vec::new();
        for p in points {
            while chain.len() > 1 && !turns(&chain[chain.len() - 2], &chain[chain.len() - 1], p) {
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut sorted.iter());
    lower.extend(half(&mut sorted.iter().rev()));
    lower
}
