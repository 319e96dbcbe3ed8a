/**
 * Threads that the server keeps, in a file: what the demo's list of threads shows. A run goes on when its page leaves.
 *
 * | request | answer |
 * | --- | --- |
 * | `GET /threads?cursor&limit` | `{ threads: [{ threadId, title, createdAt, updatedAt, archived, running }], next }` |
 * | `POST /threads` | makes the thread of the body |
 * | `PATCH /threads/<id>`, `DELETE /threads/<id>` | changes its `title` or `archived`; deletes it |
 * | `GET /threads/<id>?before&limit` | `{ threadId, messages, activeRunId, older }` |
 * | `POST /threads/<id>/run` | AG-UI; the body has what is new. 409 during a run |
 * | `GET /threads/<id>/run` | the run in progress from its beginning |
 * | `POST /threads/<id>/stop` | stops the run |
 *
 * `?user=` names whose threads they are.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { finished, lastWords, started, text } from "./events.mjs";
import { body, json, parse, problem, streamHead } from "./http.mjs";
import { play } from "./play.mjs";

const prefix = "/threads";

/** The handler of these routes over a file; without one they are forgotten with the server. */
export class StoredThreads {
  #file;
  #threads;
  /** By thread, the run in progress. */
  #live = new Map();

  constructor(file) {
    this.#file = file;
    this.#threads = new Map(file === undefined ? [] : read(file));
  }

  /** Whether the path is one of these. */
  static has = (path) => path === prefix || path.startsWith(`${prefix}/`);

