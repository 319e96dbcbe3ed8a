// How the bodies came: framing, line ends, headers, flushing, time.

import { framingOf } from "./cutter.js";
import type { BodyPiece, RecordedTurn } from "./tap.js";
import type { FramingReport, Timing, TurnTiming } from "./verdict.js";

const LF = 10;
const CR = 13;

/** Frames that come within so many milliseconds come together. */
const togetherMs = 5;

/** Without times, for a recording that has none. */
export function toTiming(turns: readonly RecordedTurn[], firstTokens: ReadonlyMap<RecordedTurn, number>, timed: boolean): Timing {
  const each = turns.map((turn) => ({ turn: turn.number, ...timingOf(turn, timed ? firstTokens.get(turn) : undefined, timed) }));
  const longest = (name: keyof TurnTiming): number | null =>
    each.reduce<number | null>((most, { [name]: ms }) => (ms === null ? most : Math.max(most ?? 0, ms)), null);
  return {
    firstEventMs: longest("firstEventMs"),
    firstTokenMs: longest("firstTokenMs"),
    longestGapMs: longest("longestGapMs"),
    totalMs: rounded(turns.reduce((sum, { ended }) => sum + ended, 0)),
    turns: each,
  };
}

function timingOf({ pieces, ended }: RecordedTurn, firstToken: number | undefined, timed: boolean): TurnTiming {
  const gaps = pieces.slice(1).map(({ at }, i) => at - pieces[i]!.at);
  const known = (ms: number | undefined): number | null => (timed && ms !== undefined ? rounded(ms) : null);
  return {
    firstEventMs: known(pieces[0]?.at),
    firstTokenMs: known(firstToken),
    longestGapMs: known(gaps.length > 0 ? gaps.reduce((most, gap) => Math.max(most, gap)) : undefined),
    totalMs: rounded(ended),
  };
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

/** `live`: a server sent it. Of a file the head and the pace are not known. */
export function toFraming(turns: readonly RecordedTurn[], live: boolean): FramingReport {
  const first = turns.find(({ status }) => status !== undefined);
  const header = (name: string): string | null => first?.headers.get(name) ?? null;
  const kind = framingOf(header("content-type") ?? "");
  const pieces = turns.flatMap((turn) => turn.pieces);
  const texts = kind === "binary" ? [] : pieces.map(({ bytes }) => new TextDecoder().decode(bytes));
  const lines = texts.flatMap((text) => text.split(/\r\n|\r|\n/));
  const facts = {
    status: first?.status ?? null,
    contentType: header("content-type"),
    kind,
    lineEnds: kind === "sse" ? lineEnds(pieces) : null,
    bytes: pieces.reduce((sum, { bytes }) => sum + bytes.length, 0),
    reads: new Set(turns.flatMap(({ number, pieces: found }) => found.map(({ read }) => `${number} ${read}`))).size,
    frames: kind === "binary" ? pieces.length : texts.filter((text) => /^data|^[^\S\r\n\u2028\u2029]*\{/m.test(text)).length,
    comments: kind === "sse" ? lines.filter((line) => line.startsWith(":")).length : 0,
    ids: kind === "sse" && lines.some((line) => line.startsWith("id:")),
    flush: flush(turns),
    closes: turns.length > 0 && turns.every(({ closed, end, stopped }) => closed || stopped || end === "cut"),
    compression: header("content-encoding"),
    cacheControl: header("cache-control"),
    xAccelBuffering: header("x-accel-buffering"),
  };
  return { ...facts, hints: facts.status === 200 ? hints(facts, live) : [] };
}

function lineEnds(pieces: readonly BodyPiece[]): FramingReport["lineEnds"] {
  let [lf, crlf, cr, last] = [0, 0, 0, 0];
  for (const { bytes } of pieces) {
    for (const byte of bytes) {
      if (byte === LF && last === CR) [crlf, cr] = [crlf + 1, cr - 1];
      else if (byte === LF) lf++;
      else if (byte === CR) cr++;
      last = byte;
    }
  }
  const found = (["lf", "crlf", "cr"] as const).filter((_, i) => [lf, crlf, cr][i]! > 0);
  return found.length > 1 ? "mixed" : (found[0] ?? null);
}

/** Of the turn with the most frames: whether they came apart. */
function flush(turns: readonly RecordedTurn[]): FramingReport["flush"] {
  const { pieces } = [...turns].sort((a, b) => b.pieces.length - a.pieces.length)[0] ?? { pieces: [] };
  if (pieces.length < 3) return null;
  const [first, last] = [pieces[0]!, pieces[pieces.length - 1]!];
  return last.read - first.read > 1 || last.at - first.at > togetherMs ? "streams" : "at-once";
}

function hints(facts: Omit<FramingReport, "hints">, live: boolean): string[] {
  const { kind, lineEnds: endings, flush: flushes, compression, cacheControl, xAccelBuffering, closes } = facts;
  const ofTheBody = endings && endings !== "lf" && "lines end with CR: @ag-ui/client 1.0.0 knows LF only";
  const ofTheServer = [
    kind === "unknown" && "content-type: text/event-stream was expected",
    flushes === "at-once" && "all frames came together: something buffers, or the answer was ready at once",
    compression && `content-encoding: ${compression} delays frames unless each is flushed`,
    kind === "sse" && !/no-cache|no-store/.test(cacheControl ?? "") && "cache-control: no-cache is missing: a proxy may store the stream",
    kind === "sse" && xAccelBuffering !== "no" && "x-accel-buffering: no is missing: nginx buffers the stream by default",
    !closes && "the body stayed open after the run: clients hold the connection until they give up",
  ];
  return [ofTheBody, ...(live ? ofTheServer : [])].filter((hint) => typeof hint === "string");
}
