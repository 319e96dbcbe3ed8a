// The saves of a thread with the option `persist`: it owns its store before it acts (owner.ts), begins with what is there, and writes what the
// core or the page says: changes that came too late to be shown as well, and never over a save that was not read. The one place that
// decides what is written.
//
// Its calls wait until the store is its own and was read, and again once it has let go:
//
//   closed ──open──► open ──letGo──► closed       each ──the end──► ended
//
// The store, meanwhile:
//
//   known ──ask──► asked ──► known                         `late`: nothing is written until the answer comes
//                    ├──limit──► late ──answer──► known    `refused`: it is read once more before anything is written
//                    └──error──► refused

import type { Beginning, Saves, SavesClient, SavesOptions } from "../api/saves.js";
import type { SavedAgent } from "../api/saving.js";
import { later } from "../base/timer.js";
import { createKeeper, type Keeper } from "./keeper.js";
import { mergeSaves, sameThread } from "./merge.js";
import type { Early, SavesKit } from "./open.js";
import { Claim, type StoreMember } from "./owner.js";

/** A thread with a store. */
interface SavedThread {
  readonly kit: SavesKit;
  readonly thread: SavesClient;
  readonly beginning: Beginning;
  readonly saving: NonNullable<SavesOptions["saving"]>;
  /** Held here: its claim does not. */
  member: StoreMember;
  claim: Claim;
  keeper: Keeper;
  gate: "closed" | "open" | "ended";
  /** The calls that wait for it to open. */
  readonly waiting: (() => void)[];
  store: "asked" | "late" | "refused" | "known";
  /** The last question to the store: the answer to an earlier one is of no use. */
  question: { answered?: () => void };
  /**
   * The save that the thread shows, or has written last: JSON text. While it works: the thread as it began, if a save that is late may still take
   * its place.
   */
  last?: string | undefined;
  /**
   * A save that was never in the store or in the thread: of the thread, as it let go of the store, for what is found there; or found too late, for the next
   * one that is written.
   */
  aside?: string | undefined;
  /** Something has changed that is not in the store. */
  dirty?: boolean;
  /** A save is being shown: that is no change. */
  shows?: boolean;
  /** The last warning: a store that is full is so all the time. */
  reported?: string | undefined;
}

/** The thread as it is: JSON text. */
const saved = ({ thread }: SavedThread): string => thread.remote.saved(thread.link.save());

const warn = ({ thread }: SavedThread, code: string, message: string): void =>
  // The application has no agent to listen to before.
  queueMicrotask(() => thread.disposed() || thread.emitter.emit("warning", { code, message }));

/** Continues from the save that `find` returns, JSON text, or without one. */
const show = (self: SavedThread, find: () => string | undefined): void => {
  const { thread: { link }, beginning } = self;
  self.shows = true;
  try {
    const text = find();
    if (link.live()) link.suspend();
    // A save that is shown already is not shown anew.
    beginning.show(text === undefined || text === self.last ? undefined : JSON.parse(text), text);
    self.last = text;
  } catch (cause) {
    beginning.refuse(cause);
  }
  self.shows = false;
};

/** Continues from this save, or without one. */
const begin = (self: SavedThread, value: unknown): void =>
  show(self, () => {
    const { kit, aside } = self;
    const found = value == null ? undefined : JSON.stringify(value);
    return found !== undefined && aside !== undefined ? mergeSaves(kit, found, aside) : (found ?? aside);
  });

/** Opens the gate if the thread owns its store, and has what is there: the calls that wait continue. */
const proceed = (self: SavedThread): void => {
  const { claim, gate, store, dirty, last, thread: { link, jobs, members, channel, options } } = self;
  if (gate !== "closed") return;
  // Its owner may write more: that is read once this thread owns it.
  if (!claim.owns()) return link.awaitSave();
  if (!claim.knows()) return ask(self);
  const { resume, autoAttach } = options();
  // The run that was in progress when the page was left, if it is to be joined; one that the application has started itself comes first.
  const joins = last !== undefined && resume && autoAttach !== false && !link.busy();
  const { running, runId } = joins ? JSON.parse(last) : {};
  self.last = store === "late" && !dirty ? saved(self) : undefined;
  self.aside = undefined;
  self.gate = "open";
  if (running && runId !== undefined) jobs.rejoin(runId);
  else if (members.watched()) void link.load();
  channel?.reconnect();
  for (const action of self.waiting.splice(0)) action();
  // Saves the changes from before the store was this thread's.
  if (self.dirty) write(self);
  // Not before what the store was asked for has begun.
  queueMicrotask(claim.rest);
};

const found = (self: SavedThread, value: unknown): void => {
  if (value) self.thread.link.awaitSave();
  // Changes that were made before this code came wait on, for whatever another tab writes.
  if (value || self.claim.knows()) begin(self, value);
  proceed(self);
};

