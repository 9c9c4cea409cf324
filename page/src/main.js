// The page: the picture, the plots beside it, and what moves them.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { VIEW_NAMES } from "./camera.js";
import { THEMES, ofRun } from "./colors.js";
import { Run, short } from "./data.js";
import { Dials } from "./dials.js";
import { nice, spacing } from "./lines.js";
import { Plots } from "./plots.js";
import { Together } from "./together.js";
import { View } from "./view.js";

/** What went wrong, for tests: a page that failed says so. */
const errors = [];
addEventListener("error", (event) => errors.push(String(event.message)));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason)));

/** Options after the `#` of the address: `#t=0.5&theme=dark&view=XZ&canvas&pause`. */
const asked = new URLSearchParams(location.hash.slice(1));

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Lengths of arrows of force, and how many times a motion is magnified. */
const ARROWS = [0.25, 0.5, 1, 2, 4, 8, 16, 64, 256];
const MAGNIFIED = [1, 3, 10, 30, 100, 300, 1000, 10000];

/** Motions that are smaller, in parts of the mechanism's size, are hard to see. */
const SMALL = 0.005;

const SPEEDS = Array.from({ length: 19 }, (_, k) => 2 ** (k - 12));

function speedName(speed) {
  return speed >= 1 ? `${speed}×` : `1/${1 / speed}×`;
}

class Page {
  constructor(data) {
    this.run = data.others?.length > 0 ? new Together(data) : new Run(data);
    this.t = this.run.start;
    this.playing = false;
    this.loop = true;
    this.gain = 1;
    this.speed = this.initialSpeed();
    this.themeName = asked.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    this.frames = { count: 0, script: 0, worst: 0 };
    this.layout();
    this.theme(this.themeName);
    this.resize();
    new ResizeObserver(() => this.resize()).observe(this.main);
    this.options();
    requestAnimationFrame((now) => this.frame(now));
  }

  /** As it was where a run takes seconds; else so that it takes some ten. */
  initialSpeed() {
    const length = this.run.end - this.run.start;
    if (length >= 1.5 && length <= 40) return 1;
    const wanted = length > 0 ? length / 8 : 1;
    return SPEEDS.reduce((best, speed) => (Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best), 1);
  }

  // -- building ------------------------------------------------------------------------------------

  layout() {
    const { run } = this;
    this.canvas = make("canvas", { className: "picture" });
    this.tip = make("div", { className: "tip", hidden: true });
    this.flash = make("div", { className: "flash" });
    this.scale = make("div", { className: "scale" });
    this.stage = make("section", { className: "stage" }, this.canvas, this.flash, this.scale, this.tip);
    this.plotHost = make("div", { className: "panels" });
    this.side = make("section", { className: "side" }, this.chooser(), this.plotHost);
    this.main = make("main", {}, ...(run.moves ? [this.stage] : []), this.side);
    const app = document.getElementById("app");
    app.replaceChildren(this.header(), this.main, ...(run.moves ? [this.footer()] : []));
    document.body.classList.toggle("still", !run.moves);
    if (run.moves) this.picture();
    this.plots = new Plots(run, this.plotHost, (t) => this.seek(t));
    if (run.series.length === 0) this.side.remove();
  }

