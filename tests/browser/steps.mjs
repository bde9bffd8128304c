// What is done on the page of the explorer, step by step; each begins with a fresh page.

import { strict as assert } from "node:assert";
import { accessible, fluid, phone, PHONE } from "./devices.mjs";
import { agrees, dragPair, enter, field, fromGallery, hash, onMap, outcome, overBody, picture, slider, table, text, toasts } from "./hands.mjs";
import { badFiles, downloads, opened, query, robot, share } from "./sources.mjs";

async function load({ page, shot }) {
  assert.match(await text(page, "sentence"), /sticks, and creates 58\.7\s% energy: e\s=\s0\.5 exceeds its limit 0\.397/);
  assert.equal(await page.locator("#sentence").getAttribute("data-kind"), "gain");
  const labels = await page.$$eval("#plot text.halo", (list) => list.map((label) => label.textContent));
  for (const label of ["μcr", "e* of this state", "e* of every state", "μ*", "sticks", "slips", "creates energy"]) assert.ok(labels.includes(label), `${label} is not in ${labels}`);
  assert.equal(await page.locator("#law-table tbody tr").count(), 10);
  assert.match(await text(page, "bars"), /kinetic energy after158\.7 %/);
  // The bar of the energy after passes the mark of 100 %.
  const [bar, mark] = await page.evaluate(() => {
    const row = [...document.querySelectorAll("#bars .row")].at(-1);
    return [row.querySelector(".fill.gain"), row.querySelector(".hundred")].map((part) => part.getBoundingClientRect().right);
  });
  assert.ok(bar > mark + 20, `the bar ends at ${bar}, 100 % at ${mark}`);
  await shot("light");
  // The picture of the README, down to the ledger.
  const height = await page.evaluate(() => Math.ceil(document.getElementById("controls").getBoundingClientRect().bottom) + 5);
  await shot("book", { fullPage: true, clip: { x: 0, y: 0, width: 1280, height } });
}

async function pair(tools) {
  const { page } = tools;
  const before = { sentence: await text(page, "sentence"), picture: await picture(page), table: await table(page) };
  await dragPair(tools, [0.34, 0.5], async () => {
    await page.waitForFunction(() => /loses/.test(document.getElementById("sentence").textContent));
  });
  assert.match(await text(page, "sentence"), /sticks, and loses/);
  assert.ok((await picture(page)) !== before.picture, "the picture stays");
  assert.notEqual(await table(page), before.table, "the table stays");
  await agrees(tools);
  await dragPair(tools, [0.8, 0.1]);
  assert.match(await text(page, "sentence"), /slips/);
  await agrees(tools);
  // Undo goes back over both drags, and redo forward.
  await page.click("#undo");
  await page.waitForFunction(() => /loses.*/.test(document.getElementById("sentence").textContent) && !/slips/.test(document.getElementById("sentence").textContent));
  await page.keyboard.press("Control+z");
  await page.waitForFunction((words) => document.getElementById("sentence").textContent === words, before.sentence);
  await tools.idle();
  assert.ok((await picture(page)) === before.picture, "undo restores the picture");
  assert.equal(await table(page), before.table);
  await page.keyboard.press("Control+Shift+z");
  await page.waitForFunction(() => /loses/.test(document.getElementById("sentence").textContent));
}

// Hover: the exact answer at the pair under the pointer, with distances to limits.
async function hover({ page }) {
  const [x, y] = await onMap(page, [0.6, 0.7]);
  await page.mouse.move(x, y);
  await page.waitForFunction(() => /creates/.test(document.getElementById("hover").textContent));
  assert.match(await text(page, "hover"), /e = 0\.[56]\d*, μ = 0\.[67]\d*: sticks, and creates .* % energy.*e\* in this state 0\.397: e is 0\.\d+ above/);
  await page.mouse.move(5, 5);
  await page.waitForFunction(() => document.getElementById("hover").textContent === "");
}

