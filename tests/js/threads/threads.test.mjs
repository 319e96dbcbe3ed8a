// The list of threads: what a person sees while a server answers late, in another order, with nonsense, or not at all.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { random } from "../chance.mjs";
import { deferred, load, until } from "../lib.mjs";

const { createThreads } = await load("threads/index");
const { AgentError } = await load("index");

const ids = (/** @type {any} */ threads) => threads.getSnapshot().threads.map((/** @type {any} */ { threadId }) => threadId);
const infos = (/** @type {string[]} */ ...names) => names.map((threadId) => ({ threadId, title: threadId.toUpperCase() }));

/** A list of these pages: the cursor of a page is its number. */
const paged = (/** @type {string[][]} */ pages) => async (/** @type {any} */ { cursor = "0" }) => ({
  threads: infos(...(pages[Number(cursor)] ?? [])),
  next: Number(cursor) + 1 < pages.length ? String(Number(cursor) + 1) : null,
});

describe("pages", () => {
  test("the first listener begins the load, and not the making of the list", async () => {
    let asked = 0;
    const threads = createThreads({ list: async () => ((asked += 1), { threads: infos("a") }) });
    assert.equal(threads.getSnapshot().status, "new");
    assert.equal(asked, 0);
    const seen = /** @type {string[]} */ ([]);
    threads.subscribe(() => seen.push(threads.getSnapshot().status));
    threads.subscribe(() => {});
    await until(() => threads.getSnapshot().status === "ready");
    assert.deepEqual([seen, asked, ids(threads)], [["loading", "ready"], 1, ["a"]]);
  });

  test("are put one after the other, and a call twice loads one", async () => {
    const threads = createThreads({ list: paged([["a", "b"], ["c"], ["d"]]) });
    await threads.load();
    assert.deepEqual([ids(threads), threads.getSnapshot().hasMore], [["a", "b"], true]);
    assert.deepEqual(await Promise.all([threads.loadMore(), threads.loadMore()]), [true, true]);
    assert.deepEqual(ids(threads), ["a", "b", "c"]);
    assert.equal(await threads.loadMore(), false);
    assert.equal(await threads.loadMore(), false);
    assert.deepEqual(ids(threads), ["a", "b", "c", "d"]);
  });

  test("a list that changes while it is paged shows no thread twice, and a reload has all of them", async () => {
    const all = ["a", "b", "c", "d"];
    const list = async (/** @type {any} */ { cursor = "0", limit }) => {
      const from = Number(cursor);
      return { threads: infos(...all.slice(from, from + limit)), next: from + limit < all.length ? String(from + limit) : undefined };
    };
    const threads = createThreads({ list, limit: 2 });
    await threads.load();
    all.unshift("new");
    await threads.loadMore();
    assert.deepEqual(ids(threads), ["a", "b", "c"]);
    await threads.load();
    assert.deepEqual(ids(threads), ["new", "a", "b", "c"], "as many pages as were shown");
  });

  test("a server that repeats its pages or its cursors is not asked forever", async () => {
    for (const next of [() => "again", (/** @type {number} */ n) => `other ${n}`]) {
      let asked = 0;
      const threads = createThreads({ list: async () => ({ threads: infos("a"), next: next(asked += 1) }) });
      await threads.load();
      while (await threads.loadMore()) assert.ok(asked < 200, "it ends");
      assert.deepEqual(ids(threads), ["a"]);
      assert.ok(asked <= 12, `${asked} requests`);
    }
  });

  test("an answer to an earlier load is dropped", async () => {
    const answers = [deferred(), deferred()];
    let asked = 0;
    const threads = createThreads({ list: () => answers[asked++].promise });
    const [first, second] = [threads.load(), threads.load()];
    answers[1].resolve({ threads: infos("new") });
    await second;
    answers[0].resolve({ threads: infos("old") });
    await first;
    assert.deepEqual(ids(threads), ["new"]);
  });

  test("threads without an id are left out; what is no list is an error, and can be loaded again", async () => {
    const answers = [[], null, "text", { threads: [{}, null, { threadId: "" }, { threadId: 1 }, { threadId: "a" }] }];
    const threads = createThreads({ list: async () => answers.shift() });
    for (const _ of [1, 2, 3]) {
      await threads.load();
      const { status, error } = threads.getSnapshot();
      assert.deepEqual([status, error?.kind], ["error", "protocol"]);
    }
    await threads.load();
    assert.deepEqual([threads.getSnapshot().status, threads.getSnapshot().error, ids(threads)], ["ready", undefined, ["a"]]);
  });

  test("a failed reload keeps what is shown; a failed page can be asked for again", async () => {
    let broken = false;
    const list = paged([["a"], ["b"]]);
    const threads = createThreads({ list: (/** @type {any} */ request) => (broken ? Promise.reject(new Error("down")) : list(request)) });
    await threads.load();
    broken = true;
    await threads.load();
    assert.equal(threads.getSnapshot().status, "ready");
    assert.match(threads.getSnapshot().error.message, /down/);
    assert.equal(await threads.loadMore(), true, "there is still more");
    broken = false;
    await threads.loadMore();
    assert.deepEqual([ids(threads), threads.getSnapshot().error], [["a", "b"], undefined]);
  });

  test("a server that never answers is an error after timeoutMs, and its signal is aborted", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let given;
    const threads = createThreads({ list: ({ signal }) => ((given = signal), new Promise(() => {})), timeoutMs: 1000 });
    const loaded = threads.load();
    await Promise.resolve();
    t.mock.timers.tick(1000);
    await loaded;
    assert.deepEqual([threads.getSnapshot().status, threads.getSnapshot().error.retryable, given.aborted], ["error", true, true]);
  });
});

