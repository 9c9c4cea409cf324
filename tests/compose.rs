//! Models made of parts: components of other modules, files and crates.

use mbd::prelude::*;

/// Names that parts of other modules must not mean.
pub fn gas(_: f64) -> f64 {
    panic!("a part's function is that of its own module")
}
/// Another than the parts'.
pub const G: f64 = -1.0;
/// Not the one that parts mean.
pub const PI: f64 = 1000.0;

/// The value of an output at the initial values.
fn output(mechanism: &impl Mechanism, name: &str) -> f64 {
    let started = mbd::Simulation::new(mechanism).start().expect("the model starts");
    let at = started.system.model().outputs().iter().position(|output| output.name == name);
    let mut values = Vec::new();
    started.system.outputs(&started.point, &mut values);
    values[at.unwrap_or_else(|| panic!("no output `{name}`"))]
}

mod before {
    use mbd::prelude::*;

    // Parts may be used above the place where they are written.
    mechanism! {
        /// Two masses of another module.
        pub mechanism Early {
            body one: crate::parts::springs::Mass { m: 2.0 };
            body two: super::parts::springs::Mass;
            init one.x = 0.5;
            init two.x = 0.25;
        }
    }
}

pub mod parts {
    //! Parts, in modules of their own.

    pub use self::springs::Mass as Weight;

    pub mod springs {
        //! What their expressions name is theirs.
        use mbd::prelude::*;

        /// Stiffness.
        pub const G: f64 = 9.0;

        /// A law of this module.
        #[differentiable]
        pub fn gas(x: f64) -> f64 {
            3.0 * x
        }

        pub mod laws {
            //! Laws in a module.

            /// A law of a type of its own.
            pub struct Law<D: mbd::scalar::Scalar> {
                /// Stiffness.
                k: mbd::scalar::Num<D>,
            }

            impl<D: mbd::scalar::Scalar> Law<D> {
                /// For a stiffness.
                pub fn new(k: mbd::scalar::Num<D>) -> Self {
                    Law { k }
                }
                /// The force.
                pub fn force(&self, x: mbd::scalar::Num<D>) -> mbd::scalar::Num<D> {
                    -(self.k * x)
                }
            }

            /// Two, of a type.
            pub fn twice<D: mbd::scalar::Scalar>(x: mbd::scalar::Num<D>) -> mbd::scalar::Num<D> {
                x * 2.0
            }
        }

        component! {
            use self::laws::twice;

            /// A mass on springs of several laws.
            pub component Mass {
                /// Its mass.
                pub param m: [kg] = 1.0;
                /// Where it is.
                pub coord x: [m];
                let law = laws::Law::new(4.0);
                kinetic mass = 0.5*m*sq(der(x));
                /// Force of its springs.
                pub let springs = -gas(x) - G*x + law.force(x) - twice(x)*sin(PI/6) + self::laws::twice(0.0*x);
                force springs along x = springs;
                output force: [N] = springs;
            }
        }
    }

    pub mod nested {
        //! A part of parts.
        use mbd::prelude::*;

        component! {
            use super::Weight;
            use super::springs::{Mass as Ball};

            /// Two masses with a spring between them.
            pub component Pair {
                /// Stiffness between them.
                pub param k: [N/m] = 5.0;
                /// On the left.
                pub body left: Weight { m: 1.0 };
                body right: Ball { m: 2.0 };
                pub let stretch = right.x - left.x;
                potential spring = 0.5*k*sq(stretch);
                output stretch = stretch;
                guess left.x = 0.125;
            }

            /// A pair, deeper.
            pub component Deep {
                pub body pair: Pair;
            }
        }
    }
}

mechanism! {
    use crate::parts::nested::{Deep, Pair as Couple};

    /// Parts under several names.
    pub mechanism Whole {
        body deep: Deep;
        body pair: Couple { k: 1.0 };
        init deep.pair.left.x = 1.0;
        output left: [m] = deep.pair.left.x;
        output between = deep.pair.stretch + pair.stretch;
        output constant = PI;
    }
}

