// Rows → frames: which fields of a row reach the page, and in which shape.
//
// Whatever is not understood is left out: a row without an owner that vouches for it has no frames.

import type { JsonObject } from "../../api/protocol.js";
import { isObject } from "../../base/json.js";
import { isSummary, redactedSummary, redactedText, type RedactionReason } from "./redaction.js";
import type { Envelope, Frame, SafeLedgerEvent } from "./types.js";

const RUNTIME = "@agent-os/runtime";
const BUILT_IN = new Set([RUNTIME, "@agent-os/workspace-job", "@agent-os/workspace-op"]);

/** A row as the ledger has it. */
export interface LedgerRow extends SafeLedgerEvent {
  /** The data for a product's projector. Never shown as it is. */
  readonly payload?: unknown;
}

/** How the rows of a product are shown. */
export interface ProductProjector {
  /** The owner of the rows. It may be none of agentOS's own owners, nor another projector's: then none of them counts. */
  readonly owner: string;
  /** The row without what must not be shown; `null`: none of it. It must agree with the row in all but the payload. */
  readonly safeEvent?: (row: LedgerRow) => SafeLedgerEvent | null;
  /** Frames in place of the one CUSTOM. One that is a CUSTOM in the name space `agent-os.` is dropped. */
  readonly frames?: (event: SafeLedgerEvent) => readonly Frame[];
}

/** How rows become frames. */
export interface ProjectionOptions {
  /** Default: the row's `scopeKey`. */
  readonly threadId?: string;
  /** The run that this one belongs to. */
  readonly parentRunId?: string;
  /** The generation of the adapter. `"seed"` has run ids as texts in four CUSTOM frames. Default: `"head"`. */
  readonly flavor?: "head" | "seed";
  readonly projectors?: readonly ProductProjector[];
}

/**
 * The frames of rows that are safe to show, in the order of their ids. A row that is not well-formed has none.
 *
 * @example
 * const frames = projectSafeLedgerEvents(rows, { threadId: "support" });
 */
export function projectSafeLedgerEvents(events: Iterable<SafeLedgerEvent>, options: ProjectionOptions = {}): Frame[] {
  return inOrder(events).flatMap((event) => projectSafeLedgerEvent(event, options));
}

/**
 * The frames of one row that is safe to show.
 *
 * @example
 * projectSafeLedgerEvent({ id: 7, ts: 1, kind: "acme.note", scopeKey: "conversation:c", factOwnerRef: "@acme/notes" });
 */
export function projectSafeLedgerEvent(event: SafeLedgerEvent, options: ProjectionOptions = {}): Frame[] {
  if (!isSafe(event)) return [];
  const { factOwnerRef, kind, ts } = event;
  if (factOwnerRef === RUNTIME) {
    const project = kind.startsWith("agent.aborted.") ? aborted : RULES.get(kind);
    if (project) return project(rowOf(event, options)).map((frame) => ({ ...frame, timestamp: ts }));
  }
  if (BUILT_IN.has(factOwnerRef)) return [plain(event)];
  const projector = productProjector(factOwnerRef, options);
  if (projector === null) return [];
  const frames = projector?.frames ? attempt(() => projector.frames?.(event)) : [plain(event)];
  return Array.isArray(frames) ? frames.filter(mayBeOfAProduct) : [];
}

/**
 * Rows in their envelopes, in the order of their ids. Rows of a product need its projector in `options.projectors`.
 *
 * @example
 * const envelopes = projectEnvelopes(rows, { projectors: [{ owner: "@acme/notes", safeEvent: ({ payload, ...row }) => row }] });
 */
export function projectEnvelopes(rows: Iterable<LedgerRow>, options: ProjectionOptions = {}): Envelope[] {
  return inOrder(rows).map((row) => projectEnvelope(row, options));
}

/**
 * One row in its envelope. `safeEvent` is `null`, and there are no frames, where nobody vouches for the row: no projector
 * or two of them for its owner, a projector that fails or says something else than the row, a raw row of agentOS itself,
 * which only a host can read.
 *
 * @example
 * const { safeEvent, agUiFrames } = projectEnvelope(row);
 */
