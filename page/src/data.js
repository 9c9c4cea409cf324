// The data of a page: what src/animate/page.rs and scene.rs of the library write.

import { bytesOf } from "./bytes.js";
import { Solid } from "./solid.js";

const NOTHING = 65535;

/** Index of the last time that is not after `t`. */
export function indexAt(times, t) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The curve of each number over the frames. */
function channelsOf(data) {
  const buffer = bytesOf(data.data);
  const count = data.frames;
  const wide = data.scales.filter(([, step]) => step < 0).length;
  let [at4, at2] = [0, 4 * wide * count];
  return data.scales.map(([low, step]) => {
    if (step === 0) return { fixed: low === null ? NaN : low };
    if (step < 0) {
      const raw = new Float32Array(buffer, at4, count);
      at4 += 4 * count;
      return { raw, low, step: 1 };
    }
    const raw = new Uint16Array(buffer, at2, count);
    at2 += 2 * count;
    return { raw, low, step, gaps: true };
  });
}

/** Rows that lie far apart, with others on the straight lines between them: what the pointer and the cursor of time
 * point at are rows, and a motion that rests takes long steps. */
function closer(times, series) {
  const apart = (times[times.length - 1] - times[0]) / 1000;
  const dense = times.slice(0, 1);
  // For each row the one before it, and how far it is from there to the next.
  const places = [[0, 0]];
  for (let k = 1; k < times.length; k++) {
    const passed = times[k] - times[k - 1];
    const parts = apart > 0 ? Math.ceil(passed / apart) : 1;
    for (let i = 1; i < parts; i++) {
      dense.push(times[k - 1] + (i / parts) * passed);
      places.push([k - 1, i / parts]);
    }
    dense.push(times[k]);
    places.push([k, 0]);
  }
  if (dense.length === times.length) return { times, series };
  const between = (values) =>
    places.map(([k, part]) => {
      if (part === 0) return values[k];
      const [a, b] = [values[k], values[k + 1]];
      return a === null || b === null ? null : a + part * (b - a);
    });
  return { times: dense, series: series.map((one) => ({ ...one, values: between(one.values) })) };
}

function seriesOf(data) {
  if (!data.rows) return { times: [], series: [] };
  const buffer = bytesOf(data.curves);
  const times = Array.from(new Float64Array(buffer, 0, data.rows));
  let at = 8 * data.rows;
  const series = data.series.map((one) => {
    const raw = new Float32Array(buffer, at, data.rows);
    at += 4 * data.rows;
    const values = Array.from(raw, (x) => (Number.isFinite(x) ? x + one.first : null));
    return { ...one, values };
  });
  return closer(times, series);
}

/** A run: its frames, by time, and its curves. */
export class Run {
  constructor(data) {
    Object.assign(this, data);
    const { times, series } = seriesOf(data);
    this.rowTimes = times;
    this.series = series;
    this.solids = (data.meshes ?? []).map((mesh) => new Solid(mesh));
    this.moves = data.frames > 0;
    if (this.moves) {
      this.times = new Float64Array(bytesOf(data.times));
      this.channels = channelsOf(data);
    }
    const all = this.moves ? this.times : times;
    this.start = all.length ? all[0] : 0;
    this.end = all.length ? all[all.length - 1] : 0;
  }

  /** The numbers at a time: straight lines between frames. */
  at(t, out) {
    const last = this.times.length - 1;
    const k = Math.min(indexAt(this.times, t), Math.max(0, last - 1));
    const next = Math.min(k + 1, last);
    const passed = this.times[next] - this.times[k];
    const part = passed > 0 ? Math.min(1, Math.max(0, (t - this.times[k]) / passed)) : 1;
    const channels = this.channels;
    for (let c = 0; c < channels.length; c++) {
      const channel = channels[c];
      if (channel.raw === undefined) {
        out[c] = channel.fixed;
        continue;
      }
      const a = channel.raw[k];
      const b = channel.raw[next];
      const gap = channel.gaps && (a === NOTHING || b === NOTHING);
      out[c] = gap ? NaN : channel.low + channel.step * (a + part * (b - a));
    }
    return out;
  }

  /** The value of a series at a time. */
  valueOf(series, t) {
    const times = this.rowTimes;
    const k = Math.min(indexAt(times, t), Math.max(0, times.length - 2));
    const [a, b] = [series.values[k], series.values[k + 1]];
    if (b === undefined || a === null || b === null) return a;
    const passed = times[k + 1] - times[k];
    const part = passed > 0 ? Math.min(1, Math.max(0, (t - times[k]) / passed)) : 1;
    return a + part * (b - a);
  }
}

/** A number on an axis whose numbers are `step` apart. */
export function tick(x, step) {
  if (x === null || !(step > 0)) return "";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  if (size >= 1e6 || (size < 1e-3 && decimals > 4)) {
    const digits = Math.floor(Math.log10(size)) - Math.floor(Math.log10(step) + 1e-9);
    return x.toExponential(Math.min(8, Math.max(0, digits)));
  }
  return x.toFixed(Math.min(10, decimals + (step * 10 ** decimals < 5 && step * 10 ** decimals % 1 !== 0 ? 1 : 0)));
}

/** A number in few digits. */
export function short(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e5) return String(Number(x.toPrecision(5)));
  return x.toExponential(2);
}
