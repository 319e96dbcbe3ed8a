// The host of a worker's session: the page at the other end of the pipe.

import type { Host, RequestTarget } from "../glue/core.js";
import { toFailure, type Pipe } from "./pipe.js";
import type { FromWorker } from "./session.js";
import type { Updates } from "./updates.js";

/** The head of an answer that the page got. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: [string, string][];
  readonly hasBody: boolean;
}

/** The page as a host; `methods` are those that the worker has itself. */
export function createPageHost(pipe: Pipe<FromWorker>, updates: Updates, methods: Pick<Host, "settled" | "hold" | "lost">): Host {
  let requests = 0;
  return {
    task: { until: Infinity },
    settled: (...end) => {
      methods.settled(...end);
      updates.acted();
    },
    hold: (on) => {
      methods.hold(on);
      pipe.wake();
    },
    lost: methods.lost,
    request: async (resume, runId, cursor) => {
      const number = ++requests;
      const { fetches, ...target } = (await pipe.ask("request", number, resume, runId, cursor)) as RequestTarget & { readonly fetches: boolean };
      return fetches ? { ...target, fetch: fetchInPage(pipe, number) } : target;
    },
    failed: (cause) => pipe.tell("failed", toFailure(cause)),
    stopRemote: (runId) => pipe.tell("stopRemote", runId),
    changed: updates.changed,
    head: (headers, status) => pipe.tell("head", [...headers], status),
    custom: (name, value) => pipe.tell("custom", name, value),
    event: (json) => pipe.tell("event", json),
    decision: (json) => pipe.tell("decision", json),
    warning: (warning) => pipe.tell("warning", warning),
    execute: (...call) => {
      // Should this worker end, the page has to know what was begun.
      updates.acted();
      pipe.tell("execute", ...call);
    },
    abandon: (toolCallId) => pipe.tell("abandon", toolCallId),
    // The page makes the save: it has the thread.
    save: (number) => updates.acted(number),
  };
}

/** A request that only the page can make. */
function fetchInPage(pipe: Pipe<FromWorker>, number: number): typeof fetch {
  const send = async (url: string, { method, headers, body, credentials, signal }: RequestInit) => {
    const cancel = (): void => pipe.tell("cancelFetch", number);
    signal?.addEventListener("abort", cancel);
    const init = { method, headers: [...(headers as Headers)], body, credentials } as RequestInit;
    const head = (await pipe.ask("fetch", number, url, init)) as ResponseHead;
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const chunk = (await pipe.ask("read", number)) as Uint8Array | undefined;
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel,
    });
    // No `Response`: that refuses some of the statuses that a server may answer with.
    return { status: head.status, headers: new Headers(head.headers), body: head.hasBody ? stream : null };
  };
  return send as unknown as typeof fetch;
}
