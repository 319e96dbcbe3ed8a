// Events: their reading, their class, their target.

import { AgentError } from "../../api/error.js";
import type { Classification } from "../../api/guard.js";
import { ask, toText } from "./ask.js";
import type { ChioEvent, ChioEventType, Json, Problem, Target } from "./types.js";

/**
 * Reads an event. Tolerant by default: what the page can do without may be missing. Strict: as Chio's latest generation,
 * whose ids are tidy too. Without `event`, it is none.
 *
 * @example
 * const { event, problems } = await parseEvent(message.data, { strict: true });
 */
export async function parseEvent(
  json: Json<object>,
  { strict = false }: { readonly strict?: boolean | undefined } = {},
): Promise<{ event?: ChioEvent; problems: readonly Problem[] }> {
  let event: ChioEvent;
  let problems: Problem[];
  try {
    const text = toText(json);
    event = JSON.parse(text);
    problems = await ask("parse", `{"event":${text},"strict":${strict}}`);
  } catch (error) {
    if (AgentError.is(error) && error.code !== "input") throw error;
    return { problems: [{ member: "", expected: "a JSON object", fatal: true, unknown: false }] };
  }
  return problems.some(({ fatal }) => fatal) ? { problems } : { event, problems };
}

/**
 * The class of an event by its type and payload, as Chio's servers derive it; or in their words why there is none.
 *
 * @example
 * await classify({ event_type: "lifecycle", payload: { action: "mounted" } }); // { classification: "create" }
 */
export function classify(
  event: Json<{ readonly event_type: ChioEventType; readonly payload?: unknown }>,
): Promise<{ classification: Classification; error?: undefined } | { classification?: undefined; error: string }> {
  return ask("classify", toText(event));
}

/**
 * Whether an event is of the class that it says.
 *
 * @example
 * const { matches, error } = await compareClassification(event);
 */
export function compareClassification(
  event: Json<Pick<ChioEvent, "event_type" | "classification"> & { readonly payload?: unknown }>,
): Promise<{ matches: boolean; supplied?: string; derived?: Classification; error?: string }> {
  return ask("compare", toText(event));
}

/**
 * Whether a pattern is about a component: the same type, and the same id if the pattern has one. As text it is `type` or
 * `type:id`.
 *
 * @example
 * matchTarget("modal:confirm-refund", event.target);
 */
export function matchTarget(pattern: string | Target, target: Target | null | undefined): boolean {
  const at = typeof pattern === "string" ? pattern.indexOf(":") : -1;
  const { component_type, component_id }: Target = typeof pattern !== "string"
    ? pattern
    : at < 0
    ? { component_type: pattern }
    : { component_type: pattern.slice(0, at), component_id: pattern.slice(at + 1) };
  const same = target?.component_type === component_type;
  return same && (component_id === undefined || component_id === null || target.component_id === component_id);
}
