// The link between an agent and the core: loads it, keeps what is called before it is there, and replaces the session
// should WebAssembly trap.
//
// A session exists only while it is needed. Without one, edits change the snapshot at once, and runs wait (steps.ts). After a
// save that the core has yet to read, edits wait as well.
//
//   no session ──run, act──► loading ──► session ──trap──► no session (status "error", the snapshot stays)
//        ▲                      │failed
//        └──────────────────────┘ (status "error", nothing is lost)

import { composeSave } from "../snapshot/compose.js";
import type { Session, SessionMethods } from "../glue/core.js";
import type { Link, LinkClient } from "./client.js";
import { createEndings } from "./ending.js";
import { createLinkState } from "./link-state.js";
import { createOpener } from "./opener.js";

/** The link of one agent. Touches no WebAssembly before it has to. */
export function createLink<State>(client: LinkClient<State>, shared = createLinkState(client)): Link<State> {
  const { read, publish } = client;
  const { runs, steps } = shared;
  const opener = createOpener(client, shared);

  const ask = (method: (session: Session) => void): boolean => !!shared.live?.ask(method);

  const link: Link<State> = {
    load: opener.load,
    run: (run, later = false) => {
      runs.add(run);
      shared.lost = undefined;
      if (shared.live) return shared.live.start(run);
      steps.wait(run);
      if (!later) opener.begin();
    },
    edit: (edit) => {
      if (ask(edit.apply)) return;
      if (steps.list.length || shared.saved) steps.add(edit, false);
      publish(edit.fold(read()));
    },
    act: (apply) => {
      if (shared.live) return void shared.live.ask(apply);
      steps.add({ fold: (at) => at, apply }, true);
      opener.begin();
    },
    flush: () => shared.live?.flush(),
    call: (method, json) => {
      let value: SessionMethods[typeof method] | undefined;
      ask((session) => (value = session.call(method, json)));
      return value;
    },
    queued: (runId, change) => !!client.parts()?.changeQueued(client, shared, runId, change),
    save: () => {
      const json = shared.live?.save();
      if (json) return json;
      if (typeof shared.saved === "string" && !steps.list.length) return shared.saved;
      return composeSave(typeof shared.saved === "string" ? shared.saved : shared.lastSave, ...steps.parted());
    },
    open: () => !!shared.live,
    partly: () => !!shared.live?.partly(),
    busy: () => read().isLoading || client.ending() || steps.list.some(({ run, acts }) => (run && !run.part) || acts),
    awaitSave: () => {
      if (typeof shared.saved === "string") shared.lastSave = shared.saved;
      shared.saved = true;
    },
    restore: (shown, json) => {
      // Reset meanwhile, which has forgotten it.
      if (shared.disposed || !shared.saved) return;
      shared.saved = json;
      shared.lastSave &&= json;
      if (steps.list.length) steps.preview(shown);
      else if (shown) publish(shown);
    },
    lost: () => shared.lost,
    listen: () => shared.live?.listen(),
    ...createEndings(client, shared, () => link, opener.leave),
  };
  return link;
}
