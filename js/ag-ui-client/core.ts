// The core, which is loaded when the first run begins.

import type { Message, State } from "@ag-ui/core";
import { AgentError } from "../api/error.js";
import type { Stepper } from "../glue/full.js";
import { loadFull } from "../core/load-full.js";
import type { Needs } from "../core/modules.js";
import { inflate } from "../core/unpack.js";
import type { AgentWarning } from "../api/types.js";
import type { AgentSettings } from "./types.js";
import { toJson } from "./values.js";

/** How far a stepper takes a stream; see `src/stepper/settings.rs`. */
export type Stage = "frames" | "chunks" | "order";

export interface StepperOptions extends AgentSettings {
  readonly stage?: Stage;
  readonly runId?: string;
  readonly protocol?: string;
}

/**
 * The full module, which has the stepper, and no other: a bundler that does not split would take both into the page. With what reads a body of
 * that media type by these rules.
 */
const load = (rules?: AgentSettings["rules"], mediaType = "") => loadFull(inflate, { rules, binary: /\+proto/i.test(mediaType) } as Needs, "stepper");

/** Starts to load the core, if that has not begun. A failure is told to whoever needs the core. */
export function preload(): void {
  load().catch(() => {});
}

/** A stepper, which may open a body of that media type; to be freed. */
export async function createStepper(
  { stage, runId, protocol, rules, limits = {}, joinDeltas: join }: StepperOptions,
  messages: readonly Message[] = [],
  state: State = {},
  mediaType?: string,
): Promise<Stepper> {
  const core = await load(rules, mediaType);
  const { frameBytes, stateBytes, threadBytes, items, warnings, depth } = limits;
  const settings = { stage, runId, protocol, rules, join, frameBytes, stateBytes, threadBytes, items, warnings, depth };
  return new core.Stepper(toJson(settings), toJson(messages), toJson(state));
}

/** Why a stepper takes nothing more, as an error. */
export function failureOf(stepper: Stepper): AgentError | undefined {
  const json = stepper.failure();
  return json === undefined ? undefined : new AgentError(JSON.parse(json));
}

/** Reports what a stepper found odd. */
export function reportWarnings(stepper: Stepper, report: AgentSettings["onWarning"]): void {
  const json = stepper.takeWarnings();
  if (json !== undefined) { for (const warning of JSON.parse(json) as AgentWarning[]) (report ?? toConsole)(warning); }
}

/** Where warnings go that the application does not listen to. */
export function toConsole({ code, message }: AgentWarning): void {
  console.warn(`[ag-ui-wasm] ${code}: ${message}`);
}
