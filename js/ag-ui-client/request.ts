// A request, and its answer as an observable.

import { defer, from, mergeMap, Observable, of, throwError, concat } from "rxjs";
import { parseJson } from "../base/json.js";

export enum HttpEventType {
  HEADERS = "headers",
  DATA = "data",
  /** Only inside of this package. */
  ABORTED = "aborted",
}

export interface HttpHeadersEvent {
  type: HttpEventType.HEADERS;
  status: number;
  headers: Headers;
}

export interface HttpDataEvent {
  type: HttpEventType.DATA;
  data?: Uint8Array;
}

/** @internal */
export interface HttpAbortedEvent {
  type: HttpEventType.ABORTED;
  reason: unknown;
}

export type HttpEvent = HttpHeadersEvent | HttpDataEvent | HttpAbortedEvent;

/** The head of an answer, then its bytes. A status other than 200 to 299 is an error with `status` and `payload`. */
export function runHttpRequest(fetchResponse: () => Promise<Response>): Observable<HttpEvent> {
  return defer(() => from(fetchResponse())).pipe(
    mergeMap((response) => {
      if (!response.ok) return from(toHttpError(response)).pipe(mergeMap((error) => throwError(() => error)));
      const head: HttpHeadersEvent = { type: HttpEventType.HEADERS, status: response.status, headers: response.headers };
      return concat(of(head), readBody(response));
    }),
  );
}

function readBody(response: Response): Observable<HttpDataEvent> {
  return new Observable((subscriber) => {
    const reader = readerOf(response);
    const next = (): void =>
      void reader.read().then(
        ({ done, value }) => {
          if (subscriber.closed) return;
          if (done) return subscriber.complete();
          subscriber.next({ type: HttpEventType.DATA, data: value });
          next();
        },
        (error: unknown) => subscriber.error(error),
      );
    next();
    return () => void reader.cancel().catch(() => {});
  });
}

/** The reader of an answer that has a body. */
export function readerOf(response: Response): ReadableStreamDefaultReader<Uint8Array> {
  const reader = response.body?.getReader();
  if (!reader) throw new Error("The server answered without a body.");
  return reader;
}

/** The error for a refused request: `HTTP 500: …`, with `status`, and the body as `payload`, parsed if it is JSON. */
export async function toHttpError(response: Response): Promise<Error & { status: number; payload: unknown }> {
  const text = await response.text();
  // It may only say that it is JSON.
  const payload = response.headers.get("content-type")?.includes("application/json") ? parseJson(text, text) : text;
  const detail = typeof payload === "string" ? payload : JSON.stringify(payload);
  return Object.assign(new Error(`HTTP ${response.status}: ${detail}`), { status: response.status, payload });
}
