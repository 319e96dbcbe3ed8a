// agentOS: the functions over its vectors, and the dialect through the real core.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { load, real } from "../lib.mjs";
import { agentOs } from "./servers/agent-os.mjs";
import { answering, fixture, jsonFixture, served } from "./systems.mjs";

const {
  activitiesOf,
  createFrameStore,
  framesOfEnvelope,
  lowerSubmitInput,
  projectEnvelope,
  projectEnvelopes,
  projectSafeLedgerEvent,
  projectSafeLedgerEvents,
  projectTools,
  redactedSummary,
  redactedText,
  reduceFrames,
  verifyFrameSafety,
} = await load("systems/agent-os/index");

const RUNS = ["01-completed-run.envelope-v2", "02-completed-run.envelope-v1", "04-policy-reject-product-event-abort.envelope-v2"];
const expectedOf = (name) => jsonFixture(`agentos/${name}.expected.json`);
const envelopesOf = (name) => [...fixture(`agentos/${name}.sse`).toString().matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json));
const safeEventsOf = (name) => fixture(`agentos/${name}.safe-events.jsonl`).toString().trim().split("\n").map((line) => JSON.parse(line));

describe("views", () => {
  for (const name of RUNS) {
    it(name, () => {
      const expected = expectedOf(name);
      const links = envelopesOf(name).flatMap(framesOfEnvelope);
      const named = links.map(({ frame, ...link }) => ({ ...link, frameType: frame.type }));
      assert.deepEqual(named, expected.envelopeFrames);
      const frames = links.map(({ frame }) => frame);
      assert.deepEqual(frames, expected.frames);
      assert.deepEqual(reduceFrames(frames), expected.reduction);
      assert.deepEqual(activitiesOf(frames), expected.activities);
    });
  }

  it("make entries for what never began, and begin again in the old place", () => {
    const frames = [
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "one", timestamp: 1 },
      { type: "TOOL_CALL_RESULT", messageId: "r", toolCallId: "c", content: "done", timestamp: 2 },
      { type: "TEXT_MESSAGE_START", messageId: "n", role: "assistant", timestamp: 3 },
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant", timestamp: 4 },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "two", timestamp: 5 },
    ];
    const { textMessages, toolCalls, text, status } = reduceFrames(frames);
    assert.deepEqual(textMessages.map(({ messageId }) => messageId), ["m", "n"]);
    assert.deepEqual(toolCalls, [{ toolCallId: "c", name: "", args: "", result: "done" }]);
    assert.deepEqual([text, status], ["two", "idle"]);
    const [message, call] = activitiesOf(frames);
    assert.deepEqual(message, { kind: "message", id: "m", role: "assistant", text: "two", startedAt: 1, updatedAt: 5 });
    assert.deepEqual([call.status, call.completedAt], ["completed", 2]);
  });

  it("follow an interruption", () => {
    const custom = (name) => ({ type: "CUSTOM", name: `agent-os.run.${name}`, value: {} });
    const frames = [{ type: "RUN_STARTED", threadId: "t", runId: "1" }, custom("interrupted")];
    assert.equal(reduceFrames(frames).status, "interrupted");
    assert.equal(reduceFrames([...frames, custom("resumed")]).status, "running");
  });
});

/** As agentOS writes them, and with the role that AG-UI asks for. */
const withRoles = (frames) => frames.map((frame) => (frame.type === "REASONING_MESSAGE_START" ? { ...frame, role: "reasoning" } : frame));
const envelopesWithRoles = (name) => envelopesOf(name).map((envelope) => ({ ...envelope, agUiFrames: withRoles(envelope.agUiFrames) }));

