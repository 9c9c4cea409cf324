//! Coordinates that are components of one vector share a scale, which must not depend on how the axes
//! lie: norms take the place of absolute values, and the smallest balls that grow around a motion that
//! of intervals.

use crate::model::{Kind, Model, kind_of};
use crate::state::State;

/// The vectors of a model, and where each has been.
#[derive(Clone, Debug, Default)]
pub(super) struct Vectors {
    balls: Vec<Ball>,
    /// Of each coordinate the vector it is a component of, and which.
    place: Vec<Option<(u32, u32)>>,
}

/// A ball around all values of a vector so far: of one component it would be their interval.
#[derive(Clone, Debug)]
struct Ball {
    components: Vec<usize>,
    center: Vec<f64>,
    /// Negative before the first value.
    radius: f64,
    start: Vec<f64>,
    /// Largest distance from the start, and from zero.
    from_start: f64,
    from_zero: f64,
    number: bool,
}

impl Vectors {
    /// Those of a model, without angles and components whose scale is stated.
    pub(super) fn new(model: &Model) -> Self {
        let stated = model.scale_q();
        let mut place = vec![None; model.dims().n];
        let mut balls = Vec::new();
        for vector in model.vectors() {
            let free = |&i: &usize| stated[i].is_none() && !model.coords()[i].is_angle();
            let components: Vec<usize> = vector.iter().copied().filter(free).collect();
            for (k, &i) in components.iter().enumerate() {
                place[i] = Some((balls.len() as u32, k as u32));
            }
            if !components.is_empty() {
                let number = kind_of(&model.coords()[components[0]]) == Kind::Number;
                balls.push(Ball::new(components, number));
            }
        }
        Vectors { balls, place }
    }

    /// Components of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.balls.iter().map(|ball| &*ball.components)
    }

    /// Whether a coordinate is a component of one.
    pub(super) fn has(&self, coordinate: usize) -> bool {
        self.place[coordinate].is_some()
    }

    /// The vector that a coordinate is a component of, and which component; the coordinate itself counts
    /// as a vector of its own.
    pub(super) fn place(&self, coordinate: usize) -> (usize, usize) {
        match self.place[coordinate] {
            Some((vector, component)) => (vector as usize, component as usize),
            None => (self.balls.len() + coordinate, 0),
        }
    }

    /// The components of its vector, itself alone where it is in none.
    pub(super) fn components(&self, coordinate: usize) -> Vec<usize> {
        match self.place[coordinate] {
            Some((vector, _)) => self.balls[vector as usize].components.clone(),
            None => vec![coordinate],
        }
    }

    /// Largest number of components; 0 without vectors.
    pub(super) fn most(&self) -> usize {
        self.iter().map(<[usize]>::len).max().unwrap_or(0)
    }

    /// Puts the mean of their vector in the place of components.
    pub(super) fn average(&self, values: &mut [f64]) {
        for components in self.iter() {
            let sum: f64 = components.iter().map(|&i| values[i]).sum();
            components.iter().for_each(|&i| values[i] = sum / components.len() as f64);
        }
    }

    /// Fills `out` with the absolute value of each entry, and of components with the norm of their vector.
    pub(super) fn norms(&self, values: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(values).for_each(|(out, value)| *out = value.abs());
        self.share(out);
    }

    /// Puts the norm of their vector in the place of components.
    pub(super) fn share(&self, values: &mut [f64]) {
        for components in self.iter() {
            let norm = components.iter().map(|&i| values[i] * values[i]).sum::<f64>().sqrt();
            components.iter().for_each(|&i| values[i] = norm);
        }
    }

    /// Takes accepted values; fills `radii` where a vector has left its ball, and says whether one has.
    pub(super) fn follow(&mut self, values: &[f64], radii: &mut [f64]) -> bool {
        let mut left = false;
        for ball in &mut self.balls {
            if let Some(radius) = ball.follow(values) {
                ball.components.iter().for_each(|&i| radii[i] = radii[i].max(radius));
                left = true;
            }
        }
        left
    }

    /// Saves or restores where they have been ([`checkpoint`](crate::checkpoint)).
    pub(super) fn kept(&mut self, state: &mut State<'_>) {
        for ball in &mut self.balls {
            let Ball { components: _, center, radius, start, from_start, from_zero, number: _ } =
                ball;
            for values in [center, start] {
                state.numbers(values);
            }
            for value in [radius, from_start, from_zero] {
                state.number(value);
            }
        }
    }
}

