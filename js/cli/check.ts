// `ag-ui-wasm check`: plays the client against a server, or against what one has answered before, and says which rules of the
// protocol it breaks.
//
//   script, or recording ─► agent (tolerant rules) ─► tap ─► server        what the core warns of, at the frame that the tap has given
//                                                      │
//                                                      └─► turns ─► strict rules: the grammar of each frame; where the official client fails
//                                                              └──► framing, timing, recording

import type { AgentError } from "../api/error.js";
import type { Agent, AgentOptions, RunResult } from "../api/types.js";
import { createAgentWith } from "../agent/agent.js";
import { loadFull } from "../core/load-full.js";
import type { FullCore, Inflate } from "../core/loader.js";
import type { AddOn } from "../core/modules.js";
import { inflate } from "../core/unpack.js";
import { toFraming, toTiming } from "./framing.js";
import { installedClient } from "./installed.js";
import { sourceOf, type Recorded } from "./recorded.js";
import { playScript, toPageTools, type Script } from "./script.js";
import { grammar, lengthOf, official, toViolation } from "./strict.js";
import { createTap, restMs, type Tap, type RecordedTurn } from "./tap.js";
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

const tokens = ["TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_CHUNK"];

const everything: readonly AddOn[] = ["agent-os", "ask", "binary", "chio", "dialects", "guard", "hector", "ngaf", "open-search", "stepper", "strict"];
const loadAll = (unpack: Inflate): Promise<FullCore> => loadFull(unpack, {}, ...everything);

/** Judges the server at an address. */
export async function check(url: string, options: CheckOptions): Promise<Verdict> {
  const { script, headers, dialect, binary, timeoutMs } = options;
  const tap = createTap();
  const judge = createJudge(tap, dialect);
  const settings: AgentOptions = {
    ...judge.settings,
    url,
    headers,
    binary,
    initialMessages: script.messages,
    initialState: script.state,
    tools: toPageTools(script.tools ?? []),
    context: script.context,
    forwardedProps: script.forwardedProps as never,
  };
  const agent = judge.watch(createAgentWith(loadAll, settings));
  for (const [at, turn] of script.turns.entries()) {
    const { result, refused, timedOut } = await playScript(agent, settings, tap, turn, timeoutMs);
    if (refused) judge.giveUp(`turn ${at + 1} of the script cannot be played: ${refused}`);
    else if (timedOut) judge.giveUp(`the run did not end within ${timeoutMs / 1000} s`);
    else judge.hear(result);
    if (judge.gaveUp) break;
  }
  agent.dispose();
  return judge.verdict(url, { live: true, timed: true });
}

/** Judges what a server has answered. */
export async function checkRecorded(name: string, recorded: Recorded, dialect: AgentOptions["dialect"]): Promise<Verdict> {
  let agent: Agent | undefined;
  const tap = createTap(sourceOf(recorded, () => {
    tap.stop();
    void agent?.stop();
  }));
  const judge = createJudge(tap, dialect);
  for (const [at, { request }] of recorded.exchanges.entries()) {
    const { messages, state } = (request?.input ?? {}) as { messages?: unknown; state?: unknown };
    if (!agent || Array.isArray(messages)) {
      agent?.dispose();
      tap.leave();
      const thread = { initialMessages: Array.isArray(messages) ? messages : [], initialState: state };
      agent = judge.watch(createAgentWith(loadAll, { ...judge.settings, ...thread, url: "http://recording.invalid/" }));
    }
    // A recording that goes on has answered what was asked.
    const resume = agent.getSnapshot().interrupts.map(({ id }) => ({ interruptId: id, status: "cancelled" as const }));
    try {
      judge.hear(await agent.submit(resume.length > 0 ? { resume } : {}));
      await tap.over();
    } catch (error) {
      judge.giveUp(`turn ${at + 1} of the recording cannot be played: ${(error as Error).message}`);
    }
    if (judge.gaveUp) break;
  }
  agent?.dispose();
  const { report, ...verdict } = await judge.verdict(name, { live: false, timed: recorded.timed });
  const violations = report.violations.map((violation) => ({ ...violation, ...recorded.lineOf(violation) }));
  return { ...verdict, report: { ...report, violations } };
}

