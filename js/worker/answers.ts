// The intents that a session in a worker is told, until it has answered.
//
//   call ──► shown as its fold has it ─────────────► patch shown, intent dropped
//      └──────────► worker: core ──► echo, patch ──┘

import type { AgentSnapshot } from "../api/types.js";
import type { LinkClient, LinkState, PendingIntent } from "../core/client.js";
import { withoutWaiting } from "../core/pending.js";
import { isUnanswered } from "../core/remains.js";
import { keepShown } from "../snapshot/mirror.js";
import { createRemains } from "./remains.js";
import type { RemoteSession } from "./session.js";

/** The session as its link sees it, and what it answers. It was told nothing yet. */
export function createAnswers<State>(client: LinkClient<State>, shared: LinkState<State>, session: () => RemoteSession) {
  const { list, add, confirm, confirmed } = shared.pending;
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
    for (const step of told) if (step.waits) step.unsaved = /drop|reject/.test(step.run!.ifBusy);
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
    if (!shared.home.live?.partly() && drop()) confirm(confirmed());
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