describe("changes", () => {
  test("are shown at once, and kept when the server confirms them, with what it says", async () => {
    const answer = deferred();
    const threads = createThreads({ list: paged([["a", "b"]]), rename: () => answer.promise });
    await threads.load();
    const [, b] = threads.getSnapshot().threads;
    const renamed = threads.rename("a", "Trip");
    assert.equal(threads.getSnapshot().threads[0].title, "Trip");
    assert.deepEqual(threads.getSnapshot().pending, ["a"]);
    answer.resolve({ title: "Trip to Rome", updatedAt: 5 });
    await renamed;
    assert.deepEqual(threads.getSnapshot().threads[0], { threadId: "a", title: "Trip to Rome", updatedAt: 5 });
    assert.deepEqual(threads.getSnapshot().pending, []);
    assert.equal(threads.getSnapshot().threads[1], b, "a thread that has not changed is the same object");
  });

  test("are taken back when the server refuses them, and the caller hears of it", async () => {
    const refuse = async () => Promise.reject(Object.assign(new Error("no"), { status: 403 }));
    const threads = createThreads({ list: paged([["a", "b"]]), rename: refuse, archive: refuse, delete: refuse, create: refuse });
    await threads.load();
    const before = threads.getSnapshot().threads;
    const calls = [() => threads.rename("a", "x"), () => threads.archive("a"), () => threads.delete("b"), () => threads.create({ threadId: "c" })];
    for (const call of calls) {
      const done = call();
      assert.notDeepEqual(threads.getSnapshot().threads, before, "shown at once");
      await assert.rejects(done, (error) => AgentError.is(error) && error.status === 403);
      assert.deepEqual(threads.getSnapshot().threads, before);
      assert.equal(threads.getSnapshot().error.status, 403);
    }
  });

  test("of one thread reach the server in their order, also after one that failed", async () => {
    const log = /** @type {string[]} */ ([]);
    const first = deferred();
    const threads = createThreads({
      list: paged([["a"]]),
      rename: async (_, title) => {
        log.push(`begin ${title}`);
        if (title === "one") await first.promise;
        log.push(`end ${title}`);
      },
    });
    await threads.load();
    const [one, two] = [threads.rename("a", "one"), threads.rename("a", "two")];
    assert.equal(threads.getSnapshot().threads[0].title, "two");
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(log, ["begin one"]);
    first.reject(new Error("no"));
    await assert.rejects(one);
    await two;
    assert.deepEqual([log, threads.getSnapshot().threads[0].title], [["begin one", "begin two", "end two"], "two"]);
  });

  test("a thread that was made here stays until the server lists it, and is gone once the server has dropped it", async () => {
    let server = infos("a");
    const threads = createThreads({ list: async () => ({ threads: server }) });
    await threads.load();
    await threads.create({ threadId: "new" });
    await threads.load();
    assert.deepEqual(ids(threads), ["new", "a"]);
    server = infos("a", "new");
    await threads.load();
    assert.deepEqual(ids(threads), ["a", "new"]);
    server = infos("a");
    await threads.load();
    assert.deepEqual(ids(threads), ["a"]);
  });

  test("a new thread has the id that the server gives it", async () => {
    const threads = createThreads({ list: async () => ({ threads: [] }), create: async () => ({ threadId: "theirs", title: "T" }) });
    await threads.load();
    const made = await threads.create({ threadId: "mine", createdAt: 1 });
    assert.deepEqual([made.threadId, made.title, made.createdAt, ids(threads)], ["theirs", "T", 1, ["theirs"]]);
  });

  test("a thread that is gone at the server can be deleted", async () => {
    for (const status of [404, 410]) {
      const threads = createThreads({
        list: async () => ({ threads: infos("a") }),
        delete: () => Promise.reject(Object.assign(new Error("gone"), { status })),
      });
      await threads.load();
      await threads.delete("a");
      assert.deepEqual([ids(threads), threads.getSnapshot().error], [[], undefined]);
    }
  });

  test("archived threads are a list of their own, and come back", async () => {
    const threads = createThreads({ list: paged([["a", "b"]]), archive: async () => {} });
    await threads.load();
    await threads.archive("a");
    assert.deepEqual([ids(threads), threads.getSnapshot().archived.map(({ threadId }) => threadId)], [["b"], ["a"]]);
    await threads.archive("a", false);
    assert.deepEqual(ids(threads), ["a", "b"]);
  });

  test("a thread that was deleted while a page was on its way does not come back with it", async () => {
    const page = deferred();
    let asked = 0;
    const threads = createThreads({ list: () => (asked++ ? page.promise : Promise.resolve({ threads: infos("a", "b") })), delete: async () => {} });
    await threads.load();
    const again = threads.load();
    await threads.delete("a");
    page.resolve({ threads: infos("a", "b") });
    await again;
    assert.deepEqual(ids(threads), ["b"]);
  });

  test("what the page knows is noted without a request", async () => {
    const threads = createThreads({ list: paged([["a"]]) });
    await threads.load();
    threads.update({ threadId: "a", running: true });
    threads.update({ threadId: "b", title: "New" });
    assert.deepEqual(threads.getSnapshot().threads, [{ threadId: "b", title: "New" }, { threadId: "a", title: "A", running: true }]);
  });

  test("what the source cannot do is refused, and nothing is shown", async () => {
    const threads = createThreads({ list: paged([["a"]]) });
    await threads.load();
    for (const call of [() => threads.rename("a", "x"), () => threads.archive("a"), () => threads.delete("a")]) {
      await assert.rejects(call(), (error) => AgentError.is(error) && error.code === "threads");
    }
    assert.deepEqual(ids(threads), ["a"]);
    assert.equal((await threads.create({ threadId: "own" })).threadId, "own", "a new one stays local");
    assert.deepEqual(ids(threads), ["own", "a"]);
  });
});

