"""Three motions with events by SciPy: errors at the end and evaluations of the right-hand side.

    python3 events.py > events.csv

`events`: solve_ivp with terminal events, begun anew behind each of them (modes by hand, as its manual asks for).
`plain`: solve_ivp over the jumps as they come. Ends are those of tests/references/hybrid.json (H1, H3a, H7a).
"""

import csv
import sys
from math import cos, sin, asin

import numpy as np
import scipy
from scipy.integrate import solve_ivp

G = 9.81
END = {"bounce": 0.0626117673492984, "stick_slip": 1.0501368968578, "crank": 30.0245359086811}
SCALE = {"bounce": 1.0, "stick_slip": 2.0, "crank": 30.0245359086811}
TOLERANCES = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
MOST = 2_000_000


class Enough(Exception):
    """More evaluations than anybody would wait for."""


class Work:
    """Counts the evaluations of a right-hand side, those of difference quotients included."""

    def __init__(self):
        self.count = 0

    def of(self, f):
        def counted(t, y):
            self.count += 1
            if self.count > MOST:
                raise Enough
            return f(t, y)

        return counted


def run(modes, mode, y, t_end, method, tol):
    """Goes on from mode to mode: each has its right-hand side and its events, each with the mode behind it."""
    work, t, y = Work(), 0.0, np.array(y)
    while t < t_end:
        f, events = modes[mode]
        for event, _ in events:
            event.terminal = True
        found = solve_ivp(
            work.of(f), (t, t_end), y, method=method, rtol=tol, atol=tol, events=[e for e, _ in events] or None
        )
        if not found.success:
            raise ArithmeticError(found.message)
        t, y = found.t[-1], found.y[:, -1]
        if found.status == 1:
            which = next(k for k, times in enumerate(found.t_events) if len(times))
            mode = events[which][1](t, y)
    return y[0], work.count


def event(f, direction):
    f.direction = direction
    return f


def bounce(with_events, method, tol):
    """A mass that falls on a one-sided spring, 5 s, twelve events."""
    k = 1e6

    def fly(t, y):
        return [y[1], -G]

    def touch(t, y):
        return [y[1], -G - k * y[0]]

    def plain(t, y):
        return touch(t, y) if y[0] < 0 else fly(t, y)

    if not with_events:
        return run({"all": (plain, [])}, "all", [1.0, 0.0], 5.0, method, tol)
    down = event(lambda t, y: y[0], -1)
    up = event(lambda t, y: y[0], 1)
    modes = {"fly": (fly, [(down, lambda t, y: "touch")]), "touch": (touch, [(up, lambda t, y: "fly")])}
    return run(modes, "fly", [1.0, 0.0], 5.0, method, tol)


def stick_slip(with_events, method, tol):
    """A mass that sticks to a belt and breaks away, 20 s, two events."""
    belt, moving, still = 0.1, 1.0, 1.0

    def slip(side):
        return lambda t, y: [y[1], -y[0] - side * moving]

    def stick(t, y):
        return [belt, 0.0]

    def plain(t, y):
        return [y[1], -y[0] - moving * np.sign(y[1] - belt)]

    if not with_events:
        return run({"all": (plain, [])}, "all", [2.0, 0.0], 20.0, method, tol)

    def stopped(t, y):
        return "stick" if abs(y[0]) < still else "below"

    modes = {
        "above": (slip(1.0), [(event(lambda t, y: y[1] - belt, -1), stopped)]),
        "below": (slip(-1.0), [(event(lambda t, y: y[1] - belt, 1), stopped)]),
        "stick": (stick, [(event(lambda t, y: y[0] - still, 1), lambda t, y: "below")]),
    }
    return run(modes, "below", [2.0, 0.0], 20.0, method, tol)


def crank(with_events, method, tol):
    """A slider-crank with friction by the force of its guide, 1 s, nine events; the angle and its rate."""
    mu, r, l, j, m_rod, m_slider, torque = 0.2, 0.1, 0.3, 0.02, 0.5, 1.0, 1.0

    def positions(y):
        phi, w = y
        psi = asin(r * sin(phi) / l)
        rate = r * cos(phi) * w / (l * cos(psi))
        return phi, psi, w, rate, -r * sin(phi) * w - l * sin(psi) * rate

    def right(side):
        def f(t, y):
            phi, psi, w, rate, speed = positions(y)
            sign = np.sign(speed) if side is None else side
            jac = np.array([[-r * sin(phi), -0.5 * l * sin(psi)], [r * cos(phi), -0.5 * l * cos(psi)]])
            bias = np.array(
                [
                    -r * cos(phi) * w**2 - 0.5 * l * cos(psi) * rate**2,
                    -r * sin(phi) * w**2 + 0.5 * l * sin(psi) * rate**2,
                ]
            )
            a, b = np.zeros((7, 7)), np.zeros(7)
            a[:2, :2] = m_rod * jac.T @ jac
            a[0, 0] += j
            a[1, 1] += m_rod * l**2 / 12.0
            a[2, 2] = a[3, 3] = m_slider
            b[:2] = -m_rod * jac.T @ bias - G * m_rod * jac[1]
            b[0] += torque
            b[3] = -G * m_slider
            rows = np.array(
                [[-r * sin(phi), -l * sin(psi), -1, 0], [r * cos(phi), -l * cos(psi), 0, -1], [0, 0, 0, 1]]
            )
            a[4:, :4], a[:4, 4:] = rows, rows.T
            b[4] = r * cos(phi) * w**2 + l * cos(psi) * rate**2
            b[5] = r * sin(phi) * w**2 - l * sin(psi) * rate**2
            for of_guide in (1.0, -1.0):
                a[2, 6] = sign * mu * of_guide
                u = np.linalg.solve(a, b)
                if u[6] * of_guide >= 0.0:
                    break
            return [w, u[0]]

        return f

    start = [0.5, 15.0]
    if not with_events:
        return run({"all": (right(None), [])}, "all", start, 1.0, method, tol)
    turns = [event(lambda t, y: positions(y)[4], direction) for direction in (-1, 1)]
    modes = {
        "out": (right(1.0), [(turns[0], lambda t, y: "in")]),
        "in": (right(-1.0), [(turns[1], lambda t, y: "out")]),
    }
    return run(modes, "in", start, 1.0, method, tol)


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    sys.stdout.write(f"# SciPy {scipy.__version__}, NumPy {np.__version__}: python3 events.py > events.csv\n")
    out.writerow(["problem", "how", "method", "tol", "error", "evaluations"])
    for problem in (bounce, stick_slip, crank):
        name = problem.__name__
        for how, method in (("events", "DOP853"), ("events", "RK45"), ("events", "Radau"), ("plain", "Radau")):
            for tol in TOLERANCES:
                try:
                    end, count = problem(how == "events", method, tol)
                except (Enough, ArithmeticError) as why:
                    print(name, how, method, tol, repr(why), file=sys.stderr)
                    continue
                error = abs(end - END[name]) / SCALE[name]
                out.writerow([name, how, method, f"{tol:e}", f"{error:.3e}", count])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