export function projectEnvelope(row: LedgerRow, options: ProjectionOptions = {}): Envelope {
  const { id, ts, kind, scopeKey } = row;
  const base = { id, ts, kind, scopeKey };
  const { flavor = "head" } = options;
  const safe = safeEventOf(row, options);
  const agUiFrames = safe ? projectSafeLedgerEvent(safe, options) : [];
  return flavor === "seed" ? { ...base, agUiFrames } : { ...base, safeEvent: safe, agUiFrames };
}

function safeEventOf(row: LedgerRow, options: ProjectionOptions): SafeLedgerEvent | null {
  if (!isObject(row)) return null;
  const { payload, ...safe } = row;
  if (BUILT_IN.has(row.factOwnerRef)) return payload === undefined && isSafe(safe) ? safe : null;
  const projector = productProjector(row.factOwnerRef, options);
  const event = projector?.safeEvent && attempt(() => projector.safeEvent?.(row));
  if (!event || !isSafe(event)) return null;
  const { id, ts, kind, scopeKey, factOwnerRef, safePayload } = event;
  const same = id === row.id && ts === row.ts && kind === row.kind && scopeKey === row.scopeKey && factOwnerRef === row.factOwnerRef;
  // The result is made of named members: a projector that returns its row shows no raw data.
  return same ? { id, ts, kind, scopeKey, factOwnerRef, ...(safePayload !== undefined && { safePayload }) } : null;
}

/** The projector of an owner; `undefined`: there is none, `null`: there are two. */
function productProjector(owner: string, { projectors = [] }: ProjectionOptions): ProductProjector | null | undefined {
  const [projector, ...more] = projectors.filter((candidate) => candidate.owner === owner);
  return more.length > 0 ? null : projector;
}

/** The result of a product's projector; undefined if it throws. */
function attempt<Value>(ask: () => Value): Value | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

const TYPES = new Set([
  ...["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"],
  ...["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT", "REASONING_START", "REASONING_MESSAGE_START"],
  ...["REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END", "REASONING_END", "CUSTOM"],
]);

function mayBeOfAProduct(frame: Frame): boolean {
  if (!isObject(frame) || !TYPES.has(frame.type)) return false;
  return frame.type !== "CUSTOM" || (typeof frame.name === "string" && !frame.name.startsWith("agent-os."));
}

function plain({ id, ts, kind, safePayload }: SafeLedgerEvent): Frame {
  return { type: "CUSTOM", timestamp: ts, name: kind, value: { id, kind, safePayload: safePayload ?? null } };
}

/** A row of the runtime with what its rules ask for. */
interface Row {
  readonly event: SafeLedgerEvent;
  readonly payload: JsonObject;
  /** The number of the run, and as RUN_* and ids have it. */
  readonly run: unknown;
  readonly runId: string;
  /** As the four CUSTOM frames have it that differ. */
  readonly flavoredRun: unknown;
  readonly threadId: string;
  readonly parentRunId: string | undefined;
}

function rowOf(event: SafeLedgerEvent, { threadId, parentRunId, flavor }: ProjectionOptions): Row {
  const payload = event.safePayload ?? {};
  const run = payload.runId ?? event.id;
  const runId = String(run);
  const flavoredRun = flavor === "seed" ? runId : run;
  return { event, payload, run, runId, flavoredRun, threadId: threadId ?? event.scopeKey, parentRunId };
}

type RowRule = (row: Row) => Frame[];

const custom = (name: string, value: unknown): Frame => ({ type: "CUSTOM", name: `agent-os.${name}`, value });

/** The members of the runtime's rows that are shown as summaries only, each with the reason that its summary states. */
const SUMMARIZED: Readonly<Record<string, RedactionReason>> = {
  ...{ intent: "run_input", input: "run_input", final: "run_output", output: "run_output" },
  ...{ args: "tool_arguments", arguments: "tool_arguments", result: "tool_result" },
  ...{ refusal: "provider_error", error: "provider_error" },
};

/** A member as it may be shown: a summary in place of a value that is none yet. */
function shown(name: string, value: unknown): unknown {
  const reason = Object.hasOwn(SUMMARIZED, name) ? SUMMARIZED[name] : undefined;
  return reason === undefined || isSummary(value) ? value : redactedSummary(value, reason);
}

