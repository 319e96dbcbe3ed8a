// Lowers AG-UI's input to agentOS's request, and declares its tools as AG-UI does.

import type { JsonObject } from "../../api/protocol.js";
import { defined, isObject } from "../../base/json.js";

/** The application's defaults for every submit. */
export interface SubmitDefaults {
  readonly system?: unknown;
  readonly budget?: unknown;
  readonly outputSchema?: unknown;
  readonly traceContext?: unknown;
  readonly materials?: unknown;
  readonly toolContext?: unknown;
  readonly toolPolicy?: unknown;
  readonly decisionInterrupts?: unknown;
  /** Beside it, the member `agUi` has what came by AG-UI. */
  readonly context?: JsonObject;
  /** The members of `forwardedProps` that are sent on. Default: none. */
  readonly forwardedPropAllowlist?: readonly string[];
  /** The member `resume` where the input has no answer. */
  readonly resume?: unknown;
  /** The questions that are open, each with where its answer belongs. */
  readonly inputRequests?: readonly InputRequestBinding[];
}

/** An open question. */
export interface InputRequestBinding {
  readonly request: {
    readonly kind: string;
    readonly ref: {
      readonly runId: unknown;
      readonly interruptId: string;
      readonly gateRef: string;
      /** A host has the turn whole, a page its index. */
      readonly turn?: unknown;
      readonly turnIndex?: number;
    };
  };
  readonly decisionRef: string;
}

/** The request that agentOS takes. */
export interface SubmitRequest extends Omit<SubmitDefaults, "forwardedPropAllowlist" | "inputRequests"> {
  /** The text of the last user message; empty if there is none. */
  readonly intent: string;
  readonly context: JsonObject;
}

/** A schema as agentOS has it, projected for each protocol. */
export interface AgentSchema {
  readonly projections: {
    /** JSON Schema, as AG-UI declares it. */
    readonly agUi: JsonObject;
  };
}

/** A tool as agentOS has it: the schema of its arguments is an {@link AgentSchema}, or JSON Schema. */
export type ToolDefinition =
  | (Named & ({ readonly argsSchema: AgentSchema } | { readonly parameters: AgentSchema } | { readonly canonicalSchema: JsonObject }))
  | { readonly definition: { readonly function: Named & { readonly parameters: AgentSchema } } };

interface Named {
  readonly name: string;
  readonly description: string;
}

/** A tool as AG-UI declares it. */
export interface ProjectedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/**
 * Tools as AG-UI declares them, sorted by name.
 *
 * @throws TypeError for a tool without a name or a schema.
 *
 * @example
 * projectTools({ lookup: { name: "lookup", description: "Looks up", argsSchema: schema } });
 */
