// The intents that a session in a worker was told, until it has answered.
//
//   call ──► shown as guessed ────────────────────► patch shown, intent dropped
//      └──────────► worker: core ──► echo, patch ──┘

import { keep } from "../snapshot/mirror.js";
import type { AgentSnapshot } from "../api/types.js";
import type { LateCore, LinkState, PendingIntent } from "../core/client.js";
import { unansweredOf } from "./loss.js";
import type { RemoteSession } from "./session.js";

export interface Answers<State> extends Pick<LateCore<State>, "keep"> {
  /** The session was told these; resolves when it has answered. */
  tell(session: RemoteSession, ...told: PendingIntent<State>[]): Promise<void>;
  /** It has answered for a ticket. Returns whether it had not said before that it has that submit. */
  settled(ticket: number): boolean;
  /** Drops what it has answered for. False if that is nothing. */
  drop(): boolean;
  /** Shows the thread without that, unless the patch that has it is not applied to its end. */
  catchUp(): void;
}

/** It was told nothing yet. */
export function createAnswers<State>(shared: () => LinkState<State>): Answers<State> {
  // Intents were dropped since the thread was last shown without any.
  let dropped = false;
  const drop = (): boolean => {
    const { list } = shared().pending;
    const still = list.filter(({ done }) => !done);
    const drops = still.length < list.length;
    list.splice(0, list.length, ...still);
    dropped ||= drops;
    return drops;
  };
  const catchUp = (): void => {
    const { home: { live }, pending } = shared();
    if (!live?.partly() && drop()) pending.show();
  };
  return {
    tell: (session, ...told) => {
      const done = new Promise<void>((resolve) =>
        session.echo(() => {
          for (const step of told) {
            step.done = true;
            // In this turn: what comes with the same message is of a later time.
            step.applied?.();
          }
          resolve();
        })
      );
      shared().pending.add(...told);
      return done;
    },
    settled: (ticket) => {
      const { pending } = shared();
      const early = unansweredOf(pending).some(({ run }) => run?.ticket === ticket);
      for (const step of pending.list) if (step.run?.ticket === ticket || step.stops) step.done = true;
      catchUp();
      return early;
    },
    ...{ drop, catchUp },
    keep: (shown, next) => {
      const last = dropped;
      dropped = false;
      return last ? keepShown(shown, next) : next;
    },
  };
}

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
