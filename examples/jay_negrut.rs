//! Test problem (15) of paper 001: an unsymmetric mass matrix, a holonomic and a nonholonomic
//! constraint whose multipliers stand in the forces nonlinearly.
//!
//! Exact solution: y = (eᵗ, e⁻²ᵗ), λ = e⁻ᵗ, ψ = eᵗ.

use mbd::prelude::*;

mechanism! {
    /// Problem (15) of Jay and Negrut, with λ² and ψ³ as printed.
    pub mechanism JayNegrut {
        coord y1;
        coord y2;

        let z1 = der(y1);
        let z2 = der(y2);
        let lam = lambda(lambda1);
        let ps = psi(psi1);

        // Both off-diagonal entries are stated: the matrix is not symmetric.
        mass[y1, y1] = y1;
        mass[y1, y2] = y2 - exp(-2.0*t);
        mass[y2, y1] = sin(y1 - exp(t));
        mass[y2, y2] = y1*y2;

        force first[y1] =
            exp(t)*(y1*z2 + 2.0*y2*z1) + exp(2.0*t)*y1*lam - y1*z2*ps - 2.0;
        force second[y2] =
            exp(-t)*(0.5*y2*z2 - 2.0*y1*z1*y2*z2 + y2*sq(lam)) - y1*y2*z1*powi(ps, 3) + exp(3.0*t);

        // The forces above state the reactions.
        stated holonomic lambda1: sq(y1)*y2 == 1.0;
        stated nonholonomic psi1: y1*z1*z2 == -2.0;

        init y1 = 1.0;
        init y2 = 1.0;
        init der(y1) = 1.0;
        init der(y2) = -2.0;
        until 1.0;
    }
}

mbd::main!(JayNegrut);
