// The saves of a thread with the option `persist`: it owns its store before it acts (owner.ts), begins with what is there
// (store-read.ts), and writes what the core or the page says (stored.ts). The one place that decides what is written.

import { createGate } from "./gate.js";
import { createKeeper } from "./keeper.js";
import { createClaim, type StoreMember } from "./owner.js";
import { createStoreRead } from "./store-read.js";
import { createStored } from "./stored.js";
import { mergeSaves, sameThread } from "./merge.js";
import type { Early, SavesKit } from "./open.js";
import type { Beginning, Saves, SavesClient, SavesOptions } from "../api/saves.js";
import type { SavedAgent } from "../api/saving.js";
import { later } from "../base/timer.js";

/** The saves of a thread in the store of its option `persist`. */
export const openSaves = (
  given: SavesOptions,
  thread: SavesClient,
  { show, refuse }: Beginning,
  kit: SavesKit,
  early?: Early,
): Saves => {
  const { link, shown, members, emitter } = thread;
  const { everyMs = 1000, waitMs = 300, loadMs = 3000, linger = Infinity } = given.saving ?? {};
  const gate = createGate();
  const reading = createStoreRead(kit);
  // The agent's save when it let go of a store that it could not write to.
  let unsaved: string | undefined;
  // The agent's save when it began without a store, if nothing was done by then.
  let without: string | undefined;
  let last = early?.shown;
  // The loaded save may have been written over since.
  let stale = false;
  let disposed = false;
  // The store has taken nothing of the last save that the core has asked for.
  let lost = false;
  // Nothing has changed yet that would have to be saved.
  let quiet = true;
  // The time after which nobody is expected back, and whether it has passed while the store was waited for.
  let lingering: ReturnType<typeof setTimeout> | undefined;
  let owed = false;

  // The application has no agent to listen to before.
  const warn = (code: string, message: string): void => queueMicrotask(() => thread.disposed() || emitter.emit("warning", { code, message }));

  const save = (): string => thread.remote.saved(link.save());

  /** The run that was in progress when the page was left, if it is to be joined. */
  const interrupted = (text: string | undefined): string | undefined => {
    const { resume, autoAttach } = thread.options();
    if (text === undefined || !resume || autoAttach === false) return undefined;
    const { running, runId } = JSON.parse(text);
    return running ? runId : undefined;
  };

  const close = (): void => {
    link.awaitSave();
    gate.close();
  };
  const open = (): void => {
    gate.open();
    unsaved = undefined;
    // A run that the application has started itself comes first.
    const runId = link.busy() ? undefined : interrupted(last);
    if (runId !== undefined) thread.jobs.rejoin(runId);
    else if (members.watched()) void link.load();
    thread.channel?.reconnect();
    // Saves the changes from before the store was this agent's.
    if (stored.dirty && claim.owns()) keeper.save();
    // Not before what the store was asked for has begun.
    queueMicrotask(claim.rest);
    if (owed) hangUp();
  };

  /** Continues from this save, or without one. */
  const begin = (value: unknown): void => {
    try {
      const found = value == null ? undefined : JSON.stringify(value);
      const text = found !== undefined && unsaved !== undefined ? mergeSaves(kit, found, unsaved) : (found ?? unsaved);
      if (link.open()) link.suspend();
      quiet = true;
      // A save that is shown already is not shown anew.
      show(text === undefined || text === last ? undefined : JSON.parse(text), text);
      last = text;
    } catch (cause) {
      refuse(cause);
    } finally {
      quiet = false;
    }
  };

  /** Whether what was read is what the agent begins with: nobody else writes, or has written since it was asked for. */
  const final = (): boolean => claim.owns() && !stale;

  /** A save has come after the agent had begun without it: it is shown if nothing was done since, and goes into the next one otherwise. */
  const arrive = (found: unknown): void => {
    const value = found as SavedAgent | undefined;
    // A store of another agent is read once it is this agent's.
    if (!disposed && !claim.owns()) return;
    if (value?.v === 1 && Array.isArray(value.messages)) {
      if (!disposed && !link.busy() && without !== undefined && sameThread(without, save())) {
        close();
        begin(value);
        return proceed();
      }
      stored.missed(JSON.stringify(value));
    }
    if (!disposed) return keeper.touch();
    if (stored.dirty && last !== undefined) stored.writeLast(last);
  };

  /** Asks the store, or for what the application gives. Where that takes time, the gate is closed meanwhile, but not for ever. */
  const fetch = (read: () => unknown = claim.read, limit = loadMs): void => {
    stale = false;
    stored.asked();
    reading.ask(read, limit, {
      now: (value) => {
        if (value) link.awaitSave();
        // Changes that were made before this code came wait on, for whatever another tab writes.
        if (value || final()) begin(value);
        proceed();
      },
      waits: () => {
        stored.waits();
        close();
      },
      found: (value) => {
        stored.answered();
        stored.forget();
        if (value || final()) begin(value);
        proceed();
      },
      refused: (cause) => {
        stored.refused();
        refuse(cause);
        proceed();
      },
      late: () => {
        warn("not-restored", `The store has not answered for ${loadMs} ms: the agent goes on without its save`);
        if (final()) begin(undefined);
        without = stored.dirty ? undefined : save();
        proceed();
      },
      arrived: (value) => {
        stored.answered();
        arrive(value);
      },
      lost: stored.refused,
    });
  };

  /** The store was read: what waits continues if the agent owns it. */
  const proceed = (): void => {
    if (!gate.closed || disposed) return;
    // Its owner may write more: that is read once this agent owns it.
    if (!claim.owns()) return link.awaitSave();
    if (stale) fetch();
    else open();
  };

  const write = (json: string, done: (kept: boolean) => void): void => stored.write(json, done, arrive);
  const keeper = createKeeper({ read: save, write, everyMs });

  const letGo = (outcome?: "aborted"): void => {
    if (gate.closed) return;
    thread.remote.thread?.leave();
    // The runs that end with it are in this save as they were, and in no other.
    gate.close();
    const json = thread.remote.saved(link.suspend(outcome));
    thread.channel?.current?.close();
    if (stored.dirty) write(json, () => {});
    if (stored.dirty) unsaved = json;
    keeper.stop();
    last = json;
    stale = true;
  };

  /** Nobody has come back in time: hangs up and lets the store go. Whoever comes next begins with the save. */
  const hangUp = (): void => {
    // A save has nothing of what still waits for the store: that comes first.
    owed = !!gate.closed;
    if (owed || disposed || members.present().length) return;
    letGo("aborted");
    claim.leave();
    // The submits that waited are in the queue of the save, and no longer in the thread that is shown.
    const json = last!;
    last = undefined;
    begin(JSON.parse(json));
    link.awaitSave();
  };

  /** Nobody is here for the calls that are left: another tab that wants the store gets it, and they are over. */
  const deserted = (): boolean | undefined => thread.source.parts()?.calls.unclaimed();

  /** Something is in progress. A thread that could not be opened, and waits to be, may as well wait in another tab. */
  const working = (): boolean =>
    thread.remote.thread?.hasFailed() ? !!thread.source.parts()?.calls.works() : link.busy() || !!thread.remote.thread?.isLoading();

  const member: StoreMember = {
    // Edits also wait for the store, unless it has stopped responding.
    busy: () => (working() && !deserted()) || (stored.dirty && !!gate.closed && (reading.open || !stored.unread)),
    mounted: members.watched,
    surrender: () => letGo(),
    own: () => {
      if (disposed) return;
      // Somebody may have written since: an agent of this page, or of another tab.
      stale ||= stored.changed();
      if (reading.open) return;
      if (!stale) {
        // A save that was read waits as long as the store is not this agent's.
        begin(last === undefined ? undefined : JSON.parse(last));
        return open();
      }
      close();
      fetch();
    },
    look: () => {
      if (!gate.closed || disposed || reading.open || link.busy()) return;
      const apply = (value: unknown): void => {
        if (!value || !gate.closed || disposed || claim.owns() || link.busy()) return;
        begin(value);
        link.awaitSave();
      };
      // A read that fails is made again once the store is this agent's.
      kit.settle(() => claim.read(), apply, () => {});
    },
    denied: () => {
      close();
      later(1000, () => {
        if (disposed || claim.owns()) return;
        warn("not-owner", "Another agent or tab owns this save: calls wait for it, and are not saved");
      });
    },
  };
  const claim = createClaim(kit, given.persist!, member, shown.first, early);
  const stored = createStored(kit, claim, waitMs, (message) => warn("not-saved", message));

  return {
    begin: () => {
      // The application's own save is not the store's, and may take its time.
      const own = given.restore != null;
      fetch(early?.read ?? (own ? () => given.restore : claim.read), own ? Infinity : loadMs);
      quiet = false;
    },
    ready: async () => {
      for (let wait; (wait = gate.closed);) await wait;
    },
    use: () => {
      if (disposed || claim.owns()) return;
      claim.ask();
      if (!claim.owns()) close();
    },
    changed: () => {
      if (quiet) return;
      stored.touch();
      if (claim.owns()) keeper.touch();
      if (deserted()) queueMicrotask(claim.rest);
    },
    alone: () => {
      clearTimeout(lingering);
      if (linger < Infinity) lingering = later(linger, hangUp);
    },
    rest: claim.rest,
    ended: () => {
      // The core says when there is something to save.
      if (!link.open() && !gate.closed) keeper.save();
    },
    refusal: () => {
      if (!lost || !given.saving?.required) return undefined;
      return kit.unsupported("not-saved", "The store keeps nothing of it, and saving.required is set");
    },
    save: () => keeper.save(),
    write: (said, done) => {
      const json = thread.remote.saved(said);
      // Whoever owns the save begins what it has.
      if (!claim.owns()) return;
      keeper.save(json, (kept) => {
        lost = !kept;
        done();
      });
    },
    renew: () => {
      stored.forget();
      keeper.save();
    },
    dispose: () => {
      if (disposed) return;
      const json = save();
      keeper.stop();
      if (claim.owns() && stored.dirty) {
        last = json;
        write(json, () => {});
      }
      disposed = true;
      const owes = stored.late && stored.dirty;
      const written = owes ? claim.promise() : () => {};
      reading.end(written);
      // A store that hangs is not waited for.
      if (owes) later(loadMs, written);
      claim.leave();
    },
  };
};
