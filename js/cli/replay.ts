// `ag-ui-wasm replay`: serves a recording as an AG-UI server, as it was or with faults.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bytesOf, type ReadExchange } from "../recordings/recording.js";

/** Where a body is cut off. */
export interface Cut {
  readonly count: number;
  readonly of: "bytes" | "events";
}

/** Faults to add to the replay. */
export interface Faults {
  /** The connection breaks, in the middle of the body or where it is cut. */
  readonly drop: boolean;
  /** Characters of more than one byte come in two reads. */
  readonly split: boolean;
  /** Lines end with CR LF. */
  readonly crlf: boolean;
  /** Every request is refused with this status. */
  readonly status: number | undefined;
  /** Milliseconds before an answer begins. */
  readonly delayMs: number;
}

export interface ReplayOptions {
  readonly port: number;
  /** How many times as fast; 0: at once. */
  readonly speed: number;
  readonly cut: Cut | undefined;
  readonly faults: Faults;
}

/** Requests are answered with the exchanges in their order, over and over again. */
export async function replay(exchanges: readonly ReadExchange[], options: ReplayOptions): Promise<{ server: Server; url: string }> {
  let next = 0;
  const server = createServer((request, response) => {
    allow(request, response);
    if (request.method === "OPTIONS") return void response.writeHead(204).end();
    request.resume();
    const exchange = exchanges[next++ % exchanges.length]!;
    answer(response, exchange, options).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** Pages of any origin may ask. */
function allow({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("access-control-allow-origin", headers.origin ?? "*");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "*");
  response.setHeader("access-control-allow-methods", "GET, POST, OPTIONS");
  response.setHeader("access-control-expose-headers", "*");
}

async function answer(response: ServerResponse, exchange: ReadExchange, { speed, cut, faults }: ReplayOptions): Promise<void> {
  const { status, headers, end } = exchange;
  if (faults.delayMs > 0) await pause(faults.delayMs);
  if (faults.status !== undefined) return void response.writeHead(faults.status, { "content-type": "text/plain" }).end();
  response.writeHead(status, { ...headers });
  response.flushHeaders();
  const parts = cutOff(changed(exchange.parts, faults), faults.drop && !cut ? halfOf(exchange) : cut);
  for (const part of parts) {
    if (response.destroyed) return;
    if (typeof part === "number") {
      if (speed > 0) await pause(part / speed);
      continue;
    }
    await written(response, part);
    // Each part is a read of its own.
    if (faults.split) await pause(1);
  }
  if (faults.drop || (end === "cut" && !cut)) {
    // Lets the bytes that were written go out first.
    await pause(10);
    response.destroy();
  } else if (end !== "open" || cut) {
    response.end();
  }
}

type ReplayPart = number | Uint8Array;

function changed(parts: ReadExchange["parts"], { crlf, split }: Faults): ReplayPart[] {
  return parts.flatMap((part): ReplayPart[] => {
    const bytes = bytesOf(part);
    if (!bytes) return [part as number];
    const lines = crlf ? withCrLf(bytes) : bytes;
    return split ? splitCharacters(lines) : [lines];
  });
}

function withCrLf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([...bytes].flatMap((byte, at) => (byte === 10 && bytes[at - 1] !== 13 ? [13, 10] : [byte])));
}

/** Cut after the first byte of each character that has several. */
function splitCharacters(bytes: Uint8Array): Uint8Array[] {
  const cuts = [...bytes].flatMap((byte, at) => (byte >= 0xc0 ? [at + 1] : []));
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length)).filter(({ length }) => length > 0);
}

function halfOf({ parts }: ReadExchange): Cut {
  const bytes = parts.reduce<number>((sum, part) => sum + (bytesOf(part)?.length ?? 0), 0);
  return { count: Math.floor(bytes / 2), of: "bytes" };
}

function cutOff(parts: readonly ReplayPart[], cut: Cut | undefined): ReplayPart[] {
  if (!cut) return [...parts];
  let remaining = cut.count;
  const result: ReplayPart[] = [];
  for (const part of parts) {
    if (remaining <= 0) break;
    if (typeof part === "number") result.push(part);
    else if (cut.of === "bytes") {
      result.push(part.subarray(0, remaining));
      remaining -= part.length;
    } else {
      result.push(part);
      remaining -= holdsEvent(part) ? 1 : 0;
    }
  }
  return result;
}

/** A part is a frame, as recordings are written; comments are none. */
const holdsEvent = (part: Uint8Array): boolean => part[0] !== 58 && part.length > 2;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}
