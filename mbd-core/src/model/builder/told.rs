//! Frames of bodies of arrays, which joints of loops carry: scalars that are told.
//!
//! A joint outside loops carries one body, whose frame is an expression of its coordinates and of the frame before it.
//! In a loop the frame before it is another entry of the same array, and which one is an index. So the numbers of
//! such frames are declared as scalars ([`told`](ModelBuilder::told)), joints tell them
//! ([`tells`](ModelBuilder::tells)), and [`tell`](ModelBuilder::tell) finds the order: from there on statements read
//! what tells them (`statement/element/told.rs`), and there are no unknowns besides the joints' coordinates.

use super::ModelBuilder;
use super::telling::{Joint, Telling};
use crate::equation::SlotKind;
use crate::model::ModelError;
use crate::statement::{Frame, Instances, Kernel, Parts, TOLD, Teller, Told};
use std::sync::Arc;

/// Who tells a scalar: the joint, the instance, the row.
type Place = (usize, usize, usize);

impl ModelBuilder {
    /// Declares a scalar that a joint tells: `link[3].x`, of the body `link[3]`. Returns the index by which kernels read
    /// it as a coordinate, its rate as a velocity and its second derivative as an acceleration; it is none of the
    /// model's.
    pub fn told(&mut self, name: &str) -> usize {
        self.telling.names.push(name.into());
        TOLD + self.telling.names.len() - 1
    }

    /// The index that the next one gets.
    pub fn next_told(&self) -> usize {
        TOLD + self.telling.names.len()
    }

    /// Says that a joint tells scalars, those of one body in each instance: `targets`. The kernels give them, their rates
    /// and their second derivatives, of coordinates, velocities, accelerations and others that are told.
    #[allow(clippy::too_many_arguments)]
    pub fn tells<
        E0,
        E1,
        E2,
        const K0: usize,
        const P0: usize,
        const K1: usize,
        const P1: usize,
        const K2: usize,
        const P2: usize,
        const R: usize,
    >(
        &mut self,
        joint: &str,
        (value, of_value): (E0, Instances<K0, P0>),
        (rate, of_rate): (E1, Instances<K1, P1>),
        (second, of_second): (E2, Instances<K2, P2>),
        targets: Vec<[usize; R]>,
    ) where
        E0: Kernel<K0, P0, R>,
        E1: Kernel<K1, P1, R>,
        E2: Kernel<K2, P2, R>,
    {
        let by = [
            Teller::new(value, of_value),
            Teller::new(rate, of_rate),
            Teller::new(second, of_second),
        ];
        let number = |target: &usize| target.saturating_sub(TOLD);
        let targets = targets.iter().map(|all| all.iter().map(number).collect()).collect();
        self.telling.joints.push(Joint { name: joint.into(), by: Arc::new(by), targets });
    }

    /// Finds the order in which joints tell bodies. Said after all of [`tells`](Self::tells), and before any other
    /// statement.
    ///
    /// # Errors
    /// [`ModelError`] where a body is told by two joints, by none, or by one that hangs on it.
    pub fn tell(&mut self) -> Result<(), ModelError> {
        let Telling { names, joints } = std::mem::take(&mut self.telling);
        let body = |scalar: usize| {
            let name = names.get(scalar).map_or("", String::as_str);
            name.rsplit_once('.').map_or(name, |(body, _)| body).to_string()
        };
        let mut by: Vec<Option<Place>> = vec![None; names.len()];
        for (j, joint) in joints.iter().enumerate() {
            for (i, targets) in joint.targets.iter().enumerate() {
                for (row, &scalar) in targets.iter().enumerate() {
                    let Some(place) = by.get_mut(scalar) else { continue };
                    if let Some((first, at, _)) = place.replace((j, i, row)) {
                        return Err(ModelError::ToldTwice {
                            body: body(scalar),
                            joints: [joints[first].instance_name(at), joint.instance_name(i)],
                        });
                    }
                }
            }
        }
        if let Some(scalar) = by.iter().position(Option::is_none) {
            return Err(ModelError::NotTold { body: body(scalar) });
        }
        let mut told = Told::default();
        // Frames by joint and instance: numbered as they are told.
        let mut numbers: Vec<Vec<Option<u32>>> =
            joints.iter().map(|joint| vec![None; joint.targets.len()]).collect();
        let mut open = Vec::new();
        for j in 0..joints.len() {
            for i in 0..joints[j].targets.len() {
                open.push((j, i, false));
                // Those that wait for the frames above them.
                let mut waiting: Vec<(usize, usize)> = Vec::new();
                while let Some((j, i, ready)) = open.pop() {
                    if numbers[j][i].is_some() {
                        continue;
                    }
                    let joint = &joints[j];
                    if ready {
                        waiting.pop();
                        numbers[j][i] = Some(told.frames.len() as u32);
                        let rows = joint.targets[i].len();
                        let body = joint.targets[i].first().map_or(String::new(), |&k| body(k));
                        told.frames.push(Frame { body, by: joint.by.clone(), instance: i, rows });
                        continue;
                    }
                    if waiting.contains(&(j, i)) {
                        let body = joint.targets[i].first().map_or(String::new(), |&k| body(k));
                        return Err(ModelError::ToldInCircle {
                            body,
                            joint: joint.instance_name(i),
                        });
                    }
                    waiting.push((j, i));
                    open.push((j, i, true));
                    for scalar in joint.by.iter().flat_map(|teller| teller.reads(i)) {
                        if let Some(&Some((j, i, _))) = by.get(scalar)
                            && numbers[j][i].is_none()
                        {
                            open.push((j, i, false));
                        }
                    }
                }
            }
        }
        let place = |place: &Option<Place>| {
            let (j, i, row) = (*place)?;
            Some((numbers[j][i]?, row as u32))
        };
        told.places = by.iter().filter_map(place).collect();
        self.told = Arc::new(told);
        Ok(())
    }

    /// What a coordinate or velocity is at the start, also where it is told: from the coordinates and velocities that
    /// are set so far.
    pub fn start_of(&self, kind: SlotKind, index: usize, q: &[f64], v: &[f64]) -> f64 {
        let scalar = |kind: SlotKind, index: usize| match kind {
            SlotKind::Q => q.get(index).copied().unwrap_or(0.0),
            SlotKind::V => v.get(index).copied().unwrap_or(0.0),
            // Motions that a joint starts with are written as going on from time zero.
            _ => 0.0,
        };
        let params = self.params.len();
        let param = |index: usize| match index.checked_sub(params) {
            None => self.param_values[index],
            Some(mode) => match self.initial.modes.get(mode) {
                Some(value) => *value,
                None => self.input_number_at(index),
            },
        };
        self.told.value(kind, index, scalar, param)
    }

    /// The elements of a statement.
    pub(super) fn parts<E, const K: usize, const P: usize, const R: usize>(
        &self,
        kernel: E,
        instances: Instances<K, P>,
    ) -> Parts
    where
        E: Kernel<K, P, R>,
    {
        self.told.parts(kernel, instances)
    }
}
