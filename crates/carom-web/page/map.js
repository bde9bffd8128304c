// The map: regions with patterns in pixels of the screen, exact curves with labels, and the point to drag.

import { svg } from "./dom.js";
import { Plot, textWidth } from "./plot.js";

const NAMES = { stick: "sticks", slip: "slips", reversal: "slip reverses", several: "several answers", creation: "creates energy", admissible_set: "" };
const ORDER = ["slip", "stick", "reversal", "creation", "several", "admissible_set"];
const MODES = ["separating", "stick", "slip", "reversal"];

function patterns() {
  const make = (name, size, ...shapes) => svg("pattern", { id: `fill-${name}`, patternUnits: "userSpaceOnUse", width: size, height: size }, ...shapes);
  const rect = (name, size) => svg("rect", { width: size, height: size, fill: `var(--${name}-fill)` });
  const line = (d, name, width) => svg("path", { d, stroke: `var(--${name}-mark)`, "stroke-width": width, fill: "none" });
  const rising = "M-1 1L1 -1M0 7L7 0M6 8L8 6", falling = "M-1 8L1 10M0 0L9 9M8 -1L10 1";
  return [
    make("slip", 8, rect("slip", 8)),
    make("stick", 8, rect("stick", 8)),
    make("creation", 7, rect("creation", 7), line(rising, "creation", 1)),
    make("reversal", 8, rect("reversal", 8), svg("circle", { cx: 2, cy: 2, r: 1.1, fill: "var(--reversal-mark)" }), svg("circle", { cx: 6, cy: 6, r: 1.1, fill: "var(--reversal-mark)" })),
    make("several", 7, rect("several", 7), line(rising, "several", 0.8), line("M0 0L7 7", "several", 0.8)),
    make("admissible_set", 9, line(falling, "set", 0.8)),
  ];
}

export class MapPlot {
  // dragged(at, isFinal): the point was moved; hovered(at or null).
  constructor(box, { dragged, hovered }) {
    Object.assign(this, { box, dragged, hovered });
  }

  draw(map, { printed, set }, isDraggable) {
    this.map = map;
    const plot = (this.plot = new Plot(this.box, map.axes, map.axes.map(({ words }) => words), { isEqual: /ratio_/.test(map.axes[0].quantity), isFixed: true }));
    plot.defs.append(...patterns());
    for (const kind of ORDER) {
      if (kind === "admissible_set" && !set) continue;
      for (const region of map.regions.filter((one) => one.kind === kind)) {
        plot.inner.append(svg("path", { d: plot.path(region.polygons, true), fill: `url(#fill-${kind})`, "fill-rule": "evenodd", "data-kind": kind }));
      }
    }
    for (const { pieces } of map.contours || []) plot.inner.append(svg("path", { class: "contour", d: plot.path(pieces) }));
    const shown = map.curves.filter(({ name, pieces }) => pieces.length && (printed || !name.startsWith("printed")));
    for (const { name, pieces } of [...shown].reverse()) {
      plot.inner.append(svg("path", { class: `curve ${name.replaceAll(".", " ")}`, d: plot.path(pieces) }));
      plot.avoid(pieces);
    }
    const [px, py] = [plot.x(map.point.at[0]), plot.y(map.point.at[1])];
    plot.taken.push([px - 14, py - 14, 28, 28]);
    for (const { name, label, pieces } of shown) plot.label(pieces, label, name.replaceAll(".", " "));
    this.regionNames(map);
    const sign = map.energy_unit === "absolute" ? "" : " %";
    for (const { label, pieces } of map.contours || []) plot.label(pieces, `${label}${sign}`, "tick");
    this.handle(map, isDraggable);
    this.root = plot.root;
    plot.root.setAttribute("aria-label", `Map over ${map.axes[0].words} and ${map.axes[1].words}. ${map.point.verdict}`);
    for (const layer of [plot.root, this.over]) {
      layer.addEventListener("pointermove", (event) => { if (!this.isDragging) this.hovered(plot.at(event)); });
      layer.addEventListener("pointerleave", () => this.hovered(null));
      if (isDraggable) this.drags(layer);
    }
    plot.show(this.over);
    // A drag continues on a new drawing, and the focus stays.
    if (this.hasFocus) this.handleElement.focus({ preventScroll: true });
  }

