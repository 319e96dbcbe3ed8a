// The notice to the server that a run is stopped. It comes beside the core.

import { ask } from "../base/call.js";
import { at } from "./request.js";
import type { AgentOptions, RunTarget } from "../api/types.js";

/** Tells the server that a run is stopped, where the options say how. */
export async function stopRemote(options: AgentOptions, run: RunTarget): Promise<void> {
  const { stop, credentials, fetch: send = fetch } = options;
  if (!stop) return;
  if (typeof stop === "function") return void (await stop(run));
  const { url, method = "POST", body = run } = stop;
  const headers = new Headers(await ask(options.headers));
  new Headers(stop.headers).forEach((value, name) => headers.set(name, value));
  const content: unknown = await ask(body as unknown, run);
  const empty = content === undefined || content === null;
  if (!empty && !headers.has("content-type")) headers.set("content-type", "application/json");
  const response = await send(String(await at(url, run)), {
    method,
    // The page may be about to go.
    keepalive: true,
    headers,
    ...(credentials && { credentials }),
    ...(!empty && { body: JSON.stringify(content) }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
}
