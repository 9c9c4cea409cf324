"""Writes t_handle.stl beside itself: a T-shaped handle of aluminium, extruded from an outline, in millimetres.

    python3 examples/meshes/t_handle.py

The origin of the file is where the stem meets the bar; x goes along the stem, y along the bar, z across. It prints
mass, centre of mass and moments of inertia about that centre, by the theorem of Gauss over the triangles: these stand in
examples/t_handle.rs.
"""

import math
import os

HALF_BAR, HALF_WIDTH, STEM, THICK = 50.0, 7.0, 60.0, 14.0
ROUND = 6  # sides of a half circle
DENSITY = 2.7e-6  # kg/mm^3


def half_circle(x, y, start):
    angles = [start + math.pi * k / ROUND for k in range(ROUND + 1)]
    return [(x + HALF_WIDTH * math.cos(a), y + HALF_WIDTH * math.sin(a)) for a in angles]


def outline():
    """Counter-clockwise: the end of the stem, the ends of the bar."""
    inner = [(HALF_WIDTH, -HALF_WIDTH)]
    stem = half_circle(STEM, 0.0, -math.pi / 2)
    corner = [(HALF_WIDTH, HALF_WIDTH)]
    left = half_circle(0.0, HALF_BAR - HALF_WIDTH, 0.0)
    right = half_circle(0.0, HALF_WIDTH - HALF_BAR, math.pi)
    return inner + stem + corner + left + right


def area(a, b, c):
    return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))


def ears(points):
    """The polygon in triangles: corners are cut off of which nothing lies inside."""
    left, found = list(range(len(points))), []
    while len(left) > 3:
        for k in range(len(left)):
            i, j, l = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = points[i], points[j], points[l]
            others = [points[m] for m in left if m not in (i, j, l)]
            inside = any(min(area(a, b, p), area(b, c, p), area(c, a, p)) >= 0.0 for p in others)
            if area(a, b, c) > 1e-9 and not inside:
                found.append((i, j, l))
                left.pop(k)
                break
    return found + [tuple(left)]


def solid(points):
    low, high = -0.5 * THICK, 0.5 * THICK
    triangles = []
    for i, j, l in ears(points):
        a, b, c = points[i], points[j], points[l]
        triangles.append([(*a, high), (*b, high), (*c, high)])
        triangles.append([(*a, low), (*c, low), (*b, low)])
    for k, b in enumerate(points):
        a = points[k - 1]
        triangles.append([(*a, low), (*b, low), (*b, high)])
        triangles.append([(*a, low), (*b, high), (*a, high)])
    return triangles


def normal(a, b, c):
    u, v = [b[i] - a[i] for i in range(3)], [c[i] - a[i] for i in range(3)]
    n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    length = math.hypot(*n)
    return [x / length for x in n]


def inertia(triangles):
    """Mass, centre, and moments about it: sums over the tetrahedra between the origin and each triangle."""
    volume, first, second = 0.0, [0.0] * 3, [0.0] * 3
    for a, b, c in triangles:
        six = sum(a[i] * (b[i - 2] * c[i - 1] - b[i - 1] * c[i - 2]) for i in range(3))
        volume += six / 6
        for i in range(3):
            total = a[i] + b[i] + c[i]
            first[i] += six / 24 * total
            second[i] += six / 120 * (a[i] ** 2 + b[i] ** 2 + c[i] ** 2 + total**2)
    centre = [x / volume for x in first]
    about = [second[i] - volume * centre[i] ** 2 for i in range(3)]
    return DENSITY * volume, centre, [DENSITY * (sum(about) - x) for x in about]


def main():
    triangles = solid(outline())
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "t_handle.stl"), "w") as out:
        out.write("solid t_handle\n")
        for triangle in triangles:
            out.write("facet normal %.6g %.6g %.6g\n outer loop\n" % tuple(x + 0.0 for x in normal(*triangle)))
            for corner in triangle:
                out.write("  vertex %.6g %.6g %.6g\n" % tuple(round(x, 6) + 0.0 for x in corner))
            out.write(" endloop\nendfacet\n")
        out.write("endsolid t_handle\n")
    mass, centre, moments = inertia(triangles)
    print("mass %.6g kg, centre of mass at x = %.6g mm" % (mass, centre[0]))
    print("moments of inertia %s kg m^2" % ", ".join("%.6g" % (1e-6 * x) for x in moments))


main()
