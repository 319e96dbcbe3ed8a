// Questions to the core's rules.

import { AgentError } from "../../api/error.js";
import { reasonOf } from "../../base/failure.js";
import { loadFull } from "../../core/load-full.js";
import { oneFile } from "../../core/one-file.js";
import { inflate } from "../../core/unpack.js";

export const seconds = (): number => Math.floor(Date.now() / 1000);
export const whole = (value: number): number => Math.max(0, Math.floor(value));

/** JSON text of what is not text already. */
export function toText(json: unknown): string {
  try {
    return typeof json === "string" ? json : (JSON.stringify(json) ?? "null");
  } catch (cause) {
    throw wrong("not JSON", cause);
  }
}

export function wrong(message: string, cause?: unknown): AgentError {
  return new AgentError({ kind: "unsupported", code: "input", message, cause });
}

/** Asks the core. */
export async function ask<Answer>(request: string, json: string): Promise<Answer> {
  // The bytes come only with the first question, and not at all where an agent has brought the module.
  const { askGuard } = oneFile.module ?? (await loadFull(inflate, { guard: {} }, "ask"));
  let answer: string;
  try {
    answer = askGuard(request, json);
  } catch (cause) {
    throw wrong(reasonOf(cause), cause);
  }
  return JSON.parse(answer);
}
