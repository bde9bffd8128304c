// Where what is explored comes from and goes to: files, addresses, the command line, downloads.

import { strict as assert } from "node:assert";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { agrees, drawn, enter, field, fromGallery, hash, openFiles, outcome, picture, sameLook, text, toasts, withParts } from "./hands.mjs";
import { explore } from "./serve.mjs";

// A leg that hangs from a base, with a ball as its foot.
export const LEG = `<robot name="leg">
  <link name="base"/>
  <link name="thigh"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.2"/><geometry><box size="0.06 0.06 0.4"/></geometry></collision></link>
  <link name="shin"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.4"/><geometry><sphere radius="0.04"/></geometry></collision></link>
  <joint name="hip" type="revolute"><parent link="base"/><child link="thigh"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="10"/></joint>
  <joint name="knee" type="revolute"><parent link="thigh"/><child link="shin"/><origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="10"/></joint>
</robot>`;
const file = (name, content) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

export async function badFiles(tools) {
  const { page } = tools;
  const sentence = await text(page, "sentence");
  await openFiles(tools, [file("broken.toml", 'title = "x"\nfriction = = 3\n')]);
  assert.match(await text(page, "fault"), /broken\.toml, line 2/);
  assert.equal(await text(page, "sentence"), sentence, "what is shown stays");
  await openFiles(tools, [file("broken.urdf", "<robot><link></robot>")]);
  assert.match(await text(page, "fault"), /broken\.urdf/);
  // Dropping works as well.
  await page.evaluate((content) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([content], "dropped.urdf"));
    for (const type of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  }, LEG);
  await page.waitForFunction(() => document.title.startsWith("dropped"));
  await page.click("#undo");
  await page.waitForFunction(() => document.title.startsWith("kane"));
  await tools.idle();
  // The page goes on.
  await enter(tools, "restitution", 0.2);
  assert.equal(await page.locator("#fault").isVisible(), false);
  assert.match(await text(page, "sentence"), /loses/);
}

export async function robot(tools) {
  const { page, idle, robots } = tools;
  await openFiles(tools, [file("leg.urdf", LEG)]);
  // It hangs straight down: no answer, and the page says so instead of keeping the last one.
  assert.match(await text(page, "sentence"), /No answer: .*cannot be struck/);
  assert.equal(await page.locator("#code figure").nth(2).locator("pre").textContent(), "");
  await enter(tools, "position knee", 0.9);
  assert.match(await text(page, "sentence"), /separates/);
  assert.match(await text(page, "gap"), /shin is 15\.1 cm above its surface/);
  await enter(tools, "velocity knee", -1);
  assert.match(await text(page, "sentence"), /the contact (sticks|slips)/);
  const folder = mkdtempSync(join(tmpdir(), "carom-"));
  writeFileSync(join(folder, "leg.urdf"), LEG);
  await agrees(tools, folder);
  // Its text is part of the address.
  const { page: copy, context } = await tools.another(page.url());
  assert.equal(await text(copy, "sentence"), await text(page, "sentence"));
  await context.close();
  // Beyond 64 KB the page says that it is not.
  await openFiles(tools, [file("large.urdf", `${LEG}<!-- ${"x".repeat(70000)} -->`)]);
  assert.match(await toasts(page), /more than the 64 KB that an address holds/);
  assert.match(await hash(page), /lost=large\.urdf/);
  // Real ones, with their meshes and includes as one would drop their folder.
  for (const path of robots) {
    const files = withParts(path);
    if (files.length > 64) {
      console.log(`  ${basename(path)}: ${files.length} files, more than are opened at once`);
      continue;
    }
    await openFiles(tools, files);
    await page.waitForFunction((name) => document.title.startsWith(name) || !document.getElementById("fault").hidden, basename(path));
    await idle();
    assert.equal(await page.locator("#fault").isVisible(), false, `${path}: ${await text(page, "fault")}`);
    const sentence = await text(page, "sentence");
    assert.ok(sentence.length > 20, sentence);
    console.log(`  ${basename(path)}: ${sentence}`);
  }
}