describe("projection", () => {
  for (const name of [RUNS[0], RUNS[2]]) {
    it(name, () => {
      const { frames, projectionSpec } = expectedOf(name);
      const events = safeEventsOf(name);
      assert.deepEqual(projectSafeLedgerEvents(events, projectionSpec), withRoles(frames));
      assert.deepEqual(projectSafeLedgerEvents(events.toReversed(), projectionSpec), withRoles(frames), "by id");
    });
  }

  it("has the first generation too", () => {
    const { frames, projectionSpec } = expectedOf(RUNS[1]);
    assert.deepEqual(projectSafeLedgerEvents(safeEventsOf(RUNS[0]), { ...projectionSpec, flavor: "seed" }), withRoles(frames));
    const seed = projectEnvelopes(safeEventsOf(RUNS[0]), { ...projectionSpec, flavor: "seed" });
    assert.deepEqual(seed, envelopesWithRoles(RUNS[1]));
  });

  it("makes the envelopes", () => {
    const { projectionSpec } = expectedOf(RUNS[2]);
    const audit = {
      id: 27,
      ts: 1781270000960,
      kind: "acme.secret.audit",
      scopeKey: "conversation:ag-ui-test",
      factOwnerRef: "@acme/audit",
      payload: { key: "sk-1" },
    };
    const preview = { owner: "@acme/page-product", safeEvent: ({ payload, ...row }) => ({ ...row, safePayload: payload }) };
    const rows = [...safeEventsOf(RUNS[2]), audit].map((row) => {
      if (row.factOwnerRef !== preview.owner) return row;
      const { safePayload, ...rest } = row;
      return { ...rest, payload: safePayload };
    });
    assert.deepEqual(projectEnvelopes(rows, { ...projectionSpec, projectors: [preview] }), envelopesWithRoles(RUNS[2]));
    // A projector that returns its row gives nothing raw away.
    const raw = { ...audit, payload: { secret: "sk-1" }, note: "sk-1" };
    const [envelope] = projectEnvelopes([raw], { ...projectionSpec, projectors: [{ owner: "@acme/audit", safeEvent: (row) => row }] });
    assert.ok(!JSON.stringify(envelope).includes("sk-1"), JSON.stringify(envelope));
    assert.equal(envelope.safeEvent.id, 27);
  });

  it("shows the reference of a summary of reasoning", () => {
    const response = { kind: "llm.response", safePayload: { runId: 1, items: [{ type: "reasoning", summaryRef: "ref:7" }, { type: "reasoning" }] } };
    const frames = projectSafeLedgerEvent(row(response)).filter(({ type }) => type === "REASONING_MESSAGE_CONTENT");
    assert.deepEqual(frames.map(({ delta }) => delta), ["ref:7", "[redacted reasoning]"]);
  });

  const row = (more) => ({ id: 14, ts: 5, kind: "k", scopeKey: "conversation:c", factOwnerRef: "@agent-os/runtime", ...more });
  const decision = { gateRef: "gate", subjectRef: "tool:publish", toolCallId: "call-9", toolName: "publish" };
  const interrupted = (payload) =>
    projectSafeLedgerEvent(row({ kind: "agent.run.interrupted", safePayload: { runId: 11, turnIndex: 0, interruptId: "i-9", decision, ...payload } }))[0].value;

  it("says what is asked for, where all of it is known", () => {
    for (const [reason, kind] of [["approval_required", "approval"], ["user_input_required", "question"], ["authorization_required", "authorization"]]) {
      const { inputRequest, ...rest } = interrupted({ reason });
      assert.deepEqual(rest, { runId: 11, turnIndex: 0, interruptId: "i-9", decision, reason });
      const ref = { kind: "agent.run.input_request", scopeKey: "conversation:c", afterEventId: 14, runId: 11, turnIndex: 0 };
      assert.deepEqual(inputRequest, {
        ...{ kind, subjectRef: "tool:publish", toolCallId: "call-9", toolName: "publish" },
        ref: { ...ref, interruptId: "i-9", interruptionEventId: 14, gateRef: "gate", requestKind: kind },
      });
    }
    for (const payload of [{ reason: "paused" }, { reason: "approval_required", decision: { ...decision, gateRef: undefined } }]) {
      assert.equal(interrupted(JSON.parse(JSON.stringify(payload))).inputRequest, undefined);
    }
  });

  it("has a rule for every kind", () => {
    const summary = { redacted: true, reason: "tool_result", type: "null" };
    const payload = { runId: 3, toolCallId: "c", toolName: "bash", result: summary };
    const types = (kind, more) =>
      projectSafeLedgerEvent(row({ kind, safePayload: { ...payload, ...more } })).map(({ type, name, code, message }) => name ?? code ?? message ?? type);
    assert.deepEqual(types("tool.executed"), ["TOOL_CALL_RESULT", "agent-os.tool.completed"]);
    assert.deepEqual(types("tool.executed", { toolCallId: null }), [], "a result without its call");
    assert.deepEqual(types("tool.rejected", { diagnostics: { phase: "policy", reason: "no" } }), ["agent-os.tool.policy_rejected"]);
    assert.deepEqual(types("tool.rejected", { diagnostics: { phase: "decode", reason: "no" } }), ["tool.rejected"]);
    assert.deepEqual(types("tool.rejected"), ["tool.rejected"]);
    assert.deepEqual(types("agent.run.resumed"), ["agent-os.run.resumed"]);
    assert.deepEqual(types("llm.requested"), ["agent-os.llm.requested"]);
    assert.deepEqual(types("runtime.completed_after_tools"), ["agent-os.runtime.completed_after_tools"]);
    assert.deepEqual(types("runtime.history_compacted"), ["runtime.history_compacted"]);
    assert.deepEqual(types("agent.aborted.retries", { reason: "agent.aborted.retries" }), ["agent.aborted.retries"]);
    const items = [{ type: "tool_result", toolCallId: "c", result: summary }, { type: "error", error: summary }, { type: "dance" }, null];
    assert.deepEqual(types("llm.response", { items }), ["TOOL_CALL_RESULT", "agent-os.llm.error", "agent-os.llm.completed", "agent-os.llm.usage"]);
    const [error] = projectSafeLedgerEvent(row({ kind: "tool.rejected", safePayload: payload }));
    assert.deepEqual(error, { type: "RUN_ERROR", timestamp: 5, threadId: "conversation:c", runId: "3", message: "tool rejected: bash", code: "tool.rejected" });
  });

  it("summarizes arguments that are none", () => {
    const items = [{ type: "tool_call", toolCallId: "c", toolName: "bash", args: { command: "cat secret" } }];
    const frames = projectSafeLedgerEvent(row({ kind: "llm.response", safePayload: { runId: 3, turnIndex: 0, items } }));
    assert.deepEqual(verifyFrameSafety(frames, { forbiddenLiterals: ["secret"] }), []);
  });

  it("fails closed", () => {
    const owner = "@acme/notes";
    const product = row({ kind: "acme.note", factOwnerRef: owner, payload: { text: "hi", key: "sk-1" } });
    const shows = ({ payload, ...safe }) => ({ ...safe, safePayload: { text: payload.text } });
    const envelope = (projectors, given = product) => projectEnvelope(given, { projectors });
    const shown = envelope([{ owner, safeEvent: shows }]);
    assert.deepEqual(shown.agUiFrames, [{
      type: "CUSTOM",
      timestamp: 5,
      name: "acme.note",
      value: { id: 14, kind: "acme.note", safePayload: { text: "hi" } },
    }]);
    for (const projectors of [
      [],
      [{ owner: "@acme/other", safeEvent: shows }],
      [{ owner }],
      [{ owner, safeEvent: shows }, { owner, safeEvent: shows }],
      [{ owner, safeEvent: () => null }],
      [{
        owner,
        safeEvent: () => {
          throw new Error("no");
        },
      }],
      ...["id", "ts", "kind", "scopeKey", "factOwnerRef"].map((
        name,
      ) => [{ owner, safeEvent: (given) => ({ ...shows(given), [name]: name === "id" || name === "ts" ? 99 : "other" }) }]),
      ...[[1], { at: new Date() }, { n: NaN }, { f() {} }].map((safePayload) => [{ owner, safeEvent: (given) => ({ ...shows(given), safePayload }) }]),
    ]) {
      const { safeEvent, agUiFrames } = envelope(projectors);
      assert.deepEqual({ safeEvent, agUiFrames }, { safeEvent: null, agUiFrames: [] });
    }
    const runtime = row({ kind: "chat.ingested", payload: { intent: "raw" } });
    const posing = [{ owner: "@agent-os/runtime", safeEvent: shows }];
    assert.equal(envelope(posing, runtime).safeEvent, null, "no product speaks for agentOS");
    assert.deepEqual(projectSafeLedgerEvents([row({ id: 0 }), row({ ts: -1 }), row({ kind: 5 }), null, row({ safePayload: [] })]), []);
  });

  it("keeps products out of the name space of agentOS", () => {
    const owner = "@acme/notes";
    const event = row({ kind: "agent-os.llm.usage", factOwnerRef: owner, safePayload: {} });
    assert.deepEqual(projectSafeLedgerEvent(event), []);
    const own = [
      { type: "CUSTOM", name: "agent-os.run.resumed", value: {} },
      { type: "CUSTOM", name: "acme.fine", value: 1 },
      { type: "STATE_SNAPSHOT", snapshot: {} },
    ];
    const frames = projectSafeLedgerEvent({ ...event, kind: "acme.note" }, { projectors: [{ owner, frames: () => own }] });
    assert.deepEqual(frames, [own[1]]);
  });
});

