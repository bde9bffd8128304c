// The picture of the mechanism at the impact, and its control by pointers and keys.

import { drawImpact } from "./arrows.js";
import { bodyAt, follow, grab, grabbedPoint, jointOf } from "./drag.js";
import { el, find, nextFrame } from "./dom.js";
import { Camera } from "./player/camera.js";
import { readColours } from "./player/colours.js";
import { add, norm, short, turned } from "./player/math.js";
import { Overlay } from "./player/overlay.js";
import { Space } from "./player/space.js";
import { Still } from "./still.js";

const ARROWS = ["before", "after", "force", "soft"];
// The factor from a drag in rad or m to a change of velocity in rad/s or m/s.
const RATE = 2;

// Milliseconds after the last turn of a wheel until the view is at rest.
const RESTS = 200;

// Digits of a view in the address: at the largest zoom a hundredth of a pixel.
const DIGITS = 8;

// A gap larger than this part of the robot's size is shown; contacts of scenes and robot files have smaller ones.
const OFF = 2e-4;

// A contact that is moved off its surface still strikes: a note says that it is above the surface or inside it.
function gapWords(contacts, size) {
  const off = contacts.filter(({ gap }) => Math.abs(gap) > OFF * size);
  const one = ({ name, gap }) => `${name} is ${short(Math.abs(gap) * 100, 3)} cm ${gap > 0 ? "above" : "below"} its surface`;
  return off.length ? `${off.slice(0, 3).map(one).join(", ")}${off.length > 3 ? ", …" : ""}: the impact is computed as if it touched.` : "";
}

