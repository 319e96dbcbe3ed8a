// What an agent with the option `persist` does beside its work: it owns its store before it acts, begins with what is
// there, and writes what the core or the page says. The one place that decides what is written.

import { createClaim, type Member } from "./owner.js";
import { createKeeper } from "./keeper.js";
import { mergeSaves, sameThread } from "../snapshot/save.js";
import type { AgentStore, SavedAgent, SavingOptions } from "../api/saving.js";
import { reasonOf } from "../base/failure.js";
import { isPromise } from "../base/promise.js";
import { later } from "../base/timer.js";

/** The agent, as its saves see it. */
export interface SavingClient extends Pick<Member, "busy" | "mounted"> {
  /** Everything as it is: JSON text. */
  read(): string;
  /** Shows this save and continues from there, or from nothing. Throws if it is no save. */
  begin(value: unknown, text: string | undefined): void;
  /** The agent owns the store, and what is there was read. */
  began(text: string | undefined): void;
  refuse(cause: unknown): void;
  /** A save is on the way: what is called waits for it. */
  awaitSave(): void;
  /** Ends what is open, but for a run in progress. Returns the save. */
  surrender(): string;
  warn(code: string, message: string): void;
}

/** The saves of one agent. */
export interface Saving {
  /** What the core has to wait for, if anything. */
  ready(): Promise<void> | undefined;
  /** Somebody uses the agent; `acts`: in a way that changes something. */
  use(acts: boolean): void;
  owns(): boolean;
  /** Something has changed that is saved after a while. */
  touch(): void;
  /** Saves what is given, or the agent as it is. */
  save(json?: string, done?: () => void): void;
  /** Nothing is in progress. */
  rest(): void;
  /** What came too late to begin with is of no use. */
  forget(): void;
  /** The last save is written; nothing is written after it. */
  dispose(): void;
}

