// The run of the page: numbers by sample, and interpolation between samples.

import { above, add, clamp, norm, slerp, sub, times } from "./math.js";
import { shapeRadius } from "./shapes.js";

export const MODES = ["flight", "stick", "slip"];
const IMPACTS = ["separating", "stick", "slip", "reversal"];
const NOTHING = 255;

export class Run {
  // text: the JSON that carom writes.
  constructor(text) {
    Object.assign(this, JSON.parse(text));
    this.time = new Float64Array(bytes(this.time));
    this.motion = new Float32Array(bytes(this.motion));
    this.energy = new Float32Array(bytes(this.energy));
    this.count = this.time.length;
    this.start = this.count ? this.time[0] : 0;
    this.end = this.count ? this.time[this.count - 1] : 0;
    let moving = 0;
    for (const body of this.bodies) body.row = body.moving ? moving++ : -1;
    this.moving = moving;
    const hulls = this.hulls.map(({ points, faces }) => ({ points: new Float32Array(bytes(points)), faces: new Uint32Array(bytes(faces)) }));
    for (const body of this.bodies) for (const shape of body.shapes) if (shape.kind === "hull") Object.assign(shape, hulls[shape.size[0]]);
    for (const contact of this.contacts) {
      contact.since = new Float64Array(bytes(contact.since));
      contact.modes = new Uint8Array(bytes(contact.modes));
      contact.motion = new Float32Array(bytes(contact.motion));
      contact.starts = contact.closed.map(([first]) => first);
      let offset = 0;
      contact.offsets = contact.closed.map(([, count]) => (offset += count) - count);
    }
    this.readEvents();
    this.bounds();
    this.forces();
  }

  readEvents() {
    const { events } = this;
    for (const [name, Kind] of Object.entries({ time: Float64Array, kind: Uint8Array, contact: Uint32Array, impact: Uint8Array, mode: Uint8Array, impulse: Float32Array, energy: Float32Array, position: Float32Array })) {
      events[name] = new Kind(bytes(events[name]));
    }
    events.count = events.time.length;
    // The events that the list shows one by one, and the first and last ones of groups.
    const rows = [];
    let next = 0;
    for (const { first, count } of this.groups) {
      for (; next < first; next++) rows.push(events.time[next]);
      rows.push(events.time[first], events.time[first + count - 1]);
      next = first + count;
    }
    for (; next < events.count; next++) rows.push(events.time[next]);
    this.instants = [...new Set(rows)].sort((a, b) => a - b);
  }

  // An event for the list; the size of its impulse is null for an event without one.
  event(i) {
    const { events, contacts, kinds } = this;
    const named = (list, k) => (k === NOTHING ? null : list[k]);
    return {
      time: events.time[i],
      contact: contacts[events.contact[i]] || null,
      words: kinds[events.kind[i]],
      impact: named(IMPACTS, events.impact[i]),
      mode: named(MODES, events.mode[i]),
      impulse: events.impulse[i] < 0 ? null : events.impulse[i],
      energy: events.energy[i],
    };
  }

  // The last sample not after t, and how far t is on the way to the next. At an event it is the sample after it.
  at(t) {
    const index = Math.max(0, above(this.time, t) - 1);
    const lasts = index + 1 < this.count ? this.time[index + 1] - this.time[index] : 0;
    return { index, part: lasts > 0 ? clamp((t - this.time[index]) / lasts, 0, 1) : 0, lasts };
  }

  // Position and quaternion of a body. Origins follow a cubic through position and velocity at both samples.
  pose(body, { index, part, lasts }) {
    if (!body.moving) return { p: body.pose.slice(0, 3), q: body.pose.slice(3, 7) };
    const get = (i) => this.motion.subarray(10 * (i * this.moving + body.row), 10 * (i * this.moving + body.row + 1));
    const a = get(index);
    if (!(part > 0)) return { p: [a[0], a[1], a[2]], q: [a[3], a[4], a[5], a[6]] };
    const b = get(index + 1);
    const s = part, r = 1 - part;
    const p = [0, 1, 2].map((k) =>
      r * r * (1 + 2 * s) * a[k] + s * s * (1 + 2 * r) * b[k] + s * r * lasts * (r * a[7 + k] - s * b[7 + k]));
    return { p, q: slerp(a.subarray(3, 7), b.subarray(3, 7), part) };
  }

