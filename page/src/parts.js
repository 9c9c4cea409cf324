// What is to be seen of a run: every item of the drawing as parts of a few kinds, and where they are at
// a time. Both views, with WebGL and without, draw these.

import { ofIndex, ofName, ofRun } from "./colors.js";

/** Kinds of parts with the numbers of each in a row of its array. */
export const STRIDE = {
  stick: 7, // two points, radius
  spring: 7,
  ball: 16, // columns of a matrix: three half axes, centre; 12 numbers used, then 4 unused
  box: 16,
  disc: 16,
};

const pinned = new Set(["revolute", "universal", "cylindrical", "planar"]);
const sliding = new Set(["prismatic", "slot", "point_on_line"]);

function list(kind) {
  return { kind, numbers: new Float32Array(0), items: [], fills: [] };
}

export class Parts {
  constructor(run) {
    this.run = run;
    /** How many times the motion is magnified: the difference of every number from where it is at the start. */
    this.gain = 1;
    this.rest = new Float64Array(run.channels.length);
    run.at(run.start, this.rest);
    /** The numbers that are forces are none of the motion. */
    this.moving = new Uint8Array(run.channels.length).fill(1);
    run.forces.forEach((force) => this.moving.fill(0, force.channel, force.channel + 6));
    this.now = new Float64Array(run.channels.length);
    this.poses = run.bodies.map(() => new Float64Array(12));
    this.lists = Object.fromEntries(
      ["stick", "spring", "ball", "box", "disc", "pin", "knob", "block", "foot", "lump", "plate"].map((name) => [
        name,
        list(name),
      ]),
    );
    run.solids.forEach((_, k) => (this.lists[`mesh${k}`] = list("mesh")));
    this.lines = []; // polylines: { item, points: [anchor…] }
    this.traces = []; // { name, anchor }
    this.scratch = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];
    /** How low anything gets. */
    this.floor = 0;
    this.measure();
    this.build();
    for (const one of Object.values(this.lists)) {
      const stride = this.strideOf(one.kind);
      one.numbers = new Float32Array(stride * one.items.length);
    }
  }

  strideOf(kind) {
    return kind === "stick" || kind === "spring" ? 7 : 16;
  }

  /** Thickness: of the mechanism's size, but no more than its parts are long. */
  measure() {
    const { run } = this;
    this.run.at(run.start, this.now);
    this.place();
    const lengths = [];
    for (const item of run.items) {
      if (!["part", "rod", "line"].includes(item.look) || item.at.length < 2) continue;
      const [p, q] = [this.point(item.at[0], new Float64Array(3)), this.point(item.at[1], new Float64Array(3))];
      const length = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
      if (length > 0) lengths.push(length);
    }
    lengths.sort((a, b) => a - b);
    const typical = lengths.length ? lengths[lengths.length >> 1] : run.size;
    this.radius = Math.min(0.011 * run.size, 0.12 * typical);
  }

  add(kind, item, fill) {
    const one = this.lists[kind];
    one.items.push(item);
    one.fills.push(fill);
  }

  build() {
    const { run } = this;
    const named = new Map(run.bodies.map((body, k) => [body.name, k]));
    let next = run.bodies.length;
    run.items.forEach((item) => {
      const owner = item.at.find((anchor) => anchor.length === 4);
      const of = named.get(item.name) ?? (item.look === "part" || item.color ? undefined : owner?.[0]);
      // A shape is coloured as its body; what belongs to none has a colour of its own.
      item.tint = { name: item.color, index: of ?? (["joint", "spring", "actuator", "rod"].includes(item.look) ? -1 : next++) };
      item.body = owner?.[0];
      this.item(item);
    });
    run.bodies.forEach((body, k) => {
      const item = { name: body.name, look: "body", body: k, run: body.run, tint: { index: k } };
      if (body.lump) this.lump(body, k, item);
      this.traces.push({ name: body.name, anchor: [k, 0, 0, 0], asked: false });
    });
  }

  /** A body of which only its inertia is known, which is seen through, or a point mass. */
  lump(body, k, item) {
    const [a, b, c] = body.inertia;
    if (a === 0 && b === 0 && c === 0) {
      const r = 2.2 * this.radius;
      this.add("ball", item, (out, o) => this.body(k, r, r, r, out, o));
    } else if (body.kind === "planar") {
      this.add("plate", item, (out, o) => this.body(k, a, a, 0.7 * this.radius, out, o));
    } else {
      this.add("lump", item, (out, o) => this.body(k, a, b, c, out, o));
    }
  }

  item(item) {
    const r = this.radius;
    const at = item.at;
    const number = (k) => () => this.number(item.n[k]);
    switch (item.look) {
      case "part":
        return this.stick(item, at[0], at[1], () => r);
      case "line":
        return this.stick(item, at[0], at[1], () => r);
      case "rod":
        return this.stick(item, at[0], at[1], () => 0.55 * r);
      case "actuator":
        return this.actuator(item, at[0], at[1]);
      case "cylinder":
        return this.stick(item, at[0], at[1], number(0), true);
      case "spring":
        return this.add("spring", item, (out, o) => this.ends(at[0], at[1], 2.2 * r, out, o));
      case "circle": {
        const radius = number(0);
        return this.add("disc", item, (out, o) => this.posed(at, radius(), radius(), 0.7 * r, out, o));
      }
      case "sphere": {
        const radius = number(0);
        return this.add("ball", item, (out, o) => this.posed(at, radius(), radius(), radius(), out, o));
      }
      case "box": {
        const edge = (k) => () => 0.5 * this.number(item.n[k]);
        const [x, y, z] = [edge(0), edge(1), edge(2)];
        return this.add("box", item, (out, o) => this.posed(at, x(), y(), z() || 0.9 * r, out, o));
      }
      case "mesh": {
        const { centre, half } = this.run.solids[item.mesh];
        return this.add(`mesh${item.mesh}`, item, (out, o) => {
          const scale = this.number(item.n[0]);
          this.posed(at, scale, scale, scale, out, o);
          for (let i = 0; i < 3; i++) {
            for (let axis = 0; axis < 3; axis++) out[o + 12 + i] += centre[axis] * out[o + 4 * axis + i];
            for (let axis = 0; axis < 3; axis++) out[o + 4 * axis + i] *= half[axis];
          }
        });
      }
      case "polyline":
        return at.slice(1).forEach((q, k) => this.stick(item, at[k], q, () => 0.8 * r));
      case "trace":
        return this.traces.push({ name: item.name, anchor: at[0], asked: true, item });
      case "joint":
        return this.joint(item);
      default:
    }
  }

  stick(item, p, q, radius) {
    this.add("stick", item, (out, o) => this.ends(p, q, radius(), out, o));
  }

  /** A cylinder on its first end and a piston rod to its second. */
  actuator(item, p, q) {
    const r = this.radius;
    this.stick(item, p, q, () => 0.5 * r);
    const length = (out) => Math.hypot(...[0, 1, 2].map((i) => out[3 + i] - out[i]));
    const ends = new Float32Array(7);
    this.ends(p, q, 0, ends, 0);
    const barrel = 0.6 * length(ends);
    this.add("stick", item, (out, o) => {
      this.ends(p, q, 1.3 * r, out, o);
      const now = Math.hypot(...[0, 1, 2].map((i) => out[o + 3 + i] - out[o + i]));
      const part = now > 0 ? Math.min(1, barrel / now) : 0;
      for (let i = 0; i < 3; i++) out[o + 3 + i] = out[o + i] + part * (out[o + 3 + i] - out[o + i]);
    });
  }

  joint(item) {
    const r = 1.5 * this.radius;
    const [a, b, axis] = item.at;
    const kind = item.kind;
    // A place on a plane is where the second body is.
    if (kind === "in_plane" || kind === "planar") return this.add("knob", item, (out, o) => this.upright(b, 1.15 * r, out, o));
    if (axis && (sliding.has(kind) || kind === "cylindrical")) this.rail(item, a, b, axis);
    if (sliding.has(kind)) {
      this.add("block", item, (out, o) => this.along(b, a, axis, r, 2.2 * r, out, o));
    } else if (pinned.has(kind)) {
      // In a plane the axis is normal to it.
      this.add("pin", item, (out, o) => this.along(a, a, axis, r, 1.25 * r, out, o));
    } else if (kind === "weld" || kind === "fixed") {
      this.add("block", item, (out, o) => this.along(a, a, axis, r, r, out, o));
    } else {
      this.add("knob", item, (out, o) => this.upright(a, 1.15 * r, out, o));
    }
    const ground = [a, b].find((anchor) => anchor.length === 3);
    if (ground && !sliding.has(kind)) {
      this.add("foot", { ...item, look: "ground", name: "ground" }, (out, o) => this.upright(ground, 2.4 * r, out, o));
    }
  }

  /** What a joint slides on: along its axis, as far as it goes over the run. */
  rail(item, a, b, axis) {
    const r = 1.5 * this.radius;
    const [p, q, end] = [0, 1, 2].map(() => new Float64Array(3));
    const along = () => {
      [[a, p], [b, q], [axis, end]].forEach(([anchor, out]) => this.point(anchor, out));
      const way = [0, 1, 2].map((i) => end[i] - p[i]);
      const length = Math.hypot(...way) || 1;
      return way.map((x) => x / length);
    };
    let [low, high] = [0, 0];
    const { run } = this;
    for (let k = 0; k <= 60; k++) {
      this.at(run.start + (k / 60) * (run.end - run.start));
      this.place();
      const way = along();
      const s = way.reduce((sum, x, i) => sum + x * (q[i] - p[i]), 0);
      if (Number.isFinite(s)) [low, high] = [Math.min(low, s), Math.max(high, s)];
    }
    // The view begins where the run does.
    this.at(run.start);
    this.place();
    // What never slides has no rail.
    if (high - low < 0.5 * this.radius) return;
    this.add("stick", item, (out, o) => {
      const way = along();
      for (let i = 0; i < 3; i++) {
        out[o + i] = p[i] + (low - 3 * r) * way[i];
        out[o + 3 + i] = p[i] + (high + 3 * r) * way[i];
      }
      out[o + 6] = 0.3 * r;
    });
  }

  // -- where things are ------------------------------------------------------------------------------

  /** Moves everything to a time. */
  seek(t) {
    this.at(t);
    this.place();
    for (const one of Object.values(this.lists)) {
      const stride = this.strideOf(one.kind);
      for (let k = 0; k < one.fills.length; k++) one.fills[k](one.numbers, stride * k);
    }
  }

  /** The numbers at a time, of a magnified motion. */
  at(t) {
    const { gain, rest, now } = this;
    this.run.at(t, now);
    if (gain === 1) return;
    for (let c = 0; c < now.length; c++) if (this.moving[c]) now[c] = rest[c] + gain * (now[c] - rest[c]);
  }

  /** Poses of the bodies: origin, then the axes one after the other. */
  place() {
    this.run.bodies.forEach((body, k) => {
      const [pose, q, c] = [this.poses[k], this.now, body.at];
      pose.fill(0);
      pose[3] = pose[7] = pose[11] = 1;
      pose[0] = q[c];
      pose[1] = q[c + 1];
      if (body.kind === "planar") {
        const angle = q[c + 2];
        pose[3] = pose[7] = Math.cos(angle);
        pose[4] = Math.sin(angle);
        pose[6] = -pose[4];
      } else if (body.kind !== "planar-mass") {
        pose[2] = q[c + 2];
        if (body.kind === "spatial") euler(q, c + 3, pose);
      }
    });
  }

  number(n) {
    return typeof n === "number" ? n : this.now[n[0]];
  }

  /** Where an anchor is: in the ground, on a body, or by three numbers that move. */
  point(anchor, out) {
    if (anchor.length === 3) {
      out[0] = anchor[0];
      out[1] = anchor[1];
      out[2] = anchor[2];
    } else if (anchor.length === 1) {
      const c = anchor[0];
      out[0] = this.now[c];
      out[1] = this.now[c + 1];
      out[2] = this.now[c + 2];
    } else {
      const pose = this.poses[anchor[0]];
      const [, x, y, z] = anchor;
      for (let i = 0; i < 3; i++) {
        out[i] = pose[i] + pose[3 + i] * x + pose[6 + i] * y + pose[9 + i] * z;
      }
    }
    return out;
  }

  ends(p, q, radius, out, o) {
    const [a, b] = this.scratch;
    this.point(p, a);
    this.point(q, b);
    out[o] = a[0];
    out[o + 1] = a[1];
    out[o + 2] = a[2];
    out[o + 3] = b[0];
    out[o + 4] = b[1];
    out[o + 5] = b[2];
    out[o + 6] = radius;
  }

  /** A matrix with these half axes along those of a body. */
  body(k, a, b, c, out, o) {
    const pose = this.poses[k];
    for (let i = 0; i < 3; i++) {
      out[o + i] = a * pose[3 + i];
      out[o + 4 + i] = b * pose[6 + i];
      out[o + 8 + i] = c * pose[9 + i];
      out[o + 12 + i] = pose[i];
    }
    out[o + 15] = 1;
  }

  /** The same along axes given by an origin and the ends of x and y. */
  posed(at, a, b, c, out, o) {
    const [origin, x, y] = this.scratch;
    this.point(at[0], origin);
    this.point(at[1], x);
    this.point(at[2], y);
    for (let i = 0; i < 3; i++) {
      x[i] -= origin[i];
      y[i] -= origin[i];
    }
    for (let i = 0; i < 3; i++) {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      out[o + i] = a * x[i];
      out[o + 4 + i] = b * y[i];
      out[o + 8 + i] = c * (x[j] * y[k] - x[k] * y[j]);
      out[o + 12 + i] = origin[i];
    }
    out[o + 15] = 1;
  }

  upright(at, r, out, o) {
    const [p] = this.scratch;
    this.point(at, p);
    out.fill(0, o, o + 16);
    out[o] = out[o + 5] = out[o + 10] = r;
    out.set(p, o + 12);
    out[o + 15] = 1;
  }

  /** Half axes r, r across an axis and l along it, which is the matrix's third. */
  along(at, from, end, r, l, out, o) {
    const [p, a, z] = this.scratch;
    if (end) {
      this.point(from, a);
      this.point(end, z);
      for (let i = 0; i < 3; i++) z[i] -= a[i];
    } else {
      z[0] = z[1] = 0;
      z[2] = 1;
    }
    const length = Math.hypot(z[0], z[1], z[2]) || 1;
    for (let i = 0; i < 3; i++) z[i] /= length;
    const far = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0];
    const x = [far[1] * z[2] - far[2] * z[1], far[2] * z[0] - far[0] * z[2], far[0] * z[1] - far[1] * z[0]];
    const scale = 1 / Math.hypot(...x);
    this.point(at, p);
    for (let i = 0; i < 3; i++) {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3];
      out[o + i] = r * scale * x[i];
      out[o + 4 + i] = r * scale * (z[j] * x[k] - z[k] * x[j]);
      out[o + 8 + i] = l * z[i];
      out[o + 12 + i] = p[i];
    }
    out[o + 15] = 1;
  }

  /** The path of an anchor over all frames, three numbers each. */
  path(anchor, frames) {
    const out = new Float32Array(3 * frames.length);
    const p = new Float64Array(3);
    frames.forEach((k, i) => {
      this.at(this.run.times[k]);
      this.place();
      out.set(this.point(anchor, p), 3 * i);
    });
    return out;
  }

  /** The colour of an item. */
  color(item, theme, palette) {
    const plain = item.look === "ground" || item.look === "joint";
    // Of several runs the first has its pins and feet in the usual colours.
    if (this.run.runs && !(item.run === 0 && plain)) return ofRun(item.run);
    if (item.look === "ground") return palette.base;
    if (item.look === "joint") return palette.pin;
    if (item.tint?.name) return ofName(item.tint.name, theme);
    if (["spring", "actuator", "rod"].includes(item.look)) return palette.soft;
    return ofIndex(item.tint?.index ?? 0);
  }
}

/** Columns of the rotation matrix of Euler parameters, after norming them. */
function euler(q, c, pose) {
  const norm = Math.hypot(q[c], q[c + 1], q[c + 2], q[c + 3]) || 1;
  const [s, x, y, z] = [q[c] / norm, q[c + 1] / norm, q[c + 2] / norm, q[c + 3] / norm];
  pose[3] = 1 - 2 * (y * y + z * z);
  pose[4] = 2 * (x * y + s * z);
  pose[5] = 2 * (x * z - s * y);
  pose[6] = 2 * (x * y - s * z);
  pose[7] = 1 - 2 * (x * x + z * z);
  pose[8] = 2 * (y * z + s * x);
  pose[9] = 2 * (x * z + s * y);
  pose[10] = 2 * (y * z - s * x);
  pose[11] = 1 - 2 * (x * x + y * y);
}
