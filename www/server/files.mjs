/**
 * Files that the pages upload, in memory: `POST /files` keeps the body and answers `{ url, mimeType }`, `GET /files/<id>` gives it
 * back. With `?hold=` an upload stops at the mark `upload`; the name of its run is the file's.
 */
import { randomUUID } from "node:crypto";
import { bytes, json, problem } from "./http.mjs";

const prefix = "/files";

/** Pictures that a browser draws without running anything in them. All else is given back as bytes. */
const pictures = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** The oldest files go when all together are larger. */
const KEPT = 64 * 1024 * 1024;

export class Files {
  #files = new Map();
  #size = 0;

  /** Whether the path is one of these. */
  static has = (path) => path === prefix || path.startsWith(`${prefix}/`);

  async answer(runs, request, response, path, query) {
    const { method } = request;
    if (method === "POST" && path === prefix) return this.#take(runs, request, response, query);
    if (method !== "GET" || path === prefix) throw problem(405, `That is not asked with ${method}.`);
    const file = this.#files.get(path.slice(prefix.length + 1));
    if (file === undefined) throw problem(404, `There is no ${path} here.`);
    response.writeHead(200, {
      "content-type": pictures.has(file.type) ? file.type : "application/octet-stream",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
    response.end(file.content);
  }

  async #take(runs, request, response, query) {
    const content = await bytes(request);
    const type = request.headers["content-type"] ?? "application/octet-stream";
    const hold = query.get("hold") ?? undefined;
    if (hold !== undefined) {
      const run = runs.open("files", query.get("name") ?? "", {}, { size: content.length }, hold);
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      try {
        await runs.pass(run, "upload", gone.signal);
      } finally {
        run.ended = gone.signal.aborted ? "aborted" : "finished";
      }
    }
    const id = randomUUID();
    this.#files.set(id, { type, content });
    this.#size += content.length;
    for (const [old, { content: stored }] of this.#files) {
      if (this.#size <= KEPT) break;
      this.#files.delete(old);
      this.#size -= stored.length;
    }
    json(response, 200, { url: `http://${request.headers.host}${prefix}/${id}`, mimeType: type });
  }
}
