// The host of a session in the page: it makes the requests and the calls, keeps saves, and lets the application hear of events.

import { retained } from "../base/weak.js";
import type { Host, Session } from "../glue/core.js";
import type { Cause } from "./cause.js";
import { emitCustom } from "./checked.js";
import type { Checks } from "./checks.js";
import type { LinkClient, LinkState, OpenHome } from "./client.js";
import type { Patches } from "./patches.js";
import type { SessionHost } from "./port.js";

/** The session of the host. */
interface Hosted<State> {
  /** The home that it is of the agent's, if it is. */
  home(): OpenHome<State> | undefined;
  /** Whether its changes are shown as they come. */
  shows(): boolean;
  ask(method: (session: Session) => void): boolean;
  /** It has said this save, or what has changed since. Returns its home, if it is one. */
  said(json: string, part?: boolean): OpenHome<State> | undefined;
  readonly cause: Cause;
  readonly checks: Checks<State> | undefined;
  readonly patches: Patches;
  readonly task: Host["task"];
  live(): object;
  readonly fail: SessionHost["lost"];
}

/** The host of this session; `settled`: a run has come to its end. */
export function createHost<State>(
  client: LinkClient<State>,
  shared: LinkState<State>,
  { home, shows, ask, said, cause, checks, patches, task, live, fail }: Hosted<State>,
  settled: Host["settled"],
): SessionHost {
  const [{ emitter }, { calls, ...parts }, { soon }] = [client, client.parts()!, shared];
  return {
    task,
    changed: (urgent) => {
      if (!shows()) return;
      if (urgent) patches.show(task.until);
      else patches.schedule();
    },
    settled,
    hold: (on) => {
      if (on && home()) retained.add(live());
      else retained.delete(live());
    },
    lost: fail,
    request: (...which) => {
      cause.clear();
      return parts.request(...which);
    },
    ahead: (resume, runId) => {
      const { ahead } = shared;
      if (resume || ahead?.runId !== runId) return undefined;
      shared.ahead = undefined;
      return ahead;
    },
    failed: cause.set,
    ...{ stopRemote: parts.stopRemote, head: (headers, status) => parts.head(client, headers, status) },
    custom: (name, json) => emitCustom(emitter, checks, name, json),
    event: (json) => {
      if (emitter.has("event")) emitter.emit("event", JSON.parse(json));
    },
    execute: (...args) => {
      const at = home();
      at?.executed.add(args[0]);
      if (at) calls.execute(...args);
    },
    abandon: (toolCallId) => calls.abandon(toolCallId),
    save: (number, part, json) => {
      const at = said(json, part);
      const done = (): void => {
        if (home()) ask((opened) => opened.call("saved", `${number}`));
      };
      if (!at || number === undefined) return;
      if (shared.late) shared.late.write(done);
      else client.save(at.last!, done, at.changes);
    },
    decision: (json) => soon(() => emitter.emit("decision", JSON.parse(json))),
    warning: (warning) => soon(() => emitter.emit("warning", warning)),
  };
}
