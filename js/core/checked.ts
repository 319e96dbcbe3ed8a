// The way to the checks of schemas, and CUSTOM events as they are reported with and without them.

import type { AgentSchemas } from "../api/schemas.js";
import type { Interrupt, JsonObject, PageTool, ResumeEntry } from "../api/types.js";
import { reasonOf, unsupported } from "../base/failure.js";
import { issuesText } from "../base/issues.js";
import { isPromise } from "../base/promise.js";
import { isPlain } from "../snapshot/edited.js";
import type { Checks } from "./checks.js";
import type { LinkClient } from "./client.js";

let checking: typeof import("./checks.js") | undefined;

/** Loads what agents with schemas need. */
export const loadChecks = async (): Promise<void> => void (checking ??= await import("./checks.js"));

/** The helpers of the page that the chunk is given. */
const kit = { isPromise, issuesText, reasonOf, unsupported } as const;
export type CheckKit = typeof kit;

/** The checks of a session, where its agent has schemas. */
export function checksOf<State>(
  client: Pick<LinkClient<State>, "options" | "emitter" | "cover">,
  tool: (name: string) => PageTool | undefined,
): Checks<State> | undefined {
  return client.options.schemas && checking?.createChecks(kit, client, tool);
}

/** Checks the answer to an interrupt, where its agent has schemas. */
export function checkReply(
  emitter: Pick<LinkClient<never>["emitter"], "emit">,
  schemas: AgentSchemas<never>,
  entry: ResumeEntry,
  interrupts: readonly Interrupt[],
): void {
  checking?.checkReply(kit, emitter, schemas, entry, interrupts);
}

/** Reports a CUSTOM event. `json`: its value. */
export function emitCustom<State>(emitter: LinkClient<State>["emitter"], checks: Checks<State> | undefined, name: string, json: string): void {
  if (!emitter.has("custom")) return;
  const value: unknown = JSON.parse(json);
  const fit = checks ? checks.custom(name, value) : { data: value };
  if (!fit) return;
  const { data } = fit;
  const update = name === "state_update" && isPlain(data);
  emitter.emit("custom", update ? { type: name, data: data as JsonObject } : { type: "custom", name, data });
}
