// Requests of an agent to its server: a run, as its transport makes it, and the notice that one was stopped.

import type { AgentOptions, RunResult, TransportRequest, TransportTarget } from "../api/types.js";
import { belongs } from "../base/run-id.js";
import type { RequestTarget } from "../glue/core.js";
import { reasonOf, toJson } from "../base/failure.js";
import { isPromise } from "../base/promise.js";
import { observed } from "../network/observe.js";
import { toTarget } from "../network/request.js";
import { stopRemote } from "../network/stop.js";
import { toOptionInput } from "./input.js";
import type { Thread } from "./thread.js";

type RequestsClient<State> = Pick<Thread<State>, "remote" | "openChannel" | "emitter" | "options" | "read" | "saves">;

/** Requests that are kept. */
const maxRequests = 20;

let made = 0;

/** The last request of each agent, by its emitter, and the head of its response. */
const heads = new WeakMap<object, readonly [runId: string, headers?: Headers]>();

/** The response to an agent's last request has come. */
export function head({ emitter }: Pick<RequestsClient<unknown>, "emitter">, headers: Headers, status: number): void {
  const { requests } = emitter;
  const sent = requests.pop();
  const contentType = headers.get("content-type");
  if (sent) requests.push({ ...sent, status, headMs: Date.now() - sent.at, ...(contentType && { contentType }) });
  const [runId] = heads.get(emitter) ?? [];
  if (runId !== undefined) heads.set(emitter, [runId, headers]);
}

/** The result of the run that was asked for with that id, with what its last response said beside its body. */
export function withHead({ emitter }: { readonly emitter: object }, id: string, result: RunResult): RunResult {
  const [runId, headers] = heads.get(emitter) ?? [];
  if (!headers || runId === undefined || !(belongs(runId, id) || runId === result.runId)) return result;
  const traceId = /^[\da-f]{2}-([\da-f]{32})-/.exec(headers.get("traceparent") ?? "")?.[1] ?? headers.get("x-request-id");
  // Not to be compared, or written as JSON.
  return Object.defineProperty({ ...result, ...(traceId && { traceId }) }, "headers", { value: headers });
}

/** The target of a run. `binary`: the session reads the binary framing. */
export function toRequest<State>(
  { openChannel, emitter, options, read, remote, saves }: RequestsClient<State>,
  binary: boolean,
  ...[resume, runId, cursor]: readonly [resume: boolean, runId: string, cursor: string | undefined]
): RequestTarget | Promise<RequestTarget> {
  const refusal = resume ? undefined : saves.refusal();
  if (refusal) throw refusal;
  const request = { resume, threadId: read().threadId, runId, cursor };
  // A run is begun with what the page is then: its submit may have waited, and a run may follow on calls.
  const begun = (outgoing: RequestTarget): RequestTarget => (resume ? outgoing : { ...outgoing, input: toJson(toOptionInput(options() as AgentOptions)) });
  const opens = remote.thread?.target(request);
  if (opens) return begun(opens);
  const target = options().transport?.keep
    ? openChannel().then((channel) => channel.make()).then((connection) => connection.target(request))
    : toTarget(options(), request);
  const seen = emitter.has("request");
  const change = (resolved: TransportTarget): RequestTarget => {
    // The session cannot read it, whatever the options say by now.
    const plain = binary ? resolved : { ...resolved, binary: false };
    const id = keep(emitter, plain, request);
    const watched = seen ? observed(plain, { ...request, id }, (sent) => emitter.emit("request", sent)) : plain;
    const outgoing = remote.thread?.carrying(watched, request) ?? watched;
    heads.set(emitter, [runId]);
    return begun(outgoing);
  };
  return isPromise(target) ? target.then(change) : change(target);
}

/** Keeps a request. Returns its id. */
function keep({ requests }: RequestsClient<unknown>["emitter"], { url, method }: TransportTarget, { resume, runId }: TransportRequest): number {
  requests.push({ id: ++made, url: String(url), method: method ?? (resume ? "GET" : "POST"), runId, resume, at: Date.now() });
  if (requests.length > maxRequests) requests.shift();
  return made;
}

/** Tells the server that the run was stopped. */
export function tellOfStop<State>({ emitter, options, read }: RequestsClient<State>, runId: string): void {
  stopRemote(options(), { threadId: read().threadId, runId }).catch((cause: unknown) => {
    emitter.emit("warning", { code: "stop-failed", message: `The server could not be notified of the stop: ${reasonOf(cause)}` });
  });
}
