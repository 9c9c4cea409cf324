//! Constraints that come where an event finds the motion: their place is a mode that the same event sets.

use mbd::error::{Error, StepError};
use mbd::integrate::METHODS;
use mbd::prelude::*;
use mbd::simulation::Simulation;

mechanism! {
    /// A mass that flies along a line until a hook beside it takes it, and then round the hook at the speed that it has.
    mechanism Hooked {
        param r: [m] = 0.5;
        param at: [m] = 0.7;
        param moves: [1] = 0.0;
        body b: PlanarMass { mass: 2.0 };
        mode hooked = false;
        mode hook[2] = 1.0;
        holonomic rope: hypot(b.x - hook[0], b.y - hook[1]) == r while hooked;
        event takes when b.x >= at && !hooked {
            hooked = true;
            hook[0] = b.x;
            hook[1] = b.y + r;
        }
        event shift when hooked && b.y >= 0.8 { hook[0] = hook[0] + 0.1*moves; }
        init der(b.x) = 1.0;
    }
}

/// φ = v (t − t₁)/r about the hook at (x₁, r) after t₁ = x₁/v.
#[test]
fn a_hook_stays_where_it_was_thrown() {
    let mut runs = 0;
    // With the iteration of its paper `bdf-cm-1996` is as far off on the circle alone, and says so by its balance.
    for info in METHODS.iter().filter(|info| info.name != "bdf-cm-1996") {
        for step in [Step::adaptive(1e-7), Step::fixed(1e-3)] {
            let model = Hooked::default();
            let method = Method::from_name(info.name).expect("a method");
            let run = Simulation::new(&model).until(2.0).method(method).step(step).run();
            // Methods that cannot treat a model say so.
            let Ok(run) = run else { continue };
            let phi: f64 = (2.0 - 0.7) / 0.5;
            let exact = [0.7 + 0.5 * phi.sin(), 0.5 - 0.5 * phi.cos()];
            let errors = run.final_q().iter().zip(exact).map(|(q, exact)| (q - exact).abs());
            let error = errors.fold(0.0, f64::max);
            assert!(error < 1e-4, "{}: {error:e}", info.name);
            assert_eq!(run.events.iter().filter(|event| event.name == "takes").count(), 1);
            runs += 1;
        }
    }
    assert!(runs >= 12, "{runs} runs");
}

/// A hook that is moved while the rope holds would let the mass jump.
#[test]
fn a_hook_that_moves_while_it_holds_is_told() {
    let model = Hooked { moves: 1.0, ..Default::default() };
    let failed = Simulation::new(&model).until(3.0).run().expect_err("the rope is not met");
    let Error::Step(StepError::Moved { t, name, event }) = &failed.error else {
        panic!("{}", failed.error)
    };
    assert_eq!((name.as_str(), event.as_str()), ("rope", "shift"));
    // Where cos φ = −0.6.
    let exact = 0.7 + 0.5 * (-0.6f64).acos();
    assert!((t - exact).abs() < 1e-3, "{t} {exact}");
    assert!(failed.partial.is_some());
}
