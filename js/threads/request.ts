// How the server is asked: with the headers of the options, until it takes too long.

import { AgentError } from "../api/error.js";
import { reasonOf } from "../base/failure.js";
import { later } from "../base/timer.js";
import type { ServerRequest } from "../api/server.js";
import type { FetchOptions } from "../api/transport.js";

/** The options that are about requests. */
export type Sending = Pick<FetchOptions, "headers" | "credentials" | "fetch">;

/** Calls a function with a request that ends with `ended`, with the list, or when it takes too long. Rejects with an AgentError. */
export type Ask = <Value>(doing: string, action: (request: ServerRequest) => Promise<Value>, ended?: AbortSignal) => Promise<Value>;

/** Any failure, as an agent's error. */
export function toError(cause: unknown, doing: string): AgentError {
  if (AgentError.is(cause)) return cause;
  const { name, status } = Object(cause) as { readonly name?: unknown; readonly status?: number };
  // Of `response.json()`, in any realm.
  const kind = name === "SyntaxError" ? "protocol" : status ? "http" : "connection";
  return new AgentError({ kind, status, retryable: true, message: `${doing}: ${reasonOf(cause)}`, cause });
}

/** How a list asks, with its options. */
export function askWith(options: Sending & { readonly url: string; readonly timeoutMs: number; readonly life: AbortSignal }): Ask {
  const { url, timeoutMs, life } = options;
  // One listener for the life of the list, and not one a request: Node warns about many.
  const open = new Set<AbortController>();
  life.addEventListener("abort", () => open.forEach((abort) => abort.abort(life.reason)));
  return async (doing, action, ended) => {
    const abort = new AbortController();
    const { signal } = abort;
    const timeOut = (): void => abort.abort(new AgentError({ kind: "connection", retryable: true, message: `${doing}: no answer within ${timeoutMs} ms` }));
    const timer = timeoutMs > 0 ? later(timeoutMs, timeOut) : undefined;
    const superseded = (): void => abort.abort(ended?.reason);
    ended?.addEventListener("abort", superseded);
    open.add(abort);
    if (life.aborted) abort.abort(life.reason);
    // A function that does not look at the signal is not waited for any longer.
    const aborted = new Promise<never>((_, reject) => {
      const leave = (): void => reject(signal.reason);
      signal.addEventListener("abort", leave);
      if (signal.aborted) leave();
    });
    try {
      const request = { url, signal, fetch: fetchFor(options, signal, doing) };
      // A function that throws rejects as well.
      return await Promise.race([aborted, Promise.resolve(request).then(action)]);
    } catch (cause) {
      throw toError(cause, doing);
    } finally {
      clearTimeout(timer);
      ended?.removeEventListener("abort", superseded);
      open.delete(abort);
    }
  };
}

/** `fetch` of a request: only an answer with 2xx is one. */
function fetchFor({ headers, credentials, fetch: send = fetch }: Sending, signal: AbortSignal, doing: string): ServerRequest["fetch"] {
  return async (url, init = {}) => {
    const once = async (): Promise<Response> => {
      const all = new Headers(await (typeof headers === "function" ? headers() : headers));
      new Headers(init.headers).forEach((value, name) => all.set(name, value));
      return send(String(url), { signal, ...(credentials && { credentials }), ...init, headers: all });
    };
    let response = await once();
    // As for a run: once more, with headers that are asked for anew.
    if (response.status === 401 && typeof headers === "function") response = await once();
    if (response.ok) return response;
    const { status } = response;
    const kind = status === 401 || status === 403 ? "auth" : "http";
    const body = (await response.text().catch(() => "")).slice(0, 1000);
    throw new AgentError({
      kind,
      status,
      body,
      retryable: status >= 500 || status === 408 || status === 429,
      message: `${doing}: the server responded with ${status}`,
    });
  };
}
