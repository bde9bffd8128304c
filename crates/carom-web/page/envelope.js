// Answers of the engine: the length of a JSON header, a version, the header, then typed arrays.

const VERSION = 1;
const KINDS = { f64: Float64Array, f32: Float32Array, u8: Uint8Array, u32: Uint32Array };

// buffer: an ArrayBuffer with one answer. The arrays are views of it.
export function decode(buffer) {
  const view = new DataView(buffer);
  const length = view.getUint32(0, true);
  if (view.getUint32(4, true) !== VERSION) throw new Error("the engine speaks another version of the protocol: reload the page");
  const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  for (const [name, { type, at, length: count }] of Object.entries(answer.arrays)) {
    answer.arrays[name] = new KINDS[type](buffer, 8 + length + at, count);
  }
  return answer;
}
