//! Laws whose slope is infinite at a comparison: flow through an orifice, drag that goes with the root of the speed.

use crate::support::last;
use mbd::integrate::METHODS;
use mbd::prelude::*;
use mbd::simulation::Simulation;

mechanism! {
    /// A piston that a pump moves against a load through an orifice, until it stands at the end of its cylinder.
    pub mechanism Piston {
        param area: [m^2] = 1e-3;
        param mass: [kg] = 50.0;
        param volume: [m^3] = 1e-4;
        param stiffness: [Pa] = 1e9;
        param orifice = 1e-8;
        param supply: [Pa] = 1e7;
        param load: [N] = 2000.0;
        coord x: [m];
        state p: [Pa];
        let dp = supply - p;
        let flow = orifice*(if dp > 0.0 { sqrt(dp) } else { -sqrt(-dp) });
        kinetic piston = 0.5*mass*sq(der(x));
        force push along x = area*p - load - 500.0*der(x);
        unilateral bottom: x;
        unilateral top: 0.3 - x;
        der(p) = stiffness/(volume + area*x)*(flow - area*der(x));
        until 13.0;
    }
}

mechanism! {
    /// A body that drag of the root of its speed brings to rest.
    pub mechanism Drag {
        param c = 2.0;
        coord x: [m];
        let v = der(x);
        kinetic body = 0.5*1.0*sq(der(x));
        force drag along x = -c*(if v > 0.0 { sqrt(v) } else { -sqrt(-v) });
        init der(x) = 1.0;
        until 20.0;
    }
}

/// Steps at most. For `explicit-…` the law is stiff, and the Newton iteration of `radau5…` leaves more of the flow than
/// those of others.
fn most(method: &str) -> usize {
    match method {
        "explicit-rk" | "explicit-abm" => 10_000,
        "radau5" | "radau5-index2" => 20_000,
        _ => 2500,
    }
}

/// The piston moves with A v = c √(p₀ − F/A), and stands at the top with the pressure of the pump.
#[test]
fn a_piston_is_pushed_to_the_end_of_its_cylinder_through_an_orifice() {
    for method in METHODS {
        let run = Simulation::new(&Piston::default())
            .method(Method::from_name(method.name).unwrap())
            .step(Step::adaptive(1e-4))
            .run()
            .unwrap_or_else(|error| panic!("{}: {error}", method.name));
        let speed = 1e-8 * f64::sqrt(1e7 - (2000.0 + 500.0 * 0.0283) / 1e-3) / 1e-3;
        let top = run.events.iter().find(|e| e.name == "top").unwrap();
        assert!((top.t - 0.3 / speed).abs() < 0.02, "{}: {}", method.name, top.t);
        assert!((last(&run, "p") - 1e7).abs() < 1e3, "{}: {}", method.name, last(&run, "p"));
        assert!(run.stats.steps < most(method.name), "{}: {} steps", method.name, run.stats.steps);
    }
}

/// v = (√v₀ − ct/2)², and so 2 v₀^(3/2)/3c to where it stands.
#[test]
fn drag_of_the_root_of_the_speed_ends_the_motion() {
    for method in METHODS {
        for tolerance in [1e-3, 1e-5, 1e-7] {
            let run = Simulation::new(&Drag::default())
                .method(Method::from_name(method.name).unwrap())
                .step(Step::adaptive(tolerance))
                .run()
                .unwrap_or_else(|error| panic!("{} at {tolerance:e}: {error}", method.name));
            let by = format!(
                "{} at {tolerance:e}: {} steps, x {} v {}",
                method.name,
                run.stats.steps,
                last(&run, "x") - 1.0 / 3.0,
                last(&run, "der(x)")
            );
            assert!((last(&run, "x") - 1.0 / 3.0).abs() < 20.0 * tolerance, "{by}");
        }
    }
}
