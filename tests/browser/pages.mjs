// Opens the pages of runs in Chromium, plays, scrubs, clicks and types; fails on any error or request.
// node pages.mjs CHROMIUM PAGES SCREENSHOTS

import { strict as assert } from "node:assert";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [browserPath, pages, shots] = process.argv.slice(2);
const WIDE = { viewport: { width: 1280, height: 800 }, colorScheme: "light" };
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, deviceScaleFactor: 2 };
const VIEWS = {
  light: WIDE,
  dark: { ...WIDE, colorScheme: "dark" },
  // As in a browser without WebGL.
  plain: { ...WIDE, isPlain: true },
  phone: PHONE,
  "phone-dark": { ...PHONE, colorScheme: "dark" },
};
// A page of 85 freedoms and 725 contacts may have so many bytes.
const MOST_BYTES = 5e6;

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
const data = (page) => page.evaluate(() => {
  const { reached, contacts, rest, groups, events, kinds } = JSON.parse(document.getElementById("run").textContent);
  const count = (text, size) => Math.floor((text.replace(/=+$/, "").length * 3) / 4 / size);
  return { end: reached, contacts: contacts.map(({ name }) => name), rest, groups, kinds, events: count(events.time, 8) };
});

// What every page must do, at every width.
async function check(page, name, isShaded) {
  const { end, contacts, rest } = await data(page);
  assert.ok((await colours(page, "overlay")) > 2, `${name}: the overlay is blank`);
  assert.ok((await colours(page, "chart")) > 8, `${name}: the chart is blank`);
  if (isShaded) assert.ok((await colours(page, "space")) > 100, `${name}: nothing is shaded`);

  // A strip has the name of its contact, whole as a hint and cut as a text that no other strip has.
  const strips = await page.$$eval("#strips li", (items) => items.map((item) => [item.title, item.textContent]));
  assert.deepEqual(strips.map(([title]) => title), contacts, `${name}: strips`);
  assert.equal(new Set(strips.map(([, text]) => text)).size, contacts.length, `${name}: two strips have one name`);
  for (const [title, text] of strips) {
    const parts = text.split("…");
    assert.ok(title.startsWith(parts[0]) && title.endsWith(parts.at(-1)), `${name}: ${text} is not ${title}`);
  }
  assert.equal(await page.textContent("#rest"), rest || "");

  // Plays, and stops where it is told to.
  await page.locator("#scrub").fill("0");
  await settled(page);
  const before = await page.locator("#overlay").screenshot();
  // A short run slowly: on a busy machine it would end before the key, which then would play it again.
  if (end < 1) await page.selectOption("#speed", "0.2");
  await page.click("#play");
  await page.waitForFunction((until) => parseFloat(document.getElementById("clock").textContent) > until, Math.min(0.2, 0.3 * end), { timeout: 30000 });
  await page.keyboard.press("Space");
  await settled(page);
  const stopped = await clock(page);
  await page.waitForTimeout(120);
  assert.equal(await clock(page), stopped, `${name}: space does not pause`);
  await page.selectOption("#speed", "1");

  // Scrubs.
  await page.locator("#scrub").fill("6000");
  await settled(page);
  assert.ok(Math.abs((await clock(page)) - 0.6 * end) < 1e-3 * end + 1e-4, `${name}: scrubbing`);
  assert.notDeepEqual(await page.locator("#overlay").screenshot(), before, `${name}: the picture stands still`);

  // Nothing is wider than the page, nothing hangs out of its section, and every control has a name.
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${name}: too wide`);
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll("#transport > *, #tools > *, #keys > li")].filter((e) => {
      const [own, around] = [e.getBoundingClientRect(), e.closest("section").getBoundingClientRect()];
      return own.left < around.left - 1 || own.right > around.right + 1 || own.bottom > around.bottom + 1;
    }).map((e) => e.id || e.textContent));
  assert.deepEqual(cut, [], `${name}: outside its section`);
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select")].filter((e) => !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length)).length);
  assert.equal(nameless, 0, `${name}: controls without a name`);
}

// Space plays and pauses whatever has the focus, and presses nothing else.
async function keyboard(page, name) {
  const isPlaying = () => page.evaluate(() => document.getElementById("play").getAttribute("aria-label") === "Pause");
  const pressed = () => page.evaluate(() => ["follow", "forces"].map((id) => document.getElementById(id).getAttribute("aria-pressed")).concat(String(document.getElementById("slow").checked), document.getElementById("speed").value));
  const focusable = ["#play", "#next", "#scrub", "#speed", "#slow", "#follow", "#forces", "#fit", "#overlay", "#strips", "#events button"];
  await page.locator("#scrub").fill("1000");
  await page.selectOption("#speed", "0.05");
  for (const selector of focusable) {
    const target = page.locator(selector).first();
    if (!(await target.count()) || !(await target.isVisible())) continue;
    const was = await pressed();
    await target.focus();
    await page.keyboard.press("Space");
    assert.equal(await isPlaying(), true, `${name}: space does not play from ${selector}`);
    await page.keyboard.press("Space");
    assert.equal(await isPlaying(), false, `${name}: space does not pause from ${selector}`);
    assert.deepEqual(await pressed(), was, `${name}: space presses ${selector}`);
  }
  await page.selectOption("#speed", "1");
  await page.locator("#overlay").focus();
  // The clock shows the last picture, which on a busy machine may be older than all of these keys.
  await settled(page);
  const was = await clock(page);
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.ok((await clock(page)) > was, `${name}: arrow keys`);
  await page.keyboard.press("Home");
  await settled(page);
  assert.equal(await clock(page), 0, `${name}: Home`);
  const { events } = await data(page);
  if (events) {
    await page.keyboard.press("Shift+ArrowRight");
    await settled(page);
    assert.ok(await page.locator('#events [aria-current="true"]').count(), `${name}: the next event is not marked`);
  }
}

// The list: every event can be reached, groups open, a row goes to its time.
async function list(page, name) {
  const { events, groups } = await data(page);
  if (!events) return;
  const rows = events - groups.reduce((sum, group) => sum + group.count - 1, 0);
  const height = await page.evaluate(() => document.querySelector("#events > div").offsetHeight);
  assert.equal(height, 44 * rows, `${name}: rows of the list`);
  await page.evaluate(() => { const box = document.getElementById("events"); box.scrollTop = box.scrollHeight; });
  await settled(page);
  const last = await page.$$eval("#events button", (items) => items.sort((a, b) => a.place - b.place).at(-1).place);
  assert.equal(last, rows - 1, `${name}: the end of the list`);
  await page.evaluate(() => { document.getElementById("events").scrollTop = 0; });
  await settled(page);
  const row = page.locator('#events button:not([aria-expanded])').first();
  if (await row.count()) {
    const time = parseFloat(await row.locator(".when").textContent());
    await row.click();
    await settled(page);
    assert.ok(Math.abs((await clock(page)) - time) < 1e-4, `${name}: an event's time`);
  }
  if (!groups.length) return;
  // To the first group, and into it.
  await page.evaluate((place) => { document.getElementById("events").scrollTop = 44 * place; }, groups[0].first);
  await settled(page);
  const group = page.locator('#events button[aria-expanded="false"][data-depth="0"]').first();
  assert.match(await group.textContent(), /bounces|sticks and slips/, `${name}: a group says what it is`);
  await group.click();
  await settled(page);
  const opened = await page.evaluate(() => document.querySelector("#events > div").offsetHeight / 44);
  assert.ok(opened > rows, `${name}: a group does not open`);
  assert.ok(await page.locator('#events button[data-depth="1"]').count(), `${name}: nothing in a group`);
  await page.locator('#events button[aria-expanded="true"]').first().click();
  await settled(page);
  assert.equal(await page.evaluate(() => document.querySelector("#events > div").offsetHeight), height, `${name}: a group does not close`);
}

