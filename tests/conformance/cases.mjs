// Conformance cases: one JSON object a line. What a case sends, whoever reads it.
//
// A case says what the agent has (`initial`), what the server answers, and what the official client made of it (`expect`).
// The answer is one of `events` (a frame of server-sent events each), `frames` (the same as binary frames), `body` (pieces:
// text, or `{ base64 }`) and `bodyBase64`; each piece is one read, unless `burst` joins them. `tests/fixtures/README.md`
// describes the other members.

import { readFileSync } from "node:fs";
import { EventEncoder } from "@ag-ui/encoder";

/**
 * @typedef {object} Failure  why a run was rejected
 * @property {string} kind  json, frame, http, transport, schema, expand, verify, resume or other
 * @property {string} [rule]  the tag of the rule that was broken
 * @property {number} [status]
 * @property {string} [message]
 * @property {string[]} [paths]
 *
 * @typedef {{ messages: any[], state: any, error?: Failure } & Record<string, any>} Expectation
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string[]} [rules]
 * @property {{ messages?: any[], state?: any, pendingInterrupts?: any[] }} [initial]
 * @property {any[]} [events]
 * @property {any[]} [frames]
 * @property {(string | { base64: string })[]} [body]
 * @property {string[]} [bodyBase64]
 * @property {string} [contentType]
 * @property {number} [status]
 * @property {boolean} [burst]
 * @property {string} [breakWith]  the connection fails with this after the last piece
 * @property {Record<string, any>} [params]  of the run: resume, tools, context, runId, forwardedProps
 * @property {string} [threadId]
 * @property {string} [peerCeiling]  the newest version that the server knows
 * @property {string[]} [observe]  what else stands in `expect`
 * @property {Expectation} [expect]
 * @property {Expectation} [tolerant]  what tolerant rules make of it, where that is said apart
 */

export const binaryType = "application/vnd.ag-ui.event+proto";
const text = new TextEncoder();
const encoder = new EventEncoder({ accept: binaryType });

/** @param {string | URL} file @returns {Case[]} */
export const readCases = (file) => parseCases(readFileSync(file, "utf8"));

/** @param {string} lines @returns {Case[]} */
export const parseCases = (lines) =>
  lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, at) => {
      try {
        return JSON.parse(line);
      } catch (error) {
        throw new Error(`Line ${at + 1} is no JSON: ${/** @type {Error} */ (error).message}`);
      }
    });

/** @param {any} event @returns {Uint8Array} */
export const sseFrame = (event) => text.encode(`data: ${JSON.stringify(event)}\n\n`);

/** @param {any} event @returns {Uint8Array} */
export const binaryFrame = (event) => encoder.encodeProtobuf(event);

/** The reads of the answer's body. @param {Case} given @returns {Uint8Array[]} */
export function reads({ events = [], frames, body, bodyBase64, burst }) {
  const decode = (/** @type {string} */ base64) => new Uint8Array(Buffer.from(base64, "base64"));
  const pieces = bodyBase64
    ? bodyBase64.map(decode)
    : body
    ? body.map((piece) => (typeof piece === "string" ? text.encode(piece) : decode(piece.base64)))
    : frames
    ? frames.map(binaryFrame)
    : events.map(sseFrame);
  return burst ? [new Uint8Array(Buffer.concat(pieces))] : pieces;
}

/** All that a case says, but for what it expects, as one text: what stands in it was not minted. @param {Case} given */
export function contents({ expect, tolerant, body, bodyBase64, ...rest }) {
  const decode = new TextDecoder();
  return JSON.stringify(rest) + reads({ ...rest, body, bodyBase64 }).map((piece) => decode.decode(piece)).join("");
}

/**
 * The answer itself. `pace` is waited for after every piece; `told` counts them, and may say that
 * nobody wants more of them.
 *
 * @param {Case} given
 * @param {() => Promise<void>} [pace]
 * @param {{ reads: number, enough?: boolean }} [told]
 */
export function answer(given, pace, told = { reads: 0 }) {
  const { status = 200, contentType = given.frames ? binaryType : "text/event-stream", breakWith } = given;
  const pieces = reads(given);
  const body = new ReadableStream(
    {
      async pull(controller) {
        if (told.reads > 0) await pace?.();
        const piece = pieces[told.reads];
        if (told.enough) controller.close();
        else if (piece) {
          told.reads++;
          controller.enqueue(piece);
        } else if (breakWith === undefined) controller.close();
        else controller.error(new Error(breakWith));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = new Headers(contentType === "" ? {} : { "content-type": contentType });
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
}
