// Five steps with Kane's pendulum. Their numbers come from the engine's answers.

import { el, find } from "./dom.js";
import { rounded } from "./sentence.js";

const limitOf = (answer, name) => answer.limits.find((limit) => limit.name === name);

const STEPS = [
  { pair: [0.5, 0.5], at: "verdict", words: (a) => `A double pendulum swings and its tip hits the floor. Bounce e and friction μ look harmless, yet the usual law ${a.verdict.split(":")[0]}. The sentence on top always says what happens now.` },
  { pair: [0.5, 0.5], at: "ledger", words: (a) => `The bars show it: after the impact there is ${(100 + a.energy.percent).toFixed(1)} % of the kinetic energy from before. The part beyond the 100 % line comes from nowhere.` },
  { pair: [0.5, 0.5], at: "charts", words: (a) => `Why? If the tip sticks, bouncing in one direction couples to sliding in the other. In this state stick dissipates only up to e* = ${rounded(limitOf(a, "restitution_limit.state").limit)}. The hatched region beyond it creates energy.` },
  { pair: [0.35, 0.5], at: "charts", words: (a) => `First remedy: less bounce. With e = 0.35, left of e*, the contact ${a.verdict}. Try it: drag the point across the line and back.` },
  { pair: [0.5, 0.35], at: "laws", words: (a) => `Second remedy: less friction. With μ = 0.35 the contact ${a.verdict}; a slipping contact never creates energy. The table shows what other laws say. Now move the joints, open your own robot, or simulate.` },
];

export class Guide {
  // show(pair): opens Kane's pendulum with a pair of coefficients and returns the answer.
  constructor(show) {
    this.show = show;
    this.box = find("guide");
    this.place = -1;
    find("guide-button").addEventListener("click", () => this.go(0));
    this.box.addEventListener("keydown", (event) => { if (event.key === "Escape") this.end(); });
  }

  async go(place) {
    const step = STEPS[place];
    if (!step) return this.end();
    this.place = place;
    const answer = await this.show(step.pair);
    if (this.place !== place || !answer || answer.error) return undefined;
    this.point(step.at);
    const button = (text, to, name) => el("button", { type: "button", class: name, onclick: () => this.go(to) }, text);
    const isLast = place + 1 === STEPS.length;
    const next = button(isLast ? "Explore" : "Next", place + 1, "main");
    this.box.replaceChildren(el("b", null, `${place + 1} of ${STEPS.length}`), el("p", { "aria-live": "polite" }, step.words(answer)),
      el("div", { class: "bar" }, el("button", { type: "button", onclick: () => this.end() }, "Skip"), el("div", { class: "bar" }, place ? button("Back", place - 1) : null, next)));
    this.box.hidden = false;
    next.focus({ preventScroll: true });
    return undefined;
  }

  point(id) {
    for (const marked of document.querySelectorAll(".pointed")) marked.classList.remove("pointed");
    if (!id) return;
    const target = find(id);
    target.classList.add("pointed");
    // The map is shown together with the sentence; the card moves to the side where it does not cover its target.
    const isNarrow = innerWidth <= 860;
    if (!isNarrow && (id === "charts" || id === "verdict")) scrollTo({ top: 0 });
    else target.scrollIntoView({ block: isNarrow || id === "laws" ? "start" : "nearest" });
    this.box.classList.toggle("left", id === "charts" || id === "ledger");
  }

  end() {
    this.place = -1;
    this.point(null);
    this.box.hidden = true;
    find("guide-button").focus({ preventScroll: true });
  }
}
