/**
 * A host of agentOS: a scope's ledger, each row in its envelope. It asks before it publishes, and continues the answer.
 *
 * A row's id grows over all requests of a thread, as a ledger's does.
 */

const scopes = new Map();

/**
 * @param {{ threadId: string, messages: { role: string, content?: string }[], resume?: { interruptId: string }[] }} input
 * @param {(text: string) => void | Promise<void>} write
 */
export async function agentOs(input, write) {
  const scopeKey = `conversation:${encodeURIComponent(input.threadId).replaceAll(".", "%2E")}`;
  const scope = scopes.get(scopeKey) ?? { id: 0, run: 0 };
  scopes.set(scopeKey, scope);
  const owner = "@agent-os/runtime";
  const row = async (kind, safePayload, ...frames) => {
    const base = { id: ++scope.id, ts: Date.now(), kind, scopeKey };
    const agUiFrames = frames.map(({ type, ...frame }) => ({ type, timestamp: base.ts, ...frame }));
    const envelope = { ...base, safeEvent: { ...base, factOwnerRef: owner, safePayload }, agUiFrames };
    await write(`event: ag_ui\ndata: ${JSON.stringify(envelope)}\n\n`);
  };
  const custom = (name, value) => ({ type: "CUSTOM", name: `agent-os.${name}`, value });
  const same = (kind, name, payload) => row(kind, payload, custom(name, payload));
  const threadId = input.threadId;

  const turn = async (turnIndex, items, ...frames) => {
    const usage = { runId: scope.run, turnIndex, usage: { promptTokens: 120, completionTokens: 30, totalTokens: 150 } };
    await row(
      "llm.response",
      { runId: scope.run, turnIndex, items, usage: usage.usage },
      ...frames,
      custom("llm.completed", usage),
      custom("llm.usage", usage),
    );
  };
  const said = (turnIndex, text) => {
    const messageId = `agent-os:run:${scope.run}:turn:${turnIndex}:message:0`;
    return [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
      { type: "TEXT_MESSAGE_END", messageId },
    ];
  };

  const answer = input.resume?.[0];
  if (!answer) {
    const question = input.messages.findLast(({ role }) => role === "user")?.content ?? "";
    const runId = (scope.run = scope.id + 1);
    const toolCallId = `call-${runId}`;
    const intent = summary("run_input", question);
    await row("agent.run.started", { runId, intent }, { type: "RUN_STARTED", threadId, runId: String(runId) });
    await same("chat.ingested", "chat.ingested", { runId, intent });
    const args = summary("tool_arguments", '{"page":"index"}');
    const thought = `agent-os:run:${runId}:turn:0:reasoning:0`;
    const text = "The page is ready. May I publish it?";
    const items = [
      { type: "reasoning", summary: "[redacted reasoning]" },
      { type: "message", text },
      { type: "tool_call", toolCallId, toolName: "publish", args },
    ];
    await turn(
      0,
      items,
      { type: "REASONING_START", messageId: thought },
      { type: "REASONING_MESSAGE_START", messageId: thought },
      { type: "REASONING_MESSAGE_CONTENT", messageId: thought, delta: "[redacted reasoning]" },
      { type: "REASONING_MESSAGE_END", messageId: thought },
      { type: "REASONING_END", messageId: thought },
      ...said(0, text),
      custom("tool.started", { runId, turnIndex: 0, toolCallId, toolName: "publish" }),
      { type: "TOOL_CALL_START", toolCallId, toolCallName: "publish" },
      { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) },
      { type: "TOOL_CALL_END", toolCallId },
    );
    const interruptId = `interrupt-${runId}`;
    const decision = { gateRef: `decision-gate:${interruptId}`, subjectRef: "tool:publish", toolCallId, toolName: "publish" };
    const eventId = scope.id + 1;
    const payload = { runId, turnIndex: 0, interruptId, reason: "approval_required", hasResumeSchema: true, tokensUsed: 150, decision };
    const place = { scopeKey, afterEventId: eventId, runId, turnIndex: 0, interruptId, interruptionEventId: eventId };
    const ref = { kind: "agent.run.input_request", ...place, gateRef: decision.gateRef, requestKind: "approval" };
    const inputRequest = { kind: "approval", subjectRef: "tool:publish", toolCallId, toolName: "publish", ref };
    await row("agent.run.interrupted", payload, custom("run.interrupted", { ...payload, inputRequest }));
    return;
  }

  const runId = scope.run;
  const toolCallId = `call-${runId}`;
  await same("agent.run.resumed", "run.resumed", { runId, turnIndex: 0, interruptId: answer.interruptId, resumedAtEventId: scope.id });
  const result = summary("tool_result", "https://example.com");
  await row(
    "tool.executed",
    { runId, toolCallId, toolName: "publish", args: summary("tool_arguments", '{"page":"index"}'), result },
    { type: "TOOL_CALL_RESULT", messageId: `agent-os:run:${runId}:tool-result:${toolCallId}`, toolCallId, content: JSON.stringify(result), role: "tool" },
    custom("tool.completed", { runId, toolCallId, toolName: "publish" }),
  );
  const text = "Published. It is there for everyone now.";
  await turn(1, [{ type: "message", text }], ...said(1, text));
  const output = summary("run_output", text);
  const end = { final: output, output, outputKind: "text", tokensUsed: 300 };
  const finished = { type: "RUN_FINISHED", threadId, runId: String(runId), result: end, outcome: { type: "success" } };
  await row("agent.run.completed", { runId, ...end }, finished);
}

function summary(reason, text) {
  return { redacted: true, reason, type: "string", bytes: Buffer.byteLength(text) };
}
