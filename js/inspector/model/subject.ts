// The subject of an inspector: an agent that it watches, or a recording.

import type { Agent, AgentSnapshot, RunResult } from "../../api/types.js";
import { readLog, writeLog } from "./file.js";
import { Log, type LogLimits } from "./log.js";
import { redactRecording } from "./redact.js";
import { watch } from "./watch.js";

/** How a log is exported. */
export interface ExportOptions {
  /** Masks what people and servers have written. Default: false. */
  readonly redact?: boolean | undefined;
}

/** The agent or the recording, whose rows go into the log. Nothing to show yet. `changed` is called after each change of the agent's snapshot, `finished` after each of its runs. */
export function createSubject(log: Log, limits: LogLimits, changed: () => void, finished: (outcome: RunResult["outcome"]) => void) {
  let agent: Agent | undefined;
  let imported: AgentSnapshot | undefined;
  let offs: (() => void)[] = [];

  const snapshot = (): AgentSnapshot | undefined => agent?.getSnapshot() ?? imported;
  const leave = (): void => {
    for (const off of offs.splice(0)) off();
    agent = imported = undefined;
  };
  return {
    get agent(): Agent | undefined {
      return agent;
    },
    /** The agent's snapshot, or the last one of the recording. */
    get snapshot(): AgentSnapshot | undefined {
      return snapshot();
    },
    /** Watches this agent from now on. Returns false where it is watched already. */
    watch: (next: Agent | undefined): boolean => {
      if (next === agent) return false;
      leave();
      agent = next;
      if (next) offs = [watch(next, log), next.subscribe(changed), next.on("finish", ({ outcome }) => finished(outcome))];
      return true;
    },
    /**
     * Shows a recording in place of the agent.
     *
     * @throws {SyntaxError} where it is none
     */
    import: (recording: string): void => {
      // Read as a whole once before anything is thrown away.
      readLog(recording, new Log(limits));
      leave();
      log.clear();
      imported = readLog(recording, log);
    },
    /** The log as a recording: JSON Lines. */
    export: ({ redact }: ExportOptions = {}): string => {
      const text = writeLog(log.entries, snapshot());
      return redact ? redactRecording(text) : text;
    },
    close: leave,
  };
}
