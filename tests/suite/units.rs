//! Units that do not fit are found, those that do are not told off.

use crate::models::*;
use mbd::model::{Dimension, Mechanism, Model};

const METRE: Dimension = Dimension::of([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
const KILOGRAM: Dimension = Dimension::of([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
const MILLI: Dimension = Dimension { scale: 1e-3, ..Dimension::ONE };

fn told(model: &Model) -> Vec<String> {
    model.unit_errors().iter().map(ToString::to_string).collect()
}

/// Every example.
fn examples() -> Vec<Box<dyn Mechanism>> {
    vec![
        Box::new(ActuatorPendulum::default()),
        Box::new(Andrews::default()),
        Box::new(AndrewsBodies::default()),
        Box::new(Arm::default()),
        Box::new(Bushing::default()),
        Box::new(BushingPendulum::default()),
        Box::new(CarAxis::default()),
        Box::new(Chain::default()),
        Box::new(CrankModal::default()),
        Box::new(DoublePendulum::default()),
        Box::new(DriftSliderCrank::default()),
        Box::new(FlexibleSliderCrank::default()),
        Box::new(FourBar::default()),
        Box::new(HeavyTop::default()),
        Box::new(IdaSliderCrank::default()),
        Box::new(JayNegrut::default()),
        Box::new(MassPi::default()),
        Box::new(Pendulum::default()),
        Box::new(PointMassOscillation::default()),
        Box::new(PointMassSpring::default()),
        Box::new(RollingDisc::default()),
        Box::new(SevenBody::default()),
        Box::new(Skate::default()),
        Box::new(SliderCrank::default()),
        Box::new(SliderCrankHaug::default()),
        Box::new(StiffPendulum::default()),
        Box::new(TwoBodyBushing::default()),
        Box::new(TwoBodies::default()),
        Box::new(FreePair::default()),
    ]
}

#[test]
fn units_of_the_examples_fit() {
    for mechanism in examples() {
        let model = mechanism.model().unwrap();
        assert_eq!(told(&model), Vec::<String>::new(), "{}", model.name());
    }
}

/// What no one can find, as `Model::name` with the reason: numbers stand in for the units that would
/// have to fit, or only initial values read it.
fn unfound() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite/units_unfound.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let names = text.lines().filter(|line| !line.starts_with('#'));
    names.filter_map(|line| Some(line.split_whitespace().next()?.to_string())).collect()
}

/// Each parameter, coordinate, state, variable and output with a unit is given another one.
#[test]
fn wrong_units_are_found() {
    let mut seeded = 0;
    let mut missed = Vec::new();
    for mechanism in examples() {
        let model = mechanism.model().unwrap();
        let labels = [model.params(), model.coords(), model.states(), model.variables()];
        let all = labels.into_iter().flatten().chain(model.outputs());
        // Entries of an array have one unit.
        let mut names: Vec<(String, Dimension)> = Vec::new();
        for label in all {
            let name = label.name.split('[').next().unwrap_or("").to_string();
            let array = label.name.ends_with(']');
            let name = if array { name } else { label.name.clone() };
            let unit = model.dimension(&label.unit);
            if let Some(unit) = unit
                && names.iter().all(|known| known.0 != name)
            {
                names.push((name, unit));
            }
        }
        for (name, unit) in names {
            for wrong in [METRE, KILOGRAM, MILLI] {
                let mut model = mechanism.model().unwrap();
                assert!(model.set_unit(&name, unit.times(wrong, 1.0)), "{name}");
                seeded += 1;
                if told(&model).is_empty() {
                    missed.push((model.name().to_string(), name.clone()));
                }
            }
        }
    }
    let mut missed: Vec<String> =
        missed.into_iter().map(|(model, name)| format!("{model}::{name}")).collect();
    let found = seeded - missed.len();
    missed.dedup();
    // Both ways: what is found is not on the list.
    assert_eq!(missed, unfound(), "{found} of {seeded} found");
    assert!(found > 300, "{found} of {seeded} found");
}

mod wrong {
    use mbd::prelude::*;

    mechanism! {
        /// The spring is a force, the damper has no rate, the motor is given degrees.
        pub mechanism Wrong {
            param m: [kg] = 1.0;
            param k: [N/m] = 2.0;
            param c: [N*s/m] = 0.1;
            param a: [deg] = 30.0;
            coord x: [m];
            kinetic mass = 0.5*m*sq(der(x));
            potential spring = 0.5*k*x;
            force damper along x = -c*x;
            force motor along x = k*x*sin(a);
            holonomic stop: m == sq(x);
            output speed: [m] = der(x);
            output tilt: [deg] = atan2(x, 2.0*x);
        }
        /// The same as it should be.
        pub mechanism Right {
            param m: [kg] = 1.0;
            param k: [N/m] = 2.0;
            param c: [N*s/m] = 0.1;
            param a: [deg] = 30.0;
            coord x: [m];
            kinetic mass = 0.5*m*sq(der(x));
            potential spring = 0.5*k*sq(x);
            force damper along x = -c*der(x);
            force motor along x = k*x*sin(deg(a)) + 9.81*m;
            output speed: [m/s] = der(x);
        }
        /// In mm, t and s throughout: energies are in mJ.
        pub mechanism Millimetres {
            param m: [t] = 1.0;
            param k: [N/mm] = 2.0;
            coord x: [mm];
            kinetic mass = 0.5*m*sq(der(x));
            potential spring = 0.5*k*sq(x);
            force push[x] = -k*x;
        }
    }
}

#[test]
fn what_does_not_fit_is_told_by_statement() {
    let model = wrong::Wrong::default().model().unwrap();
    let expected = [
        "spring: the potential energy is in [N] where [J] is expected",
        "damper: the force is in [m*kg/s] where [N] is expected",
        "motor: `sin` takes a pure number or rad, not [deg] (of `a`); `deg(…)` of it is in rad",
        "stop: [kg] (of `m`) and [m^2] (of `x`) are added, subtracted or set equal",
        "speed: the output is in [m/s] where [m] is expected",
        "tilt: the output is in a pure number where [deg] is expected; an angle in rad is in degrees times 180/PI",
    ];
    let told = told(&model);
    for expected in expected {
        assert!(told.iter().any(|told| told == expected), "{expected} in {told:#?}");
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    let report = mbd::Check::check(&wrong::Wrong::default(), &Default::default()).unwrap();
    assert!(!report.passed() && report.to_string().contains("Units that do not fit"));
}

#[test]
fn other_systems_of_units_are_as_good() {
    assert_eq!(told(&wrong::Right::default().model().unwrap()), Vec::<String>::new());
    assert_eq!(told(&wrong::Millimetres::default().model().unwrap()), Vec::<String>::new());
}
