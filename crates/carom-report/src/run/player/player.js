// The page: time, buttons, keys.

import { Camera } from "./camera.js";
import { Chart } from "./chart.js";
import { readColours } from "./colours.js";
import { EventList } from "./list.js";
import { above, clamp, short, sub } from "./math.js";
import { Overlay } from "./overlay.js";
import { Run } from "./run.js";
import { Space } from "./space.js";
import { Strips } from "./strips.js";

const SCRUB = 10000;
// Narrower windows get shorter names.
const NARROW = 820;
// Elements in which the space key enters text.
const isText = (element) => element.tagName === "TEXTAREA" || element.isContentEditable || (element.tagName === "INPUT" && !["range", "checkbox"].includes(element.type));

const find = (id) => document.getElementById(id);
const isPressed = (id) => find(id).getAttribute("aria-pressed") === "true";
const press = (id, is) => find(id).setAttribute("aria-pressed", String(is));
const seconds = (t, digits = 4) => `${t.toFixed(digits)} s`;

// Plays the run whose data the page holds.
export function play() {
  const run = new Run(find("run").textContent);
  const state = { t: run.start, isPlaying: false, isDirty: true, last: 0 };
  const camera = new Camera(run);
  const space = run.plane ? null : Space.on(find("space"), run);
  const overlay = new Overlay(find("overlay"), run);
  const chart = new Chart(find("chart"), find("keys"), run, go);
  const strips = new Strips(find("strips"), run, go);
  const list = new EventList(find("events"), run, (t) => { setPlaying(false); go(t); });
  let colours;
  const dirty = () => { state.isDirty = true; };

  function head() {
    find("title").textContent = run.title;
    const { count } = run.events;
    const parts = [run.model, `${short(run.reached)} s`, `${count} event${count === 1 ? "" : "s"}`];
    if (run.at_rest !== null) parts.push(`at rest since ${run.at_rest.toPrecision(8)} s`);
    find("subtitle").textContent = parts.join(" · ");
    if (run.ending !== "complete") {
      const mark = document.createElement("strong");
      mark.textContent = ` · incomplete: ${run.ending.replaceAll("_", " ")} at ${short(run.reached)} s of ${short(run.until)} s`;
      find("subtitle").append(mark);
    }
    find("count").textContent = run.groups.length ? `${count} in ${list.rows.length} rows` : count;
    find("rest").textContent = run.rest || "";
    find("legend").hidden = !run.contacts.some((contact) => !contact.is_limit);
  }

  function go(t) {
    state.t = clamp(t, run.start, run.end);
    dirty();
  }

  function setPlaying(isPlaying) {
    if (isPlaying && state.t >= run.end) state.t = run.start;
    state.isPlaying = isPlaying;
    state.last = 0;
    find("play").setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    find("play-mark").setAttribute("d", isPlaying ? "M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" : "M4 2.5v11l9-5.5z");
    dirty();
  }

  // To the next or the previous row of the list.
  function hop(direction) {
    setPlaying(false);
    const { instants } = run;
    const place = direction > 0 ? above(instants, state.t + 1e-12) : above(instants, state.t - 1e-12) - 1;
    go(instants[place] ?? (direction > 0 ? run.end : run.start));
  }

  const speed = () => Number(find("speed").value);

  // The factor by which time is slower this close to an event.
  function slowness() {
    if (!find("slow").checked) return 1;
    const { instants } = run;
    const next = above(instants, state.t);
    const near = Math.min((instants[next] ?? Infinity) - state.t, state.t - (instants[next - 1] ?? -Infinity));
    return clamp(near / (0.25 * speed()), 0.1, 1);
  }

  function resize() {
    const box = find("stage");
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    camera.size = [box.clientWidth, box.clientHeight];
    for (const id of ["space", "overlay"]) {
      find(id).width = Math.round(box.clientWidth * ratio);
      find(id).height = Math.round(box.clientHeight * ratio);
    }
    camera.update();
    colours = readColours();
    strips.prepare(colours, window.innerWidth <= NARROW);
    chart.prepare(colours, ...strips.margins());
    list.render();
    dirty();
  }

  function frame(now) {
    requestAnimationFrame(frame);
    if (state.isPlaying) {
      const passed = state.last ? Math.min((now - state.last) / 1000, 0.1) : 0;
      state.last = now;
      go(state.t + passed * speed() * slowness());
      if (state.t >= run.end) setPlaying(false);
    }
    if (!state.isDirty || !run.count) return;
    state.isDirty = false;
    const at = run.at(state.t);
    if (camera.isFollowing) {
      camera.target = run.middle(at);
      camera.update();
    }
    if (space) space.draw(camera, at, colours);
    overlay.draw(camera, at, state.t, 0.35 * speed(), colours, { forces: isPressed("forces"), isPlain: !space });
    strips.draw(state.t);
    chart.draw(state.t);
    find("clock").textContent = seconds(state.t);
    const scrub = find("scrub");
    scrub.value = Math.round((SCRUB * (state.t - run.start)) / (run.end - run.start || 1));
    scrub.setAttribute("aria-valuetext", seconds(state.t));
    list.mark(state.t);
  }

  function follow(is) {
    press("follow", is);
    camera.isFollowing = is;
    if (run.count) camera.target = run.middle(run.at(state.t));
    camera.update();
    dirty();
  }

  function wire() {
    find("play").addEventListener("click", () => setPlaying(!state.isPlaying));
    find("before").addEventListener("click", () => hop(-1));
    find("next").addEventListener("click", () => hop(1));
    find("scrub").addEventListener("input", (event) => { setPlaying(false); go(run.start + (event.target.value / SCRUB) * (run.end - run.start)); });
    find("closer").addEventListener("click", () => { camera.zoomBy(1.3); dirty(); });
    find("farther").addEventListener("click", () => { camera.zoomBy(1 / 1.3); dirty(); });
    find("fit").addEventListener("click", () => { follow(false); camera.fit(); dirty(); });
    find("follow").addEventListener("click", () => follow(!isPressed("follow")));
    find("forces").addEventListener("click", () => { press("forces", !isPressed("forces")); dirty(); });
    camera.attach(find("overlay"), dirty);
    document.addEventListener("keydown", keys);
    // The space key plays; it must not also press the button that has the focus.
    document.addEventListener("keyup", (event) => { if (event.key === " " && !isText(event.target)) event.preventDefault(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
    new ResizeObserver(resize).observe(find("stage"));
    new ResizeObserver(resize).observe(find("chart"));
  }

  function keys(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isText(event.target)) return;
    const { tagName, type } = event.target;
    // Arrows and letters choose from a list of choices, and arrows move a slider.
    if (event.key !== " " && (tagName === "SELECT" || (type === "range" && /^(Arrow|Home|End|Page)/.test(event.key)))) return;
    const step = 0.02 * speed();
    const actions = {
      " ": () => { if (!event.repeat) setPlaying(!state.isPlaying); },
      ArrowLeft: () => { if (event.shiftKey) hop(-1); else { setPlaying(false); go(state.t - step); } },
      ArrowRight: () => { if (event.shiftKey) hop(1); else { setPlaying(false); go(state.t + step); } },
      Home: () => go(run.start),
      End: () => go(run.end),
      "+": () => camera.zoomBy(1.3),
      "-": () => camera.zoomBy(1 / 1.3),
      0: () => { follow(false); camera.fit(); },
      f: () => follow(!isPressed("follow")),
      s: () => { find("slow").checked = !find("slow").checked; },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
    dirty();
  }

  head();
  wire();
  resize();
  // A robot that goes far would be tiny in a picture of its whole path.
  if (Math.max(...sub(run.high, run.low)) > 6 * run.size) follow(true);
  requestAnimationFrame(frame);
}
