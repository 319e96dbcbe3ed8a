// What comes from the server, against the application's schemas. Part of the chunk that comes beside the module.

import type { AgentSchemas, AgentSnapshot, PageTool, StandardResult, StandardSchema, ToolCall } from "../api/types.js";
import { reasonOf } from "../base/failure.js";
import { isPromise } from "../base/promise.js";
import type { Client } from "./client.js";

/** The checks of one session. */
export interface Checks<State> {
  /** What is reported of a CUSTOM event; nothing, where it is dropped. */
  custom(name: string, data: unknown): { readonly data: unknown } | undefined;
  /** Before this snapshot is shown. */
  snapshot(next: AgentSnapshot<State>): void;
}

type Verdict = { readonly value: unknown; readonly issue?: undefined } | { readonly issue: string };

/** What a schema says of a value; one that throws, or answers later, says no. */
function judge(schema: StandardSchema, value: unknown): Verdict {
  try {
    const result = schema["~standard"].validate(value);
    if (isPromise(result)) {
      result.then(undefined, () => {});
      return { issue: "the schema is asynchronous" };
    }
    const { issues, value: output } = result as StandardResult<unknown> & { value?: unknown };
    if (!issues) return { value: output };
    const [{ message, path = [] } = { message: "it does not fit" }] = issues;
    const keys = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
    return { issue: `${keys && `${keys}: `}${message}${more}` };
  } catch (cause) {
    return { issue: `the schema threw: ${reasonOf(cause)}` };
  }
}

/** Nothing is checked yet. */
export function createChecks<State>({ emitter, cover }: Pick<Client<State>, "emitter" | "cover">, schemas: AgentSchemas<State>, tool: (name: string) => PageTool | undefined): Checks<State> {
  const { state, custom, invalid = "keep" } = schemas;
  const drops = invalid === "drop";
  const warn = (code: string, message: string): void => emitter.emit("warning", { code, message });
  // The state that was looked at, and the last one that fitted.
  let seen: { readonly state: State } | undefined;
  let last: { readonly state: State } | undefined;
  let calls: readonly ToolCall[] | undefined;
  // By the call: the result that was looked at, and whether it fits.
  const results = new Map<string, readonly [result: unknown, fits: boolean]>();

  const checkState = (next: State): void => {
    if (!state || (seen && seen.state === next)) return;
    seen = { state: next };
    const { issue } = judge(state, next);
    if (issue !== undefined) warn("state-invalid", `The state does not fit its schema: ${issue}`);
    if (issue === undefined) last = seen;
    // Where none has fitted yet, there is no other to show.
    const shown = drops && issue !== undefined ? last : undefined;
    cover("state", shown && ((snapshot) => ({ ...snapshot, state: shown.state })));
  };
  const fits = ({ id, name, result }: ToolCall): boolean => {
    const known = results.get(id);
    if (known && known[0] === result) return known[1];
    const schema = tool(name)?.result;
    const { issue } = schema ? judge(schema, result) : { issue: undefined };
    if (issue !== undefined) warn("result-invalid", `The result of ${name} does not fit its schema: ${issue}`);
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
    cover("calls", unfit.size ? (snapshot) => (snapshot.toolCalls === next ? { ...snapshot, toolCalls: shown } : snapshot) : undefined);
  };

  return {
    custom: (name, data) => {
      const schema = custom && Object.hasOwn(custom, name) ? custom[name] : undefined;
      const verdict = schema ? judge(schema, data) : { value: data };
      if (verdict.issue === undefined) return { data: verdict.value };
      warn("custom-invalid", `The CUSTOM event ${name} does not fit its schema: ${verdict.issue}`);
      return drops ? undefined : { data };
    },
    snapshot: (next) => {
      checkState(next.state);
      checkCalls(next.toolCalls);
    },
  };
}
