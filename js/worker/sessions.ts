// The sessions of an agent in a worker, one after the other: how one opens, and how it is lost.

import { misuse } from "../base/failure.js";
import { weakly } from "../base/weakly.js";
import type { CoreCall, LateCore, Link, LinkClient, LinkState, Run } from "../core/client.js";
import type { Port } from "../core/port.js";
import { composeSave } from "../snapshot/compose.js";
import { keepShown } from "./keep.js";
import { createLastSave, type LastSave } from "./last-save.js";
import { queuedOf, remainsOf, unansweredOf } from "./loss.js";
import type { Pool } from "./pool.js";
import { createToldCalls, type Answers } from "./told.js";
import { createRemoteSession, type RemoteSession, type SessionOwner } from "./session.js";

/** The link over the sessions, with its state. */
interface SessionsHome<State> {
  readonly link: Link<State>;
  readonly shared: LinkState<State>;
}

export interface Sessions<State> {
  /** Opens one. */
  readonly open: Port["open"];
  readonly core: LateCore<State>;
}

/** Sessions in a worker of the pool. */
export function createSessions<State>(pool: Pool, client: LinkClient<State>, home: () => SessionsHome<State>): Sessions<State> {
  const lastSave = createLastSave<State>(client.read());
  const save = (): string => {
    const { lastSave: written, pending } = home().shared;
    const first = (): string => composeSave(written, pending.confirmed);
    return lastSave.save(client.parts()!.settings.threadId, client.read(), queuedOf(unansweredOf(pending)), first);
  };
  const reports = reportsTo(client, lastSave, home, save, () => catchUp());
  let current: RemoteSession | undefined;
  // Intents were dropped since the thread was last shown without any.
  let dropped = false;
  let rescue: LateCore<State>["rescue"] | undefined;

  const leave = (): void => {
    lastSave.forget();
    current = undefined;
    dropped = false;
  };
  const drop = (): boolean => {
    const drops = home().shared.pending.drop(({ done }) => done);
    dropped ||= drops;
    return drops;
  };
  /** Shows the thread without what the worker has answered for, unless the patch that has it is not applied to its end. */
  const catchUp = (): void => {
    const { link, shared: { pending } } = home();
    if (!link.partly() && drop()) pending.show();
  };

  /** The session is lost. The page's state of it is kept for the next one. */
  const lose = (died: boolean, read: boolean, fail: () => void): () => void => {
    const { link, shared: { pending, runs } } = home();
    const shown = client.read();
    const acts = pending.list.filter((step) => step.acts) as readonly CoreCall[];
    const left = remainsOf(client, pending, lastSave, { died, read, replies: [...runs].filter(({ part }) => part) });
    leave();
    pending.end({ ...shown, queue: [...shown.queue, ...left.rows] });
    rescue = left.save;
    return () => {
      if (left.failed) fail();
      else {
        const takeBack = setAside(runs, left.waiting);
        link.suspend(left.stopped ? "aborted" : "disconnected");
        takeBack();
        link.restore(undefined, left.save(shown.messages));
        for (const run of left.replies) link.run(run, true);
      }
      rescue = undefined;
      // Once, so that what ends a worker does not end one after the other.
      if (died) acts.forEach(({ method, json }) => link.act({ method, json }));
    };
  };

  const open: Port["open"] = (options, messages, state, host) => {
    const life = { die: (reason: string): void => session.die(reason) };
    const place = pool.open(weakly(life).die);
    // The worker has read what it was given.
    let read = false;
    const session: RemoteSession = createRemoteSession(place.port, options, messages, state, host, {
      ...reports,
      saved: (json) => {
        read = true;
        lastSave.reported(json, home().shared.pending.confirmed);
      },
      lost: (died) => (session === current ? lose(died, read, () => host.changed(true)) : undefined),
      working: place.working,
      closed: place.close,
      life,
    });
    return (current = session);
  };

  const answers: Answers<State> = {
    open: () => !!current,
    tell: (...told) => {
      const steps = told.map((step) => ({ ...step, told: true }));
      const done = new Promise<void>((resolve) =>
        current!.echo(() => {
          for (const step of steps) {
            step.done = true;
            // In this turn: what comes with the same message is of a later time.
            step.applied?.();
          }
          resolve();
        })
      );
      home().shared.pending.add(...steps);
      return done;
    },
    begins: (anew = composeSave(undefined, client.empty())) => {
      // Nothing that the worker has reported before comes back.
      for (const step of home().shared.pending.list) step.kept = false;
      lastSave.begins(anew);
    },
  };

  const core: LateCore<State> = {
    calls: (calls) => createToldCalls(client.read, () => home().shared, answers, calls),
    opened: (shown, told) => {
      // Decisions are not told anew should it be lost: they may be what it is lost at.
      const runs = told.filter(({ run }) => run).map(({ run }) => ({ fold: () => shown, run, kept: !!run!.queued }));
      if (current) void answers.tell({ fold: () => shown }, ...runs);
    },
    answered: () => void drop(),
    keep: (shown, next) => {
      const last = dropped;
      dropped = false;
      return last ? keepShown(shown, next) : next;
    },
    leave,
    rescue: (messages) => rescue?.(messages),
  };
  return { open, core };
}

/** Passes the reports that are alike for every session on to the agent. */
function reportsTo<State>(client: LinkClient<State>, lastSave: LastSave<State>, home: () => SessionsHome<State>, save: () => string, catchUp: () => void) {
  return {
    misused: (why) => client.emitter.emit("error", misuse(why)),
    unrestored: (why) => client.refused(misuse(why)),
    settling: (ticket, settle) => {
      const { link, shared: { pending } } = home();
      const early = unansweredOf(pending).some(({ run }) => run?.ticket === ticket);
      for (const step of pending.list) if (step.run?.ticket === ticket || step.stops) step.done = true;
      catchUp();
      settle();
      if (early) client.save(link.save(), () => {});
    },
    received: catchUp,
    cancelling: (ticket) => {
      const { shared: { runs } } = home();
      const runId = client.read().queue.find(({ id }) => id === `${ticket}`)?.runId ?? [...runs].find((run) => run.ticket === ticket)?.id;
      if (runId !== undefined) lastSave.cancelled(runId);
    },
    ...{ save, saving: lastSave.writes, begun: lastSave.executed, restoring: lastSave.reads },
  } satisfies Partial<SessionOwner>;
}

/** Takes out the runs that wait on while the others settle: their ids are in the queue of the save that comes. Returns what puts them back. */
function setAside<State>(runs: Set<Run<State>>, ids: readonly string[]): () => void {
  const waiting = [...runs].filter(({ id }) => ids.includes(id));
  for (const run of waiting) {
    runs.delete(run);
    delete run.ticket;
  }
  return () => {
    for (const run of waiting) runs.add(run);
  };
}