  // The label of a region is placed deep inside it, where it covers no curve.
  regionNames(map) {
    const { plot } = this;
    const n = map.resolution;
    const kindAt = (x, y) => {
      const part = [plot.ends[0], plot.ends[1]].map(([a, b], k) => ([x, y][k] - map.axes[k].min) / (map.axes[k].max - map.axes[k].min));
      if (part.some((p) => p < 0 || p >= 1)) return null;
      const i = Math.floor(part[1] * n) * n + Math.floor(part[0] * n);
      if (!(map.arrays.flags[i] & 1)) return "creation";
      return map.arrays.solutions[i] > 1 && map.arrays.solutions[i] < 255 ? "several" : MODES[map.arrays.mode[i]];
    };
    const grid = 40;
    const kinds = Array.from({ length: grid * grid }, (_, i) => {
      const [c, r] = [i % grid, Math.floor(i / grid)];
      const value = (k, p) => plot.ends[k][0] + ((p + 0.5) / grid) * (plot.ends[k][1] - plot.ends[k][0]);
      return kindAt(value(0, c), value(1, r));
    });
    for (const kind of ["creation", "stick", "slip", "reversal", "several"]) {
      const text = NAMES[kind];
      const width = textWidth(text, 13, 600) + 4;
      let best = null;
      kinds.forEach((one, i) => {
        if (one !== kind) return;
        const [c, r] = [i % grid, Math.floor(i / grid)];
        let room = 0;
        for (; room < 12; room++) {
          const reach = room + 1;
          const isInside = [[-1, 0], [1, 0], [0, -1], [0, 1]].every(([dx, dy]) => {
            const [x, y] = [c + dx * reach, r + dy * reach];
            return x < 0 || y < 0 || x >= grid || y >= grid || kinds[y * grid + x] === kind;
          });
          if (!isInside) break;
        }
        const x = plot.left + ((c + 0.5) / grid) * (plot.w - plot.left - plot.right);
        const y = plot.h - plot.bottom - ((r + 0.5) / grid) * (plot.h - plot.top - plot.bottom);
        const box = [x - width / 2, y - 8, width, 16];
        const cost = plot.cost(box);
        if (cost < Infinity && (!best || room - 2 * cost > best.score)) best = { box, score: room - 2 * cost };
      });
      if (best && best.score > -6) plot.write(best.box, text, "region-name");
    }
  }

  handle(map, isDraggable) {
    const { plot } = this;
    const group = svg("g", isDraggable ? { class: "handle", tabindex: 0, role: "slider", id: "point" } : { id: "point" },
      svg("circle", { r: 22, fill: "transparent" }), svg("circle", { class: "ring", r: 9, fill: "var(--panel)", stroke: "var(--ink)", "stroke-width": 2.5 }), svg("circle", { class: "core", r: 3, fill: "var(--ink)" }));
    this.handleElement = group;
    // A layer of its own: moving the point does not paint the map again.
    this.over = svg("svg", { class: "over", viewBox: `0 0 ${plot.w} ${plot.h}` }, group);
    this.note = group.appendChild(svg("text", { class: "halo", y: 20 }));
    this.point(map.point.at, map.point.verdict);
    if (!isDraggable) return;
    group.addEventListener("focus", () => { this.hasFocus = true; });
    group.addEventListener("blur", () => { if (group.isConnected) this.hasFocus = false; });
    group.addEventListener("keydown", (event) => this.key(event));
  }

  // Moves the point to a pair, and updates its text for screen readers.
  point(at, words) {
    const { plot, map, handleElement } = this;
    if (!plot) return;
    this.pair = at;
    const inside = at.map((value, k) => Math.min(plot.ends[k][1], Math.max(plot.ends[k][0], value)));
    // A pair outside the map is drawn at its edge, with a note.
    const isOutside = at[1] > plot.ends[1][1];
    handleElement.classList.toggle("outside", isOutside);
    this.note.textContent = isOutside ? `μ = ${Number(at[1].toPrecision(4))} ↑` : "";
    this.note.setAttribute("text-anchor", at[0] > 0.5 ? "end" : "start");
    this.note.setAttribute("x", at[0] > 0.5 ? -14 : 14);
    handleElement.setAttribute("transform", `translate(${plot.x(inside[0])} ${plot.y(inside[1])})`);
    if (handleElement.getAttribute("role") !== "slider") return;
    const digits = (x) => Number(x.toFixed(3));
    handleElement.setAttribute("aria-label", "Restitution and friction; arrow keys move the point");
    for (const [name, value] of Object.entries({ min: map.axes[0].min, max: map.axes[0].max, now: digits(at[0]), text: `e = ${digits(at[0])}, mu = ${digits(at[1])}: ${words}` })) {
      handleElement.setAttribute(`aria-value${name}`, value);
    }
  }

  key(event) {
    const step = event.shiftKey ? 0.1 : 0.01;
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] }[event.key];
    if (!move) return;
    event.preventDefault();
    const { plot } = this;
    const at = this.pair.map((value, k) => {
      const next = move[k] ? Math.round((value + move[k] * step) / step) * step : value;
      return Number(Math.min(plot.ends[k][1], Math.max(plot.ends[k][0], next)).toPrecision(12));
    });
    this.dragged(at, true);
  }

  drags(root) {
    const moved = (event) => { this.last = this.plot.at(event).map((x) => Number(x.toFixed(4))); };
    // A finger on the point drags it; beside it a finger scrolls the page, and a tap moves the point there.
    root.addEventListener("touchstart", (event) => { if (event.target.closest("#point")) event.preventDefault(); }, { passive: false });
    root.addEventListener("click", (event) => {
      if (event.pointerType !== "touch") return;
      moved(event);
      this.dragged(this.last, true);
    });
    root.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.isDragging || (event.pointerType === "touch" && !event.target.closest("#point"))) return;
      if (event.pointerType !== "touch") event.preventDefault();
      this.handleElement.focus({ preventScroll: true });
      this.isDragging = true;
      const move = (event) => { moved(event); this.dragged(this.last, false); };
      const end = () => {
        this.isDragging = false;
        window.removeEventListener("pointermove", move);
        for (const name of ["pointerup", "pointercancel"]) window.removeEventListener(name, end);
        this.dragged(this.last, true);
      };
      window.addEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, end);
      move(event);
    });
  }
}
