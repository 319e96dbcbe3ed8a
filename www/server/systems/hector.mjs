/**
 * Hector. Version 1 streams A2A responses (`task`, `message`, `statusUpdate`), or its own AG-UI form of them when that is
 * asked for. Version 2 answers JSON-RPC with A2A of another spelling and has no AG-UI form. A conversation is a context.
 */
import { randomUUID } from "node:crypto";
import { json, parse, problem } from "../http.mjs";
import { mark, pieces, tokens, until, wait } from "../steps.mjs";
import { AgUiForm } from "./hector-form.mjs";

const AGENT = "ROLE_AGENT";
const AT = "2026-01-10T10:00:00.5Z";

// ---- Version 1 ----

/** A run of version 1, as native responses. */
class Task {
  constructor({ threadId, taskId }) {
    this.contextId = threadId;
    this.taskId = taskId ?? randomUUID();
    this.messageId = `msg-${this.taskId}`;
  }

  task(state) {
    return { task: { id: this.taskId, contextId: this.contextId, status: { state: `TASK_STATE_${state}`, timestamp: AT } } };
  }

  status(state, final) {
    const status = { state: `TASK_STATE_${state}`, timestamp: AT };
    return { statusUpdate: { taskId: this.taskId, contextId: this.contextId, status, ...(final && { final }) } };
  }

  part(part) {
    const { messageId, contextId, taskId } = this;
    return { message: { messageId, contextId, taskId, role: AGENT, parts: [part] } };
  }

  *begin() {
    yield this.task("SUBMITTED");
    yield this.status("WORKING");
    yield mark("start");
  }

  *think(text) {
    const block_id = `think-${this.taskId}`;
    const metadata = { block_id, block_index: 0, block_type: "thinking", event_type: "thinking" };
    for (const piece of ["", ...pieces(text, 9)]) {
      yield this.part({ text: piece, metadata });
      yield wait(40);
    }
    const end = { block_id, block_type: "thinking_complete", event_type: "thinking_complete" };
    yield this.part({ data: { data: { signature: "c2lnbmF0dXJl", thinking_id: block_id } }, metadata: end });
    yield mark("reasoning");
  }

  *say(text) {
    for (const piece of tokens(text)) {
      yield this.part({ text: piece });
      yield wait(30);
    }
  }

  call(id, name, args) {
    return this.part({
      data: { data: { arguments: args, id, name } },
      metadata: { event_type: "tool_call", tool_call_id: id, tool_name: name },
    });
  }

  result(id, content, { final = true, error = "" } = {}) {
    return this.part({
      data: { data: { content, error, tool_call_id: id } },
      metadata: { event_type: "tool_call", is_error: error !== "", tool_call_id: id, is_final: final },
    });
  }
}

/** The native responses of a script, or the AG-UI form of them, as named events. */
const version1 = (script) =>
  function* (input) {
    const form = input.form === "agui" ? new AgUiForm() : undefined;
    for (const item of script(input)) {
      if (item.step !== undefined) yield item;
      else if (form === undefined) yield { name: item.error === undefined ? "message" : "error", data: item };
      else yield* form.take(item);
    }
    if (!input.rpc) yield { name: "done", data: {} }; // the JSON-RPC route ends without a word
  };

const weather = {
  name: "weather",
  title: "Thinking and a tool",
  about: "Thoughts, a search whose result grows, and an answer in two blocks.",
  prompt: "What is the weather in Berlin?",
  run: version1(function* (input) {
    const task = new Task(input);
    const id = `call-${task.taskId}`;
    yield* task.begin();
    yield* task.think("The user wants weather. Use the tool.");
    yield* task.say("I'll check. ");
    yield task.call(id, "web_search", { query: "weather Berlin", limit: 3 });
    yield mark("called");
    for (const [content, final] of [["Searching", false], ["Searching... 12 °C, rain", true]]) {
      yield wait(500);
      yield task.result(id, content, { final });
    }
    yield mark("text");
    yield* task.say("It is **12 °C** and raining in Berlin.");
    yield task.status("COMPLETED", true);
  }),
};

/** The questions that wait for an answer, by context. A stream that has asked stays open, and continues it. */
const waiting = new Map();

function ask(contextId) {
  const asked = { decision: undefined };
  asked.promise = new Promise((resolve) => (asked.resolve = resolve));
  waiting.set(contextId, asked);
  return asked;
}

/** Answers the question of a context, if one waits. */
function decide(contextId, decision) {
  const asked = waiting.get(contextId);
  if (asked === undefined) return false;
  asked.decision = decision;
  asked.resolve();
  return true;
}

function* settle(task, approved) {
  const id = `call-${task.taskId}`;
  yield* task.say(approved ? "SUCCESS: Approved: execute_command. " : "DENIED: execute_command. ");
  yield approved ? task.result(id, "total 0") : task.result(id, "", { error: "the user has denied it" });
  yield* task.say(approved ? "The folder is empty." : "I left the folder alone.");
  yield task.status("COMPLETED", true);
}

