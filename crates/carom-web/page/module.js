// The engine as a wasm module: ask(text of a request) returns an ArrayBuffer with the answer.

// source: an ArrayBuffer with the module.
export async function load(source) {
  // The module has no clock of its own, which it needs to end long runs.
  const { instance } = await WebAssembly.instantiate(source, { page: { now: () => performance.now() } });
  const engine = instance.exports;
  return {
    ask(text) {
      const request = new TextEncoder().encode(text);
      const at = engine.request_buffer(request.length);
      // Memory may have grown, which detaches views: each use makes a new one.
      new Uint8Array(engine.memory.buffer, at, request.length).set(request);
      const from = engine.ask();
      return engine.memory.buffer.slice(from, from + engine.answer_length());
    },
  };
}
