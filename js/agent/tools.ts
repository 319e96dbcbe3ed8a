// Tools of the page: what the agent is told of them, and the execution of their calls. When a call runs, and what
// follows from its result, is decided by the core.

import { misuse } from "../base/failure.js";
import { isPromise } from "../base/promise.js";
import type { Calls } from "../core/client.js";
import type { Agent, JsonObject, PageTool, StandardResult, StandardSchema, Tool } from "../api/types.js";

/**
 * A tool with typed arguments: as its validator has them, or as they are named. Throws (kind `unsupported`, code `input`)
 * if the validator cannot write JSON Schema and there is no `jsonSchema`.
 *
 * @example
 * const weather = tool({
 *   name: "weather",
 *   description: "The weather in a city",
 *   parameters: z.object({ city: z.string() }),
 *   execute: async ({ city }, { signal }) => (await fetch(`/weather/${city}`, { signal })).json(),
 * });
 * const agent = createAgent({ url: "/agent", tools: [weather] });
 */
export function tool<Args = JsonObject>(definition: PageTool<Args>): PageTool<Args> {
  checkTools([definition as PageTool]);
  return definition;
}

/** Throws where a tool has arguments that the server cannot be told of. */
export function checkTools(tools: readonly (Tool | PageTool)[]): void {
  for (const tool of tools) schemaOf(tool as PageTool);
}

/** JSON Schema of a tool's arguments, if it has any. */
function schemaOf({ name, parameters, jsonSchema }: PageTool): unknown {
  return jsonSchema ?? (isValidator(parameters) ? toJsonSchema(name, parameters) : parameters);
}

/** What the core has to know of a tool. */
interface Flags {
  readonly name: string;
  /** Somebody answers. */
  readonly manual?: true;
  readonly needsApproval?: true;
  readonly followUp?: false;
}

/** The tools as the server reads them, and as the core does. */
export function declare(given: readonly (Tool | PageTool)[]): { tools: readonly Tool[]; pageTools: readonly Flags[] } {
  const tools: Tool[] = [];
  const pageTools: Flags[] = [];
  for (const tool of given as readonly PageTool[]) {
    const { execute, needsApproval, followUp, declared, jsonSchema: _, parameters: __, ...rest } = tool;
    const schema = schemaOf(tool);
    tools.push((schema === undefined ? rest : { ...rest, parameters: schema }) as Tool);
    if (declared) continue;
    pageTools.push({
      name: rest.name,
      ...(!execute && { manual: true }),
      // A function is asked when the arguments are there.
      ...(needsApproval === true && { needsApproval }),
      ...(followUp === false && { followUp }),
    });
  }
  return { tools, pageTools };
}

function isValidator(parameters: unknown): parameters is StandardSchema {
  // Those of some libraries are functions.
  return !!parameters && /object|function/.test(typeof parameters) && "~standard" in (parameters as object);
}

const writers =
  "Those of zod 4.2, of ArkType 2 and of valibot with toStandardJsonSchema() of @valibot/to-json-schema 1.5 can; for another one, " +
  "pass the schema as `jsonSchema`";

// A validator is translated once, not with every run.
const schemas = new WeakMap<object, unknown>();

/** As the validator tells it: by Standard JSON Schema, or by the method of its library. */
function toJsonSchema(name: string, validator: StandardSchema): unknown {
  const { "~standard": standard, toJSONSchema, toJsonSchema } = validator as StandardSchema & {
    readonly "~standard": { readonly jsonSchema?: { input(options: { target: string }): unknown } };
    toJSONSchema?(): unknown;
    toJsonSchema?(): unknown;
  };
  if (!schemas.has(validator)) {
    try {
      const made =
        standard.jsonSchema?.input({ target: "draft-2020-12" }) ??
        (toJSONSchema ?? toJsonSchema)?.call(validator);
      if (!made) throw new TypeError(`its validator (${standard.vendor}) cannot write JSON Schema. ${writers}`);
      schemas.set(validator, made);
    } catch (cause) {
      throw misuse(new TypeError(`tool ${JSON.stringify(name)}: ${messageOf(cause)}`, { cause }));
    }
  }
  return schemas.get(validator);
}

/** What calls work for. */
export interface CallsClient {
  /** The tool of that name as the application has it now. */
  find(name: string): PageTool | undefined;
  agent(): Agent;
  /** A call has ended: `{toolCallId, result?, error?}` as JSON text. */
  settle(json: string): void;
  /** A person has to approve it first; then it is executed again. `{toolCallId}` as JSON text. */
  hold(json: string): void;
}

/** Nothing runs yet. */
export function createCalls({ find, agent, settle, hold }: CallsClient): Calls {
  const running = new Map<string, AbortController>();
  // The core executes a call within the call that approves it; also one that was held in a page before this one.
  let approving: string | undefined;

  const run = async (toolCallId: string, name: string, json: string, signal: AbortSignal): Promise<unknown> => {
    const approved = approving === toolCallId;
    const tool = find(name);
    if (!tool?.execute) throw new Error(`The page has no tool ${name} to execute`);
    const args = check(tool, JSON.parse(json));
    // Not waited for without need: a call that needs a person shall not be shown as executing before.
    const checked = isPromise(args) ? await args : args;
    const { needsApproval } = tool;
    if (typeof needsApproval === "function" && !approved && !signal.aborted && needsApproval(checked)) {
      running.delete(toolCallId);
      hold(JSON.stringify({ toolCallId }));
      return undefined;
    }
    // The core has to be done with what it does.
    await null;
    return signal.aborted ? undefined : tool.execute(checked, { signal, toolCallId, agent: agent() });
  };

  const abandon = (toolCallId: string): void => {
    running.get(toolCallId)?.abort();
    running.delete(toolCallId);
  };

  return {
    execute: (toolCallId, name, json) => {
      const controller = new AbortController();
      running.set(toolCallId, controller);
      const end = (how: { result: unknown } | { error: string }): void => {
        // Abandoned, or held and executed again.
        if (running.get(toolCallId) !== controller) return;
        running.delete(toolCallId);
        settle(toSettled({ toolCallId, ...how }));
      };
      run(toolCallId, name, json, controller.signal).then(
        (result) => end({ result }),
        (cause) => end({ error: messageOf(cause) }),
      );
    },
    approve: (toolCallId, method) => {
      approving = toolCallId;
      try {
        method();
      } finally {
        approving = undefined;
      }
    },
    check: (name, args) => {
      const tool = name === undefined ? undefined : find(name);
      return tool && check(tool, args);
    },
    abandon,
    abandonAll: () => [...running.keys()].forEach(abandon),
  };
}

/** The end of a call as the core reads it. A result that is no JSON is an error of the tool. */
function toSettled(end: { toolCallId: string; result?: unknown; error?: string | undefined }): string {
  try {
    return JSON.stringify(end);
  } catch (cause) {
    return JSON.stringify({ toolCallId: end.toolCallId, error: messageOf(cause) });
  }
}

/** The arguments as the tool's validator gives them. */
function check({ parameters }: PageTool, args: unknown): unknown {
  if (!isValidator(parameters)) return args;
  const judge = (result: StandardResult<unknown>): unknown => {
    if (!result.issues) return (result as { value: unknown }).value;
    const issues = result.issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
      return keys.length ? `${keys.join(".")}: ${message}` : message;
    });
    throw new Error(`The arguments are not valid: ${issues.join("; ")}`);
  };
  const result = parameters["~standard"].validate(args);
  return isPromise(result) ? result.then(judge) : judge(result);
}

function messageOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)) || "The tool failed";
}
