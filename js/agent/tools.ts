// Tools of the page: what the server learns of them. Their calls are in calls.ts.

import { expectTexts, misuse, reasonOf } from "../base/failure.js";
import type { JsonObject, PageTool, StandardSchema, Tool } from "../api/types.js";

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
export function tool<Args = JsonObject, const Name extends string = string, Result = unknown>(
  definition: PageTool<Args> & { readonly name: Name; readonly result?: StandardSchema<Result> | undefined },
): PageTool<Args> & { readonly name: Name; readonly result?: StandardSchema<Result> | undefined } {
  checkTools([definition as PageTool]);
  return definition;
}

/** Throws where the arguments of a tool cannot be described to the server. */
export function checkTools(tools: readonly (Tool | PageTool)[]): void {
  for (const one of listed(tools)) schemaOf(one);
}

/** Other libraries take an object by names. */
const listed = (tools: readonly (Tool | PageTool)[]): readonly PageTool[] => expectTexts("tools", tools, "name", "description") as readonly PageTool[];

/** JSON Schema of a tool's arguments, if it has any. */
function schemaOf({ name, parameters, jsonSchema }: PageTool): unknown {
  return jsonSchema ?? (isValidator(parameters) ? toJsonSchema(name, parameters) : parameters);
}

/** The flags of a tool that the core needs. */
interface Flags {
  readonly name: string;
  /** Somebody answers. */
  readonly manual?: true;
  readonly needsApproval?: true;
  readonly followUp?: false;
}

/** The tools as the server reads them, and as the core does. */
export function declare(list: readonly (Tool | PageTool)[]): { tools: readonly Tool[]; pageTools: readonly Flags[] } {
  const tools: Tool[] = [];
  const pageTools: Flags[] = [];
  for (const one of listed(list)) {
    const { execute, needsApproval, followUp, declared, jsonSchema: _, result: __, ...rest } = one;
    tools.push({ ...rest, parameters: schemaOf(one) } as Tool);
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

/** Whether parameters are a validator, and no schema. */
export function isValidator(parameters: unknown): parameters is StandardSchema {
  // Schemas of some libraries are functions.
  return "~standard" in Object(parameters);
}

// A validator is translated once, not with every run.
const schemas = new WeakMap<object, unknown>();

/** As the validator tells it: by Standard JSON Schema, or by the method of its library. */
function toJsonSchema(name: string, validator: StandardSchema): unknown {
  const { "~standard": standard, toJSONSchema, toJsonSchema: convert } = validator as StandardSchema & {
    readonly "~standard": { readonly jsonSchema?: { input(options: { target: string }): unknown } };
    toJSONSchema?(): unknown;
    toJsonSchema?(): unknown;
  };
  if (!schemas.has(validator)) {
    try {
      const made = standard.jsonSchema?.input({ target: "draft-2020-12" }) ??
        (toJSONSchema ?? convert)?.call(validator);
      if (!made) throw new TypeError(`its validator (${standard.vendor}) cannot write JSON Schema: pass one as \`jsonSchema\``);
      schemas.set(validator, made);
    } catch (cause) {
      throw misuse(new TypeError(`tool ${JSON.stringify(name)}: ${reasonOf(cause)}`, { cause }));
    }
  }
  return schemas.get(validator);
}
