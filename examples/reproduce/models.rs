//! The examples whose mechanisms the papers use, compiled as modules.

#![allow(dead_code, missing_docs)]

macro_rules! examples {
    ($($name:ident $path:literal $mechanism:ident;)*) => { $(
        #[path = $path]
        mod $name;
        pub use $name::$mechanism;
    )* };
}
examples! {
    bushing "../bushing.rs" Bushing;
    bushing_pendulum "../bushing_pendulum.rs" BushingPendulum;
    crank_modal "../crank_modal.rs" CrankModal;
    double_pendulum "../double_pendulum.rs" DoublePendulum;
    drift_slider_crank "../drift_slider_crank.rs" DriftSliderCrank;
    flexible_slider_crank "../flexible_slider_crank.rs" FlexibleSliderCrank;
    heavy_top "../heavy_top.rs" HeavyTop;
    jay_negrut "../jay_negrut.rs" JayNegrut;
    pendulum "../pendulum.rs" Pendulum;
    point_mass_oscillation "../point_mass_oscillation.rs" PointMassOscillation;
    point_mass_spring "../point_mass_spring.rs" PointMassSpring;
    seven_body "../seven_body.rs" SevenBody;
    skate "../skate.rs" Skate;
    slider_crank_haug "../slider_crank_haug.rs" SliderCrankHaug;
    stiff_pendulum "../stiff_pendulum.rs" StiffPendulum;
    two_body_bushing "../two_body_bushing.rs" TwoBodyBushing;
}
