// Drives the explorer in Chromium over both transports: the server of carom explore, and the static page with its engine in wasm.
// Fails on any wrong answer, error in the console, request to elsewhere or serious finding of axe.
// node explorer.mjs CHROMIUM CAROM WEB SHOTS [ROBOT...]     WEB: the folder of cargo xtask web, or - for none

import { strict as assert } from "node:assert";
import { mkdirSync, writeFileSync } from "node:fs";
import { chromium } from "playwright-core";
import { explore, files } from "./serve.mjs";
import { LEG } from "./sources.mjs";
import { STEPS } from "./steps.mjs";

const [browserPath, carom, web, shots, ...robots] = process.argv.slice(2);
// Without a graphics processor the pixels of a plane canvas depend on its commands alone; with one, also on how many frames it has drawn
// before: an end of a line on the border of a pixel is then 192 dark in place of 128.
const ARGS = ["--no-sandbox", "--disable-accelerated-2d-canvas", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// For work on the page: some steps only, one transport only, and a server that runs already.
const only = process.env.STEPS?.split("; ");
const isWanted = (transport) => (process.env.TRANSPORT ?? transport) === transport;
const running = process.env.ADDRESS;

// A page at an address, and what it complained about.
async function open(browser, options, address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light", reducedMotion: "reduce", acceptDownloads: true, ...options });
  context.setDefaultTimeout(60000);
  const page = await context.newPage();
  await page.addInitScript(keepToasts);
  const complaints = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const { origin } = new URL(address);
  page.on("request", (request) => { if (!new RegExp(`^(data:|(blob:)?${origin}/)`).test(request.url())) complaints.push(`requests ${request.url()}`); });
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ready === "true");
  await idle(page);
  const loud = () => complaints.filter((text) => !text.includes("GPU stall due to ReadPixels"));
  return { context, page, loud };
}

// Short messages go by themselves, on a busy machine before a test reads them.
function keepToasts() {
  window.toasts = [];
  document.addEventListener("DOMContentLoaded", () => {
    const toast = document.getElementById("toast");
    new MutationObserver(() => window.toasts.push(toast.textContent)).observe(toast, { childList: true });
  });
}

// Nothing is asked any more, and what was answered is painted.
async function idle(page) {
  await page.waitForFunction(() => document.getElementById("main").getAttribute("aria-busy") === "false");
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

async function drive(browser, transport, origin) {
  for (const { name, options = {}, step } of STEPS) {
    if (only && !only.includes(name)) continue;
    const begun = Date.now();
    const { context, page, loud } = await open(browser, options, origin);
    const tools = { page, origin, carom, robots, transport, idle: () => idle(page), shot: (file, more) => page.screenshot({ path: `${shots}/explorer-${file}-${transport}.png`, ...more }),
      keep: (file, png) => writeFileSync(`${shots}/explorer-${file}-${transport}.png`, png),
      another: (address, more) => open(browser, { ...options, ...more }, address) };
    try {
      await step(tools);
      assert.deepEqual(loud(), [], "complaints of the page");
    } catch (error) {
      await page.screenshot({ path: `${shots}/explorer-failed-${transport}.png` }).catch(() => {});
      // A new one: what an assertion prints is not its message, but what it was when it was made.
      throw new Error(`${transport}, ${name}: ${error.message}`, { cause: error });
    }
    await context.close();
    console.log(`explorer, ${transport}, ${name}: ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  }
}

mkdirSync(shots, { recursive: true });
const browser = await chromium.launch({ executablePath: browserPath, args: ARGS });
const begun = Date.now();
try {
  if (isWanted("server")) {
    const server = running ? { address: running, close: () => {} } : await explore(carom, "kane");
    await drive(browser, "server", server.address).finally(server.close);
  }
  if (web !== "-" && isWanted("wasm")) {
    const folder = await files(web, { "/leg.urdf": LEG });
    await drive(browser, "wasm", folder.address).finally(folder.close);
  }
} finally {
  await browser.close();
}
console.log(`explorer: ${((Date.now() - begun) / 1000).toFixed(0)} s`);
