// The document "AG-UI Wire Adapter" of agentOS, one test a line that a client can honor. Each names the line's place.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { load, real } from "../js/lib.mjs";
import { openPage } from "../js/page.mjs";
import { answering, fixture, jsonFixture } from "../js/systems/systems.mjs";

const adapter = await load("systems/agent-os/index");
const { projectLedgerEventsToAgUiEnvelopes, projectSafeLedgerEventToAgUiFrames, verifyAgUiFrameSafety } = adapter;

const owner = "@agent-os/runtime";
const row = (kind, safePayload, more) => ({ id: 7, ts: 70, kind, scopeKey: "conversation:c", factOwnerRef: owner, safePayload, ...more });
const frames = (kind, safePayload, options, more) => projectSafeLedgerEventToAgUiFrames(row(kind, safePayload, more), options);
const types = (list) => list.map(({ type, name }) => name ?? type);
const summary = (reason, type, more) => ({ redacted: true, reason, type, ...more });

describe("Problem", () => {
  it("paragraph 2: frames come from safe events of the owner, never from a raw payload", () => {
    const { payload, safeEvent, agUiFrames } = adapter.projectEnvelope({ ...row("chat.ingested"), payload: { intent: "secret" } });
    assert.deepEqual([payload, safeEvent, agUiFrames], [undefined, null, []]);
  });

  it("paragraph 2: a product's events appear only where its owner supplies a projector", () => {
    const note = { id: 8, ts: 80, kind: "acme.note", scopeKey: "conversation:c", factOwnerRef: "@acme/notes", payload: { text: "hi", key: "sk" } };
    const safeEvent = ({ payload, ...rest }) => ({ ...rest, safePayload: { text: payload.text } });
    const [silent] = projectLedgerEventsToAgUiEnvelopes([note]);
    const [shown] = projectLedgerEventsToAgUiEnvelopes([note], { projectors: [{ owner: note.factOwnerRef, safeEvent }] });
    assert.deepEqual(silent.agUiFrames, []);
    const value = { id: 8, kind: "acme.note", safePayload: { text: "hi" } };
    assert.deepEqual(shown.agUiFrames, [{ type: "CUSTOM", timestamp: 80, name: "acme.note", value }]);
  });

  const schema = { type: "object", properties: { city: { type: "string" } } };
  const agent = (agUi) => ({ projections: { canonical: { type: "null" }, agUi } });

  it("paragraph 3: tool declarations come from projections.agUi of an AgentSchema", () => {
    const expected = { name: "lookup", description: "Looks up", parameters: schema };
    const named = { name: "lookup", description: "Looks up" };
    for (const tool of [
      { ...named, argsSchema: agent(schema) },
      { ...named, parameters: agent(schema) },
      { definition: { function: { ...named, parameters: agent(schema) } } },
      { ...named, canonicalSchema: schema },
    ]) {
      assert.deepEqual(adapter.projectToolToAgUiTool(tool), expected);
      assert.deepEqual(adapter.projectToolsToAgUiTools({ tool }), [expected]);
    }
  });

  it("paragraph 3: a tool without a schema is an error", () => {
    for (const tool of [{ name: "lookup" }, { name: "lookup", parameters: schema }, { name: "lookup", argsSchema: {} }, {
      name: "lookup",
      argsSchema: { projections: null },
    }]) {
      assert.throws(() => adapter.projectTools([tool]), { name: "TypeError", message: /tool "lookup" has no schema: expected .*projections\.agUi/ });
    }
    for (const tool of [null, {}, "lookup", { definition: {} }]) assert.throws(() => adapter.projectTools([tool]), TypeError);
  });

  it("paragraph 3: a declaration creates no execution and no authority", () => {
    const tool = { name: "a", description: "", argsSchema: agent(schema), execution: "pure", quota: 3, materialRefs: ["m"] };
    assert.deepEqual(Object.keys(adapter.projectTool(tool)), ["name", "description", "parameters"]);
  });
});

