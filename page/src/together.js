// Several runs in one picture: a run made of others, each with its own bodies, numbers and times.

import { Run } from "./data.js";

/** What is asked of a run, of all of them at once. The first one is as it is by itself; bodies, items and
 * curves of the others have its name behind theirs. */
export class Together {
  constructor(data) {
    const runs = [new Run(data), ...data.others.map((other) => new Run(other))];
    Object.assign(this, data, { runs, bodies: [], items: [], forces: [], dials: [], series: [], moves: runs[0].moves });
    this.channels = [];
    this.parts = runs.map((run) => {
      const first = this.channels.length;
      this.channels.push(...run.channels);
      return { run, first, out: new Float64Array(run.channels.length) };
    });
    runs.forEach((run, k) => this.take(run, k));
    this.start = Math.min(...runs.map((run) => run.start));
    this.end = Math.max(...runs.map((run) => run.end));
    this.times = Float64Array.from(merged(runs.map((run) => run.times)));
    this.planar = runs.every((run) => run.planar);
    this.size = Math.max(...runs.map((run) => run.size));
    for (const largest of ["force", "torque"]) this[largest] = Math.max(...runs.map((run) => run[largest]));
    const ends = [Math.min, Math.max];
    this.bounds = ends.map((end, i) => [0, 1, 2].map((axis) => end(...runs.map((run) => run.bounds[i][axis]))));
    this.gather(runs);
  }

  take(run, k) {
    const [bodies, channels] = [this.bodies.length, this.parts[k].first];
    const named = (one) => ({ ...one, name: this.named(one.name, k), run: k });
    const anchor = (at) => (at.length === 4 ? [at[0] + bodies, ...at.slice(1)] : at.length === 1 ? [at[0] + channels] : at);
    const number = (n) => (typeof n === "number" ? n : [n[0] + channels]);
    run.items.forEach((item) => this.items.push({ ...named(item), at: item.at.map(anchor), n: item.n?.map(number) }));
    run.forces.forEach((force) => this.forces.push({ ...named(force), at: anchor(force.at), channel: force.channel + channels }));
    run.dials.forEach((dial) => this.dials.push({ ...named(dial), channel: dial.channel + channels }));
    run.bodies.forEach((body) => this.bodies.push({ ...named(body), at: body.at + channels }));
  }

  named(name, k) {
    return k > 0 ? `${name} · ${this.runs[k].name}` : name;
  }

  /** Curves over the times of all runs; none where a run is not there yet, or no more. */
  gather(runs) {
    this.rowTimes = merged(runs.map((run) => run.rowTimes));
    runs.forEach((run, k) => {
      const value = (one) => (t) => (t >= run.start && t <= run.end ? run.valueOf(one, t) ?? null : null);
      run.series.forEach((one, of) => this.series.push({ ...one, of, run: k, name: this.named(one.name, k), values: this.rowTimes.map(value(one)) }));
    });
  }

  at(t, out) {
    this.parts.forEach(({ run, first, out: own }) => out.set(run.at(t, own), first));
    return out;
  }

  valueOf(series, t) {
    return Run.prototype.valueOf.call(this, series, t);
  }
}

/** All times, each once. */
function merged(lists) {
  const all = lists.flatMap((list) => Array.from(list)).sort((a, b) => a - b);
  return all.filter((t, k) => k === 0 || t !== all[k - 1]);
}
