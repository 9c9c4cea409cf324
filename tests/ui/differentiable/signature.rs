use mbd::differentiable;

#[differentiable]
const fn twice(x: f64) -> f64 {
    x + x
}

#[differentiable]
async fn later(x: f64) -> f64 {
    x
}

struct Spring;

impl Spring {
    #[differentiable]
    fn force(&self, x: f64) -> f64 {
        x
    }
}

fn main() {}
