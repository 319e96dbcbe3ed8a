// Saves of a thread that has changed little: its record alone, with all that has changed since the text. Whatever moment a page is left at,
// the next one has what was said and answered, and does nothing twice.

import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { load, real, until } from "../lib.mjs";
import { agents, hide, memory, texts, user } from "./over-stores.mjs";

const { readStore } = await load("persistence/record");
const started = ({ runId }) => ({ type: "RUN_STARTED", threadId: "t", runId });
const finished = ({ runId }) => ({ type: "RUN_FINISHED", threadId: "t", runId });
const text = ({ runId }) => [
  { type: "TEXT_MESSAGE_START", messageId: `answer ${runId}`, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: `answer ${runId}`, delta: `Heard ${runId}` },
  { type: "TEXT_MESSAGE_END", messageId: `answer ${runId}` },
];
const call = [{ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" }, { type: "TOOL_CALL_END", toolCallId: "c" }];

describe("a thread that has changed little", { skip: !real }, () => {
  /** A store that has a place for records, and refuses what it is told to. */
  const stored = (now, beside) => {
    const store = memory(now, {
      save: (saved) => {
        if (store.full) throw new Error("full");
        store.saves.push(store.now = saved);
      },
      record: {
        load: () => store.beside,
        save: (record) => {
          if (store.blocked || record.messages.some(({ id }) => store.brief?.includes(id))) throw new Error("blocked");
          store.records.push(store.beside = JSON.parse(JSON.stringify(record)));
        },
      },
    });
    return Object.assign(store, { beside, records: [] });
  };
  /** The save that the next page finds. */
  const found = (store) =>
    readStore({ load: () => structuredClone(store.now), record: { load: () => structuredClone(store.beside) } }, { first: { messages: [], state: {} } });
  /** An agent of a page, whose server answers as this says, and does not end what it has not said the end of. */
  const open = async (store, answer = (run) => [started(run), ...text(run), finished(run)], more = {}) => {
    const { createAgent } = await load("index");
    const sent = [];
    const fetch = async (_, { body }) => {
      const run = JSON.parse(body);
      sent.push(run);
      const events = answer(run, sent.length);
      const start = (made) => {
        for (const event of events) made.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        if (events.at(-1)?.type === "RUN_FINISHED") made.close();
      };
      return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
    };
    const agent = createAgent({ url: "http://agent/", threadId: "t", notify: "sync", fetch, persist: store, saving: { everyMs: 1e6 }, ...more });
    agents.push(agent);
    return { agent, sent };
  };
  const say = (runId) => ({ message: { id: runId, role: "user", content: `say ${runId}` }, runId });
  /** The next page, over what the store has now. */
  const reload = async (store, answer, more) => {
    const next = await open(stored(structuredClone(store.now), structuredClone(store.beside)), answer, more);
    next.agent.subscribe(() => {});
    await until(() => next.agent.getSnapshot().messages.length);
    return next;
  };

  it("is written as a record, which has all of it: the text stays", async () => {
    const store = stored();
    const { agent } = await open(store);
    await agent.submit(say("1"));
    const before = store.saves.length;
    for (const run of ["2", "3", "4"]) assert.equal((await agent.submit(say(run))).outcome, "success");
    assert.equal(store.saves.length, before);
    assert.ok(store.records.length > 5);
    assert.deepEqual(found(store), agent.save());
  });

  it("is written whole within everyMs, when the page is hidden, and with the end of its agent", async () => {
    for (const when of ["soon", "hidden", "gone"]) {
      const store = stored();
      const { agent } = await open(store, undefined, { saving: { everyMs: when === "soon" ? 10 : 1e6 } });
      await agent.submit(say("1"));
      await agent.submit(say("2"));
      const before = store.saves.length;
      if (when === "hidden") hide();
      if (when === "gone") agent.dispose();
      await until(() => store.saves.length > before);
      assert.deepEqual(store.now.messages.map(({ id }) => id), ["1", "answer 1", "2", "answer 2"]);
      const { mark, ...now } = store.now;
      assert.equal(store.beside.mark, mark);
      assert.deepEqual(now, agent.save());
    }
  });

  it("is there at every moment that the page is left at, and no run is sent again", async () => {
    const store = stored();
    const moments = [];
    const said = [];
    const { save } = store.record;
    store.record.save = (record) => {
      save(record);
      moments.push({ now: structuredClone(store.now), beside: structuredClone(store.beside), said: [...said] });
    };
    const { agent, sent } = await open(store);
    for (const run of ["1", "2", "3"]) {
      agent.setState({ before: run });
      agent.setMessages((messages) => [...messages, user(`note ${run}`, "noted")]);
      said.push(`note ${run}`, run);
      await agent.submit(say(run));
      said.push(`answer ${run}`);
    }
    assert.equal(sent.length, 3);
    for (const moment of moments.filter(({ now }) => now)) {
      const saved = found(moment);
      const ids = [...saved.messages, ...saved.queue.flatMap(({ messages }) => messages)].map(({ id }) => id);
      assert.deepEqual(moment.said.filter((id) => !ids.includes(id)), []);
      assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), []);
      // Between two writes there are the facts alone.
      if (moment.beside.from === undefined) continue;
      const notes = moment.said.filter((id) => id.startsWith("note"));
      assert.deepEqual(saved.state, { before: notes.at(-1).slice(5) });
    }
  });

  it("has a question whose run was cut, and is asked for again by the person alone", async () => {
    const store = stored();
    const { agent } = await open(store, (run, count) => (count < 2 ? [started(run), ...text(run), finished(run)] : [started(run)]));
    await agent.submit(say("1"));
    const before = store.saves.length;
    void agent.submit(say("2"));
    await until(() => agent.getSnapshot().runId === "2" && agent.getSnapshot().connection.phase === "open");
    assert.equal(store.saves.length, before);
    const two = await reload(store);
    assert.deepEqual(two.agent.getSnapshot().messages.map(({ id }) => id), ["1", "answer 1", "2"]);
    await two.agent.retry();
    assert.deepEqual(two.sent.map(({ messages }) => messages.map(({ id }) => id)), [["1", "answer 1", "2"]]);
  });

  it("keeps a call that was executed as one", async () => {
    const store = stored();
    const tools = [{ name: "f", description: "d", execute: mock.fn(() => new Promise(() => {})) }];
    const { agent } = await open(store, (run, count) => (count < 2 ? [started(run), ...text(run), finished(run)] : [started(run), ...call]), { tools });
    await agent.submit(say("1"));
    const before = store.saves.length;
    void agent.submit(say("2"));
    await until(() => tools[0].execute.mock.callCount());
    assert.equal(store.saves.length, before);
    assert.deepEqual(found(store).handled, ["c"]);
    const two = await reload(store, (run) => [started(run), ...call, finished(run)], { tools });
    await two.agent.retry();
    assert.equal(tools[0].execute.mock.callCount(), 1);
  });

  it("is written whole where the application has asked for a save of its own, or the record is refused", async () => {
    for (const what of ["asks", "refuses"]) {
      const store = stored();
      const { agent } = await open(store);
      await agent.submit(say("1"));
      if (what === "asks") agent.save();
      store.blocked = what === "refuses";
      await agent.submit(say("2"));
      assert.ok(store.saves.length > 1, what);
      assert.deepEqual(found(store), agent.save());
    }
  });

  it("follows on no text that the store has refused", async () => {
    const store = stored();
    const { agent } = await open(store);
    await agent.submit(say("1"));
    store.full = true;
    hide();
    await agent.submit(say("2"));
    const saved = found(store);
    assert.deepEqual(saved.messages.map(({ id }) => id).filter((id) => /^\d/.test(id)), ["1", "2"]);
    assert.equal(new Set(saved.messages.map(({ id }) => id)).size, saved.messages.length);
    store.full = false;
    await agent.submit(say("3"));
    assert.deepEqual(found(store), agent.save());
  });

  it("has its answers over several pages, although the text no longer fits", async () => {
    const store = stored();
    const { agent } = await open(store);
    await agent.submit(say("1"));
    await agent.submit(say("2"));
    const one = stored(structuredClone(store.now), structuredClone(store.beside));
    assert.ok(!one.now.messages.some(({ id }) => id === "answer 2"));
    for (let from = one, page = 0; page < 2; page++) {
      const next = stored(structuredClone(from.now), structuredClone(from.beside));
      next.full = true;
      const { agent } = await open(next);
      agent.subscribe(() => {});
      await until(() => texts(agent).length);
      agent.setMessages((messages) => [...messages, user(`note ${page}`, "noted")]);
      hide();
      await until(() => next.records.length);
      const ids = found(next).messages.map(({ id }) => id);
      assert.ok(ids.includes("answer 2") && ids.includes(`note ${page}`), ids.join());
      from = next;
    }
  });

  it("keeps the answers of before where it is refused, and the text too", async () => {
    const store = stored();
    const { agent } = await open(store);
    await agent.submit(say("1"));
    await agent.submit(say("2"));
    Object.assign(store, { full: true, brief: ["answer 3"] });
    const known = ["1", "answer 1", "2", "answer 2", "3"];
    await agent.submit(say("3"));
    assert.deepEqual([found(store).messages.map(({ id }) => id), found(store).running], [known, true]);
    const next = Object.assign(stored(structuredClone(store.now), structuredClone(store.beside)), { full: true, brief: ["answer 4"] });
    const two = await open(next);
    two.agent.subscribe(() => {});
    await until(() => texts(two.agent).length);
    two.agent.setMessages((messages) => [...messages, { id: "answer 4", role: "assistant", content: "long" }, user("4", "short")]);
    hide();
    await until(() => next.records.length);
    assert.deepEqual(found(next).messages.map(({ id }) => id), [...known, "4"]);
  });

  it("leaves room for the facts that promises depend on, where what stood there does not fit any longer", async () => {
    const store = stored();
    const tools = [{ name: "f", description: "d", execute: () => new Promise(() => {}) }];
    const { agent } = await open(store, (run) => [started(run), ...(run.runId === "3" ? call : text(run)), finished(run)], { tools });
    await agent.submit(say("1"));
    await agent.submit(say("2"));
    Object.assign(store, { full: true, brief: ["answer 2"] });
    void agent.submit(say("3"));
    await until(() => found(store).handled.length);
    const { messages, handled } = found(store);
    assert.deepEqual([messages.map(({ id }) => id), handled], [["1", "2", "3"], ["c"]]);
  });

  it("stands beside a text that is begun before it is known to be there", async () => {
    const store = Object.assign(stored(), { ordered: true });
    const { agent } = await open(store);
    await agent.submit(say("1"));
    const { save } = store.record;
    // It is there, and the page never learns of it.
    store.record.save = (record) => (save(record), record.from === undefined ? undefined : new Promise(() => {}));
    await agent.submit(say("2"));
    assert.equal(store.beside.from !== undefined && store.beside.messages.at(-1).id, "answer 2");
    store.full = true;
    hide();
    const ids = found(store).messages.map(({ id }) => id);
    assert.deepEqual(ids, ["1", "answer 1", "2", "answer 2"]);
  });

  it("is written whole into a store that has no place for records", async () => {
    const store = memory();
    const { agent } = await open(store);
    await agent.submit(say("1"));
    await agent.submit(say("2"));
    assert.deepEqual(store.now, agent.save());
    assert.deepEqual(texts(agent).length, 4);
  });
});
