// What the explorer is reached by in the tests: the server of the command, and a file server for the static page.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".wasm": "application/wasm" };

// carom explore with a free port: its address, and a function that ends it.
export function explore(carom, ...words) {
  const child = spawn(carom, ["explore", ...words, "--no-open", "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (text) => { said += text; });
  return new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      if (text.includes("\n")) done({ address: text.trim(), close: () => new Promise((ended) => { child.once("exit", ended); child.kill("SIGINT"); }) });
    });
    child.once("exit", (code) => fail(new Error(`carom explore ended with ${code}: ${said}`)));
  });
}

// The files of a folder, those that are given by their path and text, and nothing else.
export async function files(folder, more = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)).replace(/^(\.\.[/\\])+/, "");
    const name = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const body = more[name] ?? (await readFile(join(folder, name)));
      response.writeHead(200, { "content-type": TYPES[extname(name)] || "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}
