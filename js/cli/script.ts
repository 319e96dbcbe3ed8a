// Reads a file for `--script`: turns, played one after the other on one thread.

import type { Message } from "../api/protocol.js";
import type { Agent, AgentOptions, Interrupt, RunResult } from "../api/types.js";
import type { PageTool } from "../api/tools.js";
import { restMs, type Tap } from "./tap.js";

/** A tool of the page. Its calls are answered with `result` or `error`; with neither they are left open. */
export interface ScriptTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: object;
  readonly result?: unknown;
  readonly error?: string;
}

/** An answer to an interrupt; without an id, to the one at its place in the list of those that are open. */
export interface ScriptAnswer {
  readonly interruptId?: string;
  readonly status?: "resolved" | "cancelled";
  readonly payload?: unknown;
}

/** A request, and those that follow from its tool calls. */
export interface ScriptTurn {
  /** Said by the user. Left out: the agent runs without a new message. */
  readonly message?: string;
  /** The state that is sent from this turn on. */
  readonly state?: unknown;
  /** The tools from this turn on. */
  readonly tools?: readonly ScriptTool[];
  /** Ends the run early. */
  readonly stop?: { readonly afterMs?: number; readonly afterEvents?: number };
  /** Answers the open interrupts. */
  readonly resume?: readonly ScriptAnswer[];
}

export interface Script {
  readonly messages?: readonly Message[];
  readonly state?: unknown;
  readonly tools?: readonly ScriptTool[];
  readonly context?: readonly { readonly description: string; readonly value: string }[];
  readonly forwardedProps?: unknown;
  readonly turns: readonly ScriptTurn[];
}

type Shape = Record<string, (value: unknown) => boolean>;

const text = (value: unknown): boolean => typeof value === "string";
const list = (value: unknown): boolean => Array.isArray(value);
const any = (): boolean => true;
const object = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const count = (value: unknown): boolean => typeof value === "number" && value >= 0;

const shapes: Record<"script" | "turn" | "tool" | "stop" | "answer", Shape> = {
  script: { messages: list, state: any, tools: list, context: list, forwardedProps: any, turns: list },
  turn: { message: text, state: any, tools: list, stop: object, resume: list },
  tool: { name: text, description: text, parameters: object, result: any, error: text },
  stop: { afterMs: count, afterEvents: count },
  answer: { interruptId: text, status: (value) => value === "resolved" || value === "cancelled", payload: any },
};

/** Reads a script. @throws {SyntaxError} that names the member which is wrong */
export function readScript(json: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new SyntaxError(`the script is no JSON: ${(error as Error).message}`);
  }
  const script = check(value, "script", "the script") as unknown as Script;
  if (!script.turns?.length) throw new SyntaxError('the script has no turns: expected { "turns": [{ "message": "…" }] }');
  for (const [at, tool] of (script.tools ?? []).entries()) checkTool(tool, `tools[${at}]`);
  for (const [i, turn] of script.turns.entries()) {
    check(turn, "turn", `turns[${i}]`);
    for (const [at, tool] of (turn.tools ?? []).entries()) checkTool(tool, `turns[${i}].tools[${at}]`);
    for (const [at, answer] of (turn.resume ?? []).entries()) check(answer, "answer", `turns[${i}].resume[${at}]`);
    if (turn.stop) check(turn.stop, "stop", `turns[${i}].stop`);
  }
  return script;
}

function checkTool(tool: unknown, where: string): void {
  if (check(tool, "tool", where)["name"] === undefined) throw new SyntaxError(`${where} has no name`);
}

function check(value: unknown, kind: keyof typeof shapes, where: string): Record<string, unknown> {
  if (!object(value)) throw new SyntaxError(`${where} is no object`);
  for (const [name, member] of Object.entries(value as object)) {
    const fits = shapes[kind][name];
    if (!fits) throw new SyntaxError(`${where} has the unknown member "${name}": expected ${Object.keys(shapes[kind]).join(", ")}`);
    if (!fits(member)) throw new SyntaxError(`${where}.${name} is not what it should be: ${JSON.stringify(member)}`);
  }
  return value as Record<string, unknown>;
}

export function toPageTools(tools: readonly ScriptTool[]): PageTool[] {
  return tools.map(({ name, description = name, parameters = { type: "object", properties: {} }, ...tool }) => {
    const answers = "result" in tool || tool.error !== undefined;
    const execute = (): unknown => {
      if (tool.error !== undefined) throw new Error(tool.error);
      return tool.result;
    };
    return { name, description, parameters, ...(answers ? { execute } : { declared: true }) };
  });
}

export function toAnswers(
  answers: readonly ScriptAnswer[],
  open: readonly Interrupt[],
): { interruptId: string; status: "resolved" | "cancelled"; payload?: unknown }[] {
  return answers.map(({ interruptId, status = "resolved", ...rest }, at) => ({ ...rest, interruptId: interruptId ?? open[at]?.id ?? "", status }));
}

/** One turn of the script, to the end of the last run that it leads to. */
export async function playScript(
  agent: Agent,
  settings: AgentOptions,
  tap: Tap,
  turn: ScriptTurn,
  timeoutMs: number,
): Promise<{ result?: RunResult; refused?: string; timedOut: boolean }> {
  const { message, state, tools, stop, resume } = turn;
  tap.leave();
  if (tools) agent.setOptions({ ...settings, tools: toPageTools(tools) });
  if (state !== undefined) agent.setState(state);
  let timedOut = false;
  const end = (): void => {
    tap.stop();
    void agent.stop();
  };
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  const early = stop?.afterMs === undefined ? undefined : setTimeout(end, stop.afterMs);
  let remaining = stop?.afterEvents ?? Infinity;
  const off = agent.on("event", () => {
    if (--remaining === 0) end();
  });
  try {
    const answers = resume && toAnswers(resume, agent.getSnapshot().interrupts);
    const result = await agent.submit({ ...(message !== undefined && { message }), ...(answers && { resume: answers }) });
    // Bytes after the run are judged too: the agent waits for the end of the body, and the tap once more.
    await Promise.race([tap.over(), new Promise((resolve) => setTimeout(resolve, 3 * restMs).unref())]);
    return { result, timedOut };
  } catch (error) {
    return { refused: (error as Error).message, timedOut };
  } finally {
    off();
    clearTimeout(timer);
    clearTimeout(early);
  }
}
