// The link of an agent whose core is in a worker: that of every agent (link.ts) over a session that answers later. What a
// call will do to the snapshot is guessed and shown at once, until the patch of the worker that has it is applied to its end.
//
//   page:    call ──► guess shown ─────────────────────────► patch shown, guess dropped
//               └───────────► worker: core ──► echo, patch ──┘
//
// `confirmed` is what the worker has said; patches fit that one only. What is shown is `confirmed` with the guesses on it.

import { begun, stopped } from "../snapshot/project.js";
import { misuse } from "../base/failure.js";
import { createLink } from "../core/link.js";
import type { Client, Link, Run } from "../core/client.js";
import type { Core } from "../core/loader.js";
import { portTo, type Port } from "../core/port.js";
import { keep } from "../snapshot/mirror.js";
import { composeSave, union } from "../snapshot/compose.js";
import { messageKey } from "../snapshot/message-key.js";
import type { Queued } from "../snapshot/save.js";
import type { AgentSnapshot, Message } from "../api/types.js";
import { weakly } from "../base/weak.js";
import type { Failure } from "./pipe.js";
import type { Pool } from "./pool.js";
import { createRemoteSession, type RemoteSession } from "./session.js";

/** Where the core of an agent is. */
export type Place = { readonly at: "worker" } | { readonly at: "page"; readonly core: Core };

/** What a save says of the page's calls. */
interface Beside {
  readonly handled: readonly string[];
  readonly turn?: { readonly calls: readonly { readonly id: string; readonly stage: string }[] };
}

