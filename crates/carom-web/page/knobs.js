// A number with a slider and a field.

import { el, toast } from "./dom.js";

export class Knob {
  // changed(value, isFinal); text: the visible label; name: the label for screen readers.
  constructor({ text, unit = "", name, low, high, step, least = -Infinity, most = Infinity, changed }) {
    Object.assign(this, { least, most, changed, low, high, step });
    this.slider = el("input", { type: "range", min: low, max: high, step: "any", "aria-label": name || text });
    this.field = el("input", { type: "number", step, min: Number.isFinite(least) ? least : null, max: Number.isFinite(most) ? most : null, "aria-label": `${name || text}, number` });
    this.box = el("div", { class: "knob" }, el("span", { title: name || text }, ...subscripts(text), unit ? el("span", { class: "unit" }, ` ${unit}`) : null), this.slider, this.field);
    this.slider.addEventListener("input", () => changed(Number(this.slider.value), false));
    this.slider.addEventListener("change", () => changed(Number(this.slider.value), true));
    this.slider.addEventListener("keydown", (event) => this.key(event));
    this.field.addEventListener("change", () => {
      const value = this.field.valueAsNumber;
      const isGood = Number.isFinite(value) && value >= this.least && value <= this.most;
      this.field.setAttribute("aria-invalid", String(!isGood));
      if (isGood) changed(value, true);
      else toast(`${name || text}: ${this.field.value === "" ? "a number is needed" : `${this.field.value} is not ${bounds(this.least, this.most)}`}`);
    });
  }

  // Steps of a round size; without them "any" would step by a percent of the range.
  key(event) {
    const sign = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!sign) return;
    event.preventDefault();
    const value = Math.round((Number(this.slider.value) + sign * this.step) / this.step) * this.step;
    this.changed(Math.min(this.high, Math.max(this.low, Number(value.toPrecision(12)))), true);
  }

  set(value) {
    // A value outside the range of the slider extends it.
    if (value < this.low) this.slider.min = this.low = Math.max(this.least, 2 * value - this.high);
    if (value > this.high) this.slider.max = this.high = Math.min(this.most, 2 * value - this.low);
    if (document.activeElement !== this.slider || Number(this.slider.value) !== value) this.slider.value = value;
    this.slider.setAttribute("aria-valuetext", String(Number(value.toPrecision(6))));
    if (document.activeElement !== this.field || this.field.valueAsNumber !== value) {
      this.field.value = Number(value.toPrecision(6));
      this.field.title = String(value);
      this.field.setAttribute("aria-invalid", "false");
    }
  }
}

// μ_d with a d below; names of joints stay as they are.
const subscripts = (text) => text.split(/(?<= [eμ])_(\w)$/).map((part, k) => (k % 2 ? el("sub", null, part) : part));
const bounds = (least, most) => (most < Infinity ? `from ${least} to ${most}` : `at least ${least}`);

// A choice from a list, with the same interface.
class Choice {
  constructor({ text, name, options, changed }) {
    this.select = el("select", { "aria-label": name }, ...options.map(([value, words]) => el("option", { value }, words)));
    this.box = el("div", { class: "knob choice" }, el("span", null, text), this.select);
    this.select.addEventListener("change", () => changed(this.select.value));
  }

  set(value) {
    this.select.value = value;
  }
}

const GUARDS = { report: "only report it", slip: "let the contact slide", limit: "lower e to its limit" };

export class Controls {
  // change(patch, isFinal): a patch of the state; read(): state and info.
  constructor(coefficients, joints, change, read) {
    Object.assign(this, { coefficients, joints, change, read });
  }

  build(info) {
    this.info = info;
    this.knobs = [];
    this.coefficients.replaceChildren();
    this.joints.replaceChildren();
    const put = (box, get, options) => {
      const knob = new Knob(options);
      this.knobs.push({ knob, get });
      box.append(knob.box);
    };
    const restitution = (state) => state.restitution || info.restitution;
    const friction = (state) => state.friction || info.friction;
    if (info.restitution) {
      put(this.coefficients, (s) => restitution(s).normal, { text: "restitution e", name: "restitution", low: 0, high: 1, least: 0, most: 1, step: 0.01,
        changed: (normal, isFinal) => this.change({ restitution: { ...restitution(this.read()), normal } }, isFinal) });
    }
    if (info.friction) {
      put(this.coefficients, (s) => friction(s).static, { text: "static friction μ_s", name: "static friction", low: 0, high: 1.5, least: 0, step: 0.01,
        changed: (value, isFinal) => this.change({ friction: { static: value, dynamic: scaled(friction(this.read()), value) } }, isFinal) });
      put(this.coefficients, (s) => friction(s).dynamic, { text: "dynamic friction μ_d", name: "dynamic friction", low: 0, high: 1.5, least: 0, step: 0.01,
        changed: (dynamic, isFinal) => this.change({ friction: { static: Math.max(dynamic, friction(this.read()).static), dynamic } }, isFinal) });
    }
    if (info.restitution && info.friction) {
      put(this.coefficients, (s) => restitution(s).tangential, { text: "tangential restitution e_t", name: "tangential restitution", low: -1, high: 1, least: -1, most: 1, step: 0.01,
        changed: (tangential, isFinal) => this.change({ restitution: { ...restitution(this.read()), tangential } }, isFinal) });
    }
    this.buildChoices(info);
    this.buildJoints(info, put);
  }

