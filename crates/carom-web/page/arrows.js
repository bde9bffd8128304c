// What an impact does at a contact, over the drawing: frame, cones, velocities, impulse, with their sizes in numbers.

import { add, basis, norm, short, times, unit } from "./player/math.js";

// Lengths in pixels: of the velocity before, of the cones and of the frame; the longest that an arrow may be.
const BEFORE = 66;
const CONE = 74;
const FRAME = 40;
const LONGEST = 170;

// contacts: as the engine gives them; reference: an impulse of usual size, or null.
export function drawImpact(overlay, camera, contacts, reference, css) {
  const fastest = Math.max(0, ...contacts.map(({ before }) => norm(before)));
  const strongest = Math.max(0, ...contacts.map(({ impulse }) => norm(impulse)));
  const longest = reference ? Math.min(150, Math.max(34, 60 * Math.sqrt(strongest / reference))) : 90;
  for (const contact of contacts) {
    if (contact.cone && norm(contact.impulse) > 0) cones(overlay, camera, contact, css);
  }
  const isSingle = contacts.length === 1;
  // Labels are placed last, where there is room.
  const labels = [];
  const lines = [];
  const draw = (place, vector, pixels, colour, unitName, isArriving) => {
    const ends = arrow(overlay, camera, place, unit(vector), pixels, colour, isArriving);
    if (!ends) return;
    lines.push(ends);
    if (isSingle) labels.push({ text: `${short(norm(vector), 3)} ${unitName}`, colour, at: isArriving ? ends[0] : ends[1], from: isArriving ? ends[1] : ends[0], font: "600 12px system-ui, sans-serif" });
  };
  for (const contact of contacts) {
    const place = contact.position;
    frame(overlay, camera, contact, css, isSingle ? labels : null, lines);
    const speed = (v) => (fastest > 0 ? (BEFORE * norm(v)) / fastest : 0);
    // The velocity before ends at the contact, the one after begins there.
    draw(place, contact.before, speed(contact.before), css.before, "m/s", true);
    draw(place, contact.after, speed(contact.after), css.after, "m/s", false);
    if (strongest > 0) draw(place, contact.impulse, (longest * norm(contact.impulse)) / strongest, css.force, "N s", false);
  }
  write(overlay, camera, labels, lines, css);
}

// The point at a distance in pixels along a direction.
function along(camera, place, direction, pixels) {
  return add(place, times(pixels / camera.project(place)[3], direction));
}

// Draws an arrow; gives its ends on the screen, or null if it is too short to be seen.
function arrow(overlay, camera, place, direction, pixels, colour, isArriving) {
  if (!(pixels > 2)) return null;
  const length = Math.min(pixels, LONGEST);
  const here = camera.project(place).slice(0, 2);
  const there = camera.project(along(camera, place, isArriving ? times(-1, direction) : direction, length)).slice(0, 2);
  const { pen } = overlay;
  if (isArriving) pen.setLineDash([6, 3]);
  const ends = isArriving ? [there, here] : [here, there];
  overlay.arrow(...ends, colour, pixels > LONGEST);
  pen.setLineDash([]);
  return ends;
}