/** A link that works over a worker of the pool, or as any other where the core is in the page. */
export function createWorkerLink<State>(client: Client<State, Place>, pool: Pool): Link<State> {
  type Snapshot = AgentSnapshot<State>;
  type Guess = {
    fold(snapshot: Snapshot): Snapshot;
    ticket?: number | undefined;
    /** It replies to some of the interrupts. */
    part?: boolean | undefined;
    stops?: boolean;
    /** The worker has done it: it is shown until the patch that has it is. */
    done?: boolean;
    /** Does it again in another session, should the worker end before it has answered. */
    redo?: () => void;
  };
  const { emitter } = client;
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
  // Submits that the worker has not answered for; `waits`: as far as is known, another run is in progress.
  const sent = new Set<{ readonly run: Run<State>; readonly waits: boolean }>();
  // Submits that were taken out of the queue since that save.
  const cancelled = new Set<string>();
  // Calls that were executed since that save.
  const executed = new Set<string>();
  // Replies to some of the interrupts, which no save has.
  const parts = new Set<Run<State>>();
  // What the next session begins with, after one that was lost.
  let heir: ((messages: readonly Message[]) => string) | undefined;

  const queuedOf = (some: readonly { readonly run: Run<State> }[]): Queued[] => some.map(({ run }) => run.queued!());

  const show = (): void => {
    late = false;
    if (came && !guesses.size) confirmed = keepShown(client.read(), confirmed);
    came &&= guesses.size > 0;
    client.publish([...guesses].reduce((snapshot, { fold }) => fold(snapshot), confirmed));
  };

  const drop = (guess: Guess): void => {
    if (guesses.delete(guess)) came = late = true;
  };

  /** Drops what the worker has done: what that has come to is in `confirmed`. */
  const dropDone = (): void => {
    for (const guess of guesses) if (guess.done) drop(guess);
  };

  /** Shows the thread without what the worker has done, unless the patch that has it is not applied to its end. */
  const catchUp = (): void => {
    if (link.partly()) return;
    dropDone();
    if (late) show();
  };

  /** Does something that the worker learns of, and shows what that will come to. Returns when it has come. */
  const guess = (act: () => void, fold: Guess["fold"], more: () => Omit<Guess, "fold"> = () => ({}), heard?: () => void): Promise<void> | undefined => {
    const session = remote;
    act();
    if (!session || session !== remote) return void heard?.();
    return expect(session, { fold, ...more() }, heard);
  };

  const expect = (session: RemoteSession, made: Guess, heard?: () => void): Promise<void> => {
    guesses.add(made);
    const done = new Promise<void>((resolve) =>
      session.echo(() => {
        made.done = true;
        // In this turn: what comes with the same message is of a later time.
        heard?.();
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
    sent.clear();
    remote = rest = undefined;
  };

  /** A run ends: nothing of it is shown, whatever is on the way. */
  const stop = (act: () => void): Promise<void> | undefined => {
    const shown = client.read();
    // What waits in the queue begins next.
    const still = shown.queue.length || !shown.isLoading ? shown : stopped(shown);
    return guess(act, () => still, () => ({ stops: true }));
  };

  /**
   * The session is lost. What the page holds of it is kept for the next one. A worker that has ended is an error only for
   * those who wait for a run.
   */
  const lose = (died: boolean, read: boolean, fail: () => void): (() => void) => {
    const made = [...guesses];
    const shown = client.read();
    const stops = made.some((guess) => guess.stops);
    const failed = !died || shown.isLoading || (!stops && made.some(({ ticket, part }) => ticket !== undefined && !part));
    // After an error nothing continues by itself: somebody is asked whether to try again. Without a store that has the queue as
    // well, what waits in it is shown in the thread, and sent with that.
    const executing = (beside: Beside): Partial<Beside> => ({
      handled: [...new Set([...beside.handled, ...executed])],
      ...(beside.turn && { turn: { ...beside.turn, calls: beside.turn.calls.map((call) => (executed.has(call.id) ? { ...call, stage: "executing" } : call)) } }),
    });
    const last = rest && JSON.parse(rest);
    const known = new Set(last?.turn?.calls.map(({ id }: { readonly id: string }) => id));
    // A run that cannot be joined has left them open.
    const left = client.resumes() ? [] : shown.toolCalls.filter(({ id, status }) => status === "running" && !known.has(id)).map(({ id }) => id);
    const changes = failed && { running: true, failed: [...(last?.failed ?? []), ...left], ...(!client.settings.saves && { queue: [] }) };
    const beside = last && JSON.stringify({ ...last, ...(executed.size && executing(last)), ...changes });
    const waiting = queuedOf([...sent].filter(({ run, waits }) => waits && run.id !== confirmed.runId));
    const replies = stops ? [] : [...parts];
    const ids = [...shown.queue, ...replies.map(({ id }) => ({ runId: id }))].map(({ runId }) => runId);
    // The server continues after what this thread has.
    const then = confirmed.isLoading && client.resumes() ? thread : shown;
    freeze();
    confirmed = { ...confirmed, queue: [...confirmed.queue, ...waiting.map(({ runId, messages }) => ({ id: "", runId, messages }))] };
    const queued = client.settings.saves || !failed ? [] : confirmed.queue.flatMap(({ messages }) => messages);
    heir = (messages) => {
      if (!died && !read) return "";
      const { threadId } = client.settings;
      const all = then === shown ? messages : union(then.messages, queued, messageKey);
      return composeSave(beside, { threadId, messages: all, state: then.state }, client.settings.saves ? waiting : []);
    };
    return () => {
      if (failed) fail();
      else {
        const save = heir!(shown.messages);
        link.suspend(stops ? "aborted" : "disconnected", ids);
        link.restore(undefined, save);
        for (const run of replies) link.run(run, true);
      }
      heir = undefined;
      // Once, so that what ends a worker does not end one after the other.
      if (died) for (const { redo } of made) redo?.();
    };
  };

  const open: Port["open"] = (options, messages, state, host) => {
    const shown = client.read();
    const life = { die: (reason: string): void => session.die(reason) };
    const place = pool.open(weakly(life).die);
    // The worker has read what it was given.
    let read = false;
    const session: RemoteSession = createRemoteSession(place.port, { ...options }, messages, state, host, {
      refused: (ticket, why) => refusals.set(ticket, why),
      misused: (why) => emitter.emit("error", misuse(why)),
      unrestored: (why) => client.refused(misuse(why)),
      settling: (ticket) => {
        for (const made of guesses) if (made.ticket === ticket || made.stops) made.done = true;
        catchUp();
      },
      saved: (json) => {
        read = true;
        executed.clear();
        cancelled.clear();
        rest = json;
        thread = confirmed;
      },
      // What ends in the same turn is saved with this, not with what was known before.
      saving: (json) => void (rest = json),
      received: catchUp,
      lost: (died) => (session === remote ? lose(died, read, () => host.changed(true)) : undefined),
      working: place.working,
      begun: (toolCallId) => void executed.add(toolCallId),
      closed: place.close,
      life,
      restoring: (json) => {
        rest = json;
        thread = JSON.parse(json);
      },
      cancelling: (ticket, cancel) => {
        const shorter = (at: Snapshot): Snapshot => ({ ...at, queue: at.queue.filter(({ id }) => id !== String(ticket)) });
        if (ticket < 0) return cancel();
        for (const { id, runId } of client.read().queue) if (id === String(ticket)) cancelled.add(runId);
        void guess(cancel, shorter);
      },
    });
    remote = session;
    // The thread itself comes with the first patch.
    void expect(session, { fold: () => shown });
    return session;
  };

  const link = createLink<State>({
    ...client,
    source: async () => {
      const place = await client.source();
      if (place.at === "worker") return { open, gone: () => !pool.has() };
      const { message } = pool.refusal();
      emitter.emit("warning", { code: "worker-unavailable", message: `The agent runs in the page, without a worker: ${message}` });
      return portTo(place.core);
    },
    read: () => confirmed,
    rescue: (messages) => heir?.(messages),
    publish: (next) => {
      confirmed = next;
      dropDone();
      show();
    },
  });

  const compose = (beside: string): string => {
    const { messages, state, isLoading } = client.read();
    // What a server is asked to continue after belongs to the thread of that time.
    const { messages: then, state: its } = thread;
    const { threadId } = client.settings;
    const stays = ({ runId }: { readonly runId: string }): boolean => !cancelled.has(runId);
    const last = cancelled.size ? JSON.parse(beside) : undefined;
    const kept = last?.queue ? JSON.stringify({ ...last, queue: last.queue.filter(stays) }) : beside;
    return composeSave(kept, isLoading ? { threadId, messages: then, state: its } : { threadId, messages, state }, queuedOf([...sent]).filter(stays));
  };

  const save = (): string => (remote ? compose(rest ?? link.save()) : link.save());

  const suspend = (): string => {
    const json = save();
    freeze();
    link.suspend();
    return json;
  };

  const strand = (): string | undefined => {
    // A run that the worker has not begun is part of the save: whoever is given that begins it.
    if (!remote || !(confirmed.isLoading || client.ending())) return undefined;
    const json = compose(rest ?? link.save());
    for (const { id } of confirmed.queue) remote.cancel(Number(id));
    for (const { run } of sent) if (run.id !== confirmed.runId) link.cancel(run);
    return json;
  };

  return {
    ...link,
    late: true,
    run: (run) => {
      const busy = client.read().isLoading || run.part === true || run.waits === true;
      /** It has ended: what was saved meanwhile may have it still. */
      const over = (): void => {
        parts.delete(own);
        if (sent.delete(entry)) client.save(save(), false, () => {});
      };
      const own: Run<State> = {
        ...run,
        resolve: (result) => {
          over();
          const why = refusals.get(own.ticket!);
          refusals.delete(own.ticket!);
          if (why) run.reject(misuse(why));
          else run.resolve(result);
        },
        reject: (error) => {
          over();
          run.reject(error);
        },
      };
      // Until what the worker says of itself has it.
      const entry = { run: own, waits: busy };
      runs.set(run, own);
      if (run.part) parts.add(own);
      const fold = (at: Snapshot): Snapshot => (busy ? at : begun(run.fold(at), run.id));
      const known = guess(() => link.run(own), fold, () => ({ ticket: own.ticket, part: run.part }));
      if (!known || !run.queued || (busy && (run.ifBusy === "drop" || run.ifBusy === "reject"))) return;
      sent.add(entry);
      void known.then(() => sent.delete(entry));
    },
    edit: (edit) => void guess(() => link.edit(edit), edit.fold),
    act: (apply) => void guess(() => link.act(apply), (at) => at, () => ({ redo: () => link.act(apply) })),
    // What the worker has not answered for may be the beginning of a run.
    busy: () => guesses.size > 0 || client.read().isLoading || link.busy(),
    cancel: (run) => {
      const { runId, isLoading } = client.read();
      const cancel = (): void => link.cancel(runs.get(run) ?? run);
      if (isLoading && runId === run.id) return void stop(cancel);
      cancelled.add(run.id);
      void guess(cancel, (at) => ({ ...at, queue: at.queue.filter((waiting) => waiting.runId !== run.id) }));
    },
    stop: () => stop(link.stop),
    reset: (edit, heard) => {
      // Nothing that the worker has reported before comes back.
      sent.clear();
      rest &&= edit.save ?? composeSave(undefined, client.empty());
      void guess(() => link.reset(edit), edit.fold, undefined, heard);
    },
    save,
    suspend,
    strand,
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
