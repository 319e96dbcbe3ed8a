// Responses that are written from outside: by the frames of a connection that is no request with fetch.

import { createQueue } from "../base/queue.js";

export const encoder = new TextEncoder();

/** The media type of lines of JSON. */
export const LINES = "application/x-ndjson";

/** The error of a connection that the agent has given up. */
export const aborted = (): DOMException => new DOMException("aborted", "AbortError");

/** A thrown value as an error. */
export const toError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** The response to a message, where the server does not take it. The body of one that does is of no use. */
export function refusal(response: Response): Response | undefined {
  if (!response.ok) return response;
  void response.body?.cancel().catch(() => {});
  return undefined;
}

/** A response that is written from outside. */
export type WritableResponse = ReturnType<typeof createResponse>;

/** A response to which nothing has come yet. `cancel`: nobody wants the rest, who may have aborted the signal. What comes after its end counts for nothing. */
export function createResponse(cancel: () => void, signal?: AbortSignal) {
  const waiting = createQueue<Uint8Array>();
  let last: { error?: Error } | undefined;
  let wake: (() => void) | undefined;
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      while (!waiting.size && !last) await new Promise<void>((resolve) => (wake = resolve));
      const next = waiting.take();
      if (next) controller.enqueue(next);
      else if (last?.error) controller.error(last.error);
      else controller.close();
    },
    cancel: () => {
      finish({});
      cancel();
    },
  });
  const finish = (how: { error?: Error }): void => {
    last ??= how;
    wake?.();
  };
  let settle!: (response: Response) => void;
  let reject!: (error: Error) => void;
  const response = new Promise<Response>((...both) => ([settle, reject] = both));
  // A caller that hears of a failure in another way does not look at it.
  response.catch(() => {});
  /** Chunks that were written before are still read, which `controller.error` would throw away. */
  const fail = (error: Error): void => {
    reject(error);
    finish({ error });
  };
  signal?.addEventListener("abort", () => {
    if (last) return;
    cancel();
    fail(aborted());
  });
  let begun = false;
  return {
    /** Settles with the head. */
    response,
    /** The server does not take the request, unless the head has come. */
    refuse: settle,
    /** The head has come: the body is of this media type. Called again, it does nothing. */
    begin: (type: string): void => {
      if (!begun) settle(new Response(stream, { headers: { "content-type": type } }));
      begun = true;
    },
    write: (text: string | Uint8Array): void => {
      if (last) return;
      waiting.push(typeof text === "string" ? encoder.encode(text) : text);
      wake?.();
    },
    end: (): void => finish({}),
    fail,
  };
}
