// Rings at the places of events: at the instant one that widens and fades, and a small one while a contact stays closed.

import { indexAt } from "./data.js";

/** Rings drawn at once, at most. */
export const MOST = 64;
/** Radii in parts of the mechanism's size: while a contact is closed; from the instant of an event until it has faded. */
const CLOSED = 0.03;
const EVENT = [0.04, 0.12];
/** Thickness of a ring, and of its margin to what is behind it, in parts of its radius. */
export const THICK = 0.18;
export const HALO = 0.09;

export class Marks {
  constructor(parts) {
    this.parts = parts;
    const { run } = parts;
    const times = (name) => run.events.filter((event) => event.name === name).map((event) => event.t);
    this.places = run.places.map((place) => ({ ...place, times: times(place.name) }));
  }

  /** The rings at a time, of events that are seen for so long: place, radius, and how strong they are, up to 1. */
  at(t, lasts) {
    const { size } = this.parts.run;
    const rings = [];
    for (const { at, times, closed } of this.places) {
      const last = times.length ? times[indexAt(times, t)] : Infinity;
      const part = last <= t ? (t - last) / lasts : Infinity;
      const holds = closed.some(([from, to]) => from <= t && t <= to);
      if (!holds && !(part < 1)) continue;
      for (const anchors of at) {
        const place = this.mean(anchors);
        if (!Number.isFinite(place[0] + place[1] + place[2])) continue;
        if (holds) rings.push({ place, radius: CLOSED * size, strength: 1 });
        if (part < 1) rings.push({ place, radius: (EVENT[0] + part * (EVENT[1] - EVENT[0])) * size, strength: 1 - part });
      }
    }
    return rings.slice(0, MOST);
  }

  mean(anchors) {
    const [sum, p] = [[0, 0, 0], new Float64Array(3)];
    for (const anchor of anchors) this.parts.point(anchor, p).forEach((x, i) => (sum[i] += x / anchors.length));
    return sum;
  }
}
