// What is nested too deep, or too long a chain.
use mbd::mechanism;

mechanism! {
    pub mechanism Model {
        coord x;
        mass[x, x] = 1.0;
        potential a =
            (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((
            (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
            )))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
        potential b =
            ----------------------------------------------------------------------
            ------------------------------------------------------------x;
        potential c =
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else 
            if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else if x > 0 { x } else { x };
    }
}

fn main() {}
