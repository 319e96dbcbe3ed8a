// The link of an agent whose core is in a worker: that of every agent (core/link.ts) over a session that answers later. What a
// call will do to the snapshot is guessed and shown at once (guesses.ts), and what the page knows of the worker's save is kept for the
// time after it (last-save.ts).

import { stopped } from "../snapshot/cut-off.js";
import { begun } from "../snapshot/project.js";
import { createLink } from "../core/link.js";
import { createLinkState } from "../core/link-state.js";
import type { LinkClient, Link } from "../core/client.js";
import type { Core } from "../core/loader.js";
import { portTo } from "../core/port.js";
import { composeSave } from "../snapshot/compose.js";
import { createGuesses, queuedOf, type Guess } from "./guesses.js";
import { createLastSave, type LastSave } from "./last-save.js";
import type { Pool } from "./pool.js";
import { createSessions } from "./sessions.js";

/** Where the core of an agent is. */
export type CorePlace = { readonly at: "worker" } | { readonly at: "page"; readonly core: Core };

/** A link that works over a worker of the pool, or as any other where the core is in the page. */
export function createWorkerLink<State>(client: LinkClient<State, CorePlace>, pool: Pool): Link<State> {
  const { read } = client;
  const guesses = createGuesses(read, client.publish, () => link.partly());
  const lastSave = createLastSave<State>(guesses.confirmed);
  const inPort: LinkClient<State> = {
    ...client,
    source: async () => {
      const place = await client.source();
      if (place.at === "worker") return { open: sessions.open, gone: () => !pool.has() };
      const { message } = pool.refusal();
      client.emitter.emit("warning", { code: "worker-unavailable", message: `The agent runs in the page, without a worker: ${message}` });
      return portTo(place.core);
    },
    read: () => guesses.confirmed,
    rescue: (messages) => sessions.rescue(messages),
    publish: guesses.confirm,
  };
  const shared = createLinkState(inPort);
  const link = createLink(inPort, shared);
  const sessions = createSessions(pool, { client, guesses, lastSave, shared, link: () => link, save: () => client.save(save(), () => {}) });

  const save = (): string => {
    if (!sessions.current) return link.save();
    return lastSave.save(client.parts()!.settings.threadId, read(), queuedOf(guesses.sent), link.save);
  };

  const guess: GuessCall<State> = (act, fold, more = () => ({}), applied) => {
    const session = sessions.current;
    act();
    if (!session || session !== sessions.current) return void applied?.();
    return guesses.expect(session, { fold, ...more() }, applied);
  };

  return {
    ...link,
    confirmsLater: true,
    ...createGuessedCalls(client, link, lastSave, guess),
    // A call without the worker's answer may be the beginning of a run.
    busy: () => guesses.pending || read().isLoading || link.busy(),
    reset: (edit, applied) => {
      // Nothing that the worker has reported before comes back.
      guesses.forget();
      lastSave.begins(edit.save ?? composeSave(undefined, client.empty()));
      void guess(() => link.reset(edit), edit.fold, undefined, applied);
    },
    save,
    suspend: (outcome) => {
      const json = save();
      sessions.freeze();
      link.suspend(outcome);
      return json;
    },
    dispose: () => {
      sessions.freeze();
      link.dispose();
    },
  };
}

/** A call of the link over the session, with what is shown until the worker has done it; `applied` as in `Guesses.expect`. */
type GuessCall<State> = (
  act: () => void,
  fold: Guess<State>["fold"],
  more?: () => Omit<Guess<State>, "fold">,
  applied?: () => void,
) => Promise<void> | undefined;

/** The calls whose result is guessed. */
function createGuessedCalls<State>(
  { read }: Pick<LinkClient<State>, "read">,
  link: Link<State>,
  lastSave: LastSave<State>,
  guess: GuessCall<State>,
): Pick<Link<State>, "run" | "edit" | "act" | "cancel" | "stop"> {
  /** A run ends: nothing of it is shown, whatever is on the way. */
  const stop = (act: () => void): Promise<void> | undefined => {
    const shown = read();
    // A queued submit begins next.
    const still = shown.queue.length || !shown.isLoading ? shown : stopped(shown);
    return guess(act, () => still, () => ({ stops: true }));
  };
  return {
    run: (run) => {
      const busy = read().isLoading || run.part === true || run.waits === true;
      // One that may be refused is in no save before it is taken.
      const kept = run.queued && !(busy && (run.ifBusy === "drop" || run.ifBusy === "reject"));
      const more = (): Omit<Guess<State>, "fold"> => ({ ticket: run.ticket, part: run.part, waits: busy, run: kept ? run : undefined });
      void guess(() => link.run(run), (at) => (busy ? at : begun(run.fold(at), run.id)), more);
    },
    edit: (edit) => void guess(() => link.edit(edit), edit.fold),
    act: (apply) => void guess(() => link.act(apply), (at) => at, () => ({ redo: () => link.act(apply) })),
    cancel: (run) => {
      const { runId, isLoading } = read();
      const cancel = (): void => link.cancel(run);
      if (isLoading && runId === run.id) return void stop(cancel);
      lastSave.cancelled(run.id);
      void guess(cancel, (at) => ({ ...at, queue: at.queue.filter((waiting) => waiting.runId !== run.id) }));
    },
    stop: () => stop(link.stop),
  };
}
