//! Orders of convergence, measured.

/// Errors of several quantities over step sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// Names of the quantities.
    pub quantities: Vec<String>,
    /// Step sizes in s, each with the quantities' errors in their order.
    pub runs: Vec<(f64, Vec<f64>)>,
}

impl Convergence {
    /// Measures: `errors` is what a step size leaves of each quantity.
    ///
    /// # Errors
    /// The first one `errors` has.
    pub fn measure<E>(
        quantities: &[&str],
        steps: impl IntoIterator<Item = f64>,
        mut errors: impl FnMut(f64) -> Result<Vec<f64>, E>,
    ) -> Result<Self, E> {
        let runs = steps.into_iter().map(|h| Ok((h, errors(h)?))).collect::<Result<_, E>>()?;
        Ok(Convergence { quantities: quantities.iter().map(|q| q.to_string()).collect(), runs })
    }

    /// One quantity: (step size, error); empty for one that was not measured.
    pub fn of(&self, quantity: &str) -> Vec<(f64, f64)> {
        let place = self.quantities.iter().position(|q| q == quantity);
        let of = |i: usize| self.runs.iter().filter_map(move |(h, e)| Some((*h, *e.get(i)?)));
        place.map_or_else(Vec::new, |i| of(i).collect())
    }

    /// The order of a quantity over the last `finest` step sizes; NaN for one not measured.
    pub fn order(&self, quantity: &str, finest: usize) -> f64 {
        let runs = self.of(quantity);
        convergence_order(&runs[runs.len().saturating_sub(finest)..])
    }
}

/// The order of convergence in a list of (step size, error): the slope of log error over log h,
/// by least squares.
pub fn convergence_order(runs: &[(f64, f64)]) -> f64 {
    let n = runs.len() as f64;
    let logs: Vec<(f64, f64)> = runs.iter().map(|(h, e)| (h.ln(), e.ln())).collect();
    let (sx, sy) = logs.iter().fold((0.0, 0.0), |a, l| (a.0 + l.0, a.1 + l.1));
    let (mx, my) = (sx / n, sy / n);
    let num: f64 = logs.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    let den: f64 = logs.iter().map(|(x, _)| (x - mx) * (x - mx)).sum();
    num / den
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_known_errors() {
        let steps = [0.5, 0.25, 0.125, 0.0625];
        let study = Convergence::measure(&["first", "second"], steps, |h| {
            // The coarsest step is off the line.
            Ok::<_, ()>(vec![3.0 * h, if h == 0.5 { 9.0 } else { 0.1 * h * h }])
        })
        .unwrap();
        assert!((study.order("first", 4) - 1.0).abs() < 1e-12);
        assert!((study.order("second", 3) - 2.0).abs() < 1e-12);
        assert!((study.order("second", 4) - 2.0).abs() > 0.5);
        assert!(study.order("third", 4).is_nan());
        let failed =
            Convergence::measure(&["x"], steps, |h| if h < 0.2 { Err(h) } else { Ok(vec![h]) });
        assert_eq!(failed, Err(0.125));
    }
}
