// The host of a session in the page: it makes the requests and the calls, keeps saves, and lets the application hear of events.

import { retained } from "../base/weak.js";
import type { Host } from "../glue/core.js";
import { emitCustom } from "./checked.js";
import type { SessionHost } from "./port.js";
import type { Seat } from "./seat.js";

/** The host of this session; `settled`: a run has come to its end. */
export function createHost<State>(seat: Seat<State>, settled: Host["settled"]): SessionHost {
  const { client, shared, home, shows, ask, said, cause, checks, patches, task, live, fail } = seat;
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
    execute: (...call) => {
      if (home()?.begun.add(call[0])) calls.execute(...call);
    },
    abandon: calls.abandon,
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
