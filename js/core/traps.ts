// Recognizes traps of the core, and checks values from outside: one of another type than the core expects would be an exception in
// the middle of it.

import { expect, unfit } from "../base/failure.js";
import type { RequestTarget, SentTarget } from "../glue/core.js";

/** Whether the core is lost: it trapped, or ran out of stack. */
export function isTrap(error: unknown): boolean {
  return error instanceof Error && /^(RuntimeError|RangeError|InternalError)$/.test(error.name);
}

/** Where a request goes, as a transport of the application says. */
export function toTarget(target: RequestTarget): SentTarget {
  const { url, method, headers, credentials, fetch, binary } = target;
  if (method != null) expect("method", "string", method);
  if (credentials && !/^(omit|same-origin|include)$/.test(credentials)) throw unfit("credentials", '"omit", "same-origin" or "include"', credentials);
  if (fetch) expect("fetch", "function", fetch);
  return { ...target, url: String(url), headers: new Headers(headers ?? undefined), binary: binary === true };
}

/** Reads a response, which the application's `fetch` may make of anything. */
export function toAnswer(response: Response) {
  const { status, headers, body } = Object(response) as Response;
  // A response that is an error of the network has status 0.
  if (typeof status !== "number" || !status || typeof headers?.get !== "function") throw new Error("fetch gave no response");
  if (body?.locked) throw new Error("the body of the response has a reader already");
  const header = (name: string): string | undefined => headers.get(name)?.toString();
  return { status, contentType: header("content-type") ?? "", retryAfter: header("retry-after"), reader: body?.getReader() };
}
