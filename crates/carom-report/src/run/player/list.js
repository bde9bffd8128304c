// The list of events. Only the rows in view are elements, so the list may have any length.

import { above, short } from "./math.js";
import { eventRows } from "./rows.js";

// Height of a row, as in the style sheet.
const HEIGHT = 44;
// Rows beyond the view on each side.
const BEYOND = 6;
// A taller box than this is not scrolled reliably; a longer list moves by more than one pixel per pixel of scrolling.
const MOST_PIXELS = 8e6;

export class EventList {
  // box: the scrolling list; go(t): called with the time of a row.
  constructor(box, run, go) {
    Object.assign(this, { box, run, go, opened: new Set(), shown: new Map(), current: -1 });
    this.inner = box.appendChild(document.createElement("div"));
    this.arrange();
    box.addEventListener("scroll", () => this.render());
    box.addEventListener("keydown", (event) => this.walk(event));
  }

  arrange() {
    Object.assign(this, eventRows(this.run, this.opened));
    const height = HEIGHT * this.rows.length;
    this.factor = Math.max(1, height / MOST_PIXELS);
    this.inner.style.height = `${height / this.factor}px`;
    if (!this.rows.length) Object.assign(this.inner, { textContent: "none" }).style.height = "auto";
  }

  time({ event, group, train }) {
    return this.run.events.time[event ?? (group ? group.first : train.events[0])];
  }

  // Puts the rows in view into place.
  render() {
    const { box, rows, shown } = this;
    const from = (box.scrollTop * this.factor) / HEIGHT;
    const first = Math.max(0, Math.floor(from) - BEYOND);
    const last = Math.min(rows.length, Math.ceil(from + box.clientHeight / HEIGHT) + BEYOND);
    const keys = new Set();
    for (let i = first; i < last; i++) {
      const row = rows[i];
      keys.add(row.key);
      if (!shown.has(row.key)) shown.set(row.key, this.inner.appendChild(this.element(row)));
      const element = shown.get(row.key);
      element.style.transform = `translateY(${box.scrollTop + (i - from) * HEIGHT}px)`;
      element.place = i;
      if (i === this.current) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
      if (row.isOpen !== undefined) element.setAttribute("aria-expanded", String(row.isOpen));
    }
    for (const [key, element] of shown) {
      if (keys.has(key)) continue;
      element.remove();
      shown.delete(key);
    }
  }

  element(row) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.depth = row.depth;
    const put = (name, text) => {
      const part = button.appendChild(document.createElement("span"));
      part.className = name;
      part.textContent = text;
    };
    const { what, more, full } = row.event === undefined ? this.groupWords(row) : this.eventWords(row.event);
    put("what", what);
    put("when", `${this.time(row).toFixed(5)} s`);
    put("more", more);
    button.title = full;
    button.addEventListener("click", () => {
      if (row.isOpen !== undefined) this.toggle(row.key);
      this.go(this.time(row));
    });
    return button;
  }

  eventWords(i) {
    const { contact, words, impact, mode, impulse, energy } = this.run.event(i);
    const more = [words + (impact ? `, ${impact}` : "")];
    if (impulse !== null) more.push(`${short(impulse, 3)} ${contact ? contact.unit : "N s"}`);
    if (impulse !== null || energy !== 0) more.push(`${short(energy, 3)} J`);
    if (mode && impulse !== null) more.push(`then ${mode}`);
    more.push(`no. ${i}`);
    const [name, what] = contact ? [contact.name, contact.wide] : ["the rest", "the rest"];
    return { what, more: more.join(" · "), full: `${name}: ${more.join(" · ")}` };
  }

  groupWords({ group, train }) {
    if (train) {
      const { name, wide } = this.run.contacts[train.contact];
      return { what: wide, more: `${train.bounces} ${train.more}`, full: `${name}: ${train.bounces} ${train.more}` };
    }
    return { what: group.bounces, more: `${group.more} · ${group.contacts}`, full: `${group.bounces} ${group.more}: ${group.contacts}` };
  }

  toggle(key) {
    if (!this.opened.delete(key)) this.opened.add(key);
    this.arrange();
    // The marked row may have moved.
    this.current = -1;
    this.mark(this.marked ?? this.run.start, false);
    this.render();
  }

  // Marks the event at a time, or the last one before it.
  mark(t, isScrolled = true) {
    this.marked = t;
    const { time } = this.run.events;
    const last = above(time, t + 1e-12) - 1;
    // Of several events at one time the first is marked.
    const event = last < 0 ? -1 : above(time, time[last] - 1e-15 * Math.abs(time[last]));
    const place = last < 0 ? -1 : this.places[Math.min(event, last)];
    if (place === this.current) return;
    this.current = place;
    if (place >= 0 && isScrolled) this.show(place);
    this.render();
  }

  // Scrolls a row into view if it is not.
  show(place) {
    const { box } = this;
    const top = HEIGHT * place - box.scrollTop * this.factor;
    if (top < 0 || top + HEIGHT > box.clientHeight) box.scrollTop = (HEIGHT * place - box.clientHeight / 2) / this.factor;
  }

  // Arrows go from row to row.
  walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const from = event.target.place;
    if (!step || from === undefined) return;
    event.preventDefault();
    const to = Math.min(Math.max(from + step, 0), this.rows.length - 1);
    this.show(to);
    this.render();
    this.shown.get(this.rows[to].key)?.focus({ preventScroll: true });
  }
}
