// The line drawings: planar bodies and their ground, links without shapes, contacts, forces, impulses.

import { above, add, basis, combined, dot, hull, norm, roundStep, sub, times, turned } from "./math.js";
import { MODES } from "./run.js";
import { shapeMesh } from "./shapes.js";

// Length of the arrow of a usual force, and the longest arrow, in heights of the picture.
const ARROW = 0.17;
const LONGEST_ARROW = 2;
// The most rings that are drawn: more cannot be distinguished.
const MOST_FLASHES = 200;

// A rod thinner than this, in pixels, is drawn as a line of this width, to be seen as a body and not as ground.
const THIN = 3.5;

// The mean thickness of an outline: its area over its length.
function thickness(points) {
  let [area, low, high] = [0, [Infinity, Infinity], [-Infinity, -Infinity]];
  points.forEach(([x, y], i) => {
    const [nx, ny] = points[(i + 1) % points.length];
    area += (x * ny - nx * y) / 2;
    [low, high] = [[Math.min(low[0], x), Math.min(low[1], y)], [Math.max(high[0], x), Math.max(high[1], y)]];
  });
  return Math.abs(area) / (Math.hypot(high[0] - low[0], high[1] - low[1]) || 1);
}

export class Overlay {
  constructor(canvas, run) {
    Object.assign(this, { canvas, run, pen: canvas.getContext("2d") });
    this.outlines = new Map();
    const main = run.bodies.find((body) => body.moving);
    const stride = Math.max(1, Math.floor(run.count / 1500));
    this.path = [];
    for (let i = 0; main && i < run.count; i += stride) this.path.push(run.pose(main, { index: i, part: 0, lasts: 0 }).p);
  }

  draw(camera, at, t, flashTime, colours, options) {
    const { pen, canvas, run } = this;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const ratio = canvas.width / camera.size[0];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineJoin = pen.lineCap = "round";
    const isFlat = camera.isFlat || options.isPlain;
    if (camera.isFlat) this.ground(camera, colours);
    this.trace(camera, colours);
    if (isFlat) this.bodies(camera, at, colours);
    this.sticks(camera, at, colours);
    this.flashes(camera, at, t, flashTime, colours);
    const touching = run.contacts.map((contact) => run.touch(contact, at)).filter(Boolean);
    if (options.forces) for (const touch of touching) this.force(camera, touch, colours);
    for (const touch of touching) this.contact(camera, touch, colours);
    this.scaleBar(camera, colours);
    if (options.forces) this.forceBar(camera, colours);
  }

  line(points, closed) {
    this.pen.beginPath();
    points.forEach(([x, y], i) => (i ? this.pen.lineTo(x, y) : this.pen.moveTo(x, y)));
    if (closed) this.pen.closePath();
  }

  ground(camera, colours) {
    const { pen, run } = this;
    const [w, h] = camera.size;
    for (const { point, normal } of run.surfaces) {
      const [x, y] = camera.project(point);
      const n = [dot(normal, camera.right), -dot(normal, camera.over)];
      const size = Math.hypot(...n);
      if (size < 1e-6) continue;
      const [nx, ny] = [n[0] / size, n[1] / size];
      // The point of the line nearest to the middle of the picture, and a length beyond the picture.
      const off = (w / 2 - x) * nx + (h / 2 - y) * ny;
      const [fx, fy] = [w / 2 - off * nx, h / 2 - off * ny];
      const far = 2 * (w + h);
      const ends = [[fx - far * ny, fy + far * nx], [fx + far * ny, fy - far * nx]];
      this.line([...ends, [ends[1][0] - far * nx, ends[1][1] - far * ny], [ends[0][0] - far * nx, ends[0][1] - far * ny]], true);
      pen.fillStyle = colours.css.ground;
      pen.fill();
      this.line(ends);
      pen.strokeStyle = colours.css["ground-line"];
      pen.lineWidth = 1.5;
      pen.stroke();
    }
  }

