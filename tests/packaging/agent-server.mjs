// An AG-UI agent that says one thing, and a place for files. Small enough to be sure that it is not what fails.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

/** The agent's answer: split inside a character of four bytes as soon as it travels in small pieces. */
export const ANSWER = "Hello from a real socket 👋";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };

/**
 * @param {{ files?: string, headers?: Record<string, string>, allow?: (path: string) => boolean | Promise<boolean> }} [options]
 *   a folder to serve, headers for every file, and whether a file is served, or the connection is cut
 * @returns {Promise<{ url: string, requests: any[], close(): Promise<void> }>}  `requests`: the bodies that came in
 */
export async function startAgentServer({ files, headers = {}, allow = () => true } = {}) {
  /** @type {any[]} */
  const requests = [];
  const server = createServer(async (request, response) => {
    response.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*");
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    if (request.method === "POST") {
      let body = "";
      for await (const chunk of request) body += chunk;
      const input = JSON.parse(body);
      requests.push(input);
      return answer(input, response);
    }
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (await allow(pathname)) serve(files, headers, pathname, response);
    else response.destroy();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @param {{ threadId: string, runId: string }} input @param {import("node:http").ServerResponse} response */
async function answer({ threadId, runId }, response) {
  const messageId = "answer";
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "STATE_SNAPSHOT", snapshot: { steps: [] } },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    ...[...ANSWER].map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "/steps/-", value: "said it" }] },
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let start = 0; start < bytes.length; start += 7) {
    response.write(bytes.subarray(start, start + 7));
    if (start % 70 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

/**
 * @param {string | undefined} files
 * @param {Record<string, string>} headers
 * @param {string} path
 * @param {import("node:http").ServerResponse} response
 */
function serve(files, headers, path, response) {
  const file = files && join(files, normalize(path.endsWith("/") ? `${path}index.html` : path));
  if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) return void response.writeHead(404).end();
  const type = types[/** @type {keyof typeof types} */ (extname(file))] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, ...headers });
  createReadStream(file).pipe(response);
}