// Numbers typed, guards, laws and all scenes of the gallery: what the page shows is what the command says.
async function exact(tools) {
  const { page, idle } = tools;
  for (const [e, mu] of [[0.3968, 0.5], [0.397, 0.5], [0.123456, 0.987], [1, 0], [0, 0.05]]) {
    await enter(tools, "restitution", e);
    await enter(tools, "static friction", mu);
    const said = await agrees(tools);
    assert.equal(said.restitution.normal, e);
    assert.equal(said.friction.static, mu);
  }
  await enter(tools, "restitution", 0.5);
  await enter(tools, "static friction", 0.6);
  await enter(tools, "dynamic friction", 0.4);
  await enter(tools, "tangential restitution", 0.25);
  await agrees(tools);
  for (const guard of ["slip", "limit", "report"]) {
    await page.getByLabel("What is done if the energy would grow").selectOption(guard);
    await idle();
    assert.equal((await agrees(tools)).guard.name, guard);
  }
  await page.getByLabel("velocity elbow, number").fill("-0.31");
  await page.keyboard.press("Enter");
  await idle();
  await agrees(tools);
  for (const name of ["rod", "sphere", "superball", "block", "wheel", "cube", "reversal", "walker", "arm", "foot", "humanoid", "landing"]) {
    await fromGallery(tools, name);
    await agrees(tools);
  }
}

async function joints(tools) {
  const { page, idle } = tools;
  const before = { sentence: await text(page, "sentence"), picture: await picture(page) };
  await slider(page, "position elbow").focus();
  await page.keyboard.press("PageUp");
  await idle();
  assert.notEqual(await text(page, "sentence"), before.sentence);
  assert.ok((await picture(page)) !== before.picture, "the picture stays");
  assert.match(await text(page, "gap"), /tip is .* above its surface: the impact is computed as if it touched/);
  await agrees(tools);
  // Dragging the robot.
  const was = await field(page, "position shoulder").inputValue() + (await field(page, "position elbow").inputValue());
  const [x, y] = await overBody(page);
  await page.mouse.down();
  await page.mouse.move(x + 30, y - 10, { steps: 6 });
  await page.mouse.up();
  await idle();
  assert.notEqual(await field(page, "position shoulder").inputValue() + (await field(page, "position elbow").inputValue()), was, "the robot does not follow");
  await agrees(tools);
  await page.getByLabel("velocities", { exact: true }).check();
  const speeds = (await outcome(page)).contact_velocity.before;
  const [vx, vy] = await overBody(page);
  await page.mouse.down();
  await page.mouse.move(vx + 30, vy, { steps: 6 });
  await page.mouse.up();
  await idle();
  assert.notDeepEqual((await outcome(page)).contact_velocity.before, speeds, "the velocity does not follow");
  // A number out of bounds is refused in words and changes nothing.
  const held = await hash(page);
  await field(page, "restitution").fill("7");
  await page.keyboard.press("Enter");
  assert.match(await text(page, "toast"), /restitution: 7 is not from 0 to 1/);
  assert.equal(await hash(page), held);
}

// Everything that is built in opens, is drawn and has an answer, or says why there is none.
async function gallery(tools) {
  const { page } = tools;
  await page.click("#gallery-button");
  const all = await page.$$eval("#dialog [data-kind]", (list) => list.map(({ dataset: { kind, name } }) => [kind, name]));
  assert.ok(all.length > 35, `${all.length} scenes`);
  await page.keyboard.press("Escape");
  const seen = new Set();
  for (const [kind, name] of all) {
    await fromGallery(tools, name, kind);
    assert.equal(await page.locator("#fault").isVisible(), false, `${name}: ${await text(page, "fault")}`);
    assert.match(await text(page, "sentence"), kind === "gallery" ? /(contacts?|impact) .*[a-z]/ : /No answer: none of|contact/, name);
    const pixels = await picture(page);
    assert.ok(!seen.has(pixels), `${name}: no picture of its own`);
    seen.add(pixels);
    if (kind === "simulation") assert.match(await text(page, "run-words"), /\d+ events/, name);
  }
}

