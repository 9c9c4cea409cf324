//! Closed mechanisms of bodies in space.

use mbd::components::spatial;
use mbd::prelude::*;

mechanism! {
    /// A crank about x, a coupler between a spherical and a universal joint, a slider along x.
    pub mechanism SpatialSliderCrank {
        param r: [m] = 0.08;
        param l: [m] = 0.3;
        param w: [rad/s] = 6.0;
        param g: [m/s^2] = 9.81;

        body crank: SpatialBody { mass: 0.12, jx: 1e-4, jy: 1e-5, jz: 1e-4 };
        body coupler: SpatialBody { mass: 0.5, jx: 4e-4, jy: 4e-3, jz: 4e-3 };
        body slider: SpatialBody { mass: 2.0, jx: 1e-4, jy: 1e-4, jz: 1e-4 };
        let ground = spatial::ground();
        potential weight = g*(0.12*crank.z + 0.5*coupler.z + 2.0*slider.z);

        let pivot = ground.at([0.0, 0.1, 0.12]).facing([1.0, 0.0, 0.0]);
        holonomic bearing[5]: spatial::revolute(pivot, crank.frame.facing([1.0, 0.0, 0.0]));
        holonomic pin[3]: spatial::spherical(crank.frame.at([0.0, 0.0, r]), coupler.frame.at([-0.5*l, 0.0, 0.0]));
        holonomic cross[4]: spatial::universal(
            coupler.frame.at([0.5*l, 0.0, 0.0]), slider.frame.facing([0.0, 1.0, 0.0]));
        holonomic guide[5]: spatial::prismatic(
            ground.facing([1.0, 0.0, 0.0]), slider.frame.facing([1.0, 0.0, 0.0]));

        let turned = spatial::axis_angle([0.0, 2.0, -1.0], (2.0/3.0).acos());
        guess crank.y = 0.1;
        guess crank.z = 0.12;
        guess coupler.x = 0.1;
        guess coupler.y = 0.05;
        guess coupler.z = 0.1;
        guess coupler.e0 = turned[0];
        guess coupler.e1 = turned[1];
        guess coupler.e2 = turned[2];
        guess coupler.e3 = turned[3];
        guess slider.x = 0.2;
        init crank.e1 = 0.0;
        init der(crank.e1) = 0.5*w;

        output crank_angle: [rad] = spatial::twist(pivot, crank.frame.facing([1.0, 0.0, 0.0]));
        output stroke: [m] = slider.x;
        until 5.0;
    }
}

mechanism! {
    /// A spatial four-bar linkage, revolute–spherical–spherical–revolute; its coupler also spins.
    pub mechanism SpatialFourBar {
        param a: [m] = 0.2;
        param b: [m] = 0.6;
        param w: [rad/s] = 4.0;
        param g: [m/s^2] = 9.81;

        body crank: SpatialBody { mass: 2.0, jx: 0.01, jy: 0.05, jz: 0.05 };
        body coupler: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.1, jz: 0.1 };
        body rocker: SpatialBody { mass: 1.0, jx: 0.05, jy: 0.05, jz: 0.01 };
        let ground = spatial::ground();
        potential weight = g*(2.0*crank.z + coupler.z + rocker.z);

        holonomic crank_bearing[5]: spatial::revolute(ground, crank.frame);
        holonomic crank_pin[3]: spatial::spherical(crank.frame.at([a, 0.0, 0.0]), coupler.frame.at([-0.5, 0.0, 0.0]));
        holonomic rocker_pin[3]: spatial::spherical(coupler.frame.at([0.5, 0.0, 0.0]), rocker.frame.at([0.0, 0.0, 0.5*b]));
        holonomic rocker_bearing[5]: spatial::revolute(
            ground.at([1.0, 0.0, 0.0]).facing([0.0, 1.0, 0.0]),
            rocker.frame.at([0.0, 0.0, -0.5*b]).facing([0.0, 1.0, 0.0]));

        let turned = spatial::axis_angle([0.0, -1.0, 0.0], 0.8.acos());
        guess coupler.x = a + 0.4;
        guess coupler.z = 0.3;
        guess coupler.e0 = turned[0];
        guess coupler.e2 = turned[2];
        guess rocker.x = 1.0;
        guess rocker.z = 0.5*b;
        init crank.e3 = 0.0;
        init der(crank.e3) = 0.5*w;

        output crank_angle: [rad] = spatial::twist(ground, crank.frame);
        output height: [m] = rocker.z;
        until 5.0;
    }
}

mechanism! {
    /// Two universal joints and the shaft between them in one loop with the ground.
    pub mechanism CardanDrive {
        param l: [m] = 0.4;
        param bend: [rad] = 0.7;
        param w: [rad/s] = 10.0;

        body driving: SpatialBody { mass: 1.0, jx: 0.02, jy: 0.01, jz: 0.01 };
        body between: SpatialBody { mass: 1.0, jx: 0.005, jy: 0.02, jz: 0.03 };
        body driven: SpatialBody { mass: 1.0, jx: 0.03, jy: 0.01, jz: 0.01 };
        let ground = spatial::ground();
        let axis = [1.0, 0.0, 0.0];
        let arm = [0.0, 1.0, 0.0];
        let output_axis = ground.at([0.0, l*sin(bend), 0.0]).facing(axis);

        holonomic bearing[5]: spatial::revolute(
            ground.at([-0.2, 0.0, 0.0]).facing(axis), driving.frame.facing(axis));
        holonomic first[4]: spatial::universal(
            driving.frame.at([0.2, 0.0, 0.0]).facing(arm), between.frame.at([-0.5*l, 0.0, 0.0]));
        holonomic second[4]: spatial::universal(
            between.frame.at([0.5*l, 0.0, 0.0]), driven.frame.at([-0.2, 0.0, 0.0]).facing(arm));
        holonomic sleeve[4]: spatial::cylindrical(output_axis, driven.frame.facing(axis));

        let turned = spatial::axis_angle([0.0, 0.0, 1.0], bend);
        guess driving.x = -0.2;
        guess between.x = 0.5*l*cos(bend);
        guess between.y = 0.5*l*sin(bend);
        guess between.e0 = turned[0];
        guess between.e3 = turned[3];
        guess driven.x = l*cos(bend) + 0.2;
        guess driven.y = l*sin(bend);
        init driving.e1 = 0.0;
        init der(driving.e1) = 0.5*w;

        output input_speed: [rad/s] = driving.omega[0];
        output speed_between: [rad/s] = between.omega[0];
        output output_speed: [rad/s] = driven.omega[0];
        until 5.0;
    }
}
