// Questions that a run has left open.

import { AGUIError, type Interrupt, type Metadata, type ResumeEntry, type RunFinishedEvent } from "@ag-ui/core";

type ResumeResponse =
  | { status: "resolved"; payload?: unknown; metadata?: Metadata }
  | { status: "cancelled"; metadata?: Metadata };

/** How a run finished; absent: with success. */
export function getRunOutcome(event: RunFinishedEvent): RunFinishedEvent["outcome"] {
  return event.outcome;
}

/** Whether an interrupt can no longer be answered. */
export function isInterruptExpired(interrupt: Interrupt, now: Date = new Date()): boolean {
  return interrupt.expiresAt !== undefined && new Date(interrupt.expiresAt) <= now;
}

/**
 * The `resume` of a run, from an answer to each open interrupt by its id.
 *
 * @throws Where an interrupt has no answer, or an answer no interrupt.
 */
export function buildResumeArray(interrupts: Interrupt[], responses: Record<string, ResumeResponse>): ResumeEntry[] {
  const ids = interrupts.map(({ id }) => id);
  const missing = ids.filter((id) => !Object.hasOwn(responses, id));
  if (missing.length) throw new Error(`buildResumeArray: missing responses for open interrupts: ${missing.join(", ")}`);
  const unknown = Object.keys(responses).filter((id) => !ids.includes(id));
  if (unknown.length) {
    throw new Error(`buildResumeArray: responses reference unknown interrupt ids: ${unknown.join(", ")}`);
  }
  return ids.map((interruptId) => {
    const response = responses[interruptId]!;
    const { status, metadata } = response;
    const payload = status === "resolved" ? response.payload : undefined;
    return {
      interruptId,
      status,
      ...(payload !== undefined && { payload }),
      ...(metadata !== undefined && { metadata }),
    } as ResumeEntry;
  });
}

/**
 * Refuses a run that leaves an open interrupt without an answer, or answers one that has expired. An expired one can be
 * cancelled.
 */
export function checkAnswers(open: readonly Interrupt[], resume: readonly ResumeEntry[] | null | undefined): void {
  const answers = resume ?? [];
  const uncovered = open.map(({ id }) => id).filter((id) => !answers.some((answer) => answer.interruptId === id));
  if (uncovered.length) {
    throw new AGUIError(
      `Thread has ${uncovered.length} pending interrupt(s) not addressed by resume: ${uncovered.join(", ")}`,
    );
  }
  const expired = open.find(
    (interrupt) =>
      isInterruptExpired(interrupt) &&
      answers.find(({ interruptId }) => interruptId === interrupt.id)?.status !== "cancelled",
  );
  if (expired) {
    const message = `Interrupt ${expired.id} expired at ${expired.expiresAt} and can no longer be answered. Cancel it to continue the thread.`;
    throw new AGUIError(message);
  }
}
