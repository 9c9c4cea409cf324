//! The backward differentiation formulas of variable step and order in fixed-leading-coefficient
//! form, by modified divided differences (Brenan, Campbell, Petzold, chapter 5; DASSL).
//!
//! With ψ_i = t_{n+1} − t_{n+1−i} the solution before a step of order k is kept as
//!
//! ```text
//! φ_0 = y_n,   φ_i = ψ_1 … ψ_i y[t_n, …, t_{n−i}]            at the last step's ψ
//! φ*_i = β_i φ_i,   β_i = Π ψ_j(n+1)/ψ_j(n)                   at this step's ψ
//! predictor   y⁰ = Σ φ*_i,   ẏ⁰ = Σ γ_i φ*_i                   the polynomial through the past
//! corrector   ẏ = ẏ⁰ + c (y − y⁰),   c = (1 + 1/2 + … + 1/k)/h
//! ```
//!
//! The local error is C ‖y − y⁰‖, C = max(α_{k+1}, |α_{k+1} + α_s − α_0|), with α_i = h/ψ_i.

use crate::checkpoint::State;

/// Highest order of a formula that is stable at zero and practical.
pub(super) const MAX_ORDER: usize = 5;

/// The past of a vector of unknowns and the formula of the step under way.
#[derive(Debug)]
pub(super) struct Past {
    /// φ after the last accepted step, and φ* of this one.
    phi: Vec<Vec<f64>>,
    star: Vec<Vec<f64>>,
    psi: [f64; MAX_ORDER + 1],
    psi_star: [f64; MAX_ORDER + 1],
    sigma: [f64; MAX_ORDER + 1],
    leading: f64,
    error: f64,
    predicted: Vec<f64>,
    rate: Vec<f64>,
    /// y − y⁰ of the solved step.
    correction: Vec<f64>,
    order: usize,
    h: f64,
    /// Order and size of the last accepted step; 0 before one.
    last_order: usize,
    last_h: f64,
    /// Steps of the same size and order: up to the last accepted one, and with this one.
    equal: usize,
    equal_star: usize,
}

impl Past {
    pub(super) fn new(size: usize, max_order: usize) -> Self {
        let columns = || vec![vec![0.0; size]; max_order + 1];
        Past {
            phi: columns(),
            star: columns(),
            psi: [0.0; MAX_ORDER + 1],
            psi_star: [0.0; MAX_ORDER + 1],
            sigma: [0.0; MAX_ORDER + 1],
            leading: 1.0,
            error: 0.5,
            predicted: vec![0.0; size],
            rate: vec![0.0; size],
            correction: vec![0.0; size],
            order: 1,
            h: 0.0,
            last_order: 0,
            last_h: 0.0,
            equal: 0,
            equal_star: 0,
        }
    }

    /// Begins from values alone; their rates are set through the result.
    pub(super) fn start(&mut self, y: &[f64]) -> &mut [f64] {
        self.phi.iter_mut().for_each(|phi| phi.fill(0.0));
        self.phi[0].copy_from_slice(y);
        (self.last_order, self.last_h, self.equal) = (0, 0.0, 0);
        // φ_1 = ψ_1 ẏ with ψ_1 = 1.
        self.psi[0] = 1.0;
        &mut self.phi[1]
    }

    /// Takes the second derivatives at the start too: a formula of order 2 can begin, as from steps of the size of
    /// the first along a parabola.
    pub(super) fn bend(&mut self, second: &[f64]) {
        // φ_2 = ½ ψ_1ψ_2 ÿ with ψ_1 = 1, ψ_2 = 2; φ_1 is made of both when the size is known.
        if let Some(phi) = self.phi.get_mut(2) {
            phi.copy_from_slice(second);
            self.psi[1] = 2.0;
        }
    }