// The chart and the strips scrub, and a drag turns or moves the view.
async function pointers(page, name) {
  const { end, contacts } = await data(page);
  const click = async (selector) => {
    await page.locator(selector).scrollIntoViewIfNeeded();
    const box = await page.locator(selector).boundingBox();
    await page.mouse.click(box.x + 0.75 * box.width, box.y + Math.min(6, box.height / 2));
    await settled(page);
  };
  await click("#chart");
  const byChart = await clock(page);
  assert.ok(byChart / end > 0.5 && byChart / end < 0.85, `${name}: the chart`);
  if (contacts.length) {
    await page.locator("#scrub").fill("0");
    await click("#strips canvas");
    assert.ok(Math.abs((await clock(page)) / end - 0.75) < 0.05, `${name}: the strips`);
  }
  const still = await page.locator("#overlay").screenshot();
  const stage = await page.locator("#overlay").boundingBox();
  await page.mouse.move(stage.x + stage.width / 2, stage.y + stage.height / 2);
  await page.mouse.down();
  await page.mouse.move(stage.x + stage.width / 2 + 60, stage.y + stage.height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  await settled(page);
  assert.notDeepEqual(await page.locator("#overlay").screenshot(), still, `${name}: dragging`);
  await page.click("#fit");
}

// Forces at rest are seen: with the arrows the picture at the end differs from that without. A robot that still collapses at
// the end may have small ones.
async function forces(page, name) {
  const isClosed = await page.evaluate((isRobot) => {
    const { contacts, time, at_rest } = JSON.parse(document.getElementById("run").textContent);
    const last = Math.floor((time.replace(/=+$/, "").length * 3) / 4 / 8) - 1;
    return (!isRobot || at_rest !== null) && contacts.some(({ closed, is_limit }) => !is_limit && closed.some(([first, count]) => first + count > last));
  }, name.startsWith("robot-"));
  if (!isClosed) return;
  await page.locator("#scrub").fill("10000");
  await settled(page);
  const red = () => page.evaluate(() => {
    const from = document.getElementById("overlay");
    const copy = document.createElement("canvas");
    // Without the corner of the scales.
    [copy.width, copy.height] = [from.width, from.height - 80 * Math.min(devicePixelRatio, 2)];
    const pen = copy.getContext("2d");
    pen.drawImage(from, 0, 0);
    const { data } = pen.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    const wanted = getComputedStyle(document.documentElement).getPropertyValue("--force").trim();
    const rgb = [1, 3, 5].map((i) => parseInt(wanted.slice(i, i + 2), 16));
    for (let i = 0; i < data.length; i += 4) if (rgb.every((x, k) => Math.abs(data[i + k] - x) < 12) && data[i + 3] > 200) count++;
    return count;
  });
  assert.ok((await red()) > 40, `${name}: the forces at the end are not seen`);
  await page.click("#forces");
  await settled(page);
  assert.ok((await red()) < 40, `${name}: the forces do not go`);
  await page.click("#forces");
}

async function open(browser, { isPlain, ...options }, file) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  if (isPlain) {
    await page.addInitScript(() => {
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === "2d" ? get.call(this, kind, ...rest) : null; };
    });
  }
  const complaints = [];
  const address = pathToFileURL(resolve(join(pages, file))).href;
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => { if (request.url() !== address && !request.url().startsWith("data:")) complaints.push(`requests ${request.url()}`); });
  await page.goto(address);
  await settled(page);
  const loud = () => complaints.filter((text) => !text.includes("GPU stall due to ReadPixels"));
  return { context, page, loud };
}

