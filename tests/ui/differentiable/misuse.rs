use mbd::differentiable;

#[differentiable]
struct Spring;

#[differentiable]
fn nothing(i: usize) -> usize {
    i
}

#[differentiable(twice)]
fn argument(x: f64) -> f64 {
    x
}

fn main() {}