// Linkages stay closed while a joint is moved, and bodies that touch are mapped from their runs.
async function loops(tools) {
  const { page, idle } = tools;
  const mapFirst = async () => {
    for (let k = 0; k < 20 && !(await page.locator("#run-map").isEnabled()); k++) {
      await page.click("#run-next");
      await idle();
    }
    await page.click("#run-map");
    await idle();
  };
  await fromGallery(tools, "four_bar");
  const rocker = await field(page, "position rocker").inputValue();
  await enter(tools, "position crank", -0.7);
  assert.equal(await field(page, "position crank").inputValue(), "-0.7");
  assert.notEqual(await field(page, "position rocker").inputValue(), rocker, "the rocker follows");
  assert.match(await text(page, "sentence"), /the contact slips/);
  await agrees(tools);
  await enter(tools, "velocity crank", -1);
  assert.equal((await hash(page)).match(/v=([^,]*)/)[1], "-1");
  await agrees(tools);
  const [x, y] = await overBody(page);
  await page.mouse.down();
  await page.mouse.move(x + 14, y - 6, { steps: 8 });
  await page.mouse.up();
  await idle();
  assert.match(await text(page, "sentence"), /the contact/);
  await agrees(tools);
  // What loops cannot do is said, and the state stays.
  const held = await hash(page);
  await enter(tools, "position rocker", 3);
  assert.match(await toasts(page), /cannot be closed/);
  assert.equal(await hash(page), held);
  for (const name of ["four_bar", "gripper"]) {
    await fromGallery(tools, name, "simulation");
    await mapFirst();
    assert.match(await text(page, "sentence"), name === "gripper" ? /4 contacts stick/ : /the contact slips/, name);
    if (name === "gripper") {
      // There is no map of four contacts, but one of each.
      await page.getByRole("button", { name: "Only left_finger/left_low on cube" }).click();
      await idle();
      assert.match(await text(page, "sentence"), /the contact sticks/);
    }
    assert.ok(await page.locator("#point").isVisible(), `${name}: no map`);
  }
  await fromGallery(tools, "billiards");
  await enter(tools, "velocity cue.vy", 0.4);
  assert.match(await text(page, "sentence"), /the contact (slips|sticks)/);
  await agrees(tools);
}

async function tabs(tools) {
  const { page, idle } = tools;
  for (const name of ["show-printed", "show-contours", "show-set"]) {
    const still = await page.locator("#plot").screenshot();
    await page.check(`#${name}`);
    await idle();
    assert.notDeepEqual(await page.locator("#plot").screenshot(), still, `${name} changes nothing`);
  }
  await page.focus("#tab-map");
  await page.keyboard.press("ArrowRight");
  await idle();
  assert.equal(await page.locator("#tab-states").getAttribute("aria-selected"), "true");
  assert.match(await text(page, "plot"), /tangential over normal velocity before/);
  await page.keyboard.press("ArrowRight");
  await idle();
  assert.match(await text(page, "plot"), /sticking/);
  for (const law of ["poisson", "stronge", "hunt-crossley"]) assert.match(await text(page, "plot"), new RegExp(law));
  // A law's answer in the picture.
  const own = await picture(page);
  await page.click('#law-table [data-law="poisson"]');
  await idle();
  assert.match(await text(page, "picture-name"), /poisson/);
  assert.ok((await picture(page)) !== own, "the law's answer is not drawn");
  await page.click('#law-table [data-law="poisson"]');
  await idle();
  assert.ok((await picture(page)) === own, "the problem's own answer is not drawn again");
}

