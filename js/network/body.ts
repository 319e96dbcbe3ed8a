// A body that is written from outside.

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

/** A body that is written from outside. */
export interface WritableBody {
  readonly stream: ReadableStream<Uint8Array>;
  write(text: string | Uint8Array): void;
  end(): void;
  /** Chunks that were written before are still read, which `controller.error` would throw away. */
  fail(error: Error): void;
}

/** An empty body. `cancel`: nobody wants the rest. */
export function createBody(cancel: () => void): WritableBody {
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
      last ??= {};
      wake?.();
      cancel();
    },
  });
  const finish = (how: { error?: Error }): void => {
    last ??= how;
    wake?.();
  };
  return {
    stream,
    write: (text) => {
      waiting.push(typeof text === "string" ? encoder.encode(text) : text);
      wake?.();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
  };
}
