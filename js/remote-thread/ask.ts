// Requests to the agent's server beside its runs: to open a thread, to page in it, to ask what it can do.

import type { AgentError } from "../api/error.js";
import type { AgentOptions, ServerRequest, ThreadPage, TransportTarget } from "../api/types.js";
import { eventsOf } from "./body.js";
import type { Errors, RemoteClient } from "./client.js";
import { checkPage, readHydrated, toEvents, type OpenedThread } from "./page.js";

/** How much of the body of a refusal is kept. */
const bodyLength = 64 * 2 ** 10;

/** A value, or what the function returns. */
const ask = <Value>(provider: Value | (() => Value)): Value => (typeof provider === "function" ? (provider as () => Value)() : provider);

/** The error of a response that is no success. */
export async function refusalOf({ error }: Errors, response: Response): Promise<AgentError> {
  const { status } = response;
  const body = await response.text().then((text) => text.slice(0, bodyLength), () => "");
  const kind = status === 401 || status === 403 ? "auth" : "http";
  const retryable = kind === "http" && (status >= 500 || [408, 409, 425, 429].includes(status));
  const after = response.headers.get("retry-after") ?? "";
  const retryAfterMs = after ? Math.max(Number(after) * 1000 || Date.parse(after) - Date.now() || 0, 0) : undefined;
  return error({ kind, status, body, retryable, retryAfterMs, ...(status === 409 && { code: "busy" }), message: `The server answered ${status}` });
}

/** A failure as the agent's error. */
export function errorOf({ error, isError }: Errors, cause: unknown, what: string): AgentError {
  if (isError(cause)) return cause;
  // Of `response.json()`, in any realm.
  if ((cause as Partial<Error> | undefined)?.name === "SyntaxError")
    return error({ kind: "protocol", code: "thread-malformed", retryable: true, message: `${what}: the answer is not JSON`, cause });
  const reason = cause instanceof Error ? cause.message : String(cause);
  const status = Number((cause as { readonly status?: unknown } | undefined)?.status) || undefined;
  return error({ kind: status ? "http" : "connection", code: "thread", status, retryable: true, message: `${what}: ${reason}`, cause });
}

/** Sends once more, with headers that are asked for anew, where these were refused: as for a run. */
async function sendRenewed(send: () => Promise<Response>, renews: boolean | undefined): Promise<Response> {
  const response = await send();
  return response.status === 401 && renews ? send() : response;
}

/** Makes the request that functions of a preset receive. The options are read before every request. */
export async function createRequest<State>(client: RemoteClient<State>, signal: AbortSignal): Promise<ServerRequest> {
  const { options } = client;
  const current: AgentOptions<State> = options();
  const url = current.url === undefined ? "" : String(await ask(current.url));
  const once = async (to: string, init: RequestInit): Promise<Response> => {
    const { headers, credentials, fetch: send = globalThis.fetch } = options();
    const all = new Headers(await ask(headers));
    new Headers(init.headers).forEach((value, name) => all.set(name, value));
    return send(to, { ...(credentials && { credentials }), signal, ...init, headers: all });
  };
  return {
    url,
    signal,
    fetch: async (to, init = {}) => {
      const response = await sendRenewed(() => once(String(to), init), typeof options().headers === "function");
      if (!response.ok) throw await refusalOf(client, response);
      return response;
    },
  };
}

/** Waits for the server as long as the option `thread.timeoutMs` says, and until `signal` is aborted. */
export async function inTime<State, Value>(
  client: RemoteClient<State>,
  signal: AbortSignal,
  action: (ended: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const timeoutMs = client.options().thread?.timeoutMs ?? 30_000;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal.addEventListener("abort", stop);
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const timeout = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(new Error("the server has not answered")));
      // A longer time fires at once.
      if (timeoutMs > 0) timer = setTimeout(stop, Math.min(timeoutMs, 1e9));
      if (signal.aborted) stop();
    });
    return await Promise.race([action(controller.signal), timeout]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Asks the loader for a page, with a time limit. `before`: as the page after it has named it. */
export async function askPage<State>(client: RemoteClient<State>, before: string | undefined, signal: AbortSignal): Promise<ThreadPage | undefined> {
  const { load, limit } = client.options().thread ?? {};
  if (typeof load !== "function") return undefined;
  const { threadId } = client.core();
  try {
    const page = await inTime(client, signal, async (ended) => load({ ...(await createRequest(client, ended)), threadId, before, limit }));
    return checkPage(client, page, threadId, (message) => client.emitter.emit("warning", { code: "message-malformed", message }));
  } catch (cause) {
    const error = errorOf(client, cause, "The thread could not be loaded");
    if (error.status === 404 || error.status === 410) return undefined;
    throw error;
  }
}

/** Asks for the thread with a request without messages. A server that does not have it answers with one of `without`: the result is `undefined`. */
export async function askStored<State>(
  client: RemoteClient<State>,
  runId: string,
  resume: boolean,
  without: readonly number[],
  signal: AbortSignal,
): Promise<Response | undefined> {
  const response = await post(client, runId, resume, {}, signal);
  if (without.includes(response.status)) return undefined;
  if (!response.ok) throw await refusalOf(client, response);
  return response;
}

/** Asks for the thread as a run would be asked for. */
export async function hydrate<State>(client: RemoteClient<State>, runId: string, signal: AbortSignal): Promise<OpenedThread> {
  const { threadId } = client.core();
  const response = await askStored(client, runId, false, [404, 410], signal);
  return response ? readHydrated(client, await textOf(response), threadId) : toEvents(undefined, undefined, runId, threadId);
}

/** The body of a run as far as the run goes: a server may leave it open. */
async function textOf({ body }: Response): Promise<string> {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  const decoder = new TextDecoder();
  const text: string[] = [];
  // The line that is not whole yet. A thread may be one line.
  let line: string[] = [];
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    const more = decoder.decode(value, { stream: !done });
    text.push(more);
    if (done) return text.join("");
    const end = more.lastIndexOf("\n") + 1;
    line.push(end ? more.slice(0, end) : more);
    if (!end) continue;
    const lines = line.join("");
    line = [more.slice(end)];
    const events = /RUN_(FINISHED|ERROR)/.test(lines) ? eventsOf(lines) : [];
    if (!events.some(({ event }) => event.type === "RUN_FINISHED" || event.type === "RUN_ERROR")) continue;
    void reader?.cancel().catch(() => {});
    return text.join("");
  }
}

/** Sends an input with these members to where such a request of a run would go, and as often. */
export async function post<State>(client: RemoteClient<State>, runId: string, resume: boolean, said: object, signal: AbortSignal): Promise<Response> {
  const { threadId } = client.core();
  const { tools, context, forwardedProps } = client.input();
  const body = JSON.stringify({ threadId, runId, state: {}, messages: [], tools, context, forwardedProps, ...said });
  const once = async (): Promise<Response> => {
    const target: TransportTarget = await client.target({ resume, threadId, runId, cursor: undefined });
    const { url, method = "POST", headers, credentials, fetch: send = globalThis.fetch } = target;
    const all = new Headers(headers);
    all.set("content-type", "application/json");
    all.set("accept", "text/event-stream");
    return send(url, { method, headers: all, body, signal, ...(credentials && { credentials }) });
  };
  const { headers, transport } = client.options();
  return sendRenewed(once, transport ? transport.renews : typeof headers === "function");
}
