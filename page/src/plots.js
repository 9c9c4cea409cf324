// The curves: one panel for each unit among those chosen, with a common axis of time and a cursor that is
// the time of the picture.

import uPlot from "uplot";
import { short, tick } from "./data.js";
import { ofIndex, ofRun } from "./colors.js";

const LEAST_HEIGHT = 130;
const MOST_HEIGHT = 380;

/** Of several runs each has its colour, and the quantities of a panel are told apart by their lines. */
const DASHES = [undefined, [7, 4], [2, 3], [9, 3, 2, 3]];

/** The range of an axis: that of a constant, up to rounding at 0, has the constant in its middle. */
function around(_, low, high) {
  if (low === null || high === null) return [0, 1];
  const half = Math.abs(low) < 1e-24 ? 1 : 0.5 * Math.abs(low);
  return high - low < 1e-24 ? [low - half, low + half] : uPlot.rangeNum(low, high, 0.1, true);
}

/** The width of a vertical axis, by its longest number. */
function wide(_, numbers) {
  const longest = Math.max(0, ...(numbers ?? []).map((text) => String(text).length));
  return Math.max(58, 22 + 7 * longest);
}

export class Plots {
  constructor(run, host, seek) {
    this.run = run;
    this.host = host;
    this.seek = seek;
    this.panels = [];
    this.t = run.start;
    this.range = [run.start, run.end];
    this.shown = new Set(run.series.map((one, k) => (one.shown ? k : -1)).filter((k) => k >= 0));
  }

