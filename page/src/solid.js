// Files of meshes: their points within half axes of 1 about a centre, as every other part has them.

import { bytesOf } from "./bytes.js";

export class Solid {
  constructor({ file, points, corners }) {
    const raw = new Float32Array(bytesOf(points));
    this.file = file;
    this.corners = new Uint32Array(bytesOf(corners));
    this.points = new Float32Array(raw.length);
    this.centre = [0, 0, 0];
    this.half = [1, 1, 1];
    for (let i = 0; i < 3; i++) {
      let [low, high] = [Infinity, -Infinity];
      for (let k = i; k < raw.length; k += 3) [low, high] = [Math.min(low, raw[k]), Math.max(high, raw[k])];
      if (!(low <= high)) continue;
      this.centre[i] = 0.5 * (low + high);
      // What is flat has no extent across.
      this.half[i] = high > low ? 0.5 * (high - low) : 1;
      for (let k = i; k < raw.length; k += 3) this.points[k] = (raw[k] - this.centre[i]) / this.half[i];
    }
  }

  /** Whether it encloses a room: every edge is gone along once each way. Then what faces away is hidden. */
  get closed() {
    if (this.encloses === undefined) {
      const edges = new Set();
      const { corners } = this;
      const count = this.points.length / 3;
      for (let k = 0; k < corners.length; k++) {
        const next = k % 3 === 2 ? k - 2 : k + 1;
        edges.add(corners[k] * count + corners[next]);
      }
      const back = (edge) => (edge % count) * count + Math.floor(edge / count);
      this.encloses = edges.size === corners.length && [...edges].every((edge) => edges.has(back(edge)));
    }
    return this.encloses;
  }

  /** The same with no more than about so many triangles: points near each other become one. */
  coarser(most) {
    let solid = this;
    for (let cells = 64; solid.corners.length > 3 * most && cells >= 2; cells /= 2) {
      const places = new Map();
      const points = [];
      const moved = Array.from({ length: this.points.length / 3 }, (_, k) => {
        const point = this.points.subarray(3 * k, 3 * k + 3);
        const key = Array.from(point, (x) => Math.floor(0.5 * cells * (x + 1))).join();
        if (!places.has(key)) {
          places.set(key, points.length / 3);
          points.push(...point);
        }
        return places.get(key);
      });
      const corners = [];
      for (let k = 0; k < this.corners.length; k += 3) {
        const [a, b, c] = [0, 1, 2].map((i) => moved[this.corners[k + i]]);
        if (a !== b && b !== c && c !== a) corners.push(a, b, c);
      }
      solid = Object.assign(Object.create(Solid.prototype), this, { encloses: undefined, points: Float32Array.from(points), corners: Uint32Array.from(corners) });
    }
    return solid;
  }
}
