// The link of an agent whose core is in a worker: that of every agent (core/link.ts), over sessions that answer later. What the page
// knows of the worker's save is kept for the time after it (last-save.ts).

import { createLink } from "../core/link.js";
import { createLinkState } from "../core/link-state.js";
import type { LinkClient, Link } from "../core/client.js";
import type { Core } from "../core/loader.js";
import { portTo } from "../core/port.js";
import type { Pool } from "./pool.js";
import { createSessions, type Sessions } from "./sessions.js";

/** Where the core of an agent is. */
export type CorePlace = { readonly at: "worker" } | { readonly at: "page"; readonly core: Core };

/** A link that works over a worker of the pool, or as any other where the core is in the page. */
export function createWorkerLink<State>(client: LinkClient<State, CorePlace>, pool: Pool): Link<State> {
  const inPort: LinkClient<State> = {
    ...client,
    source: async () => {
      const place = await client.source();
      if (place.at === "worker") return { open: sessions.open, gone: () => !pool.has() };
      const { message } = pool.refusal();
      client.emitter.emit("warning", { code: "worker-unavailable", message: `The agent runs in the page, without a worker: ${message}` });
      return portTo(place.core);
    },
  };
  const sessions: Sessions<State> = createSessions(pool, inPort, () => ({ link, shared }));
  const shared = createLinkState(inPort, sessions.core);
  const link = createLink(inPort, shared);
  return link;
}
