// Recordings: what a server answered, as JSON Lines. `docs/recordings.md` describes them. One form for all who write or read
// them: scripted agents, the inspector, `ag-ui-wasm check` and `ag-ui-wasm replay`.
//
//   {"request":{"method":"POST","url":"/agent","input":{…}}}           begins an exchange; may be missing
//   {"response":{"status":200,"headers":{"content-type":"…"}}}         its head; missing: 200, text/event-stream
//   {"type":"RUN_STARTED", …}                                          an event: the frame "data: " + this line + "\n\n"
//   40                                                                 a pause in milliseconds
//   {"text":": keep-alive\n\n"}   {"base64":"/w=="}                    other bytes of the body
//   {"end":"cut"}                                                      how it ended, unless the server closed it
//   {"note":{…}}                                                       what a tool has noted; not part of what is played

import { isObject, parseJson } from "../base/json.js";

/** How a body ended: the server closed it, the connection broke, or it was still open when the recording ended. */
export type RecordedEnd = "closed" | "cut" | "open";

/** The JSON text of an event, bytes of the body, or a pause in milliseconds. */
export type RecordedPart = string | Uint8Array | number;

/** A request. Its headers are not recorded: they hold credentials. */
export interface RecordedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The body of the request. */
  readonly input?: unknown;
}

/** A request and its response. */
export interface Exchange {
  readonly request?: RecordedRequest | undefined;
  /** Default: 200. */
  readonly status?: number | undefined;
  /** Default: those of an event stream. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly parts: readonly RecordedPart[];
  /** Default: `closed`. */
  readonly end?: RecordedEnd | undefined;
}

/** An exchange that was read: nothing but the request may be missing. */
export interface ReadExchange extends Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly end: RecordedEnd;
}

const eventStream = { "content-type": "text/event-stream" };
const ends: readonly unknown[] = ["closed", "cut", "open"];

/** An exchange that is being read. */
interface OpenExchange {
  request?: RecordedRequest;
  status: number;
  headers: Readonly<Record<string, string>>;
  parts: RecordedPart[];
  end: RecordedEnd;
}

const open = (request?: RecordedRequest): OpenExchange => ({ ...(request && { request }), status: 200, headers: eventStream, parts: [], end: "closed" });

/** A line of a recording: its JSON text, the value, and its number, from 1. */
export interface RecordedLine {
  readonly value: number | Readonly<Record<string, unknown>>;
  readonly json: string;
  readonly at: number;
}

/**
 * The lines of a recording, in their order.
 *
 * @throws {SyntaxError} that names a line which is neither an object nor a pause
 */
export function* readLines(text: string): Generator<RecordedLine, void, undefined> {
  for (const [at, line] of text.split("\n").entries()) {
    const json = line.trim();
    if (json !== "") yield { value: parse(json, at + 1), json, at: at + 1 };
  }
}

/**
 * Reads a recording. Events alone, as `agent.on("event")` gives them, are an exchange for each run.
 *
 * @throws {SyntaxError} that names the line which is none of a recording
 */
export function readRecording(text: string): ReadExchange[] {
  const exchanges: OpenExchange[] = [];
  let current: OpenExchange | undefined;
  let headed = false;
  let over = false;
  const begin = (request?: RecordedRequest): OpenExchange => {
    exchanges.push(current = open(request));
    [headed, over] = [false, false];
    return current;
  };
  for (const { value, json, at } of readLines(text)) {
    if (typeof value === "number") {
      (current ?? begin()).parts.push(value);
    } else if (typeof value["type"] === "string") {
      const bare = current === undefined || (current.request === undefined && !headed);
      if (over && bare && value["type"] === "RUN_STARTED") begin();
      over = value["type"] === "RUN_FINISHED" || value["type"] === "RUN_ERROR";
      (current ?? begin()).parts.push(json);
    } else if (isObject(value["request"])) {
      begin(value["request"] as RecordedRequest);
    } else if (isObject(value["response"])) {
      if (!current || headed || current.parts.length > 0) begin();
      const { status = 200, headers = eventStream } = value["response"] as { status?: number; headers?: Record<string, string> };
      Object.assign(current!, { status, headers });
      headed = true;
    } else if (typeof value["text"] === "string") {
      (current ?? begin()).parts.push(new TextEncoder().encode(value["text"]));
    } else if (typeof value["base64"] === "string") {
      (current ?? begin()).parts.push(fromBase64(value["base64"], at));
    } else if (ends.includes(value["end"])) {
      (current ?? begin()).end = value["end"] as RecordedEnd;
    } else if (!isObject(value["note"])) {
      throw unreadable(at, "expected an event, a pause, or one of request, response, text, base64, end and note");
    }
  }
  return exchanges;
}

/** Writes a recording. Bytes that are the frame of an event become its line. */
export function writeRecording(exchanges: readonly Exchange[]): string {
  const lines: string[] = [];
  for (const { request, status = 200, headers = eventStream, parts, end = "closed" } of exchanges) {
    lines.push(JSON.stringify({ request: request ?? {} }), JSON.stringify({ response: { status, headers } }));
    for (const part of parts) lines.push(typeof part === "object" ? lineOf(part) : String(part));
    if (end !== "closed") lines.push(JSON.stringify({ end }));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** The bytes that a part stands for; none for a pause. */
export function bytesOf(part: RecordedPart): Uint8Array | undefined {
  if (typeof part === "string") return new TextEncoder().encode(`data: ${part}\n\n`);
  return typeof part === "number" ? undefined : part;
}

function lineOf(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return JSON.stringify({ base64: toBase64(bytes) });
  }
  const json = /^data: (\{[^\r\n]*\})\n\n$/.exec(text)?.[1];
  return json !== undefined && isEvent(json) ? json : JSON.stringify({ text });
}

/** Whether the line would be read as an event. */
const isEvent = (json: string): boolean => typeof Object(parseJson(json)).type === "string";

function parse(json: string, line: number): number | Record<string, unknown> {
  const value = parseJson(json);
  if (value === undefined) throw unreadable(line, "expected JSON");
  if (typeof value === "number" && value >= 0) return value;
  if (isObject(value)) return value;
  throw unreadable(line, "expected an object, or a pause in milliseconds");
}

function fromBase64(text: string, line: number): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    throw unreadable(line, "expected base64");
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function unreadable(line: number, expected: string): SyntaxError {
  return new SyntaxError(`Line ${line} of the recording cannot be read: ${expected}`);
}