export function projectTools(tools: Readonly<Record<string, ToolDefinition>> | Iterable<ToolDefinition>): ProjectedTool[] {
  const list: ToolDefinition[] = Symbol.iterator in tools ? [...tools] : Object.values(tools);
  return list.map(projectTool).sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * One tool as AG-UI declares it. Its parameters are `projections.agUi` of its schema: of `argsSchema`, `parameters`, or the
 * `parameters` of a `definition.function`; or else its `canonicalSchema`.
 *
 * @throws TypeError for a tool without a name or a schema.
 *
 * @example
 * projectTool({ name: "lookup", description: "Looks up", canonicalSchema: { type: "object" } });
 */
export function projectTool(tool: ToolDefinition): ProjectedTool {
  const declaration: Record<string, unknown> = isObject(tool) ? tool : {};
  const inner = isObject(declaration.definition) ? declaration.definition.function : undefined;
  const { name, description, argsSchema, parameters, canonicalSchema } = isObject(inner) ? inner : declaration;
  if (typeof name !== "string") throw new TypeError("a tool must have a string as its name");
  const projected = [argsSchema, parameters].filter(isObject).map(({ projections }) => isObject(projections) && projections.agUi);
  const schema = [...projected, canonicalSchema].find(isObject);
  if (!schema) {
    throw new TypeError(`tool "${name}" has no schema: expected an AgentSchema with "projections.agUi" as argsSchema, or a canonicalSchema`);
  }
  return { name, description: typeof description === "string" ? description : "", parameters: schema as JsonObject };
}

const COPIED = ["system", "budget", "outputSchema", "traceContext", "materials", "toolContext", "toolPolicy", "decisionInterrupts"] as const;

/**
 * Lowers AG-UI's `RunAgentInput`. Members that the host's schema does not have are left out: of messages their calls, what they
 * answer and their errors; of tools everything but their names.
 *
 * @throws TypeError where the input is not what the schema asks for, and where an answer fits no open question.
 *
 * @example
 * const request = lowerSubmitInput(input, { system: "Be brief.", forwardedPropAllowlist: ["locale"] });
 */
export function lowerSubmitInput(input: unknown, defaults: SubmitDefaults = {}): SubmitRequest {
  const run = readInput(input);
  const { threadId, runId, parentRunId, messages, tools, context, state } = run;
  const { forwardedPropAllowlist: allowed = [], context: defaultContext } = defaults;
  const user = messages.filter(({ role, content }) => role === "user" && content !== undefined).at(-1);
  const props = Object.entries(run.forwardedProps ?? {}).filter(([name]) => allowed.includes(name));
  const agUi = defined({
    ...{ threadId, clientRunId: runId, parentRunId, messages, context: context ?? [], state },
    clientToolNames: (tools ?? []).map(({ name }) => name),
    forwardedProps: Object.fromEntries(props),
  });
  const resume = resumeOf(run.resume ?? [], defaults);
  return defined({
    ...Object.fromEntries(COPIED.map((name) => [name, defaults[name]])),
    resume,
    intent: user?.content ?? "",
    context: { ...defaultContext, agUi },
  }) as unknown as SubmitRequest;
}

function resumeOf(entries: readonly ResumeReply[], { resume, inputRequests = [] }: SubmitDefaults): unknown {
  const [entry, ...more] = entries;
  if (!entry) return resume;
  if (more.length > 0) throw new TypeError("more than one resume entry");
  if (resume !== undefined) throw new TypeError("a resume entry beside the resume of the defaults");
  if (entry.status !== "resolved") throw new TypeError("resume entry is not resolved");
  const bindings = inputRequests.filter(({ request }) => request.ref.interruptId === entry.interruptId);
  const [binding] = bindings;
  if (!binding || bindings.length > 1) throw new TypeError("no unique input request for interruptId");
  const { request, decisionRef } = binding;
  const { runId, turn, turnIndex, interruptId, gateRef } = request.ref;
  return {
    ...{ runId, turn: turn ?? { id: runId, index: turnIndex ?? 0 }, interruptId, gateRef, decisionRef },
    resume: answerOf(request.kind, entry.payload),
  };
}

/** The answer with what belongs to its kind. */
function answerOf(kind: string, payload: unknown): JsonObject {
  const malformed = (): never => {
    throw new TypeError("input_request_resume_malformed");
  };
  if (!isObject(payload)) return malformed();
  if (payload.kind !== kind) throw new TypeError("input_request_resume_kind_mismatch");
  switch (kind) {
    case "approval":
      return payload.approved === true ? { kind, approved: true } : malformed();
    case "question":
      return isObject(payload.answers) ? { kind, answers: payload.answers as JsonObject } : malformed();
    case "authorization":
      return isObject(payload.authorization) ? { kind, authorization: authorizationOf(payload.authorization) ?? malformed() } : malformed();
    default:
      return malformed();
  }
}

function authorizationOf({ kind, materialRef, sealed }: Record<string, unknown>): JsonObject | undefined {
  const isRef = (value: unknown): boolean => (typeof value === "string" && value !== "") || isObject(value);
  if (kind === "material_ref") return isRef(materialRef) ? { kind, materialRef: materialRef as unknown } : undefined;
  if (kind !== "recorded_sealed" || !isObject(sealed)) return undefined;
  const { kind: inner, ref, codec, version } = sealed;
  const versioned = typeof version === "number" || typeof version === "string";
  if (inner !== kind || codec !== "aead" || !isRef(ref) || !versioned) return undefined;
  return { kind, sealed: { kind, ref: ref as unknown, codec, version } };
}

interface ResumeReply {
  readonly interruptId: string;
  readonly status: string;
  readonly payload?: unknown;
}

/** A check of a member's value; a list of objects is described by its members. */
type Check = (value: unknown, path: string) => unknown;

const ROLES = ["developer", "system", "assistant", "user", "tool", "reasoning", "activity"];

const fail = (path: string, expected: string): never => {
  throw new TypeError(`${path} must be ${expected}`);
};
const any: Check = (value) => value;
const string: Check = (value, path) => (typeof value === "string" ? value : fail(path, "a string"));
const object: Check = (value, path) => (isObject(value) ? value : fail(path, "an object"));
const word = (...words: readonly string[]): Check => (value, path) => words.includes(value as string) ? value : fail(path, `one of ${words.join(", ")}`);
const list = (members: Record<string, Check>): Check => (value, path) =>
  Array.isArray(value) ? value.map((item, at) => read(item, members, `${path}/${at}`)) : fail(path, "an array");

/** `?` marks what may be absent. Everything else that comes is left out. */
const INPUT: Record<string, Check> = {
  ...{ threadId: string, runId: string, "parentRunId?": string, "state?": any },
  messages: list({ id: string, role: word(...ROLES), "content?": string, "name?": string }),
  "tools?": list({ name: string, description: string, "parameters?": any, "metadata?": object }),
  "context?": list({ description: string, value: string }),
  "forwardedProps?": object,
  "resume?": list({ interruptId: string, status: word("resolved", "cancelled"), "payload?": any }),
};

function read(value: unknown, members: Record<string, Check>, path: string): Record<string, unknown> {
  const record = object(value, path || "the input") as Record<string, unknown>;
  const found: [string, unknown][] = [];
  for (const [marked, check] of Object.entries(members)) {
    const name = marked.replace("?", "");
    const member = record[name];
    if (member === undefined && marked !== name) continue;
    found.push([name, check(member, `${path}/${name}`)]);
  }
  return Object.fromEntries(found);
}

function readInput(input: unknown) {
  return read(input, INPUT, "") as unknown as {
    readonly threadId: string;
    readonly runId: string;
    readonly parentRunId?: string;
    readonly state?: unknown;
    readonly messages: readonly { readonly id: string; readonly role: string; readonly content?: string; readonly name?: string }[];
    readonly tools?: readonly { readonly name: string }[];
    readonly context?: readonly { readonly description: string; readonly value: string }[];
    readonly forwardedProps?: JsonObject;
    readonly resume?: readonly ResumeReply[];
  };
}