  // Without WebGL spatial bodies are outlines, too, the farthest first.
  bodies(camera, at, colours) {
    const placed = this.run.bodies.map((body) => ({ body, ...this.run.pose(body, at) }));
    if (!camera.isFlat) placed.sort((a, b) => camera.project(b.p)[2] - camera.project(a.p)[2]);
    for (const { body, p, q } of placed) for (const shape of body.shapes) this.shape(camera, shape, p, q, colours);
  }

  shape(camera, shape, p, q, colours) {
    const { pen } = this;
    const middle = add(p, turned(q, shape.position));
    const [x, y, , scale] = camera.project(middle);
    let isThin = false;
    if (shape.kind === "sphere") {
      pen.beginPath();
      pen.arc(x, y, shape.size[0] * scale, 0, 2 * Math.PI);
    } else {
      const turn = combined(q, shape.rotation);
      const points = this.outline(camera, shape, turn).map((v) => camera.project(add(middle, turned(turn, v))));
      this.line(points, true);
      isThin = thickness(points) < THIN;
    }
    pen.fillStyle = colours.css.body;
    pen.globalAlpha = 0.88;
    pen.fill();
    pen.globalAlpha = 1;
    pen.strokeStyle = colours.css.edge;
    pen.lineWidth = isThin ? THIN : 1.4;
    pen.stroke();
    // A mark that shows the rotation.
    if (shape.kind === "sphere" && shape.size[0] * scale > 6) {
      const marks = [basis(camera.back)[0], basis(camera.back)[1]].map((axis) => turned(q, axis));
      pen.globalAlpha = 0.45;
      pen.lineWidth = 1.1;
      for (const mark of marks) {
        const arm = times(0.94 * shape.size[0], mark);
        this.line([camera.project(sub(middle, arm)), camera.project(add(middle, arm))]);
        pen.stroke();
      }
      pen.globalAlpha = 1;
    }
  }

  // The points of a shape that make its outline; in the plane they are the same at all times.
  outline(camera, shape, turn) {
    if (camera.isFlat && this.outlines.has(shape)) return this.outlines.get(shape);
    const { positions } = shapeMesh(shape);
    const points = [];
    for (let i = 0; i < positions.length; i += 3) points.push([positions[i], positions[i + 1], positions[i + 2]]);
    const seen = points.map((v) => turned(turn, v)).map((v) => [dot(v, camera.right), dot(v, camera.over)]);
    const kept = hull(seen).map((i) => points[i]);
    this.outlines.set(shape, kept);
    return kept;
  }

  trace(camera, colours) {
    if (this.path.length < 2) return;
    this.line(this.path.map((p) => camera.project(p)));
    this.pen.strokeStyle = colours.css.path;
    this.pen.lineWidth = 1;
    this.pen.stroke();
  }

  sticks(camera, at, colours) {
    const { pen, run } = this;
    for (const body of run.bodies) {
      if (body.shapes.length || !body.moving) continue;
      const { p, q } = run.pose(body, at);
      const from = camera.project(add(p, turned(q, body.anchor)));
      pen.strokeStyle = colours.css.edge;
      pen.lineWidth = 3;
      for (const end of body.ends) {
        this.line([from, camera.project(add(p, turned(q, end)))]);
        pen.stroke();
      }
      pen.beginPath();
      pen.arc(from[0], from[1], 3.5, 0, 2 * Math.PI);
      pen.fillStyle = colours.css.body;
      pen.fill();
      pen.lineWidth = 1.2;
      pen.stroke();
    }
  }

  contact(camera, { position, mode }, colours) {
    const { pen } = this;
    const [x, y] = camera.project(position);
    pen.beginPath();
    if (MODES[mode] === "stick") pen.rect(x - 4.5, y - 4.5, 9, 9);
    else this.line([[x, y - 6], [x + 5.6, y + 4.6], [x - 5.6, y + 4.6]], true);
    pen.lineWidth = 1.2;
    pen.fillStyle = colours.css[MODES[mode]];
    pen.fill();
    pen.strokeStyle = colours.css.paper;
    pen.stroke();
  }

  // Pixels for a newton.
  forceScale(camera) {
    return (ARROW * camera.size[1]) / this.run.usualForce;
  }

