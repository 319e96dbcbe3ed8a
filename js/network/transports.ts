// Ways to an agent other than one request with fetch. Each gives what fetch would give, so the core reads one kind of
// body. Only entries import this file: a page that uses none of them loads none.

import { fetchWith } from "./request.js";
import type { FetchOptions, Transport } from "../api/types.js";

export { custom } from "./custom.js";
export { eventSource } from "./event-source.js";
export { webSocket } from "./web-socket.js";

/**
 * The transport of an agent with `url`, `headers`, `credentials`, `fetch` and `binary`.
 *
 * @example
 * const agent = createAgent({ transport: fetchTransport({ url: "/agent", credentials: "include" }) });
 */
export function fetchTransport(options: FetchOptions): Transport {
  // Exported as it is, it would bring its file into the first bundle of a page that has another export of this entry (0.6 kB).
  return fetchWith(options);
}