test("requests have the headers of the options; a status that is no success is an AgentError", async () => {
  const seen = /** @type {any[]} */ ([]);
  const threads = createThreads({
    url: "https://agent.test/x",
    headers: async () => ({ authorization: "Bearer 1" }),
    credentials: "include",
    fetch: async (url, init) => {
      seen.push([url, init.credentials, init.headers.get("authorization"), init.headers.get("x-own")]);
      return new Response("gone", { status: 401 });
    },
    list: async ({ url, fetch }) => (await fetch(`${url}/threads`, { headers: { "x-own": "1" } })).json(),
  });
  await threads.load();
  assert.deepEqual(seen[0], ["https://agent.test/x/threads", "include", "Bearer 1", "1"]);
  const { error } = threads.getSnapshot();
  assert.deepEqual([error.kind, error.status, error.body], ["auth", 401, "gone"]);
});

test("a request is made once more, with new headers, where the login was out of date", async () => {
  let token = 0;
  const fetch = async (/** @type {any} */ _, /** @type {any} */ { headers }) =>
    headers.get("token") === "1" ? new Response("", { status: 401 }) : Response.json({ threads: infos("a") });
  const list = async (/** @type {any} */ request) => (await request.fetch("https://server.test/")).json();
  const threads = createThreads({ list, fetch: /** @type {any} */ (fetch), headers: () => ({ token: String(++token) }) });
  await threads.load();
  assert.deepEqual([ids(threads), token], [["a"], 2]);
});

