// Energies over time, and a cursor.

import { clamp, roundStep } from "./math.js";

const DASHES = { kinetic: [], potential: [7, 3], total: [], friction: [2, 3], impacts: [9, 3, 2, 3], damping: [5, 2], dry: [6, 2, 2, 2], torques: [4, 2, 1, 2], devices: [1, 2] };
const WIDTHS = { total: 2.2 };

// Calls go(t) while a pointer is pressed on an element; margins() are its pixels left and right of the time axis.
export function scrubs(element, run, margins, go) {
  const move = (event) => {
    if (event.type === "pointerdown") element.setPointerCapture(event.pointerId);
    else if (!event.buttons) return;
    const [left, right] = margins();
    const part = clamp((event.clientX - element.getBoundingClientRect().left - left) / (element.clientWidth - left - right), 0, 1);
    go(run.start + part * (run.end - run.start));
  };
  element.addEventListener("pointerdown", move);
  element.addEventListener("pointermove", move);
}

export class Chart {
  // keys: a list that gets an entry for each curve.
  constructor(canvas, keys, run, go) {
    Object.assign(this, { canvas, run, pen: canvas.getContext("2d"), left: 46, right: 8 });
    this.background = document.createElement("canvas");
    for (const { name, words } of run.energies) {
      const item = keys.appendChild(document.createElement("li"));
      const dash = DASHES[name].join(" ");
      item.innerHTML = `<svg viewBox="0 0 22 8" aria-hidden="true"><path d="M0 4H22" fill="none" stroke="var(--${name})" stroke-width="${WIDTHS[name] || 1.5}" stroke-dasharray="${dash}"/></svg>`;
      item.append(words);
    }
    scrubs(canvas, run, () => [this.left, this.right], go);
  }

  x(t) {
    const { start, end } = this.run;
    return this.left + ((t - start) / (end - start || 1)) * (this.width - this.left - this.right);
  }

  // Everything but the cursor, once. left, right: pixels between the time axis and the edges of the canvas.
  prepare(colours, left, right) {
    const { canvas, background, run } = this;
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [canvas.clientWidth, canvas.clientHeight];
    for (const one of [canvas, background]) [one.width, one.height] = [this.width * ratio, this.height * ratio];
    Object.assign(this, { ratio, left, right, colours });
    const pen = background.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const [top, bottom] = [4, this.height - 18];
    const [low, high] = this.range();
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top - 4);
    this.axes(pen, low, high, y, bottom, colours);
    pen.lineJoin = "round";
    run.energies.forEach(({ name }, k) => this.curve(pen, name, k, y, colours));
  }

  range() {
    let [low, high] = [0, 0];
    for (const value of this.run.energy) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return high > low ? [low, high] : [low, low + 1];
  }

  axes(pen, low, high, y, bottom, colours) {
    const { run } = this;
    pen.font = "10.5px system-ui, sans-serif";
    pen.fillStyle = colours.css.soft;
    pen.strokeStyle = colours.css.grid;
    pen.lineWidth = 1;
    const step = roundStep((high - low) / 4);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); k++) {
      const at = Math.round(y(k * step)) + 0.5;
      pen.beginPath();
      pen.moveTo(this.left, at);
      pen.lineTo(this.width - this.right, at);
      pen.stroke();
      pen.fillText(`${Number((k * step).toPrecision(4))} J`.replace("-", "−"), this.left - 6, at);
    }
    pen.textBaseline = "alphabetic";
    const span = run.end - run.start;
    if (!(span > 0)) return;
    const every = roundStep((span * 70) / (this.width - this.left - this.right));
    for (let k = Math.ceil(run.start / every - 1e-9); k * every <= run.end * (1 + 1e-9); k++) {
      const at = this.x(k * every);
      pen.textAlign = at > this.width - 30 ? "right" : "center";
      pen.fillText(`${Number((k * every).toPrecision(6))} s`, at, bottom + 14);
    }
  }

  // A column of pixels contains many samples, of which the least and the largest are kept.
  curve(pen, name, k, y, colours) {
    const { run } = this;
    pen.strokeStyle = colours.css[name];
    pen.lineWidth = WIDTHS[name] || 1.5;
    pen.setLineDash(DASHES[name]);
    pen.beginPath();
    const value = (i) => run.energy[i * run.energies.length + k];
    let i = 0, isFirst = true;
    while (i < run.count) {
      const x = this.x(run.time[i]);
      const first = value(i);
      let [last, least, most] = [first, first, first];
      for (; i < run.count && this.x(run.time[i]) < x + 0.5; i++) {
        last = value(i);
        [least, most] = [Math.min(least, last), Math.max(most, last)];
      }
      for (const v of [first, least, most, last]) {
        if (isFirst) pen.moveTo(x, y(v));
        else pen.lineTo(x, y(v));
        isFirst = false;
      }
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  draw(t) {
    const { pen, canvas } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    if (this.background.width) pen.drawImage(this.background, 0, 0);
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const x = Math.round(this.x(t)) + 0.5;
    pen.strokeStyle = this.colours.css.accent;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, 0);
    pen.lineTo(x, this.height - 16);
    pen.stroke();
  }
}