mkdirSync(shots, { recursive: true });
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({ executablePath: browserPath, args });
try {
  const files = readdirSync(pages).filter((file) => file.endsWith(".html")).sort();
  assert.ok(files.length >= 6, `pages in ${pages}`);
  for (const file of files) {
    const name = file.replace(".html", "");
    assert.ok(statSync(join(pages, file)).size < MOST_BYTES, `${name}: ${statSync(join(pages, file)).size} bytes`);
    const isRobot = name.startsWith("robot-");
    for (const [view, options] of Object.entries(VIEWS)) {
      // Real robots: both widths, in the light and in the dark. Without WebGL two pages are enough.
      if (isRobot && !["light", "phone-dark"].includes(view)) continue;
      if (["plain", "phone-dark"].includes(view) && !isRobot && !["cube", "landing"].includes(name)) continue;
      const { context, page, loud } = await open(browser, options, file);
      const plane = await page.evaluate(() => JSON.parse(document.getElementById("run").textContent).plane);
      await check(page, `${name}, ${view}`, !plane && !options.isPlain);
      if (view === "light") {
        for (const part of [keyboard, list, pointers, forces]) await part(page, `${name}, ${view}`);
      }
      // The one of the landing is the picture of the book.
      await page.locator("#scrub").fill(isRobot || name === "landing" ? "9000" : "3500");
      await page.evaluate(() => document.activeElement.blur());
      await settled(page);
      await page.screenshot({ path: join(shots, `${name}-${view}.png`), fullPage: view.startsWith("phone") });
      assert.deepEqual(loud(), [], `${name}, ${view}`);
      await context.close();
    }
    console.log(`${name}: plays`);
  }
} finally {
  await browser.close();
}
