// The way to the checks of schemas, and CUSTOM events as they are reported with and without them.

import type { JsonObject, PageTool } from "../api/types.js";
import { reasonOf } from "../base/failure.js";
import { issuesText } from "../base/issues.js";
import { isPromise } from "../base/promise.js";
import { isPlain } from "../snapshot/project.js";
import type { Checks } from "./checks.js";
import type { Client } from "./client.js";

let checking: typeof import("./checks.js") | undefined;

/** Loads what agents with schemas need. */
export const loadChecks = async (): Promise<void> => void (checking ??= await import("./checks.js"));

/** The checks of a session, where its agent has schemas. */
export function checksOf<State>(client: Pick<Client<State>, "given" | "emitter" | "cover">, tool: (name: string) => PageTool | undefined): Checks<State> | undefined {
  return client.given.schemas && checking?.createChecks({ isPromise, issuesText, reasonOf }, client, tool);
}

/** Reports a CUSTOM event. `json`: its value. */
export function emitCustom<State>(emitter: Client<State>["emitter"], checks: Checks<State> | undefined, name: string, json: string): void {
  if (!emitter.has("custom")) return;
  const given: unknown = JSON.parse(json);
  const fit = checks ? checks.custom(name, given) : { data: given };
  if (!fit) return;
  const { data } = fit;
  const update = name === "state_update" && isPlain(data);
  emitter.emit("custom", update ? { type: name, data: data as JsonObject } : { type: "custom", name, data });
}
