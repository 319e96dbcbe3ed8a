// The model of the inspector: what becomes a row, what is kept, what an event has changed, what is exported and redacted.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";

const { createAgent } = await load("index");
const { scriptedAgent, text, toolCall } = await load("testing");
const { Log } = await load("inspector/model/log");
const { createFilter } = await load("inspector/model/filter");
const { classify, kinds, summary } = await load("inspector/model/entry");
const { diff } = await load("inspector/model/diff");
const { preview } = await load("inspector/model/text");
const { exchanges } = await load("inspector/model/requests");
const { watch } = await load("inspector/model/watch");
const { readLog, writeLog } = await load("inspector/model/file");
const { redactRecording } = await load("inspector/model/redact");
const { createJsonMask, maskJson, maskText } = await load("inspector/model/mask");
const { ruleOf } = await load("inspector/model/rules");
const skip = !real && "the core is a stand-in";

const delta = (messageId, delta) => ({ event: { type: "TEXT_MESSAGE_CONTENT", messageId, delta } });
const rowsOf = (log) => log.entries.map((entry) => [entry.type, summary(entry), entry.items.length]);

/** An agent that is watched from its start. */
function watched(options) {
  const server = scriptedAgent();
  const agent = createAgent({ url: "/agent", fetch: server.fetch, notify: "sync", threadId: "t", ...options });
  const log = new Log();
  let clock = 1000;
  const stop = watch(agent, log, () => clock++);
  return { server, agent, log, stop };
}

/** A run to its end. */
async function run({ server, agent }, ...steps) {
  server.reply(...steps);
  const ended = agent.submit("hi");
  await server.request();
  await server.tick(10_000);
  return ended;
}

describe("the rows of the inspector", () => {
  it("join deltas of one message, also where messages stream side by side, until something else comes", () => {
    const log = new Log();
    const end = { event: { type: "TEXT_MESSAGE_END", messageId: "b" } };
    const items = [delta("a", "Hel"), delta("b", "x"), delta("a", "lo"), end, delta("a", "!")];
    for (const [i, item] of items.entries()) log.add(item, i);
    assert.deepEqual(rowsOf(log), [
      ["TEXT_MESSAGE_CONTENT", "Hello", 2],
      ["TEXT_MESSAGE_CONTENT", "x", 1],
      ["TEXT_MESSAGE_END", "b", 1],
      ["TEXT_MESSAGE_CONTENT", "!", 1],
    ]);
    assert.equal(log.entries[0].length, 5);
    const chunk = (delta, ids = {}) => ({ event: { type: "TEXT_MESSAGE_CHUNK", delta, ...ids } });
    const chunks = new Log();
    for (const item of [chunk("He", { messageId: "c" }), chunk("y"), chunk("!")]) chunks.add(item, 1);
    assert.deepEqual(rowsOf(chunks), [["TEXT_MESSAGE_CHUNK", "Hey!", 3]]);
    const events = writeLog(log.entries).split("\n").filter((line) => line.startsWith('{"type"'));
    assert.deepEqual(events.map((line) => JSON.parse(line)), items.map(({ event }) => event), "they are exported as they came");
  });

  it("are bounded by events and by characters, and the newest stay", () => {
    const log = new Log({ maxEvents: 100 });
    for (let i = 0; i < 1000; i++) log.add({ event: { type: "CUSTOM", name: String(i), value: 0 } }, i);
    assert.ok(log.events <= 100 && log.events >= 80, String(log.events));
    assert.equal(log.entries.length + log.dropped, 1000);
    assert.match(summary(log.entries.at(-1)), /^999/);

    const heavy = new Log({ maxCharacters: 10_000 });
    for (let i = 0; i < 100; i++) heavy.add({ event: { type: "CUSTOM", name: "n", value: "x".repeat(1000) } }, i);
    assert.ok(heavy.entries.length < 10, String(heavy.entries.length));
  });

  it("survive whatever a server sends", () => {
    const log = new Log();
    let deep = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    const long = "😀".repeat(1_000_000);
    const hostile = [
      { type: "CUSTOM", name: long, value: deep },
      { type: "STATE_DELTA", delta: [null, { op: 1, path: {} }] },
      { type: "STATE_DELTA", delta: long },
      { type: "TEXT_MESSAGE_CONTENT", messageId: {}, delta: 7 },
      { type: "MESSAGES_SNAPSHOT", messages: null },
      { type: long },
      { type: "__proto__", __proto__: { type: "x" } },
      { type: "RUN_FINISHED", outcome: { type: deep } },
    ];
    for (const event of hostile) log.add({ event }, 1);
    for (const entry of log.entries) {
      assert.ok(summary(entry).length < 500);
      assert.ok(kinds.includes(classify(entry.items[0]).kind));
    }
    const filter = createFilter(log);
    filter.set({ hidden: new Set(), search: "no such thing" });
    filter.step(Infinity);
    assert.equal(filter.rows.length, 0);
  });

  it("are filtered by kind and by text, step by step, and stay filtered as more come", () => {
    const log = new Log();
    for (let i = 0; i < 100; i++) log.add({ event: { type: i % 2 ? "CUSTOM" : "STEP_STARTED", name: `n${i}`, stepName: `s${i}` } }, i);
    const filter = createFilter(log);
    filter.set({ hidden: new Set(["run"]), search: "" });
    filter.step(30);
    assert.equal(filter.rows.length, 15);
    assert.equal(filter.searching, true);
    filter.step(1000);
    assert.equal(filter.rows.length, 50);
    filter.set({ hidden: new Set(), search: "N7" });
    filter.step(1000);
    assert.deepEqual(filter.rows.map(({ id }) => id - 1), [7, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79], "by any member");
  });

  it("are found by text that comes in pieces", () => {
    const log = new Log();
    const filter = createFilter(log);
    filter.set({ hidden: new Set(), search: "hello" });
    log.add(delta("a", "Hel"), 1);
    filter.step(10);
    assert.equal(filter.rows.length, 0);
    log.add(delta("b", "say hello"), 2);
    filter.step(10);
    log.add(delta("a", "lo"), 3);
    assert.deepEqual(filter.rows.map(summary), ["Hello", "say hello"]);
  });
});

