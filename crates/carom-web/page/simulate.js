// A run of the simulator, played with the parts of the run player.

import { el, find } from "./dom.js";
import { viewKey } from "./picture.js";
import { Camera } from "./player/camera.js";
import { Chart } from "./player/chart.js";
import { readColours } from "./player/colours.js";
import { EventList } from "./player/list.js";
import { above, clamp, sub } from "./player/math.js";
import { Overlay } from "./player/overlay.js";
import { Run } from "./player/run.js";
import { Space } from "./player/space.js";
import { Strips } from "./player/strips.js";

const SCRUB = 10000;
const NARROW = 860;
const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

export class Player {
  // events: those of the engine, with number, time and mappable; mapped(number); timed(t): the time at which playing stops.
  constructor(box, { run, events }, { mapped, timed }) {
    Object.assign(this, { box, events, mapped, timed, isPlaying: false, t: 0, last: 0, isDirty: true, isOver: false });
    this.build();
    this.run = new Run(JSON.stringify(run));
    this.camera = new Camera(this.run);
    this.space = this.run.plane ? null : Space.on(this.parts.space, this.run);
    this.overlay = new Overlay(this.parts.overlay, this.run);
    const go = (t) => this.stop(t);
    this.chart = new Chart(this.parts.chart, this.parts.keys, this.run, go);
    this.strips = new Strips(this.parts.strips, this.run, go);
    this.list = new EventList(this.parts.events, this.run, go);
    this.camera.attach(this.parts.overlay, () => { this.isDirty = true; });
    this.parts.overlay.addEventListener("keydown", (event) => { if (viewKey(this.camera, event)) this.isDirty = true; });
    if (Math.max(...sub(this.run.high, this.run.low)) > 6 * this.run.size) this.camera.isFollowing = true;
    this.t = this.run.start;
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(this.parts.stage);
    this.dark = () => this.resize();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.dark);
    this.resize();
    const frame = (now) => { if (!this.isOver) { requestAnimationFrame(frame); this.frame(now); } };
    requestAnimationFrame(frame);
  }

  build() {
    const button = (id, text, action) => el("button", { type: "button", id, onclick: action }, text);
    const p = (this.parts = {});
    p.space = el("canvas", { "aria-hidden": "true" });
    p.overlay = el("canvas", { id: "run-overlay", tabindex: 0, role: "application", "aria-label": "Drawing of the motion. Drag to turn or move it, scroll to zoom; arrow keys, plus and minus do the same." });
    p.stage = el("div", { id: "run-stage" }, p.space, p.overlay);
    p.play = button("run-play", "Play", () => this.setPlaying(!this.isPlaying));
    p.clock = el("output", { id: "run-clock", "aria-label": "Time" });
    p.scrub = el("input", { id: "run-scrub", type: "range", min: 0, max: SCRUB, step: 1, value: 0, "aria-label": "Time of the run" });
    p.speed = el("select", { id: "run-speed", "aria-label": "Speed" }, ...SPEEDS.map((x) => el("option", { value: x, selected: x === 1 }, `${x}×`)));
    p.map = button("run-map", "Map this impact", () => { if (this.mappable) this.mapped(this.mappable.number); });
    p.strips = el("div", { id: "strips", tabindex: 0, role: "group", "aria-label": "Modes of the contacts over time" }, el("ol"), el("div", null, el("canvas", { role: "img", "aria-label": "Modes of the contacts over time; click to go to a time" }), el("hr", { "aria-hidden": "true" })));
    p.keys = el("ul", { id: "run-keys", "aria-label": "Curves" });
    p.chart = el("canvas", { id: "run-chart", role: "img", "aria-label": "Energies over time; click to go to a time" });
    p.events = el("div", { id: "events", role: "group", "aria-label": "Events" });
    this.box.replaceChildren(p.stage,
      el("div", { id: "run-transport" }, p.play, button("run-before", "◂ event", () => this.hop(-1)), button("run-next", "event ▸", () => this.hop(1)), p.clock, p.scrub, el("label", null, "Speed", p.speed)),
      el("div", { id: "run-charts" }, p.strips, p.keys, p.chart),
      el("div", { id: "run-log" }, el("h3", null, "Events"), p.events, p.map));
    p.scrub.addEventListener("input", () => this.stop(this.run.start + (p.scrub.value / SCRUB) * (this.run.end - this.run.start)));
    this.box.hidden = false;
  }

  setPlaying(is) {
    if (is && this.t >= this.run.end) this.t = this.run.start;
    Object.assign(this, { isPlaying: is, last: 0, isDirty: true });
    this.parts.play.textContent = is ? "Pause" : "Play";
    if (!is) this.timed(this.t);
  }

  // Shows a time that is already in the state.
  show(t) {
    Object.assign(this, { t: clamp(t, this.run.start, this.run.end), isPlaying: false, isDirty: true });
    this.parts.play.textContent = "Play";
  }

  stop(t) {
    this.show(t);
    this.timed(this.t);
  }

  hop(direction) {
    const { instants } = this.run;
    const place = direction > 0 ? above(instants, this.t + 1e-12) : above(instants, this.t - 1e-12) - 1;
    this.stop(instants[place] ?? (direction > 0 ? this.run.end : this.run.start));
  }

  resize() {
    const { parts, camera } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    camera.size = [parts.stage.clientWidth || 1, parts.stage.clientHeight || 1];
    for (const one of [parts.space, parts.overlay]) [one.width, one.height] = camera.size.map((x) => Math.round(x * ratio));
    camera.update();
    this.colours = readColours();
    this.strips.prepare(this.colours, innerWidth <= NARROW);
    this.chart.prepare(this.colours, ...this.strips.margins());
    this.list.render();
    this.isDirty = true;
  }

  frame(now) {
    const { run, parts, camera } = this;
    if (this.isPlaying) {
      const passed = this.last ? Math.min((now - this.last) / 1000, 0.1) : 0;
      this.last = now;
      this.t = Math.min(run.end, this.t + passed * Number(parts.speed.value));
      this.isDirty = true;
      if (this.t >= run.end) this.setPlaying(false);
    }
    if (!this.isDirty || !run.count) return;
    this.isDirty = false;
    const at = run.at(this.t);
    if (camera.isFollowing) {
      camera.target = run.middle(at);
      camera.update();
    }
    if (this.space) this.space.draw(camera, at, this.colours);
    this.overlay.draw(camera, at, this.t, 0.35 * Number(parts.speed.value), this.colours, { forces: true, isPlain: !this.space });
    this.strips.draw(this.t);
    this.chart.draw(this.t);
    this.list.mark(this.t);
    parts.clock.textContent = `${this.t.toFixed(4)} s`;
    parts.scrub.value = Math.round((SCRUB * (this.t - run.start)) / (run.end - run.start || 1));
    parts.scrub.setAttribute("aria-valuetext", parts.clock.textContent);
    this.mappable = this.events.find(({ mappable, time }) => mappable && Math.abs(time - this.t) <= 1e-9 * Math.max(1, Math.abs(time)));
    parts.map.disabled = !this.mappable;
    parts.map.textContent = this.mappable ? `Map this impact: event ${this.mappable.number}, ${this.mappable.contact ?? ""}` : "Map this impact";
    parts.map.title = this.mappable ? "" : "Choose an impact in the list first";
  }

  close() {
    this.isOver = true;
    this.watch.disconnect();
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.dark);
    this.box.replaceChildren();
    this.box.hidden = true;
    find("run-words").textContent = "";
  }
}
