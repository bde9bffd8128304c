// The gallery of built-in impacts and simulations.

import { closeDialog, openDialog } from "./dialog.js";
import { el } from "./dom.js";

export function showGallery(gallery, open) {
  const card = (key) => ({ name, title }) =>
    el("button", { type: "button", "data-kind": key, "data-name": name, onclick: () => { closeDialog(); open({ [key]: name }); } }, el("b", null, name), title);
  openDialog("Gallery",
    el("h3", null, "Impacts"), el("div", { class: "cards" }, ...gallery.impacts.map(card("gallery"))),
    el("h3", null, "Simulations"), el("div", { class: "cards" }, ...gallery.simulations.map(card("simulation"))));
}