  buildChoices(info) {
    const choose = (get, options) => {
      const knob = new Choice(options);
      this.knobs.push({ knob, get });
      this.coefficients.append(knob.box);
    };
    if (info.guards) {
      choose((s) => s.guard || info.guard, { text: "if energy would grow", name: "What is done if the energy would grow", options: info.guards.map((name) => [name, GUARDS[name] || name]),
        changed: (guard) => this.change({ guard }, true) });
    }
    // The contacts that strike: those of the document, or a single one.
    const names = (info.contacts || []).map(({ name }) => name);
    if (names.length > 1) {
      const own = info.contacts.filter(({ strikes }) => strikes).length;
      const options = [["", `as given (${own})`], ...names.map((name, k) => [String(k), name])];
      choose((s) => (s.strike?.length === 1 ? String(names.indexOf(s.strike[0])) : ""), { text: "striking contact", name: "Which contact strikes", options,
        changed: (place) => this.change({ strike: place === "" ? null : [names[Number(place)]] }, true) });
    }
  }

  buildJoints(info, put) {
    const one = (name, list, k) => (value, isFinal) => {
      const state = this.read();
      const next = [...(state[name] || info[name])];
      next[k] = value;
      const first = name === "configuration" ? quaternionOf(info, k) : null;
      if (first !== null) completed(next, first, k);
      this.change({ [name]: next }, isFinal);
    };
    const scalar = (joint) => joint.q[1] === 1;
    const limitsOf = new Map();
    for (const joint of info.joints || []) if (joint.limits && scalar(joint)) limitsOf.set(joint.q[0], joint.limits);
    const angular = new Set();
    for (const joint of info.joints || []) if (/revolute|continuous/.test(joint.type)) angular.add(joint.q[0]);
    (info.coordinates || []).forEach((name, k) => {
      const reach = Math.max(angular.has(k) ? Math.PI : info.length || 1, 1.5 * Math.abs(info.configuration[k]));
      const isTurn = quaternionOf(info, k) !== null;
      const [low, high] = isTurn ? [-1, 1] : limitsOf.get(k) || [-reach, reach];
      put(this.joints, (s) => (s.configuration || info.configuration)[k], {
        text: name, unit: angular.has(k) ? "rad" : "", name: `position ${name}`, low: Math.max(low, -1e3), high: Math.min(high, 1e3), step: 0.01, ...(isTurn ? { least: -1, most: 1 } : {}), changed: one("configuration", info.coordinates, k) });
    });
    (info.velocities || []).forEach((name, k) => {
      const reach = Math.max(1, 3 * Math.max(...info.velocity.map(Math.abs)));
      put(this.joints, (s) => (s.velocity || info.velocity)[k], {
        text: `velocity ${name}`, unit: (info.velocity_units || [])[k] || "", name: `velocity ${name}`, low: -reach, high: reach, step: 0.01, changed: one("velocity", info.velocities, k) });
    });
  }

  set(state) {
    for (const { knob, get } of this.knobs) knob.set(get(state));
  }
}

// The index of the first number of the quaternion that a coordinate belongs to, or null.
function quaternionOf(info, k) {
  for (const { type, q } of info.joints || []) {
    const first = q[0] + (type === "floating" ? 3 : 0);
    if (/floating|ball/.test(type) && k >= first && k < first + 4) return first;
  }
  return null;
}

// The other three numbers of a quaternion follow, so that its norm remains one.
function completed(list, first, k) {
  const others = [0, 1, 2, 3].map((i) => first + i).filter((i) => i !== k);
  const [room, size] = [Math.sqrt(Math.max(0, 1 - list[k] ** 2)), Math.hypot(...others.map((i) => list[i]))];
  if (size > 1e-9) for (const i of others) list[i] *= room / size;
  else list[others[0]] = room;
}

// The dynamic friction for a new static one, in the same ratio.
const scaled = ({ static: s, dynamic: d }, value) => (s > 0 ? Math.min(value, Number(((d / s) * value).toPrecision(15))) : value);
