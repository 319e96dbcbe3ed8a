// Every event of Chio's once, as it came, for applications that render the events themselves.

import type { AgUiEvent } from "../../api/events.js";
import type { Agent } from "../../api/types.js";
import { parseJson } from "../../base/json.js";
import type { ChioEvent } from "./types.js";

/**
 * Calls the listener for every event that Chio's proxy delivers (its AgUiEvent), as it came, in order and once: text too. What
 * the guard blocks is not among them, and receipts are not: those are CUSTOM `chio.receipt`. Events of AG-UI that come over the
 * same stream come by `agent.on("event")`. Returns what ends it.
 *
 * @example
 * const off = onChioEvent(agent, (event) => render(event));
 */
export function onChioEvent(agent: Pick<Agent, "on">, listener: (event: ChioEvent) => void): () => void {
  return agent.on("event", (event) => {
    const raw = (event as { rawEvent?: unknown }).rawEvent;
    if (raw === undefined || raw === null) return;
    const frame = typeof raw === "string" ? parseJson(raw) : raw;
    if (isChioEvent(frame) && isItself(event, frame)) listener(frame);
  });
}

function isChioEvent(frame: unknown): frame is ChioEvent {
  return typeof frame === "object" && frame !== null && "event_type" in frame && !("payload_hash" in frame && "signature" in frame);
}

/** Of the events that the dialect makes of a frame, one stands for it. */
function isItself(event: AgUiEvent, { payload }: ChioEvent): boolean {
  switch (event.type) {
    // Text is known by its content; a frame without any has none, and may begin a message all the same.
    case "TEXT_MESSAGE_START":
      return payload === "" || (payload as { text?: unknown } | null)?.text === "";
    case "TEXT_MESSAGE_CONTENT":
      return true;
    case "CUSTOM":
      return event.name.startsWith("chio.");
    default:
      return false;
  }
}