it("summaries", () => {
  for (const { value, reason, summary, text } of jsonFixture("agentos/redaction-vectors.json")) {
    assert.deepEqual(redactedSummary(value, reason), summary);
    assert.equal(redactedText(value, reason), text);
  }
  assert.equal(redactedText(undefined, "tool_result"), '{"redacted":true,"reason":"tool_result","type":"undefined"}');
});

it("safety of frames", () => {
  for (const { frames, forbiddenLiterals, forbiddenPatterns, issues } of jsonFixture("agentos/safety-vectors.json")) {
    const patterns = forbiddenPatterns.map(({ source, flags }) => new RegExp(source, flags));
    assert.deepEqual(verifyFrameSafety(frames, { forbiddenLiterals, forbiddenPatterns: patterns }), issues);
    assert.deepEqual(verifyFrameSafety(frames, { forbiddenLiterals, forbiddenPatterns }), issues);
  }
  const sticky = /a/y;
  sticky.lastIndex = 3;
  const found = verifyFrameSafety([{ x: ["a", { "b c": "a" }] }, { y: "a" }], { forbiddenPatterns: [sticky] });
  assert.deepEqual(found.map(({ frameIndex, path }) => [frameIndex, path]), [[0, "$.x[0]"], [0, "$.x[1].b c"], [1, "$.y"]]);
  assert.equal(sticky.lastIndex, 3);
  let deep = "a";
  for (let level = 0; level < 100_000; level++) deep = [deep];
  assert.equal(verifyFrameSafety([deep], { forbiddenLiterals: ["a", "a"] }).length, 2);
});

