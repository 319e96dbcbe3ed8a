// The sessions of an agent in a worker, one after the other: how one opens, and how it is lost.

import type { AgentSnapshot, Message, QueuedSubmit } from "../api/types.js";
import { misuse } from "../base/failure.js";
import { weakly } from "../base/weakly.js";
import type { Link, LinkClient, LinkState } from "../core/client.js";
import type { Port } from "../core/port.js";
import type { Guesses } from "./guesses.js";
import type { LastSave } from "./last-save.js";
import { remainsOf } from "./loss.js";
import type { Pool } from "./pool.js";
import { createRemoteSession, type RemoteSession } from "./session.js";

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
export function createSessions<State>(pool: Pool, { client, guesses, lastSave, shared, link, save }: SessionsClient<State>): Sessions<State> {
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
        // They wait on: their ids are in the queue of the save that comes.
        const waiting = [...shared.runs].filter(({ id }) => left.waiting.includes(id));
        for (const run of waiting) {
          shared.runs.delete(run);
          delete run.ticket;
        }
        link().suspend(left.stopped ? "aborted" : "disconnected");
        for (const run of waiting) shared.runs.add(run);
        link().restore(undefined, left.save(messages));
        for (const run of left.replies) link().run(run, true);
      }
      rescue = undefined;
      // Once, so that what ends a worker does not end one after the other.
      if (died) { for (const { redo } of made) redo?.(); }
    };
  };

  const open: Port["open"] = (options, messages, state, host) => {
    const shown = client.read();
    const life = { die: (reason: string): void => session.die(reason) };
    const place = pool.open(weakly(life).die);
    // The worker has read what it was given.
    let read = false;
    const session: RemoteSession = createRemoteSession(place.port, options, messages, state, host, {
      misused: (why) => client.emitter.emit("error", misuse(why)),
      unrestored: (why) => client.refused(misuse(why)),
      settling: (ticket, settle) => {
        const early = guesses.settled(ticket);
        settle();
        if (early) save();
      },
      saved: (json) => {
        read = true;
        lastSave.reported(json, guesses.confirmed);
      },
      saving: lastSave.writes,
      received: guesses.catchUp,
      lost: (died) => (session === current ? lose(died, read, () => host.changed(true)) : undefined),
      working: place.working,
      begun: lastSave.executed,
      closed: place.close,
      life,
      restoring: lastSave.reads,
      cancelling: (ticket, cancel) => {
        const is = ({ id }: QueuedSubmit): boolean => id === String(ticket);
        const row = client.read().queue.find(is);
        if (row) lastSave.cancelled(row.runId);
        cancel();
        if (row) void guesses.expect(session, { fold: (at) => ({ ...at, queue: at.queue.filter((other) => !is(other)) }) });
      },
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
