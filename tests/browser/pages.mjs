// Opens the pages of runs in Chromium, plays, scrubs and clicks; fails on any error or request.
// node pages.mjs CHROMIUM PAGES SCREENSHOTS

import { strict as assert } from "node:assert";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browserPath, pages, shots] = process.argv.slice(2);
const RUNS = { ball: "planar", chain: "planar", sphere: "spatial", cube: "spatial", quadruped: "spatial" };
const VIEWS = [
  { name: "light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  { name: "plain", viewport: { width: 1280, height: 800 }, colorScheme: "light", isPlain: true },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, deviceScaleFactor: 2 },
];

// How many colours a canvas shows.
const colours = (page, id) =>
  page.evaluate((id) => {
    const from = document.getElementById(id);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [from.width, from.height];
    const pen = copy.getContext("2d");
    pen.drawImage(from, 0, 0);
    const { data } = pen.getImageData(0, 0, copy.width, copy.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3]);
    return seen.size;
  }, id);

const clock = async (page) => parseFloat(await page.textContent("#clock"));
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function check(page, run, isShaded) {
  assert.ok((await colours(page, "overlay")) > 8, `${run}: the overlay is blank`);
  assert.ok((await colours(page, "chart")) > 8, `${run}: the chart is blank`);
  if (isShaded) assert.ok((await colours(page, "space")) > 100, `${run}: nothing is shaded`);

  // Plays, and stops where it is told to.
  const before = await page.locator("#overlay").screenshot();
  assert.equal(await clock(page), 0);
  await page.click("#play");
  await page.waitForFunction(() => parseFloat(document.getElementById("clock").textContent) > 0.2, null, { timeout: 20000 });
  await page.locator("#overlay").focus();
  await page.keyboard.press("Space");
  await settled(page);
  const stopped = await clock(page);
  await page.waitForTimeout(150);
  assert.equal(await clock(page), stopped, `${run}: space does not pause`);

  // Scrubs.
  await page.locator("#scrub").fill("6000");
  await settled(page);
  const end = await page.evaluate(() => JSON.parse(document.getElementById("run").textContent).reached);
  assert.ok(Math.abs((await clock(page)) - 0.6 * end) < 1e-3 * end + 1e-4, `${run}: scrubbing`);
  assert.notDeepEqual(await page.locator("#overlay").screenshot(), before, `${run}: the picture stands still`);
  const [was] = [await clock(page)];
  await page.locator("#overlay").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.ok((await clock(page)) > was, `${run}: arrow keys`);

  // An event goes to its time.
  const event = page.locator("#events button").first();
  if (await event.count()) {
    const time = parseFloat(await event.locator(".when").textContent());
    await event.click();
    await settled(page);
    assert.ok(Math.abs((await clock(page)) - time) < 1e-4, `${run}: an event's time`);
    assert.equal(await event.getAttribute("aria-current"), "true");
  }

  // The chart scrubs, too, and a drag turns or moves the view.
  const chart = await page.locator("#chart").boundingBox();
  await page.mouse.click(chart.x + chart.width / 2, chart.y + chart.height / 2);
  await settled(page);
  assert.ok(Math.abs((await clock(page)) / end - 0.5) < 0.1, `${run}: the chart`);
  const still = await page.locator("#overlay").screenshot();
  const stage = await page.locator("#overlay").boundingBox();
  await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2);
  await page.mouse.down();
  await page.mouse.move(stage.x + stage.width / 2 + 60, stage.y + stage.height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  await settled(page);
  assert.notDeepEqual(await page.locator("#overlay").screenshot(), still, `${run}: dragging`);
  await page.click("#fit");

  // Nothing is wider than the page, and every control has a name.
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${run}: too wide`);
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).length);
  assert.equal(nameless, 0, `${run}: controls without a name`);
}

mkdirSync(shots, { recursive: true });
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath: browserPath, args });
try {
  for (const { name, isPlain, ...options } of VIEWS) {
    for (const [run, kind] of Object.entries(RUNS)) {
      if (isPlain && kind === "planar") continue;
      const context = await browser.newContext(options);
      const page = await context.newPage();
      if (isPlain) {
        // As in a browser without WebGL.
        await page.addInitScript(() => {
          const get = HTMLCanvasElement.prototype.getContext;
          HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === "2d" ? get.call(this, kind, ...rest) : null; };
        });
      }
      const complaints = [];
      const address = pathToFileURL(resolve(join(pages, `${run}.html`))).href;
      page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("request", (request) => { if (request.url() !== address && !request.url().startsWith("data:")) complaints.push(`requests ${request.url()}`); });
      await page.goto(address);
      await settled(page);
      await check(page, run, kind === "spatial" && !isPlain);
      await page.locator("#scrub").fill("3500");
      await settled(page);
      await page.screenshot({ path: join(shots, `${run}-${name}.png`), fullPage: name === "phone" });
      const loud = complaints.filter((text) => !text.includes("GPU stall due to ReadPixels"));
      assert.deepEqual(loud, [], `${run}, ${name}`);
      await context.close();
      console.log(`${run}, ${name}: plays`);
    }
  }
} finally {
  await browser.close();
}
