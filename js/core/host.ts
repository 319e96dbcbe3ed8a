// The host of a session in the page: it makes the requests and the calls, keeps saves, and lets the application hear of events.

import type { Session } from "../glue/core.js";
import type { Cause } from "./cause.js";
import { emitCustom } from "./checked.js";
import type { Checks } from "./checks.js";
import type { LinkClient, LinkState } from "./client.js";
import type { WatchfulHost } from "./traps.js";

/** The session of the host. */
interface Hosted<State> {
  /** Whether it is the agent's. */
  current(): boolean;
  ask(method: (session: Session) => void): boolean;
  readonly cause: Cause;
  readonly checks: Checks<State> | undefined;
}

/** The host of this session; `own` is what concerns nobody else. */
export function createHost<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  { current, ask, cause, checks }: Hosted<State>,
  own: Pick<WatchfulHost, "receive" | "changed" | "settled" | "hold" | "lost">,
): WatchfulHost {
  const [{ emitter }, { calls, ...beside }, { soon }] = [client, client.parts()!, shared];
  return {
    ...own,
    request: (...which) => {
      cause.clear();
      return beside.request(...which);
    },
    failed: cause.set,
    ...{ stopRemote: beside.stopRemote, head: (headers: Headers, status: number) => beside.head(client, headers, status) },
    custom: (name, json) => emitCustom(emitter, checks, name, json),
    event: (json) => {
      if (emitter.has("event")) emitter.emit("event", JSON.parse(json));
    },
    execute: (...asked) => {
      if (current()) calls.execute(...asked);
    },
    abandon: (toolCallId) => calls.abandon(toolCallId),
    save: (number, json) => {
      if (!current()) return;
      shared.known = json;
      client.save(json, () => {
        if (current()) ask((opened) => opened.call("saved", `${number}`));
      });
    },
    decision: (json) => soon(() => emitter.emit("decision", JSON.parse(json))),
    warning: (warning) => soon(() => emitter.emit("warning", warning)),
  };
}
