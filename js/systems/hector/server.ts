// Requests to a Hector server beside the stream: its agent card, tasks and approvals.

import type { HectorSettings, ResumeOptions, StopOptions } from "../../api/types.js";
import { isObject } from "../../base/json.js";
import { list, toObject } from "./json.js";

/** An agent's card; see the A2A protocol. */
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
  /** The question in words. */
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

/** The parts of an agent's address. */
function split(url: string | URL): { agent: string; stream: string; query: string } {
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(String(url)) ?? [];
  const [stream = ""] = /(?:\/message:stream|\/stream)?\/*$/.exec(path) ?? [];
  return { agent: path.slice(0, path.length - stream.length), stream: stream.replace(/\/+$/, ""), query };
}
