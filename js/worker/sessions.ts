// The sessions of an agent in a worker, one after the other: how one opens, and how it is lost.

import { misuse } from "../base/failure.js";
import { weakly } from "../base/weakly.js";
import type { LateCore, Link, LinkClient, LinkState, Run } from "../core/client.js";
import type { Port } from "../core/port.js";
import type { Intent } from "../intents/intent.js";
import { queuedOf } from "../intents/run.js";
import { composeSave } from "../snapshot/compose.js";
import { createAnswers, type Answers } from "./answers.js";
import { createLastSave, type LastSave } from "./last-save.js";
import { remainsOf, unansweredOf } from "./loss.js";
import type { Pool } from "./pool.js";
import { createTold } from "./told.js";
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
  const answers = createAnswers(() => home().shared);
  const reports = reportsTo(client, lastSave, answers, home);
  let current: RemoteSession | undefined;
  let rescue: LateCore<State>["rescue"] | undefined;

  const leave = (): void => {
    lastSave.forget();
    current = undefined;
  };

  /** The session is lost. The page's state of it is kept for the next one. */
  const lose = (died: boolean, read: boolean, fail: () => void): () => void => {
    const { link, shared: { pending, runs } } = home();
    const shown = client.read();
    const decisions = pending.list.filter(({ acts }) => acts) as readonly Intent<State>[];
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
      if (died) decisions.forEach(({ method, json, fold, acts }) => link.apply({ method, json, fold, acts }));
    };
  };

  const open: Port["open"] = (options, messages, state, page) => {
    const host = weakly(page);
    const life = { die: (reason: string): void => session.die(reason) };
    const place = pool.open(weakly(life).die);
    // The worker has read what it was given.
    let read = false;
    const session: RemoteSession = createRemoteSession(place.port, options, messages, state, host, {
      ...reports,
      saved: (json) => {
        read = true;
        lastSave.reported(json, home().shared.pending.confirmed());
      },
      lost: (died) => (session === current ? lose(died, read, () => host.changed(true)) : undefined),
      working: place.working,
      closed: place.close,
      life,
    });
    return (current = session);
  };

  return { open, core: { ...createTold(client, () => home().shared, lastSave, answers, () => current), leave, rescue: (messages) => rescue?.(messages) } };
}

/** The reports that are alike for every session. */
function reportsTo<State>(client: LinkClient<State>, lastSave: LastSave<State>, answers: Answers<State>, home: () => SessionsHome<State>) {
  return {
    misused: (why) => client.emitter.emit("error", misuse(why)),
    unrestored: (why) => client.refused(misuse(why)),
    settling: (ticket, settle) => {
      const early = answers.settled(ticket);
      settle();
      if (early) client.save(home().link.save(), () => {});
    },
    save: () => {
      const { home: { last }, pending } = home().shared;
      const first = (): string => composeSave(last, pending.confirmed());
      return lastSave.save(client.parts()!.settings.threadId, client.read(), queuedOf(unansweredOf(pending)), first);
    },
    ...{ received: answers.catchUp, saving: lastSave.writes, begun: lastSave.executed, restoring: lastSave.reads },
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
