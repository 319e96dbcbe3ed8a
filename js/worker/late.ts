// A session in a worker, as its link sees it. The intents that it is told are pending until it has answered.
//
//   call ──► shown as its fold has it ─────────────► patch shown, intent dropped
//      └──────────► worker: core ──► echo, patch ──┘
//
// The page makes its saves: it has the thread, and the worker reports the rest. They are what is left once it has ended with its worker
// (core/remains.ts).

import type { AgentSnapshot } from "../api/types.js";
import type { LinkClient, LinkState, OpenHome, PendingIntent } from "../core/client.js";
import { withoutWaiting } from "../core/pending.js";
import { isUnanswered, remain, reportOf, type Remains } from "../core/remains.js";
import type { Intent } from "../intents/intent.js";
import { queuedOf } from "../intents/run.js";
import { closed } from "../snapshot/initial.js";
import { keepShown } from "../snapshot/mirror.js";
import { changedQueue, compose, composeSave, type Saved } from "../snapshot/save.js";
import type { RemoteSession } from "./session.js";

/** The session as its link sees it, and what it answers. It was told nothing yet. */
export function createLate<State>(client: LinkClient<State>, shared: LinkState<State>, session: () => RemoteSession) {
  const { list, add, show, confirmed } = shared.pending;
  const remains = createRemains(client, shared);
  // Intents were dropped since the thread was last shown without any.
  let dropped = false;
  /** It has these to do; resolves when it has answered. */
  const tell = (...told: PendingIntent<State>[]): Promise<void> => {
    const done = new Promise<void>((resolve) =>
      session().echo((answered) => {
        for (const step of told) {
          step.done ||= answered;
          // In this turn: what comes with the same message is of a later time.
          step.applied?.();
        }
        resolve();
      })
    );
    // One that may be refused is in no save before it is taken.
    for (const step of told) if (step.waits) step.unsaved = /drop|reject/.test(step.run!.ifBusy ?? "");
    add(...told);
    return done;
  };

  /** Drops what was answered for. Whether that is something. */
  const drop = (): boolean => {
    const still = list.filter(({ done }) => !done);
    const drops = still.length < list.length;
    list.splice(0, list.length, ...still);
    dropped ||= drops;
    return drops;
  };
  /** Shows the thread without what it has answered for, unless the patch that has it is not applied to its end. */
  const catchUp = (): void => {
    if (!shared.home.live?.partly() && drop()) show(shared.late!.answered(confirmed()));
  };

  return {
    ...remains,
    tell,
    opened: (): void => {
      const shown = confirmed();
      const all = list.splice(0);
      // Decisions are not told anew should it be lost: they may be what it is lost at.
      const begun = all.flatMap(({ run }) => (run ? [{ fold: () => shown, run }] : []));
      void tell({ fold: () => shown, inSave: (at) => withoutWaiting(at, all) }, ...begun);
    },
    answered: (next: AgentSnapshot<State>): AgentSnapshot<State> => {
      drop();
      if (!dropped || list.length) return next;
      dropped = false;
      return keepShown(client.read(), next);
    },
    settled: (name: string): (() => void) | undefined => {
      const ended = list.filter(({ run }) => run?.id === name).slice(0, 1);
      const early = ended.some(isUnanswered);
      for (const step of list) if (step.stops || ended.includes(step)) step.done = true;
      catchUp();
      return early ? () => remains.write() : undefined;
    },
    catchUp,
  };
}

/** The saves of a session, and its end. */
export type LateRemains<State> = ReturnType<typeof createRemains<State>>;

