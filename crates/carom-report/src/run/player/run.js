// The run as it stands in the page: numbers by sample, and what lies between samples.

class Run {
  constructor(text) {
    Object.assign(this, JSON.parse(text));
    this.time = new Float64Array(bytes(this.time));
    this.motion = new Float32Array(bytes(this.motion));
    this.contactMotion = new Float32Array(bytes(this.contact_motion));
    this.modes = new Uint8Array(bytes(this.modes));
    this.energy = new Float32Array(bytes(this.energy));
    this.count = this.time.length;
    this.start = this.count ? this.time[0] : 0;
    this.end = this.count ? this.time[this.count - 1] : 0;
    let moving = 0;
    for (const body of this.bodies) body.row = body.moving ? moving++ : -1;
    this.moving = moving;
    this.instants = [...new Set(this.events.map((event) => event.time))].sort((a, b) => a - b);
    this.bounds();
  }

  // The last sample not after t, and how far t is on the way to the next. At an event it is the sample after it.
  at(t) {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t) low = middle;
      else high = middle - 1;
    }
    const lasts = low + 1 < this.count ? this.time[low + 1] - this.time[low] : 0;
    return { index: low, part: lasts > 0 ? clamp((t - this.time[low]) / lasts, 0, 1) : 0, lasts };
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

  contact(i, { index, part }) {
    const n = this.contacts.length;
    const get = (row) => this.contactMotion.subarray(6 * (row * n + i), 6 * (row * n + i + 1));
    const a = get(index), b = part > 0 ? get(index + 1) : a;
    const mix = (k) => a[k] + part * (b[k] - a[k]);
    return { position: [mix(0), mix(1), mix(2)], force: [mix(3), mix(4), mix(5)], mode: this.modes[index * n + i] };
  }

  // What the whole motion needs of space, and how large the robot is.
  bounds() {
    let [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    const take = (p, r) => {
      low = low.map((x, k) => Math.min(x, p[k] - r));
      high = high.map((x, k) => Math.max(x, p[k] + r));
    };
    const reach = (body) => Math.max(0, ...body.shapes.map((shape) => norm(shape.position) + shapeRadius(shape)),
      ...(body.shapes.length ? [] : body.ends.map(norm)));
    const rounds = Math.max(1, Math.floor(this.count / 400));
    const moving = this.bodies.filter((body) => body.moving);
    for (let i = 0; i < this.count; i += i + rounds < this.count || i === this.count - 1 ? rounds : this.count - 1 - i) {
      for (const body of moving) take(this.pose(body, { index: i, part: 0, lasts: 0 }).p, reach(body));
    }
    if (!(low[0] <= high[0])) [low, high] = [[-1, -1, -1], [1, 1, 1]];
    [this.low, this.high] = [low, high];
    [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const body of moving) take(this.pose(body, { index: 0, part: 0, lasts: 0 }).p, reach(body));
    this.size = low[0] <= high[0] ? Math.max(...sub(high, low)) || this.length : this.length;
    let force = 0;
    for (let k = 0; k < this.contactMotion.length; k += 6) {
      force = Math.max(force, Math.hypot(this.contactMotion[k + 3], this.contactMotion[k + 4], this.contactMotion[k + 5]));
    }
    this.largestForce = force;
    this.largestImpulse = this.events.reduce((most, event) => Math.max(most, event.impulse), 0);
  }

  // The middle of what moves.
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