/** A save has come after the thread had begun without it: it is shown if nothing was done since, and goes into the next one otherwise. */
const arrived = (self: SavedThread, value: SavedAgent | undefined): void => {
  const { gate, last, thread: { link } } = self;
  const ended = gate === "ended";
  // The store of another thread is read once it is this one's.
  if (!ended && !self.claim.owns()) return;
  if (value?.v === 1 && Array.isArray(value.messages)) {
    if (!ended && !link.busy() && last !== undefined && sameThread(last, saved(self))) {
      self.gate = "closed";
      return found(self, value);
    }
    self.aside = JSON.stringify(value);
  }
  if (!ended) touch(self);
  else if (self.dirty && last !== undefined) put(self, last);
};

/** Asks the store, or for what the application gives. Where that takes time, calls wait meanwhile, but not for ever. */
export const ask = (self: SavedThread, read: () => unknown = self.claim.read, limit = self.saving.loadMs ?? 3000): void => {
  const { kit, claim, beginning, thread } = self;
  const question: SavedThread["question"] = self.question = {};
  self.store = "asked";
  const timer = later(limit, () => {
    if (self.question !== question || self.gate === "ended") return;
    self.store = "late";
    warn(self, "not-restored", `The store has not answered for ${limit} ms: the agent goes on without its save`);
    if (claim.knows()) begin(self, undefined);
    proceed(self);
  });
  const answer = (store: "known" | "refused", use: (inTime: boolean) => void): void => {
    clearTimeout(timer);
    if (self.question !== question) return;
    const inTime = self.store === "asked" && self.gate !== "ended";
    self.store = store;
    use(inTime);
    question.answered?.();
  };
  kit.settle(
    read,
    (value) => answer("known", (inTime) => (inTime ? found : arrived)(self, value as SavedAgent | undefined)),
    (cause) =>
      answer("refused", (inTime) => {
        if (!inTime) return;
        beginning.refuse(cause);
        proceed(self);
      }),
  );
  if (self.store !== "asked") return;
  thread.link.awaitSave();
  self.gate = "closed";
};

/** Something has changed. */
const touch = (self: SavedThread): void => {
  self.dirty = true;
  if (self.claim.owns()) self.keeper.touch();
};

/** Writes it although another thread may own the store by now. */
const put = (self: SavedThread, json: string, done = (_kept: boolean): void => {}, part = false): void => {
  const { kit, claim, aside, saving: { waitMs = 300 } } = self;
  let failure: string | undefined;
  claim.write({
    save: aside === undefined ? json : mergeSaves(kit, aside, json),
    part,
    failed: (cause) => void (failure = report(self, cause)),
    done: (kept) => {
      self.reported = failure;
      done(kept);
    },
  }, waitMs);
  self.dirty = false;
};

const report = (self: SavedThread, cause: unknown): string => {
  const message = `The agent could not be saved: ${(cause as Partial<Error> | undefined)?.message ?? cause}`;
  if (message !== self.reported) warn(self, "not-saved", message);
  return message;
};

/** Writes the save if the thread may. `done` is called within a bounded time; `kept`: the store has it, or its record. */
const write = (self: SavedThread, json = saved(self), done = (_kept: boolean): void => {}): void => {
  const { kit, claim, keeper } = self;
  keeper.stop();
  if (claim.owns() && self.store === "known") return put(self, json, done);
  self.dirty = true;
  if (!claim.owns() || self.store !== "refused") return done(false);
  // A good save may be there.
  const read = (value: unknown): void => {
    self.store = "known";
    arrived(self, value as SavedAgent | undefined);
    put(self, json, done);
  };
  kit.settle(claim.read, read, (cause) => void (self.reported = report(self, cause)));
  if (self.store === "refused") done(false);
};

/** Nobody is here for the calls that are left: another tab that wants the store gets it, and they are over. */
const isDeserted = ({ thread }: SavedThread): boolean | undefined => thread.source.parts()?.calls.unclaimed();

/** Something is in progress. A thread that could not be opened, and waits to be, may as well wait in another tab. */
const isWorking = ({ thread: { remote, source, link } }: SavedThread): boolean =>
  remote.thread?.hasFailed() ? !!source.parts()?.calls.works() : link.busy() || !!remote.thread?.isLoading();

/** Ends what is in progress, and saves it. */
const letGo = (self: SavedThread, outcome?: "aborted"): void => {
  const { gate, thread: { remote, link, channel } } = self;
  if (gate !== "open") return;
  remote.thread?.leave();
  // The runs that end with it are in this save as they were, and in no other.
  self.gate = "closed";
  const json = self.last = remote.saved(link.suspend(outcome));
  channel?.current?.close();
  if (self.dirty) write(self, json);
  self.aside = self.dirty ? json : undefined;
};