describe("what has changed", () => {
  it("is what differs, at its place", () => {
    const shared = { big: [1, 2, 3] };
    const { differences } = diff({ a: 1, shared, list: [1, 2, 3], gone: true }, { a: 2, shared, list: [1, 9, 2, 3], "n/e~w": null });
    assert.deepEqual(differences, [
      { path: "/a", before: "1", after: "2" },
      { path: "/list/1", after: "9" },
      { path: "/gone", before: "true" },
      { path: "/n~1e~0w", after: "null" },
    ]);
  });

  it("is bounded, however wide or deep", () => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
    assert.deepEqual([diff({}, wide).differences.length, diff({}, wide).more], [100, true]);
    let [a, b] = [1, 2];
    for (let i = 0; i < 100_000; i++) [a, b] = [{ a }, { a: b }];
    assert.equal(diff(a, b).differences.length, 1);
    assert.ok(preview(a).length < 600 && preview("x".repeat(10 ** 7)).length < 600);
  });

  for (const notify of ["sync", { throttleMs: 10_000 }])
    it(`belongs to the event that made it, also where one notification shows several: ${JSON.stringify(notify)}`, { skip }, async () => {
      const all = watched({ notify });
      await run(
        all,
        { type: "STATE_SNAPSHOT", snapshot: { n: 1, list: [] } },
        { type: "STATE_DELTA", delta: [{ op: "replace", path: "/n", value: 2 }] },
        { type: "STATE_DELTA", delta: [{ op: "add", path: "/list/-", value: "x" }] },
        text("Hel", "lo"),
        toolCall("weather", {}, "c"),
        { type: "TOOL_CALL_RESULT", messageId: "res", toolCallId: "c", content: "sun" },
      );
      const changes = (type) => all.log.entries.filter((entry) => entry.type === type).map(({ changes }) => changes);
      assert.deepEqual(changes("STATE_DELTA").map(({ state }) => state), [[{ path: "/n", before: "1", after: "2" }], [{ path: "/list/0", after: '"x"' }]]);
      const [content] = changes("TEXT_MESSAGE_CONTENT");
      assert.equal(content.messages[0].role, "assistant");
      assert.equal(content.messages[0].after.length, 5);
      const roles = (type) => changes(type).flatMap(({ messages = [] }) => messages.map(({ role }) => role));
      assert.deepEqual([roles("TOOL_CALL_START"), roles("TOOL_CALL_RESULT"), changes("RUN_FINISHED")], [["assistant"], ["tool"], [undefined]]);
      const own = all.log.entries.find(({ type, changes }) => type === "page" && changes?.messages);
      assert.equal(own.changes.messages[0].role, "user");
    });
});

