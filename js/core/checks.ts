// What comes from the server, against the application's schemas. Part of the chunk that comes beside the module.

import type { AgentSnapshot, JsonObject, PageTool, StandardSchema, ToolCall } from "../api/types.js";
import { reasonOf } from "../base/failure.js";
import { issuesText } from "../base/issues.js";
import { isPromise } from "../base/promise.js";
import { isPlain } from "../snapshot/project.js";
import type { Client } from "./client.js";

/** The checks of one session. */
export interface Checks<State> {
  /** Reports a CUSTOM event. `value`: JSON text. */
  custom(name: string, value: string): void;
  /** Before this snapshot is shown. */
  snapshot(next: AgentSnapshot<State>): void;
}

/** What a schema makes of a value, or why it does not fit. One that throws, or answers later, says no. */
function judge(schema: StandardSchema, value: unknown): { readonly value?: unknown; readonly issue?: string } {
  try {
    const result = schema["~standard"].validate(value);
    if (!isPromise(result)) return result.issues ? { issue: issuesText(result.issues) } : { value: (result as { value: unknown }).value };
    result.then(undefined, () => {});
    return { issue: "it is asynchronous" };
  } catch (cause) {
    return { issue: `it threw: ${reasonOf(cause)}` };
  }
}

/** Nothing is checked yet. */
export function createChecks<State>(client: Pick<Client<State>, "given" | "emitter" | "cover">, tool: (name: string) => PageTool | undefined): Checks<State> {
  const { given, emitter, cover } = client;
  const { state, custom, invalid } = given.schemas ?? {};
  const drops = invalid === "drop";
  const warn = (code: string, what: string, issue: string | undefined): void => {
    if (issue !== undefined) emitter.emit("warning", { code, message: `${what} does not fit its schema: ${issue}` });
  };
  // The state that was looked at, and the last one that fitted.
  let seen: State | undefined;
  let last: State | undefined;
  let calls: readonly ToolCall[] | undefined;
  // By the call: the result that was looked at, and whether it fits.
  const results = new Map<string, readonly [result: unknown, fits: boolean]>();

  const checkState = (next: State): void => {
    if (!state || seen === next) return;
    seen = next;
    const { issue } = judge(state, next);
    warn("state-invalid", "The state", issue);
    if (issue === undefined) last = next;
    const shown = last;
    // Where none has fitted yet, there is no other to show.
    cover("state", drops && issue !== undefined && shown !== undefined ? (at) => ({ ...at, state: shown }) : undefined);
  };
  const fits = ({ id, name, result }: ToolCall): boolean => {
    const known = results.get(id);
    if (known && known[0] === result) return known[1];
    const schema = tool(name)?.result;
    const issue = schema && judge(schema, result).issue;
    warn("result-invalid", `The result of ${name}`, issue);
    results.set(id, [result, issue === undefined]);
    return issue === undefined;
  };
  const checkCalls = (next: readonly ToolCall[]): void => {
    if (calls === next) return;
    calls = next;
    const unfit = new Set(next.filter((call) => call.phase === "output-available" && "result" in call && !fits(call)).map(({ id }) => id));
    if (!drops) return;
    const without = (call: ToolCall): ToolCall => {
      const { result: _, ...rest } = call;
      return unfit.has(call.id) ? rest : call;
    };
    // The same list for as long as it has not changed.
    const shown = next.map(without);
    cover("calls", unfit.size ? (at) => (at.toolCalls === next ? { ...at, toolCalls: shown } : at) : undefined);
  };

  return {
    custom: (name, value) => {
      if (!emitter.has("custom")) return;
      let data: unknown = JSON.parse(value);
      const schema = custom && Object.hasOwn(custom, name) ? custom[name] : undefined;
      if (schema) {
        const { issue, value } = judge(schema, data);
        warn("custom-invalid", `The CUSTOM event ${name}`, issue);
        if (issue === undefined) data = value;
        else if (drops) return;
      }
      const update = name === "state_update" && isPlain(data);
      emitter.emit("custom", update ? { type: name, data: data as JsonObject } : { type: "custom", name, data });
    },
    snapshot: (next) => {
      if (!given.schemas) return;
      checkState(next.state);
      checkCalls(next.toolCalls);
    },
  };
}