export class Picture {
  // moved(changes, isFinal, rate): changes is a function from the configuration to the changes of a drag; viewed(view, isFinal).
  constructor({ moved, viewed }) {
    Object.assign(this, { moved, viewed, paint: () => this.paintNow() });
    this.stage = find("stage");
    this.resizing = new ResizeObserver(() => this.resize());
    this.resizing.observe(this.stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    const zoom = (factor) => () => { this.camera?.zoomBy(factor); this.seen(true); };
    find("closer").addEventListener("click", zoom(1.3));
    find("farther").addEventListener("click", zoom(1 / 1.3));
    find("fit").addEventListener("click", () => { this.camera?.fit(); this.viewed(null, true); this.draw(); });
    find("close-up").addEventListener("click", () => this.closeUp());
  }

  // Another robot needs new canvases, since a canvas keeps its drawing context.
  open(info) {
    this.info = info;
    const [space, overlay] = ["space", "overlay"].map((id) => {
      const old = find(id);
      const fresh = old.cloneNode(false);
      old.replaceWith(fresh);
      return fresh;
    });
    this.overlayCanvas = overlay;
    this.camera = this.still = this.space = this.answer = null;
    const poses = info.arrays?.poses;
    this.stage.hidden = find("drag-kind").hidden = !poses;
    find("picture-none")?.remove();
    if (!poses) {
      this.stage.after(el("p", { id: "picture-none", class: "note" }, "This problem is given by its matrices: it has no picture."));
      return;
    }
    this.still = new Still(info, poses);
    this.camera = new Camera(this.still);
    this.space = this.still.plane ? null : Space.on(space, this.still);
    this.overlay = new Overlay(overlay, this.still);
    this.attach(overlay);
    this.resize();
  }

  resize() {
    if (!this.camera) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = (this.camera.size = [this.stage.clientWidth || 1, this.stage.clientHeight || 1]);
    for (const id of ["space", "overlay"]) Object.assign(find(id), { width: Math.round(w * ratio), height: Math.round(h * ratio) });
    this.colours = readColours();
    const style = getComputedStyle(document.documentElement);
    for (const name of ARROWS) this.colours.css[name] = style.getPropertyValue(`--${name}`).trim();
    this.camera.update();
    // A canvas that was resized is empty until it is painted.
    this.paintNow();
  }

  show(answer, contacts) {
    this.answer = answer;
    this.contacts = contacts || answer.contacts || [];
    if (this.still && answer.arrays?.poses) this.still.set(answer.arrays.poses);
    find("gap").textContent = gapWords(this.contacts, this.still?.size || 1);
    this.draw();
  }

  // Draws the robot alone, in a state without an answer.
  pose(poses) {
    this.still?.set(poses);
    this.draw();
  }

  draw() {
    nextFrame(this.paint);
  }

  paintNow() {
    const { camera, space, overlay, colours } = this;
    if (!camera || !this.answer) return;
    if (space) space.draw(camera, null, colours);
    overlay.draw(camera, { index: 0, part: 0, lasts: 0 }, 0, 1, colours, { forces: false, isPlain: !space });
    if (camera.isFlat) this.pins();
    const { before } = this.answer.energy || {};
    const speed = Math.max(0, ...this.contacts.map((contact) => norm(contact.before)));
    drawImpact(overlay, camera, this.contacts, before > 0 && speed > 0 ? (2 * before) / speed : null, colours.css);
  }

  // The hinges of a planar mechanism.
  pins() {
    const { camera, still, overlay: { pen }, colours: { css } } = this;
    for (const joint of this.info.joints) {
      const body = /revolute|continuous/.test(joint.type) && still.bodies.find(({ name }) => name === joint.link);
      if (!body) continue;
      const { p, q } = still.pose(body);
      const [x, y] = camera.project(add(p, turned(q, joint.anchor || [0, 0, 0])));
      pen.beginPath();
      pen.arc(x, y, 4.5, 0, 2 * Math.PI);
      pen.fillStyle = css.paper;
      pen.fill();
      pen.strokeStyle = css.edge;
      pen.lineWidth = 2;
      pen.stroke();
    }
  }

  // The view as it is in the address.
  setView(view) {
    const { camera } = this;
    if (!camera) return;
    camera.fit();
    if (view) this.look(view);
    this.draw();
  }

  look([zoom, x, y, z, azimuth, elevation]) {
    const { camera } = this;
    Object.assign(camera, { zoom, shift: [x, y, z] });
    if (!camera.isFlat && azimuth !== undefined) Object.assign(camera, { azimuth, elevation });
    camera.update();
  }

  seen(isFinal) {
    const { camera } = this;
    if (!camera) return;
    // The picture shows exactly the view in the address, rounded to the same digits.
    const view = [camera.zoom, ...camera.shift, ...(camera.isFlat ? [] : [camera.azimuth, camera.elevation])].map((x) => Number(x.toPrecision(DIGITS)));
    this.look(view);
    this.draw();
    this.viewed(view, isFinal);
  }

  closeUp() {
    const { camera, contacts, still } = this;
    if (!camera || !contacts.length) return;
    camera.fit();
    camera.zoom = (0.5 * Math.max(...camera.reach())) / (0.09 * still.size + 1e-9) / 2;
    camera.update();
    camera.shift = contacts[0].position.map((x, k) => x - camera.center[k]);
    camera.update();
    this.seen(true);
  }

  attach(canvas) {
    let drag = null;
    const at = (event) => [event.offsetX, event.offsetY];
    // One finger beside the bodies scrolls the page up and down; on a body, or with a second one, it is the picture's.
    canvas.addEventListener("touchstart", (event) => {
      const { left, top } = canvas.getBoundingClientRect();
      const [touch] = event.touches;
      if (event.touches.length > 1 || bodyAt(this.still, this.camera, [touch.clientX - left, touch.clientY - top])) event.preventDefault();
    }, { passive: false });
    // Handled before the camera: a press on a body does not move the view.
    canvas.addEventListener("pointerdown", (event) => {
      if (drag || event.button !== 0) return;
      const body = bodyAt(this.still, this.camera, at(event));
      const joint = body && jointOf(this.info, body, event.shiftKey);
      if (!joint) return;
      event.stopImmediatePropagation();
      canvas.setPointerCapture(event.pointerId);
      drag = { body, joint, isTurning: event.shiftKey, last: at(event), local: grab(this.still, this.camera, body, at(event)), id: event.pointerId };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) {
        canvas.classList.toggle("grabs", !event.buttons && this.still && Boolean(bodyAt(this.still, this.camera, at(event))));
        return;
      }
      event.stopImmediatePropagation();
      if (event.pointerId !== drag.id) return;
      const here = at(event);
      const by = [here[0] - drag.last[0], here[1] - drag.last[1]];
      drag.last = here;
      const { still, camera } = this;
      this.moved((q, isVelocity) => follow(still, camera, drag, grabbedPoint(still, drag.body, drag.local), by, q, isVelocity), false, RATE);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => {
        if (drag && event.pointerId === drag.id) {
          drag = null;
          this.moved(() => [], true, RATE);
        } else if (!drag) this.seen(true);
      });
    }
    // A wheel has no final event: the address follows once it is at rest.
    let resting = 0;
    this.camera.attach(canvas, () => {
      this.seen(false);
      clearTimeout(resting);
      resting = setTimeout(() => { if (this.overlayCanvas === canvas) this.seen(true); }, RESTS);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.key === "9") this.closeUp();
    else if (viewKey(this.camera, event)) this.seen(true);
  }
}

// Turns, moves or zooms a view by a key; false for other keys.
export function viewKey(camera, event) {
  const push = (dx, dy) => () => (camera.isFlat || event.shiftKey ? camera.move(dx, dy) : camera.turn(dx, dy));
  const action = { ArrowLeft: push(-20, 0), ArrowRight: push(20, 0), ArrowUp: push(0, -20), ArrowDown: push(0, 20), "+": () => camera.zoomBy(1.3), "-": () => camera.zoomBy(1 / 1.3), 0: () => camera.fit() }[event.key];
  if (!action || event.ctrlKey || event.metaKey) return false;
  event.preventDefault();
  action();
  return true;
}