describe("an agent that is watched", () => {
  it("shows requests with status, timing and how they end", { skip }, async () => {
    const all = watched();
    await run(all, text("one"));
    all.server.refuse(503, "no");
    await all.agent.submit("again");
    const found = exchanges(all.log.entries);
    assert.deepEqual(found.map(({ method, url, status, end }) => [method, url, status, end]), [["POST", "/agent", 200, "closed"], [
      "POST",
      "/agent",
      503,
      "closed",
    ]]);
    assert.ok(found[0].events === 5 && found[0].firstEventMs >= 0 && found[0].totalMs >= 0);
    assert.equal(JSON.parse(found[0].body).threadId, "t");
    assert.ok(all.log.entries.some(({ kind }) => kind === "error"));
  });

  it("shows a connection that was lost, and the request that rejoins the run", { skip }, async () => {
    const all = watched({ resume: { by: "replay", url: "/runs" }, retry: { baseMs: 1, minMs: 0 } });
    const { server, agent, log } = all;
    server.open(text("Hel"));
    const ended = agent.submit("hi");
    await server.request();
    await server.tick();
    server.cut();
    server.reply(text("Hello"));
    assert.equal((await ended).outcome, "success");
    const found = exchanges(log.entries);
    assert.deepEqual(found.map(({ url, resume, end }) => [url, resume, end]), [["/agent", false, "lost"], ["/runs", true, "closed"]]);
    assert.ok(log.entries.some((entry) => entry.type === "connection" && summary(entry).startsWith("reconnecting")));
  });

  it("shows a run that was cut off as one whose connection was lost", { skip }, async () => {
    const all = watched();
    all.server.open(text("Hel"));
    const ended = all.agent.submit("hi");
    await all.server.request();
    await all.server.tick();
    all.server.cut();
    assert.equal((await ended).outcome, "truncated");
    assert.deepEqual(exchanges(all.log.entries).map(({ end }) => end), ["lost"]);
  });

  it("shows a stream that the server has ended too early as one that it has closed", { skip }, async () => {
    const all = watched();
    all.server.open(text("Hel"));
    const ended = all.agent.submit("hi");
    await all.server.request();
    await all.server.tick();
    all.server.end();
    assert.equal((await ended).outcome, "truncated");
    assert.deepEqual(exchanges(all.log.entries).map(({ end }) => end), ["closed"]);
  });

  it("shows what waits, what is asked and what a person decides", { skip }, async () => {
    const tools = [{ name: "pay", description: "", parameters: { type: "object" }, needsApproval: true, execute: () => "paid" }];
    const all = watched({ tools });
    const { server, agent, log } = all;
    server.reply(toolCall("pay", { sum: 1 }, "c"));
    await agent.submit("hi");
    server.reply(text("done"));
    agent.approve("c");
    await server.request();
    await server.request();
    await server.tick();
    const said = () => log.entries.filter(({ kind }) => kind === "page").map(summary).join("\n");
    await until(() => /tool pay \(awaiting-approval → /.test(said()), said());
    server.open();
    const [first, second] = [agent.submit("one"), agent.submit("two")];
    await server.request();
    assert.match(said(), /queue \(0 → 1\)/);
    agent.dispose();
    await Promise.all([first, second]);
  });

  it("costs nothing once it is no longer watched, and can be joined during a run", { skip }, async () => {
    const server = scriptedAgent();
    const agent = createAgent({ url: "/agent", fetch: server.fetch, notify: "sync" });
    server.open(text("before", 100, "after"));
    const ended = agent.submit("hi");
    await server.request();
    await server.tick();
    const log = new Log();
    const stop = watch(agent, log);
    await server.tick(100);
    assert.ok(log.entries.some((entry) => summary(entry) === "after"));
    assert.ok(!log.entries.some((entry) => summary(entry) === "before"));
    stop();
    const seen = log.events;
    server.end();
    await ended;
    assert.equal(log.events, seen);
  });

  it("in a worker shows the same", { skip }, async () => {
    const { inWorker } = await import("../thread.mjs");
    const create = await inWorker();
    const seen = [];
    for (const make of [createAgent, create]) {
      const server = scriptedAgent();
      const agent = make({ url: "http://agent.test/", fetch: server.fetch, notify: "sync", threadId: "t" });
      const log = new Log();
      const stop = watch(agent, log);
      server.reply(toolCall("weather", { city: "Rome" }, "c"), { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "Hi" });
      await agent.submit({ message: { id: "u", content: "hi" }, runId: "r" });
      seen.push([
        ...log.entries.filter(({ items }) => "event" in items[0]).map((entry) => [entry.type, summary(entry)]),
        ...exchanges(log.entries).map(({ url, status, events, runId }) => [url, status, events, runId]),
      ]);
      stop();
      agent.dispose();
    }
    assert.deepEqual(seen[1], seen[0]);
    assert.equal(seen[0].length, 7);
    assert.deepEqual(seen[0].at(-1), ["http://agent.test/", 200, 6, "r"]);
  });
});

describe("a recording of the inspector", () => {
  const recorded = async () => {
    const all = watched();
    await run(
      all,
      { type: "STATE_SNAPSHOT", snapshot: { secret: "Ada Lovelace", age: 36912548 } },
      toolCall("weather", { city: "Rome", "days": [1, 2.5] }, "call-1"),
      text("Good ", 40, "morning, Ada"),
    );
    return { ...all, exported: writeLog(all.log.entries, all.agent.getSnapshot()) };
  };
  const looks = (log) => log.entries.map((entry) => [entry.kind, entry.type, summary(entry), entry.items.length, entry.at - log.startedAt, entry.changes]);

  it("is imported as it was exported", { skip }, async () => {
    const { log, agent, exported } = await recorded();
    const fresh = new Log();
    const snapshot = readLog(exported, fresh);
    assert.deepEqual(looks(fresh), JSON.parse(JSON.stringify(looks(log))).map((row) => row.map((cell) => cell ?? undefined)));
    assert.deepEqual(snapshot.messages, JSON.parse(JSON.stringify(agent.getSnapshot().messages)));
    assert.equal(writeLog(fresh.entries, snapshot), exported);
    assert.deepEqual(exchanges(fresh.entries), exchanges(log.entries));
  });

  it("is played by a scripted agent, redacted or not", { skip }, async () => {
    const { exported, agent } = await recorded();
    for (const recording of [exported, redactRecording(exported)]) {
      const again = watched();
      again.server.play(recording);
      const ended = again.agent.submit("hi");
      await again.server.request();
      await again.server.tick(10_000);
      assert.equal((await ended).outcome, "success");
      const warned = again.log.entries.filter(({ kind }) => kind === "warning").map(summary);
      assert.deepEqual(warned.filter((said) => !said.startsWith("run-mismatch")), []);
      const shape = (
        { messages, toolCalls },
      ) => [messages.map(({ role, content }) => [role, content?.length]), toolCalls.map(({ name, phase, args }) => [name, phase, Object.keys(args)])];
      assert.deepEqual(shape(again.agent.getSnapshot()), shape(agent.getSnapshot()));
    }
  });

  it("has nothing of what was written once it is redacted", { skip }, async () => {
    const { exported } = await recorded();
    const redacted = redactRecording(exported);
    for (const word of ["Ada", "Lovelace", "Rome", "morning", "36912548"]) {
      assert.ok(exported.includes(word), word);
      assert.ok(!redacted.replaceAll(/"(runId|threadId|id|messageId|at|headMs)":("[^"]*"|\d+)/g, "").replaceAll(/^\d+$/gm, "").includes(word), word);
    }
    assert.ok(redacted.includes('"toolCallName":"weather"') && redacted.includes('{"secret":"xxx xxxxxxxx","age":11111111}'));
    assert.equal(redacted.length, exported.length);
  });

  it("masks what stands in other places too, and leaves what is made by the inspector", () => {
    const lines = [
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [{
          id: "m",
          role: "user",
          name: "Ada",
          content: [{ type: "text", text: "Note: Ada" }, { type: "image", source: { type: "url", url: "https://ada.test/me.png" } }],
        }],
      },
      {
        request: {
          method: "POST",
          url: "/agent?token=Ada",
          input: { messages: [{ id: "u", role: "user", content: "I am Ada" }], state: { Ada: "Ada" }, forwardedProps: "Ada" },
        },
      },
      { response: { status: 500, headers: { "content-type": "text/plain", "x-name": "Ada" } } },
      { text: "event: Ada\\ndata: Ada" },
      { base64: "QWRh" },
      { note: { seen: { local: "Changed by the page: messages" } } },
      { note: { seen: { local: "Bytes that are no event: Ada" } } },
      { note: { seen: { error: { kind: "http", message: "Ada", code: "x" } } } },
      { type: "RAW", event: { type: "Ada", id: "Ada", n: 42 } },
      { end: "cut" },
    ].map((line) => JSON.stringify(line)).join("\n");
    const redacted = redactRecording(lines);
    const keys = redacted.replaceAll('"Ada":', "");
    assert.deepEqual(keys.split("\n").filter((line) => /Ada|QWRh|ada\.test|42/.test(line)), []);
    assert.match(redacted, /Changed by the page: messages/);
    assert.match(redacted, /"content-type":"text\/plain"/);
  });

  it("of a response that is still open says so", { skip }, async () => {
    const all = watched();
    all.server.open(text("Hel"));
    const ended = all.agent.submit("hi");
    await all.server.request();
    await all.server.tick();
    assert.match(writeLog(all.log.entries), /{"end":"open"}\n$/);
    all.agent.dispose();
    await ended;
  });

  it("of another tool is shown too", () => {
    const log = new Log();
    readLog(
      '{"request":{"method":"POST","url":"/agent","input":{"messages":[]}}}\n{"response":{"status":200,"headers":{}}}\n20\n{"type":"RUN_STARTED","threadId":"t","runId":"r"}\n{"end":"cut"}\n',
      log,
    );
    assert.deepEqual(exchanges(log.entries).map(({ status, end, firstEventMs, events }) => [status, end, firstEventMs, events]), [[200, "lost", 20, 1]]);
    assert.throws(() => readLog("{}", new Log()), SyntaxError);
    assert.throws(() => readLog("no JSON", new Log()), /Line 1/);
  });

  it("that is made to break the inspector does not", () => {
    const notes = [
      { seen: null },
      { seen: { warning: null } },
      { seen: { request: 7 } },
      { seen: { nothing: {} } },
      { changes: 7 },
      { changes: { state: 7, messages: [null] } },
      { inspector: 1, at: "now", snapshot: { messages: 7 } },
      { seen: { error: { kind: {}, message: 7 } } },
      { seen: { connection: { phase: "open", retryAt: 1e300 } } },
    ];
    const log = new Log();
    const snapshot = readLog(['{"type":"CUSTOM"}', ...notes.map((note) => JSON.stringify({ note }))].join("\n"), log);
    assert.equal(snapshot, undefined);
    for (const entry of log.entries) assert.equal(typeof summary(entry), "string");
    assert.doesNotThrow(() => exchanges(log.entries));
  });
});

describe("masks", () => {
  it("keep lengths, white space and punctuation", () => {
    assert.equal(maskText("Call Ada at +44 20, ünï😀!"), "xxxx xxx xx +11 11, xxxxx!");
  });

  it("keep JSON what it is, cut anywhere", () => {
    const json = '{"na\\"me": "A\\u00e9\\n\\ud83d\\ude00b", "list": [1.50, -2e10, true, null, {"k": "v"}], "e": ""}';
    const whole = maskJson(json);
    assert.equal(whole.length, json.length);
    const { list, ...rest } = JSON.parse(whole);
    assert.deepEqual(Object.keys(JSON.parse(json)), ['na"me', "list", "e"]);
    assert.deepEqual([list.length, list[2], list[3], list[4]], [5, true, null, { k: "x" }]);
    assert.ok(!/[Abv]/.test(Object.values(rest).join("")));
    for (let cut = 0; cut <= json.length; cut++) {
      const mask = createJsonMask();
      assert.equal(mask(json.slice(0, cut)) + mask(json.slice(cut)), whole, String(cut));
    }
    assert.equal(maskJson("plain words"), "xxxxx xxxxx");
    assert.equal(createJsonMask()("secret words"), "xxxxxx xxxxx");
  });
});

describe("rules", () => {
  it("are those of docs/rules.md, for each code that it has", () => {
    const page = readFileSync(new URL("../../../docs/rules.md", import.meta.url), "utf8");
    assert.ok(page.includes(ruleOf({ rule: "V11", code: "not-open" }).asks));
    assert.equal(ruleOf({ rule: "V7" }).tags.includes("V7"), true);
    assert.equal(ruleOf({ code: "no-such-code" }), undefined);
    for (const code of ["state-patch-failed", "frame-not-json", "event-unknown", "not-open", "already-open", "left-open", "call-unknown"]) {
      assert.ok(ruleOf({ code })?.asks, code);
      assert.ok(page.replaceAll("`", "").includes(ruleOf({ code }).asks), code);
    }
  });
});
