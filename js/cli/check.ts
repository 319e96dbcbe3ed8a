// `ag-ui-wasm check`: plays the client against a server, and says which rules the server breaks.
//
//   script ─► agent (tolerant rules) ─► tap ─► server        what the core warns of, at the frame that the tap has given
//                                        │
//                                        └─► turns ─► strict rules: the grammar of each frame; where the official client fails
//                                                └──► framing, timing, recording

import { writeRecording } from "../base/recording.js";
import type { AgentError } from "../api/error.js";
import type { Agent, AgentOptions, RunResult } from "../api/types.js";
import { createAgentWith } from "../agent/agent.js";
import { load } from "../core/full-inline.js";
import { toFraming, toTiming } from "./framing.js";
import { toAnswers, toPageTools, type Script, type ScriptTurn } from "./script.js";
import { grammar, official, toViolation } from "./strict.js";
import { installedClient } from "./installed.js";
import { createTap, toExchanges, type Tap, type Turn } from "./tap.js";
import type { Verdict, Violation } from "./verdict.js";

export interface CheckOptions {
  readonly script: Script;
  readonly headers: Readonly<Record<string, string>>;
  readonly dialect: AgentOptions["dialect"];
  readonly binary: boolean;
  readonly timeoutMs: number;
}

/** Codes of warnings that are about this client, and not about what the server said. */
const ofTheClient = ["warnings-left-out", "follow-ups-exhausted", "history-too-large", "part-not-sent"];

/** Statuses that say nothing about AG-UI: who asks, where, or when is wrong. */
const refusals = [401, 403, 404, 405, 407, 408, 425, 429, 502, 503, 504];

/** How long a body may stay open after its run. */
const graceMs = 1000;

const tokens = ["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK"];

export async function check(url: string, options: CheckOptions): Promise<Verdict> {
  const { script, headers, dialect, binary, timeoutMs } = options;
  const core = await load();
  const tap = createTap();
  const violations: Violation[] = [];
  const notes: string[] = [];
  const firstTokens = new Map<Turn, number>();
  let events = 0;
  let unjudged: string | undefined;

  const settings: AgentOptions = {
    url,
    headers,
    dialect,
    binary,
    fetch: tap.fetch,
    retry: false,
    notify: "microtask",
    initialMessages: script.messages,
    initialState: script.state,
    tools: toPageTools(script.tools ?? []),
    context: script.context,
    forwardedProps: script.forwardedProps as never,
    limits: { warnings: 1e6, history: 0, graceMs },
    onWarning: (warning) => {
      if (!tap.place || ofTheClient.includes(warning.code) || warning.rule?.startsWith("A")) return;
      violations.push(toViolation(warning, tap.place.turn.number, tap.place.offset));
    },
    onError: () => {},
  };
  const agent = createAgentWith(load, settings);
  agent.on("event", ({ type }) => {
    events++;
    const { place } = tap;
    if (place && tokens.includes(type) && !firstTokens.has(place.turn)) firstTokens.set(place.turn, place.at);
  });

  for (const [at, turn] of script.turns.entries()) {
    const { result, refused, late } = await play(agent, settings, tap, turn, timeoutMs);
    const last = tap.turns[tap.turns.length - 1];
    if (refused) unjudged = `turn ${at + 1} of the script cannot be played: ${refused}`;
    else if (late) unjudged = `the run did not end within ${timeoutMs / 1000} s`;
    else if (result?.error) unjudged = judge(result.error, last, violations, notes);
    if (unjudged !== undefined) break;
  }
  agent.dispose();

  const { turns } = tap;
  const bytes = turns.some(({ status, pieces }) => status === 200 && pieces.length > 0);
  if (unjudged === undefined && bytes && events === 0) unjudged = "the answer holds no event of AG-UI";
  const readable = dialect === undefined ? turns.filter(({ status }) => status !== undefined) : [];
  const found = readable.reduce((all, turn) => merged(all, turn.number, grammar(core, turn)), violations);
  const strict = dialect === undefined && unjudged === undefined ? official(core, readable) : null;
  const installed = strict ? await installedClient(readable) : undefined;
  return {
    report: {
      url,
      violations: [...found].sort((a, b) => a.turn - b.turn || (a.offset ?? 0) - (b.offset ?? 0)),
      timing: toTiming(turns, firstTokens),
      framing: toFraming(turns),
      official: installed && strict ? { ...strict, ...installed } : strict,
    },
    unjudged,
    notes,
    recording: writeRecording(toExchanges(turns)),
  };
}

