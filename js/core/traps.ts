// Guards entries to the core: promises of the platform, where no caller would see it trap; and values from outside. A
// value of another type than the core expects would be an exception in the middle of it.

import { expect, unfit } from "../base/failure.js";
import type { FetchedResponse, Host, RequestTarget } from "../glue/core.js";

/** Whether the core is lost: it trapped, or ran out of stack. */
export function isTrap(error: unknown): boolean {
  return error instanceof Error && /^(RuntimeError|RangeError|InternalError)$/.test(error.name);
}

/** A host as its owner writes it. */
export type WatchfulHost = Omit<Host, "wake" | "settle" | "fetch"> & {
  /** The time has come that the core waits for. */
  tick(): void;
  /** The core has trapped: its session is lost. */
  lost(trap: unknown): void;
  head(headers: Headers, status: number): void;
};

/**
 * The host that the core gets: reports traps in callbacks of the platform to `lost`. Its functions reference only the
 * given methods.
 */
export function watched({ lost, tick, request, ...host }: WatchfulHost): Host {
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (trap) {
      lost(trap);
    }
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    ...host,
    request: async (...which) => toTarget(await request(...which)),
    fetch: async ({ url, fetch: send }, init) => {
      const response = await (send ? send(url, init) : fetch(url, init));
      const answer = toAnswer(response);
      host.head(response.headers, answer.status);
      return answer;
    },
    wake: (ms) => {
      clearTimeout(timer);
      timer = ms === undefined ? undefined : setTimeout(tick, ms);
    },
    settle: (promise, callback) => {
      const end = (value: unknown, failed: boolean): void =>
        attempt(() => {
          callback(value, failed);
          callback._wbg_cb_unref();
        });
      void Promise.resolve(promise).then((value) => end(value, false), (error) => end(error, true));
    },
  };
}

/** Where a request goes, as a transport of the application says. */
function toTarget(target: RequestTarget): RequestTarget {
  const { url, method, credentials, fetch, binary } = target;
  if (method != null) expect("method", "string", method);
  if (credentials && !/^(omit|same-origin|include)$/.test(credentials)) throw unfit("credentials", '"omit", "same-origin" or "include"', credentials);
  if (fetch && typeof fetch !== "function") throw unfit("fetch", "a function", fetch);
  return { ...target, url: String(url), binary: binary === true };
}

/** Reads a response, which the application's `fetch` may make of anything. */
function toAnswer(response: Response): FetchedResponse {
  const { status, headers, body } = Object(response) as Response;
  // A response that is an error of the network has status 0.
  if (typeof status !== "number" || !status || typeof headers?.get !== "function") throw new Error("fetch gave no response");
  if (body?.locked) throw new Error("the body of the response has a reader already");
  const header = (name: string): string | undefined => headers.get(name)?.toString();
  return { status, contentType: header("content-type") ?? "", retryAfter: header("retry-after"), reader: body?.getReader() };
}
