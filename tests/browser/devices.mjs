// Devices and people: a phone, a screen reader, a slow machine.

import { strict as assert } from "node:assert";
import { axe, dragPair, onMap, overBody, text } from "./hands.mjs";

// Milliseconds of a frame at 60 a second.
const FRAME = 1000 / 60;
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

export async function phone({ page, idle, shot }) {
  const isNarrow = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  assert.ok(await isNarrow(), "too wide");
  const cut = await page.evaluate(() => [...document.querySelectorAll("button, input, select, h2, li, figure")].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.width && !e.closest(".scroll, #joints, pre") && (box.left < -1 || box.right > innerWidth + 1);
  }).map((e) => e.id || e.textContent));
  assert.deepEqual(cut, [], "outside of the page");
  await shot("phone", { fullPage: true });
  // A tap moves the point.
  await page.locator("#plot").scrollIntoViewIfNeeded();
  await page.touchscreen.tap(...(await onMap(page, [0.33, 0.6])));
  await page.waitForFunction(() => /loses/.test(document.getElementById("sentence").textContent));
  await idle();
  // A finger drags it, and the page stays where it is.
  const finger = await page.context().newCDPSession(page);
  const touch = (type, ...points) => finger.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  const [from, to] = [await onMap(page, [0.33, 0.6]), await onMap(page, [0.7, 0.75])];
  const top = await page.evaluate(() => scrollY);
  await touch("touchStart", from);
  for (const part of [0.3, 0.6, 1]) await touch("touchMove", from.map((x, k) => x + part * (to[k] - x)));
  await touch("touchEnd");
  await page.waitForFunction(() => /creates/.test(document.getElementById("sentence").textContent));
  await idle();
  assert.equal(await page.evaluate(() => scrollY), top, "the page scrolls under the finger");
  await page.click("#run-button");
  await page.waitForSelector("#run-play");
  await idle();
  assert.ok(await isNarrow(), "too wide with a run");
  await page.click("#gallery-button");
  assert.ok(await isNarrow(), "too wide with the gallery");
}

export const accessible = (colorScheme) => async (tools) => {
  const { page, idle } = tools;
  await axe(tools, colorScheme);
  await page.click("#run-button");
  await page.waitForSelector("#run-play");
  await page.click("#tab-impulse");
  await idle();
  await axe(tools, `${colorScheme}, a run and impulses`);
  await page.click("#gallery-button");
  await axe(tools, `${colorScheme}, the gallery`);
  await page.keyboard.press("Escape");
  await page.click("#guide-button");
  await page.waitForSelector("#guide:not([hidden])");
  await idle();
  await axe(tools, `${colorScheme}, the guide`);
  if (colorScheme === "dark") await tools.shot("dark");
};

// What a drag costs the page: the processor time of its thread, which hardly depends on what else the machine does, and the frames that were
// shown. A machine that is busy makes fewer moves than frames, and the page uses the pauses for the fine map and the laws. Each move asks once at most, and the map of a state is not asked again while only the point moves.
export async function fluid(tools) {
  const { page } = tools;
  const browser = page.context().browser();
  const measured = async (words, moves, drag) => {
    await page.evaluate(() => {
      const frames = (window.watched = { times: [], isOn: true });
      const tick = (now) => { frames.times.push(now); if (frames.isOn) requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
    });
    await browser.startTracing(page, { categories: ["toplevel"] });
    await drag();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const gaps = await page.evaluate(() => {
      window.watched.isOn = false;
      return window.watched.times.slice(1).map((t, i) => t - window.watched.times[i]).sort((a, b) => a - b);
    });
    const threads = new Set(traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
    const tasks = traceEvents.filter(({ ph, name, pid, tid }) => ph === "X" && name === "ThreadControllerImpl::RunTask" && threads.has(`${pid} ${tid}`));
    const spent = tasks.reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0);
    const cost = spent / gaps.length;
    console.log(`  ${words}: ${cost.toFixed(1)} ms of the page's thread for a frame, ${(spent / moves).toFixed(1)} ms for a move; ${gaps.length} frames, median ${gaps[gaps.length >> 1].toFixed(1)} ms`);
    assert.ok(cost > 0 && cost < FRAME, `${words}: ${cost} ms for a frame`);
  };
  const asked = [];
  page.on("request", (request) => { if (request.method() === "POST") asked.push(JSON.parse(request.postData()).request); });
  await measured("dragging the point", 60, async () => {
    for (const to of [[0.3, 0.3], [0.7, 0.6], [0.4, 0.5]]) await dragPair(tools, to, null, 20);
  });
  const count = (wanted) => asked.filter((name) => name === wanted).length;
  // Three drags, and for each one more for the hover before it, for the press and for letting go.
  assert.ok(count("answer") <= 60 + 9, `${count("answer")} answers to 60 moves`);
  assert.equal(count("map"), 0, "the map is asked again");
  const [x, y] = await overBody(page);
  asked.length = 0;
  await measured("dragging a body", 60, async () => {
    await page.mouse.down();
    for (let k = 0; k < 60; k++) await page.mouse.move(x + 30 * Math.sin(k / 10), y - 10 * Math.sin(k / 7));
    await page.mouse.up();
    await tools.idle();
  });
  if (tools.transport === "server") assert.ok(count("answer") > 5 && count("map") > 2, `${asked}`);
}
