// Files are opened by dialog, by drop and by address, and downloaded.

import { closeDialog, openDialog } from "./dialog.js";
import { MOST_EMBEDDED, size } from "./address.js";
import { el, find, toast } from "./dom.js";

const TEXTS = /\.(toml|json|jsonl|ndjson|urdf|xml|mjcf|csv|obj|txt|xacro)$/i;

async function read(file, path) {
  const name = path || file.webkitRelativePath || file.name;
  if (TEXTS.test(name)) return { name, text: await file.text() };
  const bytes = new Uint8Array(await file.arrayBuffer());
  let plain = "";
  for (let i = 0; i < bytes.length; i += 0x8000) plain += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return { name, base64: btoa(plain) };
}

// Files of a dropped item; folders with all that is in them.
async function entries(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    return [await read(file, path + entry.name)];
  }
  const reader = entry.createReader();
  const out = [];
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return out;
    for (const one of some) out.push(...(await entries(one, `${path}${entry.name}/`)));
  }
}

// open(reading): called with a promise of the files that were chosen or dropped.
export function acceptFiles(open) {
  find("open-button").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", () => {
    const chosen = [...find("file").files];
    find("file").value = "";
    open(Promise.all(chosen.map((file) => read(file))));
  });
  let depth = 0;
  const mark = (by) => { depth = Math.max(0, depth + by); document.body.classList.toggle("drops", depth > 0); };
  addEventListener("dragenter", (event) => { event.preventDefault(); mark(1); });
  addEventListener("dragleave", () => mark(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(-depth);
    const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const plain = [...event.dataTransfer.files];
    open(items.length ? Promise.all(items.map((item) => entries(item))).then((lists) => lists.flat()) : Promise.all(plain.map((file) => read(file))));
  });
}

export function sizeNote(files) {
  const bytes = size(files);
  return bytes > MOST_EMBEDDED ? `The files have ${Math.ceil(bytes / 1024)} KB, more than the ${MOST_EMBEDDED / 1024} KB that an address holds: a link or bookmark will ask for them again.` : null;
}

// ?scene= and ?model=: a name in the gallery, or a file of the same origin.
export async function fromQuery(search, gallery) {
  const parts = new URLSearchParams(search);
  const name = parts.get("scene") || parts.get("model");
  if (!name) return null;
  if (gallery.impacts.some((one) => one.name === name)) return { gallery: name };
  if (gallery.simulations.some((one) => one.name === name)) return { simulation: name };
  const address = new URL(name, location.href);
  if (address.origin !== location.origin) throw new Error(`${address.origin} is another origin than this page: download the file and drop it here.`);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address.pathname}: ${answer.status} ${answer.statusText}`);
  const file = new File([await answer.blob()], address.pathname.split("/").pop());
  return { files: [await read(file)] };
}

const SAVED = [
  ["scene", "Scene as it is now"], ["outcome", "Outcome (JSON)"], ["map.svg", "Map (SVG)"], ["map.png", "Map (PNG)"], ["map.csv", "Map (CSV)"], ["map.json", "Map (JSON)"],
  ["states.svg", "Map over states (SVG)"], ["diagram.svg", "Impulse diagram (SVG)"], ["laws.json", "All laws (JSON)"],
  ["run.json", "Run (JSON)"], ["run.csv", "Run (CSV)"], ["run.html", "Run as a page that plays it"],
];

// ask(what) returns the answer of the engine.
export function showDownloads(ask, isSimulated) {
  const save = async (what) => {
    const answer = await ask(what);
    if (!answer) return;
    if (answer.error) {
      toast(answer.error.message);
      return;
    }
    const link = el("a", { href: URL.createObjectURL(new Blob([answer.arrays.bytes], { type: answer.type })), download: answer.name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    closeDialog();
  };
  const shown = SAVED.filter(([what]) => isSimulated || !what.startsWith("run"));
  openDialog("Download", el("div", { class: "cards" }, ...shown.map(([what, words]) => el("button", { type: "button", "data-what": what, onclick: () => save(what) }, el("b", null, what), words))));
}
