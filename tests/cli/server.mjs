// Servers for the tests of the program, and the program itself.

import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../../pkg/cli/index.js", import.meta.url));

/**
 * A server of the test's.
 *
 * @param {(request: import("node:http").IncomingMessage & { body: string }, response: import("node:http").ServerResponse) => void} answer
 */
export async function serve(answer) {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    answer(Object.assign(request, { body }), response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/agent`, close };
}

/**
 * Runs the program to its end.
 *
 * @param {string[]} args
 * @param {{ cwd?: string, input?: string | Buffer }} [options]  `input`: what it reads from standard input
 * @returns {Promise<{ status: number, out: string, err: string }>}
 */
export function run(args, { input = "", ...options } = {}) {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { maxBuffer: 2 ** 26, ...options }, (error, out, err) => {
      resolve({ status: error ? Number(error.code) : 0, out, err });
    });
    child.stdin?.end(input);
  });
}
