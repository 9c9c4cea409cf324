//! What is to be seen of a model beside its equations: bodies, shapes, what joints exert and where they are.

use super::ModelBuilder;
use crate::model::{BodyInfo, BodyKind, Shape};
use crate::statement::{Instances, Kernel};

impl ModelBuilder {
    /// Says that coordinates, in the order of the kind, are those of a body.
    pub fn body(&mut self, name: &str, kind: BodyKind, coords: &[usize]) {
        self.bodies.push(BodyInfo { name: name.into(), kind, coords: coords.to_vec() });
    }

    /// The same of an array of bodies: of each coordinate there are `count` after the first. The text
    /// before and after the index makes the names.
    pub fn body_array(
        &mut self,
        (before, after): (&str, &str),
        kind: BodyKind,
        firsts: &[usize],
        count: usize,
    ) {
        for i in 0..count {
            let coords: Vec<usize> = firsts.iter().map(|first| first + i).collect();
            self.body(&format!("{before}[{i}]{after}"), kind, &coords);
        }
    }

    /// Adds something to draw, with the numbers of its shape as rows; `color` may be empty.
    pub fn draw<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        shape: Shape,
        color: &str,
        kernel: E,
        instances: Instances<K, P>,
        is_array: bool,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_draw(name, shape, color, self.parts(kernel, instances), is_array);
    }

    /// Says that a joint carries a body: where it is, with its mass and moments of inertia, are the rows of a
    /// kernel (x, y, angle, m, J; or x, y, z, four Euler parameters, m, Jx, Jy, Jz). For pictures.
    pub fn carried<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        kind: BodyKind,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, R>,
    {
        self.carried_array(&[name.into()], kind, kernel, instances);
    }

    /// The same of bodies of an array, each carried in an instance.
    pub fn carried_array<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        names: &[String],
        kind: BodyKind,
        kernel: E,
        instances: Instances<K, P>,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_carried(names, kind, self.parts(kernel, instances));
    }

    /// Says what a joint exerts on its second body, force and torque about its frame there: the rows of a kernel, which may
    /// read multipliers of [released](Self::released) joints. For pictures.
    pub fn load<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        carries: bool,
        kernel: E,
        instances: Instances<K, P>,
        is_array: bool,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_load(name, carries, self.parts(kernel, instances), is_array);
    }

    /// Says what the coordinates of a joint are: the rows of a kernel, by their names. For summaries of a run.
    pub fn joint<E, const K: usize, const P: usize, const R: usize>(
        &mut self,
        name: &str,
        coordinates: &[&str],
        kernel: E,
        instances: Instances<K, P>,
        is_array: bool,
    ) where
        E: Kernel<K, P, R>,
    {
        self.add_joint(name, coordinates, self.parts(kernel, instances), is_array);
    }
}
