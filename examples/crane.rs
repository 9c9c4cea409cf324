//! A load on a hook below a trolley, in joint coordinates: the position of the trolley and two angles. With
//! `coordinates absolute;`, or without the statement, the same block has nine coordinates and seven constraints, one of them the drive.

use mbd::prelude::*;

mechanism! {
    /// A trolley that a motor drives along its rail, and what hangs on it.
    pub mechanism Crane {
        coordinates joint;
        /// How far the trolley goes.
        param way: [m] = 3.0;
        /// Length of the rope between trolley and hook.
        param rope: [m] = 4.0;
        gravity [0, -9.81];
        body trolley: PlanarBody { mass: 300.0, inertia: 40.0 };
        body hook: PlanarBody { mass: 60.0, inertia: 80.0 };
        body load: PlanarBody { mass: 500.0, inertia: 200.0 };
        joint rail: prismatic(ground, trolley);
        joint top: revolute(trolley.at([0, -0.2]), hook.at([0, 0.5*rope]));
        joint eye: revolute(hook.at([0, -0.5*rope]), load.at([0, 0.8]));
        drive rail.position == way*smooth_step(t, 0.0, 4.0);
        force wind = [-30.0, 0.0] on load at [0, 0.2];
        force bearing along eye.angle = -20.0*eye.rate;
        /// Of the load below the rail.
        output place: [m] = load.position;
        output motor: [N] = rail.drive_force;
        /// What the rail has to bear.
        output rail_force: [N] = rail.force;
        output rail_torque: [N*m] = rail.torque;
        output pull: [N] = norm(eye.force);
        until 8.0;
    }
}

mbd::main!(Crane);