/// Parameters, coordinates and outputs of a part are those of the model under the part's name.
#[test]
fn a_part_of_parts_has_its_names() {
    let whole = Whole { deep_pair_k: 7.0 };
    let model = whole.model().unwrap();
    let names = |labels: &[mbd::model::Label]| -> Vec<String> {
        labels.iter().map(|label| label.name.clone()).collect()
    };
    let coordinates = ["deep.pair.left.x", "deep.pair.right.x", "pair.left.x", "pair.right.x"];
    assert_eq!(names(model.coords()), coordinates);
    assert!(whole.params().iter().any(|p| p.name == "deep.pair.k" && p.value == 7.0));
    assert!(names(model.outputs()).contains(&"pair.right.force".to_string()));
}

/// What a part's expressions name in Rust is what its module means by it.
#[test]
fn functions_and_constants_are_those_of_the_parts_module() {
    // 3 + 9 + 4 + 2 sin(π/6) = 17 times x.
    assert_eq!(output(&Whole::default(), "left"), 1.0);
    assert!((output(&Whole::default(), "deep.pair.left.force") + 17.0).abs() < 1e-13);
    // The guess of the part itself.
    assert!((output(&Whole::default(), "pair.left.force") + 17.0 * 0.125).abs() < 1e-13);
    assert_eq!(output(&Whole::default(), "constant"), PI);
    assert!((output(&before::Early::default(), "two.force") + 17.0 * 0.25).abs() < 1e-13);
}

mod sizes {
    use mbd::prelude::*;

    component! {
        /// Springs and masses in a row.
        pub component Row {
            /// How many.
            pub size n = 2;
            /// Of each.
            pub param m: [kg] = 1.0;
            /// Stiffness of each.
            pub param k[n]: [N/m] = 10.0;
            /// Where they are.
            pub coord x[n]: [m];
            for i in 0..n {
                kinetic mass = 0.5*m*sq(der(x[i]));
                potential wall = 0.5*k[i]*sq(x[i]);
                guess x[i] = 0.1*(i + 1);
            }
            for i in 1..n { potential spring = 0.5*k[i]*sq(x[i] - x[i - 1]); }
        }
    }
}

mechanism! {
    use self::sizes::Row;

    pub mechanism Rows {
        size n = 3;
        body own: Row;
        body given: Row { n: 2*n, m: 0.5 };
        param masses[n]: [kg] = [1.0, 2.0, 3.0];
        body each[n]: parts::springs::Mass { m: masses };
        for i in 0..n { init each[i].x = 0.5*i; }
        for i in 0..2*n { output at[i] = given.x[i]; }
        output last = each[n - 1].x;
    }
}

/// A size of a part is a size of the model, or made of its sizes.
#[test]
fn parts_have_sizes() {
    let mut rows = Rows::default();
    assert_eq!(rows.model().unwrap().coords().len(), 2 + 6 + 3);
    rows.set("own.n", 4.0).unwrap();
    assert_eq!(rows.own_n, 4);
    rows.set("n", 2.0).unwrap();
    rows.masses = vec![1.0, 2.0];
    assert_eq!(rows.model().unwrap().coords().len(), 4 + 4 + 2);
    assert!((output(&rows, "at[3]") - 0.4).abs() < 1e-15);
    assert_eq!(output(&rows, "last"), 0.5);
    assert!(rows.set("given.n", 3.0).is_err(), "what is given is no parameter");
}

/// Each level is a block of its own, written by a `macro_rules!`.
macro_rules! levels {
    ($($name:ident of [$($inner:tt)*])*) => {
        $(
        #[doc = "A level."]
        pub mod $name {
            mbd::component! {
                /// A level.
                pub component Level {
                    /// Mass at the bottom.
                    pub param m: [kg] = 1.0;
                    /// The level below.
                    pub body below: $($inner)* { m: 1.0*m };
                }
            }
        })*
    };
}

