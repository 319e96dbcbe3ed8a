// Hector: its agent card, its approvals and the parts of its messages. The stream itself is read by the dialect `hector`.

import type { ResumeOptions, StopOptions } from "../types.js";
import { uuid } from "../uuid.js";

/** Settings of the dialect, beside its name: `dialect: { name: "hector", form: "native" }`. */
export interface HectorSettings {
  /**
   * What requests look like: version 1's `/v1/agents/{agent}/message:stream` (`rest`) or `/v1/agents/{agent}/stream` (`json-rpc`),
   * or version 2's `/agents/{agent}` (`v2`). Default: what the agent's `url` looks like, and `rest` if it looks like none of them.
   */
  readonly route?: "rest" | "json-rpc" | "v2" | undefined;
  /**
   * `agui` (default): requests ask for Hector's own AG-UI form with `Accept`. `native`: they take A2A as it is, which alone shows
   * when a tool waits for approval. What comes is read in either form. Version 2 has the native one only.
   */
  readonly form?: "agui" | "native" | undefined;
  /** The method of JSON-RPC that joins a task. Default: `tasks/resubscribe`; Hector 1.9 calls it `tasks/subscribe`. */
  readonly resubscribe?: string | undefined;
}

/** What an agent says of itself; see the A2A protocol. */
export interface AgentCard {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly capabilities?: { readonly extensions?: readonly { readonly uri?: string | undefined }[] | undefined } | undefined;
  readonly defaultOutputModes?: readonly string[] | undefined;
  readonly [member: string]: unknown;
}

/** How a request of this module is sent. */
export interface RequestOptions {
  readonly headers?: HeadersInit | undefined;
  readonly credentials?: RequestCredentials | undefined;
  readonly fetch?: typeof fetch | undefined;
}

const EXTENSION = "https://ag-ui.org/protocol/v1";
const MODES = ["application/x-agui-events", "application/agui+json"];

/**
 * The settings that fit an agent: its AG-UI form where its card names it, else the native one.
 *
 * @example
 * const url = "/v1/agents/assistant/message:stream";
 * const agent = createAgent({ url, dialect: { name: "hector", ...chooseForm(await fetchAgentCard(url)) } });
 */
export function chooseForm(card: AgentCard): { form: "agui" | "native" } {
  const { capabilities, defaultOutputModes } = card;
  const extends_ = list(capabilities?.extensions).some((extension) => toObject(extension).uri === EXTENSION);
  const writes = list(defaultOutputModes).some((mode) => MODES.includes(mode));
  return { form: extends_ || writes ? "agui" : "native" };
}

/**
 * Reads an agent's card. `url` is any address of the agent: with or without `/message:stream` or `/stream`. Rejects with an
 * `Error` where the server refuses, or answers with something else than a JSON object.
 *
 * @example
 * const card = await fetchAgentCard("https://hector.example/v1/agents/assistant");
 */
export async function fetchAgentCard(url: string | URL, options: RequestOptions = {}): Promise<AgentCard> {
  const { fetch: send = fetch, headers, credentials } = options;
  const init = { headers: { accept: "application/json", ...Object.fromEntries(new Headers(headers)) }, ...(credentials && { credentials }) };
  const response = await send(`${split(url).agent}/.well-known/agent-card.json`, init);
  if (!response.ok) throw new Error(`The agent card could not be read: HTTP ${response.status}`);
  const card: unknown = await response.json();
  if (!isObject(card)) throw new Error("The agent card is no object");
  return card as AgentCard;
}

/**
 * How a task is joined again whose stream was cut: the option `resume` of an agent with that `url`.
 *
 * @example
 * const url = "/v1/agents/assistant/message:stream";
 * const agent = createAgent({ url, dialect: "hector", resume: resubscribe(url) });
 */
export function resubscribe(url: string | URL, { route }: Pick<HectorSettings, "route"> = {}): ResumeOptions {
  const { agent, query, stream } = split(url);
  const rest = route ? route === "rest" : stream === "/message:stream";
  if (!rest) return { by: "snapshot", url: String(url), method: "POST" };
  return { by: "snapshot", url: (taskId) => `${agent}/tasks/${encodeURIComponent(taskId)}:subscribe${query}`, method: "GET" };
}

/**
 * Cancels the task at the server when `agent.stop()` is called: the option `stop` of an agent with that `url`. A task that is not
 * known there, or over, is a warning, `stop-failed`.
 *
 * @example
 * const url = "/v1/agents/assistant/message:stream";
 * const agent = createAgent({ url, dialect: "hector", stop: cancelTask(url) });
 */
