// The answer outside the page: as a command line, as Python, and the outcome as data.

import { el, toast } from "./dom.js";

export function showCode(box, { command, python, outcome }) {
  const parts = [["Command line", command], ["Python", python], ["Outcome (JSON)", outcome && JSON.stringify(outcome, null, 2)]];
  if (box.children.length !== parts.length) {
    box.replaceChildren(...parts.map(([name]) => {
      const text = el("pre", { tabindex: 0, "aria-label": name, role: "region" });
      const copy = el("button", { type: "button", "aria-label": `Copy: ${name}`, onclick: () => copyText(text.textContent) }, "Copy");
      return el("figure", null, el("figcaption", null, name, copy), text);
    }));
  }
  parts.forEach(([, text], k) => {
    const place = box.children[k].lastElementChild;
    if (place.textContent !== (text ?? "")) place.textContent = text ?? "";
  });
}

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied");
  } catch {
    toast("The browser does not allow copying: select the text");
  }
}