it("tools", () => {
  const { input, output } = jsonFixture("agentos/tool-projection-vectors.json");
  assert.deepEqual(projectTools(input), output);
  assert.deepEqual(projectTools(Object.values(input)), output);
});

describe("submit", () => {
  for (const { name, input, defaults, output } of jsonFixture("agentos/submit-vectors.json")) {
    it(name, () => {
      if (output.error) assert.throws(() => lowerSubmitInput(input, defaults), TypeError);
      else assert.deepEqual(lowerSubmitInput(input, defaults), output);
    });
  }

  const input = { threadId: "t", runId: "r", messages: [{ id: "m", role: "user", content: "hi" }] };

  it("refuses what the schema does not allow", () => {
    for (const wrong of [
      null,
      [],
      { ...input, threadId: 5 },
      { ...input, runId: undefined },
      { ...input, messages: undefined },
      { ...input, messages: [{ id: "m", role: "user", content: [{ type: "text", text: "hi" }] }] },
      { ...input, messages: [{ id: "m", role: "robot" }] },
      { ...input, tools: [{ name: "x" }] },
      { ...input, tools: [{ name: "x", description: "d", metadata: [] }] },
      { ...input, context: [{ description: "d", value: 1 }] },
      { ...input, forwardedProps: [] },
      { ...input, resume: [{ interruptId: "i", status: "maybe" }] },
    ]) {
      assert.throws(() => lowerSubmitInput(wrong), TypeError, JSON.stringify(wrong));
    }
  });

  it("copies what the application has", () => {
    const defaults = {
      ...{ system: "s", budget: { tokens: 1 }, outputSchema: {}, traceContext: "x", materials: [], toolContext: {}, toolPolicy: {} },
      ...{ decisionInterrupts: {}, resume: { runId: 1 } },
    };
    const { intent, context, ...copied } = lowerSubmitInput({ ...input, parentRunId: "p" }, defaults);
    assert.deepEqual(copied, defaults);
    assert.deepEqual([intent, context.agUi.parentRunId, "state" in context.agUi], ["hi", "p", false]);
    const prototype = lowerSubmitInput({ ...input, forwardedProps: { a: 1 } }, { forwardedPropAllowlist: ["toString", "__proto__"] });
    assert.deepEqual(prototype.context.agUi.forwardedProps, {});
  });

  const ref = { kind: "agent.run.input_request", scopeKey: "conversation:c", runId: 11, turnIndex: 2, interruptId: "i", gateRef: "g" };
  const answer = (kind, payload, more) =>
    lowerSubmitInput(
      { ...input, resume: [{ interruptId: "i", status: "resolved", payload }] },
      { inputRequests: [{ request: { kind, ref }, decisionRef: "d" }], ...more },
    ).resume;

  it("answers a question of each kind", () => {
    assert.deepEqual(answer("approval", { kind: "approval", approved: true, x: 1 }), {
      ...{ runId: 11, turn: { id: 11, index: 2 }, interruptId: "i", gateRef: "g", decisionRef: "d" },
      resume: { kind: "approval", approved: true },
    });
    assert.deepEqual(answer("question", { kind: "question", answers: { a: 1 }, x: 1 }).resume, { kind: "question", answers: { a: 1 } });
    const material = { kind: "material_ref", materialRef: "m" };
    const sealed = { kind: "recorded_sealed", ref: "r", codec: "aead", version: 1 };
    for (const [given, authorization] of [
      [{ ...material, x: 1 }, material],
      [{ kind: "recorded_sealed", sealed: { ...sealed, x: 1 } }, { kind: "recorded_sealed", sealed }],
    ]) {
      assert.deepEqual(answer("authorization", { kind: "authorization", authorization: given }).resume, { kind: "authorization", authorization });
    }
  });

  it("refuses answers that fit nothing", () => {
    const approval = { kind: "approval", approved: true };
    for (const [kind, payload, more] of [
      ["approval", undefined],
      ["approval", { kind: "approval" }],
      ["question", approval],
      ["question", { kind: "question", answers: [] }],
      ["authorization", { kind: "authorization" }],
      ["authorization", { kind: "authorization", authorization: { kind: "material_ref" } }],
      ["authorization", {
        kind: "authorization",
        authorization: { kind: "recorded_sealed", sealed: { kind: "recorded_sealed", ref: "r", codec: "rsa", version: 1 } },
      }],
      ["riddle", { kind: "riddle" }],
      ["approval", approval, { resume: {} }],
      ["approval", approval, { inputRequests: [] }],
      ["approval", approval, { inputRequests: [1, 2].map(() => ({ request: { kind: "approval", ref }, decisionRef: "d" })) }],
    ]) {
      assert.throws(() => answer(kind, payload, more), TypeError, JSON.stringify([kind, payload, more]));
    }
  });
});

