// Serves the pages of the benchmarks, and the streams that they read at a pace of their own. On every name under
// `.localhost`: a page may have six requests at once to one name, and a name that is new gets a process of its own.
//
//   POST /stream?deltas=2000&rate=2000&protocol=ag-ui&words=latin&wait=300

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { languages, textWork } from "../workload.mjs";

/** Milliseconds between two writes. */
const TICK = 5;

/** @param {string} folder  the bundles */
export async function startServer(folder) {
  /** @type {Map<string, import("../workload.mjs").Work>} */
  const works = new Map();
  // Compressed once, as servers of files keep them.
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-max-age": "600" };
    if (request.method === "OPTIONS") return void response.writeHead(204, cors).end();
    if (pathname === "/stream") {
      request.resume();
      const deltas = Number(searchParams.get("deltas"));
      const words = /** @type {keyof typeof languages} */ (searchParams.get("words") ?? "latin");
      const work = works.get(`${words} ${deltas}`) ?? textWork(deltas, languages[words]);
      works.set(`${words} ${deltas}`, work);
      response.writeHead(200, { ...cors, "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" });
      stream(response, work.frames(searchParams.get("protocol") === "ai" ? "ai" : "ag-ui"), Number(searchParams.get("rate")), Number(searchParams.get("wait")));
      return;
    }
    if (pathname.endsWith(".js") || pathname.endsWith(".wasm")) {
      const body = files.get(pathname) ?? gzipSync(readFileSync(join(folder, pathname)), { level: 9 });
      files.set(pathname, body);
      response.writeHead(200, {
        ...cors,
        "content-type": pathname.endsWith(".js") ? "text/javascript" : "application/wasm",
        "content-encoding": "gzip",
        "cache-control": "no-store",
      });
      return void response.end(body);
    }
    const entry = searchParams.get("entry");
    response.writeHead(200, { "content-type": "text/html", "cache-control": "no-store" });
    response.end(
      `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Benchmark</title><style>${style(entry)}</style><body><main id="root"></main>${
        entry ? `<script type="module" src="/${entry}.js"></script>` : ""
      }`,
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    /** @param {string} [name] @param {string} [path] */
    url: (name = "page", path = "/") => `http://${name}.localhost:${port}${path}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

// Rows of a chat. What is not seen is not laid out, which is what a page with 500 messages does. With answers in Markdown rows and blocks
// are in groups: Chromium looks at every element with `content-visibility` in each frame. Its scroller grows upwards, so its end stays in view.
const styles = {
  "": "#root{height:100vh;overflow:auto}article{content-visibility:auto;contain-intrinsic-size:auto 8em;padding:4px;white-space:pre-wrap}",
  markdown: "#root{height:100vh;overflow:auto;display:flex;flex-direction:column-reverse}article{contain:content;padding:4px}" +
    ".rows,.group{content-visibility:auto;contain-intrinsic-size:auto none auto 90lh}.rows{contain-intrinsic-size:auto none auto 256em}",
};
const style = (/** @type {string | null} */ entry) => `body{margin:0;font:16px/1.4 sans-serif}${entry === "markdown" ? styles.markdown : styles[""]}`;

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string[]} frames
 * @param {number} rate  a second; 0: all at once
 * @param {number} wait  milliseconds from the first frame, which says that the run has started, to the second
 */
function stream(response, frames, rate, wait) {
  if (wait) {
    response.write(frames[0]);
    return void setTimeout(() => response.destroyed || stream(response, frames.slice(1), rate, 0), wait);
  }
  if (!rate) return void response.end(frames.join(""));
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(frames.length, Math.ceil(((performance.now() - start) * rate) / 1000));
    if (due > sent) response.write(frames.slice(sent, due).join(""));
    sent = due;
    if (sent === frames.length) response.end();
    if (sent === frames.length || response.destroyed) clearInterval(timer);
  }, TICK);
}
