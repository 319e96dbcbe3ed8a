// The sessions of an agent in a worker, one after the other: how one opens, and how it is lost.

import type { AgentSnapshot, Message, QueuedSubmit } from "../api/types.js";
import { misuse } from "../base/failure.js";
import { weakly } from "../base/weakly.js";
import type { Link, LinkClient, LinkState, Run } from "../core/client.js";
import type { Port } from "../core/port.js";
import type { Guesses } from "./guesses.js";
import type { LastSave } from "./last-save.js";
import { remainsOf } from "./loss.js";
import type { Pool } from "./pool.js";
import { createRemoteSession, type RemoteSession, type SessionOwner } from "./session.js";

/** The agent of these sessions, as the page has it. */
export interface SessionsClient<State> {
  readonly client: LinkClient<State, unknown>;
  readonly guesses: Guesses<State>;
  readonly lastSave: LastSave<State>;
  /** The state of the link over the session. */
  readonly shared: Pick<LinkState<State>, "runs">;
  link(): Link<State>;
  /** Something has come to its end that no save has. */
  save(): void;
}

export interface Sessions<State> {
  /** The one that is open. */
  readonly current: RemoteSession | undefined;
  /** Opens one. */
  readonly open: Port["open"];
  /** There is nothing more to wait for; `amend` as in `Guesses.freeze`. */
  freeze(amend?: (shown: AgentSnapshot<State>) => AgentSnapshot<State>): void;
  /** As `LinkClient.rescue`. */
  rescue(messages: readonly Message[]): string | undefined;
}

/** Sessions in a worker of the pool. */
export function createSessions<State>(pool: Pool, agent: SessionsClient<State>): Sessions<State> {
  const { client, guesses, lastSave, shared, link } = agent;
  const reports = reportsTo(agent);
  let current: RemoteSession | undefined;
  let rescue: Sessions<State>["rescue"] | undefined;

  const freeze: Sessions<State>["freeze"] = (amend) => {
    guesses.freeze(amend);
    lastSave.forget();
    current = undefined;
  };

  /** The session is lost. The page's state of it is kept for the next one. */
  const lose = (died: boolean, read: boolean, fail: () => void): () => void => {
    const made = guesses.all;
    const left = remainsOf(client, guesses, lastSave, { died, read, replies: [...shared.runs].filter(({ part }) => part) });
    const { messages } = client.read();
    freeze((frozen) => ({ ...frozen, queue: [...frozen.queue, ...left.rows] }));
    rescue = left.save;
    return () => {
      if (left.failed) fail();
      else {
        const takeBack = setAside(shared.runs, left.waiting);
        link().suspend(left.stopped ? "aborted" : "disconnected");
        takeBack();
        link().restore(undefined, left.save(messages));
        for (const run of left.replies) link().run(run, true);
      }
      rescue = undefined;
      // Once, so that what ends a worker does not end one after the other.
      if (died) { for (const { redo } of made) redo?.(); }
    };
  };

  const open: Port["open"] = (options, messages, state, page) => {
    const [shown, host] = [client.read(), weakly(page)];
    const life = { die: (reason: string): void => session.die(reason) };
    const place = pool.open(weakly(life).die);
    // The worker has read what it was given.
    let read = false;
    const session: RemoteSession = createRemoteSession(place.port, options, messages, state, host, {
      ...reports,
      saved: (json) => {
        read = true;
        lastSave.reported(json, guesses.confirmed);
      },
      lost: (died) => (session === current ? lose(died, read, () => host.changed(true)) : undefined),
      working: place.working,
      closed: place.close,
      life,
      cancelling: (ticket, cancel) => cancelQueued(agent, session, ticket, cancel),
    });
    current = session;
    // The thread itself comes with the first patch.
    void guesses.expect(session, { fold: () => shown });
    return session;
  };

  return {
    get current() {
      return current;
    },
    ...{ open, freeze },
    rescue: (messages) => rescue?.(messages),
  };
}

/** Cancels a submit, by `cancel`. If it is in the queue, its row is gone at once. */
function cancelQueued<State>({ client, guesses, lastSave }: SessionsClient<State>, session: RemoteSession, ticket: number, cancel: () => void): void {
  const is = ({ id }: QueuedSubmit): boolean => id === String(ticket);
  const row = client.read().queue.find(is);
  if (row) lastSave.cancelled(row.runId);
  cancel();
  if (row) void guesses.expect(session, { fold: (at) => ({ ...at, queue: at.queue.filter((other) => !is(other)) }) });
}

/** Passes the reports that are alike for every session on to the agent. */
function reportsTo<State>({ client, guesses, lastSave, save }: SessionsClient<State>) {
  return {
    misused: (why) => client.emitter.emit("error", misuse(why)),
    unrestored: (why) => client.refused(misuse(why)),
    settling: (ticket, settle) => {
      const early = guesses.settled(ticket);
      settle();
      if (early) save();
    },
    received: guesses.catchUp,
    ...{ saving: lastSave.writes, begun: lastSave.executed, restoring: lastSave.reads },
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