async function run(tools) {
  const { page, idle, shot } = tools;
  await fromGallery(tools, "ball", "simulation");
  await page.fill("#until", "2");
  await page.click("#run-button");
  await page.waitForSelector("#run-play");
  await idle();
  const clock = async () => parseFloat(await text(page, "run-clock"));
  const drawn = () => page.locator("#run-stage").screenshot();
  const still = await drawn();
  // Slowly: on a busy machine the end would come before the second click.
  await page.selectOption("#run-speed", "0.1");
  await page.click("#run-play");
  await page.waitForFunction(() => parseFloat(document.getElementById("run-clock").textContent) > 0.15);
  await page.click("#run-play");
  assert.ok((await clock()) < 2);
  assert.notDeepEqual(await drawn(), still, "the run does not play");
  await page.locator("#run-scrub").fill("5000");
  await idle();
  assert.ok(Math.abs((await clock()) - 1) < 1e-3, "scrubbing");
  await page.locator("#events button:not([aria-expanded])").nth(1).click();
  await idle();
  const time = await clock();
  assert.ok(time > 0 && time < 2, `the time of an event: ${time}`);
  assert.match(await text(page, "run-map"), /event \d+/);
  await shot("run");
  const [sentence, address] = [await text(page, "sentence"), page.url()];
  // The time is part of the address.
  const { page: copy, context } = await tools.another(address);
  await copy.waitForSelector("#run-play");
  assert.equal(await text(copy, "run-clock"), await text(page, "run-clock"));
  await context.close();
  await page.click("#run-map");
  await page.waitForFunction((old) => document.getElementById("sentence").textContent !== old, sentence);
  await idle();
  assert.equal(await page.locator("#run-box").isVisible(), false);
  assert.equal(await text(page, "gap"), "", "the state of an impact touches");
  assert.ok((await outcome(page)).contact_velocity.before[0] < 0, "the ball falls");
  assert.ok(await page.locator("#point").isVisible());
  await page.click("#undo");
  await page.waitForSelector("#run-play");
  await idle();
  assert.equal(await text(page, "sentence"), sentence);
  assert.equal(await clock(), time, "undo returns to the run");
  // A run belongs to its state: another one ends it.
  await enter(tools, "restitution", 0.3);
  assert.equal(await page.locator("#run-box").isVisible(), false);
  assert.match(await text(page, "run-words"), /simulate again/);
}

// Everything by keyboard: what Tab reaches works with keys.
async function keyboard(tools) {
  const { page, idle } = tools;
  const seen = new Set();
  for (let i = 0; i < 90; i++) {
    await page.keyboard.press("Tab");
    seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("aria-label") || document.activeElement.dataset.law || document.activeElement.tagName));
  }
  const reached = ["gallery-button", "open-button", "save-button", "link-button", "guide-button", "overlay", "fit", "tab-map", "show-contours", "point", "restitution", "restitution, number", "position elbow", "velocity elbow", "poisson", "until", "run-button", "Copy: Command line"];
  for (const name of reached) assert.ok(seen.has(name), `Tab does not reach ${name}: ${[...seen]}`);
  // The point.
  await page.focus("#point");
  for (let i = 0; i < 2; i++) await page.keyboard.press("Shift+ArrowLeft");
  await page.waitForFunction(() => /loses/.test(document.getElementById("sentence").textContent));
  await page.keyboard.press("ArrowUp");
  await idle();
  assert.match(await page.locator("#point").getAttribute("aria-valuetext"), /e = 0\.3, mu = 0\.51: sticks, and loses/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "point", "the focus is lost");
  await agrees(tools);
  await page.keyboard.press("Control+z");
  await idle();
  // The gallery by Enter, out of it by Escape.
  await page.focus("#gallery-button");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#dialog:not([open])", { state: "hidden" });
  // The guided minute: five steps, to the end by Enter, and out of it at any time by Escape.
  await page.focus("#guide-button");
  await page.keyboard.press("Enter");
  for (const words of [/creates 58\.7 % energy/, /158\.7 % of the kinetic energy/, /e\* = 0\.397/, /loses 22\.2 % energy/, /less friction/]) {
    await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("guide").textContent), words.source);
    await idle();
    assert.equal(await page.evaluate(() => document.activeElement.closest("#guide") !== null), true);
    await page.keyboard.press("Enter");
  }
  await page.waitForSelector("#guide", { state: "hidden" });
  await page.keyboard.press("Enter");
  await page.waitForSelector("#guide:not([hidden])");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#guide", { state: "hidden" });
}

export const STEPS = [
  { name: "load", step: load },
  { name: "pair", step: pair },
  { name: "hover", step: hover },
  { name: "exact", step: exact },
  { name: "joints", step: joints },
  { name: "gallery", step: gallery },
  { name: "loops", step: loops },
  { name: "tabs", step: tabs },
  { name: "bad files", step: badFiles },
  { name: "robot", step: robot },
  { name: "run", step: run },
  { name: "share", step: share },
  { name: "query", step: query },
  { name: "keyboard", step: keyboard },
  { name: "opened", step: opened },
  { name: "downloads", step: downloads },
  { name: "phone", step: phone, options: PHONE },
  { name: "accessible", step: accessible("light") },
  { name: "accessible, dark", step: accessible("dark"), options: { colorScheme: "dark" } },
  { name: "fluid", step: fluid },
];