describe("Bindings", () => {
  it("line 1: mapping, retention, redaction, lowering and reduction are here, under the documented names too", () => {
    for (const [name, ours] of [
      ["projectSafeLedgerEventToAgUiFrames", "projectSafeLedgerEvent"],
      ["projectLedgerEventToAgUiEnvelope", "projectEnvelope"],
      ["projectLedgerEventsToAgUiEnvelopes", "projectEnvelopes"],
      ["framesForAgUiLedgerEnvelope", "framesOfEnvelope"],
      ["verifyAgUiFrameSafety", "verifyFrameSafety"],
      ["projectToolToAgUiTool", "projectTool"],
      ["projectToolsToAgUiTools", "projectTools"],
      ["agUiRunAgentInputToSubmitInput", "lowerSubmitInput"],
      ["projectAgUiFrames", "reduceFrames"],
      ["projectAgUiFramesToActivities", "activitiesOf"],
    ]) {
      assert.equal(typeof adapter[name], "function", name);
      assert.equal(adapter[name], adapter[ours]);
    }
  });

  const stream = [
    { type: "RUN_STARTED", threadId: "t", runId: "1" },
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hello" },
  ];

  it("line 2: in React a hook reads a store, and renders again as frames come", async () => {
    const closePage = openPage();
    globalThis.IS_REACT_ACT_ENVIRONMENT = true;
    const { act, createElement } = await import("react");
    const { createRoot } = await import("react-dom/client");
    const { createAgUiReactFrameStore, useAgUiActivities, useAgUiFrameStore, useAgUiProjection } = await load("systems/agent-os/react");
    const store = createAgUiReactFrameStore();
    const View = () => {
      const { status, text } = useAgUiFrameStore(store);
      const same = useAgUiProjection(store.getFrames()).text === text;
      return `${status} ${text} ${same} ${useAgUiActivities(store.getFrames()).length}`;
    };
    const container = document.createElement("div");
    const root = createRoot(container);
    const text = () => container.textContent;
    await act(async () => root.render(createElement(View)));
    assert.equal(text(), "idle  true 0");
    await act(async () => store.appendMany(stream));
    assert.equal(text(), "running Hello true 2");
    await act(async () => root.unmount());
    closePage();
  });

  it("line 2: in Svelte a store reads frames", async () => {
    const { createAgUiSvelteFrameStore } = await load("systems/agent-os/svelte");
    const { store, frames, projection, activities } = createAgUiSvelteFrameStore();
    let [shown, list, count] = [undefined, undefined, 0];
    const offs = [projection.subscribe((value) => (shown = value)), activities.subscribe((value) => (list = value)), frames.subscribe(() => count++)];
    store.appendMany(stream);
    assert.deepEqual([shown.status, shown.text, list.map(({ kind }) => kind), count], ["running", "Hello", ["run", "message"], 2]);
    offs.forEach((off) => off());
    store.reset();
    assert.equal(shown.text, "Hello", "a store without readers reads nothing");
  });
});

describe("The page's example of a resume", () => {
  it("runs, and gives what it says", () => {
    const page = readFileSync(new URL("../../docs/systems/agent-os.md", import.meta.url), "utf8");
    const [, code] = /```ts\nimport \{ lowerSubmitInput \}[^\n]*\n([\s\S]*?)```/.exec(page);
    const [program, said] = code.split(/console\.log\(request\.resume\);\n/);
    const request = new Function("lowerSubmitInput", `${program}; return request;`)(adapter.lowerSubmitInput);
    const expected = new Function(`return (${said.replace(/^\/\/ ?/gm, "")});`)();
    assert.deepEqual(request.resume, expected);
  });
});

