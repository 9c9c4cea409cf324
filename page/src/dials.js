// Coordinates of a mechanism of which nothing is known to draw: angles as hands of dials, others as beads
// on rails.

import { short } from "./data.js";

const ANGLES = new Set(["rad"]);

export class Dials {
  constructor(run, canvas) {
    this.run = run;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.now = new Float64Array(run.channels.length);
    this.ranges = run.dials.map((dial) => this.range(dial.channel));
    this.isFlat = true;
    this.painter = { drawCalls: 0 };
    this.stale = true;
    this.resize();
  }

  range(channel) {
    let [low, high] = [Infinity, -Infinity];
    for (const t of this.run.times) {
      this.run.at(t, this.now);
      low = Math.min(low, this.now[channel]);
      high = Math.max(high, this.now[channel]);
    }
    return high > low ? [low, high] : [low - 1, low + 1];
  }

  theme(_, palette) {
    this.palette = palette;
    this.stale = true;
  }

  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    [this.width, this.height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.stale = true;
  }

  show(t) {
    if (t === this.t && !this.stale) return false;
    this.t = t;
    this.stale = false;
    this.run.at(t, this.now);
    const { context, palette } = this;
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, this.width, this.height);
    const count = this.run.dials.length;
    const columns = Math.max(1, Math.ceil(Math.sqrt((count * this.width) / Math.max(1, this.height))));
    const rows = Math.ceil(count / columns);
    // Below is room for a word about what this is.
    const [w, h] = [this.width / columns, (this.height - 48) / rows];
    this.run.dials.forEach((dial, k) => {
      const x = (k % columns) * w + 0.5 * w;
      const y = Math.floor(k / columns) * h + 0.5 * h;
      const value = this.now[dial.channel];
      const isAngle = ANGLES.has(dial.unit);
      const r = 0.32 * Math.min(w, h);
      if (isAngle) this.dial(x, y, r, value);
      else this.rail(x, y, 0.36 * w, value, this.ranges[k]);
      context.fillStyle = palette.ink;
      context.font = "13px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillText(`${dial.name} = ${short(value)} ${dial.unit}`, x, isAngle ? y + r + 20 : y - 18);
    });
    return true;
  }

  dial(x, y, r, angle) {
    const { context, palette } = this;
    context.strokeStyle = palette.soft;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    context.stroke();
    context.strokeStyle = palette.mark;
    context.lineWidth = 4;
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + 0.9 * r * Math.cos(angle), y - 0.9 * r * Math.sin(angle));
    context.stroke();
  }

  rail(x, y, half, value, [low, high]) {
    const { context, palette } = this;
    context.strokeStyle = palette.soft;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - half, y);
    context.lineTo(x + half, y);
    context.stroke();
    const at = x - half + (2 * half * (value - low)) / (high - low);
    context.fillStyle = palette.mark;
    context.beginPath();
    context.arc(at, y, 8, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = palette.soft;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(short(low), x - half, y + 20);
    context.fillText(short(high), x + half, y + 20);
  }
}
