// Short functions that make and find elements.

export const find = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A short message that disappears by itself.
let fading = 0;
export function toast(text) {
  find("toast").textContent = text;
  clearTimeout(fading);
  fading = setTimeout(() => { find("toast").textContent = ""; }, 4000);
}

// Runs an action once in the next frame, however often it is requested.
const waiting = new Set();
export function nextFrame(action) {
  if (!waiting.size) {
    requestAnimationFrame(() => {
      const actions = [...waiting];
      waiting.clear();
      for (const one of actions) one();
    });
  }
  waiting.add(action);
}