// The address holds everything: another page at the same address has the same pixels.
export async function share(tools) {
  const { page, idle, another } = tools;
  const pixels = async (which) => {
    await which.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    await which.mouse.move(2, 2);
    return which.screenshot({ fullPage: true });
  };
  await enter(tools, "restitution", 0.731);
  await enter(tools, "static friction", 0.313);
  await enter(tools, "position elbow", 0.21);
  await enter(tools, "velocity shoulder", -0.17);
  await page.check("#show-contours");
  await page.click("#closer");
  await page.click('#law-table [data-law="moreau"]');
  await idle();
  const { page: copy, context } = await another(page.url());
  // The history is not part of the address.
  for (const one of [page, copy]) await one.evaluate(() => { for (const id of ["undo", "redo"]) document.getElementById(id).disabled = true; });
  await sameLook(tools, copy, pixels, "the same address, other pixels");
  await context.close();
  await page.reload();
  await page.waitForFunction(() => document.body.dataset.ready === "true");
  assert.equal(await field(page, "restitution").inputValue(), "0.731");
  // In space the view is turned, and the turn is part of the address.
  await fromGallery(tools, "arm");
  await page.focus("#overlay");
  for (const key of ["ArrowLeft", "ArrowLeft", "ArrowUp", "+"]) await page.keyboard.press(key);
  await idle();
  const whole = await picture(page);
  const { page: turned, context: second } = await another(page.url());
  for (const canvas of ["space", "overlay"]) await sameLook(tools, turned, (which) => drawn(which, canvas), `another view, on the canvas "${canvas}"`);
  await second.close();
  // So is one whose numbers have no end: by the wheel, far into the picture, and moved from there.
  await page.locator("#overlay").scrollIntoViewIfNeeded();
  const box = await page.locator("#overlay").boundingBox();
  await page.mouse.move(box.x + 0.41 * box.width, box.y + 0.37 * box.height);
  const before = await hash(page);
  await page.mouse.wheel(0, -1731);
  await page.waitForFunction((before) => location.hash !== before, before);
  await page.keyboard.press("Shift+ArrowLeft");
  await idle();
  assert.ok((await picture(page)) !== whole, "the wheel changes nothing");
  const { page: near, context: third } = await another(page.url());
  for (const canvas of ["space", "overlay"]) await sameLook(tools, near, (which) => drawn(which, canvas), `another near view, on the canvas "${canvas}"`);
  await third.close();
}

export async function query(tools) {
  const { page, origin, another, transport } = tools;
  const { page: named, context } = await another(`${origin}?scene=cube`);
  assert.match(await named.title(), /^cube/);
  await context.close();
  // A file beside the page; a server of the command has none.
  const { page: asked, context: other } = await another(`${origin}?model=leg.urdf`);
  if (transport === "wasm") assert.match(await asked.title(), /^leg/);
  else assert.match(await text(asked, "fault"), /leg\.urdf: 404/);
  await other.close();
  await page.goto(`${origin}?model=https://example.org/robot.urdf`);
  await page.waitForFunction(() => document.body.dataset.ready === "true");
  assert.match(await text(page, "fault"), /https:\/\/example\.org is another origin/);
  // What is damaged is said, and the address becomes that of what is shown.
  for (const [damaged, words] of [["e=oops", /"oops" is not a list of numbers/], ["view=1,2", /"1,2" is not a view/]]) {
    const { page: other, context } = await another(`${origin}#scene=kane&${damaged}`);
    assert.match(await text(other, "fault"), words);
    assert.equal(await hash(other), "#scene=kane");
    await context.close();
  }
}

// What the command line opened; a file that is wrong; and a server that has gone.
export async function opened({ another, carom, transport }) {
  if (transport !== "server") return;
  const folder = mkdtempSync(join(tmpdir(), "carom-"));
  writeFileSync(join(folder, "leg.urdf"), LEG);
  writeFileSync(join(folder, "wrong.toml"), "friction = = 3\n");
  const robot = await explore(carom, join(folder, "leg.urdf"));
  const { page, context, loud } = await another(robot.address);
  assert.match(await page.title(), /^leg/);
  assert.match(await hash(page), /opened=1/);
  assert.deepEqual(loud(), []);
  await robot.close();
  await field(page, "restitution").fill("0.4");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /The engine is gone/.test(document.getElementById("fault").textContent));
  await context.close();
  const wrong = await explore(carom, join(folder, "wrong.toml"));
  const { page: second, context: other } = await another(wrong.address);
  assert.match(await text(second, "fault"), /wrong\.toml, line 1/);
  assert.match(await text(second, "sentence"), /creates 58\.7/, "Kane's pendulum in its place");
  await other.close();
  await wrong.close();
}

export async function downloads(tools) {
  const { page } = tools;
  const save = async (what) => {
    await page.click("#save-button");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`#dialog [data-what="${what}"]`)]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
  };
  await enter(tools, "restitution", 0.3);
  assert.match((await save("map.svg")).text, /<svg/);
  assert.ok((await save("map.csv")).text.split("\n").length > 1000);
  assert.equal(JSON.parse((await save("outcome")).text).restitution.normal, 0.3);
  const scene = await save("scene");
  // The scene gives the same answer again.
  const before = await outcome(page);
  await openFiles(tools, [file(scene.name, scene.text)]);
  assert.deepEqual((await outcome(page)).impulse, before.impulse);
  // A run is saved, opened again, and computed again to the bit.
  await fromGallery(tools, "ball", "simulation");
  await page.waitForSelector("#run-play");
  assert.ok((await save("run.csv")).text.split("\n").length > 10);
  assert.match((await save("run.html")).text, /<!doctype html>/i);
  const stored = await save("run.json");
  await openFiles(tools, [file("stored.json", stored.text)]);
  await page.waitForFunction(() => /computed again/.test(document.getElementById("run-words").textContent));
  assert.match(await text(page, "run-words"), /to the bit/);
}