/** Where the bytes came from: from a server, and with the times at which they came. */
interface Origin {
  readonly live: boolean;
  readonly timed: boolean;
}

/** Judges what comes through the tap. */
function createJudge(tap: Tap, dialect: AgentOptions["dialect"]) {
  const violations: Violation[] = [];
  const notes: string[] = [];
  const firstTokens = new Map<RecordedTurn, number>();
  let events = 0;
  let unjudged: string | undefined;
  return {
    /** Options of each agent that plays the client. */
    settings: {
      dialect,
      fetch: tap.fetch,
      retry: false,
      notify: "microtask",
      limits: { warnings: 1e6, history: 0, graceMs: restMs },
      onWarning: (warning) => {
        if (!tap.place || ofTheClient.includes(warning.code) || warning.rule?.startsWith("A")) return;
        violations.push(toViolation(warning, tap.place.turn.number, tap.place.offset));
      },
      onError: () => {},
    } satisfies Partial<AgentOptions>,
    get gaveUp(): boolean {
      return unjudged !== undefined;
    },
    watch: (agent: Agent): Agent => {
      agent.on("event", ({ type }) => {
        events++;
        const { place } = tap;
        if (place && tokens.includes(type) && !firstTokens.has(place.turn)) firstTokens.set(place.turn, place.at);
      });
      return agent;
    },
    /** The server cannot be judged. */
    giveUp: (reason: string): void => void (unjudged = reason),
    hear: (result: RunResult | undefined): void => {
      const { turns } = tap;
      const bodies = turns.some(({ status }) => status === 200);
      if (result?.error?.kind === "connection" && bodies && events === 0) unjudged = noEvents;
      else if (result?.error) unjudged = judged(result.error, turns[turns.length - 1], violations, notes);
    },
    async verdict(name: string, { live, timed }: Origin): Promise<Verdict> {
      const { turns } = tap;
      const bytes = turns.some(({ status, pieces }) => status === 200 && pieces.length > 0);
      if (unjudged === undefined && bytes && events === 0) unjudged = noEvents;
      const core = await loadAll(inflate);
      const readable = dialect === undefined ? turns.filter(({ status }) => status !== undefined) : [];
      const found = readable.reduce((all, turn) => merged(all, turn.number, grammar(core, turn)), violations);
      const strict = dialect === undefined && unjudged === undefined ? official(core, readable) : null;
      const installed = strict ? await installedClient(readable) : undefined;
      const report = {
        url: name,
        violations: [...found].sort((a, b) => a.turn - b.turn || (a.offset ?? 0) - (b.offset ?? 0)),
        timing: toTiming(turns, firstTokens, timed),
        framing: toFraming(turns, live),
        official: installed && strict ? { ...strict, ...installed } : strict,
      };
      return { report, unjudged, notes, turns };
    },
  };
}

const noEvents = "the answer holds no event of AG-UI";

/** Judges the server by the error of a run. Returns the reason where it cannot be judged. */
function judged(error: AgentError, turn: RecordedTurn | undefined, violations: Violation[], notes: string[]): string | undefined {
  const { kind, status = 0, message } = error;
  const number = turn?.number ?? 1;
  const last = turn?.pieces[turn.pieces.length - 1];
  const add = (rule: string | null, code: string, expected: string, offset: number | null): undefined =>
    void violations.push({ rule, code, eventType: null, offset, expected, turn: number });
  if (kind === "run") return void notes.push(`turn ${number}: the run ended with RUN_ERROR: ${message}`);
  if (error.code === "truncated") return add("T17", "truncated", "RUN_FINISHED or RUN_ERROR before the end of the body", turn ? lengthOf(turn) : null);
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

/** Adds the violations that only strict rules find. Where both report the same of a rule, it is reported once. */
function merged(found: readonly Violation[], turn: number, strict: ReadonlyMap<number, readonly Violation[]>): Violation[] {
  const known = ({ offset, rule }: Violation): boolean =>
    found.some((violation) => violation.turn === turn && violation.offset === offset && violation.rule === rule);
  return [...found, ...[...strict.values()].flat().filter((violation) => !known(violation))];
}
