// The way to the checks of schemas, and CUSTOM events as they are reported with and without them.

import type { JsonObject } from "../api/types.js";
import { reasonOf, unsupported } from "../base/failure.js";
import { issuesText } from "../base/issues.js";
import { isPromise } from "../base/promise.js";
import { isPlain } from "../snapshot/edited.js";
import type { Checks } from "./checks.js";
import type { LinkClient } from "./client.js";

/** The helpers of the page that the chunk is given. */
export const checkKit = { isPromise, issuesText, reasonOf, unsupported } as const;
export type CheckKit = typeof checkKit;

/** The code for agents with schemas, once it has come. */
export let checksModule: typeof import("./checks.js") | undefined;

/** Loads it. */
export const loadChecks = async (): Promise<void> => void (checksModule ??= await import("./checks.js"));

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