describe("Field Retention", () => {
  it("row 1: agent.run.started → RUN_STARTED.runId", () => {
    assert.deepEqual(frames("agent.run.started", {})[0], { type: "RUN_STARTED", timestamp: 70, threadId: "conversation:c", runId: "7" });
  });

  it("row 2: the scope → RUN_STARTED.threadId, unless the caller overrides it", () => {
    assert.equal(frames("agent.run.started", {}, { threadId: "mine" })[0].threadId, "mine");
  });

  it("row 3: items.message → TEXT_MESSAGE_*", () => {
    const made = frames("llm.response", { runId: 1, items: [{ type: "message", text: "Hi" }] });
    assert.deepEqual(types(made).slice(0, 3), ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]);
  });

  it("row 4: items.tool_call → TOOL_CALL_START, a summary as TOOL_CALL_ARGS, TOOL_CALL_END", () => {
    const made = frames("llm.response", { items: [{ type: "tool_call", toolCallId: "c", toolName: "bash", args: { command: "x" } }] });
    assert.deepEqual(types(made).slice(1, 4), ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]);
    assert.deepEqual(JSON.parse(made[2].delta), summary("tool_arguments", "object", { keys: ["command"] }));
  });

  it("row 5: usage → CUSTOM agent-os.llm.usage", () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const last = frames("llm.response", { runId: 1, turnIndex: 0, items: [], usage }).at(-1);
    assert.deepEqual([last.name, last.value], ["agent-os.llm.usage", { runId: 1, turnIndex: 0, usage }]);
  });

  it("row 6: tool.executed.result → a summary as TOOL_CALL_RESULT.content", () => {
    const [result] = frames("tool.executed", { toolCallId: "c", toolName: "bash", result: "secret" });
    assert.deepEqual([result.type, JSON.parse(result.content)], ["TOOL_CALL_RESULT", summary("tool_result", "string", { bytes: 6 })]);
  });

  it("row 7: agent.run.completed → RUN_FINISHED", () => {
    assert.deepEqual(types(frames("agent.run.completed", {})), ["RUN_FINISHED"]);
  });

  it("row 8: agent.aborted.* → RUN_ERROR", () => {
    const [error] = frames("agent.aborted.retries", { reason: "agent.aborted.retries" });
    assert.deepEqual([error.type, error.code], ["RUN_ERROR", "agent.aborted.retries"]);
  });

  it("row 9: other safe events → CUSTOM with their safePayload", () => {
    const [custom] = frames("workspace_job.verified", { checks: 3 }, {}, { factOwnerRef: "@agent-os/workspace-job" });
    assert.deepEqual(custom.value, { id: 7, kind: "workspace_job.verified", safePayload: { checks: 3 } });
  });
});

describe("Redaction", () => {
  it("line 3: reasoning is its summary or a marker, and its metadata is not forwarded", () => {
    const items = [{ type: "reasoning", summary: "I look it up", metadata: { signature: "sig" } }, { type: "reasoning", text: "private" }];
    const made = frames("llm.response", { items });
    assert.deepEqual(made.filter(({ type }) => type === "REASONING_MESSAGE_CONTENT").map(({ delta }) => delta), ["I look it up", "[redacted reasoning]"]);
    assert.deepEqual(verifyAgUiFrameSafety(made, { forbiddenLiterals: ["sig", "private"] }), []);
  });

  it("line 5: arguments, results, run input and run output are summaries by default, whichever row brings them", () => {
    const secret = "sk-secret";
    for (const [kind, payload] of [
      ["chat.ingested", { intent: secret }],
      ["llm.requested", { modelId: "m", toolNames: [], input: secret, args: secret }],
      ["agent.run.interrupted", { interruptId: "i", intent: { text: secret }, result: [secret] }],
      ["agent.run.resumed", { output: secret }],
      ["runtime.completed_after_tools", { final: secret }],
      ["agent.run.completed", { final: secret, output: { text: secret }, outputKind: "text", tokensUsed: 3 }],
      ["llm.response", { items: [{ type: "refusal", refusal: secret }, { type: "error", error: { url: `https://host/?key=${secret}` } }] }],
      ["llm.response", {
        items: [{ type: "tool_call", toolCallId: "c", toolName: "t", args: secret }, { type: "tool_result", toolCallId: "c", result: secret }],
      }],
      ["tool.executed", { toolCallId: "c", toolName: "t", result: secret }],
      // It says that it is a summary, and carries the value itself.
      ["chat.ingested", { intent: { redacted: true, reason: "run_input", type: "string", value: secret } }],
      ["agent.run.completed", { final: { redacted: true, reason: "run_output", type: "string", bytes: secret } }],
    ]) {
      const made = frames(kind, payload);
      assert.ok(made.length > 0, kind);
      assert.deepEqual(verifyAgUiFrameSafety(made, { forbiddenLiterals: [secret] }), [], kind);
    }
    const [{ result }] = frames("agent.run.completed", { final: "abc", output: { a: 1 }, outputKind: "json", tokensUsed: 3 });
    const output = summary("run_output", "object", { keys: ["a"] });
    assert.deepEqual(result, { final: summary("run_output", "string", { bytes: 3 }), output, outputKind: "json", tokensUsed: 3 });
    assert.deepEqual(frames("chat.ingested", { intent: "abc" })[0].value.intent, summary("run_input", "string", { bytes: 3 }));
    assert.equal(frames("chat.ingested", {})[0].value.intent, null);
    const [refusal] = frames("llm.response", { items: [{ type: "refusal", refusal: "no" }] });
    assert.deepEqual(refusal.value.refusal, summary("provider_error", "string", { bytes: 2 }));
  });

  it("line 5: what is a summary already stays as it is", () => {
    const given = summary("run_input", "string", { bytes: 12 });
    assert.deepEqual(frames("chat.ingested", { intent: given })[0].value.intent, given);
  });

  it("line 6: verifyAgUiFrameSafety finds forbidden literals and patterns", () => {
    const issues = verifyAgUiFrameSafety([{ type: "CUSTOM", value: "sk-1" }], { forbiddenLiterals: ["sk-1"], forbiddenPatterns: [/sk-\d/] });
    assert.deepEqual(issues.map(({ kind, path }) => [kind, path]), [["literal", "$.value"], ["pattern", "$.value"]]);
  });
});