  picture() {
    const { run } = this;
    const empty = run.bodies.length === 0 && run.items.length === 0;
    if (empty) {
      this.view = new Dials(run, this.canvas);
      this.stage.append(make("p", { className: "hint" }, "The model has no bodies and no `draw` statements: these are its coordinates. `draw crank: line([0, 0], [x, y]);` in the model draws it."));
      return;
    }
    this.view = new View(run, this.canvas, asked.has("canvas"));
    this.canvas = this.view.canvas;
    const select = document.querySelector("header select");
    if (select && this.view.travels()) select.value = 0;
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.hover());
    if (this.view.isFlat) this.stage.append(make("p", { className: "hint" }, "This browser shows no WebGL: a plain picture."));
    this.gridScale = `grid ${short(spacing(run))} m`;
    this.scale.textContent = this.gridScale;
    const part = this.view.reach();
    if (part > 0 && part < SMALL) {
      const wanted = MAGNIFIED.find((gain) => gain * part > 0.05) ?? MAGNIFIED[MAGNIFIED.length - 1];
      this.stage.append(make("p", { className: "hint" }, `The motion is ${short(100 * part)} % of the size of the mechanism: "${wanted}×" above magnifies it.`));
    }
  }

  header() {
    const { run } = this;
    const status = { failed: ", failed", interrupted: ", interrupted" }[run.status] ?? "";
    const what = `${run.method}, ${run.steps} steps${status}, to t = ${short(run.end)} s`;
    const others = (run.runs ?? []).flatMap((one, k) => (one.name ? [make("b", { className: "other", style: `color: ${ofRun(k)}`, textContent: one.name })] : []));
    const tools = make("div", { className: "tools" });
    const button = (text, title, onclick) => make("button", { textContent: text, title, onclick });
    const toggle = (text, title, change) => {
      const one = button(text, title, () => {
        const on = one.getAttribute("aria-pressed") !== "true";
        one.setAttribute("aria-pressed", on);
        change(on);
      });
      one.setAttribute("aria-pressed", false);
      return one;
    };
    const drawn = run.moves && (run.bodies.length > 0 || run.items.length > 0);
    if (drawn) {
      tools.append(button("fit", "show everything (f)", () => this.view.camera.fit()));
      if (!run.planar) {
        VIEW_NAMES.forEach((name) => tools.append(button(name, `look at it from ${name === "3D" ? "the side" : `the ${name} plane's front`}`, () => this.view.camera.view(name))));
      }
      if (run.bodies.length > 0) {
        const options = [make("option", { value: -1, textContent: "follow …" })];
        run.bodies.slice(0, 500).forEach((body, k) => options.push(make("option", { value: k, textContent: body.name })));
        tools.append(make("select", { title: "keep a body where it is on the screen", onchange: (event) => this.view.follow(Number(event.target.value)) }, ...options));
        this.drawnToo = {
          paths: toggle("paths", "the paths of the bodies", (on) => this.view.trace(on)),
          frames: toggle("frames", "the axes of the bodies", (on) => this.view.axes(on)),
          velocities: toggle("velocities", "arrows of velocity", (on) => this.view.velocities(on)),
        };
        tools.append(...Object.values(this.drawnToo));
      }
      if (run.forces.length > 0) {
        const choose = (gain) => make("option", { value: gain, textContent: `arrows ${gain >= 1 ? `${gain}×` : `1/${1 / gain}×`}`, selected: gain === 1 });
        this.longer = make("select", { title: "length of the arrows of force and torque", hidden: true, onchange: (event) => this.lengthen(Number(event.target.value)) }, ...ARROWS.map(choose));
        const arrows = (name) => (on) => {
          this.view[name](on);
          this.longer.hidden = !this.view.options.forces && !this.view.options.torques;
          this.legend();
        };
        this.forcesButton = toggle("forces", "arrows of the forces that joints exert on their second bodies", arrows("forces"));
        this.torquesButton = toggle("torques", "arrows of the torques that joints exert on their second bodies, the way they turn", arrows("torques"));
        tools.append(this.forcesButton, ...(run.torque > 0 ? [this.torquesButton] : []), this.longer);
      }
      const gains = MAGNIFIED.map((gain) => make("option", { value: gain, textContent: gain === 1 ? "motion 1×" : `${gain}×`, selected: gain === this.gain }));
      this.magnified = make("select", { title: "show the motion so many times as large, from where it starts", onchange: (event) => this.magnify(Number(event.target.value)) }, ...gains);
      tools.append(this.magnified);
    }
    tools.append(button("◐", "light or dark (d)", () => this.theme(this.themeName === "dark" ? "light" : "dark")));
    return make("header", {}, make("h1", {}, run.model), make("p", { title: run.library }, what, ...others), tools);
  }

  footer() {
    const { run } = this;
    this.playButton = make("button", { className: "play", title: "play or pause (space)", onclick: () => this.play(!this.playing) });
    this.slider = make("input", { type: "range", min: 0, max: 10000, value: 0, step: 1, oninput: () => this.slide() });
    this.slider.setAttribute("aria-label", "time");
    this.clock = make("output", { className: "clock" });
    const marks = make("div", { className: "marks" });
    const length = run.end - run.start || 1;
    run.events.slice(0, 400).forEach((event) => {
      const title = `${event.condition} in ${event.name}, t = ${short(event.t)} s`;
      const mark = make("i", { title, onclick: () => this.seek(event.t) });
      mark.style.left = `${(100 * (event.t - run.start)) / length}%`;
      marks.append(mark);
    });
    const speeds = SPEEDS.map((speed) => make("option", { value: speed, textContent: speedName(speed), selected: speed === this.speed }));
    const speed = make("select", { title: "speed", onchange: (event) => (this.speed = Number(event.target.value)) }, ...speeds);
    const loop = make("button", { textContent: "↻", title: "begin again at the end", onclick: () => {
      this.loop = !this.loop;
      loop.setAttribute("aria-pressed", this.loop);
    } });
    loop.setAttribute("aria-pressed", this.loop);
    addEventListener("keydown", (event) => this.key(event));
    return make("footer", {}, this.playButton, make("div", { className: "line" }, marks, this.slider), this.clock, speed, loop);
  }

  /** The list of curves, by kind. */
  chooser() {
    const { run } = this;
    const kinds = new Map();
    run.series.forEach((one, k) => kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), [one, k]]));
    const groups = [...kinds].map(([kind, members]) => {
      const boxes = members.map(([one, k]) => {
        const box = make("input", { type: "checkbox", checked: one.shown, onchange: () => this.plots.toggle(k) });
        return make("label", {}, box, `${one.name}${one.unit ? ` [${one.unit}]` : ""}`);
      });
      return make("fieldset", {}, make("legend", {}, kind), ...boxes);
    });
    const rest = run.left_out > 0 ? [make("p", {}, `${run.left_out} further quantities are not in this file: --show NAME puts them there.`)] : [];
    return make("details", { className: "chooser" }, make("summary", {}, "curves"), ...groups, ...rest);
  }

  lengthen(gain) {
    this.view.lengthen(gain);
    if (this.longer) this.longer.value = gain;
    this.legend();
  }

  magnify(gain) {
    this.gain = gain;
    this.view.magnify(gain);
    this.magnified.value = gain;
    this.legend();
  }

  /** How long things in the picture are: the grid, arrows of force, a magnified motion. */
  legend() {
    const { run, view } = this;
    const said = [this.gridScale];
    if (view.options?.forces) {
      // A tenth of the mechanism in newtons, rounded.
      const force = nice((0.1 * run.size) / view.pulls.scale);
      said.push(`force ${short(force)} N is ${Number((force * view.pulls.scale).toPrecision(2))} m long`);
    }
    if (view.options?.torques) {
      const torque = nice((0.05 * run.size) / view.twists.scale);
      said.push(`torque ${short(torque)} N·m has ${Number((torque * view.twists.scale).toPrecision(2))} m of radius`);
    }
    if (this.gain > 1) said.push(`motion ${this.gain}× as large as it is`);
    this.scale.textContent = said.join(" · ");
  }

  // -- moving --------------------------------------------------------------------------------------

  /** What the address asks for. */
  options() {
    if (asked.has("view") && this.view?.camera) this.view.camera.view(asked.get("view"));
    for (const [name, one] of Object.entries(this.drawnToo ?? {})) if (asked.has(name)) one.click();
    if (asked.has("forces")) this.forcesButton?.click();
    if (asked.has("torques") && this.run.torque > 0) this.torquesButton?.click();
    if (asked.has("arrows") && this.view?.lengthen) this.lengthen(Number(asked.get("arrows")));
    if (asked.has("magnify") && this.view?.magnify) this.magnify(Number(asked.get("magnify")));
    if (asked.has("t")) this.seek(Number(asked.get("t")));
    else if (this.run.moves && !asked.has("pause")) this.play(true);
    this.draw();
  }

  play(on) {
    if (on && this.t >= this.run.end) this.t = this.run.start;
    this.playing = on;
    this.playButton.textContent = on ? "❚❚" : "▶";
  }

  seek(t) {
    if (!this.run.moves) return;
    this.t = Math.min(this.run.end, Math.max(this.run.start, t));
    this.play(false);
  }

  slide() {
    const { start, end } = this.run;
    this.seek(start + (this.slider.value / 10000) * (end - start));
  }

  key(event) {
    if (["SELECT", "INPUT"].includes(event.target.tagName) && event.key !== " ") return;
    const step = (this.run.end - this.run.start) / 200;
    const actions = {
      " ": () => this.play(!this.playing),
      ArrowLeft: () => this.seek(this.t - step),
      ArrowRight: () => this.seek(this.t + step),
      Home: () => this.seek(this.run.start),
      End: () => this.seek(this.run.end),
      f: () => this.view.camera?.fit(),
      d: () => this.theme(this.themeName === "dark" ? "light" : "dark"),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  /** Goes on by so many seconds of the viewer's. */
  advance(seconds) {
    const { start, end } = this.run;
    this.t += seconds * this.speed;
    if (this.t <= end) return;
    if (this.loop) this.t = end > start ? start + ((this.t - start) % (end - start)) : start;
    else {
      this.t = end;
      this.play(false);
    }
  }

  frame(now) {
    // A page that lay in the background does not jump.
    const passed = Math.min(0.1, Math.max(0, (now - (this.before ?? now)) / 1000));
    this.before = now;
    if (this.playing) this.advance(passed);
    this.draw();
    requestAnimationFrame((next) => this.frame(next));
  }

  draw() {
    const began = performance.now();
    const painted = this.view?.show(this.t, this.fades);
    if (this.run.moves) {
      this.plots.show(this.t);
      this.tell();
    }
    if (painted) {
      const took = performance.now() - began;
      this.frames.count += 1;
      this.frames.script += took;
      this.frames.worst = Math.max(this.frames.worst, took);
    }
  }

  /** How long an event is seen, in seconds of the run. */
  get fades() {
    return 0.35 * this.speed;
  }

  /** The time, and the event that has just been passed. */
  tell() {
    if (this.told === this.t) return;
    this.told = this.t;
    const { start, end, events } = this.run;
    this.clock.textContent = `t = ${this.t.toPrecision(4)} s`;
    this.slider.value = Math.round((10000 * (this.t - start)) / (end - start || 1));
    const near = events.filter((event) => event.t <= this.t && event.t > this.t - this.fades);
    const last = near[near.length - 1];
    this.flash.textContent = last ? `${last.condition} in ${last.name} at t = ${short(last.t)} s` : "";
    if (this.pointer) this.hover(this.pointer);
  }

  hover(event) {
    this.pointer = event;
    const box = this.canvas.getBoundingClientRect();
    const item = event && event.buttons === 0 ? this.view.hover(event.clientX - box.left, event.clientY - box.top) : this.view.hover();
    this.tip.hidden = !item;
    if (!item) return;
    const rows = this.view.about(item).slice(0, 9).map(([name, value]) => make("div", {}, make("span", {}, name), make("b", {}, value)));
    this.tip.replaceChildren(make("strong", {}, item.name), ...rows);
    const left = Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth - 6);
    const top = Math.min(event.clientY - box.top + 14, box.height - this.tip.offsetHeight - 6);
    this.tip.style.transform = `translate(${Math.max(0, left)}px, ${Math.max(0, top)}px)`;
  }

  theme(name) {
    this.themeName = name;
    document.documentElement.dataset.theme = name;
    this.view?.theme(name, THEMES[name]);
    this.plots.build(THEMES[name]);
    this.told = undefined;
  }

  resize() {
    this.view?.resize();
    this.plots.resize();
    this.draw();
  }
}

