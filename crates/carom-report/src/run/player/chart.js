// Energies over time, the contacts' modes as bars above them, events as ticks, and a cursor.

const DASHES = { kinetic: [], potential: [7, 3], total: [], friction: [2, 3], impacts: [9, 3, 2, 3], damping: [5, 2], motors: [4, 2, 1, 2], devices: [1, 2] };
const WIDTHS = { total: 2.2 };
const MOST_BARS = 12;

class Chart {
  constructor(canvas, keys, run, go) {
    Object.assign(this, { canvas, run, pen: canvas.getContext("2d") });
    this.background = document.createElement("canvas");
    this.bars = Math.min(run.contacts.length, MOST_BARS);
    // A column that never changes shows nothing.
    this.shown = run.energies.map((name, k) => k).filter((k) => {
      for (let i = 0; i < run.count; i++) if (run.energy[i * run.energies.length + k] !== 0) return true;
      return false;
    });
    for (const k of this.shown) {
      const name = run.energies[k];
      const item = keys.appendChild(document.createElement("li"));
      const dash = DASHES[name].join(" ");
      item.innerHTML = `<svg viewBox="0 0 22 8" aria-hidden="true"><path d="M0 4H22" fill="none" stroke="var(--${name})" stroke-width="${WIDTHS[name] || 1.5}" stroke-dasharray="${dash}"/></svg>`;
      const works = ["friction", "impacts", "damping", "motors"];
      item.append(works.includes(name) ? `work of ${name}` : name === "potential" ? "potential, from its least" : name);
    }
    const move = (event) => {
      if (event.type === "pointerdown") canvas.setPointerCapture(event.pointerId);
      else if (!event.buttons) return;
      const part = clamp((event.offsetX - this.left) / (canvas.clientWidth - this.left - this.right), 0, 1);
      go(run.start + part * (run.end - run.start));
    };
    canvas.addEventListener("pointerdown", move);
    canvas.addEventListener("pointermove", move);
  }

  get right() { return 8; }

  x(t) {
    const { start, end } = this.run;
    return this.left + ((t - start) / (end - start || 1)) * (this.width - this.left - this.right);
  }

  // Everything but the cursor, once.
  prepare(colours) {
    const { canvas, background, run } = this;
    const ratio = window.devicePixelRatio || 1;
    [this.width, this.height] = [canvas.clientWidth, canvas.clientHeight];
    for (const one of [canvas, background]) [one.width, one.height] = [this.width * ratio, this.height * ratio];
    this.ratio = ratio;
    const pen = background.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const bar = this.bars > 4 ? 4 : 8;
    pen.font = "9px system-ui, sans-serif";
    const names = bar >= 8 ? run.contacts.slice(0, this.bars).map((name) => pen.measureText(name).width) : [];
    this.left = clamp(Math.max(0, ...names) + 12, 46, this.width > 500 ? 110 : 60);
    const top = this.bars ? this.bars * (bar + 2) + 6 : 4;
    this.top = top;
    this.modes(pen, bar, colours);
    const bottom = this.height - 18;
    let [low, high] = [0, 0];
    const columns = run.energies.length;
    for (const k of this.shown) {
      for (let i = 0; i < run.count; i++) {
        low = Math.min(low, run.energy[i * columns + k]);
        high = Math.max(high, run.energy[i * columns + k]);
      }
    }
    if (!(high > low)) high = low + 1;
    const y = (value) => bottom - ((value - low) / (high - low)) * (bottom - top - 4);
    this.axes(pen, low, high, y, bottom, colours);
    pen.lineJoin = "round";
    for (const k of this.shown) this.curve(pen, k, y, colours);
    this.colours = colours;
  }

  modes(pen, bar, colours) {
    const { run } = this;
    const n = run.contacts.length;
    pen.font = "9px system-ui, sans-serif";
    for (let c = 0; c < this.bars; c++) {
      const y = 2 + c * (bar + 2);
      if (bar >= 8) {
        // There is room for a name.
        let name = run.contacts[c];
        while (name.length > 1 && pen.measureText(name).width > this.left - 8) name = `${name.slice(0, -2)}…`;
        pen.fillStyle = colours.css.soft;
        pen.textAlign = "right";
        pen.fillText(name, this.left - 6, y + bar - 1);
      }
      let start = 0;
      for (let i = 1; i <= run.count; i++) {
        if (i < run.count && run.modes[i * n + c] === run.modes[start * n + c]) continue;
        const mode = MODES[run.modes[start * n + c]];
        const [a, b] = [this.x(run.time[start]), this.x(run.time[Math.min(i, run.count - 1)])];
        pen.fillStyle = colours.css[mode];
        if (mode === "flight") pen.fillRect(a, y + bar / 2 - 0.5, b - a, 1);
        else if (mode === "stick") pen.fillRect(a, y, Math.max(b - a, 1), bar);
        else pen.fillRect(a, y + bar / 4, Math.max(b - a, 1), bar / 2);
        start = i;
      }
    }
    for (const event of run.events) {
      if (!(event.impulse > 0) || event.contact === null || event.contact >= this.bars) continue;
      pen.fillStyle = colours.css.force;
      pen.fillRect(this.x(event.time) - 0.5, 2 + event.contact * (bar + 2) - 1, 1, bar + 2);
    }
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

  // One column of pixels holds many samples: its least and its largest are kept.
  curve(pen, k, y, colours) {
    const { run } = this;
    const name = run.energies[k];
    pen.strokeStyle = colours.css[name];
    pen.lineWidth = WIDTHS[name] || 1.5;
    pen.setLineDash(DASHES[name]);
    pen.beginPath();
    const value = (i) => run.energy[i * run.energies.length + k];
    let i = 0, isFirst = true;
    while (i < run.count) {
      const x = this.x(run.time[i]);
      let [first, last, least, most] = [value(i), value(i), value(i), value(i)];
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
