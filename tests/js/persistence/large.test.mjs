// A long thread in a store of the package: what a submit costs does not depend on what was said before. Counted are the characters that JavaScript
// parses, makes of values, and writes beside the thread.

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { load, real } from "../lib.mjs";
import { threadWorker } from "../thread.mjs";
import { fakeIndexedDb, fakeStorage } from "./fake-storages.mjs";
import { hide, page } from "./over-stores.mjs";

const { indexedDbStore, localStorageStore } = await load("persistence/stores");
const { parse, stringify } = JSON;

/** An answer of a few words. */
async function fetch(_, { body }) {
  const { runId, threadId } = parse(body);
  const messageId = `answer ${runId}`;
  const events = [
    { type: "RUN_STARTED", threadId, runId },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: "hello" },
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "RUN_FINISHED", threadId, runId },
  ];
  return new Response(events.map((event) => `data: ${stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
}

/** How many characters the action has parsed and made, and the longest text of these. */
async function countedOf(action) {
  const counted = { parsed: 0, made: 0, longest: 0 };
  const count = (what, text = "") => {
    counted[what] += text.length;
    counted.longest = Math.max(counted.longest, text.length);
    return text;
  };
  JSON.parse = (text, ...more) => parse(count("parsed", text), ...more);
  JSON.stringify = (...value) => count("made", stringify(...value));
  try {
    await action();
  } finally {
    Object.assign(JSON, { parse, stringify });
  }
  return counted;
}

const stores = { localStorageStore, indexedDbStore: (key) => indexedDbStore("large", key) };
let keys = 0;

/** The counts of 20 submits in a thread of so many messages of a thousand characters. `whole`: the page writes the whole text after each fifth. */
async function submits(kind, length, { module = "index", whole = false, ...options } = {}) {
  const { createAgent } = await load(module);
  const initialMessages = Array.from({ length }, (_, n) => ({ id: `m${n}`, role: n % 2 ? "assistant" : "user", content: "x".repeat(1000) }));
  const persist = stores[kind](`large ${++keys}`);
  const agent = createAgent({ url: "http://agent/", threadId: "t", notify: "sync", fetch, initialMessages, persist, saving: { everyMs: 1e9 }, ...options });
  try {
    assert.equal((await agent.submit("first")).outcome, "success");
    const counted = await countedOf(async () => {
      for (let n = 0; n < 20; n++) {
        assert.equal((await agent.submit(`word ${n}`)).outcome, "success");
        if (whole && n % 5 === 4) hide();
      }
    });
    assert.equal(agent.getSnapshot().messages.length, length + 42);
    // The text beside the record.
    await new Promise(setImmediate);
    const { messages } = await persist.load();
    assert.ok(whole ? messages.length === length + 42 : messages.length <= length + 2, `${messages.length} messages are in the text`);
    return counted;
  } finally {
    agent.dispose();
  }
}

describe("20 submits in a thread of 1.5 MB", { skip: !real && "the core is a stand-in" }, () => {
  beforeEach(() => {
    fakeStorage();
    globalThis.indexedDB = fakeIndexedDb();
    globalThis.document = page();
  });
  afterEach(() => {
    for (const name of ["localStorage", "indexedDB", "document"]) delete globalThis[name];
  });

  const places = {
    "in the page": {},
    "in the page, with its whole text": { whole: true },
    "in a worker": { module: "worker", worker: () => threadWorker() },
  };
  for (const kind of Object.keys(stores)) {
    for (const [place, options] of Object.entries(places)) {
      it(`parse and make no more than in a short one: ${kind}, ${place}`, async () => {
        const [short, long] = [await submits(kind, 10, options), await submits(kind, 1500, options)];
        for (const what of ["parsed", "made", "longest"]) {
          assert.ok(long[what] < 1.1 * short[what], `${what}: ${long[what]} characters, and ${short[what]} in a short thread`);
        }
      });
    }
  }
});
