/**
 * agentOS: a ledger whose rows go out as `event: ag_ui` envelopes, each with the AG-UI frames that its row is projected to.
 * Inputs of a model, and results of its tools, are sent as a summary only. A thread is a scope; its ledger counts on over runs.
 */
import { parse, problem } from "../http.mjs";
import { mark, wait } from "../steps.mjs";

const KEPT = 500;
const START = Date.UTC(2026, 5, 12);

/** The last row's id of each thread. */
const ledgers = new Map();

/** A summary in place of a value that must not leave the server. */
function summary(reason, value) {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const size = {
    string: () => ({ bytes: Buffer.byteLength(value) }),
    array: () => ({ items: value.length }),
    object: () => ({ keys: Object.keys(value).sort((a, b) => a.localeCompare(b)) }),
  };
  return { redacted: true, reason, type, ...size[type]?.() };
}

/** A run as its thread's ledger keeps it: `row` makes envelopes. */
class Run {
  #threadId;
  #scopeKey;

  constructor({ threadId }, runId) {
    this.#threadId = threadId;
    this.#scopeKey = `conversation:${encodeURIComponent(threadId).replaceAll(".", "%2E")}`;
    this.id = runId ?? this.#next() + 1;
  }

  #next() {
    return ledgers.get(this.#threadId) ?? 0;
  }

