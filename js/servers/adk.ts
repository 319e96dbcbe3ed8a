import type { Message } from "../api/protocol.js";
import type { Preset, ThreadLoader } from "../api/server.js";

/** What `POST /agents/state` answers. */
interface StoredState {
  readonly threadId?: string;
  readonly threadExists?: boolean;
  readonly state?: unknown;
  readonly messages?: readonly Message[];
}

const load: ThreadLoader = async ({ threadId, url, fetch }) => {
  // The route stands at the root of the server, whatever the path of the agent is.
  const address = new URL("/agents/state", new URL(url, globalThis.location?.href));
  const headers = { "content-type": "application/json" };
  const response = await fetch(address, { method: "POST", headers, body: JSON.stringify({ threadId }) });
  const { threadExists, messages = [], ...page }: StoredState = await response.json();
  return threadExists === false ? undefined : { ...page, messages };
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
