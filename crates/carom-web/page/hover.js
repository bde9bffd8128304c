// A line about the point of a map under the pointer.

import { limitWords, rounded } from "./sentence.js";

// The exact answer at a pair of coefficients.
export function pairWords([e, mu], { verdict, limits }) {
  const near = (limits || []).filter(({ name, distance }) => !name.startsWith("printed") && Number.isFinite(distance));
  return [`e = ${rounded(e)}, μ = ${rounded(mu)}: ${verdict}`, ...near.map((limit) => limitWords(limit).join(": "))].join(" · ");
}

// The cell of a map at a point.
export function cellWords(at, map) {
  const n = map.resolution;
  const [c, r] = at.map((x, k) => Math.min(n - 1, Math.max(0, Math.floor(((x - map.axes[k].min) / (map.axes[k].max - map.axes[k].min)) * n))));
  const i = r * n + c;
  const energy = map.arrays.energy[i];
  const words = `${energy > 0 ? "+" : "−"}${Math.abs(energy).toPrecision(3)} ${map.energy_words}`;
  const centre = [c, r].map((p, k) => rounded(map.axes[k].min + ((p + 0.5) / n) * (map.axes[k].max - map.axes[k].min)));
  return `cell around ${map.axes[0].words} = ${centre[0]}, ${map.axes[1].words} = ${centre[1]}: ${map.modes[map.arrays.mode[i]]}, ${words}${map.arrays.flags[i] & 1 ? "" : ", creates energy"}`;
}
