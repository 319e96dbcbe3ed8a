// MCP Apps: what the app of an activity asks of its MCP server, through the agent's server. Loads no WebAssembly.

import { AgentError } from "../api/error.js";
import type { ActivityMessage, Agent } from "../api/types.js";

const unfit = (message: string): AgentError => new AgentError({ kind: "unsupported", code: "input", message });

/** The methods that an app may ask for: what MCP Apps lets a host pass on. */
const methods = ["tools/call", "resources/read", "resources/list", "resources/templates/list", "prompts/list", "ping"] as const;

/** How a request is made. */
export interface McpRequestOptions {
  /** Stops the request. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request of MCP to the server of an activity `mcp-apps`, as a run of its own with `forwardedProps.__proxiedMCPRequest`. Returns the result. Give it an agent that
 * is made for that, of the same options as the one of the chat and without a `threadId`: its thread stays empty, so the chat's is not touched.
 * Requests of one such agent are sent one after the other.
 *
 * Rejects with an `AgentError`: the run's own, the code `mcp-unanswered` where the server does not know such requests, `mcp` for an error of the MCP server, or
 * `input` for an agent with messages, another activity, or a method that apps may not use.
 *
 * @example
 * const beside = createAgent({ url: "/agent" });
 * const { contents } = await mcpRequest(beside, activity, "resources/read", { uri: activity.content.resourceUri });
 */
export async function mcpRequest<Result = unknown, State = unknown>(
  agent: Agent<State>,
  activity: Pick<ActivityMessage, "activityType" | "content">,
  method: (typeof methods)[number],
  params?: Readonly<Record<string, unknown>>,
  { signal }: McpRequestOptions = {},
): Promise<Result> {
  const { serverHash, serverId } = (activity?.content ?? {}) as { readonly serverHash?: unknown; readonly serverId?: unknown };
  if (activity?.activityType !== "mcp-apps" || typeof serverHash !== "string") throw unfit('mcpRequest() expects an activity "mcp-apps" with a serverHash');
  if (!methods.includes(method)) throw unfit(`mcpRequest() expects one of the methods ${methods.join(", ")}, got ${String(method)}`);
  if (agent.getSnapshot().messages.length > 0) throw unfit("mcpRequest() expects an agent of its own, without messages");
  const request = { serverHash, ...(typeof serverId === "string" && { serverId }), method, ...(params && { params }) };
  const { outcome, error, result } = await agent.submit({ forwardedProps: { __proxiedMCPRequest: request }, signal });
  if (error) throw error;
  if (outcome !== "success") throw new AgentError({ kind: "aborted", message: `The MCP request was not answered: ${outcome}` });
  if (result === undefined || agent.getSnapshot().messages.length > 0) {
    // A server that does not know such requests has begun to answer a question.
    agent.reset();
    throw new AgentError({
      kind: "protocol",
      code: "mcp-unanswered",
      message: `The agent's server has not answered ${method}: it needs a proxy for MCP requests`,
    });
  }
  const failure = (result as { readonly error?: unknown } | null)?.error;
  if (failure !== undefined) throw new AgentError({ kind: "run", code: "mcp", message: typeof failure === "string" ? failure : JSON.stringify(failure) });
  return result as Result;
}
