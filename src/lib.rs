//! mbd