const page = new Page(JSON.parse(document.getElementById("data").textContent));

/** For tests: what the page knows of itself. */
window.mbd = {
  page,
  errors,
  state: () => ({
    t: page.t,
    playing: page.playing,
    flat: page.view?.isFlat ?? null,
    drawCalls: page.view?.painter.drawCalls ?? 0,
    rings: page.view?.options?.rings.length ?? 0,
    frames: page.frames.count,
    script: page.frames.count ? page.frames.script / page.frames.count : 0,
    worst: page.frames.worst,
    panels: page.plots.panels.length,
    errors,
  }),
};

/** `#selftest`: goes through the run and leaves what it found in the document. */
if (asked.has("selftest")) {
  const { run } = page;
  const picture = () => page.canvas.toDataURL();
  const at = (part) => {
    page.seek(run.start + part * (run.end - run.start));
    page.draw();
    return run.moves ? picture() : "";
  };
  const [first, middle, again] = [at(0), at(0.37), at(0)];
  const rings = (t) => {
    page.seek(t);
    page.draw();
    return window.mbd.state().rings;
  };
  const marked = run.moves ? [run.start, ...run.events.slice(0, 6).map((event) => event.t)].map(rings) : [];
  page.frames = { count: 0, script: 0, worst: 0 };
  page.play(true);
  const before = page.t;
  for (let k = 0; k < 60 && run.moves; k++) {
    page.advance(1 / 60);
    page.draw();
  }
  const apart = run.rowTimes.slice(1).map((t, k) => (t - run.rowTimes[k]) / (run.end - run.start));
  const farthest = apart.reduce((a, b) => Math.max(a, b), 0);
  const found = { ...window.mbd.state(), marked, farthest, moved: first !== middle, repeats: first === again, played: page.t !== before };
  document.body.append(make("pre", { id: "selftest", textContent: JSON.stringify(found) }));
}
