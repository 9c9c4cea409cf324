// Lines that both views draw: the grid, the paths of points, the axes of bodies, velocities, forces, torques.

/** Pieces of half a line of the grid, at most. */
const CUTS = 12;

/** The axes of the ground that are level in the picture, and the third one; in a plane it is the plane's. */
function level(run) {
  const up = run.planar ? 2 : run.upright[2].findIndex((x) => x !== 0);
  return [...[0, 1, 2].filter((axis) => axis !== up), up];
}

/** How wide and deep the run is. */
function across(run) {
  const [low, high] = run.bounds;
  return Math.max(run.size, ...level(run).slice(0, 2).map((axis) => high[axis] - low[axis]));
}

/** How far apart the lines of the grid are: so that some pass through the picture, of the whole run or of a mechanism that
 * is followed. */
export function spacing(run) {
  const way = across(run);
  return nice(way > 5 * run.size ? Math.max(run.size / 2, way / 150) : way / 8);
}

/** Ends of the lines of a grid behind a planar mechanism, or under a spatial one, at the height `floor` or at 0. They are in
 * pieces: of a line that passes the eye some renderers paint nothing. */
export function grid(run, floor) {
  const [low, high] = run.bounds;
  const [size, step] = [across(run), spacing(run)];
  const [a, b, c] = level(run);
  const height = run.planar ? -0.06 * run.size : Math.min(floor, 0) * run.upright[2][c];
  const at = (axis, d) => step * (Math.round((0.5 * (low[axis] + high[axis])) / step) + d);
  const count = Math.ceil((run.planar ? 1.6 : 1) * (size / step));
  const piece = Math.ceil(count / CUTS);
  const out = [];
  const add = (x, y) => {
    const p = [0, 0, 0];
    [p[a], p[b], p[c]] = [at(a, x), at(b, y), height];
    out.push(...p);
  };
  for (let d = -count; d <= count; d++) {
    for (let e = -count; e < count; e += piece) {
      const end = Math.min(count, e + piece);
      add(d, e);
      add(d, end);
      add(e, d);
      add(end, d);
    }
  }
  return new Float32Array(out);
}

/** 1, 2 or 5 times a power of ten. */
export function nice(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const digits = x / power;
  return power * (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10);
}

const MOST_POINTS = 1200;

/** Paths over the run: for each of some times, a piece of every path, so that what has been passed by a
 * time comes first. */
export class Paths {
  constructor(parts, traces) {
    const { run } = parts;
    const count = Math.min(run.times.length, MOST_POINTS);
    const frame = (i) => Math.round((i * (run.times.length - 1)) / Math.max(1, count - 1));
    this.frames = Array.from({ length: count }, (_, i) => frame(i));
    this.times = this.frames.map((k) => run.times[k]);
    this.traces = traces;
    const paths = traces.map((trace) => parts.path(trace.anchor, this.frames));
    this.ends = new Float32Array(6 * traces.length * Math.max(0, count - 1));
    let o = 0;
    for (let i = 0; i + 1 < count; i++) {
      for (const path of paths) {
        this.ends.set(path.subarray(3 * i, 3 * i + 6), o);
        o += 6;
      }
    }
  }

  /** How many pieces have been passed. */
  passed(t) {
    let k = 0;
    while (k + 1 < this.times.length && this.times[k + 1] <= t) k++;
    return k * this.traces.length;
  }
}

/** Ends of the axes of all bodies. */
export function axes(parts, out) {
  const length = Math.min(0.14 * parts.run.size, 9 * parts.radius);
  parts.poses.forEach((pose, b) => {
    for (let k = 0; k < 3; k++) {
      const o = 18 * b + 6 * k;
      for (let i = 0; i < 3; i++) {
        out[o + i] = pose[i];
        out[o + 3 + i] = pose[i] + length * pose[3 + 3 * k + i];
      }
    }
  });
}

/** Ends of arrows of velocity: a shaft and two barbs for each body. Scaled so that the largest one over
 * the run is a fifth of the mechanism. */
export class Velocities {
  constructor(parts) {
    this.parts = parts;
    this.before = new Float64Array(parts.now.length);
    this.after = new Float64Array(parts.now.length);
    this.scale = 0;
    const { run } = parts;
    let most = 0;
    for (let k = 0; k <= 60; k++) {
      const t = run.start + (k / 60) * (run.end - run.start);
      run.bodies.forEach((_, b) => (most = Math.max(most, Math.hypot(...this.of(b, t)))));
    }
    this.scale = most > 0 ? (0.2 * run.size) / most : 0;
  }

  /** The velocity of a body's origin, by a difference over a frame. */
  of(b, t) {
    const { run } = this.parts;
    const h = 1e-3 * (run.end - run.start) || 1;
    const [t0, t1] = [Math.max(run.start, t - h), Math.min(run.end, t + h)];
    if (this.seen !== t) {
      run.at(t0, this.before);
      run.at(t1, this.after);
      this.seen = t;
    }
    const c = run.bodies[b].at;
    const flat = run.bodies[b].kind === "planar" || run.bodies[b].kind === "planar-mass";
    const part = (i) => (t1 > t0 ? (this.after[c + i] - this.before[c + i]) / (t1 - t0) : 0);
    return [part(0), part(1), flat ? 0 : part(2)];
  }