test("after dispose nothing changes, and what is in progress is aborted", async () => {
  let given;
  const threads = createThreads({ list: ({ signal }) => ((given = signal), new Promise(() => {})) });
  let told = 0;
  threads.subscribe(() => (told += 1));
  await new Promise((done) => setImmediate(done));
  const before = [told, threads.getSnapshot()];
  threads.dispose();
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([told, threads.getSnapshot()], before);
  assert.equal(given.aborted, true);
});

// The promise as a whole: whatever order answers come in and whichever fail, in the end the list is the server's, each change that
// was confirmed has happened once, and each that was refused has not.
test("any order of answers ends with the list of the server", async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const pick = random(seed);
    let server = infos("a", "b", "c", "d", "e", "f");
    /** @type {(() => void)[]} */
    const waiting = [];
    // The server acts at one moment of a request: before its answer is on its way, or never.
    const act = (/** @type {() => any} */ action) =>
      new Promise((resolve, reject) => {
        waiting.push(() => {
          const fails = pick(4) === 0;
          const answer = fails ? undefined : action();
          waiting.push(() => (fails ? reject(new Error("no")) : resolve(answer)));
        });
      });
    const threads = createThreads({
      limit: 2,
      list: ({ cursor = "", limit }) =>
        act(() => {
          const from = cursor ? server.findIndex(({ threadId }) => threadId === cursor) + 1 : 0;
          const part = server.slice(from, from + limit);
          return { threads: part, next: from + limit < server.length ? part.at(-1)?.threadId : undefined };
        }),
      rename: (id, title) => act(() => void (server = server.map((thread) => (thread.threadId === id ? { ...thread, title } : thread)))),
      delete: (id) => act(() => void (server = server.filter(({ threadId }) => threadId !== id))),
      create: (thread) => act(() => void (server = [{ ...thread, title: thread.title ?? "" }, ...server])),
    });
    let count = 0;
    for (let step = 0; step < 40; step += 1) {
      const some = threads.getSnapshot().threads;
      const id = some[pick(Math.max(some.length, 1))]?.threadId ?? "a";
      const quiet = (/** @type {Promise<any>} */ promise) => void promise.catch(() => {});
      switch (pick(8)) {
        case 0:
          quiet(threads.load());
          break;
        case 1:
          quiet(threads.loadMore());
          break;
        case 2:
          quiet(threads.rename(id, `title ${(count += 1)}`));
          break;
        case 3:
          quiet(threads.delete(id));
          break;
        case 4:
          quiet(threads.create({ threadId: `new ${(count += 1)}`, title: "n", createdAt: undefined, updatedAt: undefined }));
          break;
        default:
          waiting.splice(pick(waiting.length || 1), 1)[0]?.();
      }
      const shown = ids(threads);
      assert.equal(new Set(shown).size, shown.length, `seed ${seed}: a thread twice`);
      await new Promise((done) => setImmediate(done));
    }
    for (let turns = 0; waiting.length || threads.getSnapshot().pending.length; turns += 1) {
      assert.ok(turns < 1000, `seed ${seed}: a change that was answered is still pending`);
      waiting.shift()?.();
      await new Promise((done) => setImmediate(done));
    }
    const settled = threads.getSnapshot().threads;
    for (const { threadId, title } of settled) {
      const at = server.find((thread) => thread.threadId === threadId);
      if (at) assert.equal(title, at.title, `seed ${seed}: the title of ${threadId}`);
      else assert.fail(`seed ${seed}: ${threadId} is gone at the server`);
    }
  }
});