  // A contact that is closed: position, force, mode; null for one that is open, and for the limit of a joint.
  touch(contact, { index, part }) {
    if (contact.is_limit) return null;
    const get = (sample) => {
      const k = above(contact.starts, sample) - 1;
      const place = k < 0 ? -1 : sample - contact.starts[k];
      if (place < 0 || place >= contact.closed[k][1]) return null;
      return contact.motion.subarray(6 * (contact.offsets[k] + place), 6 * (contact.offsets[k] + place + 1));
    };
    const a = get(index);
    if (!a) return null;
    const b = (part > 0 && get(index + 1)) || a;
    const mix = (k) => a[k] + part * (b[k] - a[k]);
    const mode = contact.modes[Math.max(0, above(contact.since, this.time[index]) - 1)];
    return { position: [mix(0), mix(1), mix(2)], force: [mix(3), mix(4), mix(5)], mode };
  }

  // The extent of the whole motion, and the size of the robot.
  bounds() {
    let [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    const take = (p, r) => {
      low = low.map((x, k) => Math.min(x, p[k] - r));
      high = high.map((x, k) => Math.max(x, p[k] + r));
    };
    const moving = this.bodies.filter((body) => body.moving);
    for (const body of moving) {
      body.reach = Math.max(0, ...body.shapes.map((shape) => norm(shape.position) + shapeRadius(shape)), ...(body.shapes.length ? [] : body.ends.map(norm)));
    }
    const rounds = Math.max(1, Math.floor(this.count / 400));
    for (let i = 0; i < this.count; i += i + rounds < this.count || i === this.count - 1 ? rounds : this.count - 1 - i) {
      for (const body of moving) take(this.pose(body, { index: i, part: 0, lasts: 0 }).p, body.reach);
    }
    if (!(low[0] <= high[0])) [low, high] = [[-1, -1, -1], [1, 1, 1]];
    [this.low, this.high] = [low, high];
    [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const body of this.count ? moving : []) take(this.pose(body, { index: 0, part: 0, lasts: 0 }).p, body.reach);
    this.size = low[0] <= high[0] ? Math.max(...sub(high, low)) || this.length : this.length;
    this.largestImpulse = this.events.impulse.reduce((most, x) => Math.max(most, x), 0);
  }

  // The force that arrows are scaled by: the largest force of a contact, as it is for most of the time in which something
  // touches (its quantile of 90 %). A short peak must not hide the forces at rest.
  forces() {
    const largest = new Float64Array(this.count);
    for (const contact of this.contacts) {
      if (contact.is_limit) continue;
      contact.closed.forEach(([first, count], k) => {
        for (let i = 0; i < count; i++) {
          const at = 6 * (contact.offsets[k] + i) + 3;
          const size = Math.hypot(contact.motion[at], contact.motion[at + 1], contact.motion[at + 2]);
          largest[first + i] = Math.max(largest[first + i], size);
        }
      });
    }
    const spans = [];
    for (let i = 0; i < this.count; i++) {
      if (largest[i] > 0) spans.push([largest[i], i + 1 < this.count ? this.time[i + 1] - this.time[i] : 0]);
    }
    spans.sort((a, b) => a[0] - b[0]);
    let left = 0.9 * spans.reduce((sum, [, lasts]) => sum + lasts, 0);
    this.usualForce = 0;
    for (const [size, lasts] of spans) {
      this.usualForce = size;
      left -= lasts;
      if (left <= 0) break;
    }
  }

  // The middle of the moving bodies.
  middle(at) {
    const moving = this.bodies.filter((body) => body.moving);
    const sum = moving.reduce((sum, body) => add(sum, this.pose(body, at).p), [0, 0, 0]);
    return times(1 / Math.max(1, moving.length), sum);
  }
}

function bytes(text) {
  const plain = atob(text);
  const out = new Uint8Array(plain.length);
  for (let i = 0; i < plain.length; i++) out[i] = plain.charCodeAt(i);
  return out.buffer;
}
