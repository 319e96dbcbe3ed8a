// An agent and its saves: which one it begins with, what is written of it, and that it ends its work where another agent
// owns the save. How a store is read is in saving.ts, written in stored.ts, and shared in owner.ts.

import { AgentError } from "../api/error.js";
import type { AgentOptions } from "../api/types.js";
import { isPromise } from "../base/promise.js";
import { readSaved, refusal } from "../snapshot/save.js";
import { createSaving, type Saving } from "../persistence/saving.js";
import type { Self } from "./self.js";

/** The saves of an agent, of the application's or of a store; where it has neither, it begins with nothing. */
export interface Saves {
  /** Shows the save, or asks for it. */
  begin(): void;
  /** A save on its way has come. */
  ready(): Promise<void>;
  /** Somebody uses the agent; `acts`: in a way that changes something. */
  use(acts: boolean): void;
  /** What is shown has changed. */
  changed(): void;
  /** No run is in progress. */
  rest(): void;
  /** The agent owns its save, or has none to own. */
  owns(): boolean;
  /** Saves the agent as it is. */
  save(): void;
  /** The core wants this written, as in `Client.save`. */
  write(json: string, holds: boolean, done: () => void): void;
  /** The thread is another one. */
  renew(): void;
  dispose(): void;
}

type Client<State> = Pick<Self<State>, "link" | "line" | "runs" | "view" | "emitter" | "options" | "disposed">;

/** @internal */
export function createSaves<State>(given: AgentOptions<State>, self: Client<State>): Saves {
  const { link, line, view, emitter, options, disposed } = self;
  const { persist, restore } = given;
  let saving: Saving | undefined;
  // A save of the application's, on its way.
  let restoring: Promise<void> | undefined;
  // Another agent owns the save; the run in progress ends without one.
  let stranded = false;
  // Nothing has changed yet that would have to be saved.
  let quiet = true;

  /** The application has no agent to listen to before. */
  const later = (action: () => void): void => queueMicrotask(() => disposed() || action());

  /** Shows a save, and continues from it. */
  const show = (value: unknown, text?: string): void => {
    if (value === undefined || value === null) return link.restore(undefined, text);
    const saved = readSaved(value, given.threadId);
    link.restore(view.restored(saved), text ?? JSON.stringify(saved));
  };

  const refuse = (cause: unknown): void => {
    link.restore();
    const error = AgentError.is(cause) ? cause : refusal(cause);
    later(() => emitter.emit("error", error));
  };

  /** The run that was in progress when the page was left, if it is to be joined. */
  const interrupted = (text: string | undefined): string | undefined => {
    if (text === undefined || !options().resume || options().autoAttach === false) return undefined;
    const { running, runId } = JSON.parse(text);
    return running ? runId : undefined;
  };

  /** The run of an agent that does not own its save has ended, or is to. */
  const retire = (): void => {
    if (!stranded || disposed()) return;
    stranded = false;
    suspend();
  };

  /** Leaves the work to whoever owns the save: nothing that comes would be kept. */
  const suspend = (): string => {
    const json = link.suspend();
    line.current?.close();
    return json;
  };

  /** The saves in the store. */
  const open = (store: NonNullable<typeof persist>): Saving =>
    createSaving(store, restore, given.saving ?? {}, {
      busy: link.busy,
      mounted: view.watched,
      read: link.save,
      begin: (value, text) => {
        if (link.open()) link.suspend();
        stranded = false;
        quiet = true;
        try {
          show(value, text);
        } finally {
          quiet = false;
        }
      },
      began: (text) => {
        // A run that the application has started itself comes first.
        const runId = link.busy() ? undefined : interrupted(text);
        if (runId !== undefined) self.runs.rejoin(runId);
        else if (view.watched()) void link.load();
        line.reconnect();
      },
      refuse,
      awaitSave: link.awaitSave,
      surrender: () => {
        const json = link.strand();
        stranded = json !== undefined;
        return json ?? suspend();
      },
      warn: (code, message) => later(() => emitter.emit("warning", { code, message })),
    });

  /** Begins with what the application gives. */
  const take = (): void => {
    try {
      if (restore) link.awaitSave();
      if (isPromise(restore)) restoring = restore.then((value) => show(value)).catch(refuse);
      else show(restore);
    } catch (cause) {
      refuse(cause);
    }
  };

  return {
    begin: () => {
      if (persist) {
        saving = open(persist);
        // The core says when there is something to save; without it, the end of a run does.
        emitter.on("finish", () => link.open() || saving?.save());
      } else take();
      quiet = false;
    },
    ready: async () => {
      await restoring;
      for (let wait; (wait = saving?.ready()); ) await wait;
    },
    use: (acts) => {
      // What is done from now on waits for the save, and does not go with the run.
      if (acts) retire();
      saving?.use(acts);
    },
    changed: () => {
      if (!quiet && !stranded) saving?.touch();
      if (stranded && !link.busy()) queueMicrotask(retire);
    },
    rest: () => saving?.rest(),
    owns: () => !stranded,
    save: () => saving?.save(),
    write: (json, holds, done) => {
      if (saving?.owns()) return saving.save(json, done);
      // It would begin something, which whoever owns the save does.
      if (holds) queueMicrotask(retire);
    },
    renew: () => {
      saving?.forget();
      saving?.save();
    },
    dispose: () => saving?.dispose(),
  };
}
