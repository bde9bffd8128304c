// The engine as the page uses it: ask(request, channel) returns a promise of the answer, from the server or from a worker.

import { decode } from "./envelope.js";
import { transport } from "./transport.js";

export async function connect() {
  const send = transport === "wasm" ? await workerTransport() : serverTransport();
  return new Engine(send, transport);
}

class Engine {
  // send(text, channel): returns a promise of the answer to the text of a request.
  constructor(send, transport) {
    this.send = send;
    this.transport = transport;
    this.channels = new Map();
  }

  // The answer. In a channel one request is under way and one waits: a newer one replaces the waiting one, which resolves to null.
  ask(request, channel) {
    if (channel === undefined) return this.send(JSON.stringify(request));
    const state = this.channels.get(channel) || { busy: false, waiting: null };
    this.channels.set(channel, state);
    return new Promise((resolve, reject) => {
      if (state.waiting) state.waiting.resolve(null);
      state.waiting = { request, resolve, reject };
      if (!state.busy) this.next(state, channel);
    });
  }

  next(state, channel) {
    const { waiting } = state;
    state.waiting = null;
    state.busy = waiting !== null;
    if (!waiting) return;
    this.send(JSON.stringify(waiting.request), channel).then(waiting.resolve, waiting.reject).finally(() => this.next(state, channel));
  }
}

function serverTransport() {
  return async (body) => {
    const answer = await fetch("api", { method: "POST", headers: { "content-type": "application/json" }, body });
    if (answer.status === 413) {
      const message = (await answer.text()).trim();
      return { arrays: {}, error: { kind: "too_large", field: "body", value: body.length, message: `the files are too large: ${message}` } };
    }
    if (!answer.ok) throw new Error(`the server refuses: ${answer.status} ${(await answer.text()).trim()}`);
    return decode(await answer.arrayBuffer());
  };
}

// Requests that take longer than a frame have a worker of their own, so that sentence and picture do not wait for them.
const LONG = new Set(["map", "states", "diagram", "laws", "simulate"]);

async function workerTransport() {
  const [quick, long] = await Promise.all([startWorker(), startWorker()]);
  return (body, channel) => (LONG.has(channel) ? long : quick)(body);
}

async function startWorker() {
  const worker = new Worker(new URL("./engine-worker.js", import.meta.url), { type: "module" });
  const open = new Map();
  let number = 0;
  const failAll = (why) => {
    for (const { reject } of open.values()) reject(new Error(why));
    open.clear();
  };
  await new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      reject(new Error(event.message || "the engine cannot be loaded"));
      failAll(event.message || "the engine stopped");
    };
    worker.onmessage = ({ data }) => {
      if (data.ready) return resolve();
      if (data.failed) {
        reject(new Error(data.failed));
        return failAll(data.failed);
      }
      const { resolve: done, reject: fail } = open.get(data.number) || {};
      open.delete(data.number);
      if (data.error) fail?.(new Error(data.error));
      else done?.(decode(data.answer));
    };
  });
  return (body) =>
    new Promise((resolve, reject) => {
      open.set(++number, { resolve, reject });
      worker.postMessage({ number, body });
    });
}