/** The thread as the other users of its store see it. */
const memberOf = (self: SavedThread): StoreMember => {
  const { kit, thread: { link, members } } = self;
  /** A save that another thread has written can be shown. */
  const looks = (): boolean => members.watched() && self.gate === "closed" && self.store !== "asked" && !self.claim.owns() && !link.busy();
  return {
    // Edits also wait for the store, unless it has stopped responding.
    busy: () => (isWorking(self) && !isDeserted(self)) || (!!self.dirty && self.store === "asked"),
    surrender: () => {
      letGo(self);
      return members.watched();
    },
    own: () => {
      if (self.gate !== "closed" || self.store === "asked") return;
      // A save that was read waits as long as the store is not this thread's.
      if (self.claim.knows()) show(self, () => self.last);
      proceed(self);
    },
    look: () => {
      const apply = (value: unknown): void => {
        if (!value || !looks()) return;
        begin(self, value);
        link.awaitSave();
      };
      // A read that fails is made again once the store is this thread's.
      if (looks()) kit.settle(self.claim.read, apply, () => {});
    },
  };
};

/** Nobody has come back in time: hangs up and lets the store go. Whoever comes next begins with the save. */
const hangUp = (self: SavedThread): void => {
  const { gate, waiting, claim, thread: { link, members } } = self;
  // A save has nothing of what still waits for the store: that comes first.
  if (gate === "closed") return void waiting.push(() => hangUp(self));
  if (gate === "ended" || members.present().length) return;
  letGo(self, "aborted");
  claim.leave();
  // The submits that waited are in the queue of the save, and no longer in the thread that is shown.
  const { last } = self;
  self.last = undefined;
  show(self, () => last);
  link.awaitSave();
};

/** The end of the thread: what has changed is written, if need be once the store has answered. */
const end = (self: SavedThread): void => {
  const { gate, claim, dirty, saving: { loadMs = 3000 } } = self;
  if (gate === "ended") return;
  self.last = claim.owns() && dirty ? saved(self) : undefined;
  if (self.last !== undefined) write(self, self.last);
  self.gate = "ended";
  if (self.last === undefined || !self.dirty || self.store === "refused") return claim.leave();
  self.question.answered = claim.leave;
  // A store that hangs is not waited for.
  later(loadMs, claim.leave);
};

/** The saves of a thread in the store of its option `persist`. */
export const openSaves = (given: SavesOptions, thread: SavesClient, beginning: Beginning, kit: SavesKit, early?: Early): Saves => {
  const { persist, restore, saving = {} } = given;
  const { linger = Infinity, everyMs = 1000 } = saving;
  const self = { kit, thread, beginning, saving, gate: "closed", waiting: [], store: "known", question: {}, last: early?.shown } as unknown as SavedThread;
  self.keeper = createKeeper(everyMs, () => write(self));
  self.member = memberOf(self);
  const claim = self.claim = new Claim(kit, persist!, self.member, thread.shown.first, early);
  // The store has taken nothing of the last save that the core has asked for.
  let lost = false;
  // The time after which nobody is expected back.
  let lingering: ReturnType<typeof setTimeout> | undefined;

  return {
    // The application's own save is not the store's, and may take its time.
    begin: () => ask(self, early?.read ?? (restore == null ? undefined : () => restore), restore == null ? undefined : Infinity),
    ready: async () => {
      while (self.gate === "closed") await new Promise<void>((open) => self.waiting.push(open));
    },
    use: () => {
      if (self.gate === "ended" || !claim.ask()) return;
      later(1000, () => {
        if (self.gate === "ended" || claim.owns()) return;
        warn(self, "not-owner", "Another agent or tab owns this save: calls wait for it, and are not saved");
      });
    },
    changed: () => {
      if (self.shows) return;
      touch(self);
      if (isDeserted(self)) queueMicrotask(claim.rest);
    },
    alone: () => {
      clearTimeout(lingering);
      if (linger < Infinity) lingering = later(linger, () => hangUp(self));
    },
    rest: claim.rest,
    ended: () => {
      // The core says when there is something to save.
      if (!thread.link.live() && self.gate === "open") write(self);
    },
    refusal: () => lost && saving.required ? kit.unsupported("not-saved", "The store keeps nothing of it, and saving.required is set") : undefined,
    save: () => write(self),
    write: (said, done, changes) => {
      // Whoever owns the save begins what it has.
      if (!claim.owns()) return;
      const whole = thread.remote.saved(said);
      const wrote = (kept: boolean): void => {
        lost = !kept;
        done();
      };
      if (changes === undefined) return write(self, whole, wrote);
      if (self.store !== "known" || self.aside !== undefined || !claim.follows(whole)) return write(self, undefined, wrote);
      put(self, thread.remote.saved(changes), (kept) => (kept || self.gate !== "open" ? wrote(kept) : write(self, undefined, wrote)), true);
      // The text is written later.
      touch(self);
    },
    quarantine: (json) => {
      if (!persist!.quarantine || !claim.owns()) return;
      const kept = (): void => warn(self, "quarantined", "The core has failed at the save of this thread: it is put aside, and the thread goes on without it");
      kit.settle(() => persist!.quarantine!(JSON.parse(json)), kept, (cause) => void report(self, cause));
    },
    renew: () => {
      self.aside = undefined;
      write(self);
    },
    dispose: () => end(self),
  };
};
