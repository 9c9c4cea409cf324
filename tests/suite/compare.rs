//! The comparison of methods.

use mbd::compare::Comparison;
use mbd::prelude::*;

mechanism! {
    /// Two equal oscillators, one of which hardly moves, and a third by itself.
    mechanism Oscillators {
        coord y[2]: [m];
        coord z: [m];
        for i in 0..2 {
            kinetic of_y = 0.5 * sq(der(y[i]));
            potential spring = 0.5 * sq(y[i]);
        }
        kinetic of_z = 0.5 * sq(der(z));
        potential own_spring = 0.5 * sq(z);
        init y[0] = 1.0;
        init y[1] = 1e-3;
        init z = 1e-3;
    }
}

/// The equations being linear, all three have the same error relative to their own amplitude.
#[test]
fn quantities_of_an_array_share_a_scale() {
    let error = |name: &str| {
        let study = Comparison::new(&Oscillators::default())
            .method(Method::default())
            .steps(&[0.1])
            .quantities(&[name])
            .until(1.0)
            .run()
            .unwrap();
        study.trials[0].outcome.as_ref().unwrap().error
    };
    let (large, small, alone) = (error("y[0]"), error("y[1]"), error("z"));
    assert!((small / large / 1e-3 - 1.0).abs() < 1e-3, "{small:e} beside {large:e}");
    assert!((alone / large - 1.0).abs() < 1e-3, "{alone:e} beside {large:e}");
}
