/**
 * Hector's answers, byte for byte as its servers frame them: version 1 in its AG-UI form or as A2A, whichever `accept` asks
 * for, and version 2 with a tool that has to be approved. The body selects one of them.
 *
 * @param body the JSON of the request
 * @param {(bytes: string) => unknown} write takes the event stream, piece by piece
 * @param {{ accept?: string, wait?: () => unknown }} options `wait`: called between the pieces
 */
export async function hector(body, write, { accept = "", wait = () => {} } = {}) {
  const tell = async (frames) => {
    for (const frame of frames) {
      await write(frame);
      await wait();
    }
  };
  const message = body.params?.message ?? body.params?.request ?? body.message ?? body.request ?? {};
  if (body.params?.message) return tell(version2(body.id, message));
  // The route of JSON-RPC does not say that it is done.
  const done = body.jsonrpc ? [] : [named("done", {})];
  await tell([...(accept.includes("application/x-agui-events") ? form(message) : native(message)), ...done]);
}

const id = () => crypto.randomUUID();
const named = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

const THOUGHTS = ["The user wants weather. ", "Use the tool."];
const CALL = { id: "call-1", name: "web_search", arguments: { query: "weather Berlin", limit: 3 } };
const RESULTS = ["Searching", "Searching … 12 °C, rain"];
const ANSWER = ["It is 12 °C ", "and raining ", "in Berlin."];

function* form({ contextId }) {
  const [taskId, messageId, thinkingId] = [id(), `msg-${Date.now()}`, `think-${Date.now()}`];
  const event = (name, payload) => {
    const member = name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    const [type, timestamp] = [`AGUI_EVENT_TYPE_${name.toUpperCase()}`, new Date().toISOString()];
    return named(name, { eventId: id(), type, timestamp, [member]: payload });
  };
  yield event("task_start", { taskId, contextId });
  yield event("message_start", { messageId, contextId, taskId, role: "agent" });
  yield event("task_update", { taskId, status: "working" });
  yield event("thinking_start", { thinkingId });
  for (const delta of THOUGHTS) yield event("thinking_delta", { thinkingId, delta });
  yield event("thinking_stop", { thinkingId });
  yield event("tool_call_start", { toolCallId: CALL.id + taskId, toolName: CALL.name, input: CALL.arguments });
  for (const result of RESULTS) yield event("tool_call_stop", { toolCallId: CALL.id + taskId, finalInput: {}, result });
  const blockId = id();
  yield event("content_block_start", { blockId, blockType: "text" });
  for (const delta of ANSWER) yield event("content_block_delta", { blockId, delta });
  yield event("content_block_stop", { blockId });
  yield event("message_stop", { messageId });
  yield event("task_update", { taskId, status: "completed" });
}

function* native({ contextId }) {
  const [taskId, messageId] = [id(), `msg-${Date.now()}`];
  const status = (state, rest) =>
    named("message", { statusUpdate: { taskId, contextId, status: { state: `TASK_STATE_${state}`, timestamp: new Date().toISOString() }, ...rest } });
  const part = (part) => named("message", { message: { messageId, contextId, taskId, role: "ROLE_AGENT", parts: [part] } });
  const call = CALL.id + taskId;
  yield named("message", { task: { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED", timestamp: new Date().toISOString() } } });
  yield status("WORKING");
  const thinking = { block_id: `think-${taskId}`, block_index: 0, block_type: "thinking", event_type: "thinking" };
  for (const text of ["", ...THOUGHTS]) yield part({ text, metadata: thinking });
  const tool = { event_type: "tool_call", tool_call_id: call };
  yield part({ data: { data: { ...CALL, id: call } }, metadata: { ...tool, tool_name: CALL.name } });
  for (const content of RESULTS) {
    const metadata = { ...tool, is_error: false, is_final: content === RESULTS.at(-1) };
    yield part({ data: { data: { content, error: "", tool_call_id: call } }, metadata });
  }
  for (const text of ANSWER) yield part({ text });
  yield status("COMPLETED", { final: true });
}

function* version2(request, { contextId, parts = [] }) {
  const approval = parts.find(({ data }) => data?.type === "tool_approval")?.data;
  const taskId = approval?.task_id ?? id();
  const artifactId = id();
  const result = (result) => `id: ${id()}\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: request, result })}\n\n`;
  const status = (state, rest, more) => {
    const stands = { state, timestamp: new Date().toISOString(), ...more };
    return result({ kind: "status-update", contextId, final: false, status: stands, taskId, ...rest });
  };
  let append;
  const update = (parts, metadata, rest) => {
    const told = result({ kind: "artifact-update", append, artifact: { artifactId, parts }, contextId, taskId, metadata, ...rest });
    append = true;
    return told;
  };
  const by = (partial, rest) => ({ author: "assistant", event_id: id(), partial, ...rest });
  function* say(pieces, rest = [], metadata = {}) {
    for (const text of pieces) yield update([{ kind: "text", text }], by(true));
    yield update([{ kind: "text", text: pieces.join("") }, ...rest], by(false, metadata));
  }
  const answer = (call, content, how) => {
    const data = {
      type: "tool_result",
      tool_call_id: call,
      tool_name: "bash",
      content,
      is_error: how !== "success" && how !== "pending_approval",
      requires_approval: how === "pending_approval",
    };
    const told = { tool_call_id: call, content, status: how, is_error: data.is_error };
    return update([{ kind: "data", data }], by(false, { tool_results: [told] }));
  };

  if (approval) {
    yield status("working");
    const approved = approval.decision === "approve";
    yield answer(approval.tool_call_id, approved ? "a.txt\nb.txt" : "The tool was denied.", approved ? "success" : "denied");
    yield* say(approved ? ["There are two files: ", "a.txt and b.txt."] : ["I will not look ", "at the files."]);
    yield update(null, undefined, { lastChunk: true });
    return yield status("completed", { final: true });
  }
  yield status("submitted");
  yield status("working");
  const thinking = { id: `thinking_${taskId}`, type: "default" };
  for (const content of ["Need to ", "list files."]) {
    const data = { type: "thinking", id: thinking.id, content, status: "active" };
    yield update([{ kind: "data", data }], by(true, { thinking: { ...thinking, content, status: "active" } }));
  }
  yield ": keep-alive\n\n";
  const call = { id: `toolu_${taskId}`, name: "bash", arguments: { command: "ls" } };
  const calls = [{ id: call.id, name: call.name, args: call.arguments, status: "working" }];
  const thought = { ...thinking, content: "Need to list files.", status: "completed", signature: "sig==" };
  yield* say(["I'll list ", "the files."], [{ kind: "data", data: { type: "tool_use", ...call } }], { thinking: thought, tool_calls: calls });
  yield answer(call.id, "Awaiting approval for tool: bash", "pending_approval");
  yield update(null, undefined, { lastChunk: true });
  const prompt = "Tool 'bash' requires approval.\nArguments: map[command:ls]";
  const asks = { kind: "message", messageId: id(), contextId, parts: [{ kind: "text", text: prompt }], role: "agent", taskId };
  const metadata = { input_prompt: prompt, input_required: true, long_running_tool_ids: [call.id] };
  yield status("input-required", { final: true, metadata }, { message: asks });
}