export function cancelTask(url: string | URL, options: RequestOptions = {}): StopOptions {
  const { agent, stream } = split(url);
  return async ({ runId }) => {
    const { fetch: send = fetch, credentials } = options;
    const headers = new Headers(options.headers);
    headers.set("content-type", "application/json");
    // Version 2 has methods where version 1 has addresses.
    const rpc = { jsonrpc: "2.0", method: "tasks/cancel", params: { id: runId }, id: runId };
    const [to, body] = stream ? [`${agent}/tasks/${encodeURIComponent(runId)}:cancel`, {}] : [String(url), rpc];
    const init = { method: "POST", keepalive: true, headers, body: JSON.stringify(body), ...(credentials && { credentials }) };
    const response = await send(to, init);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
  };
}

/** An approval that version 1 waits for with its stream open: the data of the custom event `hector.tool_approval`. */
export interface ToolApproval {
  readonly toolName: string;
  readonly toolInput: string;
  /** As the server names them. */
  readonly options?: readonly string[] | undefined;
  /** What it has asked in words. */
  readonly prompt: string;
  /** The call, where it is known; else empty. */
  readonly toolCallId: string;
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * Answers an approval of version 1 while the stream of its run is open and waits: a message of its own, to `message:send`. Rejects
 * with an `Error` where the server refuses. Where the stream has ended there is an interrupt instead, to be answered with
 * `agent.resume`.
 *
 * @example
 * agent.on("custom", async (event) => {
 *   if (event.type !== "custom" || event.name !== "hector.tool_approval") return;
 *   const approval = event.data as ToolApproval;
 *   await answerApproval(url, approval, confirm(approval.prompt) ? "approve" : "deny");
 * });
 */
export async function answerApproval(
  url: string | URL,
  { contextId, taskId }: Pick<ToolApproval, "contextId"> & { readonly taskId?: string | undefined },
  decision: "approve" | "deny",
  options: RequestOptions = {},
): Promise<void> {
  const { fetch: send = fetch, credentials } = options;
  const headers = new Headers(options.headers);
  headers.set("content-type", "application/json");
  const message = { role: "user", contextId, ...(taskId && { taskId }), parts: [{ data: { data: { decision } } }] };
  const init = { method: "POST", headers, body: JSON.stringify({ message }), ...(credentials && { credentials }) };
  const response = await send(`${split(url).agent}/message:send`, init);
  void response.body?.cancel().catch(() => {});
  if (!response.ok) throw new Error(`The approval was not taken: HTTP ${response.status}`);
}

/** A part of a message of version 1. */
export interface Part {
  readonly text?: string | undefined;
  readonly data?: { readonly data?: Readonly<Record<string, unknown>> | undefined } | undefined;
  readonly file?: Readonly<Record<string, unknown>> | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** A call that a part tells of. */
export interface PartToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A result that a part tells of. `error` is empty where there is none. */
export interface PartToolResult {
  readonly toolCallId: string;
  readonly content: string;
  readonly error: string;
  readonly success: boolean;
}

/**
 * Whether a part is of the agent's thinking.
 *
 * @example
 * isThinkingPart({ text: "Hm", metadata: { event_type: "thinking" } }); // true
 */
export function isThinkingPart(part: Part): boolean {
  return getEventType(part) === "thinking" || getBlockType(part) === "thinking";
}

/**
 * The texts of all parts but those of thinking, a line each, as Hector's documents have it: a part without text is an empty line.
 *
 * @example
 * extractText([{ text: "a" }, { data: {} }, { text: "b" }]); // "a\n\nb"
 */
export function extractText(parts: readonly Part[]): string {
  return parts.filter((part) => !isThinkingPart(part)).map(textOf).join("\n");
}

/**
 * The same without empty lines for parts that have no text.
 *
 * @example
 * extractTextCompact([{ text: "a" }, { data: {} }, { text: "b" }]); // "a\nb"
 */
export function extractTextCompact(parts: readonly Part[]): string {
  return parts.filter((part) => !isThinkingPart(part)).map(textOf).filter(Boolean).join("\n");
}

/**
 * The texts of the parts of thinking, a line each.
 *
 * @example
 * extractThinking([{ text: "Hm", metadata: { block_type: "thinking" } }, { text: "a" }]); // "Hm"
 */
export function extractThinking(parts: readonly Part[]): string {
  return parts.filter(isThinkingPart).map(textOf).join("\n");
}

/**
 * The calls that parts tell of.
 *
 * @example
 * extractToolCalls([{ data: { data: { id: "c", name: "n" } }, metadata: { event_type: "tool_call" } }]);
 * // [{ id: "c", name: "n", args: {} }]
 */
export function extractToolCalls(parts: readonly Part[]): PartToolCall[] {
  return parts.filter((part) => isTool(part) && failed(part) === undefined).map((part) => {
    const data = dataOf(part);
    const id = tag(part, "tool_call_id") || string(data["id"]);
    const name = tag(part, "tool_name") || string(data["name"]);
    return { id, name, args: toArgs(data["arguments"] ?? data["input"]) };
  });
}

/**
 * The results that parts tell of, all that a tool repeats while its result grows: the last one counts.
 *
 * @example
 * const part = { data: { data: { tool_call_id: "c", content: "12 °C" } }, metadata: { event_type: "tool_call", is_error: false } };
 * extractToolResults([part]); // [{ toolCallId: "c", content: "12 °C", error: "", success: true }]
 */
export function extractToolResults(parts: readonly Part[]): PartToolResult[] {
  return parts.filter((part) => isTool(part) && failed(part) !== undefined).map((part) => {
    const data = dataOf(part);
    const error = string(data["error"]);
    const toolCallId = tag(part, "tool_call_id") || string(data["tool_call_id"]);
    return { toolCallId, content: string(data["content"]), error, success: !failed(part) && !error };
  });
}

/**
 * What kind of event a part is, under any name that Hector has given to that member. Empty: it does not say.
 *
 * @example
 * getEventType({ text: "", metadata: { agui_event_type: "thinking" } }); // "thinking"
 */
export function getEventType(part: Part): string {
  return tag(part, "event_type") || tag(part, "part_type");
}

/**
 * The block that a part belongs to. Empty: it does not say.
 *
 * @example
 * getBlockId({ text: "a", metadata: { block_id: "b1" } }); // "b1"
 */
export function getBlockId(part: Part): string {
  return tag(part, "block_id");
}

/**
 * What the block of a part holds. Empty: it does not say.
 *
 * @example
 * getBlockType({ text: "a", metadata: { block_type: "code" } }); // "code"
 */
export function getBlockType(part: Part): string {
  return tag(part, "block_type");
}

/** An event of Hector's AG-UI form. */
export interface FormEvent {
  /** As `content_block_delta`. */
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * An event of the AG-UI form, nested as servers write it or flat as the documents print it. `event`: the name on its event line.
 *
 * @example
 * readFormEvent("thinking_stop", { thinkingId: "t" }); // { name: "thinking_stop", payload: { thinkingId: "t" } }
 */
export function readFormEvent(event: string, data: Readonly<Record<string, unknown>>): FormEvent {
  const name = event && event !== "message" ? event : string(data["type"]).replace(/^AGUI_EVENT_TYPE_/, "").toLowerCase();
  const member = data[name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
  return { name, payload: isObject(member) && name !== "error" ? member : data };
}

/**
 * The events that the AG-UI form has for parts, as the server would convert them. What is open at their end is closed.
 *
 * @example
 * partsToEvents([{ text: "Hello", metadata: { block_id: "b" } }]).map(({ name }) => name);
 * // ["content_block_start", "content_block_delta", "content_block_stop"]
 */
export function partsToEvents(parts: readonly Part[]): FormEvent[] {
  const converter = createConverter();
  return [...converter.parts(parts), ...converter.close()];
}

/** Converts a native stream, response by response. */
export interface Converter {
  /** What a response (`{task}`, `{message}`, `{statusUpdate}` or `{artifactUpdate}`) adds. */
  convert(response: Readonly<Record<string, unknown>>): FormEvent[];
  /** What parts add. */
  parts(parts: readonly Part[]): FormEvent[];
  /** Ends what is open, which a stream that is cut leaves to its reader. */
  close(): FormEvent[];
}

/**
 * A converter from the native stream to the AG-UI form, by the rules of the server's own. `messageId`: default a random UUID.
 *
 * @example
 * const { convert } = createConverter();
 * const events = responses.flatMap(convert);
 */
export function createConverter({ messageId = uuid() }: { readonly messageId?: string | undefined } = {}): Converter {
  let events: FormEvent[] = [];
  let open = false;
  let index = 0;
  let content: string | undefined;
  let thinking: string | undefined;

  // protojson leaves out what is empty.
  const add = (name: string, payload: Record<string, unknown>): void => {
    const told = Object.entries(payload).filter(([, value]) => value !== undefined && value !== "" && value !== 0 && value !== false);
    events.push({ name, payload: Object.fromEntries(told) });
  };
  const take = (act: () => void): FormEvent[] => {
    events = [];
    act();
    return events;
  };
  const closeThinking = (): void => {
    if (thinking !== undefined) add("thinking_stop", { thinkingId: thinking });
    thinking = undefined;
  };
  const closeContent = (): void => {
    if (content !== undefined) add("content_block_stop", { blockId: content });
    content = undefined;
  };
  const closeAll = (): void => (closeThinking(), closeContent());
  const start = (contextId: unknown, taskId: unknown, role = "agent"): void => {
    if (!open) add("message_start", { messageId, contextId, taskId, role });
    open = true;
  };
  const stop = (): void => {
    if (open) add("message_stop", { messageId });
    open = false;
  };

  const takePart = (part: Part): void => {
    const event = getEventType(part);
    const text = textOf(part);
    if (isThinkingPart(part)) {
      closeContent();
      const id = getBlockId(part) || thinking || uuid();
      if (id !== thinking) {
        closeThinking();
        add("thinking_start", { thinkingId: id });
        thinking = id;
      }
      if (text) add("thinking_delta", { thinkingId: id, delta: text });
    } else if (event === "tool_call") {
      closeThinking();
      for (const { id, name, args } of extractToolCalls([part])) {
        closeContent();
        add("tool_call_start", { toolCallId: id, toolName: name, input: args });
      }
      for (const { toolCallId, content: result, error, success } of extractToolResults([part])) {
        add("tool_call_stop", { toolCallId, finalInput: {}, result, error, isError: !success });
      }
    } else if (event !== "thinking_complete" && text) {
      closeThinking();
      if (content === undefined) {
        content = getBlockId(part) || uuid();
        add("content_block_start", { blockId: content, blockType: getBlockType(part) || "text", index });
        index += 1;
      }
      add("content_block_delta", { blockId: content, delta: text });
    }
  };
  const takeParts = (parts: unknown): void => list(parts as Part[]).filter(isObject).forEach(takePart);

  const takeTask = (task: Record<string, unknown>): void => {
    const { id, contextId } = task;
    const status = toObject(task["status"]);
    switch (stateOf(status)) {
      case "submitted":
        add("task_start", { taskId: id, contextId });
        start(contextId, id);
        break;
      case "working":
        start(contextId, id);
        add("task_update", { taskId: id, status: "working" });
        break;
      case "completed":
        closeAll();
        stop();
        add("task_complete", { taskId: id });
        break;
      case "failed": {
        closeAll();
        stop();
        const texts = list(toObject(status["message"])["parts"] as Part[]).filter(isObject).map(textOf);
        add("task_error", { taskId: id, errorMessage: texts.find(Boolean) ?? "Task failed", errorCode: "TASK_FAILED" });
      }
    }
  };

  const takeResponse = (response: Readonly<Record<string, unknown>>): void => {
    const { task, message, statusUpdate, artifactUpdate } = response;
    if (isObject(task)) takeTask(task);
    else if (isObject(message)) {
      start(message["contextId"], message["taskId"], message["role"] === "ROLE_USER" ? "user" : "agent");
      takeParts(message["parts"] ?? message["content"]);
    } else if (isObject(statusUpdate)) {
      if (statusUpdate["final"] === true) {
        closeAll();
        stop();
      }
      add("task_update", { taskId: statusUpdate["taskId"], status: stateOf(toObject(statusUpdate["status"])) });
    } else if (isObject(artifactUpdate)) {
      start(artifactUpdate["contextId"], artifactUpdate["taskId"]);
      takeParts(toObject(artifactUpdate["artifact"])["parts"]);
    }
  };

  return {
    convert: (response) => take(() => takeResponse(response)),
    parts: (parts) => take(() => takeParts(parts)),
    close: () => take(() => (closeAll(), stop())),
  };
}

/** The parts of an agent's address. */
function split(url: string | URL): { agent: string; stream: string; query: string } {
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(String(url)) ?? [];
  const [stream = ""] = /(?:\/message:stream|\/stream)?\/*$/.exec(path) ?? [];
  return { agent: path.slice(0, path.length - stream.length), stream: stream.replace(/\/+$/, ""), query };
}

function tag(part: Part, name: string): string {
  return string(member(part, name));
}

function member({ metadata }: Part, name: string): unknown {
  const members = toObject(metadata);
  return members[name] ?? members[`agui_${name}`];
}

function textOf(part: Part): string {
  return string(part.text) || (isThinkingPart(part) ? string(dataOf(part)["text"]) : "");
}

function dataOf({ data }: Part): Record<string, unknown> {
  const outer = toObject(data);
  return isObject(outer["data"]) ? outer["data"] : outer;
}

function isTool(part: Part): boolean {
  return getEventType(part) === "tool_call";
}

/** Whether a result is one of failure; of a call: `undefined`. */
function failed(part: Part): boolean | undefined {
  const error = member(part, "is_error");
  return typeof error === "boolean" ? error : undefined;
}

/** Arguments, which older parts have as a text. */
function toArgs(value: unknown): Record<string, unknown> {
  if (typeof value !== "string") return toObject(value);
  try {
    return toObject(JSON.parse(value));
  } catch {
    return {};
  }
}

function stateOf(status: Record<string, unknown>): string {
  return string(status["state"]).replace(/^TASK_STATE_/, "").toLowerCase();
}

function string(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function list<Item>(value: readonly Item[] | undefined): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