const approval = {
  name: "approval",
  title: "A tool to be approved",
  about: "The stream waits, open, until a message of yours approves or denies. Its AG-UI form has the question as text only.",
  prompt: "What is in this folder?",
  run: version1(function* (input) {
    const { threadId, decision } = input;
    const task = new Task(input);
    if (decide(threadId, decision)) {
      // The stream that has asked continues; this one has nothing to add.
      yield task.status("COMPLETED", true);
      return;
    }
    yield* task.begin();
    yield task.call(`call-${task.taskId}`, "execute_command", { command: "ls -la" });
    yield task.part({ text: "🔐 Tool Approval Required\n\nTool: execute_command\nls -la\n\nPlease respond with: approve or deny" });
    const question = { interaction_type: "tool_approval", options: ["approve", "deny"], tool_input: "ls -la", tool_name: "execute_command" };
    yield task.part({ data: { data: question } });
    yield mark("asked");
    const asked = ask(threadId);
    try {
      yield until(asked.promise);
    } finally {
      waiting.delete(threadId); // also when the client has left
    }
    yield* settle(task, asked.decision === "approve");
  }),
};

const failure = {
  name: "failure",
  title: "A failing service",
  about: "The stream breaks off with an error and without a last state.",
  prompt: "Write me a poem.",
  run: version1(function* (input) {
    const task = new Task(input);
    yield* task.begin();
    yield* task.say("Roses are");
    yield { error: { message: "Service error: rpc error: code = Internal desc = reasoning failed" } };
  }),
};

/** A message that is not answered with a stream: here one that answers a question. */
function send(input) {
  if (!decide(input.threadId, input.decision)) throw problem(400, "Nothing waits for an answer in this context.");
  return new Task(input).task("WORKING");
}

/** A message of version 1, whatever its spelling: `{ role, contextId, taskId, parts }`. */
function read(text, request, query) {
  const body = parse(text);
  const rpc = body.jsonrpc === "2.0";
  if (rpc && !["message/stream", "message:stream"].includes(body.method)) throw problem(400, `There is no method ${body.method}.`);
  const { message, request: other } = rpc ? (body.params ?? {}) : body;
  const { contextId, taskId, parts, content } = message ?? other ?? {};
  const given = parts ?? content;
  if (!Array.isArray(given) || given.length === 0) throw problem(400, "The message has no parts.");
  const accept = request.headers.accept ?? "";
  const agui = /application\/(x-agui-events|agui\+json)/.test(accept) || query.get("format") === "agui";
  return {
    threadId: contextId ?? randomUUID(),
    runId: taskId ?? randomUUID(),
    rpc,
    form: agui ? "agui" : "native",
    decision: decisionOf(given),
    body,
  };
}

/** The decision in a message; a text that is neither counts as a denial. */
function decisionOf(parts) {
  for (const { data, text } of parts) {
    const decision = data?.data?.decision ?? data?.decision;
    if (decision !== undefined) return decision;
    if (/\b(approve|yes)\b/i.test(text)) return "approve";
  }
  return "deny";
}

const card = (path) => ({ name, title }, site) => ({
  name: title,
  description: `The scenario ${name} of the demo.`,
  url: `${site}${path.replace("*", name)}`,
  capabilities: { streaming: true, extensions: [{ uri: "https://ag-ui.org/protocol/v1", description: "AG-UI events", required: false }] },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain", "application/json", "application/x-agui-events"],
});

export const hector = {
  name: "hector",
  paths: ["/v1/agents/*/message:stream", "/v1/agents/*/stream"],
  unary: ["/v1/agents/*/message:send"],
  send,
  cards: ["/v1/agents/*/", "/v1/agents/*/.well-known/agent-card.json"],
  scenarios: [weather, approval, failure],
  read,
  card: card("/v1/agents/*/"),
  frame: ({ name, data }) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
};

// ---- Version 2 ----

/** A run of version 2. The events of one author are parts of one artifact. */
class Run2 {
  #artifact;
  #count = 0;
  #thinking;

  constructor({ threadId, taskId }) {
    this.contextId = threadId;
    this.taskId = taskId ?? randomUUID();
    this.#artifact = `art-${randomUUID().slice(0, 8)}`;
    this.#thinking = `thinking_${randomUUID().slice(0, 8)}`;
  }

  status(state, { final = false, message, metadata } = {}) {
    const { contextId, taskId } = this;
    const said = message && {
      message: { kind: "message", messageId: `m-${randomUUID().slice(0, 8)}`, contextId, parts: [{ kind: "text", text: message }], role: "agent", taskId },
    };
    return { kind: "status-update", contextId, final, status: { ...said, state, timestamp: AT }, taskId, ...(metadata && { metadata }) };
  }

