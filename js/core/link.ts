// The link between an agent and the core: loads it, keeps what is called before it is there (pending.ts), and replaces the session
// should WebAssembly trap, or a worker end.
//
// The home of the thread (`Home`) is a session, as long as one is needed. Without one, edits change the snapshot at once, and runs wait;
// where there is a save that the core has yet to read, edits wait as well.
//
//   nothing ──run, act──► open ──trap──► saved, or nothing (status "error", the snapshot stays)
//   nothing, saved ──awaitSave──► awaited ──restore──► saved, or nothing ──load──► open
//   any ──suspended (js/persistence/saves.ts)──► awaited
//   any ──dispose──► ended
//
// A load that fails changes nothing (status "error"): whoever asks next loads again.

import { composeSave } from "../snapshot/save.js";
import type { AgentSnapshot } from "../api/types.js";
import type { Intent } from "../intents/intent.js";
import type { LinkClient, Live, Run } from "./client.js";
import { createEndings } from "./ending.js";
import { createLinkState } from "./link-state.js";
import { createOpener } from "./opener.js";

/** The operations of an agent on the core. */
export type Link<State> = ReturnType<typeof createLink<State>>;

/** The link of one agent. Touches no WebAssembly before it has to. */
export function createLink<State>(client: LinkClient<State>, shared = createLinkState(client)) {
  const { read } = client;
  const { runs, pending } = shared;
  const opener = createOpener(client, shared);

  const link = {
    /** Its state, which others read. */
    shared,
    load: opener.load,
    run: (run: Run<State>): void => {
      runs.add(run);
      shared.lost = undefined;
      const live = link.live();
      if (live) return live.run(run);
      pending.wait(run);
      opener.begin();
    },
    /** Applies it, at once or once there is a session. */
    apply: (intent: Intent<State>): void => {
      const live = link.live();
      // Where the session is lost over it, its remains have it, but for a decision, which may be what it was lost at.
      if (live) return void live.apply(intent);
      pending.add({ ...intent });
      if (intent.acts) opener.begin();
    },
    cancel: (run: Run<State>): void => {
      if (runs.has(run)) (link.live() ?? pending).cancel(run);
    },
    /** Everything that is to be kept, as JSON text: what the session says, or the last save with what came since. */
    save: (): string => {
      const json = link.live()?.save();
      if (json) return json;
      const { at, last } = shared.home;
      return at === "saved" && !pending.list.length ? last : composeSave(last, ...pending.parted());
    },
    /** The open session, for what makes sense only if there is one. */
    live: (): Live<State> | undefined => shared.home.live,
    /** Whether a run is in progress, or the core has yet to do what was called. */
    busy: (): boolean => {
      const { live } = shared.home;
      // A session here has done what is pending. Where the core could not be loaded, that waits for somebody to try again.
      const waits = live ? shared.late : read().error?.code !== "load";
      // A call that has no answer may be the beginning of a run.
      return read().isLoading || client.ending() || (!!waits && pending.list.some(({ run, acts }) => live || (run && !run.part) || acts));
    },
    /** A save is on the way: what is called waits for `restore`. */
    awaitSave: (): void => {
      const { at, live, last } = shared.home;
      if (!live && at !== "ended") shared.home = { at: "awaited", last };
    },
    /** It has come, or not: how it looks, and its JSON text for the core. */
    restore: (shown?: AgentSnapshot<State>, json?: string): void => {
      const { at } = shared.home;
      // Reset meanwhile, which has forgotten it.
      if (at !== "awaited" && at !== "saved") return;
      shared.home = json ? { at: "saved", last: json } : {};
      if (shown || pending.list.length) pending.show(shown);
    },
    ...createEndings(client, shared, (intent): void => link.apply(intent)),
  };
  return link;
}