/** Nothing was reported yet. */
function createRemains<State>(client: LinkClient<State>, shared: LinkState<State>) {
  const { list } = shared.pending;
  const made = createMadeSaves(client);

  /** The save as it is now. */
  const saved = (): Saved => {
    const then = reportOf(shared.home as OpenHome<State>);
    const shown = client.read();
    // The thread of a report has all that it was stopped at, and what has begun since.
    const edited = list.filter(({ run, acts, stops }) => !run && !acts && !stops);
    // The event that a server is asked to continue after belongs to the thread of that time.
    const { threadId, messages, state } = shown.isLoading
      ? edited.reduce((at, { fold, inSave = fold }) => inSave(at), { ...shown, messages: then.messages, state: then.state as State })
      : shown;
    return compose(then, { threadId, messages, state }, list, changedQueue(queuedOf(list.filter(isUnanswered)), list));
  };

  return {
    /** The thread begins anew. */
    resets: (intent: Intent<State>): void => {
      const { home, runs } = shared;
      // Nothing of before comes back.
      for (const step of list) step.unsaved = true;
      (home as OpenHome<State>).last = intent.save ?? composeSave(undefined, client.empty());
      // It ends the replies so far: one that is sent from now on is none of theirs.
      for (const run of runs) run.part &&= intent;
    },
    save: (): string => made.whole(saved()),
    write: (done = (): void => {}): void => {
      if (client.parts()!.settings.saves && shared.home.at === "open") made.write(saved(), done);
    },
    /** Nobody waits for a run: what is left goes on once something is called. */
    rests: (left: Remains<State>): boolean => {
      const stopped = list.some(({ stops }) => stops);
      // A worker that has ended is an error only for those who wait for a run.
      if (client.read().isLoading || (!stopped && list.some(({ run }) => run && !run.part && !run.opens))) return false;
      settleAtRest(client, shared, left, stopped);
      return true;
    },
  };
}

/** The session is lost, and nobody waits for a run. */
function settleAtRest<State>(client: LinkClient<State>, shared: LinkState<State>, left: Remains<State>, stopped: boolean): void {
  const { pending, runs } = shared;
  remain(client, shared, left, false);
  const { queue, connection } = client.read();
  const changes = left.shown.queue.length !== queue.length || connection.phase !== "closed";
  const shown = { ...left.shown, connection: closed };
  // Nobody has settled these, and no save has them.
  const replies = stopped ? [] : [...runs].filter(({ part }) => part);
  pending.end(shown, replies.map((run) => ({ fold: run.fold, run })));
  if (changes || replies.length) pending.show();
  const waits = new Set([...left.shown.queue.map(({ runId }) => runId), ...replies.map(({ id }) => id)]);
  for (const run of [...runs]) {
    if (!waits.has(run.id)) shared.settle(run, stopped ? "aborted" : "disconnected");
  }
}

/** The save as the core writes it: each message is a line, near the end. */
function textOf({ messages, state, ...rest }: Saved): string {
  const lines = messages.map((message) => JSON.stringify(message)).join("\n,\n");
  return `${JSON.stringify(rest).slice(0, -1)},"messages":[\n${lines}\n],"state":${JSON.stringify(state)}}`;
}

/** The saves of a thread, of which none was made yet. */
function createMadeSaves<State>({ parts, save: put }: LinkClient<State>) {
  // The last whole one, as text and as it was: what stays of a thread are the same objects.
  let last: readonly [json: string, save: Saved] | undefined;
  /** Returns the save as JSON text: the next one may be written as what has changed since. */
  const whole = (save: Saved): string => {
    const json = textOf(save);
    if (parts()!.settings.saves) last = [json, save];
    return json;
  };
  return {
    whole,
    /** Has it written, or what has changed since the last whole one. */
    write: (save: Saved, done: () => void): void => {
      const { messages, state, ...rest } = save;
      const [json, before] = last ?? [];
      const at = messages.findIndex((message, index) => message !== before?.messages[index]);
      const from = at < 0 ? messages.length : at;
      if (!before || !from) return put(whole(save), done);
      const changes = { ...rest, from, messages: messages.slice(from), ...(state !== before.state && { state }) };
      put(json!, done, JSON.stringify(changes));
    },
  };
}
