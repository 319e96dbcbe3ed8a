// The record beside a save: what promises depend on is there although the save does not fit, and `saving.required`.

import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it, mock } from "node:test";
import { deferred, load, real, until } from "../lib.mjs";
import { agents, create, hide, memory, queued, texts, user, waiting } from "./over-stores.mjs";

const modules = ["stores", "record", "write", "writer", "open"].map((name) => load(`persistence/${name}`));
const [{ localStorageStore }, { readStore }, { writeStore }, { createWriter }, { loadSaves }] = await Promise.all(modules);
// The writing part gets its helpers with the code of saves.
await loadSaves();

/** A `localStorage` of so many bytes. */
function storage(quota) {
  const kept = new Map();
  const size = () => [...kept].reduce((sum, [key, text]) => sum + key.length + text.length, 0);
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem: (key, text) => {
      const before = kept.get(key);
      kept.set(key, text);
      if (size() <= quota) return;
      if (before === undefined) kept.delete(key);
      else kept.set(key, before);
      throw new Error("quota exceeded");
    },
  };
}

describe("a record", () => {
  it("belongs to a text that was being written when it was made, too", async () => {
    let [text, record] = [];
    const writes = [];
    const save = (saved) => new Promise((resolve, reject) => writes.push({ saved, resolve, reject }));
    const store = { ordered: true, load: () => text, save, record: { load: () => record, save: (made) => void (record = JSON.parse(JSON.stringify(made))) } };
    const saved = (more) => ({ v: 1, threadId: "t", messages: [], state: {}, interrupts: [], handled: [], unsent: [], ...more });
    const at = {};
    writeStore(store, at, JSON.stringify(saved({ queue: [{ runId: "q" }] })), () => {});
    const ended = new Promise((done) => writeStore(store, at, JSON.stringify(saved({ queue: [], runId: "q", running: true })), done));
    // The first one comes to be there, the second does not fit.
    text = writes[0].saved;
    writes[0].resolve();
    writes[1].reject(new Error("full"));
    await ended;
    const { queue, runId, running } = readStore(store, { first: { messages: [], state: {} } });
    assert.deepEqual({ queue, runId, running }, { queue: [], runId: "q", running: true });
  });

  const nothing = { v: 1, threadId: "t", messages: [], state: {}, interrupts: [], handled: [], unsent: [], queue: [], running: false };
  const first = { messages: [], state: {} };
  /** A store that takes the record, and the text unless it is full. */
  const filling = () => {
    const store = {
      save: (saved) => {
        if (store.full) throw new Error("full");
        store.now = saved;
      },
      load: () => store.now,
      record: {
        load: () => store.beside,
        save: (made) => {
          if (store.brief && made.messages.some(({ role }) => role === "assistant")) throw new Error("full");
          store.beside = JSON.parse(JSON.stringify(made));
        },
      },
    };
    return store;
  };

  it("follows on the text that was asked for last, in whatever order the answers come", async () => {
    for (const order of [[0, 1], [1, 0]]) {
      const store = Object.assign(filling(), { full: true });
      const at = { first };
      const answers = ["old", "new"].map((mark) => Object.assign(deferred(), { text: { ...nothing, mark, messages: [user(mark, mark)] } }));
      const reads = answers.map(({ promise }) => readStore({ ...store, load: () => promise, record: { load() {} } }, at));
      for (const nth of order) {
        answers[nth].resolve(answers[nth].text);
        await reads[nth];
      }
      writeStore(store, at, JSON.stringify({ ...nothing, messages: [user("new", "new"), user("u", "1")] }), () => {});
      assert.deepEqual([store.beside.of, store.beside.messages.map(({ id }) => id)], [["new"], ["u"]]);
    }
  });

  /** Makes the facts, for a store that has no room for all that has changed. */
  const factsOf = async () => (await load("persistence/facts")).factsOf;

  it("follows on the text that is there, whatever was read before that and comes later", async () => {
    const store = filling();
    const asked = deferred();
    const at = { first };
    const early = readStore({ ...store, load: async () => undefined, record: { load: () => asked.promise } }, at);
    writeStore(store, at, JSON.stringify({ ...nothing, queue: [{ runId: "q" }] }), () => {});
    asked.resolve(store.beside);
    await early;
    store.full = true;
    writeStore(store, at, JSON.stringify({ ...nothing, runId: "q", running: true }), () => {});
    const { queue, runId } = readStore(store, { first });
    assert.deepEqual([queue, runId], [[], "q"]);
  });

  it("of facts, and a run that has ended since the text: its answer was cut off", async () => {
    const store = Object.assign(filling(), { brief: true });
    const at = { first };
    const facts = await factsOf();
    let n = 0;
    const running = (saved) => {
      writeStore(
        store,
        at,
        JSON.stringify({ ...nothing, messages: [{ id: `a${n++}`, role: "assistant", content: "long" }], ...saved }),
        () => {},
        undefined,
        facts,
      );
      return readStore(store, { first }).running;
    };
    assert.equal(running({ runId: "r", running: true }), true);
    store.full = true;
    assert.equal(running({ runId: "r" }), true, "the end is not there");
    assert.equal(running({ runId: "s" }), true, "nor is anything of it");
    assert.equal(running({ runId: "s", interrupts: [{ id: "i" }] }), false, "what it asks is there");
    store.full = false;
    assert.equal(running({ runId: "s" }), false);
    store.full = true;
    assert.equal(running({ runId: "s", handled: ["c"] }), false, "the text has it");
  });

  it("of facts, of another run than the text: how far that one was read is not taken over", async () => {
    const facts = await factsOf();
    const parts = ({ messages, state, ...rest }) => [rest, messages.map((message) => JSON.stringify(message)), JSON.stringify(state)];
    const there = { parts: parts({ ...nothing, messages: [user("u", "1")], state: { n: 1 }, runId: "r", cursor: "7", usage: ["all"] }) };
    for (const [runId, cursor] of [["r", "7"], ["s", undefined]]) {
      const [rest, lines, state] = facts({ there }, parts({ ...nothing, runId, cursor: "9", state: { n: 2 } }));
      assert.deepEqual([rest.cursor, rest.usage, lines.length, JSON.parse(state)], [cursor, ["all"], 1, { n: 1 }], runId);
    }
  });

  it("of facts: a result whose call comes from the stream again waits for it", async () => {
    const facts = await factsOf();
    const parts = (...messages) => [{ ...nothing, handled: ["new"] }, messages.map((message) => JSON.stringify(message)), "{}"];
    const call = (id) => ({ id: `of ${id}`, role: "assistant", toolCalls: [{ id, type: "function", function: { name: "f", arguments: "" } }] });
    const result = (id) => ({ id: `result of ${id}`, role: "tool", toolCallId: id, content: "done" });
    const there = { parts: parts(call("old")) };
    const [rest, lines] = facts({ there }, parts(call("old"), result("old"), call("new"), result("new"), call("server's"), result("server's")));
    assert.deepEqual([lines.map((line) => JSON.parse(line).id), rest.untold.map(({ id }) => id)], [["of old", "result of old"], ["result of new"]]);
  });

  it("has the thread as it is, although the text is refused: answers and state, at every moment", async () => {
    const answer = (content) => ({ id: "a", role: "assistant", content });
    const saves = [
      { messages: [user("u", "1")], state: {}, runId: "r", running: true },
      { messages: [user("u", "1"), answer("tw")], state: { n: 1 }, runId: "r", running: true, lastEventId: "7" },
      { messages: [user("u", "1"), answer("two")], state: { n: 2 }, runId: "r" },
      { messages: [answer("two")], state: { n: 2 }, runId: "r" },
    ].map((saved) => ({ ...nothing, ...saved }));
    for (let fits = 0; fits <= saves.length; fits++) {
      const [store, at] = [filling(), {}];
      saves.forEach((saved, nth) => {
        store.full = nth >= fits;
        writeStore(store, at, JSON.stringify(saved), () => {});
        const { mark, of, from, ...found } = readStore(store, { first });
        assert.deepEqual(found, saved, `${nth} after ${fits}`);
      });
    }
  });

  it("of a text that was not the last one to be written has what differs from any of them", async () => {
    const saved = (...ids) => ({ ...nothing, messages: ids.map((id) => user(id, id)) });
    for (const texts of [[], [["a", "b", "c"]], [["a", "b", "c"], ["a"]], [["a", "b", "c"], ["a"], ["a", "x"]]]) {
      const at = { first };
      const writes = [];
      const store = Object.assign(filling(), { save: (saved) => new Promise((resolve) => writes.push({ saved, resolve })) });
      for (const ids of [...texts, ["a", "b", "d"]]) {
        writeStore(store, at, JSON.stringify(saved(...ids)), () => {});
        // The first one is there.
        writes[0].resolve();
        await new Promise(setImmediate);
      }
      for (const there of writes) {
        store.now = there.saved;
        const ids = readStore(store, { first }).messages.map(({ id }) => id);
        assert.deepEqual(ids, ["a", "b", "d"], `${texts.length}, ${writes.indexOf(there)}`);
      }
    }
  });
});

