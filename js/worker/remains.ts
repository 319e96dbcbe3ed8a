// The saves of a session in a worker, which reports records, and what is left of one that has ended with its worker (core/remains.ts).

import type { LinkClient, LinkState, OpenHome } from "../core/client.js";
import { isUnanswered, remain, reportOf, type Remains } from "../core/remains.js";
import type { Intent } from "../intents/intent.js";
import { queuedOf } from "../intents/run.js";
import { createMadeSaves } from "./saves.js";
import { closed } from "../snapshot/initial.js";
import { changedQueue, compose, composeSave, union, type Saved } from "../snapshot/save.js";

/** The saves of a session, and its end. */
export type LateRemains<State> = ReturnType<typeof createRemains<State>>;

/** Nothing was reported yet. */
export function createRemains<State>(client: LinkClient<State>, shared: LinkState<State>) {
  const { list } = shared.pending;
  const made = createMadeSaves(client);

  // The calls that were begun since the last report.
  const executed = new Set<string>();
  const since = (report: Saved): Saved => {
    const calls = report.turn?.calls.map((call) => (executed.has(call.id) ? { ...call, stage: "executing" } : call));
    return { ...report, handled: union(report.handled, [...executed], (id) => id), ...(calls && { turn: { ...report.turn, calls } }) };
  };

  /** The save as it is now. */
  const saved = (): Saved => {
    const then = since(reportOf(shared.home as OpenHome<State>));
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
    since,
    /** The page begins this call. */
    executes: (toolCallId: string): void => void executed.add(toolCallId),
    /** A report has come. */
    reported: (): void => executed.clear(),
    /** The thread begins anew. */
    resets: (intent: Intent<State>): void => {
      const { home, runs } = shared;
      // Nothing of before comes back.
      for (const step of list) step.unsaved = true;
      executed.clear();
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
      rest(client, shared, left, stopped);
      return true;
    },
  };
}

/** The session is lost, and nobody waits for a run. */
function rest<State>(client: LinkClient<State>, shared: LinkState<State>, left: Remains<State>, stopped: boolean): void {
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
