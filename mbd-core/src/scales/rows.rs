//! Entries of terms at a point, and what the quantities of a unit tell together.

use crate::assembly::{Dims, Plan, PlanBuilder, Point, System, Term, Weights};

/// Terms of a matrix that stand below each other.
pub(super) struct Rows {
    places: Vec<(usize, usize)>,
    values: Vec<f64>,
}

impl Rows {
    pub(super) fn plan(system: &System, terms: &[(Term, usize)]) -> Plan {
        let Dims { n, nx, .. } = system.dims();
        let size = terms.iter().map(|&(term, row)| row + system.term_shape(term).0);
        let mut plan = PlanBuilder::new(size.fold(n.max(nx), usize::max));
        terms.iter().for_each(|&(term, row)| _ = plan.term(term, row, 0));
        plan.build_once(system)
    }

    pub(super) fn fill(plan: &Plan, system: &System, at: &Point, weights: &Weights<'_>) -> Rows {
        let mut values = plan.values();
        let coefficients = vec![1.0; plan.coefficients()];
        plan.fill(system, at, weights, &coefficients, &mut values);
        Rows { places: plan.pattern().entries().collect(), values }
    }

    pub(super) fn new(system: &System, at: &Point, terms: &[(Term, usize)]) -> Rows {
        Rows::fill(&Rows::plan(system, terms), system, at, &Weights::of(at))
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let entries = self.places.iter().zip(&self.values);
        entries.filter(|(_, value)| **value != 0.0).map(|(&(r, c), &value)| (r, c, value))
    }
}

/// The lower median of what is positive and finite.
pub(super) fn median(values: &mut Vec<f64>) -> Option<f64> {
    values.retain(|value| value.is_normal() && *value > 0.0);
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}

/// Of every group without a scale: each quantity's own, and at least the median of those there are.
pub(super) fn spread(own: &[Option<f64>], groups: &[u32], wanted: &[bool]) -> Vec<Option<f64>> {
    let medians: Vec<Option<f64>> = (0..wanted.len())
        .map(|group| {
            let members = own.iter().zip(groups).filter(|(_, g)| **g as usize == group);
            median(&mut members.filter_map(|(size, _)| *size).collect())
        })
        .collect();
    let each = own.iter().zip(groups).map(|(size, &group)| {
        let median = medians[group as usize].filter(|_| wanted[group as usize])?;
        Some(size.map_or(median, |size| size.max(median)))
    });
    each.collect()
}
