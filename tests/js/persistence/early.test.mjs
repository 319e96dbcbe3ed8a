// The saves of the first agent of a page, while the code that works on them is on its way.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { folder, real } from "../lib.mjs";

/** Runs a script in a page of its own, in which nothing was loaded before, and returns what it prints. The page has a store, whose calls it counts, and a server. */
function page(script) {
  const before = `
    import { createAgent, createStore } from ${JSON.stringify(new URL("index.js", folder).href)};
    const user = (id) => ({ id, role: "user", content: id });
    const save = { v: 1, threadId: "t", messages: [user("a")], state: {}, interrupts: [], handled: [], unsent: [], queue: [], mark: "1" };
    const record = { ...save, mark: "2", of: ["1"], messages: [user("b")], untold: [], from: 1 };
    const calls = [];
    const told = (what, value) => (calls.push(what), value);
    const store = (later = (value) => value, now = save, beside = record, letters) => createStore({
      load: () => told("load", later(now)),
      save: (saved) => void (calls.push("save"), now = saved),
      clear: () => {},
      record: { load: () => later(beside), save: (made) => void (calls.push("record"), beside = made) },
      inbox: { load: () => letters, save: (made) => void (letters = made) },
    });
    const sent = [];
    const fetch = async (_, { body }) => {
      const { runId, messages } = JSON.parse(body);
      sent.push(messages.map(({ id }) => id));
      const events = ["RUN_STARTED", "RUN_FINISHED"].map((type) => "data: " + JSON.stringify({ type, threadId: "t", runId }) + "\\n\\n");
      return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
    };
    const make = (persist, more) => createAgent({ url: "http://agent/", threadId: "t", fetch, persist, ...more });
    const shown = (agent) => agent.getSnapshot().messages.map(({ id }) => id);
    const say = (...values) => console.log(JSON.stringify(values));
    const task = () => new Promise((done) => setTimeout(done));
  `;
  const { stdout, stderr } = spawnSync("node", ["--input-type=module", "--eval", before + script], { encoding: "utf8", timeout: 60_000 });
  assert.equal(stderr, "");
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

describe("the saves of the first agent", { skip: !real }, () => {
  it("are shown at once, with what their record says", () => {
    assert.deepEqual(page(`const agent = make(store()); say(shown(agent), calls);`), [[["a", "b"], ["load"]]]);
  });

  it("are shown once a store that takes its time has answered, and are asked for once", () => {
    const [later] = page(`
      const agent = make(store(async (value) => value));
      const seen = [];
      agent.subscribe(() => seen.push(shown(agent).join()));
      await agent.submit({ message: { id: "c", content: "c" } });
      say([...new Set(seen)].filter((each) => !each.startsWith("a,b")), sent, calls.filter((call) => call === "load").length);
    `);
    assert.deepEqual(later, [["c"], [["a", "b", "c"]], 1]);
  });

  it("lose a submit that was taken out before any code has come", () => {
    const queued = (runId) => ({
      start: "submit",
      runId,
      messages: [{ id: runId, role: "user", content: runId }],
      tools: [],
      context: [],
      forwardedProps: {},
      pageTools: [],
    });
    const [[done, sent, left]] = page(`
      const queue = ${JSON.stringify(["q", "r"].map(queued))};
      let now = { ...save, queue };
      const persist = createStore({ load: () => now, save: (saved) => void (now = saved), clear: () => {} });
      const agent = make(persist);
      const done = [agent.cancelQueued("q"), agent.editQueued("r", "edited")];
      await agent.submit({ message: { id: "z", content: "z" } });
      agent.dispose();
      say(done, sent, now.messages.map(({ id, content }) => id + " " + content));
    `);
    assert.deepEqual(done, [true, true]);
    assert.deepEqual(sent.map((ids) => ids.at(-1)), ["r", "z"]);
    assert.deepEqual(left, ["a a", "r edited", "z z"]);
  });

  it("have what was said, and done, before the code has come", () => {
    const [said] = page(`
      const agent = make(store());
      agent.setMessages((messages) => [...messages, user("e")]);
      const run = agent.submit({ message: { id: "c", content: "c" } });
      const before = [shown(agent), agent.getSnapshot().isLoading, calls.length];
      await run;
      await task();
      say(before, sent, shown(agent), agent.save().messages.length);
    `);
    assert.deepEqual(said, [[["a", "b", "e", "c"], true, 1], [["a", "b", "e", "c"]], ["a", "b", "e", "c"], 4]);
  });

  it("that are of no use are reported once, and the agent begins without them", () => {
    const [refused] = page(`
      const errors = [];
      const agent = make(store(undefined, { ...save, v: 2 }), { onError: ({ code }) => errors.push(code) });
      const { outcome } = await agent.submit({ message: { id: "c", content: "c" } });
      say(errors, outcome, sent);
    `);
    assert.deepEqual(refused, [["restore"], "success", [["c"]]]);
  });

  it("give way to a save of the application's own", () => {
    const [given] = page(`
      const agent = make(store(), { restore: { ...save, messages: [user("own")] } });
      await agent.submit({ message: { id: "c", content: "c" } });
      say(sent);
    `);
    assert.deepEqual(given, [[["own", "c"]]]);
  });

  it("have what was changed by an agent that is disposed of before the code has come", () => {
    const [left] = page(`
      Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
      let kept;
      const persist = createStore({ load: () => save, save: (saved) => void (kept = saved), clear: () => {} });
      const agent = make(persist);
      agent.setMessages((messages) => [...messages, user("e")]);
      agent.dispose();
      for (let tasks = 0; !kept && tasks < 1000; tasks++) await task();
      say(kept?.messages.map(({ id }) => id));
    `);
    assert.deepEqual(left, [["a", "e"]]);
  });

  /** A page whose code of saves never comes. */
  const waits = `
    const { register } = await import("node:module");
    const never = (path, result = "new Promise(() => {})") => register("data:text/javascript," + encodeURIComponent(
      "export const load = (url, context, next) => (url.endsWith('" + path + "') ? " + result + " : next(url, context));"
    ));
    never("persistence/saves.js");
    let [text, beside, letters] = [save, null];
    globalThis.document = { addEventListener() {}, removeEventListener() {} };
    const persist = createStore({
      key: "k",
      load: () => text,
      save: (saved) => void (text = saved),
      clear: () => {},
      record: { load: () => beside, save: (made) => void (beside = made) },
      inbox: { load: () => letters, save: (made) => void (letters = made) },
    });
    /** Says all that is left for the next page. */
    const next = () => say(text, beside, letters);
  `;

  /** The store of the next page, with what the first one has left. */
  const storeOf = (left) => `store(undefined, ${left.map((each) => JSON.stringify(each)).join()})`;

  /** The thread that the next page has of what the first one has left, and what it sends. */
  const after = (left) => {
    const [found] = page(`
      const agent = make(${storeOf(left)});
      const before = shown(agent);
      await agent.submit({ message: { id: "z", content: "z" } });
      say(before, sent);
    `);
    return found;
  };

  it("have what was submitted before the code has come, or where it never comes", () => {
    for (const used of ["", "agent.subscribe(() => {}); await task();"]) {
      const [left] = page(`${waits}
        const agent = make(persist);
        ${used}
        void agent.submit({ message: { id: "c", content: "c" } });
        await task();
        next();
      `);
      assert.deepEqual(after(left), [["a"], [["a", "c"], ["a", "c", "z"]]]);
    }
  });

  it("have what was submitted while the thread at the server was asked for", () => {
    const [left] = page(`${waits}
      const agent = make(persist, { thread: { load: () => new Promise(() => {}), send: "new" } });
      agent.subscribe(() => {});
      await task();
      void agent.submit({ message: { id: "c", content: "c" } });
      const queue = () => Object.values(letters ?? {})[0]?.[1] ?? [];
      for (const end = Date.now() + 10_000; !queue().length && Date.now() < end;) await task();
      say(queue().map(({ messages }) => messages[0].id));
    `);
    assert.deepEqual(left, [["c"]]);
  });

  it("have it where the code is refused, as Firefox does where a page is left that loads it", () => {
    const [left] = page(`${waits.replace('saves.js"', 'saves.js", "Promise.reject(new Error())"')}
      const { outcome } = await make(persist).submit({ message: { id: "c", content: "c" } });
      await task();
      say(outcome, Object.values(letters).map(([, queue]) => queue[0].messages[0].id));
    `);
    assert.deepEqual(left, ["error", ["c"]]);
  });

  it("lose a submit that was taken out, although no code comes", () => {
    const [left, ...rest] = page(`${waits}
      never("agent/live.js");
      const waiting = (id) => ({ start: "submit", runId: id, messages: [user(id)], tools: [], context: [], forwardedProps: {}, pageTools: [] });
      text = { ...save, queue: ["q", "r"].map(waiting) };
      const agent = make(persist);
      const rows = () => agent.getSnapshot().queue.map(({ id }) => id);
      const done = [rows(), agent.cancelQueued("q"), rows()];
      await task();
      next();
      say(done);
    `);
    assert.deepEqual(rest, [[[["q", "r"], true, ["r"]]]]);
    assert.deepEqual(after(left), [["a"], [["a", "r"], ["a", "r", "z"]]]);
  });

  it("have a submit that waits as it was changed, although no code comes", () => {
    const [left, ...rest] = page(`${waits}
      never("agent/live.js");
      const waiting = (id) => ({ start: "submit", runId: id, messages: [user(id)], tools: [], context: [], forwardedProps: {}, pageTools: [] });
      text = { ...save, queue: ["q", "r"].map(waiting) };
      const agent = make(persist);
      const rows = () => agent.getSnapshot().queue.map(({ messages }) => messages.map(({ id, content }) => id + " " + content).join());
      const done = [rows(), agent.editQueued("r", "edited"), rows()];
      await task();
      next();
      say(done);
    `);
    assert.deepEqual(rest, [[[["q q", "r r"], true, ["q q", "r edited"]]]]);
    const [found] = page(`
      const bodies = [];
      const sends = (_, init) => (bodies.push(JSON.parse(init.body)), fetch(_, init));
      const agent = make(${storeOf(left)}, { fetch: sends });
      await agent.submit("z");
      say(bodies.map(({ messages }) => messages.at(-1).content));
    `);
    assert.deepEqual(found, [["q", "edited", "z"]]);
  });

  const call = (id, name) => ({ id, type: "function", function: { name, arguments: "{}" } });
  const asked = { id: "m", role: "assistant", toolCalls: [call("k", "fill")] };
  const run = { start: "submit", runId: "1", messages: [], tools: [], context: [], forwardedProps: {}, pageTools: [{ name: "fill", manual: true }] };
  const turn = { run, followUps: 0, calls: [{ id: "k", stage: "manual", followUp: true }] };

  /** The text of its argument is the result of a call that a person approves. */
  const tools = `const named = (name) => ({ name, description: "", parameters: {} });
    const tools = [named("fill"), { ...named("add"), needsApproval: true, execute: (args) => args }];`;
  const asks = [{ name: "add", needsApproval: true }, { name: "fill", manual: true }];
  const approving = { ...turn, run: { ...run, pageTools: asks }, calls: [{ id: "k", stage: "waiting", followUp: true }] };

  for (const [what, saved, decide, next, ...codes] of [
    [
      "an approval",
      { runId: "1", messages: [{ ...asked, toolCalls: [call("k", "add")] }], turn: approving },
      `agent.approve("k", { text: "typed" })`,
      ({ messages }) => JSON.parse(messages.at(-1).content).text,
      "agent/live.js",
    ],
    [
      "a result",
      { runId: "1", messages: [asked], turn },
      `agent.addToolResult({ toolCallId: "k", result: "typed" })`,
      ({ messages }) => messages.at(-1).content,
      "agent/live.js",
    ],
    ["a reply", { interrupts: [{ id: "i" }] }, `void agent.resume({ id: "i", payload: "typed" })`, ({ resume }) => resume[0].payload],
  ]) {
    it(`have ${what} that was given before the core has come, or where it never comes`, () => {
      for (const code of [...codes, "core/core-inline.js", "persistence/saves.js"]) {
        const [left] = page(`${waits.replace("persistence/saves.js", code)}
          ${tools}
          text = { ...save, ...${JSON.stringify(saved)}, messages: [...save.messages, ...${JSON.stringify(saved.messages ?? [])}] };
          const agent = make(persist, { tools });
          agent.subscribe(() => {});
          ${decide};
          for (const end = Date.now() + 10_000; !letters && !text.acts && Date.now() < end;) await task();
          next();
        `);
        const [found] = page(`
          ${tools}
          const bodies = [];
          const persist = ${storeOf(left)};
          const sends = (_, init) => (bodies.push(JSON.parse(init.body)), fetch(_, init));
          const agent = make(persist, { fetch: sends, tools });
          agent.subscribe(() => {});
          for (const end = Date.now() + 10_000; !bodies.length && Date.now() < end;) await task();
          await task();
          const again = make(persist, { fetch: sends, tools });
          say(bodies, agent.getSnapshot().error ?? null, (await persist.load()).acts ?? null);
        `);
        const [bodies, error] = found;
        assert.deepEqual([bodies.length, error], [1, null], code);
        assert.equal(next(bodies[0]), "typed", code);
      }
    });
  }

  it("of an application without a store have what was decided before the core has come", () => {
    const [found] = page(`${waits}
      ${tools}
      never("agent/live.js");
      const restore = { ...save, ...${JSON.stringify({ runId: "1", messages: [asked], turn })} };
      const agent = make(undefined, { restore, tools });
      agent.addToolResult({ toolCallId: "k", result: "typed" });
      agent.deny("other");
      say(agent.save());
    `);
    assert.deepEqual(found[0].acts.map(([method, json]) => [method, JSON.parse(json).toolCallId]), [["settleCall", "k"], ["deny", "other"]]);
    const [bodies] = page(`
      ${tools}
      const bodies = [];
      const sends = (_, init) => (bodies.push(JSON.parse(init.body)), fetch(_, init));
      globalThis.document = { addEventListener() {}, removeEventListener() {} };
      const agent = make(undefined, { restore: ${JSON.stringify(found[0])}, tools, fetch: sends });
      agent.subscribe(() => {});
      for (const end = Date.now() + 10_000; !bodies.length && Date.now() < end;) await task();
      say(bodies.map(({ messages }) => messages.at(-1).content));
    `);
    assert.deepEqual(bodies, [["typed"]]);
  });

  it("have an approval whose arguments the tool of the next page may refuse", () => {
    const given = ["approve", JSON.stringify({ toolCallId: "k", args: { text: "typed" }, seen: { name: "add", argsText: "{}" } })];
    const saved = { runId: "1", messages: [{ ...asked, toolCalls: [call("k", "add")] }], turn: approving, acts: [given] };
    const [found] = page(`
      const parameters = { "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "no" }] }) } };
      const executed = [];
      const tools = [{ name: "add", description: "", parameters, jsonSchema: {}, needsApproval: true, execute: (args) => void executed.push(args) }];
      globalThis.document = { addEventListener() {}, removeEventListener() {} };
      const agent = make(undefined, { restore: { ...save, ...${JSON.stringify(saved)} }, tools });
      agent.subscribe(() => {});
      const { code } = await new Promise((warned) => agent.on("warning", warned));
      say(code, agent.getSnapshot().toolCalls[0].phase, executed, sent);
    `);
    assert.deepEqual(found, ["approval-invalid", "awaiting-approval", [], []]);
  });

  it("keep what is in them until then", () => {
    const [kept] = page(`${waits}
      text = { ...save, handled: ["h"], queue: [{ start: "submit", runId: "q", messages: [user("q")] }] };
      const agent = make(persist);
      void agent.submit({ message: { id: "c", content: "c" } });
      await task();
      say(agent.save().handled, agent.save().queue.map(({ messages }) => messages[0].id), text.queue.length);
    `);
    assert.deepEqual(kept, [["h"], ["q", "c"], 1]);
  });

  it("are those of the thread as it was reset", () => {
    const [reset] = page(`
      const agent = make(store());
      agent.reset();
      const before = shown(agent);
      await agent.submit({ message: { id: "c", content: "c" } });
      say(before, sent, shown(agent));
    `);
    assert.deepEqual(reset, [[], [["c"]], ["c"]]);
  });
});
