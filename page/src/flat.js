// The picture without WebGL: the same parts on a plain canvas, far ones first.

import { Color, Vector3 } from "three";
import { axes, grid } from "./lines.js";
import { HALO, THICK } from "./marks.js";

/** Facets of a file that are drawn, in all its places together. */
const MOST_FACETS = 4000;

export class FlatPainter {
  constructor(parts, canvas) {
    this.parts = parts;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.gridEnds = grid(parts.run, parts.floor);
    this.axisEnds = new Float32Array(18 * parts.run.bodies.length);
    this.arrowEnds = new Float32Array(18 * parts.run.bodies.length);
    this.points = Array.from({ length: 4 }, () => new Vector3());
    this.drawCalls = 0;
    const { lists, run } = parts;
    this.solids = run.solids.map((solid, k) => solid.coarser(Math.max(60, MOST_FACETS / lists[`mesh${k}`].items.length)));
  }

  paths(paths) {
    this.traceEnds = paths?.ends;
  }

  colors(theme, palette, hovered) {
    this.palette = palette;
    this.fills = {};
    for (const [name, list] of Object.entries(this.parts.lists)) {
      this.fills[name] = list.items.map((item) => {
        const color = new Color(this.parts.color(item, theme, palette));
        if (hovered && item.name === hovered.name && item.look === hovered.look) color.lerp(new Color(palette.mark), 0.55);
        return `#${color.getHexString()}`;
      });
    }
  }

