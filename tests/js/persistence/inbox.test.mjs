// The words of a page that does not own its store: it has not answered yet, or another tab has it. Each page is a process of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { folder, real } from "../lib.mjs";

const user = (id) => ({ id, role: "user", content: id });
const save = (more) => ({ v: 1, threadId: "t", messages: [], state: {}, interrupts: [], handled: [], unsent: [], queue: [], ...more });
const call = { id: "call", type: "function", function: { name: "count", arguments: "{}" } };
const run = {
  ...{
    start: "submit",
    runId: "r",
    messages: [],
    tools: [{ name: "count", description: "counts" }],
    context: [],
    forwardedProps: {},
    own: [],
    maxFollowUps: 8,
  },
  pageTools: [{ name: "count", manual: false, needsApproval: true, followUp: true }],
};
const asked = save({
  messages: [user("a"), { id: "b", role: "assistant", toolCalls: [call] }],
  turn: { run, followUps: 0, calls: [{ id: "call", stage: "waiting", followUp: true }] },
});

/**
 * Runs a script in a page with these items in `localStorage` (and `sessionStorage`, as their names say), which is left at the end of it. Returns what it says, and the items. The page has the lock
 * of its store once it calls `give`. A test that uses IndexedDB begins with an empty one each time.
 */
function page(script, items = {}) {
  const before = `
    import { createAgent, createStore, indexedDbStore, localStorageStore } from ${JSON.stringify(new URL("index.js", folder).href)};
    import { fakeIndexedDb, fakeStorage } from ${JSON.stringify(new URL("fake-storages.mjs", import.meta.url).href)};
    globalThis.document = new EventTarget();
    globalThis.indexedDB = fakeIndexedDb();
    const [items, tab] = [fakeStorage(), fakeStorage("sessionStorage")];
    for (const [key, text] of Object.entries(${JSON.stringify(items)})) (key.startsWith("ag-ui-wasm:") ? tab : items).set(key, text);
    const own = (key, more) => createStore({
      key,
      load: async () => JSON.parse(items.get("own") ?? "null") ?? undefined,
      save: async (saved) => void items.set("own", JSON.stringify(saved)),
      clear: async () => void items.delete("own"),
      ...more,
    });
    let give;
    const given = new Promise((resolve) => (give = resolve));
    const locks = { request: async (name, hold) => (await given, hold({})) };
    Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
    const sent = [];
    const fetch = async (_, { body }) => {
      const { runId, messages } = JSON.parse(body);
      sent.push(messages.filter(({ role }) => role === "user").map(({ content }) => content).join());
      const events = ["RUN_STARTED", "RUN_FINISHED"].map((type) => "data: " + JSON.stringify({ type, threadId: "t", runId }) + "\\n\\n");
      return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
    };
    const tools = [{ name: "count", description: "counts", needsApproval: true, execute: () => void sent.push("counted") }];
    const make = (persist, more) => {
      const agent = createAgent({ url: "http://agent/", threadId: "t", fetch, persist, tools, ...more });
      agent.subscribe(() => {});
      return agent;
    };
    const hello = { message: { id: "hello", content: "hello" } };
    // The first is the program that unpacks the core. To compile it takes as long as the machine has other things to do.
    let [instances, come] = [0];
    const core = new Promise((resolve) => (come = resolve));
    const { instantiate } = WebAssembly;
    WebAssembly.instantiate = async (...given) => {
      const made = await instantiate(...given);
      if (++instances === 2) come();
      return made;
    };
    const quiet = (ms = 500) => new Promise((done) => setTimeout(done, ms));
    const said = [];
    const say = (...values) => said.push(...values);
    const leave = () => {
      console.log(JSON.stringify([said, Object.fromEntries([...items, ...tab])]));
      process.exit();
    };
  `;
  const { stdout, stderr } = spawnSync("node", ["--input-type=module", "--eval", `${before}${script}\nleave();`], { encoding: "utf8", timeout: 60_000 });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

const letters = (items) =>
  Object.entries(items).filter(([key]) => key.endsWith(":inbox") || key === "ag-ui-wasm:own").flatMap(([, text]) => Object.values(JSON.parse(text)));
/** The script of a page that has the store, and waits until all is said and done. */
const next = (store, more = "{}") => `
  give();
  const agent = make(${store}, ${more});
  await core;
  await quiet();
  say(...sent, agent.getSnapshot().messages.map(({ content }) => content).join());
`;

describe("the inbox of a store", { skip: !real }, () => {
  for (const store of ['localStorageStore("chat")', 'indexedDbStore("base", "chat")', 'own("own")']) {
    it(`has what is said in the task in which the page is left, and the next page sends it once: ${store}`, () => {
      const [, items] = page(`make(${store}).submit(hello);`);
      assert.equal(letters(items).length, 1);
      const [said, taken] = page(next(store), items);
      assert.deepEqual(said, ["hello", "hello"]);
      assert.deepEqual(letters(taken), []);
      // One that is left while the lock is on its way takes it along, too.
      const [, still] = page(`make(${store}); await quiet();`, items);
      assert.deepEqual(still, items);
    });

    it(`has what is said while another tab has the store: ${store}`, () => {
      const [, items] = page(`const agent = make(${store}); await quiet(); agent.submit(hello); agent.submit("more");`);
      const [said, taken] = page(next(store), items);
      assert.deepEqual(said, ["hello", "hello,more", "hello,more"]);
      assert.deepEqual(letters(taken), []);
    });

    it(`is emptied with the store: ${store}`, () => {
      const [, items] = page(`const store = ${store}; make(store).submit(hello); store.clear();`);
      assert.deepEqual(letters(items), []);
      assert.deepEqual(Object.keys(items).filter((key) => key !== "ag-ui-wasm:own"), []);
    });
  }

  const store = 'localStorageStore("chat")';

  it("has what a person decides", () => {
    const [[phase], items] = page(`const agent = make(${store}); say(agent.getSnapshot().toolCalls[0].phase); agent.approve("call");`, {
      chat: JSON.stringify(asked),
    });
    assert.equal(phase, "awaiting-approval");
    assert.deepEqual(page(next(store), items)[0], ["counted", "a", "a,,"]);
  });

  it("has what was changed of a submit that waits", () => {
    const queued = (runId) => ({ ...run, runId, messages: [user(runId)], tools: [], pageTools: [] });
    const items = { chat: JSON.stringify(save({ queue: ["q", "r", "s"].map(queued) })) };
    for (const wait of ["", "await quiet();"]) {
      const changed = page(`const agent = make(${store}); ${wait} agent.cancelQueued("q"); agent.editQueued("r", "edited");`, items)[1];
      const [said, taken] = page(next(store), changed);
      assert.deepEqual(said, ["edited", "edited,s", "edited,s"]);
      assert.deepEqual(letters(taken), []);
    }
  });

  it("of a store of the application's own is where the application wants it", () => {
    const kept = `{ inbox: { load: () => JSON.parse(items.get("words") ?? "null"), save: (words) => void items.set("words", JSON.stringify(words)) } }`;
    for (const [place, more] of [["words", `"own", ${kept}`], [undefined, `"own", { inbox: { load() {}, save() {} } }`], [undefined, ""]]) {
      const [, items] = page(`make(own(${more})).submit(hello);`);
      assert.deepEqual(Object.keys(items), place ? [place] : []);
      assert.deepEqual(page(next(`own(${more})`), items)[0], place ? ["hello", "hello"] : [""]);
    }
  });

  it("has nothing that was taken back", () => {
    const taken = `const more = new AbortController(); agent.submit({ message: { id: "more", content: "more" }, signal: more.signal }); more.abort();`;
    for (const wait of ["", "await quiet();"]) {
      const [, items] = page(`const agent = make(${store}); ${wait} agent.submit(hello); ${taken}`);
      assert.deepEqual(page(next(store), items)[0], ["hello", "hello"]);
      const [, reset] = page(`const agent = make(${store}); ${wait} agent.submit(hello); agent.reset();`);
      assert.deepEqual(page(next(store), reset)[0], [""]);
    }
  });

  it("keeps what was said in another thread", () => {
    const [, items] = page(`make(${store}, { threadId: "other" }).submit(hello);`);
    const [said, kept] = page(next(store), items);
    assert.deepEqual([said, letters(kept).length], [[""], 1]);
  });

  it("gives what was said in a thread whose name the store knows", () => {
    const [, items] = page(`make(${store}, { threadId: undefined }).submit(hello);`);
    assert.deepEqual(page(next(store, "{ threadId: undefined }"), { ...items, chat: JSON.stringify(save({ messages: [user("a")] })) })[0], [
      "a,hello",
      "a,hello",
    ]);
  });

  it("is added to by each page", () => {
    const [, one] = page(`make(${store}).submit(hello);`);
    const [, both] = page(`make(${store}).submit({ message: { id: "too", content: "too" } });`, one);
    assert.equal(letters(both).length, 2);
    assert.deepEqual(page(next(store), both)[0], ["hello", "hello,too", "hello,too"]);
  });

  it("of a page that comes back after another one has taken it: that one has sent it", () => {
    // One of a page that has taken letters has all lists.
    for (const lists of [{}, { untold: [], replies: [], acts: [], usage: [] }]) {
      const taken = JSON.stringify(save({ messages: [user("hello")], ...lists }));
      const [said, items] = page(`
        const agent = make(${store});
        await quiet();
        const done = agent.submit(hello);
        localStorage.setItem("chat", ${JSON.stringify(taken)});
        give();
        say((await done).outcome, ...sent, agent.getSnapshot().messages.map(({ content }) => content).join());
        await agent.submit("more");
        say(...sent);
      `);
      assert.deepEqual(said, ["disconnected", "hello", "hello,more"]);
      assert.deepEqual(letters(items), []);
    }
  });

  it("leaves an edit that was made before it was read", () => {
    const [, items] = page(`make(${store}).submit(hello);`);
    const [said] = page(
      `
      const agent = make(${store});
      agent.setMessages([{ id: "edit", role: "user", content: "edit" }]);
      give();
      await quiet();
      say(...sent);
    `,
      items,
    );
    assert.deepEqual(said, ["edit,hello"]);
  });

  it("may be full, or damaged", () => {
    const full = `const store = ${store}; store.inbox.save = () => { throw new Error("full"); };`;
    assert.deepEqual(page(`${full} give(); const agent = make(store); await agent.submit(hello); say(...sent);`)[0], ["hello"]);
    assert.deepEqual(page(next(store), { "chat:inbox": "{", chat: JSON.stringify(save({ messages: [user("a")] })) })[0], ["a"]);
  });
});