describe("a save of localStorage", { skip: typeof localStorageStore !== "function" }, () => {
  const first = { messages: [], state: {} };
  const saved = { v: 1, threadId: "t", messages: [user("u", "1")], state: {}, interrupts: [], handled: [], unsent: [], queue: [], running: false };
  const json = JSON.stringify(saved);
  beforeEach(() => {
    globalThis.localStorage = storage(5e6);
    globalThis.document ??= { addEventListener() {}, removeEventListener() {} };
  });
  afterEach(() => delete globalThis.localStorage);

  it("is the text as the core wrote it, with its mark: it is not written once more", async () => {
    const store = localStorageStore("k");
    writeStore(store, {}, json, () => {});
    const text = localStorage.getItem("k");
    assert.equal(text.slice(0, json.length - 1), json.slice(0, -1));
    assert.equal(JSON.parse(text).mark, JSON.parse(localStorage.getItem("k:record")).mark);
    assert.deepEqual(readStore(store, { first }), JSON.parse(json));
    // A text that was read with a mark gets the new one.
    writeStore(store, {}, text, () => {});
    assert.deepEqual(readStore(store, { first }), JSON.parse(json));
  });

  it("is not read but for what its record needs", async () => {
    const store = localStorageStore("k");
    const at = { first };
    const messages = [user('a"\\', "an old question"), { id: "b", role: "assistant", content: "an old answer" }];
    /** A save as the core writes it. */
    const lined = (list) => {
      const { messages: _, state, ...facts } = saved;
      const lines = list.map((message) => `\n${JSON.stringify(message)}\n`).join();
      return `${JSON.stringify(facts).slice(0, -1)},"messages":[${lines}],"state":${JSON.stringify(state)}}`;
    };
    const writer = createWriter(at, () => {});
    const write = (save) => writer.write({ store, save, ended: (failure) => assert.equal(failure, undefined), done() {} }, 0);
    write(lined(messages));
    const parse = mock.method(JSON, "parse");
    write(lined([...messages, user("c", "new")]));
    parse.mock.restore();
    const read = parse.mock.calls.map(({ arguments: [text] }) => text).join();
    assert.deepEqual([read.includes("an old"), read.includes("new")], [false, true]);
    const { messages: kept, queue } = JSON.parse(localStorage.getItem("k:record"));
    assert.deepEqual([kept.map(({ id }) => id), queue], [["c"], []]);
    assert.deepEqual(readStore(store, { first }).messages, [...messages, user("c", "new")]);
    writeStore(store, at, JSON.stringify({ ...saved, messages: [...messages, user("c", "new"), user("d", "newer")] }), () => {});
    assert.deepEqual(JSON.parse(localStorage.getItem("k:record")).messages.map(({ id }) => id), ["d"], "of the page");
  });

  it("goes through the function of an application that put its own into the store", async () => {
    const saves = [];
    writeStore({ ...localStorageStore("k"), save: (saved) => void saves.push(saved) }, {}, json, () => {});
    assert.deepEqual([saves.map(({ messages }) => messages.length), localStorage.getItem("k")], [[1], null]);
  });
});

