/** Words and figures for people. */
import type { AgentError, AgentSnapshot, Message, ToolCall } from "ag-ui-wasm";

const integer = new Intl.NumberFormat("en");

/** `840 ms`, `3.2 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export const count = (value: number): string => integer.format(value);

const phases: Record<ToolCall["phase"], string> = {
  "input-streaming": "Writing arguments",
  "input-available": "Called",
  "awaiting-approval": "Waiting for approval",
  executing: "Running",
  "output-available": "Done",
  "output-error": "Failed",
  denied: "Denied",
};

export const phaseLabel = (call: ToolCall): string => phases[call.phase];

/** Why a message ends where it ends, when it was not its author who ended it. */
export function fate(message: Message): string | undefined {
  if (message.delivery === "aborted") return "Stopped";
  if (message.delivery === "error") return "Broken off";
  return undefined;
}

const headlines: Record<AgentError["kind"], string> = {
  connection: "The connection failed",
  http: "The server refused",
  auth: "Not signed in",
  protocol: "The server broke the protocol",
  run: "The agent failed",
  aborted: "Stopped",
  limit: "Too large",
  blocked: "Blocked by this page's security policy",
  unsupported: "Not supported here",
  internal: "Something broke in the client",
};

export const headline = (error: AgentError): string => headlines[error.kind];

/** The error's facts in a row: `http · 503 · overloaded`. */
export const errorFacts = (error: AgentError): string => [error.kind, error.status, error.code].filter((fact) => fact !== undefined).join(" · ");

/** One line on the run: what it is doing, or how it went. */
export function statusLine(
  snapshot: Pick<AgentSnapshot, "status" | "outcome" | "timing" | "queue" | "interrupts" | "toolCalls" | "connection">,
): string {
  const { status, outcome, timing, queue, interrupts, toolCalls, connection } = snapshot;
  if (connection.phase === "reconnecting") return "Connection lost, asking for the rest";
  if (toolCalls.some(({ phase }) => phase === "awaiting-approval")) return "Waiting for your approval";
  if (status === "running") return queue.length > 0 ? `Answering, ${queue.length} waiting` : "Answering";
  if (interrupts.length > 0) return "Waiting for your decision";
  const time = timing?.durationMs === undefined ? "" : ` in ${duration(timing.durationMs)}`;
  const first = timing?.firstTokenMs === undefined ? "" : `, first token after ${duration(timing.firstTokenMs)}`;
  switch (outcome) {
    case undefined:
      return "Ready";
    case "success":
    case "interrupted":
      return `Answered${time}${first}`;
    case "aborted":
      return `Stopped${time === "" ? "" : ` after${time.slice(3)}`}`;
    case "truncated":
      return "Broken off";
    case "cancelled":
      return "Cancelled";
    case "error":
      return "Failed";
  }
}
