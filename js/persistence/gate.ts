// A thread in front of its store: its calls wait until the store is its own and was read, and again once it has let go.
//
//   closed ──open──► open ──letGo──► closed       each ──the end──► ended
//
// The store, meanwhile (reading.ts):
//
//   known ──ask──► asked ──► known                         `late`: nothing is written until the answer comes
//                    ├──limit──► late ──answer──► known    `refused`: it is read once more before anything is written
//                    └──error──► refused

import type { Beginning, SavesClient, SavesOptions } from "../api/saves.js";
import type { Keeper } from "./keeper.js";
import type { SavesKit } from "./open.js";
import type { Claim, StoreMember } from "./owner.js";

/** A thread with a store. */
export interface SavedThread {
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
  question?: object;
  /** Called once the question is answered. */
  answered?: () => void;
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
export const saved = ({ thread }: SavedThread): string => thread.remote.saved(thread.link.save());

export const warn = ({ thread }: SavedThread, code: string, message: string): void =>
  // The application has no agent to listen to before.
  queueMicrotask(() => thread.disposed() || thread.emitter.emit("warning", { code, message }));

export const close = (self: SavedThread): void => {
  self.thread.link.awaitSave();
  self.gate = "closed";
};

/** Continues from the save that `find` returns, JSON text, or without one. */
export const show = (self: SavedThread, find: () => string | undefined): void => {
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

/** Opens the gate: the calls that wait continue. */
export const admit = (self: SavedThread): void => {
  const { thread: { link, jobs, members, channel, options }, store, dirty, last } = self;
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
};