  ends(t, out) {
    this.parts.poses.forEach((pose, b) => {
      arrow(pose, this.of(b, t).map((x) => this.scale * x), out, 18 * b);
    });
  }
}

/** A shaft and two barbs. */
function arrow(from, v, out, o) {
  const flat = Math.hypot(v[0], v[1]);
  const long = Math.hypot(flat, v[2]);
  const side = flat > 1e-6 * long ? [(-v[1] * long) / flat, (v[0] * long) / flat, 0] : [long, 0, 0];
  for (let i = 0; i < 3; i++) {
    const tip = from[i] + v[i];
    out[o + i] = from[i];
    out[o + 3 + i] = tip;
    out[o + 6 + i] = out[o + 12 + i] = tip;
    out[o + 9 + i] = tip - 0.2 * v[i] + 0.1 * side[i];
    out[o + 15 + i] = tip - 0.2 * v[i] - 0.1 * side[i];
  }
}

/** Length of the arrow of the largest force over the run, blows apart, in parts of the mechanism's size; as
 * src/animate/scene.rs has it. Arrows of blows end at so many times as much. */
const LENGTH = 0.3;
const MOST = 3;

/** A vector, cut off where it is longer. */
function cut(v, most) {
  const size = Math.hypot(...v);
  return size > most ? v.map((x) => (x * most) / size) : v;
}

/** Ends of arrows of the forces that joints and rods exert on their second bodies. */
export class Forces {
  constructor(parts) {
    this.parts = parts;
    /** How much longer the arrows are than at first. */
    this.gain = 1;
    this.place = new Float64Array(3);
    this.lines = new Float32Array(18 * parts.run.forces.length);
  }

  /** How long the arrow of the largest force is, in metres. */
  get longest() {
    return this.gain * LENGTH * this.parts.run.size;
  }

  /** Metres for each newton. */
  get scale() {
    return this.longest / this.parts.run.force;
  }

  of(force) {
    return [0, 1, 2].map((i) => this.parts.now[force.channel + i]);
  }

  ends(out) {
    const { scale, parts } = this;
    const most = MOST * this.longest;
    parts.run.forces.forEach((force, k) => {
      arrow(parts.point(force.at, this.place), cut(this.of(force).map((x) => scale * x), most), out, 18 * k);
    });
  }
}

/** Radius of the arrow of the largest torque over the run, in parts of the mechanism's size. */
const RADIUS = 0.1;
/** Pieces of an arc, which goes three quarters around. */
const PIECES = 18;
const TURN = 1.5 * Math.PI;
/** Numbers of an arrow: an arc and two barbs. */
export const ARC = 6 * (PIECES + 2);

/** Ends of arrows of the torques that joints exert on their second bodies: arcs around the torque, the way it turns. */
export class Torques {
  constructor(parts) {
    this.parts = parts;
    this.gain = 1;
    this.place = new Float64Array(3);
    this.lines = new Float32Array(ARC * parts.run.forces.length);
  }

  /** Metres of radius for each newton metre. */
  get scale() {
    const { run } = this.parts;
    return (this.gain * RADIUS * run.size) / run.torque;
  }

  of(force) {
    return [3, 4, 5].map((i) => this.parts.now[force.channel + i]);
  }

  ends(out) {
    const most = MOST * this.gain * RADIUS * this.parts.run.size;
    this.parts.run.forces.forEach((force, k) => {
      const torque = this.of(force);
      const size = Math.hypot(...torque);
      arc(this.parts.point(force.at, this.place), torque.map((x) => (size > 0 ? x / size : 0)), Math.min(this.scale * size, most), out, ARC * k);
    });
  }
}

/** Three quarters of a circle around an axis with a point at its end. */
function arc(at, axis, r, out, o) {
  const far = Math.abs(axis[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0];
  const across = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  let x = across(far, axis);
  const length = Math.hypot(...x) || 1;
  x = x.map((value) => value / length);
  const y = across(axis, x);
  const point = (angle, radius, to) => {
    const [c, s] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    for (let i = 0; i < 3; i++) out[to + i] = at[i] + c * x[i] + s * y[i];
  };
  for (let k = 0; k < PIECES; k++) {
    point((TURN * k) / PIECES, r, o + 6 * k);
    point((TURN * (k + 1)) / PIECES, r, o + 6 * k + 3);
  }
  const tip = o + 6 * PIECES;
  [0.78, 1.22].forEach((radius, k) => {
    point(TURN, r, tip + 6 * k);
    point(TURN - 0.35, radius * r, tip + 6 * k + 3);
  });
}

/** Arrows as sticks: two points and a radius each. */
export class Thick {
  constructor(arrows) {
    this.arrows = arrows;
    this.numbers = new Float32Array((7 * arrows.lines.length) / 6);
  }

  sticks() {
    const { lines, parts } = this.arrows;
    this.arrows.ends(lines);
    for (let k = 0, o = 0; o < lines.length; k += 7, o += 6) {
      this.numbers.set(lines.subarray(o, o + 6), k);
      this.numbers[k + 6] = 0.3 * parts.radius;
    }
    return this.numbers;
  }
}
