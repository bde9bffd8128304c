// The state of the page as the fragment of its address, and back. Numbers are written so that they are read back to the bit.

import { BLANK } from "./state.js";

// Files up to this total size are part of the address.
export const MOST_EMBEDDED = 64 * 1024;

const LISTS = { q: "configuration", v: "velocity", view: "view" };
const WORDS = { guard: "guard", law: "picked" };
const FLAGS = ["printed", "contours", "set"];

const pack = (text) => {
  const bytes = new TextEncoder().encode(text);
  let plain = "";
  for (const byte of bytes) plain += String.fromCharCode(byte);
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const unpack = (text) => {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(plain, (c) => c.charCodeAt(0)));
};

export const size = (files) => files.reduce((sum, { text, base64 }) => sum + (text ?? base64).length, 0);
export const fits = (source) => !source?.files || size(source.files) <= MOST_EMBEDDED;

export function encode(state) {
  const parts = new URLSearchParams();
  const { source } = state;
  if (source?.gallery) parts.set("scene", source.gallery);
  else if (source?.simulation) parts.set("simulation", source.simulation);
  else if (source?.opened) parts.set("opened", "1");
  else if (source?.files) parts.set(fits(source) ? "files" : "lost", fits(source) ? pack(JSON.stringify(source)) : source.main || source.files[0].name);
  if (state.restitution) parts.set("e", list([state.restitution.normal, state.restitution.tangential]));
  if (state.friction) parts.set("mu", list([state.friction.static, state.friction.dynamic]));
  for (const [short, name] of Object.entries(LISTS)) if (state[name]) parts.set(short, list(state[name]));
  for (const [short, name] of Object.entries(WORDS)) if (state[name]) parts.set(short, state[name]);
  if (state.strike) parts.set("strike", JSON.stringify(state.strike));
  if (state.tab !== "map") parts.set("tab", state.tab);
  const shown = FLAGS.filter((name) => state[name]);
  if (shown.length) parts.set("show", shown.join(","));
  if (state.until !== null) parts.set("until", String(state.until));
  if (state.time !== null) parts.set("t", String(state.time));
  return `#${parts.toString().replaceAll("%2C", ",")}`;
}

const list = (numbers) => numbers.map(String).join(",");

function numbers(text) {
  const out = text.split(",").map(Number);
  if (out.some((x) => !Number.isFinite(x))) throw new Error(`"${text}" is not a list of numbers`);
  return out;
}

// Null if the address has no state. Throws an error if it is damaged.
export function decode(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (![...parts].length) return null;
  const state = { ...BLANK };
  if (parts.has("lost")) throw new Error(`This address names ${parts.get("lost")}, which was too large to be part of it: open the file again.`);
  if (parts.has("files")) state.source = JSON.parse(unpack(parts.get("files")));
  else if (parts.has("simulation")) state.source = { simulation: parts.get("simulation") };
  else if (parts.has("opened")) state.source = { opened: true };
  else if (parts.has("scene")) state.source = { gallery: parts.get("scene") };
  if (parts.has("e")) {
    const [normal, tangential = 0] = numbers(parts.get("e"));
    state.restitution = { normal, tangential };
  }
  if (parts.has("mu")) {
    const [s, d = s] = numbers(parts.get("mu"));
    state.friction = { static: s, dynamic: d };
  }
  for (const [short, name] of Object.entries(LISTS)) if (parts.has(short)) state[name] = numbers(parts.get(short));
  if (state.view && ![4, 6].includes(state.view.length)) throw new Error(`"${parts.get("view")}" is not a view: zoom, shift in three directions, and in space two angles`);
  for (const [short, name] of Object.entries(WORDS)) if (parts.has(short)) state[name] = parts.get(short);
  if (parts.has("strike")) state.strike = JSON.parse(parts.get("strike"));
  if (["states", "impulse"].includes(parts.get("tab"))) state.tab = parts.get("tab");
  for (const name of (parts.get("show") || "").split(",")) if (FLAGS.includes(name)) state[name] = true;
  if (parts.has("until")) [state.until] = numbers(parts.get("until"));
  if (parts.has("t")) [state.time] = numbers(parts.get("t"));
  return state;
}
