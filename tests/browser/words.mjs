// Command lines as a shell reads them, and numbers that agree.

import { strict as assert } from "node:assert";

// The words of a POSIX command line with single quotes and plain words.
export function shellWords(line) {
  const words = [];
  let word = null;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (c === "'") {
      const end = line.indexOf("'", i + 1);
      assert.ok(end > i, `an open quote in ${line}`);
      word = (word ?? "") + line.slice(i + 1, end);
      i = end;
    } else if (c === "\\") word = (word ?? "") + line[++i];
    else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + c;
  }
  if (word !== null) words.push(word);
  return words;
}

// The same structure, and numbers within 1e-12 of each other, relative to the larger one where that is above 1.
export function near(a, b, where) {
  if (typeof a === "number" && typeof b === "number") {
    assert.ok(Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a), Math.abs(b)), `${where}: ${a} on the page, ${b} by the command`);
  } else if (a && b && typeof a === "object" && typeof b === "object") {
    assert.deepEqual(Object.keys(a).sort(), Object.keys(b).sort(), `${where}: keys`);
    for (const key of Object.keys(a)) if (key !== "id") near(a[key], b[key], `${where}.${key}`);
  } else assert.equal(a, b, where);
}
