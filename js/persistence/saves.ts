// An agent and its saves in a store: which one it begins with, what is written of it, and that it ends its work where another
// agent owns the save. How a store is read is in saving.ts, written in stored.ts, and shared in owner.ts.

import { AgentError } from "../api/error.js";
import type { OpenSaves } from "../api/saves.js";
import { createSaving } from "./saving.js";

/** The saves of an agent in the store of its option `persist`. */
export const openSaves: OpenSaves = (given, self, { show, refuse }) => {
  const { link, view, emitter, options, disposed } = self;
  // Another agent owns the save; the run in progress ends without one.
  let stranded = false;
  // The store has taken nothing of the last save that the core has asked for.
  let lost = false;
  // Nothing has changed yet that would have to be saved.
  let quiet = true;

  /** The save without a run that only opens the thread. */
  const saved = (json: string): string => self.remote.thread?.saved(json) ?? json;

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
    self.line?.current?.close();
    return json;
  };

  const saving = createSaving(given.persist!, given.restore, given.saving ?? {}, {
    busy: link.busy,
    mounted: view.watched,
    first: view.first,
    read: () => saved(link.save()),
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
      self.line?.reconnect();
    },
    refuse,
    awaitSave: link.awaitSave,
    surrender: () => {
      const json = link.strand();
      stranded = json !== undefined;
      return json ?? suspend();
    },
    // The application has no agent to listen to before.
    warn: (code, message) => queueMicrotask(() => disposed() || emitter.emit("warning", { code, message })),
  });

  return {
    begin: () => {
      saving.begin();
      // The core says when there is something to save; without it, the end of a run does.
      emitter.on("finish", () => link.open() || saving.save());
      quiet = false;
    },
    ready: async () => {
      for (let wait; (wait = saving.ready()); ) await wait;
    },
    use: (acts) => {
      // What is done from now on waits for the save, and does not go with the run.
      if (acts) retire();
      saving.use(acts);
    },
    changed: () => {
      if (!quiet && !stranded) saving.touch();
      if (stranded && !link.busy()) queueMicrotask(retire);
    },
    rest: saving.rest,
    owns: () => !stranded,
    refusal: () => {
      if (!lost || !given.saving?.required) return undefined;
      const message = "The store keeps nothing of it, and saving.required is set";
      return new AgentError({ kind: "unsupported", code: "not-saved", message });
    },
    save: () => saving.save(),
    write: (said, holds, done) => {
      const json = saved(said);
      if (saving.owns()) {
        return saving.save(json, (kept) => {
          lost = !kept;
          done();
        });
      }
      // It would begin something, which whoever owns the save does.
      if (holds) queueMicrotask(retire);
    },
    renew: () => {
      saving.forget();
      saving.save();
    },
    dispose: saving.dispose,
  };
};
