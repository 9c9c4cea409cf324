// Opens pages in Chromium without a window and does what a viewer does: plays, scrubs, looks from another
// side, points at things. Takes pages as arguments; with --shots DIR keeps pictures of them.
//
//     node test.mjs run.html …
//
// Chromium is talked to by its own protocol through two pipes, so nothing has to be installed for this.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const MOST_SCRIPT = 10; // milliseconds of processor time for a frame, at 1280 × 720 in software
const MOST_DRAW_CALLS = 20;

class Browser {
  constructor(program) {
    this.profile = mkdtempSync(join(tmpdir(), "mbd-page-"));
    const options = [
      "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--window-size=1280,720", "--hide-scrollbars",
      "--use-angle=swiftshader", "--enable-unsafe-swiftshader", `--user-data-dir=${this.profile}`,
      "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank",
    ];
    this.process = spawn(program, options, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.waiting = new Map();
    this.heard = [];
    this.next = 1;
    let text = "";
    this.process.stdio[4].on("data", (bytes) => {
      text += bytes;
      const messages = text.split("\0");
      text = messages.pop();
      messages.forEach((message) => this.hear(JSON.parse(message)));
    });
  }

  hear(message) {
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting && message.error) waiting.reject(new Error(message.error.message));
    else if (waiting) waiting.resolve(message.result);
    else this.heard.push(message);
  }

  send(method, params = {}, sessionId = this.session) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(path, hash = "") {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" }, undefined);
    ({ sessionId: this.session } = await this.send("Target.attachToTarget", { targetId, flatten: true }, undefined));
    this.heard = [];
    await this.send("Runtime.enable");
    await this.send("Log.enable");
    await this.send("Page.enable");
    // By the clock a frame also takes what other programs do meanwhile, the software that renders it among them.
    await this.send("Performance.enable", { timeDomain: "threadTicks" });
    await this.send("Page.navigate", { url: `file://${resolve(path)}#${hash}` });
    for (let k = 0; k < 200 && !(await this.ask("typeof mbd === 'object'")); k++) await this.sleep(50);
  }

  async ask(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result.value;
  }

  /** Processor time of the page's scripts so far, in milliseconds. */
  async scriptTime() {
    const { metrics } = await this.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "ScriptDuration").value;
  }

  mouse(type, x, y, more = {}) {
    return this.send("Input.dispatchMouseEvent", { type, x, y, ...more });
  }

  async picture() {
    return (await this.send("Page.captureScreenshot", { format: "png" })).data;
  }

  sleep(ms) {
    return new Promise((done) => setTimeout(done, ms));
  }

  /** What was told on the console as an error, and what was not caught. */
  complaints() {
    const bad = (m) =>
      m.method === "Runtime.exceptionThrown" ||
      (m.method === "Runtime.consoleAPICalled" && m.params.type === "error") ||
      (m.method === "Log.entryAdded" && m.params.entry.level === "error");
    return this.heard.filter(bad).map((m) => JSON.stringify(m.params).slice(0, 300));
  }

  async close() {
    const gone = new Promise((done) => this.process.once("exit", done));
    this.process.kill();
    await gone;
    await this.sleep(300);
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const failures = [];

function expect(holds, what) {
  if (!holds) failures.push(what);
}

async function visit(browser, path, shots) {
  const name = basename(path, ".html");
  await browser.open(path, "theme=light");
  const state = () => browser.ask("mbd.state()");
  const [before, scriptBefore] = [await state(), await browser.scriptTime()];
  const began = Date.now();
  await browser.sleep(900);
  // A busy machine may draw nothing for a while.
  for (let k = 0; k < 20 && (await state()).frames <= before.frames; k++) await browser.sleep(500);
  const passed = (Date.now() - began) / 1000;
  const [after, scriptAfter] = [await state(), await browser.scriptTime()];
  const script = (scriptAfter - scriptBefore) / (after.frames - before.frames);
  expect(before.playing && after.t !== before.t, `${name}: it does not play`);
  expect(script > 0 && script <= MOST_SCRIPT, `${name}: ${script} ms of script for a frame`);
  expect(after.drawCalls <= MOST_DRAW_CALLS, `${name}: ${after.drawCalls} draw calls`);
  const rate = ((after.frames - before.frames) / passed).toFixed(0);

  // The slider: a click in its middle, then at its beginning.
  const box = await browser.ask("(({x, y, width, height}) => [x, y, width, height])(document.querySelector('input[type=range]').getBoundingClientRect())");
  const at = async (part) => {
    const [x, y] = [box[0] + part * box[2], box[1] + 0.5 * box[3]];
    await browser.mouse("mousePressed", x, y, { button: "left", clickCount: 1 });
    await browser.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
    await browser.sleep(250);
    return browser.picture();
  };
  const [first, middle] = [await at(0.02), await at(0.4)];
  expect(first !== middle, `${name}: the slider changes nothing`);
  expect(!(await state()).playing, `${name}: it plays on while one looks at a time`);
  if (shots) writeFileSync(join(shots, `${name}.png`), Buffer.from(middle, "base64"));

  // The pointer goes over the picture until something has a name.
  let named = false;
  for (let k = 0; k < 900 && !named; k++) {
    const [x, y] = [(0.05 + 0.9 * ((k * 0.618034) % 1)) * 760, 60 + (0.05 + 0.9 * (k / 900)) * 600];
    await browser.mouse("mouseMoved", x, y);
    named = await browser.ask("!mbd.page.tip.hidden");
  }
  const hasParts = await browser.ask("mbd.page.run.items.length + mbd.page.run.bodies.length > 0");
  expect(named || !hasParts, `${name}: nothing has a name`);
  if (shots && named) writeFileSync(join(shots, `${name}-named.png`), Buffer.from(await browser.picture(), "base64"));

  const complaints = [...browser.complaints(), ...(await state()).errors];
  expect(complaints.length === 0, `${name}: ${complaints.join("; ")}`);
  console.log(`${name}: ${rate} frames/s, ${script.toFixed(2)} ms of script for a frame, ${after.drawCalls} draw calls`);
}

const args = process.argv.slice(2);
const at = args.indexOf("--shots");
const shots = at >= 0 ? args.splice(at, 2)[1] : undefined;
const browser = new Browser(process.env.MBD_CHROMIUM ?? "chromium");
try {
  for (const path of args) await visit(browser, path, shots);
} finally {
  await browser.close();
}
failures.forEach((failure) => console.error(failure));
process.exit(failures.length > 0 ? 1 : 0);
