// A frame with axes, ticks and labels that do not overlap, as SVG in pixels of the screen.

import { svg } from "./dom.js";
import { roundStep } from "./player/math.js";

const ruler = document.createElement("canvas").getContext("2d");

export function textWidth(text, size, weight = 400) {
  ruler.font = `${weight} ${size}px system-ui, sans-serif`;
  return ruler.measureText(text).width;
}

export class Plot {
  // isEqual: both axes have the same scale; isFixed: their ranges are kept, and the frame is made narrower.
  constructor(box, axes, names, { isEqual = false, isFixed = false, margins = {} } = {}) {
    const [w, h] = [Math.max(220, box.clientWidth), Math.max(200, box.clientHeight)];
    Object.assign(this, { box, w, h, left: 52, right: 12, top: 10, bottom: 44, taken: [], points: [], ...margins });
    this.ends = axes.map(({ min, max }) => [min, max > min ? max : min + 1]);
    if (isEqual) this.equalise(isFixed);
    this.root = svg("svg", { viewBox: `0 0 ${w} ${h}`, role: "group" });
    this.clip = svg("clipPath", { id: "plot-clip" }, svg("rect", { x: this.left, y: this.top, width: w - this.left - this.right, height: h - this.top - this.bottom }));
    this.defs = svg("defs", null, this.clip);
    this.inner = svg("g", { "clip-path": "url(#plot-clip)" });
    this.labels = svg("g");
    this.root.append(this.defs, this.inner, this.frame(names), this.labels);
  }

  equalise(isFixed) {
    const room = [this.w - this.left - this.right, this.h - this.top - this.bottom];
    const scale = Math.min(...this.ends.map(([a, b], k) => room[k] / (b - a)));
    const [across, up] = this.ends.map(([a, b], k) => room[k] - scale * (b - a));
    if (isFixed) {
      this.left += across / 2;
      this.right += across / 2;
      this.top += up / 2;
      this.bottom += up / 2;
      return;
    }
    // The range of the shorter axis is extended.
    this.ends = this.ends.map(([a, b], k) => {
      const extra = (k ? up : across) / scale / 2;
      return [a - extra, b + extra];
    });
  }

  x(value) {
    const [a, b] = this.ends[0];
    return this.left + ((value - a) / (b - a)) * (this.w - this.left - this.right);
  }

  y(value) {
    const [a, b] = this.ends[1];
    return this.h - this.bottom - ((value - a) / (b - a)) * (this.h - this.top - this.bottom);
  }

  // The values at a point of the screen, inside the frame.
  at(event) {
    const box = this.root.getBoundingClientRect();
    const [px, py] = [((event.clientX - box.left) * this.w) / box.width, ((event.clientY - box.top) * this.h) / box.height];
    const part = [(px - this.left) / (this.w - this.left - this.right), (this.h - this.bottom - py) / (this.h - this.top - this.bottom)];
    return part.map((p, k) => this.ends[k][0] + Math.min(1, Math.max(0, p)) * (this.ends[k][1] - this.ends[k][0]));
  }

  path(pieces, isClosed) {
    const one = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${this.x(x).toFixed(2)} ${this.y(y).toFixed(2)}`).join("") + (isClosed ? "Z" : "");
    return pieces.map(one).join("");
  }

  frame(names) {
    const group = svg("g");
    const { left, top, w, h, right, bottom } = this;
    group.append(svg("rect", { class: "frame", x: left, y: top, width: w - left - right, height: h - top - bottom }));
    this.ends.forEach(([a, b], k) => {
      const pixels = k ? h - top - bottom : w - left - right;
      const step = roundStep((b - a) / Math.max(2, Math.floor(pixels / 64)));
      for (let i = Math.ceil(a / step - 1e-9); i * step <= b + 1e-9 * step; i++) {
        const value = Number((i * step).toPrecision(10));
        const text = String(value).replace("-", "−");
        if (k) group.append(svg("text", { class: "tick", x: left - 6, y: this.y(value) + 4, "text-anchor": "end" }, text));
        else group.append(svg("text", { class: "tick", x: this.x(value), y: h - bottom + 16, "text-anchor": "middle" }, text));
      }
    });
    group.append(svg("text", { class: "axis", x: (left + w - right) / 2, y: h - bottom + 36, "text-anchor": "middle" }, names[0]));
    group.append(svg("text", { class: "axis", transform: `translate(${left - 38} ${(top + h - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, names[1]));
    return group;
  }

  // Lines that labels should not cover.
  avoid(pieces) {
    for (const piece of pieces) {
      for (let i = 0; i + 1 < piece.length; i++) {
        const [a, b] = [piece[i], piece[i + 1]].map(([x, y]) => [this.x(x), this.y(y)]);
        const n = Math.min(200, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 6));
        for (let k = 0; k <= n; k++) this.points.push([a[0] + ((b[0] - a[0]) * k) / (n || 1), a[1] + ((b[1] - a[1]) * k) / (n || 1)]);
      }
    }
  }

  // How much the box of a label would cover: 0 for nothing, infinite if it leaves the frame or covers another label.
  cost([x, y, w, h]) {
    if (x < this.left + 2 || x + w > this.w - this.right - 2 || y < this.top + 2 || y + h > this.h - this.bottom - 2) return Infinity;
    if (this.taken.some(([a, b, c, d]) => x < a + c && a < x + w && y < b + d && b < y + h)) return Infinity;
    return this.points.reduce((sum, [px, py]) => sum + (px > x && px < x + w && py > y && py < y + h ? 1 : 0), 0);
  }

  write(box, text, name) {
    this.taken.push([box[0] - 3, box[1] - 1, box[2] + 6, box[3] + 2]);
    // μ_cr with cr below.
    const [base, below] = text.split(/_(\w+)/);
    const rest = text.slice(base.length + 1 + (below?.length ?? -1));
    const parts = below ? [base, svg("tspan", { "font-size": "80%", dy: 3 }, below), rest ? svg("tspan", { dy: -3 }, rest) : null] : [text];
    this.labels.append(svg("text", { class: `halo ${name}`, x: box[0], y: box[1] + 12 }, ...parts));
  }

  // Places a label beside a line, where it covers least.
  label(pieces, text, name) {
    const width = textWidth(text, name === "tick" ? 11 : 12) + 4;
    let best = null;
    for (const piece of pieces) {
      for (let k = 0; k <= 12; k++) {
        const place = (k / 12) * (piece.length - 1);
        const i = Math.min(piece.length - 2, Math.floor(place));
        if (i < 0) continue;
        const t = place - i;
        const [x, y] = [0, 1].map((c) => piece[i][c] + t * (piece[i + 1][c] - piece[i][c]));
        const [px, py] = [this.x(x), this.y(y)];
        for (const [dx, dy] of [[6, -8], [-width - 6, -8], [-width / 2, -20], [-width / 2, 5], [6, 5], [6, -20], [-width - 6, 5], [-width - 6, -20]]) {
          const box = [px + dx, py + dy, width, 15];
          const cost = this.cost(box);
          if (cost < Infinity && (!best || cost < best.cost)) best = { box, cost };
        }
      }
    }
    if (best) this.write(best.box, text, name);
  }

  // over: the top layer.
  show(over) {
    this.box.replaceChildren(this.root, ...(over ? [over] : []));
  }
}
