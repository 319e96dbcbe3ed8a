// Where requests go: to begin a run, and to join one.

import { ask } from "../base/call.js";
import type { AgentOptions, FetchOptions, RunTarget, Transport, TransportRequest, TransportTarget } from "../api/types.js";

/** Where the next request goes. */
export function toTarget(options: AgentOptions, request: TransportRequest): TransportTarget | Promise<TransportTarget> {
  const { transport, resume } = options;
  return (transport ?? fetchWith(options as FetchOptions)).connect(request, resume);
}

/** The transport that sends requests with fetch. The options are read before every request. */
export function fetchWith(options: FetchOptions): Transport {
  return {
    renews: typeof options.headers === "function",
    get binary() {
      return options.binary;
    },
    connect: async (request, resume) => {
      const { credentials, fetch, binary = false } = options;
      const resumeUrl = request.resume && resume && "url" in resume ? resume.url : undefined;
      let url = String(await (resumeUrl === undefined ? ask(options.url) : at(resumeUrl, request)));
      const target = { headers: await ask(options.headers), credentials, fetch, binary };
      if (!request.resume || !resume) return { url, ...target };
      const { cursor } = request;
      // A cursor in `forwardedProps` needs a body, and who has no other address the one that the agent's takes.
      const query = resume.by === "cursor" && resume.in === "query";
      const posts = "path" in resume ? !query : resumeUrl === undefined;
      const method = ("method" in resume ? resume.method : undefined) ?? (posts ? "POST" : "GET");
      if (query && cursor !== undefined) url = withParam(url, resume.param, cursor);
      const headers = new Headers(target.headers);
      // Nothing else can stand in a header; a server that is not told repeats what was seen, which is left out.
      if (cursor !== undefined && !("path" in resume) && !/[\0\r\n]/.test(cursor)) headers.set("last-event-id", toBytes(cursor));
      return { ...target, url, method, headers };
    },
  };
}

/** A header's value as EventSource sends it: UTF-8, a byte a character. */
function toBytes(value: string): string {
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
}

/** An address with one more parameter. It need not be a whole one. */
export function withParam(url: string, name: string, value: string): string {
  const [, path = "", query, fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(url) ?? [];
  const params = new URLSearchParams(query);
  params.set(name, value);
  return `${path}?${params}${fragment}`;
}

/** The value, or what the function says of this run. */
export const at = <Value>(provider: Value | ((runId: string, run: RunTarget) => Value), run: RunTarget): Value => ask(provider, run.runId, run);

/** The option `retry` with its defaults. */
export function retryTimes(retry: AgentOptions["retry"]) {
  const { attempts = 5, baseMs = 500, minMs = 100, maxMs = 30_000, perMinute = 60, perRun = 1000, queueMs = 1000, idleMs = 0 } = retry || {};
  return { attempts: retry === false ? 0 : attempts, baseMs, minMs, maxMs, perMinute, perRun, queueMs, idleMs };
}
