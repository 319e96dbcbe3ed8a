import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real, until } from "../lib.mjs";

const { createAgent } = await load("index");

const sse = (events) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const step = (name, text, n) => [
  { type: "STEP_STARTED", stepName: name },
  { type: "TEXT_MESSAGE_START", messageId: name, role: "assistant" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: name, delta: text },
  { type: "TEXT_MESSAGE_END", messageId: name },
  { type: "STATE_SNAPSHOT", snapshot: { n, rows: [{ id: 1 }] } },
  { type: "STEP_FINISHED", stepName: name },
];
const answer = (...events) => sse([{ type: "RUN_STARTED", threadId: "t", runId: "r" }, ...events, { type: "RUN_FINISHED", threadId: "t", runId: "r" }]);

/** An agent whose server gives these answers, each in one piece, and the bodies that it was sent. */
function agentOf(answers, options = {}) {
  const sent = [];
  const fetch = async (_url, init) => {
    sent.push(JSON.parse(init.body));
    return new Response(answers.shift(), { headers: { "content-type": "text/event-stream" } });
  };
  return { sent, agent: createAgent({ url: "http://localhost/", threadId: "t", fetch, ...options }) };
}
const kinds = ({ history }) => history.map(({ kind, stepName }) => (stepName ? `${kind} ${stepName}` : kind));
const texts = ({ messages }) => messages.map(({ content }) => content);

describe("history", { skip: !real && "needs the real core" }, () => {
  it("has the snapshot of every boundary, of a run that came in one read", async () => {
    const { agent } = agentOf([answer(...step("plan", "a plan", 1), ...step("write", "a text", 2))]);
    assert.deepEqual(agent.history, []);
    await agent.submit({ message: { id: "u", content: "go" }, runId: "r" });
    assert.deepEqual(kinds(agent), [
      ...["run-started", "step-started plan", "step-finished plan"],
      ...["step-started write", "step-finished write", "run-finished"],
    ]);
    const [begun, , planned, , , finished] = agent.history;
    assert.equal(new Set(agent.history.map(({ id }) => id)).size, 6);
    assert.equal(begun.runId, "r");
    assert.ok(Math.abs(begun.at - Date.now()) < 60_000);
    assert.deepEqual(texts(agent.at(begun)), ["go"]);
    assert.deepEqual(texts(agent.at(planned)), ["go", "a plan"]);
    assert.equal(agent.at(planned.id).state.n, 1);
    assert.equal(agent.at(finished).isLoading, false);
    assert.deepEqual(texts(agent.at(finished)), ["go", "a plan", "a text"]);
    // Unchanged parts are shared.
    assert.equal(agent.at(planned).messages[1], agent.getSnapshot().messages[1]);
    assert.equal(agent.history, agent.history);
  });

  it("goes on from a checkpoint, and back to what came after it", async () => {
    const { agent, sent } = agentOf([
      answer(...step("plan", "a plan", 1), ...step("write", "a text", 2)),
      answer(...step("again", "another text", 3)),
    ]);
    await agent.submit("go");
    const end = agent.history.at(-1);
    let told = 0;
    agent.subscribe(() => told++);
    agent.fork(agent.history.find(({ kind }) => kind === "step-finished"));
    assert.equal(told, 1);
    assert.deepEqual(texts(agent.getSnapshot()), ["go", "a plan"]);
    assert.equal(agent.getSnapshot().state.n, 1);
    assert.equal(agent.getSnapshot().status, "idle");
    await agent.submit({ state: { hint: "x" } });
    assert.deepEqual(sent[1].messages.map(({ content }) => content), ["go", "a plan"]);
    assert.deepEqual(sent[1].state, { n: 1, rows: [{ id: 1 }], hint: "x" });
    assert.deepEqual(texts(agent.getSnapshot()), ["go", "a plan", "another text"]);
    agent.fork(end.id);
    assert.deepEqual(texts(agent.getSnapshot()), ["go", "a plan", "a text"]);
  });

  it("opens the questions of then once more", async () => {
    const ask = { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "confirmation" }] } };
    const { agent, sent } = agentOf([sse([{ type: "RUN_STARTED", threadId: "t", runId: "r" }, ask]), answer(), answer()]);
    await agent.submit("go");
    const asked = agent.history.at(-1);
    await agent.resume({ id: "i", payload: "yes" });
    assert.deepEqual(agent.getSnapshot().interrupts, []);
    agent.fork(asked);
    assert.equal(agent.getSnapshot().interrupts[0].id, "i");
    await agent.resume({ id: "i", payload: "no" });
    assert.deepEqual(sent.map(({ resume }) => resume?.[0].payload), [undefined, "yes", "no"]);
    assert.equal(sent[2].messages.length, 1);
  });

  it("stops a run that is on", async () => {
    const { agent } = agentOf([answer(...step("plan", "a plan", 1))], {});
    await agent.submit("go");
    const open = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(sse([{ type: "RUN_STARTED", threadId: "t", runId: "s" }]))),
    });
    agent.setOptions({ url: "http://localhost/", fetch: async () => new Response(open, { headers: { "content-type": "text/event-stream" } }) });
    const run = agent.submit("more");
    await until(() => agent.getSnapshot().connection.phase === "open");
    agent.fork(agent.history[2]);
    assert.equal((await run).outcome, "aborted");
    assert.deepEqual(texts(agent.getSnapshot()), ["go", "a plan"]);
    assert.equal(agent.getSnapshot().isLoading, false);
  });

  it("keeps as many as limits.history says", async () => {
    const steps = Array.from({ length: 50 }, (_, n) => step(`s${n}`, "x", n)).flat();
    const { agent } = agentOf([answer(...steps)], { limits: { history: 3 } });
    await agent.submit("go");
    assert.deepEqual(kinds(agent), ["step-started s49", "step-finished s49", "run-finished"]);
    assert.equal(agent.at("1"), undefined);
    assert.throws(() => agent.fork("1"), { kind: "unsupported", code: "checkpoint-unknown" });

    const none = agentOf([answer(...steps)], { limits: { history: 0 } }).agent;
    await none.submit("go");
    assert.deepEqual(none.history, []);
  });

  it("is of one visit: a save does not have it", async () => {
    const { agent } = agentOf([answer(...step("plan", "a plan", 1))]);
    await agent.submit("go");
    const again = agentOf([answer()], { restore: JSON.parse(JSON.stringify(agent.save())) }).agent;
    assert.deepEqual(again.history, []);
    assert.deepEqual(texts(again.getSnapshot()), ["go", "a plan"]);
  });

  it("is empty after a reset", async () => {
    const { agent } = agentOf([answer(...step("plan", "a plan", 1)), answer()]);
    await agent.submit("go");
    agent.reset();
    assert.deepEqual(agent.history, []);
    await agent.submit("go");
    assert.deepEqual(kinds(agent), ["run-started", "run-finished"]);
  });
});