  row(kind, payload, owner = "@agent-os/runtime") {
    const id = this.#next() + 1;
    ledgers.delete(this.#threadId);
    ledgers.set(this.#threadId, id);
    if (ledgers.size > KEPT) ledgers.delete(ledgers.keys().next().value);
    const ts = START + id * 100;
    const head = { id, ts, kind, scopeKey: this.#scopeKey };
    const safeEvent = { ...head, factOwnerRef: owner, safePayload: payload };
    const frames = project[kind]?.(payload, { threadId: this.#threadId, scopeKey: this.#scopeKey, eventId: id });
    const agUiFrames = (frames ?? [custom(kind, { id, kind, safePayload: payload })]).map(({ type, ...rest }) => ({ type, timestamp: ts, ...rest }));
    return { ...head, safeEvent, agUiFrames };
  }
}

const custom = (name, value) => ({ type: "CUSTOM", name, value });

/** The frames of a row, by its kind; every other kind is a CUSTOM of its name. */
const project = {
  "agent.run.started": ({ runId }, { threadId }) => [{ type: "RUN_STARTED", threadId, runId: String(runId) }],
  "chat.ingested": ({ runId, intent }) => [custom("agent-os.chat.ingested", { runId, intent })],
  "llm.response": ({ runId, turnIndex, items, usage }) => {
    const count = {};
    return [
      ...items.flatMap((item) => {
        count[item.type] = (count[item.type] ?? -1) + 1;
        return itemFrames(item, runId, turnIndex, count[item.type]);
      }),
      custom("agent-os.llm.completed", { runId, turnIndex, usage }),
      custom("agent-os.llm.usage", { runId, turnIndex, usage }),
    ];
  },
  "tool.executed": ({ runId, toolCallId, toolName, result }) => [
    {
      type: "TOOL_CALL_RESULT",
      messageId: `agent-os:run:${runId}:tool-result:${toolCallId}`,
      toolCallId,
      content: JSON.stringify(result),
      role: "tool",
    },
    custom("agent-os.tool.completed", { runId, toolCallId, toolName }),
  ],
  "tool.rejected": ({ runId, toolCallId, toolName, diagnostics }) => [
    custom("agent-os.tool.policy_rejected", { runId, toolCallId, toolName, diagnostics }),
  ],
  "agent.run.interrupted": (payload, { scopeKey, eventId }) => {
    const { runId, turnIndex, interruptId, decision } = payload;
    const { gateRef, ...asked } = decision;
    const ref = {
      kind: "agent.run.input_request",
      scopeKey,
      afterEventId: eventId,
      runId,
      turnIndex,
      interruptId,
      interruptionEventId: eventId,
      gateRef,
      requestKind: "approval",
    };
    return [custom("agent-os.run.interrupted", { ...payload, inputRequest: { kind: "approval", ...asked, ref } })];
  },
  "agent.run.resumed": (payload) => [custom("agent-os.run.resumed", payload)],
  "agent.run.completed": ({ runId, final, output, outputKind, tokensUsed }, { threadId }) => [
    { type: "RUN_FINISHED", threadId, runId: String(runId), result: { final, output, outputKind, tokensUsed }, outcome: { type: "success" } },
  ],
  "agent.aborted.tool_error": ({ runId, reason, abortKind }, { threadId }) => [
    { type: "RUN_ERROR", threadId, runId: String(runId), message: reason, code: abortKind },
  ],
};

function itemFrames(item, runId, turnIndex, ordinal) {
  const messageId = `agent-os:run:${runId}:turn:${turnIndex}:${item.type}:${ordinal}`;
  switch (item.type) {
    case "message":
      return [
        { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
        { type: "TEXT_MESSAGE_CONTENT", messageId, delta: item.text },
        { type: "TEXT_MESSAGE_END", messageId },
      ];
    case "reasoning":
      // This system gives its reasoning no role.
      return [
        { type: "REASONING_START", messageId },
        { type: "REASONING_MESSAGE_START", messageId },
        { type: "REASONING_MESSAGE_CONTENT", messageId, delta: item.summary },
        { type: "REASONING_MESSAGE_END", messageId },
        { type: "REASONING_END", messageId },
      ];
    case "tool_call": {
      const { toolCallId, toolName, args } = item;
      return [
        custom("agent-os.tool.started", { runId, turnIndex, toolCallId, toolName }),
        { type: "TOOL_CALL_START", toolCallId, toolCallName: toolName },
        { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
        { type: "TOOL_CALL_END", toolCallId },
      ];
    }
  }
  return [];
}

const roles = ["developer", "system", "assistant", "user", "tool", "reasoning", "activity"];

/** The schema of the adapter: what it does not know it leaves out, a wrong type is refused. */
function read(text) {
  const { threadId, runId, messages, tools = [], resume = [] } = parse(text);
  const refuse = (what) => {
    throw problem(400, `TypeError: ${what}`);
  };
  if (typeof threadId !== "string" || typeof runId !== "string") refuse("threadId and runId must be strings");
  if (!Array.isArray(messages)) refuse("messages must be an array");
  for (const { role, content } of messages) {
    if (!roles.includes(role)) refuse(`unknown role ${role}`);
    if (content !== undefined && typeof content !== "string") refuse("content must be a string");
  }
  if (resume.length > 1) refuse("only one resume entry can be lowered");
  const [answer] = resume;
  if (answer !== undefined) {
    if (answer.status !== "resolved") refuse("only a resolved answer can be lowered");
    if (answer.payload?.kind !== "approval" || answer.payload.approved !== true) refuse("the payload does not approve");
  }
  return { threadId, runId, answer, messages: messages.length, tools: tools.map(({ name }) => name) };
}

const usage = (promptTokens, completionTokens) => ({ promptTokens, completionTokens, totalTokens: promptTokens + completionTokens });

function* begin(run, intent) {
  const payload = { runId: run.id, intent: summary("run_input", intent) };
  yield run.row("agent.run.started", payload);
  yield run.row("chat.ingested", payload);
  yield mark("start");
}

function* turn(run, turnIndex, items, tokens) {
  yield wait(500);
  yield run.row("llm.response", { runId: run.id, turnIndex, items, usage: tokens });
  yield mark("turn");
}

function complete(run, text, tokensUsed) {
  const output = summary("run_output", text);
  return run.row("agent.run.completed", { runId: run.id, final: output, output, outputKind: "text", tokensUsed });
}

const executed = (run, toolCallId, toolName, args, result) =>
  run.row("tool.executed", {
    runId: run.id,
    toolCallId,
    toolName,
    args: summary("tool_arguments", args),
    result: summary("tool_result", result),
  });

const call = (toolCallId, toolName, args) => ({ type: "tool_call", toolCallId, toolName, args: summary("tool_arguments", args) });

const text = {
  name: "text",
  title: "Reasoning and a tool",
  about: "Two turns of the model; arguments and results stay on the server.",
  prompt: "What is the weather in Porto?",
  *run(input) {
    const run = new Run(input);
    const toolCallId = `call-${run.id}`;
    const args = JSON.stringify({ city: "Porto" });
    yield* begin(run, text.prompt);
    yield* turn(
      run,
      0,
      [
        { type: "reasoning", summary: "Weather is asked for, so the forecast has to be looked up." },
        { type: "message", text: "I'll look at the forecast." },
        call(toolCallId, "lookup", args),
      ],
      usage(120, 34),
    );
    yield wait(700);
    yield executed(run, toolCallId, "lookup", args, { sky: "cloudy", high: 18 });
    const answer = "**18 °C and cloudy** in Porto. The ledger says how many bytes the tool was given, and nothing more.";
    yield* turn(run, 1, [{ type: "message", text: answer }], usage(180, 41));
    yield complete(run, answer, 375);
  },
};

const approval = {
  name: "approval",
  title: "Approval",
  about: "The run is interrupted for your decision, and resumed with it.",
  prompt: "Publish the page.",
  *run(input) {
    // The interrupt's id carries all that is needed to continue.
    const interrupted = Number(input.answer?.interruptId.match(/^i-(\d+)$/)?.[1]);
    yield* interrupted > 0 ? resumed(new Run(input, interrupted)) : ask(new Run(input));
  },
};

function* ask(run) {
  const toolCallId = `call-${run.id}`;
  const interruptId = `i-${run.id}`;
  yield* begin(run, approval.prompt);
  yield* turn(
    run,
    0,
    [{ type: "message", text: "The page is ready to be published." }, call(toolCallId, "publish", { page: "index.html" })],
    usage(90, 22),
  );
  yield run.row("agent.run.interrupted", {
    runId: run.id,
    turnIndex: 0,
    interruptId,
    reason: "approval_required",
    hasResumeSchema: true,
    tokensUsed: 112,
    decision: { gateRef: `decision-gate:${interruptId}`, subjectRef: "tool:publish", toolCallId, toolName: "publish" },
  });
}

function* resumed(run) {
  const toolCallId = `call-${run.id}`;
  const before = run.row("decision.recorded", { interruptId: `i-${run.id}` }, "@agent-os/decision-gate");
  yield before;
  yield run.row("agent.run.resumed", { runId: run.id, turnIndex: 0, interruptId: `i-${run.id}`, resumedAtEventId: before.id });
  yield wait(400);
  yield executed(run, toolCallId, "publish", { page: "index.html" }, { url: "https://page.example/" });
  const answer = "Published, as you allowed.";
  yield* turn(run, 1, [{ type: "message", text: answer }], usage(130, 12));
  yield complete(run, answer, 254);
}

const policy = {
  name: "policy",
  title: "Policy and abort",
  about: "A tool is refused by policy, another one fails, and the run is aborted.",
  prompt: "Build the page.",
  *run(input) {
    const run = new Run(input);
    const [bash, write] = [`call-${run.id}-a`, `call-${run.id}-b`];
    yield* begin(run, policy.prompt);
    yield* turn(run, 0, [call(bash, "bash", "make"), call(write, "write_file", "index.html")], usage(50, 20));
    yield run.row("tool.rejected", {
      runId: run.id,
      toolCallId: bash,
      toolName: "bash",
      args: summary("tool_arguments", "make"),
      claim: { rejectionKind: "policy_denied", reason: "denied" },
      diagnostics: { phase: "policy", reason: "denied" },
    });
    yield run.row("workspace_op.requested", { toolName: "write_file", toolCallId: write, path: "index.html" }, "@agent-os/workspace-op");
    yield run.row("acme.page.previewed", { title: "Preview made", text: "Two widths: 375 and 1280.", widths: [375, 1280] }, "@acme/page-product");
    yield wait(600);
    yield run.row("agent.aborted.tool_error", {
      abortKind: "agent.aborted.tool_error",
      runId: run.id,
      tokensUsed: 70,
      reason: "write_file failed: quota",
      toolName: "write_file",
    });
  },
};

export const agentOs = {
  name: "agent-os",
  paths: ["/agent-os/*"],
  scenarios: [text, approval, policy],
  read,
  frame: (envelope) => `event: ag_ui\ndata: ${JSON.stringify(envelope)}\n\n`,
};
