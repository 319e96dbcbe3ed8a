// The link of an agent whose core is in a worker: that of every agent (core/link.ts) over a session that answers later. What a
// call will do to the snapshot is guessed and shown at once (guesses.ts), what the page knows of the worker's save is kept for the
// time after it (last-save.ts), and submits wait for the worker's answer (submits.ts).

import { stopped } from "../snapshot/cut-off.js";
import { begun } from "../snapshot/project.js";
import { misuse } from "../base/failure.js";
import { createLink } from "../core/link.js";
import type { LinkClient, Link } from "../core/client.js";
import type { Core } from "../core/loader.js";
import { portTo, type Port } from "../core/port.js";
import type { SessionOptions } from "../glue/core.js";
import { composeSave, union } from "../snapshot/compose.js";
import { messageKey } from "../snapshot/message-key.js";
import type { AgentSnapshot, Message } from "../api/types.js";
import { weakly } from "../base/weakly.js";
import { createGuesses, type Guess, type Guesses } from "./guesses.js";
import { createLastSave } from "./last-save.js";
import type { Pool } from "./pool.js";
import { createRemoteSession, type RemoteSession } from "./session.js";
import { createSubmits, queuedOf } from "./submits.js";

/** Where the core of an agent is. */
export type CorePlace = { readonly at: "worker" } | { readonly at: "page"; readonly core: Core };

