/** Serves the built site, under the strictest policy it runs with. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { pipeline } from "node:stream/promises";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".wasm": "application/wasm",
};

/**
 * The Content-Security-Policy of the site: 'wasm-unsafe-eval' is all that the package needs, `connect-src *` is for the
 * field that takes any agent's address, `blob:` for pictures that are not sent yet.
 */
export const sitePolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src *",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export async function serveFile(root, policy, request, response) {
  const refuse = (status, text) => response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(text);
  if (request.method !== "GET" && request.method !== "HEAD") return refuse(405, "Method not allowed\n");
  let path;
  try {
    path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
  } catch {
    return refuse(400, "Bad request\n");
  }
  if (path.endsWith(sep)) path = join(path, "index.html");
  const file = join(root, path);
  const info = await stat(file).catch(() => undefined);
  if (info === undefined || !info.isFile()) return refuse(404, "Not found\n");
  response.writeHead(200, {
    "content-type": types[extname(file)] ?? "application/octet-stream",
    "content-length": info.size,
    "content-security-policy": policy,
    "cache-control": path.startsWith(`${sep}assets${sep}`) ? "public, max-age=31536000, immutable" : "no-cache",
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") return response.end();
  await pipeline(createReadStream(file), response).catch(() => response.destroy());
}
