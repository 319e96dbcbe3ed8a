/** Questions that end a run, and the two answers that a button can give. */
import type { Interrupt, ResumeEntry } from "ag-ui-wasm";

/** The question of an agent in words. */
export const questionOf = ({ message, reason }: Interrupt): string => message ?? `The agent asks: ${reason.replaceAll("_", " ")}`;

export function approve({ id, metadata }: Interrupt): ResumeEntry {
  // agentOS wants the kind of its request in the answer.
  const kind = metadata?.["kind"] === "approval" ? { kind: "approval" } : {};
  return { interruptId: id, status: "resolved", payload: { ...kind, approved: true } };
}

export const cancel = ({ id }: Interrupt): ResumeEntry => ({ interruptId: id, status: "cancelled" });
