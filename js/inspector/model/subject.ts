// The subject of an inspector: an agent that it watches, or a recording.

import type { Agent, AgentSnapshot, RunResult } from "../../api/types.js";
import { readLog, writeLog } from "./file.js";
import { createLog, type Log, type LogLimits } from "./log.js";
import { redactRecording } from "./redact.js";
import { watch } from "./watch.js";

/** How a log is exported. */
export interface ExportOptions {
  /** Masks what people and servers have written. Default: false. */
  readonly redact?: boolean | undefined;
}

/** The agent or the recording. Its rows go into a log. */
export interface Subject {
  readonly agent: Agent | undefined;
  /** The agent's snapshot, or the last one of the recording. */
  readonly snapshot: AgentSnapshot | undefined;
  /** Watches this agent from now on. Returns false where it is watched already. */
  watch(agent: Agent | undefined): boolean;
  /**
   * Shows a recording in place of the agent.
   *
   * @throws {SyntaxError} where it is none
   */
  import(recording: string): void;
  /** The log as a recording: JSON Lines. */
  export(options?: ExportOptions): string;
  close(): void;
}

/** Nothing to show yet. `changed` is called after each change of the agent's snapshot, `finished` after each of its runs. */
export function createSubject(log: Log, limits: LogLimits, changed: () => void, finished: (outcome: RunResult["outcome"]) => void): Subject {
  let agent: Agent | undefined;
  let imported: AgentSnapshot | undefined;
  let offs: (() => void)[] = [];

  const snapshot = (): AgentSnapshot | undefined => agent?.getSnapshot() ?? imported;
  const leave = (): void => {
    for (const off of offs.splice(0)) off();
    agent = imported = undefined;
  };
  return {
    get agent() {
      return agent;
    },
    get snapshot() {
      return snapshot();
    },
    watch: (next) => {
      if (next === agent) return false;
      leave();
      agent = next;
      if (next) offs = [watch(next, log), next.subscribe(changed), next.on("finish", ({ outcome }) => finished(outcome))];
      return true;
    },
    import: (recording) => {
      // Read as a whole once before anything is thrown away.
      readLog(recording, createLog(limits));
      leave();
      log.clear();
      imported = readLog(recording, log);
    },
    export: ({ redact } = {}) => {
      const text = writeLog(log.entries, snapshot());
      return redact ? redactRecording(text) : text;
    },
    close: leave,
  };
}
