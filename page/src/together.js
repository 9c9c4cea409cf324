// Several runs in one picture: a run made of others, each with its own bodies, numbers and times.

import { Run } from "./data.js";

/** What is asked of a run, of all of them at once. Bodies, items and curves have the name of their run behind theirs, but
 * for those of a first run without a name. */
export class Together {
  constructor(data) {
    const runs = [new Run(data), ...data.others.map((other) => new Run(other))];
    Object.assign(this, data, { runs, bodies: [], items: [], forces: [], places: [], dials: [], series: [], solids: [], moves: runs[0].moves });
    this.channels = [];
    this.start = Math.min(...runs.map((run) => run.start));
    this.end = Math.max(...runs.map((run) => run.end));
    this.events = runs.flatMap((run, k) => run.events.map((event) => ({ ...event, name: this.named(event.name, k) })));
    this.events.sort((a, b) => a.t - b.t);
    this.gather(runs);
    if (!this.moves) return;
    this.parts = runs.map((run) => {
      const first = this.channels.length;
      this.channels.push(...run.channels);
      return { run, first, out: new Float64Array(run.channels.length) };
    });
    runs.forEach((run, k) => this.take(run, k));
    this.times = Float64Array.from(merged(runs.map((run) => run.times)));
    this.planar = runs.every((run) => run.planar);
    this.upright = (runs.find((run) => !run.planar) ?? runs[0]).upright;
    this.size = Math.max(...runs.map((run) => run.size));
    for (const largest of ["force", "torque"]) this[largest] = Math.max(...runs.map((run) => run[largest]));
    const ends = [Math.min, Math.max];
    this.bounds = ends.map((end, i) => [0, 1, 2].map((axis) => end(...runs.map((run) => run.bounds[i][axis]))));
  }

  take(run, k) {
    const [bodies, channels] = [this.bodies.length, this.parts[k].first];
    const named = (one) => ({ ...one, name: this.named(one.name, k), run: k });
    const anchor = (at) => (at.length === 4 ? [at[0] + bodies, ...at.slice(1)] : at.length === 1 ? [at[0] + channels] : at);
    const number = (n) => (typeof n === "number" ? n : [n[0] + channels]);
    // Files that the first run has, too, are in the page once.
    const solids = run.meshes ? this.solids.length : 0;
    this.solids.push(...run.solids);
    const file = (item) => (item.mesh === undefined ? {} : { mesh: item.mesh + solids });
    run.items.forEach((item) => this.items.push({ ...named(item), ...file(item), at: item.at.map(anchor), n: item.n?.map(number) }));
    run.forces.forEach((force) => this.forces.push({ ...named(force), at: anchor(force.at), channel: force.channel + channels }));
    run.places.forEach((place) => this.places.push({ ...named(place), at: place.at.map((anchors) => anchors.map(anchor)) }));
    run.dials.forEach((dial) => this.dials.push({ ...named(dial), channel: dial.channel + channels }));
    run.bodies.forEach((body) => this.bodies.push({ ...named(body), at: body.at + channels }));
  }

  named(name, k) {
    return this.runs[k].name ? `${name} · ${this.runs[k].name}` : name;
  }

  /** Curves over the times of all runs; none where a run is not there yet, or no more. Those that nobody looks at are
   * not put together. */
  gather(runs) {
    this.rowTimes = merged(runs.map((run) => run.rowTimes));
    const times = this.rowTimes;
    runs.forEach((run, k) => {
      const value = (one) => (t) => (t >= run.start && t <= run.end ? run.valueOf(one, t) ?? null : null);
      run.series.forEach((one) => {
        let values;
        const { name, unit, kind, shown } = one;
        const series = { unit, kind, shown, own: one, base: name, run: k, name: this.named(name, k) };
        Object.defineProperty(series, "values", { get: () => (values ??= times.map(value(one))) });
        this.series.push(series);
      });
    });
  }

  at(t, out) {
    this.parts.forEach(({ run, first, out: own }) => out.set(run.at(t, own), first));
    return out;
  }

  valueOf(series, t) {
    return this.runs[series.run].valueOf(series.own, t);
  }
}

/** All times, each once. */
function merged(lists) {
  const all = lists.flatMap((list) => Array.from(list)).sort((a, b) => a - b);
  return all.filter((t, k) => k === 0 || t !== all[k - 1]);
}