pub mod levels {
    //! Parts within parts.
    levels! {
        l1 of [crate::parts::Weight] l2 of [super::l1::Level] l3 of [crate::levels::l2::Level]
        l4 of [super::l3::Level] l5 of [super::l4::Level] l6 of [super::l5::Level]
        l7 of [super::l6::Level] l8 of [super::l7::Level] l9 of [super::l8::Level]
        l10 of [super::l9::Level] l11 of [super::l10::Level] l12 of [super::l11::Level]
    }

    pub mod twins {
        //! The same block twice.
        macro_rules! twin {
            () => {
                mbd::component! {
                    /// One of two.
                    pub component Twin {
                        pub coord x: [m];
                        kinetic mass = 0.5*M*sq(der(x));
                        pub let mass = 1.0*M;
                    }
                }
            };
        }
        pub mod one {
            //! Of 1 kg.
            /// Mass.
            pub const M: f64 = 1.0;
            twin!();
        }
        pub mod two {
            //! Of 2 kg.
            /// Mass.
            pub const M: f64 = 2.0;
            twin!();
        }
    }
}

mechanism! {
    pub mechanism Tower {
        body top: levels::l12::Level { m: 3.0 };
        body one: levels::twins::one::Twin;
        body two: levels::twins::two::Twin;
        init top.below.below.below.below.below.below.below.below.below.below.below.below.x = 1.0;
        output masses = 10*one.mass + two.mass;
    }
}

#[test]
fn parts_nest_deeply() {
    let model = Tower::default().model().unwrap();
    assert_eq!(model.coords()[0].name, format!("top.{}x", "below.".repeat(12)));
    // Twins of one block have the constants of their own modules.
    assert_eq!(output(&Tower::default(), "masses"), 12.0);
}

pub mod carts {
    //! Connectors.
    use mbd::prelude::*;

    component! {
        /// A pendulum that hangs on something in the plane.
        pub component Pendulum {
            /// What it hangs on, at its centre.
            pub connector support: PlanarBody;
            /// Its mass.
            pub param m: [kg] = 1.0;
            /// Its length to the centre of mass.
            pub param l: [m] = 0.5;
            /// The bob.
            pub body bob: PlanarBody { mass: m, inertia: 0.01 };
            /// At the top.
            pub joint pin: revolute(support.at([0, 0]), bob.at([0, l]));
            guess pin.angle = 0.4;
            force drag = [-0.1*(bob.velocity[0] - support.velocity[0]), 0] on support;
        }

        /// A part that asks for a part.
        pub component Second {
            /// The first.
            pub connector first: Pendulum;
            /// Hangs on the bob of the first.
            pub body more: Pendulum { support: first.bob, m: 0.5 };
        }
    }
}

mechanism! {
    use carts::{Pendulum, Second};

    /// Two pendulums on a cart, one hanging on the other.
    pub mechanism Cart {
        gravity [0, -9.81];
        body second: Second { first: first };
        body first: Pendulum { support: cart, l: 0.75 };
        body cart: PlanarBody { mass: 3.0 };
        joint rail: prismatic(ground.at([0, 0], [1, 0]), cart.at([0, 0], [1, 0]));
        until 1.0;
    }
}

mechanism! {
    /// The same without parts.
    pub mechanism ByHand {
        gravity [0, -9.81];
        body first: PlanarBody { mass: 1.0, inertia: 0.01 };
        body more: PlanarBody { mass: 0.5, inertia: 0.01 };
        body cart: PlanarBody { mass: 3.0 };
        joint rail: prismatic(ground.at([0, 0], [1, 0]), cart.at([0, 0], [1, 0]));
        joint upper: revolute(cart.at([0, 0]), first.at([0, 0.75]));
        joint lower: revolute(first.at([0, 0]), more.at([0, 0.5]));
        guess upper.angle = 0.4;
        guess lower.angle = 0.4;
        force drag = [-0.1*(first.velocity[0] - cart.velocity[0]), 0] on cart;
        force drag_below = [-0.1*(more.velocity[0] - first.velocity[0]), 0] on first;
        until 1.0;
    }
}

