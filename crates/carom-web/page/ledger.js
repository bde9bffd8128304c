// The energy balance of the impact as bars, which may exceed 100 %.

import { el } from "./dom.js";
import { short } from "./player/math.js";

export function showLedger(box, ledger) {
  if (!ledger) {
    box.replaceChildren(el("p", { class: "note" }, "There is no answer in this state."));
    return;
  }
  if (!ledger.length || !ledger.some(({ percent }) => Number.isFinite(percent))) {
    box.replaceChildren(el("p", { class: "note" }, ledger.length ? ledger.map(({ words, value }) => `${words}: ${value === null ? "not given" : `${short(value)} J`}`).join(" · ") : "The kinetic energy is not given."));
    return;
  }
  // Each part begins where the sum before it ends.
  let sum = 0;
  const rows = ledger.map(({ name, words, value, percent }) => {
    const isPart = name !== "before" && name !== "after";
    const from = isPart ? sum : 0;
    const to = from + percent;
    if (name !== "after") sum = to;
    return { name, words, value, percent, isPart, low: Math.min(from, to), high: Math.max(from, to) };
  });
  const low = Math.min(0, ...rows.map((row) => row.low));
  const high = Math.max(108, 1.04 * Math.max(...rows.map((row) => row.high)));
  const place = (percent) => `${(100 * (percent - low)) / (high - low)}%`;
  const bars = el("div", { class: "bars", role: "list" });
  for (const row of rows) {
    const kind = row.isPart ? (row.percent > 0 ? "gain" : "loss") : "keep";
    const fill = el("span", { class: `fill ${kind}` });
    Object.assign(fill.style, { left: place(row.low), width: `${(100 * (row.high - row.low)) / (high - low)}%` });
    const track = el("span", { class: "track", "aria-hidden": "true" }, fill);
    if (row.name === "after" && row.percent > 100) {
      fill.style.width = `${(100 * 100) / (high - low)}%`;
      const more = el("span", { class: "fill gain" });
      Object.assign(more.style, { left: place(100), width: `${(100 * (row.percent - 100)) / (high - low)}%` });
      track.append(more);
    }
    const mark = el("span", { class: "hundred" });
    mark.style.left = place(100);
    track.append(mark);
    const text = `${row.isPart && row.percent > 0 ? "+" : ""}${row.percent.toFixed(1)} %`.replace("-", "−");
    const line = el("div", { role: "listitem", class: "row" }, el("span", null, row.words), track, el("span", { class: "value", title: `${row.value} J` }, text));
    bars.append(line);
  }
  box.replaceChildren(bars, el("p", { class: "note" }, "The line marks 100 %: all kinetic energy before the impact. A bar beyond it is energy from nowhere."));
}