/** A link that works over a worker of the pool, or as any other where the core is in the page. */
export function createWorkerLink<State>(client: LinkClient<State, CorePlace>, pool: Pool): Link<State> {
  type Snapshot = AgentSnapshot<State>;
  const { emitter } = client;
  const settings = (): SessionOptions => client.parts()!.settings;
  const guesses: Guesses<State> = createGuesses(client.read, client.publish, () => link.partly());
  const lastSave = createLastSave<State>(guesses.confirmed);
  const submits = createSubmits<State>(() => client.save(save(), () => {}));
  let remote: RemoteSession | undefined;
  // Makes the beginning of the next session, after one that was lost.
  let recoveredSave: ((messages: readonly Message[]) => string) | undefined;

  /** Does something that the worker learns of, and shows what that will come to. Returns when it has come. */
  const guess = (
    act: () => void,
    fold: Guess<State>["fold"],
    more: () => Omit<Guess<State>, "fold"> = () => ({}),
    applied?: () => void,
  ): Promise<void> | undefined => {
    const session = remote;
    act();
    if (!session || session !== remote) return void applied?.();
    return guesses.expect(session, { fold, ...more() }, applied);
  };

  /** There is nothing more to wait for. */
  const freeze = (amend?: (shown: Snapshot) => Snapshot): void => {
    guesses.freeze(amend);
    submits.forget();
    lastSave.forget();
    remote = undefined;
  };

  /** A run ends: nothing of it is shown, whatever is on the way. */
  const stop = (act: () => void): Promise<void> | undefined => {
    const shown = client.read();
    // A queued submit begins next.
    const still = shown.queue.length || !shown.isLoading ? shown : stopped(shown);
    return guess(act, () => still, () => ({ stops: true }));
  };

  /**
   * The session is lost. The page's state of it is kept for the next one. A worker that has ended is an error only for
   * those who wait for a run.
   */
  const lose = (died: boolean, read: boolean, fail: () => void): () => void => {
    const made = guesses.all;
    const shown = client.read();
    const stops = made.some((one) => one.stops);
    const failed = !died || shown.isLoading || (!stops && made.some(({ ticket, part }) => ticket !== undefined && !part));
    const { isLoading: running, runId, messages: answered } = guesses.confirmed;
    const { saves } = settings();
    const { save: inherited, thread } = lastSave.inherit({ shown, failed, running, resumes: client.resumes(), saves });
    const waiting = queuedOf(submits.sent.filter(({ run, waits }) => waits && run.id !== runId));
    // Messages that the user has added since, by a submit or an edit, stand in the shown snapshot alone.
    const answeredKeys = new Set(answered.map(messageKey));
    const unanswered = shown.messages.filter((message) => message.role === "user" && !answeredKeys.has(messageKey(message)));
    const replies = stops ? [] : submits.replies;
    const ids = [...shown.queue.map((row) => row.runId), ...replies.map(({ id }) => id)];
    freeze((frozen) => ({ ...frozen, queue: [...frozen.queue, ...waiting.map((row) => ({ id: "", runId: row.runId, messages: row.messages }))] }));
    const queued = saves || !failed ? [] : guesses.confirmed.queue.flatMap(({ messages }) => messages);
    recoveredSave = (messages) => {
      if (!died && !read) return "";
      const all = thread === shown ? messages : union(thread.messages, [...unanswered, ...queued], messageKey);
      return composeSave(inherited, { threadId: settings().threadId, messages: all, state: thread.state }, saves ? waiting : []);
    };
    return () => {
      if (failed) fail();
      else {
        const save = recoveredSave!(shown.messages);
        link.suspend(stops ? "aborted" : "disconnected", ids);
        link.restore(undefined, save);
        for (const run of replies) link.run(run, true);
      }
      recoveredSave = undefined;
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
      refused: submits.refused,
      misused: (why) => emitter.emit("error", misuse(why)),
      unrestored: (why) => client.refused(misuse(why)),
      settling: guesses.settled,
      saved: (json) => {
        read = true;
        lastSave.reported(json, guesses.confirmed);
      },
      saving: lastSave.writes,
      received: guesses.catchUp,
      lost: (died) => (session === remote ? lose(died, read, () => host.changed(true)) : undefined),
      working: place.working,
      begun: lastSave.executed,
      closed: place.close,
      life,
      restoring: lastSave.reads,
      cancelling: (ticket, cancel) => {
        const shorter = (at: Snapshot): Snapshot => ({ ...at, queue: at.queue.filter(({ id }) => id !== String(ticket)) });
        if (ticket < 0) return cancel();
        for (const { id, runId } of client.read().queue) if (id === String(ticket)) lastSave.cancelled(runId);
        void guess(cancel, shorter);
      },
    });
    remote = session;
    // The thread itself comes with the first patch.
    void guesses.expect(session, { fold: () => shown });
    return session;
  };

  const link: Link<State> = createLink({
    ...client,
    source: async () => {
      const place = await client.source();
      if (place.at === "worker") return { open, gone: () => !pool.has() };
      const { message } = pool.refusal();
      emitter.emit("warning", { code: "worker-unavailable", message: `The agent runs in the page, without a worker: ${message}` });
      return portTo(place.core);
    },
    read: () => guesses.confirmed,
    rescue: (messages) => recoveredSave?.(messages),
    publish: guesses.confirm,
  });

  const compose = (): string => lastSave.save(settings().threadId, client.read(), queuedOf(submits.sent), link.save);
  const save = (): string => (remote ? compose() : link.save());

  return {
    ...link,
    confirmsLater: true,
    run: (run) => {
      const busy = client.read().isLoading || run.part === true || run.waits === true;
      const { wrapped, send } = submits.take(run, busy);
      const fold = (at: Snapshot): Snapshot => (busy ? at : begun(run.fold(at), run.id));
      const done = guess(() => link.run(wrapped), fold, () => ({ ticket: wrapped.ticket, part: run.part }));
      if (!done || !run.queued || (busy && (run.ifBusy === "drop" || run.ifBusy === "reject"))) return;
      // Until what the worker says of itself has it.
      void done.then(send());
    },
    edit: (edit) => void guess(() => link.edit(edit), edit.fold),
    act: (apply) => void guess(() => link.act(apply), (at) => at, () => ({ redo: () => link.act(apply) })),
    // A call without the worker's answer may be the beginning of a run.
    busy: () => guesses.pending || client.read().isLoading || link.busy(),
    cancel: (run) => {
      const { runId, isLoading } = client.read();
      const cancel = (): void => link.cancel(submits.of(run));
      if (isLoading && runId === run.id) return void stop(cancel);
      lastSave.cancelled(run.id);
      void guess(cancel, (at) => ({ ...at, queue: at.queue.filter((waiting) => waiting.runId !== run.id) }));
    },
    stop: () => stop(link.stop),
    reset: (edit, applied) => {
      // Nothing that the worker has reported before comes back.
      submits.forget();
      lastSave.begins(edit.save ?? composeSave(undefined, client.empty()));
      void guess(() => link.reset(edit), edit.fold, undefined, applied);
    },
    save,
    suspend: (outcome) => {
      const json = save();
      freeze();
      link.suspend(outcome);
      return json;
    },
    dispose: () => {
      freeze();
      link.dispose();
    },
  };
}
