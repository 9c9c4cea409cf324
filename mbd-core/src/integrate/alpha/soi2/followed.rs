//! What a step carries over that belongs to an instant beside its end.

/// A quantity that belongs to t + α h of the step that produced it (eq. 14).
#[derive(Default)]
pub(super) struct Followed {
    pub(super) latest: Vec<f64>,
    pub(super) used_before: Vec<f64>,
    pub(super) used: Vec<f64>,
}

impl Followed {
    pub(super) fn new(n: usize) -> Self {
        Followed { latest: vec![0.0; n], used_before: vec![0.0; n], used: vec![0.0; n] }
    }

    pub(super) fn start(&mut self, values: &[f64]) {
        for list in [&mut self.latest, &mut self.used_before, &mut self.used] {
            list.copy_from_slice(values);
        }
    }

    /// Eq. 14 with `change` = α (h/h_before − 1).
    pub(super) fn follow(&mut self, change: f64) {
        for (i, used) in self.used.iter_mut().enumerate() {
            *used = self.latest[i] + change * (self.latest[i] - self.used_before[i]);
        }
    }

    /// Ends a step that produced `latest`.
    pub(super) fn accept(&mut self, latest: impl Iterator<Item = f64>) {
        std::mem::swap(&mut self.used, &mut self.used_before);
        for (l, value) in self.latest.iter_mut().zip(latest) {
            *l = value;
        }
    }
}
