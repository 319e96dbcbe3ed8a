// Options that no agent can work with are refused where they are given. TypeScript says the same.

import type { AgentOptions } from "../api/types.js";
import { unfit, unsupported } from "../base/failure.js";
import { checkTools } from "./tools.js";

/** Throws (kind `unsupported`, code `input` or `worker`) where these cannot be the options of an agent in the page. */
export function checkOptions<State>(options: AgentOptions<State>): void {
  const { worker, tools, url, transport, rules = "tolerant", threadId, persist, resume } = options;
  if (worker) {
    throw unsupported("worker", 'worker: make the agent with createAgent() of "ag-ui-wasm/worker"');
  }
  if (url == null && !transport) throw unfit("url", "an address, or a transport", url);
  if (rules !== "tolerant" && rules !== "strict") throw unfit("rules", '"tolerant" or "strict"', rules);
  if (typeof (threadId ?? "") !== "string") throw unfit("threadId", "a string", threadId);
  if (typeof (resume ?? {}) !== "object") throw unfit("resume", "an object", resume);
  if (persist && typeof persist.open !== "function") {
    throw unfit("persist", "a store (localStorageStore, indexedDbStore, or createStore({ load, save, clear, key }))", persist);
  }
  if (tools && typeof tools !== "function") checkTools(tools);
}
