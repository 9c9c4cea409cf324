//! What statements without a program cost.

use crate::assembly::{PlanBuilder, Point, Residual, System, Want, Weights};
use crate::program::PATIENCE;
use crate::solution::OnDualNumbers;
use std::time::{Duration, Instant};

/// Longest time that is spent on measuring.
const LONGEST: Duration = Duration::from_millis(200);

/// The statements that no program can be made of, with the part each has in the time of evaluating all
/// residual pieces and terms at a point; measured, and so never quite the same.
pub fn on_dual_numbers(system: &System, point: &Point) -> Vec<OnDualNumbers> {
    if system.on_dual_numbers().next().is_none() {
        return Vec::new();
    }
    let terms = super::terms::terms();
    let size = terms.iter().map(|&term| system.term_shape(term)).map(|(r, c)| r.max(c));
    let mut plan = PlanBuilder::new(size.fold(0, usize::max));
    terms.iter().for_each(|&term| _ = plan.term(term, 0, 0));
    let plan = plan.build(system);
    let (mut values, coefficients) = (plan.values(), vec![1.0; plan.coefficients()]);
    let everything = (0..15).fold(Want::NONE, |all, k| all | Want::bit(k));
    let mut out = Residual::new(&system.dims());
    let weights = Weights::of(point);
    let mut evaluate = |times: u32| {
        let clock = Instant::now();
        for _ in 0..times {
            system.eval(point, &weights, everything, &mut out);
            plan.fill(system, point, &weights, &coefficients, &mut values);
            if clock.elapsed() > LONGEST {
                break;
            }
        }
        clock.elapsed().as_secs_f64()
    };
    // First the programs of the others become machine code.
    evaluate(PATIENCE);
    let before: Vec<f64> = system.time_on_dual_numbers().map(|x| x.1).collect();
    let seconds = evaluate(PATIENCE);
    let each = system.time_on_dual_numbers().zip(before);
    each.map(|((name, after), before)| OnDualNumbers {
        statement: name.into(),
        share: if seconds > 0.0 { ((after - before) / seconds).min(1.0) } else { 0.0 },
    })
    .collect()
}
