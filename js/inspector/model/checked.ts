// Notes of a recording, read from a file that anybody may have written: what has another form is left out.

import type { JsonObject } from "../../api/protocol.js";
import type { AgentSnapshot } from "../../api/types.js";
import { isObject } from "../../base/json.js";
import type { Changes, Item } from "./entry.js";

type JsonKind = "string" | "number" | "boolean" | "object";
type Form = Readonly<Record<string, JsonKind>>;

const request: Form = { id: "number", url: "string", method: "string", at: "number", runId: "string", resume: "boolean" };
/** The members that each item must have. */
const required: Readonly<Record<string, Form>> = {
  request,
  response: request,
  ended: { id: "number", end: "string" },
  connection: { phase: "string", attempt: "number" },
  warning: { code: "string", message: "string" },
  decision: { allowed: "boolean", eventType: "string" },
  error: { kind: "string", message: "string" },
  finish: { runId: "string", outcome: "string" },
};
/** The members that one may have. */
const optional: Form = {
  ...{ status: "number", headMs: "number", retryAt: "number", contentType: "string", error: "string", lastEventId: "string", retryable: "boolean" },
  ...{ rule: "string", code: "string", eventType: "string", reason: "string", direction: "string", at: "number", carrier: "string", eventId: "string" },
  ...{ classification: "object", target: "object", body: "string" },
};

/** The item, if it is one. */
export function itemOf(value: unknown): Item | undefined {
  if (!isObject(value)) return undefined;
  const [name = ""] = Object.keys(value);
  const data = value[name];
  if (name === "local") return typeof data === "string" ? { local: data } : undefined;
  const form = Object.hasOwn(required, name) ? required[name] : undefined;
  const picked = form && pick(data, form, optional);
  return picked && ({ [name]: picked } as unknown as Item);
}

/** The changes, as far as they are some. */
export function changesOf(value: unknown): Changes | undefined {
  if (!isObject(value)) return undefined;
  const state = listOf(value["state"], (one) => pick(one, { path: "string" }, { before: "string", after: "string" }));
  const messages = listOf(value["messages"], (one) => pick(one, { id: "string", role: "string" }, { before: "object", after: "object", tail: "string" }));
  const bounded = messages.map((one) => ({ ...one, ...side("before", one), ...side("after", one) }));
  return {
    ...(state.length && { state }),
    ...(bounded.length && { messages: bounded }),
    ...(value["more"] === true && { more: true }),
    ...(value["shared"] === true && { shared: true }),
  } as unknown as Changes;
}

function side(name: "before" | "after", one: JsonObject): JsonObject {
  const found = pick(one[name], { length: "number" }, { delivery: "string", calls: "number" });
  return one[name] === undefined ? {} : { [name]: found ?? { length: 0 } };
}

/** The snapshot, if it has the lists that are shown. */
export function snapshotOf(value: unknown): AgentSnapshot | undefined {
  const lists = ["messages", "toolCalls", "interrupts", "queue", "steps", "subagents", "usage"] as const;
  if (!isObject(value) || !pick(value, { threadId: "string", status: "string", connection: "object" }, {})) return undefined;
  const forms: Partial<Record<string, Form>> = {
    messages: { id: "string", role: "string" },
    toolCalls: { id: "string", name: "string", phase: "string", argsText: "string" },
  };
  const valid = lists.every((name) => Array.isArray(value[name]) && value[name].every((one: unknown) => isObject(one) && pick(one, forms[name] ?? {}, {})));
  const connection = pick(value["connection"], required["connection"]!, optional);
  const texts = ["runId", "outcome"].every((name) => value[name] === undefined || typeof value[name] === "string");
  const calls = valid && (value["toolCalls"] as JsonObject[]).every(({ error }) => error === undefined || typeof error === "string");
  if (!calls || !connection || !texts) return undefined;
  const timing = pick(value["timing"], { startedAt: "number" }, { firstTokenMs: "number", durationMs: "number" });
  return { ...value, connection, timing, error: undefined } as unknown as AgentSnapshot;
}

function listOf<Value>(value: unknown, read: (one: unknown) => Value | undefined): Value[] {
  return Array.isArray(value) ? value.slice(0, 100).flatMap((one) => read(one) ?? []) : [];
}

/** The members of these forms; nothing if one that is required is missing. */
function pick(value: unknown, needed: Form, allowed: Form): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (Object.entries(needed).some(([key, kind]) => typeof value[key] !== kind || value[key] === null)) return undefined;
  const forms = { ...allowed, ...needed };
  return Object.fromEntries(Object.entries(value).filter(([key, member]) => Object.hasOwn(forms, key) && typeof member === forms[key] && member !== null));
}