  /** Builds the panels of what is shown. */
  build(palette) {
    this.palette = palette ?? this.palette;
    this.panels.forEach((panel) => panel.destroy());
    this.host.replaceChildren();
    const groups = new Map();
    for (const k of this.shown) {
      const unit = this.run.series[k].unit || "–";
      groups.set(unit, [...(groups.get(unit) ?? []), k]);
    }
    const phases = this.run.phases ?? [];
    const count = Math.max(1, groups.size + phases.length);
    this.height = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, this.host.clientHeight / count - 46));
    this.panels = [...groups].map(([unit, members], at) => this.panel(unit, members, at === groups.size - 1));
    this.panels.push(...phases.map((names) => this.phase(names)));
    // Legends have their height once they are laid out.
    requestAnimationFrame(() => {
      this.fill();
      requestAnimationFrame(() => {
        this.point();
        // With values in them they may take a line more.
        this.fill();
      });
    });
  }

  /** Gives the panels what height there is. */
  fill() {
    if (this.panels.length === 0) return;
    const legend = (panel) => panel.root.querySelector(".u-legend")?.offsetHeight ?? 0;
    const legends = this.panels.reduce((sum, panel) => sum + legend(panel), 0);
    const each = (this.host.clientHeight - legends - 8) / this.panels.length;
    const height = Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, Math.floor(each)));
    this.panels.forEach((panel) => panel.setSize({ width: panel.width, height }));
  }

  panel(unit, members, last) {
    const { run, palette } = this;
    const axis = { stroke: palette.soft, grid: { stroke: palette.faint, width: 1 }, ticks: { stroke: palette.faint } };
    const options = {
      width: Math.max(200, this.host.clientWidth),
      height: this.height,
      scales: { x: { time: false, range: (_, low, high) => [low, high] }, y: { range: around } },
      cursor: { sync: { key: "run", setSeries: false }, drag: { x: true, y: false } },
      legend: { live: true },
      axes: [
        {
          ...axis,
          label: last ? "t [s]" : undefined,
          labelSize: 18,
          size: 32,
          values: (_, all, __, ___, step) => all.map((x) => tick(x, step)),
        },
        { ...axis, label: unit === "–" ? undefined : `[${unit}]`, labelSize: 18, size: wide, values: (_, all, __, ___, step) => all.map((x) => tick(x, step)) },
      ],
      series: [
        { label: "t", value: (_, t) => (t === null ? "" : `${short(t)} s`) },
        ...members.map((k) => ({
          label: run.series[k].name,
          ...this.line(k, members),
          width: 1.5,
          points: { show: false },
          pxAlign: 0,
          value: (_, x) => short(x),
        })),
      ],
      hooks: {
        draw: [(plot) => this.marks(plot)],
        setScale: [(plot, key) => key === "x" && this.zoomed(plot)],
        ready: [(plot) => this.listen(plot)],
      },
    };
    const data = [run.rowTimes, ...members.map((k) => run.series[k].values)];
    return new uPlot(options, data, this.host);
  }

  /** Colour and dashes of a curve in its panel. */
  line(k, members) {
    const { series, runs } = this.run;
    if (!runs) return { stroke: ofIndex(k) };
    const quantities = [...new Set(members.map((m) => series[m].base))];
    return { stroke: ofRun(series[k].run), dash: DASHES[quantities.indexOf(series[k].base) % DASHES.length] };
  }

  /** One quantity against another, of each run, with a dot where the picture is. */
  phase([across, up]) {
    const { run, palette } = this;
    const find = (name, k) => run.series.find((one) => (one.base ?? one.name) === name && (one.run ?? 0) === k);
    const of = (run.runs ?? [run]).flatMap((_, k) => {
      const [x, y] = [find(across, k), find(up, k)];
      return x && y ? [{ x, y, color: ofRun(k) }] : [];
    });
    const range = (name) => {
      const all = of.flatMap((one) => one[name].values).filter((value) => value !== null);
      const [low, high] = all.reduce(([l, h], v) => [Math.min(l, v), Math.max(h, v)], [Infinity, -Infinity]);
      return around(null, Number.isFinite(low) ? low : null, Number.isFinite(high) ? high : null);
    };
    const ranges = { x: range("x"), y: range("y") };
    const axis = { stroke: palette.soft, grid: { stroke: palette.faint, width: 1 }, ticks: { stroke: palette.faint } };
    const label = (name) => `${name}${find(name, 0)?.unit ? ` [${find(name, 0).unit}]` : ""}`;
    const values = (_, all, __, ___, step) => all.map((x) => tick(x, step));
    const options = {
      width: Math.max(200, this.host.clientWidth),
      height: this.height,
      scales: { x: { time: false, range: () => ranges.x }, y: { range: () => ranges.y } },
      cursor: { show: false },
      legend: { show: false },
      axes: [
        { ...axis, label: label(across), labelSize: 18, size: 32, values },
        { ...axis, label: label(up), labelSize: 18, size: wide, values },
      ],
      series: [{}, {}],
      hooks: { draw: [(plot) => of.forEach((one) => this.path(plot, one))] },
    };
    const plot = new uPlot(options, [ranges.x, [null, null]], this.host);
    // Curves by themselves are of no time.
    plot.phases = of;
    plot.dots = (run.moves ? of : []).map(({ color }) => {
      const dot = document.createElement("div");
      dot.className = "dot";
      dot.style.background = color;
      plot.over.append(dot);
      return dot;
    });
    return plot;
  }

  path({ ctx, bbox, valToPos }, { x, y, color }) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = color;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    let pen = false;
    x.values.forEach((value, k) => {
      if (value === null || y.values[k] === null) {
        pen = false;
        return;
      }
      const [px, py] = [valToPos(value, "x", true), valToPos(y.values[k], "y", true)];
      if (pen) ctx.lineTo(px, py);
      else ctx.moveTo(px, py);
      pen = true;
    });
    ctx.stroke();
    ctx.restore();
  }

  /** The panels show one range of time. */
  zoomed(plot) {
    const { min, max } = plot.scales.x;
    requestAnimationFrame(() => this.point());
    if (this.within || min === undefined || min === null) return;
    this.within = true;
    for (const other of this.panels) {
      if (other !== plot && !other.phases && (other.scales.x.min !== min || other.scales.x.max !== max)) other.setScale("x", { min, max });
    }
    this.within = false;
  }

  /** A click goes to a time; dragging zooms. */
  listen(plot) {
    // The time of the picture, as a line that moves without the curves being drawn anew.
    plot.now = document.createElement("div");
    plot.now.className = "now";
    plot.now.hidden = true;
    plot.over.append(plot.now);
    let from;
    plot.over.addEventListener("mousedown", (event) => (from = event.clientX));
    plot.over.addEventListener("mouseup", (event) => {
      if (from !== undefined && Math.abs(event.clientX - from) < 4) {
        this.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
      }
    });
  }

  /** Events. */
  marks(plot) {
    const { ctx, bbox } = plot;
    const line = (t, color, dash, width) => {
      const x = plot.valToPos(t, "x", true);
      if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
      ctx.strokeStyle = color;
      ctx.lineWidth = width * devicePixelRatio;
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    };
    ctx.save();
    const dense = this.run.events.length > 400;
    this.run.events.forEach((event) => line(event.t, this.palette.soft, dense ? [1, 5] : [3, 4], 0.8));
    ctx.restore();
  }

  show(t) {
    if (t === this.t) return;
    this.t = t;
    this.point();
  }

  /** The legends tell values at the time of the picture, unless the pointer asks for another. */
  point() {
    if (!this.run.moves) return;
    this.panels.forEach((panel) => {
      panel.phases?.forEach(({ x, y }, k) => {
        const [at, up] = [this.run.valueOf(x, this.t), this.run.valueOf(y, this.t)];
        const dot = panel.dots[k];
        dot.hidden = at === null || up === null || at === undefined;
        if (!dot.hidden) dot.style.transform = `translate(${panel.valToPos(at, "x") - 4}px, ${panel.valToPos(up, "y") - 4}px)`;
      });
      // uPlot is ready a moment after it is made.
      if (!panel.now) return;
      const x = panel.valToPos(this.t, "x");
      panel.now.hidden = !(x >= 0 && x <= panel.over.clientWidth);
      panel.now.style.transform = `translateX(${x}px)`;
      if (!panel.root.matches(":hover")) {
        panel.setCursor({ left: panel.valToPos(this.t, "x"), top: -10 }, false);
      }
    });
  }

  resize() {
    this.build();
  }

  toggle(k) {
    if (!this.shown.delete(k)) this.shown.add(k);
    this.build();
  }
}
