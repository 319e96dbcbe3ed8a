// Sessions of Chio over a source that stays open, with messages sent beside it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load, until } from "../lib.mjs";
import { agent, done, fast, make, say, skip, Source, texts } from "./chio-lines.mjs";

const { eventSource } = await load("index");

describe("one source, with submitUrl", { skip }, () => {
  const overSource = (more = {}, keepOpen = true) => {
    const posted = [];
    const status = { value: 200 };
    const fetch = async (url, { body }) => (posted.push([url, JSON.parse(body)]), new Response("", { status: status.value }));
    const heard = make(eventSource({ url: "/ag-ui/stream?session=s1", submitUrl: "/ag-ui/submit", EventSource: Source, fetch, keepOpen }), more);
    return { ...heard, posted, status };
  };
  const sourceOf = async (number) => {
    await until(() => Source.all.length >= number, `source ${number}`);
    const source = Source.all[number - 1];
    source.open();
    return source;
  };

  test("carries three messages, each posted at once", async () => {
    const { posted } = overSource();
    const first = agent.submit("one");
    const source = await sourceOf(1);
    await until(() => posted.length === 1, "the first message");
    source.give(say("A"), done());
    assert.equal((await first).outcome, "success");
    const second = agent.submit("two");
    await until(() => posted.length === 2, "the second message");
    source.give(say("B"));
    await until(() => texts().at(-1) === "assistant: B", "a part");
    const third = agent.submit("three");
    await until(() => posted.length === 3, "the third message");
    assert.equal((await second).outcome, "success");
    source.give(say("C"), done());
    assert.equal((await third).outcome, "success");
    assert.deepEqual(texts(), ["user: one", "assistant: A", "user: two", "assistant: B", "user: three", "assistant: C"]);
    assert.deepEqual([Source.all.length, source.url], [1, "/ag-ui/stream?session=s1"]);
    const form = { event_type: "form_action", payload: { ok: true } };
    agent.send(form);
    await until(() => posted.length === 4, "what is sent");
    assert.deepEqual(posted[3], ["/ag-ui/submit", form]);
  });

  test("a message that the server refuses is an error, and the source stays", async () => {
    const { posted, status, warnings } = overSource();
    status.value = 500;
    const run = agent.submit("one");
    const source = await sourceOf(1);
    const { outcome, error } = await run;
    assert.deepEqual([outcome, error.kind, error.status], ["error", "http", 500]);
    agent.send({ event_type: "form_action", payload: {} });
    await until(() => warnings.includes("send-failed"), "a warning");
    status.value = 200;
    const second = agent.submit("two");
    await until(() => posted.length === 3, "the second message");
    source.give(say("B"), done());
    assert.equal((await second).outcome, "success");
    assert.equal(Source.all.length, 1);
  });

  test("that is lost without ids truncates the answer; the platform opens it again", async () => {
    const { posted } = overSource();
    const run = agent.submit("one");
    const source = await sourceOf(1);
    await until(() => posted.length === 1, "the message");
    source.give(say("half"));
    await until(() => texts().length === 2, "a part");
    source.lose();
    assert.equal((await run).outcome, "truncated");
    assert.equal(agent.getSnapshot().connection.phase, "reconnecting");
    source.open();
    assert.equal(agent.getSnapshot().connection.phase, "open");
    source.give(say("later"), done());
    await until(() => texts().at(-1) === "assistant: later", "what comes then");
    assert.equal(Source.all.length, 1);
  });

  test("that is lost with ids goes on where it was", async () => {
    const { posted } = overSource({ retry: { ...fast, maxMs: 60_000 } });
    const run = agent.submit("one");
    const source = await sourceOf(1);
    source.marks = true;
    await until(() => posted.length === 1, "the message");
    source.give(say("half "));
    await until(() => texts().length === 2, "a part");
    source.lose();
    source.open();
    source.give(say("whole"), done());
    assert.equal((await run).outcome, "success");
    assert.equal(texts().at(-1), "assistant: half whole");
  });

  test("that is lost with ids while the page is held up truncates the answer, and ends it as nothing else", async (t) => {
    const { posted } = overSource({ retry: { ...fast, maxMs: 1 } });
    const run = agent.submit("one");
    const source = await sourceOf(1);
    source.marks = true;
    await until(() => posted.length === 1, "the message");
    source.give(say("half "));
    await until(() => texts().length === 2, "a part");
    let now = Date.now();
    const clock = t.mock.method(Date, "now", () => (now += 5));
    source.lose();
    clock.mock.restore();
    assert.equal((await run).outcome, "truncated");
  });

  test("that is closed for good is opened anew by our rules", async () => {
    overSource();
    const connected = agent.connect();
    const source = await sourceOf(1);
    await connected;
    source.marks = true;
    const told = say("A");
    source.give(told, done());
    await until(() => texts().length === 1, "a message");
    source.lose(true);
    const other = await sourceOf(2);
    assert.match(other.url, /session=s1&lastEventId=e\d+$/);
    other.give(say("B"), done());
    await until(() => texts().at(-1) === "assistant: B", "what comes over it");
  });

  test("that is closed while words wait unread loses none of them", async () => {
    const { warnings } = overSource();
    const connected = agent.connect();
    const source = await sourceOf(1);
    await connected;
    source.give(say("A"), done());
    source.lose(true);
    await until(() => texts().length === 1 || warnings.length, "a message");
    assert.deepEqual([texts(), warnings], [["assistant: A"], []]);
  });

  test("without keepOpen, send posts during a run", async () => {
    const posted = [];
    const fetch = async (url, { body }) => (posted.push(JSON.parse(body)), new Response(""));
    make(eventSource({ url: "/stream", submitUrl: "/submit", EventSource: Source, fetch }));
    const form = { event_type: "form_action", payload: { ok: true } };
    void agent.submit("one");
    const source = await sourceOf(1);
    await until(() => posted.length === 1, "the message");
    source.give(say("A"));
    await until(() => texts().length === 2, "a part");
    agent.send(form);
    await until(() => posted.length === 2, "what is sent");
    assert.deepEqual(posted[1], form);
    await agent.stop();
    assert.throws(() => agent.send(form), (error) => error.code === "not-sent");
  });
});
