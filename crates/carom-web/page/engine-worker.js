// The engine as wasm in a worker. It receives requests as text and posts answers as buffers.

import { load } from "./module.js";

let engine = null;

async function start() {
  const response = await fetch(new URL("./engine.wasm", import.meta.url));
  if (!response.ok) throw new Error(`engine.wasm: ${response.status} ${response.statusText}`);
  engine = await load(await response.arrayBuffer());
}

self.onmessage = async ({ data: { number, body } }) => {
  try {
    if (!engine) await start();
    const buffer = engine.ask(body);
    self.postMessage({ number, answer: buffer }, [buffer]);
  } catch (error) {
    // A module that trapped is not used again.
    engine = null;
    self.postMessage({ number, error: `the engine failed: ${error.message}` });
  }
};

start().then(() => self.postMessage({ ready: true }), (error) => self.postMessage({ failed: error.message }));
