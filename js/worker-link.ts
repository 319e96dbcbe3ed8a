// The link of an agent whose core is in a worker: that of every agent (link.ts) over a session that answers later. What a
// call will do to the snapshot is guessed and shown at once, until the worker has told what it has done.
//
//   page:    call ──► guess shown ─────────────────────────► patch shown, guess dropped
//               └───────────► worker: core ──► echo, patch ──┘
//
// `confirmed` is what the worker has told; patches fit that one only. What is shown is `confirmed` with the guesses on it.

import { misuse } from "./failure.js";
import type { Host, Session, SessionOptions } from "./glue/core.js";
import { createLink, type Client, type Link, type Run } from "./link.js";
import type { Core } from "./loader.js";
import { keep } from "./mirror.js";
import type { AgentSnapshot, Message } from "./types.js";
import type { Failure } from "./worker-pipe.js";
import type { Pool } from "./worker-pool.js";
import { createRemoteSession, type RemoteSession } from "./worker-session.js";

const closed = { phase: "closed", attempt: 0 } as const;
const connecting = { phase: "connecting", attempt: 0 } as const;

/** What stands for the core if it is in a worker. */
export const elsewhere = {} as Core;

/** A link that works over a worker of the pool, or as any other where `client.source` gives a core. */
export function createWorkerLink<State>(client: Client<State>, pool: Pool): Link<State> {
  type Snapshot = AgentSnapshot<State>;
  type Guess = { fold(snapshot: Snapshot): Snapshot; ticket?: number | undefined; stops?: boolean };
  const { emitter, calls } = client;
  const guesses = new Set<Guess>();
  let confirmed = client.read();
  let remote: RemoteSession | undefined;
  // The last save, of which only what is beside the thread counts, and the thread of that time.
  let rest: string | undefined;
  let thread: Pick<Snapshot, "messages" | "state"> = confirmed;
  // Guesses have been dropped: since what was shown last, and since what was shown without any.
  let late = false;
  let came = false;
  // The agent's runs as the link has them, and why the worker refuses some.
  const runs = new WeakMap<Run<State>, Run<State>>();
  const refusals = new Map<number, Failure>();

  const show = (): void => {
    late = false;
    if (came && !guesses.size) confirmed = keepShown(client.read(), confirmed);
    came &&= guesses.size > 0;
    client.publish([...guesses].reduce((snapshot, { fold }) => fold(snapshot), confirmed));
  };

  const drop = (guess: Guess): void => {
    if (guesses.delete(guess)) came = late = true;
  };

  /** Does something that the worker learns of, and shows what that will come to. Returns when it has come. */
  const guess = (act: () => void, fold: Guess["fold"], more: () => Omit<Guess, "fold"> = () => ({})): Promise<void> | undefined => {
    const session = remote;
    act();
    if (!session || session !== remote) return undefined;
    return expect(session, { fold, ...more() });
  };

  const expect = (session: RemoteSession, made: Guess): Promise<void> => {
    guesses.add(made);
    const done = new Promise<void>((resolve) =>
      session.echo(() => {
        drop(made);
        resolve();
      }),
    );
    show();
    return done;
  };

  /** There is nothing more to wait for: what is shown is what there is. */
  const freeze = (): void => {
    confirmed = client.read();
    guesses.clear();
    remote = rest = undefined;
  };

  const stopped = (snapshot: Snapshot): Snapshot =>
    snapshot.queue.length || !snapshot.isLoading
      ? snapshot
      : {
          ...snapshot,
          ...{ status: "idle", isLoading: false, outcome: "aborted", connection: closed },
          messages: snapshot.messages.map((message): Message =>
            message.delivery === "streaming" ? { ...message, delivery: "aborted" } : message,
          ),
        };

  /** A run ends: nothing of it is shown any more, whatever is on the way. */
  const stop = (act: () => void): Promise<void> | undefined => {
    const still = stopped(client.read());
    return guess(act, () => still, () => ({ stops: true }));
  };

  const open = (options: SessionOptions, messages: string | undefined, state: string | undefined, host: Host): Session => {
    const shown = client.read();
    const place = pool.open((reason) => session.die(reason));
    const session: RemoteSession = createRemoteSession(place.port, { ...options }, messages, state, host, {
      refused: (ticket, why) => refusals.set(ticket, why),
      misused: (why) => emitter.emit("error", misuse(why)),
      unrestored: (why) => client.refused(misuse(why)),
      settling: (ticket) => {
        for (const made of guesses) if (made.ticket === ticket || made.stops) drop(made);
        if (late) show();
      },
      saved: (json) => {
        rest = json;
        thread = confirmed;
      },
      received: () => {
        if (late) show();
      },
      lost: () => {
        if (session === remote) freeze();
      },
      approved: (toolCallId, method) => calls.approve(toolCallId, method),
      closed: place.close,
    });
    remote = session;
    // The thread itself comes with the first patch.
    void expect(session, { fold: () => shown });
    const { cancel, disconnect, restore } = session;
    return Object.assign(session, {
      restore: (json: string) => {
        rest = json;
        restore(json);
      },
      cancel: (ticket: number) => {
        const shorter = (at: Snapshot): Snapshot => ({ ...at, queue: at.queue.filter(({ id }) => id !== String(ticket)) });
        if (ticket < 0) cancel(ticket);
        else void guess(() => cancel(ticket), shorter);
      },
      disconnect: () => {
        disconnect();
        // The agent waits for it.
        return new Promise<void>((done) => session.echo(done));
      },
    });
  };

  const link = createLink<State>({
    ...client,
    source: async () => {
      const core = await client.source();
      // A function, because a class could not give another object.
      const Session = function (...args: ConstructorParameters<Core["Session"]>): Session {
        return open(...args);
      } as unknown as Core["Session"];
      if (core === elsewhere) return { ...core, Session };
      const { message } = pool.refusal();
      emitter.emit("warning", { code: "worker-unavailable", message: `The agent runs in the page, without a worker: ${message}` });
      return core;
    },
    read: () => confirmed,
    publish: (next) => {
      confirmed = next;
      show();
    },
  });

  const compose = (beside: string): string => {
    const { messages, state, isLoading } = client.read();
    // What a server is asked to go on behind belongs to the thread of that time.
    const { messages: then, state: its } = thread;
    return JSON.stringify({ ...JSON.parse(beside), ...(isLoading ? { messages: then, state: its } : { messages, state }) });
  };

  return {
    ...link,
    run: (run) => {
      const busy = client.read().isLoading || run.part;
      const own: Run<State> = {
        ...run,
        resolve: (result) => {
          const why = refusals.get(own.ticket!);
          refusals.delete(own.ticket!);
          if (why) run.reject(misuse(why));
          else run.resolve(result);
        },
      };
      runs.set(run, own);
      const begun = { status: "running", isLoading: true, error: undefined, outcome: undefined, connection: connecting } as const;
      const fold = (at: Snapshot): Snapshot => (busy ? at : { ...run.fold(at), ...begun, runId: run.id });
      void guess(() => link.run(own), fold, () => ({ ticket: own.ticket }));
    },
    edit: (edit) => void guess(() => link.edit(edit), edit.fold),
    cancel: (run) => {
      const { runId, isLoading } = client.read();
      const cancel = (): void => link.cancel(runs.get(run) ?? run);
      if (isLoading && runId === run.id) return void stop(cancel);
      void guess(cancel, (at) => ({ ...at, queue: at.queue.filter((waiting) => waiting.runId !== run.id) }));
    },
    stop: () => stop(link.stop),
    reset: (edit) => void guess(() => link.reset(edit), edit.fold),
    save: () => (remote && rest ? compose(rest) : link.save()),
    latest: async () => (remote ? remote.latest().catch(() => undefined) : link.save()),
    dispose: () => {
      freeze();
      link.dispose();
    },
  };
}

/** What has come as it was shown stays the same object. */
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
  const kept = items.map((item, at) => (at < old.length ? keepCopy(old[at]!, item) : item));
  return kept.length === old.length && kept.every((item, at) => item === old[at]) ? old : kept;
}