/// A part that is given the body it hangs on moves as the same bodies and joints written out.
#[test]
fn connectors_are_the_bodies_that_are_given() {
    let run = |mechanism: &dyn Mechanism| {
        mbd::Simulation::new(mechanism).step(Step::adaptive(1e-9)).run().unwrap()
    };
    let (parts, by_hand) = (run(&Cart::default()), run(&ByHand::default()));
    let ends = |run: &Solution, name: &str| *run.series(name).unwrap().last().unwrap();
    for (one, other) in [
        ("cart.x", "cart.x"),
        ("first.bob.theta", "first.theta"),
        ("second.more.bob.x", "more.x"),
        ("second.more.bob.y", "more.y"),
    ] {
        let (one, other) = (ends(&parts, one), ends(&by_hand, other));
        assert!((one - other).abs() < 1e-8 && one.abs() > 1e-3, "{one} {other}");
    }
}

mechanism! {
    component First { coord x; variable b_v == 2.0 + 0*x; kinetic k = 0.5*sq(der(x)); }
    component Second { coord x; variable v == 5.0 + 0*x; kinetic k = 0.5*sq(der(x)); }
    /// Names that differ by a dot only, or by what `der` is of.
    pub mechanism Dots {
        body a: First;
        body a_b: Second;
        coord y;
        coord der_y;
        kinetic k = 0.5*sq(der(y)) + 0.5*sq(der(der_y));
        force f along y = 3.0;
        init der(der_y) = 7.0;
        output dots = a.b_v + 10*a_b.v;
        output rates = der(der(y)) + 10*der(der_y);
    }
}

/// A kernel that reads `a.b_v` and `a_b.v` reads two numbers.
#[test]
fn names_that_differ_by_a_dot_are_two() {
    assert_eq!(output(&Dots::default(), "dots"), 52.0);
    assert_eq!(output(&Dots::default(), "rates"), 73.0);
}

#[path = "../examples/car.rs"]
#[allow(dead_code)]
mod lanes;

/// The car of the example is in the other lane in the end, at its speed, with all it was given accounted for.
#[test]
fn a_car_of_parts_changes_lanes() {
    let run = mbd::Simulation::new(&lanes::Car::default()).run().unwrap();
    let last = |name: &str| *run.series(name).unwrap().last().unwrap();
    assert!((last("aside") - 3.5).abs() < 0.1, "{}", last("aside"));
    assert!((last("driver.speed") - 20.0).abs() < 0.1, "{}", last("driver.speed"));
    // Turning to the left it leans on the tyres on its right.
    let (inside, outside) =
        (run.series("inside_load").unwrap(), run.series("outside_load").unwrap());
    let most = (0..run.len()).max_by(|&a, &b| outside[a].total_cmp(&outside[b])).unwrap();
    assert!(outside[most] > 1.2 * inside[most], "{} {}", outside[most], inside[most]);
}

mod car {
    //! The parts of another crate, which is called otherwise here.
    use super::output;
    use mbd::prelude::*;

    mechanism! {
        use vehicle::Axle;

        /// A car whose front wheels are held at an angle.
        pub mechanism Turning {
            param speed: [m/s] = 10.0;
            param steer: [rad] = 0.01;
            param mass: [kg] = 1200.0;
            gravity [0, 0, -GRAVITY];
            body hull: SpatialBody { mass: mass, jx: 400.0, jy: 1500.0, jz: 1700.0 };
            body front: Axle { chassis: hull, ahead: 1.1, weight: 0.5*mass*GRAVITY, steer: steer, speed: speed };
            body rear: Axle { chassis: hull, ahead: -1.1, weight: 0.5*mass*GRAVITY, speed: speed };
            init hull.position = [0, 0, 0.4934];
            init hull.velocity = [speed, 0, 0];
            output yaw_rate: [rad/s] = hull.omega_ground[2];
            output speed_now: [m/s] = norm(hull.velocity);
            output load: [N] = front.left.wheel.load + front.right.wheel.load
                + rear.left.wheel.load + rear.right.wheel.load;
            output hub: [N] = front.left.wheel.hub.force;
            until 4.0;
        }
    }