  artifact(parts, metadata, last = false) {
    const { contextId, taskId } = this;
    const append = this.#count > 0;
    this.#count += 1;
    return {
      kind: "artifact-update",
      ...(append && { append }),
      artifact: { artifactId: this.#artifact, parts },
      contextId,
      ...(last && { lastChunk: true }),
      taskId,
      ...(metadata && { metadata: { author: "assistant", event_id: `e${this.#count}`, ...metadata } }),
    };
  }

  *begin() {
    yield this.status("submitted");
    yield this.status("working");
    yield mark("start");
  }

  *think(text) {
    const thinking = { id: this.#thinking, status: "active", type: "default" };
    for (const content of pieces(text, 9)) {
      const part = { kind: "data", data: { content, id: this.#thinking, status: "active", type: "thinking" } };
      yield this.artifact([part], { partial: true, thinking: { ...thinking, content } });
      yield wait(40);
    }
    yield mark("reasoning");
  }

  /** Text in pieces, then all of it again with what belongs to it: that one replaces, and does not add. */
  *say(text, { parts = [], metadata = {} } = {}) {
    for (const piece of tokens(text)) {
      yield this.artifact([{ kind: "text", text: piece }], { partial: true });
      yield wait(30);
    }
    yield this.artifact([{ kind: "text", text }, ...parts], { partial: false, ...metadata });
  }

  *sayAndCall(text, thought, id, name, args) {
    yield* this.say(text, {
      parts: [{ kind: "data", data: { arguments: args, id, name, type: "tool_use" } }],
      metadata: {
        thinking: { content: thought, id: this.#thinking, status: "completed", type: "default", signature: "sig==" },
        tool_calls: [{ args, id, name, status: "working" }],
      },
    });
  }

  result(id, name, content, { status = "success", approval: approved = false, error = false } = {}) {
    const data = { content, is_error: error, ...(approved && { requires_approval: true }), tool_call_id: id, tool_name: name, type: "tool_result" };
    return this.artifact([{ kind: "data", data }], { partial: false, tool_results: [{ content, is_error: error, status, tool_call_id: id }] });
  }

  *end(state, more) {
    yield this.artifact(null, undefined, true);
    yield this.status(state, { final: true, ...more });
  }
}

const weather2 = {
  ...weather,
  about: "The text comes in pieces, and then once more as a whole.",
  *run(input) {
    const run = new Run2(input);
    const id = `toolu_${run.taskId}`;
    const thought = "The user wants weather. Use the tool.";
    yield* run.begin();
    yield* run.think(thought);
    yield* run.sayAndCall("I'll check.", thought, id, "web_search", { query: "weather Berlin" });
    yield wait(700);
    yield run.result(id, "web_search", "12 °C, rain");
    yield mark("text");
    yield* run.say("It is **12 °C** and raining in Berlin.");
    yield* run.end("completed");
  },
};

const approval2 = {
  ...approval,
  about: "The run ends where it needs you, and your answer is the next message.",
  *run(input) {
    const { answer } = input;
    const run = new Run2({ ...input, taskId: answer?.task_id });
    if (answer !== undefined) {
      const approved = answer.decision === "approve";
      yield run.status("working");
      yield approved
        ? run.result(answer.tool_call_id, "bash", "total 0")
        : run.result(answer.tool_call_id, "bash", "Denied by the user", { status: "denied", error: true });
      yield* run.say(approved ? "The folder is empty." : "I left the folder alone.");
      yield* run.end("completed");
      return;
    }
    const id = `toolu_${run.taskId}`;
    const thought = "The folder has to be listed.";
    yield* run.begin();
    yield* run.think(thought);
    yield* run.sayAndCall("I'll list the files.", thought, id, "bash", { command: "ls" });
    yield run.result(id, "bash", "Awaiting approval for tool: bash", { status: "pending_approval", approval: true });
    const prompt = "Tool 'bash' requires approval.\nArguments: map[command:ls]";
    yield* run.end("input-required", {
      message: prompt,
      metadata: { input_prompt: prompt, input_required: true, long_running_tool_ids: [id] },
    });
  },
};

const failure2 = {
  ...failure,
  about: "The task fails, and its last state says why.",
  *run(input) {
    const run = new Run2(input);
    yield* run.begin();
    yield* run.say("Roses are");
    yield* run.end("failed", { message: "The model did not answer." });
  },
};

/** A JSON-RPC request of version 2. */
function read2(text) {
  const { jsonrpc, id, method, params } = parse(text);
  const refuse = (code, message) => {
    throw Object.assign(problem(200, message), { rpc: { jsonrpc: "2.0", id: id ?? null, error: { code, message } } });
  };
  if (jsonrpc !== "2.0") refuse(-32600, "invalid request");
  if (method !== "message/stream") refuse(-32601, "method not found");
  const { message } = params ?? {};
  if (message?.role !== "user" || !Array.isArray(message.parts) || message.parts.some(({ kind }) => kind === undefined)) {
    refuse(-32602, "invalid params");
  }
  const answer = message.parts.find(({ data }) => data?.type === "tool_approval")?.data;
  return { threadId: message.contextId ?? randomUUID(), runId: message.taskId ?? String(id), id, answer, message };
}

export const hector2 = {
  name: "hector-2",
  paths: ["/agents/*"],
  cards: ["/agents/*/.well-known/agent-card.json"],
  scenarios: [weather2, approval2, failure2],
  read: read2,
  card: card("/agents/*"),
  frame: (result, { id }) => `id: ${randomUUID()}\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`,
  refuse: (error, response) => json(response, error.status ?? 400, error.rpc ?? { error: error.message }),
};