/** The whole payload, with summaries where values may not be shown. */
function shownAll(payload: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, shown(name, value)])) as JsonObject;
}

/** All that the payload has. */
const whole = (name: string): RowRule => ({ payload }) => [custom(name, shownAll(payload))];

const aborted: RowRule = ({ event, payload, threadId, runId }) => {
  return [{ type: "RUN_ERROR", threadId, runId, message: text(payload.reason) ?? event.kind, code: event.kind }];
};

/** The rule for each kind of the runtime's rows. */
const RULES = new Map<string, RowRule>([
  [
    "agent.run.started",
    ({ threadId, runId, parentRunId }) => [
      { type: "RUN_STARTED", threadId, runId, ...(parentRunId !== undefined && { parentRunId }) },
    ],
  ],
  [
    "chat.ingested",
    ({ payload, run }) => [custom("chat.ingested", { runId: run, intent: payload.intent === undefined ? null : shown("intent", payload.intent) })],
  ],
  [
    "agent.run.interrupted",
    (row) => {
      const inputRequest = inputRequestOf(row);
      return [custom("run.interrupted", { ...shownAll(row.payload), ...(inputRequest && { inputRequest }) })];
    },
  ],
  ["agent.run.resumed", whole("run.resumed")],
  ["llm.requested", whole("llm.requested")],
  ["llm.response", response],
  [
    "tool.executed",
    ({ payload, runId, flavoredRun }) => {
      const toolCallId = text(payload.toolCallId);
      if (toolCallId === undefined) return [];
      const value = { runId: flavoredRun, toolCallId, ...pick(payload, ["toolName", "io"]) };
      return [result(runId, toolCallId, payload.result), custom("tool.completed", value)];
    },
  ],
  [
    "tool.rejected",
    ({ payload, run, runId, threadId }) => {
      const toolName = text(payload.toolName) ?? "unknown";
      const diagnostics = payload.diagnostics ?? null;
      if (isObject(diagnostics) && (diagnostics as JsonObject).phase === "policy") {
        const toolCallId = payload.toolCallId ?? null;
        return [custom("tool.policy_rejected", { runId: run, toolCallId, toolName, diagnostics })];
      }
      return [{ type: "RUN_ERROR", threadId, runId, message: `tool rejected: ${toolName}`, code: "tool.rejected" }];
    },
  ],
  ["runtime.completed_after_tools", whole("runtime.completed_after_tools")],
  [
    "agent.run.completed",
    ({ payload, threadId, runId }) => {
      const outcome = shownAll(pick(payload, ["final", "output", "outputKind", "tokensUsed"]));
      return [{ type: "RUN_FINISHED", threadId, runId, result: outcome, outcome: { type: "success" } }];
    },
  ],
]);

