// Where requests go: to begin a run, to join one, to stop one.

import { retryTimes } from "./retry.js";
import type { AgentOptions, FetchOptions, RunTarget, Transport, TransportRequest, TransportTarget } from "../api/types.js";

/** The settings of the network as the core reads them: JSON text. */
export function toNetwork({ retry, resume, headers, transport, saving }: AgentOptions): string {
  const { attempts, ...times } = retryTimes(retry);
  const whole = (value: number, most: number = Number.MAX_SAFE_INTEGER): number => Math.min(Math.round(value), most);
  const marked = resume && "path" in resume ? resume : undefined;
  const inBody = marked && !("in" in marked && marked.in === "query");
  return JSON.stringify({
    ...Object.fromEntries(Object.entries(times).map(([name, value]) => [name, whole(value)])),
    attempts: whole(attempts, 2 ** 31),
    refusals: !!retry,
    posts: !!retry && retry.posts === true && !saving?.required,
    renewHeaders: transport ? transport.renews === true : typeof headers === "function",
    seed: Math.floor(Math.random() * 2 ** 48),
    by: resume?.by,
    path: marked?.path,
    param: inBody ? (marked.param ?? "lastSeenEventId") : undefined,
  });
}

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
      const own = request.resume && resume && "url" in resume ? resume.url : undefined;
      let url = String(await (own === undefined ? ask(options.url) : at(own, request)));
      const target = { headers: await ask(options.headers), credentials, fetch, binary };
      if (!request.resume || !resume) return { url, ...target };
      const { cursor } = request;
      // A cursor in `forwardedProps` needs a body, and who has no other address the one that the agent's takes.
      const query = resume.by === "cursor" && resume.in === "query";
      const posts = "path" in resume ? !query : own === undefined;
      const method = ("method" in resume ? resume.method : undefined) ?? (posts ? "POST" : "GET");
      if (query && cursor !== undefined) url = withParam(url, resume.param, cursor);
      const headers = new Headers(target.headers);
      // Nothing else can stand in a header; a server that is not told repeats what was seen, which is left out.
      if (cursor !== undefined && !("path" in resume) && !/[\0\r\n]/.test(cursor)) headers.set("last-event-id", toBytes(cursor));
      return { ...target, url, method, headers };
    },
  };
}

/** Tells the server that a run is stopped, where the options say how. */
export async function stopRemote(options: AgentOptions, run: RunTarget): Promise<void> {
  const { stop, credentials, fetch: send = fetch } = options;
  if (!stop) return;
  if (typeof stop === "function") return void (await stop(run));
  const { url, method = "POST" } = stop;
  const headers = new Headers(await ask(options.headers));
  new Headers(stop.headers).forEach((value, name) => headers.set(name, value));
  const { threadId, runId } = run;
  const given = stop.body === undefined ? { threadId, runId } : stop.body;
  const content: unknown = typeof given === "function" ? await (given as (run: RunTarget) => unknown)(run) : given;
  const empty = content === undefined || content === null;
  if (!empty && !headers.has("content-type")) headers.set("content-type", "application/json");
  const response = await send(String(await at(url, run)), {
    method,
    // The page may be about to go.
    keepalive: true,
    headers,
    ...(credentials && { credentials }),
    ...(!empty && { body: JSON.stringify(content) }),
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
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
export function at<Value>(provider: Value | ((runId: string, run: RunTarget) => Value), run: RunTarget): Value {
  return typeof provider === "function"
    ? (provider as (runId: string, run: RunTarget) => Value)(run.runId, run)
    : provider;
}

function ask<Value>(provider: Value | (() => Value)): Value {
  return typeof provider === "function" ? (provider as () => Value)() : provider;
}
