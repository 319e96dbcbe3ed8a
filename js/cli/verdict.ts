// The report of `ag-ui-wasm check`, as `--json` prints it. `docs/check.md` describes it.

import type { RecordedTurn } from "./tap.js";

/** A rule that the server broke. */
export interface Violation {
  /** Its tag in docs/rules.md; null for what breaks no rule, but has another effect than the server meant. */
  readonly rule: string | null;
  readonly code: string;
  readonly eventType: string | null;
  /** Where the frame begins in the body, which is counted after it is decompressed; null for a response without a body. */
  readonly offset: number | null;
  readonly expected: string;
  /** The request whose response broke it, from 1. */
  readonly turn: number;
  /** The line of the file that was judged, from 1. */
  readonly line?: number;
}

/** Milliseconds since the request; null where nothing came, or the recording has no times. */
export interface TurnTiming {
  readonly firstEventMs: number | null;
  readonly firstTokenMs: number | null;
  readonly longestGapMs: number | null;
  readonly totalMs: number;
}

/** The longest of each time. `totalMs` is the sum of all turns. */
export interface Timing extends TurnTiming {
  readonly turns: readonly (TurnTiming & { readonly turn: number })[];
}

/** How the bodies came: of the first turn, the numbers of all. */
export interface FramingReport {
  readonly status: number | null;
  readonly contentType: string | null;
  readonly kind: "sse" | "binary" | "lines" | "unknown";
  readonly lineEnds: "lf" | "crlf" | "cr" | "mixed" | null;
  readonly bytes: number;
  readonly reads: number;
  readonly frames: number;
  readonly comments: number;
  readonly ids: boolean;
  /** `streams`: frames come when they are made; `at-once`: they come together. */
  readonly flush: "streams" | "at-once" | null;
  /** Whether the server ends the body after the run. */
  readonly closes: boolean;
  readonly compression: string | null;
  readonly cacheControl: string | null;
  readonly xAccelBuffering: string | null;
  /** Suggestions for a server that breaks no rule. */
  readonly hints: readonly string[];
}

/** The result of the official client, which is strict, with the same bytes. */
export interface Official {
  readonly client: string;
  /** `core`: strict rules of this package, which fail where it fails; `client`: the installed one was asked. */
  readonly by: "core" | "client";
  readonly fails: boolean;
  readonly turn: number | null;
  readonly offset: number | null;
  readonly rule: string | null;
  readonly code: string | null;
  readonly eventType: string | null;
  readonly message: string | null;
}

export interface Report {
  /** The URL, or the name of the file that was judged. */
  readonly url: string;
  readonly violations: readonly Violation[];
  readonly timing: Timing;
  readonly framing: FramingReport;
  /** Null for servers of another system, which the official client does not know, and for those that could not be judged. */
  readonly official: Official | null;
}

/** The report, and what else is said to people. */
export interface Verdict {
  readonly report: Report;
  /** Why the server could not be judged. */
  readonly unjudged: string | undefined;
  readonly notes: readonly string[];
  /** The turns that were played. */
  readonly turns: readonly RecordedTurn[];
}