    /// The steady turn of a car whose axles carry and grip alike: the yaw rate is v·δ/l, whatever the speed
    /// (J. Y. Wong, *Theory of Ground Vehicles*, ch. 5, steady-state response: the yaw velocity gain v/(l + K v²/g)
    /// with an understeer coefficient K of 0).
    /// The angles are small, the slip at the wheels a few per cent of what makes them slide.
    #[test]
    fn parts_of_another_crate_make_a_car_that_turns() {
        let car = Turning::default();
        let step = mbd::integrate::Step::adaptive(1e-6);
        let run = mbd::Simulation::new(&car).step(step).run().unwrap();
        let last = |name: &str| *run.series(name).unwrap().last().unwrap();
        let expected = last("speed_now") * car.steer / 2.2;
        let ratio = last("yaw_rate") / expected;
        assert!((ratio - 1.0).abs() < 0.01, "{ratio}");
        // The road carries hull, uprights and wheels.
        let weight = (1200.0 + 4.0 * 20.0 + 4.0 * 18.0) * mbd::constant::GRAVITY;
        assert!((last("load") / weight - 1.0).abs() < 1e-4, "{} {weight}", last("load"));
        // At rest nothing is known to slide.
        assert!(output(&car, "load") > 0.0);
    }
}

pub mod trains {
    //! Arrays inside arrays.
    use mbd::prelude::*;

    component! {
        /// A wheel on a spring under a frame that moves up and down.
        pub component Wheel {
            /// Its mass.
            pub param m: [kg] = 1.0;
            /// Stiffness of its spring.
            pub param k: [N/m] = 10.0;
            /// What it is under.
            pub connector frame: PlanarMass;
            /// Where it is.
            pub body rim: PlanarMass { mass: m };
            holonomic beside: rim.x == frame.x;
            potential spring = 0.5*k*sq(frame.y - rim.y - 1.0);
            output push: [N] = k*(frame.y - rim.y - 1.0);
            output across: [N] = lambda(beside);
        }

        /// A frame on wheels.
        pub component Bogie {
            /// How many wheels.
            pub size wheels = 3;
            /// Mass of each wheel.
            pub param m: [kg] = 1.0;
            /// Its frame.
            pub body frame: PlanarMass { mass: 3.0 };
            /// Its wheels.
            pub body wheel[wheels]: Wheel { frame: frame, m: m };
            force wind along frame.x = -frame.x;
            for j in 1..wheels {
                potential bar = 2.0*sq(wheel[j].rim.y - wheel[j - 1].rim.y);
            }
            let first = wheel[0].rim.y;
            /// Twice the height of the first wheel.
            pub let twice = 2*first;
        }
    }
}

mechanism! {
    use self::trains::Bogie;

    pub mechanism Train {
        size bogies = 2;
        param masses[bogies]: [kg] = [1.0, 2.0];
        gravity [0, -1];
        body bogie[bogies]: Bogie { wheels: 2, m: masses };
        for i in 0..bogies {
            init bogie[i].frame.position = [0.5 + 0.25*i, 2.0];
            for j in 0..2 {
                init bogie[i].wheel[j].rim.y = 0.5 + 0.25*i + 0.125*j;
                guess bogie[i].wheel[j].rim.x = 0.5 + 0.25*i;
            }
            output twice[i] = bogie[i].twice;
        }
        for i in 1..bogies { potential coupling = 0.5*sq(bogie[i].frame.y - bogie[i - 1].wheel[1].rim.y); }
        output last = bogie[1].wheel[bogies - 1].rim.y;
        until 2.0;
    }
}

