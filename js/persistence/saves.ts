// The saves of a thread with the option `persist`: it owns its store before it acts (owner.ts), begins with what is there, and writes what the
// core or the page says (reading.ts); its calls wait for that (gate.ts). The one place that decides what is written.

import type { Beginning, Saves, SavesClient, SavesOptions } from "../api/saves.js";
import { later } from "../base/timer.js";
import { saved, show, warn, type SavedThread } from "./gate.js";
import { createKeeper } from "./keeper.js";
import type { Early, SavesKit } from "./open.js";
import { Claim, type StoreMember } from "./owner.js";
import { ask, begin, proceed, touch, write } from "./reading.js";

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
  self.answered = claim.leave;
  // A store that hangs is not waited for.
  later(loadMs, claim.leave);
};

/** The saves of a thread in the store of its option `persist`. */
export const openSaves = (given: SavesOptions, thread: SavesClient, beginning: Beginning, kit: SavesKit, early?: Early): Saves => {
  const { persist, restore, saving = {} } = given;
  const { linger = Infinity, everyMs = 1000 } = saving;
  const self = { kit, thread, beginning, saving, gate: "closed", waiting: [], store: "known", last: early?.shown } as unknown as SavedThread;
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
    write: (said, done) => {
      // Whoever owns the save begins what it has.
      if (!claim.owns()) return;
      write(self, thread.remote.saved(said), (kept) => {
        lost = !kept;
        done();
      });
    },
    renew: () => {
      self.aside = undefined;
      write(self);
    },
    dispose: () => end(self),
  };
};
