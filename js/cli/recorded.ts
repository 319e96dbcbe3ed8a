// `ag-ui-wasm check FILE`: a recording, or a body as it was saved, in place of a server.

import { bytesOf, readLines, readRecording, type ReadExchange } from "../recordings/recording.js";
import type { Responder } from "./tap.js";
import type { Violation } from "./verdict.js";

export interface Recorded {
  readonly exchanges: readonly ReadExchange[];
  /** It says when the bytes came. */
  readonly timed: boolean;
  /** Where in the file a violation is. */
  lineOf(violation: Pick<Violation, "turn" | "offset">): { readonly line?: number };
}

/**
 * Reads a recording (`docs/recordings.md`), events in JSON Lines, or the body of one response: an event stream, a list of events,
 * or the binary framing.
 *
 * @throws {SyntaxError} that names the line which is none of a recording
 */
export function readRecorded(file: Uint8Array): Recorded {
  const text = new TextDecoder().decode(file);
  const isLines = /^\s*[{\d]/.test(text);
  return isLines ? recordingOf(text) : bodyOf(file, text);
}

function recordingOf(text: string): Recorded {
  const exchanges = readRecording(text);
  const places = [...readLines(text)].filter(({ value }) => isPart(value)).map(({ at }) => at);
  return {
    exchanges,
    timed: exchanges.some(({ parts }) => parts.some((part) => typeof part === "number")),
    lineOf: ({ turn, offset }) => {
      const before = exchanges.slice(0, turn - 1).reduce((sum, { parts }) => sum + parts.length, 0);
      const { parts } = exchanges[turn - 1]!;
      let end = 0;
      const at = offset === null ? -1 : parts.findIndex((part) => (end += bytesOf(part)?.length ?? 0) > offset);
      const line = places[before + at];
      return at < 0 || line === undefined ? {} : { line };
    },
  };
}

/** Whether a line of a recording is a part of a body. */
function isPart(value: number | Readonly<Record<string, unknown>>): boolean {
  if (typeof value === "number" || typeof value["type"] === "string") return true;
  const { request, response, text, base64 } = value;
  return typeof request !== "object" && typeof response !== "object" && (typeof text === "string" || typeof base64 === "string");
}

function bodyOf(file: Uint8Array, text: string): Recorded {
  // A frame of the binary framing begins with its length, which is under 16 MB.
  const type = file[0] === 0 ? "application/vnd.ag-ui.event+proto" : /^\s*\[/.test(text) ? "application/json" : "text/event-stream";
  const exchange: ReadExchange = { status: 200, headers: { "content-type": type }, parts: file.length > 0 ? [file] : [], end: "closed" };
  const lineOf: Recorded["lineOf"] = ({ offset }) => {
    if (offset === null || file[0] === 0) return {};
    return { line: file.subarray(0, offset).reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 1) };
  };
  return { exchanges: [exchange], timed: false, lineOf };
}

/** Answers with the exchanges, one after the other. `abandoned` is called where a body was not read to its end. */
export function sourceOf({ exchanges }: Recorded, abandoned: () => void): Responder {
  let [next, now] = [0, 0];
  return {
    now: () => now,
    fetch: async () => {
      const { status, headers, parts, end } = exchanges[next++]!;
      const waiting = [...parts];
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
              const bytes = bytesOf(part);
              if (bytes) return controller.enqueue(bytes);
              now += part as number;
            }
            if (end === "open") return abandoned();
            if (end === "cut") return controller.error(new TypeError("the connection broke"));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const empty = [204, 205, 304].includes(status);
      return new Response(empty ? null : body, { status, headers: { ...headers } });
    },
  };
}
