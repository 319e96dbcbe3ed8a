// A request of a worker's session that the page makes, because only the page has what makes it.

import type { Host, RequestTarget } from "../glue/core.js";
import type { ResponseHead } from "./host.js";
import type { FromWorker } from "./session.js";

// As many bytes are read before the worker has asked for them. Then it is asked for less often than pieces come.
const AHEAD = 2 ** 16;

/** A request that this fetch will make. */
function createPageRequest(fetch: NonNullable<RequestTarget["fetch"]>) {
  const controller = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let pieces: Uint8Array[] = [];
  let length = 0;
  let end: { readonly error?: unknown } | undefined;
  // The side that waits: for something to come, or for something to be taken.
  let wake = (): void => {};
  const change = (): Promise<void> => new Promise((resolve) => (wake = resolve));

  const pump = async (from: ReadableStreamDefaultReader<Uint8Array>): Promise<void> => {
    try {
      for (;;) {
        const { done, value } = await from.read();
        if (done) break;
        pieces.push(value);
        length += value.length;
        wake();
        if (length >= AHEAD) await change();
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    wake();
  };

  return {
    send: async (url: string, init: RequestInit): Promise<ResponseHead> => {
      const response: unknown = await fetch(url, { ...init, headers: new Headers(init.headers), signal: controller.signal });
      if (typeof response !== "object" || !response) throw new Error("fetch gave no response");
      const { status, headers, body } = response as Response;
      reader = body?.getReader();
      // Cancelled meanwhile.
      if (controller.signal.aborted) void reader?.cancel().catch(() => {});
      else if (reader) void pump(reader);
      return { status, headers: [...headers], hasBody: !!body };
    },
    read: async (): Promise<Uint8Array | undefined> => {
      while (!pieces.length && !end) await change();
      if (!pieces.length && end && "error" in end) throw end.error;
      if (!pieces.length) return undefined;
      // A copy, because it is transferred, and the bytes may be part of a buffer that the page still needs.
      const bytes = new Uint8Array(length);
      let at = 0;
      for (const piece of pieces) {
        bytes.set(piece, at);
        at += piece.length;
      }
      pieces = [];
      length = 0;
      wake();
      return bytes;
    },
    cancel: (): void => {
      // Before the abort, after which cancelling fails.
      void reader?.cancel().catch(() => {});
      controller.abort();
    },
  };
}

/** The requests of a session: where each goes, and those that the page makes. */
export function createPageRequests(host: Pick<Host, "request">) {
  const requests = new Map<number, ReturnType<typeof createPageRequest>>();
  const answers: Pick<FromWorker, "request" | "fetch" | "read" | "cancelFetch"> = {
    request: async (number, resume, runId, cursor) => {
      const { url, method, headers, credentials, binary, fetch, input } = await host.request(resume, runId, cursor);
      if (fetch) requests.set(number, createPageRequest(fetch));
      // The worker's own address is another one.
      return { url: fetch ? url : absolute(url), method, headers: listOf(headers), credentials, binary: binary === true, input, fetches: !!fetch };
    },
    fetch: async (number, url, init) => requests.get(number)!.send(url, init),
    read: async (number) => {
      const chunk = await requests.get(number)?.read();
      if (!chunk) requests.delete(number);
      return chunk;
    },
    cancelFetch: (number) => {
      requests.get(number)?.cancel();
      requests.delete(number);
    },
  };
  return {
    answers,
    close: (): void => {
      for (const request of requests.values()) request.cancel();
      requests.clear();
    },
  };
}

function listOf(headers: HeadersInit | undefined): [string, string][] {
  return [...new Headers(headers ?? {})];
}

/** The address as the page means it. */
function absolute(url: string): string {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  return base === undefined ? url : new URL(url, base).href;
}
