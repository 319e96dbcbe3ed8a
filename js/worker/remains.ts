// The remains of a session in a worker (core/remains.ts). It reports records, and has yet to answer for some of what it was told.

import type { LateSession, LinkClient, LinkState, OpenHome, PendingIntent } from "../core/client.js";
import { lose, remain, remainsOf, type Remains } from "../core/remains.js";
import { queuedOf } from "../intents/run.js";
import { createMadeSaves } from "./saves.js";
import { closed } from "../snapshot/initial.js";
import { changedQueue, compose, union, type Queued, type Saved } from "../snapshot/save.js";

type Intents<State> = readonly PendingIntent<State>[];

/** The submits that were not answered for. */
export const unansweredOf = <State>(list: Intents<State>): Intents<State> => list.filter(({ run, kept, done }) => run && kept && !done);

/** The last report, with the calls that were begun since, and the queue as these have changed it, with those that were sent. */
function since<State>(
  { last = "{}", thread: { messages, state } }: OpenHome<State>,
  executed: ReadonlySet<string>,
  list: Intents<State>,
  sent: readonly Queued[],
): Saved {
  const then: Saved = { messages, state, ...JSON.parse(last) };
  const begun = sent.filter(({ runId }) => runId !== then.runId);
  const calls = then.turn?.calls.map((call) => (executed.has(call.id) ? { ...call, stage: "executing" } : call));
  return {
    ...then,
    handled: union(then.handled, [...executed], (id) => id),
    queue: union(changedQueue(then.queue, list), begun, ({ runId }) => runId),
    ...(calls && { turn: { ...then.turn, calls } }),
  };
}

/** The reports of a session, its save, and how it is lost. */
export type LateRemains<State> = ReturnType<typeof createRemains<State>>;

/** Nothing was reported yet. */
export function createRemains<State>(client: LinkClient<State>, shared: LinkState<State>) {
  const { pending } = shared;
  const { list } = pending;
  // The calls that were begun since the last report.
  const executed = new Set<string>();
  const made = createMadeSaves(client);
  const report = (change: Partial<OpenHome<State>>): void => {
    executed.clear();
    if (shared.home.at === "open") Object.assign(shared.home, change);
  };

  /** The save as it is now. */
  const saved = (): Saved => {
    const then = since(shared.home as OpenHome<State>, executed, list, changedQueue(queuedOf(unansweredOf(list)), list));
    const shown = client.read();
    // The thread of a report has all that it was stopped at, and what has begun since.
    const edited = list.filter(({ run, acts, stops }) => !run && !acts && !stops);
    // The event that a server is asked to continue after belongs to the thread of that time.
    const { threadId, messages, state } = shown.isLoading
      ? edited.reduce((at, { fold, inSave = fold }) => inSave(at), { ...shown, messages: then.messages, state: then.state as State })
      : shown;
    return compose(then, { threadId, messages, state });
  };
  const write = (done: () => void): void => {
    if (client.parts()!.settings.saves && shared.home.at === "open") made.write(saved(), done);
  };

  return {
    /** It has reported this record, of the thread as it is now, and wants the save of this number written. */
    reported: (last: string, number?: number): void => {
      report({ last, thread: pending.confirmed(), reading: false });
      const { home } = shared;
      const done = (): void => {
        if (shared.home === home) home.live?.call("saved", `${number}`);
      };
      if (number !== undefined) write(done);
    },
    /** The page begins this call. */
    executes: (toolCallId: string): void => void executed.add(toolCallId),
    /** The thread begins anew, as this save. */
    begins: (last: string): void => {
      // Nothing of before comes back.
      for (const step of list) step.kept = false;
      report({ last });
    },
    save: (): string => made.whole(saved()),
    keep: (): void => write(() => {}),
    lose: (...[home, { cause, shown, died }]: Parameters<LateSession<State>["lose"]>): void => {
      const { runId } = pending.confirmed();
      const sent = changedQueue(queuedOf(unansweredOf(list).filter(({ run, waits }) => waits && run!.id !== runId)), list);
      const left = remainsOf(client, shared, { ...home, reading: home.reading && !died }, shown, since(home, executed, list, sent), sent);
      const stopped = list.some(({ stops }) => stops);
      // A worker that has ended is an error only for those who wait for a run.
      const failed = !died || shown.isLoading || (!stopped && list.some(({ run }) => run && !run.part && !run.opens));
      if (failed) lose(client, shared, cause, left);
      else rest(client, shared, left, stopped, sent.length > 0);
    },
  };
}

/** The session is lost, and nobody waits for a run: what is left goes on once something is called. `changes`: it is shown anew. */
function rest<State>(client: LinkClient<State>, shared: LinkState<State>, left: Remains<State>, stopped: boolean, changes: boolean): void {
  const { pending, runs } = shared;
  remain(client, shared, left, false);
  const ended = left.shown.connection.phase !== "closed";
  const shown = { ...left.shown, connection: closed };
  // Nobody has settled these, and no save has them.
  const replies = stopped ? [] : [...runs].filter(({ part }) => part);
  pending.end(shown, replies.map((run) => ({ fold: run.fold, run })));
  if (changes || replies.length || ended) pending.show();
  const waits = new Set([...left.shown.queue.map(({ runId }) => runId), ...replies.map(({ id }) => id)]);
  for (const run of [...runs]) {
    if (!waits.has(run.id)) shared.settle(run, stopped ? "aborted" : "disconnected");
  }
}
