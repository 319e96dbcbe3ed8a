// The way of the store's save into the thread, and of the thread's saves into the store: with changes that came too late to be shown, and
// never over a save that has not been read.

import type { SavedAgent } from "../api/saving.js";
import { later } from "../base/timer.js";
import { admit, close, saved, show, warn, type SavedThread } from "./gate.js";
import { mergeSaves, sameThread } from "./merge.js";

/** Continues from this save, or without one. */
export const begin = (self: SavedThread, value: unknown): void =>
  show(self, () => {
    const { kit, aside } = self;
    const found = value == null ? undefined : JSON.stringify(value);
    return found !== undefined && aside !== undefined ? mergeSaves(kit, found, aside) : (found ?? aside);
  });

/** Opens the gate if the thread owns its store, and has what is there. */
export const proceed = (self: SavedThread): void => {
  const { claim, gate, thread } = self;
  if (gate !== "closed") return;
  // Its owner may write more: that is read once this thread owns it.
  if (!claim.owns()) return thread.link.awaitSave();
  if (!claim.knows()) return ask(self);
  admit(self);
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
      close(self);
      return found(self, value);
    }
    self.aside = JSON.stringify(value);
  }
  if (!ended) touch(self);
  else if (self.dirty && last !== undefined) put(self, last);
};

/** Asks the store, or for what the application gives. Where that takes time, calls wait meanwhile, but not for ever. */
export const ask = (self: SavedThread, read: () => unknown = self.claim.read, limit = self.saving.loadMs ?? 3000): void => {
  const { kit, claim, beginning } = self;
  const question = self.question = {};
  /** Whether the answer comes in time. */
  let inTime = true;
  const isOver = (): boolean => self.question !== question || self.gate === "ended";
  self.store = "asked";
  const timer = later(limit, () => {
    if (isOver()) return;
    inTime = false;
    self.store = "late";
    warn(self, "not-restored", `The store has not answered for ${limit} ms: the agent goes on without its save`);
    if (claim.knows()) begin(self, undefined);
    proceed(self);
  });
  const answer = (store: "known" | "refused", use: (timely: boolean) => void): void => {
    clearTimeout(timer);
    if (self.question !== question) return;
    self.store = store;
    use(inTime && self.gate !== "ended");
    self.answered?.();
  };
  kit.settle(
    read,
    (value) => answer("known", (timely) => (timely ? found : arrived)(self, value as SavedAgent | undefined)),
    (cause) =>
      answer("refused", (timely) => {
        if (!timely) return;
        beginning.refuse(cause);
        proceed(self);
      }),
  );
  if (self.store === "asked") close(self);
};

/** Something has changed. */
export const touch = (self: SavedThread): void => {
  self.dirty = true;
  if (self.claim.owns()) self.keeper.touch();
};

/** Writes it although another thread may own the store by now. */
const put = (self: SavedThread, json: string, done = (_kept: boolean): void => {}): void => {
  const { kit, claim, aside, saving: { waitMs = 300 } } = self;
  let failure: string | undefined;
  claim.write({
    save: aside === undefined ? json : mergeSaves(kit, aside, json),
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
export const write = (self: SavedThread, json = saved(self), done = (_kept: boolean): void => {}): void => {
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
