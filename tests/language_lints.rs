//! Code written by `mechanism!` answers to no lint, however strict the crate it is used in: the user
//! could not mend it. The models here hold the unusual forms of the language together; their
//! derivatives are checked as well.
#![deny(warnings, missing_docs, unused, nonstandard_style, clippy::all, clippy::pedantic)]

use mbd::verify::assert_all_derivatives;
use mbd::{Mechanism, ModelError, differentiable, mechanism};

#[differentiable]
fn spring(x: f64, k: f64) -> f64 {
    let scale: f64 = 1.0;
    if x > 0.0 {
        return k * x * scale;
    }
    let mut sum = 0.0;
    for i in 0..3 {
        sum += f64::from(i) * 2.0;
    }
    k * x / (1.0 + sum)
}

mechanism! {
    pub mechanism Chain {
        size n = 4;
        /// Length.
        param length[n]: [m] = 1.0;
        param mass: [kg] = 1.0;
        param c[3] = [1.0, 2.0, 3.0];
        coord x[n]: [m];
        coord y[n]: [m];
        coord theta[n]: [rad];
        variable F[n]: [N];
        state s[n];
        for i in 0..n {
            let l = length[i];
            kinetic bar = 0.5*mass*(sq(der(x[i])) + sq(der(y[i]))) + 0.5*mass*l*l/12*sq(der(theta[i]));
            potential weight = mass*9.81*y[i] + 0*c[0]*i;
            variable F[i] == spring(x[i], 2.0) + (0..3).map(|k| c[k]*(k as f64)).sum();
            der(s[i]) = F[i] - s[i];
            init theta[i] = 0.1*i;
            guess x[i] = l/2*(2*i + 1);
            let h = 0.5*l;
            output reach[i]: [m] = hypot(if !(x[i] > 2.0*h) && y[i] != h + 1.0 { h } else { l }, 0.0);
            output tip[i]: [m] = x[i] + 0.5*l*cos(theta[i]);
            force[x[i]] = -lambda(pin[0])[1]*0.0 - 1/2*der(x[i]);
        }
        holonomic ground: [x[0] - 0.5*length[0]*cos(theta[0]), y[0] - 0.5*length[0]*sin(theta[0])] == [0, 0.0];
        for i in 1..n {
            let px = x[i-1] + 0.5*length[i-1]*cos(theta[i-1]);
            holonomic pin[2]: [px, y[i-1] + 0.5*length[i-1]*sin(theta[i-1])] == [x[i] - 0.5*length[i]*cos(theta[i]), y[i] - 0.5*length[i]*sin(theta[i])];
            output vx[i-1] = der(px) + lambda(pin[i-1])[0];
        }
        output l1 = lambda(ground)[1];
        until 2.0;
    }
}

mechanism! {
    component Wheel {
        param mass: [kg] = 1.0;
        param inertia = mass*0.5;
        param R = 0.3;
        coord x: [m];
        coord psi: [rad];
        let p = [x, R*psi];
        kinetic tr = 0.5*mass*sq(der(x));
        kinetic rot = 0.5*inertia*sq(der(psi));
        nonholonomic roll: der(x) == R*der(psi);
        force rr along x = -0.1*psi(roll);
    }
    mechanism Bodies {
        size n = 3;
        param m1 = 2.0;
        param ms[n] = 1.0;
        body k1: Wheel { mass: 2*m1 };
        body k2: Wheel;
        body link[n]: PlanarBody { mass: ms, inertia: m1 };
        body g: PlanarBody;
        holonomic a: k1.x == k2.x + 1.0;
        stated nonholonomic b: der(k1.p)[1] == 2*der(k2.psi);
        holonomic w: g.frame.point([0.5, 0.0])[0] == sin(t);
        for i in 1..n {
            holonomic pin[2]: mbd::components::revolute(link[i-1].frame, [0.5, 0.0], link[i].frame, [-0.5, 0.0]);
        }
        force f along [k1.x, k2.p[1]] = [psi(b), -psi(k1.roll)];
        force h[k1.x, k2.x] = [1.0, 2];
        init k1.x = 0.5;
        init der(k1.psi) = k1.x/k1.R;
        output fx = der(link[1].frame.point([1.0, 2.0]))[0];
        output acc = der(der(k1.x)) + der(der(link[0].x)) + der(der(sq(k1.x)*k2.x));
    }
}

mechanism! {
    mechanism Misc {
        param Theta = 1.0;
        param k: [N/m] = 2*Theta;
        coord q;
        coord z[2];
        state e;
        state X;
        mass[q, q] = 2.0;
        kinetic zz = z.iter().map(|v| 0.0*v.sq()).sum() + der(z)[0].sq() + der(z)[1]*der(z)[1];
        variable a == der(der(q));
        variable V: [V] == 30*(1 - q) + 40*X + a*1e-3 + W;
        variable W == if q > 0 { 1 } else { -V*0.1 };
        equation ex: 0.05*der(e) + e - V == 0;
        der(X) = match 1 { 1 => 1.0 - q, _ => 0.0 };
        force F[q] = V + { let mut s = 0.0; for k in 0..2 { s += z[k]*k; } s } - hypot(q, 3) * k.powi(2) + (2 + q * q).powf(2.5).max(0);
        guess V = 1.0;
        init e = 2*Theta;
        output d = der(e) + der(q*sin(time) + e);
    }
}

#[test]
fn loops() {
    let mut chain = Chain { n: 3, ..Default::default() };
    assert_all_derivatives(&chain);
    chain.set("n", 2.0).unwrap();
    chain.set("length[1]", 3.0).unwrap();
    assert_eq!(chain.length, [1.0, 3.0]);
    // Entries that differ do not follow the size: which to repeat would be a guess.
    chain.n = 5;
    let error = chain.model().unwrap_err();
    assert_eq!(error, ModelError::WrongLength { name: "length".into(), len: 2, expected: 5 });
    let error = chain.set("lenght", 1.0).unwrap_err();
    assert!(error.to_string().contains("did you mean `length`?"), "{error}");
}

#[test]
fn bodies() {
    assert_all_derivatives(&Bodies::default());
    let model = Bodies::default().model().unwrap();
    let names: Vec<&str> = model.coords().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names[..6], ["k1.x", "k1.psi", "k2.x", "k2.psi", "link[0].x", "link[1].x"]);
    assert_eq!(Bodies::link_x(2).name(), "link[2].x");
    assert_eq!(model.initial().q[..1], [0.5]);
}

#[test]
fn spellings() {
    assert_all_derivatives(&Misc::default());
}
