//! A mechanism with one of everything the program handles, put together by hand.

use mbd::ModelError;
use mbd::ad::{Instances, Kernel, Reaction};
use mbd::assembly::SlotKind::{self, Q, V};
use mbd::error::nearest;
use mbd::model::{Keep, Mechanism, Model, ModelBuilder, ParamInfo};
use mbd::scalar::{Num, Scalar};

pub struct Rig {
    n: usize,
    length: f64,
    mass: f64,
    stiffness: Vec<f64>,
    /// Beyond this the trap's force law has no value; 0 for no trap.
    trap: f64,
    /// The rod stated twice: redundant.
    twice: f64,
    /// The first two springs tied together by their velocities, when not 0.
    roll: f64,
    t_end: f64,
}

impl Default for Rig {
    fn default() -> Self {
        Rig {
            n: 2,
            length: 1.0,
            mass: 1.0,
            stiffness: vec![10.0, 20.0],
            trap: 0.0,
            twice: 0.0,
            roll: 0.0,
            t_end: 0.5,
        }
    }
}

/// A kernel of scalars `z` and parameters `p`.
macro_rules! kernel {
    ($name:ident, $k:literal, $p:literal, |$z:ident, $par:ident| $value:expr) => {
        struct $name;
        impl Kernel<$k, $p, 1> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                $z: &[Num<D>; $k],
                $par: &[Num<D>; $p],
            ) -> [Num<D>; 1] {
                [$value]
            }
        }
    };
}

kernel!(PendulumT, 2, 0, |z, _p| (z[0] * z[0] + z[1] * z[1]) * 0.5);
kernel!(PendulumU, 1, 0, |z, _p| z[0] * 9.81);
kernel!(OscillatorT, 1, 1, |z, p| p[0] * z[0] * z[0] * 0.5);
kernel!(OscillatorU, 1, 1, |z, p| p[0] * z[0] * z[0] * 0.5);
kernel!(Rod, 2, 1, |z, p| z[0] * z[0] + z[1] * z[1] - p[0] * p[0]);
kernel!(Rate, 1, 0, |z, _p| z[0] * 0.0);
kernel!(Twofold, 1, 0, |z, _p| z[0] * 2.0);
kernel!(Roll, 2, 0, |z, _p| z[0] - z[1]);
kernel!(Same, 1, 0, |z, _p| z[0]);
kernel!(Trap, 1, 1, |z, p| (p[0] - z[0]).sqrt() * 1e-3);

fn one<const K: usize, const P: usize>(
    kinds: [SlotKind; K],
    slots: [usize; K],
    params: [usize; P],
) -> Instances<K, P> {
    let mut instances = Instances::new(kinds);
    instances.push(&[], slots, params);
    instances
}

impl Mechanism for Rig {
    fn model(&self) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Rig", "A pendulum beside springs.");
        let length = b.param("L", "m", "Length of the rod.", self.length);
        let mass = b.param("m", "kg", "Mass at each spring.", self.mass);
        let c = b.param_array("c", "N/m", "Stiffness of each spring.", &self.stiffness);
        let trap = b.param("trap", "m", "", self.trap);
        let x = b.coord("x", "m", "To the right.");
        let y = b.coord("y", "m", "Upwards.");
        let q = b.coord_array("q", "m", "Stretch of each spring.", self.n);
        let e = b.state("e", "m*s", "");
        let f = b.variable("F", "N", "");
        let rod = b.rows_holonomic("rod", 1, 1);
        b.init_q(x, 0.6, Keep::Kept);
        b.init_q(y, -0.9, Keep::Guess);
        b.kinetic("pendulum", PendulumT, one([V, V], [x, y], []));
        b.potential("weight", PendulumU, one([Q], [y], []));
        let mut kinetic = Instances::new([V]);
        let mut potential = Instances::new([Q]);
        for i in 0..self.n {
            b.init_q(q + i, 0.1, Keep::Kept);
            kinetic.push(&[i], [q + i], [mass]);
            potential.push(&[i], [q + i], [c + i]);
        }
        b.kinetic("masses", OscillatorT, kinetic);
        b.potential("springs", OscillatorU, potential);
        b.holonomic("rod", Rod, one([Q, Q], [x, y], [length]), rod, Reaction::Standard);
        if self.twice != 0.0 {
            let row = b.rows_holonomic("twice", 1, 1);
            b.holonomic("twice", Rod, one([Q, Q], [x, y], [length]), row, Reaction::Standard);
        }
        if self.roll != 0.0 {
            let row = b.rows_nonholonomic("roll", 1, 1);
            let instances = one([V, V], [q, q + 1], []);
            b.nonholonomic("roll", Roll, instances, row, Reaction::Standard);
        }
        if self.trap != 0.0 {
            b.force("trap", Trap, one([Q], [q], [trap]), vec![[q]]);
        }
        b.rate("der(e)", Rate, one([Q], [x], []), vec![e]);
        b.define("F", Twofold, one([Q], [y], []), vec![f]);
        b.output("height", "m", "Height over the pivot.", Same, one([Q], [y], []), false);
        if self.t_end > 0.0 {
            b.t_end(self.t_end);
        }
        b.finish()
    }

    fn set(&mut self, name: &str, value: f64) -> Result<(), ModelError> {
        match name {
            "n" if value >= 0.0 && value.fract() == 0.0 => {
                self.n = value as usize;
                self.stiffness.resize(self.n, 10.0);
            }
            "n" => {
                let reason = "a size is a whole number".into();
                return Err(ModelError::BadValue { name: name.into(), value, reason });
            }
            "L" => self.length = value,
            "m" => self.mass = value,
            "trap" => self.trap = value,
            "twice" => self.twice = value,
            "roll" => self.roll = value,
            "t_end" => self.t_end = value,
            _ => {
                let entries = (0..self.n).map(|i| format!("c[{i}]")).collect::<Vec<_>>();
                match entries.iter().position(|entry| entry == name) {
                    Some(i) => self.stiffness[i] = value,
                    None => {
                        let names = ["n", "L", "m", "trap"].into_iter();
                        return Err(ModelError::UnknownParameter {
                            model: "Rig".into(),
                            name: name.into(),
                            suggestion: nearest(
                                name,
                                names.chain(entries.iter().map(|s| s.as_str())),
                            ),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn params(&self) -> Vec<ParamInfo> {
        let param = |name: &str, unit: &str, doc: &str, value: f64| ParamInfo {
            name: name.into(),
            unit: unit.into(),
            doc: doc.into(),
            value,
            is_size: name == "n",
        };
        let mut params = vec![
            param("n", "", "Number of springs.", self.n as f64),
            param("L", "m", "Length of the rod.", self.length),
            param("m", "kg", "Mass at each spring.", self.mass),
        ];
        for (i, &c) in self.stiffness.iter().enumerate() {
            params.push(param(&format!("c[{i}]"), "N/m", "Stiffness of each spring.", c));
        }
        params
    }
}
