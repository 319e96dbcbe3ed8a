// The link of an agent whose core is in a worker: that of every agent (core/link.ts), over sessions that answer later.

import { misuse } from "../base/failure.js";
import { weakly } from "../base/weakly.js";
import { createLink, type Link } from "../core/link.js";
import { createLinkState } from "../core/link-state.js";
import type { LinkClient } from "../core/client.js";
import type { Core } from "../core/loader.js";
import type { RemotePort } from "../core/port.js";
import type { Intent } from "../intents/intent.js";
import { createLate } from "./late.js";
import type { Pool } from "./pool.js";
import { createRemoteSession, type RemoteSession } from "./session.js";

/** Where the core of an agent is. */
export type CorePlace = { readonly at: "worker" } | { readonly at: "page"; readonly core: Core; readonly why: string };

/** A link that works over a worker of the pool, or as any other where the core is in the page. */
export function createWorkerLink<State>(client: LinkClient<State, CorePlace>, pool: Pool): Link<State> {
  const inPort: LinkClient<State> = {
    ...client,
    source: async () => {
      const place = await client.source();
      shared.late = place.at === "worker" ? late : undefined;
      if (place.at === "worker") return { open, gone: () => !pool.has() };
      client.emitter.emit("warning", { code: "worker-unavailable", message: `The agent runs in the page, without a worker: ${place.why}` });
      return place.core;
    },
  };
  const shared = Object.assign(createLinkState(inPort), { apart: true });
  const link = createLink(inPort, shared);
  const late = createLate(inPort, shared, () => current!);
  let current: RemoteSession | undefined;

  const open: RemotePort["open"] = (options, messages, state, page) => {
    const host = weakly(page);
    const life = { die: (reason: string): void => session.die(reason) };
    const session: RemoteSession = createRemoteSession(pool.open(weakly(life).die), options, messages, state, host, {
      misused: (why) => client.emitter.emit("error", misuse(why)),
      unrestored: (why) => {
        const { last } = shared.home;
        if (last) client.quarantine(last);
        client.refused(misuse(why));
      },
      lost: (cause, died) => {
        const decisions = died ? (shared.pending.list.filter(({ acts }) => acts) as readonly Intent<State>[]) : [];
        // The run before what waits has said its end.
        const goesOn = died && client.ending() && client.read().queue.length > 0;
        // Once, so that what ends a worker does not end one after the other.
        if (!host.lost(cause, died)) return;
        decisions.forEach(({ method, json, fold, acts }) => link.apply({ method, json, fold, acts }));
        if (goesOn) void link.load();
      },
      ...{ received: late.catchUp, life },
    });
    return (current = session);
  };
  return link;
}
