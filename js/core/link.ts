// The link between an agent and the core: loads it, keeps what is called before it is there (pending.ts), and replaces the session
// should WebAssembly trap, or a worker end.
//
// A session exists only while it is needed. Without one, edits change the snapshot at once, and runs wait. After a save that
// the core has yet to read, edits wait as well.
//
//   no session ──run, act──► loading ──► session ──trap──► no session (status "error", the snapshot stays)
//        ▲                      │failed
//        └──────────────────────┘ (status "error", nothing is lost)

import { composeSave } from "../snapshot/compose.js";
import type { Link, LinkClient, PendingIntent } from "./client.js";
import { createEndings } from "./ending.js";
import { createLinkState } from "./link-state.js";
import { createOpener } from "./opener.js";

/** The link of one agent. Touches no WebAssembly before it has to. */
export function createLink<State>(client: LinkClient<State>, shared = createLinkState(client)): Link<State> {
  const { read } = client;
  const { runs, pending } = shared;
  const opener = createOpener(client, shared);

  const add = (intent: PendingIntent<State>): void => {
    pending.add(intent);
    if (intent.acts) opener.begin();
  };

  const link: Link<State> = {
    load: opener.load,
    run: (run, later = false) => {
      runs.add(run);
      shared.lost = undefined;
      if (shared.live) return shared.live.run(run);
      pending.wait(run);
      if (!later) opener.begin();
    },
    apply: (intent) => {
      const { live } = shared;
      // A decision may be what the session was lost at.
      if (!live || (!live.apply(intent) && !intent.acts)) add({ ...intent });
    },
    onceOpen: (then) => add({ fold: (at) => at, acts: true, then }),
    flush: () => shared.live?.flush(),
    cancel: (run) => {
      if (runs.has(run)) (shared.live ?? pending).cancel(run);
    },
    call: (...call) => shared.live?.call(...call),
    queued: (intent) => !!(shared.live ? shared.live.apply(intent) : client.parts()?.changeQueued(shared, intent)),
    save: () => {
      const json = shared.live?.save();
      if (json) return json;
      const known = typeof shared.saved === "string" ? shared.saved : undefined;
      return known !== undefined && !pending.list.length ? known : composeSave(known ?? shared.lastSave, ...pending.parted());
    },
    open: () => !!shared.live,
    confirmsLater: !!shared.late,
    // A call that has no answer may be the beginning of a run.
    busy: () => read().isLoading || client.ending() || pending.list.some(({ run, acts }) => shared.live || (run && !run.part) || acts),
    awaitSave: () => {
      if (typeof shared.saved === "string") shared.lastSave = shared.saved;
      shared.saved = true;
    },
    restore: (shown, json) => {
      // Reset meanwhile, which has forgotten it.
      if (shared.disposed || !shared.saved) return;
      shared.saved = json;
      shared.lastSave &&= json;
      if (shown || pending.list.length) pending.show(shown);
    },
    lost: () => shared.lost,
    listen: () => shared.live?.listen(),
    ...createEndings(client, shared, () => link, opener.leave),
  };
  return link;
}