describe("a thread that does not fit into localStorage", { skip: !real }, () => {
  let createAgent;
  before(async () => ({ createAgent } = await load("index")));
  beforeEach(() => void (globalThis.localStorage = storage(5e6)));
  afterEach(() => delete globalThis.localStorage);

  const started = ({ runId }) => ({ type: "RUN_STARTED", threadId: "t", runId });
  const finished = ({ runId }) => ({ type: "RUN_FINISHED", threadId: "t", runId });
  const large = { type: "STATE_SNAPSHOT", snapshot: { all: "x".repeat(6e6) } };
  const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" }];
  const resume = { by: "replay", url: () => "http://agent/join" };

  /** An agent of a page, whose server answers each request with what `answers` has for it; a body stays open unless it ends. */
  const open = (execute, answers, more = {}) => {
    const sent = [];
    const fetch = async (url, { body }) => {
      const given = body && JSON.parse(body);
      sent.push({ url, ...given });
      const events = answers.shift()(given ?? { runId: "r" });
      const stream = new ReadableStream({
        start: (controller) => {
          for (const event of events) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
          if (events.at(-1)?.type === "RUN_FINISHED") controller.close();
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    };
    const tools = [{ name: "f", description: "d", execute }];
    const agent = createAgent({
      url: "http://agent/",
      threadId: "t",
      notify: "sync",
      fetch,
      tools,
      persist: localStorageStore(`chat ${page}`),
      resume,
      ...more,
    });
    agents.push(agent);
    return { agent, sent };
  };
  let page = 0;
  /** The page is gone: nothing that its agent does from now on is kept, or known to the next one. */
  const leave = () => {
    const left = [...localStorage.kept];
    localStorage.kept.clear();
    for (const [key, text] of left) localStorage.setItem(key.replace(`chat ${page}`, `chat ${page + 1}`), text);
    page++;
  };
  const kept = (beside = "") => JSON.parse(localStorage.getItem(`chat ${page}${beside}`));

  for (const when of ["works", "has a result"]) {
    it(`a tool runs once, although the page is left while it ${when}`, async () => {
      const codes = [];
      const execute = mock.fn(() => (when === "works" ? new Promise(() => {}) : "done"));
      const whole = (run) => [started(run), large, ...call];
      const one = open(execute, [whole, whole], { onWarning: ({ code }) => codes.push(code) });
      void one.agent.submit({ message: "1", runId: "r" });
      await until(() => execute.mock.callCount());
      if (when === "has a result") await until(() => one.agent.getSnapshot().toolCalls[0]?.result === "done");
      assert.deepEqual(codes, ["not-saved"]);
      assert.equal(kept().running, true);
      leave();
      const two = open(execute, [(run) => [...whole(run), finished(run)], (run) => [started(run), finished(run)]]);
      two.agent.subscribe(() => {});
      await until(() => two.agent.getSnapshot().outcome === "success" && !two.agent.getSnapshot().isLoading);
      assert.equal(execute.mock.callCount(), 1);
      const [{ result, error }] = two.agent.getSnapshot().toolCalls;
      if (when === "works") assert.match(error, /left/);
      else assert.deepEqual([result, error], ["done", undefined]);
    });
  }

  it("what was said, and what waits, is there after a reload", async () => {
    const one = open(() => {}, [(run) => [started(run), large, finished(run)], (run) => [started(run)]]);
    await one.agent.submit({ message: "1", runId: "r" });
    void one.agent.submit({ message: "2", runId: "s" });
    await until(() => one.sent.length === 2);
    void one.agent.submit({ message: "3", runId: "q" });
    await until(() => kept(":record").queue.length);
    leave();
    const two = open(() => {}, [], { autoAttach: false });
    two.agent.subscribe(() => {});
    await until(() => two.agent.getSnapshot().queue.length);
    assert.deepEqual(texts(two.agent), ["1", "2"]);
    assert.deepEqual(two.agent.getSnapshot().queue.map(({ runId }) => runId), ["q"]);
  });
});

describe("saving.required", { skip: !real }, () => {
  let createAgent;
  before(async () => ({ createAgent } = await load("index")));
  const refuses = () => {
    throw new Error("blocked");
  };
  const say = (...events) =>
    new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), { headers: { "content-type": "text/event-stream" } });
  const start = (store, more) => {
    const sent = [];
    const fetch = async (_, { body }) => {
      const { runId } = JSON.parse(body);
      sent.push(runId);
      store.after?.();
      const calls = sent.length > 1 ? [] : [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" }];
      return say({ type: "RUN_STARTED", threadId: "t", runId }, ...calls, { type: "RUN_FINISHED", threadId: "t", runId });
    };
    const execute = mock.fn(() => "done");
    const tools = [{ name: "f", description: "d", execute }];
    const agent = createAgent({
      url: "http://agent/",
      threadId: "t",
      notify: "sync",
      fetch,
      tools,
      persist: store,
      saving: { required: true, waitMs: 50 },
      ...more,
    });
    agents.push(agent);
    return { agent, sent, execute };
  };

  for (const [how, save] of [["refuses", refuses], ["takes its time to refuse", async () => refuses()], ["gives no answer", () => new Promise(() => {})]]) {
    it(`sends nothing where the store ${how}`, async () => {
      const { agent, sent } = start(memory(undefined, { save }));
      const { outcome, error } = await agent.submit("1");
      assert.deepEqual([outcome, error.code, sent], ["error", "not-saved", []]);
      assert.deepEqual(texts(agent), ["1"]);
    });
  }

  it("sends what is in the record, and asks again what was refused", async () => {
    const store = memory(undefined, { save: refuses });
    const { agent, sent } = start(store);
    assert.equal((await agent.submit("1")).error.code, "not-saved");
    Object.assign(store, { record: { load: () => undefined, save() {} } });
    assert.equal((await agent.retry()).outcome, "success");
    assert.equal(sent.length, 2);
  });

  it("executes no call that the store knows nothing of", async () => {
    const store = memory();
    store.after = () => (store.save = refuses);
    const { agent, execute } = start(store, { maxFollowUps: 0 });
    await agent.submit("1");
    await until(() => agent.getSnapshot().toolCalls[0]?.phase === "output-error");
    assert.equal(execute.mock.callCount(), 0);
  });

  it("false, as by default, only warns", async () => {
    const codes = [];
    const { agent, sent } = start(memory(undefined, { save: refuses }), { saving: { waitMs: 50 }, onWarning: ({ code }) => codes.push(code) });
    assert.equal((await agent.submit("1")).outcome, "success");
    assert.deepEqual([sent.length, codes], [2, ["not-saved"]]);
  });
});

describe("a record", () => {
  /** A store whose text can be refused, with its record. */
  const both = (now, recorded) => {
    const store = memory(now, { full: false });
    const { save } = store;
    store.save = (saved) => {
      if (store.full) throw new Error("full");
      save(saved);
    };
    store.record = {
      now: recorded && JSON.parse(JSON.stringify(recorded)),
      load: () => store.record.now,
      save: (record) => void (store.record.now = JSON.parse(JSON.stringify(record))),
    };
    return store;
  };
  const saved = {
    v: 1,
    threadId: "t",
    messages: [user("a", "one")],
    state: {},
    interrupts: [],
    handled: ["old"],
    unsent: [],
    queue: [],
    runId: "r",
    running: false,
  };
  const record = { ...saved, messages: [user("b", "two")], untold: [], state: undefined, handled: ["old", "new"], queue: [queued("q")], from: 1, mark: "2" };
  const begun = async (store) => {
    const agent = create({ persist: store });
    agent.setState({ n: 1 });
    hide();
    await until(() => store.saves.length);
    return [agent, store.saves[0]];
  };

  it("that belongs to the text says what has happened since", async () => {
    const [agent, next] = await begun(both({ ...saved, mark: "1" }, { ...record, of: ["1"] }));
    assert.deepEqual(texts(agent), ["one", "two"]);
    assert.deepEqual([next.handled, waiting(next)], [["old", "new"], ["q"]]);
  });

  it("of an older text says nothing that the text does not know", async () => {
    const [agent, next] = await begun(both({ ...saved, mark: "2" }, { ...record, of: ["1"] }));
    assert.deepEqual([texts(agent), next.handled, next.queue], [["one"], ["old"], []]);
  });

  it("of another page's text has no more than the calls that were executed", async () => {
    const [agent, next] = await begun(both({ ...saved, mark: "other" }, { ...record, of: ["1"] }));
    assert.deepEqual([texts(agent), next.handled, next.queue], [["one"], ["old", "new"], []]);
  });

  it("without a text is void, unless there never was one", () => {
    const initial = { initialMessages: [{ id: "hi", role: "assistant", content: "hello" }], initialState: { n: 5 } };
    assert.deepEqual(texts(create({ persist: both(undefined, { ...record, of: ["1"] }), ...initial })), ["hello"]);
    const all = { ...record, of: [null], from: 0, messages: [...initial.initialMessages, ...record.messages] };
    const agent = create({ persist: both(undefined, all), ...initial });
    assert.deepEqual([texts(agent), agent.getSnapshot().state], [["hello", "two"], { n: 5 }]);
  });

  it("of a text without a mark belongs to that one alone", () => {
    const { length } = JSON.stringify(saved);
    assert.deepEqual(texts(create({ persist: both(saved, { ...record, of: [`${length}`] }) })), ["one", "two"]);
    const other = { ...saved, messages: [...saved.messages, user("c", "another device's")] };
    assert.deepEqual(texts(create({ persist: both(other, { ...record, of: [`${length}`] }) })), ["one", "another device's"]);
    assert.deepEqual(texts(create({ persist: both(other, { ...record, of: [null] }) })), ["one", "another device's"]);
  });

  it("that cannot be read at a time leaves the save unread", async () => {
    const no = () => {
      throw new Error("blocked");
    };
    for (const load of [no, async () => no()]) {
      const store = both({ ...saved, mark: "1" });
      store.record.load = load;
      const errors = [];
      const agent = create({ persist: store, onError: ({ code }) => errors.push(code) });
      await until(() => errors.length);
      assert.deepEqual([errors, texts(agent)], [["restore"], []]);
    }
  });

  it("that is damaged costs nothing else", async () => {
    for (const load of [() => JSON.parse("{"), () => 7, () => ({ mark: "2", of: ["1"] })]) {
      const store = both({ ...saved, mark: "1" });
      store.record.load = load;
      const agent = create({ persist: store });
      await until(() => texts(agent).length);
      assert.deepEqual(texts(agent), ["one"]);
    }
  });

  it("of another run does not take over how far the last one was read", async () => {
    const [, next] = await begun(both({ ...saved, cursor: "7", lastEventId: "7", mark: "1" }, { ...record, runId: "s", of: ["1"] }));
    assert.deepEqual([next.runId, next.cursor, next.lastEventId], ["s", undefined, undefined]);
  });
});