mechanism! {
    use self::trains::Wheel;

    /// The same, body by body.
    pub mechanism Unrolled {
        component Two {
            param m: [kg] = 1.0;
            body frame: PlanarMass { mass: 3.0 };
            body left: Wheel { frame: frame, m: m };
            body right: Wheel { frame: frame, m: m };
            force wind along frame.x = -frame.x;
            potential bar = 2.0*sq(right.rim.y - left.rim.y);
        }
        gravity [0, -1];
        body front: Two { m: 1.0 };
        body rear: Two { m: 2.0 };
        potential coupling = 0.5*sq(rear.frame.y - front.right.rim.y);
        init front.frame.position = [0.5, 2.0];
        init rear.frame.position = [0.75, 2.0];
        init front.left.rim.y = 0.5;
        init front.right.rim.y = 0.625;
        init rear.left.rim.y = 0.75;
        init rear.right.rim.y = 0.875;
        until 2.0;
    }
}

/// Arrays of parts with arrays of parts in them are the parts one by one.
#[test]
fn arrays_stand_in_arrays() {
    let train = Train::default();
    let model = train.model().unwrap();
    let names: Vec<&str> = model.coords().iter().map(|label| label.name.as_str()).collect();
    assert!(names.contains(&"bogie[1].wheel[0].rim.x"), "{names:?}");
    assert!(model.bodies().iter().any(|body| body.name == "bogie[0].wheel[1].rim"));
    assert_eq!(output(&train, "twice[1]"), 1.5);
    assert_eq!(output(&train, "last"), 0.875);

    let run = |mechanism: &dyn Mechanism| {
        mbd::Simulation::new(mechanism).step(Step::adaptive(1e-9)).run().unwrap()
    };
    let (arrays, alone) = (run(&train), run(&Unrolled::default()));
    let end = |run: &Solution, name: &str| *run.series(name).unwrap().last().unwrap();
    for (one, other) in [
        ("bogie[0].wheel[0].rim.y", "front.left.rim.y"),
        ("bogie[0].wheel[1].rim.y", "front.right.rim.y"),
        ("bogie[1].wheel[0].rim.y", "rear.left.rim.y"),
        ("bogie[1].wheel[1].rim.y", "rear.right.rim.y"),
        ("bogie[1].frame.y", "rear.frame.y"),
        ("bogie.wheel.push[2]", "rear.left.push"),
        ("bogie.wheel.across[1]", "front.right.across"),
        ("bogie.wheel.across[2]", "rear.left.across"),
    ] {
        let (one, other) = (end(&arrays, one), end(&alone, other));
        assert!((one - other).abs() < 1e-7 && other.abs() > 1e-3, "{one} {other}");
    }
    let id = Train::bogie_wheel_rim_y(1, 0);
    assert_eq!(id.name(), "bogie[1].wheel[0].rim.y");
}

mechanism! {
    use self::trains::Bogie;

    /// Arrays three deep, with parameters and a size of their own.
    pub mechanism Deeper {
        component Car { body bogie[2]: Bogie; }
        size beyond = 0;
        body car[2]: Car;
        output inner = car[1].bogie[0].wheel[2 + beyond].rim.y;
        output own = car[1].bogie[0 + beyond].wheel[2].m;
        init car[1].bogie[0].wheel[2].rim.y = 7.0;
    }
}

#[test]
fn entries_of_arrays_in_arrays_are_checked_by_each_index() {
    let mut deeper = Deeper::default();
    assert_eq!(output(&deeper, "inner"), 7.0);
    assert_eq!(deeper.model().unwrap().coords().len(), 2 * 2 * (2 + 3 * 2));
    deeper.set("car[1].bogie[0].m", 4.0).unwrap();
    assert_eq!(deeper.car_bogie_m, [1.0, 1.0, 4.0, 1.0]);
    assert_eq!(output(&deeper, "own"), 4.0);
    assert!(deeper.params().iter().any(|p| p.name == "car[1].bogie[0].m" && p.value == 4.0));
    let refused = deeper.set("car[0].bogie[2].m", 1.0).unwrap_err();
    assert!(refused.to_string().contains('2'), "{refused}");
    // The next entry of the flat array is another body's.
    deeper.beyond = 1;
    let error = deeper.model().err().unwrap().to_string();
    assert!(error.contains("car.bogie.wheel") && error.contains('3'), "{error}");
}
