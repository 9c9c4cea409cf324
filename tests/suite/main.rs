//! The integration tests: one binary, because linking is what costs.
//!
//! | module | what it holds against the project |
//! |---|---|
//! | `blows` | what blows, and comparisons with time, leave of dry friction |
//! | `boxes` | bodies at rest on more friction than holds them |
//! | `gallery` | problems on which others fail, against published solutions |
//! | `impulses` | what constraints and joints feel of a blow |
//! | `inputs` | signals from outside: tables and functions |
//! | `jacobians` | derivatives derived by hand, and difference quotients, for every example |
//! | `references` | published solutions, independent implementations, closed forms |
//! | `between` | values between the steps beside those at them |
//! | `at_rest` | what begins at rest in an equilibrium |
//! | `balance` | the power balance |
//! | `bdf` | the stiff problems of paper 003: counts, damping, where CM pays and where it errs |
//! | `convergence` | orders of the methods |
//! | `duals` | motions with every derivative on dual numbers |
//! | `step_control` | error estimate, step choice, recycling |
//! | `stepper` | models led from outside, sampled controllers |
//! | `newton` | quadratic convergence; the matrix against difference quotients |
//! | `own_method` | a method from outside the library |
//! | `redundancy` | rows that are redundant at one time only |
//! | `partition` | changes of the independent coordinates |
//! | `plane` | friction in a plane |
//! | `points` | forces on points that move within their body |
//! | `radau5` | the method of order 5 |
//! | `radau5_newton` | the same where Newton's iteration limits its steps |
//! | `rings` | impacts without rebound that forces open at once |
//! | `choices` | `if` between scalars that their spelling does not tell |
//! | `compare` | the comparison of methods |
//! | `state_space` | paper 004's methods and the explicit ones |
//! | `stated` | stated events: jumps, impacts, modes |
//! | `saltation` | how states after events depend on those before |
//! | `seen` | what the step control sees: pulses, contacts |
//! | `singular` | linkages through the position where their bars are in line |
//! | `sliding` | friction that sticks, and other motions that stay where a force jumps |
//! | `spatial_loops` | closed mechanisms of bodies in space, by the methods that choose coordinates |
//! | `steep` | laws whose slope is infinite at a comparison |
//! | `startup` | assembly, redundancy, consistent accelerations |
//! | `properties` | conservation, invariances, redundant constraints, failed runs |
//! | `units` | units that do not fit are found, those that do are not told off |
//! | `house` | what the files of the crates import |
//! | `let_go` | contacts that bear no load open, boxes on rough corners come to rest |
//! | `long_runs` | scales that do not grow with the length of a run |
//! | `language` | every kind of statement against hand-written values |
//!
//! The models are the examples themselves, compiled as modules.

mod abrupt;
mod accumulation;
mod andrews_by_hand;
mod at_rest;
mod balance;
mod bdf;
mod between;
mod blows;
mod boxes;
mod branches;
mod choices;
mod compare;
mod contacts;
mod convergence;
mod drives;
mod duals;
mod error_estimate;
mod events;
mod gallery;
mod grips;
mod house;
mod impulses;
mod inputs;
mod jacobians;
mod jolts;
mod known_ahead;
mod language;
mod latches;
mod laws;
mod let_go;
mod long_runs;
mod models;
mod newton;
mod own_method;
mod partition;
mod passing;
mod piecewise;
mod plane;
mod points;
mod properties;
mod radau5;
mod radau5_newton;
mod redundancy;
mod references;
mod resting_guards;
mod rings;
mod rounding;
mod saltation;
mod seen;
mod singular;
mod sliding;
mod spatial_loops;
mod startup;
mod state_space;
mod stated;
mod states;
mod steep;
mod step_control;
mod stepper;
mod support;
mod switched_on;
mod told;
mod units;
mod vibrated;
mod wheels;
