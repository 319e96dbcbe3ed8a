// Checks the server's data against the application's schemas. A chunk of its own, which only agents with `schemas` load. It imports no code: an
// import of modules that the page has would make bundlers cut the page's first part to pieces.

import type { AgentSchemas } from "../api/schemas.js";
import type { AgentSnapshot, Interrupt, PageTool, ResumeEntry, StandardSchema, ToolCall } from "../api/types.js";
import type { CheckKit } from "./checked.js";
import type { LinkClient } from "./client.js";

/** Speaks of what does not fit. */
type ErrorSink = Pick<LinkClient<never>["emitter"], "emit">;

/** Gives the value as a schema returns it, or why it does not fit. A schema that throws, or answers later, refuses the value. */
function judgeWith({ isPromise, issuesText, reasonOf }: CheckKit) {
  return (schema: StandardSchema, value: unknown): { readonly value?: unknown; readonly issue?: string } => {
    try {
      const result = schema["~standard"].validate(value);
      if (!isPromise(result)) return result.issues ? { issue: issuesText(result.issues) } : { value: (result as { value: unknown }).value };
      result.then(undefined, () => {});
      return { issue: "it is asynchronous" };
    } catch (cause) {
      return { issue: `it threw: ${reasonOf(cause)}` };
    }
  };
}

/** Checks what a person answers. A payload that does not fit is a warning, and with `drop` refused. */
export function checkReply(
  kit: CheckKit,
  emitter: ErrorSink,
  schemas: AgentSchemas<never>,
  { interruptId, status, payload }: ResumeEntry,
  interrupts: readonly Interrupt[],
): void {
  const { reason = "" } = interrupts.find(({ id }) => id === interruptId) ?? {};
  const of = schemas.interrupts;
  const schema = status === "resolved" && of && Object.hasOwn(of, reason) ? of[reason] : undefined;
  const issue = schema && judgeWith(kit)(schema, payload).issue;
  if (issue === undefined) return;
  const message = `The answer to the interrupt ${interruptId} does not fit the schema of ${reason}: ${issue}`;
  if (schemas.invalid === "drop") throw kit.unsupported("interrupt-invalid", message);
  emitter.emit("warning", { code: "interrupt-invalid", message });
}

/** The checks of one session. */
export type Checks<State> = ReturnType<typeof createChecks<State>>;

/** Nothing is checked yet. */
export function createChecks<State>(
  kit: CheckKit,
  client: Pick<LinkClient<State>, "options" | "emitter" | "cover">,
  tool: (name: string) => PageTool | undefined,
) {
  const { options, emitter, cover } = client;
  const judge = judgeWith(kit);
  const warn = warnBy(emitter);
  const { state, custom, invalid } = options.schemas ?? {};
  const drops = invalid === "drop";
  // The state that was looked at, and the last one that fitted.
  let seen: State | undefined;
  let last: State | undefined;
  let calls: readonly ToolCall[] | undefined;
  const fits = createResults(judge, warn, tool);

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
    /** A CUSTOM event as it is reported. Nothing, where it is dropped. */
    custom: (name: string, data: unknown): { readonly data: unknown } | undefined => {
      const schema = custom && Object.hasOwn(custom, name) ? custom[name] : undefined;
      if (!schema) return { data };
      const { issue, value } = judge(schema, data);
      warn("custom-invalid", `The CUSTOM event ${name}`, issue);
      if (issue === undefined) return { data: value };
      return drops ? undefined : { data };
    },
    /** Before this snapshot is shown. */
    snapshot: (next: AgentSnapshot<State>): void => {
      checkState(next.state);
      checkCalls(next.toolCalls);
    },
  };
}

/** Reports a value that does not fit. */
const warnBy = (emitter: ErrorSink) => (code: string, what: string, issue: string | undefined): void => {
  if (issue !== undefined) emitter.emit("warning", { code, message: `${what} does not fit its schema: ${issue}` });
};

/** Whether the result of a call fits, which is found out once for each result. */
function createResults(judge: ReturnType<typeof judgeWith>, warn: ReturnType<typeof warnBy>, tool: (name: string) => PageTool | undefined) {
  const known = new Map<string, readonly [result: unknown, fits: boolean]>();
  return ({ id, name, result }: ToolCall): boolean => {
    const last = known.get(id);
    if (last && last[0] === result) return last[1];
    const schema = tool(name)?.result;
    const issue = schema && judge(schema, result).issue;
    warn("result-invalid", `The result of ${name}`, issue);
    known.set(id, [result, issue === undefined]);
    return issue === undefined;
  };
}
