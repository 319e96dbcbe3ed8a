// The same bytes under strict rules, which stand for the official client: where a run would fail, and what of the grammar
// tolerant rules do not report because they can read it.

import type { AgentErrorData } from "../api/error.js";
import type { AgentWarning } from "../api/agent.js";
import type { FullCore } from "../core/loader.js";
import type { Stepper } from "../glue/full.js";
import { ruleOf } from "./rules.js";
import type { RecordedTurn } from "./tap.js";
import type { Official, Violation } from "./verdict.js";

export const officialVersion = "1.0.0";

export const passes: Official = {
  client: `@ag-ui/client ${officialVersion}`,
  by: "core",
  fails: false,
  turn: null,
  offset: null,
  rule: null,
  code: null,
  eventType: null,
  message: null,
};

/** Where strict rules end the first run that they end. */
export function official(core: FullCore, turns: readonly RecordedTurn[]): Official {
  for (const turn of turns) {
    const failure = failureOf(core, turn);
    if (failure) return { ...passes, fails: true, turn: turn.number, ...failure };
  }
  return passes;
}

type StrictFailure = Pick<Official, "offset" | "rule" | "code" | "eventType" | "message">;

function failureOf(core: FullCore, turn: RecordedTurn): StrictFailure | undefined {
  const { status = 0, request } = turn;
  if (status < 200 || status > 299) {
    return { offset: null, rule: "T4", code: null, eventType: null, message: `HTTP ${status}` };
  }
  const input = request.input as { messages?: unknown; state?: unknown; runId?: unknown } | undefined;
  const settings = JSON.stringify({ rules: "strict", runId: input?.runId });
  const stepper = new core.Stepper(settings, JSON.stringify(input?.messages ?? []), JSON.stringify(input?.state ?? {}));
  try {
    return failureIn(stepper, turn) ?? lineEndFailure(turn) ?? lostConnection(turn);
  } finally {
    stepper.free();
  }
}

function failureIn(stepper: Stepper, { headers, pieces }: RecordedTurn): StrictFailure | undefined {
  stepper.open(headers.get("content-type") ?? "");
  for (const piece of [...pieces, undefined]) {
    if (piece) stepper.feed(piece.bytes);
    else stepper.finish();
    const failure = stepper.failure();
    if (failure === undefined) continue;
    const { rule = null, code = null, eventType = null, message } = JSON.parse(failure) as AgentErrorData;
    return { offset: piece?.offset ?? lengthOf({ pieces }), rule, code, eventType, message };
  }
  return undefined;
}

/** How many bytes the body has. */
export const lengthOf = ({ pieces }: Pick<RecordedTurn, "pieces">): number => pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);

function lostConnection({ end, pieces }: RecordedTurn): StrictFailure | undefined {
  if (end !== "cut") return undefined;
  return { offset: lengthOf({ pieces }), rule: null, code: null, eventType: null, message: "the connection broke" };
}

/** The official client cuts at two line feeds only, so of a body with other line ends it makes one block. */
function lineEndFailure({ headers, pieces }: RecordedTurn): StrictFailure | undefined {
  if (!/^text\/event-stream/i.test(headers.get("content-type") ?? "")) return undefined;
  const at = pieces.findIndex(({ bytes }) => bytes.includes(13));
  if (at < 0 || pieces.length < 2) return undefined;
  const message = "lines end with CR or CR LF, and only LF is known to it";
  return { offset: pieces[at]!.offset, rule: "T8", code: null, eventType: null, message };
}

/** The violations of the grammar in each frame, by the number of its piece. */
export function grammar(core: FullCore, turn: RecordedTurn): Map<number, Violation[]> {
  const found = new Map<number, Violation[]>();
  const type = turn.headers.get("content-type") ?? "";
  let stepper: Stepper | undefined;
  for (const { bytes, offset } of turn.pieces) {
    if (!stepper) {
      stepper = new core.Stepper(JSON.stringify({ rules: "strict", stage: "chunks", warnings: null }), "[]", "{}");
      stepper.open(type);
    }
    stepper.feed(bytes);
    const warnings = JSON.parse(stepper.takeWarnings() ?? "[]") as AgentWarning[];
    const failure = stepper.failure();
    const failed = failure === undefined ? [] : [JSON.parse(failure) as AgentErrorData & { code: string }];
    const broken = [...warnings, ...failed].filter(({ rule }) => rule?.startsWith("G"));
    if (broken.length > 0) found.set(offset, broken.map((warning) => toViolation(warning, turn.number, offset)));
    if (failure === undefined) continue;
    // It takes nothing more. The next one knows nothing of the frames before, which the grammar does not need.
    stepper.free();
    stepper = undefined;
  }
  stepper?.free();
  return found;
}

/** A report of the core, with its place. */
export function toViolation(
  { rule, code, eventType, message }: Pick<AgentErrorData, "rule" | "eventType" | "message"> & { readonly code: string },
  turn: number,
  offset: number | null,
): Violation {
  return { rule: rule ?? ruleOf(code), code, eventType: eventType ?? null, offset, expected: message, turn };
}