/** One turn of the script, to the end of the last run that it leads to. */
async function play(
  agent: Agent,
  settings: AgentOptions,
  tap: Tap,
  turn: ScriptTurn,
  timeoutMs: number,
): Promise<{ result?: RunResult; refused?: string; late: boolean }> {
  const { message, state, tools, stop, resume } = turn;
  tap.leave();
  if (tools) agent.setOptions({ ...settings, tools: toPageTools(tools) });
  if (state !== undefined) agent.setState(state);
  let late = false;
  const end = (): void => {
    tap.stop();
    void agent.stop();
  };
  const timer = setTimeout(() => {
    late = true;
    end();
  }, timeoutMs);
  const early = stop?.afterMs === undefined ? undefined : setTimeout(end, stop.afterMs);
  let left = stop?.afterEvents ?? Infinity;
  const off = agent.on("event", () => {
    if (--left === 0) end();
  });
  try {
    const answers = resume && toAnswers(resume, agent.getSnapshot().interrupts);
    const result = await agent.submit({ ...(message !== undefined && { message }), ...(answers && { resume: answers }) });
    // What comes after the run is judged too, as long as a client waits for the end of the body.
    await Promise.race([tap.over(), new Promise((resolve) => setTimeout(resolve, 2 * graceMs).unref())]);
    return { result, late };
  } catch (error) {
    return { refused: (error as Error).message, late };
  } finally {
    off();
    clearTimeout(timer);
    clearTimeout(early);
  }
}

/** What the error of a run says about the server. Returns why it cannot be judged. */
function judge(error: AgentError, turn: Turn | undefined, violations: Violation[], notes: string[]): string | undefined {
  const { kind, status = 0, message } = error;
  const number = turn?.number ?? 1;
  const last = turn?.pieces[turn.pieces.length - 1];
  const end = last ? last.offset + last.bytes.length : null;
  const add = (rule: string | null, code: string, expected: string, offset: number | null): undefined =>
    void violations.push({ rule, code, eventType: null, offset, expected, turn: number });
  if (kind === "run") return void notes.push(`turn ${number}: the run ended with RUN_ERROR: ${message}`);
  if (error.code === "truncated") return add("T17", "truncated", "RUN_FINISHED or RUN_ERROR before the end of the body", end);
  if (error.code === "frame-too-long") {
    const binary = /\+proto/i.test(turn?.headers.get("content-type") ?? "");
    return add(binary ? "T14" : "T12", "frame-too-long", message, last?.offset ?? null);
  }
  if (kind === "limit") return add(null, error.code ?? "limit", message, last?.offset ?? null);
  if (kind === "http" && !refusals.includes(status)) {
    if (status < 200 || status > 299) return add("T4", `http-${status}`, `a status of 200 to 299: ${message}`, null);
    if (!last) return add("T5", "body-missing", "a body with events", null);
  }
  return causeOf(error);
}

function causeOf({ message, cause }: AgentError): string {
  const { cause: reason } = (cause ?? {}) as { cause?: unknown };
  return reason instanceof Error && reason.message ? `${message} (${reason.message})` : message;
}

/** What tolerant rules read without a word is what strict rules find. Both report the same of a rule: then it is said once. */
function merged(found: readonly Violation[], turn: number, strict: ReadonlyMap<number, readonly Violation[]>): Violation[] {
  const known = ({ offset, rule }: Violation): boolean =>
    found.some((violation) => violation.turn === turn && violation.offset === offset && violation.rule === rule);
  return [...found, ...[...strict.values()].flat().filter((violation) => !known(violation))];
}
