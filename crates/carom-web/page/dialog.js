// The dialog of the page: a heading, a body and a button to close it.

import { el, find } from "./dom.js";

export function openDialog(name, ...children) {
  const dialog = find("dialog");
  const close = el("button", { type: "button", onclick: () => dialog.close() }, "Close");
  dialog.replaceChildren(el("div", { class: "head" }, el("h2", { id: "dialog-name" }, name), close), ...children);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

export const closeDialog = () => find("dialog").close();
