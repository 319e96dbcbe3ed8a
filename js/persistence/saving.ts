// What an agent with the option `persist` does beside its work: it owns its store before it acts (owner.ts), begins with what is
// there (question.ts), and writes what the core or the page says (stored.ts). The one place that decides what is written.

import { createGate } from "./gate.js";
import { createKeeper } from "./keeper.js";
import { createClaim, type Member } from "./owner.js";
import { createQuestion, type Answers } from "./question.js";
import type { First } from "./record.js";
import { createStored } from "./stored.js";
import { mergeSaves, sameThread } from "./merge.js";
import type { AgentStore, SavedAgent, SavingOptions } from "../api/saving.js";
import { isPromise } from "../base/promise.js";
import { later } from "../base/timer.js";

/** The agent, as its saves see it. */
export interface SavingClient extends Pick<Member, "busy" | "mounted"> {
  /** As it begins where it finds nothing. */
  readonly first: First;
  /** Everything as it is: JSON text. */
  read(): string;
  /** Shows this save and continues from there, or from nothing. Throws if it is no save. */
  begin(value: unknown, text: string | undefined): void;
  /** The agent owns the store, and what is there was read. */
  began(text: string | undefined): void;
  refuse(cause: unknown): void;
  /** A save is on the way: what is called waits for it. */
  awaitSave(): void;
  /** Ends what is open. Returns the save. */
  surrender(outcome: "disconnected" | "aborted"): string;
  warn(code: string, message: string): void;
}

/** The saves of one agent. */
export interface Saving {
  /** Begins with `given`, a save of the application, or with what the store has. */
  begin(): void;
  /** What the core has to wait for, if anything. */
  ready(): Promise<void> | undefined;
  /** Somebody uses the agent. */
  use(): void;
  owns(): boolean;
  /** Something has changed that is saved after a while. */
  touch(): void;
  /** Saves what is given, or the agent as it is. */
  save(json?: string, done?: (kept: boolean) => void): void;
  /** Nothing is in progress. */
  rest(): void;
  /** What came too late to begin with is of no use. */
  forget(): void;
  /** As if it was over, until somebody uses the agent again. */
  hangUp(): void;
  /** The last save is written; nothing is written after it. */
  dispose(): void;
}

/** The saves of an agent in that store; `given`: a save of the application, to begin with. */
export function createSaving(store: AgentStore, given: unknown, options: SavingOptions, client: SavingClient): Saving {
  const { everyMs = 1000, waitMs = 300, loadMs = 3000 } = options;
  const gate = createGate();
  const question = createQuestion();
  // What the agent had when it let go of a store that it could not write to.
  let unsaved: string | undefined;
  // What the agent had when it began without, if nothing was done by then.
  let without: string | undefined;
  let last: string | undefined;
  // What was loaded may have been written over since.
  let stale = false;
  let disposed = false;

  const close = (): void => {
    client.awaitSave();
    gate.close();
  };
  const open = (): void => {
    gate.open();
    unsaved = undefined;
    client.began(last);
    // What was done before the store was this agent's.
    if (stored.dirty && claim.owns()) keeper.save();
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
    return written ? written.then(load) : claim.read();
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
      stored.missed(JSON.stringify(saved));
    }
    if (!disposed) return keeper.touch();
    if (stored.dirty && last !== undefined) stored.writeLast(last);
  };

  /** Continues with what has come. */
  const taken: Answers = {
    now: (value) => {
      if (value) client.awaitSave();
      begin(value);
      settle();
    },
    waits: close,
    found: (value) => {
      if (value || final()) begin(value);
      settle();
    },
    refused: (cause) => {
      client.refuse(cause);
      settle();
    },
    arrived: arrive,
  };

  /** Asks the store. Where that takes time, the gate is closed meanwhile, but not for ever. */
  const fetch = (): void => {
    stale = false;
    stored.asked();
    question.ask(load, loadMs, {
      now: taken.now,
      waits: () => {
        stored.waits();
        close();
      },
      found: (value) => {
        stored.answered();
        stored.forget();
        taken.found(value);
      },
      refused: (cause) => {
        stored.refused();
        taken.refused(cause);
      },
      late: () => {
        client.warn("not-restored", `The store has not answered for ${loadMs} ms: the agent goes on without its save`);
        if (final()) begin(undefined);
        without = stored.dirty ? undefined : client.read();
        settle();
      },
      arrived: (value) => {
        stored.answered();
        arrive(value);
      },
      lost: stored.refused,
    });
  };

  /** The store was read: what waits continues if the agent owns it. */
  const settle = (): void => {
    if (!gate.closed || disposed) return;
    // Its owner may write more: that is read once this agent owns it.
    if (!claim.owns()) return client.awaitSave();
    if (stale) fetch();
    else open();
  };

  const write = (json: string, done: (kept: boolean) => void): void => stored.write(json, done, arrive);
  const keeper = createKeeper({ read: client.read, write, everyMs });

  const letGo = (outcome: "disconnected" | "aborted"): void => {
    if (gate.closed) return;
    const json = client.surrender(outcome);
    if (stored.dirty) write(json, () => {});
    if (stored.dirty) unsaved = json;
    keeper.stop();
    last = json;
    stale = true;
    close();
  };

  const member: Member = {
    // Edits wait for the store as well, but for none that gives no answer.
    busy: () => client.busy() || (stored.dirty && !!gate.closed && (question.open || !stored.unread)),
    mounted: client.mounted,
    surrender: () => letGo("disconnected"),
    own: () => {
      if (disposed) return;
      // Somebody may have written since: an agent of this page, or of another tab.
      stale ||= claim.shared() || stored.changed();
      if (question.open) return;
      if (!stale) {
        // What was read waits as long as the store is not this agent's.
        begin(last === undefined ? undefined : JSON.parse(last));
        return open();
      }
      close();
      fetch();
    },
    look: () => {
      if (!gate.closed || disposed || question.open || client.busy()) return;
      const show = (value: unknown): void => {
        if (!value || !gate.closed || disposed || claim.owns() || client.busy()) return;
        begin(value);
        client.awaitSave();
      };
      try {
        const value = claim.read();
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
  const claim = createClaim(store, member, client.first);
  const stored = createStored(claim, waitMs, (message) => client.warn("not-saved", message));

  return {
    begin: () => {
      // The application's own save is not the store's, and may take its time.
      if (given !== undefined && given !== null) question.ask(() => given, undefined, taken);
      else fetch();
    },
    ready: () => gate.closed,
    use: () => {
      if (disposed || claim.owns()) return;
      claim.ask();
      if (!claim.owns()) close();
    },
    owns: claim.owns,
    touch: () => {
      stored.touch();
      if (claim.owns()) keeper.touch();
    },
    save: (json, done) => keeper.save(json, done),
    rest: claim.rest,
    forget: stored.forget,
    hangUp: () => {
      if (!claim.owns()) return;
      letGo("aborted");
      claim.leave();
    },
    dispose: () => {
      if (disposed) return;
      const json = client.read();
      keeper.stop();
      if (claim.owns() && stored.dirty) {
        last = json;
        write(json, () => {});
      }
      disposed = true;
      const owes = stored.late && stored.dirty;
      const written = owes ? claim.promise() : () => {};
      question.end(written);
      // A store that hangs is not waited for.
      if (owes) later(loadMs, written);
      claim.leave();
    },
  };
}
