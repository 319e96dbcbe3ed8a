import type { Message } from "../api/protocol.js";
import type { Preset, ThreadLoader } from "../api/server.js";
import { bodyOf, each, textOf, type ServerJson } from "./json.js";

/** The response of `POST /agents/state`. */
interface StoredState {
  readonly threadId?: string;
  readonly threadExists?: boolean;
  readonly state?: unknown;
  readonly messages?: readonly Message[];
}

/** A message with the result of a tool of the page as the page has sent it: the session has `{ success, result, status }` around it. */
function unwrapped(message: Message): Message {
  if (message.role !== "tool" || typeof message.content !== "string") return message;
  try {
    const { success, result, status, ...others }: NonNullable<ServerJson> = JSON.parse(message.content);
    return success === true && status === "completed" && result !== undefined && !Object.keys(others).length
      ? { ...message, content: textOf(result) }
      : message;
  } catch {
    return message;
  }
}

const load: ThreadLoader = async ({ threadId, url, fetch }) => {
  // The route stands at the root of the server, whatever the path of the agent is.
  const address = new URL("/agents/state", new URL(url, globalThis.location?.href));
  const headers = { "content-type": "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify({ threadId }) });
  const { threadExists, messages, ...page }: StoredState = await bodyOf(response);
  return threadExists === false ? undefined : { ...page, messages: each(messages, (message) => unwrapped(message as Message)) };
};

/**
 * Google ADK (`ag-ui-adk`): `POST /agents/state` has the thread, `GET <url>/capabilities` says what the agent can do. It ignores a message
 * whose id it knows, so what is asked again gets a new one.
 *
 * @example
 * const agent = createAgent({ url: "/agent", threadId, server: adk() });
 */
export function adk(): Preset {
  return {
    name: "Google ADK",
    thread: { load, edits: "new-id" },
    capabilities: async ({ url, fetch }) => (await fetch(`${url.replace(/\/$/, "")}/capabilities`)).json(),
  };
}
