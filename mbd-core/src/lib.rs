//! mbd-core