    /// Saves or restores the past.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Past {
            phi,
            star,
            psi,
            psi_star,
            sigma: _,
            leading: _,
            error: _,
            predicted: _,
            rate: _,
            correction: _,
            order: _,
            h: _,
            last_order,
            last_h,
            equal,
            equal_star: _,
        } = self;
        state.part("the differences of bdf");
        phi.iter_mut().chain(star).for_each(|values| state.numbers(values));
        state.numbers(psi);
        state.numbers(psi_star);
        state.count(last_order);
        state.number(last_h);
        state.count(equal);
    }

    /// The formula of order `order` for a step of size `h`, and its prediction.
    pub(super) fn begin(&mut self, h: f64, order: usize) {
        (self.h, self.order) = (h, order);
        let same = h == self.last_h && order == self.last_order;
        self.equal_star = if same { (self.equal + 1).min(order + 2) } else { 1 };
        let (mut beta, mut gamma, mut alpha) = (1.0, 0.0, 1.0);
        let mut sum = -1.0;
        let mut psi = h;
        self.sigma[0] = 1.0;
        self.predicted.copy_from_slice(&self.phi[0]);
        self.rate.fill(0.0);
        self.star[0].copy_from_slice(&self.phi[0]);
        for i in 1..=order {
            let before = self.psi[i - 1];
            self.psi_star[i - 1] = psi;
            beta *= psi / before;
            // h [y_n, y_n − h ẏ + ½ h² ÿ]
            let bent = (i == 1 && order > 1 && self.last_order == 0).then_some(0.5 * h * h);
            // A first step has a slope at its beginning only, as from a step of the same size.
            psi = h + if self.last_order == 0 { h } else { before };
            gamma += alpha / h;
            alpha = h / psi;
            self.sigma[i] = i as f64 * self.sigma[i - 1] * alpha;
            if i < order {
                sum -= alpha;
            }
            let star = self.star[i].iter_mut().zip(&self.phi[i]);
            let out = self.predicted.iter_mut().zip(&mut self.rate);
            for (k, ((star, phi), (y, rate))) in star.zip(out).enumerate() {
                *star = beta * phi - bent.map_or(0.0, |bent| bent * self.phi[2][k]);
                *y += *star;
                *rate += gamma * *star;
            }
        }
        self.psi_star[order] = psi;
        let leading: f64 = (1..=order).map(|i| 1.0 / i as f64).sum();
        self.leading = leading / h;
        self.error = (alpha - leading - sum).abs().max(alpha);
    }

    /// y of the last accepted step.
    pub(super) fn last(&self) -> &[f64] {
        &self.phi[0]
    }

    /// c = ∂ẏ/∂y.
    pub(super) fn leading(&self) -> f64 {
        self.leading
    }

    /// y⁰.
    pub(super) fn predicted(&self) -> &[f64] {
        &self.predicted
    }

    /// ẏ of an unknown with value `y`.
    pub(super) fn rate(&self, index: usize, y: f64) -> f64 {
        self.rate[index] + self.leading * (y - self.predicted[index])
    }

    /// Order of the step under way.
    pub(super) fn order(&self) -> usize {
        self.order
    }

    /// Order of the last accepted step; 0 before one.
    pub(super) fn last_order(&self) -> usize {
        self.last_order
    }

    /// Steps of the same size and order, this one included.
    pub(super) fn equal_steps(&self) -> usize {
        self.equal_star
    }

    /// Takes the solution of the step under way.
    pub(super) fn solved(&mut self, y: &[f64]) {
        for ((e, y), predicted) in self.correction.iter_mut().zip(y).zip(&self.predicted) {
            *e = y - predicted;
        }
    }

    /// C (y − y⁰): the local error of an unknown.
    pub(super) fn local_error(&self, index: usize) -> f64 {
        self.error * self.correction[index]
    }

    /// h^{j+1} y^{(j+1)} of an unknown as it stands in the error of a formula of order j, for j
    /// from two below to one above the order in use: what the choice of order compares. (The one
    /// above needs order + 2 equal steps.)
    pub(super) fn error_of_order(&self, j: usize, index: usize) -> f64 {
        let (e, k) = (self.correction[index], self.order);
        if j > k {
            return (e - self.phi[k + 1][index]) / (k + 2) as f64;
        }
        let lower: f64 = (j + 1..=k).map(|i| self.star[i][index]).sum();
        self.sigma[j] * (lower + e)
    }

    /// The step is taken.
    pub(super) fn accept(&mut self) {
        let k = self.order;
        if k + 1 < self.phi.len() {
            self.star[k + 1].copy_from_slice(&self.correction);
        }
        let mut next: Option<&[f64]> = Some(&self.correction);
        for i in (0..=k).rev() {
            let (low, high) = self.star.split_at_mut(i + 1);
            let add = next.take().unwrap_or_else(|| &high[0]);
            low[i].iter_mut().zip(add).for_each(|(star, add)| *star += add);
        }
        std::mem::swap(&mut self.phi, &mut self.star);
        self.psi = self.psi_star;
        (self.last_order, self.last_h, self.equal) = (k, self.h, self.equal_star);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formula of order k differentiates polynomials of degree k exactly, whatever the steps.
    #[test]
    fn polynomials_are_predicted_and_differentiated_exactly() {
        for k in 1..=MAX_ORDER {
            let f = |t: f64| (0..=k).map(|i| (i as f64 + 1.0) * t.powi(i as i32)).sum::<f64>();
            let d =
                |t: f64| (1..=k).map(|i| ((i + 1) * i) as f64 * t.powi(i as i32 - 1)).sum::<f64>();
            let mut past = Past::new(1, k);
            past.start(&[f(0.0)])[0] = d(0.0);
            let mut t = 0.0;
            let steps = [0.1, 0.13, 0.07, 0.1, 0.11, 0.1, 0.1, 0.14, 0.08, 0.1, 0.09];
            for (n, h) in steps.into_iter().enumerate() {
                let order = k.min(n + 1);
                past.begin(h, order);
                t += h;
                if n >= k {
                    let e = (past.predicted()[0] - f(t)).abs();
                    assert!(e < 1e-11, "order {k}, step {n}: predicted with {e:e}");
                    let e = (past.rate(0, f(t)) - d(t)).abs();
                    assert!(e < 1e-9, "order {k}, step {n}: differentiated with {e:e}");
                }
                past.solved(&[f(t)]);
                past.accept();
            }
        }
    }

    /// Begun with the second derivative, the first step is of order 2.
    #[test]
    fn a_bent_start_is_of_order_2() {
        for h in [0.1, 0.7] {
            let mut past = Past::new(1, 5);
            past.start(&[2.0])[0] = -3.0;
            past.bend(&[5.0]);
            let y = |t: f64| 2.0 - 3.0 * t + 2.5 * t * t;
            past.begin(h, 2);
            assert!((past.predicted()[0] - y(h)).abs() < 1e-14, "{}", past.predicted()[0]);
            assert!((past.rate(0, y(h)) - (5.0 * h - 3.0)).abs() < 1e-13);
            past.solved(&[y(h)]);
            past.accept();
            past.begin(0.5 * h, 3);
            assert!((past.predicted()[0] - y(1.5 * h)).abs() < 1e-14, "{}", past.predicted()[0]);
        }
    }

    /// With equal steps the formulas are those of the tables, errors included.
    #[test]
    fn equal_steps_give_the_classical_formulas() {
        // Σ b_i y_{n+1−i} = h ẏ_{n+1}.
        let classical: [&[f64]; 3] =
            [&[1.0, -1.0], &[1.5, -2.0, 0.5], &[11.0 / 6.0, -3.0, 1.5, -1.0 / 3.0]];
        for (k, b) in (1..).zip(classical) {
            let mut past = Past::new(1, k);
            let y = [1.0, 3.0, -2.0, 0.5, 4.0, 1.5, -1.6];
            past.start(&[y[0]])[0] = 0.3;
            for n in 1..y.len() {
                past.begin(0.2, k.min(n));
                past.solved(&y[n..=n]);
                if n > k {
                    let rate = past.rate(0, y[n]);
                    let expected: f64 = (0..=k).map(|i| b[i] * y[n - i]).sum::<f64>() / 0.2;
                    assert!((rate - expected).abs() < 1e-11, "order {k}: {rate} for {expected}");
                    // E = ∇^{k+1} y, and the error constant is 1/(k+1).
                    let constant = past.local_error(0) / past.correction[0];
                    let expected = 1.0 / (k + 1) as f64;
                    assert!((constant - expected).abs() < 1e-14, "order {k}: {constant}");
                }
                past.accept();
            }
        }
    }
}