  force(camera, { position, force }, colours) {
    const size = norm(force);
    if (!(size > 0 && this.run.usualForce > 0)) return;
    const [x, y, , scale] = camera.project(position);
    const most = LONGEST_ARROW * this.run.usualForce;
    const along = times((Math.min(size, most) * this.forceScale(camera)) / (scale * size), force);
    const [ex, ey] = camera.project(add(position, along));
    this.arrow([x, y], [ex, ey], colours.css.force, size > most);
  }

  // An arrow; where it is cut short, two strokes cross it.
  arrow([x, y], [ex, ey], colour, isCut = false) {
    const length = Math.hypot(ex - x, ey - y);
    if (length < 2) return;
    const [ux, uy] = [(ex - x) / length, (ey - y) / length];
    const head = Math.min(9, 0.6 * length);
    const { pen } = this;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 2.2;
    this.line([[x, y], [ex - 0.8 * head * ux, ey - 0.8 * head * uy]]);
    pen.stroke();
    this.line([[ex, ey], [ex - head * ux - 0.45 * head * uy, ey - head * uy + 0.45 * head * ux], [ex - head * ux + 0.45 * head * uy, ey - head * uy - 0.45 * head * ux]], true);
    pen.fill();
    if (!isCut) return;
    pen.lineWidth = 1.6;
    for (const back of [0.55, 0.62]) {
      const [cx, cy] = [x + back * length * ux, y + back * length * uy];
      this.line([[cx - 5 * uy - 2 * ux, cy + 5 * ux - 2 * uy], [cx + 5 * uy + 2 * ux, cy - 5 * ux + 2 * uy]]);
      pen.stroke();
    }
  }

  // A ring that spreads and fades after an impulse.
  flashes(camera, at, t, flashTime, colours) {
    const { pen, run } = this;
    const { events } = run;
    const last = above(events.time, t);
    for (let i = last - 1, drawn = 0; i >= 0 && drawn < MOST_FLASHES; i--) {
      const age = (t - events.time[i]) / flashTime;
      if (age > 1) break;
      const contact = run.contacts[events.contact[i]];
      if (!contact || contact.is_limit || !(events.impulse[i] > 0)) continue;
      const [x, y] = camera.project([0, 1, 2].map((k) => events.position[3 * i + k]));
      const strength = 0.35 + 0.65 * Math.sqrt(events.impulse[i] / run.largestImpulse);
      pen.globalAlpha = (1 - age) * strength;
      pen.strokeStyle = colours.css.flash;
      pen.lineWidth = 3;
      pen.beginPath();
      pen.arc(x, y, (8 + 26 * age) * strength, 0, 2 * Math.PI);
      pen.stroke();
      pen.globalAlpha = 1;
      drawn++;
    }
  }

  // An arrow of a round force, above the bar of a round length.
  forceBar(camera, colours) {
    const { pen, run } = this;
    if (!(run.usualForce > 0)) return;
    const size = roundStep(0.4 * run.usualForce);
    const [x, y] = [camera.size[0] - 14, camera.size[1] - 48];
    this.arrow([x - size * this.forceScale(camera), y], [x, y], colours.css.force);
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillStyle = colours.css.soft;
    const [value, name] = size >= 1000 ? [size / 1000, "kN"] : size >= 0.1 ? [size, "N"] : size >= 1e-4 ? [1000 * size, "mN"] : [1e6 * size, "µN"];
    pen.fillText(`${Number(value.toPrecision(3))} ${name}`, x, y - 8);
  }

  scaleBar(camera, colours) {
    const { pen } = this;
    const scale = camera.size[1] / 2 / camera.half;
    const length = roundStep(70 / scale);
    const [x, y] = [camera.size[0] - 14, camera.size[1] - 14];
    this.line([[x - length * scale, y - 4], [x - length * scale, y], [x, y], [x, y - 4]]);
    pen.strokeStyle = pen.fillStyle = colours.css.soft;
    pen.lineWidth = 1;
    pen.stroke();
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    const [value, name] = length >= 1 ? [length, "m"] : length >= 0.01 ? [length * 100, "cm"] : [length * 1000, "mm"];
    pen.fillText(`${Number(value.toPrecision(3))} ${name}`, x, y - 8);
  }
}
