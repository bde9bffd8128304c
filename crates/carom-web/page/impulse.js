// The impulses of one impact: the cone, the lines of sticking and restitution, the ellipse without energy change, all answers.

import { el, svg } from "./dom.js";
import { Plot } from "./plot.js";

const MARKS = ["M-5 -5H5V5H-5Z", "M0 -6L6 5H-6Z", "M0 -6L6 0L0 6L-6 0Z", "M-5 -5L5 5M5 -5L-5 5", "M-6 0H6M0 -6V6", "M-5 -4H5L0 6Z", "M-5 0L0 -5L5 0", "M-6 -3H6M-6 3H6"];
const LINES = { sticking: "critical_friction", tangential_restitution: "critical_reversal", maximum_compression: "friction_limit", restitution: "state" };

export function drawImpulses(box, diagram) {
  if (diagram.error) {
    box.replaceChildren(el("p", { class: "empty" }, diagram.error.message));
    return;
  }
  const { space } = diagram;
  // In space: the plane of the two tangents, at the normal impulse of the restitution. In the plane: normal and tangent.
  const isSpatial = space.contact_dimension === 3;
  const place = (impulse) => (isSpatial ? [impulse[1], impulse[2]] : [impulse[1], impulse[0]]);
  const turn = (p) => (isSpatial ? p : [p[1], p[0]]);
  const answers = space.answers.map(({ impulse, laws }) => ({ at: place(impulse), impulse, laws }));
  const ring = space.neutral ? Array.from({ length: 97 }, (_, k) => {
    const [c, s] = [Math.cos((k * Math.PI) / 48), Math.sin((k * Math.PI) / 48)];
    return turn([0, 1].map((i) => space.neutral.centre[i] + c * space.neutral.axes[0][i] + s * space.neutral.axes[1][i]));
  }) : [];
  const reach = answers.map(({ at }) => at).concat([[0, 0]]);
  const ends = [0, 1].map((k) => {
    const [low, high] = [Math.min(...reach.map((p) => p[k])), Math.max(...reach.map((p) => p[k]))];
    const room = 0.25 * Math.max(high - low, 1e-12) + 0.1 * Math.max(...reach.flat().map(Math.abs));
    return { min: low - room, max: high + room };
  });
  const names = isSpatial ? ["tangential impulse i₁ (N s)", "tangential impulse i₂ (N s)"] : ["tangential impulse iₜ (N s)", "normal impulse iₙ (N s)"];
  const isWide = box.clientWidth >= 460;
  const lawNames = answers.map(({ laws }) => laws.join(", "));
  const rows = legendRows(lawNames, isWide ? 30 : 52);
  const plot = new Plot(box, ends, names, { isEqual: true, margins: isWide ? { right: 206 } : { top: 14 + 16 * rows.length } });
  cones(plot, space, isSpatial, answers);
  if (ring.length) plot.inner.append(svg("path", { class: "curve configuration", d: plot.path([ring]) }));
  for (const { name, rows, values, words } of isSpatial ? [] : space.loci) {
    const piece = across(plot, [rows[0][1], rows[0][0]], values[0]);
    if (!piece) continue;
    plot.inner.append(svg("path", { class: `curve ${LINES[name]}`, d: plot.path([piece]) }));
    plot.avoid([piece]);
    plot.label([piece], words || name.replaceAll("_", " "), LINES[name]);
  }
  if (ring.length) plot.label([ring], "no energy change", "configuration");
  answers.forEach(({ at, laws }, k) => {
    const { isOwn } = rows.find((row) => row.k === k);
    const sign = mark(k, plot.x(at[0]), plot.y(at[1]), isOwn);
    sign.append(svg("title", null, laws.join(", ")));
    plot.root.append(sign);
    plot.taken.push([plot.x(at[0]) - 7, plot.y(at[1]) - 7, 14, 14]);
  });
  legend(plot, rows, isWide);
  plot.root.setAttribute("aria-label", `Impulses of all laws: ${answers.map(({ laws, impulse }) => `${laws.join(", ")} ${impulse.map((x) => Number(x.toPrecision(3))).join(" ")}`).join("; ")}`);
  plot.root.setAttribute("role", "img");
  plot.show();
}

const mark = (k, x, y, isOwn) => svg("path", { d: MARKS[k % MARKS.length], transform: `translate(${x} ${y})`, fill: isOwn ? "var(--force)" : "none", stroke: isOwn ? "var(--force)" : "var(--ink)", "stroke-width": 2 });

// The names of the laws of each mark, broken into lines.
function legendRows(names, most) {
  return names.flatMap((name, k) => {
    const lines = [""];
    for (const word of name.split(" ")) {
      if (lines.at(-1) && (lines.at(-1) + word).length > most) lines.push("");
      lines.push(`${lines.pop()}${word} `);
    }
    return lines.map((text, i) => ({ text, k, isFirst: !i, isOwn: /\baghili(,| |$)/.test(`${name} `) }));
  });
}

function legend(plot, rows, isWide) {
  const [x, y] = isWide ? [plot.w - plot.right + 18, plot.top + 10] : [plot.left, 8];
  rows.forEach(({ text, k, isFirst, isOwn }, i) => {
    if (isFirst) plot.root.append(mark(k, x, y + 16 * i, isOwn));
    plot.root.append(svg("text", { class: isOwn ? "tick own" : "tick", x: x + 14, y: y + 4 + 16 * i }, text.trim()));
  });
}

function cones(plot, { friction }, isSpatial, answers) {
  const normal = Math.max(...answers.map(({ impulse }) => impulse[0]));
  friction.forEach((mu, k) => {
    const style = { fill: k ? "var(--force)" : "none", "fill-opacity": 0.1, stroke: "var(--force)", "stroke-dasharray": k ? null : "4 3" };
    if (isSpatial) {
      const radius = mu * normal;
      plot.inner.append(svg("ellipse", { cx: plot.x(0), cy: plot.y(0), rx: plot.x(radius) - plot.x(0), ry: plot.y(0) - plot.y(radius), ...style }));
    } else {
      const far = 4 * Math.max(...plot.ends.flat().map(Math.abs));
      plot.inner.append(svg("path", { d: plot.path([[[-mu * far, far], [0, 0], [mu * far, far]]], true), ...style }));
    }
  });
}

// The part of the line a·p = value inside the frame.
function across(plot, [a, b], value) {
  const [[x0, x1], [y0, y1]] = plot.ends;
  const points = [];
  if (Math.abs(b) > 1e-300) for (const x of [x0, x1]) points.push([x, (value - a * x) / b]);
  if (Math.abs(a) > 1e-300) for (const y of [y0, y1]) points.push([(value - b * y) / a, y]);
  const [tx, ty] = [1e-9 * (x1 - x0), 1e-9 * (y1 - y0)];
  const inside = points.filter(([x, y]) => x >= x0 - tx && x <= x1 + tx && y >= y0 - ty && y <= y1 + ty);
  return inside.length > 1 ? [inside[0], inside[inside.length - 1]] : null;
}
