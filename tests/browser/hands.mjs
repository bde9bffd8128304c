// What a visitor of the explorer does and sees, for the steps of its tests.

import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { near, shellWords } from "./words.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const text = (page, id) => page.textContent(`#${id}`);
// The pixels of the drawing, whatever part of the page is scrolled into view.
export const picture = (page) => page.evaluate(() => ["space", "overlay"].map((id) => document.getElementById(id).toDataURL()).join(" "));
export const drawn = async (page, id) => Buffer.from((await page.evaluate((id) => document.getElementById(id).toDataURL(), id)).split(",")[1], "base64");
// The short messages so far.
export const toasts = (page) => page.evaluate(() => window.toasts.join("\n"));
export const table = (page) => page.locator("#law-table").innerText();
export const outcome = async (page) => JSON.parse(await page.locator("#code figure").nth(2).locator("pre").textContent());
export const field = (page, name) => page.getByLabel(`${name}, number`, { exact: true });
export const slider = (page, name) => page.getByRole("slider", { name, exact: true });
export const hash = (page) => page.evaluate(() => location.hash);

export async function enter({ page, idle }, name, value) {
  await field(page, name).fill(String(value));
  await field(page, name).press("Enter");
  await idle();
}

export async function openFiles({ page, idle }, list) {
  // The page is busy from the choice until what was opened is shown, or the message about what could not be.
  await page.setInputFiles("#file", list);
  await idle();
}

export async function fromGallery({ page, idle }, name, kind = "gallery") {
  await page.click("#gallery-button");
  await page.click(`#dialog [data-kind="${kind}"][data-name="${name}"]`);
  await page.waitForFunction((name) => document.title.startsWith(`${name} `), name);
  await idle();
}

// Two pages show the same: a busy machine may still paint, so what differs must go on differing to be a difference. The two pictures are
// kept then. look: from a page to its picture, as PNG.
export async function sameLook({ page, keep }, other, look, words) {
  const end = Date.now() + 20000;
  for (;;) {
    const [one, two] = [await look(other), await look(page)];
    if (one.equals(two)) return;
    if (Date.now() > end) {
      keep("failed-there", one);
      keep("failed-here", two);
      assert.fail(words);
    }
    await page.waitForTimeout(200);
  }
}

// Where a pair is on the screen, by the ticks of the axes.
export const onMap = (page, pair) => page.evaluate(([e, mu]) => {
  const ticks = [...document.querySelectorAll("#plot text.tick")].filter((tick) => /^[−\d.]+$/.test(tick.textContent));
  const place = (isX, value) => {
    const own = ticks.filter((tick) => (tick.getAttribute("text-anchor") === "middle") === isX);
    const [[a, pa], [b, pb]] = [own[0], own.at(-1)].map((tick) => {
      const box = tick.getBoundingClientRect();
      return [Number(tick.textContent.replace("−", "-")), isX ? box.left + box.width / 2 : box.top + box.height / 2];
    });
    return pa + ((value - a) / (b - a)) * (pb - pa);
  };
  return [place(true, e), place(false, mu)];
}, pair);

// Drags the point of the map to a pair; watch is called before it is let go.
export async function dragPair({ page, idle }, to, watch, steps = 12) {
  const box = await page.locator("#point .ring").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  const [x, y] = await onMap(page, to);
  await page.mouse.move(x, y, { steps });
  if (watch) await watch();
  await page.mouse.up();
  await idle();
}

// A place over a moving body, found as a visitor finds it: by the pointer's shape.
export async function overBody(page) {
  await page.locator("#overlay").scrollIntoViewIfNeeded();
  const box = await page.locator("#overlay").boundingBox();
  for (let row = 1; row < 12; row++) {
    for (let column = 1; column < 16; column++) {
      const [x, y] = [box.x + (box.width * column) / 16, box.y + (box.height * row) / 12];
      await page.mouse.move(x, y);
      if (await page.evaluate(() => document.getElementById("overlay").classList.contains("grabs"))) return [x, y];
    }
  }
  return assert.fail("nothing can be grabbed");
}

// The answer on the page against that of the command, which gets the words of the page's own command line.
export async function agrees({ page, carom }, folder = ".") {
  const words = shellWords(await page.locator("#code figure").nth(0).locator("pre").textContent());
  assert.deepEqual(words.slice(0, 2), ["carom", "impact"]);
  const said = execFileSync(resolve(carom), [...words.slice(1), "--format", "json"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "pipe"] });
  const answer = JSON.parse(said);
  near(await outcome(page), answer, "outcome");
  return answer;
}

// No serious finding of axe.
export async function axe({ page }, where) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  assert.ok(found.passes.length > 5, "axe has looked at something");
  const bad = found.violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  const words = bad.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 5).map(({ target, any }) => `${target} ${any[0]?.message ?? ""}`).join("; ")}`);
  assert.deepEqual(words, [], `axe, ${where}`);
}

// A robot's file with the files that it names, and those that they name, found by their last part near it.
export function withParts(path) {
  const places = new Map();
  const walk = (folder, depth) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const place = join(folder, entry.name);
      if (entry.isDirectory() && depth < 5) walk(place, depth + 1);
      else if (entry.isFile() && !places.has(entry.name)) places.set(entry.name, place);
    }
  };
  walk(dirname(dirname(path)), 0);
  const found = [path];
  for (const one of found) {
    if (!/\.(urdf|xml)$/.test(one)) continue;
    for (const [, name] of readFileSync(one, "utf8").matchAll(/\b(?:file|filename)\s*=\s*["']([^"']+)["']/g)) {
      const place = places.get(basename(name));
      if (place && !found.includes(place)) found.push(place);
    }
  }
  return found;
}
