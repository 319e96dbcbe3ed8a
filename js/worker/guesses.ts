// The snapshot before the worker has answered: its last one, with the page's guesses applied.
//
//   call ──► guess shown ─────────────────────────► patch shown, guess dropped
//      └──────────► worker: core ──► echo, patch ──┘

import { keep } from "../snapshot/mirror.js";
import type { AgentSnapshot } from "../api/types.js";
import type { Run } from "../core/client.js";
import type { Queued } from "../snapshot/save.js";
import type { RemoteSession } from "./session.js";

/** The expected effect of a call on the snapshot. */
export interface Guess<State> {
  fold(snapshot: AgentSnapshot<State>): AgentSnapshot<State>;
  ticket?: number | undefined;
  /** A submit that a save has until the worker has answered; `waits`: as far as is known, another run is in progress. */
  run?: Run<State> | undefined;
  waits?: boolean;
  /** It replies to some of the interrupts. */
  part?: boolean | undefined;
  stops?: boolean;
  /** The worker has done it: it is shown until the patch that has it is. */
  done?: boolean;
  /** Does it again in another session, should the worker end before it has answered. */
  redo?: () => void;
}

export interface Guesses<State> {
  /** The worker's snapshot: patches fit that one only. */
  readonly confirmed: AgentSnapshot<State>;
  readonly all: readonly Guess<State>[];
  /** The submits that the worker has not answered. */
  readonly sent: readonly Guess<State>[];
  /** The worker has not answered for all that was done. */
  readonly pending: boolean;
  /** Shows a guess. Returns when the worker has done it; `applied` is called in that turn. */
  expect(session: RemoteSession, guess: Guess<State>, applied?: () => void): Promise<void>;
  /** The worker has said this. */
  confirm(next: AgentSnapshot<State>): void;
  /** It has answered for a ticket. Returns whether it had not said before that it has that submit. */
  settled(ticket: number): boolean;
  /** No save has the submits that it has not answered. */
  forget(): void;
  /** Shows the thread without what the worker has done, unless the patch that has it is not applied to its end. */
  catchUp(): void;
  /** There is nothing more to wait for: what is shown is what there is. `amend`: but for this, which is not published. */
  freeze(amend?: (shown: AgentSnapshot<State>) => AgentSnapshot<State>): void;
}

/** `partly`: whether a patch is not applied to its end. */
export function createGuesses<State>(read: () => AgentSnapshot<State>, publish: (next: AgentSnapshot<State>) => void, partly: () => boolean): Guesses<State> {
  const guesses = new Set<Guess<State>>();
  const sent = (): Guess<State>[] => [...guesses].filter(({ run, done }) => run && !done);
  const shown = createShown(guesses, read, publish);
  const catchUp = (): void => {
    if (!partly()) shown.catchUp();
  };

  return {
    get confirmed() {
      return shown.confirmed();
    },
    get all() {
      return [...guesses];
    },
    get sent() {
      return sent();
    },
    get pending() {
      return guesses.size > 0;
    },
    expect: (session, guess, applied) => {
      guesses.add(guess);
      const done = new Promise<void>((resolve) =>
        session.echo(() => {
          guess.done = true;
          // In this turn: what comes with the same message is of a later time.
          applied?.();
          resolve();
        })
      );
      shown.show();
      return done;
    },
    confirm: shown.confirm,
    settled: (ticket) => {
      const early = sent().some((guess) => guess.ticket === ticket);
      for (const guess of guesses) if (guess.ticket === ticket || guess.stops) guess.done = true;
      catchUp();
      return early;
    },
    forget: () => {
      for (const guess of guesses) delete guess.run;
    },
    catchUp,
    freeze: (amend = (last) => last) => {
      shown.reset(amend(read()));
      guesses.clear();
    },
  };
}

/** The shown snapshot: the last one of the worker, with the guesses applied. */
function createShown<State>(guesses: Set<Guess<State>>, read: () => AgentSnapshot<State>, publish: (next: AgentSnapshot<State>) => void) {
  let confirmed = read();
  // Guesses have been dropped: since what was shown last, and since what was shown without any.
  let unshown = false;
  let dropped = false;

  const show = (): void => {
    unshown = false;
    if (dropped && !guesses.size) confirmed = keepShown(read(), confirmed);
    dropped &&= guesses.size > 0;
    publish([...guesses].reduce((snapshot, { fold }) => fold(snapshot), confirmed));
  };
  const drop = (guess: Guess<State>): void => {
    if (guesses.delete(guess)) dropped = unshown = true;
  };
  /** Drops what the worker has done: what that has come to is in `confirmed`. */
  const dropDone = (): void => {
    for (const guess of guesses) if (guess.done) drop(guess);
  };
  return {
    confirmed: () => confirmed,
    show,
    /** Shows the thread without what the worker has done. */
    catchUp: (): void => {
      dropDone();
      if (unshown) show();
    },
    confirm: (next: AgentSnapshot<State>): void => {
      confirmed = next;
      dropDone();
      show();
    },
    reset: (next: AgentSnapshot<State>): void => void (confirmed = next),
  };
}

/** Submits as a save has them. */
export const queuedOf = <State>(some: readonly Guess<State>[]): Queued[] => some.flatMap(({ run }) => run?.queued?.() ?? []);

/** Values that came as they were shown stay the same objects. */
function keepShown<State>(shown: AgentSnapshot<State>, next: AgentSnapshot<State>): AgentSnapshot<State> {
  const messages = keepItems(shown.messages, next.messages);
  const toolCalls = keepItems(shown.toolCalls, next.toolCalls);
  const state = keepCopy(shown.state, next.state);
  const same = messages === next.messages && toolCalls === next.toolCalls && state === next.state;
  return same ? next : { ...next, messages, toolCalls, state };
}

/** As `keep`, of values that others may hold. */
function keepCopy<Value>(old: Value, value: Value): Value {
  return old === value ? value : (keep(old, JSON.parse(JSON.stringify(value) ?? "null")) as Value);
}

function keepItems<Item>(old: readonly Item[], items: readonly Item[]): readonly Item[] {
  if (old === items) return items;
  const next = items.map((item, at) => (at < old.length ? keepCopy(old[at]!, item) : item));
  return next.length === old.length && next.every((item, at) => item === old[at]) ? old : next;
}