it("what was read of a store stays as it was, and what comes is added to it", () => {
  const store = createFrameStore([{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "a" }]);
  const [frames, snapshot] = [store.getFrames(), store.getSnapshot()];
  const before = structuredClone([frames, snapshot]);
  store.append({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "b" });
  store.append({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" });
  store.append({ type: "CUSTOM", name: "agent-os.run.interrupted", value: {} });
  const between = store.getSnapshot();
  store.appendMany(store.getFrames());
  assert.deepEqual([frames, snapshot], before);
  assert.deepEqual([between.text, between.toolCalls.length, between.custom.length, between.status], ["ab", 1, 1, "interrupted"]);
  assert.deepEqual(store.getSnapshot(), reduceFrames(store.getFrames()));
  assert.deepEqual([store.getSnapshot().text, store.getFrames().length], ["abab", 8]);
});

it("a store copies nothing of its frames until somebody reads them", () => {
  const store = createFrameStore();
  let copied = 0;
  const iterator = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function () {
    copied += this.length;
    return iterator.call(this);
  };
  try {
    for (let at = 0; at < 1000; at++) store.append({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" });
  } finally {
    Array.prototype[Symbol.iterator] = iterator;
  }
  assert.equal(copied, 0);
  assert.equal(store.getSnapshot().text.length, 1000);
});

it("a store tells of every change once", () => {
  const store = createFrameStore();
  let told = 0;
  const end = store.subscribe(() => told++);
  const empty = store.getSnapshot();
  assert.equal(store.getSnapshot(), empty);
  store.append({ type: "RUN_STARTED", threadId: "t", runId: "1" });
  assert.equal(store.getSnapshot().status, "running");
  store.appendMany([{ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "a" }, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "b" }]);
  store.appendMany([]);
  assert.deepEqual([told, store.getSnapshot().text, store.getFrames().length], [3, "ab", 3]);
  store.reset();
  assert.deepEqual([told, store.getFrames(), store.getSnapshot()], [4, [], empty]);
  end();
  store.reset([{ type: "RUN_STARTED", threadId: "t", runId: "2" }]);
  assert.deepEqual([told, store.getSnapshot().runId], [4, "2"]);
});

describe("an agent", { skip: !real && "needs the built core" }, () => {
  for (const name of RUNS) {
    it(name, async () => {
      const { createAgent } = await load("index");
      const { fetch } = answering(fixture(`agentos/${name}.sse`));
      const agent = createAgent({ url: "http://host/agent", fetch, dialect: "agent-os", rules: "strict", notify: "sync" });
      const events = [];
      agent.on("event", (event) => events.push(event));
      const { outcome } = await agent.submit("hi");
      const { frames, reduction, usageTotals } = expectedOf(name);
      assert.equal(outcome, reduction.status === "completed" ? "success" : "error");
      assert.deepEqual(events.map(({ type }) => type), frames.map(({ type }) => type));
      const { usage, connection } = agent.getSnapshot();
      const { promptTokens: inputTokens, completionTokens: outputTokens, totalTokens } = usageTotals;
      assert.deepEqual(usage, [{ inputTokens, outputTokens, totalTokens }]);
      assert.equal(connection.lastEventId, String(envelopesOf(name).at(-1).id));
      agent.dispose();
    });
  }

  it("answers an interrupt", async () => {
    const { createAgent } = await load("index");
    const custom = (name, value) => ({ type: "CUSTOM", name: `agent-os.run.${name}`, value: { runId: 11, interruptId: "i-9", ...value } });
    const row = (id, ...agUiFrames) => `event: ag_ui\ndata: ${JSON.stringify({ id, ts: id, kind: "k", scopeKey: "conversation:c", agUiFrames })}\n\n`;
    const { fetch, requests } = answering(
      row(1, { type: "RUN_STARTED", threadId: "s", runId: "11" }) + row(2, custom("interrupted", { reason: "approval_required" })),
      row(3, custom("resumed", {})) + row(4, { type: "RUN_FINISHED", threadId: "s", runId: "11" }),
    );
    const agent = createAgent({ url: "http://host/agent", fetch, dialect: "agent-os", rules: "strict" });
    assert.equal((await agent.submit("publish")).outcome, "interrupted");
    assert.deepEqual(agent.getSnapshot().interrupts, [{ id: "i-9", reason: "approval_required" }]);
    const payload = { kind: "approval", approved: true };
    assert.equal((await agent.resume({ id: "i-9", payload })).outcome, "success");
    assert.deepEqual(requests[1].resume, [{ interruptId: "i-9", status: "resolved", payload }]);
    assert.deepEqual(agent.getSnapshot().interrupts, []);
    agent.dispose();
  });

  it("publishes with the demo's host, twice in one thread", async () => {
    const { createAgent } = await load("index");
    const agent = createAgent({ url: "http://host/agent", fetch: served(agentOs), dialect: "agent-os", rules: "strict" });
    for (const runs of [1, 2]) {
      assert.equal((await agent.submit("Publish it")).outcome, "interrupted");
      const [interrupt] = agent.getSnapshot().interrupts;
      assert.equal(interrupt.metadata.kind, "approval");
      const { outcome } = await agent.resume({ id: interrupt.id, payload: { kind: "approval", approved: true } });
      const { messages, usage, interrupts, toolCalls } = agent.getSnapshot();
      assert.deepEqual([outcome, interrupts, usage[0].totalTokens], ["success", [], 300 * runs]);
      assert.equal(messages.at(-1).content, "Published. It is there for everyone now.");
      assert.equal(toolCalls.at(-1).phase, "output-available");
    }
    agent.dispose();
  });
});
