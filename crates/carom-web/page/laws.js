// The table of all laws; a law's button draws its answer in the picture.

import { el } from "./dom.js";
import { short } from "./player/math.js";

const number = (x) => (x === undefined || x === null ? "–" : short(x, 4));
const size = (list) => (list ? Math.hypot(...list.slice(1)) : null);
const tangential = (list) => (!list || list.length < 2 ? null : list.length === 2 ? list[1] : size(list));
const yes = (is) => (is === undefined || is === null ? "–" : is ? "yes" : "no");

export function showLaws(table, answer, picked, pick) {
  if (answer.error) {
    table.replaceChildren(el("caption", { class: "left" }, answer.error.message));
    return;
  }
  const isSpatial = answer.laws.some(({ impulse }) => impulse?.length === 3);
  const heads = ["law", "mode", "iₙ", isSpatial ? "|iₜ|" : "iₜ", "vₙ after", isSpatial ? "|vₜ| after" : "vₜ after", "energy", "in cone", "keeps e"];
  const body = el("tbody");
  for (const one of answer.laws) {
    const isPicked = one.law === picked;
    const button = el("button", { type: "button", "data-law": one.law, "aria-pressed": String(isPicked), title: one.words, onclick: () => pick(isPicked ? null : one.law) }, one.law.replaceAll("_", " "));
    const row = el("tr", { "aria-current": isPicked ? "true" : null }, el("th", { scope: "row" }, button));
    if (one.error) row.append(el("td", { colspan: heads.length - 1, class: "left soft" }, one.error));
    else {
      const percent = one.percent ?? null;
      const energy = percent === null ? number(one.energy_change) : `${percent > 0 ? "+" : ""}${percent.toFixed(1)} %`.replace("-", "−");
      row.append(...[one.phases || one.mode, number(one.impulse?.[0]), number(tangential(one.impulse)), number(one.contact_velocity?.[0]), number(tangential(one.contact_velocity))].map((text) => el("td", null, text)),
        el("td", { class: one.creates ? "gain" : null }, one.creates ? `${energy} ▲` : energy), el("td", null, yes(one.obeys_cone)), el("td", null, yes(one.obeys_restitution)));
    }
    body.append(row);
  }
  table.replaceChildren(el("caption", { class: "hidden" }, "Answers of all laws to this impact"), el("thead", null, el("tr", null, ...heads.map((text) => el("th", { scope: "col" }, text)))), body);
}