  async answer(runs, request, response, path, query) {
    const { method } = request;
    const user = query.get("user") ?? "me";
    const [id, action] = path.slice(prefix.length + 1).split("/").map(decodeURIComponent);
    const given = method === "POST" || method === "PATCH" ? parse((await body(request)) || "{}") : {};
    if (!id) {
      if (method === "GET") return json(response, 200, this.#list(user, query));
      if (method === "POST") return json(response, 200, infoOf(this.#make(user, given.threadId ?? crypto.randomUUID(), given)));
      throw problem(405, `That is not asked with ${method}.`);
    }
    if (method === "POST" && action === "run") return this.#run(runs, this.#make(user, id, {}), given, query, response);
    const thread = this.#threads.get(id);
    // One that nothing was said in yet.
    if (thread === undefined && method === "GET" && !action) return json(response, 200, { threadId: id, messages: [] });
    if (thread === undefined || thread.user !== user) throw problem(404, `There is no thread ${id}.`);
    const run = this.#live.get(id);
    if (action === "stop" && method === "POST") return run?.stop(), json(response, 200, {});
    if (action === "run" && method === "GET") return run ? run.join(response) : response.writeHead(204).end();
    if (action) throw problem(404, `There is no ${path} here.`);
    if (method === "GET") return json(response, 200, this.#page(thread, run, query));
    if (method === "DELETE") return run?.stop(), this.#threads.delete(id), this.#save(), response.writeHead(204).end();
    if (method !== "PATCH") throw problem(405, `That is not asked with ${method}.`);
    for (const member of ["title", "archived"]) if (member in given) thread[member] = given[member];
    this.#save();
    return json(response, 200, infoOf(thread));
  }

  #list(user, query) {
    const limit = Number(query.get("limit") ?? 30);
    const all = [...this.#threads.values()].filter((thread) => thread.user === user).sort((a, b) => b.updatedAt - a.updatedAt);
    // The place after a thread, and not a number: a list that grows at its top repeats nothing.
    const from = query.get("cursor") ? all.findIndex(({ threadId }) => threadId === query.get("cursor")) + 1 : 0;
    const threads = all.slice(from, from + limit).map((thread) => ({ ...infoOf(thread), running: this.#live.has(thread.threadId) }));
    return { threads, next: from + limit < all.length ? threads.at(-1)?.threadId : null };
  }

  #make(user, threadId, { title }) {
    const known = this.#threads.get(threadId);
    if (known) {
      if (known.user !== user) throw problem(403, "That thread is somebody else's.");
      return known;
    }
    const now = Date.now();
    const thread = { threadId, user, title, createdAt: now, updatedAt: now, archived: false, messages: [] };
    this.#threads.set(threadId, thread);
    this.#save();
    return thread;
  }

  #page({ threadId, messages }, run, query) {
    const limit = Number(query.get("limit") ?? 30);
    const before = query.get("before");
    const end = before ? Math.max(messages.findIndex(({ id }) => id === before), 0) : messages.length;
    const start = Math.max(end - limit, 0);
    return { threadId, messages: messages.slice(start, end), activeRunId: run?.runId, older: start > 0 ? messages[start]?.id : null };
  }

  #run(runs, thread, input, query, response) {
    if (this.#live.has(thread.threadId)) throw problem(409, "Another run of this thread is in progress.");
    const known = new Set(thread.messages.map(({ id }) => id));
    thread.messages.push(...(input.messages ?? []).filter(({ id }) => !known.has(id)));
    thread.title ??= lastWords(thread).slice(0, 60);
    thread.updatedAt = Date.now();
    const message = { id: `${input.runId}-answer`, role: "assistant", content: "" };
    const live = new LiveRun(input.runId, (event) => {
      if (event?.type === "TEXT_MESSAGE_CONTENT") message.content += event.delta;
    });
    this.#live.set(thread.threadId, live);
    this.#save();
    const record = runs.open("threads", "notes", input, input, query.get("hold") ?? undefined);
    live.join(response);
    const frame = (event) => (live.note(event), `data: ${JSON.stringify(event)}\n\n`);
    void play(script(input, message.id, thread), { frame, speed: Number(query.get("speed") ?? 1), numbered: false }, live, record, runs)
      .catch(() => {})
      .finally(() => {
        this.#live.delete(thread.threadId);
        live.end();
        if (message.content) thread.messages.push(message);
        thread.updatedAt = Date.now();
        this.#save();
      });
  }

  #save() {
    if (this.#file === undefined) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    // Whole or not at all, also when the server is ended meanwhile.
    writeFileSync(`${this.#file}.new`, JSON.stringify([...this.#threads.values()]));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

/** A run that pages join and leave: as much of a response as `play` uses. */
class LiveRun {
  #parts = [];
  #pages = new Set();
  #closed = [];
  #ended = false;

  constructor(runId, note) {
    this.runId = runId;
    this.note = note;
  }

  join(response) {
    response.writeHead(200, streamHead);
    response.flushHeaders();
    for (const part of this.#parts) response.write(part);
    if (this.#ended) return void response.end();
    this.#pages.add(response);
    response.on("close", () => this.#pages.delete(response));
  }

  stop() {
    for (const listener of this.#closed.splice(0)) listener();
    this.end();
  }

  on(_close, listener) {
    this.#closed.push(listener);
  }
  writeHead() {}
  flushHeaders() {}
  write(part) {
    this.#parts.push(part);
    for (const page of this.#pages) page.write(part);
    return true;
  }
  end() {
    this.#ended = true;
    for (const page of this.#pages) page.end();
  }
  destroy() {
    this.end();
  }
}

/** The answer: what the thread has so far. */
function* script(input, messageId, thread) {
  const asked = thread.messages.filter(({ role }) => role === "user").map(lastOf);
  const content = `Noted: **${asked.at(-1)}**. This thread has ${asked.length === 1 ? "one note" : `${asked.length} notes`}: ${
    asked.join("; ")
  }. It is kept in a file of the server, and a run continues when its page leaves.`;
  yield started(input);
  yield* text(messageId, content);
  yield finished(input);
}

const lastOf = (message) => lastWords({ messages: [message] });

const infoOf = ({ threadId, title, createdAt, updatedAt, archived }) => ({ threadId, title, createdAt, updatedAt, archived });

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).map((thread) => [thread.threadId, thread]);
  } catch {
    return []; // none yet
  }
}
