// An agent and its saves in a store: which one it begins with, what is written of it, and that it ends its work where another
// agent owns the save. How a store is read is in saving.ts, written in stored.ts, and shared in owner.ts.

import { AgentError } from "../api/error.js";
import type { OpenSaves } from "../api/saves.js";
import { later } from "../base/timer.js";
import { createSaving } from "./saving.js";

/** The saves of an agent in the store of its option `persist`. */
export const openSaves: OpenSaves = (given, self, { show, refuse }) => {
  const { link, shown, members, emitter, options, disposed } = self;
  // The store has taken nothing of the last save that the core has asked for.
  let lost = false;
  // Nothing has changed yet that would have to be saved.
  let quiet = true;

  /** The run that was in progress when the page was left, if it is to be joined. */
  const interrupted = (text: string | undefined): string | undefined => {
    if (text === undefined || !options().resume || options().autoAttach === false) return undefined;
    const { running, runId } = JSON.parse(text);
    return running ? runId : undefined;
  };

  const saving = createSaving(given.persist!, given.restore, given.saving ?? {}, {
    busy: link.busy,
    mounted: members.watched,
    first: shown.first,
    read: link.save,
    begin: (value, text) => {
      if (link.open()) link.suspend();
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
      if (runId !== undefined) self.jobs.rejoin(runId);
      else if (members.watched()) void link.load();
      self.line?.reconnect();
    },
    refuse,
    awaitSave: link.awaitSave,
    surrender: (outcome) => {
      const json = link.suspend(outcome);
      self.line?.current?.close();
      return json;
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
    use: saving.use,
    changed: () => {
      if (!quiet) saving.touch();
    },
    rest: saving.rest,
    refusal: () => {
      if (!lost || !given.saving?.required) return undefined;
      const message = "The store keeps nothing of it, and saving.required is set";
      return new AgentError({ kind: "unsupported", code: "not-saved", message });
    },
    save: () => saving.save(),
    write: (json, done) => {
      // Whoever owns the save begins what it has.
      if (!saving.owns()) return;
      saving.save(json, (kept) => {
        lost = !kept;
        done();
      });
    },
    renew: () => {
      saving.forget();
      saving.save();
    },
    released: () => {
      const { linger } = options().saving ?? {};
      if (linger === undefined || members.here().length) return;
      later(linger, () => members.here().length || saving.hangUp());
    },
    dispose: saving.dispose,
  };
};
