// The intents of a thread that its core has not confirmed. Shown is what it has confirmed, with what each of these will do to that.
//
//   without a session         an intent waits for one
//   a session that is here    applies it in the call, and the intent stands here until that is shown
//   one that answers later    is told, and the intent stands here until the session has answered
//
// Should the session be lost, what stands here becomes a part of its remains (remains.ts).

import type { AgentSnapshot } from "../api/types.js";
import { unsupported } from "../base/failure.js";
import { retained } from "../base/weak.js";
import { queuedOf, takenOut } from "../intents/run.js";
import { begun, cancelled } from "../snapshot/run.js";
import type { SavedAct } from "../snapshot/save.js";
import type { LinkClient, LinkState, PendingIntent, Run } from "./client.js";

/** Settles a run that does not wait for another one; whether it does not. */
function isRefused<State>(shared: LinkState<State>, run: Run<State>): boolean {
  if (run.ifBusy === "drop") shared.settle(run, "dropped");
  if (run.ifBusy !== "reject") return run.ifBusy === "drop";
  shared.runs.delete(run);
  run.reject(unsupported("busy", "Another run is in progress"));
  return true;
}

const needs = <State>({ run, acts }: PendingIntent<State>): unknown => run || acts;
const begins = <State>({ run }: PendingIntent<State>): boolean => !!run && !run.part;

/** The snapshot with one more intent. Parts that nothing new has come to stay the same objects. */
function apply<State>(at: AgentSnapshot<State>, pending: PendingIntent<State>): AgentSnapshot<State> {
  if (pending.shown?.[0] !== at) pending.shown = [at, pending.fold(at)];
  return pending.shown[1];
}

/** The thread with these, but for the submits that can wait in a save: such a run has its messages with it. */
export const withoutWaiting = <State>(at: AgentSnapshot<State>, list: readonly PendingIntent<State>[]): AgentSnapshot<State> =>
  list.reduce((next, { run, unsaved, fold }) => (run?.queued && !unsaved ? next : fold(next)), at);

/** Decisions that wait for a session, as a save has them: those that need one, and replies to some of several interrupts. */
const decisionsOf = <State>(list: readonly PendingIntent<State>[]): SavedAct[] =>
  list.flatMap((pending): SavedAct[] => {
    const { method, json, acts, part } = (pending.run ?? pending) as PendingIntent<State> & Run<State>;
    return json && (acts || part) ? [[method!, json]] : [];
  });

/** Nobody waits for its run from now on. */
export function giveBack<State>(pending: PendingIntent<State>): void {
  pending.cancelled ??= pending.run;
  pending.run = undefined;
}

/** The intents that are pending, oldest first. */
export type PendingIntents<State> = ReturnType<typeof createPending<State>>;

/** Nothing is pending. */
export function createPending<State>(client: LinkClient<State>, shared: LinkState<State>) {
  const { read, publish } = client;
  const list: PendingIntent<State>[] = [];
  let confirmed = read();

  /** Returns the first run that will begin; several replies to interrupts need not begin one. */
  const first = (): Run<State> | undefined => list.find(begins)?.run;
  const folded = (): AgentSnapshot<State> => list.reduce(apply, confirmed);
  /** Keeps the agent alive while something waits for a session, even if nothing references it. */
  const retain = (): void => {
    shared.ahead?.keep(list);
    retained[!shared.home.live && list.some(needs) ? "add" : "delete"](client);
  };

  /** Shows it, on this thread if one is given. */
  const show = (on: AgentSnapshot<State> = confirmed): void => {
    confirmed = on;
    retain();
    const { at, live } = shared.home;
    // The next session begins with what is shown.
    if (!at && !list.some(needs)) {
      confirmed = folded();
      list.splice(0);
    }
    const next = live ? undefined : first();
    publish(next ? begun(folded(), next.id) : folded());
  };

  /** Takes a run out of those that wait, here or in the save that the next session begins with. */
  const cancel = (run: Pick<Run<State>, "id">): void => {
    const index = list.findIndex((pending) => pending.run === run);
    if (index < 0) list.push(takenOut(run.id));
    // The first one counts as started: its messages stay, as they do when a run is stopped.
    else if (list.slice(0, index).some((pending) => pending.run)) list.splice(index, 1);
    else giveBack(list[index]!);
    show(read().isLoading && !first() ? cancelled(confirmed) : confirmed);
    shared.settle(run as Run<State>, "aborted");
  };

  return {
    ...{ list, first, cancel, show },
    /** Returns the snapshot as the core has it, or as the next session begins with it. */
    confirmed: (): AgentSnapshot<State> => confirmed,
    /** Adds a run that waits for a session, as `ifBusy` says. */
    wait: (run: Run<State>): void => {
      const before = first();
      if (before && isRefused(shared, run)) return;
      const replaces = before && run.ifBusy === "replace";
      // The run that brings the thread comes before all that wait; one that replaces the first, before those after it.
      const [earliest = list.length, next = list.length] = list.flatMap((pending, at) => (begins(pending) ? at : []));
      list.splice(replaces ? next : run.opens ? earliest : list.length, 0, { fold: run.fold, run });
      if (replaces) cancel(before);
      else show();
    },
    /** Adds anything else, and shows it. */
    add: (...pending: PendingIntent<State>[]): void => {
      list.push(...pending);
      show();
    },
    /** The thread is what is shown, and nothing is pending, or only these still. */
    end: (shown: AgentSnapshot<State> = list.length ? read() : confirmed, still: readonly PendingIntent<State>[] = []): void => {
      confirmed = shown;
      list.splice(0, list.length, ...still);
      retain();
    },
    /** For a save: the thread without the submits that can wait in one, what changes its queue, these, and what was decided. */
    parted: () => [withoutWaiting(confirmed, list), list, queuedOf(list), decisionsOf(list)] as const,
  };
}
