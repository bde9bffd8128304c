// The engine as wasm beside the engine of the command: the same requests, answers equal to 1e-12; then how long they take.
//
//   node tests/wasm/answers.mjs target/release/carom target/web

import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// Of numbers, relative to the larger one, or to 1 where both are smaller.
const TOLERANCE = 1e-12;
// Maps have 32 bits a cell.
const TOLERANCE_F32 = 1e-6;
// What says something about the machine or the build, not about the impact.
const OF_THE_BUILD = new Set(["png"]);

const [carom, folder] = process.argv.slice(2).map((path) => resolve(path));
const { decode } = await import(pathToFileURL(join(folder, "envelope.js")));
const { load } = await import(pathToFileURL(join(folder, "module.js")));

const wasm = await load(await readFile(join(folder, "engine.wasm")));
const { child, address } = await serve();
let [compared, numbers, worst] = [0, 0, 0];
try {
  const gallery = await compare({ request: "gallery" });
  for (const { name } of gallery.impacts) await scene({ gallery: name });
  for (const { name } of gallery.simulations) await scene({ simulation: name });
  const changed = { source: { gallery: "kane" }, velocity: [0.5, -3], restitution: 0.3, friction: { static: 0.6, dynamic: 0.2 }, guard: "slip" };
  await compare({ request: "answer", ...changed });
  await compare({ request: "map", ...changed, resolution: 64, range: { x: [0, 0.9], y: [0, 3] }, contours: true });
  for (const what of ["scene", "outcome", "map.svg", "map.csv", "laws.json"]) await compare({ request: "save", ...changed, what, resolution: 16 });
  // The way of a linkage, there and back.
  const linkage = { request: "close", source: { gallery: "four_bar" }, held: [0] };
  const { configuration } = await compare({ request: "open", source: linkage.source });
  await compare({ ...linkage, from: configuration, configuration: [configuration[0] + 0.2, ...configuration.slice(1)] });
  for (const wrong of [{}, { request: "boom" }, { request: "map", ...changed, resolution: 500 }, { request: "open", source: { files: [{ name: "a.urdf", text: "<robot" }] } }]) {
    const { error } = await compare(wrong);
    if (!error) throw new Error(`${JSON.stringify(wrong)}: no error`);
  }
  await runs();
  console.log(`${compared} answers with ${numbers} numbers, the largest difference ${worst.toExponential(2)}`);
  await times();
} finally {
  child.kill();
}

async function scene(source) {
  for (const request of ["open", "answer", "laws", "diagram"]) await compare({ request, source });
  for (const request of ["map", "states"]) await compare({ request, source, resolution: 24, contours: true });
}

// Runs as JSON and as tables are opened and computed again.
async function runs() {
  const source = { simulation: "ball" };
  const run = await compare({ request: "simulate", source, until: 1 });
  if (run.ending !== "complete") throw new Error(`ball: ${run.ending}`);
  const impact = run.events.find(({ mappable }) => mappable);
  await compare({ request: "event", source, until: 1, event: impact.number });
  const folder = await mkdtemp(join(tmpdir(), "carom-"));
  try {
    for (const name of ["run.json", "run.csv"]) {
      execFileSync(carom, ["simulate", "ball", "--until", "1", "--quiet", "-o", join(folder, name)], { stdio: "ignore" });
      const written = (await readdir(folder)).filter((file) => name === "run.csv" ? file !== "run.json" : file === name);
      const files = await Promise.all(written.map(async (file) => ({ name: file, text: await readFile(join(folder, file), "utf8") })));
      const again = await compare({ request: "simulate", source: { files }, until: 1 });
      if (!again.repeated?.same) throw new Error(`${name}: ${JSON.stringify(again.repeated || again.error)}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

// The answer of both, which is the same.
async function compare(request) {
  const [expected, found] = [await native(request), decode(wasm.ask(JSON.stringify(request)))];
  same(expected, found, JSON.stringify(request).slice(0, 160));
  compared += 1;
  return found;
}

function same(a, b, place) {
  const fail = () => {
    throw new Error(`${place}: native ${JSON.stringify(a)?.slice(0, 200)}, wasm ${JSON.stringify(b)?.slice(0, 200)}`);
  };
  if (typeof a === "number" && typeof b === "number") return near(a, b, TOLERANCE) || fail();
  if (ArrayBuffer.isView(a)) {
    if (a.constructor !== b.constructor || a.length !== b.length) fail();
    const tolerance = a instanceof Float32Array ? TOLERANCE_F32 : a instanceof Float64Array ? TOLERANCE : 0;
    for (let i = 0; i < a.length; i += 1) {
      if (!near(a[i], b[i], tolerance)) throw new Error(`${place}[${i}]: native ${a[i]}, wasm ${b[i]}`);
    }
    return true;
  }
  if (a && b && typeof a === "object" && typeof b === "object") {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    for (const key of keys) if (!OF_THE_BUILD.has(key)) same(a[key], b[key], `${place}.${key}`);
    return true;
  }
  return a === b || fail();
}

function near(a, b, tolerance) {
  numbers += 1;
  const difference = Math.abs(a - b) / Math.max(1, Math.abs(a), Math.abs(b));
  if (tolerance === TOLERANCE) worst = Math.max(worst, difference);
  return Object.is(a, b) || difference <= tolerance;
}

async function native(request) {
  const answer = await fetch(`${address}api`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  return decode(await answer.arrayBuffer());
}

function serve() {
  const child = spawn(carom, ["explore", "--no-open", "--quiet"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, fail) => {
    child.on("exit", (code) => fail(new Error(`carom explore ended with ${code}`)));
    child.stdout.once("data", (line) => done({ child, address: String(line).trim() }));
  });
}

// Times of the requests of a drag: the least, the median, and on the core, which other work on the machine does not lengthen.
async function times() {
  for (const name of ["kane", "cube", "foot", "humanoid"]) {
    for (const request of ["answer", "laws", "map"]) {
      const text = JSON.stringify({ request, source: { gallery: name }, ...(request === "map" ? { resolution: 200 } : {}) });
      // The first ones are compiled on the way.
      for (let k = 0; k < 5; k += 1) wasm.ask(text);
      const [list, before] = [[], process.cpuUsage()];
      for (let k = 0; k < 20; k += 1) {
        const begun = performance.now();
        wasm.ask(text);
        list.push(performance.now() - begun);
      }
      const { user, system } = process.cpuUsage(before);
      list.sort((a, b) => a - b);
      const [least, median, core] = [list[0], list[10], (user + system) / 1000 / list.length].map((x) => x.toFixed(2).padStart(8));
      console.log(`${name.padEnd(10)} ${request.padEnd(8)} least ${least} ms, median ${median} ms, on the core ${core} ms`);
    }
  }
}