describe("Compatibility Contract", { skip: !real && "needs the built core" }, () => {
  it("the wire shape of AG-UI 0.0.55 is read from end to end", async () => {
    const { createAgent } = await load("index");
    const name = "agentos/01-completed-run.envelope-v2";
    const { fetch } = answering(fixture(`${name}.sse`));
    const agent = createAgent({ url: "http://host/agent", fetch, dialect: "agent-os", rules: "strict" });
    assert.equal((await agent.submit("hi")).outcome, "success");
    const { reduction } = jsonFixture(`${name}.expected.json`);
    const texts = agent.getSnapshot().messages.filter(({ role, content }) => role === "assistant" && content);
    assert.equal(texts.map(({ content }) => content).join(""), reduction.text);
    agent.dispose();
  });
});

describe("Non-Goals", { skip: !real && "needs the built core" }, () => {
  it("line 1: no tool is executed through AG-UI", async () => {
    const { createAgent } = await load("index");
    let executed = 0;
    const tools = [{ name: "bash", description: "Runs", parameters: {}, execute: () => executed++ }];
    const rows = [
      row("agent.run.started", {}),
      row("llm.response", { items: [{ type: "tool_call", toolCallId: "c", toolName: "bash", args: {} }] }),
      row("agent.run.completed", {}),
    ];
    const envelopes = projectLedgerEventsToAgUiEnvelopes(rows.map((one, at) => ({ ...one, id: at + 1, payload: undefined })));
    const { fetch } = answering(envelopes.map((one) => `event: ag_ui\ndata: ${JSON.stringify(one)}\n\n`).join(""));
    const agent = createAgent({ url: "http://host/agent", fetch, dialect: "agent-os", tools });
    assert.equal((await agent.submit("hi")).outcome, "success");
    assert.deepEqual([executed, agent.getSnapshot().toolCalls.length], [0, 1]);
    agent.dispose();
  });

  it("line 1: client-provided tool declarations give nothing but their names", () => {
    const tools = [{ name: "bash", description: "Runs", parameters: { type: "object" }, metadata: { quota: 1 } }];
    const input = { threadId: "t", runId: "r", messages: [], tools };
    const { context, ...rest } = adapter.agUiRunAgentInputToSubmitInput(input);
    assert.deepEqual(context.agUi.clientToolNames, ["bash"]);
    assert.deepEqual(rest, { intent: "" });
  });
});
