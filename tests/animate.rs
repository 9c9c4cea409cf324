//! What is drawn of a model, the page that shows it, and that page in a browser.

#![allow(missing_docs)]
#![cfg(feature = "cli")]

#[path = "animate/browser.rs"]
mod browser;
#[path = "support/crates.rs"]
mod crates;
#[path = "animate/drawing.rs"]
mod drawing;
#[path = "animate/gltf.rs"]
mod gltf_files;
#[path = "animate/joint_coordinates.rs"]
mod joint_coordinates;
#[path = "animate/mesh.rs"]
mod mesh;
#[path = "animate/models.rs"]
mod models;
#[path = "animate/page.rs"]
mod page;
#[path = "animate/parts/mod.rs"]
mod parts;
#[path = "animate/picture.rs"]
mod picture;
#[path = "animate/places.rs"]
mod places;
#[path = "../examples/t_handle.rs"]
mod t_handle;
