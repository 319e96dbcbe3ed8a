// How the run stands, what it asks, and what it reports. Owns `status`, `isLoading`, `error`, `interrupt` and `customEvents`.

import { AgentError } from "../../../api/error.js";
import { uuid } from "../../../base/uuid.js";
import { classifyError } from "../errors.js";
import { isObject } from "../../../base/json.js";
import { parsed } from "../json.js";
import type { DeliveryOutcome, NgafEvent } from "../types.js";
import { text, type Loose, type Shared } from "./shared.js";

/** No run is in progress. */
export function createRun({ version, fields, changed, draft, ...shared }: Shared, emit: (event: NgafEvent) => void) {
  let open = false;
  /** It waits for an answer. */
  let paused = false;
  const set = (status: "idle" | "running" | "error", error: unknown = version === 1 ? null : undefined): void => {
    Object.assign(fields, { status, isLoading: status === "running", error });
    changed();
  };
  const ask = (id: string, value: unknown): void => {
    fields.interrupt = { id, value, resumable: true };
    paused = true;
  };

  return {
    /** Whether a run is in progress whose end has not been reported. */
    get open(): boolean {
      return open;
    },
    /** RUN_STARTED. */
    started: (): void => {
      if (version === 1) set("running");
    },
    begin: (): void => {
      open = true;
      paused = false;
      fields.interrupt = undefined;
      shared.set("customEvents", []);
      if (version === 2) set("running");
    },
    /** It has ended without an event that says so. Gives what has become of its answers. */
    end: (outcome: DeliveryOutcome | undefined, cause?: unknown): DeliveryOutcome => {
      open = false;
      if (outcome) set("idle");
      else set("error", version === 2 ? classifyError(cause, thrown(cause)) : cause);
      return paused ? "paused" : (outcome ?? "error");
    },
    /** RUN_FINISHED. */
    finish: (event: Loose): DeliveryOutcome => {
      open = false;
      const outcome = event.outcome as Loose | undefined;
      const interrupt = interruptOf(outcome);
      if (interrupt && !fields.interrupt) ask(text(interrupt, "id"), valueOf(interrupt));
      set("idle", version === 1 ? fields.error : undefined);
      return paused ? "paused" : outcome?.type === "cancelled" ? "aborted" : "success";
    },
    /** RUN_ERROR. */
    fail: (event: Loose): DeliveryOutcome => {
      open = false;
      const message = text(event, "message");
      set("error", version === 2 ? classifyError(Object.assign(new Error(message), { cause: event })) : message || event);
      return "error";
    },
    /** CUSTOM. */
    custom: (event: Loose): void => {
      const name = text(event, "name");
      const data = version === 2 ? parsed(event.value) : event.value;
      if (name === "on_interrupt") {
        ask(uuid(), parsed(event.value));
        if (version === 2) return set("idle");
      }
      draft("customEvents").push({ name, data });
      emit(name === "state_update" && isObject(data) ? { type: "state_update", data } : { type: "custom", name, data });
    },
  };
}

/** The interrupt that a run has ended with: the contract knows one. */
function interruptOf(outcome: Loose | undefined): Loose | undefined {
  return outcome?.type === "interrupt" && Array.isArray(outcome.interrupts) ? (outcome.interrupts as Loose[])[0] : undefined;
}

function valueOf(interrupt: Loose): unknown {
  return isObject(interrupt.metadata) && "value" in interrupt.metadata ? interrupt.metadata.value : interrupt;
}

/** The thrown value beneath an error of the agent's. */
function thrown(error: unknown): unknown {
  return (AgentError.is(error) ? error.cause : undefined) ?? error;
}
