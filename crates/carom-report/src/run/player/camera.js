// The cameras of a drawing. Both project a point to pixels; depth grows away from the eye.

import { add, basis, clamp, cross, dot, norm, product, sub, times, unit } from "./math.js";

export class Camera {
  constructor(run) {
    this.run = run;
    this.up = unit(norm(run.gravity) > 0 ? times(-1, run.gravity) : run.surfaces.length ? run.surfaces[0].normal : [0, 0, 1]);
    this.isFlat = Boolean(run.plane);
    this.size = [1, 1];
    this.shift = [0, 0, 0];
    this.fit();
  }

  fit() {
    const { low, high } = this.run;
    this.shift = [0, 0, 0];
    this.center = times(0.5, add(low, high));
    this.zoom = 1;
    if (this.isFlat) {
      // The vertical is drawn vertically, and the horizontal axis points right along a positive axis.
      const n = unit(this.run.plane);
      const over = sub(this.up, times(dot(this.up, n), n));
      this.over = norm(over) > 1e-6 ? unit(over) : basis(n)[1];
      const right = cross(this.over, n);
      const most = [0, 1, 2].reduce((most, k) => (Math.abs(right[k]) > Math.abs(right[most]) ? k : most), 0);
      const sign = right[most] < 0 ? -1 : 1;
      [this.right, this.back] = [times(sign, right), times(sign, n)];
    } else {
      [this.azimuth, this.elevation] = [-0.9, 0.32];
    }
    this.update();
  }

  // Half of what must be visible, across and up.
  reach() {
    const { low, high } = this.run;
    const span = times(0.5, sub(high, low));
    const along = (axis) => span.reduce((sum, x, k) => sum + x * Math.abs(axis[k]), 0);
    return [along(this.right), along(this.over)];
  }

  update() {
    if (!this.isFlat) {
      const [a, b] = basis(this.up);
      const flat = add(times(Math.cos(this.azimuth), a), times(Math.sin(this.azimuth), b));
      this.back = add(times(Math.cos(this.elevation), flat), times(Math.sin(this.elevation), this.up));
      this.right = unit(cross(this.up, this.back));
      this.over = cross(this.back, this.right);
    }
    const [w, h] = this.size;
    const following = this.target && this.isFollowing;
    const room = following ? [1.6 * this.run.size, 1.1 * this.run.size] : this.reach();
    const margin = this.isFlat ? [1.12, 1.25] : [0.95, 1.05];
    const half = Math.max((margin[0] * room[0]) / (w / h), margin[1] * room[1], 1e-9) / this.zoom;
    this.half = half;
    this.middle = add(following ? this.target : this.center, this.shift);
    this.scale = h / 2 / half;
    const angle = 0.5;
    this.distance = half / Math.tan(angle / 2) + (this.isFlat ? 0 : 0.5 * this.run.size);
    this.focal = (h / 2) / Math.tan(angle / 2);
    this.eye = add(this.middle, times(this.distance, this.back));
  }

  project(p) {
    const [w, h] = this.size;
    const d = sub(p, this.isFlat ? this.middle : this.eye);
    const depth = -dot(d, this.back);
    const scale = this.isFlat ? this.scale : this.focal / Math.max(depth, 1e-6 * this.distance);
    return [w / 2 + scale * dot(d, this.right), h / 2 - scale * dot(d, this.over), depth, scale];
  }

  matrix() {
    const [w, h] = this.size;
    const { right: r, over: o, back: b, eye: e } = this;
    const view = [r[0], o[0], b[0], 0, r[1], o[1], b[1], 0, r[2], o[2], b[2], 0, -dot(r, e), -dot(o, e), -dot(b, e), 1];
    const [near, far] = [0.02 * this.distance, 60 * this.distance];
    const f = (2 * this.focal) / h;
    return product([(f * h) / w, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0], view);
  }

  turn(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.elevation = clamp(this.elevation + 0.008 * dy, 0.02, 1.5);
    this.update();
  }

  move(dx, dy) {
    const scale = this.half / (this.size[1] / 2);
    this.shift = add(this.shift, add(times(-dx * scale, this.right), times(dy * scale, this.over)));
    this.update();
  }

  zoomBy(factor, x = this.size[0] / 2, y = this.size[1] / 2) {
    const before = this.half;
    this.zoom = clamp(this.zoom * factor, 0.05, 500);
    this.update();
    // The point under the pointer stays there.
    const part = before - this.half;
    const [w, h] = this.size;
    this.shift = add(this.shift, add(times((part * (x - w / 2)) / (h / 2), this.right), times((-part * (y - h / 2)) / (h / 2), this.over)));
    this.update();
  }

  // Pointers: one turns or moves, two zoom and move.
  attach(canvas, changed) {
    const pointers = new Map();
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    const drop = (event) => pointers.delete(event.pointerId);
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, drop);
    canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      if (!last) return;
      const here = [event.offsetX, event.offsetY];
      const [dx, dy] = [here[0] - last[0], here[1] - last[1]];
      if (pointers.size > 1) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
        const far = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
        this.move(dx / 2, dy / 2);
        this.zoomBy(far(here) / far(last), (here[0] + other[0]) / 2, (here[1] + other[1]) / 2);
      } else if (this.isFlat || event.shiftKey || event.buttons === 2 || event.buttons === 4) {
        this.move(dx, dy);
      } else {
        this.turn(dx, dy);
      }
      pointers.set(event.pointerId, here);
      changed();
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => { this.fit(); changed(); });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-0.0016 * event.deltaY * (event.deltaMode ? 30 : 1)), event.offsetX, event.offsetY);
      changed();
    }, { passive: false });
  }
}
