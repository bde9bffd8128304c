// The contacts that closed, one strip each: a line in flight, a thin bar in slip, a thick bar in stick, ticks for impulses.

import { scrubs } from "./chart.js";
import { MODES } from "./run.js";

// Height of a strip, as in the style sheet.
const ROW = 14;
const RIGHT = 8;

export class Strips {
  // box: the scrolling box; it has a list for the names, a canvas, and a line for the cursor.
  constructor(box, run, go) {
    Object.assign(this, { box, run });
    this.list = box.querySelector("ol");
    this.canvas = box.querySelector("canvas");
    this.cursor = box.querySelector("hr");
    this.names = run.contacts.map(({ name }) => {
      const item = this.list.appendChild(document.createElement("li"));
      item.title = name;
      return item;
    });
    // Impulses by contact.
    this.impulses = run.contacts.map(() => []);
    for (let i = 0; i < run.events.count; i++) {
      if (run.events.impulse[i] > 0) this.impulses[run.events.contact[i]]?.push(run.events.time[i]);
    }
    box.hidden = !run.contacts.length;
    scrubs(this.canvas, run, () => [0, RIGHT], go);
  }

  // The margins of the time axis in the box, in pixels.
  margins() {
    const bar = this.box.offsetWidth - this.box.clientWidth;
    return this.box.hidden ? [46, RIGHT] : [this.list.offsetWidth, RIGHT + bar];
  }

  prepare(colours, isNarrow) {
    const { run, canvas } = this;
    run.contacts.forEach(({ narrow, wide }, i) => {
      const name = this.names[i];
      name.textContent = isNarrow ? narrow : wide;
      // A name that cannot be cut is set smaller.
      name.style.fontSize = "";
      if (name.scrollWidth > name.clientWidth) name.style.fontSize = `${(100 * name.clientWidth) / name.scrollWidth}%`;
    });
    const ratio = window.devicePixelRatio || 1;
    const height = ROW * run.contacts.length;
    canvas.style.height = `${height}px`;
    this.width = canvas.clientWidth;
    [canvas.width, canvas.height] = [this.width * ratio, height * ratio];
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    run.contacts.forEach((contact, c) => this.strip(pen, contact, this.impulses[c], ROW * c, colours));
  }

  x(t) {
    const { start, end } = this.run;
    return ((t - start) / (end - start || 1)) * (this.width - RIGHT);
  }

  strip(pen, { since, modes }, impulses, top, colours) {
    const middle = top + ROW / 2;
    since.forEach((t, k) => {
      const [a, b] = [this.x(t), this.x(k + 1 < since.length ? since[k + 1] : this.run.end)];
      const mode = MODES[modes[k]];
      const thick = { flight: 1, stick: 9, slip: 5 }[mode];
      pen.fillStyle = colours.css[mode];
      pen.fillRect(a, middle - thick / 2, Math.max(b - a, mode === "flight" ? 0 : 1), thick);
    });
    pen.fillStyle = colours.css.force;
    // Where impulses are dense, one tick per pixel.
    let last = -1;
    for (const t of impulses) {
      const x = this.x(t);
      if (x - last < 0.5) continue;
      pen.fillRect(x - 0.5, middle - 5.5, 1, 11);
      last = x;
    }
  }

  draw(t) {
    this.cursor.style.transform = `translateX(${Math.round(this.x(t))}px)`;
  }
}
