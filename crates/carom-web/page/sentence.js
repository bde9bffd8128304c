// The answer in a sentence, with its energy in bold.

import { el, find } from "./dom.js";

const ENERGY = /\b(creates|creating|loses|dissipates|absorbs|gains)\b[^:;,.]*?[\d.]+ ?%( (of )?(the )?(kinetic )?energy)?/;

// Short names of limits.
const NAMES = {
  "restitution_limit.state": "e* in this state", "restitution_limit.configuration": "e* in every state", critical_friction: "sticks from μ", "printed.critical_friction": "from μ as printed",
  critical_reversal: "can reverse from μ", friction_limit: "μ* of the paper",
};
const held = (text) => text.replaceAll(" = ", "\u00a0=\u00a0").replaceAll(" %", "\u00a0%");

export function showSentence({ sentence, advice, creates, limits }, isPrinted) {
  const place = find("sentence");
  place.dataset.kind = creates ? "gain" : "plain";
  const hit = ENERGY.exec(sentence);
  if (hit) place.replaceChildren(held(sentence.slice(0, hit.index)), el("b", null, held(hit[0])), held(sentence.slice(hit.index + hit[0].length)));
  else place.textContent = held(sentence);
  find("advice").textContent = advice || "";
  const shown = (limits || []).filter(({ name, distance }) => Number.isFinite(distance) && (isPrinted || !name.startsWith("printed")));
  find("limits").replaceChildren(...shown.map(limit));
}

export function showNoAnswer({ message }, { simulates }) {
  Object.assign(find("sentence"), { textContent: `No answer: ${message}` }).dataset.kind = "none";
  find("advice").textContent = `${simulates ? "Simulate from here and map one of the impacts, or change" : "Change"} the state, the coefficients or the striking contact.`;
  find("limits").replaceChildren();
}

// A limit, and the side of it on which the coefficient is.
export function limitWords({ name, words, of, value, limit: at }) {
  const gap = value - at;
  const letter = of === "restitution" ? "e" : "μ";
  const side = Math.abs(gap) < 5e-13 ? `${letter} is on it` : `${letter} is ${rounded(Math.abs(gap))} ${gap > 0 ? "above" : "below"}`;
  return [`${NAMES[name] || words} ${rounded(at)}`, side];
}

function limit(one) {
  const [what, side] = limitWords(one);
  return el("li", { class: one.holds === false ? "crossed" : null, title: one.words }, el("b", null, what), ` ${side}`);
}

export const rounded = (x) => (Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(2) : String(Number(x.toFixed(3)))).replace("-", "−");
