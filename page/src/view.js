// The picture of the mechanism: painter, camera, what is under the pointer.

import { Vector3 } from "three";
import { Camera } from "./camera.js";
import { short } from "./data.js";
import { FlatPainter } from "./flat.js";
import { GlPainter } from "./gl.js";
import { Forces, Paths, Torques, Velocities } from "./lines.js";
import { Marks } from "./marks.js";
import { Parts } from "./parts.js";

/** How near the pointer has to be, in pixels. */
const NEAR = 8;
/** How much more than the mechanism the picture holds; of one that travels, of which the start is looked at. */
const MARGIN = [1.12, 1.5];
/** Instants of a run at which is looked what the picture has to hold. */
const LOOKS = 40;
/** Paths of bodies drawn at once. */
const MOST_PATHS = 24;

export class View {
  constructor(run, canvas, flat) {
    this.run = run;
    this.canvas = canvas;
    this.parts = new Parts(run);
    this.options = { axes: false, velocities: undefined, forces: undefined, torques: undefined, rings: [], passed: 0, t: run.start };
    this.pulls = new Forces(this.parts);
    this.twists = new Torques(this.parts);
    this.marks = new Marks(this.parts);
    const seen = this.seen();
    const [, , up] = run.upright;
    for (let k = 0; k < seen.length; k += 3) {
      this.parts.floor = Math.min(this.parts.floor, seen[k] * up[0] + seen[k + 1] * up[1] + seen[k + 2] * up[2]);
    }
    this.painter = this.painterFor(flat);
    this.camera = new Camera(run, this.canvas, () => (this.stale = true), seen, MARGIN[Number(this.travels())]);
    if (this.travels()) this.camera.followed = 0;
    this.tracing = false;
    this.trace(false);
    this.stale = true;
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => (this.stale = true));
  }

  painterFor(flat) {
    if (!flat) {
      try {
        return new GlPainter(this.parts, this.canvas);
      } catch {
        // A canvas that was asked for WebGL gives no other context.
        const fresh = this.canvas.cloneNode(false);
        this.canvas.replaceWith(fresh);
        this.canvas = fresh;
      }
    }
    return new FlatPainter(this.parts, this.canvas);
  }

  /** Whether it goes much farther than it is large, as a vehicle does: then it is followed. */
  travels() {
    const { bounds, size, bodies } = this.run;
    const way = Math.hypot(...[0, 1, 2].map((i) => bounds[1][i] - bounds[0][i]));
    return bodies.length > 0 && way > 5 * size;
  }

  /** Points of all that is to be seen at first: of everything over the run, or of the mechanism where it starts. */
  seen() {
    const { run, parts } = this;
    const looks = this.travels() ? 1 : LOOKS;
    const points = [];
    const p = new Float64Array(3);
    for (let k = 0; k < looks; k++) {
      parts.seek(run.start + (looks > 1 ? (k / (looks - 1)) * (run.end - run.start) : 0));
      for (const list of Object.values(parts.lists)) {
        const [stride, n] = [parts.strideOf(list.kind), list.numbers];
        for (let o = 0; o + stride <= n.length; o += stride) {
          if (stride === 7) [0, 3].forEach((end) => points.push(n[o + end], n[o + end + 1], n[o + end + 2]));
          else {
            for (let c = 0; c < 8; c++) {
              const corner = (i) => [0, 1, 2].reduce((x, axis) => x + (c & (1 << axis) ? 1 : -1) * n[o + 4 * axis + i], n[o + 12 + i]);
              points.push(corner(0), corner(1), corner(2));
            }
          }
        }
      }
      for (const arrows of [this.options.forces, this.options.torques]) {
        arrows?.ends(arrows.lines);
        const n = arrows?.lines ?? [];
        // A blow's arrow, longer than all others, is there for a moment.
        const most = 1.1 * this.pulls.longest;
        for (let o = 0; o < n.length; o += 6) {
          if (Math.hypot(n[o + 3] - n[o], n[o + 4] - n[o + 1], n[o + 5] - n[o + 2]) <= most) points.push(...n.subarray(o, o + 6));
        }
      }
      parts.traces.filter((one) => one.asked).forEach((one) => points.push(...parts.point(one.anchor, p)));
    }
    parts.seek(run.start);
    const finite = [];
    for (let k = 0; k < points.length; k += 3) {
      if (Number.isFinite(points[k] + points[k + 1] + points[k + 2])) finite.push(points[k], points[k + 1], points[k + 2]);
    }
    return new Float32Array(finite);
  }

  get isFlat() {
    return this.painter instanceof FlatPainter;
  }

  theme(theme, palette) {
    [this.themeName, this.palette] = [theme, palette];
    this.painter.colors(theme, palette, this.hovered);
    this.stale = true;
  }

  trace(on) {
    this.tracing = on;
    const { traces } = this.parts;
    const chosen = traces.filter((one) => one.asked || on).slice(0, MOST_PATHS);
    this.paths = chosen.length ? new Paths(this.parts, chosen) : undefined;
    this.painter.paths(this.paths);
    if (this.palette) this.painter.colors(this.themeName, this.palette, this.hovered);
    this.stale = true;
  }

  velocities(on) {
    this.speeds ??= on ? new Velocities(this.parts) : undefined;
    this.options.velocities = on ? this.speeds : undefined;
    this.stale = true;
  }

  forces(on) {
    this.options.forces = on ? this.pulls : undefined;
    this.look();
  }

  torques(on) {
    this.options.torques = on ? this.twists : undefined;
    this.look();
  }

  /** What the picture has to hold changes with the arrows; a view that nobody has moved shows it. */
  look() {
    this.camera.points = this.seen();
    if (!this.camera.touched) this.camera.fit();
    this.stale = true;
  }

  /** Makes arrows of force and torque so many times as long as at first. */
  lengthen(gain) {
    this.pulls.gain = this.twists.gain = gain;
    this.look();
  }

  /** Shows the motion so many times as large. */
  magnify(gain) {
    this.parts.gain = gain;
    this.trace(this.tracing);
  }

  /** How far anything that is drawn goes from where it is at the start, at most, in parts of the mechanism's size. */
  reach() {
    const { run, parts } = this;
    const lists = Object.values(parts.lists).map((list) => ({ stride: parts.strideOf(list.kind), list }));
    const ends = () => lists.map(({ stride, list }) => list.numbers.slice(0, 200 * stride));
    parts.seek(run.start);
    const first = ends();
    let most = 0;
    for (let k = 1; k < 60; k++) {
      parts.seek(run.start + (k / 59) * (run.end - run.start));
      ends().forEach((now, l) => {
        // Points, or axes and an origin: three numbers each.
        const step = lists[l].stride === 7 ? 3 : 4;
        for (let o = 0; o < now.length; o += lists[l].stride) {
          for (let c = o; c + 3 <= o + lists[l].stride; c += step) {
            const way = Math.hypot(now[c] - first[l][c], now[c + 1] - first[l][c + 1], now[c + 2] - first[l][c + 2]);
            if (way > most) most = way;
          }
        }
      });
    }
    parts.seek(run.start);
    return most / run.size;
  }

  axes(on) {
    this.options.axes = on;
    this.stale = true;
  }

  follow(body) {
    this.camera.followed = body;
    this.camera.last = undefined;
    this.stale = true;
  }

  resize() {
    this.painter.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.camera.resize();
    this.stale = true;
  }

  /** Shows a time, with the events of the last seconds before it; paints only what has changed. */
  show(t, seconds) {
    if (t === this.options.t && !this.stale) return false;
    this.options.t = t;
    this.parts.seek(t);
    const { followed } = this.camera;
    if (followed >= 0) this.camera.follow(this.parts.poses[followed]);
    this.options.rings = this.marks.at(t, seconds);
    this.options.passed = this.paths ? this.paths.passed(t) : 0;
    this.painter.update(this.options);
    this.painter.paint(this.camera);
    this.stale = false;
    return true;
  }

  // -- what is under the pointer --------------------------------------------------------------------

  hover(x, y) {
    const found = x === undefined ? undefined : this.pick(x, y);
    const same = found?.item.name === this.hovered?.name && found?.item.look === this.hovered?.look;
    this.hovered = found?.item;
    if (!same) {
      this.painter.colors(this.themeName, this.palette, this.hovered);
      this.stale = true;
    }
    return this.hovered;
  }

  pick(x, y) {
    let best;
    for (const [name, list] of Object.entries(this.parts.lists)) {
      const stride = this.parts.strideOf(list.kind);
      for (let k = 0; k < list.items.length; k++) {
        const found = stride === 7 ? this.toStick(list.numbers, 7 * k, x, y) : this.toLump(list.numbers, 16 * k, x, y);
        // Of what lies over one another the smaller: a pin before its bodies.
        const rank = found.out > 0 ? 1000 + found.out : found.size + (name === "foot" ? 500 : 0);
        if (found.out <= NEAR && (!best || rank < best.rank)) best = { rank, item: list.items[k] };
      }
    }
    return best;
  }

  toStick(n, o, x, y) {
    const p = new Vector3(n[o], n[o + 1], n[o + 2]);
    const size = n[o + 6] * this.camera.scaleAt(p);
    this.camera.project(p, p);
    const q = this.camera.project(new Vector3(n[o + 3], n[o + 4], n[o + 5]), new Vector3());
    const [dx, dy] = [q.x - p.x, q.y - p.y];
    const along = ((x - p.x) * dx + (y - p.y) * dy) / (dx * dx + dy * dy || 1);
    const part = Math.min(1, Math.max(0, along));
    return { out: Math.hypot(x - p.x - part * dx, y - p.y - part * dy) - size, size: size + 20 };
  }

  toLump(n, o, x, y) {
    const p = new Vector3(n[o + 12], n[o + 13], n[o + 14]);
    const r = Math.max(...[0, 4, 8].map((a) => Math.hypot(n[o + a], n[o + a + 1], n[o + a + 2])));
    const size = r * this.camera.scaleAt(p);
    this.camera.project(p, p);
    return { out: Math.hypot(x - p.x, y - p.y) - size, size };
  }

  /** What is to be said of an item at the time shown: lines of name and value. */
  about(item) {
    const { run, parts } = this;
    const rows = [];
    const body = run.bodies.findIndex((one) => one.name === item.name);
    const say = (name, value, unit) => rows.push([name, `${short(value)}${unit ? ` ${unit}` : ""}`]);
    const force = (run.forces ?? []).find((one) => one.name === item.name);
    if (force) {
      const [x, y, z] = this.pulls.of(force);
      say("force", Math.hypot(x, y, z), "N");
      rows.push(["", (run.planar ? [x, y] : [x, y, z]).map(short).join(", ")]);
      const torque = this.twists.of(force);
      // Of joints that turn freely nothing is left but rounding.
      if (Math.hypot(...torque) > 1e-9 * run.force * run.size) {
        say("torque", run.planar ? torque[2] : Math.hypot(...torque), "N·m");
        if (!run.planar) rows.push(["", torque.map(short).join(", ")]);
      }
    }
    if (item.look === "joint") {
      rows.push(["joint", item.kind]);
      const own = (name) => name === `lambda(${item.name})` || name.startsWith(`lambda(${item.name}[`);
      run.series.filter((one) => own(one.name)).forEach((one) => say(one.name, run.valueOf(one, this.options.t), one.unit));
    } else if (["spring", "rod", "line", "cylinder"].includes(item.look)) {
      const [p, q] = item.at.slice(0, 2).map((anchor) => parts.point(anchor, new Float64Array(3)));
      say("length", Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]), "m");
    }
    if (body >= 0) {
      const pose = parts.poses[body];
      ["x", "y", "z"].slice(0, run.planar ? 2 : 3).forEach((name, i) => say(name, pose[i], "m"));
      if (run.bodies[body].kind === "planar") say("angle", parts.now[run.bodies[body].at + 2] * (180 / Math.PI), "°");
      this.speeds ??= new Velocities(parts);
      say("speed", Math.hypot(...this.speeds.of(body, this.options.t)), "m/s");
    }
    return rows;
  }
}