/** Begins with `given`, a save of the application, or with what the store has. */
export function createSaving(store: AgentStore, given: unknown, options: SavingOptions, client: SavingClient): Saving {
  const { everyMs = 1000, waitMs = 300, loadMs = 3000 } = options;
  let gate: { readonly promise: Promise<void>; readonly open: () => void } | undefined;
  // What the store has is not known: it has not answered, or refused to.
  let unknown: "late" | "refused" | undefined;
  // The save that came too late to begin with.
  let older: string | undefined;
  // What the agent had when it let go of a store that it could not write to.
  let unsaved: string | undefined;
  // What the agent had when it began without, if nothing was done by then.
  let without: string | undefined;
  let last: string | undefined;
  let loads = 0;
  let loading = false;
  // What was loaded may have been written over since.
  let stale = false;
  let seen = 0;
  let reported: string | undefined;
  let dirty = false;
  let disposed = false;
  // The agent has ended before the store has answered, and writes after that.
  let promised: (() => void) | undefined;

  const close = (): void => {
    client.awaitSave();
    if (gate) return;
    let open = (): void => {};
    const promise = new Promise<void>((resolve) => (open = resolve));
    gate = { promise, open };
  };
  const open = (): void => {
    gate?.open();
    gate = unsaved = undefined;
    client.began(last);
    // What was done before the store was this agent's.
    if (dirty && claim.owns()) keeper.save();
    // Not before what the store was asked for has begun.
    queueMicrotask(claim.rest);
  };

  /** Continues from this save, or without one. */
  const begin = (value: unknown): void => {
    try {
      const found = value === undefined || value === null ? undefined : JSON.stringify(value);
      const text = found !== undefined && unsaved !== undefined ? mergeSaves(found, unsaved) : (found ?? unsaved);
      // What is shown already is not shown anew.
      client.begin(text === undefined || text === last ? undefined : JSON.parse(text), text);
      last = text;
    } catch (cause) {
      client.refuse(cause);
    }
  };

  /** Whether what was read is what the agent begins with: nobody else writes, or has written since it was asked for. */
  const final = (): boolean => claim.owns() && !stale;

  /** What the store has, with what this page is writing: an agent before this one may have just ended. */
  const load = (): unknown => {
    const written = claim.written();
    return written ? written.then(load) : store.load();
  };

  /** Loads, or takes what is given. Where that takes time, the gate is closed meanwhile, but not for ever. */
  const fetch = (read: () => unknown, limit: number | undefined): void => {
    const number = ++loads;
    // The application's own save is not the store's.
    const own = limit === undefined;
    stale = false;
    seen = claim.version();
    let value: unknown;
    try {
      value = read();
    } catch (cause) {
      unknown = own ? undefined : "refused";
      client.refuse(cause);
      return settle();
    }
    if (!isPromise(value)) {
      if (value) client.awaitSave();
      begin(value);
      return settle();
    }
    close();
    loading = true;
    unknown = own ? undefined : "late";
    let timer: ReturnType<typeof setTimeout> | undefined;
    let late = false;
    const current = (): boolean => {
      clearTimeout(timer);
      if (number === loads) loading = false;
      return number === loads;
    };
    if (!own) {
      timer = later(limit, () => {
        if (number !== loads || disposed) return;
        late = true;
        loading = false;
        client.warn("not-restored", `The store has not answered for ${limit} ms: the agent goes on without its save`);
        if (final()) begin(undefined);
        without = dirty ? undefined : client.read();
        settle();
      });
    }
    value.then(
      (found) => {
        if (!current()) return;
        unknown = undefined;
        if (late || disposed) return arrive(found);
        older = undefined;
        if (found || final()) begin(found);
        settle();
      },
      (cause: unknown) => {
        if (!current()) return;
        unknown = own ? undefined : "refused";
        if (late || disposed) return;
        client.refuse(cause);
        settle();
      },
    ).then(() => promised?.());
  };

  /** A save has come after the agent had begun without it: it is shown if nothing was done since, and goes into the next one otherwise. */
  const arrive = (found: unknown): void => {
    const saved = found as SavedAgent | undefined;
    // What another agent owns is read when it is this one's.
    if (!disposed && !claim.owns()) return;
    if (saved?.v === 1 && Array.isArray(saved.messages)) {
      if (!disposed && !client.busy() && without !== undefined && sameThread(without, client.read())) {
        close();
        begin(saved);
        return settle();
      }
      older = JSON.stringify(saved);
    }
    if (!disposed) return keeper.touch();
    if (dirty && last !== undefined) claim.write(whole(last), waitMs, failed, () => {});
  };

  /** The store was read: what waits continues if the agent owns it. */
  const settle = (): void => {
    if (!gate || disposed) return;
    // Its owner may write more: that is read once this agent owns it.
    if (!claim.owns()) return client.awaitSave();
    if (stale) fetch(load, loadMs);
    else open();
  };

  /** With what came too late to begin with. */
  const whole = (json: string): string => (older === undefined ? json : mergeSaves(older, json));

  /** The next owner's save; where the store may have more than this agent knows of, it has to be read. */
  const known = (json: string): string | undefined => (unknown ? undefined : whole(json));

  const failed = (cause: unknown): void => {
    const message = `The agent could not be saved: ${reasonOf(cause)}`;
    // A store that is full is so all the time.
    if (message !== reported) client.warn("not-saved", (reported = message));
  };

  const write = (json: string, done: () => void): void => {
    if (!claim.owns()) {
      dirty = true;
      return done();
    }
    const put = (): void => {
      let fails = false;
      claim.write(whole(json), waitMs, (cause) => ((fails = true), failed(cause)), () => {
        if (!fails) reported = undefined;
        done();
      });
      dirty = false;
      seen = claim.version();
    };
    if (!unknown) return put();
    dirty = true;
    if (unknown === "late") return done();
    // It could not be read; a good save may be there.
    const found = (value: unknown): void => {
      unknown = undefined;
      arrive(value);
      put();
    };
    const refused = (cause: unknown): void => {
      failed(cause);
      done();
    };
    try {
      const value = store.load();
      if (!isPromise(value)) return found(value);
      done();
      value.then(found, refused);
    } catch (cause) {
      refused(cause);
    }
  };
  const keeper = createKeeper({ read: client.read, write, everyMs });

  const member: Member = {
    // Edits wait for the store as well.
    busy: () => client.busy() || (dirty && !!gate),
    mounted: client.mounted,
    surrender: () => {
      if (gate) return undefined;
      const json = client.surrender();
      if (dirty) write(json, () => {});
      if (dirty) unsaved = json;
      keeper.stop();
      last = json;
      stale = true;
      close();
      return known(json);
    },
    own: (save) => {
      if (disposed) return;
      if (save !== undefined) {
        loads++;
        loading = stale = false;
        unknown = older = undefined;
        close();
        begin(JSON.parse(save));
        open();
        return;
      }
      // Somebody may have written since: an agent of this page, or of another tab.
      stale ||= claim.shared() || claim.version() !== seen;
      if (loading) return;
      if (!stale) {
        // What was read waits as long as the store is not this agent's.
        begin(last === undefined ? undefined : JSON.parse(last));
        return open();
      }
      close();
      fetch(load, loadMs);
    },
    look: () => {
      if (!gate || disposed || loading || client.busy()) return;
      const show = (value: unknown): void => {
        if (!value || !gate || disposed || claim.owns() || client.busy()) return;
        begin(value);
        client.awaitSave();
      };
      try {
        const value = store.load();
        if (isPromise(value)) value.then(show, () => {});
        else show(value);
      } catch {
        // It is read again when it is this agent's.
      }
    },
    denied: () => {
      close();
      later(1000, () => {
        if (disposed || claim.owns()) return;
        client.warn("not-owner", "Another agent or tab owns this save: calls wait for it, and are not saved");
      });
    },
  };
  const claim = createClaim(store, member);

  if (given !== undefined && given !== null) fetch(() => given, undefined);
  else fetch(load, loadMs);

  return {
    ready: () => gate?.promise,
    use: (acts) => {
      if (disposed || claim.owns()) return;
      claim.ask(acts);
      if (!claim.owns()) close();
    },
    owns: claim.owns,
    touch: () => {
      dirty = true;
      if (claim.owns()) keeper.touch();
    },
    save: (json, done) => keeper.save(json, done),
    rest: claim.rest,
    forget: () => void (older = undefined),
    dispose: () => {
      if (disposed) return;
      const json = client.read();
      keeper.stop();
      if (claim.owns() && dirty) {
        last = json;
        write(json, () => {});
      }
      disposed = true;
      if (unknown === "late" && dirty) later(loadMs, (promised = claim.promise()));
      claim.leave(known(json));
    },
  };
}