// Places each label beyond the end of its arrow or beside it, where it covers least.
function write({ pen }, camera, labels, lines, css) {
  const [w, h] = camera.size;
  // The corner with the scale.
  const taken = [[w - 110, h - 34, 110, 34]];
  const dots = lines.flatMap(([a, b]) => Array.from({ length: 13 }, (_, k) => [a[0] + ((b[0] - a[0]) * k) / 12, a[1] + ((b[1] - a[1]) * k) / 12]));
  for (const { text, colour, at, from, font } of labels) {
    pen.font = font;
    const width = pen.measureText(text).width;
    const size = Math.hypot(at[0] - from[0], at[1] - from[1]) || 1;
    const out = [(at[0] - from[0]) / size, (at[1] - from[1]) / size];
    const beyond = [at[0] + 8 * out[0] - (out[0] < -0.3 ? width : out[0] > 0.3 ? 0 : width / 2), at[1] + 12 * out[1] - 7];
    const around = [[9, -7], [-width - 9, -7], [-width / 2, -24], [-width / 2, 10], [10, 9], [-width - 10, 9], [10, -23], [-width - 10, -23], [14, 24], [-width - 14, 24], [-width / 2, 30]];
    const places = [beyond, ...around.map(([dx, dy]) => [at[0] + dx, at[1] + dy]), ...around.map(([dx, dy]) => [from[0] + dx, from[1] + dy])];
    const cost = ([x, y], k) => 0.2 * k
      + (x < 4 || y < 2 || x + width > w - 4 || y + 15 > h - 2 ? 100 : 0)
      + taken.filter(([a, b, c, d]) => x < a + c && a < x + width && y < b + d && b < y + 15).length * 30
      + dots.filter(([a, b]) => a > x - 2 && a < x + width + 2 && b > y - 1 && b < y + 16).length * 3;
    const costs = places.map(cost);
    const [x, y] = places[costs.indexOf(Math.min(...costs))];
    taken.push([x - 2, y, width + 4, 15]);
    pen.textAlign = "left";
    pen.lineWidth = 3.5;
    pen.strokeStyle = css.stage;
    pen.strokeText(text, x, y + 12);
    pen.fillStyle = colour;
    pen.fillText(text, x, y + 12);
  }
}

// labels: the list to which the names of the axes are added; null for none.
function frame(overlay, camera, { position, axes }, css, labels, lines) {
  const { pen } = overlay;
  axes.forEach((axis, k) => {
    const [a, b] = [camera.project(position), camera.project(along(camera, position, axis, FRAME))];
    pen.strokeStyle = css.soft;
    pen.lineWidth = 1;
    overlay.line([a, b]);
    pen.stroke();
    lines.push([a, b]);
    labels?.push({ text: k ? (axes.length > 2 ? "t" + "₁₂"[k - 1] : "t") : "n", colour: css.soft, at: b, from: a, font: "italic 12px system-ui, sans-serif" });
  });
  const [x, y] = camera.project(position);
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.fillStyle = css.force;
  pen.fill();
}

// Static: an outline; dynamic: filled.
function cones(overlay, camera, { position, axes, cone }, css) {
  const { pen } = overlay;
  for (const [mu, isFilled] of [[cone.dynamic, true], [cone.static, false]]) {
    const [reach, height] = [mu, 1].map((x) => (CONE * x) / Math.hypot(1, mu));
    const top = along(camera, position, axes[0], height);
    let rim;
    if (camera.isFlat) rim = [1, -1].map((s) => along(camera, top, axes[1] || basis(axes[0])[0], s * reach));
    else {
      const [a, b] = axes.length > 2 ? [axes[1], axes[2]] : basis(axes[0]);
      rim = Array.from({ length: 33 }, (_, k) => along(camera, top, add(times(Math.cos((k * Math.PI) / 16), a), times(Math.sin((k * Math.PI) / 16), b)), reach));
    }
    const points = rim.map((p) => camera.project(p));
    const foot = camera.project(position);
    overlay.line(camera.isFlat ? [foot, ...points] : points, true);
    pen.fillStyle = pen.strokeStyle = css.force;
    pen.globalAlpha = isFilled ? 0.14 : 0.7;
    pen.lineWidth = 1.1;
    if (!isFilled) pen.setLineDash([3, 3]);
    if (isFilled) pen.fill();
    else pen.stroke();
    if (!camera.isFlat) {
      // The two visible edges.
      const sides = [points.reduce((m, p) => (p[0] < m[0] ? p : m)), points.reduce((m, p) => (p[0] > m[0] ? p : m))];
      if (isFilled) { overlay.line([foot, ...sides], true); pen.fill(); } else for (const side of sides) { overlay.line([foot, side]); pen.stroke(); }
    }
    pen.setLineDash([]);
    pen.globalAlpha = 1;
  }
}
