// A server of the pages in `page` and of the built package, and of the agent of a test.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const types = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/**
 * Serves until it is closed; `answer` is the agent at `/agent`. `headers` go with every file, each of which waits for `ready`.
 *
 * @param {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => unknown} answer
 * @param {Record<string, string>} [headers]
 * @param {(pathname: string) => unknown} [ready]
 */
export async function serveFiles(answer, headers = {}, ready = () => {}) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    try {
      if (pathname === "/agent") return await answer(request, response);
      await ready(pathname);
      const path = pathname.startsWith("/pkg/") ? `../..${pathname}` : `./page${pathname}`;
      const body = await readFile(fileURLToPath(new URL(path, import.meta.url)));
      response.writeHead(200, { "content-type": types[/** @type {keyof typeof types} */ (pathname.split(".").pop())], ...headers }).end(body);
    } catch (error) {
      if (!response.headersSent) response.writeHead(404);
      response.end(String(error));
    }
  });
  await new Promise((resolve) => server.listen(0, "localhost", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    address: (/** @type {string} */ path) => `http://localhost:${port}/${path}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Reads the input of a run. */
export const inputOf = async (/** @type {import("node:http").IncomingMessage} */ request) => JSON.parse(Buffer.concat(await request.toArray()).toString());