function response({ payload, run, runId, flavoredRun }: Row): Frame[] {
  const turnIndex = payload.turnIndex ?? 0;
  const place = `agent-os:run:${runId}:turn:${String(turnIndex)}`;
  const frames: Frame[] = [];
  let messages = 0;
  let reasonings = 0;
  const items = Array.isArray(payload.items) ? payload.items : [];
  for (const item of items) {
    if (!isObject(item)) continue;
    const { type, toolCallId: call, toolName: name, args, ...rest } = item as JsonObject;
    const toolCallId = text(call);
    if (type === "message") {
      const messageId = `${place}:message:${messages++}`;
      frames.push(
        { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
        { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text(rest.text) ?? "" },
        { type: "TEXT_MESSAGE_END", messageId },
      );
    } else if (type === "reasoning") {
      const messageId = `${place}:reasoning:${reasonings++}`;
      frames.push(
        { type: "REASONING_START", messageId },
        { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
        { type: "REASONING_MESSAGE_CONTENT", messageId, delta: text(rest.summaryRef) ?? text(rest.summary) ?? "[redacted reasoning]" },
        { type: "REASONING_MESSAGE_END", messageId },
        { type: "REASONING_END", messageId },
      );
    } else if (type === "tool_call" && toolCallId !== undefined) {
      const toolName = text(name) ?? "unknown";
      frames.push(
        custom("tool.started", { runId: flavoredRun, turnIndex, toolCallId, toolName, ...pick(rest, ["io"]) }),
        { type: "TOOL_CALL_START", toolCallId, toolCallName: toolName },
        { type: "TOOL_CALL_ARGS", toolCallId, delta: summaryText(args, "tool_arguments") },
        { type: "TOOL_CALL_END", toolCallId },
      );
    } else if (type === "tool_result" && toolCallId !== undefined) {
      frames.push(result(runId, toolCallId, rest.result));
    } else if (type === "refusal" || type === "error") {
      frames.push(custom(`llm.${type}`, { runId: flavoredRun, turnIndex, [type]: rest[type] === undefined ? null : shown(type, rest[type]) }));
    }
  }
  const usage = { runId: run, turnIndex, usage: payload.usage ?? null };
  return [...frames, custom("llm.completed", usage), custom("llm.usage", usage)];
}

function result(runId: string, toolCallId: string, value: unknown): Frame {
  const messageId = `agent-os:run:${runId}:tool-result:${toolCallId}`;
  return { type: "TOOL_CALL_RESULT", messageId, toolCallId, content: summaryText(value, "tool_result"), role: "tool" };
}

/** A summary as text. A value that should be one and is not must not be shown. */
function summaryText(value: unknown, reason: "tool_arguments" | "tool_result"): string {
  return isSummary(value) ? JSON.stringify(value) : redactedText(value, reason);
}

const REQUESTS = new Map<unknown, string>([
  ["approval_required", "approval"],
  ["user_input_required", "question"],
  ["authorization_required", "authorization"],
]);

/** The input that a person is asked for, where the row has all of it. */
function inputRequestOf({ event, payload, run }: Row): JsonObject | undefined {
  const kind = REQUESTS.get(payload.reason);
  const interruptId = text(payload.interruptId);
  const decision = isObject(payload.decision) ? (payload.decision as JsonObject) : {};
  const [gateRef, subjectRef, toolCallId, toolName] = ["gateRef", "subjectRef", "toolCallId", "toolName"].map((name) => text(decision[name]));
  if (kind === undefined || interruptId === undefined) return undefined;
  if (gateRef === undefined || subjectRef === undefined || toolCallId === undefined || toolName === undefined) return undefined;
  const { id, scopeKey } = event;
  const ref = {
    ...{ kind: "agent.run.input_request", scopeKey, afterEventId: id, runId: run, turnIndex: payload.turnIndex ?? 0 },
    ...{ interruptId, interruptionEventId: id, gateRef, requestKind: kind },
  };
  return { kind, subjectRef, toolCallId, toolName, ref };
}

function inOrder<Event extends SafeLedgerEvent>(rows: Iterable<Event>): Event[] {
  return [...rows].filter(isObject).sort((one, other) => one.id - other.id);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The named members that are present. */
function pick(payload: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.filter((name) => payload[name] !== undefined).map((name) => [name, payload[name]!]));
}

function isSafe(event: SafeLedgerEvent): boolean {
  if (!isObject(event)) return false;
  const { id, ts, kind, scopeKey, factOwnerRef, safePayload } = event;
  const texts = [kind, scopeKey, factOwnerRef].every((value) => typeof value === "string");
  const numbers = Number.isSafeInteger(id) && id >= 1 && Number.isFinite(ts) && ts >= 0;
  return texts && numbers && (safePayload === undefined || (isObject(safePayload) && isJson(safePayload)));
}

/** Whether it is what `JSON.parse` could have made: plain objects, arrays, finite numbers. */
function isJson(value: unknown): boolean {
  const stack = [value];
  const seen = new Set<unknown>();
  while (stack.length > 0) {
    const next = stack.pop();
    if (next === null || typeof next === "string" || typeof next === "boolean") continue;
    if (typeof next === "number") {
      if (!Number.isFinite(next)) return false;
      continue;
    }
    if (typeof next !== "object") return false;
    // Shared parts are looked at once, and so is a circle, which is found below.
    if (seen.has(next)) continue;
    seen.add(next);
    const prototype: unknown = Object.getPrototypeOf(next);
    if (!Array.isArray(next) && prototype !== Object.prototype && prototype !== null) return false;
    for (const inner of Object.values(next)) stack.push(inner);
  }
  return attempt(() => JSON.stringify(value)) !== undefined;
}