impl Ball {
    fn new(components: Vec<usize>, number: bool) -> Self {
        let zeros = vec![0.0; components.len()];
        Ball {
            components,
            center: zeros.clone(),
            radius: -1.0,
            start: zeros,
            from_start: 0.0,
            from_zero: 0.0,
            number,
        }
    }

    /// Takes a value; the radius where that has grown.
    fn follow(&mut self, values: &[f64]) -> Option<f64> {
        let Ball { components, center, radius, start, from_start, from_zero, number } = self;
        if *radius < 0.0 {
            center.iter_mut().zip(&*components).for_each(|(c, &i)| *c = values[i]);
            start.copy_from_slice(center);
            *radius = 0.0;
        }
        let from = |center: &[f64]| {
            let squares = center.iter().zip(&*components).map(|(c, &i)| (values[i] - c).powi(2));
            squares.sum::<f64>().sqrt()
        };
        *from_start = from_start.max(from(start));
        *from_zero =
            components.iter().map(|&i| values[i].powi(2)).sum::<f64>().sqrt().max(*from_zero);
        let apart = from(center);
        if !(apart > *radius) {
            return None;
        }
        let larger = 0.5 * (*radius + apart);
        let by = (apart - larger) / apart;
        center.iter_mut().zip(&*components).for_each(|(c, &i)| *c += by * (values[i] - *c));
        *radius = larger;
        let most = if *number { from_start.min(*from_zero) } else { *from_start };
        Some(larger.min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::{Ball, Vectors};

    /// A path over all of a unit sphere, as that of Euler parameters.
    #[test]
    fn a_ball_of_numbers_is_no_larger_than_their_sphere() {
        let mut vectors = one(4);
        vectors.balls[0].number = true;
        let mut radius = [0.0; 4];
        for k in 0..4000 {
            let [a, b, c] = [0.31, 0.17, 0.05].map(|rate| rate * f64::from(k));
            let point =
                [a.cos() * b.cos(), a.cos() * b.sin(), a.sin() * c.cos(), a.sin() * c.sin()];
            vectors.follow(&point, &mut radius);
        }
        assert!(radius[0] > 0.9 && radius[0] < 1.0 + 1e-12, "{radius:?}");
    }

    fn one(components: usize) -> Vectors {
        let ball = Ball::new((0..components).collect(), false);
        Vectors { balls: vec![ball], place: (0..components).map(|k| Some((0, k as u32))).collect() }
    }

    #[test]
    fn a_ball_of_one_component_is_half_its_range() {
        let mut vectors = one(1);
        let mut radius = [0.0];
        for value in [3.0, 2.5, 4.0, 3.5, -1.0, 3.0] {
            vectors.follow(&[value], &mut radius);
        }
        assert_eq!(radius, [2.5]);
    }

    #[test]
    fn a_ball_does_not_depend_on_the_axes() {
        let path: Vec<[f64; 2]> = (0..50)
            .map(|k| f64::from(k) * 0.3)
            .map(|s| [s.cos() * s, 0.2 * (2.0 * s).sin()])
            .collect();
        let radius = |turn: f64| {
            let (mut vectors, mut radius) = (one(2), [0.0; 2]);
            for [x, y] in &path {
                let turned = [turn.cos() * x - turn.sin() * y, turn.sin() * x + turn.cos() * y];
                vectors.follow(&turned, &mut radius);
            }
            assert_eq!(radius[0], radius[1]);
            radius[0]
        };
        let plain = radius(0.0);
        assert!(plain > 5.0, "{plain}");
        for turn in [0.4, 1.0, 2.0] {
            assert!((radius(turn) / plain - 1.0).abs() < 1e-12, "{} {plain}", radius(turn));
        }
    }
}