  resize(width, height) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    [this.width, this.height] = [width, height];
  }

  update(options) {
    this.options = options;
    if (options.axes) axes(this.parts, this.axisEnds);
    if (options.velocities) options.velocities.ends(options.t, this.arrowEnds);
    for (const arrows of [options.forces, options.torques]) arrows?.ends(arrows.lines);
  }

  paint(camera) {
    const { context, palette, options } = this;
    this.camera = camera;
    camera.camera.updateMatrixWorld();
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, this.width, this.height);
    this.segments(this.gridEnds, this.gridEnds.length, palette.faint, 1);
    if (this.traceEnds) this.segments(this.traceEnds, 6 * options.passed, palette.trace, 1.2);
    const jobs = [];
    for (const name of Object.keys(this.parts.lists)) this.collect(name, jobs);
    jobs.sort((a, b) => b.depth - a.depth);
    jobs.forEach((job) => job.draw());
    if (options.axes) this.segments(this.axisEnds, this.axisEnds.length, palette.mark, 1.2);
    if (options.velocities) this.segments(this.arrowEnds, this.arrowEnds.length, palette.mark, 1.5);
    for (const name of ["forces", "torques"]) {
      const lines = options[name]?.lines;
      if (lines) this.segments(lines, lines.length, palette[name.slice(0, -1)], 1.8);
    }
    this.rings(options.rings);
  }

  /** Rings around the places of events. */
  rings(rings) {
    const { context } = this;
    const [p] = this.points;
    for (const { place, radius, strength } of rings) {
      const r = radius * this.camera.scaleAt(p.fromArray(place));
      this.camera.project(p, p);
      context.globalAlpha = strength;
      for (const [color, width] of [[this.palette.ground, THICK + 2 * HALO], [this.palette.mark, THICK]]) {
        context.strokeStyle = color;
        context.lineWidth = Math.max(1, width * r);
        context.beginPath();
        context.arc(p.x, p.y, (1 - 0.5 * THICK) * r, 0, 2 * Math.PI);
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  segments(ends, length, color, width) {
    const { context } = this;
    const [p, q] = this.points;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    for (let o = 0; o < length; o += 6) {
      this.camera.project(p.fromArray(ends, o), p);
      this.camera.project(q.fromArray(ends, o + 3), q);
      context.moveTo(p.x, p.y);
      context.lineTo(q.x, q.y);
    }
    context.stroke();
  }

  collect(name, jobs) {
    const list = this.parts.lists[name];
    const stride = this.parts.strideOf(list.kind);
    // In a plane joints lie on top of bodies.
    const over = ["pin", "knob", "block"].includes(name) ? 1e-3 : 0;
    list.items.forEach((_, k) => {
      const numbers = list.numbers.subarray(stride * k, stride * (k + 1));
      const color = this.fills[name][k];
      const draw = {
        stick: () => this.stick(numbers, color),
        spring: () => this.spring(numbers, color),
        ball: () => this.ball(numbers, color),
        knob: () => this.ball(numbers, color),
        pin: () => this.pin(numbers, color),
        disc: () => this.disc(numbers, color),
        foot: () => this.foot(numbers, color),
        lump: () => this.clear(() => this.ball(numbers, color)),
        plate: () => this.clear(() => this.disc(numbers, color)),
      }[name] ?? (list.kind === "mesh" ? () => this.facets(numbers, color, this.solids[Number(name.slice(4))]) : () => this.box(numbers, color));
      const at = stride === 7 ? [0, 1, 2].map((i) => 0.5 * (numbers[i] + numbers[3 + i])) : numbers.slice(12, 15);
      const p = this.camera.project(new Vector3(...at), this.points[0]);
      if (Number.isFinite(p.x + p.y)) jobs.push({ depth: p.z - over, draw });
    });
  }

  stick(n, color) {
    const { context } = this;
    const [p, q] = this.points;
    const width = 2 * n[6] * this.camera.scaleAt(p.fromArray(n, 0));
    this.camera.project(p, p);
    this.camera.project(q.fromArray(n, 3), q);
    context.lineCap = "round";
    for (const [stroke, wide] of [[this.palette.ground, width + 2], [color, width]]) {
      context.strokeStyle = stroke;
      context.lineWidth = Math.max(1, wide);
      context.beginPath();
      context.moveTo(p.x, p.y);
      context.lineTo(q.x, q.y);
      context.stroke();
    }
    context.lineCap = "butt";
  }

  spring(n, color) {
    const { context } = this;
    const [p, q] = this.points;
    const wide = n[6] * this.camera.scaleAt(p.fromArray(n, 0));
    this.camera.project(p, p);
    this.camera.project(q.fromArray(n, 3), q);
    const [dx, dy] = [q.x - p.x, q.y - p.y];
    const length = Math.hypot(dx, dy) || 1;
    context.strokeStyle = color;
    context.lineWidth = Math.max(1, 0.35 * wide);
    context.beginPath();
    context.moveTo(p.x, p.y);
    for (let k = 0; k < 12; k++) {
      const part = 0.1 + (0.8 * (k + 0.5)) / 12;
      const side = (k % 2 === 0 ? wide : -wide) / length;
      context.lineTo(p.x + part * dx - side * dy, p.y + part * dy + side * dx);
    }
    context.lineTo(q.x, q.y);
    context.stroke();
  }

  clear(draw) {
    this.context.globalAlpha = 0.5;
    draw();
    this.context.globalAlpha = 1;
  }

  /** The outline of an ellipsoid: the ellipse of its half axes on the screen. */
  ball(n, color) {
    const { context } = this;
    const [p, q] = this.points;
    this.camera.project(p.fromArray(n, 12), p);
    let [xx, xy, yy] = [0, 0, 0];
    for (const o of [0, 4, 8]) {
      this.camera.project(q.set(n[12] + n[o], n[13] + n[o + 1], n[14] + n[o + 2]), q);
      const [x, y] = [q.x - p.x, q.y - p.y];
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
    const [mean, apart] = [0.5 * (xx + yy), Math.hypot(0.5 * (xx - yy), xy)];
    const axis = (square) => Math.max(1, Math.sqrt(Math.max(0, square)));
    const turn = 0.5 * Math.atan2(2 * xy, xx - yy);
    this.filled(color, () => context.ellipse(p.x, p.y, axis(mean + apart), axis(mean - apart), turn, 0, 2 * Math.PI));
  }

  pin(n, color) {
    this.ball([n[0], n[1], n[2], 0, n[4], n[5], n[6], 0, 0, 0, 0, 0, n[12], n[13], n[14]], color);
  }

  /** A polygon of points of a matrix's own axes. */
  polygon(n, corners, color) {
    const { context } = this;
    const q = this.points[1];
    this.filled(color, () => {
      corners.forEach(([x, y, z], k) => {
        q.set(...[0, 1, 2].map((i) => n[12 + i] + x * n[i] + y * n[4 + i] + z * n[8 + i]));
        this.camera.project(q, q);
        if (k === 0) context.moveTo(q.x, q.y);
        else context.lineTo(q.x, q.y);
      });
      context.closePath();
    });
  }

  disc(n, color) {
    const corner = (k) => [Math.cos((2 * Math.PI * k) / 40), Math.sin((2 * Math.PI * k) / 40), 0];
    this.polygon(n, Array.from({ length: 40 }, (_, k) => corner(k)), color);
    const ends = new Float32Array(6);
    for (let i = 0; i < 3; i++) {
      ends[i] = n[12 + i];
      ends[3 + i] = n[12 + i] + 0.95 * n[i];
    }
    this.segments(ends, 6, this.palette.ground, 1.5);
  }

  foot(n, color) {
    const [right, , above] = this.parts.run.upright;
    const up = this.parts.run.planar ? (x, y) => [x, y, 0] : (x, y) => right.map((side, i) => x * side + y * above[i]);
    this.polygon(n, [up(0, 0), up(0.7, -1.2), up(-0.7, -1.2)], color);
  }

  box(n, color) {
    const sides = [
      [[0, 1], 2], [[1, 2], 0], [[0, 2], 1],
    ];
    for (const sign of [-1, 1]) {
      for (const [[a, b], c] of sides) {
        const corner = (x, y) => {
          const at = [0, 0, 0];
          at[a] = x;
          at[b] = y;
          at[c] = sign;
          return at;
        };
        this.polygon(n, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], color);
      }
    }
  }

  /** What a file holds: its facets, far ones first, lit from the viewer's left. */
  facets(n, color, solid) {
    const { context } = this;
    const { points, corners, closed } = solid;
    const [x, y, z] = [0, 4, 8].map((o) => [n[o], n[o + 1], n[o + 2]]);
    const mirrored = x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) + x[2] * (y[0] * z[1] - y[1] * z[0]) < 0;
    const p = this.points[0];
    const seen = new Float32Array(points.length);
    const scale = this.camera.scaleAt(p.fromArray(n, 12));
    for (let k = 0; k < points.length; k += 3) {
      p.set(...[0, 1, 2].map((i) => n[12 + i] + points[k] * n[i] + points[k + 1] * n[4 + i] + points[k + 2] * n[8 + i]));
      const depth = scale * this.camera.depth(p);
      this.camera.project(p, p);
      seen.set([p.x, p.y, depth], k);
    }
    const facets = [];
    for (let k = 0; k < corners.length; k += 3) {
      const [a, b, c] = [0, 1, 2].map((i) => seen.subarray(3 * corners[k + i], 3 * corners[k + i] + 3));
      const [u, v] = [b, c].map((end) => [end[0] - a[0], end[1] - a[1], end[2] - a[2]]);
      const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const length = Math.hypot(...normal);
      // On the screen y goes down and depth away: what faces the viewer goes around the other way.
      if (!(length > 0) || (closed && normal[2] > 0 !== mirrored)) continue;
      // Of the side towards the viewer, whichever the outer one is.
      const towards = (normal[2] > 0 ? 1 : -1) / length;
      const light = towards * (0.35 * normal[0] + 0.53 * normal[1] + 0.77 * normal[2]);
      facets.push({ corners: [a, b, c], depth: a[2] + b[2] + c[2], light: 0.45 + 0.55 * Math.max(0, light) });
    }
    facets.sort((a, b) => b.depth - a.depth);
    const base = new Color(color);
    const lit = new Color();
    facets.forEach(({ corners, light }) => {
      context.fillStyle = context.strokeStyle = `#${lit.copy(base).multiplyScalar(light).getHexString()}`;
      context.lineWidth = 0.7;
      context.beginPath();
      corners.forEach(([x, y], k) => (k === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
      context.closePath();
      context.fill();
      context.stroke();
    });
  }

  filled(color, path) {
    const { context } = this;
    context.beginPath();
    path();
    context.fillStyle = color;
    context.fill();
    context.strokeStyle = this.palette.ground;
    context.lineWidth = 1;
    context.stroke();
  }
}
